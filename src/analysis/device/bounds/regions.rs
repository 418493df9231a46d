//! Regions of a run: phases by source file, layer or another label, or as the user marked them, with the time that they took cut into parts.
//!
//! Instructions of a core are labelled; a window of a region is a run of instructions with its label, by start, that no other label interrupts.
//! Bytes belong to the window in which their transfer starts: what is prefetched counts before it is used.

use super::evidence::{EvidenceContext, MOST_SLICES, moves};
use super::gaps;
use super::rows::{self, CoreRows};
use super::time_parts::{self, ExclusiveTime, Part};
use crate::analysis::device::instructions::origin;
use crate::analysis::spans::{self, Ranges};
use crate::base::Order as _;
use crate::base::{DurationNs, SliceId, StrId, TimeNs, TimeRange, for_each_of};
use crate::model::{Domain, Profile, TrackKind};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// Regions of one answer.
const MOST_REGIONS: usize = 500;
/// Windows that are listed of a region.
const MOST_WINDOWS: usize = 200;

/// What regions can be by: (id, label, column).
const CHOICES: [(&str, &str, &str); 10] = [
    ("file", "Source file", "source"),
    ("directory", "Source directory", "source"),
    ("function", "Function", "function"),
    ("line", "Source line", "source"),
    ("layer", "Layer", "layer"),
    ("operator", "Operator", "operator"),
    ("hlo", "HLO operator", "hlo"),
    ("opcode", "Opcode", ""),
    ("name", "Name pattern", ""),
    ("annotation", "Annotation", ""),
];

/// What to cut a run into.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RegionsQuery {
    /// An id of [`Regions::choices`]; empty or unknown: the first of them.
    pub by: String,
    /// With `name`: instructions with this in their opcode, layer, operator or HLO name, upper or lower case.
    pub pattern: String,
    /// With `annotation`: names and ranges.
    pub named: Vec<(String, TimeRange)>,
    /// Only this range; `None` is the entire run.
    pub range: Option<TimeRange>,
    /// Place of the core among those of [`super::Bounds`].
    pub core: u32,
    /// Which part an instant with several busy ones belongs to.
    pub order: Vec<Part>,
}

/// All windows of a region, by start.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RegionWindowsQuery {
    /// What the run is cut into.
    pub regions: RegionsQuery,
    /// Name of the region.
    pub name: String,
}

/// Regions of a core.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Regions {
    /// What they are by.
    pub by: String,
    /// What they can be by: (id, label).
    pub choices: Vec<(String, String)>,
    /// What is looked at.
    pub range: TimeRange,
    /// Longest first; annotations by start.
    pub regions: Vec<Region>,
    /// Regions that are omitted.
    pub n_more: u64,
    /// What is not recorded, and how to record it.
    pub notes: Vec<String>,
}

/// A phase of a run.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Region {
    /// Its label.
    pub name: String,
    /// From the first start to the last end.
    pub wall: TimeRange,
    /// How many windows.
    pub n_windows: u64,
    /// The first ones, by start.
    pub windows: Vec<TimeRange>,
    /// Length of all windows.
    pub time: DurationNs,
    /// `time` cut into exclusive parts of all that ran on the core, in the order asked for, idle last. They add up to it.
    pub exclusive: Vec<ExclusiveTime>,
    /// Instructions with the label that start in the range.
    pub instructions: u64,
    /// Bytes of transfers that start in a window; `None` where sizes are not recorded.
    pub moved_bytes: Option<u64>,
    /// Bytes of HBM that its instructions read and write; `None` where they are not recorded.
    pub issued_bytes: Option<u64>,
    /// BF16-equivalent FLOPs of its products; `None` where operands are not recorded.
    pub flops: Option<u64>,
    /// The first instructions, by start.
    pub slices: Vec<SliceId>,
}

impl Region {
    /// Bytes per second that transfers achieve in the windows.
    pub fn bandwidth(&self) -> Option<f64> {
        (self.time.0 > 0).then_some(self.moved_bytes? as f64 / self.time.0 as f64 * 1e9)
    }
}

