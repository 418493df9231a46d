//! Tables of a PyTorch trace: kernels, operators, steps, memory, collectives.

use super::torch_index::TorchIndex;
use super::trace_tables::{TorchRows, TraceTables, id};
use super::{Column, Values};
use crate::analysis::torch::View;
use crate::base::StrId;
use crate::model::torch::{ABSENT, MemoryEvent};
use crate::model::{NO_SLICE, Torch};
use std::ops::Range;

/// A number that may not be recorded.
fn number(n: u32) -> Option<i64> {
    (n != ABSENT).then_some(i64::from(n))
}

fn large(n: u64) -> Option<i64> {
    i64::try_from(n).ok()
}

fn float(v: f32) -> Option<f64> {
    v.is_finite().then_some(f64::from(v))
}

impl<'a> TorchRows<'a> {
    /// The tables of a trace.
    pub fn new(view: View<'a>, index: &'a TorchIndex) -> Self {
        TorchRows { view, index }
    }

    /// Rows of a table.
    pub fn n_rows(&self, torch: &Torch, table: &str) -> usize {
        match table {
            "kernel" => torch.kernels.len(),
            "operator" => self.index.operators.len(),
            "step" => self.view.model.steps.steps.len(),
            "memory_event" => torch.memory.len(),
            "collective" => torch.collectives.len(),
            _ => 0,
        }
    }

    /// Values of a column of some rows.
    pub fn values(&self, all: &TraceTables<'_>, torch: &Torch, table: &str, column: &Column, rows: Range<usize>) -> Values {
        match table {
            "kernel" => self.of_kernels(all, torch, column, rows),
            "operator" => self.of_operators(all, torch, column, rows),
            "step" => self.of_steps(column, rows),
            "memory_event" => of_memory(torch, column, rows),
            "collective" => {
                let slices: Vec<u32> = torch.collectives[rows.clone()].iter().map(|c| c.slice).collect();
                let found = &torch.collectives[rows];
                let ints = |of: &dyn Fn(&crate::model::torch::Collective) -> Option<i64>| Values::Ints(found.iter().map(of).collect());
                match column.name.as_ref() {
                    "collective" => all.words(found.iter().map(|c| Some(c.name))),
                    "dtype" => all.words(found.iter().map(|c| Some(c.dtype))),
                    "group_name" => all.words(found.iter().map(|c| Some(c.group))),
                    "n_in" => ints(&|c| large(c.n_in)),
                    "n_out" => ints(&|c| large(c.n_out)),
                    "group_size" => ints(&|c| number(c.group_size)),
                    "seq" => ints(&|c| number(c.seq)),
                    _ => of_slice(all, column, &slices),
                }
            }
            _ => Values::absent(column.kind, rows.len()),
        }
    }

    fn of_kernels(&self, all: &TraceTables<'_>, torch: &Torch, column: &Column, rows: Range<usize>) -> Values {
        let found = &torch.kernels[rows.clone()];
        let works = &self.index.work_of_kernel[rows];
        let ints = |of: &dyn Fn(&crate::model::torch::Kernel) -> Option<i64>| Values::Ints(found.iter().map(of).collect());
        let floats = |of: &dyn Fn(&crate::model::torch::Kernel) -> f32| Values::Floats(found.iter().map(|k| float(of(k))).collect());
        let model = self.view.model;
        match column.name.as_ref() {
            "device" => ints(&|k| number(k.device)),
            "stream" => ints(&|k| number(k.stream)),
            "grid" => all.words(found.iter().map(|k| Some(k.grid))),
            "block" => all.words(found.iter().map(|k| Some(k.block))),
            "registers" => ints(&|k| number(k.registers)),
            "shared_memory" => ints(&|k| number(k.shared_memory)),
            "blocks_per_sm" => floats(&|k| k.blocks_per_sm),
            "occupancy" => floats(&|k| k.occupancy),
            "bytes" => ints(&|k| large(k.bytes)),
            "correlation" => ints(&|k| torch.correlation.get(k.slice as usize).copied().and_then(number)),
            "launch_id" => Values::Ints(works.iter().map(|w| model.launch.get(*w as usize).copied().and_then(id)).collect()),
            "operator_id" => {
                let of = |work: &u32| id(self.index.around.get(*model.node_of_work.get(*work as usize)? as usize)?.0);
                Values::Ints(works.iter().map(of).collect())
            }
            _ => of_slice(all, column, &found.iter().map(|k| k.slice).collect::<Vec<_>>()),
        }
    }

