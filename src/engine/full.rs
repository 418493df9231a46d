//! What only a program of every format links: answers about profiles of Neuron, run summaries and memory snapshots. The common worker is a third as
//! large without.

use super::page_columns::PageMeta;
use super::question::Refusal;
use super::tables::{Part, Table};
use super::{Preparation, QuestionAhead, Session, device_ahead, device_curves};
use crate::analysis::details::Surroundings;
use crate::analysis::device::accesses;
use crate::analysis::device::instructions::instruction::InstructionFacts;
use crate::analysis::device::transfers::transfer;
use crate::analysis::explain::{ExplainPart, ExplainQuery};
use crate::analysis::headline::Headline;
use crate::analysis::variants::VariantPart;
use crate::base::{SliceId, TimeRange};
use crate::formats::{self, Field, ntff};
use crate::model::program::LearnedNames;
use crate::model::{NeuronDevice, Profile};
use std::sync::OnceLock;

/// Adds neighbours and fields to the details of a slice; of an instruction also what its record means.
type Details = fn(&Session, SliceId, &mut Surroundings, &mut Vec<Field>) -> Option<Box<InstructionFacts>>;

/// Reads rows of a schema table. Arguments: table, wanted columns, range, (first row, maximum number of rows).
type TablePart = fn(&Session, &NeuronDevice, Table, &[String], Option<TimeRange>, (usize, usize)) -> Result<(Table, Part), Refusal>;

/// An entry for each place where a general answer differs for a profile of Neuron.
pub(super) struct FullAnswers {
    /// Adds the computed curves to what the page draws.
    pub add_curves: fn(&Profile, &NeuronDevice, &mut PageMeta),
    /// See [`Details`].
    pub details: Details,
    /// What is asked first about a device profile.
    pub questions_ahead: fn(Preparation) -> &'static [QuestionAhead],
    /// What a device or system profile contributes to an explanation of two.
    pub explain_part: fn(&Session, &ExplainQuery) -> ExplainPart,
    /// The rows of a device or system profile in a table of profiles.
    pub variant_parts: fn(&Session) -> Result<Vec<VariantPart>, Refusal>,
    /// The profile's line in the library.
    pub headline: fn(&Session) -> Headline,
    /// See [`TablePart`].
    pub table_part: TablePart,
    /// See [`learn`].
    pub learn: fn(&LearnedNames),
}

static LINKED: OnceLock<FullAnswers> = OnceLock::new();

/// Links importers, and what differs for profiles of Neuron.
pub(super) fn link() {
    formats::link_all();
    // The second call finds the same entries there.
    let _ = LINKED.set(FullAnswers {
        add_curves: device_curves::add,
        details,
        questions_ahead: device_ahead::questions,
        explain_part: Session::neuron_explain_part,
        variant_parts: Session::neuron_variant_parts,
        headline: Session::device_headline,
        table_part: Session::device_part,
        learn: ntff::learn,
    });
}

/// Takes names that traces imported from here on are decoded with; no other program decodes any.
pub fn learn(names: &LearnedNames) {
    if let Ok(full) = linked() {
        (full.learn)(names);
    }
}

/// What is linked.
///
/// # Errors
/// In the program that reads traces of PyTorch and Chrome only.
pub(super) fn linked() -> Result<&'static FullAnswers, Refusal> {
    #[cfg(not(target_arch = "wasm32"))]
    link();
    LINKED.get().ok_or(Refusal::OtherWorker)
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
