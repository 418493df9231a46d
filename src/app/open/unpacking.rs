//! Zstandard files (`.zst`) are decompressed before they are sorted, by the worker that has the library.

use crate::app::error::OpenError;
use crate::app::open::file_drop::Dropped;
use crate::app::workers::worker_registry;
use crate::state::{App, actions};
use crate::worker::page::{FromWorker, Program};
use crate::worker::protocol::ToWorker;
use futures_util::StreamExt;

const ENDINGS: [&str; 2] = [".zst", ".zstd"];

/// The path of the decompressed file; `None` for other files.
fn target(name: &str) -> Option<&str> {
    let cut = |ending: &&str| {
        let at = name.len().checked_sub(ending.len())?;
        name.get(at..).filter(|end| end.eq_ignore_ascii_case(ending)).and(name.get(..at))
    };
    ENDINGS.iter().find_map(cut).filter(|name| !name.is_empty())
}

/// The files of a drop with Zstandard files replaced by decompressed ones. `id`: the import that shows the progress.
pub(in crate::app) async fn unpacked(app: App, id: u32, files: Vec<Dropped>) -> Result<Vec<Dropped>, OpenError> {
    let mut out = Vec::with_capacity(files.len());
    for file in files {
        out.push(match target(&file.name) {
            Some(name) => unpack(app, id, name.to_string(), &file)
                .await
                .map_err(|why| OpenError::InFile { path: file.name.clone(), why: Box::new(why) })?,
            None => file,
        });
    }
    Ok(out)
}

async fn unpack(app: App, id: u32, name: String, packed: &Dropped) -> Result<Dropped, OpenError> {
    let (link, mut events) = worker_registry::started(app, Program::Full).await?;
    link.send(&ToWorker::Unpack { name: name.clone() }, std::slice::from_ref(&packed.file))?;
    while let Some(event) = events.next().await {
        match event {
            FromWorker::Progress(progress) => actions::import_goes_on(app, id, progress),
            FromWorker::Unpacked(file, note) => {
                if let Some(note) = note {
                    actions::notify_of_drop(app, format!("`{}`: {note}", packed.name), true);
                }
                return Ok(Dropped { name, file });
            }
            FromWorker::Failed(sentence) | FromWorker::Died(sentence) => return Err(OpenError::Worker(sentence)),
            _ => {}
        }
    }
    Err(OpenError::Stopped)
}

#[cfg(test)]
mod tests {
    use super::target;

    #[test]
    fn the_ending_is_cut() {
        let names = ["a/trace.json.zst", "a.ZST", "b.zstd", "trace.json", ".zst", "zst", "µ.zst"].map(target);
        assert_eq!(names, [Some("a/trace.json"), Some("a"), Some("b"), None, None, None, Some("µ")]);
    }
}
