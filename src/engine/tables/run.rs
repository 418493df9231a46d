//! Tables that describe the run: metadata, summary, tensors, queues, memory, warnings.

use super::cells::{self, cell};
use super::{Column, Kind, Part, Receive, Renamed, SCHEMA_VERSION, Table, TableError, Values, table};
use crate::analysis::device::run_metrics::summary::summary;
use crate::base::Order as _;
use crate::engine::Session;
use crate::model::{Cell, GenericTable, NeuronDevice, Profile};

/// Says of a summary of a trace where its values are from.
const COMPUTED: &str =
    "The values of the table Summary are computed from the trace by Axonscope; the trace holds no summary of the profiler.";

/// Tables of the same rows under other names: (table, that of the device JSON, its columns that are called otherwise).
const SAME: [Renamed; 4] = [
    (
        "DmaQueuesInfo",
        "dma_queues_info",
        &[
            ("name", "q_name"),
            ("type", "q_type"),
            ("idx", "q_idx"),
            ("engine_idx", "q_eng_idx"),
            ("axi_port", "q_axi_port"),
            ("dram_channel", "q_dram_channel"),
        ],
    ),
    ("HbmUsageSummaryByType", "nc_mem_usage", &[("neuron_device_idx", "nd"), ("neuroncore_idx", "nc"), ("usage_bytes", "amount_bytes")]),
    ("TensorInfo", "neff_node", &[]),
    (
        "NeffHeader",
        "neff_header",
        &[("logical_neuroncore_count", "number_of_logical_neuroncores"), ("pcore_count_per_lnc", "number_of_neuroncores_per_lnc")],
    ),
];

/// Column of `Metadata`, and where its value is: (column, table of the device JSON, its column).
const METADATA: [(&str, &str, &str); 21] = [
    ("tensor_engine_num_rows", "metadata", "pe_num_rows"),
    ("tensor_engine_num_cols", "metadata", "pe_num_cols"),
    ("tensor_engine_clock_freq", "metadata", "pe_clock_freq"),
    ("vector_engine_clock_freq", "metadata", "pe_clock_others"),
    ("scalar_engine_clock_freq", "metadata", "pe_clock_others"),
    ("gpsimd_engine_clock_freq", "metadata", "pe_clock_others"),
    ("neuroncore_clock_freq", "metadata", "pe_clock_others"),
    ("instance_type", "summary", "instance_type"),
    ("runtime_version", "summary", "runtime_version"),
    ("collectives_version", "summary", "collectives_version"),
    ("driver_version", "summary", "driver_version"),
    ("compiler_version", "summary", "compiler_version"),
    ("explorer_version", "profile_info", "profiler_version"),
    ("explorer_build_time", "profile_info", "profiler_build_time"),
    ("profile_name", "profile_info", "profile_name"),
    ("neuron_device_idx", "model_info", "nd_idx"),
    ("neuroncore_idx", "model_info", "nc_idx"),
    ("num_physical_cores", "metadata", "num_physical_cores"),
    ("ticks_per_nanosec", "metadata", "ticks_per_nanosec"),
    ("dma_ddr_bandwidth", "metadata", "dma_ddr_bandwidth"),
    ("hbm_ddr_bandwidth", "metadata", "hbm_ddr_bandwidth"),
];

/// The same for values in the metadata of a trace: (column, group, name).
const FACTS: [(&str, &str, &str); 6] = [
    ("instance_type", "Run", "Instance type"),
    ("runtime_version", "Versions", "Neuron Runtime"),
    ("collectives_version", "Versions", "Collectives"),
    ("driver_version", "Versions", "Driver"),
    ("compiler_version", "NEFF", "Compiler"),
    ("profile_name", "Run", "Profile"),
];

fn source<'a>(profile: &'a Profile, id: &str) -> Option<&'a GenericTable> {
    profile.tables.iter().find(|t| t.id == id && !t.rows.is_empty())
}

/// Gives every table of the run that is wanted, and perhaps others.
pub(super) fn tables(
    session: &Session,
    device: &NeuronDevice,
    wants: &dyn Fn(&str) -> bool,
    receive: &mut Receive<'_>,
) -> Result<(), TableError> {
    let profile = &session.profile;
    for (name, id, renamed) in SAME.into_iter().filter(|same| wants(same.0)) {
        if let (Some(table), Some(rows)) = (table(name), source(profile, id)) {
            let part = renamed_rows(&table, rows, renamed);
            receive(&table, part)?;
        }
    }
    let is_summed = wants("Summary") || wants("Warning") || wants("ThrottleSummary");
    let computed = is_summed && source(profile, "summary").is_none() && give_summary_of_trace(profile, receive)?;
    if let Some(rows) = source(profile, "summary") {
        let table = with_other_columns(table("Summary"), rows);
        receive(&table, renamed_rows(&table, rows, &[]))?;
        throttle_summary(rows, receive)?;
    }
    if wants("Metadata") {
        metadata(profile, device, receive)?;
    }
    warnings(profile, computed, receive)?;
    if wants(SCHEMA_FIELDS) { schema_fields(receive) } else { Ok(()) }
}

