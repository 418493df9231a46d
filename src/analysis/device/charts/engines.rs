//! Where the time of each engine went, and where its instructions come from.

use super::{ChartContext, Charts, EngineSplit, Origins};
use crate::analysis::device::run_metrics::metrics::ENGINES;
use crate::analysis::device::share;
use crate::analysis::recent_cache::Groups;
use crate::analysis::spans::{self, Spans, length_in};
use crate::base::Order as _;
use crate::base::{DurationNs, StrId, TrackId, for_each_chunk};
use crate::model::domain::Throttle;
use crate::model::{Column, NeuronDevice, TrackKind};

/// What is known of an engine while its rows are walked.
struct Work {
    root: u32,
    core: String,
    /// Place in [`ENGINES`].
    engine: usize,
    spans: Vec<(i64, i64)>,
    /// FLOPs, and those of transposes; `None` while no instruction records.
    flops: Option<(u64, u64)>,
    origins: Origins,
    /// Instructions by their names, which are their opcodes.
    opcodes: Groups<StrId, u64>,
}

/// Opcodes of an engine that are named.
const MOST_OPCODES: usize = 5;

pub(super) fn engines(given: &ChartContext<'_>, out: &mut Charts) {
    let mut works: Vec<Work> = Vec::new();
    let transpose = given.profile.strings.iter().find(|s| s.1 == "TRANSPOSE").map(|s| s.0);
    let is_wait = crate::analysis::device::waiting::waits::names(given.profile);
    let records_source = given.profile.attribute("source").is_some_and(|a| a.values.iter().any(|s| *s != StrId(0)));
    for (t, _) in given.profile.tracks.iter().enumerate().filter(|t| t.1.kind == TrackKind::Engine) {
        add_track(given, t, (&is_wait, transpose, records_source), &mut works);
    }
    works.order_by_key(|w| (w.root, w.engine));
    let is_limited = !given.device.throttles.is_empty();
    let peak = given.facts.core_flops();
    let records_flops = works.iter().any(|w| w.flops.is_some());
    out.engines = works.into_iter().map(|work| split(given, work, peak, is_limited)).collect();
    if out.engines.is_empty() {
        out.notes.push(
            if given.range.is_some() {
                "No engine ran an instruction in this range."
            } else {
                "No engine instructions are recorded in this file."
            }
            .into(),
        );
    } else if !records_flops && given.range.is_some() && given.device.elements.is_recorded() {
        out.notes.push("No matrix product ran in this range. Active time is not split.".into());
    } else if !records_flops {
        out.notes.push(
            "FLOPs are not available: the elements of matrix products are not recorded in this file. Active time is not split.".into(),
        );
    } else if peak.is_none() {
        out.notes.push(
            "FLOPs utilization is not available: the metadata do not record the clock or size of the tensor engine. Active time is not split."
                .into(),
        );
    }
    if !is_limited && !out.engines.is_empty() {
        out.notes.push("Throttling loss is not available: throttling intervals are not recorded in this file.".into());
    }
}

fn add_track(
    given: &ChartContext<'_>,
    track: usize,
    (is_wait, transpose, records_source): (&[bool], Option<StrId>, bool),
    works: &mut Vec<Work>,
) {
    let profile = given.profile;
    let own = profile.strings.get(profile.tracks[track].name);
    let attribute = |id: &str| profile.attribute(id).map(|a| &a.values);
    let (engines, sources, types) = (attribute("engine"), attribute("source"), attribute("instruction_type"));
    let is_set = |column: Option<&Column<StrId>>, i: usize| column.and_then(|values| values.at(i)).is_some_and(|id| id != StrId(0));
    let engine_of = |id: StrId| {
        let recorded = Some(profile.strings.get(id)).filter(|e| !e.is_empty()).unwrap_or(own);
        ENGINES.iter().position(|e| e.engine.eq_ignore_ascii_case(recorded))
    };
    // Engines without work in the range are listed too.
    let has_column = (records_source, types.is_some());
    let own_engine = engine_of(StrId(0)).map(|engine| place(given, track, engine, has_column, works));
    let mut last: Option<(StrId, Option<usize>)> = own_engine.map(|at| (StrId(0), Some(at)));
    let by_start = &profile.slices.by_start[profile.slices_of(TrackId(track as u32))];
    for_each_chunk(by_start.len(), &mut |part| {
        for i in by_start[part].iter().map(|i| *i as usize) {
            let Some(span) = given.span(i) else { continue };
            let id = engines.and_then(|values| values.at(i)).unwrap_or_default();
            let place = last
                .filter(|l| l.0 == id)
                .map_or_else(|| engine_of(id).map(|engine| place(given, track, engine, has_column, works)), |l| l.1);
            last = Some((id, place));
            let Some(work) = place.map(|at| &mut works[at]) else { continue };
            work.origins.add(is_set(sources, i), is_set(types, i));
            let name = profile.slices.name[i];
            *work.opcodes.of(name.0, name) += 1;
            if !is_wait[name.index()] {
                spans::push(&mut work.spans, span);
            }
            if let Some(elements) = given.device.elements.at(i).filter(|e| *e != NeuronDevice::ABSENT) {
                let (all, moved) = work.flops.unwrap_or_default();
                let flops = share::within(2 * u64::from(elements), (profile.slices.start[i], profile.slices.end(i)), given.within);
                let is_transpose = transpose.is_some() && types.and_then(|values| values.at(i)) == transpose;
                work.flops = Some((all + flops, moved + if is_transpose { flops } else { 0 }));
            }
        }
    });
}

