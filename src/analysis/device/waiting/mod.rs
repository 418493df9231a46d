//! What engines wait for: semaphores and who raised them, idle gaps, the critical path.

pub mod cause;
pub mod critical_path;
pub mod gaps;
pub mod run_waits;
pub mod signals;
pub mod waits;
