//! Which rules hold for a trace: those of the old plugin for the traces it was made for, corrected ones for younger traces.

use crate::base::{StrId, for_each_chunk};
use crate::model::torch::ABSENT;
use crate::model::{Column, Profile, Torch};
use serde::{Deserialize, Serialize};

/// The version range of the profiler that wrote a trace, by its marks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub enum Era {
    /// PyTorch 1.8 to 1.11: categories `Operator`, `Runtime`, `Kernel`; launches carry their operator's id.
    A,
    /// PyTorch 1.12 to 2.2: the id of launches and kernels is their correlation again.
    B,
    /// Later: launches and kernels carry their operator's id where they have one.
    #[default]
    C,
}

impl Era {
    /// The era of a trace.
    pub fn of(profile: &Profile, torch: &Torch) -> Era {
        let Some(category) = profile.attribute("category") else {
            return Era::C;
        };
        let of_a = ["Operator", "Runtime", "Kernel", "Memcpy", "Memset"];
        let mut seen = vec![false; profile.strings.len()];
        for_each_chunk(category.values.len(), &mut |part| category.values[part].iter().for_each(|cat| seen[cat.index()] = true));
        if (0..seen.len()).any(|i| seen[i] && of_a.contains(&profile.strings.get(StrId(i as u32)))) {
            return Era::A;
        }
        let (mut n_with_both, mut n_equal) = (0, 0);
        for_each_chunk(torch.kernels.len(), &mut |part| {
            for at in torch.kernels[part].iter().map(|k| k.slice as usize) {
                let of = |ids: &Column<u32>| ids.get(at).copied().unwrap_or(ABSENT);
                let (id, correlation) = (of(&torch.external_id), of(&torch.correlation));
                if id != ABSENT && correlation != ABSENT {
                    (n_with_both, n_equal) = (n_with_both + 1, n_equal + usize::from(id == correlation));
                }
            }
        });
        if n_equal * 2 > n_with_both { Era::B } else { Era::C }
    }
}

/// Where the corrected rules depart from the plugin's. All false is the plugin; `docs/pytorch-views.md` explains each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Rules {
    /// Launches are found by time in the innermost host range of their thread; ids are a hint. Threads are distinguished by process.
    pub is_linked_by_time: bool,
    /// Calls to the driver launch work, as those to the runtime do; all makers' devices count.
    pub has_driver_launches: bool,
    /// Ranges that a device ran are neither host time nor steps.
    pub are_device_annotations_apart: bool,
    /// Communication is identified by kernel names and every backend's ranges; host ranges count only where no kernel communicates.
    pub is_communication_by_kernel: bool,
    /// Backward operators that belong to no module stay where they were.
    pub keeps_unmatched_backward: bool,
    /// Host ranges that overlap another only partly are kept.
    pub keeps_overlapping: bool,
    /// The parts of a step sum to its length.
    pub sums_to_step: bool,
    /// Tensor cores are known by today's names too.
    pub has_todays_tensor_cores: bool,
    /// Every kernel is in the table by operator, also those without one.
    pub keeps_unlaunched: bool,
}

impl Rules {
    /// The plugin's last version.
    pub const PLUGIN: Rules = Rules {
        is_linked_by_time: false,
        has_driver_launches: false,
        are_device_annotations_apart: false,
        is_communication_by_kernel: false,
        keeps_unmatched_backward: false,
        keeps_overlapping: false,
        sums_to_step: false,
        has_todays_tensor_cores: false,
        keeps_unlaunched: false,
    };

    /// Every correction.
    pub const CORRECTED: Rules = Rules {
        is_linked_by_time: true,
        has_driver_launches: true,
        are_device_annotations_apart: true,
        is_communication_by_kernel: true,
        keeps_unmatched_backward: true,
        keeps_overlapping: true,
        sums_to_step: true,
        has_todays_tensor_cores: true,
        keeps_unlaunched: true,
    };

    /// The rules that are right for an era.
    pub fn of(era: Era) -> Rules {
        match era {
            Era::A => Rules::PLUGIN,
            Era::B | Era::C => Rules::CORRECTED,
        }
    }
}
