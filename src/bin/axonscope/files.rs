//! Files of the command line as an input set: directories with all that is in them, each file read where it is asked for.

use crate::error::Fallible;
use axonscope::base::{ByteSource, InputSet, Member, SourceError};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A file of the disk at random access.
struct DiskSource {
    #[cfg(unix)]
    file: File,
    #[cfg(not(unix))]
    file: std::sync::Mutex<File>,
    len: u64,
}

impl DiskSource {
    fn new(file: File, len: u64) -> Self {
        #[cfg(not(unix))]
        let file = std::sync::Mutex::new(file);
        DiskSource { file, len }
    }
}

impl ByteSource for DiskSource {
    fn len(&self) -> u64 {
        self.len
    }

    /// Threads read side by side.
    #[cfg(unix)]
    fn read_at(&self, offset: u64, out: &mut [u8]) -> Result<(), SourceError> {
        std::os::unix::fs::FileExt::read_exact_at(&self.file, out, offset).map_err(|e| SourceError::Platform(format!("{e}.")))
    }

    #[cfg(not(unix))]
    fn read_at(&self, offset: u64, out: &mut [u8]) -> Result<(), SourceError> {
        use std::io::{Read, Seek, SeekFrom};
        let mut file = self.file.lock().map_err(|_| SourceError::InUse)?;
        file.seek(SeekFrom::Start(offset)).and_then(|_| file.read_exact(out)).map_err(|e| SourceError::Platform(format!("{e}.")))
    }
}

/// The input set of `arguments`. A file alone is named as it is; several by their paths below the directory that holds them all, its name
/// included, so that directories are runs.
pub fn input(arguments: &[String]) -> Fallible<InputSet> {
    let mut paths = Vec::new();
    for argument in arguments {
        walk(Path::new(argument), &mut paths).map_err(|e| format!("`{argument}` could not be read: {e}."))?;
    }
    let root = root(&paths);
    let mut out = InputSet::default();
    for path in &paths {
        let name = path.strip_prefix(&root).unwrap_or(path).to_string_lossy().into_owned();
        out.members.push(member(path, name)?);
    }
    Ok(out)
}

/// A file under a name.
pub fn member(path: &Path, name: String) -> Fallible<Member> {
    let shown = path.display();
    let unread = |e: std::io::Error| format!("`{shown}` could not be read: {e}.");
    // Before it is opened: a pipe without a writer would be waited for.
    if !std::fs::metadata(path).map_err(unread)?.is_file() {
        return Err(format!("Expected a file, found `{shown}`: a pipe, a socket or a device cannot be read at offsets.").into());
    }
    let file = File::open(path).map_err(unread)?;
    let len = file.metadata().map_err(unread)?.len();
    Ok(Member::new(name, Arc::new(DiskSource::new(file, len))))
}

/// The files below a path, by name. A link to a directory that it is in is not followed.
pub fn walk(path: &Path, out: &mut Vec<PathBuf>) -> std::io::Result<()> {
    walk_below(path, &mut Vec::new(), out)
}

fn walk_below(path: &Path, above: &mut Vec<PathBuf>, out: &mut Vec<PathBuf>) -> std::io::Result<()> {
    if !path.is_dir() {
        out.push(path.into());
        return Ok(());
    }
    let here = path.canonicalize()?;
    if above.contains(&here) {
        return Ok(());
    }
    above.push(here);
    let mut inside: Vec<PathBuf> = std::fs::read_dir(path)?.map(|e| e.map(|e| e.path())).collect::<Result<_, _>>()?;
    inside.sort();
    let walked = inside.iter().try_for_each(|path| walk_below(path, above, out));
    above.pop();
    walked
}

/// What is omitted of the names: all above the directory that holds every file.
pub fn root(paths: &[PathBuf]) -> PathBuf {
    let parent = |path: &Path| path.parent().unwrap_or(Path::new("")).to_path_buf();
    let Some(first) = paths.first() else {
        return PathBuf::new();
    };
    let mut common = parent(first);
    while !paths.iter().all(|path| path.starts_with(&common)) {
        common = parent(&common);
    }
    if paths.len() == 1 { common } else { parent(&common) }
}
