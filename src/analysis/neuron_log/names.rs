//! Operators of slices as numbers: a name is taken apart once, however many slices bear it.

use super::operator_name;
use crate::base::SliceId;
use crate::model::Profile;
use rustc_hash::FxHashMap;

/// Not computed yet.
const UNKNOWN: u32 = u32::MAX;

/// The operators seen so far, numbered in that order.
pub(super) struct Operators {
    /// Indexed by string of the profile.
    of_string: Vec<u32>,
    names: Vec<String>,
    by_name: FxHashMap<String, u32>,
}

impl Operators {
    /// No match.
    pub fn new(profile: &Profile) -> Self {
        Operators { of_string: vec![UNKNOWN; profile.strings.len()], names: Vec::new(), by_name: FxHashMap::default() }
    }

    /// Number of the operator of a slice.
    pub fn of(&mut self, profile: &Profile, slice: SliceId) -> usize {
        let string = profile.slices.name[slice.index()].index();
        if self.of_string[string] == UNKNOWN {
            self.of_string[string] = self.number(operator_name(profile.name_of(slice)));
        }
        self.of_string[string] as usize
    }

    /// Name of the operator of a slice.
    pub fn name_of(&mut self, profile: &Profile, slice: SliceId) -> String {
        let at = self.of(profile, slice);
        self.names[at].clone()
    }

    /// Number of a name that was found.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).map(|at| *at as usize)
    }

    /// Names by number.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    fn number(&mut self, name: String) -> u32 {
        let next = self.names.len() as u32;
        let at = *self.by_name.entry(name.clone()).or_insert(next);
        if at == next {
            self.names.push(name);
        }
        at
    }
}
