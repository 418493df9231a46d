//! Another open profile, for a view that shows it beside the one in front.

use crate::worker::client::Ask;

/// Another open profile.
#[derive(Clone)]
pub struct OtherProfile {
    /// Content hash.
    pub hash: String,
    /// Its title.
    pub title: String,
    /// Answers for it.
    pub ask: Ask,
}

impl PartialEq for OtherProfile {
    fn eq(&self, other: &Self) -> bool {
        (&self.hash, &self.title) == (&other.hash, &other.title)
    }
}
