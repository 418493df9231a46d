//! Timelines of the open device profiles above their comparison: on one clock below each other, or each on its own with windows that show the
//! same shares of the runs.

use crate::app::open::budget::refused_stack;
use crate::base::{EventId, SliceId, TimeRange, text};
use crate::state::choices::Choice;
use crate::state::{App, AppStateStoreFields as _, OpenProfile, actions};
use crate::ui::effect::effect;
use crate::views::compare::linked::{is_same, same_share, shifts};
use crate::views::timeline::Timeline;
use crate::views::timeline::aligned::stack::{Stack, stack_at};
use crate::worker::protocol::{OccurrencesQuery, PageColumns};
use leptos::prelude::*;
use leptos::task::spawn_local;
use std::sync::Arc;

/// Timelines that are shown; each takes memory.
const MOST: usize = 8;

/// A name that the runs are lined up at, and its slices in each.
#[derive(Debug, Clone, PartialEq)]
struct Anchor {
    name: String,
    slices: Vec<Vec<SliceId>>,
}

/// What the timelines have in common. Made once for the view.
#[derive(Clone, Copy)]
pub(in crate::app) struct Compared {
    /// Ids of the profiles.
    ids: Memo<Vec<u32>>,
    /// How many more there are, which are not shown.
    n_more: Memo<usize>,
    /// Why they do not fit on one clock, if so.
    refused: Memo<Option<String>>,
    anchor: RwSignal<Option<Anchor>>,
    is_relative: Choice<bool>,
}

impl Compared {
    /// Gathers the profiles for which `is_meant` holds.
    pub fn new(app: App, is_meant: fn(&OpenProfile) -> bool) -> Self {
        let ids = move || app.state.profiles().with(|all| all.iter().filter(|p| is_meant(p)).map(|p| p.id).take(MOST).collect());
        let ids: Memo<Vec<u32>> = Memo::new(move |_| ids());
        let n_all = move || app.state.profiles().with(|all| all.iter().filter(|p| is_meant(p)).count());
        let n_more = Memo::new(move |_| n_all().saturating_sub(MOST));
        let refused = Memo::new(move |_| ids.with(|ids| refused_stack(app, ids)));
        let anchor = RwSignal::new(None);
        // For another set of runs the earlier answer is dropped.
        effect(move || {
            ids.track();
            anchor.set(None);
        });
        Compared { ids, n_more, refused, anchor, is_relative: app.view_state("compare").choice("relative", false) }
    }

    /// Whether each run stands by itself. Tracked.
    fn is_relative(self) -> bool {
        self.is_relative.0.get() || self.refused.with(Option::is_some)
    }

    fn profiles(self, app: App) -> Vec<OpenProfile> {
        let all = app.state.profiles().get_untracked();
        self.ids.get().iter().filter_map(|id| all.iter().find(|p| p.id == *id).cloned()).collect()
    }

    /// Lines the runs up at the first slice of that name, if they fit on one clock.
    pub fn line_up(self, app: App, by: String, name: String) {
        if self.refused.with_untracked(Option::is_some) {
            return;
        }
        let asks: Vec<_> = untrack(|| self.profiles(app)).into_iter().map(|p| p.ask).collect();
        spawn_local(async move {
            let mut slices = Vec::with_capacity(asks.len());
            for ask in asks {
                match ask.ask(OccurrencesQuery { by: by.clone(), value: name.clone() }).await {
                    Ok(found) => slices.push(found.0),
                    // A run that has no such column has no such name.
                    _ => slices.push(Vec::new()),
                }
            }
            self.is_relative.1.set(false);
            self.anchor.set(Some(Anchor { name, slices }));
        });
    }
}

/// The timelines, where there are at least two.
#[component]
pub(in crate::app) fn Timelines(compared: Compared) -> impl IntoView {
    let has_some = Memo::new(move |_| compared.ids.with(|ids| ids.len() > 1));
    let body = move || match (has_some.get(), compared.is_relative()) {
        (false, _) => ().into_any(),
        (true, false) => view! { <OneClock compared /> }.into_any(),
        (true, true) => view! { <SameShares compared /> }.into_any(),
    };
    view! {
        <Show when=move || has_some.get()><Bar compared /></Show>
        {body}
    }
}

#[component]
fn Bar(compared: Compared) -> impl IntoView {
    let Compared { is_relative, anchor, n_more, refused, .. } = compared;
    let part = move |relative: bool, label: &'static str, title: &'static str| {
        view! {
            <button
                type="button" class="segmented__part" data-zoom=if relative { "relative" } else { "absolute" } title=title
                aria-pressed=move || (compared.is_relative() == relative).to_string() on:click=move |_| is_relative.1.set(relative)
                disabled=move || !relative && refused.with(Option::is_some)
            >
                {label}
            </button>
        }
    };
    const BY_FRACTION: &str = "Each window shows the same fraction of its run.";
    let note = move || match (compared.is_relative(), anchor.get()) {
        (true, _) => refused.get().map_or_else(|| BY_FRACTION.to_string(), |why| format!("{BY_FRACTION} {why}")),
        (false, None) => "Every run starts at time zero.".into(),
        (false, Some(a)) => format!("Aligned at the first {}: {} occurrences in the runs.", a.name, counts(&a)),
    };
    view! {
        <div class="stackbar">
            <span>"Timelines"</span>
            <span class="segmented" role="group" aria-label="How the windows of the runs are linked">
                {part(false, "On one clock", "Absolute: one window in nanoseconds for all runs")}
                {part(true, "By fraction of the run", "Relative: windows cover the same fraction of each run")}
            </span>
            <span class="stackbar__note" data-alignment>{note}</span>
            <Show when=move || { n_more.get() > 0 }>
                <span class="stackbar__note" data-not-shown>{move || format!("The first {MOST} runs are drawn; the tables below include all runs.")}</span>
            </Show>
            <Show when=move || anchor.with(Option::is_some) && !compared.is_relative()>
                <button type="button" class="link" data-unanchor on:click=move |_| anchor.set(None)>"Align at the start"</button>
            </Show>
        </div>
    }
}

