//! Takes over from the start page that `index.html` draws before the program is there (`public/early.js`): its file inputs, and what was dropped
//! on it or chosen in it meanwhile.

use crate::app::open::file_drop::{self, Dropped, DroppedEntries};
use crate::app::open::opening;
use crate::app::open::script_events;
use crate::app::open_dropped;
use crate::app::open_sample;
use crate::app::workers::worker_registry;
use crate::state::{App, AppStateStoreFields as _};
use crate::views::start::library::Action;
use gloo_events::EventListener;
use js_sys::{Array, Reflect};
use leptos::prelude::*;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{CustomEvent, Element, HtmlElement, HtmlInputElement};

/// Id of the drawn start page.
const DRAWN: &str = "early";
/// What `public/early.js` keeps.
const KEEPER: &str = "axonscopeEarly";

/// Mounts the page instead of the drawn start page, within one frame: scrolled as that was, the keyboard at the same control.
pub fn mount() {
    let drawn = document().get_element_by_id(DRAWN);
    let scrolled = drawn.as_ref().and_then(start_of).map_or(0, |start| start.scroll_top());
    let focused = drawn.as_ref().and_then(focused_button);
    if let Some(drawn) = drawn {
        drawn.remove();
    }
    leptos::mount::mount_to_body(crate::app::App);
    let Some(page) = document().query_selector(".app").ok().flatten() else {
        return;
    };
    if let Some(start) = start_of(&page) {
        start.set_scroll_top(scrolled);
    }
    let button = focused.and_then(|at| page.query_selector_all("button").ok()?.get(at)).and_then(|b| b.dyn_into::<HtmlElement>().ok());
    if let Some(button) = button {
        // A page that cannot focus is used with the mouse.
        let _ = button.focus();
    }
}

fn start_of(page: &Element) -> Option<Element> {
    page.query_selector(".start").ok().flatten()
}

/// Which of the buttons has the focus.
fn focused_button(drawn: &Element) -> Option<u32> {
    let active = document().active_element()?;
    let buttons = drawn.query_selector_all("button").ok()?;
    (0..buttons.length()).find(|&at| buttons.get(at).is_some_and(|b| b.is_same_node(Some(&active))))
}

/// Opens the waiting files. From now on, files from the start page and from scripts open at once.
pub fn take(app: App) {
    let Some(keeper) = Reflect::get(&window(), &KEEPER.into()).ok().filter(JsValue::is_object) else {
        return;
    };
    // An object of our own script takes a property.
    let _ = Reflect::set(&keeper, &"isOver".into(), &true.into());
    let waiting = Reflect::get(&keeper, &"waiting".into()).ok().and_then(|w| w.dyn_into::<Array>().ok()).unwrap_or_default();
    for item in waiting.iter() {
        open_item(app, &item);
    }
    EventListener::new(&window(), script_events::OPEN, move |event| {
        if let Some(event) = event.dyn_ref::<CustomEvent>() {
            open_item(app, &event.detail());
        }
    })
    .forget();
}

fn open_item(app: App, item: &JsValue) {
    let part = |key: &str| Reflect::get(item, &key.into()).ok().filter(|v| !v.is_undefined());
    let list = |key: &str| part(key).and_then(|v| v.dyn_into::<Array>().ok()).unwrap_or_default();
    if let Some(name) = part("sample").and_then(|name| name.as_string()) {
        open_sample(app, name, false);
    } else if let Some(hash) = part("entry").and_then(|hash| hash.as_string()) {
        crate::app::storage::library::open(app, hash);
    } else if part("clear").is_some() {
        crate::app::storage::library::act(app, String::new(), Action::DeleteAll);
    } else if part("help").is_some() {
        app.state.is_help_open().set(true);
    } else {
        let item = item.clone();
        open_dropped(app, DroppedEntries::of(&list("files"), &list("entries")), move |drop| script_events::name_drop(&item, drop));
    }
}

/// The input of the page that asks for files, or for a directory. `index.html` has both, so that a dialog that is open when the program comes stays
/// open; elsewhere they are made.
pub fn file_input(app: App, is_directory: bool) -> Option<HtmlInputElement> {
    let id = if is_directory { "open-directory" } else { "open-files" };
    let input = document().get_element_by_id(id).and_then(|e| e.dyn_into().ok()).or_else(|| made_input(id, is_directory))?;
    let listened = input.clone();
    // While the user looks for files.
    EventListener::new(&input, "click", move |_| worker_registry::start_full_ahead(app)).forget();
    EventListener::new(&input, "change", move |_| {
        let files: Vec<Dropped> = file_drop::from_list(listened.files());
        // It can be used again for the same ones.
        listened.set_value("");
        opening::open(app, files);
    })
    .forget();
    Some(input)
}

fn made_input(id: &str, is_directory: bool) -> Option<HtmlInputElement> {
    let input: HtmlInputElement = document().create_element("input").ok()?.dyn_into().ok()?;
    input.set_type("file");
    input.set_multiple(true);
    input.set_id(id);
    input.set_class_name("visually-hidden");
    input.set_tab_index(-1);
    input.set_attribute("aria-label", if is_directory { "Open a directory" } else { "Open files" }).ok()?;
    if is_directory {
        input.set_attribute("webkitdirectory", "").ok()?;
    }
    document().body()?.append_child(&input).ok()?;
    Some(input)
}
