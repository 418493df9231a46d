//! Memory snapshots of PyTorch (`torch.cuda.memory._dump_snapshot`): a pickle of plain data. See `docs/formats/memory_snapshot.md`.
//!
//! Versions differ by keys: without `device_traces` before 2.0, without `time_us` before 2.1, `history` instead of `frames` in blocks before
//! 2.2, `compile_context` and `user_metadata` since 2.7. Sources: `torch/cuda/memory.py`, `torch/cuda/_memory_viz.py`,
//! `torch/csrc/cuda/memory_snapshot.cpp` and Python's `pickletools`.

mod broken;
mod containers;
mod finish;
mod importer;
mod machine;
mod memo;
mod opcodes;
mod pairing;
mod records;
#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
mod timeline;
mod value;

use super::file_name::file_name;
use super::{Claim, Field, Format, FormatInfo, ImportError, Recognise, Streamed};
use crate::base::{EventId, InputSet, MemberHead, text};
use crate::model::{Domain, Profile};

/// The format's id.
pub const ID: &str = "memory_snapshot";

/// Memory snapshots.
pub struct MemorySnapshotFile;

impl Recognise for MemorySnapshotFile {
    fn id(&self) -> &'static str {
        ID
    }

    fn info(&self) -> FormatInfo {
        FormatInfo {
            id: ID.into(),
            title: "PyTorch memory snapshot".into(),
            files: ".pickle, .pkl".into(),
            shows: "Allocations of each device over time, with the code that made them; segments, fragmentation and failed allocations."
                .into(),
            capture: "torch.cuda.memory._record_memory_history()\n…\ntorch.cuda.memory._dump_snapshot(\"snapshot.pickle\")".into(),
            caveats: "Only plain data is read; a pickle that would load or call code is refused.".into(),
        }
    }

    fn claim(&self, heads: &[MemberHead], taken: &[bool]) -> Vec<Claim> {
        let free = heads.iter().enumerate().filter(|(i, _)| taken.get(*i) != Some(&true));
        free.filter_map(|(i, head)| Some(Claim { format: ID.into(), members: vec![i], recognised: recognise(head)? })).collect()
    }
}

impl Format for MemorySnapshotFile {
    fn streamed(&self, _claim: &Claim, path: &str) -> Option<Box<dyn Streamed>> {
        Some(Box::new(importer::Importer::new(file_name(path))))
    }

    fn record(&self, _input: &InputSet, profile: &Profile, item: EventId) -> Result<Vec<Field>, ImportError> {
        Ok(fields(profile, item))
    }
}

/// A pickle by its first bytes: protocol 2 to 5 names itself; an older one counts only under the name of a pickle.
fn recognise(head: &MemberHead) -> Option<String> {
    let name = head.name.strip_suffix(".gz").unwrap_or(&head.name);
    let is_named = [".pickle", ".pkl"].iter().any(|ending| name.ends_with(ending));
    match head.head.as_slice() {
        [0x80, protocol @ 2..=5, next, ..] if matches!(next, 0x95 | b'}' | b']') || is_named => {
            Some(format!("Pickle of protocol {protocol}."))
        }
        [b'(' | b'}' | b']' | b'c', ..] if is_named => Some("Pickle without a protocol number.".into()),
        _ => None,
    }
}

/// For a failed allocation: requested size and place; an annotation has only its name and times.
fn fields(profile: &Profile, item: EventId) -> Vec<Field> {
    let Domain::MemorySnapshot(snapshot) = &profile.domain else { return Vec::new() };
    let Some(time) = item.instant().and_then(|instant| profile.instants.time.get(instant.index())) else { return Vec::new() };
    let mut out = Vec::new();
    for device in &snapshot.devices {
        for oom in device.ooms.iter().filter(|oom| device.time(oom.state) == Some(*time)) {
            let mut field = |key: &str, value: String, unit: &str| {
                out.push(Field {
                    group: format!("Device {}", device.device),
                    key: key.into(),
                    value,
                    unit: unit.into(),
                    help: String::new(),
                });
            };
            field("size", oom.size.to_string(), "bytes");
            field("device_free", oom.device_free.map_or_else(|| "not available".into(), |free| free.to_string()), "bytes");
            for (i, frame) in snapshot.stack(oom.stack).enumerate().take(200) {
                let (name, file) = (profile.strings.get(frame.name), profile.strings.get(frame.file));
                field(&format!("frame {i}"), format!("{name} ({}:{})", text::middle_ellipsis(file, 120), frame.line), "");
            }
        }
    }
    out
}
