//! Runs beside each other: each worker gives its part, and the parts are merged by name.

mod times;

use crate::analysis::device::run_metrics::summary::{Summary, summary};
use crate::analysis::device::run_metrics::units::{Better, Unit};
use crate::base::DurationNs;
use crate::base::Order as _;
use crate::model::Profile;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// What rows are aligned by: column and its name for people. One that no part has is omitted.
pub const GROUPS: [(&str, &str); 6] =
    [("opcode", "Opcode"), ("engine", "Engine"), ("operator", "Operator"), ("layer", "Layer"), ("hlo", "HLO"), ("source", "Source line")];

/// What one run gives.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ComparePart {
    /// Its title.
    pub title: String,
    /// Length of the run.
    pub duration: DurationNs,
    /// Numeric metrics, recorded or computed.
    pub metrics: Vec<PartMetric>,
    /// Busy times, in nanoseconds: `NC 4 Tensor`.
    pub engines: Vec<(String, i64)>,
    /// Columns of [`GROUPS`] with the times of their names.
    pub groups: Vec<PartGroup>,
}

/// One metric, named and grouped as in the summary.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PartMetric {
    /// As in the file.
    pub name: String,
    /// Heading it is under.
    pub group: String,
    /// What it means, in the file's own words.
    pub meaning: String,
    /// In the unit of its name.
    pub value: f64,
}

/// Times by the values of one column.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PartGroup {
    /// Id of the column.
    pub by: String,
    /// Longest first.
    pub rows: Vec<PartRow>,
    /// Names beyond those, and their time.
    pub rest: (u64, DurationNs),
}

/// Time and count of one name.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartRow {
    /// The name.
    pub name: String,
    /// Time in which its slices ran, without waits: what overlaps on an engine counts once; engines and cores are added up.
    pub time: DurationNs,
    /// Slices.
    pub count: u64,
}

/// Runs beside each other.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Compare {
    /// Titles, in the order of all lists of values.
    pub titles: Vec<String>,
    /// Place of the run that the others are compared with.
    pub base: usize,
    /// Metrics with a value in at least one run.
    pub metrics: Vec<CompareMetric>,
    /// Rows of each column.
    pub groups: Vec<CompareGroup>,
    /// What to know.
    pub notes: Vec<String>,
}

/// One metric in all runs.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct CompareMetric {
    /// Values, and their changes; of a number by which something is called there are none.
    pub row: CompareRow,
    /// What values and differences are measured in.
    pub unit: Unit,
    /// Which way is better; `None` where that depends.
    pub better: Option<Better>,
    /// Heading it is under.
    pub group: String,
    /// What it means.
    pub meaning: String,
}

/// Rows aligned by one column.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct CompareGroup {
    /// Id of the column.
    pub by: String,
    /// Its name for people.
    pub label: String,
    /// Largest difference first; values are nanoseconds.
    pub rows: Vec<CompareRow>,
    /// Counts of the same rows.
    pub counts: Vec<Vec<Option<u64>>>,
}

/// One name in all runs.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct CompareRow {
    /// Metric or name.
    pub name: String,
    /// A value for each run; `None` where it is not recorded.
    pub values: Vec<Option<f64>>,
    /// Value − value of the base.
    pub deltas: Vec<Option<f64>>,
    /// Delta ÷ value of the base.
    pub shares: Vec<Option<f64>>,
}

/// What `profile` gives.
pub fn part(profile: &Profile) -> ComparePart {
    part_of(profile, &summary(profile, None))
}

/// The same with a given summary.
pub fn part_of(profile: &Profile, figures: &Summary) -> ComparePart {
    ComparePart {
        title: profile.meta.title.clone(),
        duration: figures.duration,
        metrics: metrics_of(figures),
        engines: figures.engines.iter().map(|e| (format!("{} {}", e.core, e.engine), e.busy.0)).collect(),
        groups: GROUPS.iter().filter_map(|(by, _)| times::group(profile, by)).collect(),
    }
}

/// Numeric metrics of a summary, recorded or computed.
pub fn metrics_of(figures: &Summary) -> Vec<PartMetric> {
    let metrics = figures.metrics.iter().filter(|m| m.node == 0).filter_map(|m| {
        let value = m.file.or(m.computed)?;
        Some(PartMetric { name: m.name.clone(), group: m.group.clone(), meaning: m.meaning.clone(), value })
    });
    metrics.collect()
}

