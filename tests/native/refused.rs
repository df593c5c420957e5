//! A deploy after which a room's save cannot be used: its characters are given back all the same, from its last commit, and
//! a build that can use the save again does not have them twice.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use proptest::prelude::*;
use roundtable::host::life::{Deed, Found, Life};
use roundtable::host::parking::Parking;
use roundtable::host::{CommitOutcome, ConnectionId, Host, Output, ReplyId, Setup, Stored, StoredRow, Write};
use roundtable::prelude::*;
use roundtable::rules::adapter::game;
use roundtable::rules::face::Game;
use roundtable::wire::character::from_body;
use roundtable::wire::client_message::{Build, Hello};
use roundtable::wire::lease::{Copy, LobbyAnswer, LobbyRequest, Stamp, TableAnswer, TableRequest};

const START_MS: u64 = 1_790_000_000_000;
const ACCOUNTS: [&str; 2] = ["ada", "bob"];

/// A game, its heroes with this type of gold, its rocks with that type of moss, and how gold is earned.
macro_rules! version {
    ($version:ident, $gold:ty, $moss:ty, $earn:expr) => {
        mod $version {
            use super::*;

            pub struct Hills;

            #[derive(Input, Clone, Default)]
            pub struct Pad {
                pub r#move: Stick,
            }

            #[derive(Choice, Clone, Copy, Default, PartialEq, Debug)]
            pub enum Hat {
                #[default]
                None,
                Red,
            }

            #[derive(Kind, Clone, Default)]
            #[kind(player, radius = 0.5)]
            pub struct Hero {
                #[durable]
                pub gold: $gold,
                pub title: Text<12>,
                pub hat: Hat,
                #[local]
                pub steps: Int<0, 1_000_000>,
                pub trail: List<Int<0, 999>, 4>,
                pub aim: Angle,
                pub wind: Real<-5, 5, 100>,
            }

            #[derive(Kind, Clone, Default)]
            #[kind(radius = 0.5)]
            pub struct Rock {
                #[durable]
                pub moss: $moss,
            }

            #[derive(Kind, Clone, Default)]
            #[kind(shared)]
            pub struct Book {
                /// Seats that were left by somebody.
                #[durable]
                pub left: Int<0, 1_000>,
            }

            impl Rules for Hills {
                type Kinds = (Hero, Rock, Book);
                type Input = Pad;
                const ROOM: Room = Room::lasting().characters().seats(4).map(Map::flat(40, 40));

                fn open(w: &mut World<Self>) {
                    w.spawn(Rock::default(), At(Vec2::new(9.0, 9.0)));
                }

                fn join(_: &mut World<Self>, seat: &Seat) -> Entry<Self> {
                    Entry::new(seat.character::<Hero>().unwrap_or_default(), At(Vec2::ZERO))
                }
            }

            impl Body<Hills> for Rock {}
            impl Body<Hills> for Book {}

            impl Body<Hills> for Hero {
                fn steer(&self, motion: &mut Motion, pad: &Pad, map: &Map) {
                    motion.slide(pad.r#move * 4.0, map);
                }

                fn tick(&mut self, me: &Me, w: &mut World<Hills>) {
                    self.steps += 1;
                    if self.steps.get() % 7 == 0 {
                        $earn(&mut self.gold);
                        self.title = format!("{} steps", self.steps).as_str().into();
                        self.hat = Hat::Red;
                        let _ = self.trail.push((self.steps.get() % 900).into());
                        self.aim = f64::from(self.steps.get()).into();
                        self.wind = (w.random() * 10.0 - 5.0).into();
                    }
                    let _ = me;
                }

                fn leave(&mut self, _: &Me, w: &mut World<Hills>) {
                    w.share::<Book>(|book| book.left += 1);
                }
            }
        }
    };
}

version!(first, Int<0, 1_000_000>, Int<0, 9>, |gold: &mut Int<0, 1_000_000>| *gold += 1);
version!(mossy, Int<0, 1_000_000>, Text<8>, |gold: &mut Int<0, 1_000_000>| *gold += 1);
version!(golden, Text<8>, Text<8>, |gold: &mut Text<8>| *gold = "some".into());

#[derive(Clone, Default)]
struct Disk {
    stored: Stored,
    slots: BTreeMap<u32, StoredRow>,
}

/// An object of a room under one build: what the platform does, without sockets.
struct Object {
    life: Life,
    disk: Disk,
    now_ms: u64,
    calls: Vec<LobbyRequest>,
    leases: u64,
    reply: Option<TableAnswer>,
    closed: Vec<String>,
    sent: Vec<String>,
    fails: bool,
}

fn setup(game: &'static dyn Game) -> Setup {
    Setup {
        game,
        game_name: "hills".to_owned(),
        room: "one".to_owned(),
        build: Build { id: "b".to_owned(), at: 1 },
        leases: true,
        stopwatch: None,
        load: Rc::default(),
        slept: true,
    }
}

impl Object {
    fn new(game: Option<&'static dyn Game>, disk: Disk, now_ms: u64) -> Object {
        let parking = Rc::new(RefCell::new(Parking::default()));
        let life = Life::new(("hills", "one"), game.map(setup), parking, now_ms);
        let (calls, closed, sent) = (Vec::new(), Vec::new(), Vec::new());
        Object { life, disk, now_ms, calls, leases: 0, reply: None, closed, sent, fails: false }
    }

    /// The same room under another build, or after a crash.
    fn then(&self, game: Option<&'static dyn Game>) -> Object {
        Object::new(game, self.disk.clone(), self.now_ms + 10)
    }

    fn ensure(&mut self, is_release: bool) {
        self.life.begin_event();
        if self.life.wants_storage(is_release, self.now_ms) {
            let mut journal: Vec<StoredRow> = self.disk.slots.values().cloned().collect();
            journal.sort_by_key(|row| row.seq);
            let found = if self.disk.stored.save_seq == 0 {
                Found::Nothing
            } else {
                Found::Stored(Box::new(Stored { journal, ..self.disk.stored.clone() }))
            };
            self.life.handle_stored(found, &[], is_release, self.now_ms);
            self.drain();
        }
    }

    fn drain(&mut self) {
        loop {
            while let Some(commit) = self.life.poll_commit() {
                let outcome = if self.fails {
                    CommitOutcome::Failed
                } else {
                    self.disk.stored.at = (commit.epoch, commit.tick);
                    match commit.write {
                        Write::Row { slot, bytes } => {
                            self.disk.slots.insert(slot, StoredRow { seq: commit.seq, bytes });
                        }
                        Write::Save { chunks } => {
                            (self.disk.stored.save, self.disk.stored.save_seq) =
                                (chunks.concat(), commit.seq);
                        }
                    }
                    CommitOutcome::Taken { rows_written: 1 }
                };
                self.life.handle_commit(outcome, self.now_ms);
            }
            let Some(deed) = self.life.poll_output() else { return };
            match deed {
                Deed::Room(Output::Call { call, request }) => {
                    let answer = match &*request {
                        LobbyRequest::Grant { .. } => {
                            self.leases += 1;
                            LobbyAnswer::Granted { lease: self.leases, body: None }
                        }
                        _ => LobbyAnswer::Done,
                    };
                    self.calls.push(*request);
                    let now_ms = self.now_ms;
                    self.life.hear(|host| host.handle_answer(call, Some(answer), now_ms));
                }
                Deed::Room(Output::Send { text, .. }) => self.sent.push(text.to_string()),
                Deed::Room(Output::Reply { answer, .. }) => self.reply = Some(answer),
                Deed::CloseAll(close) | Deed::Room(Output::Close { close, .. }) => {
                    self.closed.push(close.reason().to_owned());
                }
                _ => {}
            }
        }
    }

    fn event(&mut self, hear: impl FnOnce(&mut Host, u64)) {
        self.ensure(false);
        let now_ms = self.now_ms;
        self.life.hear(|host| hear(host, now_ms));
        self.drain();
        self.life.end_event(now_ms);
    }

    fn join(&mut self, connection: u32, account: &'static str) {
        self.ensure(false);
        let hello = Hello { v: 1, game: "hills".to_owned(), ..Hello::default() };
        let now_ms = self.now_ms;
        match self.life.make(7, now_ms) {
            Ok(()) => self.event(|host, now| {
                host.handle_hello(
                    ConnectionId(connection),
                    &hello,
                    Some(account),
                    [connection as u8; 16],
                    now,
                );
            }),
            Err(close) => self.closed.push(close.reason().to_owned()),
        }
    }

    fn ticks(&mut self, ticks: u32) {
        for _ in 0..ticks {
            self.now_ms += 50;
            self.event(Host::handle_tick);
        }
    }

    fn release(&mut self, account: &str, lease: u64, revoke: bool) -> Option<TableAnswer> {
        self.reply = None;
        self.ensure(true);
        let (account, game) = (account.to_owned(), "hills".to_owned());
        let request = if revoke {
            TableRequest::Revoke { v: 1, account, game, lease }
        } else {
            TableRequest::Release { v: 1, account, game, lease }
        };
        self.life.release(ReplyId(1), &request, self.now_ms);
        self.drain();
        self.life.end_event(self.now_ms);
        self.reply.take()
    }

    fn state(&self) -> &'static str {
        self.life.facts(self.now_ms).state
    }

    /// Seats held, characters held, and on their way home.
    fn counts(&self) -> (usize, usize, usize) {
        let facts = self.life.host().expect("it runs").facts(self.now_ms);
        (facts.seats, facts.holds.held, facts.holds.returning)
    }
}

