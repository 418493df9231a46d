//! Details of hovered slices, requested from the engine and cached.

use crate::base::SliceId;
use crate::state::App;
use crate::views::timeline::around::HoveredSlice;
use crate::worker::client::Ask;
use crate::worker::protocol::{BriefQuery, SliceSummary};
use leptos::prelude::*;
use leptos::task::spawn_local;
use std::collections::HashMap;

/// Summaries in the cache.
const MOST_CACHED: usize = 500;

/// Glances at the slices of one profile.
pub(in crate::app) fn glance(app: App, ask: Ask) -> HoveredSlice {
    let summary = RwSignal::new(None::<(SliceId, SliceSummary)>);
    let cache = StoredValue::new(HashMap::<SliceId, SliceSummary>::new());
    let front = app.front_untracked().map(|p| p.id);
    let on_rest = Callback::new(move |slice: SliceId| {
        if let Some(known) = cache.with_value(|k| k.get(&slice).cloned()) {
            summary.set(Some((slice, known)));
            return;
        }
        let ask = ask.clone();
        spawn_local(async move {
            let answer = ask.ask(BriefQuery { slice }).await;
            let is_here = app.front_untracked().map(|p| p.id) == front;
            if let (Ok(brief), true) = (answer, is_here) {
                cache.try_update_value(|k| {
                    if k.len() >= MOST_CACHED {
                        k.clear();
                    }
                    k.insert(slice, brief.clone());
                });
                summary.try_set(Some((slice, brief)));
            }
        });
    });
    HoveredSlice { on_rest, summary: summary.into() }
}
