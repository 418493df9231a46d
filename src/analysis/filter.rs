//! Which slices a search is about: a category, and conditions on fields that all must hold.

use super::matcher::{PatternError, matcher};
use super::operators::column;
use crate::base::{Order as _, SliceId, StrId, for_each_of};
use crate::model::{Column, Domain, NeuronDevice, Profile, SemaphoreRole, SemaphoreUse, TrackKind};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// Why a search is not possible.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SearchError {
    /// A pattern is no regular expression.
    #[error(transparent)]
    Pattern(#[from] PatternError),
    /// The condition on a number is none.
    #[error("Expected a whole number, `>7`, `<7` or `7..9`, found `{0}`.")]
    Number(String),
    /// The profile has no such column.
    #[error("This profile has no column `{0}` to search.")]
    NoColumn(String),
}

/// A condition on one field.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Term {
    /// `name`, an attribute's id, a number (`start_ns`, `duration_ns`, `pc`, `bytes`, `wait_ns`), `semaphore`, or empty for name and all
    /// attributes.
    pub field: String,
    /// Text that the field holds, or `/pattern/`, or `/pattern/i` in any case; for numbers `7`, `>7`, `>=7`, `<7`, `<=7` or `7..9`.
    pub text: String,
}

/// Fields that hold a whole number: (id, label).
const NUMBERS: [(&str, &str); 5] = [
    ("start_ns", "Start (ns)"),
    ("duration_ns", "Duration (ns)"),
    ("pc", "Program counter"),
    ("bytes", "Bytes moved"),
    ("wait_ns", "Waited for a semaphore (ns)"),
];

/// What slices on a track of that kind are: (id, label). Groups and counters hold none.
fn kind(kind: TrackKind) -> (&'static str, &'static str) {
    match kind {
        TrackKind::Engine => ("instruction", "Instructions and collectives"),
        TrackKind::Queue => ("dma", "DMA transfers"),
        TrackKind::Thread => ("host", "Host"),
        TrackKind::Stream => ("device", "Device streams"),
        TrackKind::Wait => ("wait", "Waits and barriers"),
        TrackKind::Async => ("async", "Asynchronous"),
        TrackKind::Group | TrackKind::Counter | TrackKind::Other => ("other", "Other"),
    }
}

/// The categories of a profile's slices: (id, label, slices). Recorded ones, otherwise by type of track.
pub fn categories(profile: &Profile) -> Vec<(String, String, u64)> {
    if let Some(column) = profile.attribute("category") {
        let mut counts = vec![0u64; profile.strings.len()];
        column.values.iter().for_each(|id| counts[id.index()] += 1);
        let used = counts.iter().enumerate().filter(|(_, n)| **n > 0).map(|(i, n)| (profile.strings.get(StrId(i as u32)), *n));
        let mut out: Vec<_> = used.filter(|(text, _)| !text.is_empty()).map(|(text, n)| (text.to_string(), text.to_string(), n)).collect();
        out.order();
        return out;
    }
    let mut out: Vec<(String, String, u64)> = Vec::new();
    for lane in &profile.lanes {
        let (id, label) = kind(profile.tracks[lane.track.index()].kind);
        let n = u64::from(lane.end - lane.first);
        match out.iter_mut().find(|c| c.0 == id) {
            Some(c) => c.2 += n,
            None => out.push((id.into(), label.into(), n)),
        }
    }
    let n = n_with_semaphores(profile);
    if n > 0 {
        out.push((SEMAPHORE.0.into(), "Instructions that wait for or set semaphores".into(), n));
    }
    out
}

/// Semaphores as a field and as a category: those in the operands of an instruction.
const SEMAPHORE: (&str, &str) = ("semaphore", "Semaphore in the operands");

/// Instructions with a matching semaphore, by id. Each distinct semaphore is tested once.
fn with_semaphores(profile: &Profile, is_hit: impl Fn(&str) -> bool) -> Vec<u32> {
    let Domain::NeuronDevice(device) = &profile.domain else { return Vec::new() };
    let mut known: FxHashMap<_, bool> = FxHashMap::default();
    let mut hit = |u: &SemaphoreUse| {
        let key = (u.id, u.owner, u.value, u.role.is_wait(), u.role == SemaphoreRole::Exactly);
        *known.entry(key).or_insert_with(|| is_hit(&semaphore_text(profile, u)))
    };
    let mut out: Vec<u32> = device.semaphores.iter().filter(|u| hit(u)).map(|u| u.slice).collect();
    out.dedup();
    out
}

