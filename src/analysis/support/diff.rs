//! Two reports side by side: what became supported, what no longer is.

use super::{Support, SupportRow};
use crate::base::Order as _;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// Two reports compared; "before" is the first.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SupportDiff {
    /// Stated percentage of the first report, 0 to 100.
    pub before_percentage: Option<f64>,
    /// Stated percentage of the second report.
    pub after_percentage: Option<f64>,
    /// Percentage points between them.
    pub delta_percentage: Option<f64>,
    /// Compiler versions: first, second.
    pub compilers: (Option<String>, Option<String>),
    /// Versions of torch_neuronx: first, second.
    pub frameworks: (Option<String>, Option<String>),
    /// Every operator of either report: changed ones first, by kind of change, then by name.
    pub rows: Vec<ChangeRow>,
    /// Operators per kind of change that occurs.
    pub totals: Vec<(Change, u64)>,
}

/// How the support of an operator changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// Failed before, works now wherever it is called.
    BecameSupported,
    /// Worked everywhere before, fails now.
    BecameUnsupported,
    /// Fails in fewer calls.
    FewerFailures,
    /// Fails in more calls.
    MoreFailures,
    /// Only the second report has it.
    OnlyAfter,
    /// Only the first report has it.
    OnlyBefore,
    /// As before.
    Same,
}

/// One operator in both reports.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChangeRow {
    /// `aten::mul`.
    pub name: String,
    /// What changed.
    pub change: Change,
    /// Supported occurrences: first, second report.
    pub supported: (Option<u64>, Option<u64>),
    /// Failed calls: first, second report; `None` where the report does not have the operator.
    pub unsupported: (Option<u64>, Option<u64>),
}

/// Compares two reports.
pub fn diff(before: &Support, after: &Support) -> SupportDiff {
    let index = |s: &Support| s.operators.iter().map(|r| (r.name.clone(), r.clone())).collect::<FxHashMap<String, SupportRow>>();
    let (mut old, new) = (index(before), index(after));
    let mut rows: Vec<ChangeRow> = new.into_iter().map(|(name, row)| change_row(old.remove(&name), Some(row), name)).collect();
    rows.extend(old.into_iter().map(|(name, row)| change_row(Some(row), None, name)));
    rows.order_by(|a, b| (a.change, &a.name).cmp(&(b.change, &b.name)));
    let mut totals: Vec<(Change, u64)> = Vec::new();
    for row in &rows {
        match totals.last_mut() {
            Some(last) if last.0 == row.change => last.1 += 1,
            _ => totals.push((row.change, 1)),
        }
    }
    SupportDiff {
        before_percentage: before.support_percentage,
        after_percentage: after.support_percentage,
        delta_percentage: after.support_percentage.zip(before.support_percentage).map(|(a, b)| a - b),
        compilers: (before.neuronx_cc_version.clone(), after.neuronx_cc_version.clone()),
        frameworks: (before.torch_neuronx_version.clone(), after.torch_neuronx_version.clone()),
        rows,
        totals,
    }
}

fn change_row(old: Option<SupportRow>, new: Option<SupportRow>, name: String) -> ChangeRow {
    let change = match (&old, &new) {
        (None, _) => Change::OnlyAfter,
        (_, None) => Change::OnlyBefore,
        (Some(a), Some(b)) => match (a.unsupported, b.unsupported) {
            (0, 0) => Change::Same,
            (0, _) => Change::BecameUnsupported,
            (_, 0) => Change::BecameSupported,
            (a, b) if b < a => Change::FewerFailures,
            (a, b) if b > a => Change::MoreFailures,
            _ => Change::Same,
        },
    };
    let (old, new) = (old.as_ref(), new.as_ref());
    ChangeRow {
        name,
        change,
        supported: (old.and_then(|r| r.supported), new.and_then(|r| r.supported)),
        unsupported: (old.map(|r| r.unsupported), new.map(|r| r.unsupported)),
    }
}
