//! R22–R26 and R29c: how well instructions fill their engine, as the sizes and types of their operands record.

use super::{Case, Finding, Out, Severity, Verdict, nanoseconds, percent};
use crate::analysis::device::activity::lanes;
use crate::analysis::device::waiting::signals;
use crate::analysis::spans::{self, Spans};
use crate::base::{SliceId, StrId, for_each_chunk, largest, text};
use crate::model::domain::Shape;
use crate::model::{Column, Dtype, NeuronDevice};
use std::collections::BTreeMap;
use std::ops::Range;

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

/// Instructions with sizes. A long run has millions: they are listed by their places among the shapes.
struct Sizes<'c, 'a> {
    case: &'c Case<'a>,
    shapes: &'c [Shape],
    engines: Option<&'c Column<StrId>>,
    /// Those that have columns, by core and engine, then by start.
    products: Vec<u32>,
    /// The others, in the same order.
    others: Vec<u32>,
}

/// Lanes by the track of their core and the engine: their slices, and the first of their shapes.
type LanesOfEngines = BTreeMap<(u32, StrId), Vec<(Range<usize>, usize)>>;

pub(super) fn judge(case: &Case<'_>, out: &mut Out<'_>) {
    let mut sizes = Sizes::of(case);
    let or = |is_recorded: bool, verdict: Verdict| if is_recorded { verdict } else { Verdict::Missing(NO_SHAPES) };
    let (has_products, has_others) = (!sizes.products.is_empty(), !sizes.others.is_empty());
    out.rule("R22", "Instructions on fewer than 128 elements per partition", or(has_others, sizes.short()));
    out.rule("R23", "Instructions on fewer than 128 partitions", or(has_products || has_others, sizes.narrow()));
    out.rule("R24", "Chains of simple instructions on the same data", or(has_others, sizes.chains()));
    sizes.leave_out_loads();
    out.rule("R25", "Short operand stationary instead of moving", or(has_products, sizes.short_held()));
    out.rule("R26", "Matrix products in FP32", or(has_products, sizes.fp32()));
    out.rule("R29c", "Small share of instructions with source lines", coverage(case));
}

impl<'c, 'a> Sizes<'c, 'a> {
    fn of(case: &'c Case<'a>) -> Self {
        let (shapes, engines) = match (case.device(), case.profile.attribute("engine")) {
            (Some(device), Some(engines)) => (device.shapes.as_slice(), Some(&engines.values)),
            _ => (&[][..], None),
        };
        let mut out = Sizes { case, shapes, engines, products: Vec::new(), others: Vec::new() };
        let (mut products, mut others) = (Vec::new(), Vec::new());
        for ((_, engine), lanes) in out.lanes() {
            let pick = |next: &mut usize, slice: usize| {
                while shapes.get(*next).is_some_and(|s| (s.slice as usize) < slice) {
                    *next += 1;
                }
                let has_sizes = shapes.get(*next).is_some_and(|s| s.slice as usize == slice);
                (has_sizes && engines.and_then(|engines| engines.at(slice)) == Some(engine)).then_some(*next as u32)
            };
            lanes::for_each_by_start(case.profile, case.profile.meta.range, lanes.into_iter(), pick, |_, at| {
                let list = if shapes[at as usize].columns > 0 { &mut products } else { &mut others };
                list.push(at);
            });
        }
        (out.products, out.others) = (products, others);
        out
    }

