//! Invocations by model and bucket, and what phase of serving each is.

use super::invocations::Invocation;
use crate::base::Order as _;
use crate::base::{DurationNs, SliceId, StrId, text};
use crate::model::Profile;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// A phase of serving a language model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// The prompt: context encoding.
    Prefill,
    /// One token after the other: token generation.
    Decode,
    /// Unknown: neither the name nor the duration shows it.
    #[default]
    Unknown,
}

/// Times of some invocations.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Times {
    /// Invocations.
    pub count: u64,
    /// Median. Percentiles are interpolated between ranks, as numpy does.
    pub p50: DurationNs,
    /// 90 of 100 take at most this.
    pub p90: DurationNs,
    /// 99 of 100 take at most this.
    pub p99: DurationNs,
    /// Longest.
    pub max: DurationNs,
    /// Sum.
    pub total: DurationNs,
}

impl Times {
    /// Percentiles of durations in any order, nanoseconds.
    pub(super) fn of(mut durations: Vec<i64>) -> Times {
        durations.sort_unstable();
        let at = |per_cent: u64| DurationNs(percentile(&durations, per_cent).unwrap_or(0));
        Times {
            count: durations.len() as u64,
            p50: at(50),
            p90: at(90),
            p99: at(99),
            max: DurationNs(durations.last().copied().unwrap_or(0)),
            total: DurationNs(durations.iter().fold(0, |sum: i64, d| sum.saturating_add(*d))),
        }
    }
}

/// The value below which `per_cent` of a hundred of some sorted values lie, interpolated between the two nearest ranks and rounded.
fn percentile(sorted: &[i64], per_cent: u64) -> Option<i64> {
    let last = sorted.len().checked_sub(1)? as u64;
    let (rank, rest) = (last * per_cent / 100, last * per_cent % 100);
    let low = *sorted.get(rank as usize)?;
    let high = sorted.get(rank as usize + 1).copied().unwrap_or(low);
    let part = i128::from(high.saturating_sub(low)) * i128::from(rest);
    Some(low.saturating_add(((part + 50) / 100) as i64))
}

/// Invocations of one model and bucket.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct BucketRow {
    /// The model as recorded: the path of its NEFF, its name or id; empty where none is.
    pub path: String,
    /// The model for people: `token_generation_model`.
    pub model: String,
    /// The bucket: `bk3`, or the duration about which executions without a model lie; empty where the path has none.
    pub bucket: String,
    /// Phase of serving.
    pub phase: Phase,
    /// Whether the phase follows from the duration alone.
    pub is_guess: bool,
    /// Logical cores that ran it.
    pub n_cores: u64,
    /// Durations on the device.
    pub times: Times,
    /// Share of the time of all invocations; of 1.
    pub share: Option<f64>,
    /// The first ones by start.
    pub slices: Vec<SliceId>,
}

/// Invocations of one phase.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PhaseRow {
    /// Which.
    pub phase: Phase,
    /// Whether the phase of any of its buckets follows from duration alone.
    pub is_guess: bool,
    /// Durations on the device.
    pub times: Times,
    /// Share of the time of all invocations; of 1.
    pub share: Option<f64>,
}

/// What an invocation is counted under.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Bucket {
    Model(StrId),
    /// Number of a cluster of durations.
    Cluster(usize),
}

/// Bucket, phase and whether that is a guess, by invocation.
pub(super) struct Labels {
    of: Vec<(Bucket, Phase, bool)>,
    /// Shortest and longest duration of each cluster.
    clusters: Vec<(i64, i64)>,
}

/// An execution that takes more than this many medians is taken for a prefill.
const PREFILL_MEDIANS: i64 = 3;
/// Durations further apart than this factor (3/2) are of different buckets.
const CLUSTER_FACTOR: (i64, i64) = (3, 2);
const MOST_CLUSTERS: usize = 8;
/// More slices of one row than these are not listed.
const MOST_SLICES: usize = 10_000;

