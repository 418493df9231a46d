//! The flame graph with read-out, zoom, keys and table.

use super::data::{self, Node, NodeBox, ROW};
use super::draw;
use crate::base::text;
use crate::ui::chart::figures::Figures;
use crate::ui::chart::plot::Plot;
use crate::ui::chart::{Frame, Readout, ReadoutCard};
use crate::ui::effect::effect;
use crate::ui::table::{Cell, Column, Kind, Row};
use leptos::{ev, prelude::*};
use std::sync::Arc;

#[derive(Clone, Copy)]
struct State {
    nodes: Signal<Arc<Vec<Node>>>,
    places: Memo<Arc<Vec<NodeBox>>>,
    zoom: RwSignal<Option<usize>>,
    highlighted: RwSignal<Option<usize>>,
    pointer: RwSignal<Option<(f64, f64)>>,
    on_node: Option<Callback<usize>>,
    plot: Plot,
    kind: Kind,
}

impl State {
    fn new(nodes: Signal<Arc<Vec<Node>>>, kind: Kind, on_node: Option<Callback<usize>>) -> Self {
        let (zoom, highlighted) = (RwSignal::new(None), RwSignal::new(None));
        let width = RwSignal::new(800.0);
        let places = Memo::new(move |_| {
            // A node narrower than two thirds of a pixel is not drawn separately.
            let least = 0.66 / width.get();
            Arc::new(nodes.with(|nodes| data::places(nodes, zoom.get(), least)))
        });
        let plot = Plot::new(move |context, size, look| {
            nodes.with(|nodes| draw::paint(context, nodes, &places.get(), size.width, highlighted.get(), look));
        });
        effect(move || {
            let now = plot.size.get().width;
            if now > 0.0 && width.get_untracked() != now {
                width.set(now);
            }
        });
        // New nodes: zoom and highlight are reset.
        effect(move || {
            nodes.track();
            zoom.set(None);
            highlighted.set(None);
        });
        State { nodes, places, zoom, highlighted, pointer: RwSignal::new(None), on_node, plot, kind }
    }

    fn choose(&self) {
        let place = self.highlighted.get_untracked().and_then(|at| self.places.with_untracked(|p| p.get(at).copied()));
        let Some(place) = place.filter(|p| p.count == 1) else { return };
        // Clicking the node that fills the width zooms out to its parent.
        let is_there = self.zoom.get_untracked() == Some(place.node);
        let above = self.nodes.with_untracked(|n| n.get(place.node).and_then(|n| n.parent)).map(|p| p as usize);
        self.zoom.set(if is_there { above } else { Some(place.node) });
        self.light(place.node);
        if let Some(on_node) = self.on_node {
            on_node.run(place.node);
        }
    }

    /// Highlights the box of a node.
    fn light(&self, node: usize) {
        self.highlighted.set(self.places.with_untracked(|p| p.iter().position(|p| p.node == node)));
    }

    fn readout(&self) -> Option<Readout> {
        let place = self.highlighted.get().and_then(|at| self.places.with(|p| p.get(at).copied()))?;
        let nodes = self.nodes.get();
        let node = nodes.get(place.node)?;
        let at = self.pointer.get().unwrap_or_else(|| {
            let width = self.plot.size.get_untracked().width;
            self.plot.on_page((place.start + place.share / 2.0) * width, (place.depth as f64 + 1.0) * ROW)
        });
        if place.count > 1 {
            let title = format!("{} narrow frames", text::count(place.count as u64));
            return Some(Readout { at, title, note: "Zoom into their parent to see each of them.".into(), ..Readout::default() });
        }
        let of_parent = node.parent.and_then(|p| nodes.get(p as usize)).filter(|p| p.value > 0);
        let mut rows = vec![(Some(node.colour), String::new(), Cell::Int(node.value).shown(self.kind), false)];
        rows.extend(of_parent.map(|p| (None, format!("of {}", p.name), text::percent(node.value as f64 / p.value as f64), false)));
        Some(Readout { at, title: node.name.clone(), rows, note: node.note.clone() })
    }

