//! Advice on a device profile. Each rule fires, does not fire, or names the missing data.
//!
//! The numbers of the rules and their thresholds follow AWS's documentation where it states one; `how` says where a threshold is ours.

mod bounds;
mod capture;
mod case;
mod collectives;
mod dma;
mod instructions;
mod shapes;
mod throttle;
mod volume;
mod waits;

use crate::analysis::device::run_metrics::summary::{Summary, summary};
use crate::analysis::device::waiting::run_waits::RunWaits;
use crate::base::Order as _;
use crate::base::{DurationNs, SliceId, TimeRange, text};
use crate::model::{Cell, GenericTable, Profile};
use case::Case;
use serde::{Deserialize, Serialize};

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Look here first.
    Critical,
    /// Costs time.
    Warning,
    /// Good to know.
    Info,
}

/// A place in the timeline.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Location {
    /// What is there.
    pub label: String,
    /// Start and end.
    pub range: TimeRange,
    /// The slice to select.
    pub slice: Option<SliceId>,
}

/// A rule that fired.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// Id of the rule: `R20`, `capture a`.
    pub id: String,
    /// What was found.
    pub title: String,
    /// How bad it is.
    pub severity: Severity,
    /// Time that could be won; `None` where that cannot be determined.
    pub cost: Option<DurationNs>,
    /// Values: (what, how much).
    pub evidence: Vec<(String, String)>,
    /// Where to look.
    pub places: Vec<Location>,
    /// Why it costs time.
    pub why: String,
    /// What to do.
    pub action: String,
    /// Threshold and formula.
    pub how: String,
}

/// A rule that could not be judged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unjudged {
    /// Id of the rule.
    pub id: String,
    /// What it looks for.
    pub rule: String,
    /// What the file lacks.
    pub missing: String,
}

/// A warning that the profiler wrote.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileWarning {
    /// As in the file.
    pub category: String,
    /// As in the file.
    pub message: String,
    /// What it means for what is shown here; may be empty.
    pub meaning: String,
}

/// All advice on a profile.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Advice {
    /// Costliest first; those without a cost by severity.
    pub findings: Vec<Finding>,
    /// Rules that looked and found nothing.
    pub quiet: Vec<(String, String)>,
    /// Rules that could not look.
    pub unjudged: Vec<Unjudged>,
    /// The file's own warnings.
    pub warnings: Vec<FileWarning>,
}

/// Places that a finding points at.
const MOST_PLACES: usize = 5;

impl Finding {
    fn new(severity: Severity, title: impl Into<String>) -> Self {
        Finding {
            id: String::new(),
            title: title.into(),
            severity,
            cost: None,
            evidence: Vec::new(),
            places: Vec::new(),
            why: String::new(),
            action: String::new(),
            how: String::new(),
        }
    }

    fn cost(self, ns: f64) -> Self {
        let ns = ns.round();
        Finding { cost: (ns.is_finite() && ns >= 1.0).then_some(DurationNs(ns as i64)), ..self }
    }

    fn says(mut self, what: &str, value: impl Into<String>) -> Self {
        self.evidence.push((what.into(), value.into()));
        self
    }

    fn at(mut self, places: impl IntoIterator<Item = Location>) -> Self {
        self.places.extend(places.into_iter().take(MOST_PLACES));
        self
    }

    fn because(self, why: &str, action: &str, how: &str) -> Self {
        Finding { why: why.into(), action: action.into(), how: how.into(), ..self }
    }
}

/// Result of a rule.
enum Verdict {
    Fires(Box<Finding>),
    Quiet,
    /// What the file lacks.
    Missing(&'static str),
}

impl Verdict {
    fn when(is_so: bool, finding: impl FnOnce() -> Finding) -> Self {
        if is_so { Verdict::Fires(Box::new(finding())) } else { Verdict::Quiet }
    }
}

/// Collects verdicts.
struct Out<'a> {
    advice: &'a mut Advice,
}

impl Out<'_> {
    fn rule(&mut self, id: &str, rule: &str, verdict: Verdict) {
        match verdict {
            Verdict::Fires(finding) => self.advice.findings.push(Finding { id: id.into(), ..*finding }),
            Verdict::Quiet => self.advice.quiet.push((id.into(), rule.into())),
            Verdict::Missing(missing) => {
                self.advice.unjudged.push(Unjudged { id: id.into(), rule: rule.into(), missing: missing.into() });
            }
        }
    }
}

/// Answers about the entire run that the rules look at.
#[derive(Clone, Copy)]
pub struct Known<'a> {
    /// Its metrics.
    pub summary: &'a Summary,
    /// Its idle time and critical path: computed if they are not yet.
    pub waits: &'a RunWaits,
}

/// All findings of a profile.
pub fn advice(profile: &Profile) -> Advice {
    advice_of(profile, None, Known { summary: &summary(profile, None), waits: &RunWaits::default() })
}

/// The same. `info` replaces the table of tensors if the profile has it only in the file.
pub fn advice_of(profile: &Profile, info: Option<&GenericTable>, known: Known<'_>) -> Advice {
    let mut advice = Advice::default();
    let case = Case::of(profile, info, known);
    let mut out = Out { advice: &mut advice };
    for judge in [
        bounds::judge,
        volume::judge,
        waits::judge,
        instructions::judge,
        shapes::judge,
        dma::judge,
        collectives::judge,
        throttle::judge,
        capture::judge,
    ] {
        judge(&case, &mut out);
    }
    advice.warnings = capture::warnings(profile);
    advice.findings.order_by_key(|f| (std::cmp::Reverse(f.cost), f.severity));
    advice
}

fn percent(share: f64) -> String {
    text::percent(share)
}

fn nanoseconds(ns: f64) -> String {
    text::duration(DurationNs(ns.round() as i64))
}

fn bytes(n: f64) -> String {
    text::bytes(n.max(0.0) as u64)
}

/// Bytes per second in the unit of the metadata and of the roof.
fn rate(bytes_per_second: f64) -> String {
    format!("{} GB/s", text::three_digits(bytes_per_second / 1e9))
}

/// Texts of a column, with the rows they are in.
fn texts<'t>(table: &'t GenericTable, column: &str) -> Vec<&'t str> {
    let Some(at) = table.columns.iter().position(|c| c == column) else { return Vec::new() };
    let cell = |row: &'t Vec<Cell>| match row.get(at) {
        Some(Cell::Text(text)) => text.as_str(),
        _ => "",
    };
    table.rows.iter().map(cell).collect()
}
