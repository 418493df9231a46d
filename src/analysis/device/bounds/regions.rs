//! Regions of a run: phases by source file, layer or another label, or as the user marked them, with the time that they took cut into parts.
//!
//! Instructions of a core are labelled; a window of a region is a run of instructions with its label, by start, that no other label interrupts.
//! Bytes belong to the window in which their transfer starts: what is prefetched counts before it is used.

use super::evidence::{EvidenceContext, MOST_SLICES, moves_by_start};
use super::gaps;
use super::rows::{self, CoreRows};
use super::time_parts::{self, ExclusiveTime, OwnedTimes, Owners, Part};
use crate::analysis::device::activity::lanes;
use crate::analysis::device::instructions::origin;
use crate::analysis::spans::{self, Ranges};
use crate::base::Order as _;
use crate::base::{DurationNs, SliceId, StrId, TimeNs, TimeRange, first_position_near};
use crate::model::{Column, Domain, Profile, TrackKind};
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

fn found(given: &EvidenceContext<'_>, by: &str, query: &RegionsQuery, closed: &mut dyn FnMut(&mut Found)) -> Vec<Found> {
    match by {
        "annotation" => annotated(given, &query.named, closed),
        _ => labelled(given, by, &query.pattern, closed),
    }
}

/// All windows of one region, of the rows of the range; none where there is no region of that name.
pub fn windows_of(profile: &Profile, query: &RegionWindowsQuery, rows: &[CoreRows]) -> Vec<TimeRange> {
    let range = query.regions.range.unwrap_or_else(|| gaps::whole(profile));
    let Domain::NeuronDevice(device) = &profile.domain else { return Vec::new() };
    let Some(core) = rows.get(query.regions.core as usize) else { return Vec::new() };
    let given = EvidenceContext::of(profile, device, core, range);
    let (_, by) = labels_of(profile, &query.regions);
    let region = found(&given, by, &query.regions, &mut |_| {}).into_iter().find(|f| f.name == query.name);
    let windows = region.map(|f| f.windows).unwrap_or_default();
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
    let mut amounts = Amounts::of(&given, time_parts::order(&query.order));
    let found = found(&given, by, query, &mut |region| region.sum_up(&mut amounts));
    notes(&given, by, query, &mut out);
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
struct Found {
    name: String,
    /// Disjoint, by start.
    windows: Ranges,
    /// Up to where the windows are summed up.
    summed: i64,
    /// Time of each part in the windows, nanoseconds.
    times: OwnedTimes,
    /// Bytes of transfers that start in the windows.
    moved: u64,
    instructions: u64,
    flops: u64,
    issued: Option<u64>,
    slices: Vec<SliceId>,
}

impl Found {
    fn new(name: String) -> Self {
        Found {
            name,
            windows: Ranges::new(),
            summed: i64::MIN,
            times: OwnedTimes::default(),
            moved: 0,
            instructions: 0,
            flops: 0,
            issued: None,
            slices: Vec::new(),
        }
    }

    /// Begins a window, not before the last one.
    fn open(&mut self, (start, end): (i64, i64)) {
        match self.windows.last_mut().filter(|last| start <= last.1) {
            Some(last) => last.1 = last.1.max(end),
            None => self.windows.push((start, end)),
        }
    }

    /// Sums up what the last window has gained.
    fn sum_up(&mut self, amounts: &mut Amounts) {
        let Some(&(start, end)) = self.windows.last() else { return };
        let from = start.max(self.summed);
        if from < end {
            amounts.owners.add_within((from, end), &mut amounts.near_owner, &mut self.times);
            self.moved = self.moved.saturating_add(amounts.bytes(from, end));
            self.summed = end;
        }
    }
}

/// Calls `each` with the instructions of the core that start in `range`, which is in that of the answer: start and slice, in this order.
fn for_each_instruction(given: &EvidenceContext<'_>, range: TimeRange, mut each: impl FnMut((i64, u32))) {
    let starts = &given.profile.slices.start;
    let tracks = given.tracks(TrackKind::Engine);
    let lanes = tracks.flat_map(|track| lanes::touching(given.profile, track, range)).map(|lane| (lane.1, ()));
    let pick = |(): &mut (), i: usize| (range.start.0..range.end.0).contains(&starts[i]).then_some(i as u32);
    lanes::for_each_by_start(given.profile, range, lanes, pick, |start, slice| each((start, slice)));
}

/// A value not seen yet.
const UNSEEN: u32 = u32::MAX;
/// A value that names no region.
const NONE: u32 = u32::MAX - 1;

/// Which region each instruction belongs to.
struct Labels<'a> {
    by: &'a str,
    values: Option<&'a Column<StrId>>,
    /// With `name`: the columns that are searched, and what for.
    searched: Vec<&'a Column<StrId>>,
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
        let column = |id: &str| given.profile.attribute(id).map(|a| &a.values);
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
            _ => self.values.and_then(|values| values.at(i)).unwrap_or_default(),
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
        let mut ids = std::iter::once(profile.slices.name[i]).chain(self.searched.iter().filter_map(|values| values.at(i)));
        !pattern.is_empty() && ids.any(|id| *fits.entry(id).or_insert_with(|| profile.strings.get(id).to_lowercase().contains(pattern)))
    }

    fn named(&mut self, name: String) -> usize {
        if let Some(at) = self.of_name.get(&name) {
            return *at;
        }
        self.found.push(Found::new(name.clone()));
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

/// Regions of a label: contiguous runs are windows. `closed` is called with a region when a window of it ends; windows come by start.
fn labelled(given: &EvidenceContext<'_>, by: &str, pattern: &str, closed: &mut dyn FnMut(&mut Found)) -> Vec<Found> {
    let mut labels = Labels::of(given, by, pattern);
    let mut last: Option<usize> = None;
    let has_bytes = opcodes_with_bytes(given);
    let mut products = Products::from(given, &has_bytes, i64::MIN);
    for_each_instruction(given, given.range, |(start, i)| {
        let region = labels.region(given.profile, i as usize);
        // With a pattern what does not fit interrupts; elsewhere an instruction without a label belongs to nobody.
        if region != last && (region.is_some() || by == "name") {
            last.into_iter().for_each(|at| closed(&mut labels.found[at]));
            last = None;
        }
        let Some(at) = region else { return };
        let end = given.profile.slices.end(i as usize).min(given.range.end.0);
        let region = &mut labels.found[at];
        match region.windows.last_mut().filter(|_| last == Some(at)) {
            Some(window) => window.1 = window.1.max(end),
            None => region.open((start, end)),
        }
        add(given, region, &mut products, (start, i));
        last = Some(at);
    });
    last.into_iter().for_each(|at| closed(&mut labels.found[at]));
    labels.found
}

/// Regions that the user marked, cut to the range; such as are outside are omitted.
fn annotated(given: &EvidenceContext<'_>, named: &[(String, TimeRange)], closed: &mut dyn FnMut(&mut Found)) -> Vec<Found> {
    let has_bytes = opcodes_with_bytes(given);
    let mut out = Vec::new();
    for (name, range) in named {
        let window = (range.start.0.max(given.range.start.0), range.end.0.min(given.range.end.0));
        if window.0 >= window.1 {
            continue;
        }
        let mut found = Found::new(name.clone());
        found.open(window);
        let mut products = Products::from(given, &has_bytes, window.0);
        let range = TimeRange { start: TimeNs(window.0), end: TimeNs(window.1) };
        for_each_instruction(given, range, |own| add(given, &mut found, &mut products, own));
        closed(&mut found);
        out.push(found);
    }
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

/// What is summed up over windows.
struct Amounts {
    owners: Owners,
    /// Starts of transfers.
    starts: Vec<i64>,
    /// Bytes of all before each.
    before: Vec<u64>,
    has_sizes: bool,
    /// Where the last window was found in `owners`, and in `starts`: the next one is near.
    near_owner: usize,
    near_transfer: usize,
}

impl Amounts {
    fn of(given: &EvidenceContext<'_>, order: Vec<Part>) -> Self {
        let n = given.core.moves as usize;
        let (mut starts, mut before) = (Vec::with_capacity(n), Vec::with_capacity(n + 1));
        let mut sum = 0u64;
        before.push(0);
        moves_by_start(given, |start, bytes| {
            sum = sum.saturating_add(u64::from(bytes));
            starts.push(start);
            before.push(sum);
        });
        let (_, has_sizes) = given.profile.has_transfers(given.device);
        let owners = Owners::of(&given.core.sets, order, given.range);
        Amounts { owners, starts, before, has_sizes, near_owner: 0, near_transfer: 0 }
    }

    /// Bytes of transfers that start in a window.
    fn bytes(&mut self, start: i64, end: i64) -> u64 {
        let n = self.starts.len();
        let from = first_position_near(0..n, self.near_transfer, |k| self.starts[k] >= start);
        let to = first_position_near(from..n, from, |k| self.starts[k] >= end);
        self.near_transfer = from;
        self.before[to].saturating_sub(self.before[from])
    }

    fn region(&self, given: &EvidenceContext<'_>, found: Found) -> Region {
        let windows = found.windows;
        let wall = (windows.first().map_or(i64::MAX, |w| w.0), windows.last().map_or(i64::MIN, |w| w.1));
        let range = |&(start, end): &(i64, i64)| TimeRange { start: TimeNs(start), end: TimeNs(end) };
        Region {
            name: found.name,
            wall: range(&wall),
            n_windows: windows.len() as u64,
            windows: windows.iter().take(MOST_WINDOWS).map(range).collect(),
            time: DurationNs(spans::length(&windows)),
            exclusive: self.owners.named(&found.times),
            instructions: found.instructions,
            moved_bytes: self.has_sizes.then_some(found.moved),
            issued_bytes: found.issued.or((!given.device.hbm.is_empty()).then_some(0)),
            flops: given.device.elements.is_recorded().then_some(found.flops),
            slices: found.slices,
        }
    }
}
