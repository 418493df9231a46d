//! The arrows of several workers as those of their stack.

use super::stack::Stack;
use crate::analysis::flows::{FlowKind, Flows};
use std::collections::BTreeMap;

impl Stack {
    /// The arrows of some profiles (place in the stack, answer) as those of the stack.
    pub fn join_flows(&self, all: &[(usize, Flows)]) -> Flows {
        // By name, as the menu has them: a kind's place is its colour.
        let mut sums: BTreeMap<&str, u64> = BTreeMap::new();
        for kind in all.iter().flat_map(|(_, flows)| &flows.kinds) {
            *sums.entry(&kind.id).or_default() += kind.n_in_window;
        }
        let names: Vec<&str> = sums.keys().copied().collect();
        let kinds = sums.iter().map(|(id, n)| FlowKind { id: (*id).into(), n_in_window: *n }).collect();
        let mut out = Flows { kinds, ..Flows::default() };
        for (at, flows) in all {
            let kinds: Vec<u16> = flows.kinds.iter().map(|k| names.partition_point(|n| *n < k.id.as_str()) as u16).collect();
            for ((&from, &to), &kind) in flows.from.iter().zip(&flows.to).zip(&flows.kind) {
                if let (Some(from), Some(to), Some(&kind)) = (self.join(*at, from), self.join(*at, to), kinds.get(usize::from(kind))) {
                    out.from.push(from);
                    out.to.push(to);
                    out.kind.push(kind);
                }
            }
            out.n_wanted += flows.n_wanted;
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::SliceId;
    use crate::views::timeline::aligned::stack::stack;
    use crate::views::timeline::lookup::sample::sample;
    use std::sync::Arc;

    #[test]
    fn arrows_of_all_workers_are_joined() {
        let one = Arc::new(sample());
        let s = stack(&[("host_0".into(), one.clone()), ("host_1".into(), one)]);
        let n = sample().start.len() as u32;
        let flows = |kinds: &[&str], from: u32, kind| Flows {
            kinds: kinds.iter().map(|k| FlowKind { id: (*k).into(), n_in_window: 1 }).collect(),
            from: vec![SliceId(from)],
            to: vec![SliceId(0)],
            kind: vec![kind],
            n_wanted: 7,
        };
        let all = s.join_flows(&[(0, flows(&["fwdbwd"], 1, 0)), (1, flows(&["ac2g", "fwdbwd"], 2, 1))]);
        assert_eq!((all.from, all.to, all.kind), (vec![SliceId(1), SliceId(2 + n)], vec![SliceId(0), SliceId(n)], vec![1, 1]));
        let kinds: Vec<_> = all.kinds.iter().map(|k| (k.id.as_str(), k.n_in_window)).collect();
        assert_eq!((kinds, all.n_wanted), (vec![("ac2g", 1), ("fwdbwd", 2)], 14));
    }
}
