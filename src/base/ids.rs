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
    /// A counter series group.
    CounterId
);
