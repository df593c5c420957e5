//! Lease numbers that are never admitted again: returned ones, and those the room has answered `absent` to.
//!
//! A grant may be on its way while its number is called back, so the room remembers. It need not remember for ever: the
//! Lobby's numbers rise, and an answer counts for `PEER_CALL_MS`; so numbers of accounts with a grant under way are kept
//! whatever comes, and of the others the newest. The ring is part of every cut.

use std::collections::BTreeMap;

use crate::limits::{SPENT_MAX, SPENT_PER_SEAT};
use crate::wire::lease::Stamp;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Spent {
    /// How many are kept: more than there can be grants under way, each of which reserves a seat.
    most: u32,
    slots: BTreeMap<u32, (String, Stamp)>,
    /// Where the oldest lies, as far as this incarnation knows.
    next: u32,
}

impl Spent {
    /// Of a room with so many seats. Slots beyond its ring are of a former one with more, and dropped.
    pub(super) fn new(seats: u16, mut slots: BTreeMap<u32, (String, Stamp)>) -> Spent {
        let most = (u32::from(seats) * SPENT_PER_SEAT).clamp(1, SPENT_MAX);
        slots.retain(|slot, _| *slot < most);
        let next = (0..most).find(|slot| !slots.contains_key(slot)).unwrap_or(0);
        Spent { most, slots, next }
    }

    /// The newest stamp of an account that is not admitted.
    pub(super) fn of(&self, account: &str) -> Stamp {
        let found = self.slots.values().find(|(known, _)| known == account);
        found.map_or_else(Stamp::default, |(_, stamp)| *stamp)
    }

    /// Adds a number; the oldest makes room, unless it `is_needed`. False: one as new was there already.
    pub(super) fn add(&mut self, account: &str, stamp: Stamp, is_needed: impl Fn(&str) -> bool) -> bool {
        if let Some((_, known)) = self.slots.values_mut().find(|(known, _)| known == account) {
            let is_newer = stamp > *known;
            *known = stamp.max(*known);
            return is_newer;
        }
        let free = |slot: &u32| self.slots.get(slot).is_none_or(|(known, _)| !is_needed(known));
        let slot = (self.next..self.most).chain(0..self.next).find(free).unwrap_or(self.next);
        self.slots.insert(slot, (account.to_owned(), stamp));
        self.next = (slot + 1) % self.most;
        true
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, &str, Stamp)> {
        self.slots.iter().map(|(slot, (account, stamp))| (*slot, account.as_str(), *stamp))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stamp(lease: u64) -> Stamp {
        Stamp { lease, seq: 0 }
    }

    #[test]
    fn a_number_is_kept_until_newer_ones_fill_the_ring() {
        let mut spent = Spent::new(2, BTreeMap::new());
        for (lease, account) in (1..).zip(["a", "b", "c", "d"]) {
            assert!(spent.add(account, stamp(lease), |_| false));
        }
        assert_eq!(spent.of("a"), stamp(1));
        spent.add("e", stamp(5), |_| false);
        assert_eq!((spent.of("a"), spent.of("b"), spent.of("e")), (stamp(0), stamp(2), stamp(5)));
        assert_eq!(spent.iter().count(), 4);
    }

    #[test]
    fn a_number_that_is_needed_stays_whatever_comes() {
        let mut spent = Spent::new(2, BTreeMap::new());
        spent.add("a", stamp(9), |_| false);
        for lease in 1..100 {
            spent.add(&format!("x{lease}"), stamp(lease), |account| account == "a");
        }
        assert_eq!((spent.of("a"), spent.of("x99"), spent.iter().count()), (stamp(9), stamp(99), 4));
    }

    #[test]
    fn an_older_number_changes_nothing() {
        let mut spent = Spent::new(2, BTreeMap::new());
        assert!(spent.add("a", stamp(9), |_| false) && !spent.add("a", stamp(8), |_| false));
        assert!(!spent.add("a", stamp(9), |_| false) && spent.of("a") == stamp(9));
    }

    #[test]
    fn the_ring_goes_on_after_a_restore() {
        let mut spent = Spent::new(2, BTreeMap::new());
        spent.add("a", stamp(1), |_| false);
        let slots = spent.iter().map(|(slot, account, at)| (slot, (account.to_owned(), at)));
        let mut again = Spent::new(2, slots.chain([(77, ("b".to_owned(), stamp(1)))]).collect());
        again.add("c", stamp(2), |_| false);
        assert_eq!((again.of("a"), again.of("b"), again.of("c")), (stamp(1), stamp(0), stamp(2)));
    }
}
