//! What explains gaps of the compute bounds: products that start late, small tiles, transposes, throttling.

use super::{Evidence, EvidenceContext, Groups, Label, plus_time};
use crate::analysis::device::activity::lanes;
use crate::analysis::device::bounds::rows::Product;
use crate::analysis::device::run_metrics::metrics::MetricSource;
use crate::analysis::device::share::add_recorded;
use crate::analysis::device::waiting::signals::{Signal, Signals, Used, condition};
use crate::analysis::recent_cache;
use crate::base::{SliceId, StrId, first_position_near, for_each_of, text};
use crate::model::domain::Shape;
use crate::model::{Dtype, SemaphoreRole, TrackKind};
use rustc_hash::FxHashMap;

const NO_PRODUCTS: &str =
    "Matrix products are not recorded with their operands in this range: open the NEFF together with the trace, or the JSON.";

/// Time of a product at full rate, nanoseconds.
fn least_ns(product: &Product, clock_ghz: f64) -> f64 {
    f64::from(product.half_passes) / 2.0 * f64::from(product.columns.unwrap_or(0)) / clock_ghz
}

/// Products that start later than the engine could start them, by what they, or the engine before them, waited for last.
pub(super) fn late(given: &EvidenceContext<'_>, signals: &Signals<'_>, out: &mut Evidence) {
    let Some(clock) = MetricSource::of(given.profile).tensor_clock_ghz() else {
        return out.notes.push("Late products need the clock of the Tensor engine, which this file does not record.".into());
    };
    let products: Vec<&Product> = given.core.products.iter().filter(|p| p.columns.is_some()).collect();
    if products.is_empty() {
        return out.notes.push(NO_PRODUCTS.into());
    }
    let steps = tensor_steps(given);
    let mut near = 0;
    let mut texts = LateTexts::default();
    let mut groups: Groups<u32> = Groups::new();
    for pair in products.windows(2) {
        let ready = pair[0].start.saturating_add(least_ns(pair[0], clock) as i64);
        let late = pair[1].start.saturating_sub(ready);
        if late <= 0 {
            continue;
        }
        // Products come by start.
        let from = first_position_near(0..steps.len(), near, |at| steps[at].0 > pair[0].start);
        near = first_position_near(from..steps.len(), from, |at| steps[at].0 > pair[1].start);
        let by = late_by(given, signals, &steps[from..near], (ready, pair[1].start));
        plus_time(&mut groups.add(texts.place(given, by), SliceId(pair[1].slice)).time, late);
    }
    out.rows = groups.rows(given.profile, |place| texts.all[*place as usize].clone());
    if !signals.has_operands() {
        out.notes.push("What a product waits for needs the operands of instructions, which this file does not record.".into());
    }
}

/// Instructions of the Tensor engine, by start.
fn tensor_steps(given: &EvidenceContext<'_>) -> Vec<(i64, u32)> {
    let is_tensor: Vec<bool> = given.profile.strings.iter().map(|(_, name)| name == "Tensor").collect();
    let lanes = given.tracks(TrackKind::Engine).flat_map(|track| given.profile.tracks[track.index()].lanes.clone());
    let slices = lanes.map(|lane| given.profile.lanes[lane as usize]).map(|lane| (lane.first as usize..lane.end as usize, ()));
    let pick = |(): &mut (), i: usize| is_tensor[given.engine(i).index()].then_some(i as u32);
    let mut out: Vec<(i64, u32)> = Vec::new();
    lanes::for_each_by_start(given.profile, given.profile.meta.range, slices, pick, |start, slice| out.push((start, slice)));
    out
}

/// What a product waited for last.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum LateBy {
    /// Nothing that signals: its own engine was not ready.
    OwnEngine,
    /// A transfer that this instruction started.
    Transfer(Label),
    /// An instruction, with its engine.
    Instruction(StrId, Label),
    /// Id, owner and value of a semaphore that nothing recorded raises; whether it is to be equal.
    Unknown(StrId, StrId, i64, bool),
}

/// The texts of what products waited for; several can have one.
#[derive(Default)]
struct LateTexts {
    all: Vec<(String, String)>,
    known: FxHashMap<(String, String), u32>,
    of: recent_cache::Groups<LateBy, Option<u32>>,
}

impl LateTexts {
    fn place(&mut self, given: &EvidenceContext<'_>, (by, wait): (LateBy, Option<Used<'_>>)) -> u32 {
        let LateTexts { all, known, of } = self;
        *of.of_key(by).get_or_insert_with(|| {
            let text = match (by, wait) {
                (LateBy::Transfer(label), _) => ("DMA".into(), format!("transfer started by {}", given.text(label))),
                (LateBy::Instruction(engine, label), _) => (given.profile.strings.get(engine).into(), given.text(label)),
                (LateBy::Unknown(..), Some(wait)) => ("Not recorded".into(), condition(given.profile, &wait)),
                _ => ("Tensor".into(), "no later signal: the products or weights before it".into()),
            };
            *known.entry(text).or_insert_with_key(|text| {
                all.push(text.clone());
                all.len() as u32 - 1
            })
        })
    }
}

