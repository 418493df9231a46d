//! Runs of the TensorBoard Neuron plugin: operators at two levels, the operator timeline, host and device side by side.

mod compare;
mod generic;
mod ops;
mod panel;
pub mod rows;
mod timeline;
mod trace;

pub use crate::analysis::neuron_log::Level;
pub use ops::LogOpsView;
pub use timeline::LogTimelineView;
pub use trace::LogTraceView;

use crate::base::{SliceId, TimeRange};
use crate::state::choices::ViewState;
use crate::worker::client::Ask;
use leptos::prelude::*;

/// What these views need of the page.
#[derive(Clone)]
pub struct LogContext {
    /// Answers for the open profile.
    pub ask: Ask,
    /// Title of the run.
    pub title: String,
    /// Other open runs: id, title, who answers.
    pub others: Signal<Vec<(u32, String, Ask)>>,
    /// Selected slice.
    pub selection: Signal<Option<SliceId>>,
    /// The range that values are of, where they can be; `None` is the whole run.
    pub range: Signal<Option<TimeRange>>,
    /// Shows a slice in the timeline that is in the view; marks the others.
    pub on_slice: Callback<(SliceId, Vec<SliceId>)>,
    /// Shows a slice in the timeline view; marks the others.
    pub on_timeline: Callback<(SliceId, Vec<SliceId>)>,
    /// Commits a range.
    pub on_range: Callback<TimeRange>,
    /// Brings another run to front.
    pub on_run: Callback<u32>,
    /// What was chosen in the view.
    pub choices: ViewState,
}

/// Title of the run in front, and the others to go to.
#[component]
fn Run(context: LogContext) -> impl IntoView {
    let (title, others, on_run) = (context.title.clone(), context.others, context.on_run);
    let choose = move |value: String| {
        if let Ok(id) = value.parse() {
            on_run.run(id);
        }
    };
    let options =
        move || others.get().into_iter().map(|(id, title, _)| view! { <option value=id.to_string()>{title}</option> }).collect_view();
    view! {
        <label class="field">
            "Run "
            <select class="select" data-field="run" on:change:target=move |e| choose(e.target().value())>
                <option value="">{title}</option>
                {options}
            </select>
        </label>
    }
}
