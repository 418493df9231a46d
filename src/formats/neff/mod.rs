//! NEFF: what the Neuron compiler makes of a model. Alone it has no times; with an NTFF it names the instructions.

mod archive;
mod debug;
mod functions;
mod header;
mod tables;
mod variables;

use crate::base::{EventId, InputSet, Ledger, Member, MemberHead};
use crate::formats::neuron_json::tables::Tables;
use crate::formats::{Claim, Field, Format, FormatInfo, ImportError, ProgressReporter, Recognise};
use crate::model::program::EngineProgram;
use crate::model::{Meta, Profile, ProfileBuilder};

pub(crate) use debug::{Name, Program, Reader, dependency};
pub(crate) use functions::functions;
pub(crate) use header::{hex, sniff};
pub(crate) use tables::{facts, write};
pub(crate) use variables::{Variable, Variables};

/// The format.
pub struct NeffFile;

/// An open NEFF.
pub(crate) struct Neff {
    pub header: header::Header,
    pub archive: archive::Archive,
}

/// Reads a NEFF: its header and the known members.
pub(crate) fn open(member: &Member, ledger: &mut Ledger) -> Result<Neff, ImportError> {
    let header = header::read(&member.name, member.len(), &member.read_up_to(0, header::HEADER as u64)?)?;
    let archive = archive::read(member, header.data_size, ledger);
    Ok(Neff { header, archive })
}

/// Whether a member is a NEFF; by name only if its content is too short.
pub(crate) fn is_neff(head: &MemberHead) -> bool {
    sniff(&head.head).is_some() || (head.name.ends_with(".neff") && head.len < header::HEADER as u64)
}

/// The compiler's programs of every subgraph, with the names of their instructions.
fn programs(input: &InputSet) -> Result<Vec<EngineProgram>, ImportError> {
    let member = input.members.first().ok_or_else(|| ImportError::Invalid("Expected a NEFF, found no file.".into()))?;
    // What is unreadable is in the ledger since the import.
    let neff = open(member, &mut Ledger::default())?;
    let functions = functions(&neff, &mut Ledger::default()).into_iter().collect();
    let mut reader = Reader::new(&neff.archive);
    let mut out = Vec::new();
    let is_verified = tables::is_verified_target(&neff);
    for subgraph in tables::subgraphs(&neff, &mut Ledger::default()) {
        for (engine, unit) in crate::formats::ntff::NEFF_ENGINES.iter().enumerate() {
            let Some(words) = neff.archive.file(&format!("{subgraph}/{unit}.bin")) else { continue };
            let mut program = crate::formats::ntff::compiled(&subgraph, engine, words, is_verified, &functions);
            if let Some(named) = reader.program(&subgraph, engine) {
                for (word, name) in program.words.iter_mut().zip(&named.names) {
                    (word.bir, word.layer, word.source) = (name.bir.clone(), name.layer.clone(), name.source.clone());
                }
            }
            out.push(program);
        }
    }
    Ok(out)
}

impl Recognise for NeffFile {
    fn id(&self) -> &'static str {
        "neff"
    }

    fn info(&self) -> FormatInfo {
        FormatInfo {
            id: self.id().into(),
            title: "Compiled model (NEFF)".into(),
            files: ".neff".into(),
            shows:
                "Compiler output: header, members, tensors, programs and statistics. Provides instruction names for an NTFF opened with it."
                    .into(),
            capture: "In the compiler cache: /var/tmp/neuron-compile-cache/…/model.neff".into(),
            caveats: "Has no times: open it together with the .ntff of a run.".into(),
        }
    }

    fn claim(&self, heads: &[MemberHead], taken: &[bool]) -> Vec<Claim> {
        let free = heads.iter().enumerate().filter(|(i, _)| !taken.get(*i).copied().unwrap_or(false));
        let neffs = free.filter(|(_, head)| is_neff(head));
        let recognised = "A NEFF header of 1024 bytes before an archive.".to_string();
        neffs.map(|(i, _)| Claim { format: self.id().into(), members: vec![i], recognised: recognised.clone() }).collect()
    }
}

impl Format for NeffFile {
    fn import(&self, input: &InputSet, _claim: &Claim, ledger: &mut Ledger, _watch: &mut ProgressReporter) -> Result<Profile, ImportError> {
        let member = input.members.first().ok_or_else(|| ImportError::Invalid("Expected a NEFF, found no file.".into()))?;
        let neff = open(member, ledger)?;
        let mut rows = Tables::default();
        write(&neff, true, &mut rows, ledger);
        let mut builder = ProfileBuilder::new();
        rows.finish().into_iter().for_each(|table| builder.table(table));
        ledger.note("A NEFF has no times: open it together with the .ntff of a run.");
        let meta = Meta {
            format: self.id().into(),
            title: crate::formats::file_name::file_name(&member.name).into(),
            facts: facts(&neff, ledger),
            not_available: vec!["Measured data: a NEFF is a program, not a run".into()],
            ..Meta::default()
        };
        Ok(builder.finish(meta).profile)
    }

    fn programs(&self, input: &InputSet, _profile: &Profile) -> Option<Result<Vec<EngineProgram>, ImportError>> {
        Some(programs(input))
    }

    fn record(&self, _input: &InputSet, _profile: &Profile, _item: EventId) -> Result<Vec<Field>, ImportError> {
        Err(ImportError::Invalid("A NEFF has no events.".into()))
    }
}
