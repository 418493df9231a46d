//! Bounds as bars, parts and rows.

use crate::analysis::device::bounds::{self, Bound, Bounds, CoreBounds, Evidence, EvidenceRow, Family, GapKind, OpcodeTime, Part, Step};
use crate::base::{DurationNs, text};
use crate::ui::ladders::{Gap, Ladder, Rung};
use crate::ui::table::{Cell, Column, Kind, Row};
use crate::views::engine_parts::colour;
use crate::views::wording;

fn nanoseconds(ns: f64) -> String {
    text::duration(DurationNs(ns.round() as i64))
}

fn speed_up(factor: f64) -> String {
    format!("{} ×", text::three_digits(factor))
}

/// Share of a gap, and its base.
fn share_of(gap: &bounds::Gap) -> String {
    let of = if gap.kind == GapKind::Reloads { " of the bytes" } else { "" };
    format!("{}{of}", text::percent(gap.share))
}

fn rung(core: &CoreBounds, family: Family, step: &Step) -> Rung {
    let gap = |g: bounds::Gap| Gap {
        name: g.kind.label().into(),
        value: g.time_ns,
        text: format!("{} · {}", nanoseconds(g.time_ns), share_of(&g)),
        facts: g.speed_up.map(|s| ("Reachable speed-up".to_string(), speed_up(s))).into_iter().collect(),
        note: g.kind.meaning().into(),
    };
    let colour = match (step.bound, family) {
        (Bound::Total, _) => colour(None),
        (_, Family::Memory) => colour(Some(Part::Dma)),
        (_, Family::Compute) => colour(Some(Part::Tensor)),
        (_, Family::Pipeline) => colour(core.bottleneck),
    };
    Rung { name: step.bound.label().into(), value: step.time_ns, text: nanoseconds(step.time_ns), colour, gap: step.gap.map(gap) }
}

/// The ladders of a core; the total, common to all, is in the first one only.
pub fn ladders(core: &CoreBounds) -> Vec<Ladder> {
    let ladder = |(at, l): (usize, &bounds::Ladder)| {
        let steps = l.steps.iter().filter(|s| at == 0 || s.bound != Bound::Total);
        Ladder { name: l.family.label().into(), rungs: steps.map(|s| rung(core, l.family, s)).collect() }
    };
    core.ladders.iter().enumerate().map(ladder).filter(|l| !l.rungs.is_empty()).collect()
}

/// The gaps of the picture, in its order.
pub fn gaps_of(core: &CoreBounds) -> Vec<GapKind> {
    core.ladders.iter().flat_map(|l| l.steps.iter().filter_map(|s| s.gap)).map(|g| g.kind).collect()
}

/// Columns of the picture's table.
pub fn step_columns() -> Vec<Column> {
    let column = Column::new;
    vec![
        column("bound", "Bound", Kind::Name, "Time that remains without the overhead above it."),
        column("family", "Ladder", Kind::Text, ""),
        column("time_ns", "Time", Kind::Duration, ""),
        column("share", "Share of total", Kind::Share, ""),
        column("gap", "Gap to the bound above", Kind::Text, ""),
        column("gap_ns", "Gap", Kind::Duration, ""),
        column("gap_share", "Gap share", Kind::Share, "Of the total; of reloads, share of the moved bytes."),
        column(
            "speed_up",
            "Reachable speed-up",
            Kind::Number,
            "Total ÷ the larger of the bound and the longest busy time of the other engines.",
        ),
        column("meaning", "Definition", Kind::Text, "").wide(),
    ]
}

/// Rows of the picture's table.
pub fn step_rows(bounds: &Bounds, core: &CoreBounds) -> Vec<Row> {
    let total = bounds.range.duration().0.max(1) as f64;
    let row = |family: Family, s: &Step| {
        Row::new(vec![
            Cell::Text(s.bound.label().into()),
            Cell::Text(family.label().into()),
            Cell::plain(s.time_ns.round()),
            Cell::Float(s.time_ns / total),
            s.gap.map(|g| g.kind.label().to_string()).into(),
            s.gap.map(|g| g.time_ns.round()).map_or(Cell::Absent, Cell::plain),
            s.gap.map(|g| g.share).into(),
            s.gap.and_then(|g| g.speed_up).map_or(Cell::Absent, |f| Cell::Formatted(f, speed_up(f))),
            Cell::Text(s.bound.meaning().into()),
        ])
    };
    let of = |(at, l): (usize, &bounds::Ladder)| {
        let steps = l.steps.iter().filter(|s| at == 0 || s.bound != Bound::Total);
        steps.map(|s| row(l.family, s)).collect::<Vec<_>>()
    };
    core.ladders.iter().enumerate().flat_map(of).collect()
}

