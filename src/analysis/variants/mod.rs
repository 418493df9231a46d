//! Any number of profiles side by side: one row for each, columns of metrics, bounds and parts.
//!
//! Each worker gives the values of its profile; the table is a pure function of them.

pub mod device;
pub mod names;
pub mod serving;
pub mod steps;
pub mod table;
pub mod text;
mod wire;

pub use wire::VariantParts;

use super::device::run_metrics::units::{Better, Unit};
use crate::base::Order as _;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The values of one profile, or of one of several summaries in a file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct VariantPart {
    /// Title of the row.
    pub title: String,
    /// Start of the profile, nanoseconds since 1970, where recorded: the order of a trend.
    pub epoch_ns: Option<i64>,
    /// Values, each id once.
    pub values: Vec<VariantValue>,
}

/// One value of a profile.
#[derive(Debug, Clone, PartialEq)]
pub struct VariantValue {
    /// What it is, by a name that all profiles of a kind share.
    pub column: Arc<VariantColumn>,
    /// The value.
    pub cell: VariantCell,
}

/// A column.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VariantColumn {
    /// `total_time`, `nc0.part.dma`, `category.kernel`: as `--columns` names it.
    pub id: String,
    /// Header.
    pub label: String,
    /// Heading in the list of columns: `Summary`, `Parts`, `Bounds`, `Categories`, `Operators`.
    pub group: String,
    /// What numbers are measured in.
    pub unit: Unit,
    /// Which way is better; `None` where that depends.
    pub better: Option<Better>,
    /// Whether it is shown unless columns are chosen.
    pub is_default: bool,
}

/// A value. Numbers that are not finite are not recorded values.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub enum VariantCell {
    /// Not recorded.
    #[default]
    Absent,
    /// A number.
    Number(f64),
    /// A text, such as a version.
    Text(String),
}

impl VariantCell {
    /// The number, when it is a finite one.
    pub fn number(&self) -> Option<f64> {
        match self {
            VariantCell::Number(v) => Some(*v).filter(|v| v.is_finite()),
            _ => None,
        }
    }
}

impl VariantPart {
    /// Adds a value; what is not recorded, or not a finite number, is omitted.
    fn put(&mut self, column: impl Into<Arc<VariantColumn>>, cell: VariantCell) {
        let is_recorded = match &cell {
            VariantCell::Absent => false,
            VariantCell::Number(v) => v.is_finite(),
            VariantCell::Text(text) => !text.is_empty(),
        };
        if is_recorded {
            self.values.push(VariantValue { column: column.into(), cell });
        }
    }
}

impl VariantColumn {
    /// A column that is shown only when it is chosen.
    fn new(id: &str, label: &str, group: &str, unit: Unit, better: Option<Better>) -> Self {
        VariantColumn { id: id.into(), label: label.into(), group: group.into(), unit, better, is_default: false }
    }

    /// The same, shown unless columns are chosen.
    fn shown(self) -> Self {
        VariantColumn { is_default: true, ..self }
    }
}

/// All profiles in one table.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Variants {
    /// Columns with a value of at least one profile.
    pub columns: Vec<VariantColumn>,
    /// Profiles in the order given.
    pub rows: Vec<VariantRow>,
}

/// One profile.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct VariantRow {
    /// Title; equal ones are numbered.
    pub title: String,
    /// Parts of the title.
    pub name: names::NameParts,
    /// Start of the profile, where recorded.
    pub epoch_ns: Option<i64>,
    /// A cell for each column.
    pub cells: Vec<VariantCell>,
}

/// The table of these profiles: columns in the order first seen, by group.
pub fn variants(parts: &[VariantPart]) -> Variants {
    let mut out = Variants::default();
    let mut places: FxHashMap<&str, usize> = FxHashMap::default();
    let mut groups: Vec<&str> = Vec::new();
    for value in parts.iter().flat_map(|p| &p.values) {
        if !groups.contains(&value.column.group.as_str()) {
            groups.push(&value.column.group);
        }
        match places.get(value.column.id.as_str()) {
            Some(&at) => out.columns[at].is_default |= value.column.is_default,
            None => {
                places.insert(&value.column.id, out.columns.len());
                out.columns.push((*value.column).clone());
            }
        }
    }
    let rank = |c: &VariantColumn| groups.iter().position(|g| *g == c.group);
    let mut order: Vec<usize> = (0..out.columns.len()).collect();
    order.order_by(|a, b| (rank(&out.columns[*a]), a).cmp(&(rank(&out.columns[*b]), b)));
    let mut new_place = vec![0; order.len()];
    order.iter().enumerate().for_each(|(to, from)| new_place[*from] = to);
    out.columns = order.iter().map(|at| out.columns[*at].clone()).collect();
    let titles = numbered(parts);
    for (part, title) in parts.iter().zip(titles) {
        let mut cells = vec![VariantCell::Absent; out.columns.len()];
        for value in &part.values {
            if let Some(at) = places.get(value.column.id.as_str()) {
                cells[new_place[*at]] = value.cell.clone();
            }
        }
        out.rows.push(VariantRow { name: names::parts(&title), title, epoch_ns: part.epoch_ns, cells });
    }
    out
}