/// Both play for so many ticks under the first build.
fn played(ticks: u32) -> Object {
    let mut object = Object::new(Some(game::<first::Hills>()), Disk::default(), START_MS);
    for (connection, account) in (1..).zip(ACCOUNTS) {
        object.join(connection, account);
    }
    object.event(|host, now| {
        let text = r#"{"t":"in","e":1,"s":[[2,{"move":[1,0.2]}]]}"#;
        host.handle_message(ConnectionId(1), text, now);
    });
    object.ticks(ticks);
    object
}

fn copy(answer: Option<TableAnswer>) -> Copy {
    let Some(TableAnswer::Released(copy)) = answer else { panic!("not released: {answer:?}") };
    *copy
}

/// B34
#[test]
fn a_room_that_cannot_use_its_save_says_why_and_gives_back_every_character() {
    let mut object = played(150).then(Some(game::<mossy::Hills>()));
    object.join(3, "eve");
    assert_eq!(object.state(), "refused");
    assert!(object.closed.iter().all(|why| why.contains("rock.moss")), "{:?}", object.closed);
    for (lease, account) in (1..).zip(ACCOUNTS) {
        let given = copy(object.release(account, lease, false));
        assert_eq!((given.stamp, given.room.as_str()), (Stamp { lease, seq: 1 }, "one"));
        // Another room of the new build lets it in with all it had.
        let character = from_body(given.body.as_ref().expect("a body")).expect("a character");
        let (mut fitted, notes) = game::<mossy::Hills>().fit_character(&character).expect("it fits");
        // JSON has them by name.
        fitted.fields.sort_by(|a, b| a.0.cmp(&b.0));
        assert_eq!((fitted.fields, notes), (character.fields.clone(), vec![]));
        assert!(character.fields.iter().any(|(name, value)| name == "gold" && value.to_string() != "0"));
        assert_eq!(copy(object.release(account, lease, false)), given, "asked again");
        assert_eq!(copy(object.then(None).release(account, lease, false)), given, "without the game at all");
    }
    assert_eq!(object.release("eve", 3, false), Some(TableAnswer::Absent));
    assert_eq!(object.state(), "refused", "the save is kept");
}

