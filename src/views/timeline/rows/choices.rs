//! Settings of the timeline: kinds of rows, names on slices, semaphores, colours of slices. All are in the address.

pub use super::kinds::{DMA, INSTRUCTIONS, kinds};
use crate::analysis::device::transfers::dma_rows::{DmaBy, DmaDetail, DmaRowsQuery};
use crate::state::choices::{Choice, ViewState};
use crate::state::saved_defaults::FrontDefaults;
use leptos::prelude::*;

/// The choices.
#[derive(Clone, Copy)]
pub struct Settings {
    /// Kinds of rows left out, separated by bars.
    pub hidden: Choice<String>,
    /// Text that the path of a row contains; empty: every row.
    pub filter: Choice<String>,
    /// Whether names are written on slices.
    pub has_text: Choice<bool>,
    /// Numbers of the semaphores that are drawn; empty: all.
    pub semaphores: Choice<String>,
    /// Parts of a layer's name that count for its colour; 0: all.
    pub depth: Choice<u8>,
    /// What DMA transfers are coloured by; empty: as all else.
    pub dma_colour: Choice<String>,
    /// What a row of DMA transfers holds: `engine`; empty: a queue.
    pub dma_rows: Choice<String>,
    /// Grouping in it: `expanded`, `aggregated`; empty: each record is a bar.
    pub dma_detail: Choice<String>,
    /// Arrangement of the physical cores of a logical core: `logical`: rows of all cores interleaved; empty: a group for each core.
    pub cores: Choice<String>,
    /// Whether highlighted intervals are drawn.
    pub has_bands: Choice<bool>,
    /// Whether the legend is shown below.
    pub has_legend: Choice<bool>,
    /// What a row above the engines of a core names: a column; empty: there is none.
    pub names_row: Choice<String>,
    /// Whether bars of that row which are short in the view are left out.
    pub hides_tiny: Choice<bool>,
    /// Whether cumulative curves begin with the view, not with the run.
    pub is_from_view: Choice<bool>,
    /// Whether throughput is smoothed to the width of the view.
    pub is_smooth: Choice<bool>,
    /// Pins, moves and folds of rows: see [`ByPath::to_text`](super::by_path::ByPath::to_text).
    pub placed: Choice<String>,
    /// What profiles of this kind begin with, where the user can say so.
    pub front_defaults: Option<FrontDefaults>,
}

impl Settings {
    /// As chosen among `choices`.
    pub fn of(choices: ViewState) -> Self {
        Settings {
            hidden: choices.choice("hidden", String::new()),
            filter: choices.choice("filter", String::new()),
            has_text: choices.choice("names", true),
            semaphores: choices.choice("semaphores", String::new()),
            depth: choices.choice("depth", 0),
            dma_colour: choices.choice("dma-colour", String::new()),
            dma_rows: choices.choice("dma-rows", String::new()),
            dma_detail: choices.choice("dma", String::new()),
            cores: choices.choice("cores", String::new()),
            has_bands: choices.choice("bands", true),
            has_legend: choices.choice("legend", false),
            names_row: choices.choice("names-row", String::new()),
            hides_tiny: choices.choice("hide-tiny", false),
            is_from_view: choices.choice("from-view", false),
            is_smooth: choices.choice("smooth", false),
            placed: choices.choice("placed", String::new()),
            front_defaults: None,
        }
    }

    /// The column to colour by, with the choices that go with it: `layer@2;dma=variable`. Tracked.
    pub fn colouring(&self, by: String) -> String {
        let depth = match (by.as_str(), self.depth.0.get()) {
            ("layer", depth @ 1..) => format!("@{depth}"),
            _ => String::new(),
        };
        let dma = self.dma_colour.0.get();
        let dma = if dma.is_empty() { String::new() } else { format!(";dma={dma}") };
        format!("{by}{depth}{dma}")
    }

    /// The column that a row above the engines names, with the depth of layers: `layer@2`; `None` without such a row. Tracked.
    pub fn names(&self) -> Option<String> {
        let by = self.names_row.0.get();
        match (by.as_str(), self.depth.0.get()) {
            ("", _) => None,
            ("layer", depth @ 1..) => Some(format!("layer@{depth}")),
            _ => Some(by),
        }
    }

    /// The rows for DMA transfers. Tracked.
    pub fn dma(&self) -> DmaRowsQuery {
        let by = if self.dma_rows.0.get() == "engine" { DmaBy::Engine } else { DmaBy::Queue };
        let detail = match self.dma_detail.0.get().as_str() {
            "expanded" => DmaDetail::Rings,
            "aggregated" => DmaDetail::Merged,
            _ => DmaDetail::Packets,
        };
        DmaRowsQuery { by, detail }
    }

    /// Shows or hides a kind of row.
    pub fn toggle(&self, kind: &str) {
        let mut all = split(&self.hidden.0.get_untracked());
        match all.iter().position(|k| k == kind) {
            Some(at) => drop(all.remove(at)),
            None => all.push(kind.into()),
        }
        self.hidden.1.set(all.join("|"));
    }

