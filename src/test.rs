//! The test kit: a game's test reads as a script. Native only.
//!
//! `Play` is a seeded room without a host: join, put a body, hold an input, do an action, run ticks, look at fields. The
//! same seed and script give the same room. Absent: connections, commits, rates; the host has those and tests of its own.
//!
//! ```ignore
//! use roundtable::games::arena::{Arena, Fighter};
//! use roundtable::test::Play;
//!
//! let mut play = Play::<Arena>::seeded(7);
//! let ada = play.join("Ada");
//! play.put(ada, (3.0, 0.0));
//! play.set::<Fighter>(ada, |fighter| fighter.hp = 0.into());
//! play.run(2);
//! assert_eq!(play.body::<Fighter>(ada).hp, 100, "the fallen rise again");
//! ```

use std::borrow::Borrow;
use std::collections::BTreeMap;

use crate::rules::adapter::{open, reopen};
use crate::rules::character::Character;
use crate::rules::cut::Cut;
use crate::rules::engine::Place;
use crate::rules::face::{AskId, Driver, Given, Moment, SeatAction, SeatInfo, SeatInput, Sim, Snapshot};
use crate::rules::game::{ActionOf, Body, Other, Rules};
use crate::rules::ids::{BodyId, Seat};
use crate::rules::input::{Action, Controls, Input, controls_of, newly_down};
use crate::rules::motion::{Pose, to_steps};
use crate::rules::step::RoomSim;
use crate::rules::vec2::Vec2;
use crate::rules::world::World;

/// What a script holds for a seat.
#[derive(Clone, Default)]
struct Hand {
    before: Controls,
    now: Controls,
    claim: Option<Pose>,
    rewind: u16,
    /// Numbers its actions.
    acted: u32,
}

/// A room of a game, played by a script. Methods panic when the script asks for what is not there: it is a test.
pub struct Play<R: Rules> {
    sim: RoomSim<R>,
    hands: BTreeMap<Seat, Hand>,
    now_ms: u64,
    observes: bool,
    /// What the newest call that let something happen gave out: of `run`, that of all its ticks.
    pub given: Given,
}

/// A body: the one of a seat, or one by its id.
pub trait Which {
    fn id<R: Rules>(self, play: &Play<R>) -> BodyId;
}

impl Which for Seat {
    fn id<R: Rules>(self, play: &Play<R>) -> BodyId {
        play.id(self)
    }
}

impl Which for BodyId {
    fn id<R: Rules>(self, _: &Play<R>) -> BodyId {
        self
    }
}

/// Metres.
impl From<(f64, f64)> for Place {
    fn from((x, y): (f64, f64)) -> Place {
        Place::At(Vec2::new(x, y))
    }
}

impl<R: Rules> Play<R> {
    /// A new room. The same seed gives the same room.
    #[must_use]
    pub fn seeded(seed: u64) -> Play<R> {
        let now_ms = 1_000_000;
        let mut sim = open::<R>(seed, now_ms);
        let given = sim.drain();
        Play { sim, hands: BTreeMap::new(), now_ms, observes: false, given }
    }

    // ---- Seats ----

    /// A person sits down on the first free seat.
    pub fn join(&mut self, name: &str) -> Seat {
        self.sit(SeatInfo { name: name.to_owned(), ..SeatInfo::default() })
    }

    pub fn join_bot(&mut self, name: &str) -> Seat {
        self.sit(SeatInfo { name: name.to_owned(), driver: Driver::Bot, ..SeatInfo::default() })
    }

    pub fn join_ai(&mut self, name: &str) -> Seat {
        self.sit(SeatInfo { name: name.to_owned(), driver: Driver::Ai, ..SeatInfo::default() })
    }

    /// A person with a character sits down.
    pub fn join_with(&mut self, name: &str, character: Character) -> Seat {
        self.sit(SeatInfo { name: name.to_owned(), character: Some(character), ..SeatInfo::default() })
    }

    /// Anybody sits down; the seat number given is replaced by the first free one.
    pub fn sit(&mut self, mut info: SeatInfo) -> Seat {
        let free = (0..R::ROOM.seats).map(Seat).find(|seat| !self.hands.contains_key(seat));
        info.seat = free.expect("a free seat");
        self.hands.insert(info.seat, Hand::default());
        self.sim.join(&info, self.now_ms);
        self.given = self.sim.drain();
        info.seat
    }

