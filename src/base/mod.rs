//! What every room shares: units, ids, strings, text formatting, diagnostics, input. Knows no profile.

pub mod arrow;
pub mod bytes;
pub mod chunks;
pub mod colour_slots;
pub mod csv;
pub mod diagnostics;
pub mod hash;
pub mod ids;
pub mod input;
pub mod interner;
pub mod order;
pub mod packed;
pub mod phases;
pub mod radix_sort;
pub mod shared_column;
pub mod short_name;
pub mod sorted_index;
pub mod text;
pub mod titles;
pub mod trace_identity;
pub mod units;
pub mod windows;
pub mod zip;

pub use chunks::for_each_chunk;
pub use diagnostics::{Ledger, Severity, SkipReason};
pub use ids::{CounterId, EventId, InstantId, SliceId, StrId, TrackId};
pub use input::{ByteSource, InputError, InputSet, Member, MemberHead, MemorySource, SourceError};
pub use interner::{Interner, StringTable};
pub use order::{Order, largest};
pub use radix_sort::radix_order;
pub use shared_column::SharedColumn;
pub use short_name::short_name;
pub use sorted_index::SortedIndex;
pub use trace_identity::{Origin, TraceIdentity};
pub use units::{DurationNs, TimeNs, TimeRange};
pub use windows::Windows;
