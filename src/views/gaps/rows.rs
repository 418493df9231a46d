//! Gaps and path as bars and rows.

use crate::analysis::device::waiting::critical_path::{PathKind, PathShare, PathStep};
use crate::analysis::device::waiting::gaps::{CauseTime, EngineIdle, Gap};
use crate::analysis::device::{Cause, CriticalPath, Gaps};
use crate::base::text;
use crate::ui::bars::{Bar, Series};
use crate::ui::table::{Cell, Column, Columns, Kind, Row};
use crate::views::wording;

/// Causes that occur, each with its own colour.
fn occurring_causes(gaps: &Gaps) -> impl Iterator<Item = (usize, Cause)> {
    Cause::ALL.into_iter().enumerate().filter(|c| gaps.causes.iter().any(|t| t.cause == c.1))
}

/// The colours of the bars.
pub fn series(gaps: &Gaps) -> Vec<Series> {
    let one = |(at, cause): (usize, Cause)| Series { name: cause.label().into(), colour: at as u16, help: cause.meaning().into() };
    occurring_causes(gaps).map(one).collect()
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
        values: occurring_causes(gaps).map(|(_, cause)| time(engine, cause)).collect(),
        note: format!("Busy {}", text::duration(engine.busy)),
    };
    gaps.engines.iter().map(bar).collect()
}

fn cause_specs() -> Columns<(CauseTime, f64)> {
    Columns::<(CauseTime, f64)>::new()
        .column("engine", "Engine", Kind::Name, "The engine that is idle.", |c| Cell::Text(c.0.engine.clone()))
        .column("core", "Core", Kind::Text, "Physical NeuronCore.", |c| Cell::Text(c.0.core.clone()))
        .column("cause", "Waits for", Kind::Text, "Event that ended the wait.", |c| Cell::Text(c.0.cause.label().into()))
        .column("time_ns", "Time", Kind::Duration, "Idle time of this cause.", |c| Cell::Int(c.0.time.0))
        .summed()
        .column("share", "Share", Kind::Share, "Idle time of this cause as a share of the run, or of the selected range.", |c| {
            Cell::Float(c.0.time.0 as f64 / c.1)
        })
        .column("count", "Count", Kind::Count, "Gaps, or parts of gaps.", |c| Cell::from(c.0.count))
        .summed()
        .column("meaning", "Meaning", Kind::Text, "Explanation and remedy.", |c| Cell::Text(c.0.cause.meaning().into()))
}

/// Columns of the causes' table.
pub fn cause_columns() -> Vec<Column> {
    cause_specs().headers()
}

/// Rows of the causes' table.
pub fn causes(gaps: &Gaps) -> Vec<Row> {
    let whole = gaps.range.duration().0.max(1) as f64;
    let columns = cause_specs();
    gaps.causes.iter().map(|cause| columns.row(&(cause.clone(), whole))).collect()
}

fn gap_specs() -> Columns<Gap> {
    Columns::<Gap>::new()
        .column("engine", "Engine", Kind::Name, "The engine that is idle.", |g| Cell::Text(g.engine.clone()))
        .column("core", "Core", Kind::Text, "Physical NeuronCore.", |g| Cell::Text(g.core.clone()))
        .column("start_ns", "Start", Kind::Duration, wording::SINCE_ORIGIN, |g| Cell::Int(g.range.start.0))
        .column("gap_ns", "Length", Kind::Duration, "Time without work.", |g| Cell::Int(g.range.duration().0))
        .column("cause", "Waits for", Kind::Text, "Cause of the longest part of the gap.", |g| Cell::Text(g.cause.label().into()))
        .column("what", "Condition", Kind::Text, "Semaphore and value, or instruction, that it waits for.", |g| text_or_absent(&g.what))
        .column("next", "Next instruction", Kind::Text, "Instruction that waited.", |g| text_or_absent(&g.next_name))
}

/// Columns of the gaps' table.
pub fn gap_columns() -> Vec<Column> {
    gap_specs().headers()
}

/// Rows of the gaps' table.
pub fn gaps(gaps: &Gaps) -> Vec<Row> {
    gap_specs().rows(&gaps.gaps)
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

fn share_specs() -> Columns<PathShare> {
    Columns::<PathShare>::new()
        .column("name", "Activity", Kind::Name, "Engine that works, or cause of the wait.", |s| Cell::Text(s.name.clone()))
        .column(
            "kind",
            "Kind",
            Kind::Text,
            "Compute, a DMA transfer or the wait for one, a wait for an engine or a barrier, or an unexplained gap.",
            |s| Cell::Text(kind(s.kind).into()),
        )
        .column("time_ns", "Time", Kind::Duration, "Time on the critical path; every instant counts once.", |s| Cell::Int(s.time.0))
        .summed()
        .column("share", "Share", Kind::Share, "Share of the length of the critical path.", |s| Cell::Float(s.share))
        .summed()
        .column(
            "count",
            "Steps",
            Kind::Count,
            "Steps with this activity. A step can count in two rows: for its wait and for its work.",
            |s| Cell::from(s.count),
        )
}

/// Columns of the shares' table.
pub fn share_columns() -> Vec<Column> {
    share_specs().headers()
}

/// Rows of the shares' table.
pub fn shares(path: &CriticalPath) -> Vec<Row> {
    share_specs().rows(&path.shares)
}

fn step_specs() -> Columns<PathStep> {
    Columns::<PathStep>::new()
        .column("name", "Step", Kind::Name, "Instruction or transfer.", |s| Cell::Text(s.name.clone()))
        .column("engine", "Engine", Kind::Text, "Engine or queue on which it ran.", |s| Cell::Text(s.engine.clone()))
        .column("core", "Core", Kind::Text, "Physical NeuronCore.", |s| Cell::Text(s.core.clone()))
        .column("start_ns", "Start", Kind::Duration, wording::SINCE_ORIGIN, |s| Cell::Int(s.range.start.0))
        .column("own_ns", "Exclusive time", Kind::Duration, "Part not covered by an earlier step.", |s| Cell::Int(s.own.0))
        .column("gap_ns", "Gap before", Kind::Duration, "From the end of the previous steps to its start.", |s| Cell::Int(s.gap.0))
        .column("cause", "Waits for", Kind::Text, "Cause of the gap or of the wait.", |s| {
            s.cause.map_or(Cell::Absent, |c| Cell::Text(c.label().into()))
        })
        .column("via", "Dependency", Kind::Text, "Dependency on the previous step.", |s| text_or_absent(&s.via))
}

/// Columns of the steps' table.
pub fn step_columns() -> Vec<Column> {
    step_specs().headers()
}

/// Rows of the steps' table.
pub fn steps(path: &CriticalPath) -> Vec<Row> {
    step_specs().rows(&path.steps)
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