    pub fn leave(&mut self, seat: Seat) -> Option<Character> {
        self.hands.remove(&seat);
        let character = self.sim.leave(seat, self.now_ms);
        self.given = self.sim.drain();
        character
    }

    #[must_use]
    pub fn character(&self, seat: Seat) -> Option<Character> {
        self.sim.character(seat)
    }

    // ---- Doing ----

    /// Holds an input from the next tick on.
    pub fn hold(&mut self, seat: Seat, input: impl Borrow<R::Input>) {
        self.hand(seat).now = controls_of(input.borrow());
    }

    /// Lets go of everything.
    pub fn rest(&mut self, seat: Seat) {
        self.hand(seat).now = Controls::default();
    }

    /// The seat acts on what it saw so many ticks ago.
    pub fn sees(&mut self, seat: Seat, ticks_ago: u16) {
        self.hand(seat).rewind = ticks_ago;
    }

    /// The seat's client claims, for the next tick, that its body is at a point and moves like this.
    pub fn claim(&mut self, seat: Seat, at: (f64, f64), velocity: (f64, f64)) {
        let steps = |(x, y): (f64, f64)| [to_steps(x), to_steps(y), 0];
        self.hand(seat).claim = Some(Pose { at: steps(at), velocity: steps(velocity), heading: 0 });
    }

    /// Does an action, which takes a step.
    ///
    /// # Errors
    /// Why the rules refused it.
    pub fn act(&mut self, seat: Seat, action: impl Borrow<ActionOf<R>>) -> Result<(), String> {
        let mut args = Vec::new();
        let index = action.borrow().write(&mut args);
        let hand = self.hand(seat);
        hand.acted += 1;
        let action = SeatAction { seat, number: hand.acted, action: index, args };
        self.given = Given::default();
        self.step(&[action]);
        let done = self.given.done.first().cloned().expect("the step had fuel for one action");
        done.result
    }

    /// An ai's mind answers; it is heard in the next step.
    pub fn answer(&mut self, ask: AskId, text: &str) {
        self.sim.answer(ask, text);
    }

    /// A lasting room that slept goes on.
    pub fn resume(&mut self, away_ms: u64) {
        self.sim.resume(away_ms, self.now_ms);
        self.given = self.sim.drain();
    }

    /// Runs ticks.
    pub fn run(&mut self, ticks: u32) {
        self.given = Given::default();
        for _ in 0..ticks {
            self.step(&[]);
        }
    }

    /// Lets time pass in an event-driven room: whatever is due runs in its order.
    pub fn wait_ms(&mut self, ms: u64) {
        self.given = Given::default();
        let until = self.now_ms + ms;
        while let Some(due) = self.sim.next_due_ms().filter(|due| *due <= until) {
            self.now_ms = due.max(self.now_ms);
            self.step(&[]);
        }
        self.now_ms = until;
    }

    /// The time of an event-driven room.
    #[must_use]
    pub fn now_ms(&self) -> u64 {
        self.now_ms
    }

    fn step(&mut self, actions: &[SeatAction]) {
        let controls = R::Input::CONTROLS;
        let input = |(seat, hand): (&Seat, &mut Hand)| {
            let pressed = newly_down(controls, &hand.before, &hand.now);
            hand.before = hand.now;
            let claim = hand.claim.take();
            SeatInput { seat: *seat, held: hand.now, pressed, claim, rewind: hand.rewind }
        };
        let inputs: Vec<SeatInput> = self.hands.iter_mut().map(input).collect();
        let moment = Moment { now_ms: self.now_ms, inputs: &inputs, actions };
        self.sim.step(&moment).expect("a room outlives any test");
        add(&mut self.given, self.sim.drain());
    }

    fn hand(&mut self, seat: Seat) -> &mut Hand {
        self.hands.get_mut(&seat).expect("a seat that is held")
    }

    // ---- Setting a scene ----

    /// Puts a body somewhere, at rest.
    pub fn put(&mut self, body: impl Which, place: impl Into<Place>) {
        let id = body.id(self);
        assert!(self.world(|w| w.put(id, place.into())), "there is no such body");
    }

    /// Makes a body that is no player's, such as something to be met just here: `play.spawn(Coin, (1.0, 0.0))`. A player's
    /// comes by `join`.
    pub fn spawn<K: Body<R>>(&mut self, body: K, place: impl Into<Place>) -> BodyId {
        let place = place.into();
        self.world(|w| w.spawn(body, place)).expect("the room is full of bodies")
    }

