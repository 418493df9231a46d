//! What outlives the page: address, library, log directories, workspaces, shared files.

pub(in crate::app) mod browser_state;
pub(in crate::app) mod library;
pub(in crate::app) mod log_directories;
pub(in crate::app) mod share;
pub(in crate::app) mod table_zip;
pub(in crate::app) mod workspace;
