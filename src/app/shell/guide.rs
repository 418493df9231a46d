//! Guided reading of the samples: steps that go from view to view (`public/guide`), loaded with a sample unless it was closed before.

use crate::app::open::follow_link;
use crate::app::storage::local_storage::stored;
use crate::state::{App, AppStateStoreFields as _, OpenProfile, actions, url::UrlState};
use crate::ui::dom::call_script;
use crate::ui::effect::effect;
use crate::views::start::SAMPLES;
use crate::worker::error::words;
use js_sys::{Object, Reflect};
use leptos::prelude::*;
use leptos::task::spawn_local;
use std::cell::{Cell, RefCell};
use wasm_bindgen::prelude::*;
use web_sys::{CustomEvent, CustomEventInit};

/// Names of the samples with a closed reading, as the script notes them.
const CLOSED: &str = "axonscope.guide";
/// Event with the content hash of the profile in front.
const FRONT: &str = "axonscope-front";

thread_local! {
    /// Samples that are being opened: their drops, and whether the user asked for the reading.
    static EXPECTED: RefCell<Vec<(u32, bool)>> = const { RefCell::new(Vec::new()) };
    /// Whether a script observes the profile in front.
    static IS_STARTED: Cell<bool> = const { Cell::new(false) };
}

/// A sample is being opened with that drop.
pub(in crate::app) fn expect(drop: u32, is_wanted: bool) {
    EXPECTED.with_borrow_mut(|all| all.push((drop, is_wanted)));
}

/// The sample that a profile is, by the name of its file.
pub(in crate::app) fn sample_of(profile: &OpenProfile) -> Option<&'static str> {
    SAMPLES.iter().map(|s| s.0).find(|name| *name == profile.path)
}

/// Starts the guided reading of a sample that is shown for the first time. Called once, by the root.
pub(in crate::app) fn follow(app: App) {
    let front = Memo::new(move |_| app.front().map(|p| (p.id, p.hash)));
    effect(move || {
        let hash = front.get().map(|f| f.1);
        if IS_STARTED.get() {
            announce(hash.as_deref().unwrap_or_default());
        }
        let Some(profile) = app.front_untracked() else { return };
        let Some(name) = sample_of(&profile) else { return };
        let expected = EXPECTED.with_borrow_mut(|all| {
            let at = all.iter().position(|e| e.0 == profile.drop)?;
            Some(all.swap_remove(at).1)
        });
        if let Some(is_wanted) = expected {
            let is_closed = stored(CLOSED).is_some_and(|closed| closed.contains(&format!("\"{name}\"")));
            if is_wanted || !is_closed {
                start(app, &profile, name, is_wanted);
            }
        }
    });
}

/// Shows the reading of a sample, which is opened for it where it is not open.
pub(in crate::app) fn begin(app: App, name: &'static str) {
    app.state.is_help_open().set(false);
    let open = app.state.profiles().with_untracked(|all| all.iter().find(|p| p.path == name && p.stopped.is_none()).cloned());
    match open {
        Some(profile) => {
            actions::show_profile(app, profile.id);
            start(app, &profile, name, true);
        }
        None => crate::app::open_sample(app, name.into(), true),
    }
}

/// The same for the sample in front.
pub(in crate::app) fn begin_front(app: App) {
    if let Some(name) = app.front_untracked().and_then(|p| sample_of(&p)) {
        begin(app, name);
    }
}

fn announce(hash: &str) {
    let init = CustomEventInit::new();
    init.set_detail(&hash.into());
    // An event of ours is always made and never cancelled.
    let _ = CustomEvent::new_with_event_init_dict(FRONT, &init).and_then(|event| window().dispatch_event(&event));
}

fn start(app: App, profile: &OpenProfile, name: &'static str, takes_focus: bool) {
    let (host, ask) = (Object::new(), profile.ask.clone());
    let set = |key: &str, value: JsValue| {
        // A plain object takes any property.
        let _ = Reflect::set(&host, &key.into(), &value);
    };
    let id = profile.id;
    let go = Closure::<dyn Fn(String)>::new(move |link: String| {
        if app.state.front().get_untracked() == Some(id) {
            app.state.is_details_open().set(false);
            app.selection.set(None);
            // What was chosen in views stays, as the base of a comparison.
            let choices = app.choices.get_untracked();
            follow_link::follow(app, ask.clone(), UrlState { choices, ..UrlState::from_fragment(&format!("v=1&{link}")) });
        }
    });
    set("go", go.into_js_value());
    set("hash", profile.hash.as_str().into());
    let notify = Closure::<dyn Fn(String, bool)>::new(move |text, is_error| actions::notify(app, text, is_error));
    set("notify", notify.into_js_value());
    IS_STARTED.set(true);
    spawn_local(async move {
        if let Err(error) = call_script("guide/guide.js", "start", &[host.into(), name.into(), takes_focus.into()]).await {
            actions::notify(app, words(&error), true);
        }
    });
}
