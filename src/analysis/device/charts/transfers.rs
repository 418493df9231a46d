//! How the DMA engines, queues and types were used, and how fast transfers of each size are.

use super::{ChartContext, Charts, SizeGroup, TransferBy, TransferGroup, TransferMean};
use crate::analysis::device::share;
use crate::analysis::recent_cache::Groups;
use crate::analysis::spans::{self, Ranges};
use crate::base::Order as _;
use crate::base::{DurationNs, SliceId, StrId, TrackId, for_each_chunk};
use crate::model::{NeuronDevice, TrackKind};

/// Groups of sizes that are shown.
const MOST_SIZES: usize = 400;
/// DMA engines of a core, on every generation that has them, where the metadata do not say.
const N_ENGINES: f64 = 16.0;
/// Transfers without a name in the file.
const NOT_RECORDED: &str = "not recorded";

/// Transfers of a queue with one engine and type.
#[derive(Default)]
struct Cell {
    spans: Ranges,
    bytes: Option<u64>,
    count: u64,
}

/// Transfers with something in common.
#[derive(Default)]
struct Sum {
    spans: Vec<Ranges>,
    bytes: Option<u64>,
    count: u64,
}

/// Root track, and the name or the track that transfers have in common.
type Key = (TransferBy, u32, u32);

/// Sums of the transfers that have something in common.
type Sums = Groups<Key, Sum>;

/// Variable, type of queue, bytes.
type SizeKey = (StrId, StrId, u32);

/// Transfers of one size.
struct Sizes {
    count: u64,
    time: i64,
    shortest: i64,
    longest: (i64, usize),
}

impl Default for Sizes {
    fn default() -> Self {
        Sizes { count: 0, time: 0, shortest: i64::MAX, longest: (-1, 0) }
    }
}

/// Columns of the transfers, where the file has them.
struct Columns<'a> {
    engines: Option<&'a [StrId]>,
    types: Option<&'a [StrId]>,
    variables: Option<&'a [StrId]>,
}

#[inline]
fn at(column: Option<&[StrId]>, i: usize) -> StrId {
    column.map_or(StrId(0), |c| c[i])
}

pub(super) fn transfers(given: &ChartContext<'_>, out: &mut Charts) {
    let mut sums = Sums::default();
    let profile = given.profile;
    let column = |id: &str| profile.attribute(id).map(|a| a.values.as_slice());
    let mut moved = Moved::default();
    let columns = Columns { engines: column("engine"), types: column("queue_type"), variables: column("variable") };
    for (t, _) in profile.tracks.iter().enumerate().filter(|t| t.1.kind == TrackKind::Queue) {
        let track = TrackId(t as u32);
        moved.add(add_queue(given, track, &columns, &mut sums, out));
    }
    out.transfer_mean = mean(given, &moved);
    groups(given, sums.all, out);
    by_bytes(out);
    if out.transfers.is_empty() {
        let what = if given.range.is_some() { "No DMA transfers in this range." } else { "No DMA transfers are recorded in this file." };
        out.notes.push(what.into());
    } else if columns.types.is_none() {
        out.notes.push("DMA types are not available: queue types are not recorded in this file.".into());
    }
}

/// Bytes and number of the transfers with a size.
#[derive(Default)]
struct Moved {
    bytes: u64,
    count: u64,
}

impl Moved {
    fn add(&mut self, other: Moved) {
        (self.bytes, self.count) = (self.bytes.saturating_add(other.bytes), self.count + other.count);
    }
}

/// The file's own mean of the run, which is 0 where the profiler does not know it; else that of the rows.
fn mean(given: &ChartContext<'_>, moved: &Moved) -> Option<TransferMean> {
    let recorded = given.facts.number("dma_transfer_average_bytes").filter(|b| *b > 0.0 && given.range.is_none());
    let of_file = recorded.map(|bytes| TransferMean { bytes, is_of_file: true });
    of_file.or_else(|| (moved.count > 0).then(|| TransferMean { bytes: moved.bytes as f64 / moved.count as f64, is_of_file: false }))
}

