//! Shows a small synthetic trace where nobody sees it, before the first file comes. Browsers compile a WebAssembly function when it is first
//! called; what is between an opened profile and its picture is some two thousand of them. Done ahead, the first file opens a tenth sooner.

use crate::app::clock::now_ms;
use crate::app::open::reading::Reading;
use crate::app::shell::front_profile::Front;
use crate::app::wiring::chunks;
use crate::app::workers::worker_registry;
use crate::state::{App, AppStateStoreFields as _, BackgroundChoices, OpenProfile, WorkerState, actions, library};
use crate::worker::client::Ask;
use crate::worker::page::{Events, FromWorker, Link};
use crate::worker::protocol::{Opened, PageColumns, ToWorker};
use futures_channel::oneshot;
use futures_util::StreamExt;
use gloo_timers::future::TimeoutFuture;
use leptos::mount::mount_to;
use leptos::prelude::*;
use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::HtmlElement;

/// No warm-up when a file is opened right after the page has loaded.
const PAUSE_MS: u32 = 250;
/// Views that between them draw with what the others draw with: lanes, charts, tables. A trace opens at the first.
const VIEWS: [&str; 3] = ["timeline", "overview", "operators"];
/// Set on the performance timeline when it is over.
const MARK: &str = "axonscope-rehearsed";

/// Rehearses, unless a file is there first. With a worker that has nothing to do, which is given back.
pub async fn run(app: App) {
    TimeoutFuture::new(PAUSE_MS).await;
    let Some((link, mut events)) = is_free(app).then(worker_registry::take_spare).flatten() else {
        return;
    };
    let is_over = show(app, &link, &mut events).await;
    // If the warm-up was interrupted, answers may be pending, so the worker is not reused.
    if is_over.is_ok_and(|is_over| is_over) {
        worker_registry::give_back((link, events));
    }
    if is_free(app) && opened_with_full(app) {
        worker_registry::start_full_ahead(app);
    }
    if let Some(performance) = window().performance() {
        // Only tests look at it.
        let _ = performance.mark(MARK);
    }
}

/// Whether the profile that was opened last needed the program of every format: the next one probably needs it too.
fn opened_with_full(app: App) -> bool {
    app.state.library().with_untracked(|list| library::newest(list).is_some_and(|entry| entry.needs_full))
}

/// Whether the page shows nothing and reads nothing.
fn is_free(app: App) -> bool {
    app.state.front().get_untracked().is_none() && app.state.imports().with_untracked(Vec::is_empty)
}

/// Shows how the trace is read, then its views one after the other. Returns whether it came to its end.
async fn show(app: App, link: &Link, events: &mut Events) -> Result<bool, JsValue> {
    let (host, stage) = stage()?;
    let aside = Rc::new(Cell::new(None::<App>));
    let made = aside.clone();
    let shown = mount_to(stage, move || {
        let synthetic = App::new();
        provide_context(synthetic);
        made.set(Some(synthetic));
        view! {
            <Reading />
            <Front />
        }
    });
    let mut is_over = false;
    if let Some(synthetic) = aside.get()
        && opened(synthetic, link, events).await
    {
        for view in VIEWS {
            actions::show_view(synthetic, view);
            is_over = drawn(app, link).await;
            if !is_over {
                break;
            }
        }
    }
    drop(shown);
    host.remove();
    Ok(is_over)
}

/// Opens the trace, as a file is opened. Returns whether it is open.
async fn opened(synthetic: App, link: &Link, events: &mut Events) -> bool {
    let import = actions::import_begins(synthetic, String::new(), 0, now_ms());
    if link.send(&ToWorker::OpenSynthetic, &[]).is_err() {
        return false;
    }
    while let Some(event) = events.next().await {
        match event {
            FromWorker::Progress(progress) => actions::import_goes_on(synthetic, import, progress),
            FromWorker::Opened(opened, columns) => {
                let (ask, calls) = Ask::aside();
                link.serve(calls);
                actions::add_profile(synthetic, profile(*opened, *columns, ask), None);
                actions::import_ends(synthetic, import);
                return true;
            }
            _ => return false,
        }
    }
    false
}

/// Waits until a view has its answers and has drawn them; not when a file has come.
async fn drawn(app: App, link: &Link) -> bool {
    loop {
        frame().await;
        frame().await;
        if !is_free(app) {
            return false;
        }
        if link.n_pending() == 0 && chunks::is_quiet() {
            return true;
        }
    }
}

/// Until the page paints again.
async fn frame() {
    let (painted, waits) = oneshot::channel::<()>();
    request_animation_frame(move || drop(painted));
    // Dropping it is the sign.
    let _ = waits.await;
}

fn profile(opened: Opened, columns: PageColumns, ask: Ask) -> OpenProfile {
    OpenProfile {
        id: 1,
        title: String::new(),
        own_title: String::new(),
        hash: opened.hash,
        format: opened.claim.format,
        drop: 1,
        import: 1,
        path: String::new(),
        place: None,
        ask,
        columns: Arc::new(columns),
        ledger: Arc::new(opened.ledger),
        memory: opened.memory,
        stopped: None,
        worker_state: WorkerState::Awake,
        background: BackgroundChoices::default(),
    }
}

/// An element that has a size and is not seen, and one in it that neither keys nor scripts nor readers of the screen find: in a closed shadow tree.
fn stage() -> Result<(HtmlElement, HtmlElement), JsValue> {
    let document = document();
    let host: HtmlElement = document.create_element("div")?.unchecked_into();
    host.set_class_name("rehearsal");
    host.set_attribute("aria-hidden", "true")?;
    let shadow = host.attach_shadow(&web_sys::ShadowRootInit::new(web_sys::ShadowRootMode::Closed))?;
    let stage: HtmlElement = document.create_element("div")?.unchecked_into();
    shadow.append_child(&stage)?;
    document.body().ok_or(JsValue::NULL)?.append_child(&host)?;
    Ok((host, stage))
}
