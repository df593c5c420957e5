//! The numbers that name things in a room, each its own type: tick, epoch, seat, body.

use std::cell::Cell;

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

/// Finds ids in a list that has them rising. Mostly an id is asked for again, or the next: where the last one was is
/// looked at first. Forgetting it, or keeping it while the list changes, does no harm.
#[derive(Debug, Default)]
pub struct Finder(Cell<usize>);

impl Finder {
    /// The place of an id; where it would go if it is not there.
    ///
    /// # Errors
    /// It is not there.
    #[inline]
    pub fn find<T>(&self, list: &[T], id: BodyId, id_of: impl Fn(&T) -> BodyId) -> Result<usize, usize> {
        let last = self.0.get();
        let found = match list.get(last..) {
            Some([it, ..]) if id_of(it) == id => return Ok(last),
            Some([_, next, ..]) if id_of(next) == id => Ok(last + 1),
            _ => list.binary_search_by_key(&id, id_of),
        };
        self.0.set(found.unwrap_or_else(|place| place));
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_was_looked_for_before_an_id_is_where_it_is() {
        let (finder, mut list) = (Finder::default(), Vec::new());
        let ids = || (0..12).chain([7, 7, 3, 9, 10, 11, 0]);
        for taken in 0..12 {
            for id in ids() {
                assert_eq!(finder.find(&list, BodyId(id), |it| *it), list.binary_search(&BodyId(id)));
            }
            list = (0..12).filter(|id| id * 5 % 12 >= taken).map(BodyId).collect();
        }
    }
}
