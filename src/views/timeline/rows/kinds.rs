//! Kinds of rows: what the panel of choices hides and the filter knows. Knows no browser.

use crate::engine::page_columns::PageMeta;
use crate::engine::{Track, TrackKind};

/// Instructions of an engine.
pub const INSTRUCTIONS: &str = "Instructions";
/// DMA transfers.
pub const DMA: &str = "DMA";

/// Between the name of a row and that of its core.
const OF: &str = " · NC ";

/// The name of a row without that of its core.
pub(crate) fn own_name(name: &str) -> &str {
    name.rsplit_once(OF).map_or(name, |p| p.0)
}

/// The kind of a row; `None` for groups.
pub fn kind_of<'a>(info: &'a PageMeta, track: &Track) -> Option<&'a str> {
    let name = own_name(info.strings.get(track.name));
    Some(match track.kind {
        TrackKind::Group => return None,
        TrackKind::Counter | TrackKind::Other => name,
        TrackKind::Engine if name.starts_with("CC-core") || name.starts_with("Collectives") => "Collectives",
        TrackKind::Engine => INSTRUCTIONS,
        TrackKind::Queue => DMA,
        TrackKind::Wait if name == "Semaphores" => "Semaphores",
        TrackKind::Wait => "Waits and barriers",
        TrackKind::Thread => "Threads",
        TrackKind::Stream => "Streams",
        TrackKind::Async => "Asynchronous",
    })
}

/// The kinds of rows of a profile, in their order; at most forty.
pub fn kinds(info: &PageMeta) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for kind in info.tracks.iter().filter_map(|t| kind_of(info, t)) {
        if out.len() < 40 && !kind.contains('|') && out.iter().all(|k| k != kind) {
            out.push(kind.into());
        }
    }
    out
}
