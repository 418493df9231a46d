//! Names of operands' codes that neuron-profile's output of another run gave (`learning`). They are not verified: what is decoded with them is marked
//! as learned.

use super::codes::{self, Dtype};
use crate::model::program::{LearnedCode, is_code_name};
use std::cell::RefCell;
use std::collections::BTreeMap;

/// Codes that are stored at most.
const MOST: usize = 512;
/// First character of a placeholder for a name (`learning`): no text has it.
pub(super) const MARK: char = '\u{1}';

thread_local! {
    /// What is learned: a worker opens one profile.
    static LEARNED: RefCell<BTreeMap<(&'static str, u8), &'static str>> = const { RefCell::new(BTreeMap::new()) };
    /// Every name that was ever learned by this thread, once.
    static STORED: RefCell<BTreeMap<String, &'static str>> = const { RefCell::new(BTreeMap::new()) };
}

/// A name that lives as long as the program, like those of the tables. A thread stores at most as many as codes.
pub(super) fn stored(name: &str) -> Option<&'static str> {
    STORED.with_borrow_mut(|all| {
        if let Some(known) = all.get(name) {
            return Some(*known);
        }
        if all.len() == MOST {
            return None;
        }
        let leaked: &'static str = Box::leak(name.to_string().into_boxed_str());
        all.insert(name.into(), leaked);
        Some(leaked)
    })
}

/// Takes names of codes for what this thread opens; fields that are not learnable and what cannot be a name are left out.
pub(crate) fn learn(all: &[LearnedCode]) {
    let field = |code: &LearnedCode| codes::LEARNABLE.iter().find(|f| **f == code.field && is_code_name(&code.name)).copied();
    let known = all.iter().take(MOST).filter_map(|code| Some(((field(code)?, code.code), stored(&code.name)?)));
    LEARNED.with_borrow_mut(|learned| *learned = known.collect());
}

/// The learned name of a code.
pub(super) fn name(field: &'static str, code: u8) -> Option<&'static str> {
    LEARNED.with_borrow(|all| all.get(&(field, code)).copied())
}

/// A type by its learned name, or by a placeholder, whose size is not asked for.
pub(super) fn dtype(name: &'static str) -> Option<Dtype> {
    if name.starts_with(MARK) { Some(Dtype { name, n_bytes: 1 }) } else { codes::named_dtype(name) }
}
