//! The column on the left: a label per row, with what folds, pins and moves it.

use super::handle::TimelineHandle;
pub use super::state::row_labels::Label;
use crate::base::{TrackId, text};
use leptos::prelude::*;
use wasm_bindgen::JsCast;

/// A name in two parts, of which the first gives way where there is no room: a row whose name differs from another's only near the end, behind
/// `n_alike` bytes, would else look like that. The second part begins with the word in which they differ. Other names have one part.
fn cut(name: &str, n_alike: usize) -> (&str, &str) {
    // Characters that have room; a longer end would leave none for the beginning.
    const SEEN: usize = 14;
    const MOST: usize = 10;
    let (Some(start), Some(end)) = (name.get(..n_alike), name.get(n_alike..)) else { return (name, "") };
    if end.is_empty() || start.chars().count() < SEEN || end.chars().count() > MOST {
        return (name, "");
    }
    let word = start.rfind([' ', '/', '_', '-']).map_or(0, |at| at + 1);
    let at = if name[word..].chars().count() <= MOST { word } else { n_alike };
    name.split_at(at)
}

/// All labels; the frame moves the scrolled ones.
#[component]
pub fn Labels(
    /// The running timeline.
    stage: TimelineHandle,
) -> impl IntoView {
    let of = move |is_pinned: bool| {
        let all = stage.shown.labels.get();
        all.iter().filter(|l| l.is_pinned == is_pinned).cloned().collect::<Vec<_>>()
    };
    let dragged = RwSignal::new(None::<Dragged>);
    let key = |l: &Label| (l.track.0, l.y, l.height, l.is_open, l.can_fold, l.path.clone());
    view! {
        <div class="timeline__labels" role="list" aria-label="Rows">
            <div class="timeline__labels-scroll" node_ref=stage.nodes.labels>
                <For each=move || of(false) key=key let(label)><LabelRow stage label dragged /></For>
            </div>
            <div class="timeline__labels-pinned">
                <For each=move || of(true) key=key let(label)><LabelRow stage label dragged /></For>
            </div>
        </div>
    }
}

/// A row that is being moved.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Dragged {
    track: TrackId,
    from_y: f64,
    /// Whether it went further than a click does.
    is_real: bool,
    /// The row that it is over.
    over: Option<TrackId>,
}

fn press(dragged: RwSignal<Option<Dragged>>, track: TrackId, ev: &web_sys::PointerEvent) {
    let target = ev.target().and_then(|t| t.dyn_into::<web_sys::Element>().ok());
    let is_tool = target.is_some_and(|t| t.closest(".timeline__row-tools").ok().flatten().is_some());
    // A finger scrolls; it has the buttons.
    if ev.button() == 0 && ev.pointer_type() != "touch" && !is_tool {
        dragged.set(Some(Dragged { track, from_y: f64::from(ev.client_y()), is_real: false, over: None }));
    }
}

fn drag(stage: TimelineHandle, dragged: RwSignal<Option<Dragged>>, ev: &web_sys::PointerEvent) {
    const CLICK_PX: f64 = 5.0;
    let Some(mut now) = dragged.get_untracked() else { return };
    let y = f64::from(ev.client_y());
    if !now.is_real && (y - now.from_y).abs() > CLICK_PX {
        now.is_real = true;
        super::events::capture(ev);
    }
    if now.is_real {
        let top = stage.nodes.plot.get_untracked().map_or(0.0, |plot| plot.get_bounding_client_rect().top());
        now.over = stage.look(|core| core.row_at(y - top).map(|(row, _)| row.track)).flatten();
    }
    if dragged.get_untracked() != Some(now) {
        dragged.set(Some(now));
    }
}

fn drop_row(stage: TimelineHandle, dragged: RwSignal<Option<Dragged>>) {
    let Some(Dragged { track, is_real: true, over: Some(over), .. }) = dragged.get_untracked() else {
        dragged.set(None);
        return;
    };
    dragged.set(None);
    stage.change(|core| core.fold(|f, index, columns| f.move_to(index, columns, track, over)));
}

