//! Where a file belongs: run (its directory), worker and span (its name), as PyTorch's TensorBoard plugin reads names, and for names it does not know.
//!
//! `worker.stamp.pt.trace.json[.gz]` is what `tensorboard_trace_handler` writes. A span is the rank of the stamp among those of its worker.
//! The plugin sorts stamps as text, so that a stamp of more digits may come first (milliseconds of old versions, nanoseconds of new ones).
//! Here they are sorted as numbers.

use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

/// A file as it was given.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// Files of one drop belong together; those of another have runs of their own.
    pub drop: u32,
    /// Path below the drop, `/` between parts; an archive counts as a directory.
    pub path: String,
    /// Rank and world size by the file's own `distributedInfo`, once it is read.
    pub rank: Option<(u32, u32)>,
}

/// Where a profile belongs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TraceIdentity {
    /// Name of the run: the directory. A lone file is a run of its own, named after it.
    pub run: String,
    /// Name of the worker, unique within run and span.
    pub worker: String,
    /// From 1, by stamp; `None` where the name has no stamp.
    pub span: Option<u32>,
    /// By `distributedInfo`, else by the name (`rank0_trace.json`).
    pub rank: Option<u32>,
    /// World size by `distributedInfo`.
    pub n_ranks: Option<u32>,
    /// Another file has the same run, worker and span; this one's worker carries a number.
    pub is_double: bool,
}

impl TraceIdentity {
    /// Whether both are of one moment of one run: same run, same span.
    pub fn is_beside(&self, other: &TraceIdentity) -> bool {
        self.run == other.run && self.span == other.span
    }

    /// Order of display: run, rank, worker with its numbers as numbers, span.
    pub fn order(&self, other: &TraceIdentity) -> Ordering {
        let rank = |p: &TraceIdentity| p.rank.unwrap_or(u32::MAX);
        natural(&self.run, &other.run)
            .then(rank(self).cmp(&rank(other)))
            .then_with(|| natural(&self.worker, &other.worker))
            .then(self.span.cmp(&other.span))
    }
}

/// The identity in a file's name.
#[derive(Debug, Default, PartialEq, Eq)]
struct Name<'a> {
    /// Without the extensions of a trace.
    stem: &'a str,
    /// The worker, in names as the plugin knows them.
    worker: Option<&'a str>,
    /// Digits, without leading zeros.
    stamp: Option<&'a str>,
    rank: Option<u32>,
}

impl<'a> Name<'a> {
    fn of(path: &'a str) -> Self {
        let file = path.rsplit('/').next().unwrap_or(path);
        let packed = file.strip_suffix(".gz").unwrap_or(file);
        let Some(rest) = packed.strip_suffix(".pt.trace.json") else {
            let stem = ["_trace.json", ".trace.json", ".json"].iter().find_map(|end| packed.strip_suffix(end)).unwrap_or(packed);
            let stem = if stem.is_empty() { file } else { stem };
            return Name { stem, worker: None, stamp: None, rank: rank_in(stem) };
        };
        let stamped = rest.rsplit_once('.').filter(|(_, digits)| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()));
        let (worker, stamp) = stamped.map_or((rest, None), |(worker, digits)| (worker, Some(digits.trim_start_matches('0'))));
        let worker = Some(worker).filter(|w| !w.is_empty());
        Name { stem: worker.unwrap_or(file), worker, stamp, rank: rank_in(rest) }
    }
}

/// The number after the last `rank` of a name: `rank0`, `rank-0`, `rank_0`, `Rank 0`.
fn rank_in(stem: &str) -> Option<u32> {
    let lower = stem.to_ascii_lowercase();
    lower.rmatch_indices("rank").find_map(|(at, word)| {
        let rest = lower[at + word.len()..].trim_start_matches(['-', '_', ' ', '=', '.']);
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        rest[..digits].parse().ok()
    })
}

/// The place of each origin, in their order.
pub fn places(origins: &[Origin]) -> Vec<TraceIdentity> {
    let names: Vec<Name> = origins.iter().map(|o| Name::of(&o.path)).collect();
    let runs = runs(origins, &names);
    let workers: Vec<String> = origins.iter().zip(&names).map(|(origin, name)| worker(origin, name)).collect();
    let mut stamps: BTreeMap<(&str, &str), BTreeSet<Stamp>> = BTreeMap::new();
    for (i, name) in names.iter().enumerate() {
        if let Some(stamp) = name.stamp {
            stamps.entry((&runs[i], &workers[i])).or_default().insert(Stamp(stamp));
        }
    }
    let mut seen: BTreeMap<(&str, &str, Option<u32>), u32> = BTreeMap::new();
    let mut out = Vec::with_capacity(origins.len());
    for (i, name) in names.iter().enumerate() {
        let of_worker = stamps.get(&(runs[i].as_str(), workers[i].as_str()));
        let span = name.stamp.zip(of_worker).map(|(stamp, all)| all.range(..Stamp(stamp)).count() as u32 + 1);
        let n_same = seen.entry((&runs[i], &workers[i], span)).or_default();
        *n_same += 1;
        let worker = if *n_same > 1 { format!("{} ({n_same})", workers[i]) } else { workers[i].clone() };
        let rank = origins[i].rank.map(|r| r.0).or(name.rank);
        out.push(TraceIdentity { run: runs[i].clone(), worker, span, rank, n_ranks: origins[i].rank.map(|r| r.1), is_double: *n_same > 1 });
    }
    out
}

