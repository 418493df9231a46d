//! Metrics of a whole run that the profiler's summary counts and rows give: instructions of a kind, sums of durations, bytes.

use crate::analysis::device::activity::active_times;
use crate::analysis::device::activity::lanes::Counted;
use crate::analysis::device::cells;
use crate::analysis::device::run_metrics::metrics::Computed;
use crate::base::for_each_chunk;
use crate::model::{NeuronDevice, Profile, TrackKind};

/// Sums of the durations of each engine, in the order of its name on the timeline.
const TIMES: [(&str, &str); 5] = [
    ("Tensor", "tensor_engine_instruction_time"),
    ("Vector", "vector_engine_instruction_time"),
    ("Scalar", "scalar_engine_instruction_time"),
    ("GpSimd", "gpsimd_engine_instruction_time"),
    ("Sync", "sync_engine_instruction_time"),
];

/// (metric, bytes of what) of the table that a decoded trace has.
const BYTES: [(&str, &str); 6] = [
    ("sbuf_read_bytes", "bytes that instructions and transfers read from the State Buffer"),
    ("sbuf_write_bytes", "bytes that instructions and transfers wrote to the State Buffer"),
    ("psum_read_bytes", "bytes that instructions read from PSUM"),
    ("psum_write_bytes", "bytes that instructions wrote to PSUM"),
    ("psum_read_sbuf_write_bytes", "bytes that instructions moved from PSUM to the State Buffer"),
    ("psum_read_sbuf_write_count", "instructions that moved data from PSUM to the State Buffer"),
];

/// The metrics; what the rows do not record is omitted.
pub(in crate::analysis::device) fn counts(profile: &Profile) -> Vec<Computed> {
    let mut out: Vec<Computed> = Vec::new();
    let opcodes = active_times::opcode_times(profile);
    for (engine, name) in TIMES {
        // Waiting for a semaphore is no work.
        let own = opcodes.iter().filter(|o| o.engine == engine && o.opcode != "EVENT_SEMAPHORE").map(|o| o.time_ns);
        let sum = own.reduce(i64::saturating_add);
        out.extend(
            sum.map(|ns| (name, ns as f64 / 1e9, "sum of the durations of the engine's instructions, without waits for semaphores")),
        );
    }
    let of = |opcode: &str| opcodes.iter().filter(|o| o.opcode == opcode).fold((0u64, 0i64), |s, o| (s.0 + o.count, s.1 + o.time_ns));
    if !opcodes.is_empty() {
        let (n, time) = of("ACTIVATE");
        out.push(("matmul_instruction_count", of("MATMUL").0 as f64, "instructions MATMUL"));
        out.push(("activate_instruction_count", n as f64, "instructions ACTIVATE"));
        out.push(("activate_instruction_time", time as f64 / 1e9, "sum of the durations of ACTIVATE"));
    }
    if let Some(table) = cells::table(profile, &["instruction_totals"]) {
        for (name, how) in BYTES {
            let [column] = cells::columns(table, [&[name]]);
            let value = table.rows.first().and_then(|row| cells::int(row, column));
            out.extend(value.map(|n| (name, n as f64, how)));
        }
    }
    if let Some(device) = profile.neuron_device() {
        let ns = packet_time(profile, device);
        out.extend((ns > 0).then_some(("dma_packet_time", ns as f64 / 1e9, "sum of the durations of the DMA packets")));
    }
    out
}

/// Durations of the packets that the profiler counts.
fn packet_time(profile: &Profile, device: &NeuronDevice) -> i64 {
    let mut sum = 0i64;
    for (t, _) in profile.tracks.iter().enumerate().filter(|t| t.1.kind == TrackKind::Queue) {
        let slices = profile.slices_of(crate::base::TrackId(t as u32));
        let mut counted = Counted::from(device, slices.start);
        for_each_chunk(slices.len(), &mut |part| {
            for i in part.map(|k| slices.start + k).filter(|i| counted.has(*i)) {
                sum = sum.saturating_add(profile.slices.duration[i]);
            }
        });
    }
    sum
}
