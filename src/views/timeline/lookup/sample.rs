//! Synthetic profiles for tests and benches.

use crate::base::{Interner, TimeNs, TimeRange, TrackId};
use crate::engine::page_columns::{PageColumns, PageInstants, PageMeta, SliceColours};
use crate::engine::{Counter, Lane, Meta, Series, Track, TrackKind};

/// A small profile with the slot of each name at its string id: group `host` with thread `main` (two lanes), wait `waits`, counter `memory`; and a closed-off group `device` with one stream.
pub fn sample() -> PageColumns {
    let mut strings = Interner::new();
    let mut name = |s: &str| strings.intern(s);
    let spec = [
        (None, 0, "host", TrackKind::Group, 0..0),
        (Some(0), 1, "main", TrackKind::Thread, 0..2),
        (Some(0), 1, "waits", TrackKind::Wait, 2..3),
        (Some(0), 1, "memory", TrackKind::Counter, 3..3),
        (None, 0, "device", TrackKind::Group, 3..3),
        (Some(4), 1, "stream 7", TrackKind::Stream, 3..4),
    ];
    let tracks = spec.iter().map(|s| Track { parent: s.0.map(TrackId), level: s.1, name: name(s.2), kind: s.3, lanes: s.4.clone() });
    let tracks: Vec<Track> = tracks.collect();
    let slices: [(&str, i64, i64); 8] = [
        ("step", 0, 1000),
        ("step", 1000, 1000),
        ("matmul", 100, 300),
        ("relu", 500, 1),
        ("relu", 502, 1),
        ("barrier", 400, 200),
        ("gemm", 300, 700),
        ("gemm", 1300, 600),
    ];
    let lane = |track, depth, first, end| Lane { track: TrackId(track), depth, first, end };
    let names: Vec<u32> = slices.iter().map(|s| name(s.0).0).collect();
    let instants =
        PageInstants { track: [TrackId(1); 2].into_iter().collect(), time: vec![50, 1500].into(), name: vec![name("mark"); 2].into() };
    let values = vec![0.0, 10.0, 40.0, 20.0];
    let counter = Counter {
        track: TrackId(3),
        unit: "bytes".into(),
        is_stacked: false,
        times: vec![0, 500, 1000, 1500],
        series: vec![Series { name: "allocated".into(), values }],
    };
    let strings = strings.finish();
    let slots = (0..strings.len() as u16).collect();
    PageColumns {
        info: PageMeta {
            meta: Meta { range: TimeRange::new(TimeNs(0), TimeNs(2000)), origin: "first event".into(), ..Meta::default() },
            tracks,
            lanes: vec![lane(1, 0, 0, 2), lane(1, 1, 2, 5), lane(2, 0, 5, 6), lane(5, 0, 6, 8)],
            strings,
            counters: vec![counter],
            instants,
            n_slices: slices.len() as u64,
            ..PageMeta::default()
        },
        start: slices.iter().map(|s| s.1).collect(),
        duration: slices.iter().map(|s| s.2).collect(),
        name: names.into(),
        colour: SliceColours::by_name(slots),
    }
}

/// The sample with these rows in the group `device` instead of its single row.
pub fn with_rows(names: &[&str]) -> PageColumns {
    let mut columns = sample();
    columns.info.tracks.truncate(5);
    for name in names {
        let name = columns.info.strings.push(name);
        columns.info.tracks.push(Track { parent: Some(TrackId(4)), level: 1, name, kind: TrackKind::Stream, lanes: 3..4 });
    }
    columns
}

/// `n_tracks` threads of `n_lanes` lanes, together about `n_slices` slices over ten seconds.
pub fn large(n_slices: usize, n_tracks: usize, n_lanes: usize) -> PageColumns {
    const LENGTH: i64 = 10_000_000_000;
    let mut strings = Interner::new();
    let ids: Vec<u32> = (0..44).map(|i| strings.intern(&format!("aten::operator_{i}")).0).collect();
    let per_lane = (n_slices / (n_tracks * n_lanes).max(1)).max(1);
    let mut columns = PageColumns::default();
    let mut x = 1u64;
    for t in 0..n_tracks as u32 {
        let lanes = columns.info.lanes.len() as u32..columns.info.lanes.len() as u32 + n_lanes as u32;
        let name = strings.intern(&format!("thread {t}"));
        columns.info.tracks.push(Track { parent: None, level: 0, name, kind: TrackKind::Thread, lanes });
        for depth in 0..n_lanes as u16 {
            let first = columns.start.len() as u32;
            let pace = LENGTH / per_lane as i64;
            for i in 0..per_lane as i64 {
                x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let slot = (x >> 33) as usize % 44;
                columns.start.to_mut().push(i * pace);
                columns.duration.to_mut().push(pace * ((x >> 40) as i64 % 100) / 110);
                columns.name.to_mut().push(ids[slot]);
            }
            columns.info.lanes.push(Lane { track: TrackId(t), depth, first, end: columns.start.len() as u32 });
        }
    }
    columns.info.meta.range = TimeRange::new(TimeNs(0), TimeNs(LENGTH));
    columns.info.n_slices = columns.start.len() as u64;
    columns.info.strings = strings.finish();
    let mut slots = vec![0; columns.info.strings.len()];
    ids.iter().zip(0..).for_each(|(id, slot)| slots[*id as usize] = slot);
    columns.colour = SliceColours::by_name(slots);
    columns
}
