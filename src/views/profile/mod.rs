//! Metadata of the file, what it does not contain, and how to record that.

use crate::engine::PageColumns;
use crate::ui::controls::with_code;
use crate::views::scope::EntireTrace;
use leptos::prelude::*;
use std::sync::Arc;

/// Facts in groups, then what is not available from this source.
#[component]
pub fn ProfileView(
    /// The open profile.
    #[prop(into)]
    columns: Signal<Option<Arc<PageColumns>>>,
    /// Views that are not in the side bar: name, what each needs, how to record that.
    views: Signal<Vec<[String; 3]>>,
) -> impl IntoView {
    let groups = move || {
        let mut groups: Vec<(String, Vec<(String, String)>)> = Vec::new();
        for fact in columns.get().map(|h| h.info.meta.facts.clone()).unwrap_or_default() {
            match groups.iter_mut().find(|g| g.0 == fact.group) {
                Some(group) => group.1.push((fact.name, fact.value)),
                None => groups.push((fact.group, vec![(fact.name, fact.value)])),
            }
        }
        groups.into_iter().map(|(title, facts)| view! { <FactGroup title facts /> }).collect_view()
    };
    let missing = move || {
        let missing = columns.get().map(|h| h.info.meta.not_available.clone()).unwrap_or_default();
        (!missing.is_empty()).then(|| {
            let items = missing.into_iter().map(|m| view! { <li>{with_code(&m)}</li> }).collect_view();
            view! { <h2>"Not recorded in this file"</h2><ul class="profile__missing">{items}</ul> }
        })
    };
    let experimental = move || {
        columns.get().is_some_and(|h| h.info.meta.is_experimental).then(|| {
            view! { <p class="notice notice--warn">"This format has no published specification; support is experimental."</p> }
        })
    };
    view! {
        <section class="profile" data-view="profile">
            <header class="torch__head"><h1>{move || columns.get().map(|h| h.info.meta.title.clone())}</h1><EntireTrace is_of_file=true /></header>
            {experimental}
            <div class="profile__groups">{groups}</div>
            {missing}
            <MissingViews views />
        </section>
    }
}

/// What would fill the views that are not in the side bar.
#[component]
fn MissingViews(views: Signal<Vec<[String; 3]>>) -> impl IntoView {
    let row = |[name, needs, capture]: [String; 3]| {
        view! { <tr><th scope="row">{name}</th><td>{with_code(&needs)}</td><td>{with_code(&capture)}</td></tr> }
    };
    let rows = move || views.get().into_iter().map(row).collect_view();
    view! {
        <Show when=move || views.with(|v| !v.is_empty())>
            <section class="profile__views">
                <h2>"Views without data"</h2>
                <p class="profile__hint">"These views are not in the side bar, because this profile does not have what they need."</p>
                <div class="table-box" tabindex="0" role="group" aria-label="Views without data">
                    <table class="table" data-table="missing-views">
                        <thead><tr><th scope="col">"View"</th><th scope="col">"Needs"</th><th scope="col">"How to record it"</th></tr></thead>
                        <tbody>{rows}</tbody>
                    </table>
                </div>
            </section>
        </Show>
    }
}

#[component]
fn FactGroup(title: String, facts: Vec<(String, String)>) -> impl IntoView {
    let rows = facts.into_iter().map(|(name, value)| view! { <dt>{name}</dt><dd class="mono">{value}</dd> }).collect_view();
    view! { <section class="facts"><h2>{title}</h2><dl class="facts__list">{rows}</dl></section> }
}
