//! From files to open profiles: drops and inputs, triage into profiles, the import queue, the preview.

pub(in crate::app) mod budget;
pub mod early;
pub(in crate::app) mod file_drop;
pub(in crate::app) mod follow_link;
pub(in crate::app) mod import_queue;
pub(in crate::app) mod importing;
pub(in crate::app) mod opening;
pub(in crate::app) mod preview;
pub(in crate::app) mod reading;
pub(in crate::app) mod samples;
pub(in crate::app) mod script_events;
pub(in crate::app) mod sources;
pub(in crate::app) mod triage;
pub(in crate::app) mod unpacking;
pub(in crate::app) mod wanted_step;
