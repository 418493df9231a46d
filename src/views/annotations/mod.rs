//! The panel of annotations below a timeline: markers and regions as a table, what is between two of them, sets and files.

mod figures;
mod files;
mod head;
mod metrics;
mod row;

use crate::base::TimeRange;
use crate::state::annotations::text::Of;
use crate::state::annotations::{Annotation, Book, TimeUnit};
use crate::worker::client::Ask;
use leptos::prelude::*;

/// What the parts of the panel work with.
#[derive(Clone, Copy)]
struct Panel {
    /// All annotations of the profile.
    book: RwSignal<Book>,
    /// The chosen annotation: its values are shown and it is highlighted on the timeline.
    chosen: RwSignal<Option<u32>>,
    /// Shows a range in the timeline.
    on_go: Callback<TimeRange>,
    /// Selects a range.
    on_select: Callback<TimeRange>,
    /// What could not be done.
    problem: RwSignal<Option<String>>,
    /// The profile that is annotated.
    of_profile: StoredValue<Of>,
    /// A dropped file; the user has not yet chosen how to add it.
    incoming: RwSignal<Option<files::Incoming>>,
}

impl Panel {
    /// Ids in order of time.
    fn ids(self) -> Vec<u32> {
        self.book.with(|b| b.current.items.iter().map(|a| a.id).collect())
    }

    /// A value of one annotation; the default if it was deleted.
    fn of<T: Default>(self, id: u32, look: impl FnOnce(&Annotation) -> T) -> T {
        self.book.with(|b| b.current.get(id).map(look)).unwrap_or_default()
    }

    fn unit(self) -> TimeUnit {
        self.book.with(|b| b.current.unit)
    }
}

/// Markers and regions of the profile in front.
#[component]
pub fn AnnotationsPanel(
    /// Answers for the open profile.
    ask: Ask,
    /// Which profile it is.
    of: Of,
    /// All annotations of the profile.
    book: RwSignal<Book>,
    /// The chosen annotation.
    chosen: RwSignal<Option<u32>>,
    /// Shows a range in the timeline.
    on_go: Callback<TimeRange>,
    /// Selects a range.
    on_select: Callback<TimeRange>,
    /// Closes the panel.
    on_close: Callback<()>,
) -> impl IntoView {
    let (problem, of_profile, incoming) = (RwSignal::new(None), StoredValue::new(of), RwSignal::new(None));
    let panel = Panel { book, chosen, on_go, on_select, problem, of_profile, incoming };
    let is_empty = move || book.with(|b| b.current.items.is_empty());
    view! {
        <section class="annotations" data-view="annotations" aria-label="Annotations">
            <head::Head panel on_close />
            <Show
                when=move || !is_empty()
                fallback=|| view! {
                    <p class="waiting">
                        "No annotations. Press M or right-click on the timeline to add a marker. Shift+drag selects a range; Make region saves it as a region."
                    </p>
                }
            >
                <div class="annotations__body">
                    <List panel />
                    <figures::Figures panel ask=ask.clone() />
                </div>
            </Show>
        </section>
    }
}

#[component]
fn List(panel: Panel) -> impl IntoView {
    view! {
        <div class="annotations__list">
            <table class="table" data-table="annotations" aria-label="Annotations">
                <thead>
                    <tr>
                        <th scope="col" data-column="colour"><span class="visually-hidden">"Colour"</span></th>
                        <th scope="col" data-column="name">"Name"</th>
                        <th scope="col" data-column="time" class="figure">"Time"</th>
                        <th scope="col" data-column="end" class="figure">"End"</th>
                        <th scope="col" data-column="length" class="figure">"Duration"</th>
                        <th scope="col" data-column="versus">"Difference to"</th>
                        <th scope="col" data-column="difference" class="figure">"Difference"</th>
                        <th scope="col" data-column="actions"><span class="visually-hidden">"Actions"</span></th>
                    </tr>
                </thead>
                <tbody>
                    <For each=move || panel.ids() key=|id| *id let(id)><row::RowOf panel id /></For>
                </tbody>
            </table>
        </div>
    }
}
