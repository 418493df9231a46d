//! Steps as bars and table rows.

use crate::analysis::torch::inference::{StepGroup, StepRow, StepTable};
use crate::ui::bars::{Bar, Series};
use crate::ui::palette::fixed;
use crate::ui::table::{Cell, Column, Kind, Row};

/// Bars drawn; more steps are in the table.
pub const BARS_MAX: usize = 2_000;

/// Parts of a step, from the ground up.
pub fn series() -> Vec<Series> {
    let one = |name: &str, colour: u16, help: &str| Series { name: name.into(), colour, help: help.into() };
    vec![
        one("Device busy", fixed::KERNEL, "At least one kernel, copy or set of the step runs."),
        one("Gaps", fixed::OTHER, "Between the first and last kernel of the step, none of them runs."),
        one("Before the first kernel", fixed::RUNTIME, "From the start of the annotation to the first kernel launched in it."),
        one("After the last kernel", fixed::CPU_EXEC, "From the end of the last kernel to the end of the annotation."),
    ]
}

/// Busy, gaps, before, after; ns. All after where a step has no device work.
fn parts(step: &StepRow) -> [i64; 4] {
    let (busy, gaps, before) = (step.busy.map_or(0, |t| t.0), step.gaps.map_or(0, |t| t.0), step.launch_delay.map_or(0, |t| t.0));
    // Work that began before its annotation, by clocks that differ, leaves no time before.
    let before = before.max(0);
    [busy, gaps, before, step.duration.0.saturating_sub(busy + gaps + before).max(0)]
}

/// A bar for each step.
pub fn bars(table: &StepTable) -> Vec<Bar> {
    let bar = |(i, s): (usize, &StepRow)| Bar {
        name: (i + 1).to_string(),
        group: String::new(),
        values: parts(s).iter().map(|ns| *ns as f64).collect(),
        note: format!("{}: {}", s.kind.label(), s.name),
    };
    table.steps.iter().take(BARS_MAX).enumerate().map(bar).collect()
}

/// Which optional columns a table has: requests and tokens of serving, device work, work of models.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    has_requests: bool,
    has_device: bool,
    has_flops: bool,
}

impl Shape {
    /// What the steps record.
    pub fn of(table: &StepTable) -> Shape {
        Shape {
            has_requests: table.steps.iter().any(|s| s.engine.is_some()),
            has_device: table.steps.iter().any(|s| s.busy.is_some()),
            has_flops: table.steps.iter().any(|s| s.flops.is_some()),
        }
    }
}

/// Columns of the steps.
pub fn columns(shape: Shape) -> Vec<Column> {
    let column = Column::new;
    let mut out = vec![
        column("number", "Step", Kind::Count, "Number of the step in this scope."),
        column("name", "Annotation", Kind::Name, "Name of its annotation."),
    ];
    if shape.has_requests {
        out.extend([
            column("kind", "Kind", Kind::Text, "Prefill reads prompts, decode generates tokens, mixed does both."),
            column("requests", "Requests", Kind::Count, "Requests in the step."),
            column("tokens", "Tokens", Kind::Count, "Tokens that the step computes.").summed(),
            column("prefill_tokens", "Prefill tokens", Kind::Count, "Tokens of prompts.").off(),
            column("decode_tokens", "Decode tokens", Kind::Count, "Generated tokens.").off(),
            column("context", "Context", Kind::Count, "Sum of the lengths of all sequences, where the annotation records it."),
        ]);
    }
    out.push(column("start_ns", "Start", Kind::Duration, "When its annotation began.").off());
    out.push(column(
        "duration_ns",
        "Duration",
        Kind::Duration,
        "From the start of the annotation to its end or the end of its last kernel, whichever is later.",
    ));
    out.push(column("host_ns", "Annotation time", Kind::Duration, "Duration of the annotation on the host.").off());
    if shape.has_device {
        out.extend([
            column("busy_ns", "GPU busy", Kind::Duration, "Time in which at least one kernel, copy or set of the step ran."),
            column("busy_share", "GPU busy %", Kind::Share, "GPU busy ÷ duration."),
            column("gaps_ns", "Launch gaps", Kind::Duration, "Time between its first and last kernel in which none of them ran."),
            column("launch_delay_ns", "To first kernel", Kind::Duration, "From the start of the annotation to its first kernel."),
            column("n_work", "Kernels", Kind::Count, "Kernels, copies and sets that it launched.").summed(),
            column("n_launches", "Launches", Kind::Count, "Calls that launched kernels, copies or sets; a graph is one call.").off(),
        ]);
    }
    if shape.has_requests {
        out.push(column("tokens_per_s", "Tokens/s", Kind::Number, "Tokens ÷ duration."));
        out.push(column(
            "time_per_token_ns",
            "Time per token",
            Kind::Duration,
            "Duration ÷ tokens that each request generates; of decode steps.",
        ));
    }
    if shape.has_flops {
        out.push(column("gflops", "GFLOPs", Kind::Number, "Operations of its calls with a model, in 10⁹.").summed());
        out.push(column("mfu", "MFU", Kind::Share, "Time that its matrix operations take at the peak of their types ÷ duration."));
    }
    out
}

