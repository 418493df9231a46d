//! A file that appears whole or not at all: written beside its place under a temporary name, then renamed.

use crate::error::Fallible;
use std::fs::File;
use std::io::Write;
use std::path::Path;

/// Writes `bytes` to `path`.
pub fn write(path: &Path, bytes: &[u8]) -> Fallible<()> {
    let failed = |e: std::io::Error| format!("`{}` could not be written: {e}.", path.display());
    let name = path.file_name().ok_or_else(|| format!("Expected the name of a file to write, found `{}`.", path.display()))?;
    let temporary = path.with_file_name(format!(".{}.partial-{}", name.to_string_lossy(), std::process::id()));
    let written = File::create(&temporary).and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync_all()
    });
    let done = written.and_then(|()| std::fs::rename(&temporary, path));
    if done.is_err() {
        // The error that led here is the one to report.
        let _ = std::fs::remove_file(&temporary);
    }
    Ok(done.map_err(failed)?)
}
