//! The captures of graphs in a trace: launches between begin and end of each, with their operators and modules.

use super::matching::{Kind, Launch, NONE};
use crate::base::{Interner, SliceId, StrId, TrackId};
use crate::model::torch::ABSENT;
use crate::model::{Domain, Profile, RecordRef, Torch};
use rustc_hash::FxHashMap;

/// An operator or module of a capture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Node {
    /// Position of its parent in the capture, always smaller, or [`NONE`].
    pub(super) parent: u32,
    pub(super) name: StrId,
    pub(super) category: StrId,
    pub(super) shape: StrId,
    /// Python functions around it, the innermost first, joined by `;`.
    pub(super) stack: StrId,
    /// Types and concrete values of its inputs; empty where they are not recorded.
    pub(super) inputs: (StrId, StrId),
    /// `Python module id`; [`ABSENT`] for an operator.
    pub(super) module: u32,
    pub(super) record: RecordRef,
}

/// The capture of one graph.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Unit {
    /// In program order.
    pub(super) launches: Vec<Launch>,
    /// In pre-order.
    pub(super) nodes: Vec<Node>,
    /// Batch size, if an annotation or `execution_details.json` has it.
    pub(super) batch: Option<u64>,
    /// Position of its trace among the members.
    pub(super) member: usize,
}

/// Captures of one trace.
#[derive(Debug, Default)]
pub(super) struct Units {
    /// Ordered by start.
    pub(super) units: Vec<Unit>,
    /// Captures that begin and do not end in the trace.
    pub(super) n_cut: u64,
}

/// What a call does for a capture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Call {
    Begin,
    End,
    Launch(Kind),
}

fn call(name: &str) -> Option<Call> {
    let is_runtime = ["cuda", "hip", "cu"].iter().any(|maker| name.starts_with(maker));
    match () {
        () if !is_runtime => None,
        () if name.contains("StreamBeginCapture") => Some(Call::Begin),
        () if name.contains("StreamEndCapture") => Some(Call::End),
        () if name.contains("GraphLaunch") => None,
        () if name.contains("LaunchKernel") || name.contains("LaunchCooperativeKernel") => Some(Call::Launch(Kind::Kernel)),
        () if name.contains("Memcpy") => Some(Call::Launch(Kind::Memcpy)),
        () if name.contains("Memset") => Some(Call::Launch(Kind::Memset)),
        () => None,
    }
}

/// Batch size and mode of `capture_32_FULL`.
pub(super) fn batch_of_capture(name: &str) -> Option<u64> {
    let rest = name.strip_prefix("capture_")?;
    rest.split_once('_').map_or(rest, |(number, _)| number).parse().ok()
}

/// Whether a Python function's name is a place in the source: `path(line): function`.
fn is_frame(name: &str) -> bool {
    let before = name.split_once("): ").and_then(|(before, _)| before.rsplit_once('('));
    before.is_some_and(|(path, line)| !path.is_empty() && !line.is_empty() && line.bytes().all(|b| b.is_ascii_digit()))
}

/// What a slice is to the launches in it.
#[derive(Clone, Copy)]
enum Role {
    Operator,
    Module(u32),
    Frame,
    Other,
}

struct Reader<'a> {
    profile: &'a Profile,
    torch: &'a Torch,
    /// Strings of the run.
    strings: &'a mut Interner,
    is_operator: Vec<bool>,
    category: &'a [StrId],
    shape: &'a [StrId],
    /// The run's strings by those of the capture.
    known: FxHashMap<StrId, StrId>,
    /// Stack of each slice read so far.
    stacks: FxHashMap<SliceId, StrId>,
}

/// The captures of `profile`, member `member` of the claim, with strings of the run.
pub(super) fn units(profile: &Profile, member: usize, strings: &mut Interner) -> Units {
    let mut out = Units::default();
    let Domain::Torch(torch) = &profile.domain else {
        return out;
    };
    let column = |id: &str| profile.attribute(id).map_or(&[][..], |a| a.values.as_slice());
    let is_operator = profile.strings.iter().map(|(_, s)| matches!(s.to_ascii_lowercase().as_str(), "cpu_op" | "operator")).collect();
    let (category, shape) = (column("category"), column("input_shape"));
    let mut reader =
        Reader { profile, torch, strings, is_operator, category, shape, known: FxHashMap::default(), stacks: FxHashMap::default() };
    let calls: Vec<Option<Call>> = profile.strings.iter().map(|(_, name)| call(name)).collect();
    for track in (0..profile.tracks.len() as u32).map(TrackId) {
        reader.track(track, member, &calls, &mut out);
    }
    out
}

