//! Gaps and path as bars and rows.

use crate::analysis::device::critical_path::{PathKind, PathShare, PathStep};
use crate::analysis::device::gaps::{CauseTime, EngineIdle, Gap};
use crate::analysis::device::{Cause, CriticalPath, Gaps};
use crate::base::text;
use crate::ui::bars::{Bar, Series};
use crate::ui::table::{Cell, Column, Kind, Row};
use crate::views::wording;

/// Causes that occur, each with its own colour.
fn told(gaps: &Gaps) -> impl Iterator<Item = (usize, Cause)> {
    Cause::ALL.into_iter().enumerate().filter(|c| gaps.causes.iter().any(|t| t.cause == c.1))
}

/// The colours of the bars.
pub fn series(gaps: &Gaps) -> Vec<Series> {
    let one = |(at, cause): (usize, Cause)| Series { name: cause.label().into(), colour: at as u16, help: cause.meaning().into() };
    told(gaps).map(one).collect()
}

/// A bar for each core's engine.
pub fn bars(gaps: &Gaps) -> Vec<Bar> {
    let time = |engine: &EngineIdle, cause| {
        let is_it = |c: &&CauseTime| c.core == engine.core && c.engine == engine.engine && c.cause == cause;
        gaps.causes.iter().find(is_it).map_or(0.0, |c| c.time.0 as f64)
    };
    let bar = |engine: &EngineIdle| Bar {
        name: engine.engine.clone(),
        group: engine.core.clone(),
        values: told(gaps).map(|(_, cause)| time(engine, cause)).collect(),
        note: format!("Busy {}", text::duration(engine.busy)),
    };
    gaps.engines.iter().map(bar).collect()
}

/// Columns of the causes' table.
pub fn cause_columns() -> Vec<Column> {
    let column = Column::new;
    vec![
        column("engine", "Engine", Kind::Name, "The engine that is idle."),
        column("core", "Core", Kind::Text, "Physical NeuronCore."),
        column("cause", "Waits for", Kind::Text, "Event that ended the wait."),
        column("time_ns", "Time", Kind::Duration, "Idle time of this cause.").summed(),
        column("share", "Share", Kind::Share, "Idle time of this cause as a share of the run, or of the selected range."),
        column("count", "Count", Kind::Count, "Gaps, or parts of gaps.").summed(),
        column("meaning", "Meaning", Kind::Text, "Explanation and remedy."),
    ]
}

/// Rows of the causes' table.
pub fn causes(gaps: &Gaps) -> Vec<Row> {
    let whole = gaps.range.duration().0.max(1) as f64;
    let row = |c: &CauseTime| {
        Row::new(vec![
            Cell::Text(c.engine.clone()),
            Cell::Text(c.core.clone()),
            Cell::Text(c.cause.label().into()),
            Cell::Int(c.time.0),
            Cell::Float(c.time.0 as f64 / whole),
            Cell::from(c.count),
            Cell::Text(c.cause.meaning().into()),
        ])
    };
    gaps.causes.iter().map(row).collect()
}

/// Columns of the gaps' table.
pub fn gap_columns() -> Vec<Column> {
    let column = Column::new;
    vec![
        column("engine", "Engine", Kind::Name, "The engine that is idle."),
        column("core", "Core", Kind::Text, "Physical NeuronCore."),
        column("start_ns", "Start", Kind::Duration, wording::SINCE_ORIGIN),
        column("gap_ns", "Length", Kind::Duration, "Time without work."),
        column("cause", "Waits for", Kind::Text, "Cause of the longest part of the gap."),
        column("what", "Condition", Kind::Text, "Semaphore and value, or instruction, that it waits for."),
        column("next", "Next instruction", Kind::Text, "Instruction that waited."),
    ]
}

