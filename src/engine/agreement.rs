//! Hashes of the instructions of a device profile, for comparing two files of one run.

use super::instruction_rows::InstructionRow;
use super::{Refusal, Session};
use crate::analysis::device::instructions::agreement::{AgreementPart, MOST_ROWS};
use crate::model::{Cell, Domain};
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

/// Formats that the profiler writes.
const OF_PROFILER: [&str; 2] = ["neuron_json", "neuron_parquet"];

impl Session {
    /// Instructions as hashes.
    pub(super) fn agreement_part(&self) -> Result<AgreementPart, Refusal> {
        let Domain::NeuronDevice(device) = &self.profile.domain else {
            return Err(Refusal::OtherKind("a Neuron device profile"));
        };
        let mut out = AgreementPart {
            is_of_profiler: OF_PROFILER.contains(&self.claim.format.as_str()),
            uuid: self.uuid(),
            window_ns: device.window_ns,
            ..AgreementPart::default()
        };
        let mut next = Some(0);
        while let Some(from) = next {
            let (rows, after) = self.instruction_rows(from)?;
            out.n_instructions += rows.len() as u64;
            let room = MOST_ROWS.saturating_sub(out.rows.len());
            out.rows.extend(rows.iter().take(room).map(hashes));
            next = after.filter(|_| out.rows.len() < MOST_ROWS);
        }
        out.rows.sort_unstable();
        Ok(out)
    }

    /// The uuid of the NEFF that ran, in lower case without dashes; empty where not recorded.
    fn uuid(&self) -> String {
        let plain = |text: &str| text.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
        let fact = self.profile.meta.facts.iter().find(|f| f.name == "NEFF uuid").map(|f| plain(&f.value));
        let of_table = || {
            let table = self.profile.tables.iter().find(|t| t.id == "neff_header" || t.id == "NeffHeader")?;
            let at = table.columns.iter().position(|c| c == "uuid")?;
            match table.rows.first()?.get(at)? {
                Cell::Text(text) => Some(plain(text)),
                _ => None,
            }
        };
        fact.or_else(of_table).unwrap_or_default()
    }
}

/// The identity of an executed instruction, and the hash of its compared fields. White space in operands is ignored.
fn hashes(row: &InstructionRow) -> (u64, u64) {
    let hash = |write: &dyn Fn(&mut FxHasher)| {
        let mut hasher = FxHasher::default();
        write(&mut hasher);
        hasher.finish()
    };
    let key = hash(&|h| (row.subgroup.as_str(), row.pc, row.timestamp).hash(h));
    let value = hash(&|h| {
        (row.opcode.as_str(), row.duration).hash(h);
        row.operands.split_ascii_whitespace().for_each(|word| word.hash(h));
    });
    (key, value)
}
