//! Objects that fail, are parked, are reset and come back: `life.rs` over the stub's games and a disk.

use std::cell::RefCell;
use std::rc::Rc;

use crate::host::life::{Deed, Found, Life, RoomFacts};
use crate::host::parking::Parking;
use crate::host::pulse::{Act, Generation, Wanted};
use crate::host::stub::{
    CHARACTERS, Disk, LASTING, MATCH, START_MS, Stub, break_steps, change_game, hello, setup,
};
use crate::host::{CommitOutcome, ConnectionId, Host, Output, ReplyId};
use crate::limits::{PARK_MS_MIN, PULSE_MS};
use crate::rules::face::Game;
use crate::wire::close::CloseCode;
use crate::wire::lease::{LobbyAnswer, LobbyRequest, TableAnswer, TableRequest};
use crate::wire::server_message::ServerMessage;

/// What the storage of a test does.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Storage {
    Works,
    /// Until that time.
    Away(u64),
}

struct Object {
    life: Life,
    game: &'static Stub,
    parking: Rc<RefCell<Parking>>,
    disk: Disk,
    storage: Storage,
    now_ms: u64,
    closed: Vec<(CloseCode, String)>,
    welcomes: usize,
    replies: Vec<TableAnswer>,
    acts: Vec<Act>,
    next: u32,
}

impl Object {
    fn new(game: &'static Stub) -> Object {
        let parking = Rc::<RefCell<Parking>>::default();
        Object {
            life: Life::new(("stub", "room"), Some(setup(game)), Rc::clone(&parking), START_MS),
            game,
            parking,
            disk: Disk::default(),
            storage: Storage::Works,
            now_ms: START_MS,
            closed: Vec::new(),
            welcomes: 0,
            replies: Vec::new(),
            acts: Vec::new(),
            next: 0,
        }
    }

    /// The platform makes the object anew; its isolate lives on, or does not.
    fn reset(&mut self, same_isolate: bool) {
        if !same_isolate {
            self.parking = Rc::default();
        }
        self.life =
            Life::new(("stub", "room"), Some(setup(self.game)), Rc::clone(&self.parking), self.now_ms);
    }

    fn found(&self) -> Found {
        match self.storage {
            Storage::Away(until_ms) => Found::Refused { why: "away".to_owned(), until_ms: Some(until_ms) },
            _ if self.disk.commits.is_empty() => Found::Nothing,
            _ => Found::Stored(Box::new(self.disk.stored())),
        }
    }

    fn ensure(&mut self, is_release: bool) {
        self.life.begin_event();
        if self.life.wants_storage(is_release, self.now_ms) {
            let found = self.found();
            self.life.handle_stored(found, &[], is_release, self.now_ms);
            self.drain();
        }
    }

    fn event(&mut self, hear: impl FnOnce(&mut Host, u64)) {
        self.ensure(false);
        let now = self.now_ms;
        self.life.hear(|host| hear(host, now));
        self.finish();
    }

    fn finish(&mut self) {
        self.drain();
        self.life.end_event(self.now_ms);
        self.drain();
        while let Some(act) = self.life.poll_act(self.now_ms) {
            self.acts.push(act);
            match act {
                Act::Look => self.life.pulse.handle_found(None),
                Act::Set(at) => self.life.handle_alarm_set(Some(at), self.now_ms),
                Act::Delete | Act::Run(_) | Act::Rest => {}
            }
        }
    }

    /// The alarm that is set fires in time.
    fn fire(&mut self) {
        self.now_ms = self.life.pulse.set_ms().expect("an alarm");
        let first = self.life.pulse.handle_fired(self.now_ms);
        self.life.handle_alarm_set(Some(first), self.now_ms);
        self.event(Host::handle_alarm);
    }

    fn drain(&mut self) {
        loop {
            while let Some(commit) = self.life.poll_commit() {
                let outcome = match self.storage {
                    Storage::Works => {
                        self.disk.write(&commit);
                        CommitOutcome::Taken { rows_written: 1 }
                    }
                    Storage::Away(until_ms) => CommitOutcome::Away { until_ms, why: "away".to_owned() },
                };
                self.life.handle_commit(outcome, self.now_ms);
            }
            let Some(deed) = self.life.poll_output() else { return };
            match deed {
                Deed::CloseAll(close) | Deed::Room(Output::Close { close, .. }) => {
                    self.closed.push((close.code, close.reason().to_owned()));
                }
                Deed::Park(row) => self.disk.parked = Some(row),
                Deed::Room(Output::Send { text, .. }) => {
                    let message = ServerMessage::parse(&text).expect("our own");
                    self.welcomes += usize::from(matches!(message, ServerMessage::Welcome(_)));
                }
                Deed::Room(Output::Reply { answer, .. }) => self.replies.push(answer),
                Deed::Room(Output::Call { call, request }) => {
                    if let LobbyRequest::Grant { .. } = *request {
                        let granted = LobbyAnswer::Granted { lease: 1, body: None };
                        self.life.hear(|host| host.handle_answer(call, Some(granted), START_MS));
                    }
                }
                Deed::Room(Output::Attach { .. } | Output::Record { .. }) | Deed::Say(_) => {}
            }
        }
    }

