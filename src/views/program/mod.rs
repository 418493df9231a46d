//! The program of an engine: its words with operands, executions and times, as a table.

pub mod rows;
mod side_by_side;

use super::other_profile::OtherProfile;
use super::query::{QueryState, use_query};
use super::scope::EntireTrace;
use crate::analysis::device::{Program, ProgramQuery};
use crate::base::SliceId;
use crate::state::choices::ViewState;
use crate::ui::controls::{Help, Notes, Problem};
use crate::ui::table::Table;
use crate::worker::client::Ask;
use leptos::prelude::*;
use side_by_side::SideBySide;
use std::sync::Arc;

/// Engines, and the words of the chosen one.
#[component]
pub fn ProgramView(
    /// Answers for the open profile.
    ask: Ask,
    /// Show an execution in the timeline.
    on_slice: Callback<SliceId>,
    /// The selected slice: its word is marked.
    #[prop(default = Signal::stored(None))]
    slice: Signal<Option<SliceId>>,
    /// Other open profiles with programs, to put one beside this.
    #[prop(default = Signal::stored(Vec::new()))]
    others: Signal<Vec<OtherProfile>>,
    /// The engine.
    #[prop(default = ViewState::detached("program"))]
    choices: ViewState,
) -> impl IntoView {
    // No engine is chosen at first: that of the selected slice is shown.
    let (engine, set_engine) = choices.choice("engine", u32::MAX);
    let query = Signal::derive(move || ProgramQuery { engine: Some(engine.get()).filter(|at| *at != u32::MAX), slice: slice.get() });
    let program: QueryState<Program> = use_query(ask.clone(), Signal::derive(move || Some(query.get())));
    let (beside, set_beside) = choices.choice("beside", String::new());
    let other = Signal::derive(move || others.get().into_iter().find(|o| o.hash == beside.get()));
    let options = move || {
        let chosen = beside.get();
        let option = move |o: OtherProfile| view! { <option value=o.hash.clone() selected=o.hash == chosen>{o.title}</option> };
        others.get().into_iter().map(option).collect_view()
    };
    let on_word = Callback::new(move |at: usize| {
        let first = program.value.with_untracked(|p| p.as_ref().and_then(|p| p.rows.get(at)).and_then(|row| row.first));
        first.into_iter().for_each(|slice| on_slice.run(slice));
    });
    let marked = |p: &Program| p.rows.iter().position(|row| Some(row.pc) == p.marked);
    let selected = Signal::derive(move || program.value.with(|p| p.as_ref().and_then(|p| marked(p))));
    let on_engine = Callback::new(move |at: usize| set_engine.set(at as u32));
    let shown = Signal::derive(move || program.value.with(|p| p.as_ref().map(|p| p.shown as usize)));
    let title = move || program.value.with(|p| p.as_ref().map(|p| rows::title(p)));
    let has_times = Memo::new(move |_| program.value.with(|p| p.as_ref().is_some_and(|p| p.has_times)));
    let columns = Signal::derive(move || Arc::new(rows::word_columns(has_times.get())));
    view! {
        <section class="torch" data-view="program" class:is-waiting=move || program.is_waiting.get() aria-busy=move || program.is_waiting.get().to_string()>
            <header class="torch__head">
                <h1>"Program"</h1>
                <EntireTrace />
                <Help text="The instruction words of each engine's program. Time is the sum of the durations of all executions of a word." />
            </header>
            <Problem text=program.problem />
            <Show when=move || program.is_first()><p class="waiting" role="status">"Reading programs…"</p></Show>
            <Show when=move || program.value.with(Option::is_some)>
                <Notes notes=program.derive(|p| p.notes.clone()) />
                <h2>"Engines"</h2>
                <Table
                    id="program-engines" label="Engines" columns=Signal::stored(Arc::new(rows::engine_columns()))
                    rows=program.derive(rows::engines) selected=shown on_row=on_engine empty="No program is recorded in this file."
                />
                <h2 data-part="program-title">{title}</h2>
                <Show when=move || others.with(|all| !all.is_empty())>
                    <label class="field">
                        "Beside "
                        <select class="select" data-field="beside" on:change:target=move |e| set_beside.set(e.target().value())>
                            <option value="">"No other program"</option>
                            {options}
                        </select>
                    </label>
                </Show>
                {
                    let ask = ask.clone();
                    move || other.with(Option::is_some).then(|| view! { <SideBySide own=ask.clone() query other on_slice /> })
                }
                <p class="torch__hint">{move || has_times.get().then_some("Click a word to show its first execution in the timeline.")}</p>
                <Table id="program" label="Instruction words" columns rows=program.derive(rows::words) selected on_row=on_word empty="This engine has no program." />
            </Show>
        </section>
    }
}
