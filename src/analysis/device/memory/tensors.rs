//! Tensors of a run and where its memory went: how often each tensor was moved, HBM by type, PSUM and State Buffer over time.
//!
//! A tensor's load factors are in the file (`TensorInfo`) or not at all; transfers that name a variable are counted from the rows.

use crate::analysis::device::activity::lanes;
use crate::analysis::device::activity::usage::{self, UseCurve};
use crate::analysis::device::cells;
use crate::analysis::device::memory::highlights::{self, Band};
pub use crate::analysis::device::memory::tensor_row::{RELOADED, TensorRow};
use crate::base::Order as _;
use crate::base::{StrId, TimeNs, TimeRange, for_each_chunk};
use crate::model::{Domain, GenericTable, NeuronDevice, Profile};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// Tensors and memory.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Tensors {
    /// Those of the file and those that only transfers name: most often loaded first, then by bytes. Nodes of which nothing is recorded are omitted.
    pub rows: Vec<TensorRow>,
    /// Device memory by core, most first, the total last.
    pub hbm: Vec<HbmUse>,
    /// Usage of PSUM banks and State Buffer partitions over time.
    pub curves: Vec<UseCurve>,
    /// Intervals in which reloaded tensors or many small transfers were moved, by start.
    pub bands: Vec<Band>,
    /// (core, partition) with allocations of the State Buffer.
    pub maps: Vec<(i64, i64)>,
    /// One sentence for each part that the file does not have.
    pub notes: Vec<String>,
}

/// Device memory of one type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HbmUse {
    /// NeuronCore.
    pub core: String,
    /// `Weights`, `Scratchpad`.
    pub kind: String,
    /// Bytes.
    pub bytes: u64,
    /// Whether it is the sum of the others.
    pub is_total: bool,
    /// Whether the file has no such row, and it is summed up here.
    pub is_computed: bool,
}

/// The highlighted intervals of [`tensors`] alone.
pub fn bands(profile: &Profile, info: Option<&GenericTable>) -> Vec<Band> {
    let info = info.or_else(|| cells::table(profile, &["TensorInfo", "neff_node"]));
    // Without a table no tensor has a size or a factor: none is known to be reloaded.
    let rows = info.map(|_| rows(info, moved(profile), false)).unwrap_or_default();
    highlights::bands(profile, &rows)
}

/// All tensors. `info` replaces the table of tensors if the profile has it only in the file.
pub fn tensors(profile: &Profile, info: Option<&GenericTable>) -> Tensors {
    let info = info.or_else(|| cells::table(profile, &["TensorInfo", "neff_node"]));
    let moved = moved(profile);
    let (has_dma, has_names) = (has_dma(profile), !moved.is_empty());
    let all_named = has_names && all_named(profile);
    let mut out = Tensors { rows: rows(info, moved, all_named), hbm: hbm(profile), curves: usage::curves(profile), ..Tensors::default() };
    out.bands = highlights::bands(profile, &out.rows);
    if out.rows.is_empty() {
        out.notes.push("Tensors are not available: this file records neither a tensor table nor variable names of transfers.".into());
    } else if info.is_none() {
        out.notes.push("Sizes and shapes are not available: this file records no tensor table. Names are taken from the transfers.".into());
    }
    if !has_dma {
        out.notes.push("Transfers of tensors are not available: no DMA rows are recorded in this file.".into());
    } else if !has_names {
        out.notes
            .push("Tensors of transfers are not available: DMA rows have no variable names (captured without DGE notifications).".into());
    } else if !all_named {
        out.notes.push(
            "Some DMA rows have no variable name: only named transfers are attributed to tensors, and tensors without transfers may have moved.".into(),
        );
    }
    if !out.rows.iter().any(|r| r.loads.is_some() || r.load_factor.is_some()) {
        out.notes.push("Load factors (load_to_sbuf_*) are not recorded in this file.".into());
    }
    if out.hbm.is_empty() {
        out.notes.push("Device memory by type is not recorded in this file.".into());
    }
    if !out.curves.iter().any(|c| c.name.starts_with("PSUM")) {
        out.notes.push("PSUM usage is not recorded in this file.".into());
    }
    out
}

/// `all_named`: whether every transfer has a tensor.
fn rows(info: Option<&GenericTable>, mut moved: FxHashMap<&str, Moved>, all_named: bool) -> Vec<TensorRow> {
    let mut out = Vec::new();
    if let Some(table) = info {
        let columns = cells::columns(
            table,
            [
                &["variable_name"],
                &["type"],
                &["format"],
                &["shape"],
                &["size"],
                &["node"],
                &["pcore_idx", "sg_name"],
                &["load_to_sbuf_dma_count"],
                &["load_to_sbuf_total_size_bytes"],
                &["load_to_sbuf_avg_size_bytes"],
                &["load_to_sbuf_repeat_factor"],
            ],
        );
        out.extend(table.rows.iter().map(|row| {
            let text = |at: usize| cells::text(row, columns[at]);
            let name = text(0).unwrap_or_default();
            let size_bytes = cells::count(row, columns[4]);
            let of_rows = moved.get_mut(name.as_str()).map(|m| {
                m.is_listed = true;
                m.clone()
            });
            TensorRow {
                kind: text(1),
                format: text(2),
                shape: text(3),
                node: text(5),
                core: text(6),
                loads: cells::count(row, columns[7]),
                load_bytes: cells::count(row, columns[8]),
                load_mean_bytes: cells::count(row, columns[9]),
                load_factor: cells::float(row, columns[10]),
                // Where every transfer has a name, what none names was not moved.
                transfers: of_rows.as_ref().map(|m| m.n).or((all_named && !name.is_empty()).then_some(0)),
                moved_bytes: of_rows.as_ref().and_then(|m| m.bytes),
                moved_factor: of_rows.as_ref().and_then(|m| Some(m.bytes? as f64 / size_bytes.filter(|s| *s > 0)? as f64)),
                used: of_rows.map(|m| m.span),
                size_bytes,
                name,
            }
        }));
    }
    let mut others: Vec<(&str, Moved)> = moved.into_iter().filter(|(_, m)| !m.is_listed).collect();
    others.order_by_key(|(name, m)| (m.span.start, *name));
    out.extend(others.into_iter().map(|(name, m)| TensorRow {
        name: name.into(),
        transfers: Some(m.n),
        moved_bytes: m.bytes,
        used: Some(m.span),
        ..TensorRow::default()
    }));
    // The NEFF's table also lists bare nodes: they are no tensors.
    out.retain(|r| !r.name.is_empty() || r.size_bytes.is_some() || r.shape.is_some() || r.loads.is_some());
    let bytes = |r: &TensorRow| r.load_bytes.or(r.moved_bytes).max(r.size_bytes);
    out.order_by(|a, b| {
        let factors = b.factor().unwrap_or(-1.0).total_cmp(&a.factor().unwrap_or(-1.0));
        factors.then_with(|| bytes(b).cmp(&bytes(a))).then_with(|| a.name.cmp(&b.name))
    });
    out
}

