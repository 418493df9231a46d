//! The running timeline: its state, its canvases, and at most one frame per animation frame.

pub use super::frame::Nodes;
use super::frame::{FrameOutput, Inner};
use super::input::card::Card;
use super::lookup::drawn::{BarId, DrawnEvent};
use super::paint::overview::Brush;
use super::paint::theme::{Theme, Tokens};
use super::rows::arrange::SliceIdMap;
use super::state::memory;
use super::state::row_labels::Label;
use super::state::timeline_state::{Act, TimelineState};
use crate::base::phases::{self, Phase};
use crate::base::{EventId, SliceId, TimeRange};
use leptos::prelude::*;
use std::sync::Arc;

/// What the DOM around the canvases shows; written by frames.
#[derive(Clone, Copy)]
pub struct DomState {
    /// Labels of the rows on screen and some around.
    pub labels: RwSignal<Arc<Vec<Label>>>,
    /// The hover card, and where the pointer is on the page.
    pub card: RwSignal<Option<Card>>,
    /// See `card`.
    pub card_at: RwSignal<(f64, f64)>,
    /// The bars of the current lane: (bar, sentence).
    pub list: RwSignal<Vec<(BarId, String)>>,
    /// The ruler's unit.
    pub unit: RwSignal<&'static str>,
    /// The tool in use.
    pub tool: RwSignal<super::state::timeline_state::Tool>,
    /// The row filter.
    pub filter: RwSignal<String>,
    /// Pins, order and folds of the rows, as the address has them.
    pub placed: RwSignal<String>,
    /// Whether there is nothing to draw.
    pub is_empty: RwSignal<bool>,
    /// The bar under the pointer.
    pub hovered: RwSignal<Option<BarId>>,
    /// The visible window, as of the last frame.
    pub window: RwSignal<Option<TimeRange>>,
}

/// A handle on the running timeline.
#[derive(Clone, Copy)]
pub struct TimelineHandle {
    inner: StoredValue<Inner, LocalStorage>,
    /// The DOM around.
    pub shown: DomState,
    /// The elements.
    pub nodes: Nodes,
    /// From the profile's slices to those drawn, and back.
    pub ids: Signal<Arc<SliceIdMap>>,
    on_act: Callback<Act<EventId>>,
}

impl TimelineHandle {
    /// Without a profile. `on_act` receives events for the rest of the page.
    pub fn new(nodes: Nodes, shown: DomState, ids: Signal<Arc<SliceIdMap>>, on_act: Callback<Act<EventId>>) -> Self {
        TimelineHandle { inner: StoredValue::new_local(Inner::default()), shown, nodes, ids, on_act }
    }

    /// What shows a slice or an instant of the profile. Tracked.
    pub fn drawn(self, event: EventId) -> DrawnEvent {
        match event {
            EventId::Slice(slice) => self.ids.with(|ids| ids.bar_of(slice)).into(),
            EventId::Instant(instant) => instant.into(),
        }
    }

    /// The slice of the profile that a bar shows.
    pub fn slice_of(self, bar: BarId) -> SliceId {
        self.ids.with_untracked(|ids| ids.slice_of(bar))
    }

    /// The slice or the instant of the profile that is drawn there.
    fn event_of(self, drawn: DrawnEvent) -> EventId {
        match drawn {
            DrawnEvent::Bar(bar) => self.slice_of(bar).into(),
            DrawnEvent::Instant(instant) => instant.into(),
        }
    }

    /// Changes the state and asks for a frame.
    pub fn change<T>(self, f: impl FnOnce(&mut TimelineState) -> T) -> Option<T> {
        let out = self.inner.try_update_value(|inner| inner.core.as_mut().map(f)).flatten();
        self.redraw();
        out
    }