/// Labels of all invocations of a profile: those of a range have the same ones.
pub(super) fn labels(profile: &Profile, all: &[Invocation]) -> Labels {
    let clusters = clusters(all.iter().filter(|i| i.model == StrId(0)).map(Invocation::duration).collect());
    let bucket = |i: &Invocation| match i.model {
        StrId(0) => Bucket::Cluster(clusters.partition_point(|c| c.1 < i.duration())),
        model => Bucket::Model(model),
    };
    let mut durations: BTreeMap<Bucket, Vec<i64>> = BTreeMap::new();
    for i in all {
        durations.entry(bucket(i)).or_default().push(i.duration());
    }
    let median = Times::of(all.iter().map(Invocation::duration).collect()).p50.0;
    let is_long = |duration: i64| duration > median.saturating_mul(PREFILL_MEDIANS);
    let named: BTreeMap<Bucket, Option<Phase>> = durations.keys().map(|b| (*b, named_phase(profile, *b))).collect();
    let long: BTreeMap<Bucket, bool> = durations.iter().map(|(b, all)| (*b, is_long(Times::of(all.clone()).p50.0))).collect();
    // One model for all: each execution has a phase of its own.
    let is_one = matches!(durations.keys().collect::<Vec<_>>()[..], [Bucket::Model(_)]);
    let is_unnamed_long = |i: &Invocation, b: &Bucket| named[b].is_none() && if is_one { is_long(i.duration()) } else { long[b] };
    let is_any_long = all.iter().any(|i| is_unnamed_long(i, &bucket(i)));
    let label = |i: &Invocation| {
        let bucket = bucket(i);
        match (named[&bucket], is_any_long) {
            (Some(phase), _) => (bucket, phase, false),
            (None, false) => (bucket, Phase::Unknown, false),
            (None, true) if is_unnamed_long(i, &bucket) => (bucket, Phase::Prefill, true),
            (None, true) => (bucket, Phase::Decode, true),
        }
    };
    Labels { of: all.iter().map(label).collect(), clusters }
}

/// Shortest and longest of each cluster of durations: neighbours further apart than a factor are of two. The widest gaps part them if there are many.
fn clusters(mut durations: Vec<i64>) -> Vec<(i64, i64)> {
    durations.sort_unstable();
    let is_apart = |a: i64, b: i64| i128::from(b) * i128::from(CLUSTER_FACTOR.1) > i128::from(a.max(1)) * i128::from(CLUSTER_FACTOR.0);
    let mut cuts: Vec<usize> = (1..durations.len()).filter(|&i| is_apart(durations[i - 1], durations[i])).collect();
    let ratio = |i: &usize| durations[*i] as f64 / durations[*i - 1].max(1) as f64;
    cuts.order_by(|a, b| ratio(b).total_cmp(&ratio(a)));
    cuts.truncate(MOST_CLUSTERS - 1);
    cuts.sort_unstable();
    let ends = cuts.iter().copied().chain([durations.len()]);
    let starts = [0].into_iter().chain(cuts.iter().copied());
    starts.zip(ends).filter(|(from, to)| from < to).map(|(from, to)| (durations[from], durations[to - 1])).collect()
}

/// The phase that a model's path names; its last part that names one decides.
fn named_phase(profile: &Profile, bucket: Bucket) -> Option<Phase> {
    let Bucket::Model(model) = bucket else { return None };
    let path = profile.strings.get(model).to_ascii_lowercase();
    let of = |part: &str| {
        let has = |names: &[&str]| names.iter().any(|n| part.contains(n));
        let is_word = |words: &[&str]| part.split(|c: char| !c.is_ascii_alphanumeric()).any(|w| words.contains(&w));
        if has(&["context_encoding", "context-encoding", "contextencoding", "prefill"]) || is_word(&["cte", "ctx"]) {
            return Some(Phase::Prefill);
        }
        let is_decode = has(&["token_generation", "token-generation", "tokengeneration", "token_gen", "decode"]) || is_word(&["tkg"]);
        is_decode.then_some(Phase::Decode)
    };
    path.rsplit('/').find_map(of)
}

/// Model and bucket of a path: `…/token_generation_model/_tp0_bk3/graph.neff` is bucket `bk3`; a file with a name that says nothing is called by its directory.
fn short(path: &str) -> (String, String) {
    let parts: Vec<&str> = path.split('/').filter(|p| !p.is_empty()).collect();
    let bucket_of = |part: &str| {
        let digits = part.rsplit_once("_bk")?.1.split('.').next()?;
        (!digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())).then(|| format!("bk{digits}"))
    };
    if let Some((at, bucket)) = (0..parts.len()).rev().find_map(|at| Some((at, bucket_of(parts[at])?))) {
        let model = at.checked_sub(1).and_then(|before| parts.get(before)).copied().unwrap_or(parts[at]);
        return (model.into(), bucket);
    }
    let file = parts.last().copied().unwrap_or(path);
    let stem = file.strip_suffix(".neff").unwrap_or(file);
    let says_nothing = matches!(stem, "graph" | "model" | "file" | "neff");
    let directory = parts.len().checked_sub(2).and_then(|at| parts.get(at)).copied();
    (directory.filter(|_| says_nothing).unwrap_or(stem).into(), String::new())
}

