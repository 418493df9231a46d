//! The summary as cards, bars and rows.

use crate::analysis::device::run_metrics::units::Unit;
pub use crate::analysis::device::{Metric, Summary};
use crate::base::text;
use crate::ui::bars::{Bar, Series};
use crate::ui::table::{Cell, Column, Kind, Row};
use crate::views::wording;

/// A highlighted value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Card {
    /// Stable name.
    pub id: &'static str,
    /// Its name for people.
    pub label: &'static str,
    /// With its unit; "not available" where the file does not record it.
    pub value: String,
    /// What it is.
    pub help: String,
}

/// (metric, label).
const CARDS: [(&str, &str); 8] = [
    ("hfu_estimated_percent", "Hardware FLOPs utilization"),
    ("mfu_inst_estimated_percent", "Model FLOPs utilization (instructions)"),
    ("mfu_inst_max_achievable_estimated_percent", "Memory-bound limit"),
    ("mm_arithmetic_intensity", "Arithmetic intensity"),
    ("mbu_estimated_percent", "Memory bandwidth utilization"),
    ("hbm_read_bytes", "Read from HBM"),
    ("hbm_write_bytes", "Written to HBM"),
    ("total_active_time_percent", "Active"),
];

/// What is in for a card where the file has statistics of HLO: (its metric, metric, label).
const HLO_CARDS: [(&str, &str, &str); 2] = [
    ("mfu_inst_estimated_percent", "mfu_estimated_percent", "Model FLOPs utilization (HLO)"),
    ("mfu_inst_max_achievable_estimated_percent", "mfu_max_achievable_estimated_percent", "Memory-bound limit (HLO)"),
];

/// The cards of an answer: recorded values for the run, computed values for a range.
pub fn cards(summary: &Summary, node: u32) -> Vec<Card> {
    let time = if summary.duration.0 > 0 { text::duration(summary.duration) } else { "not available".into() };
    let mut out = vec![Card { id: "duration", label: "Time", value: time, help: String::new() }];
    let find = |name: &str| summary.metrics.iter().find(|m| m.node == node && m.name == name);
    let has_hlo = find("model_flops").is_some_and(|m| m.file > Some(0.0));
    let of_hlo = |id: &str| HLO_CARDS.iter().find(|c| has_hlo && c.0 == id && find(c.1).is_some());
    out.extend(CARDS.iter().map(|(id, label)| {
        let (id, label) = of_hlo(id).map_or((id, label), |c| (&c.1, &c.2));
        let metric = find(id);
        let value = metric.and_then(|m| m.file.or(m.computed));
        let unit = if *id == "mm_arithmetic_intensity" { " FLOP/byte" } else { "" };
        Card {
            id,
            label,
            value: value.map_or("not available".into(), |v| about(metric, figure(id, v)) + unit),
            help: metric
                .map(|m| {
                    let published = if m.is_published {
                        " Clocks, array size and bandwidth are published values, not recorded in this file."
                    } else {
                        ""
                    };
                    let how = format!("{} {}{published}", m.meaning, m.how).trim().to_string();
                    if m.file.is_some() { m.meaning.clone() } else { how }
                })
                .unwrap_or_default(),
        }
    }));
    out
}

/// A value with the mark of one that the file has rounded.
fn about(metric: Option<&Metric>, value: String) -> String {
    if metric.is_some_and(|m| m.file.is_some() && m.rounding.is_some()) { format!("≈ {value}") } else { value }
}

/// A metric's value with the unit that its name states: seconds, bytes, shares.
fn figure(name: &str, value: f64) -> String {
    Unit::of(name).shown(value)
}

/// The one series of the busy bars.
pub fn busy_series() -> Vec<Series> {
    vec![Series::new("Busy", 0)]
}

/// A bar for each core's engine.
pub fn busy_bars(summary: &Summary) -> Vec<Bar> {
    let whole = summary.duration.0.max(1) as f64;
    let bar = |e: &crate::analysis::device::EngineTime| Bar {
        name: e.engine.clone(),
        group: e.core.clone(),
        values: vec![e.busy.0 as f64 / whole],
        note: text::duration(e.busy),
    };
    summary.engines.iter().map(bar).collect()
}

/// Columns of the engines' table.
pub fn engine_columns() -> Vec<Column> {
    let column = Column::new;
    vec![
        column("engine", "Engine", Kind::Name, "Engine, or DMA over all queues."),
        column("core", "Core", Kind::Text, "Physical NeuronCore."),
        column("busy_ns", "Busy", Kind::Duration, "Time in which instructions other than semaphore waits ran; overlaps count once."),
        column("busy_share", "Busy %", Kind::Share, "Busy time as a share of the run or range."),
        column("count", "Instructions", Kind::Count, "Instructions that touch the range; transfers for DMA.").summed(),
        column(
            "bytes",
            "Bytes",
            Kind::Bytes,
            "Bytes moved by DMA in the run or range; each transfer counts in proportion to its time in the range.",
        )
        .summed(),
    ]
}

