//! Feeds the bytes of a pickle to the machine, block by block.

use super::broken::Broken;
use super::finish::finish;
use super::machine::Machine;
use super::opcodes::{Refusal, parse};
use crate::base::{Ledger, Severity, text};
use crate::formats::{ImportError, Streamed};
use crate::model::Profile;

/// Imports one snapshot.
pub struct Importer {
    machine: Machine,
    title: String,
    /// Bytes of an instruction that the last block did not complete.
    carry: Vec<u8>,
    /// Offset of the next instruction in the file.
    offset: u64,
    is_over: bool,
    n_after: u64,
}

impl Importer {
    /// An importer of a snapshot that is to be called `title`.
    pub fn new(title: &str) -> Self {
        Importer { machine: Machine::new(), title: title.into(), carry: Vec::new(), offset: 0, is_over: false, n_after: 0 }
    }

    fn run(&mut self, bytes: &[u8]) -> Result<usize, ImportError> {
        let mut at = 0;
        while !self.is_over {
            let next = parse(&bytes[at..]).map_err(|refusal| refused(refusal, self.offset))?;
            let Some((op, length)) = next else { break };
            self.is_over = self.machine.run(op).map_err(|broken| damaged(broken, self.offset))?;
            at += length;
            self.offset += length as u64;
        }
        Ok(at)
    }
}

impl Streamed for Importer {
    fn feed(&mut self, block: &[u8], _ledger: &mut Ledger) -> Result<(), ImportError> {
        if self.is_over {
            self.n_after += block.len() as u64;
            return Ok(());
        }
        if self.carry.is_empty() {
            let used = self.run(block)?;
            self.carry.extend_from_slice(&block[used..]);
        } else {
            let mut bytes = std::mem::take(&mut self.carry);
            bytes.extend_from_slice(block);
            let used = self.run(&bytes)?;
            bytes.drain(..used);
            self.carry = bytes;
        }
        if self.is_over {
            self.n_after += std::mem::take(&mut self.carry).len() as u64;
        }
        Ok(())
    }

    fn n_records(&self) -> u64 {
        let records = &self.machine.containers.records;
        (records.events.action.len() + records.blocks.len() + records.segments.len()) as u64
    }

    fn finish(mut self: Box<Self>, _is_truncated: bool, ledger: &mut Ledger) -> Result<Profile, ImportError> {
        let root = if self.is_over { self.machine.result() } else { self.machine.close() };
        if !self.is_over {
            let reason = "The file ends inside the snapshot; everything before its end was read.";
            ledger.read += 1;
            ledger.skip(Severity::DataLoss, "truncated_pickle", reason, self.offset, String::new);
        }
        if self.n_after > 0 {
            ledger.note(format!("{} after the end of the snapshot are not read.", text::bytes(self.n_after)));
        }
        finish(self.machine.containers, root, self.title, !self.is_over, ledger)
    }
}

fn refused(refusal: Refusal, offset: u64) -> ImportError {
    let expected = "Expected a memory snapshot: a pickle of plain data (dicts, lists, texts, numbers)";
    match refusal {
        Refusal::Code(name) => ImportError::Unsupported(format!(
            "{expected}; found the instruction {name} at byte {offset}, which loads or calls code. Nothing of the file was run."
        )),
        Refusal::NotPlain(what) => {
            ImportError::Unsupported(format!("{expected}; found {what} at byte {offset}. Nothing of the file was run."))
        }
        Refusal::Unknown(byte) => {
            ImportError::Invalid(format!("{expected}; found byte {byte:#04x} at byte {offset}, which is no instruction of a pickle."))
        }
        Refusal::Argument(what) => ImportError::Invalid(format!("{expected}; expected {what} at byte {offset}, found something else.")),
    }
}

fn damaged(broken: Broken, offset: u64) -> ImportError {
    match broken {
        Broken::EmptyStack => ImportError::Invalid(format!(
            "Expected values for the instruction at byte {offset} of the pickle, found none. The file is damaged."
        )),
        Broken::WrongObject(what) => ImportError::Invalid(format!(
            "Expected {what} for the instruction at byte {offset} of the pickle, found something else. The file is damaged."
        )),
        Broken::NoMemo => ImportError::Invalid(format!(
            "The instruction at byte {offset} of the pickle refers to a value that is not in the file. The file is damaged."
        )),
        Broken::TooMany(what) => {
            ImportError::Unsupported(format!("The pickle has more {what} at byte {offset} than a memory snapshot has."))
        }
    }
}
