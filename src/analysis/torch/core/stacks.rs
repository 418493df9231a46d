//! Call stacks: as the trace records them, or put together from the Python functions around an operator.

use super::TorchModel;
use super::class::Class;
use crate::base::{SliceId, StrId};
use crate::model::{Profile, Torch};
use rustc_hash::FxHashMap;

/// Stacks that were found, each once.
#[derive(Debug, Default)]
pub struct Stacks {
    /// (outer stack + 1 or 0, frame) → stack.
    known: FxHashMap<(u32, StrId), u32>,
    /// Outer stack + 1 or 0, and the innermost frame, by stack.
    frames: Vec<(u32, StrId)>,
    /// Stack + 1, or 0, of each visited slice; [`UNKNOWN`] of others. By slice.
    of_slice: Vec<u32>,
}

const UNKNOWN: u32 = u32::MAX;

/// Whether a Python function's name is a place in the source: `path(line): function`.
pub fn is_frame(name: &str) -> bool {
    let Some((before, _)) = name.split_once("): ") else {
        return false;
    };
    before.rsplit_once('(').is_some_and(|(path, line)| !path.is_empty() && !line.is_empty() && line.bytes().all(|b| b.is_ascii_digit()))
}

impl Stacks {
    /// A number that equal stacks share; `None` where the trace records no stack.
    pub fn of(&mut self, profile: &Profile, torch: &Torch, model: &TorchModel, slice: SliceId) -> Option<u32> {
        if let Ok(at) = torch.stacks.binary_search_by_key(&slice.0, |s| s.0) {
            let text = torch.stacks[at].1;
            return (text != StrId(0)).then(|| self.stack(0, text)).map(|s| s - 1);
        }
        if !model.rules.is_linked_by_time || torch.functions.is_empty() {
            return None;
        }
        self.of_slice.resize(profile.slices.len(), UNKNOWN);
        // Up to the first slice whose stack is known, then down again.
        let mut chain = Vec::new();
        let mut known = 0;
        let mut at = profile.slices.parent(slice);
        while let Some(holder) = at {
            if self.of_slice[holder.index()] != UNKNOWN {
                known = self.of_slice[holder.index()];
                break;
            }
            chain.push(holder);
            at = profile.slices.parent(holder);
        }
        for holder in chain.into_iter().rev() {
            let is_function = matches!(model.class[holder.index()], Class::PythonFunction | Class::Module);
            if is_function && is_frame(profile.name_of(holder)) {
                known = self.stack(known, profile.slices.name[holder.index()]);
            }
            self.of_slice[holder.index()] = known;
        }
        known.checked_sub(1)
    }

    fn stack(&mut self, outer: u32, frame: StrId) -> u32 {
        let frames = &mut self.frames;
        *self.known.entry((outer, frame)).or_insert_with(|| {
            frames.push((outer, frame));
            frames.len() as u32
        })
    }

    /// Frames of a stack, outermost first.
    pub fn frames(&self, profile: &Profile, stack: u32) -> Vec<String> {
        let mut out = Vec::new();
        let mut at = stack + 1;
        while let Some(&(outer, frame)) = (at as usize).checked_sub(1).and_then(|i| self.frames.get(i)) {
            // A stack in one text has frames joined by `;`, the innermost first.
            out.extend(profile.strings.get(frame).split(';').map(|f| f.trim().to_string()).filter(|f| !f.is_empty()));
            at = outer;
        }
        out.reverse();
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_name_a_line() {
        assert!(is_frame("torch/nn/modules/module.py(1501): _call_impl"));
        assert!(is_frame("<string>(2): <lambda>"));
        assert!(!is_frame("nn.Module: Linear_0"));
        assert!(!is_frame("<built-in method mm of type object at 0x7f>"));
    }
}
