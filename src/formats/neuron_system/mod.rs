//! System profiles of Neuron: `system_profile.json` and the events that `nrt_sys_trace_fetch_events` gives. See `docs/formats/neuron_system.md`.
//!
//! The first has whole events in epoch nanoseconds beside memory and CPU use, the second starts and stops that are paired by `tracking_id`.
//! No public samples exist beyond the records in AWS's documentation: what is read rests on those.

mod event;
mod import;
mod rows;

use super::json::{Root, root};
use super::{Claim, Field, Format, FormatInfo, ImportError, tensorboard_neuron};
use crate::base::{InputSet, Ledger, MemberHead, SliceId};
use crate::model::Profile;

/// The format's id.
pub const ID: &str = "neuron_system";

/// System profiles.
pub struct NeuronSystem;

impl Format for NeuronSystem {
    fn id(&self) -> &'static str {
        ID
    }

    fn info(&self) -> FormatInfo {
        FormatInfo {
            id: ID.into(),
            title: "Neuron system profile".into(),
            files: "system_profile.json, events of nrt_sys_trace_fetch_events".into(),
            shows: "Events of framework, runtime and device by instance, process and NeuronCore, with memory and CPU use.".into(),
            capture: "NEURON_RT_INSPECT_ENABLE=1 NEURON_RT_INSPECT_SYSTEM_PROFILE=1 python train.py\nneuron-profile view -d output --output-format json".into(),
            caveats: "Clocks of host and device are aligned by the profiler's sync points; the residual is in the ledger.".into(),
        }
    }

    fn claim(&self, heads: &[MemberHead], taken: &[bool]) -> Vec<Claim> {
        let free = heads.iter().enumerate().filter(|(i, _)| taken.get(*i) != Some(&true));
        free.filter_map(|(i, head)| Some(Claim { format: ID.into(), members: vec![i], recognised: recognise(head)? })).collect()
    }

    fn import(&self, input: &InputSet, _claim: &Claim, ledger: &mut Ledger) -> Result<Profile, ImportError> {
        let main = input.members.first().ok_or_else(|| ImportError::Unrecognised("The claim names no file.".into()))?;
        import::import(main, ledger)
    }

    fn record(&self, input: &InputSet, profile: &Profile, slice: SliceId) -> Result<Vec<Field>, ImportError> {
        tensorboard_neuron::record(input, profile, slice)
    }
}

/// How a member was recognised.
fn recognise(head: &MemberHead) -> Option<String> {
    let Root::Object { keys, .. } = root(&head.head)? else {
        return None;
    };
    let has = |key: &str, begins: &[u8]| keys.iter().any(|k| k.name == key && begins.contains(&k.begins));
    let says = |text: &[u8]| memchr::memmem::find(&head.head, text).is_some();
    if has("trace_events", b"[{") || (has("mem_usage", b"[") && has("cpu_util", b"[")) {
        return Some("A JSON object with the sections of a Neuron system profile.".into());
    }
    let is_runtime = has("events", b"[") && says(b"\"event_type\"") && (says(b"\"tracking_id\"") || says(b"\"nc_idx\""));
    is_runtime.then(|| "A JSON object with the list `events` of the Neuron runtime's system trace.".into())
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
