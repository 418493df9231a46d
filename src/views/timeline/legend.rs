//! The legend of the timeline: the names with most time, each a button that highlights its slices.

pub use crate::analysis::colouring::DURATION;
use crate::analysis::colouring::STEPS;
use crate::analysis::operators::{OperatorRow, OperatorsQuery};
use crate::base::Order as _;
use crate::base::{DurationNs, short_name, text};
use crate::ui::controls::{swatch_colour, swatch_step};
use crate::views::query::use_query;
use crate::worker::client::Ask;
use leptos::prelude::*;

/// Names in the legend.
const MOST: usize = 24;

/// One colour: slot, name, time.
#[derive(Debug, Clone, PartialEq)]
struct Entry {
    colour: u16,
    name: String,
    time: DurationNs,
}

impl Entry {
    /// What the legend calls it.
    fn label(&self) -> &str {
        if self.name.is_empty() { "none" } else { &self.name }
    }
}

/// Names by time over all devices, at most [`MOST`], then slices without a name; and the number of further names.
fn entries(rows: &[OperatorRow]) -> (Vec<Entry>, usize) {
    let mut out: Vec<Entry> = Vec::new();
    let mut at = std::collections::HashMap::new();
    for row in rows {
        let i = *at.entry(row.name.as_str()).or_insert_with(|| {
            out.push(Entry { colour: row.colour, name: row.name.clone(), time: DurationNs(0) });
            out.len() - 1
        });
        out[i].time.0 = out[i].time.0.saturating_add(row.self_time.0);
    }
    // What has no value comes last.
    let unnamed = out.iter().position(|e| e.name.is_empty()).map(|at| out.remove(at));
    out.order_by(|a, b| b.time.cmp(&a.time).then_with(|| a.name.cmp(&b.name)));
    let more = out.len().saturating_sub(MOST);
    out.truncate(MOST);
    out.extend(unnamed);
    (out, more)
}

/// The names of the colours.
#[component]
pub fn Legend(
    /// Answers for the open profile.
    ask: Ask,
    /// What slices are coloured by.
    #[prop(into)]
    by: Signal<String>,
    /// Show the slices of a name: (by, name).
    on_name: Callback<(String, String)>,
) -> impl IntoView {
    let question = Signal::derive(move || Some(OperatorsQuery { group_by: by.get(), ..OperatorsQuery::default() }));
    let rows = use_query(ask, question);
    let item = move |e: &Entry| {
        let (name, title) = (e.name.clone(), format!("{}: {}. Click to highlight it.", e.label(), text::duration(e.time)));
        let go = move |_| on_name.run((by.get_untracked(), name.clone()));
        view! {
            <button type="button" class="colours__item" title=title data-legend-item=e.name.clone() on:click=go>
                <i class="swatch" style:background=swatch_colour(e.colour)></i><span class="mono">{text::middle_ellipsis(&short_name(e.label()), 48)}</span>
            </button>
        }
    };
    let content = move || {
        rows.value.get().map(|found| {
            let (shown, n_more) = entries(&found.rows);
            let more =
                (n_more > 0).then(|| view! { <span class="drawer__gap">{format!("and {} more", text::count(n_more as u64))}</span> });
            view! { {shown.iter().map(item).collect_view()}{more} }
        })
    };
    view! { <div class="colours" role="group" aria-label="Colours" data-legend>{content}</div> }
}

/// The legend of durations.
#[component]
pub fn DurationLegend() -> impl IntoView {
    let item = |(label, step): (&'static str, u16)| {
        view! { <span class="colours__item colours__item--still"><i class="swatch" style:background=swatch_step(step)></i>{label}</span> }
    };
    view! { <div class="colours" role="group" aria-label="Colours" data-legend="duration">{STEPS.into_iter().zip(0..).map(item).collect_view()}</div> }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_several_devices_are_one_entry() {
        let row = |name: &str, time| OperatorRow {
            name: name.into(),
            device: String::new(),
            occurrences: 1,
            self_time: DurationNs(time),
            total: DurationNs(time),
            time_share: 0.0,
            min: DurationNs(0),
            mean: DurationNs(0),
            max: DurationNs(0),
            colour: 3,
            flops: None,
        };
        let (got, more) = entries(&[row("a", 5), row("b", 7), row("a", 4), row("", 90)]);
        assert_eq!(got.iter().map(|e| (e.name.as_str(), e.time.0)).collect::<Vec<_>>(), [("a", 9), ("b", 7), ("", 90)]);
        assert_eq!(got[2].label(), "none");
        assert_eq!(more, 0);
        let many: Vec<OperatorRow> = (0..30).map(|i| row(&i.to_string(), i)).collect();
        assert_eq!((entries(&many).0.len(), entries(&many).1), (24, 6));
    }
}
