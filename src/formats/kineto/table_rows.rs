//! Rows of PyTorch's tables while a trace is read.

use crate::base::StrId;
use crate::model::blocks::one_by_one;
use crate::model::torch::{Collective, Function, Kernel, MemoryEvent, OperatorInputs};
use crate::model::{Blocks, RawSliceId};
use serde::{Deserialize, Serialize};

/// Rows so far. `slice` is a raw slice, `track` a raw track, times are as in the file.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Tables {
    pub(super) kernels: Blocks<Kernel>,
    #[serde(with = "one_by_one")]
    pub(super) memory: Blocks<MemoryEvent>,
    pub(super) collectives: Blocks<Collective>,
    pub(super) functions: Blocks<Function>,
    #[serde(with = "one_by_one")]
    pub(super) stacks: Blocks<(RawSliceId, StrId)>,
    pub(super) inputs: Blocks<OperatorInputs>,
    /// Arg `kernel` of launches, where `keeps_launch_kernels`.
    #[serde(with = "one_by_one")]
    pub(super) launch_kernels: Blocks<(RawSliceId, StrId)>,
    /// The trace is read for the captures of graphs in it.
    pub(super) keeps_launch_kernels: bool,
    /// A record of external id 0 writes its thread id as a text.
    pub(super) has_text_thread_ids: bool,
}
