//! Bandwidth between host and device as curves: the sum of the transfers under way, by direction and NeuronCore.

use super::store::Store;
use crate::base::Order as _;
use crate::base::StrId;
use crate::model::system::{Row, RowKind};
use crate::model::{CounterSpec, RawSliceId};
use std::collections::BTreeMap;

/// Changes of rate: (time, to the device, bytes a second).
type Changes = Vec<(i64, bool, f64)>;

/// A curve for each core with transfers of known size and duration. The bytes are spread evenly over the duration.
pub(in crate::formats) fn curves(store: &mut Store, transfers: &[(RawSliceId, bool, Option<u64>)]) {
    let mut by_core: BTreeMap<(StrId, StrId, StrId), Changes> = BTreeMap::new();
    for &(slice, is_to_device, bytes) in transfers {
        let (start, duration, _) = store.builder.raw(slice);
        let (Some(bytes), true) = (bytes, duration > 0) else {
            continue;
        };
        let row = store.rows.facts.get(store.builder.track_of(slice).index()).copied().unwrap_or_default();
        let rate = bytes as f64 / (duration as f64 / 1e9);
        let changes = by_core.entry((row.instance, row.process, row.core)).or_default();
        changes.push((start, is_to_device, rate));
        changes.push((start.saturating_add(duration), is_to_device, -rate));
    }
    for ((instance, process, core), changes) in by_core {
        let samples = steps(changes);
        let words = [instance, process, core].map(|id| store.builder.strings.get(id).to_string());
        let parent = store.rows.process(&mut store.builder, &words[0], &words[1]);
        let group = store.rows.group(&mut store.builder, Some(parent), "Transfers", 3);
        let name = if words[2].is_empty() { "Bandwidth".to_string() } else { format!("NC {} bandwidth", words[2]) };
        let row = Row { kind: RowKind::Bandwidth, instance, process, core, ..Row::default() };
        let track = store.rows.curve(&mut store.builder, group, &name, row);
        let series = vec!["Host to device".into(), "Device to host".into()];
        store.builder.counter(track, CounterSpec { unit: "B/s".into(), is_stacked: false, series, samples });
    }
}

/// The sum of rates after each moment at which one changes.
fn steps(mut changes: Changes) -> Vec<(i64, Vec<f64>)> {
    changes.order_by_key(|c| c.0);
    let mut out: Vec<(i64, Vec<f64>)> = Vec::new();
    // Float sums have a rounding error at the end; the number of open transfers shows when the sum is 0.
    let (mut rates, mut n) = ([0.0f64; 2], [0i64; 2]);
    for (time, is_to_device, rate) in changes {
        let at = usize::from(!is_to_device);
        n[at] += if rate > 0.0 { 1 } else { -1 };
        rates[at] = if n[at] == 0 { 0.0 } else { (rates[at] + rate).max(0.0) };
        match out.last_mut() {
            Some(last) if last.0 == time => last.1 = rates.to_vec(),
            _ => out.push((time, rates.to_vec())),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_add_up_while_transfers_overlap() {
        let got = steps(vec![(0, true, 2.0), (10, true, -2.0), (5, true, 1.0), (15, true, -1.0), (5, false, 4.0), (9, false, -4.0)]);
        let want = [(0, vec![2.0, 0.0]), (5, vec![3.0, 4.0]), (9, vec![3.0, 0.0]), (10, vec![1.0, 0.0]), (15, vec![0.0, 0.0])];
        assert_eq!(got, want);
    }
}