/// What the transfers of one variable sum up to.
#[derive(Debug, Clone)]
struct Moved {
    n: u64,
    bytes: Option<u64>,
    span: TimeRange,
    is_listed: bool,
}

fn has_dma(profile: &Profile) -> bool {
    matches!(&profile.domain, Domain::NeuronDevice(d) if d.bytes.iter().any(|b| *b != NeuronDevice::ABSENT))
}

/// Whether every transfer names a variable.
fn all_named(profile: &Profile) -> bool {
    let (Some(variable), Domain::NeuronDevice(device)) = (profile.attribute("variable"), &profile.domain) else { return false };
    let is_named = |i: usize| variable.values.get(i).is_some_and(|name| *name != StrId(0));
    device.bytes.iter().enumerate().all(|(i, bytes)| *bytes == NeuronDevice::ABSENT || is_named(i))
}

/// Transfers by variable.
fn moved(profile: &Profile) -> FxHashMap<&str, Moved> {
    let (Some(variable), Domain::NeuronDevice(device)) = (profile.attribute("variable"), &profile.domain) else {
        return FxHashMap::default();
    };
    // Indexed by string: the place among `found`.
    let mut places = vec![u32::MAX; profile.strings.len()];
    let mut found: Vec<(StrId, Moved)> = Vec::new();
    // A packet that occurs twice in the file is one.
    let mut twice = lanes::Listed::from(&device.duplicates, 0);
    let (variables, bytes) = (variable.values.as_slice(), device.bytes.as_slice());
    for_each_chunk(variables.len(), &mut |part| {
        for i in part.filter(|i| variables[*i] != StrId(0)) {
            if twice.has(i) {
                continue;
            }
            let span = TimeRange { start: TimeNs(profile.slices.start[i]), end: TimeNs(profile.slices.end(i)) };
            let place = &mut places[variables[i].index()];
            if *place == u32::MAX {
                *place = found.len() as u32;
                found.push((variables[i], Moved { n: 0, bytes: None, span, is_listed: false }));
            }
            let m = &mut found[*place as usize].1;
            m.n += 1;
            if let Some(n) = bytes.get(i).filter(|b| **b != NeuronDevice::ABSENT) {
                m.bytes = Some(m.bytes.unwrap_or(0) + u64::from(*n));
            }
            m.span = TimeRange { start: m.span.start.min(span.start), end: m.span.end.max(span.end) };
        }
    });
    found.into_iter().map(|(id, m)| (profile.strings.get(id), m)).filter(|m| !m.0.is_empty()).collect()
}

/// Use of HBM by core and type, with totals.
pub(in crate::analysis::device) fn hbm(profile: &Profile) -> Vec<HbmUse> {
    let Some(table) = cells::table(profile, &["nc_mem_usage", "HbmUsageSummaryByType"]) else {
        return Vec::new();
    };
    let names: [&[&str]; 3] = [&["nc", "neuroncore_idx"], &["usage_type"], &["amount_bytes", "usage_bytes"]];
    let columns = cells::columns(table, names);
    let mut out: Vec<HbmUse> = Vec::new();
    for row in &table.rows {
        let (Some(kind), Some(bytes)) = (cells::text(row, columns[1]), cells::count(row, columns[2])) else {
            continue;
        };
        let core = cells::text(row, columns[0]).map_or_else(|| "Device".into(), |nc| format!("NC {nc}"));
        out.push(HbmUse { core, is_total: kind.eq_ignore_ascii_case("total"), kind, bytes, is_computed: false });
    }
    let mut cores: Vec<String> = out.iter().map(|u| u.core.clone()).collect();
    cores.order();
    cores.dedup();
    for core in cores {
        if !out.iter().any(|u| u.core == core && u.is_total) {
            let bytes = out.iter().filter(|u| u.core == core).map(|u| u.bytes).fold(0, u64::saturating_add);
            out.push(HbmUse { core, kind: "Total".into(), bytes, is_total: true, is_computed: true });
        }
    }
    // Most first, core by core; the total is at the end.
    out.order_by(|a, b| (&a.core, a.is_total, std::cmp::Reverse(a.bytes)).cmp(&(&b.core, b.is_total, std::cmp::Reverse(b.bytes))));
    out
}