/// Rows of the engines' table.
pub fn engines(summary: &Summary) -> Vec<Row> {
    let whole = summary.duration.0.max(1) as f64;
    let row = |e: &crate::analysis::device::EngineTime| {
        Row::new(vec![
            Cell::Text(e.engine.clone()),
            Cell::Text(e.core.clone()),
            Cell::Int(e.busy.0),
            Cell::Float(e.busy.0 as f64 / whole),
            Cell::from(e.count),
            Cell::from(e.bytes),
        ])
    };
    summary.engines.iter().map(row).collect()
}

/// Columns of the metrics' table.
pub fn metric_columns() -> Vec<Column> {
    let column = Column::new;
    vec![
        column("metric", "Metric", Kind::Name, "Name as in the file."),
        column("group", "Group", Kind::Text, wording::METRIC_GROUP),
        column("file", "Recorded", Kind::Number, "Value recorded in the file."),
        column("computed", "Computed", Kind::Number, "Value computed from the formula or the rows."),
        column(
            "verdict",
            "Check",
            Kind::Text,
            "Whether recorded and computed value agree to six digits; times from rows, in whole nanoseconds, within 1%. Without a recorded value: whether clocks, array size or bandwidth are published values that the file does not record.",
        ),
        column("how", "Formula", Kind::Text, wording::METRIC_FORMULA),
        column("meaning", "Meaning", Kind::Text, wording::METRIC_MEANING).wide(),
    ]
}

/// What is in the column Check of a metric that nothing can be compared with.
const PUBLISHED: &str = "uses published hardware values";

/// Values that the profiler writes as 0 where it does not know them: with transfers on the timeline neither can be 0.
const UNKNOWN_AT_0: [&str; 2] = ["dma_transfer_average_bytes", "dma_transfer_time"];

/// Two values as people read them, with as many digits as it takes to see that they differ.
fn apart(name: &str, a: f64, b: f64) -> (String, String) {
    let (unit, short) = (Unit::of(name), (figure(name, a), figure(name, b)));
    if short.0 != short.1 {
        return short;
    }
    let percent = |v: f64, digits: usize| format!("{:.digits$}%", v * 100.0);
    let more = (2..=9).map(|digits| (percent(a, digits), percent(b, digits)));
    let more = more.filter(|_| unit == Unit::Share).find(|(a, b)| a != b);
    let unit = match unit {
        Unit::Seconds => " s",
        Unit::Nanoseconds => " ns",
        Unit::Bytes => " B",
        Unit::Share | Unit::Id | Unit::Plain => "",
    };
    more.unwrap_or_else(|| (format!("{a}{unit}"), format!("{b}{unit}")))
}

