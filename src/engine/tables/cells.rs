//! Values out of generic tables, and which physical core a row belongs to.

use super::{Kind, Values};
use crate::base::TrackId;
use crate::model::{Cell, GenericTable, Profile};

/// The physical core of each track, as the schema counts them within a logical core: 0 and 1 of a pair.
pub(super) struct Cores(Vec<Option<i64>>);

impl Cores {
    /// Finds the core of every track.
    pub fn of(profile: &Profile) -> Cores {
        let mut out: Vec<Option<i64>> = Vec::with_capacity(profile.tracks.len());
        for (at, track) in profile.tracks.iter().enumerate() {
            // A parent is before its children.
            let core = match track.parent.filter(|p| p.index() < at) {
                Some(parent) => out[parent.index()],
                None => named(profile, profile.strings.get(track.name)),
            };
            out.push(core);
        }
        Cores(out)
    }

    /// Core of a track; `None` if the profile does not number its cores.
    pub fn get(&self, track: TrackId) -> Option<i64> {
        self.0.get(track.index()).copied().flatten()
    }
}

/// `sg01` → 1.
pub(super) fn subgraph(name: &str) -> Option<i64> {
    name.trim_start_matches('/').strip_prefix("sg")?.parse().ok()
}

/// The core in the name of a top-level track: `sg01`, `NC 5`, or `NC 5 sg01` if two run on one core.
fn named(profile: &Profile, name: &str) -> Option<i64> {
    if let Some(core) = name.split(' ').next_back().and_then(subgraph) {
        return Some(core);
    }
    let nc: i64 = name.strip_prefix("NC ")?.parse().ok()?;
    let first = profile.tables.iter().find(|t| t.id == "Metadata").and_then(|t| int(&cell(t, 0, "neuroncore_idx")));
    let models = profile.tables.iter().find(|t| t.id == "model_info");
    let row = |t: &GenericTable| (0..t.rows.len()).find(|row| int(&cell(t, *row, "nc_idx")) == Some(nc));
    let of_model = models.and_then(|t| subgraph(&text(&cell(t, row(t)?, "sg_name"))?));
    of_model.or_else(|| nc.checked_sub(first?))
}

/// The cell of a row and column; absent where there is none.
pub(super) fn cell(table: &GenericTable, row: usize, column: &str) -> Cell {
    let at = table.columns.iter().position(|c| c == column);
    at.and_then(|at| table.rows.get(row)?.get(at)).cloned().unwrap_or(Cell::Absent)
}

/// A whole number; also one that is written as text or with a fraction of 0.
pub(super) fn int(cell: &Cell) -> Option<i64> {
    match cell {
        Cell::Int(n) => Some(*n),
        Cell::Float(n) => (n.fract() == 0.0 && n.abs() < 9e15).then_some(*n as i64),
        Cell::Text(text) => text.trim().parse().ok(),
        Cell::Absent => None,
    }
}

/// A finite number.
pub(super) fn float(cell: &Cell) -> Option<f64> {
    let value = match cell {
        Cell::Int(n) => Some(*n as f64),
        Cell::Float(n) => Some(*n),
        Cell::Text(text) => text.trim().parse().ok(),
        Cell::Absent => None,
    };
    value.filter(|v| v.is_finite())
}

/// A text that is not empty.
pub(super) fn text(cell: &Cell) -> Option<String> {
    match cell {
        Cell::Text(text) => (!text.is_empty()).then(|| text.clone()),
        Cell::Int(n) => Some(n.to_string()),
        Cell::Float(n) => Some(n.to_string()),
        Cell::Absent => None,
    }
}

/// A yes or no, in the words that profilers write.
pub(super) fn flag(cell: &Cell) -> Option<bool> {
    match text(cell)?.as_str() {
        "true" | "yes" | "1" => Some(true),
        "false" | "no" | "0" => Some(false),
        _ => None,
    }
}

/// Cells as values of a type.
pub(super) fn values(kind: Kind, cells: impl Iterator<Item = Cell>) -> Values {
    match kind {
        Kind::Int64 => Values::Ints(cells.map(|c| int(&c)).collect()),
        Kind::Int32 => Values::Ints(cells.map(|c| int(&c).filter(|n| i32::try_from(*n).is_ok())).collect()),
        Kind::Float | Kind::Double => Values::Floats(cells.map(|c| float(&c)).collect()),
        Kind::Flag => Values::Flags(cells.map(|c| flag(&c)).collect()),
        Kind::Text => Values::Texts(cells.map(|c| text(&c)).collect()),
    }
}

/// Texts that were read back from a file as values of a type; an empty one is not recorded.
pub(super) fn read_back(kind: Kind, texts: impl Iterator<Item = String>) -> Values {
    values(kind, texts.map(|text| if text.is_empty() { Cell::Absent } else { Cell::Text(text) }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_values_or_absent() {
        let cells = || [Cell::Int(3), Cell::Float(2.5), Cell::Text("7".into()), Cell::Text(String::new()), Cell::Absent].into_iter();
        assert_eq!(values(Kind::Int64, cells()), Values::Ints(vec![Some(3), None, Some(7), None, None]));
        assert_eq!(values(Kind::Float, cells()), Values::Floats(vec![Some(3.0), Some(2.5), Some(7.0), None, None]));
        let texts = ["3", "2.5", "7"].map(|t| Some(t.to_string()));
        assert_eq!(values(Kind::Text, cells()), Values::Texts([&texts[..], &[None, None]].concat()));
        let flags = [Cell::Text("yes".into()), Cell::Text("false".into()), Cell::Int(1), Cell::Absent];
        assert_eq!(values(Kind::Flag, flags.into_iter()), Values::Flags(vec![Some(true), Some(false), Some(true), None]));
        assert_eq!(values(Kind::Int32, [Cell::Int(1 << 40)].into_iter()), Values::Ints(vec![None]));
    }

    #[test]
    fn subgraphs_are_numbered() {
        assert_eq!([subgraph("sg01"), subgraph("/sg00"), subgraph("sg"), subgraph("NC 4")], [Some(1), Some(0), None, None]);
    }
}