type Label = (&'static str, &'static str, &'static str);

/// What the regions of this profile can be by, and what they are by.
fn labels_of(profile: &Profile, query: &RegionsQuery) -> (Vec<&'static Label>, &'static str) {
    let choices: Vec<&Label> = CHOICES.iter().filter(|c| c.2.is_empty() || has_values(profile, c.2)).collect();
    let by = choices.iter().find(|c| c.0 == query.by).or(choices.first()).map_or("opcode", |c| c.0);
    (choices, by)
}

fn found(given: &EvidenceContext<'_>, by: &str, query: &RegionsQuery) -> Vec<Found> {
    match by {
        "annotation" => annotated(given, &query.named),
        _ => labelled(given, by, &query.pattern),
    }
}

/// All windows of one region, of the rows of the range; none where there is no region of that name.
pub fn windows_of(profile: &Profile, query: &RegionWindowsQuery, rows: &[CoreRows]) -> Vec<TimeRange> {
    let range = query.regions.range.unwrap_or_else(|| gaps::whole(profile));
    let Domain::NeuronDevice(device) = &profile.domain else { return Vec::new() };
    let Some(core) = rows.get(query.regions.core as usize) else { return Vec::new() };
    let given = EvidenceContext::of(profile, device, core, range);
    let (_, by) = labels_of(profile, &query.regions);
    let region = found(&given, by, &query.regions).into_iter().find(|f| f.name == query.name);
    let windows = spans::union(region.map(|f| f.windows).unwrap_or_default());
    windows.into_iter().map(|(start, end)| TimeRange { start: TimeNs(start), end: TimeNs(end) }).collect()
}

/// Cuts a core's run into regions.
pub fn regions(profile: &Profile, query: &RegionsQuery) -> Regions {
    regions_of(profile, query, &rows::rows_of(profile, query.range))
}

/// The same for the rows of the range, which many answers share.
pub fn regions_of(profile: &Profile, query: &RegionsQuery, rows: &[CoreRows]) -> Regions {
    let range = query.range.unwrap_or_else(|| gaps::whole(profile));
    let (choices, by) = labels_of(profile, query);
    let listed = choices.iter().map(|c| (c.0.to_string(), c.1.to_string())).collect();
    let mut out = Regions { by: by.into(), choices: listed, range, ..Regions::default() };
    let Domain::NeuronDevice(device) = &profile.domain else { return out };
    let Some(core) = rows.get(query.core as usize) else { return out };
    let given = EvidenceContext::of(profile, device, core, range);
    let found = found(&given, by, query);
    notes(&given, by, query, &mut out);
    let amounts = Amounts::of(&given, &time_parts::order(&query.order));
    out.regions = found.into_iter().map(|f| amounts.region(&given, f)).collect();
    if by != "annotation" {
        out.regions.order_by(|a, b| b.time.cmp(&a.time).then_with(|| a.name.cmp(&b.name)));
    }
    out.n_more = out.regions.len().saturating_sub(MOST_REGIONS) as u64;
    out.regions.truncate(MOST_REGIONS);
    out
}

fn has_values(profile: &Profile, column: &str) -> bool {
    profile.attribute(column).is_some_and(|a| a.values.is_recorded())
}

fn notes(given: &EvidenceContext<'_>, by: &str, query: &RegionsQuery, out: &mut Regions) {
    if !has_values(given.profile, "source") {
        let text = "Regions by source need source lines, which this file does not record: set `NEURON_FRAMEWORK_DEBUG=1`, `XLA_IR_DEBUG=1` and \
                    `XLA_HLO_DEBUG=1`, then compile and capture again.";
        out.notes.push(text.into());
    }
    if !has_values(given.profile, "function") {
        let text = "Regions by function need the functions of instructions, which this file does not record: open the NEFF of an NKI kernel \
                    together with its NTFF, or tables of Neuron Explorer with `KernelStackFrames` or `StackFrame`.";
        out.notes.push(text.into());
    }
    if by == "annotation" && query.named.is_empty() {
        out.notes.push("No regions are marked: drag along the time axis of the timeline, then press M.".into());
    }
    if by == "name" && query.pattern.trim().is_empty() {
        out.notes.push("Enter a part of a name: instructions with it in their opcode, layer, operator or HLO name form the region.".into());
    }
}

/// A region that is being built.
#[derive(Default)]
struct Found {
    name: String,
    windows: Ranges,
    instructions: u64,
    flops: u64,
    issued: Option<u64>,
    slices: Vec<SliceId>,
}

/// Instructions of the core that start in the range, by start.
fn instructions(given: &EvidenceContext<'_>) -> Vec<(i64, u32)> {
    let slices = &given.profile.slices;
    let all = given.tracks(TrackKind::Engine).flat_map(|t| given.profile.slices_of(t)).filter(|i| given.starts_here(*i));
    let mut out: Vec<(i64, u32)> = all.map(|i| (slices.start[i], i as u32)).collect();
    // Each track is in order: a stable sort merges them.
    out.sort();
    out
}

/// A value not seen yet.
const UNSEEN: u32 = u32::MAX;
/// A value that names no region.
const NONE: u32 = u32::MAX - 1;

/// Which region each instruction belongs to.
struct Labels<'a> {
    by: &'a str,
    values: Option<&'a [StrId]>,
    /// With `name`: the columns that are searched, and what for.
    searched: Vec<&'a [StrId]>,
    pattern: String,
    /// Whether a text has the pattern.
    fits: FxHashMap<StrId, bool>,
    /// Region of each value, with [`NONE`] and [`UNSEEN`]; several values can have one label.
    of_value: Vec<u32>,
    of_name: FxHashMap<String, usize>,
    found: Vec<Found>,
}

