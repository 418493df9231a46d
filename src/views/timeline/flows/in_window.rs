//! Arrows of the profile in the window: which are wanted, which are on screen. The choice is the user's, the arrows the worker's.

use crate::analysis::flows::{Flows, FlowsQuery};
use crate::base::Order as _;
use crate::base::{TimeRange, text};
use crate::state::choices::{Choice, ViewState};
use crate::ui::effect::effect;
use crate::views::query::latest;
use crate::views::timeline::handle::TimelineHandle;
use crate::views::timeline::lookup::drawn::{BarId, DrawnFlow};
use crate::views::timeline::rows::arrange::SliceIdMap;
pub use crate::views::timeline::state::arrows::kind_slot;
use crate::views::timeline::state::arrows::{Arrow, arrow};
use crate::views::timeline::state::timeline_state::TimelineState;
use crate::worker::client::Ask;
use leptos::prelude::*;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

/// More arrows than these are neither drawn nor legible.
pub const MOST_FLOWS: u32 = 500;

/// Which arrows are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FlowMode {
    /// None.
    Off,
    /// Those of the selected slice.
    #[default]
    Selection,
    /// All that cross the window.
    Window,
}

impl fmt::Display for FlowMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FlowMode::Off => "off",
            FlowMode::Selection => "selection",
            FlowMode::Window => "window",
        })
    }
}

impl FromStr for FlowMode {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        [FlowMode::Off, FlowMode::Selection, FlowMode::Window].into_iter().find(|m| m.to_string() == text).ok_or(())
    }
}

/// Kinds that are left out; as text, one a line.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ExcludedKinds(pub Vec<String>);

impl ExcludedKinds {
    /// The same with a kind left out that was not, or back in.
    pub fn toggled(mut self, kind: &str) -> Self {
        match self.0.iter().position(|k| k == kind) {
            Some(at) => drop(self.0.remove(at)),
            None => self.0.push(kind.into()),
        }
        self
    }
}

impl fmt::Display for ExcludedKinds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A line break behind each: a kind may be called nothing.
        self.0.iter().try_for_each(|kind| writeln!(f, "{kind}"))
    }
}

impl FromStr for ExcludedKinds {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Ok(ExcludedKinds(text.split_terminator('\n').map(Into::into).collect()))
    }
}

/// What the user has chosen, and the arrows that were found for it.
#[derive(Clone, Copy)]
pub struct FlowChoice {
    /// Which are drawn.
    pub mode: Choice<FlowMode>,
    /// Kinds that are left out.
    pub without: Choice<ExcludedKinds>,
    /// What crosses the window; empty unless that is wanted.
    pub found: RwSignal<Arc<Flows>>,
}

impl FlowChoice {
    /// As chosen among `choices`; of every kind.
    pub fn new(choices: ViewState) -> Self {
        let without = choices.choice("flows.without", ExcludedKinds::default());
        FlowChoice { mode: choices.choice("flows", FlowMode::default()), without, found: RwSignal::default() }
    }

    /// Whether arrows of the selection of that kind are drawn. Tracked.
    pub fn shows(&self, kind: &str) -> bool {
        self.mode.0.get() != FlowMode::Off && self.without.0.with(|w| w.0.iter().all(|k| k != kind))
    }
}

/// A kind of arrow in words.
pub fn kind_label(kind: &str) -> String {
    match kind {
        "ac2g" | "async" | "async_cpu_to_gpu" => format!("Launch to device ({kind})"),
        "fwdbwd" | "forward_backward" => format!("Forward to backward ({kind})"),
        "" => "Kind not recorded".into(),
        _ => kind.to_string(),
    }
}

/// How many are drawn of how many there are.
pub fn drawn_sentence(found: &Flows) -> String {
    let (drawn, all) = (found.from.len() as u64, found.n_wanted);
    match all {
        0 => "No flow crosses this window.".into(),
        _ if drawn < all => {
            format!("{} of {} flows in this window are drawn, evenly sampled. Zoom in to see all.", text::count(drawn), text::count(all))
        }
        1 => "The one flow in this window is drawn.".into(),
        _ => format!("All {} flows in this window are drawn.", text::count(all)),
    }
}

