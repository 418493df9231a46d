//! What outlives the page: address, library, log directories, workspaces, shared files.

pub(in crate::app) mod browser_state;
pub(in crate::app) mod library;
pub(in crate::app) mod library_list;
pub(in crate::app) mod local_storage;
pub(in crate::app) mod log_directories;
pub(in crate::app) mod share;
pub(in crate::app) mod stored_annotations;
pub(in crate::app) mod table_zip;
pub(in crate::app) mod url_state;
pub(in crate::app) mod workspace;
