//! One frame: what is due is painted, and what the DOM has to follow is returned.

use super::input::card::Card;
use super::input::hit_test::Hit;
use super::lookup::drawn::{BarId, DrawnEvent};
use super::paint::overview::{Brush, OVERVIEW_PX, RULER_PX};
use super::paint::scene::{Scene, Shot};
use super::paint::surface;
use super::paint::theme::{Theme, Tokens};
use super::paint::ticks::{Ticks, ticks};
use super::state::row_labels::{Label, labels};
use super::state::timeline_state::TimelineState;
use crate::base::phases::{self, Phase};
use crate::base::{EventId, TimeRange};
use leptos::{html, prelude::*};

/// The elements a frame writes to.
#[derive(Clone, Copy)]
pub struct Nodes {
    /// The view's root.
    pub root: NodeRef<html::Section>,
    /// What scrolls.
    pub scroller: NodeRef<html::Div>,
    /// As high as the rows that do not fit.
    pub spacer: NodeRef<html::Div>,
    /// The drawing area.
    pub plot: NodeRef<html::Div>,
    /// Rows.
    pub rows: NodeRef<html::Canvas>,
    /// Above the rows.
    pub overlay: NodeRef<html::Canvas>,
    /// Overview and ruler.
    pub top: NodeRef<html::Canvas>,
    /// The labels that scroll.
    pub labels: NodeRef<html::Div>,
}

/// Everything that is no signal.
pub struct Inner {
    /// The open profile.
    pub core: Option<TimelineState>,
    /// What was gone to last.
    pub revealed: Option<EventId>,
    /// A drag on the overview or ruler.
    pub brush: Option<Brush>,
    pub(super) scene: Scene,
    pub(super) theme: Theme,
    pub(super) ticks: Ticks,
    pub(super) density: Vec<f32>,
    pub(super) font: String,
    pub(super) char_px: f64,
    pub(super) dpr: f64,
    pub(super) is_due: bool,
    pub(super) is_body_due: bool,
    pub(super) dom_scroll: f64,
    pub(super) labels_of: (u32, i32, i32),
    pub(super) placed_of: u32,
    pub(super) hit: Option<Hit>,
    pub(super) list_of: Option<(u32, TimeRange, Option<DrawnEvent>)>,
}

impl Default for Inner {
    fn default() -> Self {
        Inner {
            core: None,
            brush: None,
            revealed: None,
            scene: Scene::default(),
            theme: Theme::new(&Tokens::fallback(false)),
            ticks: Ticks::default(),
            density: Vec::new(),
            font: "11px monospace".into(),
            char_px: 6.6,
            dpr: 1.0,
            is_due: false,
            is_body_due: false,
            dom_scroll: 0.0,
            labels_of: (u32::MAX, 0, 0),
            placed_of: u32::MAX,
            hit: None,
            list_of: None,
        }
    }
}

/// What a frame has to say to the DOM, written after the state is free again.
pub(super) struct FrameOutput {
    pub labels: Option<Vec<Label>>,
    pub card: Option<Option<Card>>,
    pub hovered: Option<BarId>,
    pub unit: &'static str,
    pub tool: super::state::timeline_state::Tool,
    pub filter: String,
    /// After a new layout of the rows.
    pub placed: Option<String>,
    pub is_list_due: bool,
}

impl Inner {
    /// Draws what is due.
    pub(super) fn frame(&mut self, nodes: &Nodes) -> Option<FrameOutput> {
        self.is_due = false;
        let is_body_due = std::mem::take(&mut self.is_body_due);
        let mut core = self.core.take()?;
        let (began, is_first) = (phases::begin(), self.density.is_empty());
        let output = self.draw(nodes, &mut core, is_body_due);
        if is_first {
            began.end(Phase::Paint);
        }
        self.core = Some(core);
        output
    }

