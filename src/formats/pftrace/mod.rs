//! Perfetto traces (`.pftrace`): protobuf packets with track events. See `docs/formats/pftrace.md`.

mod args;
mod clocks;
mod content;
mod event;
mod finish;
mod ftrace;
mod importer;
mod packets;
mod record;
mod sequence;
mod tracks;

use super::file_name::file_name;
use super::ntff::Message;
use super::{Claim, Field, Format, FormatInfo, ImportError, Recognise, Streamed};
use crate::base::{EventId, InputSet, MemberHead};
use crate::model::Profile;

/// The format's id.
pub const ID: &str = "pftrace";

/// Perfetto protobuf traces.
pub struct Pftrace;

impl Recognise for Pftrace {
    fn id(&self) -> &'static str {
        ID
    }

    fn info(&self) -> FormatInfo {
        FormatInfo {
            id: ID.into(),
            title: "Perfetto trace".into(),
            files: ".pftrace, .perfetto-trace".into(),
            shows: "Threads, tracks, slices, counters and flows of track events.".into(),
            capture: "perfetto -c config.pbtx -o trace.pftrace".into(),
            caveats: "Kernel scheduling (ftrace), heap profiles and sampled stacks are counted and not shown.".into(),
        }
    }

    fn claim(&self, heads: &[MemberHead], taken: &[bool]) -> Vec<Claim> {
        let free = heads.iter().enumerate().filter(|(i, _)| taken.get(*i) != Some(&true));
        free.filter_map(|(i, head)| Some(Claim { format: ID.into(), members: vec![i], recognised: recognise(&head.head)? })).collect()
    }
}

impl Format for Pftrace {
    fn streamed(&self, _claim: &Claim, path: &str) -> Option<Box<dyn Streamed>> {
        Some(Box::new(importer::Importer::new(file_name(path))))
    }

    fn record(&self, input: &InputSet, profile: &Profile, item: EventId) -> Result<Vec<Field>, ImportError> {
        record::fields(input, profile, item)
    }
}

/// Packets of the head that are looked at.
const N_LOOKED_AT: usize = 8;

/// A trace starts with packets (field 1); one of the first names its sequence or its time, and no known field has a wrong wire type.
fn recognise(head: &[u8]) -> Option<String> {
    let mut has_mark = false;
    let mut rest = head;
    for _ in 0..N_LOOKED_AT {
        let Some((start, length)) = packets::frame(rest).ok().flatten() else { break };
        let end = start.saturating_add(length);
        let body = &rest[start..end.min(rest.len())];
        for (field, value) in Message::new(body) {
            let is_number = matches!(value, super::ntff::Value::Number(_));
            match field {
                // timestamp, trusted_uid, trusted_packet_sequence_id, sequence_flags, incremental_state_cleared, previous_packet_dropped, timestamp_clock_id
                3 | 8 | 10 | 13 | 41 | 42 | 58 if !is_number => return None,
                // ftrace_events, process_tree, clock_snapshot, track_event, interned_data, trace_config, descriptors, defaults
                1 | 2 | 6 | 11 | 12 | 33 | 36 | 43 | 44 | 50 | 59 | 60 if is_number => return None,
                4 | 7 | 9 | 14..=32 => {}
                8 | 10 | 60 | 36 | 50 => has_mark = true,
                _ => {}
            }
        }
        if end >= rest.len() {
            break;
        }
        rest = &rest[end..];
    }
    has_mark.then(|| "Perfetto trace packets: protobuf field 1 with a sequence, a time or a track descriptor.".into())
}
