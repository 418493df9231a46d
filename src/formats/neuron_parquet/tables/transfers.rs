//! Rows of the tables `DmaPacket` and `DmaPacketAggregated`.

use super::reading::{Reading, RowsOfTable};
use super::table::{Table, column, span};
use crate::base::StrId;
use crate::formats::neuron_json::timeline::{Ring, Transfer};
use crate::formats::neuron_parquet::pages::batch::Batch;
use crate::model::RecordRef;
use crate::model::domain::TransposingDma;
use rustc_hash::FxHashMap;
use std::ops::ControlFlow;

const TRANSFER: [&str; 12] = [
    "start_ts",
    "end_ts",
    "duration_ns",
    "pcore_idx",
    "engine_idx",
    "queue_idx",
    "queue_name",
    "variable",
    "transfer_bytes",
    "id",
    "queue_type",
    "packet_aggregation_id",
];

/// Rings by core, engine and queue, as the columns number them; where they do not, by the queue's name.
#[derive(Default)]
struct Rings {
    numbered: FxHashMap<[i64; 3], Ring>,
    /// Cache of the last ring for these numbers.
    recent: Vec<([i64; 3], Ring)>,
    named: FxHashMap<(usize, Option<i64>, Option<i64>, StrId), Ring>,
}

impl Rings {
    const N_RECENT: usize = 1 << 10;

    #[inline(always)]
    fn of(&mut self, r: &mut Reading, numbers: [i64; 3]) -> Ring {
        let mixed = numbers[0].wrapping_mul(7) ^ numbers[1].wrapping_mul(31) ^ numbers[2].wrapping_mul(503);
        let at = mixed as usize % Self::N_RECENT;
        match self.recent.get(at) {
            Some((known, ring)) if *known == numbers => *ring,
            _ => self.find(r, numbers, at),
        }
    }

    #[inline(never)]
    fn find(&mut self, r: &mut Reading, numbers: [i64; 3], at: usize) -> Ring {
        let core = r.core(Some(numbers[0]));
        let [_, engine, queue] = numbers.map(|n| n.to_string());
        let ring = *self.numbered.entry(numbers).or_insert_with(|| r.t.ring(core, &engine, &queue));
        self.recent.resize(Self::N_RECENT, ([i64::MIN; 3], ring));
        self.recent[at] = (numbers, ring);
        ring
    }

    /// The name has data that the numbers lack.
    #[inline(never)]
    fn by_name(&mut self, r: &mut Reading, pcore: Option<i64>, numbers: [Option<i64>; 2], name: StrId) -> Ring {
        let core = r.core(pcore);
        let [engine, queue] = numbers;
        *self.named.entry((core, engine, queue, name)).or_insert_with(|| {
            let name = r.t.builder.strings.get(name).to_string();
            let engine = engine.map_or_else(|| engine_of(&name).to_string(), |n| n.to_string());
            let queue = queue.map_or_else(|| name.clone(), |n| n.to_string());
            r.t.ring(core, &engine, &queue)
        })
    }
}

/// How the rows of the table of transfers with that place among the tables of slices get on the timeline.
pub fn rows(kind: usize, are_links_wanted: bool) -> RowsOfTable<'static> {
    let mut rings = Rings::default();
    let (mut found, mut rows_of_found) = (Vec::new(), Vec::new());
    let wanted = TRANSFER.map(|name| if name.ends_with("id") && !are_links_wanted { "" } else { name });
    let put = move |r: &mut Reading, b: &Batch, first| {
        let [starts, ends, durations, pcores, engines, queues] = [0, 1, 2, 3, 4, 5].map(|column| b.ints(column));
        let (bytes, ids, blocks) = (b.ints(8), b.ints(9), b.ints(11));
        let strings = &mut r.t.builder.strings;
        let (names, variables, queue_types) = (b.ids(6, strings), b.ids(7, strings), b.ids(10, strings));
        found.clear();
        rows_of_found.clear();
        for row in 0..b.n_rows {
            let Some((start, duration)) = span(starts.get(row), ends.get(row), durations.get(row)) else {
                continue;
            };
            let ring = match (pcores.get(row), engines.get(row), queues.get(row)) {
                (Some(pcore), Some(engine), Some(queue)) => rings.of(r, [pcore, engine, queue]),
                (pcore, engine, queue) => rings.by_name(r, pcore, [engine, queue], names.get(row)),
            };
            rows_of_found.push(row);
            found.push(Transfer {
                ring,
                variable: variables.get(row),
                start,
                duration,
                bytes: column(bytes.get(row)),
                queue_type: queue_types.get(row),
                is_duplicate: false,
                is_collective: false,
                record: RecordRef::new(kind, first + row as u64, 1),
            });
        }
        let slices = r.t.transfers(&found)..;
        for ((row, slice), transfer) in rows_of_found.iter().zip(slices).zip(&found) {
            r.links.note(kind, ids.get(*row), slice);
            r.links.packet(blocks.get(*row), (transfer.start, transfer.start.saturating_add(transfer.duration)), slice);
        }
        found.len()
    };
    RowsOfTable { wanted: wanted.to_vec(), put: Box::new(put) }
}

/// What the transfers that transpose are among all; `None` where no row says whether it does. Rows are in the ledger as rows of the timeline or of a
/// table: not here again.
pub fn transposing(table: &Table) -> Option<TransposingDma> {
    let mut out = TransposingDma::default();
    let mut is_recorded = false;
    for file in &table.files {
        // A file that cannot be read to its end is in the ledger by its table.
        let _ = file.rows(&["is_transpose_mode", "transfer_bytes", "duration_ns"], (0, u64::MAX), |b, _| {
            for row in 0..b.n_rows {
                let is_one = b.text(0, row) == "true" || b.int(0, row) == Some(1);
                is_recorded |= b.int(0, row).is_some() || !b.text(0, row).is_empty();
                let (n, ns) = (b.int(1, row).and_then(|n| u64::try_from(n).ok()).unwrap_or(0), b.int(2, row).unwrap_or(0).max(0));
                out.count.1 += 1;
                out.bytes.1 = out.bytes.1.saturating_add(n);
                out.time_ns.1 = out.time_ns.1.saturating_add(ns);
                if is_one {
                    out.count.0 += 1;
                    out.bytes.0 = out.bytes.0.saturating_add(n);
                    out.time_ns.0 = out.time_ns.0.saturating_add(ns);
                }
            }
            ControlFlow::Continue(())
        });
    }
    is_recorded.then_some(out)
}

/// `qScalarSpillReload0-Q1-E64` → `64`.
fn engine_of(queue_name: &str) -> &str {
    queue_name.rsplit_once("-E").map_or("", |p| p.1)
}