/// The rows of a table with the columns of another.
fn renamed_rows(table: &Table, rows: &GenericTable, renamed: &[(&str, &str)]) -> Part {
    let column = |c: &Column| {
        let key = renamed.iter().find(|r| r.0 == c.name).map_or(c.name.as_ref(), |r| r.1);
        let value = |row: usize| match c.name.as_ref() {
            "pcore_idx" => {
                let subgraph = ["subgraph", "sg_name"].iter().find_map(|key| cells::text(&cell(rows, row, key)));
                subgraph.and_then(|name| cells::subgraph(&name)).map_or(Cell::Absent, Cell::Int)
            }
            _ => cell(rows, row, key),
        };
        cells::values(c.kind, (0..rows.rows.len()).map(value))
    };
    Part::last(table.columns.iter().map(column).collect())
}

/// The table `Summary` with the metrics that the schema does not have, by name.
fn with_other_columns(summary: Option<Table>, rows: &GenericTable) -> Table {
    let mut out = summary.unwrap_or(Table { name: "Summary".into(), columns: Vec::new() });
    let mut others: Vec<Column> = Vec::new();
    for (at, name) in rows.columns.iter().enumerate() {
        if out.columns.iter().any(|c| c.name == name.as_str()) {
            continue;
        }
        let found: Vec<&Cell> = rows.rows.iter().filter_map(|row| row.get(at)).filter(|c| **c != Cell::Absent).collect();
        let kind = match () {
            () if found.iter().all(|c| matches!(c, Cell::Int(_))) => Kind::Int64,
            () if found.iter().all(|c| matches!(c, Cell::Int(_) | Cell::Float(_))) => Kind::Double,
            () => Kind::Text,
        };
        others.push(Column { name: name.clone().into(), kind, unit: "".into() });
    }
    others.order_by(|a, b| a.name.cmp(&b.name));
    out.columns.extend(others);
    out
}

/// Gives the metrics that are computed from a trace; whether there are any.
fn give_summary_of_trace(profile: &Profile, receive: &mut Receive<'_>) -> Result<bool, TableError> {
    let Some(table) = table("Summary") else { return Ok(false) };
    let metrics = summary(profile, None).metrics;
    let value = |c: &Column| metrics.iter().find(|m| m.name == c.name).and_then(|m| m.computed);
    let is_any = table.columns.iter().any(|c| value(c).is_some());
    if is_any {
        let cell = |c: &Column| match value(c) {
            // Counts are computed as whole numbers in a float.
            Some(v) if matches!(c.kind, Kind::Int64 | Kind::Int32) => Cell::Float(v.round()),
            Some(v) => Cell::Float(v),
            None => Cell::Absent,
        };
        let columns = table.columns.iter().map(|c| cells::values(c.kind, std::iter::once(cell(c)))).collect();
        receive(&table, Part::last(columns))?;
    }
    Ok(is_any)
}

/// `ThrottleSummary` out of the metrics `throttle_activity_0_active_time_nc0_percent` and `throttle_activity_0_avg_util_limit_nc0_percent`.
fn throttle_summary(rows: &GenericTable, receive: &mut Receive<'_>) -> Result<(), TableError> {
    let Some(table) = table("ThrottleSummary") else { return Ok(()) };
    let mut found: Vec<(i64, String, Cell)> = Vec::new();
    for name in &rows.columns {
        let parts = name.strip_prefix("throttle_").and_then(|n| n.strip_suffix("_percent")).and_then(|n| n.split_once("_active_time_nc"));
        if let Some((kind, core)) = parts.and_then(|(kind, core)| Some((kind, core.parse::<i64>().ok()?))) {
            found.push((core, kind.to_string(), cell(rows, 0, name)));
        }
    }
    found.order_by(|a, b| (a.0, &a.1).cmp(&(b.0, &b.1)));
    if found.is_empty() {
        return Ok(());
    }
    let limit = |(core, kind, _): &(i64, String, Cell)| cell(rows, 0, &format!("throttle_{kind}_avg_util_limit_nc{core}_percent"));
    let columns = table.columns.iter().map(|c| {
        let value = |f: &(i64, String, Cell)| match c.name.as_ref() {
            "nc_idx" => Cell::Int(f.0),
            "throttle_type" => Cell::Text(f.1.clone()),
            "throttle_active_time_percent" => f.2.clone(),
            "max_achievable_util_with_throttling_percent" => limit(f),
            _ => Cell::Absent,
        };
        cells::values(c.kind, found.iter().map(value))
    });
    let part = Part::last(columns.collect());
    receive(&table, part)
}

