//! Views joined to the state of the page: the list of views, and what each is given.

pub(in crate::app) mod chunks;
pub(in crate::app) mod compared;
pub(in crate::app) mod device_views;
pub(in crate::app) mod fleet;
pub(in crate::app) mod front;
pub(in crate::app) mod navigation;
pub(in crate::app) mod program_views;
pub(in crate::app) mod report_views;
pub(in crate::app) mod sql;
pub(in crate::app) mod stack_colours;
pub(in crate::app) mod stacked;
pub(in crate::app) mod system;
pub(in crate::app) mod time_views;
pub(in crate::app) mod torch_views;
pub(in crate::app) mod views;