impl TimelineState {
    /// The arrows of the window on screen, by kind.
    pub fn flows_on_screen(&self) -> Vec<(Arrow, u16)> {
        let (width, height) = (self.view.width_px, self.height_px);
        let at = |from: BarId, to: BarId| {
            let (a, b) = (self.place(from)?, self.place(to)?);
            arrow((a.right, a.top + a.height / 2.0), (b.left, b.top + b.height / 2.0), width, height)
        };
        let mut out: Vec<(Arrow, u16)> = self.flows.iter().filter_map(|flow| Some((at(flow.from, flow.to)?, flow.kind))).collect();
        out.order_by_key(|a| a.1);
        out
    }
}

/// Keeps the drawn arrows in step with the window and the choice.
pub fn follow(stage: TimelineHandle, choice: FlowChoice, ask: Ask) {
    let window = rested(stage);
    let query = Memo::new(move |_| {
        let window = (choice.mode.0.get() == FlowMode::Window).then(|| window.get()).flatten()?;
        Some(FlowsQuery { window, without: choice.without.0.get().0, limit: MOST_FLOWS })
    });
    let reply = latest(move || {
        let (ask, query) = (ask.clone(), query.get());
        async move {
            match query {
                Some(query) => match ask.ask(query).await {
                    Ok(found) => Some(Arc::new(found)),
                    _ => None,
                },
                None => Some(Arc::default()),
            }
        }
    });
    effect(move || {
        if let Some(Some(found)) = reply.get() {
            choice.found.set(found.clone());
            let drawn = stage.ids.with(|ids| drawn_flows(&found, ids));
            stage.touch(|core| core.flows = drawn);
        }
    });
    on_cleanup(move || choice.found.set(Arc::default()));
}

/// Arrows between the bars of the slices.
fn drawn_flows(found: &Flows, ids: &SliceIdMap) -> Vec<DrawnFlow> {
    let ends = found.from.iter().zip(&found.to).zip(&found.kind);
    ends.map(|((from, to), kind)| DrawnFlow { from: ids.bar_of(*from), to: ids.bar_of(*to), kind: *kind }).collect()
}

/// The visible window after a movement has ended.
fn rested(stage: TimelineHandle) -> RwSignal<Option<TimeRange>> {
    const REST: Duration = Duration::from_millis(120);
    let out = RwSignal::new(None);
    effect(move || {
        let seen = stage.shown.window.get();
        let write = move || {
            if stage.shown.window.try_get_untracked() == Some(seen) && out.try_get_untracked() != Some(seen) {
                out.set(seen);
            }
        };
        set_timeout(write, REST);
    });
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::SliceId;
    use crate::views::timeline::lookup::sample::sample;

    #[test]
    fn kinds_left_out_go_into_text_and_back() {
        for kinds in [vec![], vec!["ac2g".to_string()], vec![String::new()], vec![String::new(), "a,b c".to_string()]] {
            let without = ExcludedKinds(kinds);
            assert_eq!(without.to_string().parse(), Ok(without.clone()));
        }
        let once = ExcludedKinds::default().toggled("ac2g").toggled("fwdbwd");
        assert_eq!(once.0, ["ac2g", "fwdbwd"]);
        assert_eq!(once.toggled("ac2g").0, ["fwdbwd"]);
    }

    #[test]
    fn what_is_drawn_is_said() {
        let of = |n: usize, n_wanted: u64| drawn_sentence(&Flows { from: vec![SliceId(0); n], n_wanted, ..Flows::default() });
        assert_eq!(of(0, 0), "No flow crosses this window.");
        assert_eq!(of(3, 3), "All 3 flows in this window are drawn.");
        assert!(of(500, 9096).starts_with("500 of 9\u{202f}096 flows"));
    }

    #[test]
    fn flows_go_from_slice_to_slice_by_kind() {
        let mut core = TimelineState::new(Arc::new(sample()), 1000.0, 200.0);
        let flow = |from, to, kind| DrawnFlow { from: BarId(from), to: BarId(to), kind };
        core.flows = vec![flow(2, 6, 1), flow(0, 1, 0), flow(999, 0, 0)];
        let found = core.flows_on_screen();
        assert_eq!(found.iter().map(|f| f.1).collect::<Vec<_>>(), [0, 1]);
        assert!(matches!(found[0].0, Arrow::Curve(_)));
    }

    #[test]
    fn kinds_have_words_and_colours_apart() {
        assert_eq!(kind_label("ac2g"), "Launch to device (ac2g)");
        assert_eq!(kind_label("dependence"), "dependence");
        assert_ne!(kind_slot(0), kind_slot(1));
    }
}
