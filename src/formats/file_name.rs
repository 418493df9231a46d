//! Names of dropped files.

/// Name of the file without the directories it was dropped with.
pub fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
