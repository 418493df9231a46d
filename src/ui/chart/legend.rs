//! What the colours mean; a click takes a series out of the chart and puts it back.

use crate::base::short_name;
use crate::ui::controls::swatch_colour;
use leptos::prelude::*;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A series of a chart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its name.
    pub name: String,
    /// Colour slot.
    pub colour: u16,
    /// A value beside the name; may be empty.
    pub figure: String,
    /// Title on hover; may be empty.
    pub help: String,
}

/// The series in a line that wraps.
#[component]
pub fn Legend(
    /// All series, hidden ones too.
    entries: Signal<Arc<Vec<Entry>>>,
    /// Names that are not drawn.
    hidden: RwSignal<BTreeSet<String>>,
    /// The series that is lit, by its position.
    #[prop(optional)]
    highlighted: Option<RwSignal<Option<usize>>>,
) -> impl IntoView {
    let items = move || {
        let item = |(i, entry): (usize, &Entry)| {
            let (name, of_click) = (entry.name.clone(), entry.name.clone());
            let is_hidden = move || hidden.with(|h| h.contains(&name));
            let light = move |on: bool| {
                if let Some(highlighted) = highlighted {
                    highlighted.set(on.then_some(i));
                }
            };
            let shown = short_name(&entry.name).into_owned();
            let full = (shown != entry.name).then_some(entry.name.as_str());
            let lines = full.into_iter().chain((!entry.help.is_empty()).then_some(entry.help.as_str()));
            let title = lines.chain(["Click to hide or show this series"]).collect::<Vec<_>>().join("\n");
            view! {
                <li>
                    <button
                        type="button"
                        class="key"
                        class:is-off=is_hidden.clone()
                        aria-pressed=move || (!is_hidden()).to_string()
                        title=title
                        on:click=move |_| toggle(hidden, &of_click)
                        on:pointerenter=move |_| light(true)
                        on:pointerleave=move |_| light(false)
                        on:focus=move |_| light(true)
                        on:blur=move |_| light(false)
                    >
                        <i class="swatch" style:background=swatch_colour(entry.colour)></i>
                        <span>{shown}</span>
                        {(!entry.figure.is_empty()).then(|| view! { <span class="figure key__figure">{entry.figure.clone()}</span> })}
                    </button>
                </li>
            }
        };
        entries.get().iter().enumerate().map(item).collect_view()
    };
    view! { <ul class="keys">{items}</ul> }
}

/// Hides a name, or shows it again.
pub fn toggle(hidden: RwSignal<BTreeSet<String>>, name: &str) {
    hidden.update(|hidden| {
        if !hidden.remove(name) {
            hidden.insert(name.into());
        }
    });
}
