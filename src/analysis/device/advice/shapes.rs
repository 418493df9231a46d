//! R22–R26 and R29c: how well instructions fill their engine, as the sizes and types of their operands record.

use super::{Case, Finding, Out, Severity, Verdict, nanoseconds, percent};
use crate::analysis::spans::Spans;
use crate::base::Order as _;
use crate::base::{SliceId, StrId, for_each_chunk, largest, text};
use crate::model::domain::Shape;
use crate::model::{Dtype, NeuronDevice};

const NO_SHAPES: &str = "operands of instructions with their sizes";
/// The fixed cost of an instruction, in cycles of its engine, after AWS.
const OVERHEAD_CYCLES: f64 = 100.0;
/// Instructions that start within this of the end of the one before follow it at once, nanoseconds; ours.
const AT_ONCE_NS: i64 = 200;
/// Findings below this share of the run are not reported; our threshold.
const WORTH: f64 = 0.05;
/// Partitions, and columns of the array.
const FULL: u16 = 128;
/// Instructions on one operand that others of their kind could be put together with.
const SIMPLE: [&str; 9] = ["ACTIVATE", "CAST", "COPY", "MEMSET", "RECIPROCAL", "TENSOR_COPY", "TENSOR_SCALAR", "TENSOR_TENSOR", "SELECT"];

/// An instruction with sizes.
#[derive(Clone, Copy)]
struct Sized {
    shape: Shape,
    /// The track of its core.
    root: u32,
    engine: StrId,
    start: i64,
    end: i64,
}

impl Sized {
    fn duration(&self) -> f64 {
        (self.end - self.start) as f64
    }

    fn slice(&self) -> SliceId {
        SliceId(self.shape.slice)
    }
}

pub(super) fn judge(case: &Case<'_>, out: &mut Out<'_>) {
    let sized = sized(case);
    let (products, others) = sized.split_at(sized.partition_point(|s| s.shape.columns > 0));
    let none = products.is_empty() && others.is_empty();
    let or = |is_recorded: bool, verdict: Verdict| if is_recorded { verdict } else { Verdict::Missing(NO_SHAPES) };
    out.rule("R22", "Instructions on fewer than 128 elements per partition", or(!others.is_empty(), short(case, others)));
    out.rule("R23", "Instructions on fewer than 128 partitions", or(!none, narrow(case, products, others)));
    out.rule("R24", "Chains of simple instructions on the same data", or(!others.is_empty(), chains(case, others)));
    let (no_products, products) = (products.is_empty(), products_only(case, products));
    out.rule("R25", "Short operand stationary instead of moving", or(!no_products, short_held(case, &products)));
    out.rule("R26", "Matrix products in FP32", or(!no_products, fp32(case, &products)));
    out.rule("R29c", "Small share of instructions with source lines", coverage(case));
}

/// Instructions with sizes: those that have columns before the others, each by engine of a core and by start.
fn sized(case: &Case<'_>) -> Vec<Sized> {
    let (Some(device), Some(engines)) = (case.device(), case.profile.attribute("engine")) else { return Vec::new() };
    let roots = crate::analysis::device::waiting::signals::roots(case.profile);
    let slices = &case.profile.slices;
    // Shapes come by slice, so that a track is looked up once for each lane.
    let (mut end, mut root) = (0, 0);
    let mut out: Vec<Sized> = Vec::with_capacity(device.shapes.len());
    for_each_chunk(device.shapes.len(), &mut |part| {
        for shape in &device.shapes[part] {
            if shape.slice >= end {
                let lane = case.profile.lane_of(SliceId(shape.slice));
                (end, root) = lane.map_or((0, 0), |l| (l.end, roots[l.track.index()]));
            }
            let i = shape.slice as usize;
            out.push(Sized { shape: *shape, root, engine: engines.values[i], start: slices.start[i], end: slices.end(i) });
        }
    });
    // What a lane holds comes in order: several lanes are as many runs, which a stable sort merges.
    out.order_by_key(|s| (s.shape.columns == 0, s.root, s.engine, s.start, s.shape.slice));
    out
}

/// Keeps the matrix multiplications; loads of weights have the same operands.
fn products_only(case: &Case<'_>, products: &[Sized]) -> Vec<Sized> {
    let Some(device) = case.device() else { return Vec::new() };
    let is_product = |s: &&Sized| device.elements.get(s.shape.slice as usize).is_some_and(|e| *e != NeuronDevice::ABSENT);
    products.iter().filter(is_product).copied().collect()
}

/// Nanoseconds of an instruction's fixed cost; `None` without a clock.
fn overhead_ns(case: &Case<'_>) -> Option<f64> {
    let clock_ghz = ["pe_clock_others", "vector_engine_clock_freq"].iter().find_map(|name| case.facts.hardware_fact(name));
    clock_ghz.map(|ghz| OVERHEAD_CYCLES / ghz)
}

