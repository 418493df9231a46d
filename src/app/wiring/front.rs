//! What a view of the profile in front is made from.

use crate::app::wiring::stacked::Stacked;
use crate::state::{App, OpenProfile};
use crate::views::timeline::flows::in_window::FlowChoice;
use crate::worker::protocol::{Details, PageColumns};
use leptos::prelude::*;
use std::sync::Arc;

/// What a view is made from.
#[derive(Clone)]
pub(in crate::app) struct Front {
    /// The page's state.
    pub app: App,
    /// The profile in front.
    pub profile: OpenProfile,
    /// Its columns, as the timeline draws them.
    pub columns: Signal<Option<Arc<PageColumns>>>,
    /// Details of what is selected.
    pub details: RwSignal<Option<Details>>,
    /// Which arrows are drawn.
    pub flows: FlowChoice,
    /// The timelines of all workers.
    pub stacked: Stacked,
    /// The views that are not in the side bar: name, what each needs, how to record that.
    pub missing: Signal<Vec<[String; 3]>>,
}
