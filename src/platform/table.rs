//! The Table object: one room. Feeds its host with events, then does what the host wants done.
//!
//! Every event runs through `event`: the host hears it, its commits are written, its frames are sent, all without an
//! await, so nothing else of the object comes between. No borrow of the room is held across an await. A panic ends this
//! incarnation only: the next event restores the room from its last commit. Absent: decisions; the host has them.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use worker::{Env, Result, State, WebSocket, console_error, console_log};

use crate::host::{Attached, CommitOutcome, Host, Output, ReplyId, Setup};
use crate::limits::{PANIC_RESTORE_MS, PANIC_RESTORE_MS_MAX};
use crate::platform::clock::now_ms;
use crate::platform::faults::Faults;
use crate::platform::pulse::Pulse;
use crate::platform::recordings::Recordings;
use crate::platform::sockets::{Found, Sockets};
use crate::platform::store::{LoadError, Store};
use crate::platform::{Registry, build, find_game};
use crate::wire::close::{Close, CloseCode};
use crate::wire::lease::TableAnswer;

/// The Durable Object behind the class that `entry!` makes.
pub struct TableObject(pub(super) Rc<Room>);

/// What is in memory of the room.
pub(super) enum Life {
    /// Nothing: an event looks into storage first.
    Unread,
    /// Storage holds no room. The first hello makes one.
    Absent,
    Live(Box<Host>),
    /// What is stored cannot be used by this build; it is kept as it is.
    Refused(Close),
}

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
    pub(super) pulse: Pulse,
    pub(super) faults: Faults,
    /// Raised with each host: an answer is for the one that asked.
    pub(super) incarnation: Cell<u64>,
    /// The answer of the release that is being heard, and the number of the next one.
    pub(super) reply: RefCell<Option<(ReplyId, TableAnswer)>>,
    pub(super) next_reply: Cell<u32>,
    panics: Cell<u32>,
}

/// What an event is, for the fault hooks: they are about ticks.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    Tick,
    Other,
}

impl TableObject {
    #[must_use]
    pub fn new(state: State, env: Env, games: Registry) -> TableObject {
        let name = state.id().name().unwrap_or_default();
        let name =
            name.split_once('/').map(|(game, room)| (game.to_owned(), room.to_owned())).unwrap_or_default();
        let store = Store::new(&state).inspect_err(|error| console_error!("no storage: {error}")).ok();
        let recordings = Recordings::new(&state);
        TableObject(Rc::new(Room {
            state,
            env,
            name,
            games,
            store,
            recordings,
            sockets: Sockets::default(),
            life: RefCell::new(Life::Unread),
            pulse: Pulse::default(),
            faults: Faults::default(),
            incarnation: Cell::new(0),
            reply: RefCell::new(None),
            next_reply: Cell::new(0),
            panics: Cell::new(0),
        }))
    }

