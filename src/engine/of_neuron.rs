//! What profiles of Neuron need beside the answers to their own questions. Only programs that read such profiles link it: the common worker is half as
//! large without.

use super::hot::HotMeta;
use super::question::{Answer, Query, Refusal};
use super::tables::{Part, Table};
use super::{Session, derived};
use crate::analysis::details::Surroundings;
use crate::analysis::device::instruction::InstructionFacts;
use crate::analysis::device::{accesses, transfer};
use crate::analysis::explain::{ExplainPart, ExplainQuery};
use crate::analysis::headline::Headline;
use crate::analysis::variants::VariantPart;
use crate::base::{SliceId, TimeRange};
use crate::formats::{self, Field};
use crate::model::{NeuronDevice, Profile};
use std::sync::OnceLock;

/// Adds neighbours and fields to the details of a slice; of an instruction also what its record means.
type Details = fn(&Session, SliceId, &mut Surroundings, &mut Vec<Field>) -> Option<Box<InstructionFacts>>;

/// Rows of a table of the schema: table, columns that are wanted, the range they are of, the first row and how many at most.
type TablePart = fn(&Session, &NeuronDevice, Table, &[String], Option<TimeRange>, (usize, usize)) -> Result<(Table, Part), String>;

/// One entry for each place where a general answer differs for a profile of Neuron.
pub(super) struct OfNeuron {
    /// Answers a question about such profiles.
    pub answer: fn(&Query, &Session) -> Answer,
    /// Adds the computed curves to what the page draws.
    pub add_curves: fn(&Profile, &NeuronDevice, &mut HotMeta),
    /// See [`Details`].
    pub details: Details,
    /// What a device or system profile contributes to an explanation of two.
    pub explain_part: fn(&Session, &ExplainQuery) -> ExplainPart,
    /// The rows of a device profile in a table of profiles.
    pub variant_parts: fn(&Session) -> Vec<VariantPart>,
    /// Its line of the library.
    pub headline: fn(&Session) -> Headline,
    /// See [`TablePart`].
    pub table_part: TablePart,
}

static LINKED: OnceLock<OfNeuron> = OnceLock::new();

/// Links importers, analyses and tables of AWS Neuron's profiles into this program. Natively they are there without it.
pub fn link_neuron() {
    formats::link_neuron();
    // The second call finds the same entries there.
    let _ = LINKED.set(OfNeuron {
        answer: Query::answer_of_neuron,
        add_curves: derived::add_curves,
        details,
        explain_part: Session::neuron_explain_part,
        variant_parts: Session::device_variant_parts,
        headline: Session::device_headline,
        table_part: Session::device_part,
    });
}

/// What is linked.
///
/// # Errors
/// In a program that does not read profiles of Neuron.
pub(super) fn linked() -> Result<&'static OfNeuron, Refusal> {
    #[cfg(not(target_arch = "wasm32"))]
    link_neuron();
    LINKED.get().ok_or_else(|| Refusal::Because("Profiles of Neuron need their own worker. Reload the page.".into()))
}

fn details(session: &Session, slice: SliceId, near: &mut Surroundings, fields: &mut Vec<Field>) -> Option<Box<InstructionFacts>> {
    let profile = &session.profile;
    near.predecessors.extend(transfer::trigger(profile, slice));
    let (producers, consumers) = accesses::neighbours::neighbours(profile, slice);
    near.predecessors.extend(producers);
    near.successors.extend(consumers);
    fields.extend(transfer::fields(profile, slice).into_iter().map(|(key, value, help)| Field {
        group: "Transfer".into(),
        key: key.into(),
        value,
        unit: String::new(),
        help: help.into(),
    }));
    session.instruction(slice, fields)
}