/// Rows of the metrics' table.
pub fn metrics(summary: &Summary, node: u32) -> Vec<Row> {
    let text = |value: String| if value.is_empty() { Cell::Absent } else { Cell::Text(value) };
    let has_transfers = summary.engines.iter().any(|e| e.engine == "DMA" && e.count > 0);
    let row = |m: &Metric| {
        let verdict = match (m.file, m.computed) {
            (Some(_), Some(_)) if m.differs => "differs",
            (Some(_), Some(_)) if m.is_rounded => "equal within rounding",
            (Some(_), Some(_)) => "equal",
            (None, Some(_)) if m.is_published => PUBLISHED,
            _ => "",
        };
        // Shown with a unit, exported without.
        let formatted = |v: f64| Cell::Formatted(v, figure(&m.name, v));
        let recorded = |v: f64| Cell::Formatted(v, about(Some(m), figure(&m.name, v)));
        let (file, computed) = match (m.file, m.computed) {
            (Some(a), Some(b)) if m.differs => {
                let shown = apart(&m.name, a, b);
                (Cell::Formatted(a, about(Some(m), shown.0)), Cell::Formatted(b, shown.1))
            }
            (Some(0.0), None) if has_transfers && UNKNOWN_AT_0.contains(&m.name.as_str()) => {
                (Cell::Formatted(0.0, "not recorded".into()), Cell::Absent)
            }
            (Some(a), b) => (recorded(a), b.map_or(Cell::Absent, formatted)),
            (None, b) => (text(m.text.clone().unwrap_or_default()), b.map_or(Cell::Absent, formatted)),
        };
        Row::new(vec![
            Cell::Text(m.name.clone()),
            text(m.group.clone()),
            file,
            computed,
            text(verdict.into()),
            text(m.how.clone()),
            text(m.meaning.clone()),
        ])
    };
    summary.metrics.iter().filter(|m| m.node == node).map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::device::EngineTime;
    use crate::base::DurationNs;
    use crate::ui::table::csv::csv;

    fn metric(name: &str, file: Option<f64>, computed: Option<f64>, text: Option<&str>) -> Metric {
        let (how, meaning, group) = (String::new(), String::new(), String::new());
        Metric {
            node: 0,
            name: name.into(),
            group,
            file,
            text: text.map(Into::into),
            computed,
            how,
            meaning,
            differs: false,
            is_rounded: false,
            rounding: None,
            is_published: false,
        }
    }

    #[test]
    fn published_values_of_the_hardware_are_marked() {
        let of_hardware = Metric { is_published: true, ..metric("hfu_estimated_percent", None, Some(0.5), None) };
        let summary = Summary { metrics: vec![of_hardware, metric("mbu_estimated_percent", None, Some(0.5), None)], ..Summary::default() };
        let verdicts: Vec<String> = super::metrics(&summary, 0).iter().map(|r| r.cell(4).shown(Kind::Text)).collect();
        assert_eq!(verdicts, [PUBLISHED, ""]);
        let help = |id: &str| cards(&summary, 0).into_iter().find(|c| c.id == id).map(|c| c.help).unwrap_or_default();
        assert!(help("hfu_estimated_percent").ends_with("not recorded in this file."), "{}", help("hfu_estimated_percent"));
        assert_eq!(help("mbu_estimated_percent"), "");
    }

    #[test]
    fn an_impossible_zero_is_not_shown() {
        let dma = EngineTime { core: "NC 0".into(), engine: "DMA".into(), busy: DurationNs(4), count: 2, bytes: None };
        let metrics = [metric("dma_transfer_time", Some(0.0), None, None), metric("spill_save_bytes", Some(0.0), None, None)];
        let shown = |engines: Vec<EngineTime>| {
            let rows = super::metrics(&Summary { metrics: metrics.to_vec(), engines, ..Summary::default() }, 0);
            rows.iter().map(|r| (r.cell(2).shown(Kind::Number), r.cell(2).raw())).collect::<Vec<_>>()
        };
        let formatted = |all: [(&str, &str); 2]| all.map(|p| (p.0.to_string(), p.1.to_string())).to_vec();
        assert_eq!(shown(vec![dma]), formatted([("not recorded", "0"), ("0 B", "0")]));
        assert_eq!(shown(Vec::new()), formatted([("0 ns", "0"), ("0 B", "0")]));
    }

    #[test]
    fn values_that_differ_are_seen_to_differ() {
        let shown = |name: &str, a, b| [apart(name, a, b).0, apart(name, a, b).1];
        assert_eq!(shown("x_percent", 0.0141, 0.01414), ["1.410%", "1.414%"]);
        assert_eq!(shown("x_percent", 0.25, 0.5), ["25.0%", "50.0%"]);
        assert_eq!(shown("x_bytes", 2048.0, 2049.0), ["2048 B", "2049 B"]);
        assert_eq!(shown("total_time", 1.5e-6, 1.5000001e-6), ["0.0000015 s", "0.0000015000001 s"]);
    }

    #[test]
    fn metrics_read_with_a_unit_and_are_saved_as_they_are() {
        let all = [
            metric("total_time", Some(3.862_410_6e-5), Some(3.862_410_599_999_999e-5), None),
            metric("hfu_estimated_percent", None, Some(0.123_456_789_012_345_68), None),
            metric("instance_type", None, None, Some("trn2")),
        ];
        let summary = Summary { metrics: all.into(), ..Summary::default() };
        let (columns, rows) = (metric_columns(), metrics(&summary, 0));
        let shown: Vec<String> = rows.iter().map(|r| r.cell(2).shown(columns[2].kind) + "|" + &r.cell(3).shown(columns[3].kind)).collect();
        assert_eq!(shown, ["38.6 µs|38.6 µs", "|12.3%", "trn2|"]);
        let saved = csv(&columns, &rows, &[0, 1, 2], &[0, 2, 3]);
        let want = "metric,file,computed\r\ntotal_time,0.000038624106,0.00003862410599999999\r\nhfu_estimated_percent,,0.12345678901234568\r\ninstance_type,trn2,\r\n";
        assert_eq!(saved, want);
    }
}
