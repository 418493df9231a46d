//! How the DMA engines, queues and types were used, and how fast transfers of each size are.

use super::{Charts, Given, SizeGroup, TransferBy, TransferGroup};
use crate::analysis::spans::{self, Spans};
use crate::base::Order as _;
use crate::base::{DurationNs, SliceId, StrId, TrackId, in_parts};
use crate::model::{NeuronDevice, TrackKind};
use rustc_hash::FxHashMap;

/// Groups of sizes that are shown.
const MOST_SIZES: usize = 400;
/// DMA engines of a core, on every generation that has them, where the metadata do not say.
const N_ENGINES: f64 = 16.0;
/// What has no name in the file.
const NOT_TOLD: &str = "not told";

/// Transfers with something in common.
#[derive(Default)]
struct Sum {
    spans: Vec<(i64, i64)>,
    bytes: Option<u64>,
    count: u64,
}

/// Transfers of one size.
struct Sizes {
    count: u64,
    time: i64,
    shortest: i64,
    longest: (i64, usize),
}

/// Root track, and the name or the track that transfers have in common.
type Key = (TransferBy, u32, u32);

pub(super) fn transfers(given: &Given<'_>, out: &mut Charts) {
    let mut sums: FxHashMap<Key, Sum> = FxHashMap::default();
    let mut sizes: FxHashMap<(u32, StrId, StrId, u32), Sizes> = FxHashMap::default();
    let profile = given.profile;
    let column = |id: &str| profile.attribute(id).map(|a| a.values.as_slice());
    let (engines, types, variables) = (column("engine"), column("queue_type"), column("variable"));
    let at = |column: Option<&[StrId]>, i: usize| column.map_or(StrId(0), |c| c[i]);
    for (t, _) in profile.tracks.iter().enumerate().filter(|t| t.1.kind == TrackKind::Queue) {
        let root = given.roots[t];
        let by_start = &profile.slices.by_start[profile.slices_of(TrackId(t as u32))];
        in_parts(by_start.len(), &mut |part| {
            for i in by_start[part].iter().map(|i| *i as usize) {
                let Some(span) = given.span(i) else { continue };
                if given.device.duplicates.binary_search(&(i as u32)).is_ok() {
                    continue;
                }
                // As with FLOPs: bytes belong to the range in which the transfer starts.
                let is_own = profile.slices.start[i] >= given.within.start.0;
                let bytes = given.device.bytes.get(i).copied().filter(|n| *n != NeuronDevice::ABSENT && is_own);
                let kind = at(types, i);
                let keys = [(TransferBy::Engine, at(engines, i).0), (TransferBy::Queue, t as u32), (TransferBy::Type, kind.0)];
                for (by, name) in keys.into_iter().filter(|k| k.0 == TransferBy::Queue || k.1 != 0) {
                    let sum = sums.entry((by, root, name)).or_default();
                    spans::push(&mut sum.spans, span);
                    sum.count += u64::from(is_own);
                    sum.bytes = bytes.map(|n| sum.bytes.unwrap_or(0).saturating_add(n.into())).or(sum.bytes);
                }
                if let Some(size) = bytes {
                    let duration = profile.slices.duration[i];
                    let new = Sizes { count: 0, time: 0, shortest: i64::MAX, longest: (-1, i) };
                    let s = sizes.entry((t as u32, at(variables, i), kind, size)).or_insert(new);
                    (s.count, s.time) = (s.count + 1, s.time.saturating_add(duration));
                    s.shortest = s.shortest.min(duration);
                    s.longest = s.longest.max((duration, i));
                }
            }
        });
    }
    groups(given, sums, out);
    by_size(given, sizes, out);
    if out.transfers.is_empty() {
        out.notes.push("There are no DMA transfers in this range.".into());
    } else if types.is_none() {
        out.notes.push("Types of DMA are not available: the file does not tell what feeds the queues.".into());
    }
}

fn groups(given: &Given<'_>, sums: FxHashMap<Key, Sum>, out: &mut Charts) {
    let core_bandwidth = given.facts.hardware_fact("dma_ddr_bandwidth");
    let n_engines = given.facts.hardware_fact("num_dma_engines_per_neuroncore").unwrap_or(N_ENGINES);
    let strings = &given.profile.strings;
    let group = |((by, root, name), sum): (Key, Sum)| {
        let busy = Spans::union(sum.spans).total();
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
    // Numbers in names count as numbers: DMA-E9 stands before DMA-E10.
    let number = |name: &str| name.rsplit(|c: char| !c.is_ascii_digit()).next().and_then(|n| n.parse::<u64>().ok());
    let order =
        |g: &(u32, TransferGroup)| (g.1.by, g.0, if g.1.by == TransferBy::Engine { number(&g.1.name) } else { None }, g.1.name.clone());
    found.sort_by_cached_key(order);
    out.transfers = found.into_iter().map(|g| g.1).collect();
    if core_bandwidth.is_none() && !out.transfers.is_empty() {
        out.notes.push("DMA bandwidth utilization is not available: the metadata lack dma_ddr_bandwidth. Busy times are shown.".into());
    }
}

fn by_size(given: &Given<'_>, sizes: FxHashMap<(u32, StrId, StrId, u32), Sizes>, out: &mut Charts) {
    let strings = &given.profile.strings;
    let group = |((track, variable, kind, size), s): ((u32, StrId, StrId, u32), Sizes)| {
        let name = match strings.get(variable) {
            "" => given.profile.track_path(TrackId(track)).replace(" / DMA", ""),
            name => name.into(),
        };
        let kind = if kind == StrId(0) { NOT_TOLD } else { strings.get(kind) };
        SizeGroup {
            core: given.core(track as usize),
            name,
            kind: kind.into(),
            size,
            count: s.count,
            rate: if s.time > 0 { size as f64 * s.count as f64 / (s.time as f64 / 1e9) } else { 0.0 },
            durations: (DurationNs(s.shortest), DurationNs(s.longest.0)),
            slice: SliceId(s.longest.1 as u32),
        }
    };
    out.sizes = sizes.into_iter().filter(|s| s.1.time > 0).map(group).collect();
    let bytes = |g: &SizeGroup| u64::from(g.size) * g.count;
    out.sizes.order_by(|a, b| bytes(b).cmp(&bytes(a)).then_with(|| (&a.name, a.size, &a.kind).cmp(&(&b.name, b.size, &b.kind))));
    out.n_more_sizes = out.sizes.len().saturating_sub(MOST_SIZES) as u64;
    out.sizes.truncate(MOST_SIZES);
    if out.n_more_sizes > 0 {
        out.notes.push(format!("The {MOST_SIZES} sizes of transfers with most bytes are shown; {} more are not.", out.n_more_sizes));
    }
}