    /// The lanes that hold instructions with sizes.
    fn lanes(&self) -> LanesOfEngines {
        let mut out = LanesOfEngines::new();
        let roots = signals::roots(self.case.profile);
        // Shapes come by slice: those of a lane are together. Most lanes are of one engine.
        let (mut lane, mut root, mut first, mut last) = (0..0, 0, 0, None);
        for_each_chunk(self.shapes.len(), &mut |part| {
            for at in part {
                let slice = self.shapes[at].slice;
                if slice as usize >= lane.end {
                    let known = self.case.profile.lane_of(SliceId(slice));
                    lane = known.map_or(slice as usize..slice as usize + 1, |l| l.first as usize..l.end as usize);
                    root = known.map_or(0, |l| roots[l.track.index()]);
                    (first, last) = (at, None);
                }
                let engine = self.engine(slice as usize);
                if last.replace(engine) == Some(engine) {
                    continue;
                }
                let lanes = out.entry((root, engine)).or_default();
                if lanes.last().is_none_or(|l| l.1 != first) {
                    lanes.push((lane.clone(), first));
                }
            }
        });
        out
    }

    /// Leaves only the matrix multiplications of the products: loads of weights have the same operands.
    fn leave_out_loads(&mut self) {
        let (shapes, elements) = (self.shapes, self.case.device().map(|device| &device.elements));
        let slice = |at: u32| shapes[at as usize].slice as usize;
        self.products.retain(|at| elements.and_then(|elements| elements.at(slice(*at))).is_some_and(|e| e != NeuronDevice::ABSENT));
    }

    fn engine(&self, slice: usize) -> StrId {
        self.engines.and_then(|engines| engines.at(slice)).unwrap_or_default()
    }

    fn at(&self, place: u32) -> Sized {
        let (shape, slices) = (self.shapes[place as usize], &self.case.profile.slices);
        let i = shape.slice as usize;
        Sized { shape, engine: self.engine(i), start: slices.start[i], end: slices.end(i) }
    }

    /// Those of a list that are as asked.
    fn filtered(&self, list: &[u32], is_it: impl Fn(&Sized) -> bool) -> Vec<u32> {
        let mut out = Vec::new();
        for_each_chunk(list.len(), &mut |part| out.extend(list[part].iter().filter(|at| is_it(&self.at(**at)))));
        out
    }

    /// Instructions that start immediately after another one on the same engine, where the two (first, second) are as asked.
    fn at_once(&self, is_it: impl Fn(&Sized, &Sized) -> bool) -> Vec<u32> {
        let mut out = Vec::new();
        let mut before: Option<Sized> = None;
        for_each_chunk(self.others.len(), &mut |part| {
            for &at in &self.others[part] {
                let this = self.at(at);
                let is_pair = |b: &Sized| b.engine == this.engine && (0..=AT_ONCE_NS).contains(&(this.start - b.end));
                if before.replace(this).is_some_and(|b| is_pair(&b) && is_it(&b, &this)) {
                    out.push(at);
                }
            }
        });
        out
    }

    /// A sum over instructions.
    fn sum(&self, list: &[u32], of: impl Fn(&Sized) -> f64) -> f64 {
        let mut sum = 0.0;
        for_each_chunk(list.len(), &mut |part| list[part].iter().for_each(|at| sum += of(&self.at(*at))));
        sum
    }

    /// Time that instructions cover, what overlaps counted once; products overlap each other.
    fn covered(&self, list: &[u32]) -> f64 {
        let mut spans = Vec::new();
        for_each_chunk(list.len(), &mut |part| {
            list[part].iter().map(|at| self.at(*at)).for_each(|s| spans::push(&mut spans, (s.start, s.end)));
        });
        Spans::union(spans).total() as f64
    }

    /// A cost over durations as one over the time that they cover.
    fn shared(&self, list: &[u32], cost: f64) -> f64 {
        let sum = self.sum(list, Sized::duration);
        if sum > 0.0 { cost * self.covered(list) / sum } else { 0.0 }
    }

    fn longest(&self, list: &[u32]) -> Vec<super::Location> {
        let found = largest(3, list.iter().map(|at| self.at(*at)), |s| s.end.saturating_sub(s.start));
        found.into_iter().map(|s| self.case.place(s.slice())).collect()
    }

    /// Nanoseconds of fixed cost in instructions; 0 without a clock.
    fn overhead(&self, list: &[u32]) -> f64 {
        overhead_ns(self.case).map_or(0.0, |ns| self.sum(list, |s| s.duration().min(ns)))
    }

