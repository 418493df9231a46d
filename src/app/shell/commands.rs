//! What the command palette offers, and what each command does.

use crate::app::open::opening;
use crate::app::shell::guide;
use crate::app::shell::toolbar;
use crate::app::storage::browser_state;
use crate::app::storage::library;
use crate::app::storage::share;
use crate::app::wiring::navigation;
use crate::app::wiring::views::VIEWS;
use crate::base::{SliceId, StrId, TimeRange, TrackId, text};
use crate::state::{App, AppStateStoreFields as _, OpenProfile, actions};
use crate::ui::commands::{Commands, Line, matching};
use crate::ui::effect::effect;
use crate::views::timeline::rows::choices::Settings;
use leptos::prelude::*;
use std::sync::Arc;

/// Lines of the list.
const MOST: usize = 60;
/// Ranges that are remembered.
const N_RANGES: usize = 8;
/// Names are matched from this length on, because one letter matches almost all of them.
const SHORTEST_FOR_NAMES: usize = 2;

/// Something to do.
#[derive(Debug, Clone)]
enum Command {
    View(&'static str),
    Profile(u32),
    Library(String),
    Track(TrackId),
    Name(StrId),
    Colour(String),
    Range(TimeRange),
    Act(fn(App)),
}

/// What can be chosen: with its text and kind.
type Offer = (Command, String, &'static str);

/// What the list is made of while the palette is open.
#[derive(Default)]
struct Offered {
    offers: Vec<Offer>,
    /// Names of slices. Their texts are in the profile.
    names: Vec<StrId>,
    profile: Option<OpenProfile>,
}

/// An action by its name.
type Action = (&'static str, fn(App));

/// Actions that need no profile.
const ALWAYS: [Action; 7] = [
    ("Open files", |_| crate::app::pick("open-files")),
    ("Open a directory", |_| crate::app::pick("open-directory")),
    ("Save the workspace: views and annotations of the open profiles", crate::app::storage::workspace::save),
    ("Start page and library", actions::show_start),
    ("Switch between light and dark", browser_state::toggle_theme),
    ("Help: keyboard shortcuts", |app| app.state.is_help_open().set(true)),
    ("Copy the link to this view", |_| toolbar::copy_link()),
];

/// Actions on the profile in front.
const OF_PROFILE: [Action; 17] = [
    ("Search slices", |_| crate::app::shell::search::focus()),
    ("Fit the entire trace", |app| show_window(app, app.front_untracked().map(|p| p.columns.range()))),
    ("Zoom to the selected range", |app| show_window(app, app.range.get_untracked())),
    ("Select the visible range", |app| actions::commit_range(app, app.window.get_untracked())),
    ("Clear the selected range", |app| actions::commit_range(app, None)),
    ("Clear the selection", |app| app.selection.set(None)),
    ("Close this profile", |app| {
        if let Some(front) = app.front_untracked() {
            opening::close(app, front.id);
        }
    }),
    ("Share: pictures, report, data, one HTML file", |app| share::act(app, share::PANEL)),
    ("Save the timeline as PNG", |app| share::act(app, "png")),
    ("Save the timeline as SVG", |app| share::act(app, "svg")),
    ("Copy the timeline as an image", |app| share::act(app, "copy")),
    ("Save a report of this view as Markdown", |app| share::act(app, "markdown")),
    ("Save a report of this view as HTML", |app| share::act(app, "html")),
    ("Save a report of several views", |app| share::act(app, "report")),
    ("Save as Chrome trace: the selected range or the entire trace", |app| share::act(app, "trace")),
    ("Save as one HTML file with the profile", |app| share::act(app, "single")),
    ("Keep a copy of this profile in the library", |app| {
        if let Some(front) = app.front_untracked() {
            library::act(app, front.hash, crate::views::start::library::Action::Copy);
        }
    }),
];

/// Settings of the page and of the timeline.
const SETTINGS: [Action; 3] = [
    ("Details: at the right or at the bottom", |app| app.layout.update(|l| l.is_right = !l.is_right)),
    ("Legend of colours: show or hide", |app| {
        let legend = Settings::of(app.view_state("timeline")).has_legend;
        legend.1.set(!legend.0.get_untracked());
    }),
    ("Annotations: show or hide the panel", |app| {
        let (is_open, set_open) = app.view_state("timeline").choice("annotations", false);
        set_open.set(!is_open.get_untracked());
        actions::show_view(app, "timeline");
    }),
];

fn show_window(app: App, window: Option<TimeRange>) {
    actions::show_view(app, "timeline");
    app.window.set(window);
}

impl Offered {
    fn of(app: App, ranges: &[(u32, TimeRange)]) -> Offered {
        let profile = app.front_untracked();
        let mut offers: Vec<Offer> = Vec::new();
        if let Some(profile) = &profile {
            let views = VIEWS.iter().filter(|view| profile.columns.info.views.iter().any(|v| v == view.id));
            offers.extend(views.map(|view| (Command::View(view.id), view.title.to_string(), "View")));
            let own = ranges.iter().filter(|r| r.0 == profile.id).map(|r| r.1);
            offers.extend(own.map(|range| (Command::Range(range), range_text(range), "Recent range")));
            offers.extend(OF_PROFILE.iter().map(|&(text, act)| (Command::Act(act), text.to_string(), "Action")));
            if guide::sample_of(profile).is_some() {
                offers.push((Command::Act(guide::begin_front), "Guided reading of this sample".into(), "Action"));
            }
            offers.extend(SETTINGS.iter().map(|&(text, act)| (Command::Act(act), text.to_string(), "Setting")));
            let colourings = profile.columns.info.colourings.iter();
            offers.extend(colourings.map(|(id, label)| (Command::Colour(id.clone()), format!("Colour by {label}"), "Setting")));
        }
        offers.extend(ALWAYS.iter().map(|&(text, act)| (Command::Act(act), text.to_string(), "Action")));
        let open = app.state.profiles().get_untracked();
        let others = open.iter().filter(|p| profile.as_ref().is_none_or(|front| front.id != p.id));
        offers.extend(others.map(|p| (Command::Profile(p.id), p.title.clone(), "Open profile")));
        let entries = app.state.library().get_untracked();
        let closed = entries.iter().filter(|e| open.iter().all(|p| p.hash != e.hash));
        offers.extend(closed.map(|e| (Command::Library(e.hash.clone()), format!("{} · {}", e.label(), e.kind), "Library")));
        let mut names = Vec::new();
        if let Some(profile) = &profile {
            let info = &profile.columns.info;
            // Tracks with slices.
            let mut has_slices = vec![false; info.tracks.len()];
            info.lanes.iter().for_each(|lane| has_slices.iter_mut().skip(lane.track.index()).take(1).for_each(|h| *h = true));
            let tracks = (0..info.tracks.len() as u32).map(TrackId).filter(|t| has_slices[t.index()]);
            offers.extend(tracks.map(|track| (Command::Track(track), info.track_path(track), "Track")));
            let mut is_name = vec![false; info.strings.len()];
            for name in profile.columns.name.iter() {
                if let Some(is_name) = is_name.get_mut(name as usize) {
                    *is_name = true;
                }
            }
            names = (0u32..).zip(is_name).filter(|(_, is_name)| *is_name).map(|(id, _)| StrId(id)).collect();
        }
        Offered { offers, names, profile }
    }

    /// The best matches; a line's id is its position, names after all else.
    fn find(&self, typed: &str) -> Vec<Line> {
        let n = self.offers.len();
        let strings = self.profile.as_ref().map(|p| &p.columns.info.strings);
        let offers = self.offers.iter().map(|o| o.1.as_str()).enumerate();
        let wants_names = typed.trim().chars().count() >= SHORTEST_FOR_NAMES;
        let names = strings.filter(|_| wants_names).into_iter().flat_map(|strings| {
            let texts = self.names.iter().map(|&name| strings.get(name));
            (n..).zip(texts)
        });
        let line = |id: usize| match self.offers.get(id) {
            Some((_, text, group)) => Some(Line { id, text: text.clone(), group }),
            None => {
                let text = strings?.get(*self.names.get(id - n)?);
                Some(Line { id, text: text::middle_ellipsis(text, 120), group: "Operator or slice" })
            }
        };
        matching::best(typed, offers.chain(names), MOST).into_iter().filter_map(line).collect()
    }

    fn command(&self, id: usize) -> Option<Command> {
        let name = || Some(Command::Name(*self.names.get(id.checked_sub(self.offers.len())?)?));
        self.offers.get(id).map(|o| o.0.clone()).or_else(name)
    }
}

fn range_text(range: TimeRange) -> String {
    format!("{} – {} ({})", text::time_exact(range.start.0), text::time_exact(range.end.0), text::duration(range.duration()))
}

fn run(app: App, profile: Option<&OpenProfile>, command: Command) {
    match command {
        Command::View(id) => actions::show_view(app, id),
        Command::Profile(id) => actions::show_profile(app, id),
        Command::Library(hash) => library::open(app, hash),
        Command::Colour(by) => {
            app.colour_choice().1.set(by);
            actions::show_view(app, "timeline");
        }
        Command::Range(range) => {
            actions::commit_range(app, Some(range));
            show_window(app, Some(range));
        }
        Command::Act(act) => act(app),
        Command::Track(track) => {
            if let Some(slice) = profile.and_then(|p| first_of_track(app, p, track)) {
                actions::show_view(app, "timeline");
                actions::select_and_reveal(app, Some(slice));
            }
        }
        Command::Name(name) => {
            if let Some(profile) = profile {
                let text = profile.columns.info.strings.get(name).to_string();
                navigation::show_occurrences(app, profile.ask.clone(), "name".into(), text);
            }
        }
    }
}

/// The first slice of a track within the window, or else of all.
fn first_of_track(app: App, profile: &OpenProfile, track: TrackId) -> Option<SliceId> {
    let lane = profile.columns.info.lanes.iter().find(|l| l.track == track && l.end > l.first)?;
    let from = app.window.get_untracked().map_or(i64::MIN, |w| w.start.0);
    let at = profile.columns.start.partition_point(lane.first as usize..lane.end as usize, |start| start < from) as u32;
    Some(SliceId(if at < lane.end { at } else { lane.first }))
}

/// The palette; Ctrl+K or Cmd+K opens and closes it.
#[component]
pub fn CommandPalette() -> impl IntoView {
    let app = App::expect();
    let is_open = app.state.is_palette_open();
    let is_shown = RwSignal::new(false);
    let ranges = StoredValue::new(Vec::<(u32, TimeRange)>::new());
    effect(move || {
        let (range, front) = (app.range.get(), app.state.front().get_untracked());
        if let Some(range) = range.zip(front).map(|(range, front)| (front, range)) {
            ranges.update_value(|all| {
                all.retain(|r| *r != range);
                all.insert(0, range);
                all.truncate(N_RANGES);
            });
        }
    });
    let offered = StoredValue::new(Arc::<Offered>::default());
    effect(move || {
        let is_open = is_open.get();
        // The list is built when the palette opens and dropped when it closes.
        offered.set_value(Arc::new(if is_open { ranges.with_value(|r| Offered::of(app, r)) } else { Offered::default() }));
        if is_shown.get_untracked() != is_open {
            is_shown.set(is_open);
        }
    });
    // The dialog closes by itself on Escape.
    effect(move || {
        if !is_shown.get() && is_open.get_untracked() {
            is_open.set(false);
        }
    });
    let find = Callback::new(move |typed: String| offered.with_value(|o| o.find(&typed)));
    let on_choose = Callback::new(move |id: usize| {
        let all = offered.get_value();
        if let Some(command) = all.command(id) {
            run(app, all.profile.as_ref(), command);
        }
    });
    view! { <Commands is_open=is_shown find on_choose /> }
}
