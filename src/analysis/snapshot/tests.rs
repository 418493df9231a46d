use super::*;
use crate::base::{Interner, StrId};
use crate::model::snapshot::{Allocations, Block, BlockState, NO_STATE, Segment, SnapshotFrame};

/// Device 0 with allocations (from, to, size, stack); its states follow from them.
fn made(allocations: &[(u32, u32, u64, u32)], n_states: usize) -> (Profile, MemorySnapshot) {
    let mut strings = Interner::new();
    let mut frame = |name: &str, file: &str, line| SnapshotFrame { name: strings.intern(name), file: strings.intern(file), line };
    let frames = vec![
        frame("malloc", "??", 0),
        frame("forward", "/env/site-packages/torch/nn/linear.py", 7),
        frame("step", "/srv/me/train.py", 12),
        frame("loss", "/srv/me/train.py", 30),
    ];
    let mut all = Allocations::default();
    for &(from, to, size, stack) in allocations {
        all.address.push(u64::from(from) * 4096);
        all.size.push(size);
        all.from.push(from);
        all.to.push(to);
        all.requested.push(NO_STATE);
        all.stream.push(0);
        all.stack.push(stack);
    }
    let bytes = |state: u32| (0..all.len()).filter(|&i| all.is_live(i, state)).map(|i| all.size[i]).sum();
    let device = SnapshotDevice {
        allocated: (0..n_states as u32).map(bytes).collect(),
        times: (1..n_states as i64).map(|k| k * k).collect(),
        reserved: vec![(0, 100), (3, 200)],
        allocations: all,
        ..SnapshotDevice::default()
    };
    let snapshot = MemorySnapshot {
        frames,
        // Stack 1: linear < step; stack 2: loss; stack 3: of C++ alone.
        stack_ends: vec![0, 3, 5, 6],
        stack_frames: vec![0, 1, 2, 0, 3, 0],
        devices: vec![device],
        has_times: true,
    };
    let profile = Profile { strings: strings.finish(), ..Profile::default() };
    (profile, snapshot)
}