/// Adds a queue's transfers, each packet once, and its sizes. Returns bytes and number of those that start in the range.
fn add_queue(given: &ChartContext<'_>, track: TrackId, columns: &Columns<'_>, sums: &mut Sums, out: &mut Charts) -> Moved {
    let (root, slices) = (given.roots[track.index()], &given.profile.slices);
    let mut sizes = Groups::<SizeKey, Sizes>::default();
    let mut cells = Groups::<(StrId, StrId), Cell>::default();
    let is_once = |i: usize| given.device.duplicates.binary_search(&(i as u32)).is_err();
    // By start: an engine's transfers are on all lanes and overlap, so that lane by lane there would be far more spans to join.
    let by_start = &slices.by_start[given.profile.slices_of(track)];
    let n = by_start.partition_point(|i| slices.start[*i as usize] < given.within.end.0);
    for_each_chunk(n, &mut |part| {
        for i in by_start[part].iter().map(|i| *i as usize) {
            if let Some(span) = given.span(i).filter(|_| is_once(i)) {
                // Transfers count where they start; bytes where they move.
                let is_own = slices.start[i] >= given.within.start.0;
                let bytes = given.device.bytes.get(i).copied().filter(|n| *n != NeuronDevice::ABSENT);
                let moved = bytes.map(|n| share::within(n.into(), (slices.start[i], slices.end(i)), given.within));
                let key = (at(columns.engines, i), at(columns.types, i));
                let cell = cells.of(key.0.0.wrapping_add(key.1.0.wrapping_mul(31)), key);
                cell.count += u64::from(is_own);
                share::add_recorded(&mut cell.bytes, moved);
                spans::push(&mut cell.spans, span);
                if let Some(size) = bytes.filter(|_| is_own) {
                    let duration = slices.duration[i];
                    let key = (at(columns.variables, i), at(columns.types, i), size);
                    let s = sizes.of(size.wrapping_add(key.0.0.wrapping_mul(31)), key);
                    (s.count, s.time) = (s.count + 1, s.time.saturating_add(duration));
                    s.shortest = s.shortest.min(duration);
                    s.longest = s.longest.max((duration, i));
                }
            }
        }
    });
    for ((engine, kind), cell) in cells.all {
        // Engine and type are not in every file.
        let names = [(TransferBy::Engine, engine.0), (TransferBy::Type, kind.0)].into_iter().filter(|name| name.1 != 0);
        for (by, name) in names.chain([(TransferBy::Queue, track.0)]) {
            let sum = sums.of(name, (by, root, name));
            sum.count += cell.count;
            share::add_recorded(&mut sum.bytes, cell.bytes);
            sum.spans.push(cell.spans.clone());
        }
    }
    let bytes = sizes.all.iter().map(|(key, s)| u64::from(key.2).saturating_mul(s.count)).fold(0, u64::saturating_add);
    let moved = Moved { bytes, count: sizes.all.iter().map(|(_, s)| s.count).sum() };
    by_size(given, track, sizes.all, out);
    moved
}

fn groups(given: &ChartContext<'_>, sums: Vec<(Key, Sum)>, out: &mut Charts) {
    let core_bandwidth = given.facts.hardware_fact("dma_ddr_bandwidth");
    let n_engines = given.facts.hardware_fact("num_dma_engines_per_neuroncore").unwrap_or(N_ENGINES);
    let strings = &given.profile.strings;
    let group = |((by, root, name), sum): (Key, Sum)| {
        let busy = spans::length(&spans::union_of(sum.spans));
        let bandwidth = core_bandwidth.map(|b| if by == TransferBy::Engine { b / n_engines } else { b });
        let possible = bandwidth.map(|b| b * given.window.0 as f64 / 1e9).filter(|p| *p > 0.0);
        let name = if by == TransferBy::Queue { strings.get(given.profile.tracks[name as usize].name) } else { strings.get(StrId(name)) };
        let found = TransferGroup {
            by,
            core: strings.get(given.profile.tracks[root as usize].name).into(),
            name: name.into(),
            busy: DurationNs(busy),
            bytes: sum.bytes,
            count: sum.count,
            bandwidth_share: sum.bytes.zip(possible).map(|(n, p)| n as f64 / p),
            busy_share: given.share(busy as f64),
        };
        (root, found)
    };
    let mut found: Vec<(u32, TransferGroup)> = sums.into_iter().map(group).collect();
    // Numbers in names count as numbers: DMA-E9 is before DMA-E10.
    let number = |name: &str| name.rsplit(|c: char| !c.is_ascii_digit()).next().and_then(|n| n.parse::<u64>().ok());
    let order =
        |g: &(u32, TransferGroup)| (g.1.by, g.0, if g.1.by == TransferBy::Engine { number(&g.1.name) } else { None }, g.1.name.clone());
    found.order_by_cached_key(order);
    out.transfers = found.into_iter().map(|g| g.1).collect();
    if core_bandwidth.is_none() && !out.transfers.is_empty() {
        out.notes
            .push("DMA bandwidth utilization is not available: the metadata do not record dma_ddr_bandwidth. Busy times are shown.".into());
    }
}

/// A queue's transfers by what they move and its size.
fn by_size(given: &ChartContext<'_>, track: TrackId, sizes: Vec<(SizeKey, Sizes)>, out: &mut Charts) {
    let strings = &given.profile.strings;
    let (core, queue) = (given.core(track.index()), given.profile.track_path(track).replace(" / DMA", ""));
    let group = |((variable, kind, size), s): (SizeKey, Sizes)| SizeGroup {
        core: core.clone(),
        name: if variable == StrId(0) { queue.clone() } else { strings.get(variable).into() },
        kind: if kind == StrId(0) { NOT_RECORDED } else { strings.get(kind) }.into(),
        size,
        count: s.count,
        rate: if s.time > 0 { size as f64 * s.count as f64 / (s.time as f64 / 1e9) } else { 0.0 },
        durations: (DurationNs(s.shortest), DurationNs(s.longest.0)),
        slice: SliceId(s.longest.1 as u32),
    };
    out.sizes.extend(sizes.into_iter().filter(|s| s.1.time > 0).map(group));
}

/// Sizes with most bytes first, and no more than can be shown.
fn by_bytes(out: &mut Charts) {
    let bytes = |g: &SizeGroup| u64::from(g.size) * g.count;
    let names = |a: &SizeGroup, b: &SizeGroup| (&a.name, a.size, &a.kind, a.slice).cmp(&(&b.name, b.size, &b.kind, b.slice));
    out.sizes.order_by(|a, b| bytes(b).cmp(&bytes(a)).then_with(|| names(a, b)));
    out.n_more_sizes = out.sizes.len().saturating_sub(MOST_SIZES) as u64;
    out.sizes.truncate(MOST_SIZES);
    if out.n_more_sizes > 0 {
        out.notes.push(format!("The {MOST_SIZES} transfer sizes with most bytes are shown; {} more are not.", out.n_more_sizes));
    }
}