/// `Metadata`: one row, out of several tables of the device JSON, or out of the facts of a trace.
fn metadata(profile: &Profile, device: &NeuronDevice, receive: &mut Receive<'_>) -> Result<(), TableError> {
    let Some(table) = table("Metadata") else { return Ok(()) };
    let first = |id: &str, column: &str| source(profile, id).map_or(Cell::Absent, |rows| cell(rows, 0, column));
    let value = |c: &Column| {
        let name = c.name.as_ref();
        let recorded = match METADATA.iter().find(|m| m.0 == name) {
            Some((_, "model_info", key)) => first_model(profile, key),
            Some((_, id, key)) => first(id, key),
            None if name == "profile_schema_version" => Cell::Text(SCHEMA_VERSION.into()),
            None => first("metadata", name),
        };
        let fact = || {
            let (_, group, name) = FACTS.iter().find(|f| f.0 == name)?;
            let found = profile.meta.facts.iter().find(|f| f.group == *group && f.name == *name)?;
            Some(Cell::Text(found.value.clone()))
        };
        let known = || match name {
            "profile_name" => Some(Cell::Text(profile.meta.title.clone())),
            "num_physical_cores" if device.n_cores > 0 => Some(Cell::Int(device.n_cores.into())),
            "instance_type" if !device.instance_type.is_empty() => Some(Cell::Text(device.instance_type.clone())),
            _ => None,
        };
        let is_recorded = recorded != Cell::Absent && recorded != Cell::Text(String::new());
        if is_recorded { recorded } else { fact().or_else(known).unwrap_or(Cell::Absent) }
    };
    let columns = table.columns.iter().map(|c| cells::values(c.kind, std::iter::once(value(c)))).collect();
    receive(&table, Part::last(columns))
}

/// A value of the first physical core.
fn first_model(profile: &Profile, column: &str) -> Cell {
    let Some(rows) = source(profile, "model_info") else { return Cell::Absent };
    let core = |row: usize| cells::text(&cell(rows, row, "sg_name")).and_then(|name| cells::subgraph(&name));
    let row = (0..rows.rows.len()).filter(|row| core(*row).is_some()).min_by_key(|row| core(*row)).unwrap_or(0);
    cell(rows, row, column)
}

fn warnings(profile: &Profile, is_computed: bool, receive: &mut Receive<'_>) -> Result<(), TableError> {
    let Some(table) = table("Warning") else { return Ok(()) };
    let mut found: Vec<[Option<String>; 2]> = Vec::new();
    if let Some(rows) = source(profile, "warnings") {
        found.extend((0..rows.rows.len()).map(|row| ["message", "category"].map(|key| cells::text(&cell(rows, row, key)))));
    }
    if is_computed {
        found.push([Some(COMPUTED.into()), Some("Computed Data".into())]);
    }
    if found.is_empty() {
        return Ok(());
    }
    let columns = (0..2).map(|at| Values::Texts(found.iter().map(|row| row[at].clone()).collect()));
    receive(&table, Part::last(columns.collect()))
}

/// The table of all columns.
const SCHEMA_FIELDS: &str = "SchemaFields";

/// The columns of `SchemaFields`.
pub(super) fn schema_fields_table() -> Table {
    let names = ["table_name", "field_name", "field_description", "field_type", "field_format", "field_unit"];
    let column = |name: &'static str| Column { name: name.into(), kind: Kind::Text, unit: "".into() };
    Table { name: SCHEMA_FIELDS.into(), columns: names.map(column).to_vec() }
}

/// `SchemaFields`: names, types and units of every column that can be written, with our own words for those that we explain.
fn schema_fields(receive: &mut Receive<'_>) -> Result<(), TableError> {
    let table = schema_fields_table();
    let mut rows: Vec<[Option<String>; 6]> = Vec::new();
    for of in super::all() {
        for c in &of.columns {
            let (kind, format) = match c.kind {
                Kind::Int64 => ("integer", "int64"),
                Kind::Int32 => ("integer", "int32"),
                Kind::Float => ("number", "float"),
                Kind::Double => ("number", "double"),
                Kind::Flag => ("boolean", ""),
                Kind::Text => ("string", ""),
            };
            let meaning = crate::formats::neuron_json::meaning(&c.name).map_or("", |m| m.1);
            let texts = [of.name.as_ref(), c.name.as_ref(), meaning, kind, format, c.unit.as_ref()];
            rows.push(texts.map(|text| (!text.is_empty()).then(|| text.to_string())));
        }
    }
    let columns = (0..6).map(|at| Values::Texts(rows.iter().map(|row| row[at].clone()).collect()));
    receive(&table, Part::last(columns.collect()))
}
