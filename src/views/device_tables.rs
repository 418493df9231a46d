//! Tables that System and Serving share: transfers between host and device, use of HBM.

use crate::analysis::system::{HbmRow, TransferRow};
use crate::ui::table::{Cell, Column, Columns, Kind, Row};

fn transfer_specs() -> Columns<TransferRow> {
    Columns::<TransferRow>::new()
        .column("place", "Where", Kind::Name, "", |r| Cell::Text(r.place.clone()))
        .column("direction", "Direction", Kind::Text, "", |r| {
            Cell::Text(if r.is_to_device { "host to device" } else { "device to host" }.into())
        })
        .column("count", "Transfers", Kind::Count, "Runtime copies, or tensor reads and writes if there are no copies.", |r| {
            Cell::from(r.count)
        })
        .summed()
        .column("bytes", "Bytes", Kind::Bytes, "Sum over transfers with a recorded size.", |r| Cell::from(r.bytes))
        .summed()
        .column("busy_ns", "Busy", Kind::Duration, "Time in which at least one of them runs.", |r| Cell::Int(r.busy.0))
        .column(
            "bandwidth",
            "Bandwidth, per second",
            Kind::Bytes,
            "Bytes ÷ time in which at least one transfer of known size runs.",
            |r| Cell::from(r.bandwidth),
        )
        .column("peak", "Peak, per second", Kind::Bytes, "Maximum rate; bytes are assumed to move evenly over a transfer.", |r| {
            Cell::from(r.peak)
        })
}

/// Columns of the transfers.
pub fn transfer_columns() -> Vec<Column> {
    transfer_specs().headers()
}

/// The transfers.
pub fn transfers(transfers: &[TransferRow]) -> Vec<Row> {
    transfer_specs().rows(transfers)
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
