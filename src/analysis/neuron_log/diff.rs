//! Two runs side by side: total time, operators of one only, differences.

use super::{Level, ops, timeline};
use crate::base::DurationNs;
use crate::base::Order as _;
use crate::model::Profile;
use crate::model::neuron_log::NeuronLog;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// What a run gives to a comparison.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct LogPart {
    /// Title of the run.
    pub title: String,
    /// Operators of the framework: (name, time, occurrences), each name once.
    pub framework: Vec<(String, Option<i64>, Option<u64>)>,
    /// HLO operators.
    pub hlo: Vec<(String, Option<i64>, Option<u64>)>,
    /// Device window.
    pub window: Option<DurationNs>,
    /// Time in which anything computes.
    pub compute: Option<DurationNs>,
    /// Time in which data moves.
    pub transfer: Option<DurationNs>,
}

/// Two runs compared; "before" is the first.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct LogDiff {
    /// Titles: first, second.
    pub titles: (String, String),
    /// Sum of operator times: first, second. `None` where no time can be determined.
    pub total_time: (Option<DurationNs>, Option<DurationNs>),
    /// Device window: first, second.
    pub window: (Option<DurationNs>, Option<DurationNs>),
    /// Compute time: first, second.
    pub compute: (Option<DurationNs>, Option<DurationNs>),
    /// Transfer time: first, second.
    pub transfer: (Option<DurationNs>, Option<DurationNs>),
    /// Operators by size of the difference, largest first.
    pub rows: Vec<DeltaRow>,
}

/// One operator in both runs.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct DeltaRow {
    /// Its name.
    pub name: String,
    /// "both", "only before", "only now".
    pub place: String,
    /// Time: first, second.
    pub time: (Option<DurationNs>, Option<DurationNs>),
    /// Second minus first, nanoseconds; what is absent counts nothing.
    pub delta_ns: i64,
    /// Occurrences: first, second.
    pub occurrences: (Option<u64>, Option<u64>),
}

/// What this run gives.
pub fn part(profile: &Profile, log: &NeuronLog) -> LogPart {
    let figures = timeline::timeline(profile, log, None);
    let list = |level| {
        let mut out: Vec<(String, Option<i64>, Option<u64>)> = Vec::new();
        let mut by_name: FxHashMap<String, usize> = FxHashMap::default();
        for row in ops::sums(profile, log, level, None).rows {
            let at = *by_name.entry(row.name.clone()).or_insert_with(|| {
                out.push((row.name.clone(), None, None));
                out.len() - 1
            });
            let sum = &mut out[at];
            sum.1 = row.time.map(|t| sum.1.unwrap_or(0).saturating_add(t.0)).or(sum.1);
            sum.2 = row.occurrences.map(|n| sum.2.unwrap_or(0).saturating_add(n)).or(sum.2);
        }
        out
    };
    LogPart {
        title: profile.meta.title.clone(),
        framework: list(Level::Framework),
        hlo: list(Level::Hlo),
        window: figures.window,
        compute: figures.compute,
        transfer: figures.transfer,
    }
}

/// Compares two runs at a level.
pub fn diff(before: &LogPart, after: &LogPart, level: Level) -> LogDiff {
    let of = |part: &LogPart| if level == Level::Framework { part.framework.clone() } else { part.hlo.clone() };
    let (old, new) = (of(before), of(after));
    let total = |list: &[(String, Option<i64>, Option<u64>)]| {
        list.iter().filter_map(|r| r.1).fold(None, |s: Option<i64>, t| Some(s.unwrap_or(0).saturating_add(t))).map(DurationNs)
    };
    let totals = (total(&old), total(&new));
    let mut left: FxHashMap<String, (Option<i64>, Option<u64>)> = old.into_iter().map(|(n, t, c)| (n, (t, c))).collect();
    let mut rows: Vec<DeltaRow> = new
        .into_iter()
        .map(|(name, time, count)| {
            let known = left.remove(&name);
            row(name, known, Some((time, count)))
        })
        .collect();
    rows.extend(left.into_iter().map(|(name, old)| row(name, Some(old), None)));
    rows.order_by(|a, b| b.delta_ns.abs().cmp(&a.delta_ns.abs()).then_with(|| a.name.cmp(&b.name)));
    LogDiff {
        titles: (before.title.clone(), after.title.clone()),
        total_time: totals,
        window: (before.window, after.window),
        compute: (before.compute, after.compute),
        transfer: (before.transfer, after.transfer),
        rows,
    }
}

fn row(name: String, old: Option<(Option<i64>, Option<u64>)>, new: Option<(Option<i64>, Option<u64>)>) -> DeltaRow {
    let place = match (&old, &new) {
        (Some(_), Some(_)) => "both",
        (Some(_), None) => "only before",
        _ => "only now",
    };
    let (a, b) = (old.unwrap_or_default(), new.unwrap_or_default());
    DeltaRow {
        name,
        place: place.into(),
        time: (a.0.map(DurationNs), b.0.map(DurationNs)),
        delta_ns: b.0.unwrap_or(0).saturating_sub(a.0.unwrap_or(0)),
        occurrences: (a.1, b.1),
    }
}