impl<'a> Labels<'a> {
    fn of(given: &EvidenceContext<'a>, by: &'a str, pattern: &str) -> Self {
        let column = |id: &str| given.profile.attribute(id).map(|a| a.values.as_slice());
        let id = CHOICES.iter().find(|c| c.0 == by).map_or("", |c| c.2);
        Labels {
            by,
            values: column(id),
            searched: ["layer", "operator", "hlo"].into_iter().filter_map(column).collect(),
            pattern: pattern.trim().to_lowercase(),
            fits: FxHashMap::default(),
            of_value: vec![UNSEEN; given.profile.strings.len()],
            of_name: FxHashMap::default(),
            found: Vec::new(),
        }
    }

    /// The region of an instruction, made when it is the first one.
    fn region(&mut self, profile: &Profile, i: usize) -> Option<usize> {
        if self.by == "name" {
            return self.has_pattern(profile, i).then(|| self.named(self.pattern.clone()));
        }
        let id = match self.by {
            "opcode" => profile.slices.name[i],
            _ => self.values.and_then(|v| v.get(i).copied()).unwrap_or_default(),
        };
        match self.of_value[id.index()] {
            UNSEEN => {}
            NONE => return None,
            region => return Some(region as usize),
        }
        let name = label(self.by, profile.strings.get(id));
        let region = (id != StrId(0) && !name.is_empty()).then(|| self.named(name));
        self.of_value[id.index()] = region.map_or(NONE, |at| at as u32);
        region
    }

    fn has_pattern(&mut self, profile: &Profile, i: usize) -> bool {
        let (fits, pattern) = (&mut self.fits, &self.pattern);
        let mut ids = std::iter::once(profile.slices.name[i]).chain(self.searched.iter().filter_map(|c| c.get(i).copied()));
        !pattern.is_empty() && ids.any(|id| *fits.entry(id).or_insert_with(|| profile.strings.get(id).to_lowercase().contains(pattern)))
    }

    fn named(&mut self, name: String) -> usize {
        if let Some(at) = self.of_name.get(&name) {
            return *at;
        }
        self.found.push(Found { name: name.clone(), ..Found::default() });
        self.of_name.insert(name, self.found.len() - 1);
        self.found.len() - 1
    }
}

