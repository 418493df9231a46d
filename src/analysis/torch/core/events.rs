//! The slices that matter, in the order of the file: by start, then by place.

use super::class::Class;
use super::names::{self, Names};
use super::rules::Rules;
use crate::base::radix_sort::order_many_by;
use crate::base::{TrackId, for_each_of};
use crate::model::{Profile, Torch, TrackKind};
use rustc_hash::FxHashMap;

/// "None" in a column of indices.
pub const NONE: u32 = u32::MAX;

/// Slices of each sort, by (start, place in the file).
#[derive(Debug, Default)]
pub struct Events {
    /// Host ranges that can be nodes of a tree.
    pub host: Vec<u32>,
    /// Launching calls.
    pub runtimes: Vec<u32>,
    /// Work of devices.
    pub work: Vec<u32>,
}

/// The list that a slice is in.
enum Sort {
    Host,
    Runtime,
    Work,
}

impl Sort {
    fn of(class: Class) -> Option<Self> {
        match class {
            Class::Operator | Class::Python | Class::Module | Class::Annotation | Class::Step | Class::LightningModule => Some(Sort::Host),
            Class::Runtime => Some(Sort::Runtime),
            Class::Kernel | Class::Memcpy | Class::Memset => Some(Sort::Work),
            _ => None,
        }
    }
}

impl Events {
    /// Lists with room for what is of each sort: a list that grows to a million is copied twenty times, each time to fresh memory.
    fn with_room(class: &[Class]) -> Self {
        let (mut host, mut runtimes, mut work) = (0, 0, 0);
        for_each_of(class, |class| match Sort::of(*class) {
            Some(Sort::Host) => host += 1,
            Some(Sort::Runtime) => runtimes += 1,
            Some(Sort::Work) => work += 1,
            None => {}
        });
        Events { host: Vec::with_capacity(host), runtimes: Vec::with_capacity(runtimes), work: Vec::with_capacity(work) }
    }

    /// Sorts them out.
    pub fn new(profile: &Profile, class: &[Class]) -> Self {
        let mut out = Events::with_room(class);
        for track in 0..profile.tracks.len() as u32 {
            for_each_of(&profile.slices.by_start[profile.slices_of(TrackId(track))], |&i| match Sort::of(class[i as usize]) {
                Some(Sort::Host) => out.host.push(i),
                Some(Sort::Runtime) => out.runtimes.push(i),
                Some(Sort::Work) => out.work.push(i),
                None => {}
            });
        }
        // Stable, since it makes use of the tracks' own order.
        for list in [&mut out.host, &mut out.runtimes, &mut out.work] {
            order_as_in_file(list, profile, |i| *i);
        }
        out
    }
}

/// Sorts rows by start and place in the file of their slices.
pub fn order_as_in_file<T: Copy>(rows: &mut Vec<T>, profile: &Profile, slice: impl Fn(&T) -> u32) {
    let slices = &profile.slices;
    order_many_by(rows, |row| slices.start[slice(row) as usize], |row| slices.record[slice(row) as usize].offset());
}

/// Number of the list of host ranges that each track belongs to.
#[derive(Debug, Default)]
pub struct Threads {
    /// Indexed by track.
    key: Vec<u64>,
}

impl Threads {
    /// Keys by thread id alone, as the plugin does, or by track.
    pub fn new(profile: &Profile, torch: &Torch, rules: &Rules) -> Self {
        let own = |t: usize| (1 << 63) | t as u64;
        let mut key: Vec<u64> = (0..profile.tracks.len()).map(own).collect();
        if !rules.is_linked_by_time {
            for thread in &torch.threads {
                let id = profile.strings.get(thread.tid).trim().parse::<i64>();
                if let (Some(key), Ok(id)) = (key.get_mut(thread.track.index()), id) {
                    *key = id as u64 & !(1 << 63);
                }
            }
        }
        Threads { key }
    }

    /// Tracks with equal keys share a list.
    pub fn key(&self, track: TrackId) -> u64 {
        self.key.get(track.index()).copied().unwrap_or(u64::MAX)
    }
}

