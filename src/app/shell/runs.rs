//! Runs on the page: a tab for each run, and the panel that selects run, worker and span.

use crate::app::open::opening;
use crate::base::text;
use crate::state::runs::Run;
use crate::state::{App, AppStateStoreFields as _, OpenProfile, WorkerState, actions};
use crate::ui::dom::scroll_into_row;
use crate::ui::effect::effect;
use leptos::prelude::*;
use wasm_bindgen::JsCast;

/// Id of the element of a run's tab.
fn tab_id(run: &Run) -> Option<String> {
    run.profiles.first().map(|p| format!("tab-{}", p.id))
}

/// Puts the focus on a tab.
fn focus_tab(id: &str) {
    if let Some(tab) = document().get_element_by_id(id).and_then(|e| e.dyn_into::<web_sys::HtmlElement>().ok()) {
        // A tab that was closed meanwhile gets no focus.
        let _ = tab.focus();
    }
}

/// The position that a key leads to in a row of `n` tabs; `None` for keys that lead nowhere.
fn neighbour(key: &str, at: usize, n: usize) -> Option<usize> {
    match key {
        "ArrowRight" => Some((at + 1) % n.max(1)),
        "ArrowLeft" => Some(at.checked_sub(1).unwrap_or(n.saturating_sub(1))),
        "Home" => Some(0),
        "End" => Some(n.saturating_sub(1)),
        _ => None,
    }
}

/// A tab for each run; a profile that belongs to none has its own. Close buttons are beside the tabs, not in the list of tabs.
#[component]
pub fn Tabs() -> impl IntoView {
    let app = App::expect();
    // A tab is rendered again when its text changes.
    let key = |run: &Run| {
        let state: Vec<(u32, bool)> = run.profiles.iter().map(|p| (p.id, p.stopped.is_some())).collect();
        (run.title(), state)
    };
    let tabs = Memo::new(move |_| app.runs().iter().filter_map(tab_id).collect::<Vec<_>>().join(" "));
    view! {
        <Show when=move || tabs.with(|t| !t.is_empty())>
            <div role="tablist" aria-label="Open profiles" aria-owns=move || tabs.get()></div>
        </Show>
        <For each=move || app.runs() key=key let(run)>
            <Tab run />
        </For>
    }
}

#[component]
fn Tab(run: Run) -> impl IntoView {
    let app = App::expect();
    let ids: Vec<u32> = run.profiles.iter().map(|p| p.id).collect();
    let title = run.title();
    // What changes while the tab stays: it keeps the focus.
    let memory = {
        let ids = ids.clone();
        Memo::new(move |_| app.state.profiles().with(|all| TabMemory::of(all.iter().filter(|p| ids.contains(&p.id)))))
    };
    let hint = hint(&run);
    let hint = move || format!("{hint}{}", memory.get().sentence());
    let is_asleep = move || memory.with(|m| m.n_awake == 0 && m.n_asleep > 0);
    let rest = move || match memory.get() {
        TabMemory { n_waking: 1.., .. } => Some("waking"),
        TabMemory { n_awake: 0, n_asleep: 1.., .. } => Some("asleep"),
        _ => None,
    };
    let label = move || if is_asleep() { "sleeping".into() } else { format!("{} RAM", text::bytes(memory.get().bytes)) };
    let close = format!("Close {title}");
    let id = tab_id(&run);
    let is_stopped = run.profiles.iter().any(|p| p.stopped.is_some());
    let is_front = {
        let ids = ids.clone();
        Memo::new(move |_| app.state.front().get().is_some_and(|front| ids.contains(&front)))
    };
    let item = NodeRef::<leptos::html::Span>::new();
    // With more tabs than fit, the one in front is scrolled into view.
    effect(move || {
        if let (true, Some(item)) = (is_front.get(), item.get()) {
            request_animation_frame(move || scroll_into_row(&item));
        }
    });
    let first = ids.first().copied();
    let closed = ids.clone();
    let on_key = move |event: leptos::ev::KeyboardEvent| {
        let all: Vec<String> = untrack(|| app.runs()).iter().filter_map(tab_id).collect();
        let at = all.iter().position(|tab| tab.strip_prefix("tab-").and_then(|id| id.parse().ok()) == first).unwrap_or(0);
        if event.key() == "Delete" {
            event.prevent_default();
            closed.iter().for_each(|&id| opening::close(app, id));
            request_animation_frame(move || {
                if let Some(next) = untrack(|| app.runs()).iter().filter_map(tab_id).nth(at.min(all.len().saturating_sub(2))) {
                    focus_tab(&next);
                }
            });
        } else if let Some(next) = neighbour(&event.key(), at, all.len()).and_then(|to| all.get(to)) {
            event.prevent_default();
            event.stop_propagation();
            focus_tab(next);
        }
    };
    let on_show = move |_| {
        if let Some(first) = first.filter(|_| !is_front.get_untracked()) {
            actions::show_profile(app, first);
        }
    };
    view! {
        <span class="tabs__item" node_ref=item class:tabs__item--front=is_front class:tabs__item--stopped=is_stopped class:tabs__item--asleep=is_asleep data-rest=rest>
            <button
                type="button" role="tab" id=id class="tabs__tab" title=hint aria-selected=move || is_front.get().to_string()
                tabindex=move || if is_front.get() { "0" } else { "-1" } on:click=on_show on:keydown=on_key
            >
                {text::middle_ellipsis(&title, 36)}
                <span class="tabs__memory figure">{label}</span>
            </button>
            <button
                type="button" class="tabs__close" aria-label=close title="Close and free its memory"
                on:click=move |_| ids.iter().for_each(|&id| opening::close(app, id))
            >
                "×"
            </button>
        </span>
    }
}