fn with<T>(made: &(Profile, MemorySnapshot), f: impl FnOnce(&View<'_>) -> T) -> T {
    let model = SnapshotModel::new(&made.0, &made.1);
    f(&View { profile: &made.0, snapshot: &made.1, model: &model })
}

/// 40 before the first event, then 30 and 20, of which 30 ends before a last one of 5.
fn usual() -> (Profile, MemorySnapshot) {
    made(&[(0, NO_STATE, 40, 0), (1, 3, 30, 1), (2, NO_STATE, 20, 2), (4, NO_STATE, 5, 3)], 5)
}

#[test]
fn the_peak_is_the_first_state_with_the_most_bytes() {
    let made = usual();
    assert_eq!(made.1.devices[0].allocated, [40, 70, 90, 60, 65]);
    assert_eq!(peak_state(&made.1.devices[0]), 2);
    let summary = with(&made, summary::summary);
    let device = &summary.devices[0];
    assert_eq!((device.peak, device.peak_state, device.peak_time, device.n_at_peak), (90, 2, Some(4), 3));
    assert_eq!((device.before, device.after, device.peak_reserved), ((40, 1), 65, 200));
    assert_eq!((device.times, device.n_events), (Some((1, 16)), 4));
}

#[test]
fn groups_are_by_the_frame_that_is_asked_for() {
    let made = usual();
    let labels = |by, state| {
        let query = LiveQuery { device: 0, state, by };
        let found = with(&made, |view| live::live(view, &made.1.devices[0], &query));
        found.groups.into_iter().map(|g| (g.label, g.bytes, g.n)).collect::<Vec<_>>()
    };
    let group = |label: &str, bytes| (label.to_string(), bytes, 1);
    assert_eq!(
        labels(GroupBy::Frame, None),
        [group(labels::NO_STACK, 40), group("nn/linear.py:7:forward", 30), group("me/train.py:30:loss", 20)]
    );
    assert_eq!(labels(GroupBy::Own, None)[1], group("me/train.py:12:step", 30));
    assert_eq!(labels(GroupBy::Stack, None)[1], group("nn/linear.py:7:forward < me/train.py:12:step", 30));
    assert_eq!(labels(GroupBy::Frame, Some(99))[2], group(labels::NO_PYTHON, 5), "a state beyond the end is the last one");
}

#[test]
fn an_allocation_has_its_life_and_its_stack() {
    let made = usual();
    let (rows, n) = with(&made, |view| {
        let found = live::allocations(view, &made.1.devices[0], &AllocationsQuery { device: 0, state: Some(2), limit: 2 });
        (found.rows, found.n_total)
    });
    assert_eq!((rows.iter().map(|r| (r.id, r.size)).collect::<Vec<_>>(), n), (vec![(0, 40), (1, 30)], 3));
    assert_eq!((rows[0].from, rows[0].to, rows[0].times), (None, None, (None, None)));
    assert_eq!((rows[1].from, rows[1].to, rows[1].times), (Some(1), Some(3), (Some(1), Some(9))));
    let detail = with(&made, |view| live::allocation(view, &made.1.devices[0], 1)).expect("there");
    assert_eq!(detail.frames, ["malloc", "nn/linear.py:7:forward", "me/train.py:12:step"]);
    assert_eq!(detail.first_python, 1);
    assert_eq!(with(&made, |view| live::allocation(view, &made.1.devices[0], 4)), None);
}

#[test]
fn bands_stand_on_those_made_before_and_fall_when_these_end() {
    let made = usual();
    let query = PictureQuery { columns: 5, height: 1000, ..PictureQuery::default() };
    let got = with(&made, |view| picture::picture(view, &made.1.devices[0], &query));
    // Five states in columns over the four steps between them: the second column covers the first event only.
    assert_eq!(got.extent, (0, 4));
    assert_eq!(got.states.last(), Some(&4));
    assert_eq!(got.total, got.drawn, "all are higher than a pixel");
    assert_eq!(got.bytes, (0, 204), "to the most that is reserved, with room above it");
    let of = |id: u32| got.bands.iter().filter(move |b| b.id == id).map(|b| (b.low, b.size)).collect::<Vec<_>>();
    assert_eq!(of(0), [(0, 40)]);
    assert_eq!(of(1), [(40, 30)]);
    assert_eq!(of(2), [(70, 20), (40, 20)], "it falls when the one below ends");
    assert_eq!(of(3), [(60, 5)]);
}

#[test]
fn no_peak_is_lost_in_a_few_columns_and_small_ones_are_one_band() {
    let allocations: Vec<(u32, u32, u64, u32)> = (1..1000).map(|k| (k, k + 1, if k == 501 { 500 } else { 1 }, 1)).collect();
    let made = made(&allocations, 1001);
    let query = PictureQuery { columns: 7, height: 100, ..PictureQuery::default() };
    let got = with(&made, |view| picture::picture(view, &made.1.devices[0], &query));
    assert_eq!(got.total.iter().max(), Some(&500));
    assert!(got.states.is_sorted());
    assert_eq!(got.threshold, 10);
    assert_eq!(got.bands.iter().map(|b| (b.id, b.n_columns)).collect::<Vec<_>>(), [(500, 1)]);
    assert_eq!(got.total, got.drawn);
    // The small ones are a layer of their frame: in each column but that of the large one.
    assert_eq!(
        got.layers.iter().map(|l| (l.label.as_str(), l.bytes.iter().sum::<u64>())).collect::<Vec<_>>(),
        [("nn/linear.py:7:forward", 6)]
    );
    // By time the states of a column are those that hold in it.
    let by_time = PictureQuery { by_time: true, window: Some((250_000, 252_100)), columns: 3, ..query };
    let got = with(&made, |view| picture::picture(view, &made.1.devices[0], &by_time));
    assert_eq!((got.states, got.total), (vec![500, 501, 501], vec![1, 500, 500]));
    let fitted = PictureQuery { window: Some((10, 20)), is_fitted: true, ..query };
    let got = with(&made, |view| picture::picture(view, &made.1.devices[0], &fitted));
    assert_eq!(got.bytes, (0, 2), "the highest in view, and room above it");
}

#[test]
fn a_picture_of_very_many_bands_is_bounded() {
    let n = 200_000u32;
    let allocations: Vec<(u32, u32, u64, u32)> = (1..=n).map(|k| (k, k + 1 + k % 500, 1 << (k % 20), 1)).collect();
    let mut made = made(&[], n as usize + 1000);
    let device = &mut made.1.devices[0];
    device.allocated.clear();
    let mut change = vec![0i64; n as usize + 1000];
    for &(from, to, size, stack) in &allocations {
        let all = &mut device.allocations;
        all.address.push(1);
        all.size.push(size);
        all.from.push(from);
        all.to.push(to);
        all.requested.push(NO_STATE);
        all.stream.push(0);
        all.stack.push(stack);
        change[from as usize] += size as i64;
        change[to as usize] -= size as i64;
    }
    let mut sum = 0;
    for change in change {
        sum += change;
        device.allocated.push(sum as u64);
    }
    let query = PictureQuery { columns: 2000, height: 1_000_000, is_fitted: true, ..PictureQuery::default() };
    let got = with(&made, |view| picture::picture(view, &made.1.devices[0], &query));
    assert!(got.bands.len() <= 22_000, "{}", got.bands.len());
    assert!(got.threshold > 1);
    assert_eq!(got.states.len(), 2000);
    assert_eq!(got.total, got.drawn, "what is no band is in a layer");
}

#[test]
fn segments_have_their_free_parts() {
    let mut made = usual();
    let block = |address, size, state| Block { address, size, requested: size - 1, state, stack: 2 };
    made.1.devices[0].blocks = vec![
        block(4096, 10, BlockState::Allocated),
        block(4106, 30, BlockState::Free),
        block(4136, 60, BlockState::PendingFree),
        block(8192, 90, BlockState::Free),
    ];
    let segment = |address, size, blocks| Segment {
        address,
        size,
        stream: 0,
        kind: StrId(0),
        pool: StrId(0),
        is_expandable: false,
        stack: 0,
        blocks,
    };
    made.1.devices[0].segments = vec![segment(4096, 100, 0..3), segment(8192, 90, 3..4)];
    let map = with(&made, |view| segments::segments(view, &made.1.devices[0]));
    assert_eq!((map.reserved, map.allocated, map.pending, map.free, map.largest_free), (190, 10, 60, 120, 90));
    assert_eq!(map.fragmentation, Some(0.25));
    assert_eq!((map.rows[0].allocated, map.rows[0].free, map.rows[0].largest_free), (70, 30, 30));
    let cells: Vec<_> = map.cells.iter().map(|c| (c.segment, c.start, c.size, c.used, c.state)).collect();
    assert_eq!(cells, [(0, 0, 10, 9, 0), (0, 10, 30, 0, 2), (0, 40, 60, 59, 1), (1, 100, 90, 0, 2)]);
}
