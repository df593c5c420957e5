//! How a room comes to be: new, restarted from its last commit, or woken with its sockets.
//!
//! Wake and restart are told apart by storage. A commit of a room that is paused, or runs by events, is *settled*: memory
//! held nothing newer. With sockets still attached that is a wake from hibernation, and nothing happened: same epoch, same
//! seats, no welcome. All else is a restart: the epoch rises, and is committed before anything goes out.

use std::collections::BTreeMap;
use std::rc::Rc;

use serde_json::Map;

use crate::host::connections::{Connection, Connections};
use crate::host::costs::Costs;
use crate::host::counters::Counters;
use crate::host::holds::Holds;
use crate::host::ledger::Ledger;
use crate::host::outbox::Outbox;
use crate::host::overrun::Overrun;
use crate::host::records::{Records, RoomUid};
use crate::host::save::{self, Loaded, RoomRecord};
use crate::host::schedule::Schedule;
use crate::host::seat_record::{Attachment, SeatRecord};
use crate::host::seats::{Holder, Seats};
use crate::host::secrets::Secret;
use crate::host::sight::SendTimes;
use crate::host::spent::Spent;
use crate::host::timings::Timings;
use crate::host::{Attached, ConnectionId, Host, Setup, Stored};
use crate::mutation::{self, Mutation};
use crate::rules::cut::{Cut, SaveError};
use crate::rules::face::{Driver, Given, Sim, Snapshot};
use crate::rules::ids::{Epoch, Seat};
use crate::rules::replay::recorded::Recorded;
use crate::rules::schema::{Lifetime, Pace, Schema};
use crate::wire::close::{Close, CloseCode};
use crate::wire::describe::game_info;

/// What a room is known by: nothing of its seed can be told from it.
fn uid_from(bytes: &[u8]) -> RoomUid {
    use sha2::Digest as _;
    let digest = sha2::Sha256::digest(bytes);
    std::array::from_fn(|i| digest[i])
}

/// The parts that differ between a new room and a restored one.
struct Parts {
    sim: Box<dyn Sim>,
    epoch: Epoch,
    uid: RoomUid,
    seats: Seats,
    holds: Holds,
    records: Records,
    ledger: Ledger,
    stamp_ms: u64,
    bots_asked: u16,
    costs: Costs,
}

impl Host {
    /// A new room; nothing is stored yet, and is not before its first hello. `seed`: 128 random bits, of which the game
    /// gets 64.
    #[must_use]
    pub fn create(setup: Setup, seed: u128, now_ms: u64) -> Host {
        let schema = setup.game.schema();
        let parts = Parts {
            sim: setup.game.create(seed as u64, now_ms),
            epoch: Epoch(1),
            uid: uid_from(&seed.to_le_bytes()),
            seats: Seats::new(schema.room.seats),
            holds: Holds::new(BTreeMap::new(), Spent::new(schema.room.seats, BTreeMap::new()), now_ms),
            records: Records::default(),
            ledger: Ledger::default(),
            stamp_ms: now_ms,
            bots_asked: 0,
            costs: Costs::new(now_ms),
        };
        Host::assemble(setup, schema, parts, now_ms)
    }

