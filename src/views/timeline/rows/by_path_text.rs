//! What was done to the rows as a short text for the address: pins, moves and folds by path. Reading is tolerant.
//!
//! `^path` is pinned (from the top), `@path<other` stands behind another row (`@path<` first) although not in the file, `-path` is closed and
//! `+path` open although not at first; bars between them. `path*1` is the second row of that path.

use super::by_path::{ByPath, Key, families, keys};
use crate::base::Order as _;
use crate::views::timeline::lookup::index::Index;
use std::collections::HashMap;

/// Maximum length in a link, bytes. Collapsed rows are dropped first, then moved rows.
const ROOM: usize = 1_500;

impl ByPath {
    /// As text; empty where everything is as at first.
    pub fn to_text(&self, index: &Index) -> String {
        let mut tokens: Vec<String> = self.pinned.iter().map(|key| format!("^{}", word(key))).collect();
        tokens.extend(self.moves(index));
        let mut folds: Vec<(&Key, &bool)> = self.closed.iter().collect();
        folds.order();
        tokens.extend(folds.into_iter().map(|(key, is_closed)| format!("{}{}", if *is_closed { '-' } else { '+' }, word(key))));
        let mut out = String::new();
        for token in tokens {
            if out.len() + token.len() < ROOM {
                out.push_str(if out.is_empty() { "" } else { "|" });
                out.push_str(&token);
            }
        }
        out
    }

    /// The least rows that have to go elsewhere to come from the order of the file to that of the user, from the top.
    fn moves(&self, index: &Index) -> Vec<String> {
        if self.order.is_empty() {
            return Vec::new();
        }
        let keys = keys(index);
        let mut out = Vec::new();
        for (group, rows) in families(index) {
            let Some(order) = self.order.get(&group.map(|g| keys[g].clone())) else { continue };
            let place: HashMap<&Key, usize> = rows.iter().enumerate().map(|(i, t)| (&keys[t.index()], i)).collect();
            let here: Vec<(&Key, usize)> = order.iter().filter_map(|key| Some((key, *place.get(key)?))).collect();
            let stays = longest_rise(&here.iter().map(|h| h.1).collect::<Vec<_>>());
            for (i, (key, _)) in here.iter().enumerate().filter(|(i, _)| !stays[*i]) {
                let before = i.checked_sub(1).map(|i| word(here[i].0)).unwrap_or_default();
                out.push(format!("@{}<{before}", word(key)));
            }
        }
        out
    }

    /// Reads a text. Unknown rows are kept because they may appear later, except in moves; unreadable parts are skipped.
    pub fn from_text(text: &str, index: &Index) -> Self {
        let mut out = ByPath::default();
        let mut moves: Vec<(Key, Option<Key>)> = Vec::new();
        for token in text.split('|') {
            let mut chars = token.chars();
            let (kind, rest) = (chars.next(), chars.as_str());
            match kind {
                Some('^') => out.pinned.extend(key(rest)),
                Some('-' | '+') => out.closed.extend(key(rest).map(|k| (k, kind == Some('-')))),
                Some('@') => moves.extend(rest.split_once('<').and_then(|(row, before)| Some((key(row)?, key(before))))),
                _ => {}
            }
        }
        if !moves.is_empty() {
            out.take_moves(&moves, index);
        }
        out
    }

    fn take_moves(&mut self, moves: &[(Key, Option<Key>)], index: &Index) {
        let keys = keys(index);
        let moved: HashMap<&Key, &Option<Key>> = moves.iter().map(|m| (&m.0, &m.1)).collect();
        for (group, rows) in families(index) {
            let natural: Vec<&Key> = rows.iter().map(|t| &keys[t.index()]).collect();
            let mut order: Vec<Key> = natural.iter().filter(|key| !moved.contains_key(*key)).map(|key| (*key).clone()).collect();
            if order.len() == natural.len() {
                continue;
            }
            for (row, before) in moves.iter().filter(|m| natural.contains(&&m.0)) {
                let behind = before.as_ref().and_then(|b| order.iter().position(|k| k == b)).map_or(0, |at| at + 1);
                if !order.contains(row) {
                    order.insert(behind, row.clone());
                }
            }
            self.order.insert(group.map(|g| keys[g].clone()), order);
        }
    }
}

/// Which elements of a list of distinct numbers are in one of its longest rising parts.
fn longest_rise(list: &[usize]) -> Vec<bool> {
    // Indexed by length: where the rise of that length with the smallest end ends.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(list.len());
    for (i, &value) in list.iter().enumerate() {
        let length = ends.partition_point(|&e| list[e] < value);
        before.push(length.checked_sub(1).map(|l| ends[l]));
        if length == ends.len() { ends.push(i) } else { ends[length] = i }
    }
    let mut out = vec![false; list.len()];
    let mut at = ends.last().copied();
    while let Some(i) = at {
        out[i] = true;
        at = before[i];
    }
    out
}

