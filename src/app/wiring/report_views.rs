//! Views of Neuron's reports and logs, wired to the page's state.

use crate::app::wiring::front::Front;
use crate::base::SliceId;
use crate::state::{App, AppStateStoreFields as _, OpenProfile, actions};
use crate::views::neuron_log::{Level, LogContext, LogOpsView, LogTimelineView, LogTraceView};
use crate::views::support::SupportView;
use crate::worker::client::Ask;
use leptos::prelude::*;

/// The other open profiles of one format: id, title, who answers.
fn others(app: App, front: u32, format: &'static str) -> Signal<Vec<(u32, String, Ask)>> {
    Signal::derive(move || {
        let is_other = |p: &&OpenProfile| p.id != front && p.format == format && p.stopped.is_none();
        app.state.profiles().with(|all| all.iter().filter(is_other).map(|p| (p.id, p.title.clone(), p.ask.clone())).collect())
    })
}

/// The tools of the TensorBoard plugin, as it lists them for a run.
const TOOLS: [&str; 4] = ["trace", "operator-framework", "operator-hlo", "operator-timeline"];

/// The runs of the plugin that are open, except for the one in front: title with the tools each has.
fn runs(app: App, front: u32) -> Signal<Vec<(u32, String, Ask)>> {
    Signal::derive(move || {
        let is_other = |p: &&OpenProfile| p.id != front && p.format == "tensorboard_neuron" && p.stopped.is_none();
        app.state.profiles().with(|all| all.iter().filter(is_other).map(|p| (p.id, with_tools(p), p.ask.clone())).collect())
    })
}

/// Title of a run, and what it can show.
fn with_tools(run: &OpenProfile) -> String {
    let views = &run.columns.info.views;
    let tools: Vec<&str> = TOOLS.into_iter().filter(|t| views.iter().any(|v| v == t)).collect();
    format!("{}: {}", run.title, tools.join(", "))
}

/// A support report.
pub(in crate::app) fn support(Front { app, profile, .. }: Front) -> AnyView {
    view! { <SupportView ask=profile.ask others=others(app, profile.id, "analyze") choices=app.view_state("support") /> }.into_any()
}

pub(in crate::app) fn log_framework(front: Front) -> AnyView {
    view! { <LogOpsView context=context(&front, "operator-framework") level=Level::Framework /> }.into_any()
}

pub(in crate::app) fn log_hlo(front: Front) -> AnyView {
    view! { <LogOpsView context=context(&front, "operator-hlo") level=Level::Hlo /> }.into_any()
}

pub(in crate::app) fn log_timeline(front: Front) -> AnyView {
    view! { <LogTimelineView context=context(&front, "operator-timeline")>{crate::app::shell::profile_views::rows(front)}</LogTimelineView> }.into_any()
}

pub(in crate::app) fn log_trace(front: Front) -> AnyView {
    view! { <LogTraceView context=context(&front, "trace")>{crate::app::shell::profile_views::rows(front)}</LogTraceView> }.into_any()
}

/// What a view of a run of the TensorBoard plugin needs of the page.
fn context(front: &Front, view: &'static str) -> LogContext {
    let (app, profile) = (front.app, &front.profile);
    let show = move |(slice, marked): (SliceId, Vec<SliceId>)| {
        actions::set_highlights(app, marked);
        actions::select_and_reveal(app, Some(slice));
    };
    LogContext {
        title: with_tools(profile),
        ask: profile.ask.clone(),
        others: runs(app, profile.id),
        selection: app.selected_slice(),
        range: crate::app::wiring::navigation::scope(app),
        on_slice: Callback::new(show),
        on_timeline: Callback::new(move |target| {
            actions::show_view(app, "timeline");
            show(target);
        }),
        on_range: Callback::new(move |range| actions::commit_range(app, Some(range))),
        on_run: Callback::new(move |id| actions::show_profile(app, id)),
        choices: app.view_state(view),
    }
}
