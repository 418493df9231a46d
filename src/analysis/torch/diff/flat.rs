//! Two traces operator by operator, or kernel by kernel, whatever their trees.

use super::align::sort;
use super::{DiffFigures, DiffPart, FlatBy, FlatDiff, FlatSum, OperatorDiff};
use rustc_hash::FxHashMap;

/// The base beside `experiment`.
pub fn flat_diff(base: &DiffPart, experiment: &DiffPart, by: FlatBy) -> FlatDiff {
    let mut rows: FxHashMap<(&str, Option<&str>), OperatorDiff> = FxHashMap::default();
    add(&mut rows, base, by, |row| &mut row.base);
    add(&mut rows, experiment, by, |row| &mut row.experiment);
    let mut rows: Vec<OperatorDiff> =
        rows.into_iter().map(|((name, shape), row)| OperatorDiff { name: name.into(), shape: shape.map(str::to_string), ..row }).collect();
    sort(&mut rows, |f| f.device_self, |f| f.host_self);
    let mut notes = Vec::new();
    for part in [base, experiment] {
        let is_empty = if by == FlatBy::Kernel { part.kernels.is_empty() } else { part.operators.is_empty() };
        if is_empty {
            let what = if by == FlatBy::Kernel { "kernels" } else { "operators" };
            notes.push(format!("{} has no {what}: all rows come from the other trace.", part.title));
        } else if by == FlatBy::OperatorShape && part.operators.iter().all(|o| text(part, o.shape).is_none_or(str::is_empty)) {
            notes.push(format!("Input shapes are not recorded in {}: record with `record_shapes=True`.", part.title));
        }
    }
    FlatDiff { base: base.title.clone(), experiment: experiment.title.clone(), rows, notes }
}

fn text(part: &DiffPart, at: Option<u32>) -> Option<&str> {
    at.and_then(|at| part.names.get(at as usize)).map(String::as_str)
}

fn add<'a>(
    rows: &mut FxHashMap<(&'a str, Option<&'a str>), OperatorDiff>,
    part: &'a DiffPart,
    by: FlatBy,
    side: impl Fn(&mut OperatorDiff) -> &mut Option<DiffFigures>,
) {
    let sums: &[FlatSum] = if by == FlatBy::Kernel { &part.kernels } else { &part.operators };
    for sum in sums {
        let shape = if by == FlatBy::OperatorShape { text(part, sum.shape) } else { None };
        let row = rows.entry((text(part, Some(sum.name)).unwrap_or_default(), shape)).or_default();
        let figures = side(row);
        *figures = Some(figures.unwrap_or_default().plus(sum.figures));
    }
}
