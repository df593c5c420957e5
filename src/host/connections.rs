//! The connections of a room: whose they are, when they were last heard, and how much they may say.
//!
//! Absent: sockets, and what a connection holds in the game (`seats.rs`).

use std::collections::BTreeMap;

use crate::host::ConnectionId;
use crate::limits::{
    ACTIONS_BURST, ACTIONS_PER_SECOND, MESSAGES_BURST, MESSAGES_PER_SECOND, SAYS_BURST, SAYS_PER_SECOND,
};
use crate::rules::ids::Seat;

pub(super) type Connections = BTreeMap<ConnectionId, Connection>;

/// One connection that has said hello.
#[derive(Clone, Debug)]
pub(super) struct Connection {
    /// None: a spectator, or one that waits for its character.
    pub seat: Option<Seat>,
    /// It is sent nothing but its welcome until the commit of this number was taken.
    pub gate: u64,
    pub heard_ms: u64,
    /// Since when its page is hidden.
    pub hidden_since_ms: Option<u64>,
    pub messages: Bucket,
    pub says: Bucket,
    pub acts: Bucket,
    /// Messages over the rate since it last kept within it.
    pub over: u32,
}

impl Connection {
    pub(super) fn new(seat: Option<Seat>, gate: u64, now_ms: u64) -> Connection {
        Connection {
            seat,
            gate,
            heard_ms: now_ms,
            hidden_since_ms: None,
            messages: Bucket::new(MESSAGES_PER_SECOND, MESSAGES_BURST, now_ms),
            says: Bucket::new(SAYS_PER_SECOND, SAYS_BURST, now_ms),
            acts: Bucket::new(ACTIONS_PER_SECOND, ACTIONS_BURST, now_ms),
            over: 0,
        }
    }

    /// One whose character is asked for: it is sent nothing before that is settled.
    pub(super) fn waiting(now_ms: u64) -> Connection {
        Connection::new(None, u64::MAX, now_ms)
    }

    pub(super) fn is_spectator(&self) -> bool {
        self.seat.is_none() && self.gate != u64::MAX
    }

    /// Counts a message in, before anything of it is read. False: it is over the rate.
    pub(super) fn admit(&mut self, now_ms: u64) -> bool {
        self.heard_ms = now_ms;
        let admitted = self.messages.take(now_ms);
        if !admitted {
            self.over += 1;
        } else if self.messages.is_full() {
            self.over = 0;
        }
        admitted
    }
}

/// A token bucket in thousandths, so that it fills by whole numbers at any rate.
#[derive(Clone, Debug)]
pub(super) struct Bucket {
    per_second: u64,
    most: u64,
    level: u64,
    at_ms: u64,
}

const ONE: u64 = 1_000;

impl Bucket {
    pub(super) fn new(per_second: u32, burst: u32, now_ms: u64) -> Bucket {
        let most = u64::from(burst) * ONE;
        Bucket { per_second: u64::from(per_second), most, level: most, at_ms: now_ms }
    }

    pub(super) fn take(&mut self, now_ms: u64) -> bool {
        let gained = now_ms.saturating_sub(self.at_ms).saturating_mul(self.per_second);
        self.level = self.level.saturating_add(gained).min(self.most);
        self.at_ms = now_ms;
        let enough = self.level >= ONE;
        self.level -= if enough { ONE } else { 0 };
        enough
    }

    /// Nothing but the message just taken is owed.
    fn is_full(&self) -> bool {
        self.level + ONE >= self.most
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_lets_a_burst_through_and_then_its_rate() {
        let mut bucket = Bucket::new(60, 120, 0);
        assert_eq!((0..500).filter(|_| bucket.take(0)).count(), 120);
        assert_eq!((0..500).filter(|_| bucket.take(1_000)).count(), 60);
        assert_eq!((1_001..2_001).filter(|ms| bucket.take(*ms)).count(), 60);
    }

    #[test]
    fn messages_over_the_rate_are_forgiven_once_it_is_kept() {
        let mut connection = Connection::new(None, 0, 0);
        let over = (0..200).filter(|_| !connection.admit(0)).count();
        assert_eq!((over, connection.over), (80, 80));
        assert!(connection.admit(60_000));
        assert_eq!(connection.over, 0);
    }

    #[test]
    fn a_clock_set_back_takes_nothing() {
        let mut bucket = Bucket::new(1, 2, 10_000);
        assert!(bucket.take(5_000) && bucket.take(5_000) && !bucket.take(5_000));
    }
}
