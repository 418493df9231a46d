//! Arrows between slices in a window of time: which there are, and an even choice of them where they are too many to draw.

use crate::base::{Order as _, SliceId, StrId, TimeRange};
use crate::model::Profile;
use serde::{Deserialize, Serialize};

/// Which arrows are wanted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlowsQuery {
    /// Only arrows that cross this window.
    pub window: TimeRange,
    /// Kinds that are omitted.
    pub without: Vec<String>,
    /// At most this many, evenly chosen.
    pub limit: u32,
}

/// A kind of arrow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlowKind {
    /// As in the file: `ac2g`, `fwdbwd`.
    pub id: String,
    /// Arrows of it in the window.
    pub n_in_window: u64,
}

/// Arrows as columns, all of one length, by (from, to).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Flows {
    /// Every kind of the profile, by name; also those omitted.
    pub kinds: Vec<FlowKind>,
    /// Where each starts.
    pub from: Vec<SliceId>,
    /// Where each ends.
    pub to: Vec<SliceId>,
    /// Position in `kinds`.
    pub kind: Vec<u16>,
    /// Arrows of the wanted kinds that cross the window; `from` holds an even choice of them.
    pub n_wanted: u64,
}

/// Kinds of arrows with how many there are of each, by name. Kinds beyond the first thousand are omitted.
pub fn flow_kinds(profile: &Profile) -> Vec<(String, u64)> {
    let mut found: Vec<(StrId, u64)> = Vec::new();
    for &kind in &profile.flows.kind {
        match found.iter().position(|k| k.0 == kind) {
            Some(at) => found[at].1 += 1,
            None if found.len() < MAX_KINDS => found.push((kind, 1)),
            None => {}
        }
    }
    let mut out: Vec<(String, u64)> = found.into_iter().map(|(kind, n)| (profile.strings.get(kind).to_string(), n)).collect();
    out.order();
    out
}

/// Real traces have two or three.
const MAX_KINDS: usize = 1000;

/// Arrows that cross the window. An arrow goes from the end of one slice to the start of another, in either direction of time.
pub fn flows(profile: &Profile, query: &FlowsQuery) -> Flows {
    let names: Vec<String> = flow_kinds(profile).into_iter().map(|k| k.0).collect();
    let mut position = vec![u16::MAX; profile.strings.len()];
    for (i, id) in (0u32..).map(StrId).take(position.len()).enumerate() {
        let at = names.binary_search_by(|n| n.as_str().cmp(profile.strings.get(id)));
        position[i] = at.map_or(u16::MAX, |at| at as u16);
    }
    let is_out: Vec<bool> = names.iter().map(|n| query.without.contains(n)).collect();
    let mut kinds: Vec<FlowKind> = names.into_iter().map(|id| FlowKind { id, n_in_window: 0 }).collect();
    let table = &profile.flows;
    let mut wanted: Vec<(u32, u16)> = Vec::new();
    for i in 0..table.from.len() {
        let at = position[table.kind[i].index()];
        if at == u16::MAX || !crosses(profile, table.from[i], table.to[i], query.window) {
            continue;
        }
        kinds[usize::from(at)].n_in_window += 1;
        if !is_out[usize::from(at)] {
            wanted.push((i as u32, at));
        }
    }
    let mut out = Flows { kinds, n_wanted: wanted.len() as u64, ..Flows::default() };
    for &(i, kind) in evenly(&wanted, query.limit as usize) {
        out.from.push(table.from[i as usize]);
        out.to.push(table.to[i as usize]);
        out.kind.push(kind);
    }
    out
}

fn crosses(profile: &Profile, from: SliceId, to: SliceId, window: TimeRange) -> bool {
    let (a, b) = (profile.slices.end(from.index()), profile.slices.start[to.index()]);
    a.min(b) < window.end.0 && a.max(b) >= window.start.0
}

/// `limit` of `all` at even distances; all of them if they are no more.
fn evenly<T>(all: &[T], limit: usize) -> impl Iterator<Item = &T> {
    let n = all.len().min(limit);
    (0..n).map(move |k| &all[(k as u128 * all.len() as u128 / n.max(1) as u128) as usize])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::self_time::tests::drawn;
    use crate::base::{Interner, TimeNs};
    use crate::model::FlowTable;

    fn profile() -> Profile {
        let mut profile = drawn("p / t: a 0+10, b 20+10, c 40+10\n p / u: k 15+10, l 60+10");
        let mut strings = Interner::new();
        let names: Vec<String> = profile.strings.iter().map(|(_, s)| s.to_string()).collect();
        for name in &names {
            strings.intern(name);
        }
        let (launch, back) = (strings.intern("ac2g"), strings.intern("fwdbwd"));
        profile.strings = strings.finish();
        let at = |name: &str| (0..5).map(SliceId).find(|&s| profile.name_of(s) == name).expect("slice");
        let arrows = vec![(at("a"), at("k"), launch), (at("b"), at("l"), launch), (at("a"), at("c"), back)];
        profile.flows = FlowTable::from_arrows(arrows);
        profile
    }

    fn check(window: (i64, i64), without: &[&str], limit: u32, want: &[&str], n_wanted: u64) {
        let profile = profile();
        let without = without.iter().map(|s| s.to_string()).collect();
        let query = FlowsQuery { window: TimeRange::new(TimeNs(window.0), TimeNs(window.1)), without, limit };
        let got = flows(&profile, &query);
        let text = |i: usize| format!("{}>{}", profile.name_of(got.from[i]), profile.name_of(got.to[i]));
        assert_eq!((0..got.from.len()).map(text).collect::<Vec<_>>(), want);
        assert_eq!(got.n_wanted, n_wanted);
        assert_eq!(got.kinds.iter().map(|k| k.id.as_str()).collect::<Vec<_>>(), ["ac2g", "fwdbwd"]);
    }

    #[test]
    fn arrows_that_cross_the_window_by_kind() {
        check((0, 100), &[], 10, &["a>c", "a>k", "b>l"], 3);
        check((0, 100), &["fwdbwd"], 10, &["a>k", "b>l"], 2);
        check((0, 12), &[], 10, &["a>c", "a>k"], 2);
        // From the end of `b` at 30 to the start of `l` at 60: wholly across.
        check((45, 50), &[], 10, &["b>l"], 1);
        check((70, 80), &[], 10, &[], 0);
    }

    #[test]
    fn too_many_are_chosen_evenly_and_counted() {
        check((0, 100), &[], 2, &["a>c", "a>k"], 3);
        check((0, 100), &[], 0, &[], 3);
        let all: Vec<u32> = (0..10).collect();
        assert_eq!(evenly(&all, 5).copied().collect::<Vec<_>>(), [0, 2, 4, 6, 8]);
    }

    #[test]
    fn kinds_are_counted_over_the_whole_profile() {
        assert_eq!(flow_kinds(&profile()), [("ac2g".to_string(), 2), ("fwdbwd".to_string(), 1)]);
    }
}