/// The event of a tree node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum NodeKind {
    /// Holds a thread's whole tree.
    Root,
    /// An operator.
    Operator,
    /// Another host range: Python, communication as an annotation.
    Range,
    /// A step.
    Step,
    /// Waits for the data loader.
    DataLoader,
    /// An optimizer's step.
    Optimizer,
    /// A call of a module.
    Module,
    /// Lightning's range of a module.
    LightningModule,
    /// The backward part of a module, made from its operators'.
    Backward,
}

/// The kind of node a host slice becomes; `None` when it becomes none.
pub fn node_kind(class: Class, flags: names::Flags, rules: &Rules) -> Option<NodeKind> {
    let is_collective = if rules.is_communication_by_kernel { names::COLLECTIVE } else { names::COLLECTIVE_OF_TEN };
    match class {
        Class::Step => Some(NodeKind::Step),
        Class::Module => Some(NodeKind::Module),
        Class::LightningModule => Some(NodeKind::LightningModule),
        Class::Operator | Class::Python | Class::Annotation if flags & names::DATA_LOADER != 0 => Some(NodeKind::DataLoader),
        Class::Operator | Class::Python | Class::Annotation if flags & names::OPTIMIZER_STEP != 0 => Some(NodeKind::Optimizer),
        Class::Operator => Some(NodeKind::Operator),
        Class::Python => Some(NodeKind::Range),
        Class::Annotation if flags & is_collective != 0 => Some(NodeKind::Range),
        _ => None,
    }
}

/// The indices of `list_of`, list by list, in ascending order.
pub fn by_list(list_of: &[u32], n_lists: usize) -> Vec<Vec<u32>> {
    let mut n = vec![0; n_lists];
    list_of.iter().for_each(|&list| n[list as usize] += 1);
    let mut out: Vec<Vec<u32>> = n.into_iter().map(Vec::with_capacity).collect();
    (0..).zip(list_of).for_each(|(i, &list)| out[list as usize].push(i));
    out
}

/// Host ranges that become nodes, in the order of the file, and the lists they fall into.
#[derive(Debug, Default)]
pub struct HostNodes {
    /// The slice.
    pub slice: Vec<u32>,
    /// What it is.
    pub kind: Vec<NodeKind>,
    /// Its list; lists in the order first seen.
    pub list: Vec<u32>,
    /// A track of each list: the first seen.
    pub track: Vec<TrackId>,
    /// List by key of [`Threads`].
    pub list_of: FxHashMap<u64, u32>,
}

impl HostNodes {
    /// The nodes of `host`.
    pub fn new(profile: &Profile, class: &[Class], names: &Names, rules: &Rules, threads: &Threads, host: &[u32]) -> Self {
        let track_of = tracks_by_slice(profile);
        let room = Vec::with_capacity;
        let mut out =
            HostNodes { slice: room(host.len()), kind: Vec::with_capacity(host.len()), list: room(host.len()), ..Self::default() };
        for_each_of(host, |&slice| {
            let i = slice as usize;
            let Some(kind) = node_kind(class[i], names.of(profile.slices.name[i]), rules) else {
                return;
            };
            let track = track_of(slice);
            let n_lists = out.track.len() as u32;
            let list = *out.list_of.entry(threads.key(track)).or_insert(n_lists);
            if list == n_lists {
                out.track.push(track);
            }
            out.slice.push(slice);
            out.kind.push(kind);
            out.list.push(list);
        });
        out
    }
}

/// The track of a slice, by binary search in the lanes.
pub fn tracks_by_slice(profile: &Profile) -> impl Fn(u32) -> TrackId + '_ {
    let mut firsts: Vec<(u32, TrackId)> = Vec::new();
    for lane in &profile.lanes {
        if firsts.last().is_none_or(|last| last.1 != lane.track) {
            firsts.push((lane.first, lane.track));
        }
    }
    move |slice| {
        let after = firsts.partition_point(|&(first, _)| first <= slice);
        after.checked_sub(1).map_or(TrackId(0), |at| firsts[at].1)
    }
}

/// Whether a track is a device's.
pub fn is_device_track(profile: &Profile, track: TrackId) -> bool {
    profile.tracks.get(track.index()).is_some_and(|t| t.kind == TrackKind::Stream)
}
