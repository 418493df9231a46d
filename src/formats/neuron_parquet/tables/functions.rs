//! The functions that instructions come from: the innermost named frame of their call stack, as the tables of stacks have it.

use super::framework::ids;
use super::table::Table;
use crate::formats::neuron_parquet::pages::batch::Batch;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::ops::ControlFlow;

/// Frames that are followed outwards.
const MOST_DEEP: usize = 64;
/// Rows that are kept of a table.
const MOST_ROWS: usize = 4_000_000;

/// Physical core, if recorded, and number: each core has its own numbers.
type Key = (Option<i64>, i64);

/// A frame of a stack.
#[derive(Debug, Default)]
struct Frame {
    function: String,
    parent: Option<i64>,
}

/// Functions by what instructions name.
#[derive(Debug, Default)]
pub struct Functions {
    /// `KernelStackFrames`.
    kernel_frames: FxHashMap<Key, Frame>,
    /// Innermost frame by physical core and `kernel_instruction_name`.
    kernel: FxHashMap<Option<i64>, FxHashMap<String, i64>>,
    /// `StackFrame`, of the framework.
    frames: FxHashMap<Key, Frame>,
}

impl Functions {
    /// Reads the tables of stacks; none is needed.
    pub fn of(tables: &BTreeMap<String, Table>) -> Functions {
        let mut out = Functions::default();
        let each = |name: &str, columns: &[&str], row: &mut dyn FnMut(&Batch, usize)| {
            let mut n = 0;
            for file in tables.get(name).map(|t| t.files.as_slice()).unwrap_or_default() {
                // What cannot be read of it is in the ledger: the table is shown as well.
                let _ = file.rows(columns, (0, u64::MAX), |b, _| {
                    (0..b.n_rows).for_each(|at| row(b, at));
                    n += b.n_rows;
                    if n < MOST_ROWS { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
                });
            }
        };
        let columns = ["stack_frame_id", "fully_qualified_function_name", "parent_stack_frame_id", "pcore_idx"];
        each("KernelStackFrames", &columns, &mut |b, row| {
            let frame = Frame { function: b.text(1, row).into(), parent: b.int(2, row) };
            out.kernel_frames.extend(b.int(0, row).map(|id| ((b.int(3, row), id), frame)));
        });
        each("KernelInstructions", &["kernel_instruction_name", "stack_frame_id", "pcore_idx"], &mut |b, row| {
            if let Some(frame) = b.int(1, row) {
                out.kernel.entry(b.int(2, row)).or_default().insert(b.text(0, row).into(), frame);
            }
        });
        let (mut names, mut places) = (FxHashMap::default(), FxHashMap::default());
        each("StackFrameFunctionName", &["id", "name"], &mut |b, row| {
            names.extend(b.int(0, row).map(|id| (id, b.text(1, row).to_string())));
        });
        each("StackFrameFileLocation", &["id", "function_name_id"], &mut |b, row| {
            places.extend(b.int(0, row).zip(b.int(1, row)));
        });
        each("StackFrame", &["id", "file_location_id", "parent_frame_id"], &mut |b, row| {
            let name = b.int(1, row).and_then(|place| names.get(places.get(&place)?));
            let frame = Frame { function: name.cloned().unwrap_or_default(), parent: b.int(2, row) };
            out.frames.extend(b.int(0, row).map(|id| ((None, id), frame)));
        });
        out
    }

    /// Whether no table names a function.
    pub fn is_empty(&self) -> bool {
        self.kernel_frames.is_empty() && self.frames.is_empty()
    }

    /// The function of an instruction, by its `kernel_instruction_name` or else the first of its `stack_frame_ids`; empty where it is not recorded.
    pub fn find(&self, core: Option<i64>, kernel_instruction: &str, frame_ids: &str) -> &str {
        let at = |core: Option<i64>| self.kernel.get(&core).and_then(|of| of.get(kernel_instruction)).copied();
        let kernel = at(core).or_else(|| at(None)).map_or("", |id| innermost(&self.kernel_frames, core, id));
        if kernel.is_empty() { ids(frame_ids).first().map_or("", |id| innermost(&self.frames, core, *id)) } else { kernel }
    }
}

/// The innermost function of a stack that has a name.
fn innermost(frames: &FxHashMap<Key, Frame>, core: Option<i64>, id: i64) -> &str {
    let mut next = Some(id);
    for _ in 0..MOST_DEEP {
        let Some(frame) = next.and_then(|id| frames.get(&(core, id)).or_else(|| frames.get(&(None, id)))) else { break };
        if !frame.function.is_empty() {
            return &frame.function;
        }
        next = frame.parent;
    }
    ""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_innermost_frame_with_a_name_is_the_function() {
        let frame = |function: &str, parent| Frame { function: function.into(), parent };
        let kernel_frames =
            [((Some(0), 1), frame("k.outer", None)), ((Some(0), 2), frame("", Some(1))), ((Some(1), 2), frame("k.other", None))];
        let kernel = [(Some(0), "i:0"), (Some(1), "i:0")].map(|(core, name)| (core, [(name.to_string(), 2)].into_iter().collect()));
        let frames = [((None, 101), frame("model.forward", Some(101))), ((None, 7), frame("", Some(7)))];
        let of = Functions {
            kernel_frames: kernel_frames.into_iter().collect(),
            kernel: kernel.into_iter().collect(),
            frames: frames.into_iter().collect(),
        };
        assert_eq!([Some(0), Some(1), None].map(|core| of.find(core, "i:0", "")), ["k.outer", "k.other", ""]);
        assert_eq!(of.find(Some(0), "i:9", "[101, 102]"), "model.forward");
        assert_eq!(of.find(Some(0), "", "[7]"), "", "a circle ends");
        assert!(!of.is_empty() && Functions::default().is_empty());
    }
}
