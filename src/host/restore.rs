//! How a room comes to be: new, restarted from its last commit, or woken with its sockets.
//!
//! Wake and restart are told apart by storage. A commit of a paused room is *settled*: memory held nothing newer. With
//! sockets still attached that is a wake from hibernation, and nothing happened. All else is a restart: the epoch rises,
//! and is committed before anything goes out.

use crate::host::connections::{Connection, Connections};
use crate::host::facts::Counters;
use crate::host::ledger::Ledger;
use crate::host::outbox::Outbox;
use crate::host::save::{self, Attachment, RoomRecord};
use crate::host::schedule::Schedule;
use crate::host::seats::{Holder, Seats};
use crate::host::{ConnectionId, Host, Setup, Stored};
use crate::rules::cut::{Cut, SaveError};
use crate::rules::face::{Sim, Snapshot};
use crate::rules::ids::{Epoch, Seat};
use crate::rules::schema::Schema;
use crate::wire::close::{Close, CloseCode};
use crate::wire::describe::game_info;

/// The parts that differ between a new room and a restored one.
struct Parts {
    sim: Box<dyn Sim>,
    epoch: Epoch,
    seats: Seats,
    ledger: Ledger,
    stamp_ms: u64,
}

impl Host {
    /// A new room; nothing is stored yet, and is not before its first hello.
    #[must_use]
    pub fn create(setup: Setup, seed: u64, now_ms: u64) -> Host {
        let schema = setup.game.schema();
        let parts = Parts {
            sim: setup.game.create(seed),
            epoch: Epoch(1),
            seats: Seats::new(schema.room.seats),
            ledger: Ledger::default(),
            stamp_ms: 0,
        };
        Host::assemble(setup, schema, parts, now_ms)
    }

    /// The room from its last commit. `attached` are the sockets that outlived the former incarnation (hibernation),
    /// each with the bytes of its newest `Attach`.
    ///
    /// # Errors
    /// The save cannot be used; it is to be kept as it is.
    pub fn restore(
        setup: Setup,
        stored: &Stored,
        attached: &[(ConnectionId, Vec<u8>)],
        now_ms: u64,
    ) -> Result<Host, SaveError> {
        let schema = setup.game.schema();
        let (cut, ledger) = Ledger::restore(stored, now_ms)?;
        let (room, held) = save::load(&cut, &setup.game_name, schema.room.seats)?;
        let sim = setup.game.restore(&cut)?;
        let wakes = room.settled && !attached.is_empty();
        let epoch = if wakes { Some(room.epoch) } else { room.epoch.0.checked_add(1).map(Epoch) };
        let epoch = epoch.ok_or(SaveError::Corrupt("epoch"))?;
        let until_ms = now_ms + u64::from(schema.room.grace_s) * 1_000;
        let seats = Seats::restore(schema.room.seats, room.next_occupancy, held, until_ms);
        let parts = Parts { sim, epoch, seats, ledger, stamp_ms: room.stamp_ms };
        let mut host = Host::assemble(setup, schema, parts, now_ms);
        if !wakes {
            host.ledger.want_now();
        }
        if !host.seats.is_empty() {
            host.schedule.resume(now_ms);
        }
        host.attach(attached, wakes);
        Ok(host)
    }

    fn assemble(setup: Setup, schema: Schema, parts: Parts, now_ms: u64) -> Host {
        let info = game_info(&schema);
        Host {
            info_hash: info.hash(),
            info,
            schedule: Schedule::new(schema.room.hz, parts.stamp_ms),
            schema,
            durable_mark: parts.sim.durable_mark(),
            sim: parts.sim,
            snapshot: Snapshot::default(),
            epoch: parts.epoch,
            seats: parts.seats,
            connections: Connections::new(),
            ledger: parts.ledger,
            outbox: Outbox::default(),
            counters: Counters::default(),
            now_ms,
            broken_since_ms: None,
            ended: false,
            setup,
        }
    }

    /// Gives the sockets that outlived the former incarnation their places back.
    ///
    /// After a restart each gets a new welcome with the token it has: a wake draws no secrets, and a lost answer to this
    /// one must cost nothing either.
    fn attach(&mut self, attached: &[(ConnectionId, Vec<u8>)], wakes: bool) {
        let mut attached: Vec<_> = attached.iter().collect();
        // Of two that claim a seat the newer one has it.
        attached.sort_by_key(|(connection, _)| *connection);
        for (connection, bytes) in attached {
            match Attachment::from_bytes(bytes).map(|attachment| self.attached_seat(attachment)) {
                Some(Ok(seat)) => self.reconnect(*connection, seat, wakes),
                Some(Err(close)) => self.refuse(*connection, close),
                None => self.refuse(*connection, Close::new(CloseCode::Hello, "say hello again")),
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

    fn reconnect(&mut self, connection: ConnectionId, seat: Option<Seat>, wakes: bool) {
        if let Some(seat) = seat {
            self.give_seat(seat, connection);
        }
        let gate = if wakes { 0 } else { self.welcome_gate() };
        self.connections.insert(connection, Connection::new(seat, gate, self.now_ms));
        if !wakes {
            self.welcome(connection, true);
        }
    }

    /// Puts a connection in a held seat; the one that has it is closed.
    pub(super) fn give_seat(&mut self, seat: Seat, connection: ConnectionId) {
        if let Some(Holder::Here(former)) = self.seats.held(seat).map(|held| held.holder) {
            self.close(former, Close::new(CloseCode::Taken, "your seat was taken up in another place"));
        }
        self.seats.connect(seat, connection, self.now_ms);
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
            settled: !self.schedule.is_live(),
        };
        save::write(&mut cut, &room, self.seats.records());
        cut
    }
}
