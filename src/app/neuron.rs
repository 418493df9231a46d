//! Views of Neuron's reports, logs and system profiles, wired to the page's state.

use crate::state::{App, AppStateStoreFields as _, OpenProfile};
use crate::views::support::SupportView;
use leptos::prelude::*;

/// The other open profiles of one format: id, title, who answers.
fn others(app: App, front: u32, format: &'static str) -> Signal<Vec<(u32, String, crate::worker::client::Ask)>> {
    Signal::derive(move || {
        let is_other = |p: &&OpenProfile| p.id != front && p.format == format && p.stopped.is_none();
        app.state.profiles().with(|all| all.iter().filter(is_other).map(|p| (p.id, p.title.clone(), p.ask.clone())).collect())
    })
}

/// A support report.
pub(super) fn support(app: App, profile: OpenProfile) -> AnyView {
    view! { <SupportView ask=profile.ask others=others(app, profile.id, "analyze") /> }.into_any()
}
