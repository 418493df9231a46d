//! Headings of metrics where the file does not record them, as Parquet tables do not: those that the profiler's JSON gives to the same names.

/// The heading of a metric, in the words of the JSON's `summary_groups`.
pub(in crate::analysis::device) fn group(name: &str) -> &'static str {
    let starts = |starts: &[&str]| starts.iter().any(|start| name.starts_with(start));
    let has = |parts: &[&str]| parts.iter().any(|part| name.contains(part));
    match name {
        _ if starts(&["throttle_"]) && has(&["_nc1_"]) => "throttling_nc1",
        _ if starts(&["throttle_"]) => "throttling_nc0",
        _ if starts(&["software_dynamic_"]) => "software_data_movement",
        _ if starts(&["hardware_dynamic_"]) => "hardware_data_movement",
        _ if starts(&["tensor_engine_", "mfu_", "hfu_", "matmul_"]) => "tensor_engine",
        _ if starts(&["vector_engine_"]) => "vector_engine",
        _ if starts(&["scalar_engine_", "activate_"]) => "scalar_engine",
        _ if starts(&["gpsimd_engine_"]) => "gpsimd_engine",
        _ if starts(&["sync_engine_"]) => "sync_engine",
        _ if starts(&["cc_"]) => "cc_engine",
        _ if starts(&["total_active_time"]) => "summary",
        _ if starts(&["s3_"]) => "server_upload",
        _ if has(&["_version", "instance_", "ultraserver"]) || name.ends_with("_idx") => "system",
        _ if starts(&["q"]) => "dma_queue",
        _ if has(&["dma_", "hbm_", "sbuf_", "psum_", "mbu_", "spill_", "_size_bytes", "_queue_bytes"]) => "data_movement",
        _ => "overall_stats",
    }
}
