//! The numbers that name things in a room, each its own type: tick, epoch, seat, body.

use serde::{Deserialize, Serialize};

macro_rules! number {
    ($(#[$doc:meta])* $name:ident($inner:ty)) => {
        $(#[$doc])*
        #[derive(
            Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
        )]
        #[serde(transparent)]
        pub struct $name(pub $inner);

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

number! {
    /// One fixed step of a room, and its number. At 20 Hz a `u32` lasts 6.8 years.
    Tick(u32)
}
number! {
    /// Raised at each restore of a room; what carries a lower one is stale.
    Epoch(u32)
}
number! {
    /// A numbered place in a room; it outlives its connection.
    Seat(u16)
}
number! {
    /// One stay in a seat: the same number is the same holder, back again.
    Occupancy(u32)
}
number! {
    /// A simulated thing. Ids rise and are never used twice in a room.
    BodyId(u32)
}

impl Tick {
    /// The tick `n` later. Saturates: a room that reaches the last tick stands still rather than wrapping.
    #[must_use]
    pub fn plus(self, n: u32) -> Tick {
        Tick(self.0.saturating_add(n))
    }
}