/// A cell for each of [`columns`].
pub fn rows(table: &StepTable, shape: Shape) -> Vec<Row> {
    let row = |(i, s): (usize, &StepRow)| {
        let mut cells = vec![Cell::from(i as u64 + 1), Cell::Text(s.name.clone())];
        if shape.has_requests {
            cells.push(Cell::Text(s.kind.label().into()));
            cells.extend([s.requests, s.tokens, s.prefill.tokens, s.decode.tokens, s.context].map(Cell::from));
        }
        cells.extend([Cell::Int(s.start.0), Cell::from(s.duration), Cell::from(s.host)]);
        if shape.has_device {
            let busy_share = s.busy.filter(|_| s.duration.0 > 0).map(|busy| busy.0 as f64 / s.duration.0 as f64);
            cells.extend([s.busy.into(), busy_share.into(), s.gaps.into(), s.launch_delay.into(), s.n_work.into(), s.n_launches.into()]);
        }
        if shape.has_requests {
            cells.extend([s.tokens_per_s, s.time_per_token_ns].map(Cell::from));
        }
        if shape.has_flops {
            cells.extend([s.flops.map(|f| f as f64 / 1e9), s.mfu].map(Cell::from));
        }
        Row { colour: Some(s.colour), ..Row::new(cells) }
    };
    table.steps.iter().enumerate().map(row).collect()
}

/// Columns of the percentiles.
pub fn group_columns() -> Vec<Column> {
    let column = Column::new;
    vec![
        column("kind", "Kind", Kind::Text, "What the steps ran."),
        column("requests", "Requests", Kind::Text, "Requests of each step; all steps of the kind come first."),
        column("n", "Steps", Kind::Count, "How many."),
        column("p50_ns", "Median", Kind::Duration, "Half of the steps take at most this long."),
        column("p90_ns", "p90", Kind::Duration, "90% of the steps take at most this long."),
        column("p99_ns", "p99", Kind::Duration, "99% of the steps take at most this long."),
        column("max_ns", "Max", Kind::Duration, "The longest step."),
        column("mean_ns", "Mean", Kind::Duration, "Mean of the durations."),
        column("busy_share", "GPU busy %", Kind::Share, "Sum of GPU busy ÷ sum of durations."),
        column("tokens_per_s", "Tokens/s", Kind::Number, "Sum of tokens ÷ sum of durations."),
        column("time_per_token_ns", "Time per token", Kind::Duration, "Median over the decode steps."),
    ]
}

/// A cell for each of [`group_columns`].
pub fn group_rows(table: &StepTable) -> Vec<Row> {
    let row = |g: &StepGroup| {
        let mut cells = vec![
            Cell::Text(g.kind.label().into()),
            Cell::Text(g.requests.map_or_else(|| "All".into(), |n| n.to_string())),
            Cell::from(g.n),
        ];
        cells.extend(g.percentiles.map(Cell::from));
        cells.extend([Cell::Float(g.mean_ns), g.busy_share.into(), g.tokens_per_s.into(), g.time_per_token_ns.into()]);
        Row::new(cells)
    };
    table.groups.iter().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::torch::inference::annotation::{Phase, StepKind, parse};
    use crate::base::{DurationNs, SliceId, TimeNs};

    fn step(busy: Option<i64>) -> StepRow {
        StepRow {
            name: "a".into(),
            slice: SliceId(0),
            start: TimeNs(5),
            engine: parse("step[DECODE bs=3]").map(|s| s.engine),
            kind: StepKind::Decode,
            requests: Some(3),
            tokens: Some(3),
            context: None,
            prefill: Phase::default(),
            decode: Phase::default(),
            host: DurationNs(40),
            duration: DurationNs(100),
            busy: busy.map(DurationNs),
            gaps: busy.map(|_| DurationNs(10)),
            launch_delay: busy.map(|_| DurationNs(20)),
            n_work: 2,
            n_launches: 1,
            tokens_per_s: Some(1.0),
            time_per_token_ns: None,
            flops: Some(1),
            mfu: None,
            colour: 0,
        }
    }

    #[test]
    fn parts_of_a_step_add_up_to_it() {
        assert_eq!(parts(&step(Some(60))), [60, 10, 20, 10]);
        assert_eq!(parts(&step(None)), [0, 0, 0, 100]);
    }

    #[test]
    fn rows_have_a_cell_for_each_column() {
        let table = StepTable { steps: vec![step(Some(60))], ..StepTable::default() };
        assert_eq!(Shape::of(&table), Shape { has_requests: true, has_device: true, has_flops: true });
        for bits in 0..8 {
            let shape = Shape { has_requests: bits & 1 != 0, has_device: bits & 2 != 0, has_flops: bits & 4 != 0 };
            assert_eq!(rows(&table, shape)[0].cells.len(), columns(shape).len(), "{shape:?}");
        }
        let group = StepGroup {
            kind: StepKind::Decode,
            requests: None,
            n: 1,
            percentiles: [DurationNs(1); 4],
            mean_ns: 1.0,
            busy_share: None,
            tokens_per_s: None,
            time_per_token_ns: None,
        };
        let table = StepTable { groups: vec![group], ..table };
        assert_eq!(group_rows(&table)[0].cells.len(), group_columns().len());
    }
}
