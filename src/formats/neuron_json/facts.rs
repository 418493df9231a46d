//! What the tables of a profile say of it as a whole.

use super::tables::Tables;
use crate::base::Ledger;
use crate::formats::wording;
use crate::model::{Cell, Fact, Meta, NeuronDevice};

/// (group, name, table, column).
const FACTS: [(&str, &str, &str, &str); 15] = [
    ("Run", "Instance type", "summary", "instance_type"),
    ("Run", "Profile", "profile_info", "profile_name"),
    ("Run", "Kind of profile", "profile_info", "profile_type"),
    ("Run", "NEFF", "neff_header", "network_name"),
    ("Run", "NEFF uuid", "neff_header", "uuid"),
    ("Run", "NEFF features", "neff_header", "enabled_features"),
    ("Hardware", "Physical NeuronCores", "metadata", "num_physical_cores"),
    ("Hardware", "Tensor engine clock (GHz)", "metadata", "pe_clock_freq"),
    ("Hardware", "Other engines' clock (GHz)", "metadata", "pe_clock_others"),
    ("Versions", "Neuron Runtime", "summary", "runtime_version"),
    ("Versions", "Driver", "summary", "driver_version"),
    ("Versions", "Collectives", "summary", "collectives_version"),
    ("Versions", "Compiler", "summary", "compiler_version"),
    ("Versions", "Profiler", "profile_info", "profiler_version"),
    ("Versions", "NTFF version", "metadata", "ntff_version"),
];

/// Facts and the domain part.
pub(super) fn meta(title: &str, tables: &Tables, n_cores: usize, ledger: &mut Ledger) -> (Meta, NeuronDevice) {
    let mut facts = Vec::new();
    let mut add = |group: &str, name: &str, value: String| {
        if !value.is_empty() {
            facts.push(Fact { group: group.into(), name: name.into(), value });
        }
    };
    let first = tables.first_int("metadata", "first_hw_timestamp").unwrap_or(0);
    let window_ns = tables.first_int("metadata", "last_hw_timestamp").map_or(0, |last| last.saturating_sub(first).max(0));
    if window_ns > 0 {
        add("Run", "Execution window", crate::base::text::time_exact(window_ns));
    }
    for (group, name, table, column) in FACTS {
        add(group, name, tables.first_text(table, column));
    }
    for message in tables.texts("warnings", "message").into_iter().take(50) {
        add("Warnings of the profiler", "Warning", message);
    }
    let is_simulation = tables.first_text("metadata", "is_simulation") == "true";
    if is_simulation {
        ledger.note(wording::SIMULATION);
    }
    let n_recorded = tables.first_int("metadata", "num_physical_cores").filter(|n| (1..=4096).contains(n));
    let domain = NeuronDevice {
        instance_type: tables.first_text("summary", "instance_type"),
        n_cores: n_recorded.map_or(n_cores as u32, |n| n as u32),
        window_ns,
        ..NeuronDevice::default()
    };
    let meta = Meta {
        format: "neuron_json".into(),
        title: title.into(),
        origin: "start of the execution window".into(),
        facts,
        not_available: [not_available(tables), hardware(tables, window_ns)].concat(),
        ..Meta::default()
    };
    (meta, domain)
}

fn hardware(tables: &Tables, window_ns: i64) -> Vec<String> {
    let has = |_: &str, name: &str| match tables.first("metadata", name) {
        Some(Cell::Int(n)) => *n > 0,
        Some(Cell::Float(n)) => *n > 0.0,
        _ => false,
    };
    match tables.has("metadata") {
        true => without_hardware("the section metadata", window_ns, &has),
        false => vec!["Clocks, bandwidths and the duration of the run (no section `metadata`)".into()],
    }
}

/// What is not available where the metadata lack a number; `metadata` is what they are called in the file, and `has` states what is there, by the
/// name that tables of Neuron Explorer give it and by that of the JSON.
pub(crate) fn without_hardware(metadata: &str, window_ns: i64, has: &dyn Fn(&str, &str) -> bool) -> Vec<String> {
    const FLOPS: [(&str, &str, &str); 4] = [
        ("tensor_engine_clock_freq", "pe_clock_freq", "the tensor engine clock"),
        ("tensor_engine_num_rows", "pe_num_rows", "its rows"),
        ("tensor_engine_num_cols", "pe_num_cols", "its columns"),
        ("num_physical_cores", "num_physical_cores", "the number of cores"),
    ];
    let missing = FLOPS.iter().filter(|(table, json, _)| !has(table, json)).map(|f| f.2);
    let missing: Vec<&str> = missing.collect();
    let mut out = Vec::new();
    if !missing.is_empty() {
        out.push(format!("FLOPs utilization (MFU, HFU) and compute ceilings ({metadata} does not record {})", missing.join(", ")));
    }
    if !has("hbm_ddr_bandwidth", "hbm_ddr_bandwidth") {
        out.push(format!("Memory bandwidth utilization and the memory ceiling ({metadata} does not record the HBM bandwidth)"));
    }
    if window_ns <= 0 {
        out.push(format!("The duration of the run ({metadata} does not record its start and end)"));
    }
    out
}

fn not_available(tables: &Tables) -> Vec<String> {
    let mut out = Vec::new();
    let warnings = tables.texts("warnings", "message").join(" ");
    if warnings.contains("DGE") || warnings.contains("dge-notifs") {
        out.push("Source, destination and variable of dynamic DMA transfers (captured without DGE notifications)".into());
    }
    if warnings.contains("HLO stats") {
        out.push("Model FLOPs from HLO (the NEFF has no HLO statistics)".into());
    }
    out
}
