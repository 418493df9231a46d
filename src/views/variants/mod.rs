//! Variants: any number of open profiles of a kind, one row each, with any columns and any row as base.

pub mod rows;

use crate::analysis::variants::table::{Mode, sentence};
use crate::analysis::variants::text::{Layout, markdown};
use crate::analysis::variants::{VariantPart, Variants, variants};
use crate::engine::query::VariantPartsQuery;
use crate::state::choices::{Choice, ViewState};
use crate::ui::bars::Bars;
use crate::ui::controls::{Help, Problem};
use crate::ui::dom;
use crate::ui::effect::effect;
use crate::ui::table::{Kind, Table};
use crate::views::scope::EntireTrace;
use crate::worker::client::{Ask, EngineError};
use leptos::prelude::*;
use leptos::task::spawn_local;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// An open profile.
#[derive(Debug, Clone)]
pub struct Profile {
    /// Content hash.
    pub hash: String,
    /// Its title.
    pub label: String,
    /// Answers for it.
    pub ask: Ask,
}

impl PartialEq for Profile {
    fn eq(&self, other: &Self) -> bool {
        (&self.hash, &self.label) == (&other.hash, &other.label)
    }
}

/// Rows of each profile by its hash, or why it has none.
type PartsByProfile = BTreeMap<String, Result<Arc<Vec<VariantPart>>, NoParts>>;

/// Why a profile has no rows in the table.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{label}: {why}")]
struct NoParts {
    label: String,
    why: EngineError,
}

#[derive(Clone, Copy)]
struct State {
    profiles: Signal<Vec<Profile>>,
    /// All rows, in the chosen order.
    all: Memo<Arc<Variants>>,
    /// Places of the columns shown.
    shown: Memo<Arc<Vec<usize>>>,
    /// Hashes of profiles that are omitted, separated by commas.
    without: Choice<String>,
    columns: Choice<String>,
    base: Choice<String>,
    mode: Choice<String>,
    order: Choice<String>,
    choices: ViewState,
}

impl State {
    fn mode(&self) -> Mode {
        self.mode.0.with(|id| Mode::named(id)).unwrap_or_default()
    }

    fn base(&self) -> usize {
        self.all.with(|all| rows::base(all, &self.base.0.get()))
    }

    /// The shown table as Markdown.
    fn markdown(&self) -> String {
        untrack(|| self.all.with(|all| self.shown.with(|columns| markdown(all, Layout { columns, mode: self.mode(), base: self.base() }))))
    }
}

/// Asks every profile once for its rows.
fn collect(profiles: Signal<Vec<Profile>>, given: RwSignal<PartsByProfile>) {
    let asked = StoredValue::new(BTreeSet::<String>::new());
    effect(move || {
        for profile in profiles.get() {
            if !asked.try_update_value(|asked| asked.insert(profile.hash.clone())).unwrap_or(false) {
                continue;
            }
            spawn_local(async move {
                let answer = profile.ask.ask(VariantPartsQuery).await;
                let mut found = answer.map_err(|why| NoParts { label: profile.label.clone(), why });
                // A profile with one row has the title of its tab.
                if let Ok([only]) = found.as_deref_mut() {
                    only.title.clone_from(&profile.label);
                }
                let _ = given.try_update(|given| given.insert(profile.hash.clone(), found.map(|found| Arc::new(found.0))));
            });
        }
    });
}

/// The table of open profiles.
#[component]
pub fn VariantsView(
    /// Every open profile of the kind.
    profiles: Signal<Vec<Profile>>,
    /// Columns, base, order, what cells show.
    #[prop(default = ViewState::detached("variants"))]
    choices: ViewState,
) -> impl IntoView {
    let given = RwSignal::new(PartsByProfile::new());
    collect(profiles, given);
    let (without, order) = (choices.choice("without", String::new()), choices.choice("order", String::new()));
    let columns = choices.choice("columns", String::new());
    let all = Memo::new(move |_| {
        let left_out = rows::ids(&without.0.get());
        let shown = profiles.get().into_iter().filter(|p| !left_out.contains(&p.hash));
        let parts: Vec<VariantPart> = given.with(|given| {
            let of = |p: Profile| given.get(&p.hash).and_then(|found| found.as_ref().ok().cloned());
            shown.filter_map(of).flat_map(|parts| parts.iter().cloned().collect::<Vec<_>>()).collect()
        });
        Arc::new(rows::ordered(&variants(&parts), &order.0.get()))
    });
    let shown = Memo::new(move |_| Arc::new(all.with(|all| all.chosen(&rows::ids(&columns.0.get())))));
    let base = choices.choice("base", String::new());
    let mode = choices.choice("show", Mode::default().id().to_string());
    let state = State { profiles, all, shown, without, columns, base, mode, order, choices };
    let is_waiting = Memo::new(move |_| profiles.with(|all| given.with(|given| all.iter().any(|p| !given.contains_key(&p.hash)))));
    let problem = Memo::new(move |_| {
        let failed: Vec<String> =
            given.with(|given| given.values().filter_map(|found| found.as_ref().err().map(ToString::to_string)).collect());
        (!failed.is_empty()).then(|| failed.join(" "))
    });
    let answer = move || all.with(|all| sentence(all, state.base()));
    let table_columns = Signal::derive(move || Arc::new(all.with(|all| shown.with(|columns| rows::columns(all, columns)))));
    let table_rows = Signal::derive(move || {
        Arc::new(all.with(|all| shown.with(|columns| rows::rows(all, columns, state.mode(), state.base(), &order.0.get()))))
    });
    let choose = Callback::new(move |at: usize| {
        if let Some(title) = all.with_untracked(|all| all.rows.get(at).map(|row| row.title.clone())) {
            base.1.set(title);
        }
    });
    let selected = Signal::derive(move || (state.mode() != Mode::Values).then(|| state.base()));
    view! {
        <section class="torch variants" data-view="variants" class:is-waiting=move || is_waiting.get() aria-busy=move || is_waiting.get().to_string()>
            <Heading state />
            <Problem text=problem />
            <p class="torch__figure" data-answer role="status">{answer}</p>
            <div class="torch__choices">
                <Picked state />
                <Chooser state />
                <Exports state />
            </div>
            <Table
                id="variants" label="Profiles" columns=table_columns rows=table_rows on_row=choose selected saved=choices.choice("table", String::new())
                empty="No open profile has values for this table."
            />
            <p class="torch__hint">"Click a row to make it the base. The stronger the colour, the worse the value; the best of a column is bold, the worst is underlined."</p>
            <Chart state />
        </section>
    }
}

