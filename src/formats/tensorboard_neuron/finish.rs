//! The profile of a run: its rows, its start, its available data.

use super::chrome::{Chrome, Row};
use crate::base::Order as _;
use crate::formats::ImportError;
use crate::model::neuron_log::{NeuronLog, OpTable, Part, Role};
use crate::model::{Domain, Fact, GenericTable, Meta, Profile, TrackKind};

/// What was found besides the timeline.
#[derive(Default)]
pub(super) struct Found {
    pub run: String,
    pub file: String,
    pub is_trace: bool,
    pub framework: Option<(OpTable, GenericTable)>,
    pub hlo: Option<(OpTable, GenericTable)>,
}

/// A time this large is an epoch in nanoseconds: later than 2001.
const EPOCH_NS: i64 = 1_000_000_000_000_000_000;

/// Puts it together.
pub(super) fn finish(mut chrome: Chrome, found: Found) -> Result<Profile, ImportError> {
    let has_slices = chrome.builder.n_slices() > 0;
    if !has_slices && found.framework.is_none() && found.hlo.is_none() {
        return Err(ImportError::Invalid(
            "The files of this run contain no slices and no operators. Likely causes: the SDK is older than 2.6; the model was moved \
             to the device outside the profiler context; or a traced model was profiled without `traced_only=True`."
                .into(),
        ));
    }
    let raw_roles: Vec<Role> = chrome.rows.iter().map(|row| role(row, chrome.process_name(row))).collect();
    name_levels(&mut chrome, &raw_roles);
    for (at, role) in raw_roles.iter().enumerate() {
        let kind = match role {
            Role::DeviceExecution => TrackKind::Engine,
            Role::IoTransfer => TrackKind::Queue,
            Role::CcSync => TrackKind::Wait,
            // Sums of what the rows below show: no work of their own.
            Role::RuntimeSetup | Role::ComputeBusy | Role::DmaBusy | Role::Hierarchy(_) => TrackKind::Other,
            _ => continue,
        };
        chrome.builder.track_mut(crate::base::TrackId(at as u32)).kind = kind;
    }
    let first = chrome.builder.first_time().unwrap_or(0);
    chrome.builder.shift(first.saturating_neg());
    let origin_epoch_ns = if first > EPOCH_NS { Some(first) } else { chrome.start_epoch_ns.and_then(|s| s.checked_add(first)) };
    let fused = std::mem::take(&mut chrome.fused);
    let start = chrome.start_epoch_ns;
    let tables: Vec<GenericTable> = [&found.framework, &found.hlo].into_iter().flatten().map(|t| t.1.clone()).collect();
    tables.into_iter().for_each(|t| chrome.builder.table(t));
    let date = super::stamp::date(&found.run);
    let mut tools = Vec::new();
    let mut tool = |is_there: bool, name: &str| is_there.then(|| tools.push(name.to_string()));
    let has = |wanted: fn(&Role) -> bool| raw_roles.iter().any(wanted);
    tool(found.is_trace || has(|r| matches!(r, Role::DeviceExecution | Role::IoTransfer)), "trace");
    tool(found.framework.is_some() || has(|r| matches!(r, Role::FrameworkOps(_))), "operator-framework");
    tool(found.hlo.is_some() || has(|r| matches!(r, Role::HloOps(_))), "operator-hlo");
    tool(has(|r| matches!(r, Role::FrameworkOps(_) | Role::HloOps(_) | Role::ComputeBusy)), "operator-timeline");
    let meta = meta(&found, date.as_deref(), &tools, origin_epoch_ns, start);
    let finished = chrome.builder.finish(meta);
    let mut profile = finished.profile;
    let mut roles = vec![Role::Other; profile.tracks.len()];
    for (track, role) in finished.track_of_raw.iter().zip(raw_roles) {
        if let Some(track) = track {
            roles[track.index()] = role;
        }
    }
    let mut fused: Vec<_> = fused.into_iter().map(|(raw, ids)| (finished.slice_of_raw[raw as usize], ids)).collect();
    fused.order();
    let (framework, hlo) = (found.framework.map(|t| t.0), found.hlo.map(|t| t.0));
    profile.domain = Domain::NeuronLog(Box::new(NeuronLog { run: found.run, date, tools, framework, hlo, roles, fused }));
    Ok(profile)
}

/// Rows without a name are levels of the model, outermost first.
fn name_levels(chrome: &mut Chrome, roles: &[Role]) {
    let mut n = std::collections::BTreeMap::new();
    let mut order: Vec<usize> =
        (0..roles.len()).filter(|&i| matches!(roles[i], Role::Hierarchy(_)) && chrome.rows[i].name.trim().is_empty()).collect();
    order.order_by_key(|&i| chrome.builder.track_mut(crate::base::TrackId(i as u32)).sort);
    for i in order {
        let level = n.entry(chrome.rows[i].process.clone()).or_insert(0);
        *level += 1;
        chrome.builder.track_mut(crate::base::TrackId(i as u32)).name = format!("Level {level}");
    }
}

/// What a row is, by its name and its process's.
fn role(row: &Row, process: &str) -> Role {
    if row.is_process {
        return Role::Other;
    }
    let (name, process) = (row.name.to_ascii_lowercase(), process.to_ascii_lowercase());
    let part = if process.contains("transfer") {
        Part::Transfer
    } else if process.contains("execution") {
        Part::Execution
    } else if process.contains("control") {
        Part::Control
    } else {
        Part::Other
    };
    match name.trim() {
        "neuron runtime setup" => Role::RuntimeSetup,
        "compute busy" => Role::ComputeBusy,
        "dma busy" => Role::DmaBusy,
        "framework ops" => Role::FrameworkOps(part),
        "hlo ops" => Role::HloOps(part),
        "neurondevice execution" => Role::DeviceExecution,
        "io data transfer" => Role::IoTransfer,
        "cc synchronization" => Role::CcSync,
        _ if process.starts_with("/host") => Role::Host,
        _ if part != Part::Other => Role::Hierarchy(part),
        _ => Role::Other,
    }
}

fn meta(found: &Found, date: Option<&str>, tools: &[String], origin_epoch_ns: Option<i64>, start: Option<i64>) -> Meta {
    let fact = |name: &str, value: String| Fact { group: "Run".into(), name: name.into(), value };
    let mut facts = Vec::new();
    if !found.run.is_empty() {
        facts.push(fact("Run", found.run.clone()));
    }
    facts.extend(date.map(|d| fact("Date of the run", d.into())));
    facts.push(fact("Tools", tools.join(", ")));
    facts.extend(start.map(|s| fact("neuronStartTimestampNs", s.to_string())));
    let mut not_available = Vec::new();
    for (table, name) in [(&found.framework, "framework"), (&found.hlo, "HLO")] {
        if table.is_none() && !found.is_trace {
            not_available.push(format!(
                "The plugin's table of {name} operators is not among the files; it is computed from the timeline if there is one."
            ));
        }
    }
    let title = match (found.run.is_empty(), found.is_trace) {
        (true, _) => found.file.clone(),
        (false, true) => format!("{} · trace", found.run),
        (false, false) => found.run.clone(),
    };
    Meta {
        format: super::ID.into(),
        title,
        origin_epoch_ns,
        origin: "first slice".into(),
        facts,
        not_available,
        is_experimental: true,
        ..Meta::default()
    }
}
