//! The seats of a room: who holds which, by what secret, and until when a lost connection's is kept.
//!
//! A seat outlives its connection. Only its secret opens it; numbers that others see never do. Absent: the
//! body in the simulation, commits, messages; `join.rs` and `tick.rs` go through those.

use std::collections::BTreeMap;

use crate::host::ConnectionId;
use crate::host::inputs::InputQueue;
use crate::host::save::{DriverRecord, SeatRecord};
use crate::host::secrets::{Secret, same_secret};
use crate::rules::ids::{Occupancy, Seat};
use crate::wire::server_message::RosterRow;

pub(super) struct Seats {
    /// How many the room has.
    count: u16,
    held: BTreeMap<Seat, Held>,
    next_occupancy: Occupancy,
    /// Others have not been told yet.
    roster_changed: bool,
}

/// One stay in a seat.
pub(super) struct Held {
    pub occupancy: Occupancy,
    pub name: String,
    secret: Secret,
    /// The one in the hello that `secret` answered: good until its welcome is known to have arrived.
    former: Option<Secret>,
    pub holder: Holder,
    pub input: InputQueue,
    /// Welcomes given to this stay, less one: inputs and acks count anew with each.
    pub rebase: u32,
    /// When its input last changed.
    pub active_ms: u64,
}

/// Where the person of a seat is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Holder {
    Here(ConnectionId),
    /// The connection is lost; the first tick at or after this time frees the seat.
    Away {
        until_ms: u64,
    },
}

impl Seats {
    pub(super) fn new(count: u16) -> Seats {
        Seats { count, held: BTreeMap::new(), next_occupancy: Occupancy(1), roster_changed: false }
    }

    /// Everyone who held a seat is away, with the whole grace before them.
    pub(super) fn restore(
        count: u16,
        next: Occupancy,
        records: Vec<(Seat, SeatRecord)>,
        until_ms: u64,
    ) -> Seats {
        let held = records.into_iter().map(|(seat, record)| {
            let DriverRecord::Person = record.driver;
            let held = Held {
                occupancy: record.occupancy,
                name: record.name,
                secret: Secret(record.token),
                former: record.former_token.map(Secret),
                holder: Holder::Away { until_ms },
                input: InputQueue::default(),
                rebase: 0,
                active_ms: until_ms,
            };
            (seat, held)
        });
        Seats { count, held: held.collect(), next_occupancy: next, roster_changed: false }
    }

    pub(super) fn records(&self) -> impl Iterator<Item = (Seat, SeatRecord)> {
        self.held.iter().map(|(seat, held)| {
            let record = SeatRecord {
                occupancy: held.occupancy,
                driver: DriverRecord::Person,
                name: held.name.clone(),
                token: held.secret.0,
                former_token: held.former.map(|secret| secret.0),
            };
            (*seat, record)
        })
    }

    /// The seat that `secret` opens. Every held one is compared, so the time tells nothing.
    pub(super) fn opened_by(&self, secret: Secret) -> Option<Seat> {
        self.held.iter().fold(None, |found, (seat, held)| {
            let current = same_secret(held.secret, secret);
            let former = held.former.is_some_and(|former| same_secret(former, secret));
            if current | former { Some(*seat) } else { found }
        })
    }

    /// The seat wished for if it is free, else the first free one.
    pub(super) fn free(&self, wish: Option<u16>, is_reserved: impl Fn(Seat) -> bool) -> Option<Seat> {
        let is_free = |seat: &Seat| !self.held.contains_key(seat) && !is_reserved(*seat);
        let wish = wish.filter(|seat| *seat < self.count).map(Seat).filter(is_free);
        wish.or_else(|| (0..self.count).map(Seat).find(is_free))
    }

    /// A new stay in a free seat.
    pub(super) fn sit(
        &mut self,
        seat: Seat,
        connection: ConnectionId,
        name: String,
        secret: Secret,
        now_ms: u64,
    ) {
        let held = Held {
            occupancy: self.next_occupancy,
            name,
            secret,
            former: None,
            holder: Holder::Here(connection),
            input: InputQueue::default(),
            rebase: 0,
            active_ms: now_ms,
        };
        self.next_occupancy = Occupancy(self.next_occupancy.0.saturating_add(1));
        self.held.insert(seat, held);
        self.roster_changed = true;
    }

    /// The same stay, on a new connection. `used` is the secret that opened it (none: its account did), and `secret`
    /// what opens it from now on.
    pub(super) fn rotate(&mut self, seat: Seat, used: Option<Secret>, secret: Secret) {
        if let Some(held) = self.held.get_mut(&seat) {
            held.former = Some(used.unwrap_or(held.secret));
            held.secret = secret;
        }
    }

    /// Puts `connection` in a held seat. Its inputs start anew: what it sent before may be lost.
    pub(super) fn connect(&mut self, seat: Seat, connection: ConnectionId, now_ms: u64) {
        if let Some(held) = self.held.get_mut(&seat) {
            self.roster_changed |= matches!(held.holder, Holder::Away { .. });
            held.holder = Holder::Here(connection);
            held.input = InputQueue::default();
            held.rebase = held.rebase.saturating_add(1);
            held.active_ms = now_ms;
        }
    }