/// Columns of the gaps' table.
pub fn gap_columns() -> Vec<Column> {
    let column = Column::new;
    vec![
        column("gap", "Gap", Kind::Name, "Click a gap to see its causes below."),
        column("time_ns", "Time", Kind::Duration, "Difference of two neighbouring bounds."),
        column("share", "Share", Kind::Share, "Of the total; of reloads, share of the moved bytes."),
        column(
            "speed_up",
            "Reachable speed-up",
            Kind::Number,
            "Total ÷ the larger of the lower bound and the longest busy time of the other engines.",
        ),
        column("meaning", "Definition", Kind::Text, "").wide(),
    ]
}

/// Every gap, with values where they are known.
pub fn gap_rows(core: &CoreBounds) -> Vec<Row> {
    let all: Vec<bounds::Gap> = core.ladders.iter().flat_map(|l| l.steps.iter().filter_map(|s| s.gap)).collect();
    let row = |kind: GapKind| {
        let gap = all.iter().find(|g| g.kind == kind);
        let absent = || Cell::Placeholder("not available".into());
        Row::new(vec![
            Cell::Text(kind.label().into()),
            gap.map_or_else(absent, |g| Cell::plain(g.time_ns.round())),
            gap.map_or(Cell::Absent, |g| Cell::Float(g.share)),
            gap.and_then(|g| g.speed_up).map_or(Cell::Absent, |f| Cell::Formatted(f, speed_up(f))),
            Cell::Text(kind.meaning().into()),
        ])
    };
    GapKind::ALL.into_iter().map(row).collect()
}

/// What is looked into, and what its rows are.
pub fn heads(kind: GapKind) -> (&'static str, &'static str, &'static str) {
    match kind {
        GapKind::DmaIdle => ("What ran while no transfer did", "Source line or instruction", ""),
        GapKind::SlowTransfers => ("Transfers by queue, size and source line", "Queue", ""),
        GapKind::Reloads => ("Bytes by tensor and source line", "Tensor or source line", "Type"),
        GapKind::TensorIdle => ("Products that start late, by what they waited for last", "Waited for", "Last signal"),
        GapKind::BelowPeak => ("Products by tile size", "Tile K × M × N", "Type and place"),
        GapKind::Transposes => ("Transposes by place", "Source line or instruction", ""),
        GapKind::Unoverlapped => ("Waits by instruction and signal", "Instruction", "Signalled by"),
    }
}

/// Whether rows name the instruction that asked for transfers.
fn has_lines(kind: GapKind) -> bool {
    matches!(kind, GapKind::SlowTransfers | GapKind::Reloads)
}

/// Columns of an investigation.
pub fn evidence_columns(kind: GapKind) -> Vec<Column> {
    let column = Column::new;
    let (_, name, detail) = heads(kind);
    let mut out = vec![column("name", name, Kind::Name, "")];
    if !detail.is_empty() {
        out.push(column("detail", detail, Kind::Text, ""));
    }
    if has_lines(kind) {
        out.push(column(
            "line",
            "Asked for by",
            Kind::Text,
            "Source lines of the instructions that asked for the transfers, else engine and opcode; largest first.",
        ));
    }
    let count = |label: &str| column("count", label, Kind::Count, "Click a row to select these in the timeline.").summed();
    let time = |label: &str, help: &str| column("time_ns", label, Kind::Duration, help).summed();
    match kind {
        GapKind::DmaIdle => out.extend([
            count("Idle times"),
            time("DMA idle", "Idle times of at least 500 ns are charged to the line with the longest overlap."),
        ]),
        GapKind::SlowTransfers => out.extend([
            column("size", "Transfer size", Kind::Bytes, "Below 4 KiB the fixed cost of a transfer is larger than its time at full rate."),
            count("Transfers"),
            column("bytes", "Bytes", Kind::Bytes, "").summed(),
            time("Time", "Sum of durations; transfers overlap."),
            column("rate", "GB/s", Kind::Number, "Bytes ÷ sum of durations."),
        ]),
        GapKind::Reloads => out.extend([
            column("size", "Size", Kind::Bytes, "Size of the tensor."),
            column("bytes", "Moved", Kind::Bytes, "").summed(),
            column("times", "Times", Kind::Number, "Moved bytes ÷ size: above 1 the tensor is moved again."),
            column("excess", "Excess", Kind::Bytes, "Moved bytes − size.").summed(),
            count("Transfers"),
            time("Time", "Sum of durations; transfers overlap."),
        ]),
        GapKind::TensorIdle => {
            out.extend([count("Products"), time("Late by", "Start of the next product − start of this one − its time at full rate.")])
        }
        GapKind::BelowPeak => out.extend([
            count("Products"),
            time("Time", ""),
            column("flops", "FLOPs", Kind::Count, wording::FLOPS).summed(),
            column("peak_share", "Share of peak", Kind::Share, "FLOPs ÷ time ÷ peak rate of the core."),
        ]),
        GapKind::Transposes => {
            out.extend([count("Products"), time("Time", ""), column("flops", "FLOPs", Kind::Count, wording::FLOPS).summed()])
        }
        GapKind::Unoverlapped => out.extend([count("Waits"), time("Waiting", wording::RECORDED_WAITS)]),
    }
    out
}

