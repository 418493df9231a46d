//! What the answers of a PyTorch trace share: classes of events, links from kernels to operators, trees, steps, categories, devices.

pub mod backward;
pub mod class;
pub mod devices;
pub mod events;
pub mod gpu;
pub mod link;
pub mod names;
pub mod owners;
pub mod replay;
pub mod roles;
pub mod rules;
pub mod stacks;
pub mod steps;
pub mod times;
pub mod tree;

use crate::base::{SliceId, for_each_of};
use crate::model::torch::{ABSENT, Kernel};
use crate::model::{NO_SLICE, Profile, Torch};
use class::Class;
use events::{Events, HostNodes, NONE, NodeKind, Threads};
use gpu::Gpu;
use link::Sources;
use names::Names;
use owners::Owners;
use roles::Roles;
use rules::{Era, Rules};
use std::cell::OnceCell;
use steps::Steps;
pub use times::NodeTimes;
use tree::Trees;

/// Worked out once per trace.
#[derive(Debug, Default)]
pub struct TorchModel {
    /// How old the trace's writer is.
    pub era: Era,
    /// What holds for it.
    pub rules: Rules,
    /// Flags by name.
    pub names: Names,
    /// What each slice is.
    pub class: Vec<Class>,
    /// Launches, device work and host ranges by time.
    pub events: Events,
    /// The call that launched each work (its slice), or [`NO_SLICE`]. By work.
    pub launch: Vec<u32>,
    /// Row of `Torch::kernels` of each work, or [`NONE`]. By work.
    pub kernel_of: Vec<u32>,
    /// The node each work depends on, or [`NONE`]; a root where only its thread is known. By work.
    pub node_of_work: Vec<u32>,
    /// Trees of host ranges.
    pub trees: Trees,
    /// Whether each node can use tensor cores, by its name, what it launched or what is in it.
    pub is_tc_eligible: Vec<bool>,
    /// Steps.
    pub steps: Steps,
    /// Ranges by category.
    pub roles: Roles,
    /// Devices, by id.
    pub gpus: Vec<Gpu>,
    owners: OnceCell<Owners>,
}

impl TorchModel {
    /// Computes it, by the rules that are right for the trace.
    pub fn new(profile: &Profile, torch: &Torch) -> Self {
        let era = Era::of(profile, torch);
        Self::with_rules(profile, torch, era, Rules::of(era))
    }

    /// Computes it by other rules, to measure the effect of one rule.
    pub fn with_rules(profile: &Profile, torch: &Torch, era: Era, rules: Rules) -> Self {
        let names = Names::new(profile);
        let class = class::classes(profile, torch, &names, &rules);
        let events = Events::new(profile, &class);
        let threads = Threads::new(profile, torch, &rules);
        let nodes = HostNodes::new(profile, &class, &names, &rules, &threads, &events.host);
        let s = Sources { profile, torch, class: &class, names: &names, rules, era };
        let links = link::link(&s, &events, &nodes, &threads);
        let trees = backward::gather(&s, tree::trees(&s, &events, &nodes, &links));
        let trees = replay::add(profile, torch, &events, trees);
        let steps = steps::steps(&s, &events, &links);
        let roles = Roles::new(&s, &events);
        let kernel_of = kernel_rows(torch, &events);
        let gpus = Gpu::all(&s, &events.work, &kernel_of);
        let launch = links.launch.iter().map(|&r| events.runtimes.get(r as usize).copied().unwrap_or(NO_SLICE)).collect();
        let mut node_of_work = vec![NONE; events.work.len()];
        for_each_of(&trees.work, |&(node, work)| {
            let known = &mut node_of_work[work as usize];
            if *known == NONE || trees.kind[*known as usize] == NodeKind::Root {
                *known = node;
            }
        });
        let mut out =
            TorchModel { era, rules, names, class, events, launch, kernel_of, node_of_work, trees, steps, roles, gpus, ..Self::default() };
        out.is_tc_eligible = out.eligible(profile);
        out
    }