    /// As `change`, for what only concerns the layer above the rows.
    pub fn touch<T>(self, f: impl FnOnce(&mut TimelineState) -> T) -> Option<T> {
        let before = self.look(|core| (core.view, core.scroll));
        let out = self.inner.try_update_value(|inner| inner.core.as_mut().map(f)).flatten();
        let is_moved = self.look(|core| (core.view, core.scroll)) != before;
        self.ask(is_moved);
        out
    }

    /// Reads the state.
    pub fn look<T>(self, f: impl FnOnce(&TimelineState) -> T) -> Option<T> {
        self.inner.try_with_value(|inner| inner.core.as_ref().map(f)).flatten()
    }

    /// Reads everything as if no pointer were over the rows.
    pub(super) fn without_pointer(self, read: impl FnOnce(&Inner, &TimelineState)) {
        self.inner.try_update_value(|inner| {
            let Some(mut core) = inner.core.take() else { return };
            let pointer = core.pointer.take();
            read(inner, &core);
            core.pointer = pointer;
            inner.core = Some(core);
        });
    }

    /// As `change`, with the brush.
    pub fn brush(self, f: impl FnOnce(&mut TimelineState, Option<Brush>) -> Option<Brush>) {
        self.inner.try_update_value(|inner| {
            if let Some(core) = inner.core.as_mut() {
                inner.brush = f(core, inner.brush);
            }
        });
        self.redraw();
    }

    /// Sends an event to the page.
    pub fn act(self, act: Option<Act>) {
        if let Some(act) = act {
            self.on_act.run(act.map(|drawn| self.event_of(drawn)));
        }
    }

    /// Selects a slice or an instant of the profile.
    pub fn select(self, event: EventId) {
        self.on_act.run(Act::Select(Some(event)));
    }

    /// Goes to a slice or an instant, which was asked for while `columns` was drawn. The same is gone to again only if it was asked for again, not because
    /// the view was made anew or the columns were replaced.
    pub fn reveal(self, item: Option<EventId>, is_asked_again: bool) {
        let is_old = self.inner.try_update_value(|inner| std::mem::replace(&mut inner.revealed, item) == item).unwrap_or(true);
        if let Some(item) = item.filter(|_| is_asked_again || !is_old) {
            let item = untrack(|| self.drawn(item));
            self.change(|core| core.reveal(item));
        }
    }

    /// Stores window and rows for the next time the view is created.
    pub fn remember(self) {
        self.inner.try_with_value(|inner| {
            if let Some(core) = &inner.core {
                memory::keep(core, inner.revealed);
            }
        });
    }

    /// Opens a profile, or puts new columns in place of the old ones; the window and the rows stay where they can. With `is_known` a profile
    /// that was shown before is shown as it was.
    pub fn open(self, columns: Option<Arc<crate::engine::page_columns::PageColumns>>, is_known: bool) {
        self.inner.try_update_value(|inner| {
            let old = inner.core.take();
            let is_first = old.is_none();
            inner.core = columns.map(|columns| phases::time(Phase::Layout, || TimelineState::following(columns, old)));
            if let Some(core) = inner.core.as_mut().filter(|_| is_first && is_known) {
                inner.revealed = memory::recall(core).or(inner.revealed);
            }
            inner.density.clear();
            inner.labels_of.0 = u32::MAX;
            inner.list_of = None;
            inner.hit = None;
        });
        let is_empty = self.look(TimelineState::is_empty).unwrap_or(false);
        self.shown.is_empty.set(is_empty);
        self.fit();
        self.redraw();
    }

    /// The drawing area may have another size, or the screen another resolution.
    pub fn resize(self) {
        if self.fit() {
            self.redraw();
        }
    }

