//! What the user has chosen: open profiles, view, range, selection. Only choices and handles; what can be computed is computed.

pub mod actions;
pub mod annotations;
pub mod budget;
pub mod choices;
mod ids;
pub mod layout;
pub mod library;
pub mod log_directory;
mod notices;
mod range;
pub mod region_scope;
mod rows;
pub mod runs;
pub mod saved_defaults;
pub mod search;
pub mod slice_set;
pub mod steps;
pub mod url;
pub mod wanted_step;
pub mod workspace;

use crate::base::{EventId, Ledger, Origin, SliceId, TimeRange, TraceIdentity};
use crate::worker::client::Ask;
use crate::worker::protocol::{FormatInfo, PageColumns, Preview, ProfileKind};
use annotations::Book;
use choices::{Choice, Choices, ViewState};
use leptos::prelude::*;
use reactive_stores::Store;
pub use region_scope::RegionScope;
pub use rows::BoxedRows;
use saved_defaults::{DefaultsKind, FrontDefaults, SavedDefaults};
pub use search::Search;
pub use slice_set::SliceSet;
use std::sync::Arc;

/// A profile in a tab.
#[derive(Debug, Clone)]
pub struct OpenProfile {
    /// Id of the tab while the page is open.
    pub id: u32,
    /// For the tab: distinguished from every other that is open.
    pub title: String,
    /// The profile's own title, which another may have as well.
    pub own_title: String,
    /// Content hash: the same file opens once.
    pub hash: String,
    /// The format's id.
    pub format: String,
    /// The drop it came with.
    pub drop: u32,
    /// Id of its import: larger for files further back in the drop.
    pub import: u32,
    /// Path of its first file below the drop.
    pub path: String,
    /// Run, worker and span; `None` in formats that know no workers.
    pub place: Option<TraceIdentity>,
    /// Asks its worker.
    pub ask: Ask,
    /// What is drawn.
    pub columns: Arc<PageColumns>,
    /// What was read and skipped.
    pub ledger: Arc<Ledger>,
    /// Memory of its worker, bytes.
    pub memory: u64,
    /// Why its worker no longer answers.
    pub stopped: Option<String>,
    /// Whether its worker is ready.
    pub worker_state: WorkerState,
    /// What was chosen when another tab came to front.
    pub background: BackgroundChoices,
}

impl OpenProfile {
    /// Whether it is a profile, a program or a summary of a Neuron device.
    pub fn is_device(&self) -> bool {
        self.columns.info.kind == ProfileKind::NeuronDevice
    }

    /// Whether it is a trace of the PyTorch profiler.
    pub fn is_torch(&self) -> bool {
        self.columns.info.kind == ProfileKind::Torch
    }

    /// Whether its worker is there, and uses memory.
    pub fn is_awake(&self) -> bool {
        self.stopped.is_none() && self.worker_state == WorkerState::Awake
    }

    /// Whether records of the file are missing.
    pub fn has_lost(&self) -> bool {
        self.ledger.worst() == Some(crate::base::Severity::DataLoss)
    }
}

/// Whether the worker of a profile is ready. One that sleeps has no worker and uses no memory except for its columns; a question wakes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WorkerState {
    /// It answers.
    #[default]
    Awake,
    /// It is opened again when it is shown or asked.
    Asleep,
    /// It is being opened again.
    Waking,
}

/// Choices of one profile, kept while another is in front.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BackgroundChoices {
    /// Id of the view.
    pub view: String,
    /// Committed range.
    pub range: Option<TimeRange>,
    /// The region that is the scope.
    pub region: Option<Arc<RegionScope>>,
    /// Its rows by path; none: all.
    pub rows: Arc<Vec<String>>,
    /// Selected slice or instant.
    pub selection: Option<EventId>,
    /// What was chosen inside views.
    pub choices: Choices,
    /// Markers and regions.
    pub annotations: Book,
}