/// Memory of the profiles of a tab, and how many sleep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct TabMemory {
    bytes: u64,
    n_awake: usize,
    n_asleep: usize,
    n_waking: usize,
}

impl TabMemory {
    fn of<'a>(profiles: impl Iterator<Item = &'a OpenProfile>) -> Self {
        profiles.fold(TabMemory::default(), |mut sum, p| {
            match p.worker_state {
                WorkerState::Awake => (sum.bytes, sum.n_awake) = (sum.bytes + p.memory, sum.n_awake + 1),
                WorkerState::Asleep => sum.n_asleep += 1,
                WorkerState::Waking => sum.n_waking += 1,
            }
            sum
        })
    }

    /// For the hint of the tab.
    fn sentence(self) -> String {
        const WHY: &str = "to keep this page within its memory limit";
        match self {
            TabMemory { n_waking: 1.., .. } => " · opening again".into(),
            TabMemory { n_awake: 0, n_asleep: 1.., .. } => format!(" · sleeping {WHY}; select it to open it again as it was"),
            TabMemory { n_asleep: 1.., .. } => {
                format!(" · {} of memory; {} sleeping {WHY}", text::bytes(self.bytes), text::counted(self.n_asleep as u64, "profile"))
            }
            _ => format!(" · {} of memory", text::bytes(self.bytes)),
        }
    }
}

/// Title, slices, and what went wrong.
fn hint(run: &Run) -> String {
    let n_slices = run.profiles.iter().map(|p| p.columns.info.n_slices).sum();
    let stopped = run.profiles.iter().filter_map(|p| p.stopped.as_ref()).map(|s| format!(" · {s}"));
    let stopped: String = stopped.collect();
    format!("{} · {} slices{stopped}", run.title(), text::count(n_slices))
}

/// Selects run, worker and span. Shown while the profile in front has others beside it.
#[component]
pub fn RunPanel() -> impl IntoView {
    let app = App::expect();
    let run = Memo::new_with_compare(
        move |_| app.runs().into_iter().find(|run| run.profiles.iter().any(|p| Some(p.id) == app.state.front().get())),
        |a, b| match (a, b) {
            (Some(Some(a)), Some(Some(b))) => ids(a) != ids(b) || a.name != b.name || labels(a) != labels(b),
            _ => true,
        },
    );
    let names = Memo::new(move |_| {
        let runs = app.runs().into_iter().filter(|r| r.profiles.iter().any(|p| p.place.is_some()));
        runs.map(|r| r.name).collect::<Vec<String>>()
    });
    let has_others = move || run.with(|run| run.as_ref().is_some_and(|run| run.profiles.len() > 1));
    view! {
        <Show when=has_others>
            {move || run.get().map(|run| view! { <span class="runpanel" data-runs="">{pick_run(app, names.get())}{pick_worker(app, run.clone())}{pick_span(app, run)}</span> })}
        </Show>
    }
}

fn ids(run: &Run) -> Vec<u32> {
    run.profiles.iter().map(|p| p.id).collect()
}

fn labels(run: &Run) -> (Vec<String>, Vec<Option<u32>>) {
    (run.workers(), run.spans())
}

