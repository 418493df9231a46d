//! What every room shares: units, ids, strings, text formatting, diagnostics, input. Knows no profile.

pub mod arrow;
pub mod ascending;
pub mod bytes;
pub mod colour_slots;
pub mod csv;
pub mod diagnostics;
pub mod hash;
pub mod ids;
pub mod input;
pub mod interner;
pub mod order;
pub mod parts;
pub mod phases;
pub mod place;
pub mod places;
pub mod short_name;
pub mod text;
pub mod titles;
pub mod units;
pub mod windows;
pub mod zip;

pub use ascending::ascending;
pub use diagnostics::{Ledger, Severity, SkipReason};
pub use ids::{CounterId, InstantId, Item, SliceId, StrId, TrackId};
pub use input::{ByteSource, InputError, InputSet, Member, MemberHead, MemorySource, SourceError};
pub use interner::{Interner, StringTable};
pub use order::{Order, largest};
pub use parts::in_parts;
pub use place::{Origin, Place};
pub use places::Places;
pub use short_name::short_name;
pub use units::{DurationNs, TimeNs, TimeRange};
pub use windows::Windows;