/// The path with what separates escaped.
fn word((path, n): &Key) -> String {
    let mut out = String::with_capacity(path.len());
    for c in path.chars() {
        match c {
            '%' | '|' | '*' | '<' => out.push_str(&format!("%{:02X}", u32::from(c))),
            c => out.push(c),
        }
    }
    if *n > 0 { format!("{out}*{n}") } else { out }
}

/// Undoes [`word`]; `None` for an empty path.
fn key(word: &str) -> Option<Key> {
    let (path, n) = word.rsplit_once('*').map_or(Some((word, 0)), |(path, n)| Some((path, n.parse().ok()?)))?;
    let path = path.replace("%7C", "|").replace("%2A", "*").replace("%3C", "<").replace("%25", "%");
    (!path.is_empty()).then_some((path, n))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::TrackId;
    use crate::engine::page_columns::PageColumns;
    use crate::views::timeline::lookup::sample::{sample, with_rows};
    use crate::views::timeline::rows::folding::Folding;
    use crate::views::timeline::rows::layout::rows;

    fn seen(columns: &PageColumns, index: &Index, folding: &Folding) -> Vec<u32> {
        let rows = rows(columns, index, folding);
        rows.pinned.iter().chain(&rows.rows).map(|r| r.track.0).collect()
    }

    #[test]
    fn rows_come_back_from_the_text() {
        let columns = with_rows(&["a", "b|*<%", "c", "a", "e"]);
        let index = Index::new(&columns);
        let mut f = Folding::at_first(&columns);
        assert_eq!(ByPath::of(&f, &index, &columns).to_text(&index), "");
        f.move_to(&index, &columns, TrackId(8), TrackId(5));
        f.move_to(&index, &columns, TrackId(6), TrackId(9));
        f.toggle(TrackId(1));
        f.toggle_pin(TrackId(3));
        f.toggle_pin(TrackId(7));
        let text = ByPath::of(&f, &index, &columns).to_text(&index);
        assert_eq!(text, "^host / memory|^device / c|@device / a*1<|@device / b%7C%2A%3C%25<device / e|-host / main");
        let back = ByPath::from_text(&text, &index).rows(&index, &columns, Default::default());
        assert_eq!((seen(&columns, &index, &back), back.closed), (seen(&columns, &index, &f), f.closed.clone()));
        // And once more the same text.
        let back = ByPath::from_text(&text, &index).rows(&index, &columns, Default::default());
        assert_eq!(ByPath::of(&back, &index, &columns).to_text(&index), text);
    }

    #[test]
    fn what_is_not_understood_changes_nothing() {
        let columns = sample();
        let index = Index::new(&columns);
        let first = seen(&columns, &index, &Folding::at_first(&columns));
        for text in ["", "|||", "^", "@", "@x", "@host / main<host / main", "?y", "^gone|-gone*x", "@gone<host", "\u{fe0f}"] {
            let got = ByPath::from_text(text, &index).rows(&index, &columns, Default::default());
            let mut got = seen(&columns, &index, &got);
            got.sort_unstable();
            let mut wanted = first.clone();
            wanted.sort_unstable();
            assert_eq!(got, wanted, "{text}");
        }
    }

    #[test]
    fn a_long_text_is_cut_at_whole_rows() {
        let names: Vec<String> = (0..200).map(|i| format!("row number {i}")).collect();
        let columns = with_rows(&names.iter().map(String::as_str).collect::<Vec<_>>());
        let index = Index::new(&columns);
        let mut f = Folding::at_first(&columns);
        (5..205).for_each(|t| f.toggle(TrackId(t)));
        f.toggle_pin(TrackId(204));
        let text = ByPath::of(&f, &index, &columns).to_text(&index);
        assert!(text.len() <= ROOM && text.starts_with("^device / row number 199|"));
        let back = ByPath::from_text(&text, &index).rows(&index, &columns, Default::default());
        assert_eq!((back.pinned, back.closed.len()), (vec![TrackId(204)], text.split('|').count() - 1));
    }

    #[test]
    fn few_rows_are_moved() {
        let check = |list: &[usize], n: usize| assert_eq!(longest_rise(list).iter().filter(|s| !**s).count(), n, "{list:?}");
        check(&[], 0);
        check(&[0, 1, 2, 3], 0);
        check(&[3, 0, 1, 2], 1);
        check(&[3, 2, 1, 0], 3);
        check(&[1, 2, 0, 4, 3], 2);
    }
}
