//! The page's root: layout, keys, drops. What it shows is in `views`, what the user has chosen in `state`.

mod clock;
mod console;
mod error;
pub mod open;
mod shell;
mod storage;
mod wiring;
mod workers;

use crate::state::{App as State, AppStateStoreFields as _, actions};
use crate::ui::dom::is_panel_open;
use crate::views::start::Start;
use leptos::ev;
use leptos::prelude::*;
use leptos::task::spawn_local;
use open::file_drop::Dropped;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;

/// The whole page.
#[component]
pub fn App() -> impl IntoView {
    let app = State::new();
    provide_context(app);
    storage::browser_state::join(app);
    wiring::sql::follow(app);
    workers::sleep::follow(app);
    shell::guide::follow(app);
    spawn_local(async move {
        match workers::worker_registry::prepare(app).await {
            Ok(()) => workers::warm_up::run(app).await,
            Err(error) => actions::notify(app, error.to_string(), true),
        }
    });
    let (files, directory) = (open::early::file_input(app, false), open::early::file_input(app, true));
    let is_dragging = listen_to_drops(app);
    listen_to_keys(app);
    // The elements belong to the browser's one thread.
    let inputs = StoredValue::new_local((files, directory));
    let on_pick = Callback::new(move |is_directory: bool| {
        inputs.with_value(|(files, directory)| {
            if let Some(input) = if is_directory { directory } else { files } {
                input.click();
            }
        });
    });
    open::early::take(app);
    let on_sample = Callback::new(move |name: String| open_sample(app, name, false));
    let is_start = Memo::new(move |_| app.state.front().get().is_none());
    view! {
        <div class="app" class:app--start=move || is_start.get()>
            <shell::toolbar::TopBar on_pick />
            <shell::notices::Notices />
            <Show when=move || is_start.get() fallback=shell::front_profile::Front>
                <Show when=move || app.state.imports().with(|i| i.is_empty()) fallback=|| ()>
                    <Start
                        formats=Signal::derive(move || app.state.formats().get())
                        entries=Signal::derive(move || app.state.library().get())
                        storage=Signal::derive(move || storage::library::storage_sentence(app))
                        is_open=Callback::new(move |hash: String| app.state.profiles().with_untracked(|all| all.iter().any(|p| p.hash == hash)))
                        wanted=Signal::derive(move || app.state.wanted().get())
                        resumable=Signal::derive(move || storage::library::resumable_names(app))
                        directories=Signal::derive(move || app.state.directories().get())
                        on_directory=Callback::new(move |(id, action)| storage::log_directories::act(app, id, action))
                        on_resume=Callback::new(move |()| storage::library::resume_waiting(app))
                        on_pick on_sample on_action=Callback::new(move |(hash, action)| storage::library::act(app, hash, action))
                    />
                </Show>
            </Show>
            <open::reading::Reading />
        </div>
        <Show when=move || is_dragging.get()>
            <div class="droptarget" aria-hidden="true"><p class="droptarget__text">"Drop files or a directory to open them here"</p></div>
        </Show>
        <shell::help::Help />
        <shell::commands::CommandPalette />
    }
}

/// Drops and pastes anywhere on the page. Returns whether files hover over it.
fn listen_to_drops(app: State) -> RwSignal<bool> {
    let is_dragging = RwSignal::new(false);
    let over = window_event_listener(ev::dragover, move |event| {
        event.prevent_default();
        let has_files = event.data_transfer().is_some_and(|data| data.types().includes(&"Files".into(), 0));
        if has_files && !is_dragging.get_untracked() {
            is_dragging.set(true);
            workers::worker_registry::start_full_ahead(app);
        }
    });
    let leave = window_event_listener(ev::dragleave, move |event| {
        // Leaving the window, not an element in it.
        if event.related_target().is_none() {
            is_dragging.set(false);
        }
    });
    let drop = window_event_listener(ev::drop, move |event| {
        event.prevent_default();
        is_dragging.set(false);
        let Some(dropped) = event.data_transfer().map(|data| open::file_drop::hold(&data)) else {
            return;
        };
        open_dropped(app, dropped, |_| {});
    });
    let paste = window_event_listener(ev::paste, move |event| {
        let Some(data) = event.clipboard_data() else { return };
        let mut files = open::file_drop::from_list(data.files());
        if files.is_empty() && !is_in_field(&event) {
            files.extend(open::file_drop::from_text(&data.get_data("text/plain").unwrap_or_default()));
        }
        if !files.is_empty() {
            open::opening::open(app, files);
        }
    });
    on_cleanup(move || {
        over.remove();
        leave.remove();
        drop.remove();
        paste.remove();
    });
    is_dragging
}

