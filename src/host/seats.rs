//! The seats of a room: who holds which, by what secret, and until when a lost connection's is kept.
//!
//! A seat outlives its connection. Only its secret opens it; numbers that others see never do. Absent: the
//! body in the simulation, commits, messages; `join.rs` and `tick.rs` go through those.

use std::collections::BTreeMap;

use crate::host::ConnectionId;
use crate::host::actions::Actions;
use crate::host::inputs::InputQueue;
use crate::host::seat_record::{DriverRecord, SeatRecord};
use crate::host::secrets::{Secret, same_secret};
use crate::host::sight::Sight;
use crate::rules::cut::SaveError;
use crate::rules::face::{Driver, SeatInfo};
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
    pub driver: Driver,
    /// The account, if it has one.
    pub owner: Option<String>,
    secret: Secret,
    /// The one in the hello that `secret` answered: good until its welcome is known to have arrived.
    former: Option<Secret>,
    pub holder: Holder,
    pub input: InputQueue,
    pub actions: Actions,
    pub sight: Sight,
    /// Rises with each welcome of this stay, for inputs and acks count anew then, and with each claim that is refused.
    pub rebase: u32,
    /// When its input last changed, or it last acted.
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
    /// The rules move it.
    Bot,
}

/// Who sits down.
pub(super) struct Sitter {
    pub name: String,
    pub driver: Driver,
    pub owner: Option<String>,
    pub holder: Holder,
    /// What opens the seat; of no use for a bot's.
    pub secret: Secret,
}

impl Seats {
    pub(super) fn new(count: u16) -> Seats {
        Seats { count, held: BTreeMap::new(), next_occupancy: Occupancy(1), roster_changed: false }
    }

    /// Everyone who held a seat is away, with the whole grace before them; but of a room that slept, who was away has
    /// what is left of it. Bots are where they were (B37).
    ///
    /// # Errors
    /// Answers to actions that cannot have been given.
    pub(super) fn restore(
        count: u16,
        next: Occupancy,
        records: Vec<(Seat, SeatRecord)>,
        now_ms: u64,
        grace_ms: u64,
    ) -> Result<Seats, SaveError> {
        let mut held = BTreeMap::new();
        for (seat, record) in records {
            let driver = record.driver.driver();
            let until_ms = record.away_until_ms.unwrap_or(now_ms.saturating_add(grace_ms));
            let stay = Held {
                occupancy: record.occupancy,
                name: record.name,
                driver,
                owner: record.owner,
                secret: Secret(record.token),
                former: record.former_token.map(Secret),
                holder: if driver == Driver::Bot { Holder::Bot } else { Holder::Away { until_ms } },
                input: InputQueue::default(),
                actions: Actions::restore(record.answers)?,
                sight: Sight::default(),
                rebase: record.rebase,
                active_ms: now_ms,
            };
            held.insert(seat, stay);
        }
        Ok(Seats { count, held, next_occupancy: next, roster_changed: false })
    }

    /// `sleeps`: the room may sleep after this commit, so the ends of graces are told.
    pub(super) fn records(&self, sleeps: bool) -> impl Iterator<Item = (Seat, SeatRecord)> {
        self.held.iter().map(move |(seat, held)| {
            let away_until_ms = match held.holder {
                Holder::Away { until_ms } if sleeps => Some(until_ms),
                _ => None,
            };
            let record = SeatRecord {
                occupancy: held.occupancy,
                driver: DriverRecord::new(held.driver),
                name: held.name.clone(),
                token: held.secret.0,
                former_token: held.former.map(|secret| secret.0),
                owner: held.owner.clone(),
                rebase: held.rebase,
                away_until_ms,
                answers: held.actions.answers(),
            };
            (*seat, record)
        })
    }

