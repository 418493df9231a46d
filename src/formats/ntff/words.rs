//! What executed instruction words say: read once, used for every execution.

use super::isa::Counters;
use super::programs::{Programs, WordKey};
use super::usage::Touch;
use crate::formats::neuron_json::timeline::SharedWord;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// What an executed word says, read once for all its executions.
#[derive(Debug)]
pub(super) struct Word {
    pub shared: SharedWord,
    pub opcode: Option<u8>,
    /// Its opcode by name, and where it stands: for the ledger.
    pub place: String,
    /// What it reads and writes on the chip; `None` where that is not known.
    pub touches: Option<Rc<[Touch]>>,
    /// What it reads and writes.
    pub counters: Option<Counters>,
    /// Why its operands are not decoded: (kind, sentence) of the ledger.
    pub refused: Option<(String, String)>,
    /// Whether it is decoded with codes that this browser learned.
    pub is_learned: bool,
    /// Why its opcode has no verified name: (kind, sentence) of the ledger.
    pub unnamed: Option<(&'static str, &'static str)>,
    /// The compiler's number of it, where the NEFF names it.
    pub bir_id: Option<u64>,
}

/// The loaded programs, and what their words say.
#[derive(Debug, Default)]
pub(super) struct Words {
    pub loaded: Programs,
    pub known: FxHashMap<WordKey, Rc<Word>>,
}