/// Pairs in which the second instruction starts immediately after the first on the same engine.
fn at_once(list: &[Sized]) -> impl Iterator<Item = (&Sized, &Sized)> {
    let is_pair = |p: &(&Sized, &Sized)| p.0.engine == p.1.engine && (0..=AT_ONCE_NS).contains(&(p.1.start - p.0.end));
    list.iter().zip(list.iter().skip(1)).filter(is_pair)
}

/// Time that instructions cover, what overlaps counted once; products overlap each other.
fn covered(list: &[&Sized]) -> f64 {
    Spans::union(list.iter().map(|s| (s.start, s.end))).total() as f64
}

/// A cost over durations as one over the time that they cover.
fn shared(list: &[&Sized], cost: f64) -> f64 {
    let sum: f64 = list.iter().map(|s| s.duration()).sum();
    if sum > 0.0 { cost * covered(list) / sum } else { 0.0 }
}

fn longest(case: &Case<'_>, list: Vec<&Sized>) -> Vec<super::Location> {
    largest(3, list.into_iter(), |s| s.end.saturating_sub(s.start)).into_iter().map(|s| case.place(s.slice())).collect()
}

fn short(case: &Case<'_>, others: &[Sized]) -> Verdict {
    let is_short = |s: &Sized| s.shape.elements < u32::from(FULL);
    let found: Vec<&Sized> = at_once(others).filter(|p| is_short(p.0) && is_short(p.1)).map(|p| p.1).collect();
    let time: f64 = found.iter().map(|s| s.duration()).sum();
    Verdict::when(found.len() >= 16 && time > WORTH * case.total, || {
        let cost = overhead_ns(case).map_or(0.0, |ns| found.iter().map(|s| s.duration().min(ns)).sum());
        Finding::new(Severity::Warning, "Chains of instructions on few elements")
            .cost(cost)
            .says("Instructions", text::count(found.len() as u64))
            .says("Sum of durations", nanoseconds(time))
            .at(longest(case, found))
            .because(
                "Each instruction has a fixed cost of about 100 cycles, whatever its size.",
                "Use a longer free dimension per instruction; for recurrences use a scan instruction.",
                "At least 16 instructions below 128 elements per partition that follow another such instruction within 200 ns, together above 5% of the run (our thresholds); cost = 100 cycles of each.",
            )
    })
}

fn narrow(case: &Case<'_>, products: &[Sized], others: &[Sized]) -> Verdict {
    let is_part = |n: u16| n > 0 && n < FULL;
    let is_narrow = |s: &&Sized| is_part(s.shape.partitions) || is_part(s.shape.columns);
    let found: Vec<&Sized> = products.iter().chain(others).filter(is_narrow).collect();
    let time = covered(&found);
    Verdict::when(time > WORTH * case.total && case.total > 0.0, || {
        let share = |n: u16| if is_part(n) { f64::from(n) / f64::from(FULL) } else { 1.0 };
        let idle = |s: &&Sized| s.duration() * (1.0 - share(s.shape.partitions) * share(s.shape.columns));
        Finding::new(Severity::Warning, "Idle partitions")
            .cost(shared(&found, found.iter().map(idle).sum()))
            .says("Instructions", text::count(found.len() as u64))
            .says("Time covered", nanoseconds(time))
            .at(longest(case, found))
            .because(
                "An engine processes 128 partitions at a time and a matrix product 128 × 128 cells; unused ones are idle.",
                "Distribute data over all 128 partitions; combine small tiles.",
                "Instructions on fewer than 128 partitions, or products of fewer rows or columns, take more than 5% of the run (our threshold); cost = Σ duration × idle share, overlaps counted once.",
            )
    })
}

