//! The step of a run summary that its trace is opened for.

use crate::state::{App, AppStateStoreFields as _, actions};
use leptos::prelude::*;

/// Goes to the wanted step where the profile is the trace that a run summary names.
pub(in crate::app) fn arrived(app: App, id: u32) {
    let Some(wanted) = app.state.wanted_step().get_untracked() else { return };
    let profile = app.state.profiles().with_untracked(|all| all.iter().find(|p| p.id == id).cloned());
    let Some(profile) = profile.filter(|p| p.is_torch() && wanted.is_of(&p.hash, &p.path)) else { return };
    app.state.wanted_step().set(None);
    actions::show_profile(app, id);
    let steps = &profile.columns.info.steps;
    if let Some(range) = wanted.range(steps.iter().map(|s| (s.name.as_str(), s.range))) {
        actions::show_view(app, "timeline");
        actions::commit_range(app, Some(range));
        app.window.set(Some(range));
    } else if let Some(step) = wanted.step {
        actions::notify(app, format!("Step {step} of the run summary is not in this trace."), false);
    }
}