/// Titles; those that occur more than once have a number.
fn numbered(parts: &[VariantPart]) -> Vec<String> {
    let mut seen: FxHashMap<&str, (usize, usize)> = FxHashMap::default();
    parts.iter().for_each(|p| seen.entry(&p.title).or_default().0 += 1);
    let title = |part: &VariantPart| match seen.get_mut(part.title.as_str()) {
        Some((n, at)) if *n > 1 => {
            *at += 1;
            format!("{} ({at})", part.title)
        }
        _ => part.title.clone(),
    };
    parts.iter().map(title).collect()
}

/// A name that is not that of one profile.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// No profile has it.
    #[error("Expected the name of a profile, found `{name}`; profiles: {titles}.")]
    None {
        /// The name.
        name: String,
        /// The first profiles.
        titles: String,
    },
    /// More than one has it.
    #[error("Expected a name of one profile, found `{name}`, which {n} profiles have.")]
    Several {
        /// The name.
        name: String,
        /// Profiles.
        n: usize,
    },
}

impl Variants {
    /// Place of the column of that id.
    pub fn column(&self, id: &str) -> Option<usize> {
        self.columns.iter().position(|c| c.id == id)
    }

    /// Columns to show: those of `ids` that exist, in their order; without any the defaults, and without defaults the first ones.
    pub fn chosen(&self, ids: &[String]) -> Vec<usize> {
        let found: Vec<usize> = ids.iter().filter_map(|id| self.column(id)).collect();
        if !found.is_empty() {
            return found;
        }
        let defaults: Vec<usize> = (0..self.columns.len()).filter(|c| self.columns[*c].is_default).collect();
        if defaults.is_empty() { (0..self.columns.len().min(12)).collect() } else { defaults }
    }

    /// The row that `name` names: its whole title, or the only title with that in it.
    pub fn row(&self, name: &str) -> Result<usize, NameError> {
        if let Some(at) = self.rows.iter().position(|r| r.title == name) {
            return Ok(at);
        }
        let with: Vec<usize> = (0..self.rows.len()).filter(|r| self.rows[*r].title.contains(name)).collect();
        match with.as_slice() {
            [at] => Ok(*at),
            [] => Err(NameError::None { name: name.into(), titles: self.titles() }),
            _ => Err(NameError::Several { name: name.into(), n: with.len() }),
        }
    }

    fn titles(&self) -> String {
        const MOST: usize = 20;
        let first: Vec<&str> = self.rows.iter().take(MOST).map(|r| r.title.as_str()).collect();
        let more = if self.rows.len() > MOST { ", …" } else { "" };
        format!("{}{more}", first.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(title: &str, values: &[(&str, f64)]) -> VariantPart {
        let mut out = VariantPart { title: title.into(), ..VariantPart::default() };
        for (id, value) in values {
            let column = VariantColumn::new(id, id, "Summary", Unit::of(id), Better::of(id));
            out.put(if *id == "total_time" { column.shown() } else { column }, VariantCell::Number(*value));
        }
        out
    }

    #[test]
    fn columns_are_those_of_any_profile() {
        let found = variants(&[part("a", &[("total_time", 2.0), ("nan", f64::NAN)]), part("b", &[("x_count", 3.0), ("total_time", 1.0)])]);
        let ids: Vec<&str> = found.columns.iter().map(|c| c.id.as_str()).collect();
        assert_eq!(ids, ["total_time", "x_count"]);
        assert_eq!(found.rows[0].cells, [VariantCell::Number(2.0), VariantCell::Absent]);
        assert_eq!((found.chosen(&[]), found.chosen(&["x_count".into(), "no".into()])), (vec![0], vec![1]));
        assert_eq!(variants(&[]), Variants::default());
    }

    #[test]
    fn the_same_profile_twice_has_two_titles() {
        let same = part("run", &[("total_time", 2.0)]);
        let found = variants(&[same.clone(), part("other", &[]), same]);
        assert_eq!(found.rows.iter().map(|r| r.title.as_str()).collect::<Vec<_>>(), ["run (1)", "other", "run (2)"]);
        assert_eq!((found.row("run (2)"), found.row("oth")), (Ok(2), Ok(1)));
        assert!(
            found.row("run").is_err_and(|e| e.to_string().contains("2 profiles"))
                && found.row("x").is_err_and(|e| e.to_string().contains("run (1), other"))
        );
    }
}
