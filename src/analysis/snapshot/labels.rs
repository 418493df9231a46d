//! What a stack is called: by one of its frames, with a colour for each name.

use super::peak_state;
use super::pyramid::HistoryPyramid;
use crate::base::Order as _;
use crate::base::colour_slots::N_SLOTS;
use crate::model::snapshot::SnapshotFrame;
use crate::model::{MemorySnapshot, Profile};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// What allocations are grouped by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum GroupBy {
    /// Innermost Python frame.
    #[default]
    Frame,
    /// Innermost Python frame outside of installed packages.
    Own,
    /// Whole stack.
    Stack,
}

impl GroupBy {
    /// All of them, in the order of the choice.
    pub const ALL: [GroupBy; 3] = [GroupBy::Frame, GroupBy::Own, GroupBy::Stack];

    /// Stable word, for links and the report.
    pub fn id(self) -> &'static str {
        match self {
            GroupBy::Frame => "frame",
            GroupBy::Own => "own",
            GroupBy::Stack => "stack",
        }
    }

    /// For people.
    pub fn label(self) -> &'static str {
        match self {
            GroupBy::Frame => "Innermost Python frame",
            GroupBy::Own => "Innermost frame outside packages",
            GroupBy::Stack => "Whole stack",
        }
    }

    /// The one of that word.
    pub fn of(id: &str) -> Option<GroupBy> {
        Self::ALL.into_iter().find(|by| by.id() == id)
    }
}

/// Said of allocations without a stack.
pub const NO_STACK: &str = "Stack not recorded";
/// Said of stacks without a Python frame.
pub const NO_PYTHON: &str = "No Python frame";

/// The last two parts of a path, line and function: `train/loop.py:12:step`.
pub fn frame_label(profile: &Profile, frame: &SnapshotFrame) -> String {
    let file = profile.strings.get(frame.file);
    let at = file.rmatch_indices('/').nth(1).map_or(0, |(at, _)| at + 1);
    format!("{}:{}:{}", &file[at..], frame.line, profile.strings.get(frame.name))
}

fn is_python(profile: &Profile, frame: &SnapshotFrame) -> bool {
    profile.strings.get(frame.file).ends_with(".py")
}

fn is_own(profile: &Profile, frame: &SnapshotFrame) -> bool {
    let file = profile.strings.get(frame.file);
    is_python(profile, frame) && !["site-packages/", "dist-packages/", "lib/python", "/torch/"].iter().any(|part| file.contains(part))
}

/// What a stack is called in a grouping.
pub fn label(profile: &Profile, snapshot: &MemorySnapshot, stack: u32, by: GroupBy) -> String {
    let mut frames = snapshot.stack(stack);
    if stack == 0 {
        return NO_STACK.into();
    }
    let innermost = |is: fn(&Profile, &SnapshotFrame) -> bool| snapshot.stack(stack).find(|f| is(profile, f));
    let found = match by {
        GroupBy::Frame => innermost(is_python),
        GroupBy::Own => innermost(is_own).or_else(|| innermost(is_python)),
        GroupBy::Stack => {
            let python: Vec<String> = frames.by_ref().filter(|f| is_python(profile, f)).map(|f| frame_label(profile, f)).collect();
            if !python.is_empty() {
                return python.join(" < ");
            }
            None
        }
    };
    found.map_or_else(|| NO_PYTHON.into(), |frame| frame_label(profile, frame))
}

/// What the answers of a snapshot share.
#[derive(Debug, Default)]
pub struct SnapshotModel {
    /// Names of stacks by their innermost Python frame, each once.
    pub labels: Vec<String>,
    /// Name of each stack.
    pub label_of: Vec<u32>,
    /// Colour of each name.
    pub slots: Vec<u16>,
    /// Summaries of each device's history.
    pub pyramids: Vec<HistoryPyramid>,
}

impl SnapshotModel {
    /// Names every stack. Names with the most bytes at the peaks get the first colours.
    pub fn new(profile: &Profile, snapshot: &MemorySnapshot) -> Self {
        let mut ids: FxHashMap<String, u32> = FxHashMap::default();
        let pyramids = snapshot.devices.iter().map(HistoryPyramid::new).collect();
        let mut out = SnapshotModel { pyramids, ..SnapshotModel::default() };
        for stack in 0..snapshot.stack_ends.len() as u32 {
            let name = label(profile, snapshot, stack, GroupBy::Frame);
            let id = *ids.entry(name).or_insert_with_key(|name| {
                out.labels.push(name.clone());
                out.labels.len() as u32 - 1
            });
            out.label_of.push(id);
        }
        let mut bytes = vec![0u64; out.labels.len()];
        for device in &snapshot.devices {
            let (state, all) = (peak_state(device), &device.allocations);
            for i in (0..all.len()).filter(|&i| all.is_live(i, state)) {
                let sum = &mut bytes[out.label_of[all.stack[i] as usize] as usize];
                *sum = sum.saturating_add(all.size[i]);
            }
        }
        let mut order: Vec<u32> = (0..out.labels.len() as u32).collect();
        order.order_by(|&a, &b| {
            let key = |id: u32| (std::cmp::Reverse(bytes[id as usize]), &out.labels[id as usize]);
            key(a).cmp(&key(b))
        });
        out.slots = vec![0; out.labels.len()];
        for (place, id) in order.into_iter().enumerate() {
            out.slots[id as usize] = (place % usize::from(N_SLOTS)) as u16;
        }
        out
    }

    /// Name and colour of a stack.
    pub fn named(&self, stack: u32) -> (&str, u16) {
        let id = self.label_of.get(stack as usize).copied().unwrap_or(0) as usize;
        (self.labels.get(id).map_or("", String::as_str), self.slots.get(id).copied().unwrap_or(0))
    }
}
