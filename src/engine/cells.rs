//! Serialization of cells of generic tables: the bare value in JSON, a tagged one in postcard, which cannot represent untagged enums.

use crate::model::Cell;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[derive(Serialize, Deserialize)]
enum Tagged {
    Absent,
    Int(i64),
    Float(f64),
    Text(String),
}

impl From<&Cell> for Tagged {
    fn from(cell: &Cell) -> Self {
        match cell {
            Cell::Absent => Tagged::Absent,
            Cell::Int(v) => Tagged::Int(*v),
            Cell::Float(v) => Tagged::Float(*v),
            Cell::Text(v) => Tagged::Text(v.clone()),
        }
    }
}

impl From<Tagged> for Cell {
    fn from(cell: Tagged) -> Self {
        match cell {
            Tagged::Absent => Cell::Absent,
            Tagged::Int(v) => Cell::Int(v),
            Tagged::Float(v) => Cell::Float(v),
            Tagged::Text(v) => Cell::Text(v),
        }
    }
}

pub(super) fn serialize<S: Serializer>(rows: &[Vec<Cell>], serializer: S) -> Result<S::Ok, S::Error> {
    if serializer.is_human_readable() {
        return rows.serialize(serializer);
    }
    let rows: Vec<Vec<Tagged>> = rows.iter().map(|row| row.iter().map(Tagged::from).collect()).collect();
    rows.serialize(serializer)
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Vec<Cell>>, D::Error> {
    if deserializer.is_human_readable() {
        return Vec::deserialize(deserializer);
    }
    let rows: Vec<Vec<Tagged>> = Vec::deserialize(deserializer)?;
    Ok(rows.into_iter().map(|row| row.into_iter().map(Cell::from).collect()).collect())
}