/// A stamp by its value, whatever its length.
#[derive(PartialEq, Eq)]
struct Stamp<'a>(&'a str);

impl Ord for Stamp<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.len().cmp(&other.0.len()).then_with(|| self.0.cmp(other.0))
    }
}

impl PartialOrd for Stamp<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

fn worker(origin: &Origin, name: &Name) -> String {
    let rank = origin.rank.map(|r| r.0).or(name.rank);
    match (name.worker, rank) {
        (Some(worker), _) => worker.into(),
        (None, Some(rank)) => format!("rank {rank}"),
        (None, None) => name.stem.into(),
    }
}

/// The name of each origin's run. Runs of different drops have different names.
fn runs(origins: &[Origin], names: &[Name]) -> Vec<String> {
    let mut drops: BTreeMap<u32, Vec<(&Origin, &Name)>> = BTreeMap::new();
    origins.iter().zip(names).for_each(|(origin, name)| drops.entry(origin.drop).or_default().push((origin, name)));
    let shapes: BTreeMap<u32, Shape> = drops.into_iter().map(|(drop, files)| (drop, Shape::of(&files))).collect();
    let mut owners: BTreeMap<String, u32> = BTreeMap::new();
    let mut given: BTreeMap<(u32, String), String> = BTreeMap::new();
    let mut out = Vec::with_capacity(origins.len());
    for (origin, name) in origins.iter().zip(names) {
        let plain = shapes.get(&origin.drop).map(|shape| shape.run(origin, name)).unwrap_or_default();
        let unique = given.entry((origin.drop, plain.clone())).or_insert_with(|| {
            let numbered = (2..).map(|n| format!("{plain} ({n})"));
            let mut candidates = std::iter::once(plain.clone()).chain(numbered);
            candidates.find(|n| owners.get(n).is_none_or(|&drop| drop == origin.drop)).unwrap_or(plain)
        });
        owners.insert(unique.clone(), origin.drop);
        out.push(unique.clone());
    }
    out
}

/// What the files of a drop have in common.
struct Shape {
    /// The directory that was dropped, when all files are in it.
    root: Option<String>,
    /// The run of its files without a directory that are of a set.
    set: Option<String>,
}

impl Shape {
    fn of(files: &[(&Origin, &Name)]) -> Self {
        let directory = |o: &Origin| o.path.split_once('/').map(|p| p.0.to_string());
        let root =
            files.first().and_then(|(o, _)| directory(o)).filter(|root| files.iter().all(|(o, _)| directory(o).as_ref() == Some(root)));
        let set: Vec<&str> = files.iter().filter(|(o, n)| is_of_set(o, n)).map(|(_, n)| n.stem).collect();
        Shape { root, set: (set.len() > 1).then(|| common_name(&set)) }
    }

    /// The directory below what was dropped; the dropped directory itself by its name.
    fn run(&self, origin: &Origin, name: &Name) -> String {
        if let Some((directory, _)) = origin.path.rsplit_once('/') {
            let below = directory.split_once('/').filter(|(root, _)| self.root.as_deref() == Some(root));
            return below.map_or(directory, |b| b.1).into();
        }
        self.set.clone().filter(|_| is_of_set(origin, name)).unwrap_or_else(|| name.stem.into())
    }
}

/// Files without a directory are one run if their names or contents say that they belong together.
fn is_of_set(origin: &Origin, name: &Name) -> bool {
    !origin.path.contains('/') && (name.stamp.is_some() || name.rank.is_some() || origin.rank.is_some_and(|r| r.1 > 1))
}

/// What names begin with, without the numbers and the word `rank` at its end.
fn common_name(stems: &[&str]) -> String {
    let first = stems.first().copied().unwrap_or_default();
    let n_common = stems.iter().map(|s| first.bytes().zip(s.bytes()).take_while(|(a, b)| a == b).count()).min().unwrap_or(0);
    let common = first.get(..n_common).unwrap_or_default();
    let common = common.trim_end_matches(|c: char| c.is_ascii_digit() || "-_. ".contains(c));
    let common = common.strip_suffix("rank").unwrap_or(common).trim_end_matches(['-', '_', '.', ' ']);
    if common.len() < 3 { "Run".into() } else { common.into() }
}

/// Text by its letters, and by the value of the numbers in it: `w2` before `w10`.
pub fn natural(a: &str, b: &str) -> Ordering {
    let (mut a, mut b) = (a.as_bytes(), b.as_bytes());
    while let (Some(&x), Some(&y)) = (a.first(), b.first()) {
        if x.is_ascii_digit() && y.is_ascii_digit() {
            let number = |t: &[u8]| t.iter().take_while(|c| c.is_ascii_digit()).count();
            let (n, m) = (number(a), number(b));
            let value = |t: &[u8], n: usize| t[..n].iter().skip_while(|c| **c == b'0').copied().collect::<Vec<u8>>();
            let (v, w) = (value(a, n), value(b, m));
            match v.len().cmp(&w.len()).then_with(|| v.cmp(&w)) {
                Ordering::Equal => (a, b) = (&a[n..], &b[m..]),
                order => return order,
            }
        } else if x != y {
            return x.cmp(&y);
        } else {
            (a, b) = (&a[1..], &b[1..]);
        }
    }
    a.len().cmp(&b.len())
}

#[cfg(test)]
mod tests;