fn chains(case: &Case<'_>, others: &[Sized]) -> Verdict {
    let flows = &case.profile.flows;
    if flows.from.is_empty() {
        return Verdict::Missing("dependencies between instructions");
    }
    let is_simple = |s: &Sized| SIMPLE.contains(&case.profile.name_of(s.slice()));
    let depends = |p: &(&Sized, &Sized)| {
        let first = flows.from.partition_point(|f| f.0 < p.0.shape.slice);
        flows.from[first..].iter().zip(&flows.to[first..]).take_while(|f| *f.0 == p.0.slice()).any(|f| *f.1 == p.1.slice())
    };
    let found: Vec<&Sized> = at_once(others).filter(|p| is_simple(p.0) && is_simple(p.1)).filter(depends).map(|p| p.1).collect();
    let time: f64 = found.iter().map(|s| s.duration()).sum();
    let busy =
        case.engines.iter().filter(|e| matches!(e.engine.as_str(), "Vector" | "Scalar")).map(|e| e.busy.0 as f64).fold(0.0, f64::max);
    Verdict::when(case.total > 0.0 && busy > 0.6 * case.total && time > 0.1 * case.total, || {
        let cost = overhead_ns(case).map_or(0.0, |ns| found.iter().map(|s| s.duration().min(ns)).sum());
        Finding::new(Severity::Warning, "Chains of simple instructions on the same data")
            .cost(cost)
            .says("Busiest of Vector and Scalar", percent(busy / case.total))
            .says("Instructions on the previous result", text::count(found.len() as u64))
            .says("Sum of durations", nanoseconds(time))
            .at(longest(case, found))
            .because(
                "Each instruction reads and writes all data again.",
                "Combine them: an activation can include scale and bias, tensor_scalar two operations, and a scan an entire recurrence.",
                "Vector or Scalar busy above 60% of the run, and simple instructions that directly follow their dependency above 10% (our thresholds); cost = 100 cycles of each.",
            )
    })
}

fn short_held(case: &Case<'_>, products: &[Sized]) -> Verdict {
    let is_short = |s: &&Sized| s.shape.columns <= FULL / 2 && s.shape.elements >= 2 * u32::from(s.shape.columns).max(64);
    let found: Vec<&Sized> = products.iter().filter(is_short).collect();
    let time = covered(&found);
    Verdict::when(case.total > 0.0 && time > WORTH * case.total, || {
        let saved = |s: &&Sized| s.duration() * (1.0 - f64::from(s.shape.columns.max(64)) / f64::from(s.shape.elements));
        Finding::new(Severity::Info, "Short operand stationary, long operand moving")
            .cost(shared(&found, found.iter().map(saved).sum()))
            .says("Products", text::count(found.len() as u64))
            .says("Time covered", nanoseconds(time))
            .at(longest(case, found))
            .because(
                "Loading stationary columns is up to four times faster than moving them through the array.",
                "Swap the operands: make the long operand stationary and the short one moving.",
                "Products with at most 64 stationary columns and at least twice as many moving ones take more than 5% of the run (our thresholds); cost = Σ duration × (1 − stationary ÷ moving), at least 64 columns each, an estimate.",
            )
    })
}

fn fp32(case: &Case<'_>, products: &[Sized]) -> Verdict {
    let types = case.profile.attribute("instruction_type");
    let is_transpose = |s: &Sized| types.is_some_and(|t| case.profile.strings.get(t.values[s.shape.slice as usize]) == "TRANSPOSE");
    let found: Vec<&Sized> = products.iter().filter(|s| s.shape.dtype == Dtype::Fp32 && !is_transpose(s)).collect();
    let time = covered(&found);
    Verdict::when(case.total > 0.0 && time > WORTH * case.total, || {
        Finding::new(Severity::Warning, "Matrix products in FP32")
            .cost(0.75 * time)
            .says("Products", format!("{} of {}", text::count(found.len() as u64), text::count(products.len() as u64)))
            .says("Time covered", nanoseconds(time))
            .at(longest(case, found))
            .because(
                "The tensor engine takes four times as long for FP32 as for BF16.",
                "Cast to BF16 if the accuracy allows it; sums in PSUM remain in FP32.",
                "Products of FP32 operands, without transposes, take more than 5% of the run (our threshold); cost = three quarters of their time, an upper bound.",
            )
    })
}

fn coverage(case: &Case<'_>) -> Verdict {
    let (Some(sources), Some(types)) = (case.profile.attribute("source"), case.profile.attribute("instruction_type")) else {
        return Verdict::Missing("NKI source lines of instructions");
    };
    let Some(engines) = case.profile.attribute("engine") else { return Verdict::Missing("instructions of engines") };
    let is_meant: Vec<bool> = case.profile.strings.iter().map(|s| matches!(s.1, "Tensor" | "Vector" | "Scalar")).collect();
    let (mut n, mut n_named) = (0u64, 0u64);
    for_each_chunk(types.values.len(), &mut |part| {
        for i in part.filter(|i| types.values[*i] != StrId(0) && is_meant[engines.values[*i].index()]) {
            n += 1;
            n_named += u64::from(sources.values[i] != StrId(0));
        }
    });
    Verdict::when(n > 0 && 2 * n_named < n, || {
        Finding::new(Severity::Info, "Less than half of the instructions with source lines")
            .says("Instructions of Tensor, Vector and Scalar with a source line", percent(n_named as f64 / n as f64))
            .because(
                "The other instructions are generated by the compiler from operators.",
                "Consider NKI kernels for operators that take most of this time.",
                "Less than 50% of the compiler's instructions on Tensor, Vector and Scalar have a source line.",
            )
    })
}
