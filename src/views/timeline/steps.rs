//! Steps of the program as labelled bands below the ruler. A click shows one whole.

use super::handle::TimelineHandle;
use crate::base::{SliceId, TimeRange, text};
use crate::engine::page_columns::{PageColumns, Step};
use leptos::prelude::*;
use std::sync::Arc;

/// More bands than these are narrower than their borders.
const MOST_BANDS: usize = 200;

/// The steps that touch `window`, by start; `None` if they are too many to draw. `steps` are by start.
pub fn steps_in(steps: &[Step], window: TimeRange) -> Option<Vec<Step>> {
    let seen = || steps.iter().filter(|s| s.range.start < window.end && s.range.end > window.start);
    (seen().count() <= MOST_BANDS).then(|| seen().cloned().collect())
}

/// Left edge and width of a range in percent of the window, cut at its borders.
pub fn place(range: TimeRange, window: TimeRange) -> (f64, f64) {
    let whole = (window.duration().0 as f64).max(1.0);
    let share = |t: i64| (t.saturating_sub(window.start.0) as f64 / whole * 100.0).clamp(0.0, 100.0);
    let (left, right) = (share(range.start.0), share(range.end.0));
    (left, right - left)
}

/// The strip of bands; absent where the profile marks no steps.
#[component]
pub fn StepBands(
    /// The running timeline.
    stage: TimelineHandle,
    /// The profile.
    columns: Signal<Option<Arc<PageColumns>>>,
) -> impl IntoView {
    let steps = Memo::new(move |_| columns.with(|h| h.as_ref().map(|h| h.info.steps.clone()).unwrap_or_default()));
    let window = move || stage.shown.window.get().unwrap_or_default();
    let shown = Memo::new(move |_| steps.with(|s| steps_in(s, window())));
    let too_many = move || {
        let n = steps.with(Vec::len) as u64;
        shown.with(Option::is_none).then(|| view! { <span class="steps__note">{text::count(n)}" steps: zoom in to see them"</span> })
    };
    view! {
        <Show when=move || steps.with(|s| !s.is_empty())>
            <div class="steps">
                <div class="steps__corner">"Steps"</div>
                <div class="steps__bands" data-steps=move || steps.with(|s| s.len().to_string())>
                    {too_many}
                    <For each=move || shown.get().unwrap_or_default() key=|s: &Step| s.slice let(step)>
                        <Band stage step />
                    </For>
                </div>
            </div>
        </Show>
    }
}

#[component]
fn Band(stage: TimelineHandle, step: Step) -> impl IntoView {
    let range = step.range;
    let title = format!("Step {}: {} from {}. Click to zoom to it.", step.name, text::duration(range.duration()), text::time(range.start));
    let label = format!("Step {}", step.name);
    view! { <BandButton stage range label title slice=step.slice attr:data-step=step.name /> }
}

/// A labelled band over a range. A click zooms to the range and selects its slice.
#[component]
pub(super) fn BandButton(
    stage: TimelineHandle,
    range: TimeRange,
    label: String,
    title: String,
    #[prop(optional)] slice: Option<SliceId>,
    #[prop(optional)] is_warning: bool,
) -> impl IntoView {
    let at = Memo::new(move |_| place(range, stage.shown.window.get().unwrap_or_default()));
    let go = move |_| {
        stage.change(|core| core.view.fit(range));
        if let Some(slice) = slice {
            stage.select(slice.into());
        }
    };
    view! {
        <button
            type="button"
            class="steps__band"
            class:steps__band--warning=is_warning
            title=title
            style:left=move || format!("{:.4}%", at.get().0)
            style:width=move || format!("{:.4}%", at.get().1)
            on:click=go
        >
            <span class="steps__name">{label}</span>
        </button>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::TimeNs;

    fn range(a: i64, b: i64) -> TimeRange {
        TimeRange::new(TimeNs(a), TimeNs(b))
    }

    #[test]
    fn only_steps_of_the_window_have_bands() {
        let step = |i: i64| Step { name: i.to_string(), slice: SliceId(i as u32), range: range(i * 10, i * 10 + 10) };
        let steps: Vec<Step> = (0..1000).map(step).collect();
        let names = |w| steps_in(&steps, w).map(|s| s.into_iter().map(|s| s.name).collect::<Vec<_>>());
        assert_eq!(names(range(15, 30)), Some(vec!["1".to_string(), "2".into()]));
        assert_eq!(names(range(0, 10_000)), None);
    }

    #[test]
    fn bands_are_cut_at_the_window() {
        assert_eq!(place(range(0, 50), range(0, 100)), (0.0, 50.0));
        assert_eq!(place(range(-50, 25), range(0, 100)), (0.0, 25.0));
        assert_eq!(place(range(75, 500), range(0, 100)), (75.0, 25.0));
    }
}
