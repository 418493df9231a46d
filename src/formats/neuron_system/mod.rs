//! System profiles of Neuron: `system_profile.json` and the events that `nrt_sys_trace_fetch_events` gives. See `docs/formats/neuron_system.md`.
//!
//! The first has whole events in epoch nanoseconds beside memory and CPU use, its sections named in the plural or, since mid-2026, in the
//! singular; the second has starts and stops that are paired by `tracking_id`.
//! The system tables of a Neuron Explorer directory are read by the Parquet part; a trace of the framework beside any of them joins its clock.
//! No public samples exist beyond the records in AWS's documentation: what is read rests on those.

mod claim;
mod framework;
mod import;
mod json;

use super::{Claim, Field, Format, FormatInfo, ImportError, ProgressReporter, Recognise, neuron_parquet, tensorboard_neuron};
use crate::base::{EventId, InputSet, Ledger, MemberHead};
use crate::formats::system_events::{ID, TABLE_MEMBER};
use crate::model::{Cell, Profile};

/// System profiles.
pub struct NeuronSystem;

impl Recognise for NeuronSystem {
    fn id(&self) -> &'static str {
        ID
    }

    fn info(&self) -> FormatInfo {
        FormatInfo {
            id: ID.into(),
            title: "Neuron system profile".into(),
            files: "system_profile.json, events of nrt_sys_trace_fetch_events, system tables of a Neuron Explorer directory; optionally trace.json".into(),
            shows: "Framework, runtime and device on one clock in six groupings; device executions, transfers, HBM and CPU use, advice.".into(),
            capture: "NEURON_RT_INSPECT_ENABLE=1 NEURON_RT_INSPECT_SYSTEM_PROFILE=1 python train.py\nneuron-profile view -d output --output-format json".into(),
            caveats: "Clocks of host and device are aligned by the profiler's sync points; the residual is in the ledger.".into(),
        }
    }

    fn claim(&self, heads: &[MemberHead], taken: &[bool]) -> Vec<Claim> {
        claim::claims(heads, taken)
    }

    /// Records are held one at a time; of each, some 300 bytes are kept.
    fn heap_bytes(&self, main: &MemberHead, text_bytes: u64) -> Option<u64> {
        (!neuron_parquet::is_table(main)).then_some(text_bytes)
    }
}

impl Format for NeuronSystem {
    fn import(&self, input: &InputSet, _claim: &Claim, ledger: &mut Ledger, watch: &mut ProgressReporter) -> Result<Profile, ImportError> {
        import::import(input, ledger, watch)
    }

    fn record(&self, input: &InputSet, profile: &Profile, item: EventId) -> Result<Vec<Field>, ImportError> {
        let record = profile.record_of(item).unwrap_or_default();
        if record.member() == TABLE_MEMBER {
            return neuron_parquet::system_record(input, profile, record.offset());
        }
        tensorboard_neuron::record(input, profile, item)
    }

    fn rows(&self, input: &InputSet, table: &str, first: u64, n: u64) -> Result<Vec<Vec<Cell>>, ImportError> {
        neuron_parquet::NeuronParquet.rows(input, table, first, n)
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