    /// The seat that `secret` opens. Every person's is compared, so the time tells nothing; no secret opens a bot's.
    pub(super) fn opened_by(&self, secret: Secret) -> Option<Seat> {
        let persons = self.held.iter().filter(|(_, held)| held.driver == Driver::Person);
        persons.fold(None, |found, (seat, held)| {
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
    pub(super) fn sit(&mut self, seat: Seat, sitter: Sitter, now_ms: u64) {
        let held = Held {
            occupancy: self.next_occupancy,
            name: sitter.name,
            driver: sitter.driver,
            owner: sitter.owner,
            secret: sitter.secret,
            former: None,
            holder: sitter.holder,
            input: InputQueue::default(),
            actions: Actions::default(),
            sight: Sight::default(),
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

    /// Puts `connection` in a held seat. Its inputs start anew, and its actions: what it sent before may be lost.
    pub(super) fn connect(&mut self, seat: Seat, connection: ConnectionId, now_ms: u64) {
        if let Some(held) = self.held.get_mut(&seat) {
            self.roster_changed |= matches!(held.holder, Holder::Away { .. });
            held.holder = Holder::Here(connection);
            held.forget();
            held.rebase = held.rebase.saturating_add(1);
            held.active_ms = now_ms;
        }
    }

    /// The room woke, and the connection was there all along.
    pub(super) fn wake(&mut self, seat: Seat, connection: ConnectionId) {
        if let Some(held) = self.held.get_mut(&seat) {
            held.holder = Holder::Here(connection);
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
            held.forget();
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

    /// Seats held, by whomever.
    pub(super) fn len(&self) -> usize {
        self.held.len()
    }

    /// Seats that are held by such a driver, away ones too.
    pub(super) fn driven_by(&self, driver: Driver) -> usize {
        self.held.values().filter(|held| held.driver == driver).count()
    }

    /// The bot's seat that a person gets: the wished one, else that of the bot that came last.
    pub(super) fn bot_to_go(&self, wish: Option<u16>) -> Option<Seat> {
        let bots = || self.held.iter().filter(|(_, held)| held.driver == Driver::Bot);
        let wished = bots().map(|(seat, _)| *seat).find(|seat| Some(seat.0) == wish);
        wished.or_else(|| bots().max_by_key(|(_, held)| held.occupancy).map(|(seat, _)| *seat))
    }

    pub(super) fn is_away(&self, seat: Seat) -> bool {
        matches!(self.held.get(&seat), Some(Held { holder: Holder::Away { .. }, .. }))
    }

    /// When the first grace ends.
    pub(super) fn next_overdue_ms(&self) -> Option<u64> {
        let until = |held: &Held| match held.holder {
            Holder::Away { until_ms } => Some(until_ms),
            Holder::Here(_) | Holder::Bot => None,
        };
        self.held.values().filter_map(until).min()
    }

    pub(super) fn next_occupancy(&self) -> Occupancy {
        self.next_occupancy
    }

    pub(super) fn roster(&self) -> Vec<RosterRow> {
        let row = |(seat, held): (&Seat, &Held)| RosterRow {
            seat: seat.0,
            name: held.name.clone(),
            driver: held.driver.name().to_owned(),
            away: matches!(held.holder, Holder::Away { .. }),
        };
        self.held.iter().map(row).collect()
    }

    /// Everyone is told who is here with the next tick.
    pub(super) fn tell_roster(&mut self) {
        self.roster_changed = true;
    }

    pub(super) fn has_roster_changed(&self) -> bool {
        self.roster_changed
    }

    pub(super) fn take_roster_changed(&mut self) -> bool {
        std::mem::take(&mut self.roster_changed)
    }
}

impl Held {
    /// What its connection has sent and nobody has used is worth nothing any more.
    fn forget(&mut self) {
        self.input = InputQueue::default();
        self.actions.forget();
        self.sight = Sight::default();
    }

    /// As the rules see it when it sits down without a character.
    pub(super) fn info(&self, seat: Seat) -> SeatInfo {
        let (name, driver, owner) = (self.name.clone(), self.driver, self.owner.clone());
        SeatInfo { seat, name, driver, owner, character: None }
    }

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

    fn sitter(connection: u32, secret: Secret) -> Sitter {
        let (driver, holder) = (Driver::Person, Holder::Here(ConnectionId(connection)));
        Sitter { name: "Ada".to_owned(), driver, owner: None, holder, secret }
    }

    fn bot() -> Sitter {
        Sitter { driver: Driver::Bot, holder: Holder::Bot, ..sitter(0, Secret([0; 16])) }
    }

    fn sat() -> Seats {
        let mut seats = Seats::new(2);
        seats.sit(Seat(0), sitter(1, A), 0);
        seats
    }

    #[test]
    fn no_secret_opens_the_seat_of_a_bot_and_the_newest_gives_way() {
        let mut seats = sat();
        assert_eq!(seats.bot_to_go(None), None);
        seats.sit(Seat(3), bot(), 0);
        seats.sit(Seat(1), bot(), 0);
        assert_eq!(seats.opened_by(Secret([0; 16])), None);
        assert_eq!((seats.bot_to_go(None), seats.bot_to_go(Some(3))), (Some(Seat(1)), Some(Seat(3))));
        assert_eq!(seats.bot_to_go(Some(0)), Some(Seat(1)), "a person stays");
        assert_eq!((seats.driven_by(Driver::Bot), seats.driven_by(Driver::Person), seats.len()), (2, 1, 3));
        assert_eq!(seats.next_overdue_ms(), None);
    }

    #[test]
    fn a_wished_seat_is_given_if_it_is_free() {
        let mut seats = sat();
        for wish in [1, 0, 9] {
            assert_eq!(seats.free(Some(wish), |_| false), Some(Seat(1)));
        }
        assert_eq!(seats.free(None, |seat| seat == Seat(1)), None, "it is reserved");
        seats.sit(Seat(1), sitter(2, B), 0);
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
        seats.sit(Seat(0), sitter(3, B), 200);
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
