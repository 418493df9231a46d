//! The program in front beside that of another open profile.

use super::rows::{alignment_columns, alignment_rows, alignment_sentence};
use crate::analysis::device::instructions::program_alignment::{AlignedPrograms, AlignmentQuery};
use crate::analysis::device::{Program, ProgramQuery};
use crate::base::SliceId;
use crate::ui::controls::{Notes, Problem};
use crate::ui::table::Table;
use crate::views::other_profile::OtherProfile;
use crate::views::query::{QueryState, follow};
use crate::worker::client::{Ask, EngineError};
use leptos::prelude::*;
use std::sync::Arc;

/// Requests two programs side by side: that of the shown engine, and that of the same engine in the other profile.
async fn aligned(own: Ask, query: ProgramQuery, other: Ask) -> Result<AlignedPrograms, EngineError> {
    let shown = own.ask(query).await?;
    let engines = other.ask(ProgramQuery::default()).await?;
    let program = match place(&shown, &engines) {
        Some(at) if at != engines.shown => other.ask(ProgramQuery { engine: Some(at), slice: None }).await?,
        Some(_) => engines,
        None => Program::default(),
    };
    own.ask(AlignmentQuery { program: ProgramQuery { engine: Some(shown.shown), slice: None }, other: program }).await
}

/// Index of the shown engine among those of the other profile: same name, and core at the same position.
fn place(shown: &Program, other: &Program) -> Option<u32> {
    let own = shown.engines.get(shown.shown as usize)?;
    let of_name =
        |program: &Program| -> Vec<u32> { (0u32..).zip(&program.engines).filter(|e| e.1.engine == own.engine).map(|e| e.0).collect() };
    let nth = of_name(shown).iter().position(|at| *at == shown.shown)?;
    let theirs = of_name(other);
    theirs.get(nth).or(theirs.last()).copied()
}

/// The words of both programs, aligned.
#[component]
pub fn SideBySide(
    /// Answers for the profile in front.
    own: Ask,
    /// Which of its programs.
    #[prop(into)]
    query: Signal<ProgramQuery>,
    /// The other profile.
    #[prop(into)]
    other: Signal<Option<OtherProfile>>,
    /// Show an execution in the timeline.
    on_slice: Callback<SliceId>,
) -> impl IntoView {
    let given = Signal::derive(move || other.get().map(|other| (query.get(), other)));
    let found: QueryState<AlignedPrograms> =
        follow(given, move |(query, other): (ProgramQuery, OtherProfile)| aligned(own.clone(), query, other.ask));
    let columns = Signal::derive(move || {
        let has_times = found.value.with(|f| f.as_ref().map_or((false, false), |f| (f.this.has_times, f.other.has_times)));
        Arc::new(alignment_columns(has_times))
    });
    let on_row = Callback::new(move |at: usize| {
        let word = |f: &AlignedPrograms| f.this.rows.get(f.rows.get(at)?.this? as usize)?.first;
        found.value.with_untracked(|f| f.as_deref().and_then(word)).into_iter().for_each(|slice| on_slice.run(slice));
    });
    let sentence = move || found.value.with(|f| f.as_ref().map(|f| alignment_sentence(f)));
    view! {
        <section data-part="program-alignment" aria-busy=move || found.is_waiting.get().to_string()>
            <Problem text=found.problem />
            <Show when=move || found.value.with(Option::is_some)>
                <p>{sentence}</p>
                <Notes notes=found.derive(|f| f.notes.clone()) />
                <Table
                    id="program-alignment" label="Words of both programs" columns rows=found.derive(alignment_rows) on_row
                    empty="The other profile has no program of this engine."
                />
            </Show>
        </section>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::device::instructions::program::ProgramEngine;

    #[test]
    fn the_same_engine_of_the_other_profile_is_taken() {
        let program = |engines: &[&str], shown| Program {
            engines: engines.iter().map(|e| ProgramEngine { engine: e.to_string(), ..ProgramEngine::default() }).collect(),
            shown,
            ..Program::default()
        };
        let two = program(&["Tensor", "Vector", "Tensor", "Vector"], 3);
        assert_eq!(place(&two, &program(&["Vector", "Tensor", "Vector"], 0)), Some(2), "of the second core");
        assert_eq!(place(&two, &program(&["Vector"], 0)), Some(0), "the other has one core");
        assert_eq!(place(&two, &program(&["Scalar"], 0)), None);
        assert_eq!(place(&program(&[], 0), &two), None);
    }
}