    /// The welcome of the newest secret has arrived: the one before opens nothing any more.
    pub(super) fn confirm(&mut self, seat: Seat) {
        if let Some(held) = self.held.get_mut(&seat) {
            held.former = None;
        }
    }

    /// The connection of a seat is lost: its input is neutral from now, and the seat is kept until
    /// `until_ms`.
    pub(super) fn lose(&mut self, seat: Seat, until_ms: u64) {
        if let Some(held) = self.held.get_mut(&seat) {
            held.holder = Holder::Away { until_ms };
            held.input = InputQueue::default();
            self.roster_changed = true;
        }
    }

    pub(super) fn free_up(&mut self, seat: Seat) {
        self.roster_changed |= self.held.remove(&seat).is_some();
    }

    /// Seats whose grace has run out.
    pub(super) fn overdue(&self, now_ms: u64) -> Vec<Seat> {
        let overdue = |held: &Held| matches!(held.holder, Holder::Away { until_ms } if until_ms <= now_ms);
        self.held.iter().filter(|(_, held)| overdue(held)).map(|(seat, _)| *seat).collect()
    }

    pub(super) fn held(&self, seat: Seat) -> Option<&Held> {
        self.held.get(&seat)
    }

    pub(super) fn held_mut(&mut self, seat: Seat) -> Option<&mut Held> {
        self.held.get_mut(&seat)
    }

    /// By rising seat.
    pub(super) fn iter(&self) -> impl Iterator<Item = (Seat, &Held)> {
        self.held.iter().map(|(seat, held)| (*seat, held))
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = (Seat, &mut Held)> {
        self.held.iter_mut().map(|(seat, held)| (*seat, held))
    }

    pub(super) fn count(&self) -> u16 {
        self.count
    }

    pub(super) fn is_empty(&self) -> bool {
        self.held.is_empty()
    }

    pub(super) fn next_occupancy(&self) -> Occupancy {
        self.next_occupancy
    }

    pub(super) fn roster(&self) -> Vec<RosterRow> {
        let row = |(seat, held): (&Seat, &Held)| RosterRow {
            seat: seat.0,
            name: held.name.clone(),
            driver: "person".to_owned(),
            away: matches!(held.holder, Holder::Away { .. }),
        };
        self.held.iter().map(row).collect()
    }

    /// Everyone is told who is here with the next tick.
    pub(super) fn tell_roster(&mut self) {
        self.roster_changed = true;
    }

    pub(super) fn take_roster_changed(&mut self) -> bool {
        std::mem::take(&mut self.roster_changed)
    }
}

impl Held {
    /// What its holder comes back with.
    pub(super) fn token(&self) -> String {
        self.secret.token()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: Secret = Secret([1; 16]);
    const B: Secret = Secret([2; 16]);
    const C: Secret = Secret([3; 16]);

    fn sat() -> Seats {
        let mut seats = Seats::new(2);
        seats.sit(Seat(0), ConnectionId(1), "Ada".to_owned(), A, 0);
        seats
    }

    #[test]
    fn a_wished_seat_is_given_if_it_is_free() {
        let mut seats = sat();
        for wish in [1, 0, 9] {
            assert_eq!(seats.free(Some(wish), |_| false), Some(Seat(1)));
        }
        assert_eq!(seats.free(None, |seat| seat == Seat(1)), None, "it is reserved");
        seats.sit(Seat(1), ConnectionId(2), "Bob".to_owned(), B, 0);
        assert_eq!(seats.free(Some(1), |_| false), None);
    }

    /// F1
    #[test]
    fn a_secret_opens_its_seat_until_its_successor_is_known_to_have_arrived() {
        let mut seats = sat();
        assert_eq!((seats.opened_by(A), seats.opened_by(B)), (Some(Seat(0)), None));
        seats.rotate(Seat(0), Some(A), B);
        assert_eq!((seats.opened_by(A), seats.opened_by(B)), (Some(Seat(0)), Some(Seat(0))));
        // B's welcome was lost, and A knocked again.
        seats.rotate(Seat(0), Some(A), C);
        assert_eq!((seats.opened_by(A), seats.opened_by(B)), (Some(Seat(0)), None));
        seats.confirm(Seat(0));
        assert_eq!((seats.opened_by(A), seats.opened_by(C)), (None, Some(Seat(0))));
    }

    /// B38
    #[test]
    fn occupancy_tells_a_return_from_a_new_stay() {
        let mut seats = sat();
        let first = seats.held(Seat(0)).expect("held").occupancy;
        seats.lose(Seat(0), 500);
        seats.connect(Seat(0), ConnectionId(2), 100);
        assert_eq!(seats.held(Seat(0)).expect("held").occupancy, first);
        assert_eq!(seats.held(Seat(0)).expect("held").rebase, 1);
        seats.free_up(Seat(0));
        seats.sit(Seat(0), ConnectionId(3), "Eve".to_owned(), B, 200);
        assert!(seats.held(Seat(0)).expect("held").occupancy > first);
    }

    #[test]
    fn grace_runs_out_at_its_time() {
        let mut seats = sat();
        seats.lose(Seat(0), 500);
        assert_eq!(seats.overdue(499), []);
        assert_eq!(seats.overdue(500), [Seat(0)]);
    }
}