    fn join(&mut self) {
        self.next += 1;
        let (id, secret, now) = (ConnectionId(self.next), [self.next as u8; 16], self.now_ms);
        self.ensure(false);
        match self.life.make(7, now) {
            Ok(()) => {
                let account = self.game.schema().room.characters.then_some("ada");
                self.life.hear(|host| host.handle_hello(id, &hello(), account, secret, now));
            }
            Err(close) => self.closed.push((close.code, close.reason().to_owned())),
        }
        self.finish();
    }

    fn ticks(&mut self, ticks: u32) {
        for _ in 0..ticks {
            self.now_ms += 50;
            self.event(Host::handle_tick);
        }
    }

    /// Of the loop that runs.
    fn generation(&self) -> Generation {
        let run = |act: &Act| if let Act::Run(generation) = act { Some(*generation) } else { None };
        self.acts.iter().rev().find_map(run).expect("a loop")
    }

    fn state(&self) -> &'static str {
        self.life.facts(self.now_ms).state
    }

    fn last_close(&self) -> CloseCode {
        self.closed.last().expect("a close").0
    }
}

/// B26, F15
#[test]
fn three_failures_within_a_minute_park_a_lasting_room_and_it_comes_back_by_its_alarm() {
    let mut object = Object::new(&LASTING);
    object.join();
    object.ticks(3);
    break_steps(true);
    object.ticks(1);
    assert_eq!(object.state(), "unread", "one failure is not enough");
    object.ticks(4);
    assert_eq!(object.state(), "parked");
    break_steps(false);
    let (commits, acts) = (object.disk.commits.len(), object.acts.len());
    object.join();
    assert_eq!((object.last_close(), object.welcomes), (CloseCode::Parked, 1));
    assert!(object.closed.last().expect("said").1.starts_with("parked for 60 s: storage-or-tick-failed"));
    object.ticks(5);
    assert_eq!(
        (object.disk.commits.len(), object.acts[acts..].len()),
        (commits, 0),
        "no tick, no row, no act"
    );
    // The pulse that was set before fires once more, and then the alarm is for the end of the parking.
    object.fire();
    assert_eq!((object.state(), object.life.pulse.set_ms()), ("parked", object.life.facts(0).until));
    object.fire();
    assert_eq!(object.state(), "live");
    object.ticks(3);
    assert!(object.life.facts(object.now_ms).ticking);
    // What comes back has one try.
    break_steps(true);
    object.ticks(1);
    break_steps(false);
    let facts = object.life.facts(object.now_ms);
    assert_eq!((facts.state, facts.parkings), ("parked", 2));
    assert_eq!(facts.until, Some(object.now_ms + 2 * PARK_MS_MIN));
}

#[test]
fn a_parked_room_is_parked_still_after_a_restart() {
    let mut object = Object::new(&LASTING);
    object.join();
    object.ticks(3);
    break_steps(true);
    object.ticks(5);
    break_steps(false);
    object.reset(false);
    object.join();
    assert_eq!((object.state(), object.last_close()), ("parked", CloseCode::Parked));
    let facts = object.life.facts(object.now_ms);
    assert!(matches!(facts.room, RoomFacts::Down { epoch: 3.., alive: false, .. }), "{facts:?}");
    assert_eq!(object.life.wanted(object.now_ms), Wanted::Alarm(facts.until.expect("a time")));
}

/// §3.2: release still works.
#[test]
fn a_parked_room_gives_a_character_back() {
    let mut object = Object::new(&CHARACTERS);
    object.join();
    object.ticks(3);
    break_steps(true);
    object.ticks(5);
    break_steps(false);
    assert_eq!(object.state(), "parked");
    object.ensure(true);
    let release =
        TableRequest::Release { v: 1, account: "ada".to_owned(), game: "stub".to_owned(), lease: 1 };
    let now = object.now_ms;
    assert!(object.life.hear(|host| host.handle_release(ReplyId(0), &release, now)));
    object.finish();
    assert!(matches!(&object.replies[..], [TableAnswer::Released(_)]), "{:?}", object.replies);
    assert_eq!((object.state(), object.life.host().is_none()), ("parked", true));
}

/// An object whose COMMIT fails is reset by the platform: nothing of it can count that but what its isolate keeps.
#[test]
fn an_object_that_is_reset_again_and_again_is_parked() {
    let mut object = Object::new(&LASTING);
    object.join();
    for resets in 1..=3 {
        object.ticks(2);
        object.reset(true);
        assert_eq!(object.life.facts(object.now_ms).failures, resets % 3);
    }
    object.join();
    assert_eq!((object.state(), object.last_close()), ("parked", CloseCode::Parked));
}

#[test]
fn a_process_that_dies_parks_nothing_however_often() {
    let mut object = Object::new(&LASTING);
    for _ in 0..20 {
        object.join();
        object.ticks(2);
        object.reset(false);
    }
    object.join();
    let parked = object.closed.iter().filter(|(code, _)| *code == CloseCode::Parked).count();
    assert_eq!((object.state(), parked), ("live", 0));
}

