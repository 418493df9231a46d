//! Files out of drops, inputs and the clipboard, directories included.

use crate::app::error::DropError;
use crate::base::Order as _;
use crate::worker::error::BrowserError;
use js_sys::{Array, Promise, Reflect};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{DataTransfer, File, FileList, FileSystemDirectoryEntry, FileSystemEntry, FileSystemFileEntry};

/// A file and its path below the drop.
#[derive(Debug, Clone)]
pub struct Dropped {
    /// Path with `/` between the parts.
    pub name: String,
    /// The file.
    pub file: File,
}

/// More files than a directory of profiles ever has: a whole disk dropped by mistake.
const MAX_FILES: usize = 10_000;

/// The files without their paths.
pub(in crate::app) fn raw(files: &[Dropped]) -> Vec<File> {
    files.iter().map(|f| f.file.clone()).collect()
}

/// The files of an input element or the clipboard.
pub fn from_list(list: Option<FileList>) -> Vec<Dropped> {
    let Some(list) = list else {
        return Vec::new();
    };
    (0..list.length()).filter_map(|i| list.get(i)).map(named).collect()
}

/// A pasted text as a file: a summary copied from a ticket or a terminal. `None` where there is nothing but blanks.
pub fn from_text(text: &str) -> Option<Dropped> {
    let start = text.trim_start().chars().next()?;
    let name = if matches!(start, '{' | '[') { "pasted.json" } else { "pasted.txt" };
    let file = File::new_with_str_sequence(&js_sys::Array::of1(&text.into()), name).ok()?;
    Some(Dropped { name: name.into(), file })
}

fn named(file: File) -> Dropped {
    let path = Reflect::get(&file, &"webkitRelativePath".into()).ok().and_then(|p| p.as_string()).filter(|p| !p.is_empty());
    Dropped { name: path.unwrap_or_else(|| file.name()), file }
}

/// What a drop holds. Must be taken while its event is handled: afterwards the browser gives nothing.
pub struct DroppedEntries {
    entries: Vec<FileSystemEntry>,
    files: Vec<Dropped>,
}

/// Takes hold of a drop.
pub fn hold(data: &DataTransfer) -> DroppedEntries {
    let items = data.items();
    let mut held = DroppedEntries { entries: Vec::new(), files: Vec::new() };
    for item in (0..items.length()).filter_map(|i| items.get(i)).filter(|item| item.kind() == "file") {
        match item.webkit_get_as_entry().ok().flatten() {
            Some(entry) if entry.is_directory() => held.entries.push(entry),
            _ => held.files.extend(item.get_as_file().ok().flatten().map(named)),
        }
    }
    if held.entries.is_empty() && held.files.is_empty() {
        held.files = from_list(data.files());
    }
    held
}

impl DroppedEntries {
    /// What a drop held, taken by a script: `File`s and entries of directories.
    pub fn of(files: &Array, entries: &Array) -> DroppedEntries {
        DroppedEntries {
            entries: entries.iter().filter(JsValue::is_object).map(JsCast::unchecked_into).collect(),
            files: files.iter().filter_map(|f| f.dyn_into::<File>().ok()).map(named).collect(),
        }
    }

    /// All files, those in directories too, by path.
    pub async fn files(self) -> Result<Vec<Dropped>, DropError> {
        let mut out = self.files;
        let has_directory = !self.entries.is_empty();
        let mut stack = self.entries;
        while let Some(entry) = stack.pop() {
            if out.len() >= MAX_FILES {
                return Err(DropError::TooMany(MAX_FILES));
            }
            if entry.is_directory() {
                stack.extend(children(entry.unchecked_into()).await?);
            } else {
                let name = entry.full_path().trim_start_matches('/').to_string();
                out.push(Dropped { name, file: file(entry.unchecked_into()).await? });
            }
        }
        if out.is_empty() && has_directory {
            return Err(DropError::Empty);
        }
        out.order_by(|a, b| a.name.cmp(&b.name));
        Ok(out)
    }
}

async fn file(entry: FileSystemFileEntry) -> Result<File, BrowserError> {
    let promise = Promise::new(&mut |resolve, reject| entry.file_with_callback_and_callback(&resolve, &reject));
    JsFuture::from(promise).await.map(JsCast::unchecked_into).map_err(BrowserError::from)
}

/// A directory is listed in portions, until one is empty.
async fn children(directory: FileSystemDirectoryEntry) -> Result<Vec<FileSystemEntry>, BrowserError> {
    let reader = directory.create_reader();
    let mut out = Vec::new();
    loop {
        let promise = Promise::new(&mut |resolve, reject| {
            if let Err(error) = reader.read_entries_with_callback_and_callback(&resolve, &reject) {
                // The error is passed on by rejecting the promise.
                let _ = reject.call1(&JsValue::NULL, &error);
            }
        });
        let part: Array = JsFuture::from(promise).await.map_err(BrowserError::from)?.unchecked_into();
        if part.length() == 0 {
            return Ok(out);
        }
        out.extend(part.iter().map(JsCast::unchecked_into::<FileSystemEntry>));
    }
}
