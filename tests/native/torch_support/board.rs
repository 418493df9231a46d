//! The scoreboard: cases × views.

use super::compare::{Table, Tolerance, differences};
use super::{Case, RULES, Trace};
use axonscope::analysis::torch::View;
use axonscope::analysis::torch::core::rules::{Era, Rules};
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Our figures and the plugin's.
pub type Pair = (Option<Table>, Option<Table>);

/// One view of one trace: our figures beside the plugin's.
pub struct ViewTest {
    /// Its name on the board.
    pub id: &'static str,
    /// Our figures, `None` where there is nothing to show; and the plugin's, `None` where it has none.
    pub figures: fn(&View<'_>, &Case) -> Pair,
}

/// How a view of a case came out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// Every figure is the plugin's.
    Equal,
    /// Figures differ, only by these named rules: without them they are the plugin's.
    ByRule(Vec<&'static str>),
    /// Something else differs.
    Wrong(Vec<String>),
}

/// Outcomes by (case, view).
#[derive(Debug, Default)]
pub struct Board {
    /// Sorted by case, then view.
    pub outcomes: BTreeMap<(String, &'static str), Outcome>,
    eras: BTreeMap<String, Era>,
}

impl Board {
    /// Runs all views of cases with one trace, a few at a time.
    pub fn run(&mut self, cases: &[Case], views: &'static [ViewTest]) {
        let next = AtomicUsize::new(0);
        let found = Mutex::new(Vec::new());
        std::thread::scope(|scope| {
            for _ in 0..std::thread::available_parallelism().map_or(1, |n| n.get()) {
                scope.spawn(|| {
                    while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let outcomes = outcomes(case, views);
                        found.lock().unwrap().push((case.name.clone(), outcomes));
                    }
                });
            }
        });
        for (name, (era, outcomes)) in found.into_inner().unwrap() {
            self.eras.insert(name.clone(), era);
            self.outcomes.extend(outcomes.into_iter().map(|(view, outcome)| ((name.clone(), view), outcome)));
        }
    }

    /// Adds an outcome that was found by other means.
    pub fn add(&mut self, case: &str, view: &'static str, era: Era, outcome: Outcome) {
        self.eras.insert(case.into(), era);
        self.outcomes.insert((case.into(), view), outcome);
    }

    /// The table as it stands in the documentation.
    pub fn markdown(&self) -> String {
        let mut views: Vec<&str> = self.outcomes.keys().map(|k| k.1).collect();
        views.sort_unstable();
        views.dedup();
        let mut out = String::from("| view | equal | differs by a named rule | wrong |\n|---|---|---|---|\n");
        for view in views {
            let of_view: Vec<&Outcome> = self.outcomes.iter().filter(|(k, _)| k.1 == view).map(|(_, o)| o).collect();
            let mut rules: BTreeMap<&str, usize> = BTreeMap::new();
            for rule in of_view.iter().filter_map(|o| if let Outcome::ByRule(rules) = o { Some(rules) } else { None }).flatten() {
                *rules.entry(rule).or_default() += 1;
            }
            let n = |f: fn(&Outcome) -> bool| of_view.iter().filter(|o| f(o)).count();
            let names: Vec<String> = rules.iter().map(|(rule, n)| format!("{rule} {n}")).collect();
            let by_rule = n(|o| matches!(o, Outcome::ByRule(_)));
            let why = if names.is_empty() { String::new() } else { format!(" ({})", names.join(", ")) };
            out += &format!(
                "| {view} | {} | {by_rule}{why} | {} |\n",
                n(|o| matches!(o, Outcome::Equal)),
                n(|o| matches!(o, Outcome::Wrong(_)))
            );
        }
        out
    }

    /// Every rule that some outcome names.
    pub fn rules(&self) -> Vec<&'static str> {
        let named = self.outcomes.values().filter_map(|o| if let Outcome::ByRule(rules) = o { Some(rules) } else { None });
        let mut rules: Vec<&'static str> = named.flatten().copied().collect();
        rules.sort_unstable();
        rules.dedup();
        rules
    }

    /// One line for each wrong outcome, and for each of an old trace that is not equal.
    pub fn wrong(&self) -> Vec<String> {
        let is_bad = |case: &str, outcome: &Outcome| match outcome {
            Outcome::Equal => false,
            Outcome::ByRule(rules) if rules[..] == ["nothing-to-cut"] => false,
            Outcome::ByRule(_) => self.eras.get(case) == Some(&Era::A),
            Outcome::Wrong(_) => true,
        };
        let bad = self.outcomes.iter().filter(|((case, _), outcome)| is_bad(case, outcome));
        bad.map(|((case, view), outcome)| format!("{case} {view}: {outcome:?}")).collect()
    }
}

/// The era of a case and what came of each view.
fn outcomes(case: &Case, views: &[ViewTest]) -> (Era, Vec<(&'static str, Outcome)>) {
    let trace = Trace::open(&case.traces[0]);
    let era = trace.era();
    let tolerance = if era == Era::A { Tolerance::EXACT } else { Tolerance::DOUBLES };
    (era, views.iter().filter_map(|view| Some((view.id, outcome(&trace, case, view, era, tolerance)?))).collect())
}

/// What the plugin does that is not done again here, not even to compare: (case, views, the rule's name).
const EXPLAINED: [(&str, &[&str], &str); 1] =
    [("tl.mi300.resnet_act_checkpoint", &["operators", "operators by shape", "kernels by operator", "trees"], "device-tree")];

fn outcome(trace: &Trace, case: &Case, view: &ViewTest, era: Era, tolerance: Tolerance) -> Option<Outcome> {
    let differ = |rules: Rules| {
        let model = trace.model(rules);
        match (view.figures)(&trace.view(&model), case) {
            (_, None) => None,
            (None, Some(truth)) => Some(vec![format!("nothing to show, the truth has {} rows", truth.rows.len())]),
            (Some(ours), Some(truth)) => Some(differences(&ours, &truth, tolerance)),
        }
    };
    if differ(Rules::of(era))?.is_empty() {
        return Some(Outcome::Equal);
    }
    let as_plugin = differ(Rules::PLUGIN)?;
    if case.answer("internals").is_some_and(|t| t["steps_costs"].to_string().contains("-1.8446744073709552e")) {
        // The plugin counts a step from the end of time to its beginning.
        return Some(Outcome::ByRule(vec!["nothing-to-cut"]));
    }
    if let Some((.., rule)) = EXPLAINED.iter().find(|(name, views, _)| *name == case.name && views.contains(&view.id)) {
        return Some(Outcome::ByRule(vec![rule]));
    }
    if !as_plugin.is_empty() || era == Era::A {
        return Some(Outcome::Wrong(as_plugin));
    }
    // Which corrections change this view on their own, or are needed with the others.
    let changes = |toggle: &fn(&mut Rules)| {
        let mut rules = Rules::PLUGIN;
        toggle(&mut rules);
        differ(rules).is_some_and(|d| !d.is_empty())
    };
    let named: Vec<&'static str> = RULES.iter().filter(|(_, toggle)| changes(toggle)).map(|(name, _)| *name).collect();
    Some(Outcome::ByRule(if named.is_empty() { vec!["several together"] } else { named }))
}
