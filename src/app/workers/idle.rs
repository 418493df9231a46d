//! `data-idle` on the body: nothing is read, asked or about to be painted. Then a worker may work ahead.

use crate::app::console::log_failure;
use crate::app::wiring::chunks;
use crate::app::wiring::views;
use crate::app::workers::worker_registry;
use crate::state::{App, AppStateStoreFields as _, Importing, Phase, WorkerState};
use crate::ui::effect::effect;
use crate::worker::client;
use crate::worker::protocol::Preparation;
use leptos::prelude::*;
use std::cell::Cell;

thread_local! {
    static WAITING: Cell<Option<RwSignal<usize>>> = const { Cell::new(None) };
}

/// Keeps `data-idle` on the body up to date. `n_writes`: changes of the address that are still to be written.
pub fn join(app: App, n_writes: RwSignal<usize>) {
    let waiting = RwSignal::new(0);
    WAITING.set(Some(waiting));
    client::on_waiting(|n| {
        if let Some(signal) = WAITING.get() {
            signal.set(n);
        }
    });
    let is_quiet = Memo::new(move |_| {
        let is_ready = !app.state.formats().with(|f| f.is_empty()) || app.state.notices().with(|n| n.iter().any(|n| n.is_error));
        let is_still = n_writes.get() == 0 && !app.is_moving.get();
        let is_waking = app.state.profiles().with(|all| all.iter().any(|p| p.worker_state == WorkerState::Waking));
        let is_asked = waiting.get() > 0 || chunks::n_running() > 0 || is_waking;
        is_ready && !is_asked && is_still && app.state.imports().with(|all| is_at_rest(all))
    });
    effect(move || {
        // What was chosen is drawn a frame later.
        let is_quiet_now = is_quiet.get();
        app.state.view().track();
        app.state.front().track();
        app.selection.track();
        app.range.track();
        set_idle("false");
        if is_quiet_now {
            request_animation_frame(move || {
                request_animation_frame(move || {
                    if is_quiet.try_get_untracked() == Some(true) {
                        set_idle("true");
                        if let Some(profile) = app.front_untracked() {
                            prepare_answers(app, profile.id);
                            views::prefetch(&profile.columns.info.views);
                        }
                    }
                });
            });
        }
    });
}

/// The worker of the front profile works ahead. Two profiles are likely to be compared: both their workers prepare that first.
fn prepare_answers(app: App, front: u32) {
    let open: Vec<u32> = app.state.profiles().with_untracked(|all| all.iter().map(|profile| profile.id).collect());
    let compared = if open.len() == 2 { open } else { Vec::new() };
    let of_a_comparison = compared.into_iter().map(|id| (id, Preparation::Comparison));
    for (id, what) in of_a_comparison.chain([(front, Preparation::Views)]) {
        if let Err(error) = worker_registry::prepare_answers(id, what) {
            web_sys::console::warn_1(&error.to_string().into());
        }
    }
}

/// Whether nothing is read: there is nothing to read, or it waits for the user's word.
fn is_at_rest(imports: &[Importing]) -> bool {
    imports.is_empty() || (imports.iter().all(|i| i.phase != Phase::Reading) && imports.iter().any(|i| i.phase == Phase::Held))
}

fn set_idle(value: &str) {
    if let Some(body) = document().body() {
        log_failure(body.set_attribute("data-idle", value));
    }
}