/// Rows of an investigation.
pub fn evidence_rows(kind: GapKind, evidence: &Evidence, peak_flops: Option<f64>) -> Vec<Row> {
    let row = |r: &EvidenceRow| {
        let mut cells = vec![Cell::Text(r.name.clone())];
        if !heads(kind).2.is_empty() {
            cells.push(Some(r.detail.clone()).filter(|d| !d.is_empty()).into());
        }
        if has_lines(kind) {
            cells.push(Some(r.line.clone()).filter(|l| !l.is_empty()).into());
        }
        let seconds = r.time.map(|t| t.0 as f64 / 1e9).filter(|s| *s > 0.0);
        let rate = |amount: Option<u64>| Some(amount? as f64 / seconds?);
        match kind {
            GapKind::SlowTransfers => {
                cells.extend([r.size.into(), r.count.into(), r.bytes.into(), r.time.into(), rate(r.bytes).map(|b| b / 1e9).into()])
            }
            GapKind::Reloads => {
                let size = r.size.filter(|s| *s > 0);
                let times = r.bytes.zip(size).map(|(b, s)| b as f64 / s as f64);
                let excess = r.bytes.zip(size).map(|(b, s)| b.saturating_sub(s));
                cells.extend([
                    r.size.into(),
                    r.bytes.into(),
                    times.map_or(Cell::Absent, |t| Cell::Formatted(t, speed_up(t))),
                    excess.into(),
                    r.count.into(),
                    r.time.into(),
                ]);
            }
            GapKind::BelowPeak => {
                let share = rate(r.flops).zip(peak_flops.filter(|p| *p > 0.0)).map(|(f, p)| f / p);
                cells.extend([r.count.into(), r.time.into(), r.flops.into(), share.into()]);
            }
            GapKind::Transposes => cells.extend([r.count.into(), r.time.into(), r.flops.into()]),
            GapKind::DmaIdle | GapKind::TensorIdle | GapKind::Unoverlapped => cells.extend([r.count.into(), r.time.into()]),
        }
        Row::new(cells)
    };
    evidence.rows.iter().map(row).collect()
}

/// Text of an investigation without rows.
pub fn nothing_found(kind: GapKind) -> &'static str {
    match kind {
        GapKind::DmaIdle => "Nothing found: DMA was never idle for 500 ns or longer, or there are no transfers.",
        GapKind::SlowTransfers => "Nothing found: no transfer that moves data starts here.",
        GapKind::Reloads => "Nothing found: no bytes are recorded by tensor or instruction here.",
        GapKind::TensorIdle => "Nothing found: no product starts later than the engine could start it.",
        GapKind::BelowPeak => "Nothing found: no matrix product starts here.",
        GapKind::Transposes => "Nothing found: no matrix product only transposes.",
        GapKind::Unoverlapped => "Nothing found: no instruction waited for a semaphore.",
    }
}

/// Columns of the waits' table.
pub fn wait_columns() -> Vec<Column> {
    let column = Column::new;
    vec![
        column("opcode", "Opcode", Kind::Name, ""),
        column("engine", "Engine", Kind::Text, ""),
        column("count", "Instructions", Kind::Count, "Instructions that start here.").summed(),
        column("time_ns", "Time", Kind::Duration, "Sum of durations.").summed(),
        column("wait_ns", "Waiting", Kind::Duration, wording::RECORDED_WAITS).summed(),
        column("waiting", "Waited", Kind::Count, "Instructions that waited at all.").summed(),
        column("by", "Signalled by", Kind::Text, "What ended the waits: the sum of waiting time by engine, or DMA."),
    ]
}

