//! The Table object: one room. Feeds its host with events, then does what the host wants done.
//!
//! Every event runs through `guarded`: the room's life hears it, its commits are written, its frames are sent, all without
//! an await, so nothing else of the object comes between. No borrow of the room is held across an await. A panic ends this
//! incarnation only: the next event restores the room from its last commit. Absent: decisions; `host::life` has them.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use worker::{Env, Result, State, WebSocket};

use crate::host::life::{self, Deed, Life};
use crate::host::overrun::Load;
use crate::host::parking::{ParkRow, Parking, storage_is_away};
use crate::host::{CommitOutcome, Host, Output, ReplyId, Setup};
use crate::limits::PARKINGS_MAX;
use crate::platform::clock::{now_ms, stopwatch};
use crate::platform::faults::{Faults, test_key};
use crate::platform::log::{console_error, console_log};
use crate::platform::pulse::Loop;
use crate::platform::recordings::Recordings;
use crate::platform::sockets::{Found, Sockets};
use crate::platform::store::{LoadError, Store};
use crate::platform::{Registry, build, find_game};
use crate::wire::lease::TableAnswer;

/// The Durable Object behind the class that `entry!` makes.
pub struct TableObject(pub(super) Rc<Room>);

pub(super) struct Room {
    pub(super) state: State,
    pub(super) env: Env,
    /// Game and room, from the object's name.
    pub(super) name: (String, String),
    pub(super) games: Registry,
    pub(super) store: Option<Store>,
    pub(super) recordings: Recordings,
    pub(super) sockets: Sockets,
    pub(super) life: RefCell<Life>,
    pub(super) ticks: Loop,
    pub(super) faults: Faults,
    /// The answer of the release that is being heard, and the number of the next one.
    pub(super) reply: RefCell<Option<(ReplyId, TableAnswer)>>,
    pub(super) next_reply: Cell<u32>,
}

/// What an event is: the fault hooks are about ticks.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    Tick,
    /// The event goes on after what is heard now.
    Begins,
    Other,
}

impl TableObject {
    #[must_use]
    pub fn new(state: State, env: Env, games: Registry) -> TableObject {
        let name = state.id().name().unwrap_or_default();
        let name =
            name.split_once('/').map(|(game, room)| (game.to_owned(), room.to_owned())).unwrap_or_default();
        let store = Store::new(&state).inspect_err(|error| console_error!("no storage: {error}")).ok();
        let setup = setup(games, &name, &alias(&env, &name.0));
        let life = Life::new((&name.0, &name.1), setup, parking_of(&name), now_ms());
        let recordings = Recordings::new(&state);
        TableObject(Rc::new(Room {
            state,
            env,
            name,
            games,
            store,
            recordings,
            sockets: Sockets::default(),
            life: RefCell::new(life),
            ticks: Loop::default(),
            faults: Faults::default(),
            reply: RefCell::new(None),
            next_reply: Cell::new(0),
        }))
    }

    /// # Errors
    /// None: whatever happens in the room is answered on the socket.
    pub async fn message(&self, socket: WebSocket, text: Option<String>) -> Result<()> {
        let room = &self.0;
        room.ensure(false);
        let Some(id) = room.sockets.number(&socket) else { return Ok(()) };
        if room.sockets.has_said_hello(id) {
            // The host closes what it cannot read, and binary frames are not spoken: it gets the empty message for one.
            let text = text.unwrap_or_default();
            room.event(Stage::Other, |host, now| host.handle_message(id, &text, now));
        } else {
            room.first_message(id, text.as_deref());
        }
        room.settle().await;
        Ok(())
    }

    /// # Errors
    /// None.
    pub async fn closed(&self, socket: WebSocket) -> Result<()> {
        let room = &self.0;
        room.ensure(false);
        // A close that the room made itself has been forgotten already.
        if let Some(id) = room.sockets.number(&socket) {
            let said_hello = room.sockets.has_said_hello(id);
            room.sockets.remove(id);
            if said_hello {
                room.event(Stage::Other, |host, now| host.handle_close(id, now));
            }
        }
        // workerd leaves the closing handshake to us; on a socket that is closed already this throws, which is fine.
        let _ = socket.close(Some(1000), None::<&str>);
        room.settle().await;
        Ok(())
    }
}

impl Room {
    pub(super) fn label(&self) -> String {
        format!("{}/{}", self.name.0, self.name.1)
    }

    /// Begins an event, whatever kind it is: reads the room from storage if nothing of it is in memory. `is_release`: a
    /// room that is left alone is read for that too.
    pub(super) fn ensure(self: &Rc<Self>, is_release: bool) {
        let now = now_ms();
        self.life.borrow_mut().begin_event();
        if self.life.borrow().wants_storage(is_release, now) {
            let Found { attached, silent } = self.sockets.find(&self.state);
            for (id, since_ms) in silent {
                self.expect_hello(id, since_ms);
            }
            let stored = self.load(now);
            // A restore is a commit of its own: the higher epoch. A release follows in the same event.
            let stage = if is_release { Stage::Begins } else { Stage::Other };
            self.guarded(stage, |life, now| {
                life.handle_stored(stored, &attached, is_release, now);
                life.hear(|host| self.recordings.resume(host));
            });
        }
    }

    fn load(&self, now: u64) -> life::Found {
        let refused = |why: String| {
            let until_ms = storage_is_away(&why, now);
            life::Found::Refused { why, until_ms }
        };
        match self.store.as_ref().map(Store::load) {
            Some(Ok(Some(stored))) => life::Found::Stored(Box::new(stored)),
            Some(Ok(None)) => life::Found::Nothing,
            Some(Err(LoadError::Damaged(what))) => life::Found::Damaged(what.to_owned()),
            Some(Err(LoadError::Refused(error))) => refused(error.to_string()),
            None => refused("the runtime lacks what a room needs".to_owned()),
        }
    }