/// Opens the dropped files, or notifies the user why not. `on_drop` gets the number of the drop.
fn open_dropped(app: State, dropped: open::file_drop::DroppedEntries, on_drop: impl FnOnce(u32) + 'static) {
    spawn_local(async move {
        match dropped.files().await {
            Ok(files) => {
                if let Some(drop) = open::opening::open(app, files) {
                    on_drop(drop);
                }
            }
            Err(error) => {
                actions::drop_begins(app);
                actions::notify_of_drop(app, error.to_string(), true);
            }
        }
    });
}

/// Whether an event is of a field for input: what is typed or pasted there belongs to the field.
fn is_in_field(event: &web_sys::Event) -> bool {
    let element = event.target().and_then(|t| t.dyn_into::<web_sys::Element>().ok());
    element.is_some_and(|e| matches!(e.tag_name().as_str(), "INPUT" | "SELECT" | "TEXTAREA"))
}

/// Keys that belong to the page; those of a view are the view's.
fn listen_to_keys(app: State) {
    let keys = window_event_listener(ev::keydown, move |event| {
        let is_typing = is_in_field(&event);
        // Meant by its place on the keyboard, as the keys of the timeline are.
        if (event.ctrl_key() || event.meta_key()) && !event.shift_key() && !event.alt_key() && event.code() == "KeyK" {
            event.prevent_default();
            app.state.is_palette_open().update(|open| *open = !*open);
            return;
        }
        if event.ctrl_key() || event.meta_key() || event.alt_key() || event.default_prevented() {
            return;
        }
        match event.key().as_str() {
            "Escape" if !is_typing && !is_panel_open() => actions::escape(app),
            "/" if !is_typing => {
                event.prevent_default();
                shell::search::focus();
            }
            "?" if !is_typing => app.state.is_help_open().update(|open| *open = !*open),
            _ => {}
        }
    });
    on_cleanup(move || keys.remove());
}

/// Asks for files (`open-files`) or a directory (`open-directory`), as the buttons of the start page do.
fn pick(input: &str) {
    if let Some(input) = document().get_element_by_id(input).and_then(|e| e.dyn_into::<web_sys::HtmlElement>().ok()) {
        input.click();
    }
}

/// Fetches one of the samples that come with the page, and opens it as if it had been dropped. `is_guided`: with its guided reading, even where that
/// was closed.
fn open_sample(app: State, name: String, is_guided: bool) {
    spawn_local(async move {
        let mut files = Vec::new();
        let mut problem = None;
        for name in open::samples::files(&name) {
            match sample(&name).await {
                Ok(file) => files.push(Dropped { name, file }),
                Err(why) => problem = Some(why),
            }
        }
        match problem.map_or(Ok(files), Err) {
            Ok(files) => {
                open::samples::expect(&name);
                if let Some(drop) = open::opening::open(app, files) {
                    shell::guide::expect(drop, is_guided);
                }
            }
            Err(why) => {
                let why = crate::worker::error::words(&why);
                actions::drop_begins(app);
                actions::notify_of_drop(app, format!("The sample `{name}` could not be loaded from this site: {why}"), true);
            }
        }
    });
}

async fn sample(name: &str) -> Result<web_sys::File, wasm_bindgen::JsValue> {
    let response: web_sys::Response = JsFuture::from(window().fetch_with_str(&format!("./samples/{name}"))).await?.unchecked_into();
    if !response.ok() {
        return Err(js_sys::Error::new(&format!("the server returned {}", response.status())).into());
    }
    let blob = JsFuture::from(response.blob()?).await?;
    web_sys::File::new_with_blob_sequence(&js_sys::Array::of1(&blob), name)
}
