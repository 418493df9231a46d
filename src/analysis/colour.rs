//! One colour per name, everywhere. What has one meaning in every profile (copies, communication, waiting) has a fixed slot. Of the other names
//! those with the most self time get slots that can be distinguished: near the hue of their kind of work, or where a hash of the name says, or the
//! next free one. Names after them get the same hues at half the chroma; only the rest share a slot.
//! Names that differ only in a final number (`ProfilerStep#5`, `ProfilerStep#6`) are one name here, because each step would take a slot.

use super::self_time::self_times;
use super::work_kind::{WorkKind, work_kind};
use crate::base::Order as _;
use crate::base::colour_slots::{HUES, N_SLOTS, N_TOP, by_hue, fixed, hue};
use crate::base::{StrId, TrackId};
use crate::model::Profile;
use rustc_hash::FxHashMap;

/// Slot of slices that have no value: neutral.
pub const NO_VALUE: u16 = fixed::OTHER;

/// What a name asks for.
enum Wish {
    /// A slot that means the same everywhere.
    Fixed(u16),
    /// A slot near this hue.
    Near(u16),
    /// Any slot of its own.
    Any,
    /// A slot at half the chroma.
    Quiet,
}

fn wish(name: &str) -> Wish {
    let Some(kind) = work_kind(name) else { return Wish::Any };
    match kind {
        WorkKind::Matmul => Wish::Near(hue::MATMUL),
        WorkKind::Attention => Wish::Near(hue::ATTENTION),
        WorkKind::Elementwise => Wish::Near(hue::ELEMENTWISE),
        WorkKind::Optimizer => Wish::Near(hue::OPTIMIZER),
        WorkKind::DeviceCopy => Wish::Near(hue::COPY),
        WorkKind::Memcpy => Wish::Fixed(fixed::MEMCPY),
        WorkKind::Memset => Wish::Fixed(fixed::MEMSET),
        WorkKind::Communication => Wish::Fixed(fixed::COMMUNICATION),
        WorkKind::Runtime => Wish::Fixed(fixed::RUNTIME),
        WorkKind::DataLoader => Wish::Fixed(fixed::DATA_LOADER),
        WorkKind::Kernel => Wish::Fixed(fixed::KERNEL),
        WorkKind::CpuOperator => Wish::Fixed(fixed::CPU_EXEC),
        WorkKind::Wait | WorkKind::Step => Wish::Fixed(fixed::OTHER),
        WorkKind::Engine(at) => Wish::Fixed(fixed::TENSOR + at.min(fixed::COUNT - 1)),
        WorkKind::Python => Wish::Quiet,
    }
}

/// A slot per string of `profile` for the values of `column`; [`NO_VALUE`] for the others. Depends on names and times only, so that two openings agree.
pub fn slots(profile: &Profile, column: &[StrId]) -> Vec<u16> {
    let mut time = vec![-1i64; profile.strings.len()];
    for track in 0..profile.tracks.len() as u32 {
        self_times(profile, TrackId(track), None, |i, owned| {
            let sum = &mut time[column[i].index()];
            *sum = (*sum).max(0).saturating_add(owned);
        });
    }
    let numbered = gather(profile, &mut time);
    let is_recorded = |id: &StrId| !profile.strings.get(*id).is_empty();
    let mut used: Vec<StrId> = (0..time.len() as u32).map(StrId).filter(|id| time[id.index()] >= 0 && is_recorded(id)).collect();
    let by_time = |a: &StrId, b: &StrId| {
        let longest_first = time[b.index()].cmp(&time[a.index()]);
        longest_first.then_with(|| profile.strings.get(*a).cmp(profile.strings.get(*b)))
    };
    let n_looked_at = used.len().min(MOST_LOOKED_AT);
    if n_looked_at > 0 && n_looked_at < used.len() {
        used.select_nth_unstable_by(n_looked_at, by_time);
    }
    used[..n_looked_at].order_by(by_time);
    let mut out = vec![NO_VALUE; time.len()];
    let mut taken = UsedSlots { is_used: [false; N_SLOTS as usize] };
    for (rank, id) in used.iter().enumerate() {
        let name = profile.strings.get(*id);
        let hash = stable_hash(stem(name));
        out[id.index()] = if rank < n_looked_at { taken.slot(wish(name), hash) } else { shared(hash) };
    }
    for (id, first) in numbered {
        out[id.index()] = out[first.index()];
    }
    out
}

/// The kind of work is found for as many names, those with the most time: looking at a hundred thousand would take a second.
const MOST_LOOKED_AT: usize = 4096;

/// The used slots.
struct UsedSlots {
    is_used: [bool; N_SLOTS as usize],
}

impl UsedSlots {
    /// A slot for the next name: the first free one in the order of its wish, at full chroma if it may have that, else at half; a shared one
    /// where none is free.
    fn slot(&mut self, wish: Wish, hash: u32) -> u16 {
        let (order, is_quiet) = match wish {
            Wish::Fixed(slot) => return slot,
            Wish::Near(degrees) => (by_hue(degrees), false),
            Wish::Any => (by_hash(hash), false),
            Wish::Quiet => (by_hash(hash), true),
        };
        let full = order.into_iter().filter(|_| !is_quiet);
        let half = order.into_iter().map(|slot| slot + N_TOP);
        let Some(found) = full.chain(half).find(|slot| !self.is_used[usize::from(*slot)]) else { return shared(hash) };
        self.is_used[usize::from(found)] = true;
        found
    }
}

