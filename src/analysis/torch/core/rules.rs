//! Which rules hold for a trace: those of the old plugin for the traces it was made for, corrected ones for younger traces.

use crate::base::StrId;
use crate::model::torch::ABSENT;
use crate::model::{Profile, Torch};
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
        category.values.iter().for_each(|cat| seen[cat.index()] = true);
        if (0..seen.len()).any(|i| seen[i] && of_a.contains(&profile.strings.get(StrId(i as u32)))) {
            return Era::A;
        }
        let ids = torch.kernels.iter().map(|k| {
            let at = k.slice as usize;
            (torch.external_id.get(at).copied().unwrap_or(ABSENT), torch.correlation.get(at).copied().unwrap_or(ABSENT))
        });
        let with_both: Vec<(u32, u32)> = ids.filter(|(id, correlation)| *id != ABSENT && *correlation != ABSENT).collect();
        let n_equal = with_both.iter().filter(|(id, correlation)| id == correlation).count();
        if n_equal * 2 > with_both.len() { Era::B } else { Era::C }
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
