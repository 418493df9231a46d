//! What the one-row tables say of the profile as a whole.

use super::table::Table;
use crate::base::Ledger;
use crate::formats::neuron_json::without_hardware;
use crate::formats::wording;
use crate::model::{Cell, Fact, Meta, NeuronDevice};
use std::collections::{BTreeMap, HashMap};
use std::ops::ControlFlow;

/// (group, name, table, column).
const FACTS: [(&str, &str, &str, &str); 15] = [
    ("Run", "Instance type", "Metadata", "instance_type"),
    ("Run", "Profile", "Metadata", "profile_name"),
    ("Run", "NEFF", "NeffHeader", "network_name"),
    ("Run", "NEFF uuid", "NeffHeader", "uuid"),
    ("Run", "NEFF features", "NeffHeader", "enabled_features"),
    ("Hardware", "Physical NeuronCores", "Metadata", "num_physical_cores"),
    ("Hardware", "Tensor engine clock (GHz)", "Metadata", "tensor_engine_clock_freq"),
    ("Hardware", "Other engines' clock (GHz)", "Metadata", "vector_engine_clock_freq"),
    ("Versions", "Neuron Runtime", "Metadata", "runtime_version"),
    ("Versions", "Driver", "Metadata", "driver_version"),
    ("Versions", "Collectives", "Metadata", "collectives_version"),
    ("Versions", "Compiler", "Metadata", "compiler_version"),
    ("Versions", "Profiler", "Metadata", "profiler_version"),
    ("Versions", "NTFF version", "Metadata", "ntff_version"),
    ("Versions", "Schema", "Metadata", "profile_schema_version"),
];

/// Columns of `Metadata` that values are computed from.
pub const HARDWARE: &[&str] =
    &["tensor_engine_clock_freq", "tensor_engine_num_rows", "tensor_engine_num_cols", "vector_engine_clock_freq", "hbm_ddr_bandwidth"];

/// The first rows of `Metadata` and `NeffHeader`, and all warnings.
pub struct Facts {
    rows: HashMap<&'static str, HashMap<String, Cell>>,
    warnings: Vec<String>,
    /// NeuronCore of the first physical core.
    pub first_core: Option<i64>,
    /// `Metadata.profile_name`.
    pub title: String,
}

impl Facts {
    /// Reads them.
    pub fn read(tables: &BTreeMap<String, Table>, ledger: &mut Ledger) -> Facts {
        let mut rows = HashMap::new();
        for name in ["Metadata", "NeffHeader"] {
            if let Some(table) = tables.get(name) {
                rows.insert(name, first_row(table));
            }
        }
        let mut facts = Facts { rows, warnings: Vec::new(), first_core: None, title: String::new() };
        facts.first_core = facts.int("Metadata", "neuroncore_idx");
        facts.title = facts.text("Metadata", "profile_name");
        for file in tables.get("Warning").into_iter().flat_map(|t| &t.files) {
            // What cannot be read of it is in the ledger by its table.
            let _ = file.rows(&["message"], (0, 50), |b, _| {
                facts.warnings.extend((0..b.n_rows).map(|row| b.text(0, row).to_string()).take(50));
                ControlFlow::Break(())
            });
        }
        if let Some(version) = Some(facts.text("Metadata", "profile_schema_version")).filter(|v| !v.is_empty() && !v.starts_with("7.")) {
            ledger.note(format!("The tables use schema {version}; this page supports 7.4.0. Renamed columns are missing."));
        }
        if facts.text("Metadata", "is_simulation") == "true" {
            ledger.note(wording::SIMULATION);
        }
        facts
    }

    fn cell(&self, table: &str, column: &str) -> Option<&Cell> {
        self.rows.get(table)?.get(column)
    }

    fn int(&self, table: &str, column: &str) -> Option<i64> {
        match self.cell(table, column)? {
            Cell::Int(n) => Some(*n),
            Cell::Text(text) => text.trim().parse().ok(),
            _ => None,
        }
    }

