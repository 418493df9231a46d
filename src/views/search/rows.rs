//! Hits as table rows and as a sentence.

use crate::analysis::hits::HitSummary;
use crate::base::text;
use crate::ui::table::{Cell, Column, Kind, Row};
use crate::views::wording;

/// The columns.
pub fn columns() -> Vec<Column> {
    let column = Column::new;
    vec![
        column("name", "Name", Kind::Name, "Name of the slices."),
        column("device", "Device", Kind::Text, wording::DEVICE_OF_SLICES),
        column("hits", "Hits", Kind::Count, "Matching slices.").summed(),
        column("share", "Hits %", Kind::Share, "Hits as a share of all hits.").summed(),
        column("sum_ns", "Duration", Kind::Duration, "Sum of the full durations of the hits.").summed(),
        column("mean_ns", "Mean", Kind::Duration, "Mean duration of a hit."),
        column("active_ns", "Active", Kind::Duration, "Time in which at least one hit ran, summed over tracks; overlaps count once."),
    ]
}

/// Rows in the order of the answer.
pub fn rows(summary: &HitSummary) -> Vec<Row> {
    let row = |r: &crate::analysis::hits::HitRow| {
        Row::new(vec![
            Cell::Text(r.name.clone()),
            Cell::Text(r.device.clone()),
            Cell::from(r.n),
            Cell::Float(r.share),
            Cell::Int(r.sum.0),
            Cell::Int(r.mean.0),
            Cell::Int(r.active.0),
        ])
    };
    summary.rows.iter().map(row).collect()
}

/// All hits in a sentence; empty without hits.
pub fn totals(summary: &HitSummary) -> String {
    let Some(extent) = summary.extent else { return String::new() };
    let share = summary.active_share.map_or(String::new(), |s| format!(" ({} of that time)", text::percent(s)));
    format!(
        "From {} to {} ({}); sum of durations {}; at least one active for {}{share}.",
        text::time_exact(extent.start.0),
        text::time_exact(extent.end.0),
        text::duration(extent.duration()),
        text::duration(summary.sum),
        text::duration(summary.active)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::hits::HitRow;
    use crate::base::{DurationNs, TimeNs, TimeRange};

    #[test]
    fn hits_are_shown_in_a_sentence_and_in_rows() {
        let row = HitRow {
            name: "a".into(),
            device: "d".into(),
            n: 2,
            share: 1.0,
            sum: DurationNs(30),
            mean: DurationNs(15),
            active: DurationNs(20),
        };
        let summary = HitSummary {
            rows: vec![row],
            n: 2,
            extent: Some(TimeRange::new(TimeNs(0), TimeNs(40))),
            sum: DurationNs(30),
            active: DurationNs(20),
            active_share: Some(0.5),
        };
        assert_eq!(
            totals(&summary),
            "From 0 ns to 40 ns (40 ns); sum of durations 30 ns; at least one active for 20 ns (50.0% of that time)."
        );
        assert_eq!(rows(&summary)[0].cells.len(), columns().len());
        assert_eq!(totals(&HitSummary::default()), "");
    }
}