    /// What a frame of the rows depends on.
    pub(super) fn shot<'a>(&'a self, core: &'a TimelineState, grid: &'a [i64], dpr: f64) -> Shot<'a> {
        Shot {
            columns: &core.columns,
            index: &core.index,
            rows: &core.rows,
            theme: &self.theme,
            view: &core.view,
            grid,
            scroll: core.scroll,
            height_px: core.height_px,
            dpr,
            highlights: &core.highlights,
            is_alone: core.is_alone,
            has_text: core.has_text,
            picked: core.picked.as_deref(),
            least_ns: core.least_ns(),
            curves: &core.curves,
        }
    }

    fn draw(&mut self, nodes: &Nodes, core: &mut TimelineState, is_body_due: bool) -> Option<FrameOutput> {
        let (width, height, dpr) = (core.view.width_px, core.height_px, self.dpr);
        let rows = surface::context(&nodes.rows.get_untracked()?, width, height, dpr)?;
        if self.char_px == 0.0 {
            rows.set_font(&self.font);
            self.char_px = rows.measure_text("0000000000").map_or(6.6, |m| m.width() / 10.0);
        }
        if is_body_due {
            self.ticks = ticks(&core.view, self.char_px);
            let grid: Vec<i64> = self.ticks.ticks.iter().map(|t| t.time).collect();
            let mut scene = std::mem::take(&mut self.scene);
            scene.paint(&self.shot(core, &grid, dpr), self.char_px);
            self.scene = scene;
            surface::draw_rows(&rows, &self.scene, &self.theme, &self.font);
            let top = surface::context(&nodes.top.get_untracked()?, width, OVERVIEW_PX + RULER_PX, dpr)?;
            if self.density.is_empty() {
                self.density = core.density(width as usize);
            }
            surface::draw_top(&top, core, &self.theme, &self.density, &self.ticks, &self.font);
            self.place_rows(nodes, core);
        }
        let hit = core.pointer.filter(|_| core.drag.is_none_or(|d| !d.is_real)).and_then(|(x, y)| core.hit(x, y));
        // The card of an instant does not describe the slice below it.
        let on_bar = hit.filter(|h| h.instant.is_none()).and_then(|h| h.bar);
        let hovered = on_bar.and_then(|s| core.place(s));
        let overlay = surface::context(&nodes.overlay.get_untracked()?, width, height, dpr)?;
        overlay.clear_rect(0.0, 0.0, width, height);
        surface::draw_overlay(&overlay, core, &self.theme, hovered, &self.font);
        let card_x = core.pointer.map_or(0.0, |p| p.0);
        let is_new = hit != self.hit || hit.is_some_and(|h| h.counter.is_some());
        self.hit = hit;
        let lane = hit.and_then(|h| h.lane).or_else(|| core.selected_bar().and_then(|s| core.index.lane_of(&core.columns, s)));
        let list_of = lane.map(|l| (l, core.view.window(), core.selection));
        let is_list_due = list_of.is_some() && list_of != self.list_of;
        self.list_of = list_of.or(self.list_of);
        let is_laid_out = std::mem::replace(&mut self.placed_of, core.layout_version) != core.layout_version;
        Some(FrameOutput {
            labels: self.labels(core),
            card: is_new.then(|| hit.and_then(|h| core.card(&h, card_x))),
            // Only a slice of the profile has further details.
            hovered: on_bar.filter(|s| !core.is_made(*s)),
            unit: self.ticks.unit,
            tool: core.tool,
            filter: core.folding.filter.clone(),
            placed: is_laid_out.then(|| core.placed()),
            is_list_due,
        })
    }

    /// Brings the DOM's scrolling in line with the state.
    fn place_rows(&mut self, nodes: &Nodes, core: &TimelineState) {
        let hidden = f64::from(core.rows.height + core.rows.pinned_height) - core.height_px;
        if let (Some(spacer), Some(scroller)) = (nodes.spacer.get_untracked(), nodes.scroller.get_untracked()) {
            if self.labels_of.0 != core.layout_version || hidden.max(0.0) as i32 != spacer.offset_height() {
                let _ = web_sys::HtmlElement::style(&spacer).set_property("height", &format!("{}px", hidden.max(0.0).ceil()));
            }
            if (core.scroll - self.dom_scroll).abs() > 0.5 {
                scroller.set_scroll_top(core.scroll.round() as i32);
                self.dom_scroll = core.scroll;
            }
        }
        if let Some(labels) = nodes.labels.get_untracked() {
            let y = f64::from(core.rows.pinned_height) - core.scroll;
            let _ = web_sys::HtmlElement::style(&labels).set_property("transform", &format!("translateY({y}px)"));
        }
        if let Some(root) = nodes.root.get_untracked() {
            let window = core.view.window();
            let _ = root.set_attribute("data-window", &format!("{}-{}", window.start.0, window.end.0));
            let _ = root.set_attribute("data-rows", &self.scene.n_rows.to_string());
        }
    }

    /// The labels, if other rows are on screen than before.
    fn labels(&mut self, core: &TimelineState) -> Option<Vec<Label>> {
        const STEP: f64 = 160.0;
        let of = (core.layout_version, (core.scroll / STEP) as i32, core.height_px as i32);
        if of == self.labels_of {
            return None;
        }
        self.labels_of = of;
        let top = of.1 * STEP as i32 - STEP as i32;
        Some(labels(core, top, top + 3 * STEP as i32 + core.height_px as i32))
    }

    /// The DOM was scrolled.
    pub(super) fn scrolled(&mut self, y: f64) {
        self.dom_scroll = y;
        if let Some(core) = self.core.as_mut() {
            core.scroll_to(y);
        }
    }
}