/// The parts beside each other; a `base` that is not there is the first.
pub fn merge(parts: &[ComparePart], base: usize) -> Compare {
    let base = if base < parts.len() { base } else { 0 };
    let titles = parts.iter().map(|p| p.title.clone()).collect();
    let mut out = Compare { titles, base, ..Compare::default() };
    if parts.len() < 2 {
        out.notes.push("A comparison needs two device profiles.".into());
    }
    out.metrics = metrics(parts, base);
    for (by, label) in GROUPS {
        let of = |p: &ComparePart| p.groups.iter().find(|g| g.by == by).cloned().unwrap_or_default();
        let mut rows = aligned(parts, base, |p| of(p).rows.into_iter().map(|r| (r.name, r.time.0 as f64)).collect(), |p| lists_all(p, by));
        if rows.is_empty() {
            continue;
        }
        let largest = |row: &CompareRow| change(row, base);
        rows.order_by(|a, b| largest(b).total_cmp(&largest(a)).then_with(|| a.name.cmp(&b.name)));
        let counts: Vec<(FxHashMap<String, u64>, Option<u64>)> =
            parts.iter().map(|p| (of(p).rows.into_iter().map(|r| (r.name, r.count)).collect(), lists_all(p, by).then_some(0))).collect();
        let counts = rows.iter().map(|row| counts.iter().map(|(c, none)| c.get(&row.name).copied().or(*none)).collect()).collect();
        let n_more: u64 = parts.iter().map(|p| of(p).rest.0).sum();
        if n_more > 0 {
            out.notes.push(format!("{label}: the {n_more} names with the shortest time are not in the comparison."));
        }
        out.groups.push(CompareGroup { by: by.into(), label: label.into(), rows, counts });
    }
    out
}

/// Whether a run has all names of a column, so that a missing name means that it did not run.
fn lists_all(part: &ComparePart, by: &str) -> bool {
    part.groups.iter().any(|g| g.by == by && g.rest.0 == 0)
}

/// Length and busy times, then what the summaries say.
fn metrics(parts: &[ComparePart], base: usize) -> Vec<CompareMetric> {
    let of_rows = |group: &str, meaning: &str, better: Option<Better>| {
        let (group, meaning) = (group.to_string(), meaning.to_string());
        move |row| CompareMetric { row, unit: Unit::Nanoseconds, better, group: group.clone(), meaning: meaning.clone() }
    };
    let lasted = |p: &ComparePart| vec![("Duration of the run".to_string(), p.duration.0 as f64)];
    let busy = |p: &ComparePart| p.engines.iter().map(|(name, ns)| (format!("Busy: {name}"), *ns as f64)).collect::<Vec<_>>();
    let mut out: Vec<CompareMetric> = aligned(parts, base, lasted, |_| false)
        .into_iter()
        .map(of_rows("", "Time from the start to the end of the execution.", Some(Better::Less)))
        .collect();
    let meaning = "Time in which instructions other than semaphore waits ran; overlaps count once.";
    out.extend(aligned(parts, base, busy, |_| false).into_iter().map(of_rows("engines", meaning, None)));
    let metrics_of = |p: &ComparePart| p.metrics.iter().map(|m| (m.name.clone(), m.value)).collect::<Vec<_>>();
    let about: FxHashMap<&str, &PartMetric> = parts.iter().flat_map(|p| &p.metrics).map(|m| (m.name.as_str(), m)).collect();
    out.extend(aligned(parts, base, metrics_of, |_| false).into_iter().map(|mut row| {
        let unit = Unit::of(&row.name);
        if unit == Unit::Id {
            row.deltas.fill(None);
            row.shares.fill(None);
        }
        let (group, meaning) = about.get(row.name.as_str()).map(|m| (m.group.clone(), m.meaning.clone())).unwrap_or_default();
        CompareMetric { unit, better: Better::of(&row.name), group, meaning, row }
    }));
    out
}

/// The largest change against the base. A name that only one side has counts with its entire time.
fn change(row: &CompareRow, base: usize) -> f64 {
    let of_base = row.values.get(base).copied().flatten().unwrap_or(0.0);
    row.values.iter().map(|v| (v.unwrap_or(0.0) - of_base).abs()).fold(0.0, f64::max)
}

