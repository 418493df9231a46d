//! Which views a profile can fill. The page shows no other.

use crate::model::{Domain, Profile};

/// Ids of the views that `profile` can fill.
pub fn views(profile: &Profile) -> Vec<&'static str> {
    let mut out = vec!["profile", "ledger"];
    if !profile.tracks.is_empty() {
        out.push("timeline");
    }
    if !profile.slices.is_empty() {
        out.push("operators");
    }
    if !profile.tables.is_empty() {
        out.push("tables");
    }
    match &profile.domain {
        Domain::Plain | Domain::Torch(_) | Domain::NeuronDevice(_) => {}
        Domain::SupportReport(_) => out.push("support"),
    }
    out
}
