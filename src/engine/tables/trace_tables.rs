//! What the tables of a profile with a timeline are read from.

use super::row_index::RowIndex;
use super::torch_index::TorchIndex;
use crate::analysis::torch::View;
use crate::model::{NO_SLICE, Profile, Torch};

/// The tables of a PyTorch trace.
pub(super) struct TorchRows<'a> {
    pub view: View<'a>,
    pub index: &'a TorchIndex,
}

/// The tables of a profile, column by column.
pub(super) struct TraceTables<'a> {
    pub profile: &'a Profile,
    /// What only a PyTorch trace has.
    pub torch: Option<(&'a Torch, TorchRows<'a>)>,
    /// What its parts share.
    pub index: &'a RowIndex,
}

/// A number of an id column.
pub(super) fn id(n: u32) -> Option<i64> {
    (n != NO_SLICE).then_some(i64::from(n))
}