fn counts(anchor: &Anchor) -> String {
    let counts: Vec<String> = anchor.slices.iter().map(|s| text::count(s.len() as u64)).collect();
    counts.join(" / ")
}

/// All runs below each other in one window.
#[component]
fn OneClock(compared: Compared) -> impl IntoView {
    let app = App::expect();
    let stack = Memo::new_with_compare(
        move |_| Arc::new(compared.anchor.with(|anchor| stacked(&compared.profiles(app), anchor.as_ref()))),
        |a, b| !matches!((a, b), (Some(a), Some(b)) if Arc::ptr_eq(a, b)),
    );
    let columns = Signal::derive(move || Some(stack.with(|s| s.columns.clone())));
    let highlights = Signal::derive(move || {
        let all = compared.anchor.with(|anchor| {
            let join =
                |(at, slices): (usize, &Vec<SliceId>)| stack.with(|s| slices.iter().filter_map(|i| s.join(at, *i)).collect::<Vec<_>>());
            anchor.iter().flat_map(|a| a.slices.iter().enumerate().flat_map(join)).collect::<Vec<_>>()
        });
        Arc::new(all)
    });
    let (selection, range) = (RwSignal::new(None::<EventId>), RwSignal::new(None::<TimeRange>));
    // Ids of another stack mean other slices.
    effect(move || {
        stack.track();
        selection.set(None);
    });
    let on_details = Callback::new(move |()| {
        let own = selection.get_untracked().and_then(|item| stack.with_untracked(|s| s.split_item(item)));
        let id = own.and_then(|(at, item)| compared.ids.with_untracked(|ids| Some((*ids.get(at)?, item))));
        if let Some((id, item)) = id {
            show(app, id, item);
        }
    });
    view! {
        <div class="compared">
            <Timeline
                columns range selection highlights arrows=Signal::stored(Vec::new()) reveal=Signal::stored(None) on_details is_brief=true
            />
        </div>
    }
}

fn stacked(profiles: &[OpenProfile], anchor: Option<&Anchor>) -> Stack {
    let all: Vec<(String, Arc<PageColumns>)> = profiles.iter().map(|p| (p.title.clone(), p.columns.clone())).collect();
    let starts: Vec<i64> = profiles.iter().map(|p| p.columns.range().start.0).collect();
    let first = |(at, p): (usize, &OpenProfile)| {
        let slice = anchor?.slices.get(at)?.first()?;
        p.columns.start.get(slice.index())
    };
    let times: Vec<Option<i64>> = profiles.iter().enumerate().map(first).collect();
    let note = if anchor.is_some() { "aligned at a name" } else { "start of each run" };
    stack_at(&all, &shifts(&starts, &times), note.into())
}

/// Each run by itself, the windows linked.
#[component]
fn SameShares(compared: Compared) -> impl IntoView {
    let app = App::expect();
    let rows = move || {
        let profiles = compared.profiles(app);
        let windows: Vec<RwSignal<Option<TimeRange>>> = profiles.iter().map(|_| RwSignal::new(None)).collect();
        let wholes: Vec<TimeRange> = profiles.iter().map(|p| p.columns.range()).collect();
        link(&windows, &wholes);
        profiles.into_iter().zip(windows).map(|(p, window)| view! { <One profile=p window /> }).collect_view()
    };
    view! { {rows} }
}

/// All windows show the same share of their runs.
fn link(windows: &[RwSignal<Option<TimeRange>>], wholes: &[TimeRange]) {
    for (at, window) in windows.iter().copied().enumerate() {
        let others: Vec<_> = windows.iter().copied().zip(wholes.iter().copied()).enumerate().filter(|o| o.0 != at).map(|o| o.1).collect();
        let own = wholes[at];
        effect(move || {
            let Some(seen) = window.get() else { return };
            for (other, whole) in &others {
                let wanted = same_share(seen, own, *whole);
                if !other.get_untracked().is_some_and(|now| is_same(now, wanted)) {
                    other.set(Some(wanted));
                }
            }
        });
    }
}

#[component]
fn One(profile: OpenProfile, window: RwSignal<Option<TimeRange>>) -> impl IntoView {
    let app = App::expect();
    let (selection, range) = (RwSignal::new(None::<EventId>), RwSignal::new(None::<TimeRange>));
    let (id, columns) = (profile.id, profile.columns.clone());
    let on_details = Callback::new(move |()| {
        if let Some(item) = selection.get_untracked() {
            show(app, id, item);
        }
    });
    view! {
        <div class="compared compared--one" data-run=profile.title.clone()>
            <p class="compared__name mono">{profile.title.clone()}</p>
            <Timeline
                columns=Signal::stored(Some(columns)) range selection highlights=Signal::stored(Arc::default()) arrows=Signal::stored(Vec::new())
                reveal=Signal::stored(None) on_details window is_brief=true
            />
        </div>
    }
}

/// A slice or an instant in the timeline of its own profile, with its details.
fn show(app: App, id: u32, item: EventId) {
    actions::show_profile(app, id);
    actions::go_to(app, item);
}
