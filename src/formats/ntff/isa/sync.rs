//! What a word waits for and what it updates: the same bytes in every opcode.

use super::codes::Refused;
use super::word::Word;

/// When the instruction may start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Condition {
    /// The semaphore has exactly this value.
    Exactly(u32),
    /// The semaphore is at least this value.
    AtLeast(u32),
    /// Sets or clears the event.
    EventSet,
}

/// A wait on a semaphore, or on an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Wait {
    pub id: u8,
    pub condition: Condition,
}

/// How a semaphore or an event changes when the instruction ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Change {
    SetEvent,
    Increment,
    Decrement,
    Add(u32),
    Set(u32),
}

/// An update of a semaphore, or of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Update {
    pub id: u8,
    pub change: Change,
}

/// A wait and an update.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Sync {
    pub wait: Option<Wait>,
    pub update: Option<Update>,
}

/// The wait and the update of every word.
pub(super) fn first(word: Word<'_>) -> Result<Sync, Refused> {
    // The position of the value of an update in this band is not verified.
    read(word, 0x04, 0x08, None)
}

/// The second ones, of EVENT_SEMAPHORE.
pub(super) fn second(word: Word<'_>) -> Result<Sync, Refused> {
    read(word, 0x20, 0x24, Some(0x28))
}

fn read(word: Word<'_>, at: usize, value_at: usize, update_at: Option<usize>) -> Result<Sync, Refused> {
    let refused = |field, code: u8| Refused { opcode: word.u8(0), field, code: code.into() };
    let (mode, id, value) = (word.u8(at), word.u8(at + 1), word.u32(value_at));
    let condition = match mode {
        0 => None,
        1 => Some(Condition::Exactly(value)),
        5 => Some(Condition::AtLeast(value)),
        7 => Some(Condition::EventSet),
        code => return Err(refused("wait mode", code)),
    };
    let (mode, updated) = (word.u8(at + 2), word.u8(at + 3));
    let change = match (mode, update_at) {
        (0, _) => None,
        (0x11, _) => Some(Change::SetEvent),
        (0x13, _) => Some(Change::Increment),
        (0x14, _) => Some(Change::Decrement),
        (0x15, Some(at)) => Some(Change::Add(word.u32(at))),
        (0x19, Some(at)) => Some(Change::Set(word.u32(at))),
        (code, _) => return Err(refused("update mode", code)),
    };
    let wait = condition.map(|condition| Wait { id, condition });
    Ok(Sync { wait, update: change.map(|change| Update { id: updated, change }) })
}

/// The semaphore that a word updates in the first band, whatever its opcode; `None` for events and unknown modes.
pub(super) fn updated_semaphore(word: &[u8]) -> Option<u8> {
    let (mode, id) = (*word.get(6)?, *word.get(7)?);
    matches!(mode, 0x13 | 0x14 | 0x15 | 0x19).then_some(id)
}
