//! Columns that are made for colours: layers cut at a depth, the physical core, another column for DMA transfers. And colours by duration, which
//! are no column: a slot for each decade.

use super::operators::column as known_column;
use crate::base::colour_slots::N_SLOTS;
use crate::base::{DurationNs, StrId, TrackId};
use crate::model::{Profile, TrackKind};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// Id and label of the column with the physical core, or the process or device, of a slice.
pub const CORE: (&str, &str) = ("core", "Core");

/// Id and label of colours by duration.
pub const DURATION: (&str, &str) = ("duration", "Duration");
/// What the steps of durations are, shortest first. The slot of the first is [`N_SLOTS`].
pub const STEPS: [&str; 9] =
    ["< 100 ns", "100 ns – 1 µs", "1 – 10 µs", "10 – 100 µs", "100 µs – 1 ms", "1 – 10 ms", "10 – 100 ms", "100 ms – 1 s", "≥ 1 s"];

/// The colour slot of a duration: one for each decade from 100 ns to a second, one below and one above.
pub fn duration_slot(duration: DurationNs) -> u16 {
    let step = duration.0.max(1).ilog10().clamp(1, STEPS.len() as u32);
    N_SLOTS + step as u16 - 1
}

/// The column that `by` describes: `core`, `layer@2` (as many parts of a name as that, from the left), `name;dma=variable` (DMA transfers by
/// another column). `None` if it names a column that the profile does not have.
pub fn column(profile: &Profile, by: &str) -> Option<Vec<StrId>> {
    let (by, dma) = by.split_once(";dma=").map_or((by, ""), |p| p);
    let mut out = single(profile, by)?;
    if !dma.is_empty() {
        let other = single(profile, dma)?;
        for part in transfers(profile) {
            out[part.clone()].copy_from_slice(&other[part]);
        }
    }
    Some(out)
}

/// Where DMA transfers are in the slice table.
pub fn transfers(profile: &Profile) -> impl Iterator<Item = Range<usize>> {
    let lanes = profile.lanes.iter().filter(|l| profile.tracks[l.track.index()].kind == TrackKind::Queue);
    lanes.map(|l| l.first as usize..l.end as usize)
}

fn single(profile: &Profile, by: &str) -> Option<Vec<StrId>> {
    if let Some(column) = known_column(profile, by) {
        return Some(column.to_vec());
    }
    if by == CORE.0 {
        return Some(cores(profile));
    }
    let (by, depth) = by.split_once('@')?;
    let depth: usize = depth.parse().ok().filter(|d| *d > 0)?;
    Some(cut(profile, known_column(profile, by)?, depth))
}

/// The value of a name in the column `by`: with `layer@2` its first two parts, which slices of one colour share.
pub fn name_at<'a>(by: &str, name: &'a str) -> &'a str {
    let depth = by.split(';').next().and_then(|by| by.split_once('@')).and_then(|p| p.1.parse().ok());
    depth.filter(|d| *d > 0).map_or(name, |depth| &name[..end_of_parts(name, depth)])
}

/// Where the first `depth` parts of a name end, which slashes separate.
fn end_of_parts(name: &str, depth: usize) -> usize {
    // A slash in front parts nothing.
    name.match_indices('/').filter(|m| m.0 > 0).nth(depth - 1).map_or(name.len(), |m| m.0)
}

/// Replaces each value by the first value with the same leading `depth` parts. Parts are separated by slashes.
fn cut(profile: &Profile, column: &[StrId], depth: usize) -> Vec<StrId> {
    let mut first: FxHashMap<&str, StrId> = FxHashMap::default();
    let mut of: FxHashMap<StrId, StrId> = FxHashMap::default();
    let mut look = |id: StrId| {
        *of.entry(id).or_insert_with(|| {
            let text = profile.strings.get(id);
            *first.entry(&text[..end_of_parts(text, depth)]).or_insert(id)
        })
    };
    column.iter().map(|&id| if id == StrId(0) { id } else { look(id) }).collect()
}

/// The name of the outermost group that a slice is in.
fn cores(profile: &Profile) -> Vec<StrId> {
    let mut out = vec![StrId(0); profile.slices.len()];
    for lane in &profile.lanes {
        let mut at: TrackId = lane.track;
        while let Some(parent) = profile.tracks[at.index()].parent.filter(|p| *p < at) {
            at = parent;
        }
        out[lane.first as usize..lane.end as usize].fill(profile.tracks[at.index()].name);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::self_time::tests::drawn;

    fn check(by: &str, want: Option<&[&str]>) {
        let profile = drawn("p / t: m/l1/a 0+1, m/l1/b 5+1, m/l2/a 9+1, m 20+1\n q: x 0+1");
        let got = column(&profile, by).map(|c| c.iter().map(|id| profile.strings.get(*id)).collect::<Vec<_>>());
        assert_eq!(got.as_deref(), want, "{by}");
    }

    #[test]
    fn durations_have_a_slot_a_decade() {
        let step = |ns: i64| STEPS[usize::from(duration_slot(DurationNs(ns)) - N_SLOTS)];
        let at =
            [-5, 0, 99, 100, 999, 1_000, 9_999, 99_999, 100_000, 5_000_000, 50_000_000, 500_000_000, 1_000_000_000, i64::MAX].map(step);
        let ends = ["< 100 ns", "≥ 1 s"];
        assert_eq!((at[..3].to_vec(), at[12..].to_vec()), (vec![ends[0]; 3], vec![ends[1]; 2]));
        assert_eq!(at[3..8], ["100 ns – 1 µs", "100 ns – 1 µs", "1 – 10 µs", "1 – 10 µs", "10 – 100 µs"]);
        assert_eq!(at[8..12], ["100 µs – 1 ms", "1 – 10 ms", "10 – 100 ms", "100 ms – 1 s"]);
    }

    #[test]
    fn names_are_cut_at_a_depth() {
        check("name@2", Some(&["m/l1/a", "m/l1/a", "m/l2/a", "m", "x"]));
        check("name@1", Some(&["m/l1/a", "m/l1/a", "m/l1/a", "m/l1/a", "x"]));
        check("name@9", Some(&["m/l1/a", "m/l1/b", "m/l2/a", "m", "x"]));
    }

    #[test]
    fn a_colour_is_called_what_its_slices_share() {
        let check = |by: &str, want: &str| assert_eq!(name_at(by, "m/l1/a"), want, "{by}");
        check("layer@1", "m");
        check("layer@2;dma=variable", "m/l1");
        check("layer@9", "m/l1/a");
        assert_eq!(name_at("layer@1", "/m/l1/a"), "/m");
        ["layer", "layer@0", "layer@x", "name;dma=layer"].iter().for_each(|by| check(by, "m/l1/a"));
    }

    #[test]
    fn what_is_not_there_is_none() {
        check("core", Some(&["p", "p", "p", "p", "q"]));
        check("name;dma=core", Some(&["m/l1/a", "m/l1/b", "m/l2/a", "m", "x"]));
        check("name@0", None);
        check("name;dma=nowhere", None);
        check("nowhere@1", None);
    }
}
