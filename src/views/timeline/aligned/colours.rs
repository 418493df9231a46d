//! Colours of a stack by another column than the name: one value, one colour in all workers.

use super::stack::Stack;
use crate::base::colour_slots::{N_SLOTS, N_TOP};
use crate::engine::page_columns::PageColumns;
use std::collections::HashMap;
use std::sync::Arc;

/// A worker's answer about a column.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Colours {
    /// Slot by slice.
    pub keys: Vec<u16>,
    /// Values with their slots.
    pub values: Vec<(String, u16)>,
}

/// Slots that one value has to itself; those from here on have half the chroma and are shared.
const N_OWN: u16 = N_TOP;

impl Stack {
    /// The stack in other colours; `None` of a worker that does not have the column: its slices are muted.
    ///
    /// A value has the slot of the first worker that has it. If another value already has that slot, it is muted.
    pub fn coloured(&self, all: &[Option<Colours>]) -> Arc<PageColumns> {
        let mut slot_of: HashMap<&str, u16> = HashMap::new();
        let mut is_taken = [false; N_OWN as usize];
        let mut colour = Vec::with_capacity(self.columns.start.len());
        for (at, part) in self.parts.iter().enumerate() {
            let Some(own) = all.get(at).and_then(Option::as_ref) else {
                colour.extend(std::iter::repeat_n(N_OWN, part.n as usize));
                continue;
            };
            // A muted slot is shared by many values; only the other slots identify one.
            let mut becomes: Vec<u16> = (0..N_SLOTS).collect();
            for (value, slot) in own.values.iter().filter(|v| v.1 < N_OWN) {
                becomes[usize::from(*slot)] = *slot_of.entry(value).or_insert_with(|| {
                    let is_other = std::mem::replace(&mut is_taken[usize::from(*slot)], true);
                    if is_other { N_OWN + slot } else { *slot }
                });
            }
            // Higher slots are for durations and fixed meanings: the same in all workers.
            let slot = |i: usize| own.keys.get(i).map_or(N_OWN, |key| becomes.get(usize::from(*key)).copied().unwrap_or(*key));
            colour.extend((0..part.n as usize).map(slot));
        }
        Arc::new(PageColumns { colour: colour.into(), ..PageColumns::clone(&self.columns) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::views::timeline::aligned::stack::stack;
    use crate::views::timeline::lookup::sample::sample;

    #[test]
    fn a_value_has_one_colour_in_all_workers() {
        let s = stack(&[("a".into(), Arc::new(sample())), ("b".into(), Arc::new(sample())), ("c".into(), Arc::new(sample()))]);
        let n = sample().start.len();
        let colours = |values: &[(&str, u16)], keys: &[u16]| {
            let values = values.iter().map(|v| (v.0.to_string(), v.1)).collect();
            Some(Colours { values, keys: keys.iter().copied().cycle().take(n).collect() })
        };
        let columns =
            s.coloured(&[colours(&[("cpu_op", 3), ("kernel", 5)], &[3, 5, 30]), colours(&[("kernel", 3), ("x", 5)], &[3, 5, 30]), None]);
        let of = |i: usize| columns.colour_of(i).expect("a slice");
        let colours = |from: usize| (from..from + 3).map(of).collect::<Vec<_>>();
        assert_eq!(colours(0), [3, 5, 30]);
        // `kernel` keeps its 5, and `x` cannot have it as well.
        assert_eq!(colours(n), [5, N_TOP + 5, 30]);
        assert_eq!((of(2 * n), columns.colour.is_for(3 * n)), (N_OWN, true));
    }
}