    /// One event: the host hears it, then everything it wants is done. Does nothing without a host.
    pub(super) fn event(self: &Rc<Self>, stage: Stage, hear: impl FnOnce(&mut Host, u64)) {
        self.guarded(stage, |life, now| {
            life.hear(|host| hear(host, now));
        });
    }

    /// Something that the room's life hears, and all that comes of it. A panic in it ends the incarnation and nothing else.
    pub(super) fn guarded(self: &Rc<Self>, stage: Stage, hear: impl FnOnce(&mut Life, u64)) {
        let now = now_ms();
        let done = catch_unwind(AssertUnwindSafe(|| {
            let mut life = self.life.borrow_mut();
            hear(&mut life, now);
            self.drain(&mut life, now, stage);
            if stage == Stage::Tick {
                life.calm();
            }
            if stage != Stage::Begins {
                if let Some(host) = life.host().filter(|host| host.has_ended()) {
                    self.recordings.keep_fallen(host);
                }
                life.end_event(now);
                self.drain(&mut life, now, stage);
            }
        }));
        if done.is_err() {
            console_error!("room {}: the host panicked", self.label());
            self.ticks.cancel();
            // What is left to do after that is the life's own, and none of the host's.
            let mut life = self.life.borrow_mut();
            if let Some(host) = life.host() {
                self.recordings.keep_fallen(host);
            }
            life.handle_panic(now);
            self.drain(&mut life, now, Stage::Other);
        }
        if !self.life.borrow().pulse.is_running() {
            self.ticks.cancel();
        }
    }

    /// Commits, then sends and asks, until nothing is wanted any more.
    fn drain(self: &Rc<Self>, life: &mut Life, now: u64, stage: Stage) {
        loop {
            while let Some(commit) = life.poll_commit() {
                let seq = commit.seq;
                let fault = if stage == Stage::Tick { self.faults.take_write(seq) } else { None };
                let outcome = match &self.store {
                    Some(store) => store.write(commit, fault),
                    None => CommitOutcome::Failed,
                };
                if fault.is_some() {
                    self.faults.write_issued(seq);
                }
                let taken = matches!(outcome, CommitOutcome::Taken { .. });
                life.handle_commit(outcome, now);
                if taken {
                    life.hear(|host| self.recordings.store(host));
                }
            }
            match life.poll_output() {
                Some(Deed::Room(output)) => {
                    let is_first = life.is_cold() && matches!(output, Output::Send { .. });
                    self.perform(output, life.incarnation());
                    if is_first {
                        life.handle_sent(now_ms());
                    }
                }
                Some(Deed::CloseAll(close)) => self.sockets.close_all(&close),
                Some(Deed::Park(row)) => self.park(row),
                Some(Deed::Say(line)) => console_log!("room {}: {line}", self.label()),
                None => return,
            }
        }
    }

    fn perform(self: &Rc<Self>, output: Output, incarnation: u64) {
        match output {
            Output::Send { to, text } => {
                self.faults.sending();
                self.sockets.send(to, &text);
            }
            Output::Close { connection, close } => self.sockets.close(connection, &close),
            Output::Attach { connection, attachment } => self.sockets.attach(connection, attachment),
            Output::Call { call, request } => self.call(call, *request, incarnation),
            Output::Record { call, rows } => self.give_records(call, rows, incarnation),
            Output::Reply { reply, answer } => *self.reply.borrow_mut() = Some((reply, answer)),
        }
    }

    fn park(&self, row: ParkRow) {
        if let Some(Err(error)) = self.store.as_ref().map(|store| store.park(row)) {
            console_error!("room {}: that it is parked was not stored: {error}", self.label());
        }
    }
}

/// What a room of that name is made with; none if this build has no such game.
fn setup(games: Registry, (game_name, room): &(String, String), played: &str) -> Option<Setup> {
    let game = find_game(games, played)?;
    let (game_name, room) = (game_name.clone(), room.clone());
    Some(Setup {
        game,
        game_name,
        room,
        build: build(),
        leases: true,
        stopwatch: Some(stopwatch),
        load: LOAD.with(Rc::clone),
        slept: true,
    })
}

/// Which game of the build is played under a name. A test may put one in the place of another, as a deploy does:
/// `GAME_ALIAS=name=other`, heard only where the fault hooks are.
fn alias(env: &Env, game_name: &str) -> String {
    let alias = test_key(env).and_then(|_| env.var("GAME_ALIAS").ok()).map(|alias| alias.to_string());
    let other =
        alias.as_deref().and_then(|alias| alias.split_once('=')).filter(|(name, _)| *name == game_name);
    other.map_or_else(|| game_name.to_owned(), |(_, other)| other.to_owned())
}

thread_local! {
    /// What this isolate remembers of its rooms: an object that is reset begins anew, and must not fail for ever.
    static PARKINGS: RefCell<BTreeMap<(String, String), SharedParking>> = const { RefCell::new(BTreeMap::new()) };
}

thread_local! {
    /// What the rooms of this isolate know of each other's load.
    static LOAD: Rc<RefCell<Load>> = Rc::default();
}

type SharedParking = Rc<RefCell<Parking>>;

fn parking_of(name: &(String, String)) -> SharedParking {
    PARKINGS.with_borrow_mut(|parkings| {
        if parkings.len() >= PARKINGS_MAX {
            let now = now_ms();
            parkings.retain(|_, parking| Rc::strong_count(parking) > 1 || !parking.borrow().is_calm(now));
        }
        Rc::clone(parkings.entry(name.clone()).or_default())
    })
}