#[component]
fn LabelRow(stage: TimelineHandle, label: Label, dragged: RwSignal<Option<Dragged>>) -> impl IntoView {
    let track = label.track;
    let is_over = move || dragged.get().is_some_and(|d| d.is_real && d.over == Some(track) && d.track != track);
    let is_dragged = move || dragged.get().is_some_and(|d| d.is_real && d.track == track);
    let style = format!("top:{}px;height:{}px;padding-left:{}px", label.y, label.height, 6 + 10 * i32::from(label.level.min(8)));
    let class = if label.is_group { "timeline__label timeline__label--group" } else { "timeline__label" };
    let title = if label.summary.is_empty() { label.path.clone() } else { format!("{} ({})", label.path, label.summary) };
    let shift = move |is_up: bool| {
        stage.change(|core| core.fold(|f, index, columns| f.shift(index, columns, track, is_up)));
    };
    let toggle = move |_| {
        stage.change(|core| core.fold(|f, _, _| f.toggle(track)));
    };
    let pin = move |_| {
        stage.change(|core| core.fold(|f, _, _| f.toggle_pin(track)));
    };
    let mark = match (label.can_fold, label.is_open) {
        (false, _) => "",
        (true, true) => "▾",
        (true, false) => "▸",
    };
    let name = cut(&label.name, label.n_alike);
    let expanded = if label.is_open { "true" } else { "false" };
    let name = view! { <span class="timeline__name-start">{name.0.to_string()}</span><span class="timeline__name-end">{name.1.to_string()}</span> };
    let fold = if label.can_fold {
        let content = view! { <span class="timeline__mark" aria-hidden="true">{mark}</span><span class="timeline__name">{name}</span> };
        view! { <button class="timeline__fold" aria-expanded=expanded on:click=toggle>{content}</button> }.into_any()
    } else {
        view! { <span class="timeline__fold timeline__name">{name}</span> }.into_any()
    };
    let share = label.busy_share.map(|s| {
        let width = format!("width:{:.1}%", s * 100.0);
        view! {
            <span class="timeline__share" aria-hidden="true"><i style=width></i></span>
            <span class="timeline__busy figure">{text::percent(s)}</span>
        }
    });
    let (pin_title, pin_text) = if label.is_pinned { ("Unpin", "⊥") } else { ("Pin to the top", "⊤") };
    view! {
        <div
            class=class class:timeline__label--over=is_over class:timeline__label--dragged=is_dragged style=style role="listitem" title=title
            data-track=label.path.clone()
            on:pointerdown=move |ev| press(dragged, track, &ev)
            on:pointermove=move |ev| drag(stage, dragged, &ev)
            on:pointerup=move |_| drop_row(stage, dragged)
            on:pointercancel=move |_| dragged.set(None)
        >
            {fold}
            {share}
            <span class="timeline__row-tools">
                <button title="Move up" aria-label=format!("Move {} up", label.path) on:click=move |_| shift(true)>"↑"</button>
                <button title="Move down" aria-label=format!("Move {} down", label.path) on:click=move |_| shift(false)>"↓"</button>
                <button title=pin_title aria-label=format!("{pin_title}: {}", label.path) aria-pressed=label.is_pinned.to_string() on:click=pin>
                    {pin_text}
                </button>
            </span>
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::views::timeline::lookup::sample::sample;
    use crate::views::timeline::state::row_labels::labels;
    use crate::views::timeline::state::timeline_state::TimelineState;
    use std::sync::Arc;

    #[test]
    fn names_keep_what_tells_them_apart() {
        let check = |name: &str, other: &str, want: (&str, &str)| {
            let mut columns = sample();
            columns.info.tracks[1].name = columns.info.strings.push(name);
            columns.info.tracks[2].name = columns.info.strings.push(other);
            let core = TimelineState::new(Arc::new(columns), 1000.0, 400.0);
            assert_eq!(cut(name, core.index.tracks[1].n_alike), want);
        };
        check("Estimated Cumulative MFU", "Estimated Cumulative HFU", ("Estimated Cumulative ", "MFU"));
        check("Estimated Cumulative MFU", "Estimated Instant MFU", ("Estimated Cumulative MFU", ""));
        check("qGpSimdDynamicHW", "qGpSimdDynamic", ("qGpSimdDynamic", "HW"));
        check("qGpSimdDynamic", "qGpSimdDynamicHW", ("qGpSimdDynamic", ""));
        check("thread 30216 (python)", "thread 30217 (python)", ("thread 30216 (python)", ""));
        check("a stream with a long name 12", "a stream with a long name 13", ("a stream with a long name ", "12"));
        check("a stream with a long name", "a stream with a long name", ("a stream with a long name", ""));
        check("Ünïcödé Ünïcödé ÄÖÜ", "Ünïcödé Ünïcödé ÄÖÖ", ("Ünïcödé Ünïcödé ", "ÄÖÜ"));
    }

    #[test]
    fn closed_groups_say_what_is_inside() {
        let mut core = TimelineState::new(Arc::new(sample()), 1000.0, 400.0);
        core.fold(|f, _, _| f.toggle(TrackId(4)));
        let all = labels(&core, 0, 400);
        let device = all.last().expect("the last row");
        assert_eq!((device.name.as_str(), device.summary.as_str()), ("device", "1 rows inside, busy 65.0%"));
        assert!(device.busy_share.is_some() && all[0].busy_share.is_none());
        assert_eq!(labels(&core, 0, 23).len(), 2);
    }
}