/// Rows of the waits' table; `waits` are the causes of what is not overlapped.
pub fn wait_rows(core: &CoreBounds, waits: Option<&Evidence>) -> Vec<Row> {
    let row = |o: &OpcodeTime| {
        let name = format!("{} {}", o.engine, o.opcode);
        let by = |w: &Evidence| {
            let of = w.rows.iter().filter(|r| r.name == name).take(4);
            of.map(|r| format!("{} {}", r.detail, r.time.map(text::duration).unwrap_or_default())).collect::<Vec<_>>().join(", ")
        };
        Row {
            colour: Some(colour(Part::named(&o.engine))),
            ..Row::new(vec![
                Cell::Text(o.opcode.clone()),
                Cell::Text(o.engine.clone()),
                o.count.into(),
                o.time.into(),
                o.wait.into(),
                o.wait.map(|_| o.waiting).into(),
                waits.map(by).filter(|t| !t.is_empty()).into(),
            ])
        }
    };
    core.opcodes.iter().map(row).collect()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::base::{SliceId, TimeNs, TimeRange};
    use crate::views::engine_parts::tests::core;

    /// The public run `baseline_attention`.
    pub fn bounds() -> Bounds {
        let range = TimeRange::new(TimeNs(0), TimeNs(59_533));
        Bounds { range, is_run: true, cores: vec![core()], necessary_bytes: Some(1_114_112), ..Bounds::default() }
    }

    #[test]
    fn the_total_is_drawn_once_and_gaps_keep_their_order() {
        let found = bounds();
        let core = &found.cores[0];
        let all = ladders(core);
        let names: Vec<&str> = all.iter().flat_map(|l| &l.rungs).map(|r| r.name.as_str()).collect();
        assert_eq!(names.iter().filter(|n| **n == "Total").count(), 1);
        let drawn: Vec<&str> = all.iter().flat_map(|l| &l.rungs).filter_map(|r| r.gap.as_ref()).map(|g| g.name.as_str()).collect();
        let kinds: Vec<&str> = gaps_of(core).into_iter().map(GapKind::label).collect();
        assert_eq!(drawn, kinds);
        assert_eq!(all[0].rungs[3].gap.as_ref().map(|g| g.text.as_str()), Some("9.64 µs · 79.0% of the bytes"));
        assert_eq!(step_rows(&found, core).len(), names.len());
    }

    #[test]
    fn gaps_that_are_not_known_are_listed_and_not_0() {
        let mut found = bounds();
        found.cores[0].ladders[0].steps.truncate(1);
        let rows = gap_rows(&found.cores[0]);
        assert_eq!(rows.len(), GapKind::ALL.len());
        assert_eq!((rows[0].cell(1).shown(Kind::Duration), rows[0].cell(1).raw()), ("not available".into(), String::new()));
        assert_eq!(rows[3].cell(1).raw(), "42473");
    }

    #[test]
    fn rows_have_a_cell_for_each_column() {
        let row = EvidenceRow {
            name: "q".into(),
            detail: "IN".into(),
            line: "a.py:7".into(),
            count: 2,
            time: Some(DurationNs(1000)),
            size: Some(1024),
            bytes: Some(4096),
            flops: Some(78_643),
            slices: vec![SliceId(3)],
        };
        let found = Evidence { rows: vec![row], ..Evidence::default() };
        for kind in GapKind::ALL {
            let rows = evidence_rows(kind, &found, Some(78.643e12));
            assert_eq!(rows[0].cells.len(), evidence_columns(kind).len(), "{kind:?}");
            assert!(nothing_found(kind).starts_with("Nothing found"));
        }
        let reloads = &evidence_rows(GapKind::Reloads, &found, None)[0];
        assert_eq!(
            [reloads.cell(2).raw(), reloads.cell(5).shown(Kind::Number), reloads.cell(6).raw()],
            ["a.py:7".to_string(), "4.00 ×".into(), "3072".into()]
        );
        let tiles = &evidence_rows(GapKind::BelowPeak, &found, Some(78.643e12))[0];
        assert_eq!(tiles.cell(5).raw(), "0.001");
        let waits = Evidence {
            rows: vec![EvidenceRow {
                name: "Tensor MATMUL".into(),
                detail: "DMA".into(),
                time: Some(DurationNs(12)),
                ..EvidenceRow::default()
            }],
            ..Evidence::default()
        };
        let rows = wait_rows(&bounds().cores[0], Some(&waits));
        assert_eq!((rows[0].cells.len(), rows[0].cell(6).raw()), (wait_columns().len(), "DMA 12 ns".into()));
    }
}
