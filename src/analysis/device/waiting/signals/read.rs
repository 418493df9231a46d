//! Reads what happens to the semaphores: their values, and the instructions that change them.

use super::by_time::ByTime;
use super::{NONE, Semaphore, SemaphoreHistory, roots, uses};
use crate::base::radix_sort::order_many;
use crate::base::{SliceId, SortedIndex, StrId, for_each_chunk, for_each_of};
use crate::model::{Profile, SemaphoreRole};
use rustc_hash::FxHashMap;
use std::cell::Cell;
use std::ops::Range;

/// A semaphore of a core: (the core's track, number).
type Key = (u32, u32);

/// Numbers of semaphores below this are found by their place; hardware has some hundreds.
const FEW: usize = 4096;

/// What happens to a semaphore, as it is read.
#[derive(Default)]
struct Lists {
    /// Instants.
    values: Vec<u32>,
    /// Slices.
    setters: Vec<u32>,
    /// Slices.
    triggers: Vec<u32>,
}

/// Semaphores by core and number.
#[derive(Default)]
struct Index {
    /// Of all semaphores by their place.
    lists: Vec<Lists>,
    /// Places, indexed by core, then by number.
    few: Vec<Vec<u32>>,
    rest: FxHashMap<Key, u32>,
}

impl Index {
    fn place(&mut self, (root, id): Key) -> u32 {
        let (root_at, id_at) = (root as usize, id as usize);
        let place = if id_at < FEW {
            if self.few.len() <= root_at {
                self.few.resize(root_at + 1, Vec::new());
            }
            let of_core = &mut self.few[root_at];
            if of_core.len() <= id_at {
                of_core.resize(id_at + 1, NONE);
            }
            &mut of_core[id_at]
        } else {
            self.rest.entry((root, id)).or_insert(NONE)
        };
        if *place == NONE {
            *place = self.lists.len() as u32;
            self.lists.push(Lists::default());
        }
        *place
    }

    fn lists(&mut self, place: u32) -> &mut Lists {
        &mut self.lists[place as usize]
    }

    /// Makes room for the values that instants of a track have by their names: a long run has millions, and lists that grow are copied again and again.
    fn reserve(&mut self, names: &[StrId], parsed: &[Option<(u32, i64)>], root: u32) {
        if names.len() < parsed.len() {
            return;
        }
        let mut counts = vec![0; parsed.len()];
        for_each_of(names, |name| counts[name.index()] += 1);
        let mut more: Vec<usize> = vec![0; self.lists.len()];
        for (count, (id, _)) in counts.into_iter().zip(parsed).filter_map(|(count, value)| Some((count, (*value)?))).filter(|c| c.0 > 0) {
            let place = self.place((root, id)) as usize;
            more.resize(more.len().max(place + 1), 0);
            more[place] += count;
        }
        self.lists.iter_mut().zip(more).for_each(|(lists, n)| lists.values.reserve_exact(n));
    }
}

impl Lists {
    fn finish(mut self, profile: &Profile) -> Semaphore {
        let (slices, instants) = (&profile.slices, &profile.instants);
        let end = |slice: u32| slices.end(slice as usize);
        let start = |slice: u32| slices.start[slice as usize];
        let time = |instant: u32| instants.time[instant as usize];
        // They came by instant and by slice: those of one time stay in that order.
        order_many(&mut self.values, |instant| time(*instant));
        order_many(&mut self.setters, |slice| end(*slice));
        order_many(&mut self.triggers, |slice| start(*slice));
        let mut values = ByTime::of(self.values, time);
        for_each_chunk(values.numbers.len(), &mut |part| {
            values.numbers[part].iter_mut().for_each(|instant| *instant = instants.name[*instant as usize].0);
        });
        Semaphore { values, setters: ByTime::of(self.setters, end), triggers: ByTime::of(self.triggers, start) }
    }
}

