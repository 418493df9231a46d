//! The two real runs of a device, and questions about them.

use super::{conformance, file, import_one};
use axonscope::analysis::device::layers::LayersQuery;
use axonscope::formats::Imported;

/// Folder and stem of each.
pub const RUNS: [(&str, &str); 2] = [("fused_attention", "fused"), ("baseline_attention", "baseline")];

/// The profile and the same file as a tree of values.
pub fn run(run: &str, stem: &str) -> Option<(Imported, serde_json::Value)> {
    let named = file(&conformance()?, run, &format!("{stem}_exec_2_profile_full.json"));
    let json = serde_json::from_slice(&named.1).expect("JSON");
    Some((import_one(&[named]).expect("the JSON opens"), json))
}

/// The hierarchy of the whole run, with that level beneath the cores.
pub fn query(by: &str) -> LayersQuery {
    LayersQuery { by: by.into(), ..LayersQuery::default() }
}