    fn of_operators(&self, all: &TraceTables<'_>, torch: &Torch, column: &Column, rows: Range<usize>) -> Values {
        let slices = &self.index.operators[rows];
        let inputs = |slice: &u32| torch.inputs.binary_search_by_key(slice, |i| i.slice).ok().map(|at| &torch.inputs[at]);
        let module =
            |slice: &u32| Some(self.index.around.get(*self.index.node_of.get(*slice as usize)? as usize)?.1).filter(|m| *m != NO_SLICE);
        match column.name.as_ref() {
            "shapes" => {
                let shapes = all.profile.attribute("input_shape");
                all.words(slices.iter().map(|s| shapes.and_then(|a| a.values.get(*s as usize).copied())))
            }
            "types" => all.words(slices.iter().map(|s| inputs(s).map(|i| i.types))),
            "concrete_inputs" => all.words(slices.iter().map(|s| inputs(s).map(|i| i.concrete))),
            "module_id" => Values::Ints(slices.iter().map(|s| module(s).and_then(id)).collect()),
            "module" => all.words(slices.iter().map(|s| module(s).map(|m| all.profile.slices.name[m as usize]))),
            "stack" => {
                let stack = |s: &u32| -> Option<StrId> { torch.stacks.binary_search_by_key(s, |p| p.0).ok().map(|at| torch.stacks[at].1) };
                all.words(slices.iter().map(stack))
            }
            "external_id" => Values::Ints(slices.iter().map(|s| torch.external_id.get(*s as usize).copied().and_then(number)).collect()),
            _ => of_slice(all, column, slices),
        }
    }

    fn of_steps(&self, column: &Column, rows: Range<usize>) -> Values {
        let steps = &self.view.model.steps.steps[rows];
        match column.name.as_ref() {
            "name" => Values::Texts(steps.iter().map(|s| Some(s.name.clone())).collect()),
            "ts" => Values::Ints(steps.iter().map(|s| Some(s.start)).collect()),
            "dur" => Values::Ints(steps.iter().map(|s| s.end.checked_sub(s.start)).collect()),
            "slice_id" => Values::Ints(steps.iter().map(|s| id(s.slice)).collect()),
            _ => Values::absent(column.kind, steps.len()),
        }
    }
}

/// A column of the slices themselves.
fn of_slice(all: &TraceTables<'_>, column: &Column, rows: &[u32]) -> Values {
    let slices = &all.profile.slices;
    match column.name.as_ref() {
        "slice_id" => Values::Ints(rows.iter().map(|s| Some(i64::from(*s))).collect()),
        "ts" => Values::Ints(rows.iter().map(|s| slices.start.get(*s as usize).copied()).collect()),
        "dur" => Values::Ints(rows.iter().map(|s| slices.duration.get(*s as usize).copied()).collect()),
        "name" => all.words(rows.iter().map(|s| slices.name.get(*s as usize).copied())),
        "step" => all.steps(rows.iter().map(|s| slices.start.get(*s as usize).copied().unwrap_or(i64::MIN))),
        _ => Values::absent(column.kind, rows.len()),
    }
}

fn of_memory(torch: &Torch, column: &Column, rows: Range<usize>) -> Values {
    let found = &torch.memory[rows];
    let ints = |of: &dyn Fn(&MemoryEvent) -> Option<i64>| Values::Ints(found.iter().map(of).collect());
    let device = |n: i32| (n != MemoryEvent::NO_DEVICE).then_some(i64::from(n));
    match column.name.as_ref() {
        "ts" => ints(&|m| Some(m.time)),
        "track_id" => ints(&|m| Some(i64::from(m.track.0))),
        "device_type" => ints(&|m| device(m.device_type)),
        "device_id" => ints(&|m| device(m.device_id)),
        // An address may take all 64 bits.
        "address" => Values::Texts(found.iter().map(|m| m.address.map(|a| format!("{a:#x}"))).collect()),
        "bytes" => ints(&|m| Some(m.bytes)),
        "allocated" => ints(&|m| m.allocated.and_then(large)),
        "reserved" => ints(&|m| m.reserved.and_then(large)),
        _ => Values::absent(column.kind, found.len()),
    }
}
