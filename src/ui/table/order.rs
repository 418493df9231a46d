//! Which rows are shown, and in what order: sort keys and the filter.

use super::data::{Cell, Column, Row};
use crate::base::Order as _;
use regex_lite::Regex;
use std::cmp::Ordering;

/// Which way a column is sorted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Largest first.
    Descending,
    /// Smallest first.
    Ascending,
}

/// Columns by which rows are sorted, the first the most important. Empty is the original order.
pub type SortKeys = Vec<(usize, Direction)>;

/// The keys after a click on a header: descending, ascending, none. `is_added` (Shift) keeps the other keys.
pub fn clicked(keys: &SortKeys, column: usize, is_added: bool) -> SortKeys {
    let held = keys.iter().find(|k| k.0 == column).map(|k| k.1);
    let next = match held {
        None => Some(Direction::Descending),
        Some(Direction::Descending) => Some(Direction::Ascending),
        Some(Direction::Ascending) => None,
    };
    let mut keys = if is_added { keys.clone() } else { keys.iter().copied().filter(|k| k.0 == column).collect() };
    match (keys.iter().position(|k| k.0 == column), next) {
        (Some(at), Some(direction)) => keys[at].1 = direction,
        (Some(at), None) => drop(keys.remove(at)),
        (None, Some(direction)) => keys.push((column, direction)),
        (None, None) => {}
    }
    keys
}

/// What rows must hold to be shown.
#[derive(Debug, Clone, Default)]
pub enum Filter {
    /// Everything is shown.
    #[default]
    All,
    /// A text, somewhere in a cell. Lower-case when case does not matter.
    Text(String, bool),
    /// A pattern.
    Pattern(Regex),
}

