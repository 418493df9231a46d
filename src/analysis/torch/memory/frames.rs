//! Where in the program memory was asked for or given back.

use super::super::View;
use super::super::core::class::Class;
use super::{MemoryFrames, MemoryFramesQuery};
use crate::base::{SliceId, TimeNs};

/// Answers [`MemoryFramesQuery`]: the Python functions open at that moment, or the call stack noted with an operator (old traces).
pub fn frames(view: &View<'_>, query: &MemoryFramesQuery) -> MemoryFrames {
    let slices = &view.profile.slices;
    let mut out = MemoryFrames::default();
    let mut at = view.profile.slice_at(query.track, TimeNs(query.time.0));
    let mut noted: Option<&str> = None;
    while let Some(slice) = at {
        let name = view.profile.name_of(slice);
        match view.model.class.get(slice.index()) {
            Some(Class::PythonFunction | Class::Module) => out.frames.push(name.into()),
            Some(Class::Operator) => out.operators.push((name.into(), slice)),
            _ => {}
        }
        noted = noted.or_else(|| stack(view, slice));
        at = slices.parent(slice);
    }
    out.frames.reverse();
    out.operators.reverse();
    if out.frames.is_empty()
        && let Some(stack) = noted
    {
        out.frames = stack.split(';').map(str::trim).filter(|f| !f.is_empty()).map(str::to_string).collect();
    }
    out
}

fn stack<'a>(view: &View<'a>, slice: SliceId) -> Option<&'a str> {
    let stacks = &view.torch.stacks;
    let at = stacks.binary_search_by_key(&slice.0, |s| s.0).ok()?;
    Some(view.profile.strings.get(stacks[at].1))
}