    fn figures(&self, what: &str) -> Figures {
        let (nodes, kind) = (self.nodes, self.kind);
        let columns = vec![
            Column::new("name", what, Kind::Name, ""),
            Column::new("level", "Level", Kind::Count, "Number of ancestors."),
            Column::new("value", "Value", kind, ""),
        ];
        let rows = Memo::new(move |_| {
            let nodes = nodes.get();
            let mut levels = vec![0i64; nodes.len()];
            let row = |(i, node): (usize, &Node)| {
                levels[i] = node.parent.and_then(|p| levels.get(p as usize).map(|l| l + 1)).unwrap_or(0);
                Row {
                    colour: Some(node.colour),
                    ..Row::new(vec![Cell::Text(node.name.clone()), Cell::Int(levels[i]), Cell::Int(node.value)])
                }
            };
            Arc::new(nodes.iter().enumerate().map(row).collect::<Vec<_>>())
        });
        Figures { columns: Signal::stored(Arc::new(columns)), rows: rows.into() }
    }
}

/// A tree with widths in proportion to values. A click zooms to a node; a second click or Esc zooms out.
#[component]
pub fn Flame(
    /// Its name: `data-chart`.
    #[prop(into)]
    id: String,
    /// What it shows, with the unit.
    #[prop(into)]
    title: String,
    /// What a node is: `Module`.
    #[prop(into)]
    what: String,
    /// How values read.
    kind: Kind,
    /// Nodes in pre-order.
    #[prop(into)]
    nodes: Signal<Arc<Vec<Node>>>,
    /// A node was chosen by click or Enter, by its position.
    #[prop(optional, into)]
    on_node: Option<Callback<usize>>,
    /// What is there when there are no nodes.
    #[prop(into)]
    empty: String,
) -> impl IntoView {
    let state = State::new(nodes, kind, on_node);
    let is_empty = Memo::new(move |_| nodes.with(|n| !n.iter().any(|n| n.value > 0)));
    let on_save = state.plot.export(&title, Vec::new(), move |context, size, look, _| {
        let (nodes, zoom) = (state.nodes.get_untracked(), state.zoom.get_untracked());
        draw::paint(context, &nodes, &data::places(&nodes, zoom, 0.66 / size.width), size.width, None, look);
    });
    let label = title.clone();
    let up = move || {
        view! {
            <Show when=move || state.zoom.get().is_some()>
                <button type="button" class="link" title="Also Esc" on:click=move |_| state.zoom.set(None)>"reset zoom"</button>
            </Show>
        }
    };
    view! {
        <Frame id title is_empty empty figures=state.figures(&what) on_save tools=ViewFn::from(up)>
            <Plotted state label=label.clone() />
            <ReadoutCard readout=Signal::derive(move || state.readout()) />
        </Frame>
    }
}

#[component]
fn Plotted(state: State, label: String) -> impl IntoView {
    let point = move |e: ev::PointerEvent| {
        let width = state.plot.size.get_untracked().width.max(1.0);
        let hit = state.places.with_untracked(|p| data::hit(p, f64::from(e.offset_x()) / width, f64::from(e.offset_y())));
        state.pointer.set(Some((f64::from(e.client_x()), f64::from(e.client_y()))));
        if state.highlighted.get_untracked() != hit {
            state.highlighted.set(hit);
        }
    };
    let height = move || format!("{}px", state.places.with(|p| data::depth(p)) as f64 * ROW);
    let highlighted = move || state.highlighted.get().and_then(|at| state.places.with(|p| p.get(at).map(|p| p.node.to_string())));
    view! {
        <div class="chart__tall">
            <canvas
                class="chart__plot chart__plot--flame can-choose"
                style:height=height
                tabindex="0"
                role="img"
                data-lit=highlighted
                data-zoom=move || state.zoom.get().map(|n| n.to_string())
                aria-label=format!("{label}: flame graph. Use the arrow keys to move between nodes and Enter to zoom; the values follow as a table")
                node_ref=state.plot.canvas
                on:pointermove=point
                on:pointerdown=point
                on:pointerleave=move |_| state.highlighted.set(None)
                on:click=move |_| state.choose()
                on:keydown=move |e| key(state, &e)
                on:blur=move |_| state.highlighted.set(None)
                on:transitionend=move |_| state.plot.again()
            ></canvas>
        </div>
    }
}

fn key(state: State, event: &ev::KeyboardEvent) {
    let name = event.key();
    state.pointer.set(None);
    match name.as_str() {
        "ArrowUp" | "ArrowDown" | "ArrowLeft" | "ArrowRight" => {
            let highlighted = state.highlighted.get_untracked();
            let next = state.nodes.with_untracked(|nodes| state.places.with_untracked(|p| data::moved(nodes, p, highlighted, &name)));
            state.highlighted.set(next);
        }
        "Enter" => state.choose(),
        "Escape" if state.zoom.get_untracked().is_some() => state.zoom.set(None),
        _ => return,
    }
    event.prevent_default();
    event.stop_propagation();
}
