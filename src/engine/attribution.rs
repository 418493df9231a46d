//! What the details of a graph replay say beyond its record: that it is attributed from a capture, and from which file.

use super::Session;
use crate::base::{EventId, SliceId};
use crate::formats::Field;
use crate::model::Domain;

/// Heading of the fields.
const GROUP: &str = "Attribution";

fn field(key: &str, value: String, help: &str) -> Field {
    Field { group: GROUP.into(), key: key.into(), value, unit: String::new(), help: help.into() }
}

impl Session {
    /// Fields of an operator, module, kernel or copy of a graph replay; none of others.
    pub(super) fn attribution(&self, slice: SliceId) -> Vec<Field> {
        let Domain::Torch(torch) = &self.profile.domain else { return Vec::new() };
        let replays = &torch.replays;
        let name = |node: u32| replays.nodes.get(node as usize).map(|n| self.profile.name_of(SliceId(n.slice)).to_string());
        let file = |slice: u32| {
            let record = self.profile.record_of(EventId::Slice(SliceId(slice)))?;
            self.input.members.get(record.member()).map(|m| m.name.clone())
        };
        if let Ok(at) = replays.work.binary_search_by_key(&slice.0, |w| w.0) {
            let node = replays.work[at].1;
            let help = "The innermost operator or module around this launch when the graph was captured.";
            let source = replays.nodes.get(node as usize).and_then(|n| file(n.slice));
            let from = source.map(|file| field("Capture", file, "File of the capture."));
            return name(node).map(|name| field("Attributed from capture", name, help)).into_iter().chain(from).collect();
        }
        if !replays.nodes.iter().any(|n| n.slice == slice.0) {
            return Vec::new();
        }
        let help =
            "Attributed from the capture of the graph: the record below is of the capture, the times are of the kernels of this replay.";
        vec![field("Attributed from capture", file(slice.0).unwrap_or_else(|| "yes".into()), help)]
    }
}