    /// The room from its last commit. `attached` are the sockets that outlived the former incarnation
    /// (hibernation), each with the bytes of its newest `Attach`.
    ///
    /// # Errors
    /// The save cannot be used; it is to be kept as it is.
    pub fn restore(
        setup: Setup,
        stored: &Stored,
        attached: &[Attached],
        now_ms: u64,
    ) -> Result<Host, SaveError> {
        let schema = setup.game.schema();
        let (cut, ledger) = Ledger::restore(stored, now_ms)?;
        let Loaded { room, seats, holds, spent, records } =
            save::load(&cut, &setup.game_name, &schema.room, setup.leases, now_ms)?;
        let (sim, anew) = match setup.game.restore(&cut) {
            // A match has nothing to lose but its round: the maker changed the game, and play goes on in it.
            Err(error) if error.is_of_another_game() && schema.room.lifetime == Lifetime::Match => {
                (setup.game.create(room.stamp_ms ^ u64::from(room.epoch.0), now_ms), true)
            }
            restored => (restored?, false),
        };
        let wakes = room.settled && setup.slept && !attached.is_empty() && !anew;
        let keeps_epoch = wakes || mutation::is(Mutation::RestoreWithoutEpochRaise);
        let epoch = if keeps_epoch { Some(room.epoch) } else { room.epoch.0.checked_add(1).map(Epoch) };
        let epoch = epoch.ok_or(SaveError::Corrupt("epoch"))?;
        let (seat_count, grace_ms) = (schema.room.seats, u64::from(schema.room.grace_s) * 1_000);
        let was_here = |(_, record): &&(Seat, SeatRecord)| {
            record.driver.driver() == Driver::Person && record.away_until_ms.is_none()
        };
        let were_here: Vec<Seat> = seats.iter().filter(was_here).map(|(seat, _)| *seat).collect();
        let seats = Seats::restore(seat_count, room.next_occupancy, seats, now_ms, grace_ms)?;
        let holds = Holds::new(holds, Spent::new(seat_count, spent), now_ms);
        let (stamp_ms, bots_asked) = (room.stamp_ms, room.bots_asked);
        let uid = if room.uid == RoomUid::default() { uid_from(setup.label().as_bytes()) } else { room.uid };
        let costs = Costs::restore(room.costs, wakes, now_ms);
        let parts = Parts { sim, epoch, uid, seats, holds, records, ledger, stamp_ms, bots_asked, costs };
        let mut host = Host::assemble(setup, schema, parts, now_ms);
        // Bodies of characters that were given back while nobody here could take them out.
        for seat in host.holds.take_left() {
            host.sim.expel(seat, now_ms);
            host.seats.free_up(seat);
        }
        host.begin(anew, wakes);
        host.attach(attached, wakes);
        if wakes {
            host.pass_sleep();
        }
        if wakes && were_here.iter().any(|seat| host.seats.is_away(*seat)) {
            // Lost while the room slept: the others are told.
            host.seats.tell_roster();
        }
        // Whatever was under way is not any more: each character that returns is sent again at once.
        host.send_returns();
        host.finish_event();
        Ok(host)
    }

    /// A restored room goes on where it was. `anew`: but its bodies are other bodies.
    fn begin(&mut self, anew: bool, wakes: bool) {
        let lost = self.sim.drain();
        self.counters.lose(&lost);
        if anew {
            for (seat, held) in self.seats.iter() {
                self.sim.join(&held.info(seat), self.now_ms);
            }
        }
        if !wakes {
            self.ledger.want_now();
        }
        let is_held = self.seats.driven_by(Driver::Person) > 0;
        let since_ms = self.schedule.stamp_ms();
        if is_held {
            // One that slept was there all the while: it would have answered.
            let from_ms = if wakes { self.now_ms } else { self.confirm(since_ms) };
            self.schedule.resume(from_ms);
        }
        // Where time goes on by events alone it did not stand still while seats were held: timers are due when they are.
        let stood_still = !is_held || !self.is_event_driven();
        self.slept_since_ms = (self.is_persistent() && stood_still && since_ms > 0).then_some(since_ms);
    }

    fn assemble(setup: Setup, schema: Schema, parts: Parts, now_ms: u64) -> Host {
        let info = game_info(&schema);
        let hz = (schema.room.pace == Pace::Ticks).then_some(schema.room.hz);
        let mut host = Host {
            info_hash: info.hash(),
            schema_hash: format!("{:016x}", schema.hash()),
            info,
            schedule: Schedule::new(hz, parts.stamp_ms),
            schema,
            durable_mark: parts.sim.durable_mark(),
            sim: Recorded::new(parts.sim),
            snapshot: Snapshot::default(),
            shared_words: Vec::new(),
            shared: Map::new(),
            epoch: parts.epoch,
            uid: parts.uid,
            seats: parts.seats,
            holds: parts.holds,
            records_cut: parts.records.next(),
            records: parts.records,
            connections: Connections::new(),
            bots_asked: parts.bots_asked,
            arrivals: 0,
            sent: SendTimes::default(),
            ledger: parts.ledger,
            outbox: Outbox::default(),
            counters: Counters::default(),
            costs: parts.costs,
            timings: Timings::new(setup.stopwatch, now_ms),
            overrun: Overrun::new(Rc::clone(&setup.load)),
            now_ms,
            broken_since_ms: None,
            slept_since_ms: None,
            carried: Given::default(),
            retry_ms: 0,
            ended: None,
            stopping: false,
            setup,
        };
        host.shared = host.shared_now();
        host
    }

