//! Where the user was in each open profile: a view is made anew whenever another one was in front.

use super::core::{Core, Tool};
use super::rows::Folding;
use crate::base::{SliceId, TimeRange};
use crate::engine::HotColumns;
use std::cell::RefCell;
use std::sync::{Arc, Weak};

struct Kept {
    /// Gone when the profile is closed.
    hot: Weak<HotColumns>,
    window: TimeRange,
    scroll: f64,
    folding: Folding,
    tool: Tool,
    revealed: Option<SliceId>,
}

thread_local! {
    static KEPT: RefCell<Vec<Kept>> = const { RefCell::new(Vec::new()) };
}

/// Notes window, rows and tool of a profile, and the slice gone to last.
pub fn keep(core: &Core, revealed: Option<SliceId>) {
    let hot = Arc::downgrade(&core.hot);
    let kept = Kept {
        window: core.view.window(),
        scroll: core.scroll,
        folding: core.folding.clone(),
        tool: core.tool,
        revealed,
        hot: hot.clone(),
    };
    KEPT.with_borrow_mut(|all| {
        all.retain(|k| k.hot.strong_count() > 0 && !k.hot.ptr_eq(&hot));
        all.push(kept);
    });
}

/// Brings a profile back to where it was. The slice gone to last, if it was here before.
pub fn recall(core: &mut Core) -> Option<SliceId> {
    let hot = Arc::downgrade(&core.hot);
    KEPT.with_borrow(|all| {
        let kept = all.iter().find(|k| k.hot.ptr_eq(&hot))?;
        core.tool = kept.tool;
        core.fold(|folding, _, _| *folding = kept.folding.clone());
        core.view.show(kept.window);
        core.scroll_to(kept.scroll);
        kept.revealed
    })
}

#[cfg(test)]
mod tests {
    use super::super::sample::sample;
    use super::*;
    use crate::base::{TimeNs, TrackId};

    #[test]
    fn a_profile_is_found_as_it_was_left() {
        let hot = Arc::new(sample());
        let mut core = Core::new(hot.clone(), 1000.0, 400.0);
        core.view.show(TimeRange::new(TimeNs(100), TimeNs(300)));
        core.fold(|f, _, _| f.toggle(TrackId(4)));
        keep(&core, Some(SliceId(3)));
        let mut again = Core::new(hot, 1000.0, 400.0);
        assert_eq!(recall(&mut again), Some(SliceId(3)));
        assert_eq!((again.view.window(), again.rows.rows.len()), (core.view.window(), 5));
        assert_eq!(recall(&mut Core::new(Arc::new(sample()), 1000.0, 400.0)), None);
    }
}
