//! Answers about serving as cards, bars and table rows.

use crate::analysis::system::{BucketRow, Burst, GapPart, Phase, Serving, ServingCore, Times};
use crate::base::text;
use crate::ui::bars::{Bar, Series};
use crate::ui::table::{Cell, Column, Kind, Row};
use crate::views::device_tables;

fn optional<T>(value: Option<T>, shown: impl Fn(T) -> String) -> String {
    value.map_or("not available".into(), shown)
}

/// Cards: stable name, label, value.
pub fn cards(s: &Serving) -> Vec<(&'static str, &'static str, String)> {
    let phase = |phase: Phase| s.phases.iter().find(|p| p.phase == phase);
    let median =
        |of: Phase| optional(phase(of), |p| format!("{}{}", text::duration(p.times.p50), if p.is_guess { " (guess)" } else { "" }));
    let length = s.scope.duration().0;
    let busy = (length > 0).then(|| s.busy.0 as f64 / length as f64);
    vec![
        ("invocations", "Executions", text::count(s.n_invocations)),
        ("prefill", "Prefill, median", median(Phase::Prefill)),
        ("decode", "Decode, median", median(Phase::Decode)),
        ("busy", "Any core busy", optional(busy, text::percent)),
        ("cores", "Cores busy, mean", optional(s.mean_cores_busy, text::three_digits)),
        ("delay", "Submission to start, median", optional(s.delay.as_ref().filter(|d| d.times.count > 0), |d| text::duration(d.times.p50))),
        ("collectives", "Collectives", optional(s.collectives.as_ref().and_then(|c| c.share), text::percent)),
        ("spills", "Spills in HBM", optional(s.spill_bytes, text::bytes)),
    ]
}

fn time_columns() -> [Column; 6] {
    let c = Column::new;
    [
        c("p50_ns", "p50", Kind::Duration, "Median; percentiles are interpolated between ranks."),
        c("p90_ns", "p90", Kind::Duration, "90 of 100 take at most this."),
        c("p99_ns", "p99", Kind::Duration, "99 of 100 take at most this."),
        c("max_ns", "Longest", Kind::Duration, ""),
        c("total_ns", "Total", Kind::Duration, "Sum of the durations.").summed(),
        c("share", "Share", Kind::Share, "Share of the time of all executions in the scope.").summed(),
    ]
}

fn times(t: &Times) -> [Cell; 5] {
    [t.p50, t.p90, t.p99, t.max, t.total].map(|d| Cell::Int(d.0))
}

/// Columns of the executions by model and bucket.
pub fn bucket_columns() -> Vec<Column> {
    let c = Column::new;
    let mut out = vec![
        c("model", "Model", Kind::Name, "Directory or file of the NEFF that the events name."),
        c("bucket", "Bucket", Kind::Text, "Bucket in the path of the NEFF, else the durations of executions without a model."),
        c(
            "phase",
            "Phase",
            Kind::Text,
            "Prefill or decode by the name of the model, else a guess: more than 3 × the median duration is a prefill.",
        ),
        c("cores", "Cores", Kind::Count, "Logical cores that ran it."),
        c("count", "Executions", Kind::Count, "Executions that start in the scope; physical cores of one logical core count once.")
            .summed(),
    ];
    out.extend(time_columns());
    out.push(c("path", "Path", Kind::Name, "Path of the NEFF, name or id of the model, as recorded."));
    out
}

/// The executions.
pub fn buckets(s: &Serving) -> Vec<Row> {
    let or_absent = |text: &String| if text.is_empty() { Cell::Absent } else { Cell::Text(text.clone()) };
    let row = |b: &BucketRow| {
        let model = if b.model.is_empty() { Cell::Text("not recorded".into()) } else { Cell::Text(b.model.clone()) };
        let mut cells = vec![model, or_absent(&b.bucket), phase(b.phase, b.is_guess), Cell::from(b.n_cores), Cell::from(b.times.count)];
        cells.extend(times(&b.times));
        cells.extend([Cell::from(b.share), or_absent(&b.path)]);
        Row::new(cells)
    };
    s.buckets.iter().map(row).collect()
}