#[test]
fn an_object_that_sleeps_and_wakes_has_not_failed() {
    let mut object = Object::new(&LASTING);
    for _ in 0..5 {
        object.join();
        object.ticks(2);
        let id = ConnectionId(object.next);
        object.event(move |host, now| host.handle_message(id, r#"{"t":"leave"}"#, now));
        object.reset(true);
    }
    assert_eq!(object.life.facts(object.now_ms).failures, 0);
}

/// B26
#[test]
fn storage_that_refuses_for_a_day_is_no_failure_and_the_room_waits_for_it() {
    for game in [&LASTING, &MATCH] {
        let mut object = Object::new(game);
        object.join();
        object.ticks(2);
        let until = object.now_ms + 7_000_000;
        object.storage = Storage::Away(until);
        object.ticks(120);
        assert_eq!((object.state(), object.last_close()), ("away", CloseCode::Limit));
        assert_eq!(object.closed.last().expect("said").1, format!("until {until}: away"));
        object.reset(false);
        object.join();
        assert_eq!((object.state(), object.last_close()), ("away", CloseCode::Limit));
        object.storage = Storage::Works;
        object.now_ms = until;
        object.join();
        let facts = object.life.facts(until);
        assert_eq!((facts.state, facts.failures, facts.parkings), ("live", 0, 0));
    }
}

#[test]
fn a_save_that_this_build_cannot_use_is_kept_and_everyone_is_told_why() {
    let mut object = Object::new(&LASTING);
    object.join();
    object.ticks(2);
    let commits = object.disk.commits.len();
    object.reset(false);
    change_game(true);
    object.join();
    change_game(false);
    let (code, reason) = object.closed.last().expect("a close").clone();
    assert_eq!((object.state(), code), ("refused", CloseCode::Parked));
    assert!(reason.contains("cannot open the room's save"), "{reason}");
    object.ticks(200);
    assert_eq!(object.disk.commits.len(), commits, "nothing is written over it");
    assert_eq!(object.life.wanted(object.now_ms), Wanted::Never);
    assert!(object.life.facts(object.now_ms).why.is_some());
}

/// F15
#[test]
fn a_panic_restores_the_room_within_a_second_by_its_alarm() {
    let mut object = Object::new(&LASTING);
    object.join();
    object.ticks(2);
    let generation = object.generation();
    object.life.handle_panic(object.now_ms);
    // It fell in a tick: the end of the loop is all that comes after it.
    assert!(object.life.handle_loop_end(generation, object.now_ms));
    object.finish();
    assert_eq!(object.life.pulse.set_ms(), Some(object.now_ms + 1_000));
    object.ticks(10);
    assert_eq!(object.state(), "unread", "events do not restore it sooner: what panicked may panic again");
    object.fire();
    assert_eq!(object.state(), "live");
}

/// F10
#[test]
fn the_first_event_of_a_cold_room_may_be_any() {
    let hears: [fn(&mut Host, u64); 4] = [
        Host::handle_alarm,
        Host::handle_tick,
        |host, now| host.handle_message(ConnectionId(9), r#"{"t":"ping","c":1}"#, now),
        |host, now| host.handle_close(ConnectionId(9), now),
    ];
    for hear in hears {
        let mut object = Object::new(&LASTING);
        object.join();
        object.ticks(2);
        object.reset(false);
        object.acts.clear();
        object.event(hear);
        assert_eq!(object.state(), "live");
        let set = object.acts.iter().any(|act| *act == Act::Set(object.now_ms + PULSE_MS));
        assert!(set && object.life.facts(object.now_ms).ticking, "{:?}", object.acts);
    }
    // One of an object that never had a room makes none.
    let mut object = Object::new(&LASTING);
    object.event(Host::handle_alarm);
    assert_eq!((object.state(), object.disk.commits.len()), ("absent", 0));
}

#[test]
fn a_hello_that_is_refused_makes_no_room() {
    let mut object = Object::new(&LASTING);
    object.ensure(false);
    object.life.make(7, START_MS).expect("may be made");
    object.finish();
    assert_eq!((object.state(), object.disk.commits.len()), ("absent", 0));
}

/// B40
#[test]
fn a_lasting_room_that_runs_too_few_of_its_ticks_is_parked_at_once_and_a_match_goes_on() {
    for (game, state) in [(&LASTING, "parked"), (&MATCH, "unread")] {
        let mut object = Object::new(game);
        object.join();
        object.event(Host::handle_take_over);
        // Each tick takes what three should: a third of them run.
        for _ in 0..70 {
            object.now_ms += 150;
            object.event(Host::handle_tick);
        }
        assert_eq!(object.state(), "live", "nothing is judged between take-overs");
        object.event(Host::handle_take_over);
        assert_eq!(object.state(), state);
        let why = object.closed.last().expect("a close").1.clone();
        assert!(why.contains("overrun: 70 of 210 ticks ran"), "{why}");
    }
}