    /// # Errors
    /// None: whatever happens in the room is answered on the socket.
    pub async fn message(&self, socket: WebSocket, text: Option<String>) -> Result<()> {
        let room = &self.0;
        room.ensure();
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
        room.ensure();
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

    /// Reads the room from storage if this is the first event of an incarnation, whatever kind of event it is.
    pub(super) fn ensure(self: &Rc<Self>) {
        if !matches!(*self.life.borrow(), Life::Unread) {
            return;
        }
        let Found { attached, silent } = self.sockets.find(&self.state);
        for (id, since_ms) in silent {
            self.expect_hello(id, since_ms);
        }
        let restored = catch_unwind(AssertUnwindSafe(|| self.restore(&attached)));
        match restored {
            Ok(Ok(life)) => {
                self.incarnation.set(self.incarnation.get() + 1);
                if let Life::Refused(close) = &life {
                    self.sockets.close_all(close);
                }
                *self.life.borrow_mut() = life;
            }
            Ok(Err(close)) => self.sockets.close_all(&close),
            Err(_) => self.fell(),
        }
        // A restore is a commit of its own: the higher epoch.
        self.event(Stage::Other, |_, _| {});
    }

    fn restore(&self, attached: &[Attached]) -> std::result::Result<Life, Close> {
        let away = || Close::new(CloseCode::Storage, "the room's storage did not answer");
        let refused = |why: &dyn std::fmt::Display| {
            console_error!("room {}: cannot be restored: {why}", self.label());
            Life::Refused(Close::new(CloseCode::Parked, "this room cannot be restored by this build"))
        };
        let stored = match self.store.as_ref().ok_or_else(away)?.load() {
            Ok(Some(stored)) => stored,
            Ok(None) => return Ok(Life::Absent),
            Err(LoadError::Damaged(what)) => return Ok(refused(&what)),
            Err(LoadError::Refused(error)) => {
                console_error!("room {}: storage refused: {error}", self.label());
                return Err(away());
            }
        };
        let Some(setup) = self.setup() else { return Ok(refused(&"no such game")) };
        match Host::restore(setup, &stored, attached, now_ms()) {
            Ok(mut host) => {
                console_log!("room {}: restored", self.label());
                self.recordings.resume(&mut host);
                Ok(Life::Live(Box::new(host)))
            }
            Err(error) => Ok(refused(&error)),
        }
    }

    pub(super) fn setup(&self) -> Option<Setup> {
        let (game_name, room) = self.name.clone();
        let game = find_game(self.games, &game_name)?;
        // What was in memory before and is not any more fell; only a new object can have slept.
        let slept = self.incarnation.get() == 0;
        Some(Setup { game, game_name, room, build: build(), leases: true, slept })
    }

    /// One event: the host hears it, then everything it wants is done. Does nothing without a host.
    pub(super) fn event(self: &Rc<Self>, stage: Stage, hear: impl FnOnce(&mut Host, u64)) {
        let done = catch_unwind(AssertUnwindSafe(|| {
            let mut life = self.life.borrow_mut();
            let Life::Live(host) = &mut *life else { return };
            let now = now_ms();
            hear(host, now);
            self.drain(host, now, stage);
            if let Some(line) = host.poll_log(now) {
                console_log!("room {}: {line}", self.label());
            }
            if host.has_ended() {
                console_log!("room {}: this incarnation ended", self.label());
                self.recordings.keep_fallen(host);
                self.pulse.stop();
                *life = Life::Unread;
            }
        }));
        match done {
            Ok(()) => self.panics.set(if stage == Stage::Tick { 0 } else { self.panics.get() }),
            Err(_) => self.fell(),
        }
    }

    /// Commits, then sends and asks, until the host wants nothing more.
    fn drain(self: &Rc<Self>, host: &mut Host, now: u64, stage: Stage) {
        loop {
            while let Some(commit) = host.poll_commit() {
                let seq = commit.seq;
                let fault = if stage == Stage::Tick { self.faults.take_write(seq) } else { None };
                let outcome = match &self.store {
                    Some(store) => store.write(commit, fault),
                    None => CommitOutcome::Failed,
                };
                if fault.is_some() {
                    self.faults.write_issued(seq);
                }
                host.handle_commit(outcome, now);
                if matches!(outcome, CommitOutcome::Taken { .. }) {
                    self.recordings.store(host);
                }
            }
            match host.poll_output() {
                Some(Output::Send { to, text }) => {
                    self.faults.sending();
                    self.sockets.send(to, &text);
                }
                Some(Output::Close { connection, close }) => self.sockets.close(connection, &close),
                Some(Output::Attach { connection, attachment }) => {
                    self.sockets.attach(connection, attachment)
                }
                Some(Output::Call { call, request }) => self.call(call, *request),
                Some(Output::Reply { reply, answer }) => *self.reply.borrow_mut() = Some((reply, answer)),
                None => return,
            }
        }
    }

    /// The host panicked: nothing in memory is used again. The alarm restores the room if no event does before.
    fn fell(self: &Rc<Self>) {
        let panics = self.panics.get();
        self.panics.set(panics.saturating_add(1));
        let wait_ms = PANIC_RESTORE_MS.saturating_mul(1 << panics.min(16)).min(PANIC_RESTORE_MS_MAX);
        console_error!("room {}: the host panicked; restored in {wait_ms} ms", self.label());
        self.pulse.stop();
        let fallen = self.life.replace(Life::Unread);
        if let Life::Live(host) = &fallen {
            self.recordings.keep_fallen(host);
        }
        let room = Rc::clone(self);
        self.state.wait_until(async move {
            room.arm(now_ms() + wait_ms).await;
        });
    }
}