    /// Which node each record of memory belongs to; computed once.
    pub fn owners(&self, profile: &Profile, torch: &Torch) -> &Owners {
        self.owners.get_or_init(|| Owners::new(profile, torch, &self.rules, &self.trees))
    }

    /// The row of a work in `Torch::kernels`.
    pub fn kernel<'a>(&self, torch: &'a Torch, work: u32) -> Option<&'a Kernel> {
        torch.kernels.get(*self.kernel_of.get(work as usize)? as usize)
    }

    /// Flags of a node's name; 0 for one without a slice.
    pub fn flags(&self, profile: &Profile, node: u32) -> names::Flags {
        match self.trees.slice[node as usize] {
            NO_SLICE => 0,
            slice => self.names.of(profile.slices.name[slice as usize]),
        }
    }

    /// How long a slice took on the host; nothing for operators and modules of graph replays, which ran there when the graph was captured.
    pub fn host_duration(&self, profile: &Profile, slice: u32) -> i64 {
        match self.class.get(slice as usize) {
            Some(Class::Replayed) | None => 0,
            Some(_) => profile.slices.duration.get(slice as usize).copied().unwrap_or(0),
        }
    }

    /// Whether a node counts as an operator in tables: not a wrapper of data parallelism or part of an optimizer.
    pub fn is_operator(&self, profile: &Profile, node: u32) -> bool {
        const OTHERS: names::Flags = names::DATA_PARALLEL | names::DISTRIBUTED | names::OPTIMIZER;
        self.trees.kind[node as usize] == NodeKind::Operator && self.flags(profile, node) & OTHERS == 0
    }

    /// Whether a kernel uses tensor cores, by its name.
    pub fn uses_tensor_cores(&self, profile: &Profile, slice: SliceId) -> bool {
        let wanted = names::TC_KERNEL | if self.rules.has_todays_tensor_cores { names::TC_KERNEL_NEW } else { 0 };
        self.names.of(profile.slices.name[slice.index()]) & wanted != 0
    }

    /// Whether anything runs on, or is launched to, a device.
    pub fn has_device(&self) -> bool {
        !self.events.work.is_empty() || !self.events.runtimes.is_empty()
    }

    /// Whether an operator can use tensor cores, by its name alone.
    pub fn is_tc_eligible_by_name(&self, profile: &Profile, node: u32) -> bool {
        let wanted = names::TC_ELIGIBLE | if self.rules.has_todays_tensor_cores { names::TC_ELIGIBLE_NEW } else { 0 };
        self.trees.kind[node as usize] == NodeKind::Operator && self.flags(profile, node) & wanted != 0
    }

    fn eligible(&self, profile: &Profile) -> Vec<bool> {
        let trees = &self.trees;
        let is_operator = |node: u32| trees.kind[node as usize] == NodeKind::Operator;
        let mut out: Vec<bool> = (0..trees.len() as u32).map(|node| self.is_tc_eligible_by_name(profile, node)).collect();
        for_each_of(&trees.work, |&(node, work)| {
            let slice = self.events.work[work as usize];
            if is_operator(node) && self.class[slice as usize] == Class::Kernel && self.uses_tensor_cores(profile, SliceId(slice)) {
                out[node as usize] = true;
            }
        });
        for node in (0..trees.len()).rev() {
            let parent = trees.parent[node];
            if out[node] && parent != NONE && is_operator(parent) {
                out[parent as usize] = true;
            }
        }
        out
    }
}

/// Row of `Torch::kernels` by work; both know slices.
fn kernel_rows(torch: &Torch, events: &Events) -> Vec<u32> {
    let row = |slice: &u32| torch.kernels.binary_search_by_key(slice, |k| k.slice).map_or(ABSENT, |at| at as u32);
    events.work.iter().map(row).collect()
}
