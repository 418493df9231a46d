//! The PyTorch module that each slice belongs to, where a trace has slices `nn.Module: …`.
//!
//! It is the nearest such slice around it. Work on a device belongs to the module around its launch, and an operator of the backward pass to
//! the one around its forward operator: both are found along the flows.

use crate::base::StrId;
use crate::model::Profile;

/// Id of the column.
pub const ID: &str = "module";
/// For people.
pub const LABEL: &str = "Module";
const PREFIX: &str = "nn.Module: ";

/// Whether the profile has modules.
pub fn has_modules(profile: &Profile) -> bool {
    (0..profile.strings.len() as u32).any(|id| profile.strings.get(StrId(id)).starts_with(PREFIX))
}

/// Name of the module of each slice; `StrId(0)` where there is none.
pub fn modules(profile: &Profile) -> Vec<StrId> {
    let is_module: Vec<bool> = (0..profile.strings.len() as u32).map(|id| profile.strings.get(StrId(id)).starts_with(PREFIX)).collect();
    let slices = &profile.slices;
    let mut out: Vec<StrId> = slices.name.iter().map(|&name| if is_module[name.index()] { name } else { StrId(0) }).collect();
    // Twice: from forward operators to the backward pass, and from there to the kernels that it launches.
    for _ in 0..2 {
        inherit(profile, &mut out);
        for i in 0..profile.flows.by_to.len() {
            let at = profile.flows.by_to[i] as usize;
            let (from, to) = (profile.flows.from[at], profile.flows.to[at]);
            if out[to.index()] == StrId(0) {
                out[to.index()] = out[from.index()];
            }
        }
    }
    inherit(profile, &mut out);
    out
}

/// What has no module takes that of the slice around it. A slice around another is in a shallower lane of the same track, so it comes earlier.
fn inherit(profile: &Profile, modules: &mut [StrId]) {
    for i in 0..modules.len() {
        let parent = profile.slices.parent[i] as usize;
        if modules[i] == StrId(0) && parent < i {
            modules[i] = modules[parent];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::self_time::tests::drawn;
    use crate::base::SliceId;
    use crate::model::FlowTable;

    #[test]
    fn the_nearest_module_around_counts_and_flows_lead_to_it() {
        // The drawing separates by colons and commas, so the names are put in afterwards.
        let mut profile = drawn(
            "p / t: outer 0+100, inner 10+30, mm 15+5, add 50+10\n p / b: back 200+20, call 205+5\n p / s: k1 300+5, k2 310+5, k3 400+1",
        );
        let mut names = crate::base::Interner::new();
        let of = |name: &str| match name {
            "outer" => "nn.Module: Net_0".to_string(),
            "inner" => "nn.Module: Linear_1".to_string(),
            other => other.to_string(),
        };
        let ids: Vec<StrId> = (0..profile.slices.len() as u32).map(|i| names.intern(&of(profile.name_of(SliceId(i))))).collect();
        profile.slices.name = ids;
        profile.strings = names.finish();
        let all: Vec<String> = (0..profile.slices.len() as u32).map(|i| profile.name_of(SliceId(i)).to_string()).collect();
        let at = |name: &str| SliceId(all.iter().position(|n| n == name).expect(name) as u32);
        let arrow = |from: &str, to: &str| (at(from), at(to), StrId(0));
        profile.flows = FlowTable::from_arrows(vec![arrow("mm", "k1"), arrow("mm", "back"), arrow("call", "k2")]);
        let found = modules(&profile);
        let module = |name: &str| profile.strings.get(found[at(name).index()]);
        assert!(has_modules(&profile));
        for name in ["nn.Module: Linear_1", "mm", "k1", "back", "call", "k2"] {
            assert_eq!(module(name), "nn.Module: Linear_1", "{name}");
        }
        assert_eq!((module("add"), module("k3")), ("nn.Module: Net_0", ""));
        assert!(!has_modules(&drawn("t: a 0+1")));
    }
}