/// The label that a value gives.
fn label(by: &str, value: &str) -> String {
    let place = || origin::places(value).into_iter().next();
    match by {
        "file" => place().map_or_else(String::new, |p| p.file),
        "directory" => place().map_or_else(String::new, |p| p.file.rsplit_once('/').map_or_else(|| ".".to_string(), |d| d.0.to_string())),
        "line" => place().map_or_else(String::new, |p| p.to_string()),
        _ => value.to_string(),
    }
}

/// Regions of a label: contiguous runs are windows.
fn labelled(given: &EvidenceContext<'_>, by: &str, pattern: &str) -> Vec<Found> {
    let mut labels = Labels::of(given, by, pattern);
    let mut last: Option<usize> = None;
    let has_bytes = opcodes_with_bytes(given);
    let mut products = Products::from(given, &has_bytes, i64::MIN);
    for_each_of(&instructions(given), |&(start, i)| {
        let Some(at) = labels.region(given.profile, i as usize) else {
            // With a pattern what does not fit interrupts; elsewhere an instruction without a label belongs to nobody.
            last = last.filter(|_| by != "name");
            return;
        };
        let end = given.profile.slices.end(i as usize).min(given.range.end.0);
        let region = &mut labels.found[at];
        match region.windows.last_mut().filter(|_| last == Some(at)) {
            Some(window) => window.1 = window.1.max(end),
            None => region.windows.push((start, end)),
        }
        add(given, region, &mut products, (start, i));
        last = Some(at);
    });
    labels.found
}

/// Regions that the user marked, cut to the range; such as are outside are omitted.
fn annotated(given: &EvidenceContext<'_>, named: &[(String, TimeRange)]) -> Vec<Found> {
    let (all, has_bytes) = (instructions(given), opcodes_with_bytes(given));
    let region = |(name, range): &(String, TimeRange)| {
        let window = (range.start.0.max(given.range.start.0), range.end.0.min(given.range.end.0));
        let mut found = Found { name: name.clone(), windows: vec![window], ..Found::default() };
        let (from, to) = (all.partition_point(|s| s.0 < window.0), all.partition_point(|s| s.0 < window.1));
        let mut products = Products::from(given, &has_bytes, window.0);
        all[from..to.max(from)].iter().for_each(|own| add(given, &mut found, &mut products, *own));
        (window.0 < window.1).then_some(found)
    };
    let mut out: Vec<Found> = named.iter().filter_map(region).collect();
    out.order_by_key(|f| f.windows[0]);
    out
}

/// Opcodes, by string, of which any instruction has bytes of HBM: few have.
fn opcodes_with_bytes(given: &EvidenceContext<'_>) -> Vec<bool> {
    let mut out = vec![false; given.profile.strings.len()];
    let names = given.device.hbm.iter().filter_map(|h| given.profile.slices.name.get(h.slice as usize));
    names.for_each(|name| out[name.index()] = true);
    out
}

/// The matrix products of a core while its instructions go by, both by start, and which opcodes have bytes.
struct Products<'a> {
    left: &'a [rows::Product],
    has_bytes: &'a [bool],
}

impl<'a> Products<'a> {
    fn from(given: &'a EvidenceContext<'_>, has_bytes: &'a [bool], start: i64) -> Self {
        let all = &given.core.products;
        Products { left: &all[all.partition_point(|p| p.start < start)..], has_bytes }
    }

    /// FLOPs of an instruction; 0 where it is no product.
    fn flops(&mut self, own: (i64, u32)) -> u64 {
        while let Some((first, rest)) = self.left.split_first() {
            match (first.start, first.slice).cmp(&own) {
                Ordering::Less => self.left = rest,
                Ordering::Equal => return first.flops(),
                Ordering::Greater => break,
            }
        }
        0
    }
}