/// Instructions with semaphores in their operands; those of an instruction stand together.
fn n_with_semaphores(profile: &Profile) -> u64 {
    let Domain::NeuronDevice(device) = &profile.domain else { return 0 };
    let (mut n, mut last) = (0, None);
    for_each_of(&device.semaphores, |used| {
        n += u64::from(last != Some(used.slice));
        last = Some(used.slice);
    });
    n
}

/// `S[5] (Tensor) >= 4` for a wait, `S[5] (Tensor) += 1` for a change.
fn semaphore_text(profile: &Profile, used: &SemaphoreUse) -> String {
    let (id, owner) = (profile.strings.get(used.id), profile.strings.get(used.owner));
    let owner = if owner.is_empty() { String::new() } else { format!(" ({owner})") };
    let sign = match used.role {
        SemaphoreRole::AtLeast => ">=",
        SemaphoreRole::Exactly => "==",
        _ => "+=",
    };
    format!("S[{id}]{owner} {sign} {}", used.value)
}

/// Fields that a condition can be on: name, attributes, and the numbers that the profile has.
pub fn fields(profile: &Profile) -> Vec<(String, String)> {
    let mut out = super::groupings::groupings(profile);
    let has = |id: &str| numbers(profile, id).is_some_and(|n| n.is_recorded());
    out.extend(NUMBERS.iter().filter(|n| has(n.0)).map(|n| (n.0.to_string(), n.1.to_string())));
    if matches!(&profile.domain, Domain::NeuronDevice(device) if !device.semaphores.is_empty()) {
        out.push((SEMAPHORE.0.into(), SEMAPHORE.1.into()));
    }
    out
}

/// A column of numbers.
#[derive(Clone, Copy)]
enum Numbers<'a> {
    Wide(&'a [i64]),
    Narrow(&'a Column<u32>),
}

impl Numbers<'_> {
    fn get(self, i: usize) -> Option<i64> {
        match self {
            Numbers::Wide(v) => v.get(i).copied(),
            Numbers::Narrow(v) => v.get(i).copied().filter(|n| *n != NeuronDevice::ABSENT).map(i64::from),
        }
    }

    fn is_recorded(self) -> bool {
        match self {
            Numbers::Wide(v) => !v.is_empty(),
            Numbers::Narrow(v) => v.is_recorded(),
        }
    }
}

fn numbers<'a>(profile: &'a Profile, id: &str) -> Option<Numbers<'a>> {
    match (id, &profile.domain) {
        ("start_ns", _) => Some(Numbers::Wide(&profile.slices.start)),
        ("duration_ns", _) => Some(Numbers::Wide(&profile.slices.duration)),
        ("pc", Domain::NeuronDevice(device)) => Some(Numbers::Narrow(&device.pc)),
        ("bytes", Domain::NeuronDevice(device)) => Some(Numbers::Narrow(&device.bytes)),
        ("wait_ns", Domain::NeuronDevice(device)) => Some(Numbers::Narrow(&device.wait_ns)),
        _ => None,
    }
}

/// The first and the last number that a condition includes.
fn span(text: &str) -> Result<(i64, i64), SearchError> {
    let number = |t: &str| t.trim().replace([',', '_'], "").parse::<i64>();
    let parse = |t: &str| number(t).map_err(|_| SearchError::Number(text.into()));
    let text = text.trim();
    if let Some((from, to)) = text.split_once("..") {
        return Ok((parse(from)?, parse(to)?));
    }
    if let Some(n) = text.strip_prefix(">=") {
        return Ok((parse(n)?, i64::MAX));
    }
    if let Some(n) = text.strip_prefix("<=") {
        return Ok((i64::MIN, parse(n)?));
    }
    if let Some(n) = text.strip_prefix('>') {
        return Ok((parse(n)?.saturating_add(1), i64::MAX));
    }
    if let Some(n) = text.strip_prefix('<') {
        return Ok((i64::MIN, parse(n)?.saturating_sub(1)));
    }
    parse(text).map(|n| (n, n))
}

enum Test<'a> {
    /// One of the columns holds a string that is a hit, by string.
    Text(Vec<&'a [StrId]>, Vec<bool>),
    Number(Numbers<'a>, i64, i64),
    /// It is one of these, which are by id.
    OneOf(Vec<u32>),
}

/// Decides which slices a search is about.
pub struct Filter<'a> {
    tests: Vec<Test<'a>>,
    /// For each range of slices: lanes of the category; `None`: all.
    lanes: Option<Vec<(u32, u32)>>,
}

