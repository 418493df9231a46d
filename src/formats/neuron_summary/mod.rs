//! `--output-format summary-json` and `summary-text`: the metrics of a run, for each profiled core, and nothing else.
//!
//! Recognised by the names of its metrics. Of JSON an object of metrics, an object or list of such objects, and lists of them below a key are
//! read; of text a metric per line, in columns or as a Markdown table. Values with a unit are rounded, and marked so.
//! The name of a core (the key, or `subgraph`) is stored. No timeline, no metadata: values that need a clock or a bandwidth are not available.
//! See `docs/formats/neuron_summary.md`.

mod read;
mod text;
mod value;

use super::json::{Root, root};
use super::neuron_json::tables::Tables;
use super::{Claim, Field, Format, FormatInfo, ImportError, ProgressReporter, Recognise};
use crate::base::{EventId, InputSet, Ledger, Member, MemberHead, Severity};
use crate::formats::wording;
use crate::model::{Cell, Domain, Fact, Meta, NeuronDevice, Profile};
use memchr::memmem;

/// The format's id.
pub const ID: &str = "neuron_summary";

/// More than any summary has: it is read whole.
const MAX_BYTES: u64 = 64 << 20;

/// A drop with more summaries is one profile with a row per file, because a tab and a worker for each would be too many.
const MOST_ALONE: usize = 16;

/// Column of `summary_nodes` where nodes have the names of their files.
const NODE_OF_FILE: &str = "file";

/// Metrics that identify a summary: it has several of them.
const IDENTIFYING: [&str; 12] = [
    "total_time",
    "total_active_time",
    "total_active_time_percent",
    "neuroncore_cycle_count",
    "hardware_flops",
    "model_flops",
    "hbm_read_bytes",
    "hbm_write_bytes",
    "mbu_estimated_percent",
    "mfu_estimated_percent",
    "hfu_estimated_percent",
    "tensor_engine_active_time",
];
/// With this many of them an object is a summary.
const N_TELLING: usize = 3;

/// (group, name, metric).
const FACTS: [(&str, &str, &str); 6] = [
    ("Run", "Instance type", "instance_type"),
    ("Versions", "Neuron Runtime", "runtime_version"),
    ("Versions", "Driver", "driver_version"),
    ("Versions", "Collectives", "collectives_version"),
    ("Versions", "Compiler", "compiler_version"),
    ("Versions", "Profiler", "profiler_version"),
];

/// Summaries of device profiles.
pub struct NeuronSummary;

impl Recognise for NeuronSummary {
    fn id(&self) -> &'static str {
        ID
    }

    fn info(&self) -> FormatInfo {
        FormatInfo {
            id: ID.into(),
            title: "Neuron profile summary".into(),
            files: ".json, .txt, .md; or its text pasted".into(),
            shows: "Metrics of each core, checked by formulas where possible.".into(),
            capture: "neuron-profile view -n model.neff -s profile.ntff --output-format summary-json > summary.json\nneuron-profile view -n model.neff -s profile.ntff --output-format summary-text > summary.txt".into(),
            caveats: "Metrics only: for a timeline open the full JSON, the trace (.ntff) or the Parquet directory.".into(),
        }
    }

    fn claim(&self, heads: &[MemberHead], taken: &[bool]) -> Vec<Claim> {
        let free = heads.iter().enumerate().filter(|(i, _)| taken.get(*i) != Some(&true));
        let claim =
            |(i, head): (usize, &MemberHead)| Some(Claim { format: ID.into(), members: vec![i], recognised: recognise(&head.head)? });
        let found: Vec<Claim> = free.filter_map(claim).collect();
        if found.len() <= MOST_ALONE {
            return found;
        }
        let recognised = format!("{} files, each recognised alone. The first: {}", found.len(), found[0].recognised);
        vec![Claim { format: ID.into(), members: found.iter().flat_map(|c| c.members.clone()).collect(), recognised }]
    }
}