/// Rows by model, bucket and phase, most time first; and by phase. `is_asked` picks the invocations of the scope.
pub(super) fn rows(
    profile: &Profile,
    all: &[Invocation],
    labels: &Labels,
    is_asked: impl Fn(&Invocation) -> bool,
) -> (Vec<BucketRow>, Vec<PhaseRow>) {
    let mut groups: BTreeMap<(Bucket, Phase, bool), Vec<usize>> = BTreeMap::new();
    for at in (0..all.len()).filter(|at| is_asked(&all[*at])) {
        groups.entry(labels.of[at]).or_default().push(at);
    }
    let whole = groups.values().flatten().fold(0i64, |sum, &at| sum.saturating_add(all[at].duration()));
    let share = |times: &Times| (whole > 0).then(|| times.total.0 as f64 / whole as f64);
    let times = |of: &[usize]| Times::of(of.iter().map(|&at| all[at].duration()).collect());
    let row = |(&(bucket, phase, is_guess), of): (&(Bucket, Phase, bool), &Vec<usize>)| {
        let (path, (model, bucket)) = match bucket {
            Bucket::Model(id) => (profile.strings.get(id).to_string(), short(profile.strings.get(id))),
            Bucket::Cluster(at) => (String::new(), (String::new(), cluster_name(labels.clusters.get(at)))),
        };
        let cores: BTreeSet<_> = of.iter().map(|&at| all[at].core).collect();
        let times = times(of);
        let slices = of.iter().take(MOST_SLICES).map(|&at| all[at].slice).collect();
        BucketRow { path, model, bucket, phase, is_guess, n_cores: cores.len() as u64, times, share: share(&times), slices }
    };
    let mut buckets: Vec<BucketRow> = groups.iter().map(row).collect();
    buckets.order_by(|a, b| (b.times.total, &a.path, &a.bucket, a.phase).cmp(&(a.times.total, &b.path, &b.bucket, b.phase)));
    let mut by_phase: BTreeMap<Phase, (bool, Vec<usize>)> = BTreeMap::new();
    for ((_, phase, is_guess), of) in &groups {
        let entry = by_phase.entry(*phase).or_default();
        entry.0 |= is_guess;
        entry.1.extend(of);
    }
    let phase = |(phase, (is_guess, of)): (Phase, (bool, Vec<usize>))| {
        let times = times(&of);
        PhaseRow { phase, is_guess, times, share: share(&times) }
    };
    (buckets, by_phase.into_iter().map(phase).collect())
}

fn cluster_name(bounds: Option<&(i64, i64)>) -> String {
    let Some(&(from, to)) = bounds else { return String::new() };
    let (from, to) = (text::duration(DurationNs(from)), text::duration(DurationNs(to)));
    if from == to { from } else { format!("{from} – {to}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_those_of_numpy() {
        let times = Times::of(vec![40, 10, 20, 30]);
        // numpy.percentile([10, 20, 30, 40], [50, 90, 99]) = 25, 37, 39.7
        assert_eq!((times.p50.0, times.p90.0, times.p99.0, times.max.0, times.total.0), (25, 37, 40, 40, 100));
        assert_eq!(Times::of(vec![7]).p99, DurationNs(7));
        assert_eq!(Times::of(Vec::new()), Times::default());
        assert_eq!(percentile(&[0, i64::MAX], 50), Some(i64::MAX / 2 + 1));
    }

    #[test]
    fn durations_fall_into_clusters() {
        assert_eq!(clusters(vec![100, 5, 6, 7, 101]), [(5, 7), (100, 101)]);
        assert_eq!(clusters(vec![]), []);
        assert_eq!(clusters(vec![0, 0, 1]), [(0, 1)]);
        let many: Vec<i64> = (0..30).map(|i| 1 << i).collect();
        assert_eq!(clusters(many).len(), MOST_CLUSTERS);
    }

    #[test]
    fn paths_are_models_and_buckets() {
        let of = |path: &str| {
            let (model, bucket) = short(path);
            format!("{model} {bucket}")
        };
        assert_eq!(of("/c/token_generation_model/_tp0_bk3/graph.neff"), "token_generation_model bk3");
        assert_eq!(of("/c/MODULE_123+ab/model.neff"), "MODULE_123+ab ");
        assert_eq!(of("/c/llama_decode.neff"), "llama_decode ");
        assert_eq!((of("model 4"), of(""), of("graph.neff")), ("model 4 ".into(), " ".into(), "graph ".into()));
    }
}
