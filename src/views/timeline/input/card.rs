//! What the hover card, the list of slices and the status line say.

use super::hit_test::Hit;
use crate::analysis::colouring::CORE;
use crate::base::{DurationNs, short_name, text};
use crate::views::timeline::lookup::counter::{value_text, values_at};
use crate::views::timeline::lookup::drawn::BarId;
use crate::views::timeline::lookup::index::SliceText;
use crate::views::timeline::state::timeline_state::TimelineState;

/// Counter values a card has room for.
const MAX_VALUES: usize = 16;

/// A card: a title and lines of (what, value).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Card {
    /// The slice, instant or counter.
    pub title: String,
    /// What there is to say.
    pub lines: Vec<(String, String)>,
}

impl TimelineState {
    /// The card of what the pointer at `x` is on; `None` over nothing.
    pub fn card(&self, hit: &Hit, x: f64) -> Option<Card> {
        let path = self.index.tracks.get(hit.track.index())?.path.clone();
        let info = &self.columns.info;
        if let Some(instant) = hit.instant {
            let title = text::brief(info.strings.get(info.instants.name.get(instant)?));
            let at = text::time_exact(info.instants.time.get(instant)?);
            return Some(Card { title, lines: vec![("at".into(), at), ("track".into(), path)] });
        }
        if let Some(bar) = hit.bar {
            // A box on this row belongs to another row.
            let own = self.index.track_of(&self.columns, bar).and_then(|t| self.index.tracks.get(t.index()));
            return self.slice_card(bar, own.map_or(path, |t| t.path.clone()));
        }
        let at = hit.counter? as usize;
        let in_view = self.curves.get(at).map(|c| c.0);
        let counter = in_view.or(info.counters.get(at))?;
        let t = self.view.time_from_px(x);
        let mut lines = vec![("at".to_string(), text::time(crate::base::TimeNs(t)))];
        let values = values_at(counter, t).unwrap_or_default();
        lines.extend(values.iter().take(MAX_VALUES).map(|v| (v.0.to_string(), value_text(v.1, &counter.unit))));
        if values.len() > MAX_VALUES {
            lines.push(("more".into(), text::count((values.len() - MAX_VALUES) as u64)));
        }
        if in_view.is_some() {
            lines.push((
                "of".into(),
                if path.contains("Cumulative") { "mean since the left edge of the view" } else { "mean of 1/100 of the view" }.into(),
            ));
        }
        Some(Card { title: path, lines })
    }

    fn slice_card(&self, bar: BarId, path: String) -> Option<Card> {
        let duration = self.columns.duration.get(bar.index())?;
        let mut lines = vec![
            ("duration".to_string(), text::duration(DurationNs(duration))),
            ("start".into(), text::time_exact(self.columns.start.value_at(bar.index()))),
            ("track".into(), path),
        ];
        if self.is_made(bar) {
            lines.push(("click".into(), "selects its time range".into()));
            return Some(Card { title: text::brief(&short_name(self.columns.name_of(bar))), lines });
        }
        if let Some(parent) = self.index.parent_of(&self.columns, bar).filter(|_| self.can_hold()) {
            let whole = self.columns.duration.value_at(parent.index());
            if whole > 0 {
                let share = text::percent(duration as f64 / whole as f64);
                lines.push(("of parent".into(), format!("{share} of {}", text::brief(&short_name(self.columns.name_of(parent))))));
            }
        }
        Some(Card { title: text::brief(&short_name(self.columns.name_of(bar))), lines })
    }

    /// Whether a slice in a deeper lane is a part of the one above it: not so on a Neuron device, whose profiles alone can be coloured by core.
    fn can_hold(&self) -> bool {
        self.columns.info.colourings.iter().all(|c| c.0 != CORE.0)
    }

    /// One slice in a sentence.
    pub fn sentence(&self, bar: BarId) -> String {
        let Some(span) = self.span_of(bar) else { return String::new() };
        let track = self.index.track_of(&self.columns, bar).and_then(|t| self.index.tracks.get(t.index()));
        let path = track.map_or("", |t| t.path.as_str());
        let (duration, start) = (text::duration(span.duration()), text::time(span.start));
        format!("{}, {duration}, starts at {start}, on {path}", text::brief(&short_name(self.columns.name_of(bar))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::views::timeline::lookup::sample::sample;
    use std::sync::Arc;

    fn check(x: f64, y: f64, title: &str, lines: &[(&str, &str)]) {
        let core = TimelineState::new(Arc::new(sample()), 1000.0, 400.0);
        let hit = core.hit(x, y).expect("a row");
        let card = core.card(&hit, x).expect("a card");
        assert_eq!(card.title, title);
        let got: Vec<(&str, &str)> = card.lines.iter().map(|l| (l.0.as_str(), l.1.as_str())).collect();
        assert_eq!(got, lines);
    }

    #[test]
    fn cards_say_what_is_there() {
        let share = ("of parent", "30.0% of step");
        check(100.0, 45.0, "matmul", &[("duration", "300 ns"), ("start", "100 ns"), ("track", "host / main"), share]);
        check(26.0, 25.0, "mark", &[("at", "50 ns"), ("track", "host / main")]);
        check(510.0, 90.0, "host / memory", &[("at", "1.02 µs"), ("allocated", "40 B")]);
    }

    #[test]
    fn on_a_device_nothing_is_a_share_of_another() {
        let mut columns = sample();
        columns.info.colourings = vec![(CORE.0.into(), CORE.1.into())];
        let core = TimelineState::new(Arc::new(columns), 1000.0, 400.0);
        let card = core.hit(100.0, 45.0).and_then(|hit| core.card(&hit, 100.0)).expect("a card");
        assert!(card.lines.iter().all(|l| l.0 != "of parent"));
    }

    #[test]
    fn sentences_are_whole() {
        let core = TimelineState::new(Arc::new(sample()), 1000.0, 400.0);
        assert_eq!(core.sentence(BarId(6)), "gemm, 700 ns, starts at 300 ns, on device / stream 7");
        assert_eq!(core.sentence(BarId(600)), "");
    }
}
