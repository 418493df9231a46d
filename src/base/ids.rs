//! Index newtypes: an index says which table it is into.

use bytemuck::{Pod, Zeroable};
use serde::{Deserialize, Serialize};

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize, Pod, Zeroable)]
        #[repr(transparent)]
        pub struct $name(pub u32);

        impl $name {
            /// The position in its table.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

id!(
    /// A string in the profile's string table. `StrId(0)` is always the empty string.
    StrId
);
id!(
    /// A track, in display order.
    TrackId
);
id!(
    /// A slice, in the order (track, lane, start).
    SliceId
);
id!(
    /// An instant, in the order (track, time).
    InstantId
);
id!(
    /// A counter series group.
    CounterId
);

/// What can be selected on the timeline: a slice or an instant. Both have a record in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum EventId {
    /// A span of time.
    Slice(SliceId),
    /// An instant.
    Instant(InstantId),
}

impl EventId {
    /// The slice, if it is one.
    pub fn slice(self) -> Option<SliceId> {
        match self {
            EventId::Slice(slice) => Some(slice),
            EventId::Instant(_) => None,
        }
    }

    /// The instant, if it is one.
    pub fn instant(self) -> Option<InstantId> {
        match self {
            EventId::Slice(_) => None,
            EventId::Instant(instant) => Some(instant),
        }
    }
}

impl From<SliceId> for EventId {
    fn from(slice: SliceId) -> Self {
        EventId::Slice(slice)
    }
}

impl From<InstantId> for EventId {
    fn from(instant: InstantId) -> Self {
        EventId::Instant(instant)
    }
}