    /// Gives the sockets that outlived the former incarnation their places back.
    ///
    /// After a restart each gets a new welcome, with a new token as in every welcome; the one it has stays good
    /// until it speaks.
    fn attach(&mut self, attached: &[Attached], wakes: bool) {
        let mut attached: Vec<_> = attached.iter().collect();
        // Of two that claim a seat the newer one has it.
        attached.sort_by_key(|socket| socket.connection);
        for Attached { connection, attachment, secret } in attached {
            match Attachment::from_bytes(attachment).map(|attachment| self.attached_seat(attachment)) {
                Some(Ok(seat)) if wakes => self.wake(*connection, seat),
                Some(Ok(seat)) => {
                    self.reconnect(*connection, seat, self.kept_gate());
                    if let Some(seat) = seat {
                        self.seats.rotate(seat, None, Secret(*secret));
                    }
                    self.welcome(*connection, true);
                }
                Some(Err(close)) => self.refuse(*connection, close),
                // Its welcome had not been handed out, so nothing is lost by knocking again.
                None => self.refuse(*connection, Close::new(CloseCode::Storage, "the room came back anew")),
            }
        }
    }

    /// The seat an attachment names, if the last commit knows its stay.
    fn attached_seat(&self, attachment: Attachment) -> Result<Option<Seat>, Close> {
        let Some((seat, occupancy)) = attachment.seat else { return Ok(None) };
        match self.seats.held(seat) {
            Some(held) if held.occupancy == occupancy => Ok(Some(seat)),
            _ => Err(Close::new(CloseCode::Storage, "the room came back without your seat")),
        }
    }

    /// Nothing happened to it.
    fn wake(&mut self, connection: ConnectionId, seat: Option<Seat>) {
        if let Some(seat) = seat {
            self.close_holder(seat);
            self.seats.wake(seat, connection);
        }
        self.connections.insert(connection, Connection::new(seat, 0, self.now_ms));
    }

    fn reconnect(&mut self, connection: ConnectionId, seat: Option<Seat>, gate: u64) {
        if let Some(seat) = seat {
            self.give_seat(seat, connection);
        }
        self.connections.insert(connection, Connection::new(seat, gate, self.now_ms));
    }

    /// Puts a connection in a held seat; the one that has it is closed.
    pub(super) fn give_seat(&mut self, seat: Seat, connection: ConnectionId) {
        self.close_holder(seat);
        self.seats.connect(seat, connection, self.now_ms);
    }

    fn close_holder(&mut self, seat: Seat) {
        if let Some(Holder::Here(former)) = self.seats.held(seat).map(|held| held.holder) {
            self.close(former, Close::new(CloseCode::Taken, "your seat was taken up in another place"));
        }
    }

