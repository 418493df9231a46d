//! What the tests of the PyTorch views share: the cases of the truth data, tables to compare, the scoreboard.

#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, reason = "a test may fail")]

pub mod board;
pub mod compare;
mod odd_traces;

use crate::common::open;
use axonscope::analysis::torch::core::rules::{Era, Rules};
use axonscope::analysis::torch::{TorchModel, View};
use axonscope::base::InputSet;
use axonscope::model::{Domain, Profile, Torch};
use serde_json::Value;
use std::collections::HashMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, OnceLock};

/// One line of `truth/INDEX.tsv`.
#[derive(Debug, Clone)]
pub struct Case {
    /// Its folder of answers.
    pub name: String,
    /// One trace, or several workers', or the two of a diff.
    pub traces: Vec<PathBuf>,
    /// The folder.
    pub truth: PathBuf,
}

impl Case {
    /// All cases below `kineto/`.
    pub fn all(kineto: &Path) -> Vec<Case> {
        let index = std::fs::read_to_string(kineto.join("truth/INDEX.tsv")).unwrap();
        let lines = index.lines().skip(1).filter_map(|line| line.split_once('\t'));
        lines
            .map(|(name, traces)| Case {
                name: name.into(),
                traces: traces.replace(" vs ", ",").split(',').map(|t| kineto.join("traces").join(t.trim())).collect(),
                truth: kineto.join("truth").join(name),
            })
            .collect()
    }

    /// The plugin's answer of that name; `None` where there is none.
    pub fn answer(&self, name: &str) -> Option<Value> {
        let plain = self.truth.join(format!("{name}.json"));
        let packed = self.truth.join(format!("{name}.json.gz"));
        let text = if plain.exists() { std::fs::read(plain).unwrap() } else { inflated(&packed)? };
        serde_json::from_slice(&text).ok()
    }
}

fn inflated(path: &Path) -> Option<Vec<u8>> {
    let bytes = std::fs::read(path).ok()?;
    let mut out = Vec::new();
    flate2::read::GzDecoder::new(&bytes[..]).read_to_end(&mut out).ok()?;
    Some(out)
}

/// A trace, open.
pub struct Trace {
    /// Its profile.
    pub profile: Profile,
}

/// Every trace below a folder, in the order of their paths.
pub fn traces_below(folder: &Path) -> Vec<PathBuf> {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    let below = |path: PathBuf| if path.is_dir() { traces_below(&path) } else { vec![path] };
    entries.into_iter().flat_map(below).filter(|path| path.to_string_lossy().contains(".json")).collect()
}

/// A trace that the first test to need it reads, while others wait.
type ReadOnce = Arc<OnceLock<Arc<Trace>>>;

/// By path. Seven tests go through all traces, and reading takes most of their time.
static READ: LazyLock<Mutex<HashMap<PathBuf, ReadOnce>>> = LazyLock::new(Mutex::default);

impl Trace {
    /// Reads it, unless another test has.
    pub fn open(path: &Path) -> Arc<Trace> {
        let place = READ.lock().unwrap().entry(path.into()).or_default().clone();
        place.get_or_init(|| Arc::new(Trace::read(path))).clone()
    }

    fn read(path: &Path) -> Trace {
        Trace::of(&path.file_name().unwrap().to_string_lossy(), std::fs::read(path).unwrap())
    }

    fn of(name: &str, bytes: Vec<u8>) -> Trace {
        Trace { profile: open(&InputSet::from_bytes(name, bytes)).0.profile }
    }

    /// Reads it from text.
    pub fn from_json(text: &str) -> Trace {
        Trace::of("trace.json", text.as_bytes().to_vec())
    }

    /// Its tables.
    pub fn torch(&self) -> &Torch {
        match &self.profile.domain {
            Domain::Torch(torch) => torch,
            _ => panic!("a PyTorch trace"),
        }
    }

    /// Its era.
    pub fn era(&self) -> Era {
        Era::of(&self.profile, self.torch())
    }

    /// What the answers share, by the rules given.
    pub fn model(&self, rules: Rules) -> TorchModel {
        TorchModel::with_rules(&self.profile, self.torch(), self.era(), rules)
    }

    /// What answers are computed from.
    pub fn view<'a>(&'a self, model: &'a TorchModel) -> View<'a> {
        View { profile: &self.profile, torch: self.torch(), model, slots: &[] }
    }
}

/// Switches a correction on.
pub type Toggle = fn(&mut Rules);

/// The corrections by the names the documentation gives them.
pub const RULES: [(&str, Toggle); 9] = [
    ("link-by-time", |r| r.is_linked_by_time = true),
    ("driver-launches", |r| r.has_driver_launches = true),
    ("device-annotations", |r| r.are_device_annotations_apart = true),
    ("communication-by-kernel", |r| r.is_communication_by_kernel = true),
    ("unmatched-backward", |r| r.keeps_unmatched_backward = true),
    ("overlapping-ranges", |r| r.keeps_overlapping = true),
    ("parts-sum-to-step", |r| r.sums_to_step = true),
    ("tensor-core-names", |r| r.has_todays_tensor_cores = true),
    ("unlaunched-kernels", |r| r.keeps_unlaunched = true),
];