/// A slot at half the chroma that other names may have too.
fn shared(hash: u32) -> u16 {
    N_TOP + (hash % u32::from(N_TOP)) as u16
}

/// Slots in order of preference, starting at the hash. Slots that mean a kind of work come last.
fn by_hash(hash: u32) -> [u16; N_TOP as usize] {
    let mut out: [u16; N_TOP as usize] = std::array::from_fn(|slot| slot as u16);
    let is_of_kind = |slot: &u16| hue::ALL.contains(&HUES[usize::from(*slot)]);
    out.order_by_key(is_of_kind);
    let n_free = usize::from(N_TOP) - hue::ALL.len();
    out[..n_free].rotate_left(hash as usize % n_free);
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

    /// Slots of slices of these names, one after the other, each shorter than the one before.
    fn slots_of(names: &[&str]) -> Vec<u16> {
        let text: Vec<String> = names.iter().enumerate().map(|(i, name)| format!("{name} {}+{}", i * 1000, 500 - i)).collect();
        let profile = drawn(&format!("t: {}", text.join(", ")));
        let slots = slots(&profile, &profile.slices.name);
        let first = |name: &&str| profile.slices.name.iter().find(|id| profile.strings.get(**id) == *name).expect("drawn");
        names.iter().map(|name| slots[first(name).index()]).collect()
    }

    fn hues(names: &[&str]) -> Vec<u16> {
        slots_of(names).iter().map(|slot| HUES[usize::from(*slot)]).collect()
    }

    #[test]
    fn kinds_of_work_have_their_hue_and_those_beside_it() {
        assert_eq!(hues(&["aten::mm", "aten::addmm", "aten::bmm", "aten::mul"]), [255, 268, 240, 165]);
        // No other name takes a hue that means a kind of work while others are free.
        let others: Vec<String> = (0..18).map(|i| format!("op{i}")).collect();
        let others: Vec<&str> = others.iter().map(String::as_str).collect();
        assert!(hues(&others).iter().all(|h| !hue::ALL.contains(h)));
    }

    #[test]
    fn what_means_the_same_everywhere_has_a_fixed_slot_and_takes_none() {
        let names = ["cudaLaunchKernel", "nccl:all_reduce", "ncclDevKernel_Generic", "EVENT_SEMAPHORE", "ProfilerStep#4"];
        let want = [fixed::RUNTIME, fixed::COMMUNICATION, fixed::COMMUNICATION, fixed::OTHER, fixed::OTHER];
        assert_eq!(slots_of(&names), want);
        assert_eq!(slots_of(&["Tensor", "Vector", "Sync"]), [fixed::TENSOR, fixed::VECTOR, fixed::SYNC]);
        assert!((N_TOP..N_SLOTS).contains(&slots_of(&["train.py(12):step"])[0]), "Python functions stand back");
    }

    #[test]
    fn a_name_keeps_its_colour_in_another_profile() {
        let one = slots_of(&["forward", "custom_norm", "aten::mm", "head"]);
        let other = slots_of(&["aten::mm", "gather_x", "forward", "head", "custom_norm"]);
        assert_eq!((one[0], one[1], one[2], one[3]), (other[2], other[4], other[0], other[3]));
    }

    #[test]
    fn the_first_two_dozen_differ_and_those_after_them_have_half_the_chroma() {
        let text: Vec<String> = (0..60).map(|i| format!("op{i} {}+{}", i * 1000, 500 - i)).collect();
        let profile = drawn(&format!("t: {}", text.join(", ")));
        let slots = slots(&profile, &profile.slices.name);
        let of = |range: std::ops::Range<usize>| {
            let mut out: Vec<u16> = range.map(|i| slots[profile.slices.name[i].index()]).collect();
            out.sort();
            out
        };
        assert_eq!(of(0..24), (0..N_TOP).collect::<Vec<_>>());
        assert_eq!(of(24..48), (N_TOP..N_SLOTS).collect::<Vec<_>>());
        assert!(of(48..60).iter().all(|slot| (N_TOP..N_SLOTS).contains(slot)), "the rest share");
    }

    #[test]
    fn numbered_names_share_a_colour_and_take_one_slot() {
        let mut text: Vec<String> = (0..12).map(|i| format!("Step#{i} {}+500", i * 1000)).collect();
        text.extend((0..23).map(|i| format!("op{i} {}+{}", 20_000 + i * 1000, 400 - i)));
        let profile = drawn(&format!("t: {}", text.join(", ")));
        let slots = slots(&profile, &profile.slices.name);
        let of = |i: usize| slots[profile.slices.name[i].index()];
        assert!((0..12).all(|i| of(i) == of(0) && of(i) < N_TOP));
        let mut all: Vec<u16> = (11..35).map(of).collect();
        all.sort();
        assert_eq!(all, (0..N_TOP).collect::<Vec<_>>());
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