fn phase(phase: Phase, is_guess: bool) -> Cell {
    let name = match phase {
        Phase::Prefill => "prefill",
        Phase::Decode => "decode",
        Phase::Unknown => return Cell::Absent,
    };
    Cell::Text(if is_guess { format!("{name} (guess)") } else { name.into() })
}

/// Columns of the bursts.
pub fn burst_columns() -> Vec<Column> {
    let c = Column::new;
    vec![
        c(
            "burst",
            "Burst",
            Kind::Name,
            "Bursts are separated by 5 s or more without an execution. Click a row to make it the scope of every view.",
        ),
        c("start_ns", "Start", Kind::Duration, "Time since the first event."),
        c("duration_ns", "Duration", Kind::Duration, "From the start of its first execution to the end of its last."),
        c("count", "Executions", Kind::Count, "").summed(),
        c("busy_ns", "Busy", Kind::Duration, "Time in which any core executes.").summed(),
        c("busy", "Busy %", Kind::Share, "Share of its duration."),
        c("idle_ns", "Idle before", Kind::Duration, "Time without an execution before it."),
    ]
}

/// The bursts.
pub fn bursts(s: &Serving) -> Vec<Row> {
    let row = |(at, b): (usize, &Burst)| {
        let length = b.range.duration().0;
        Row::new(vec![
            Cell::Text(format!("Burst {}", at + 1)),
            Cell::Int(b.range.start.0),
            Cell::Int(length),
            Cell::from(b.count),
            Cell::Int(b.busy.0),
            Cell::from((length > 0).then(|| b.busy.0 as f64 / length as f64)),
            b.idle_before.map_or(Cell::Absent, |d| Cell::Int(d.0)),
        ])
    };
    s.bursts.iter().enumerate().map(row).collect()
}

/// The one series of the bars of gaps.
pub fn gap_series() -> Vec<Series> {
    vec![Series::new("Time between executions", 0)]
}

/// A bar for each kind of work of the host.
pub fn gap_bars(s: &Serving) -> Vec<Bar> {
    let bar = |p: &GapPart| Bar { name: p.name.clone(), values: vec![p.time.0 as f64], note: p.events.join(", "), ..Bar::default() };
    s.gaps.parts.iter().map(bar).collect()
}

/// Columns of the gaps.
pub fn gap_columns() -> Vec<Column> {
    let c = Column::new;
    vec![
        c(
            "what",
            "Host",
            Kind::Text,
            "What the host did while no core of its process executed; of several at once, copies count first, then collectives, loading, submission, completion, waiting.",
        ),
        c("time_ns", "Time", Kind::Duration, "The parts sum to all time between executions.").summed(),
        c("share", "Share", Kind::Share, "Share of the time between executions.").summed(),
        c("events", "Events", Kind::Name, "Its events, by time."),
    ]
}

/// The gaps.
pub fn gaps(s: &Serving) -> Vec<Row> {
    let row = |p: &GapPart| {
        let events = if p.events.is_empty() { Cell::Absent } else { Cell::Text(p.events.join(", ")) };
        Row::new(vec![Cell::Text(p.name.clone()), Cell::Int(p.time.0), Cell::from(p.share), events])
    };
    s.gaps.parts.iter().map(row).collect()
}

/// The gaps in a sentence.
pub fn gap_sentence(s: &Serving) -> String {
    if s.gaps.count == 0 {
        return "No time between two executions in this scope.".into();
    }
    format!(
        "{} between executions in {} gaps, the longest {}. Idle time between bursts is not included.",
        text::duration(s.gaps.total),
        text::count(s.gaps.count),
        text::duration(s.gaps.longest)
    )
}

