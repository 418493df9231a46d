//! What the file says of itself, and what it cannot tell.

use crate::engine::HotColumns;
use crate::ui::small::with_code;
use crate::views::scope::EntireTrace;
use leptos::prelude::*;
use std::sync::Arc;

/// Facts in groups, then what is not available from this source.
#[component]
pub fn ProfileView(
    /// The open profile.
    #[prop(into)]
    hot: Signal<Option<Arc<HotColumns>>>,
) -> impl IntoView {
    let groups = move || {
        let mut groups: Vec<(String, Vec<(String, String)>)> = Vec::new();
        for fact in hot.get().map(|h| h.info.meta.facts.clone()).unwrap_or_default() {
            match groups.iter_mut().find(|g| g.0 == fact.group) {
                Some(group) => group.1.push((fact.name, fact.value)),
                None => groups.push((fact.group, vec![(fact.name, fact.value)])),
            }
        }
        groups.into_iter().map(|(title, facts)| view! { <FactGroup title facts /> }).collect_view()
    };
    let missing = move || {
        let missing = hot.get().map(|h| h.info.meta.not_available.clone()).unwrap_or_default();
        (!missing.is_empty()).then(|| {
            let items = missing.into_iter().map(|m| view! { <li>{with_code(&m)}</li> }).collect_view();
            view! { <h2>"Not recorded in this file"</h2><ul class="profile__missing">{items}</ul> }
        })
    };
    let experimental = move || {
        hot.get().is_some_and(|h| h.info.meta.is_experimental).then(|| {
            view! { <p class="notice notice--warn">"This format has no published specification; support is experimental."</p> }
        })
    };
    view! {
        <section class="profile" data-view="profile">
            <header class="torch__head"><h1>{move || hot.get().map(|h| h.info.meta.title.clone())}</h1><EntireTrace is_of_file=true /></header>
            {experimental}
            <div class="profile__groups">{groups}</div>
            {missing}
        </section>
    }
}

#[component]
fn FactGroup(title: String, facts: Vec<(String, String)>) -> impl IntoView {
    let rows = facts.into_iter().map(|(name, value)| view! { <dt>{name}</dt><dd class="mono">{value}</dd> }).collect_view();
    view! { <section class="facts"><h2>{title}</h2><dl class="facts__list">{rows}</dl></section> }
}