/// The last condition of some steps that became true after the engine was ready, until a product started: who signalled.
fn late_by<'a>(
    given: &EvidenceContext<'_>,
    signals: &Signals<'a>,
    steps: &[(i64, u32)],
    (ready, start): (i64, i64),
) -> (LateBy, Option<Used<'a>>) {
    let waits = steps.iter().flat_map(|s| signals.waits(SliceId(s.1)));
    let reached = waits.filter_map(|wait| Some((signals.reached(wait, start).filter(|t| *t > ready)?, wait)));
    let Some((time, wait)) = reached.max_by_key(|r| r.0) else { return (LateBy::OwnEngine, None) };
    let label = |slice: SliceId| given.label(slice.index());
    let by = match signals.signal(wait, time) {
        Some(Signal::Transfer(slice)) => LateBy::Transfer(label(slice)),
        Some(Signal::Instruction(slice)) => LateBy::Instruction(given.engine(slice.index()), label(slice)),
        None => LateBy::Unknown(wait.id, wait.owner, wait.value, wait.role == SemaphoreRole::Exactly),
    };
    (by, Some(wait))
}

fn shape(given: &EvidenceContext<'_>, product: &Product) -> Option<Shape> {
    let shapes = &given.device.shapes;
    shapes.binary_search_by_key(&product.slice, |s| s.slice).ok().map(|at| shapes[at])
}

fn dtype(shape: &Shape) -> &'static str {
    match shape.dtype {
        Dtype::Fp32 if shape.is_low_high => "FP32, 2 passes",
        Dtype::Fp32 => "FP32, 4 passes",
        Dtype::Fp16 => "BF16, FP16 or TF32",
        Dtype::Fp8 => "FP8",
        Dtype::Int => "integer",
        Dtype::Other => "type not recorded",
    }
}

/// Products by tile size K × M × N, type and line.
pub(super) fn tiles(given: &EvidenceContext<'_>, out: &mut Evidence) {
    let mut groups: Groups<((u16, u16, u32), &'static str, Label)> = Groups::new();
    for_each_of(&given.core.products, |product| {
        let Some(shape) = shape(given, product) else { return };
        let tile = (shape.partitions, shape.columns, shape.elements);
        let row = groups.add((tile, dtype(&shape), given.label(product.slice as usize)), SliceId(product.slice));
        plus_time(&mut row.time, given.profile.slices.duration[product.slice as usize]);
        add_recorded(&mut row.flops, Some(product.flops()));
    });
    let name = |((k, m, n), dtype, label): &((u16, u16, u32), &'static str, Label)| {
        (format!("{k} × {m} × {n}"), format!("{dtype}, {}", given.text(*label)))
    };
    out.rows = groups.rows(given.profile, name);
    if out.rows.is_empty() {
        out.notes.push(NO_PRODUCTS.into());
    }
    throttling(given, out);
    given.note_lines(out);
}

/// Times under a limit of the clock.
fn throttling(given: &EvidenceContext<'_>, out: &mut Evidence) {
    if given.device.throttles.is_empty() {
        return out.notes.push("Durations of throttling are not recorded in this file.".into());
    }
    let within = |t: &crate::model::domain::Throttle| t.end.min(given.range.end.0).saturating_sub(t.start.max(given.range.start.0)).max(0);
    let limited = given.device.throttles.iter().filter(|t| t.core.0 == given.core.root && t.limit < 1.0);
    let (time, least) =
        limited.map(|t| (within(t), t.limit)).filter(|t| t.0 > 0).fold((0i64, 1f64), |a, t| (a.0.saturating_add(t.0), a.1.min(t.1)));
    out.notes.push(match time {
        0 => "The clock was not limited in this range.".into(),
        _ => format!("The clock was limited for {}, to {} at least.", text::duration(crate::base::DurationNs(time)), text::percent(least)),
    });
}

/// Products that only transpose, by line.
pub(super) fn transposes(given: &EvidenceContext<'_>, out: &mut Evidence) {
    let mut groups: Groups<Label> = Groups::new();
    for product in given.core.products.iter().filter(|p| p.is_transpose) {
        let row = groups.add(given.label(product.slice as usize), SliceId(product.slice));
        plus_time(&mut row.time, given.profile.slices.duration[product.slice as usize]);
        add_recorded(&mut row.flops, Some(product.flops()));
    }
    out.rows = groups.rows(given.profile, |label| (given.text(*label), String::new()));
    if given.core.products.is_empty() {
        out.notes.push(NO_PRODUCTS.into());
    }
    given.note_lines(out);
}
