//! A run summary, joined to the state of the page: the other open runs, and the way from a cell to its trace.

use crate::app::open::opening;
use crate::app::open::wanted_step::arrived;
use crate::app::pick;
use crate::app::storage::log_directories;
use crate::app::wiring::front::Front;
use crate::state::wanted_step::WantedStep;
use crate::state::{App, AppStateStoreFields as _, OpenProfile};
use crate::views::fleet::{FleetView, Run, TraceActions, TraceStep};
use leptos::prelude::*;
use leptos::task::spawn_local;

/// The view of a run summary.
pub(in crate::app) fn fleet(Front { app, profile, .. }: Front) -> AnyView {
    let runs = Signal::derive(move || {
        let all = app.state.profiles().get().into_iter();
        let is_run = |p: &OpenProfile| p.stopped.is_none() && p.columns.info.views.iter().any(|v| v == "fleet");
        all.filter(is_run).map(|p| Run { hash: p.hash, label: p.title, ask: p.ask }).collect::<Vec<Run>>()
    });
    let on_choose = Callback::new(move |chosen: Option<TraceStep>| app.state.wanted_step().set(chosen.map(wanted)));
    let on_open = Callback::new(move |chosen: TraceStep| open(app, wanted(chosen)));
    let ways = TraceActions { on_choose, on_open };
    view! { <FleetView ask=profile.ask runs=(runs, profile.hash) ways choices=app.view_state("fleet") /> }.into_any()
}

fn wanted(chosen: TraceStep) -> WantedStep {
    WantedStep { hash: chosen.trace.hash, path: chosen.trace.name, step: chosen.step }
}

/// Shows the trace at its step: the open one, else the file of a log directory, else the file that the user chooses.
fn open(app: App, wanted: WantedStep) {
    app.state.wanted_step().set(Some(wanted.clone()));
    let open =
        app.state.profiles().with_untracked(|all| all.iter().find(|p| p.stopped.is_none() && wanted.is_of(&p.hash, &p.path)).map(|p| p.id));
    if let Some(id) = open {
        arrived(app, id);
        return;
    }
    spawn_local(async move {
        match log_directories::file_of(app, &wanted.path).await {
            Some(file) => drop(opening::open(app, vec![file])),
            None => pick("open-files"),
        }
    });
}
