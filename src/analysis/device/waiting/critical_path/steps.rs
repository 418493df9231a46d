//! The steps that a chain can have, in the order in which they are visited.

use crate::analysis::device::activity::engines::{Engine, Executed};
use crate::base::{SliceId, for_each_chunk, radix_order};
use crate::model::Profile;

/// No step.
pub(super) const NONE: u32 = u32::MAX;

/// Instructions, and what arrows lead to or from, by (start, slice).
pub(super) struct Steps {
    /// The slice of each step.
    pub slices: Vec<u32>,
    /// Step by step, the one before it on its engine.
    pub before: Vec<u32>,
    /// Step by step, whether it is a semaphore wait.
    pub is_wait: Vec<bool>,
    /// The step of each slice.
    of_slice: Vec<u32>,
}

impl Steps {
    pub fn of(profile: &Profile, engines: &[Engine<'_>]) -> Self {
        let mut of_slice = vec![NONE; profile.slices.len()];
        let mut n = 0;
        let mut mark = |slice: SliceId| n += usize::from(std::mem::replace(&mut of_slice[slice.index()], 0) == NONE);
        for engine in engines {
            for_each_chunk(engine.len(), &mut |part| engine.part(part).for_each(|executed| mark(executed.slice)));
        }
        profile.flows.from.iter().chain(&profile.flows.to).for_each(|slice| mark(*slice));
        let mut marked: Vec<u32> = Vec::with_capacity(n);
        for_each_chunk(of_slice.len(), &mut |part| marked.extend(part.filter(|slice| of_slice[*slice] != NONE).map(|slice| slice as u32)));
        let mut slices = radix_order(n, |at| profile.slices.start[marked[at] as usize]);
        slices.iter_mut().for_each(|at| *at = marked[*at as usize]);
        drop(marked);
        slices.iter().enumerate().for_each(|(step, slice)| of_slice[*slice as usize] = step as u32);
        let mut out = Steps { before: vec![NONE; slices.len()], is_wait: vec![false; slices.len()], slices, of_slice };
        for engine in engines {
            let mut last = NONE;
            for_each_chunk(engine.len(), &mut |part| {
                for Executed { slice, is_wait, .. } in engine.part(part) {
                    let step = out.of_slice[slice.index()];
                    out.before[step as usize] = last;
                    out.is_wait[step as usize] = is_wait;
                    last = step;
                }
            });
        }
        out
    }

    /// The step of a slice; [`NONE`] for what is none.
    pub fn of_slice(&self, slice: u32) -> u32 {
        self.of_slice.get(slice as usize).copied().unwrap_or(NONE)
    }
}