    /// All that a restore needs.
    pub(super) fn cut(&self) -> Cut {
        let mut cut = Cut::default();
        self.sim.cut(&mut cut);
        let room = RoomRecord {
            game: self.setup.game_name.clone(),
            epoch: self.epoch,
            next_occupancy: self.seats.next_occupancy(),
            stamp_ms: self.schedule.stamp_ms(),
            settled: !self.schedule.is_live() || self.is_event_driven() && !self.has_actions_waiting(),
            records: 0,
            bots_asked: self.bots_asked,
            next_record: self.records.next(),
            costs: self.costs.record(),
            uid: self.uid,
        };
        let seats = self.seats.records(self.is_event_driven());
        save::write(&mut cut, room, seats, &self.holds, &self.records);
        cut
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::stub::{LASTING, MATCH, Rig, change_game, hello, setup};
    use crate::limits::GRACE_MS;
    use crate::wire::client_message::Hello;

    /// B37, B47, F8
    #[test]
    fn after_a_crash_everyone_is_away_with_the_whole_grace_and_then_freed_in_one_commit() {
        let mut rig = Rig::new(&LASTING);
        rig.join(1);
        rig.join(2);
        rig.ticks(30);
        rig.lose(1);
        rig.run_ms(GRACE_MS - 100);
        rig.crash();
        let facts = rig.facts();
        assert_eq!((facts.epoch, facts.seats, facts.people, facts.paused), (2, 2, 0, false));
        rig.run_ms(GRACE_MS - 50);
        assert_eq!(rig.facts().seats, 2);
        let commits = rig.disk.commits.len();
        rig.run_ms(50);
        assert_eq!((rig.facts().seats, rig.facts().paused), (0, true));
        assert_eq!(rig.disk.commits.len(), commits + 1);
    }

    #[test]
    fn a_restored_room_is_the_last_commit_and_its_stamps_still_rise() {
        let mut rig = Rig::new(&LASTING);
        let token = rig.join(1).you.expect("a seat").token;
        rig.input(1, r#"{"move":[1,0],"fire":true}"#);
        rig.ticks(1);
        let (digest, newest) = (rig.facts().digest, rig.snaps(1).pop().expect("a snap"));
        // Movement that no commit holds is undone, and the clock is set back.
        rig.ticks(20);
        rig.now_ms -= 600_000;
        rig.crash();
        assert_eq!((rig.facts().digest, rig.facts().tick), (digest, newest.k));
        let welcome = rig.knock(2, &token);
        assert_eq!((welcome.e, welcome.k, welcome.you.expect("a seat").back), (2, newest.k, true));
        rig.ticks(1);
        let snap = rig.snaps(2).pop().expect("a snap");
        assert!(snap.st > newest.st && snap.k == newest.k + 1);
        assert_eq!(snap.c, [(0, 1, None, None)]);
    }

    #[test]
    fn ten_crashes_cost_nobody_a_seat_and_raise_the_epoch_each() {
        for game in [&MATCH, &LASTING] {
            let mut rig = Rig::new(game);
            let mut tokens = [1, 2].map(|connection| rig.join(connection).you.expect("a seat").token);
            for round in 1..=10 {
                rig.ticks(7);
                rig.crash();
                for (i, token) in tokens.iter_mut().enumerate() {
                    let welcome = rig.knock(10 * round + i as u32, token);
                    let you = welcome.you.expect("a seat");
                    assert_eq!((welcome.e, you.seat, you.back), (round + 1, i as u16, true));
                    *token = you.token;
                }
            }
        }
    }

    /// B47
    #[test]
    fn nothing_leaves_before_the_raised_epoch_is_committed() {
        for game in [&MATCH, &LASTING] {
            let mut rig = Rig::new(game);
            let token = rig.join(1).you.expect("a seat").token;
            rig.ticks(3);
            rig.attachments.clear();
            rig.host = Host::restore(setup(game), &rig.disk.stored(), &[], rig.now_ms).expect("a save");
            rig.sent.clear();
            let knock = Hello { token: Some(token), ..hello() };
            rig.host.handle_hello(ConnectionId(2), &knock, None, [77; 16], rig.now_ms);
            rig.host.handle_tick(rig.now_ms + 50);
            assert_eq!(rig.host.poll_output(), None);
            let commit = rig.host.poll_commit().expect("a commit");
            assert_eq!(commit.epoch, Epoch(2));
        }
    }

    /// B21
    #[test]
    fn a_restart_raises_the_epoch_before_anything_happens() {
        let mut rig = Rig::new(&MATCH);
        rig.join(1);
        for restarts in 1..4 {
            rig.crash();
            let newest = rig.disk.commits.last().expect("a commit");
            assert_eq!((newest.epoch, newest.seq), (Epoch(1 + restarts), 1 + u64::from(restarts)));
        }
    }

    /// F11
    #[test]
    fn a_wake_finds_its_sockets_and_says_nothing() {
        let mut rig = Rig::new(&LASTING);
        rig.join(1);
        rig.hello(2, &Hello { watch: true, ..hello() });
        rig.ticks(3);
        rig.say(1, r#"{"t":"leave"}"#);
        let commits = rig.disk.commits.len();
        rig.come_back();
        assert_eq!((rig.facts().epoch, rig.facts().spectators, rig.facts().paused), (1, 1, true));
        assert_eq!((rig.sent.len(), rig.closed.len(), rig.disk.commits.len()), (0, 0, commits));
        rig.say(2, r#"{"t":"ping","c":1}"#);
        rig.join(3);
        rig.ticks(2);
        assert_eq!(rig.snaps(2).len(), 2);
    }

    #[test]
    fn a_room_that_was_only_ever_watched_wakes_too() {
        let mut rig = Rig::new(&MATCH);
        rig.hello(1, &Hello { watch: true, ..hello() });
        rig.come_back();
        assert_eq!((rig.facts().epoch, rig.facts().spectators, rig.sent.len()), (1, 1, 0));
    }

    /// F11
    #[test]
    fn a_restart_with_sockets_attached_welcomes_them_to_their_seats() {
        let mut rig = Rig::new(&LASTING);
        let you = rig.join(1).you.expect("a seat");
        rig.hello(2, &Hello { watch: true, ..hello() });
        rig.ticks(3);
        rig.attachments.insert(3, vec![0xff, 1, 2]);
        rig.come_back();
        let welcome = rig.welcome(1);
        let again = welcome.you.expect("a seat");
        assert_eq!((welcome.e, again.seat, again.occ, again.back), (2, you.seat, you.occ, true));
        assert_ne!(again.token, you.token, "every welcome has a new token");
        assert_eq!((rig.welcome(2).you, rig.close_of(3)), (None, Some(CloseCode::Storage)));
        rig.ticks(2);
        assert_eq!((rig.facts().people, rig.snaps(1).len(), rig.snaps(2).len()), (1, 2, 2));
    }

    #[test]
    fn of_two_sockets_that_claim_a_seat_the_newer_has_it() {
        let mut rig = Rig::new(&MATCH);
        rig.join(1);
        rig.attachments.insert(2, rig.attachments[&1].clone());
        rig.come_back();
        assert_eq!((rig.close_of(1), rig.close_of(2)), (Some(CloseCode::Taken), None));
        assert_eq!(rig.facts().people, 1);
    }

    #[test]
    fn a_socket_whose_stay_no_commit_knows_is_sent_to_come_again() {
        let mut rig = Rig::new(&MATCH);
        rig.join(1);
        let stale = rig.attachments[&1].clone();
        rig.say(1, r#"{"t":"leave"}"#);
        rig.join(2);
        rig.attachments.insert(1, stale);
        rig.come_back();
        assert_eq!((rig.close_of(1), rig.close_of(2)), (Some(CloseCode::Storage), None));
    }

    #[test]
    fn a_match_whose_game_was_changed_starts_anew_with_its_seats() {
        let mut rig = Rig::new(&MATCH);
        let you = rig.join(1).you.expect("a seat");
        rig.ticks(30);
        change_game(true);
        let stored = rig.disk.stored();
        rig.host = Host::restore(setup(&MATCH), &stored, &[], rig.now_ms).expect("a match starts anew");
        change_game(false);
        rig.drain();
        let back = rig.knock(2, &you.token).you.expect("a seat");
        assert_eq!((back.seat, back.occ, back.back), (you.seat, you.occ, true));
        rig.ticks(3);
        let snap = rig.snaps(2).pop().expect("a snap");
        assert_eq!((snap.e, snap.k, snap.d.1.len()), (2, 3, 1));
    }

    #[test]
    fn a_lasting_room_whose_game_was_changed_keeps_its_save() {
        let mut rig = Rig::new(&LASTING);
        rig.join(1);
        change_game(true);
        let refused = Host::restore(setup(&LASTING), &rig.disk.stored(), &[], rig.now_ms);
        assert_eq!(refused.err(), Some(SaveError::Schema));
    }

    #[test]
    fn a_save_that_cannot_be_used_is_refused() {
        let mut rig = Rig::new(&LASTING);
        rig.join(1);
        rig.ticks(3);
        let stored = rig.disk.stored();
        for length in 0..stored.save.len() {
            let cut = Stored { save: stored.save[..length].to_vec(), ..stored.clone() };
            assert!(Host::restore(setup(&LASTING), &cut, &[], 0).is_err(), "cut at {length}");
        }
        let other = Setup { game_name: "other".to_owned(), ..setup(&LASTING) };
        assert!(Host::restore(other, &stored, &[], 0).is_err());
    }
}
