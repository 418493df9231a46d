//! Profiles in tabs that sleep: while the open ones take more memory than the budget, the workers of the least used are ended. A question, or their
//! tab, opens them again from the same files, with all that was chosen in them.

use crate::app::open::budget;
use crate::app::open::importing;
use crate::app::workers::worker_registry;
use crate::state::budget::Awake;
use crate::state::{App, AppStateStoreFields as _, OpenProfile, WorkerState, actions};
use crate::ui::effect::effect;
use crate::worker::client::Call;
use crate::worker::page::{Events, FromWorker, Link};
use futures_channel::mpsc::UnboundedReceiver;
use futures_util::StreamExt;
use gloo_timers::future::TimeoutFuture;
use leptos::prelude::*;
use leptos::task::spawn_local;
use std::cell::RefCell;
use std::collections::VecDeque;

#[derive(Default)]
struct Waking {
    /// Profiles to be opened again, one after the other, so that the memory of one is known before the next.
    queue: VecDeque<u32>,
    is_running: bool,
    /// Questions to profiles without a worker, in order.
    calls: Vec<(u32, Call)>,
}

thread_local! {
    static WAKING: RefCell<Waking> = RefCell::default();
}

/// Between two looks at whether another profile has answered, so that it can sleep, ms.
const ROOM_STEP_MS: u32 = 50;

/// The profile in front is awake. Once, by the root.
pub fn follow(app: App) {
    effect(move || {
        if let Some(front) = app.state.front().get() {
            worker_registry::touch(front);
            untrack(|| {
                wake(app, front);
                keep_budget(app);
            });
        }
    });
}

/// Passes questions to the worker of a profile until the channel closes. A sleeping profile is woken first.
pub fn relay(app: App, id: u32, mut calls: UnboundedReceiver<Call>) {
    spawn_local(async move {
        while let Some(call) = calls.next().await {
            let Some(call) = (if call.reply.is_canceled() { None } else { worker_registry::ask(id, call) }) else { continue };
            // Dropped, it is answered: the worker has stopped.
            if with(app, id, |p| p.stopped.is_none()) == Some(true) {
                WAKING.with_borrow_mut(|w| w.calls.push((id, call)));
                wake(app, id);
            }
        }
    });
}

/// Keeps the worker of a profile, and notices its end.
pub fn join(app: App, id: u32, (link, mut events): (Link, Events)) {
    let number = worker_registry::insert_link(id, link);
    spawn_local(async move {
        while let Some(event) = events.next().await {
            if let FromWorker::Died(sentence) | FromWorker::Failed(sentence) = event
                && worker_registry::drop_dead_link(id, number)
            {
                actions::profile_stopped(app, id, sentence.0);
            }
        }
    });
}

fn with<T>(app: App, id: u32, read: impl FnOnce(&OpenProfile) -> T) -> Option<T> {
    app.state.profiles().try_with_untracked(|all| all.iter().find(|p| p.id == id).map(read)).flatten()
}

/// The profiles that are awake.
fn awake(app: App) -> Vec<Awake> {
    let front = app.state.front().get_untracked();
    app.state.profiles().with_untracked(|all| {
        let all = all.iter().filter(|p| p.is_awake());
        let of = |p: &OpenProfile| {
            let (used, n_pending) = worker_registry::use_of(p.id);
            Awake { id: p.id, bytes: p.memory, used, is_busy: front == Some(p.id) || n_pending > 0 }
        };
        all.map(of).collect()
    })
}

/// Memory that no profile can free by sleeping, bytes.
fn other_bytes(app: App) -> u64 {
    budget::open_bytes(app).saturating_sub(budget::profile_bytes(app))
}

/// Puts the least used profiles to sleep, as far as the budget needs it for `more` bytes.
pub fn put_to_sleep(app: App, more: u64) {
    for id in budget::budget().to_sleep(&awake(app), other_bytes(app), more) {
        worker_registry::drop_link(id);
        actions::set_worker_state(app, id, WorkerState::Asleep, None);
    }
}

/// The same for the current profiles.
pub fn keep_budget(app: App) {
    put_to_sleep(app, 0);
}

/// Makes room for `more` bytes, if sleeping suffices. Returns whether anything fell asleep.
pub fn make_room(app: App, more: u64) -> bool {
    let all = awake(app);
    let sleeping = budget::budget().to_sleep(&all, other_bytes(app), more);
    let freed: u64 = all.iter().filter(|p| sleeping.contains(&p.id)).map(|p| p.bytes).sum();
    let left = budget::open_bytes(app).saturating_sub(freed).saturating_add(more);
    let suffices = !sleeping.is_empty() && left <= budget::budget().bytes;
    if suffices {
        put_to_sleep(app, more);
    }
    suffices
}

/// Opens a profile again that sleeps.
fn wake(app: App, id: u32) {
    if with(app, id, |p| p.worker_state == WorkerState::Asleep && p.stopped.is_none()) != Some(true) {
        return;
    }
    actions::set_worker_state(app, id, WorkerState::Waking, None);
    let is_first = WAKING.with_borrow_mut(|w| {
        w.queue.push_back(id);
        !std::mem::replace(&mut w.is_running, true)
    });
    if is_first {
        spawn_local(async move {
            while let Some(id) = WAKING.with_borrow_mut(|w| w.queue.pop_front()) {
                wake_one(app, id).await;
            }
            WAKING.with_borrow_mut(|w| w.is_running = false);
        });
    }
}

async fn wake_one(app: App, id: u32) {
    let Some((hash, name, memory)) = with(app, id, |p| (p.hash.clone(), p.own_title.clone(), p.memory)) else { return };
    let Some(files) = worker_registry::files(id) else { return };
    loop {
        put_to_sleep(app, memory);
        let front = app.state.front().get_untracked();
        let fits = budget::open_bytes(app).saturating_add(memory) <= budget::budget().bytes;
        // Others that still answer can sleep after it. The profile in front cannot.
        if fits || !awake(app).iter().any(|p| p.is_busy && front != Some(p.id)) {
            break;
        }
        TimeoutFuture::new(ROOM_STEP_MS).await;
    }
    let made = importing::import_again(app, files, &hash).await;
    // The profile was closed meanwhile: its worker ends here.
    let is_open = with(app, id, |_| ()).is_some();
    let calls: Vec<Call> = WAKING.with_borrow_mut(|w| {
        let (own, others) = std::mem::take(&mut w.calls).into_iter().partition(|(of, _)| *of == id);
        w.calls = others;
        let own: Vec<(u32, Call)> = own;
        own.into_iter().map(|(_, call)| call).collect()
    });
    match made {
        Ok((link, events, memory)) if is_open => {
            join(app, id, (link, events));
            actions::set_worker_state(app, id, WorkerState::Awake, Some(memory));
            calls.into_iter().for_each(|call| drop(worker_registry::ask(id, call)));
        }
        Err(error) if is_open => {
            actions::set_worker_state(app, id, WorkerState::Awake, None);
            actions::profile_stopped(app, id, format!("`{name}` could not be opened again: {error}"));
        }
        _ => {}
    }
}
