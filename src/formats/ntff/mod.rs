//! NTFF: the raw trace of a NeuronCore, as the runtime writes it. Not documented: worked out from public files, so marked experimental.

mod activity;
mod claim;
mod compiled_transfers;
mod details;
mod events;
mod hardware;
mod import;
mod info;
mod instructions;
mod isa;
mod job;
mod limits;
mod listing;
mod opcodes;
mod operand_fields;
mod programs;
mod proto;
mod records;
mod regions;
mod report;
mod samples;
mod totals;
mod transfers;
mod usage;
mod window;
mod words;

use crate::base::{EventId, InputSet, Ledger, MemberHead, SliceId};
use crate::formats::read_ahead::{ReadAhead, WhenAsked, at_once};
use crate::formats::{Claim, Columns, Field, Format, FormatInfo, ImportError, Importing, ProgressReporter, Recognise, Sample, WordText};
use crate::model::Profile;
use crate::model::program::{EngineProgram, LearnedCode, LearnedNames};

pub(crate) use claim::is_misfit;
pub(crate) use listing::compiled;
pub(crate) use opcodes::NEFF_ENGINES;
pub(crate) use proto::{Message, Value, little_endian};

/// Takes names that a browser learned from the profiler's output of other runs, for what this thread opens.
pub fn learn(names: &LearnedNames) {
    opcodes::learn(&names.opcodes);
    isa::learn_codes(&names.codes);
}

/// Its id.
pub const ID: &str = "ntff";

/// The format.
pub struct Ntff;

impl Recognise for Ntff {
    fn id(&self) -> &'static str {
        ID
    }

    fn info(&self) -> FormatInfo {
        FormatInfo {
            id: self.id().into(),
            title: "Neuron device trace (NTFF), experimental".into(),
            files: ".ntff, better with its .neff".into(),
            shows: "Every instruction, DMA transfer and semaphore update of a run, without the Neuron tools.".into(),
            capture: "neuron-profile capture -n model.neff -s profile.ntff".into(),
            caveats:
                "Versions 4 to 6. Operands, FLOPs and bytes are decoded on trn2; on other hardware only the JSON of `neuron-profile view --output-format json` has them."
                    .into(),
        }
    }

    fn claim(&self, heads: &[MemberHead], taken: &[bool]) -> Vec<Claim> {
        claim::claim(heads, taken)
    }

    fn heap_bytes(&self, _main: &MemberHead, n_bytes: u64) -> Option<u64> {
        // A slice has two or three records of 16 bytes; importing 200 MB natively takes 2.0 bytes of memory per byte (`docs/performance.md`).
        Some(n_bytes.saturating_mul(5) / 2)
    }
}

impl Format for Ntff {
    fn import(&self, input: &InputSet, _claim: &Claim, ledger: &mut Ledger, watch: &mut ProgressReporter) -> Result<Profile, ImportError> {
        let member = input.members.first().ok_or_else(|| ImportError::Invalid("Expected a trace, found no file.".into()))?;
        at_once(import::import(input, ledger, watch, &mut WhenAsked::new(member)))
    }

    fn import_ahead<'a>(
        &self,
        input: &'a InputSet,
        ledger: &'a mut Ledger,
        watch: &'a mut ProgressReporter<'_>,
        reader: &'a mut dyn ReadAhead,
    ) -> Option<Importing<'a>> {
        Some(Box::pin(import::import(input, ledger, watch, reader)))
    }

    fn record(&self, input: &InputSet, profile: &Profile, item: EventId) -> Result<Vec<Field>, ImportError> {
        details::record(input, profile, item)
    }

    fn programs(&self, input: &InputSet, profile: &Profile) -> Option<Result<Vec<EngineProgram>, ImportError>> {
        Some(listing::loaded(input, profile))
    }

    fn learned_codes(&self, input: &InputSet, profile: &Profile, pairs: &[WordText]) -> Result<Vec<LearnedCode>, ImportError> {
        listing::learned_codes(input, profile, pairs)
    }

    fn columns(&self, input: &InputSet, profile: &Profile, slices: &[SliceId], keys: &[&[&str]]) -> Option<Columns> {
        operand_fields::columns(input, profile, slices, keys)
    }

    fn samples(&self, input: &InputSet, _profile: &Profile, each: &mut dyn FnMut(&str, &Sample<'_>)) -> Result<(), ImportError> {
        samples::samples(input, each)
    }
}