/// Rows of the gaps' table.
pub fn gaps(gaps: &Gaps) -> Vec<Row> {
    let row = |g: &Gap| {
        Row::new(vec![
            Cell::Text(g.engine.clone()),
            Cell::Text(g.core.clone()),
            Cell::Int(g.range.start.0),
            Cell::Int(g.range.duration().0),
            Cell::Text(g.cause.label().into()),
            text_or_absent(&g.what),
            text_or_absent(&g.next_name),
        ])
    };
    gaps.gaps.iter().map(row).collect()
}

fn text_or_absent(text: &str) -> Cell {
    if text.is_empty() { Cell::Absent } else { Cell::Text(text.into()) }
}

/// The chain in one sentence.
pub fn path_sentence(path: &CriticalPath) -> String {
    if path.n_steps == 0 {
        return String::new();
    }
    format!(
        "{} steps over {}; {} are work, the rest are waits and gaps.",
        text::count(path.n_steps),
        text::duration(path.range.duration()),
        text::duration(path.work)
    )
}

fn kind(kind: PathKind) -> &'static str {
    match kind {
        PathKind::Compute => "Compute",
        PathKind::Dma => "DMA",
        PathKind::Wait => "Wait",
        PathKind::Gap => "Gap",
    }
}

/// Columns of the shares' table.
pub fn share_columns() -> Vec<Column> {
    let column = Column::new;
    vec![
        column("name", "Activity", Kind::Name, "Engine that works, or cause of the wait."),
        column(
            "kind",
            "Kind",
            Kind::Text,
            "Compute, a DMA transfer or the wait for one, a wait for an engine or a barrier, or an unexplained gap.",
        ),
        column("time_ns", "Time", Kind::Duration, "Time on the critical path; every instant counts once.").summed(),
        column("share", "Share", Kind::Share, "Share of the length of the critical path.").summed(),
        column("count", "Steps", Kind::Count, "Steps with this activity. A step can count in two rows: for its wait and for its work."),
    ]
}

/// Rows of the shares' table.
pub fn shares(path: &CriticalPath) -> Vec<Row> {
    let row = |s: &PathShare| {
        Row::new(vec![
            Cell::Text(s.name.clone()),
            Cell::Text(kind(s.kind).into()),
            Cell::Int(s.time.0),
            Cell::Float(s.share),
            Cell::from(s.count),
        ])
    };
    path.shares.iter().map(row).collect()
}

/// Columns of the steps' table.
pub fn step_columns() -> Vec<Column> {
    let column = Column::new;
    vec![
        column("name", "Step", Kind::Name, "Instruction or transfer."),
        column("engine", "Engine", Kind::Text, "Engine or queue on which it ran."),
        column("core", "Core", Kind::Text, "Physical NeuronCore."),
        column("start_ns", "Start", Kind::Duration, wording::SINCE_ORIGIN),
        column("own_ns", "Exclusive time", Kind::Duration, "Part not covered by an earlier step."),
        column("gap_ns", "Gap before", Kind::Duration, "From the end of the previous steps to its start."),
        column("cause", "Waits for", Kind::Text, "Cause of the gap or of the wait."),
        column("via", "Dependency", Kind::Text, "Dependency on the previous step."),
    ]
}

/// Rows of the steps' table.
pub fn steps(path: &CriticalPath) -> Vec<Row> {
    let row = |s: &PathStep| {
        Row::new(vec![
            Cell::Text(s.name.clone()),
            Cell::Text(s.engine.clone()),
            Cell::Text(s.core.clone()),
            Cell::Int(s.range.start.0),
            Cell::Int(s.own.0),
            Cell::Int(s.gap.0),
            s.cause.map_or(Cell::Absent, |c| Cell::Text(c.label().into())),
            text_or_absent(&s.via),
        ])
    };
    path.steps.iter().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_that_stand_in_two_rows_have_no_total_and_shares_are_of_what_is_looked_at() {
        let summed: Vec<String> = share_columns().into_iter().filter(|c| c.is_summed).map(|c| c.id).collect();
        assert_eq!(summed, ["time_ns", "share"]);
        assert!(cause_columns().iter().all(|c| !c.label.contains("run")), "a range has the same columns");
    }
}
