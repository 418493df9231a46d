//! Kernel names of real traces, shortened for reading.

use crate::common::conformance;
use crate::torch_support::{Trace, traces_below};
use axonscope::base::{StrId, short_name};
use axonscope::model::Domain;
use std::collections::BTreeSet;

#[test]
fn short_names_are_never_empty_never_longer_and_nearly_all_distinct() {
    let Some(folder) = conformance("kineto/traces") else {
        return;
    };
    let (mut n_full, mut n_short, mut n_changed) = (0, 0, 0);
    for path in traces_below(&folder) {
        let trace = Trace::open(&path);
        let profile = &trace.profile;
        let Domain::Torch(torch) = &profile.domain else {
            continue;
        };
        for (_, name) in profile.strings.iter().filter(|(_, name)| !name.is_empty()) {
            let short = short_name(name);
            assert!(!short.is_empty() && short.len() <= name.len(), "{name}: {short}");
        }
        let full: BTreeSet<StrId> = torch.kernels.iter().map(|k| profile.slices.name[k.slice as usize]).collect();
        let full: BTreeSet<&str> = full.into_iter().map(|id| profile.strings.get(id)).collect();
        let short: BTreeSet<String> = full.iter().map(|name| short_name(name).into_owned()).collect();
        n_changed += full.iter().filter(|name| short_name(name) != **name).count();
        assert!(short.iter().all(|name| !name.starts_with("void ") && !name.contains("::")), "{path:?}: {short:?}");
        n_full += full.len();
        n_short += short.len();
    }
    assert!(n_changed > 100, "{n_changed} of {n_full} names are shortened");
    assert!(n_short * 100 >= n_full * 95, "{n_short} of {n_full} names stay distinct");
}