impl Reader<'_> {
    fn track(&mut self, track: TrackId, member: usize, calls: &[Option<Call>], out: &mut Units) {
        let profile = self.profile;
        let mut open: Option<(Unit, FxHashMap<SliceId, u32>)> = None;
        let mut inner_end = i64::MIN;
        for &slice in &profile.slices.by_start[profile.slices_of(track)] {
            let Some(call) = calls.get(profile.slices.name[slice as usize].index()).copied().flatten() else {
                continue;
            };
            let end = profile.slices.end(slice as usize);
            match call {
                Call::Begin => {
                    out.n_cut += u64::from(open.is_some());
                    let batch = self.batch(SliceId(slice));
                    open = Some((Unit { batch, member, ..Unit::default() }, FxHashMap::default()));
                }
                Call::End => out.units.extend(open.take().map(|o| o.0)),
                Call::Launch(kind) => {
                    // A call of the driver inside one of the runtime is the same launch.
                    if let Some((unit, nodes)) = open.as_mut().filter(|_| end > inner_end) {
                        inner_end = end;
                        let node = self.node(unit, nodes, SliceId(slice));
                        let name = (kind == Kind::Kernel).then(|| self.kernel(slice)).flatten();
                        unit.launches.push(Launch { kind, name, node });
                    }
                }
            }
        }
        out.n_cut += u64::from(open.is_some());
    }

    fn text(&mut self, id: StrId) -> StrId {
        let Reader { profile, strings, known, .. } = self;
        *known.entry(id).or_insert_with(|| strings.intern(profile.strings.get(id)))
    }

    fn kernel(&mut self, slice: u32) -> Option<StrId> {
        let at = self.torch.launch_kernels.binary_search_by_key(&slice, |l| l.0).ok()?;
        let name = self.torch.launch_kernels[at].1;
        (name != StrId(0)).then(|| self.text(name))
    }

    /// The batch size that an annotation around a slice names.
    fn batch(&self, slice: SliceId) -> Option<u64> {
        let slices = &self.profile.slices;
        std::iter::successors(slices.parent(slice), |&at| slices.parent(at)).find_map(|at| batch_of_capture(self.profile.name_of(at)))
    }

    fn role(&self, slice: SliceId) -> Role {
        if self.category.get(slice.index()).is_some_and(|c| self.is_operator.get(c.index()) == Some(&true)) {
            return Role::Operator;
        }
        match self.torch.functions.binary_search_by_key(&slice.0, |f| f.slice) {
            Ok(at) if self.torch.functions[at].module != ABSENT => Role::Module(self.torch.functions[at].module),
            Ok(_) if is_frame(self.profile.name_of(slice)) => Role::Frame,
            _ => Role::Other,
        }
    }

    /// The innermost operator or module around a launch, added to the unit with all that hold it.
    fn node(&mut self, unit: &mut Unit, known: &mut FxHashMap<SliceId, u32>, launch: SliceId) -> u32 {
        let slices = &self.profile.slices;
        let mut missing = Vec::new();
        let mut parent = NONE;
        let mut at = slices.parent(launch);
        while let Some(slice) = at {
            if let Some(&node) = known.get(&slice) {
                parent = node;
                break;
            }
            match self.role(slice) {
                Role::Operator => missing.push((slice, ABSENT)),
                Role::Module(module) => missing.push((slice, module)),
                Role::Frame | Role::Other => {}
            }
            at = slices.parent(slice);
        }
        for (slice, module) in missing.into_iter().rev() {
            let node = self.described(slice, parent, module);
            parent = unit.nodes.len() as u32;
            unit.nodes.push(node);
            known.insert(slice, parent);
        }
        parent
    }

    fn described(&mut self, slice: SliceId, parent: u32, module: u32) -> Node {
        let text = |column: &[StrId]| column.get(slice.index()).copied().unwrap_or(StrId(0));
        let (category, shape) = (text(self.category), text(self.shape));
        let name = self.profile.slices.name[slice.index()];
        Node {
            parent,
            name: self.text(name),
            category: self.text(category),
            shape: self.text(shape),
            stack: self.stack(slice),
            inputs: self.inputs(slice),
            module,
            record: self.profile.slices.record.get(slice.index()).copied().unwrap_or_default(),
        }
    }

    fn inputs(&mut self, slice: SliceId) -> (StrId, StrId) {
        match self.torch.inputs.binary_search_by_key(&slice.0, |i| i.slice) {
            Ok(at) => (self.text(self.torch.inputs[at].types), self.text(self.torch.inputs[at].concrete)),
            Err(_) => (StrId(0), StrId(0)),
        }
    }

    /// The Python functions around a slice. Old traces record them as one text.
    fn stack(&mut self, slice: SliceId) -> StrId {
        if let Ok(at) = self.torch.stacks.binary_search_by_key(&slice.0, |s| s.0) {
            return self.text(self.torch.stacks[at].1);
        }
        let profile = self.profile;
        let mut frames: Vec<&str> = Vec::new();
        let mut first = None;
        let mut at = profile.slices.parent(slice);
        while let Some(holder) = at {
            if matches!(self.role(holder), Role::Frame) {
                if first.is_none() {
                    first = Some(holder);
                    if let Some(&known) = self.stacks.get(&holder) {
                        return known;
                    }
                }
                frames.push(profile.name_of(holder));
            }
            at = profile.slices.parent(holder);
        }
        let stack = if frames.is_empty() { StrId(0) } else { self.strings.intern(&frames.join(";")) };
        if let Some(first) = first {
            self.stacks.insert(first, stack);
        }
        stack
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_recognised_by_their_names() {
        assert_eq!(call("hipStreamBeginCapture"), Some(Call::Begin));
        assert_eq!(call("cudaStreamEndCapture"), Some(Call::End));
        for name in ["hipExtModuleLaunchKernel", "cudaLaunchKernelExC", "cuLaunchKernelEx", "cudaLaunchCooperativeKernel"] {
            assert_eq!(call(name), Some(Call::Launch(Kind::Kernel)), "{name}");
        }
        assert_eq!(call("cudaMemcpyAsync"), Some(Call::Launch(Kind::Memcpy)));
        assert_eq!(call("cudaMemsetAsync"), Some(Call::Launch(Kind::Memset)));
        for name in ["cudaGraphLaunch", "hipStreamGetCaptureInfo", "aten::mm", ""] {
            assert_eq!(call(name), None, "{name}");
        }
    }

    #[test]
    fn annotations_name_a_batch_size() {
        assert_eq!(batch_of_capture("capture_32_FULL"), Some(32));
        assert_eq!(batch_of_capture("capture_8"), Some(8));
        assert_eq!(batch_of_capture("capture_x_FULL"), None);
        assert_eq!(batch_of_capture("execute_32"), None);
    }
}
