//! Curves that are computed for the visible window after each movement: means since its start, smoothed throughput.

use super::choices::Settings;
use crate::analysis::device::CurvesQuery;
use crate::base::TimeRange;
use crate::engine::page_columns::PageColumns;
use crate::ui::effect::effect;
use crate::views::timeline::lookup::counter::Curves;
use crate::worker::client::Ask;
use leptos::prelude::*;
use leptos::task::spawn_local;
use std::sync::Arc;

/// The curves that the settings ask for; none while they are as the file has them. `window` is what is in view, at rest; `columns` are the
/// columns as they came.
pub fn curves(
    device: Signal<Option<(u32, Ask)>>,
    settings: Settings,
    window: Signal<Option<TimeRange>>,
    columns: Signal<Option<Arc<PageColumns>>>,
) -> Signal<Arc<Curves>> {
    let wanted = Memo::new(move |_| {
        let (is_from_view, is_smooth) = (settings.is_from_view.0.get(), settings.is_smooth.0.get());
        let id = device.with(|d| d.as_ref().map(|d| d.0)).filter(|_| is_from_view || is_smooth)?;
        let window = window.get().or(columns.with(|h| h.as_ref().map(|h| h.range())))?;
        Some((id, CurvesQuery { window, is_from_view, is_smooth }))
    });
    let found = RwSignal::new(Arc::<Curves>::default());
    effect(move || {
        let (Some(key), Some((_, ask))) = (wanted.get(), device.get_untracked()) else {
            found.set(Arc::default());
            return;
        };
        spawn_local(async move {
            let answer = ask.ask(key.1).await;
            if let (Ok(curves), true) = (answer, wanted.try_get_untracked() == Some(Some(key))) {
                let made = columns.with_untracked(|h| h.as_ref().map(|h| Curves::new(&h.info, curves, key.1.window)));
                found.set(Arc::new(made.unwrap_or_default()));
            }
        });
    });
    found.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::device::ViewCurve;
    use crate::base::{TimeNs, TrackId};
    use crate::views::timeline::lookup::sample::sample;
    use crate::views::timeline::state::timeline_state::TimelineState;

    #[test]
    fn a_curve_of_the_view_stands_for_that_of_the_run() {
        let columns = sample();
        let curve = |name: &str| ViewCurve { group: Some(TrackId(0)), name: name.into(), times: vec![1000, 1500], values: vec![7.0, 8.0] };
        let window = TimeRange::new(TimeNs(1000), TimeNs(1800));
        let curves = Curves::new(&columns.info, vec![curve("memory"), curve("nothing of this name")], window);
        let (counter, lod) = curves.get(0).expect("memory");
        assert_eq!((counter.times.as_slice(), counter.unit.as_str(), lod.high), (&[1000, 1500, 1800][..], "bytes", 8.0));
        assert!(curves.get(1).is_none());
        let mut core = TimelineState::new(Arc::new(columns), 1000.0, 400.0);
        core.curves = Arc::new(curves);
        let value = |core: &TimelineState, x: f64| core.card(&core.hit(x, 90.0)?, x)?.lines.get(1).map(|l| l.1.clone());
        assert_eq!(value(&core, 510.0).as_deref(), Some("7 B"));
        assert_eq!(value(&core, 950.0).as_deref(), Some("not available"), "what is not in view is not known");
    }
}