    /// Changes the fields of a body.
    pub fn set<K: Body<R>>(&mut self, body: impl Which, change: impl FnOnce(&mut K)) {
        let id = body.id(self);
        assert!(self.world(|w| w.edit::<K>(id, change)), "the body is of another kind");
    }

    /// Does something as a handler of the room would.
    pub fn world<T>(&mut self, f: impl FnOnce(&mut World<R>) -> T) -> T {
        let value = self.sim.with_world(f);
        let given = self.sim.drain();
        value.unwrap_or_else(|| panic!("it failed as a handler: {:?}", given.faults))
    }

    // ---- Looking ----

    /// The fields of a body.
    #[must_use]
    pub fn body<K: Body<R>>(&self, body: impl Which) -> K {
        let id = body.id(self);
        self.sim.look(|w| w.body::<K>(id)).expect("the body is of another kind")
    }

    /// Where a body is, metres.
    #[must_use]
    pub fn at(&self, body: impl Which) -> Vec2 {
        let id = body.id(self);
        self.sim.look(|w| w.seen(id)).expect("a body").at
    }

    /// Every body of a kind, as others see it.
    #[must_use]
    pub fn all<K: Body<R>>(&self) -> Vec<Other> {
        self.sim.look(|w| w.all::<K>())
    }

    /// The shared state of a kind.
    #[must_use]
    pub fn shared<K: Body<R>>(&self) -> K {
        self.sim.look(|w| w.shared::<K>().clone())
    }

    /// The effects that were shown, by name.
    #[must_use]
    pub fn effects(&self) -> Vec<&'static str> {
        self.given.effects.iter().map(|effect| effect.name).collect()
    }

    /// Has the handlers that run told of, from now on.
    pub fn observe(&mut self) {
        self.observes = true;
        self.sim.observe(true);
    }

    /// The handlers that ran, in order, such as `cook.touch`; of one that failed, also why.
    #[must_use]
    pub fn trace(&self) -> Vec<String> {
        let runs = self.given.runs.iter().map(|run| {
            let name = run.kind.map_or(run.handler.to_owned(), |kind| format!("{kind}.{}", run.handler));
            run.error.as_ref().map_or(name.clone(), |error| format!("{name}: {error}"))
        });
        runs.collect()
    }

    /// The body of a seat.
    #[must_use]
    pub fn id(&self, seat: Seat) -> BodyId {
        let snapshot = self.snapshot();
        let row = snapshot.bodies.iter().find(|row| row.seat == Some(seat));
        row.expect("the seat has a body").id
    }

    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        let mut snapshot = Snapshot::default();
        self.sim.snapshot(&mut snapshot);
        snapshot
    }

    /// The room itself: rounds, standing, tally, minds, digest.
    #[must_use]
    pub fn sim(&mut self) -> &mut dyn Sim {
        &mut self.sim
    }

    // ---- Saving ----

    #[must_use]
    pub fn cut(&self) -> Cut {
        let mut cut = Cut::default();
        self.sim.cut(&mut cut);
        cut
    }

    /// The same room, restored from a save of this one.
    #[must_use]
    pub fn restored(&self) -> Play<R> {
        let mut cut = Cut::default();
        cut.apply(&self.save()).expect("a save");
        let mut sim = reopen::<R>(&cut).expect("what a room saved, it restores");
        sim.observe(self.observes);
        let given = sim.drain();
        Play { sim, hands: self.hands.clone(), now_ms: self.now_ms, observes: self.observes, given }
    }

    /// The bytes of a save.
    #[must_use]
    pub fn save(&self) -> Vec<u8> {
        self.cut().difference(&Cut::default())
    }

    #[must_use]
    pub fn digest(&self) -> u64 {
        self.sim.digest()
    }
}

/// Adds what one more step gave out.
fn add(all: &mut Given, more: Given) {
    all.effects.extend(more.effects);
    all.effects_dropped += more.effects_dropped;
    all.round_changed |= more.round_changed;
    all.restarted |= more.restarted;
    all.areas_changed |= more.areas_changed;
    all.done.extend(more.done);
    all.claims_refused.extend(more.claims_refused);
    all.asks.extend(more.asks);
    all.records.extend(more.records);
    all.travels.extend(more.travels);
    all.faults.extend(more.faults);
    all.faults_count += more.faults_count;
    all.notes.extend(more.notes);
    all.notes_count += more.notes_count;
    all.runs.extend(more.runs);
}