#[test]
fn a_build_that_can_use_the_save_does_not_have_them_twice_and_runs_no_leave_handler() {
    let object = played(150);
    let mut refused = object.then(Some(game::<mossy::Hills>()));
    let given = copy(refused.release("ada", 1, false));
    refused.release("eve", 9, false);
    let mut again = refused.then(Some(game::<first::Hills>()));
    again.event(|_, _| {});
    assert_eq!((again.state(), again.counts()), ("live", (1, 1, 0)));
    assert_eq!(again.calls, [LobbyRequest::Return(given)], "the Lobby hears what it has already");
    assert_eq!(again.release("ada", 1, false), Some(TableAnswer::Absent));
    again.ticks(150);
    // And so it is stored.
    let mut later = again.then(Some(game::<first::Hills>()));
    later.event(|_, _| {});
    assert_eq!((later.counts(), later.calls.len()), ((1, 1, 0), 0));
    let bob = copy(later.release("bob", 2, false));
    assert!(bob.body.is_some());
    // Bob was released by a room that runs; Ada was not.
    let mut last = later.then(Some(game::<first::Hills>()));
    last.join(9, "cy");
    assert!(last.sent.iter().any(|text| text.contains(r#""book":{"left":1}"#)), "{:?}", last.sent);
}

#[test]
fn what_was_not_committed_is_not_given_and_a_crash_before_the_answer_gives_it_again() {
    let object = played(60);
    let mut refused = object.then(Some(game::<mossy::Hills>()));
    refused.fails = true;
    assert_eq!(refused.release("ada", 1, false), None);
    refused.fails = false;
    let given = copy(refused.release("ada", 1, false));
    assert_eq!(given.stamp, Stamp { lease: 1, seq: 1 });
    assert_eq!(copy(refused.then(Some(game::<mossy::Hills>())).release("ada", 1, false)), given);
}

#[test]
fn what_was_revoked_is_dropped_and_what_is_asked_wrongly_is_busy() {
    let mut refused = played(60).then(Some(game::<mossy::Hills>()));
    assert_eq!(refused.release("ada", 1, true), Some(TableAnswer::Absent));
    for (account, lease) in [("not an account", 1), ("bob", 0)] {
        assert_eq!(refused.release(account, lease, false), Some(TableAnswer::Busy), "{account}");
    }
    let mut again = refused.then(Some(game::<first::Hills>()));
    again.event(|_, _| {});
    assert_eq!(again.counts().0, 1);
}

#[test]
fn a_character_whose_own_field_changed_is_given_back_and_waits_for_a_build_that_reads_it() {
    let mut refused = played(60).then(Some(game::<golden::Hills>()));
    let given = copy(refused.release("ada", 1, false));
    let character = from_body(&given.body.expect("a body")).expect("a character");
    let unfit = game::<golden::Hills>().fit_character(&character).expect_err("gold is text now");
    assert!(unfit.0.contains("gold"), "{unfit:?}");
    assert!(game::<first::Hills>().fit_character(&character).is_ok());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// B34
    #[test]
    fn it_gives_what_the_game_itself_would_have_given(ticks in 1..200u32) {
        let object = played(ticks);
        let mut refused = object.then(Some(game::<mossy::Hills>()));
        let mut runs = object.then(Some(game::<first::Hills>()));
        for (lease, account) in (1..).zip(ACCOUNTS) {
            let (ours, theirs) = (copy(refused.release(account, lease, false)), copy(runs.release(account, lease, false)));
            prop_assert_eq!(ours, theirs);
        }
    }

    #[test]
    fn a_damaged_save_is_no_reason_to_panic(at in any::<prop::sample::Index>(), with in 1u8.., cuts in any::<bool>()) {
        let mut object = played(20);
        let at = at.index(object.disk.stored.save.len());
        if cuts {
            object.disk.stored.save.truncate(at);
        } else {
            object.disk.stored.save[at] ^= with;
        }
        let mut refused = object.then(None);
        let _ = refused.release("ada", 1, false);
    }
}
