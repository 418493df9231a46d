//! Arrows between slices.

use crate::base::{SliceId, StrId};

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
}

impl FlowTable {
    /// A sorted table of `arrows` (from, to, kind); equal ones once.
    pub fn from_arrows(mut arrows: Vec<(SliceId, SliceId, StrId)>) -> Self {
        arrows.sort_unstable();
        arrows.dedup();
        let mut by_to: Vec<u32> = (0..arrows.len() as u32).collect();
        by_to.sort_unstable_by_key(|&i| (arrows[i as usize].1, arrows[i as usize].0));
        FlowTable {
            from: arrows.iter().map(|a| a.0).collect(),
            to: arrows.iter().map(|a| a.1).collect(),
            kind: arrows.iter().map(|a| a.2).collect(),
            by_to,
        }
    }

    /// Arrows that start at `slice`: (other end, kind).
    pub fn outgoing(&self, slice: SliceId) -> impl Iterator<Item = (SliceId, StrId)> + '_ {
        let first = self.from.partition_point(|&f| f < slice);
        let n = self.from[first..].partition_point(|&f| f == slice);
        (first..first + n).map(|i| (self.to[i], self.kind[i]))
    }

    /// Arrows that end at `slice`: (other end, kind).
    pub fn incoming(&self, slice: SliceId) -> impl Iterator<Item = (SliceId, StrId)> + '_ {
        let first = self.by_to.partition_point(|&i| self.to[i as usize] < slice);
        let n = self.by_to[first..].partition_point(|&i| self.to[i as usize] == slice);
        self.by_to[first..first + n].iter().map(|&i| (self.from[i as usize], self.kind[i as usize]))
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