    fn short(&self) -> Verdict {
        let is_short = |s: &Sized| s.shape.elements < u32::from(FULL);
        let found = self.at_once(|a, b| is_short(a) && is_short(b));
        let time = self.sum(&found, Sized::duration);
        Verdict::when(found.len() >= 16 && time > WORTH * self.case.total, || {
            Finding::new(Severity::Warning, "Chains of instructions on few elements")
                .cost(self.overhead(&found))
                .says("Instructions", text::count(found.len() as u64))
                .says("Sum of durations", nanoseconds(time))
                .at(self.longest(&found))
                .because(
                    "Each instruction has a fixed cost of about 100 cycles, whatever its size.",
                    "Use a longer free dimension per instruction; for recurrences use a scan instruction.",
                    "At least 16 instructions below 128 elements per partition that follow another such instruction within 200 ns, together above 5% of the run (our thresholds); cost = 100 cycles of each.",
                )
        })
    }

    fn narrow(&self) -> Verdict {
        let is_part = |n: u16| n > 0 && n < FULL;
        let is_narrow = |s: &Sized| is_part(s.shape.partitions) || is_part(s.shape.columns);
        let mut found = self.filtered(&self.products, is_narrow);
        found.append(&mut self.filtered(&self.others, is_narrow));
        let (time, total) = (self.covered(&found), self.case.total);
        Verdict::when(time > WORTH * total && total > 0.0, || {
            let share = |n: u16| if is_part(n) { f64::from(n) / f64::from(FULL) } else { 1.0 };
            let idle = |s: &Sized| s.duration() * (1.0 - share(s.shape.partitions) * share(s.shape.columns));
            Finding::new(Severity::Warning, "Idle partitions")
                .cost(self.shared(&found, self.sum(&found, idle)))
                .says("Instructions", text::count(found.len() as u64))
                .says("Time covered", nanoseconds(time))
                .at(self.longest(&found))
                .because(
                    "An engine processes 128 partitions at a time and a matrix product 128 × 128 cells; unused ones are idle.",
                    "Distribute data over all 128 partitions; combine small tiles.",
                    "Instructions on fewer than 128 partitions, or products of fewer rows or columns, take more than 5% of the run (our threshold); cost = Σ duration × idle share, overlaps counted once.",
                )
        })
    }

    fn chains(&self) -> Verdict {
        let (case, flows) = (self.case, &self.case.profile.flows);
        if flows.from.is_empty() {
            return Verdict::Missing("dependencies between instructions");
        }
        let is_simple = |s: &Sized| SIMPLE.contains(&case.profile.name_of(s.slice()));
        let depends = |a: &Sized, b: &Sized| {
            let first = flows.from.partition_point(|f| f.0 < a.shape.slice);
            flows.from[first..].iter().zip(&flows.to[first..]).take_while(|f| *f.0 == a.slice()).any(|f| *f.1 == b.slice())
        };
        let found = self.at_once(|a, b| is_simple(a) && is_simple(b) && depends(a, b));
        let time = self.sum(&found, Sized::duration);
        let busy =
            case.engines.iter().filter(|e| matches!(e.engine.as_str(), "Vector" | "Scalar")).map(|e| e.busy.0 as f64).fold(0.0, f64::max);
        Verdict::when(case.total > 0.0 && busy > 0.6 * case.total && time > 0.1 * case.total, || {
            Finding::new(Severity::Warning, "Chains of simple instructions on the same data")
                .cost(self.overhead(&found))
                .says("Busiest of Vector and Scalar", percent(busy / case.total))
                .says("Instructions on the previous result", text::count(found.len() as u64))
                .says("Sum of durations", nanoseconds(time))
                .at(self.longest(&found))
                .because(
                    "Each instruction reads and writes all data again.",
                    "Combine them: an activation can include scale and bias, tensor_scalar two operations, and a scan an entire recurrence.",
                    "Vector or Scalar busy above 60% of the run, and simple instructions that directly follow their dependency above 10% (our thresholds); cost = 100 cycles of each.",
                )
        })
    }