/// Values of all parts by name, in the order first seen. What a part lacks is 0 where it lists all there is.
fn aligned(
    parts: &[ComparePart],
    base: usize,
    values: impl Fn(&ComparePart) -> Vec<(String, f64)>,
    lists_all: impl Fn(&ComparePart) -> bool,
) -> Vec<CompareRow> {
    let mut rows: Vec<CompareRow> = Vec::new();
    let mut places: FxHashMap<String, usize> = FxHashMap::default();
    let without: Vec<Option<f64>> = parts.iter().map(|p| lists_all(p).then_some(0.0)).collect();
    for (at, part) in parts.iter().enumerate() {
        for (name, value) in values(part) {
            let place = *places.entry(name.clone()).or_insert_with(|| {
                rows.push(CompareRow { name, values: without.clone(), ..CompareRow::default() });
                rows.len() - 1
            });
            rows[place].values[at] = Some(value);
        }
    }
    for row in &mut rows {
        let of_base = row.values.get(base).copied().flatten();
        row.deltas = row.values.iter().map(|v| Some(((*v)?) - of_base?)).collect();
        row.shares = row.deltas.iter().map(|d| Some((*d)? / of_base.filter(|b| *b != 0.0)?)).collect();
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part_metric(name: &str, value: f64) -> PartMetric {
        PartMetric { name: name.into(), group: "overall stats".into(), meaning: "Duration.".into(), value }
    }

    fn one(title: &str, metric: f64, rows: &[(&str, i64)]) -> ComparePart {
        let row = |(name, time): &(&str, i64)| PartRow { name: (*name).into(), time: DurationNs(*time), count: 1 };
        let groups = vec![PartGroup { by: "opcode".into(), rows: rows.iter().map(row).collect(), ..PartGroup::default() }];
        ComparePart {
            title: title.into(),
            metrics: vec![part_metric("total_time", metric), part_metric("nc_idx", metric)],
            groups,
            ..ComparePart::default()
        }
    }

    #[test]
    fn names_are_aligned_and_changes_come_first() {
        let parts = [one("a", 2.0, &[("X", 10), ("Y", 50)]), one("b", 3.0, &[("Y", 45), ("Z", 7)])];
        let got = merge(&parts, 0);
        let metric = |name: &str| got.metrics.iter().find(|m| m.row.name == name).expect("there");
        let time = metric("total_time");
        assert_eq!((&time.row.deltas, &time.row.shares), (&vec![Some(0.0), Some(1.0)], &vec![Some(0.0), Some(0.5)]));
        assert_eq!((time.unit, time.better, time.meaning.as_str()), (Unit::Seconds, Some(Better::Less), "Duration."));
        assert_eq!(metric("nc_idx").row.deltas, [None, None], "the difference of two names means nothing");
        assert_eq!(metric("Duration of the run").unit, Unit::Nanoseconds);
        let rows: Vec<(&str, Vec<Option<f64>>)> = got.groups[0].rows.iter().map(|r| (r.name.as_str(), r.deltas.clone())).collect();
        let want = [("X", vec![Some(0.0), Some(-10.0)]), ("Z", vec![Some(0.0), Some(7.0)]), ("Y", vec![Some(0.0), Some(-5.0)])];
        assert_eq!(rows, want, "what did not run took no time");
        assert_eq!(got.groups[0].counts, [[Some(1), Some(0)], [Some(0), Some(1)], [Some(1), Some(1)]]);
        assert_eq!((got.groups[0].rows[0].shares[1], got.groups[0].rows[1].shares[1]), (Some(-1.0), None));
        let other = merge(&parts, 1);
        assert_eq!(other.groups[0].rows[2].deltas, [Some(5.0), Some(0.0)]);
        assert_eq!(merge(&parts[..1], 9).notes.len(), 1);
    }

    #[test]
    fn what_a_run_does_not_list_is_not_recorded() {
        let mut parts = [one("a", 2.0, &[("X", 10)]), one("b", 3.0, &[("Y", 45)]), one("c", 3.0, &[])];
        (parts[1].groups[0].rest, parts[2].groups) = ((3, DurationNs(4)), Vec::new());
        let got = merge(&parts, 0);
        let row = |name: &str| got.groups[0].rows.iter().find(|r| r.name == name).expect("there").values.clone();
        assert_eq!((row("X"), row("Y")), (vec![Some(10.0), None, None], vec![Some(0.0), Some(45.0), None]));
    }
}
