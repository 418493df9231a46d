//! One colour per name, everywhere: the dozen with the most self time get bright slots of their own, those after them muted ones of their own;
//! only the rest share a slot.
//! Names that only a number at their end tells apart (`ProfilerStep#5`, `ProfilerStep#6`) are one name here: each step would take a slot.

use super::self_time::self_times;
use crate::base::{StrId, TrackId};
use crate::model::Profile;
use rustc_hash::FxHashMap;

/// Slots for the names with the most time.
pub const N_TOP: u16 = 12;
/// All slots; those from [`N_TOP`] on are muted.
pub const N_SLOTS: u16 = 44;
/// Slot of slices that have no value: the palette's grey for what has no colour of its own.
pub const NO_VALUE: u16 = 60_007;

/// A slot per string of `profile` for the values of `column`. Depends on names and times only, so that two openings agree.
pub fn slots(profile: &Profile, column: &[StrId]) -> Vec<u16> {
    let mut time = vec![-1i64; profile.strings.len()];
    for track in 0..profile.tracks.len() as u32 {
        self_times(profile, TrackId(track), None, |i, owned| {
            let sum = &mut time[column[i].index()];
            *sum = (*sum).max(0).saturating_add(owned);
        });
    }
    let numbered = gather(profile, &mut time);
    let is_told = |id: &StrId| !profile.strings.get(*id).is_empty();
    let mut used: Vec<StrId> = (0..time.len() as u32).map(StrId).filter(|id| time[id.index()] >= 0 && is_told(id)).collect();
    let by_time = |a: &StrId, b: &StrId| {
        let longest_first = time[b.index()].cmp(&time[a.index()]);
        longest_first.then_with(|| profile.strings.get(*a).cmp(profile.strings.get(*b)))
    };
    let n_own = used.len().min(N_SLOTS as usize);
    if n_own > 0 && n_own < used.len() {
        used.select_nth_unstable_by(n_own, by_time);
    }
    used[..n_own].sort_by(by_time);
    let mut out = vec![0u16; time.len()];
    let mut taken = [false; N_SLOTS as usize];
    for (rank, id) in used.iter().enumerate() {
        let hash = stable_hash(stem(profile.strings.get(*id))) as usize;
        let (from, n) = if rank < N_TOP as usize { (0, N_TOP as usize) } else { (N_TOP as usize, (N_SLOTS - N_TOP) as usize) };
        let mut at = hash % n;
        // The next free one; as many names as there are slots find one.
        while rank < n_own && taken[from + at] {
            at = (at + 1) % n;
        }
        taken[from + at] = true;
        out[id.index()] = (from + at) as u16;
    }
    for (id, first) in numbered {
        out[id.index()] = out[first.index()];
    }
    for (id, _) in profile.strings.iter().filter(|(_, text)| text.is_empty()) {
        out[id.index()] = NO_VALUE;
    }
    out
}

/// A name without the number after its last `#`.
fn stem(name: &str) -> &str {
    if !name.ends_with(|c: char| c.is_ascii_digit()) {
        return name;
    }
    name.trim_end_matches(|c: char| c.is_ascii_digit()).strip_suffix('#').filter(|s| !s.is_empty()).unwrap_or(name)
}

/// Adds the time of numbered names to the first of each stem; the others, each with that first, have no time of their own any more.
fn gather(profile: &Profile, time: &mut [i64]) -> Vec<(StrId, StrId)> {
    let mut first: FxHashMap<&str, StrId> = FxHashMap::default();
    let mut out = Vec::new();
    for id in (0..time.len() as u32).map(StrId).filter(|id| profile.strings.get(*id).ends_with(|c: char| c.is_ascii_digit())) {
        let name = profile.strings.get(id);
        if time[id.index()] < 0 || stem(name) == name {
            continue;
        }
        let to = *first.entry(stem(name)).or_insert(id);
        if to != id {
            time[to.index()] = time[to.index()].saturating_add(time[id.index()]);
            time[id.index()] = -1;
            out.push((id, to));
        }
    }
    out
}

/// FNV-1a: the same in every build.
fn stable_hash(text: &str) -> u32 {
    let hash = text.bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    hash ^ (hash >> 15)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::self_time::tests::drawn;

    #[test]
    fn the_top_dozen_differ_and_the_rest_are_muted() {
        let text: Vec<String> = (0..20).map(|i| format!("op{i} {}+{}", i * 1000, 500 - i)).collect();
        let profile = drawn(&format!("t: {}", text.join(", ")));
        let slots = slots(&profile, &profile.slices.name);
        let mut top: Vec<u16> = (0..12).map(|i| slots[profile.slices.name[i].index()]).collect();
        top.sort();
        assert_eq!(top, (0..12).collect::<Vec<_>>());
        assert!((12..20).all(|i| (N_TOP..N_SLOTS).contains(&slots[profile.slices.name[i].index()])));
    }

    #[test]
    fn as_many_names_as_there_are_slots_differ() {
        let text: Vec<String> = (0..60).map(|i| format!("op{i} {}+{}", i * 1000, 500 - i)).collect();
        let profile = drawn(&format!("t: {}", text.join(", ")));
        let slots = slots(&profile, &profile.slices.name);
        let mut own: Vec<u16> = (0..44).map(|i| slots[profile.slices.name[i].index()]).collect();
        own.sort();
        assert_eq!(own, (0..N_SLOTS).collect::<Vec<_>>());
        assert!((44..60).all(|i| (N_TOP..N_SLOTS).contains(&slots[profile.slices.name[i].index()])));
    }

    #[test]
    fn numbered_names_share_a_colour_and_take_one_slot() {
        let mut text: Vec<String> = (0..12).map(|i| format!("Step#{i} {}+500", i * 1000)).collect();
        text.extend((0..11).map(|i| format!("op{i} {}+{}", 20_000 + i * 1000, 400 - i)));
        let profile = drawn(&format!("t: {}", text.join(", ")));
        let slots = slots(&profile, &profile.slices.name);
        let of = |i: usize| slots[profile.slices.name[i].index()];
        assert!((0..12).all(|i| of(i) == of(0) && of(i) < N_TOP));
        let mut all: Vec<u16> = (11..23).map(of).collect();
        all.sort();
        assert_eq!(all, (0..12).collect::<Vec<_>>());
        assert_eq!((stem("a#12"), stem("#1"), stem("conv2"), stem("f(int)#1}")), ("a", "#1", "conv2", "f(int)#1}"));
    }

    #[test]
    fn what_has_no_value_takes_no_colour() {
        let profile = drawn("t: a 0+1, b 5+9");
        let column = [profile.slices.name[0], StrId(0)];
        let slots = slots(&profile, &column);
        assert_eq!(profile.strings.get(StrId(0)), "");
        assert!(slots[column[0].index()] < N_TOP);
        assert_eq!(slots[0], NO_VALUE);
    }

    #[test]
    fn few_names_are_fine() {
        let profile = drawn("t: a 0+1");
        assert!(slots(&profile, &profile.slices.name)[profile.slices.name[0].index()] < N_TOP);
    }
}
