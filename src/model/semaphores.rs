//! What instructions do with semaphores: wait for a value, set one, or have a DMA transfer raise one.

use crate::base::StrId;
use serde::{Deserialize, Serialize};

/// What an instruction does with a semaphore.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum SemaphoreRole {
    /// Starts only when the semaphore is at least the value.
    AtLeast,
    /// Starts only when the semaphore has exactly the value.
    Exactly,
    /// Changes the semaphore when it ends.
    Sets,
    /// Starts a DMA transfer that raises the semaphore when it ends.
    Transfers,
}

impl SemaphoreRole {
    /// Whether the instruction waits.
    pub fn is_wait(self) -> bool {
        matches!(self, SemaphoreRole::AtLeast | SemaphoreRole::Exactly)
    }
}

/// One semaphore in the operands of one instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SemaphoreUse {
    /// The instruction.
    pub slice: u32,
    /// What it does.
    pub role: SemaphoreRole,
    /// Number of the semaphore, as text: `24`.
    pub id: StrId,
    /// Who owns it, where the file names one: `Tensor`, `qSyncDynamicHW`.
    pub owner: StrId,
    /// The value waited for, or by how much it is raised.
    pub value: i64,
}