/// The filter is no pattern.
#[derive(Debug, Clone, thiserror::Error)]
#[error("Invalid regular expression, so no row is filtered: {0}.")]
pub struct FilterError(#[from] regex_lite::Error);

impl Filter {
    /// From what the user typed. Case is ignored unless an upper-case letter is in it.
    pub fn new(typed: &str, is_regex: bool) -> Result<Filter, FilterError> {
        if typed.is_empty() {
            return Ok(Filter::All);
        }
        let is_caseless = !typed.chars().any(char::is_uppercase);
        if !is_regex {
            return Ok(Filter::Text(typed.into(), is_caseless));
        }
        let pattern = if is_caseless { format!("(?i){typed}") } else { typed.into() };
        Ok(Filter::Pattern(Regex::new(&pattern)?))
    }

    fn holds_text(&self, text: &str) -> bool {
        match self {
            Filter::All => true,
            Filter::Text(wanted, true) => contains_caseless(text, wanted),
            Filter::Text(wanted, false) => text.contains(wanted.as_str()),
            Filter::Pattern(pattern) => pattern.is_match(text),
        }
    }

    /// Whether a number can match: skips formatting numbers if the filter contains letters.
    fn may_hold_figures(&self) -> bool {
        match self {
            Filter::Text(wanted, _) => wanted.chars().all(|c| c.is_ascii_digit() || ".-".contains(c)),
            _ => true,
        }
    }

    /// Whether a cell or a member of the row matches.
    pub fn matches(&self, row: &Row) -> bool {
        let figures = self.may_hold_figures();
        let in_cell = |cell: &Cell| match cell {
            Cell::Absent => false,
            Cell::Text(text) | Cell::Placeholder(text) => self.holds_text(text),
            Cell::Int(_) | Cell::Float(_) | Cell::Formatted(..) => figures && self.holds_text(&cell.raw()),
        };
        matches!(self, Filter::All) || row.cells.iter().any(in_cell) || row.members.iter().any(|m| self.holds_text(m))
    }
}

fn contains_caseless(text: &str, lower: &str) -> bool {
    if text.is_ascii() && lower.is_ascii() {
        let (text, lower) = (text.as_bytes(), lower.as_bytes());
        return text.windows(lower.len()).any(|w| w.eq_ignore_ascii_case(lower));
    }
    text.to_lowercase().contains(lower)
}

/// The rows that pass the filter, sorted: positions in `rows`. Equal rows keep their order; absent cells are last.
pub fn order(columns: &[Column], rows: &[Row], keys: &SortKeys, filter: &Filter) -> Vec<u32> {
    let mut shown: Vec<u32> = (0..rows.len() as u32).filter(|i| filter.matches(&rows[*i as usize])).collect();
    let keys: Vec<_> = keys.iter().filter(|k| k.0 < columns.len()).collect();
    if !keys.is_empty() {
        shown.order_by(|a, b| {
            let (a, b) = (&rows[*a as usize], &rows[*b as usize]);
            let by = |key: &&&(usize, Direction)| compare(a.cell(key.0), b.cell(key.0), key.1);
            keys.iter().map(|key| by(&key)).find(|o| o.is_ne()).unwrap_or(Ordering::Equal)
        });
    }
    shown
}

/// The order of two cells; absent ones are last in both directions.
pub fn compare(a: &Cell, b: &Cell, direction: Direction) -> Ordering {
    let ascending = match (a, b) {
        (Cell::Absent | Cell::Placeholder(_), Cell::Absent | Cell::Placeholder(_)) => return Ordering::Equal,
        (Cell::Absent | Cell::Placeholder(_), _) => return Ordering::Greater,
        (_, Cell::Absent | Cell::Placeholder(_)) => return Ordering::Less,
        (Cell::Int(a), Cell::Int(b)) => a.cmp(b),
        (Cell::Text(a), Cell::Text(b)) => natural(a, b),
        (Cell::Text(_), _) => Ordering::Greater,
        (_, Cell::Text(_)) => Ordering::Less,
        (a, b) => a.number().unwrap_or(f64::NAN).total_cmp(&b.number().unwrap_or(f64::NAN)),
    };
    if direction == Direction::Ascending { ascending } else { ascending.reverse() }
}

/// Text order in which `op.2` is before `op.10`, and case decides last.
pub fn natural(a: &str, b: &str) -> Ordering {
    let (mut x, mut y) = (a.as_bytes(), b.as_bytes());
    while let (Some(p), Some(q)) = (x.first(), y.first()) {
        let order = if p.is_ascii_digit() && q.is_ascii_digit() {
            let (m, n) = (digits(x), digits(y));
            let order = number(&x[..m], &y[..n]);
            (x, y) = (&x[m..], &y[n..]);
            order
        } else {
            (x, y) = (&x[1..], &y[1..]);
            p.to_ascii_lowercase().cmp(&q.to_ascii_lowercase())
        };
        if order.is_ne() {
            return order;
        }
    }
    x.len().cmp(&y.len()).then_with(|| a.cmp(b))
}

fn digits(text: &[u8]) -> usize {
    text.iter().take_while(|c| c.is_ascii_digit()).count()
}

fn number(a: &[u8], b: &[u8]) -> Ordering {
    let strip = |n: &[u8]| n.iter().take_while(|c| **c == b'0').count();
    let (a, b) = (&a[strip(a)..], &b[strip(b)..]);
    a.len().cmp(&b.len()).then_with(|| a.cmp(b))
}

#[cfg(test)]
mod tests {
    use super::super::data::Kind;
    use super::Direction::{Ascending, Descending};
    use super::*;

    fn table() -> (Vec<Column>, Vec<Row>) {
        let columns = vec![Column::new("name", "Name", Kind::Name, ""), Column::new("n", "N", Kind::Count, "")];
        let row = |name: &str, n| Row::new(vec![Cell::Text(name.into()), n]);
        let rows = vec![row("op.10", Cell::Int(3)), row("Add", Cell::Absent), row("op.2", Cell::Int(3)), row("mul", Cell::Int(40))];
        (columns, rows)
    }

    #[test]
    fn a_third_click_restores_the_order() {
        let one = clicked(&vec![], 1, false);
        let two = clicked(&one, 1, false);
        let three = clicked(&two, 1, false);
        assert_eq!((one, two, three), (vec![(1, Descending)], vec![(1, Ascending)], vec![]));
    }

    #[test]
    fn shift_adds_a_second_key() {
        let keys = clicked(&vec![(1, Descending)], 0, true);
        assert_eq!(keys, vec![(1, Descending), (0, Descending)]);
        assert_eq!(clicked(&keys, 1, true), vec![(1, Ascending), (0, Descending)]);
        assert_eq!(clicked(&keys, 0, false), vec![(0, Ascending)]);
    }

    #[test]
    fn rows_are_ordered_by_keys_and_absent_cells_stand_last() {
        let (columns, rows) = table();
        let by = |keys: &[(usize, Direction)]| order(&columns, &rows, &keys.to_vec(), &Filter::All);
        assert_eq!(by(&[]), [0, 1, 2, 3]);
        assert_eq!(by(&[(1, Descending)]), [3, 0, 2, 1]);
        assert_eq!(by(&[(1, Ascending)]), [0, 2, 3, 1]);
        assert_eq!(by(&[(1, Ascending), (0, Ascending)]), [2, 0, 3, 1]);
        assert_eq!(by(&[(0, Ascending)]), [1, 3, 2, 0]);
        assert_eq!(by(&[(9, Ascending)]), [0, 1, 2, 3]);
    }

    #[test]
    fn filters_match_text_figures_and_patterns() {
        let (columns, rows) = table();
        let by = |typed, is_regex| order(&columns, &rows, &vec![], &Filter::new(typed, is_regex).unwrap());
        assert_eq!(by("OP", false), [] as [u32; 0]);
        assert_eq!(by("op", false), [0, 2]);
        assert_eq!(by("add", false), [1]);
        assert_eq!(by("40", false), [3]);
        assert_eq!(by("^(add|mul)$", true), [1, 3]);
        assert!(Filter::new("(", true).unwrap_err().to_string().starts_with("Invalid regular expression"));
        assert!(Filter::new("(", false).is_ok());
    }

    #[test]
    fn text_order_is_natural() {
        assert_eq!(natural("a9", "a10"), Ordering::Less);
        assert_eq!(natural("a010", "a10"), Ordering::Less);
        assert_eq!(natural("a", "A"), Ordering::Greater);
        assert_eq!(natural("same", "same"), Ordering::Equal);
    }
}
