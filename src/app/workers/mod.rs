//! Workers of open profiles: registry, sleep, work while the page is idle.

pub(in crate::app) mod idle;
pub(in crate::app) mod learned_opcodes;
pub(in crate::app) mod sleep;
pub(in crate::app) mod warm_up;
pub(in crate::app) mod worker_registry;