#[component]
fn Heading(state: State) -> impl IntoView {
    let bases = move || {
        let chosen = state.base();
        let option = |(at, title): (usize, String)| view! { <option value=title.clone() selected=at == chosen>{title.clone()}</option> };
        state.all.with(|all| all.rows.iter().map(|row| row.title.clone()).enumerate().map(option).collect_view())
    };
    let modes = move || {
        let chosen = state.mode();
        let label = |mode| match mode {
            Mode::Values => "Values",
            Mode::Differences => "Differences",
            Mode::Ratios => "Ratios",
        };
        Mode::ALL.map(|mode| view! { <option value=mode.id() selected=mode == chosen>{label(mode)}</option> }).collect_view()
    };
    let orders = move || {
        let chosen = state.order.0.get();
        rows::ORDERS.map(|(id, label)| view! { <option value=id selected=id == chosen>{label}</option> }).collect_view()
    };
    view! {
        <header class="torch__head">
            <h1>"Variants"</h1>
            <EntireTrace />
            <label class="field">
                "Show "
                <select class="select" data-field="show" on:change:target=move |e| state.mode.1.set(e.target().value())>{modes}</select>
            </label>
            <label class="field">
                "Base "
                <select class="select" data-field="base" on:change:target=move |e| state.base.1.set(e.target().value())>{bases}</select>
            </label>
            <label class="field">
                "Order "
                <select class="select" data-field="order" on:change:target=move |e| state.order.1.set(e.target().value())>{orders}</select>
            </label>
            <Help text="One row for each open profile of this kind; a summary file with several programs has a row for each. Kernel, dtype and length are read from the names of the profiles. A value that a profile does not record is empty." />
        </header>
    }
}

/// Which profiles have a row.
#[component]
fn Picked(state: State) -> impl IntoView {
    let left_out = Memo::new(move |_| rows::ids(&state.without.0.get()));
    let count = move || {
        let (n, all) = (state.profiles.with(Vec::len), left_out.with(Vec::len));
        format!("Profiles ({} of {n})", n.saturating_sub(all))
    };
    let toggle = move |hash: &str| {
        let mut ids = left_out.get_untracked();
        match ids.iter().position(|known| known == hash) {
            Some(at) => _ = ids.remove(at),
            None => ids.push(hash.into()),
        }
        state.without.1.set(ids.join(","));
    };
    let items = move || {
        let item = move |profile: Profile| {
            let (hash, own) = (profile.hash.clone(), profile.hash);
            view! {
                <label class="variants__choice">
                    <input type="checkbox" prop:checked=move || left_out.with(|out| !out.contains(&own)) on:change=move |_| toggle(&hash) />
                    <span>{profile.label}</span>
                </label>
            }
        };
        state.profiles.get().into_iter().map(item).collect_view()
    };
    let (is_open, set_open) = signal(false);
    view! {
        <details class="variants__menu" data-profiles on:toggle=move |_| set_open.update(|o| *o = !*o)>
            <summary>{count}</summary>
            <div class="variants__choices" role="group" aria-label="Profiles" tabindex="0">{move || is_open.get().then(items)}</div>
        </details>
    }
}

