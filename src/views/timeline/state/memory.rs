//! The last window and rows of each open profile, because a view is rebuilt after another profile was in front.

use super::timeline_state::{TimelineState, Tool};
use crate::base::{EventId, TimeRange};
use crate::engine::Meta;
use crate::views::timeline::rows::by_path::ByPath;
use std::cell::RefCell;

/// More profiles than these are not remembered.
const MOST: usize = 64;

struct RememberedTimeline {
    /// Which profile: its columns are others whenever its rows or colours are.
    meta: Meta,
    window: TimeRange,
    scroll: f64,
    rows: ByPath,
    filter: String,
    hidden: Vec<String>,
    tool: Tool,
    revealed: Option<EventId>,
}

thread_local! {
    static REMEMBERED: RefCell<Vec<RememberedTimeline>> = const { RefCell::new(Vec::new()) };
}

/// Stores window, rows and tool of a profile, and the last revealed item.
pub fn keep(core: &TimelineState, revealed: Option<EventId>) {
    let remembered = RememberedTimeline {
        meta: core.columns.info.meta.clone(),
        window: core.view.window(),
        scroll: core.scroll,
        rows: ByPath::of(&core.folding, &core.index, &core.columns),
        filter: core.folding.filter.clone(),
        hidden: core.folding.hidden.clone(),
        tool: core.tool,
        revealed,
    };
    REMEMBERED.with_borrow_mut(|all| {
        all.retain(|k| k.meta != remembered.meta);
        if all.len() >= MOST {
            all.remove(0);
        }
        all.push(remembered);
    });
}

/// A profile is opened, perhaps again: it begins anew.
pub fn forget(meta: &Meta) {
    REMEMBERED.with_borrow_mut(|all| all.retain(|k| k.meta != *meta));
}

/// Brings a profile back to where it was. What was gone to last, if it was here before.
pub fn recall(core: &mut TimelineState) -> Option<EventId> {
    REMEMBERED.with_borrow(|all| {
        let remembered = all.iter().find(|k| k.meta == core.columns.info.meta)?;
        core.tool = remembered.tool;
        core.fold(|folding, index, columns| {
            *folding = remembered.rows.clone().rows(index, columns, (remembered.filter.clone(), remembered.hidden.clone()))
        });
        core.view.show(remembered.window);
        core.scroll_to(remembered.scroll);
        remembered.revealed
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{SliceId, TimeNs, TrackId};
    use crate::views::timeline::lookup::sample::sample;
    use std::sync::Arc;

    #[test]
    fn a_profile_is_found_as_it_was_left() {
        let mut core = TimelineState::new(Arc::new(sample()), 1000.0, 400.0);
        core.view.show(TimeRange::new(TimeNs(100), TimeNs(300)));
        core.fold(|f, _, _| f.toggle(TrackId(4)));
        keep(&core, Some(SliceId(3).into()));
        let mut again = TimelineState::new(Arc::new(sample()), 1000.0, 400.0);
        assert_eq!(recall(&mut again), Some(SliceId(3).into()));
        assert_eq!((again.view.window(), again.rows.rows.len()), (core.view.window(), 5));
        let mut other = sample();
        other.info.meta.title = "another".into();
        assert_eq!(recall(&mut TimelineState::new(Arc::new(other), 1000.0, 400.0)), None);
        forget(&core.columns.info.meta);
        assert_eq!(recall(&mut again), None);
    }
}
