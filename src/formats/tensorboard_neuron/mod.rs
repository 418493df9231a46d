//! Log directories of the TensorBoard plugin for Neuron (`tensorboard-plugin-neuronx`): operator timelines, operator tables, traces, XSpace.
//!
//! A run is a directory `plugins/neuron/<run>/` (or one of `temp_profiler_logs`); its files make one profile, a trace one of its own.
//! Files are known by content, names only help where it does not decide. No public samples exist: see `docs/formats/tensorboard_neuron.md`.

mod chrome;
mod claim;
mod deferred;
mod finish;
mod import;
mod keys;
mod listed;
mod pieces;
mod recent;
mod record;
mod stamp;
mod stream;
mod tables;
mod values;
mod xplane;
mod xspace;

use super::{Claim, Field, Format, FormatInfo, ImportError, ProgressReporter, Recognise, Streamed};
use crate::base::{EventId, InputSet, Ledger, MemberHead};
use crate::model::Profile;

/// The format's id.
pub const ID: &str = "tensorboard_neuron";

/// Log directories of the plugin.
pub struct TensorboardNeuron;

impl Recognise for TensorboardNeuron {
    fn id(&self) -> &'static str {
        ID
    }

    fn info(&self) -> FormatInfo {
        FormatInfo {
            id: ID.into(),
            title: "TensorBoard Neuron log".into(),
            files: "a log directory; neuron_op_timeline.json, neuron_trace.json, neuron_framework_op.json, neuron_hlo_op.json, xplane.pb".into(),
            shows: "Framework and HLO operators by time, the operator timeline with overlaps, host and device activity.".into(),
            capture: "import torch_neuronx.experimental as neuron\nwith neuron.profiler.profile(port=9012, profile_type=\"operator\", ms_duration=10000):\n    step()"
                .into(),
            caveats: "The plugin is no longer supported upstream; a traced model needs traced_only=True.".into(),
        }
    }

    fn claim(&self, heads: &[MemberHead], taken: &[bool]) -> Vec<Claim> {
        claim::claims(heads, taken)
    }
}

impl Format for TensorboardNeuron {
    fn streamed(&self, claim: &Claim, path: &str) -> Option<Box<dyn Streamed>> {
        (claim.members.len() == 1).then(|| Box::new(stream::Stream::new(path)) as Box<dyn Streamed>)
    }

    fn import(&self, input: &InputSet, _claim: &Claim, ledger: &mut Ledger, _watch: &mut ProgressReporter) -> Result<Profile, ImportError> {
        import::import(input, ledger)
    }

    fn record(&self, input: &InputSet, profile: &Profile, item: EventId) -> Result<Vec<Field>, ImportError> {
        record::record(input, profile, item)
    }
}

pub(crate) use record::record;

/// What to say when a directory of logs holds no profile: why the plugin may have written none. `None` when nothing points to such a directory.
pub fn likely_causes(heads: &[MemberHead]) -> Option<String> {
    let is_log =
        |name: &str| name.contains("plugins/neuron") || name.contains("temp_profiler_logs") || name.contains("events.out.tfevents");
    heads.iter().any(|h| is_log(&h.name)).then(|| {
        "This TensorBoard log directory contains no Neuron profile. Likely causes: the SDK is older than 2.6, which writes none; the \
         model was moved to the device outside the profiler context; or a traced model was profiled without `traced_only=True`."
            .into()
    })
}

#[cfg(test)]
mod tests;