/// A file being read.
#[derive(Debug, Clone)]
pub struct Importing {
    /// Id of the import while the page is open.
    pub id: u32,
    /// Name of the file.
    pub name: String,
    /// Bytes read.
    pub bytes: u64,
    /// Bytes there are; 0 while unknown.
    pub total: u64,
    /// Records read so far.
    pub records: u64,
    /// When it began, milliseconds of the page's clock.
    pub began_ms: f64,
    /// What it is expected to take, bytes; 0 while unknown.
    pub heap_bytes: u64,
    /// Whether it is being read.
    pub phase: Phase,
    /// Lanes so far.
    pub preview: ArcRwSignal<Preview>,
}

/// Phase of an import.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// It is being read.
    Reading,
    /// Others are read before it.
    Waiting,
    /// It would take more memory than is planned with: the user decides.
    Held,
}

/// Something the user should know: until dismissed, or until it is overtaken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// Names the notice.
    pub id: u32,
    /// A sentence.
    pub text: String,
    /// Whether something went wrong; else it is a remark.
    pub is_error: bool,
    /// Whether it is about files that were given: the next ones take it away.
    pub is_of_drop: bool,
}

/// The column that slices are coloured by unless another is chosen.
const BY_NAME: &str = "name";

/// Light or dark if the user chose it, otherwise as the system.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Theme {
    /// As the system.
    #[default]
    System,
    /// Always light.
    Light,
    /// Always dark.
    Dark,
}

/// The page's state, field by field.
#[derive(Debug, Clone, Default, Store)]
pub struct AppState {
    /// Tabs, in the order opened.
    pub profiles: Vec<OpenProfile>,
    /// Id of the tab in front; `None` is the start page.
    pub front: Option<u32>,
    /// Id of the view.
    pub view: String,
    /// Whether the details drawer is open.
    pub is_details_open: bool,
    /// The search box and its hits.
    pub search: Search,
    /// Light or dark.
    pub theme: Theme,
    /// What went wrong, and remarks.
    pub notices: Vec<Notice>,
    /// Files of traces that are open or will be: names state their run, worker and span.
    pub origins: Vec<Origin>,
    /// Files being read.
    pub imports: Vec<Importing>,
    /// What opens; from the worker.
    pub formats: Vec<FormatInfo>,
    /// What was opened before.
    pub library: Vec<library::Entry>,
    /// Storage of the browser, once it is known: bytes used and available.
    pub storage: Option<(u64, u64)>,
    /// A link to a profile that is not open.
    pub wanted: Option<url::UrlState>,
    /// Log directories that the user added.
    pub directories: Vec<log_directory::LogDirectory>,
    /// Content hashes of profiles that were open before the page was reloaded, and that open again when the user allows it.
    pub resumable: Vec<String>,
    /// The drop whose profiles stay behind the one in front when they open.
    pub background_drop: Option<u32>,
    /// How profiles of a workspace were looked at that are not open yet.
    pub awaited: Vec<url::UrlState>,
    /// A trace that a run summary names: its file opens at that step.
    pub wanted_step: Option<wanted_step::WantedStep>,
    /// Whether the help is open.
    pub is_help_open: bool,
    /// Whether the command palette is open.
    pub is_palette_open: bool,
    /// Ids handed out so far.
    pub n_ids: u32,
}

