//! A system profile of LLM serving, made up: bursts of requests, each a prefill and its decode steps, on logical cores of two physical ones.
//! Written as profilers since mid-2026 write it.

use std::io::{Result, Write};

/// When the profile begins, epoch nanoseconds.
pub const EPOCH: i64 = 1_790_000_000_000_000_000;

/// What is served.
#[derive(Debug, Clone, Copy)]
pub struct Serving {
    /// Bursts of traffic, 30 s apart.
    pub n_bursts: u32,
    /// Requests of a burst.
    pub n_requests: u32,
    /// Decode steps of a request.
    pub n_steps: u32,
    /// Whether executions name their NEFF.
    pub has_models: bool,
}

/// Time of a prefill and of a decode step on the device, nanoseconds.
pub const PREFILL: i64 = 45_000_000;
pub const DECODE: i64 = 5_000_000;
/// From the host's submission to the start on the device, and from the end on the device to the next submission.
pub const SUBMIT: i64 = 200_000;
pub const HOST: i64 = 800_000;
/// Distance of bursts.
pub const BURST: i64 = 30_000_000_000;

struct Writer<'a, W: Write> {
    out: &'a mut W,
    n: u64,
}

impl<W: Write> Writer<'_, W> {
    fn event(&mut self, name: &str, (start, duration): (i64, i64), core: u32, more: &str) -> Result<()> {
        let comma = if self.n == 0 { "" } else { "," };
        self.n += 1;
        let (id, time) = (self.n, EPOCH + start);
        write!(
            self.out,
            "{comma}\n    {{\"duration\": {duration}, \"id\": {id}, \"instance_id\": \"i-0b1ea78ca2865fd32\", \"lnc_idx\": {core}, \"name\": \"{name}\", \"nc_idx\": {core}, \"parent_id\": 0, \"process_id\": \"4711\", \"thread_id\": {}, \"timestamp\": {time}, \"timestamp_unit\": \"ns\", \"worker_gid\": {core}{more}}}",
            4800 + core
        )
    }
}

/// Writes the profile; returns how many events it has.
pub fn write_system(out: &mut impl Write, serving: Serving) -> Result<u64> {
    write!(
        out,
        "{{\n  \"system_profile_metadata\": [{{\"first_ts_ns\": \"{EPOCH}\", \"hbm_capacity_bytes\": 25769803776, \"ntff_version\": 6}}],\n  \"trace_event\": ["
    )?;
    let mut w = Writer { out, n: 0 };
    let path = |phase: &str, bucket: u32| format!("/var/tmp/compile_cache/{phase}/_tp0_bk{bucket}/graph.neff");
    for burst in 0..serving.n_bursts {
        let mut now = i64::from(burst) * BURST;
        for request in 0..serving.n_requests {
            for step in 0..=serving.n_steps {
                let is_prefill = step == 0;
                let model = match (serving.has_models, is_prefill) {
                    (false, _) => String::new(),
                    (_, true) => path("context_encoding_model", request % 2),
                    _ => path("token_generation_model", 0),
                };
                let length = if is_prefill { PREFILL } else { DECODE };
                let model = format!(", \"model_name\": \"{model}\"");
                let exec = format!(", \"exec_id\": \"{burst}-{request}-{step}\"");
                w.event("dmem_buf_copyin", (now, HOST / 4), 0, ", \"size\": 65536, \"tensor_id\": \"4900392441224765051\"")?;
                w.event("nrt_execute", (now + HOST / 2, HOST / 2 + SUBMIT + length), 0, "")?;
                let submit = now + HOST;
                w.event("nrt_model_submit", (submit, SUBMIT / 2), 0, &exec)?;
                w.event("kbl_exec_wait", (submit + SUBMIT, length), 0, "")?;
                for physical in 0..2i64 {
                    let more = format!("{model}{exec}, \"device_core_idx\": {physical}");
                    let start = submit + SUBMIT + physical * 1000;
                    w.event("nc_exec_running", (start, length - 1000), 0, &more)?;
                    w.event("cc_running", (start + length / 2, length / 5), 0, &format!(", \"device_core_idx\": {physical}"))?;
                }
                now = submit + SUBMIT + length;
            }
        }
    }
    let n = w.n;
    write!(out, "\n  ],\n  \"device_mem_usage\": [")?;
    for at in 0..i64::from(serving.n_bursts) {
        let comma = if at == 0 { "" } else { "," };
        let spill = at * (1 << 20);
        let total = 8_000_000_000 + 2 * spill;
        let time = EPOCH + at * BURST;
        write!(
            out,
            "{comma}\n    {{\"hbm_idx\": 0, \"instance_id\": \"i-0b1ea78ca2865fd32\", \"timestamp\": {time}, \"total_bytes\": {total}, \"weights_bytes\": 8000000000, \"dram_spill_bytes\": {spill}, \"dma_rings_spill_bytes\": {spill}}}"
        )?;
    }
    writeln!(
        out,
        "\n  ],\n  \"device_profile_list\": [{{\"device_profile_name\": \"profile_nc_0\", \"instance_id\": \"i-0b1ea78ca2865fd32\", \"nc_id\": 0, \"process_id\": 4711}}]\n}}"
    )?;
    Ok(n)
}