    /// Takes the size of the drawing area. Returns whether it has changed: browsers report a size when they are first asked to watch it.
    fn fit(self) -> bool {
        let Some(plot) = self.nodes.plot.get_untracked() else { return false };
        let (w, h) = (f64::from(plot.client_width()), f64::from(plot.client_height()));
        let dpr = window().device_pixel_ratio().max(0.5);
        let is_changed = self.inner.try_update_value(|inner| {
            let core = inner.core.as_mut().filter(|_| w > 0.0 && h > 0.0)?;
            let (width_px, height_px) = (core.view.width_px, core.height_px);
            core.resize(w, h);
            let has_width = core.view.width_px == width_px;
            let is_changed = !has_width || core.height_px != height_px || inner.dpr != dpr;
            inner.dpr = dpr;
            if !has_width {
                inner.density.clear();
            }
            Some(is_changed)
        });
        is_changed.flatten().unwrap_or(false)
    }

    /// The theme changed: colours and type are read anew.
    pub fn restyle(self) {
        let Some(root) = self.nodes.root.get_untracked() else { return };
        let Ok(Some(style)) = window().get_computed_style(&root) else { return };
        let raw = |name: &str| style.get_property_value(name).unwrap_or_default();
        let tokens = Tokens::read(raw);
        let family = raw("--font-mono");
        let family = if family.trim().is_empty() { "monospace".to_string() } else { family };
        self.inner.try_update_value(|inner| {
            inner.theme = Theme::new(&tokens);
            inner.font = format!("11px {}", family.trim());
            inner.char_px = 0.0;
        });
        self.redraw();
    }

    /// Asks for a whole frame.
    pub fn redraw(self) {
        self.ask(true);
    }

    fn ask(self, is_body_due: bool) {
        let is_first = self.inner.try_update_value(|inner| {
            inner.is_body_due |= is_body_due;
            !std::mem::replace(&mut inner.is_due, true)
        });
        if is_first == Some(true) {
            request_animation_frame(move || self.frame());
        }
    }

    fn frame(self) {
        let Some(root) = self.nodes.root.try_get_untracked().flatten() else { return };
        let clock = window().performance();
        let begin = clock.as_ref().map_or(0.0, |c| c.now());
        let output = self.inner.try_update_value(|inner| inner.frame(&self.nodes)).flatten();
        let Some(output) = output else { return };
        self.publish(output);
        let took = clock.as_ref().map_or(0.0, |c| c.now()) - begin;
        // The root outlives its attributes; a refusal would have no consequence.
        let _ = root.set_attribute("data-frame-ms", &format!("{took:.2}"));
    }
}

impl TimelineHandle {
    fn publish(self, output: FrameOutput) {
        let s = self.shown;
        if let Some(labels) = output.labels {
            s.labels.set(Arc::new(labels));
        }
        if let Some(card) = output.card {
            s.card.set(card);
        }
        if s.hovered.get_untracked() != output.hovered {
            s.hovered.set(output.hovered);
        }
        if s.unit.get_untracked() != output.unit {
            s.unit.set(output.unit);
        }
        if s.tool.get_untracked() != output.tool {
            s.tool.set(output.tool);
        }
        if s.filter.get_untracked() != output.filter {
            s.filter.set(output.filter);
        }
        if let Some(placed) = output.placed.filter(|placed| s.placed.with_untracked(|now| now != placed)) {
            s.placed.set(placed);
        }
        let window = self.look(|core| core.view.window());
        if s.window.get_untracked() != window {
            s.window.set(window);
        }
        if output.is_list_due {
            set_timeout(move || self.refresh_list(), std::time::Duration::from_millis(250));
        }
    }

    /// Updates the list of slices after a movement has ended.
    fn refresh_list(self) {
        let list = self.inner.try_with_value(|inner| {
            let (core, (lane, ..)) = (inner.core.as_ref()?, inner.list_of?);
            Some(core.bars_of_lane(lane, 24).into_iter().map(|s| (s, core.sentence(s))).collect::<Vec<_>>())
        });
        if let Some(list) = list.flatten() {
            self.shown.list.set(list);
        }
    }
}

impl TimelineHandle {
    /// The DOM was scrolled to `y`.
    pub fn scrolled(self, y: f64) {
        self.inner.try_update_value(|inner| inner.scrolled(y));
        self.redraw();
    }
}
