//! A directory that appears whole or not at all: written beside its place under a temporary name, then renamed.

use crate::error::Fallible;
use std::path::{Path, PathBuf};

/// A new directory that is removed when dropped without [`NewDirectory::finish`].
pub struct NewDirectory {
    target: PathBuf,
    temporary: PathBuf,
    is_done: bool,
}

impl NewDirectory {
    /// A temporary directory beside `target`. A target that holds anything is refused, or, with `overwrite`, one that holds more than tables.
    pub fn create(target: &Path, overwrite: bool) -> Fallible<NewDirectory> {
        let shown = target.display();
        if target.exists() {
            let entries = std::fs::read_dir(target).map_err(|e| format!("Expected a directory, found `{shown}`: {e}."))?;
            let names: Vec<PathBuf> = entries.filter_map(Result::ok).map(|e| e.path()).collect();
            match names.iter().find(|path| !is_of_tables(path)) {
                Some(other) if overwrite => {
                    let other = other.display();
                    return Err(format!(
                        "`{shown}` holds more than Parquet tables (`{other}`) and is not replaced: choose another directory."
                    )
                    .into());
                }
                _ if !names.is_empty() && !overwrite => {
                    return Err(format!("`{shown}` exists and is not empty: choose another directory, or add --overwrite.").into());
                }
                _ => (),
            }
        }
        let parent = target.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let name = target.file_name().ok_or_else(|| format!("Expected the name of a new directory, found `{shown}`."))?;
        let temporary = parent.join(format!(".{}.partial-{}", name.to_string_lossy(), std::process::id()));
        std::fs::create_dir_all(&temporary).map_err(|e| format!("`{shown}` could not be created: {e}."))?;
        Ok(NewDirectory { target: target.into(), temporary, is_done: false })
    }

    /// Where to write.
    pub fn path(&self) -> &Path {
        &self.temporary
    }

    /// Puts it in its place.
    pub fn finish(mut self) -> Fallible<()> {
        let failed = |e: std::io::Error| format!("`{}` could not be put in place: {e}.", self.target.display());
        if self.target.exists() {
            std::fs::remove_dir_all(&self.target).map_err(failed)?;
        }
        std::fs::rename(&self.temporary, &self.target).map_err(failed)?;
        self.is_done = true;
        Ok(())
    }
}

impl Drop for NewDirectory {
    fn drop(&mut self) {
        if !self.is_done {
            // The error that led here is the one to report.
            let _ = std::fs::remove_dir_all(&self.temporary);
        }
    }
}

/// A Parquet table, or a directory of nothing else.
fn is_of_tables(path: &Path) -> bool {
    if !path.is_dir() {
        return path.extension().is_some_and(|e| e == "parquet");
    }
    std::fs::read_dir(path).is_ok_and(|mut entries| entries.all(|e| e.is_ok_and(|e| !e.path().is_dir() && is_of_tables(&e.path()))))
}