impl SemaphoreHistory {
    /// Reads the semaphores of these uses; `None`: all.
    pub(super) fn reading(profile: &Profile, wanted: Option<Range<usize>>) -> Self {
        let uses = uses(profile);
        let ids: Option<Vec<StrId>> = wanted.clone().map(|w| uses[w].iter().map(|u| u.id).collect());
        let shown = wanted.clone().unwrap_or(0..uses.len());
        let mut out = SemaphoreHistory {
            places: if wanted.is_none() { SortedIndex::of(uses.len(), |at| uses[at].slice) } else { SortedIndex::default() },
            roots: roots(profile),
            of_use: Vec::with_capacity(shown.len()),
            first_use: shown.start,
            near_use: Cell::default(),
            semaphores: Vec::new(),
            values_of_names: Vec::new(),
        };
        let mut index = Index::default();
        let numbers: Option<Vec<u32>> = ids.as_ref().map(|w| w.iter().filter_map(|id| profile.strings.get(*id).parse().ok()).collect());
        out.read_values(profile, numbers.as_deref(), &mut index);
        out.read_uses(profile, ids.as_deref(), shown, &mut index);
        out.semaphores = index.lists.into_iter().map(|lists| lists.finish(profile)).collect();
        out
    }

    fn read_values(&mut self, profile: &Profile, wanted: Option<&[u32]>, index: &mut Index) {
        if wanted.is_some_and(<[u32]>::is_empty) {
            return;
        }
        let instants = &profile.instants;
        let is_wanted = |update: &(u32, i64)| wanted.is_none_or(|w| w.contains(&update.0));
        let parsed: Vec<Option<(u32, i64)>> = profile.strings.iter().map(|(_, text)| value_of(text).filter(is_wanted)).collect();
        for (track, all) in instants.track.runs() {
            let Some(root) = self.roots.get(track.index()).copied() else { continue };
            index.reserve(&instants.name[all.clone()], &parsed, root);
            for_each_chunk(all.len(), &mut |part| {
                for i in part.map(|at| all.start + at) {
                    let Some((id, _)) = parsed[instants.name[i].index()] else { continue };
                    let place = index.place((root, id));
                    index.lists(place).values.push(i as u32);
                }
            });
        }
        self.values_of_names = parsed.into_iter().map(|value| value.map_or(0, |v| v.1)).collect();
    }

    /// Who changes which semaphore, of those with the ids `wanted`; the places of the uses that are `shown`.
    fn read_uses(&mut self, profile: &Profile, wanted: Option<&[StrId]>, shown: Range<usize>, index: &mut Index) {
        let uses = uses(profile);
        let mut numbers = Numbers::default();
        // Uses come by slice, so that a track is looked up once for each lane.
        let (mut end, mut root) = (0, None);
        for_each_chunk(uses.len(), &mut |part| {
            for at in part {
                let used = &uses[at];
                let is_shown = shown.contains(&at);
                if wanted.is_some_and(|w| !w.contains(&used.id)) {
                    if is_shown {
                        self.of_use.push(NONE);
                    }
                    continue;
                }
                if used.slice >= end || root.is_none() {
                    let lane = profile.lane_of(SliceId(used.slice));
                    (end, root) = (lane.map_or(0, |l| l.end), lane.map(|l| self.roots[l.track.index()]));
                }
                let place = root.zip(numbers.of(profile, used.id)).map_or(NONE, |key| index.place(key));
                if is_shown {
                    self.of_use.push(place);
                }
                if place == NONE {
                    continue;
                }
                match used.role {
                    SemaphoreRole::Sets => index.lists(place).setters.push(used.slice),
                    SemaphoreRole::Transfers => index.lists(place).triggers.push(used.slice),
                    _ => {}
                }
            }
        });
    }
}

/// Numbers of semaphores by their text, each read once.
#[derive(Default)]
struct Numbers(Vec<Option<Option<u32>>>);

impl Numbers {
    fn of(&mut self, profile: &Profile, id: StrId) -> Option<u32> {
        if self.0.len() <= id.index() {
            self.0.resize(id.index() + 1, None);
        }
        *self.0[id.index()].get_or_insert_with(|| profile.strings.get(id).parse().ok())
    }
}

/// `S[5] = 3` → (5, 3).
fn value_of(name: &str) -> Option<(u32, i64)> {
    let (id, value) = name.strip_prefix("S[")?.split_once("] = ")?;
    Some((id.parse().ok()?, value.parse().ok()?))
}
