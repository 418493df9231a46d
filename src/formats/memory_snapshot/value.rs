//! A plain value of a pickle.

use crate::base::StrId;

/// A plain value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value {
    /// `None`, or a number of more than 64 bits.
    None,
    /// A truth.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A whole number beyond `i64`.
    Unsigned(u64),
    /// A floating-point number.
    Float(f64),
    /// A text.
    Text(StrId),
    /// A container.
    Object(u32),
}
