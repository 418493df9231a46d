//! Samples of the start page that are two profiles: they open together, in Compare, the older version as the base.

use crate::state::{App, AppStateStoreFields as _, OpenProfile, actions};
use leptos::prelude::*;
use std::cell::RefCell;

/// The sample that is listed, and the one that it is compared with.
const PAIRS: [(&str, &str); 1] = [("synthetic-attention-fused.json.gz", "synthetic-attention-baseline.json.gz")];

thread_local! {
    /// The pair that is being opened.
    static EXPECTED: RefCell<Option<(&'static str, &'static str)>> = const { RefCell::new(None) };
}

/// The files of a sample, below `samples/`.
pub(in crate::app) fn files(name: &str) -> Vec<String> {
    let base = PAIRS.iter().find(|pair| pair.0 == name).map(|pair| pair.1.to_string());
    base.into_iter().chain([name.to_string()]).collect()
}

/// A sample is being opened.
pub(in crate::app) fn expect(name: &str) {
    EXPECTED.set(PAIRS.into_iter().find(|pair| pair.0 == name));
}

/// Shows the comparison when both profiles of a pair are open. Called for each profile that has opened.
pub(in crate::app) fn arrived(app: App) {
    let found = |name: &str| -> Option<OpenProfile> {
        app.state.profiles().with_untracked(|all| all.iter().find(|p| p.path == name && p.stopped.is_none()).cloned())
    };
    let Some((name, base)) = EXPECTED.with_borrow(|pair| *pair) else { return };
    if let (Some(run), Some(base)) = (found(name), found(base)) {
        EXPECTED.set(None);
        actions::show_profile(app, run.id);
        app.view_state("compare").set("base", Some(base.hash));
        actions::show_view(app, "compare");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_has_two_files_the_base_first() {
        assert_eq!(files("synthetic-neuron.json"), ["synthetic-neuron.json"]);
        assert_eq!(files(PAIRS[0].0), [PAIRS[0].1, PAIRS[0].0]);
    }
}