impl<'a> Filter<'a> {
    /// The slices of `category` (empty: all) for which every term holds; terms without a text hold always.
    pub fn new(profile: &'a Profile, category: &str, terms: &[Term]) -> Result<Self, SearchError> {
        let mut tests = Vec::new();
        let mut lanes = None;
        if !category.is_empty() {
            match profile.attribute("category") {
                _ if category == SEMAPHORE.0 => tests.push(Test::OneOf(with_semaphores(profile, |_| true))),
                Some(column) => {
                    tests.push(Test::Text(vec![&column.values], profile.strings.iter().map(|(_, text)| text == category).collect()));
                }
                None => {
                    let is_of = |lane: &&crate::model::Lane| kind(profile.tracks[lane.track.index()].kind).0 == category;
                    lanes = Some(profile.lanes.iter().filter(is_of).map(|l| (l.first, l.end)).collect());
                }
            }
        }
        for term in terms.iter().filter(|t| !t.text.trim().is_empty()) {
            tests.push(test(profile, term)?);
        }
        Ok(Filter { tests, lanes })
    }

    /// Whether it keeps every slice.
    pub fn is_open(&self) -> bool {
        self.tests.is_empty() && self.lanes.is_none()
    }

    /// Whether a slice is one of them.
    pub fn keeps(&self, slice: SliceId) -> bool {
        let i = slice.index();
        let is_inside = self.lanes.as_ref().is_none_or(|lanes| {
            let at = lanes.partition_point(|l| l.1 <= slice.0);
            lanes.get(at).is_some_and(|l| l.0 <= slice.0)
        });
        is_inside
            && self.tests.iter().all(|test| match test {
                Test::Text(columns, is_hit) => columns.iter().any(|c| c.get(i).is_some_and(|id| is_hit[id.index()])),
                Test::Number(numbers, from, to) => numbers.get(i).is_some_and(|n| (*from..=*to).contains(&n)),
                Test::OneOf(slices) => slices.binary_search(&slice.0).is_ok(),
            })
    }
}

fn test<'a>(profile: &'a Profile, term: &Term) -> Result<Test<'a>, SearchError> {
    if let Some(numbers) = numbers(profile, &term.field) {
        let (from, to) = span(&term.text)?;
        return Ok(Test::Number(numbers, from, to));
    }
    let matcher = matcher(term.text.trim(), false)?;
    if term.field == SEMAPHORE.0 {
        return Ok(Test::OneOf(with_semaphores(profile, |text| matcher.is_hit(text))));
    }
    let columns: Vec<&[StrId]> = if term.field.is_empty() {
        std::iter::once(profile.slices.name.as_slice()).chain(profile.attributes.iter().map(|a| a.values.as_slice())).collect()
    } else {
        let field = &term.field;
        vec![column(profile, field).ok_or_else(|| SearchError::NoColumn(field.clone()))?]
    };
    let is_hit = profile.strings.iter().map(|(_, text)| !text.is_empty() && matcher.is_hit(text)).collect();
    Ok(Test::Text(columns, is_hit))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::self_time::tests::drawn;

    fn check(category: &str, terms: &[(&str, &str)], want: Result<&[i64], &str>) {
        let profile = drawn("t: aten::mm 5+1, aten::add 0+4, Aten::mm 9+1\n u: mm 3+1");
        let terms: Vec<Term> = terms.iter().map(|t| Term { field: t.0.into(), text: t.1.into() }).collect();
        match (Filter::new(&profile, category, &terms), want) {
            (Ok(filter), Ok(want)) => {
                let all = (0..profile.slices.len() as u32).map(SliceId).filter(|s| filter.keeps(*s));
                let mut starts: Vec<i64> = all.map(|s| profile.slices.start[s.index()]).collect();
                starts.sort_unstable();
                assert_eq!(starts, want, "{terms:?}");
            }
            (Err(error), Err(part)) => assert!(error.to_string().contains(part), "{error}"),
            (got, want) => panic!("{:?} {want:?}", got.map(|_| ())),
        }
    }

    #[test]
    fn every_term_must_hold() {
        check("", &[], Ok(&[0, 3, 5, 9]));
        check("", &[("name", "aten"), ("name", "mm")], Ok(&[5, 9]));
        check("", &[("name", "/^aten::/"), ("duration_ns", ">1")], Ok(&[0]));
        check("", &[("name", "/^AT/i"), ("name", "/MM$/i")], Ok(&[5, 9]));
        check("", &[("name", "/^AT/")], Ok(&[]));
        check("", &[("start_ns", "3..5"), ("", " ")], Ok(&[3, 5]));
        check("", &[("duration_ns", "<=1"), ("start_ns", "<9"), ("start_ns", ">=4")], Ok(&[5]));
        check("no such category", &[], Ok(&[]));
    }

    #[test]
    fn what_cannot_be_read_is_a_sentence() {
        check("", &[("name", "/(/")], Err("is not a valid regular expression"));
        check("", &[("duration_ns", "long")], Err("Expected a whole number"));
        check("", &[("pc", "1")], Err("no column `pc`"));
    }
}
