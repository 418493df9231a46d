//! The charts of the transfers in the summary: how busy DMA was, and how fast transfers of each size are.

use super::chart_rows::{colour, is_of, names};
use crate::analysis::device::charts::{Charts, SizeGroup, TransferBy, TransferGroup};
use crate::base::text;
use crate::ui::bars::{Bar, Series};
use crate::ui::palette::fixed;
use crate::ui::scatter::Dot;

/// The grouping of transfers, in the format of the link.
pub fn transfer_by(id: &str) -> TransferBy {
    match id {
        "queue" => TransferBy::Queue,
        "type" => TransferBy::Type,
        _ => TransferBy::Engine,
    }
}

/// Whether any bytes are given as a share of what could move.
fn records_bandwidth(charts: &Charts) -> bool {
    charts.transfers.iter().any(|t| t.bandwidth_share.is_some())
}

/// Bandwidth, and busy time beyond it; where no bandwidth is recorded, busy time.
pub fn transfer_series(charts: &Charts) -> Vec<Series> {
    let series = |name: &str, colour, help: &str| Series { name: name.into(), colour, help: help.into() };
    if !records_bandwidth(charts) {
        return vec![series("Busy", fixed::MEMSET, "Time with at least one active transfer.")];
    }
    vec![
        series("Bandwidth used", fixed::KERNEL, "Bytes moved as a share of the bandwidth in this time."),
        series("Busy below bandwidth", fixed::MEMSET, "Time with at least one active transfer, minus the bandwidth share."),
    ]
}

/// What a bar is a share of.
pub fn transfer_line(charts: &Charts, by: TransferBy) -> &'static str {
    match by {
        _ if !records_bandwidth(charts) => "Time with at least one active transfer: the bandwidth is not recorded in this file.",
        TransferBy::Engine => "Share of the bandwidth of one DMA engine.",
        TransferBy::Queue | TransferBy::Type => "Share of the DMA bandwidth of the core.",
    }
}

/// A bar for each engine, queue or type of the chosen core.
pub fn transfer_bars(charts: &Charts, core: &str, by: TransferBy) -> Vec<Bar> {
    let is_recorded = records_bandwidth(charts);
    let bar = |t: &TransferGroup| {
        let bytes = t.bytes.map_or_else(|| "not available".into(), text::bytes);
        let beyond = (t.busy_share - t.bandwidth_share.unwrap_or(0.0)).max(0.0);
        Bar {
            name: t.name.strip_prefix("DMA-").unwrap_or(&t.name).into(),
            group: t.core.clone(),
            values: is_recorded.then(|| t.bandwidth_share.unwrap_or(f64::NAN)).into_iter().chain([beyond]).collect(),
            note: format!("{} transfers, {bytes}, busy {}", text::count(t.count), text::duration(t.busy)),
        }
    };
    charts.transfers.iter().filter(|t| t.by == by && is_of(&t.core, core)).map(bar).collect()
}

/// Sizes of the chosen core, in the order of the answer.
pub fn sizes_of<'a>(charts: &'a Charts, core: &'a str) -> impl Iterator<Item = &'a SizeGroup> {
    charts.sizes.iter().filter(move |s| is_of(&s.core, core))
}

/// A dot for each size; its area is its share of the bytes.
pub fn size_dots(charts: &Charts, core: &str) -> Vec<Dot> {
    let kinds = names(charts.sizes.iter().map(|s| s.kind.as_str()));
    let bytes = |s: &SizeGroup| (u64::from(s.size) * s.count) as f64;
    let most = charts.sizes.iter().map(bytes).fold(1.0, f64::max);
    let dot = |s: &SizeGroup| Dot {
        name: s.name.clone(),
        series: s.kind.clone(),
        x: f64::from(s.size),
        y: s.rate,
        size: bytes(s) / most,
        colour: colour(&kinds, &s.kind),
        is_hollow: false,
        rows: vec![
            ("Size".into(), text::bytes(s.size.into())),
            ("Throughput".into(), format!("{}/s", text::bytes(s.rate as u64))),
            ("Transfers".into(), text::count(s.count)),
            ("Duration".into(), format!("{} – {}", text::duration(s.durations.0), text::duration(s.durations.1))),
        ],
        note: s.kind.clone(),
    };
    sizes_of(charts, core).map(dot).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::DurationNs;

    #[test]
    fn only_busy_time_is_shown_where_no_bandwidth_is_recorded() {
        let group = |share| TransferGroup {
            by: TransferBy::Queue,
            core: "NC 0".into(),
            name: "Q1".into(),
            busy: DurationNs(5),
            bytes: Some(8),
            count: 1,
            bandwidth_share: share,
            busy_share: 0.5,
        };
        let of = |all: &[Option<f64>]| {
            let charts = Charts { transfers: all.iter().map(|s| group(*s)).collect(), ..Charts::default() };
            let names: Vec<String> = transfer_series(&charts).into_iter().map(|s| s.name).collect();
            let bars = transfer_bars(&charts, "", TransferBy::Queue);
            assert!(bars.iter().all(|b| b.values.len() == names.len()), "a value for each series");
            (names, bars.iter().map(|b| b.recorded(0)).collect::<Vec<_>>(), transfer_line(&charts, TransferBy::Queue))
        };
        let (names, values, line) = of(&[None, None]);
        assert_eq!((names, values), (vec!["Busy".to_string()], vec![Some(0.5), Some(0.5)]));
        assert!(line.contains("the bandwidth is not recorded in this file"), "{line}");
        let (names, values, _) = of(&[Some(0.2), None]);
        assert_eq!((names.len(), values), (2, vec![Some(0.2), None]));
    }
}