/// Place of an engine of the track's core in `works`, new or known.
/// `has_column`: whether the file records sources, and types of instructions.
fn place(given: &ChartContext<'_>, track: usize, engine: usize, has_column: (bool, bool), works: &mut Vec<Work>) -> usize {
    let root = given.roots[track];
    works.iter().position(|w| w.root == root && w.engine == engine).unwrap_or_else(|| {
        let origins = Origins { source: has_column.0.then_some(0), compiler: 0, runtime: has_column.1.then_some(0) };
        let opcodes = Groups::default();
        works.push(Work { root, core: given.core(track), engine, spans: Vec::new(), flops: None, origins, opcodes });
        works.len() - 1
    })
}

fn split(given: &ChartContext<'_>, work: Work, peak: Option<f64>, is_limited: bool) -> EngineSplit {
    let spans = Spans::union(work.spans);
    let busy = spans.total();
    let active = given.share(busy as f64);
    let possible = peak.map(|p| p * given.window.0 as f64 / 1e9).filter(|p| *p > 0.0);
    let part = |flops: u64| possible.map(|p| flops as f64 / p);
    let model = work.flops.and_then(|(all, moved)| part(all - moved));
    let transpose = work.flops.and_then(|(_, moved)| part(moved));
    // Only the tensor engine is throttled.
    let is_limited = is_limited && ENGINES[work.engine].engine == "Tensor";
    let limits: Vec<&Throttle> = given.device.throttles.iter().filter(|t| t.core.0 == work.root && t.limit < 1.0).collect();
    let lost = |spans: &[(i64, i64)]| -> f64 { limits.iter().map(|t| length_in(spans, t.start, t.end) as f64 * (1.0 - t.limit)).sum() };
    let window = [(given.within.start.0, given.within.end.0)];
    let active_lost = lost(&spans.0);
    let idle_lost = lost(&window) - active_lost;
    let useful = model.unwrap_or(0.0) + transpose.unwrap_or(0.0);
    let active_throttled = is_limited.then(|| given.share(active_lost).min((active - useful).max(0.0)));
    let unused_throttled = is_limited.then(|| given.share(idle_lost).min((1.0 - active).max(0.0)));
    EngineSplit {
        core: work.core,
        engine: ENGINES[work.engine].engine.into(),
        active: (active - useful - active_throttled.unwrap_or(0.0)).max(0.0),
        unused: (1.0 - active - unused_throttled.unwrap_or(0.0)).max(0.0),
        model,
        transpose,
        active_throttled,
        unused_throttled,
        busy: DurationNs(busy),
        origins: work.origins,
        opcodes: most_frequent(given, work.opcodes.all),
    }
}

/// The most frequent opcodes first; equal ones by name.
fn most_frequent(given: &ChartContext<'_>, counts: Vec<(StrId, u64)>) -> Vec<(String, u64)> {
    let mut all: Vec<(String, u64)> = counts.into_iter().map(|(id, n)| (given.profile.strings.get(id).to_string(), n)).collect();
    all.order_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    all.truncate(MOST_OPCODES);
    all
}

impl Origins {
    fn add(&mut self, has_source: bool, has_type: bool) {
        match self {
            Origins { source: Some(n), .. } if has_source => *n += 1,
            Origins { runtime: Some(n), .. } if !has_type => *n += 1,
            Origins { compiler, .. } => *compiler += 1,
        }
    }
}