/// Counts an instruction with its region.
fn add(given: &EvidenceContext<'_>, region: &mut Found, products: &mut Products<'_>, (start, slice): (i64, u32)) {
    region.instructions += 1;
    if region.slices.len() < MOST_SLICES {
        region.slices.push(SliceId(slice));
    }
    region.flops = region.flops.saturating_add(products.flops((start, slice)));
    let hbm = &given.device.hbm;
    if !products.has_bytes[given.profile.slices.name[slice as usize].index()] {
        return;
    }
    if let Ok(at) = hbm.binary_search_by_key(&slice, |h| h.slice) {
        let bytes = hbm[at].read.saturating_add(hbm[at].written);
        region.issued = Some(region.issued.unwrap_or(0).saturating_add(bytes));
    }
}

/// Place of the first time from `time` on, at or behind `at`: near ones are found in few steps.
fn first_from(times: &[i64], at: usize, time: i64) -> usize {
    let mut step = 1;
    while times.get(at + step - 1).is_some_and(|t| *t < time) {
        step *= 2;
    }
    let from = at + step / 2;
    let to = (at + step - 1).min(times.len());
    from + times[from..to.max(from)].partition_point(|t| *t < time)
}

/// What is summed up over windows.
struct Amounts {
    /// The run cut into exclusive parts.
    parts: Vec<(Option<Part>, Ranges)>,
    /// Starts of transfers.
    starts: Vec<i64>,
    /// Bytes of all before each.
    before: Vec<u64>,
    has_sizes: bool,
}

impl Amounts {
    fn of(given: &EvidenceContext<'_>, order: &[Part]) -> Self {
        let mut all: Vec<(i64, u32)> = Vec::new();
        moves(given).for_each(|(i, _, bytes)| all.push((given.profile.slices.start[i], bytes)));
        // Each lane is in order: a stable sort merges them.
        all.sort();
        let mut before = Vec::with_capacity(all.len() + 1);
        let mut sum = 0u64;
        before.push(0);
        before.extend(all.iter().map(|m| {
            sum = sum.saturating_add(m.1.into());
            sum
        }));
        let (_, has_sizes) = given.profile.has_transfers(given.device);
        let parts = time_parts::cut(&given.core.sets, order, given.range);
        Amounts { parts, starts: all.into_iter().map(|m| m.0).collect(), before, has_sizes }
    }

    /// Bytes of transfers that start in windows, which are by start.
    fn bytes(&self, windows: &[(i64, i64)]) -> u64 {
        let (mut at, mut sum) = (0, 0u64);
        for (start, end) in windows {
            let from = first_from(&self.starts, at, *start);
            at = first_from(&self.starts, from, *end);
            sum = sum.saturating_add(self.before[at].saturating_sub(self.before[from]));
        }
        sum
    }

    fn region(&self, given: &EvidenceContext<'_>, found: Found) -> Region {
        let wall = found.windows.iter().fold((i64::MAX, i64::MIN), |w, s| (w.0.min(s.0), w.1.max(s.1)));
        let windows = spans::union(found.windows);
        let range = |&(start, end): &(i64, i64)| TimeRange { start: TimeNs(start), end: TimeNs(end) };
        Region {
            name: found.name,
            wall: range(&wall),
            n_windows: windows.len() as u64,
            windows: windows.iter().take(MOST_WINDOWS).map(range).collect(),
            time: DurationNs(spans::length(&windows)),
            exclusive: time_parts::lengths_within(&self.parts, &windows),
            instructions: found.instructions,
            moved_bytes: self.has_sizes.then(|| self.bytes(&windows)),
            issued_bytes: found.issued.or((!given.device.hbm.is_empty()).then_some(0)),
            flops: given.device.elements.is_recorded().then_some(found.flops),
            slices: found.slices,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::first_from;

    #[test]
    fn times_are_found_from_the_last_place_on() {
        let times = [0, 0, 3, 5, 5, 5, 8, 13, 21, 34];
        for at in 0..=times.len() {
            for time in -1..36 {
                let want = (at..times.len()).find(|i| times[*i] >= time).unwrap_or(times.len());
                assert_eq!(first_from(&times, at, time), want, "{time} from {at}");
            }
        }
    }
}
