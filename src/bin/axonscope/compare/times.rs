//! Times of both profiles as a table, with what got slower than allowed.

use crate::text_table::TextTable;
use axonscope::analysis::explain::slower::{SlowerRow, Verdict};
use axonscope::base::{DurationNs, text};
use serde_json::{Value, json};

/// Rows of a group at most, beside those that are too slow.
const MOST_ROWS: usize = 20;

/// The rows of a comparison.
pub struct Times {
    /// Totals, then lists.
    pub rows: Vec<SlowerRow>,
    /// Allowed growth as a share; `None` where nothing is checked.
    pub limit: Option<f64>,
}

impl Times {
    /// Rows that are slower than allowed.
    pub fn too_slow(&self) -> impl Iterator<Item = &SlowerRow> {
        self.rows.iter().filter(|r| self.limit.is_some() && r.verdict == Verdict::TooSlow)
    }

    /// The table, and how many rows it lacks.
    pub fn table(&self) -> (TextTable, usize) {
        let header = ["", "Name", "Base", "Run", "Change", "", "Spread", "Result"].map(String::from).to_vec();
        let is_right = vec![false, false, true, true, true, true, true, false];
        let mut table = TextTable { header, rows: Vec::new(), is_right };
        let (mut group, mut n_of_group, mut n_more) = ("", 0, 0);
        for row in &self.rows {
            if row.group != group {
                (group, n_of_group) = (&row.group, 0);
            }
            n_of_group += 1;
            let is_too_slow = self.limit.is_some() && row.verdict == Verdict::TooSlow;
            if n_of_group > MOST_ROWS && !is_too_slow {
                n_more += 1;
                continue;
            }
            let time = |ns: Option<i64>| ns.map_or("–".into(), |ns| text::duration(DurationNs(ns)));
            let sign = if row.delta() > 0 { "+" } else { "" };
            table.rows.push(vec![
                row.group.clone(),
                row.name.clone(),
                time(row.base),
                time(row.run),
                format!("{sign}{}", time(Some(row.delta()))),
                row.share().map_or("–".into(), |share| format!("{sign}{}", text::percent(share))),
                time(row.spread_ns.map(|ns| ns.round() as i64)),
                self.result(row).into(),
            ]);
        }
        (table, n_more)
    }

    fn result(&self, row: &SlowerRow) -> &'static str {
        match row.verdict {
            Verdict::New => "new",
            Verdict::Gone => "gone",
            Verdict::TooSlow if self.limit.is_some() => "slower than allowed",
            _ if row.delta() != 0 && row.is_noise() => "within spread",
            _ => "",
        }
    }

    /// One sentence on the check; nothing where nothing is checked.
    pub fn sentence(&self) -> Option<String> {
        let limit = text::percent(self.limit?);
        let names: Vec<&str> = self.too_slow().map(|r| r.name.as_str()).collect();
        Some(match names.as_slice() {
            [] => format!("Nothing is more than {limit} slower than the base."),
            some => format!("More than {limit} slower than the base: {}.", text::brief(&some.join(", "))),
        })
    }

    /// Rows as JSON.
    pub fn value(&self) -> Value {
        let row = |r: &SlowerRow| {
            json!({
                "group": r.group, "name": r.name, "base_ns": r.base, "run_ns": r.run, "delta_ns": r.delta(), "share": r.share(),
                "spread_ns": r.spread_ns, "is_within_spread": r.is_noise(), "is_too_slow": self.limit.map(|_| r.verdict == Verdict::TooSlow),
            })
        };
        Value::Array(self.rows.iter().map(row).collect())
    }
}
