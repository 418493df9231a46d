//! Tables that System and Serving share: transfers between host and device, use of HBM.

use crate::analysis::system::{HbmRow, TransferRow};
use crate::ui::table::{Cell, Column, Kind, Row};

/// Columns of the transfers.
pub fn transfer_columns() -> Vec<Column> {
    let c = Column::new;
    vec![
        c("place", "Where", Kind::Name, ""),
        c("direction", "Direction", Kind::Text, ""),
        c("count", "Transfers", Kind::Count, "Runtime copies, or tensor reads and writes if there are no copies.").summed(),
        c("bytes", "Bytes", Kind::Bytes, "Sum over transfers with a recorded size.").summed(),
        c("busy_ns", "Busy", Kind::Duration, "Time in which at least one of them runs."),
        c("bandwidth", "Bandwidth, per second", Kind::Bytes, "Bytes ÷ time in which at least one transfer of known size runs."),
        c("peak", "Peak, per second", Kind::Bytes, "Maximum rate; bytes are assumed to move evenly over a transfer."),
    ]
}

/// The transfers.
pub fn transfers(transfers: &[TransferRow]) -> Vec<Row> {
    let row = |r: &TransferRow| {
        let direction = if r.is_to_device { "host to device" } else { "device to host" };
        let bytes = Cell::from(r.bytes);
        Row::new(vec![
            Cell::Text(r.place.clone()),
            Cell::Text(direction.into()),
            Cell::from(r.count),
            bytes,
            Cell::Int(r.busy.0),
            Cell::from(r.bandwidth),
            Cell::from(r.peak),
        ])
    };
    transfers.iter().map(row).collect()
}

/// Columns of the HBM.
pub fn hbm_columns() -> Vec<Column> {
    let c = Column::new;
    vec![
        c("place", "HBM", Kind::Name, "Expand the row for the categories at that time."),
        c("category", "Category", Kind::Text, ""),
        c("bytes", "In use", Kind::Bytes, "At its maximum."),
        c("share", "Of capacity", Kind::Share, "Share of the capacity recorded for one NeuronCore; several cores can share an HBM."),
        c("time_ns", "At", Kind::Duration, "Time since the first event."),
    ]
}

/// Each HBM, and its categories.
pub fn hbm(hbm: &[HbmRow]) -> Vec<Row> {
    let all = |r: &HbmRow| {
        let line = |category: &str, bytes: u64, part: Option<f64>| {
            Row::new(vec![
                Cell::Text(r.place.clone()),
                Cell::Text(category.into()),
                Cell::from(bytes),
                Cell::from(part),
                Cell::Int(r.time.0),
            ])
        };
        let parts = r.categories.iter().map(|c| line(&c.0, c.1, c.2));
        std::iter::once(line("all", r.bytes, r.share)).chain(parts).collect::<Vec<_>>()
    };
    hbm.iter().flat_map(all).collect()
}
