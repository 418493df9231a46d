//! What each moment is counted as: eight categories in order of priority.

use super::class::Class;
use super::events::Events;
use super::link::Sources;
use super::names;
use super::rules::Rules;
use crate::analysis::spans::{Ranges, common, inside, length, length_in, union, without};
use crate::base::{for_each_chunk, for_each_of};
use crate::model::torch::ABSENT;
use rustc_hash::FxHashSet;

/// Number of categories with ranges; the eighth is the remaining time.
pub const N_ROLES: usize = 7;

/// Merged ranges of each category, whole trace, in the order of `Category::ALL`.
#[derive(Debug, Default)]
pub struct Roles {
    /// Indexed by category.
    pub ranges: [Ranges; N_ROLES],
    /// Kernels that communicate, by work.
    pub is_communication: Vec<bool>,
}

/// Time per category of one window; the last is the remaining time.
pub type Costs = [i64; N_ROLES + 1];

impl Roles {
    /// Sorts all events into categories.
    pub fn new(s: &Sources<'_>, events: &Events) -> Self {
        let slices = &s.profile.slices;
        let span = |i: u32| (slices.start[i as usize], slices.end(i as usize));
        let flags = |i: u32| s.names.of(slices.name[i as usize]);
        let is_communication = communication_kernels(s, events);
        let has_kernel = is_communication.contains(&true);
        let mut ranges: [Ranges; N_ROLES] = Default::default();
        // Nearly all kernels, nearly all ranges of the host.
        ranges[0].reserve(events.work.len());
        ranges[6].reserve(events.host.len());
        for_each_chunk(events.work.len(), &mut |part| {
            for w in part {
                let i = events.work[w];
                ranges[device_role(s.class[i as usize], is_communication[w])].push(span(i));
            }
        });
        for_each_chunk(events.runtimes.len(), &mut |part| ranges[4].extend(events.runtimes[part].iter().map(|&i| span(i))));
        for_each_of(&events.host, |&i| {
            if let Some(role) = host_role(s.class[i as usize], flags(i), &s.rules, has_kernel) {
                ranges[role].push(span(i));
            }
        });
        Roles { ranges: ranges.map(union), is_communication }
    }

    /// Time per category in each window. `is_exact` keeps the sum of each at its length; else the plugin's way, which counts twice where
    /// everything was already counted.
    pub fn costs(&self, windows: &[(i64, i64)], is_exact: bool) -> Vec<Costs> {
        let whole = union(windows.to_vec());
        let mut rest = if is_exact { whole.clone() } else { Vec::new() };
        let mut counted: Vec<Ranges> = Vec::with_capacity(N_ROLES + 1);
        for ranges in &self.ranges {
            let part = if !is_exact && rest.is_empty() {
                rest = whole.clone();
                ranges.clone()
            } else {
                common(&rest, ranges)
            };
            rest = without(&rest, &part);
            counted.push(part);
        }
        counted.push(rest);
        let cut = |&(start, end): &(i64, i64)| std::array::from_fn(|role| length_in(&counted[role], start, end));
        windows.iter().map(cut).collect()
    }

    /// Computation, communication and both at once, in a window.
    pub fn overlap(&self, (start, end): (i64, i64)) -> (i64, i64, i64) {
        let computes = if self.ranges[0].is_empty() { &self.ranges[6] } else { &self.ranges[0] };
        let cut = |ranges: &Ranges| -> Ranges { inside(ranges, start, end).collect() };
        let (computation, communication) = (cut(computes), cut(&self.ranges[3]));
        (length(&computation), length(&communication), length(&common(&computation, &communication)))
    }
}

/// The category of a host range with these flags of its name; `None` for one that is counted as nothing.
pub fn host_role(class: Class, flags: names::Flags, rules: &Rules, has_communication_kernel: bool) -> Option<usize> {
    if !matches!(class, Class::Operator | Class::Annotation | Class::Python) {
        return None;
    }
    let communicates = match rules.is_communication_by_kernel {
        true => flags & names::COLLECTIVE != 0 && (flags & names::NCCL == 0 || !has_communication_kernel),
        false => flags & names::COLLECTIVE_OF_TEN != 0,
    };
    Some(match () {
        () if class != Class::Python && communicates => 3,
        () if class != Class::Python && flags & names::DATA_LOADER != 0 => 5,
        () => 6,
    })
}

/// The category of a slice of a device.
pub fn device_role(class: Class, is_communication: bool) -> usize {
    match class {
        Class::Kernel if is_communication => 3,
        Class::Kernel => 0,
        Class::Memcpy => 1,
        _ => 2,
    }
}

/// Which kernels communicate.
fn communication_kernels(s: &Sources<'_>, events: &Events) -> Vec<bool> {
    let slices = &s.profile.slices;
    let name = |i: u32| slices.name[i as usize];
    let is_kernel = |i: u32| s.class[i as usize] == Class::Kernel;
    if s.rules.is_communication_by_kernel {
        let recorded: FxHashSet<u32> = s.torch.collectives.iter().map(|c| c.slice).collect();
        return events
            .work
            .iter()
            .map(|&i| is_kernel(i) && (s.names.of(name(i)) & names::COLLECTIVE_KERNEL != 0 || recorded.contains(&i)))
            .collect();
    }
    let id = |i: u32| s.torch.external_id.get(i as usize).copied().unwrap_or(ABSENT);
    let hosts = events.host.iter().filter(|&&i| {
        matches!(s.class[i as usize], Class::Operator | Class::Annotation) && s.names.of(name(i)) & names::COLLECTIVE_OF_TEN != 0
    });
    let ids: FxHashSet<u32> = hosts.map(|&i| id(i)).collect();
    events.work.iter().map(|&i| is_kernel(i) && ids.contains(&id(i))).collect()
}
