//! Arrows between slices.

use crate::base::radix_sort::order_many;
use crate::base::{SliceId, SortedIndex, StrId, radix_order};

/// Arrows between slices, by (from, to).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FlowTable {
    /// Where it starts.
    pub from: Vec<SliceId>,
    /// Where it ends.
    pub to: Vec<SliceId>,
    /// What it means: `ac2g`, `fwdbwd`, `FLOW_DEPENDENCE`.
    pub kind: Vec<StrId>,
    /// Positions in the table by (to, from).
    pub by_to: Vec<u32>,
    /// Where the arrows of a slice are in `from`, and in `by_to`.
    places: (SortedIndex, SortedIndex),
}

impl FlowTable {
    /// A sorted table of `arrows` (from, to, kind); equal ones once.
    pub fn from_arrows(mut arrows: Vec<(SliceId, SliceId, StrId)>) -> Self {
        order_many(&mut arrows, |a| a.2.0.into());
        order_many(&mut arrows, |a| a.1.0.into());
        order_many(&mut arrows, |a| a.0.0.into());
        arrows.dedup();
        let by_to = radix_order(arrows.len(), |i| arrows[i].1.0.into());
        let starts = SortedIndex::of(arrows.len(), |at| arrows[at].0.0);
        let ends = SortedIndex::of(arrows.len(), |at| arrows[by_to[at] as usize].1.0);
        FlowTable {
            from: arrows.iter().map(|a| a.0).collect(),
            to: arrows.iter().map(|a| a.1).collect(),
            kind: arrows.iter().map(|a| a.2).collect(),
            by_to,
            places: (starts, ends),
        }
    }

    /// Arrows that start at `slice`: (other end, kind).
    pub fn outgoing(&self, slice: SliceId) -> impl Iterator<Item = (SliceId, StrId)> + '_ {
        let found = self.places.0.find(self.from.len(), slice.0, |at| self.from[at].0);
        found.map(|i| (self.to[i], self.kind[i]))
    }

    /// Arrows that end at `slice`: (other end, kind).
    pub fn incoming(&self, slice: SliceId) -> impl Iterator<Item = (SliceId, StrId)> + '_ {
        let found = self.places.1.find(self.by_to.len(), slice.0, |at| self.to[self.by_to[at] as usize].0);
        self.by_to[found].iter().map(|&i| (self.from[i as usize], self.kind[i as usize]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flows_are_found_from_both_ends() {
        let s = SliceId;
        let flows = FlowTable::from_arrows(vec![(s(2), s(1), StrId(7)), (s(0), s(1), StrId(7)), (s(0), s(1), StrId(7))]);
        assert_eq!(flows.outgoing(s(0)).collect::<Vec<_>>(), [(s(1), StrId(7))]);
        assert_eq!(flows.incoming(s(1)).map(|f| f.0).collect::<Vec<_>>(), [s(0), s(2)]);
        assert_eq!(flows.incoming(s(9)).count(), 0);
    }
}
