//! Category and conditions of a search: all must hold.

use crate::base::text;
use crate::engine::query::Term;
use crate::state::search::{SearchOptions, terms_from, terms_text};
use leptos::prelude::*;

/// Rows of conditions are at most these.
const MOST: usize = 12;

/// The category, a row for each condition, and a button for one more.
#[component]
pub fn Terms(
    /// Search options.
    options: SearchOptions,
    /// (id, label) of fields.
    fields: Vec<(String, String)>,
    /// (id, label, slices) of categories.
    categories: Vec<(String, String, u64)>,
) -> impl IntoView {
    let terms = Memo::new(move |_| terms_from(&options.terms.0.get()));
    let n = Memo::new(move |_| terms.with(Vec::len).min(MOST));
    let (category, set_category) = options.category;
    let choices = categories.into_iter().map(|(id, label, n)| {
        let this = id.clone();
        view! { <option value=id selected=move || category.get() == this>{format!("{label} ({})", text::count(n))}</option> }
    });
    let choices = choices.collect_view();
    let first = fields.first().map(|f| f.0.clone()).unwrap_or_default();
    let add = move |_| {
        let mut all = terms.get_untracked();
        all.push(Term { field: first.clone(), text: String::new() });
        options.terms.1.set(terms_text(&all));
    };
    let rows = move || n.get();
    let is_full = move || n.get() >= MOST;
    view! {
        <div class="searchview__terms">
            <label class="field">
                "Category"
                <select class="select" data-field="search-category" on:change:target=move |e| set_category.set(e.target().value())>
                    <option value="" selected=move || category.get().is_empty()>"All"</option>
                    {choices}
                </select>
            </label>
            <For each=move || 0..rows() key=|i| *i let(i)><Row options terms i fields=fields.clone() /></For>
            <button
                type="button" class="button" data-add-field="" disabled=is_full
                title="Add a condition; a hit must match all conditions. Write a regular expression between slashes: /^MATMUL/, or /^matmul/i to ignore case. For numbers, write 7, >7, <=7 or 7..9." on:click=add
            >
                "+ Add field"
            </button>
        </div>
    }
}

#[component]
fn Row(options: SearchOptions, terms: Memo<Vec<Term>>, i: usize, fields: Vec<(String, String)>) -> impl IntoView {
    let field = Memo::new(move |_| terms.with(|t| t.get(i).map(|t| t.field.clone()).unwrap_or_default()));
    let value = move || terms.with(|t| t.get(i).map(|t| t.text.clone()).unwrap_or_default());
    let change = move |change: &dyn Fn(&mut Term)| {
        let mut all = terms.get_untracked();
        if let Some(term) = all.get_mut(i) {
            change(term);
            options.terms.1.set(terms_text(&all));
        }
    };
    let remove = move |_| {
        let mut all = terms.get_untracked();
        if i < all.len() {
            all.remove(i);
            options.terms.1.set(terms_text(&all));
        }
    };
    let choices = fields.into_iter().map(|(id, label)| {
        let this = id.clone();
        view! { <option value=id selected=move || field.get() == this>{label}</option> }
    });
    let choices = choices.collect_view();
    view! {
        <span class="searchview__term" data-term=i.to_string()>
            <select class="select" aria-label="Field" on:change:target=move |e| { let v = e.target().value(); change(&|t| t.field.clone_from(&v)) }>
                <option value="" selected=move || field.get().is_empty()>"Name and attributes"</option>
                {choices}
            </select>
            <input
                class="input mono" aria-label="Value" placeholder="text, /pattern/, >7" prop:value=value
                on:change:target=move |e| { let v = e.target().value(); change(&|t| t.text.clone_from(&v)) }
            />
            <button type="button" class="button button--icon" aria-label="Remove this condition" title="Remove this condition" on:click=remove>"×"</button>
        </span>
    }
}