impl Format for NeuronSummary {
    fn import(&self, input: &InputSet, _claim: &Claim, ledger: &mut Ledger, _watch: &mut ProgressReporter) -> Result<Profile, ImportError> {
        match input.members.as_slice() {
            [] => Err(ImportError::Unrecognised(wording::NO_FILE.into())),
            [only] => {
                let read = read_file(only, ledger)?;
                Ok(profile(&only.name, &read.nodes, &read.memory, (false, ledger)))
            }
            many => import_many(many, ledger),
        }
    }

    fn record(&self, _input: &InputSet, _profile: &Profile, _item: EventId) -> Result<Vec<Field>, ImportError> {
        Err(ImportError::Invalid("A summary has no timeline, so it has no slices.".into()))
    }
}

/// The metrics of one file.
fn read_file(file: &Member, ledger: &mut Ledger) -> Result<text::Text, ImportError> {
    if file.len() > MAX_BYTES {
        let found = crate::base::text::bytes(file.len());
        return Err(ImportError::Unsupported(format!("Expected a summary of some kilobytes, found {found} in `{}`.", file.name)));
    }
    let bytes = file.read(0, file.len())?;
    let start = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes).trim_ascii_start();
    if matches!(start.first(), Some(b'{' | b'[')) {
        return Ok(text::Text { nodes: read::nodes(&bytes, &file.name, ledger)?, memory: Vec::new() });
    }
    let text = String::from_utf8_lossy(&bytes);
    let read = text::read(text.trim_start_matches('\u{feff}'), ledger);
    match read.nodes.is_empty() {
        true => Err(ImportError::Invalid(format!("Expected metrics of at least one core in `{}`, found none.", file.name))),
        false => Ok(read),
    }
}

/// Many files as one profile: each a node, or several. One that cannot be read is skipped and counted.
fn import_many(files: &[Member], ledger: &mut Ledger) -> Result<Profile, ImportError> {
    let (mut nodes, mut memory, mut failed) = (Vec::new(), Vec::new(), None);
    for file in files {
        match read_file(file, ledger) {
            Ok(read) => {
                let n = read.nodes.len();
                nodes.extend(read.nodes.into_iter().map(|node| read::Node {
                    name: if n > 1 { format!("{} {}", file.name, node.name) } else { file.name.clone() },
                    ..node
                }));
                memory.extend(read.memory);
            }
            Err(error) => {
                ledger.read += 1;
                ledger.skip(Severity::DataLoss, "unreadable_file", "The file is no summary that can be read: skipped.", 0, || {
                    error.to_string()
                });
                failed = failed.or(Some(error));
            }
        }
    }
    match failed.filter(|_| nodes.is_empty()) {
        Some(error) => Err(error),
        None => Ok(profile(&format!("{} summaries", files.len()), &nodes, &memory, (true, ledger))),
    }
}

/// How a summary was recognised.
fn recognise(head: &[u8]) -> Option<String> {
    let Some(root) = root(head) else {
        return recognise_text(head);
    };
    match root {
        Root::Object { keys, .. } if keys.iter().any(|k| k.name == "traceEvents") => return None,
        Root::Object { .. } | Root::List { .. } => (),
    }
    let is_key = |name: &&str| {
        let quoted = format!("\"{name}\"");
        memmem::find_iter(head, &quoted).any(|at| head[at + quoted.len()..].trim_ascii_start().first() == Some(&b':'))
    };
    let found: Vec<&str> = IDENTIFYING.iter().copied().filter(is_key).collect();
    (found.len() >= N_TELLING)
        .then(|| format!("A JSON text with the metrics `{}` and `{}` of a Neuron profile summary.", found[0], found[1]))
}

