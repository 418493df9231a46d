//! What the user did to a table, as one short text that a link can carry: `-time_share,name|min_ns,max_ns|r|the filter`.
//! Columns are named by their ids, so that it still fits when columns come later or in another order.

use super::data::Column;
use super::order::{Direction, SortKeys};
use std::collections::BTreeSet;

/// Sorting, columns and filter of a table.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TableChoices {
    /// Ids of the columns it is sorted by, the most important first.
    pub sort: Vec<(String, Direction)>,
    /// Ids of columns that the user switched: hidden ones, and shown ones of those that are off at first.
    pub switched: BTreeSet<String>,
    /// Whether the filter is a regular expression.
    pub is_regex: bool,
    /// The filter as typed.
    pub filter: String,
}

impl TableChoices {
    /// As text; empty when nothing was chosen.
    pub fn to_text(&self) -> String {
        if *self == TableChoices::default() {
            return String::new();
        }
        let key = |(id, direction): &(String, Direction)| match direction {
            Direction::Descending => format!("-{}", escape(id)),
            Direction::Ascending => escape(id),
        };
        let sort: Vec<String> = self.sort.iter().map(key).collect();
        let switched: Vec<String> = self.switched.iter().map(|id| escape(id)).collect();
        format!("{}|{}|{}|{}", sort.join(","), switched.join(","), if self.is_regex { "r" } else { "" }, self.filter)
    }

    /// Reads a text; missing parts are as by default.
    pub fn from_text(text: &str) -> Self {
        let mut parts = text.splitn(4, '|');
        let mut next = || parts.next().unwrap_or_default();
        let list = |part: &str| part.split(',').filter(|id| !id.is_empty()).map(str::to_string).collect::<Vec<_>>();
        let key = |id: String| match id.strip_prefix('-') {
            Some(id) => (unescape(id), Direction::Descending),
            None => (unescape(&id), Direction::Ascending),
        };
        TableChoices {
            sort: list(next()).into_iter().map(key).collect(),
            switched: list(next()).iter().map(|id| unescape(id)).collect(),
            is_regex: next() == "r",
            filter: next().into(),
        }
    }

    /// Whether a column is shown.
    pub fn shows(&self, column: &Column) -> bool {
        self.switched.contains(&column.id) == column.is_off
    }

    /// The sort keys among these columns; what is not there sorts nothing.
    pub fn keys(&self, columns: &[Column]) -> SortKeys {
        self.sort.iter().filter_map(|(id, direction)| Some((columns.iter().position(|c| c.id == *id)?, *direction))).collect()
    }

    /// Takes sort keys over.
    pub fn set_keys(&mut self, keys: &SortKeys, columns: &[Column]) {
        self.sort = keys.iter().filter_map(|(at, direction)| Some((columns.get(*at)?.id.clone(), *direction))).collect();
    }
}

fn escape(id: &str) -> String {
    let out = id.replace('%', "%25").replace(',', "%2C").replace('|', "%7C");
    match out.strip_prefix('-') {
        Some(rest) => format!("%2D{rest}"),
        None => out,
    }
}

fn unescape(id: &str) -> String {
    id.replace("%2D", "-").replace("%7C", "|").replace("%2C", ",").replace("%25", "%")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::table::Kind;

    #[test]
    fn choices_come_back() {
        let full = TableChoices {
            sort: vec![("-a,|%2C".into(), Direction::Descending), ("name".into(), Direction::Ascending)],
            switched: BTreeSet::from(["min_ns".into(), "x|y".into()]),
            is_regex: true,
            filter: "a|b,c".into(),
        };
        for choices in [full, TableChoices::default(), TableChoices { filter: "|".into(), ..TableChoices::default() }] {
            assert_eq!(TableChoices::from_text(&choices.to_text()), choices);
        }
        assert_eq!(TableChoices::default().to_text(), "");
        let torn = TableChoices::from_text("-time");
        assert_eq!(torn.sort, [("time".to_string(), Direction::Descending)]);
    }

    #[test]
    fn sort_keys_name_columns() {
        let columns = ["a", "b"].map(|id| Column::new(id, id, Kind::Count, ""));
        let choices = TableChoices::from_text("-b,gone,a");
        assert_eq!(choices.keys(&columns), [(1, Direction::Descending), (0, Direction::Ascending)]);
        let mut again = TableChoices::default();
        again.set_keys(&choices.keys(&columns), &columns);
        assert_eq!(again.to_text(), "-b,a|||");
    }
}