/// The state as views get it, by context. `range` and `selection` are signals of their own, because the timeline writes them.
#[derive(Clone, Copy)]
pub struct App {
    /// All else.
    pub state: Store<AppState>,
    /// The scope of every view: the selected range; `None` is the entire trace.
    pub range: RwSignal<Option<TimeRange>>,
    /// The chosen region; in force while the range is its wall span. See [`App::region`].
    pub region_scope: RwSignal<Option<Arc<RegionScope>>>,
    /// Rows of the committed range by path; none: all.
    pub rows: RwSignal<Arc<Vec<String>>>,
    /// Selected slice or instant.
    pub selection: RwSignal<Option<EventId>>,
    /// The timeline goes to this when it changes.
    pub reveal: RwSignal<Option<EventId>>,
    /// What the timeline shows; `None` is the whole profile.
    pub window: RwSignal<Option<TimeRange>>,
    /// Marked slices besides the selection: search hits or occurrences, sorted.
    pub highlights: RwSignal<Arc<Vec<SliceId>>>,
    /// The name of the marked slices, where they are a set.
    pub slice_set: RwSignal<Option<SliceSet>>,
    /// What was chosen inside views; see [`App::view_state`].
    pub choices: RwSignal<Choices>,
    /// What profiles begin with, where the user has saved it; see [`App::front_defaults`].
    pub saved_defaults: RwSignal<SavedDefaults>,
    /// Markers and regions of the profile in front.
    pub annotations: RwSignal<Book>,
    /// The chosen one of them.
    pub chosen_annotation: RwSignal<Option<u32>>,
    /// Place and size of the details.
    pub layout: RwSignal<layout::Layout>,
    /// Whether something on the screen is on the move, so that the page is not idle.
    pub is_moving: RwSignal<bool>,
    /// Counts the drops that held files of source.
    pub n_sources: RwSignal<u32>,
}

impl App {
    /// The state of a page just opened.
    pub fn new() -> Self {
        let state = AppState { view: "timeline".into(), ..AppState::default() };
        App {
            state: Store::new(state),
            range: RwSignal::new(None),
            region_scope: RwSignal::new(None),
            rows: RwSignal::default(),
            selection: RwSignal::new(None),
            reveal: RwSignal::new(None),
            window: RwSignal::new(None),
            highlights: RwSignal::new(Arc::default()),
            slice_set: RwSignal::new(None),
            choices: RwSignal::default(),
            saved_defaults: RwSignal::default(),
            annotations: RwSignal::default(),
            chosen_annotation: RwSignal::new(None),
            layout: RwSignal::default(),
            is_moving: RwSignal::new(false),
            n_sources: RwSignal::new(0),
        }
    }

    /// What was chosen inside a view, for the profile in front; part of the address.
    pub fn view_state(&self, view: &'static str) -> ViewState {
        ViewState::new(view, self.choices)
    }

    /// What slices are coloured by: the id of a column, as chosen.
    pub fn colour_choice(&self) -> Choice<String> {
        self.view_state("timeline").choice("colour", BY_NAME.to_string())
    }

    /// What slices are coloured by: the column that was chosen, where the profile in front has it. Tracked.
    pub fn colour_by(&self) -> String {
        let chosen = self.view_state("timeline").get("colour").unwrap_or_default();
        let is_known = self.front().is_some_and(|p| p.columns.info.colourings.iter().any(|c| c.0 == chosen));
        if is_known { chosen } else { BY_NAME.into() }
    }

    /// The user's own choices beside those of the profile in front, which they are for. Not tracked; `None` on the start page.
    pub fn front_defaults(&self) -> Option<FrontDefaults> {
        let kind = DefaultsKind::of(self.front_untracked()?.columns.info.kind);
        Some(FrontDefaults { all: self.saved_defaults, choices: self.choices, kind })
    }

    /// The selected slice; nothing while an instant is selected.
    pub fn selected_slice(&self) -> Signal<Option<SliceId>> {
        let selection = self.selection;
        Signal::derive(move || selection.get().and_then(EventId::slice))
    }

    /// The state that the nearest component above provides.
    pub fn expect() -> Self {
        expect_context()
    }

    /// The profile in front. Tracked.
    pub fn front(&self) -> Option<OpenProfile> {
        let front = self.state.front().get()?;
        self.state.profiles().with(|all| all.iter().find(|p| p.id == front).cloned())
    }

    /// The profile in front, without tracking.
    pub fn front_untracked(&self) -> Option<OpenProfile> {
        untrack(|| self.front())
    }
}

impl Default for App {
    fn default() -> Self {
        App::new()
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod hostile_tests;
#[cfg(all(test, not(target_arch = "wasm32")))]
mod search_tests;
#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