    fn short_held(&self) -> Verdict {
        let is_short = |s: &Sized| s.shape.columns <= FULL / 2 && s.shape.elements >= 2 * u32::from(s.shape.columns).max(64);
        let found = self.filtered(&self.products, is_short);
        let (time, total) = (self.covered(&found), self.case.total);
        Verdict::when(total > 0.0 && time > WORTH * total, || {
            let saved = |s: &Sized| s.duration() * (1.0 - f64::from(s.shape.columns.max(64)) / f64::from(s.shape.elements));
            Finding::new(Severity::Info, "Short operand stationary, long operand moving")
                .cost(self.shared(&found, self.sum(&found, saved)))
                .says("Products", text::count(found.len() as u64))
                .says("Time covered", nanoseconds(time))
                .at(self.longest(&found))
                .because(
                    "Loading stationary columns is up to four times faster than moving them through the array.",
                    "Swap the operands: make the long operand stationary and the short one moving.",
                    "Products with at most 64 stationary columns and at least twice as many moving ones take more than 5% of the run (our thresholds); cost = Σ duration × (1 − stationary ÷ moving), at least 64 columns each, an estimate.",
                )
        })
    }

    fn fp32(&self) -> Verdict {
        let profile = self.case.profile;
        let types = profile.attribute("instruction_type");
        let is_transpose =
            |s: &Sized| types.and_then(|t| t.values.at(s.shape.slice as usize)).is_some_and(|id| profile.strings.get(id) == "TRANSPOSE");
        let found = self.filtered(&self.products, |s| s.shape.dtype == Dtype::Fp32 && !is_transpose(s));
        let (time, total) = (self.covered(&found), self.case.total);
        Verdict::when(total > 0.0 && time > WORTH * total, || {
            Finding::new(Severity::Warning, "Matrix products in FP32")
                .cost(0.75 * time)
                .says("Products", format!("{} of {}", text::count(found.len() as u64), text::count(self.products.len() as u64)))
                .says("Time covered", nanoseconds(time))
                .at(self.longest(&found))
                .because(
                    "The tensor engine takes four times as long for FP32 as for BF16.",
                    "Cast to BF16 if the accuracy allows it; sums in PSUM remain in FP32.",
                    "Products of FP32 operands, without transposes, take more than 5% of the run (our threshold); cost = three quarters of their time, an upper bound.",
                )
        })
    }
}

/// Nanoseconds of an instruction's fixed cost; `None` without a clock.
fn overhead_ns(case: &Case<'_>) -> Option<f64> {
    let clock_ghz = ["pe_clock_others", "vector_engine_clock_freq"].iter().find_map(|name| case.facts.hardware_fact(name));
    clock_ghz.map(|ghz| OVERHEAD_CYCLES / ghz)
}

fn coverage(case: &Case<'_>) -> Verdict {
    let (Some(sources), Some(types)) = (case.profile.attribute("source"), case.profile.attribute("instruction_type")) else {
        return Verdict::Missing("NKI source lines of instructions");
    };
    let Some(engines) = case.profile.attribute("engine") else { return Verdict::Missing("instructions of engines") };
    let is_meant: Vec<bool> = case.profile.strings.iter().map(|s| matches!(s.1, "Tensor" | "Vector" | "Scalar")).collect();
    let (mut n, mut n_named, mut kinds) = (0u64, 0u64, Vec::new());
    for_each_chunk(types.values.len(), &mut |part| {
        types.values.part(part.clone(), &mut kinds);
        for (i, _) in part.zip(&kinds).filter(|(_, kind)| **kind != StrId(0)) {
            if engines.values.at(i).is_some_and(|engine| is_meant[engine.index()]) {
                n += 1;
                n_named += u64::from(sources.values.at(i).is_some_and(|source| source != StrId(0)));
            }
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
