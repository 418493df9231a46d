//! The wire format of a profile's rows: each column once, because hundreds of summaries share them.

use super::{VariantCell, VariantColumn, VariantPart, VariantValue};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// The rows that a profile gives to a table.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct VariantParts(pub Vec<VariantPart>);

impl Deref for VariantParts {
    type Target = [VariantPart];

    fn deref(&self) -> &[VariantPart] {
        &self.0
    }
}

impl DerefMut for VariantParts {
    fn deref_mut(&mut self) -> &mut [VariantPart] {
        &mut self.0
    }
}

impl IntoIterator for VariantParts {
    type Item = VariantPart;
    type IntoIter = std::vec::IntoIter<VariantPart>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

/// Columns, and rows with places in them.
#[derive(Serialize, Deserialize)]
struct Wire {
    columns: Vec<VariantColumn>,
    rows: Vec<Row>,
}

#[derive(Serialize, Deserialize)]
struct Row {
    title: String,
    epoch_ns: Option<i64>,
    values: Vec<(u32, VariantCell)>,
}

impl Serialize for VariantParts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut columns: Vec<VariantColumn> = Vec::new();
        let mut places: FxHashMap<(&str, bool), u32> = FxHashMap::default();
        let mut rows = Vec::with_capacity(self.0.len());
        for part in &self.0 {
            let mut values = Vec::with_capacity(part.values.len());
            for value in &part.values {
                let at = *places.entry((value.column.id.as_str(), value.column.is_default)).or_insert_with(|| {
                    columns.push((*value.column).clone());
                    columns.len() as u32 - 1
                });
                values.push((at, value.cell.clone()));
            }
            rows.push(Row { title: part.title.clone(), epoch_ns: part.epoch_ns, values });
        }
        Wire { columns, rows }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for VariantParts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let wire = Wire::deserialize(deserializer)?;
        let columns: Vec<Arc<VariantColumn>> = wire.columns.into_iter().map(Arc::new).collect();
        let part = |row: Row| {
            let value = |(at, cell): (u32, VariantCell)| Some(VariantValue { column: columns.get(at as usize)?.clone(), cell });
            VariantPart { title: row.title, epoch_ns: row.epoch_ns, values: row.values.into_iter().filter_map(value).collect() }
        };
        Ok(VariantParts(wire.rows.into_iter().map(part).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::device::run_metrics::units::Unit;

    #[test]
    fn rows_come_back_and_share_their_columns() {
        let column = |id: &str| Arc::new(VariantColumn::new(id, id, "Summary", Unit::of(id), None));
        let part = |title: &str, ids: &[&str]| VariantPart {
            title: title.into(),
            epoch_ns: Some(5),
            values: ids.iter().map(|id| VariantValue { column: column(id), cell: VariantCell::Number(2.0) }).collect(),
        };
        let parts = VariantParts(vec![part("a", &["total_time", "x"]), part("b", &["x"])]);
        let bytes = postcard::to_allocvec(&parts).expect("bytes");
        let back: VariantParts = postcard::from_bytes(&bytes).expect("the same");
        assert_eq!(back, parts);
        assert!(Arc::ptr_eq(&back[0].values[1].column, &back[1].values[0].column));
    }
}