/// Columns of the logical cores.
pub fn core_columns() -> Vec<Column> {
    let c = Column::new;
    vec![
        c("place", "NeuronCore", Kind::Name, "Server, process and logical core."),
        c("physical", "Physical cores", Kind::Count, "Physical cores that ran one execution."),
        c("count", "Executions", Kind::Count, "").summed(),
        c("busy_ns", "Busy", Kind::Duration, "Time in which a model executes."),
        c("busy", "Busy %", Kind::Share, "Share of the scope."),
    ]
}

/// The logical cores.
pub fn cores(s: &Serving) -> Vec<Row> {
    let row = |c: &ServingCore| {
        Row::new(vec![
            Cell::Text(c.place.clone()),
            Cell::from(u64::from(c.n_physical)),
            Cell::from(c.count),
            Cell::Int(c.busy.0),
            Cell::from(c.share),
        ])
    };
    s.cores.iter().map(row).collect()
}

/// Columns of the delay.
pub fn delay_columns() -> Vec<Column> {
    let c = Column::new;
    let mut out = vec![
        c("event", "Submission", Kind::Name, "Event of the host that submits the execution."),
        c("count", "Executions", Kind::Count, "Executions with a submission before them."),
        c("unpaired", "Without", Kind::Count, "Executions without a submission before them."),
    ];
    out.extend(time_columns().into_iter().take(4));
    out
}

/// The delay.
pub fn delay(s: &Serving) -> Vec<Row> {
    let row = |d: &crate::analysis::system::Delay| {
        let mut cells = vec![Cell::Text(d.event.clone()), Cell::from(d.times.count), Cell::from(d.n_unpaired)];
        cells.extend(times(&d.times).into_iter().take(4));
        Row::new(cells)
    };
    s.delay.iter().map(row).collect()
}

/// The copies, as the System view lists them.
pub fn copies(s: &Serving) -> Vec<Row> {
    device_tables::transfers(&s.copies)
}

/// The use of HBM, as the System view lists it.
pub fn hbm(s: &Serving) -> Vec<Row> {
    device_tables::hbm(&s.hbm)
}

/// Collectives and copies in sentences.
pub fn transfers_sentence(s: &Serving) -> String {
    let copies = format!("Copies take {} while no core of their process executes.", text::duration(s.copies_in_gaps));
    match &s.collectives {
        Some(c) => format!(
            "{copies} {} collectives run for {} of the executing time, {} of it in barriers alone.",
            text::count(c.count),
            text::duration(c.time),
            text::duration(c.barrier)
        ),
        None => copies,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::DurationNs;

    #[test]
    fn rows_have_a_cell_for_each_column() {
        let s = Serving {
            buckets: vec![BucketRow { is_guess: true, phase: Phase::Decode, ..BucketRow::default() }],
            bursts: vec![Burst::default()],
            cores: vec![ServingCore::default()],
            delay: Some(crate::analysis::system::Delay::default()),
            ..Serving::default()
        };
        let check = |rows: Vec<Row>, columns: Vec<Column>| assert!(rows.iter().all(|r| r.cells.len() == columns.len()) && !rows.is_empty());
        check(buckets(&s), bucket_columns());
        check(bursts(&s), burst_columns());
        check(cores(&s), core_columns());
        check(delay(&s), delay_columns());
        assert_eq!(buckets(&s)[0].cell(2).shown(Kind::Text), "decode (guess)");
        assert_eq!(gap_sentence(&s), "No time between two executions in this scope.");
        let part = GapPart { name: "Framework".into(), time: DurationNs(3), ..GapPart::default() };
        let s = Serving { gaps: crate::analysis::system::Gaps { parts: vec![part], ..Default::default() }, ..s };
        check(gaps(&s), gap_columns());
        assert!((gap_bars(&s)[0].values[0] - 3.0).abs() < f64::EPSILON);
        assert!(cards(&s).iter().any(|c| c.0 == "delay" && c.2 == "not available"));
    }
}