/// How a text was recognised: three of the metrics, with numbers.
fn recognise_text(head: &[u8]) -> Option<String> {
    // Markdown may escape the underscores of names.
    let plain: Vec<u8> = head.iter().copied().filter(|b| *b != b'\\').collect();
    if IDENTIFYING.iter().all(|name| memmem::find(&plain, name.as_bytes()).is_none()) {
        return None;
    }
    let end = std::str::from_utf8(head).map_or_else(|e| if e.error_len().is_none() { e.valid_up_to() } else { 0 }, str::len);
    let text = std::str::from_utf8(&head[..end]).ok()?.trim_start_matches('\u{feff}');
    let read = text::read(text, &mut Ledger::default());
    let is_number = |cell: &Cell| matches!(cell, Cell::Int(_) | Cell::Float(_));
    let metrics = || read.nodes.iter().flat_map(|n| &n.metrics).filter(|m| is_number(&m.1)).map(|m| m.0.as_str());
    let names = IDENTIFYING.iter().chain(&["nc_idx", "nd_idx"]);
    let found: Vec<&str> = names.copied().filter(|name| metrics().any(|m| m == *name)).collect();
    (found.len() >= N_TELLING).then(|| format!("A text with the metrics `{}` and `{}` of a Neuron profile summary.", found[0], found[1]))
}

fn profile(name: &str, nodes: &[read::Node], memory: &[[String; 4]], (is_many, ledger): (bool, &mut Ledger)) -> Profile {
    let mut tables = Tables::default();
    text::memory_table(memory, &mut tables);
    let is_rounded = nodes.iter().any(|n| n.roundings.iter().any(Option::is_some));
    let groups: Vec<(&str, &str)> = {
        let all = nodes.iter().flat_map(|n| n.metrics.iter().zip(&n.groups));
        all.filter(|(_, group)| !group.is_empty()).map(|(m, group)| (m.0.as_str(), group.as_str())).collect()
    };
    if !groups.is_empty() {
        tables.row("summary_groups", groups.into_iter().map(|(metric, group)| (metric, Cell::Text(group.into()))));
    }
    for node in nodes {
        if is_rounded {
            let halves = node.metrics.iter().zip(&node.roundings);
            tables.row("summary_rounding", halves.map(|(m, half)| (m.0.as_str(), half.map_or(Cell::Absent, Cell::Float))));
        }
        let cells = node.metrics.iter().map(|(name, cell)| (name.as_str(), cell.clone()));
        if !tables.row("summary", cells) {
            let reason = "More metrics than are kept of one profile: the core is skipped.";
            ledger.skip(Severity::DataLoss, "too_much", reason, 0, || node.name.clone());
            continue;
        }
        // With many files, the node's name identifies the file.
        let file = is_many.then(|| (NODE_OF_FILE, Cell::Text(node.name.clone())));
        tables.row("summary_nodes", [("node", Cell::Text(node.name.clone()))].into_iter().chain(file));
    }
    let recorded = |metric: &str| tables.first_text("summary", metric);
    let fact = |(group, name, metric): &(&str, &str, &str)| Fact { group: (*group).into(), name: (*name).into(), value: recorded(metric) };
    let mut facts: Vec<Fact> = FACTS.iter().map(fact).filter(|f| !f.value.is_empty()).collect();
    facts.push(Fact { group: "Run".into(), name: "Summaries".into(), value: nodes.len().to_string() });
    let domain = NeuronDevice {
        instance_type: recorded("instance_type"),
        n_cores: u32::try_from(nodes.len()).unwrap_or(u32::MAX),
        window_ns: nodes.iter().filter_map(read::Node::total_ns).max().unwrap_or(0),
        ..NeuronDevice::default()
    };
    let not_available = vec!["Timeline and everything computed from it: a summary has only metrics".into()];
    let title = name.rsplit('/').next().unwrap_or(name).into();
    let meta = Meta { format: ID.into(), title, facts, not_available, ..Meta::default() };
    Profile { meta, domain: Domain::NeuronDevice(domain), tables: tables.finish(), ..Profile::default() }
}
