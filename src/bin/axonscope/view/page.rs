//! The files of the page: from the program itself where it was built with them, else from a directory. A file is found by its exact name among
//! those that are there, so that no path leads elsewhere.

use crate::error::Fallible;
use crate::files;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

#[cfg(feature = "embedded_page")]
static EMBEDDED: include_dir::Dir<'_> = include_dir::include_dir!("$AXONSCOPE_DIST");

/// A page that is not installed by the browser: its address ends with the process.
const NO_SERVICE_WORKER: &[u8] = b"// `axonscope view` serves this page: it is not kept for use without a network.\n";

/// Where the page comes from.
pub enum Page {
    /// A directory: path by name.
    Directory(BTreeMap<String, PathBuf>),
    /// The program.
    #[cfg(feature = "embedded_page")]
    Embedded,
}

impl Page {
    /// The page of `directory`, else the one in the program.
    pub fn open(directory: Option<&Path>) -> Fallible<Page> {
        match directory {
            Some(directory) => Page::of_directory(directory),
            None => Page::of_program(),
        }
    }

    fn of_directory(directory: &Path) -> Fallible<Page> {
        let shown = directory.display();
        let mut paths = Vec::new();
        files::walk(directory, &mut paths).map_err(|e| format!("`{shown}` could not be read: {e}."))?;
        let name = |path: PathBuf| Some((path.strip_prefix(directory).ok()?.to_string_lossy().replace('\\', "/"), path));
        let files: BTreeMap<String, PathBuf> = paths.into_iter().filter_map(name).collect();
        match files.contains_key("open.html") {
            true => Ok(Page::Directory(files)),
            false => Err(format!("Expected a built page (`make dist`) in `{shown}`, found no `open.html`.").into()),
        }
    }

    #[cfg(feature = "embedded_page")]
    fn of_program() -> Fallible<Page> {
        Ok(Page::Embedded)
    }

    #[cfg(not(feature = "embedded_page"))]
    fn of_program() -> Fallible<Page> {
        Err("This program was built without the page: run `make dist`, then `axonscope view --page dist FILE…`.".into())
    }

    /// The content of a file; `None` without one of that name.
    pub fn read(&self, name: &str) -> Option<Fallible<Cow<'static, [u8]>>> {
        if name == "register-sw.js" {
            return Some(Ok(NO_SERVICE_WORKER.into()));
        }
        match self {
            Page::Directory(files) => files
                .get(name)
                .map(|path| std::fs::read(path).map(Cow::Owned).map_err(|e| format!("`{name}` could not be read: {e}.").into())),
            #[cfg(feature = "embedded_page")]
            Page::Embedded => EMBEDDED.get_file(name).map(|file| Ok(Cow::Borrowed(file.contents()))),
        }
    }
}

/// Media type by the ending of a name.
pub fn media_type(name: &str) -> &'static str {
    match name.rsplit('.').next().unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "wasm" => "application/wasm",
        "json" => "application/json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "webmanifest" => "application/manifest+json",
        _ => "application/octet-stream",
    }
}
