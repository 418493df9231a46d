//! `neuron-profile view --output-format summary-json`: the metrics of a run, one object of them for each profiled core, and nothing else.
//!
//! Recognised by the names of its metrics. Read are an object of metrics, an object or list of such objects, and lists of them below a key.
//! What names a core (the key, or `subgraph`) is kept. No timeline, no metadata: formulas that need a clock or a bandwidth are not available.
//! See `docs/formats/neuron_summary.md`.

mod read;

use super::json::{Root, root};
use super::neuron_json::tables::Tables;
use super::{Claim, Field, Format, FormatInfo, ImportError, Watch};
use crate::base::{InputSet, Item, Ledger, MemberHead};
use crate::formats::wording;
use crate::model::{Cell, Domain, Fact, Meta, NeuronDevice, Profile};
use memchr::memmem;

/// The format's id.
pub const ID: &str = "neuron_summary";

/// More than any summary has: it is read whole.
const MAX_BYTES: u64 = 64 << 20;

/// Metrics of which a summary has several.
const TELLING: [&str; 12] = [
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
/// So many of them make a summary.
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

impl Format for NeuronSummary {
    fn id(&self) -> &'static str {
        ID
    }

    fn info(&self) -> FormatInfo {
        FormatInfo {
            id: ID.into(),
            title: "Neuron profile summary (JSON)".into(),
            files: ".json".into(),
            shows: "Metrics of each core, checked by formulas where possible.".into(),
            capture: "neuron-profile view -n model.neff -s profile.ntff --output-format summary-json > summary.json".into(),
            caveats: "Metrics only: for a timeline open the full JSON, the trace (.ntff) or the Parquet directory.".into(),
        }
    }

    fn claim(&self, heads: &[MemberHead], taken: &[bool]) -> Vec<Claim> {
        let free = heads.iter().enumerate().filter(|(i, _)| taken.get(*i) != Some(&true));
        free.filter_map(|(i, head)| Some(Claim { format: ID.into(), members: vec![i], recognised: recognise(&head.head)? })).collect()
    }

    fn import(&self, input: &InputSet, _claim: &Claim, ledger: &mut Ledger, _watch: &mut Watch) -> Result<Profile, ImportError> {
        let main = input.members.first().ok_or_else(|| ImportError::Unrecognised(wording::NO_FILE.into()))?;
        if main.len() > MAX_BYTES {
            let found = crate::base::text::bytes(main.len());
            return Err(ImportError::Unsupported(format!("Expected a summary of some kilobytes, found {found} in `{}`.", main.name)));
        }
        let bytes = main.read(0, main.len())?;
        let nodes = read::nodes(&bytes, &main.name, ledger)?;
        Ok(profile(&main.name, &nodes))
    }

    fn record(&self, _input: &InputSet, _profile: &Profile, _item: Item) -> Result<Vec<Field>, ImportError> {
        Err(ImportError::Invalid("A summary has no timeline, so it has no slices.".into()))
    }
}

/// How a summary was recognised.
fn recognise(head: &[u8]) -> Option<String> {
    match root(head)? {
        Root::Object { keys, .. } if keys.iter().any(|k| k.name == "traceEvents") => return None,
        Root::Object { .. } | Root::List { .. } => (),
    }
    let is_key = |name: &&str| {
        let quoted = format!("\"{name}\"");
        memmem::find_iter(head, &quoted).any(|at| head[at + quoted.len()..].trim_ascii_start().first() == Some(&b':'))
    };
    let found: Vec<&str> = TELLING.iter().copied().filter(is_key).collect();
    (found.len() >= N_TELLING)
        .then(|| format!("A JSON text with the metrics `{}` and `{}` of a Neuron profile summary.", found[0], found[1]))
}

fn profile(name: &str, nodes: &[read::Node]) -> Profile {
    let mut tables = Tables::default();
    for node in nodes {
        let cells = node.metrics.iter().map(|(name, cell)| (name.as_str(), cell.clone()));
        tables.row("summary", cells);
        tables.row("summary_nodes", [("node", Cell::Text(node.name.clone()))].into_iter());
    }
    let told = |metric: &str| tables.first_text("summary", metric);
    let fact = |(group, name, metric): &(&str, &str, &str)| Fact { group: (*group).into(), name: (*name).into(), value: told(metric) };
    let mut facts: Vec<Fact> = FACTS.iter().map(fact).filter(|f| !f.value.is_empty()).collect();
    facts.push(Fact { group: "Run".into(), name: "Summaries".into(), value: nodes.len().to_string() });
    let domain = NeuronDevice {
        instance_type: told("instance_type"),
        n_cores: u32::try_from(nodes.len()).unwrap_or(u32::MAX),
        window_ns: nodes.iter().filter_map(read::Node::total_ns).max().unwrap_or(0),
        ..NeuronDevice::default()
    };
    let not_available = vec!["Timeline and everything computed from it: a summary has only metrics".into()];
    let title = name.rsplit('/').next().unwrap_or(name).into();
    let meta = Meta { format: ID.into(), title, facts, not_available, ..Meta::default() };
    Profile { meta, domain: Domain::NeuronDevice(domain), tables: tables.finish(), ..Profile::default() }
}