/// Which metrics have a column.
#[component]
fn Chooser(state: State) -> impl IntoView {
    let (is_open, set_open) = signal(false);
    let (filter, set_filter) = signal(String::new());
    let count = move || state.all.with(|all| format!("Metrics ({} of {})", state.shown.with(|s| s.len()), all.columns.len()));
    let toggle = move |id: &str| {
        let text = state.all.with_untracked(|all| state.shown.with_untracked(|shown| rows::toggled(all, shown, id)));
        state.columns.1.set(text);
    };
    let items = move || {
        let wanted = filter.get().to_lowercase();
        let found: Vec<(usize, String, String, String)> = state.all.with(|all| {
            let matches = |text: &str| text.to_lowercase().contains(&wanted);
            let columns = all.columns.iter().enumerate().filter(|(_, c)| matches(&c.label) || matches(&c.id) || matches(&c.group));
            columns.map(|(at, c)| (at, c.id.clone(), c.label.clone(), c.group.clone())).collect()
        });
        let item = |(at, id, label, group): (usize, String, String, String)| {
            let title = format!("{group}: {id}");
            view! {
                <label class="variants__choice" title=title>
                    <input
                        type="checkbox" data-choose=id.clone() prop:checked=move || state.shown.with(|s| s.contains(&at)) on:change=move |_| toggle(&id)
                    />
                    <span>{label}</span>
                    <span class="variants__group">{group}</span>
                </label>
            }
        };
        found.into_iter().map(item).collect_view()
    };
    view! {
        <details class="variants__menu" data-columns on:toggle=move |_| set_open.update(|o| *o = !*o)>
            <summary>{count}</summary>
            <div class="variants__choices" role="group" aria-label="Metrics" tabindex="0">
                <Show when=move || is_open.get()>
                    <div class="variants__tools">
                        <input
                            class="input" type="search" placeholder="Filter" aria-label="Filter metrics" prop:value=filter
                            on:input:target=move |e| set_filter.set(e.target().value())
                        />
                        <button type="button" class="link" on:click=move |_| state.columns.1.set(String::new())>"Default metrics"</button>
                    </div>
                    {items}
                </Show>
            </div>
        </details>
    }
}

#[component]
fn Exports(state: State) -> impl IntoView {
    let (is_done, set_done) = signal(false);
    let copy = move |_| {
        let answer = untrack(|| state.all.with(|all| sentence(all, state.base()))).map(|s| format!("{s}\n\n")).unwrap_or_default();
        dom::copy_text(&format!("{answer}{}", state.markdown()));
        set_done.set(true);
        let undo = move || {
            let _ = set_done.try_set(false);
        };
        set_timeout(undo, std::time::Duration::from_millis(1200));
    };
    view! {
        <button type="button" class="button" data-copy-markdown on:click=copy>{move || if is_done.get() { "Copied" } else { "Copy as Markdown" }}</button>
        <button type="button" class="button" data-save="markdown" on:click=move |_| dom::save_text("variants.md", "text/markdown", &state.markdown())>
            "Save Markdown"
        </button>
    }
}

/// One or two columns over the profiles.
#[component]
fn Chart(state: State) -> impl IntoView {
    let (first, second) = (state.choices.choice("chart", String::new()), state.choices.choice("beside", String::new()));
    let first_at = Memo::new(move |_| state.all.with(|all| state.shown.with(|shown| rows::chart_column(all, shown, &first.0.get()))));
    let second_at = Memo::new(move |_| state.all.with(|all| all.column(&second.0.get())));
    let made = Memo::new(move |_| {
        let (kind, series, bars) = state.all.with(|all| rows::bars(all, first_at.get(), second_at.get(), &state.order.0.get()));
        (kind, Arc::new(series), Arc::new(bars))
    });
    let options = move |chosen: Option<usize>| {
        state.all.with(|all| {
            let option = |at: usize| view! { <option value=all.columns[at].id.clone() selected=Some(at) == chosen>{all.columns[at].label.clone()}</option> };
            state.shown.with(|shown| rows::charted(all, shown)).into_iter().map(option).collect_view()
        })
    };
    let kind = Memo::new(move |_| made.with(|m| m.0));
    // How values read is fixed when a chart is made.
    let chart = move || {
        let kind: Kind = kind.get();
        view! {
            <Bars
                id="variants-chart" title="Values by profile" what="Profile" kind series=Signal::derive(move || made.with(|m| m.1.clone()))
                bars=Signal::derive(move || made.with(|m| m.2.clone())) is_beside=true empty="No shown column has numbers."
            />
        }
    };
    view! {
        <section class="torch__part">
            <h2>"Chart"</h2>
            <div class="torch__choices">
                <label class="field">
                    "Column "
                    <select class="select" data-field="chart" on:change:target=move |e| first.1.set(e.target().value())>{move || options(first_at.get())}</select>
                </label>
                <label class="field">
                    "Beside it "
                    <select class="select" data-field="beside" on:change:target=move |e| second.1.set(e.target().value())>
                        <option value="">"None"</option>
                        {move || options(second_at.get())}
                    </select>
                </label>
                <span class="torch__hint">"Shown columns in the order of the rows. A second column needs the same unit."</span>
            </div>
            {chart}
        </section>
    }
}
