//! What slices can be grouped and coloured by.

use super::modules;
use crate::base::for_each_chunk;
use crate::model::Profile;

/// Depths of layers that can be chosen.
const MAX_DEPTH: usize = 16;

/// Columns one can group and colour by: those of the slices and those that are computed. (id, label), `name` first.
pub fn groupings(profile: &Profile) -> Vec<(String, String)> {
    let mut out = vec![("name".to_string(), "Name".to_string())];
    out.extend(profile.attributes.iter().map(|a| (a.id.clone(), a.label.clone())));
    if modules::has_modules(profile) && out.iter().all(|g| g.0 != modules::ID) {
        out.push((modules::ID.into(), modules::LABEL.into()));
    }
    out
}

/// The groupings, and after that by layer those by its first parts alone: `layer@1`, `layer@2`.
pub fn with_depths(profile: &Profile) -> Vec<(String, String)> {
    let mut out = groupings(profile);
    let (Some(at), Some(layers)) = (out.iter().position(|g| g.0 == "layer"), profile.attribute("layer")) else { return out };
    let mut is_layer = vec![false; profile.strings.len()];
    for_each_chunk(layers.values.len(), &mut |part| layers.values[part].iter().for_each(|id| is_layer[id.index()] = true));
    let parts = |text: &str| text.match_indices('/').filter(|m| m.0 > 0).count() + 1;
    let deepest = profile.strings.iter().filter(|s| is_layer[s.0.index()]).map(|s| parts(s.1)).max().unwrap_or(0).min(MAX_DEPTH);
    let label = |n: usize| if n == 1 { "Layer, first part".to_string() } else { format!("Layer, first {n} parts") };
    out.splice(at + 1..at + 1, (1..deepest).map(|n| (format!("layer@{n}"), label(n))));
    out
}
