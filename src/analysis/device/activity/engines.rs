//! Instructions by engine.

use crate::base::radix_sort::order_many_by;
use crate::base::{SliceId, StrId, TrackId, for_each_chunk};
use crate::model::{Profile, TrackKind};
use std::ops::Range;
use std::rc::Rc;

/// One engine's instructions.
pub(in crate::analysis::device) struct Engine<'a> {
    pub core: String,
    pub name: String,
    profile: &'a Profile,
    /// Ordered by start. A long run has millions: their times stay in the profile.
    slices: Vec<SliceId>,
    /// Indexed by name of a slice, whether it is a semaphore wait.
    is_wait: Rc<[bool]>,
}

/// An instruction that an engine ran.
#[derive(Debug, Clone, Copy)]
pub(in crate::analysis::device) struct Executed {
    /// Nanoseconds.
    pub start: i64,
    /// Nanoseconds.
    pub end: i64,
    pub slice: SliceId,
    pub is_wait: bool,
}

impl Engine<'_> {
    /// How many instructions it ran.
    pub fn len(&self) -> usize {
        self.slices.len()
    }

    /// Its instructions by start.
    pub fn executed(&self) -> impl Iterator<Item = Executed> + '_ {
        self.part(0..self.slices.len())
    }

    /// A part of them.
    pub fn part(&self, part: Range<usize>) -> impl Iterator<Item = Executed> + '_ {
        let all = &self.profile.slices;
        self.slices[part].iter().map(|&slice| {
            let i = slice.index();
            Executed { start: all.start[i], end: all.end(i), slice, is_wait: self.is_wait[all.name[i].index()] }
        })
    }
}

/// Instructions by engine, in the order of the tracks.
pub(in crate::analysis::device) fn engines<'a>(profile: &'a Profile) -> Vec<Engine<'a>> {
    let mut out: Vec<Engine<'a>> = Vec::new();
    let Some(column) = profile.attribute("engine") else { return out };
    let is_wait: Rc<[bool]> = crate::analysis::device::waiting::waits::names(profile).into();
    // Place of an engine, new or known.
    let place = |out: &mut Vec<Engine<'a>>, core: &str, name: &str| {
        out.iter().rposition(|e| e.core == core && e.name == name).unwrap_or_else(|| {
            let (core, name, is_wait) = (core.into(), name.into(), is_wait.clone());
            out.push(Engine { core, name, profile, slices: Vec::new(), is_wait });
            out.len() - 1
        })
    };
    for (t, _) in profile.tracks.iter().enumerate().filter(|t| t.1.kind == TrackKind::Engine) {
        let path = profile.track_path(TrackId(t as u32));
        let core = path.split(" / ").next().unwrap_or_default().to_string();
        let by_start = &profile.slices.by_start[profile.slices_of(TrackId(t as u32))];
        let mut last: Option<(StrId, usize)> = None;
        for_each_chunk(by_start.len(), &mut |part| {
            for &i in &by_start[part] {
                let (i, slice) = (i as usize, SliceId(i));
                let Some(engine) = column.values.at(i).filter(|engine| *engine != StrId(0)) else { continue };
                let at = last.filter(|l| l.0 == engine).map_or_else(|| place(&mut out, &core, profile.strings.get(engine)), |l| l.1);
                if last.is_none() {
                    // Most tracks are of one engine.
                    out[at].slices.reserve_exact(by_start.len());
                }
                last = Some((engine, at));
                out[at].slices.push(slice);
            }
        });
    }
    for engine in &mut out {
        // Ordered by start, and those of one start by slice: tracks may come in any order.
        order_many_by(&mut engine.slices, |slice| profile.slices.start[slice.index()], |slice| *slice);
    }
    out
}
