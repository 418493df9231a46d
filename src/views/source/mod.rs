//! What lines of source cost: a table of them all, and beside the timeline the code itself with their values in its margin.

pub mod files;
pub mod pane;
pub mod rows;

use super::query::{QueryState, use_query};
use super::scope;
use crate::analysis::device::Source;
pub use crate::analysis::device::SourceLocation;
use crate::analysis::device::instructions::origin::Origin;
use crate::base::{SliceId, TimeRange, text};
use crate::engine::query::{SourceQuery, SourceSlicesQuery};
use crate::ui::controls::{Help, Notes, Problem};
use crate::ui::table::Table;
use crate::worker::client::Ask;
use leptos::prelude::*;
use std::sync::Arc;

/// Requests the source lines of a profile, or of a range.
pub fn lines(ask: Ask, range: Signal<Option<TimeRange>>) -> QueryState<Source> {
    let question = Signal::derive(move || Some(SourceQuery { range: range.get() }));
    use_query(ask, question)
}

/// The instructions of a line, by start; `None` without an answer.
pub async fn slices_of(ask: &Ask, place: SourceLocation) -> Option<Vec<SliceId>> {
    ask.ask(SourceSlicesQuery { place }).await.ok().map(|slices| slices.0)
}

/// Every place that an instruction comes from: its own lines, then those of its stacks and loops.
pub fn places_of(origin: &Origin) -> Vec<SourceLocation> {
    let framed = origin.stacks.iter().flatten().filter_map(|f| f.place.clone());
    let looped = origin.loops.iter().filter_map(|l| l.place.clone());
    origin.places.iter().cloned().chain(framed).chain(looped).collect()
}

/// Every line that an instruction names.
#[component]
pub fn SourceView(
    /// Answers for the open profile.
    ask: Ask,
    /// Only this range; `None` is the entire trace.
    range: Signal<Option<TimeRange>>,
    /// Show the instructions of a line.
    on_place: Callback<SourceLocation>,
) -> impl IntoView {
    let source = lines(ask, range);
    let columns = Signal::stored(Arc::new(rows::columns()));
    let on_row = Callback::new(move |at: usize| {
        if let Some(place) = source.value.with_untracked(|s| s.as_ref().and_then(|s| s.lines.get(at)).map(|l| l.place.clone())) {
            on_place.run(place);
        }
    });
    let unplaced = move || {
        let n = source.value.with(|s| s.as_ref().map_or(0, |s| s.unplaced));
        (n > 0).then(|| format!("{} instructions have no source line.", text::count(n)))
    };
    view! {
        <section class="torch" data-view="source" class:is-waiting=move || source.is_waiting.get() aria-busy=move || source.is_waiting.get().to_string()>
            <header class="torch__head">
                <h1>"Source"</h1>
                <span class="torch__scope" data-scope>{move || scope::sentence(range.get())}</span>
                <Help text="An instruction with several source lines, fused by the compiler, counts for each line. Time is the time in which at least one instruction of the line ran, without semaphore waits; overlaps on a core count once." />
            </header>
            <Problem text=source.problem />
            <Show when=move || source.is_first()><p class="waiting" role="status">"Computing lines…"</p></Show>
            <Show when=move || source.value.with(|s| s.is_some())>
                <Notes notes=source.derive(|s| s.notes.clone()) />
                <p class="torch__hint">
                    "Click a line to show its instructions in the timeline. Drop the source folder on the page to see the code beside the timeline. "{unplaced}
                </p>
                <Table id="source" label="Lines of source" columns rows=source.derive(rows::rows) on_row empty="No source lines are recorded in this file." />
            </Show>
        </section>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::device::instructions::origin::{Frame, Loop};

    #[test]
    fn stacks_and_loops_lead_somewhere_too() {
        let place = |file: &str| SourceLocation { file: file.into(), line: 7 };
        let frame = Frame { function: "f".into(), place: Some(place("frame.py")), is_definition: false };
        let looped = Loop { name: "i".into(), value: "3".into(), place: Some(place("loop.py")) };
        let origin = Origin { places: vec![place("own.py")], stacks: vec![vec![frame]], loops: vec![looped] };
        assert_eq!(places_of(&origin), ["own.py", "frame.py", "loop.py"].map(place));
    }
}