    /// The defaults.
    pub fn reset(&self) {
        self.hidden.1.set(String::new());
        self.filter.1.set(String::new());
        self.has_text.1.set(true);
        self.semaphores.1.set(String::new());
        self.depth.1.set(0);
        self.dma_colour.1.set(String::new());
        self.dma_rows.1.set(String::new());
        self.dma_detail.1.set(String::new());
        self.cores.1.set(String::new());
        self.has_bands.1.set(true);
        self.has_legend.1.set(false);
        self.names_row.1.set(String::new());
        self.hides_tiny.1.set(false);
        self.is_from_view.1.set(false);
        self.is_smooth.1.set(false);
        self.placed.1.set(String::new());
    }

    /// Only rows of instructions and of values derived from them, if there are any.
    pub fn minimal(&self, kinds: &[String]) {
        let is_visible = |kind: &str| kind == INSTRUCTIONS || kind.contains("MFU");
        let hidden: Vec<&str> = kinds.iter().map(String::as_str).filter(|k| !is_visible(k)).collect();
        self.hidden.1.set(hidden.join("|"));
    }
}

/// Kinds out of the address.
pub fn split(text: &str) -> Vec<String> {
    text.split('|').filter(|k| !k.is_empty()).map(Into::into).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::views::timeline::lookup::index::Index;
    use crate::views::timeline::lookup::sample::sample;
    use crate::views::timeline::rows::folding::Folding;
    use crate::views::timeline::rows::layout::rows;

    #[test]
    fn kinds_leave_their_rows_and_empty_groups() {
        let columns = sample();
        assert_eq!(kinds(&columns.info), ["Threads", "Waits and barriers", "memory", "Streams"]);
        let index = Index::new(&columns);
        let of = |hidden: &[&str]| {
            let folding = Folding { hidden: hidden.iter().map(|h| h.to_string()).collect(), ..Folding::default() };
            rows(&columns, &index, &folding).rows.iter().map(|r| r.track.0).collect::<Vec<_>>()
        };
        assert_eq!(of(&["Streams"]), [0, 1, 2, 3]);
        assert_eq!(of(&["Threads", "Waits and barriers", "memory"]), [4, 5]);
        assert_eq!(of(&["nothing of this name"]), [0, 1, 2, 3, 4, 5]);
    }

    #[test]
    fn every_choice_can_be_saved() {
        let owner = Owner::new();
        owner.set();
        let (choices, own) = (RwSignal::default(), RwSignal::default());
        let s = Settings::of(ViewState::new("timeline", choices));
        let texts = [s.hidden, s.semaphores, s.dma_colour, s.dma_rows, s.dma_detail, s.names_row, s.cores];
        texts.iter().for_each(|t| t.1.set("x".into()));
        s.depth.1.set(3);
        [s.has_text, s.has_bands].iter().for_each(|t| t.1.set(false));
        [s.has_legend, s.hides_tiny, s.is_from_view, s.is_smooth].iter().for_each(|t| t.1.set(true));
        let front_defaults = FrontDefaults { all: own, choices, kind: crate::state::saved_defaults::DefaultsKind::Device };
        front_defaults.save();
        let seen = choices.get_untracked();
        s.reset();
        assert!(choices.with_untracked(crate::state::choices::Choices::is_empty));
        front_defaults.show();
        assert_eq!((choices.get_untracked() == seen, seen.iter().count()), (true, 14));
    }

    #[test]
    fn the_address_holds_the_colouring() {
        let owner = Owner::new();
        owner.set();
        let s = Settings::of(ViewState::detached("timeline"));
        assert_eq!(s.colouring("layer".into()), "layer");
        s.depth.1.set(2);
        s.dma_colour.1.set("variable".into());
        assert_eq!((s.colouring("layer".into()), s.colouring("name".into())), ("layer@2;dma=variable".into(), "name;dma=variable".into()));
        assert_eq!(s.dma(), DmaRowsQuery::default());
        s.dma_rows.1.set("engine".into());
        s.dma_detail.1.set("aggregated".into());
        assert_eq!(s.dma(), DmaRowsQuery { by: DmaBy::Engine, detail: DmaDetail::Merged });
        assert_eq!(s.names(), None);
        s.names_row.1.set("layer".into());
        assert_eq!(s.names().as_deref(), Some("layer@2"), "the depth is that of the colours");
        s.toggle("DMA");
        s.toggle("Threads");
        s.toggle("DMA");
        assert_eq!(s.hidden.0.get_untracked(), "Threads");
        s.minimal(&["DMA".into(), INSTRUCTIONS.into()]);
        assert_eq!(s.hidden.0.get_untracked(), "DMA");
        s.is_smooth.1.set(true);
        s.reset();
        assert_eq!((s.hidden.0.get_untracked(), s.colouring("layer".into())), (String::new(), "layer".into()));
        assert_eq!(s.names(), None);
    }
}
