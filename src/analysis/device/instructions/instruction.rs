//! What an instruction's record means, put together: operands in words, semaphores resolved, where it comes from.

use crate::analysis::device::instructions::grammar::{self, Operand};
use crate::analysis::device::instructions::origin::{self, Find, Origin};
use crate::analysis::device::waiting::waits::{self, SemaphoreFact};
use crate::base::SliceId;
use crate::model::Profile;
use serde::{Deserialize, Serialize};

/// What is known of an instruction beyond its fields.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct InstructionFacts {
    /// The words of its operands.
    pub operands: Vec<Operand>,
    /// What it waits for, then what it sets.
    pub semaphores: Vec<SemaphoreFact>,
    /// Where it comes from.
    pub origin: Origin,
}

/// What the record of a slice says of its instruction; `find` looks up rows of the profile's tables.
pub fn facts(profile: &Profile, slice: SliceId, fields: &[(&str, &str)], find: &Find<'_>) -> InstructionFacts {
    let operands = fields.iter().find(|f| f.0 == "operands").map_or("", |f| f.1);
    InstructionFacts {
        operands: grammar::operands(operands),
        semaphores: waits::semaphores(profile, slice),
        origin: origin::origin(fields, find),
    }
}
