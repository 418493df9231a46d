//! Which changes of the shown state become steps of the browser's history.

use super::url::UrlState;

/// How much changed: a change of a higher kind is always a step of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Step {
    /// The search, or a choice inside a view: no step.
    #[default]
    None,
    /// Only the visible window changed: continuous zooming and panning is one step.
    Window,
    /// Another view, profile, selection or selected range.
    Place,
}

impl Step {
    /// What changed between two states.
    pub fn between(before: &UrlState, now: &UrlState) -> Step {
        let is_same_place = before.view == now.view
            && before.hash == now.hash
            && before.selection == now.selection
            && before.range == now.range
            && before.rows == now.rows;
        match (is_same_place, before.window == now.window) {
            (false, _) => Step::Place,
            (true, false) => Step::Window,
            (true, true) => Step::None,
        }
    }
}

/// A zoom or pan within this time of the last one belongs to it, ms.
const TOGETHER_MS: f64 = 1_000.0;
/// What changes within this time of an arrival by Back, Forward or a link follows from the arrival, ms. So does what changes later, on a busy page,
/// until the user does something.
const ARRIVAL_MS: f64 = 600.0;

/// The steps written so far, and the change to be written next.
#[derive(Debug, Clone, Copy, Default)]
pub struct Steps {
    /// The most that changed since the address was written last.
    pub pending: Step,
    /// When Back, Forward or a link came last, ms of the page's clock.
    arrived_ms: Option<f64>,
    /// The user has done nothing since then.
    is_untouched: bool,
    /// When a window was written last, and whether it was the last step.
    window_ms: Option<f64>,
}

impl Steps {
    /// Back, Forward or a link came.
    pub fn arrive(&mut self, now_ms: f64) {
        (self.arrived_ms, self.is_untouched) = (Some(now_ms), true);
    }

    /// The user pressed a key or a button, or turned a wheel.
    pub fn touch(&mut self) {
        self.is_untouched = false;
    }

    /// Whether the pending change becomes a step; it is written then. `now_ms` is of the page's clock.
    pub fn is_new(&mut self, now_ms: f64) -> bool {
        let step = std::mem::take(&mut self.pending);
        let follows = self.window_ms.is_some_and(|last| now_ms - last < TOGETHER_MS);
        match step {
            Step::Window => self.window_ms = Some(now_ms),
            Step::Place => self.window_ms = None,
            Step::None => {}
        }
        let is_arrival = self.is_untouched || self.arrived_ms.is_some_and(|arrived| now_ms - arrived < ARRIVAL_MS);
        match step {
            _ if is_arrival => false,
            Step::None => false,
            Step::Window => !follows,
            Step::Place => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{TimeNs, TimeRange};

    fn state(view: &str, window: Option<(i64, i64)>, range: Option<(i64, i64)>) -> UrlState {
        let time = |(a, b)| TimeRange { start: TimeNs(a), end: TimeNs(b) };
        UrlState { hash: "h".into(), view: view.into(), window: window.map(time), range: range.map(time), ..UrlState::default() }
    }

    #[test]
    fn views_ranges_and_windows_are_steps_and_searches_are_not() {
        let base = state("timeline", None, None);
        assert_eq!(Step::between(&base, &state("operators", Some((1, 2)), None)), Step::Place);
        assert_eq!(Step::between(&base, &state("timeline", None, Some((1, 2)))), Step::Place);
        assert_eq!(Step::between(&base, &state("timeline", Some((1, 2)), None)), Step::Window);
        assert_eq!(Step::between(&base, &UrlState { search: "x".into(), ..base.clone() }), Step::None);
    }

    /// Changes with their times; true where each is a new step.
    fn check(mut steps: Steps, changes: &[(Step, f64, bool)]) {
        for &(step, at, want) in changes {
            steps.pending = step;
            assert_eq!(steps.is_new(at), want, "{step:?} at {at} ms");
        }
    }

    #[test]
    fn zooming_without_a_pause_is_one_step() {
        check(
            Steps::default(),
            &[
                (Step::Window, 0.0, true),
                (Step::Window, 900.0, false),
                (Step::Window, 1_700.0, false),
                (Step::Window, 3_000.0, true),
                (Step::Place, 3_100.0, true),
                (Step::Window, 3_200.0, true),
                (Step::None, 3_300.0, false),
            ],
        );
    }

    #[test]
    fn what_follows_from_an_arrival_is_no_step() {
        let mut arrived = Steps::default();
        arrived.arrive(1_000.0);
        let changes = |is_step| [(Step::Place, 1_300.0, false), (Step::Window, 1_500.0, false), (Step::Place, 1_700.0, is_step)];
        // On a busy page what follows comes late.
        check(arrived, &changes(false));
        arrived.touch();
        check(arrived, &changes(true));
    }
}
