//! The trace of a cell or row: named, and opened at its step.

use crate::analysis::fleet::TraceName;
use crate::ui::controls::CopyButton;
use crate::ui::effect::effect;
use leptos::prelude::*;

/// A trace of the run, and a step of it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TraceStep {
    /// The trace.
    pub trace: TraceName,
    /// Number of the step; `None` for the entire trace.
    pub step: Option<u32>,
}

impl TraceStep {
    /// A trace without a step.
    pub fn entire(trace: &TraceName) -> TraceStep {
        TraceStep { trace: trace.clone(), step: None }
    }
}

/// Actions on a chosen trace.
#[derive(Clone, Copy)]
pub struct TraceActions {
    /// It is chosen, or nothing is: its file, when it is dropped, opens at the step.
    pub on_choose: Callback<Option<TraceStep>>,
    /// Opens it: the open tab, the file of a log directory, or a file that the user chooses.
    pub on_open: Callback<TraceStep>,
}

impl Default for TraceActions {
    fn default() -> Self {
        TraceActions { on_choose: Callback::new(|_| ()), on_open: Callback::new(|_| ()) }
    }
}

/// A text with its first letter upper-case.
pub(super) fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// The chosen trace, at the foot of the view.
#[component]
pub fn Chosen(
    /// What is chosen.
    chosen: RwSignal<Option<TraceStep>>,
    /// What the page does with it.
    ways: TraceActions,
) -> impl IntoView {
    effect(move || ways.on_choose.run(chosen.get()));
    let bar = move || {
        let found = chosen.get()?;
        let place = found.step.map_or(String::new(), |step| format!(", step {step}"));
        let button = found.step.map_or("Open the trace".to_string(), |step| format!("Open the trace at step {step}"));
        let opened = found.clone();
        let name = found.trace.name.clone();
        let copied = name.clone();
        Some(view! {
            <div class="fleet__chosen" role="status" data-fleet-chosen=name.clone()>
                <strong>{capital(&found.trace.placed())}{place}</strong>
                <span class="fleet__file" title=name.clone()>{name.clone()}</span>
                <CopyButton text=copied />
                <button type="button" class="button button--primary" data-open-trace title="From an open tab or a log directory, else you choose the file" on:click=move |_| ways.on_open.run(opened.clone())>{button}</button>
                <span class="fleet__hint">"or drop the file on this page"</span>
                <button type="button" class="link" on:click=move |_| chosen.set(None)>"Close"</button>
            </div>
        })
    };
    view! { {bar} }
}
