//! Instructions by engine.

use crate::base::Order as _;
use crate::base::{SliceId, StrId, TrackId, for_each_chunk};
use crate::model::{Profile, TrackKind};

/// One engine's instructions.
pub(in crate::analysis::device) struct Engine {
    pub core: String,
    pub name: String,
    /// (start, end, slice, whether it is a semaphore wait) by start.
    pub items: Vec<(i64, i64, SliceId, bool)>,
}

/// Place of an engine in `all`, new or known.
fn engine_at(all: &mut Vec<Engine>, core: &str, name: &str) -> usize {
    all.iter().rposition(|e| e.core == core && e.name == name).unwrap_or_else(|| {
        all.push(Engine { core: core.into(), name: name.into(), items: Vec::new() });
        all.len() - 1
    })
}

/// Instructions by engine, in the order of the tracks.
pub(in crate::analysis::device) fn engines(profile: &Profile) -> Vec<Engine> {
    let mut out: Vec<Engine> = Vec::new();
    let Some(column) = profile.attribute("engine") else { return out };
    let is_wait = crate::analysis::device::waiting::waits::names(profile);
    for (t, _) in profile.tracks.iter().enumerate().filter(|t| t.1.kind == TrackKind::Engine) {
        let path = profile.track_path(TrackId(t as u32));
        let core = path.split(" / ").next().unwrap_or_default().to_string();
        let by_start = &profile.slices.by_start[profile.slices_of(TrackId(t as u32))];
        let mut last: Option<(StrId, usize)> = None;
        for_each_chunk(by_start.len(), &mut |part| {
            for &i in &by_start[part] {
                let (i, slice) = (i as usize, SliceId(i));
                let engine = column.values[i];
                if engine == StrId(0) {
                    continue;
                }
                let at = last.filter(|l| l.0 == engine).map_or_else(|| engine_at(&mut out, &core, profile.strings.get(engine)), |l| l.1);
                if last.is_none() {
                    // Most tracks are of one engine.
                    out[at].items.reserve(by_start.len());
                }
                last = Some((engine, at));
                out[at].items.push((profile.slices.start[i], profile.slices.end(i), slice, is_wait[profile.slices.name[i].index()]));
            }
        });
    }
    for engine in out.iter_mut().filter(|e| !e.items.is_sorted_by_key(|i| (i.0, i.2))) {
        // Several tracks of one engine are as many runs, which a stable sort merges.
        engine.items.order_by_key(|i| (i.0, i.2));
    }
    out
}