    fn text(&self, table: &str, column: &str) -> String {
        match self.cell(table, column) {
            Some(Cell::Text(text)) => text.clone(),
            Some(Cell::Int(n)) => n.to_string(),
            // Clocks are written in single precision.
            Some(Cell::Float(n)) => (*n as f32).to_string(),
            _ => String::new(),
        }
    }

    /// Physical cores in `Metadata`.
    pub fn n_cores(&self) -> Option<i64> {
        self.int("Metadata", "num_physical_cores").filter(|n| (1..=4096).contains(n))
    }

    /// Metadata and the domain part, from the tables and the names of unreadable ones.
    pub fn meta(&self, title: String, n_cores: usize, tables: (&BTreeMap<String, Table>, &[String])) -> (Meta, NeuronDevice) {
        let mut facts = Vec::new();
        let mut add = |group: &str, name: &str, value: String| {
            if !value.is_empty() {
                facts.push(Fact { group: group.into(), name: name.into(), value });
            }
        };
        let ends = self.int("Metadata", "first_hw_timestamp").zip(self.int("Metadata", "last_hw_timestamp"));
        let window_ns = ends.map_or(0, |(first, last)| last.saturating_sub(first).max(0));
        if window_ns > 0 {
            add("Run", "Execution window", crate::base::text::time_exact(window_ns));
        }
        for (group, name, table, column) in FACTS {
            add(group, name, self.text(table, column));
        }
        for message in &self.warnings {
            add("Warnings of the profiler", "Warning", message.clone());
        }
        let domain = NeuronDevice {
            instance_type: self.text("Metadata", "instance_type"),
            n_cores: self.n_cores().map_or(n_cores as u32, |n| n as u32),
            window_ns,
            ..NeuronDevice::default()
        };
        let meta = Meta {
            format: crate::formats::neuron_parquet::ID.into(),
            title,
            origin: "start of the execution window".into(),
            facts,
            not_available: [not_available(tables), self.hardware(window_ns)].concat(),
            ..Meta::default()
        };
        (meta, domain)
    }
}

impl Facts {
    /// What is not available because a number in `Metadata` is missing. Without the table there is one note for all.
    fn hardware(&self, window_ns: i64) -> Vec<String> {
        let Some(row) = self.rows.get("Metadata") else { return Vec::new() };
        let number = |name: &str| match row.get(name) {
            Some(Cell::Int(n)) => Some(*n as f64),
            Some(Cell::Float(n)) => Some(*n),
            _ => None,
        };
        without_hardware("the table Metadata", window_ns, &|name, _| number(name).is_some_and(|n| n > 0.0))
    }
}

fn not_available((tables, unreadable): (&BTreeMap<String, Table>, &[String])) -> Vec<String> {
    const EXPECTED_TABLES: [(&str, &str); 6] = [
        ("Instruction", "Instructions"),
        ("DmaPacket", "Single DMA packets"),
        ("SemaphoreUpdate", "Semaphore updates"),
        ("Summary", "The profiler's own summary"),
        ("Metadata", "Clocks, bandwidths and versions"),
        ("NeffHeader", "NEFF header"),
    ];
    let line = |(table, what): &(&str, &str)| match tables.get(*table) {
        Some(found) if found.is_lost() => Some(format!("{what} (the table {table} cannot be read)")),
        Some(_) => None,
        None if unreadable.iter().any(|name| name == table) => Some(format!("{what} (the table {table} cannot be read)")),
        None => Some(format!("{what} (table {table} is missing)")),
    };
    EXPECTED_TABLES.iter().filter_map(line).collect()
}

/// The first row of a table by column; empty where it cannot be read.
pub fn first_row(table: &Table) -> HashMap<String, Cell> {
    let columns = table.columns();
    let wanted: Vec<&str> = columns.iter().map(String::as_str).collect();
    let mut out = HashMap::new();
    for file in &table.files {
        // An unreadable table gives no values; it is in the ledger.
        let _ = file.rows(&wanted, (0, 1), |b, _| {
            if b.n_rows > 0 && out.is_empty() {
                out.extend(columns.iter().enumerate().map(|(at, name)| (name.clone(), b.cell(at, 0))));
            }
            ControlFlow::Break(())
        });
    }
    out
}
