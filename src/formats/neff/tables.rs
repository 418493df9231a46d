//! Metadata of a NEFF as tables and facts.

use super::Neff;
use super::header::hex;
use crate::base::Order as _;
use crate::base::{Ledger, Severity, text};
use crate::formats::neuron_json::tables::Tables;
use crate::model::{Cell, Fact};
use serde_json::{Map, Value};

type Row = Vec<(&'static str, Cell)>;

fn cell(text: impl Into<String>) -> Cell {
    Cell::Text(text.into())
}

fn int(n: u64) -> Cell {
    i64::try_from(n).map_or_else(|_| Cell::Text(n.to_string()), Cell::Int)
}

/// Adds the tables: header, tensors, statistics, graphs, queues; with the members when `has_members`.
pub(crate) fn write(neff: &Neff, has_members: bool, tables: &mut Tables, ledger: &mut Ledger) {
    tables.row("neff_header", header_row(neff).into_iter());
    if has_members {
        for (name, size) in &neff.archive.members {
            if !tables.row("neff_members", [("name", cell(name.as_str())), ("bytes", int(*size))].into_iter()) {
                ledger.skip(Severity::Info, "table_too_long", "More members than the table can hold.", 0, || name.clone());
            }
        }
    }
    if let Some(stats) = json(neff, "hlo_stats.json", ledger) {
        for (name, value) in &stats {
            tables.row("hlo_stats", [("name", cell(name.as_str())), ("value", number(value))].into_iter());
        }
    }
    let subgraphs = subgraphs(neff, ledger);
    let mut seen = rustc_hash::FxHashSet::default();
    for subgraph in &subgraphs {
        let definition = json(neff, &format!("{subgraph}/def.json"), ledger).unwrap_or_default();
        let map = json(neff, &format!("{subgraph}/tensor_map.json"), ledger).unwrap_or_default();
        for row in tensors(&definition, &map) {
            if seen.insert(format!("{row:?}")) {
                tables.row("neff_node", row.into_iter());
            }
        }
        for row in queues(subgraph, &definition) {
            tables.row("neff_queues", row.into_iter());
        }
        for engine in crate::formats::ntff::NEFF_ENGINES {
            if let Some(size) = neff.archive.size(&format!("{subgraph}/{engine}.bin")) {
                let row = [("subgraph", cell(subgraph.as_str())), ("engine", cell(engine)), ("instructions", int(size / 64))];
                tables.row("neff_programs", row.into_iter());
            }
        }
    }
}

/// Facts for the profile's page.
pub(crate) fn facts(neff: &Neff, ledger: &mut Ledger) -> Vec<Fact> {
    let info = json(neff, "info.json", ledger).unwrap_or_default();
    let kelf = json(neff, "kelf-0.json", ledger).unwrap_or_default();
    let text_of = |map: &Map<String, Value>, key: &str| map.get(key).and_then(Value::as_str).unwrap_or_default().to_string();
    let h = &neff.header;
    let rows = [
        ("Network", h.network.clone()),
        ("uuid", hex(&h.uuid)),
        ("Hash", h.hash.clone()),
        ("NEFF version", format!("{}.{} (package {})", h.major, h.minor, h.package_version)),
        ("Build", h.build.clone()),
        ("Compiler", text_of(&info, "tool_version")),
        ("Target", text_of(&kelf, "target")),
        ("Logical NeuronCores", h.n_logical_cores.to_string()),
        ("Physical cores per logical core", h.lnc_size.to_string()),
        ("Feature bits", format!("{:#x}", h.features)),
        ("Data", text::bytes(h.data_size)),
        ("Members", neff.archive.members.len().to_string()),
    ];
    let rows = rows.into_iter().filter(|(_, value)| !value.is_empty());
    rows.map(|(name, value)| Fact { group: "NEFF".into(), name: name.into(), value }).collect()
}

fn header_row(neff: &Neff) -> Row {
    let h = &neff.header;
    vec![
        ("network_name", cell(h.network.as_str())),
        ("uuid", cell(hex(&h.uuid))),
        ("hash", cell(h.hash.as_str())),
        ("package_version", cell(h.package_version.to_string())),
        ("major_version", cell(h.major.to_string())),
        ("minor_version", cell(h.minor.to_string())),
        ("build_version", cell(h.build.as_str())),
        ("header_size", cell(super::header::HEADER.to_string())),
        ("data_size", cell(h.data_size.to_string())),
        ("number_of_logical_neuroncores", cell(h.n_logical_cores.to_string())),
        ("number_of_neuroncores_per_lnc", cell(h.lnc_size.to_string())),
        ("feature_bits", cell(format!("{:#x}", h.features))),
    ]
}

/// The target with verified instruction words: trn2.
const VERIFIED_TARGET: &str = "cayman";

/// Whether the programs are for hardware with verified instruction words.
pub(super) fn is_verified_target(neff: &Neff) -> bool {
    let kelf = json(neff, "kelf-0.json", &mut Ledger::default()).unwrap_or_default();
    kelf.get("target").and_then(Value::as_str) == Some(VERIFIED_TARGET)
}

/// Names of the subgraphs, from the list of graphs or else from the members.
pub(super) fn subgraphs(neff: &Neff, ledger: &mut Ledger) -> Vec<String> {
    let kelf = json(neff, "kelf-0.json", ledger).unwrap_or_default();
    let graphs = kelf.get("graphs").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let mut names: Vec<String> = graphs.iter().filter_map(|g| g.get("name")?.as_str().map(str::to_string)).collect();
    if names.is_empty() {
        names = neff.archive.members.iter().filter_map(|m| m.0.strip_suffix("/def.json").map(str::to_string)).collect();
    }
    names.order();
    names.dedup();
    names.truncate(1024);
    names
}

/// Inputs, outputs and weights: names and sizes of the definition, shapes of the tensor map.
fn tensors(definition: &Map<String, Value>, map: &Map<String, Value>) -> Vec<Row> {
    let variables = definition.get("var").and_then(Value::as_object);
    let rows = variables.into_iter().flatten().filter_map(|(name, variable)| {
        let kind = match variable.get("type")?.as_str()? {
            "input" => "IN",
            "output" => "OUT",
            "file" => "WEIGHT",
            _ => return None,
        };
        let file = variable.get("file_name").and_then(Value::as_str);
        let of_file = |t: &&Value| file.is_some() && t.get("tf_file").and_then(Value::as_str) == file;
        let tensor = map.get(name).or_else(|| map.values().find(of_file));
        let text_of = |key: &str| tensor.and_then(|t| t.get(key)?.as_str()).map_or(Cell::Absent, cell);
        let shape = tensor
            .and_then(|t| t.get("sim_shape")?.as_array())
            .map_or(Cell::Absent, |dims| cell(format!("[{}]", dims.iter().map(Value::to_string).collect::<Vec<_>>().join(" "))));
        Some(vec![
            ("variable_name", cell(name.as_str())),
            ("type", cell(kind)),
            ("format", text_of("sim_format")),
            ("dtype", text_of("dtype")),
            ("shape", shape),
            ("size", variable.get("size").map_or(Cell::Absent, |n| cell(n.to_string()))),
        ])
    });
    rows.collect()
}

fn queues(subgraph: &str, definition: &Map<String, Value>) -> Vec<Row> {
    let queues = definition.get("dma_queue").and_then(Value::as_object);
    let rows = queues.into_iter().flatten().map(|(name, queue)| {
        let get = |key: &str| queue.get(key).map_or(Cell::Absent, number);
        vec![
            ("subgraph", cell(subgraph)),
            ("name", cell(name.as_str())),
            ("type", get("type")),
            ("owner", get("owner")),
            ("num_queues", get("num_queues")),
            ("semaphore_set", get("semaphore_set")),
        ]
    });
    rows.collect()
}

fn number(value: &Value) -> Cell {
    match value {
        Value::Null => Cell::Absent,
        Value::String(text) => cell(text.as_str()),
        Value::Number(n) => n.as_i64().map(Cell::Int).or(n.as_f64().map(Cell::Float)).unwrap_or_else(|| cell(n.to_string())),
        other => cell(other.to_string()),
    }
}

/// A member that should be a JSON object.
fn json(neff: &Neff, name: &str, ledger: &mut Ledger) -> Option<Map<String, Value>> {
    let bytes = neff.archive.file(name)?;
    match serde_json::from_slice::<Value>(bytes) {
        Ok(Value::Object(map)) => Some(map),
        _ => {
            let reason = "A member expected to be a JSON object is not valid JSON.";
            ledger.skip(Severity::Warning, "unreadable_member", reason, 0, || name.into());
            None
        }
    }
}