/// Only where there is another run to go to.
fn pick_run(app: App, names: Vec<String>) -> Option<impl IntoView> {
    let now = front_place(app).map(|p| p.run).unwrap_or_default();
    let on_pick = move |name: String| {
        let (worker, span) = front_place(app).map(|p| (p.worker, p.span)).unwrap_or_default();
        let run = untrack(|| app.runs()).into_iter().find(|r| r.name == name);
        if let Some(to) = run.as_ref().and_then(|r| r.nearest(&worker, span)) {
            actions::show_sibling(app, to.id);
        }
    };
    let options = names.iter().map(|n| (n.clone(), n.clone())).collect();
    (names.len() > 1).then(|| view! { <Picker label="Run" options chosen=Signal::stored(now) on_pick=Callback::new(on_pick) /> })
}

fn pick_worker(app: App, run: Run) -> Option<impl IntoView> {
    let options: Vec<(String, String)> = run.workers().into_iter().map(|w| (w.clone(), w)).collect();
    let chosen = Signal::derive(move || app.front().and_then(|p| p.place).map(|p| p.worker).unwrap_or_default());
    let on_pick = move |worker: String| {
        let span = front_place(app).and_then(|p| p.span);
        if let Some(to) = run.nearest(&worker, span) {
            actions::show_sibling(app, to.id);
        }
    };
    (options.len() > 1).then(|| view! { <Picker label="Worker" options chosen on_pick=Callback::new(on_pick) /> })
}

fn pick_span(app: App, run: Run) -> Option<impl IntoView> {
    let name = |span: Option<u32>| span.map_or("default".to_string(), |s| s.to_string());
    let worker = front_place(app).map(|p| p.worker).unwrap_or_default();
    let spans = run.spans();
    let options: Vec<(String, String)> = spans.iter().map(|&s| (name(s), name(s))).collect();
    let chosen = Signal::derive(move || name(app.front().and_then(|p| p.place).and_then(|p| p.span)));
    let on_pick = move |chosen: String| {
        let span = spans.iter().copied().find(|&s| name(s) == chosen).flatten();
        let worker = front_place(app).map_or(worker.clone(), |p| p.worker);
        let same_span: Vec<_> = run.profiles.iter().filter(|p| p.place.as_ref().is_some_and(|p| p.span == span)).collect();
        let is_worker = |p: &&&crate::state::OpenProfile| p.place.as_ref().is_some_and(|p| p.worker == worker);
        if let Some(to) = same_span.iter().find(is_worker).or(same_span.first()) {
            actions::show_sibling(app, to.id);
        }
    };
    (options.len() > 1).then(|| view! { <Picker label="Span" options chosen on_pick=Callback::new(on_pick) /> })
}

fn front_place(app: App) -> Option<crate::base::TraceIdentity> {
    app.front_untracked().and_then(|p| p.place)
}

/// A select with its label; `options` are (value, text).
#[component]
fn Picker(label: &'static str, options: Vec<(String, String)>, chosen: Signal<String>, on_pick: Callback<String>) -> impl IntoView {
    // Each option knows whether it is the chosen one: a value set before its option exists would be lost.
    let options = options.into_iter().map(|(value, text)| {
        let is_chosen = {
            let value = value.clone();
            move || chosen.with(|c| *c == value)
        };
        view! { <option value=value prop:selected=is_chosen>{text::middle_ellipsis(&text, 40)}</option> }
    });
    view! {
        <label class="scopebar__pick">
            {label}" "
            <select class="select" data-pick=label.to_lowercase() on:change:target=move |e| on_pick.run(e.target().value())>{options.collect_view()}</select>
        </label>
    }
}

#[cfg(test)]
mod tests {
    use super::neighbour;

    #[test]
    fn arrow_keys_go_round_the_tabs() {
        assert_eq!((neighbour("ArrowRight", 0, 3), neighbour("ArrowRight", 2, 3)), (Some(1), Some(0)));
        assert_eq!((neighbour("ArrowLeft", 0, 3), neighbour("ArrowLeft", 2, 3)), (Some(2), Some(1)));
        assert_eq!((neighbour("Home", 2, 3), neighbour("End", 0, 3), neighbour("Enter", 0, 3)), (Some(0), Some(2), None));
        assert_eq!((neighbour("ArrowLeft", 0, 1), neighbour("ArrowRight", 0, 0)), (Some(0), Some(0)));
    }
}
