//! The digest is of the whole state: flip any bit of it and the digest is another.

use roundtable::prelude::Rules;
use roundtable::rules::adapter::game;
use roundtable::rules::engine::{Cursor, Engine, SeatState};
use roundtable::rules::face::Driver;
use roundtable::rules::ids::{BodyId, Seat};
use roundtable::rules::kinds::Kinds;
use roundtable::rules::rng::Rng;
use roundtable::rules::save;

use super::fair::{Fair, busy_room, cut_of};

fn busy_engine() -> Engine {
    let columns = <<Fair as Rules>::Kinds as Kinds<Fair>>::columns();
    let mut engine = Engine::new(game::<Fair>().schema(), columns, 0, 0);
    save::restore(&mut engine, &cut_of(busy_room().as_ref())).expect("our own save");
    engine
}

/// Changes to a room. Each is taken back by doing it again.
#[derive(Default)]
struct Flips(Vec<(String, Flip)>);

type Flip = Box<dyn Fn(&mut Engine)>;

impl Flips {
    fn one(&mut self, name: &str, flip: impl Fn(&mut Engine) + 'static) {
        self.0.push((name.to_owned(), Box::new(flip)));
    }

    /// Each of the lowest `bits` of a number.
    fn bits(&mut self, name: &str, bits: u32, flip: impl Fn(&mut Engine, u32) + Clone + 'static) {
        for bit in 0..bits {
            let flip = flip.clone();
            self.one(&format!("bit {bit} of {name}"), move |engine| flip(engine, bit));
        }
    }

    /// Each bit of an ASCII text.
    fn letters(
        &mut self,
        name: &str,
        engine: &mut Engine,
        text: impl Fn(&mut Engine) -> &mut String + Clone + 'static,
    ) {
        let length = text(engine).len() as u32;
        assert!(length > 0, "{name} is empty");
        self.bits(name, 7 * length, move |engine, bit| {
            let mut bytes = std::mem::take(text(engine)).into_bytes();
            bytes[(bit / 7) as usize] ^= 1 << (bit % 7);
            *text(engine) = String::from_utf8(bytes).expect("ASCII");
        });
    }

    fn all_change(self, engine: &mut Engine) {
        let digest = save::digest(engine);
        for (name, flip) in self.0 {
            flip(engine);
            assert_ne!(save::digest(engine), digest, "{name} is not in the digest");
            flip(engine);
            assert_eq!(save::digest(engine), digest, "{name} did not flip back");
        }
    }
}

#[test]
fn every_bit_of_clocks_round_and_generator_is_in_the_digest() {
    let (mut engine, mut flips) = (busy_engine(), Flips::default());
    flips.bits("the tick", 32, |engine, bit| engine.tick.0 ^= 1 << bit);
    flips.bits("the time", 64, |engine, bit| engine.now_ms ^= 1 << bit);
    flips.bits("the next body", 32, |engine, bit| engine.next_id ^= 1 << bit);
    flips.bits("the next timer", 32, |engine, bit| engine.timers.next_id ^= 1 << bit);
    flips.bits("the next area", 32, |engine, bit| engine.areas.next_id ^= 1 << bit);
    flips.bits("the next question", 32, |engine, bit| engine.asks.next_id ^= 1 << bit);
    flips.bits("the round", 32, |engine, bit| engine.round.number ^= 1 << bit);
    flips.bits("the round's end", 32, |engine, bit| {
        engine.round.ends_at.as_mut().expect("an end").0 ^= 1 << bit;
    });
    flips.bits("the generator", 64, |engine, bit| {
        engine.rng = Rng::from_state(engine.rng.state() ^ (1 << bit));
    });
    flips.one("whether play is on", |engine| engine.round.live ^= true);
    let other = |cursor: Cursor| {
        move |engine: &mut Engine| {
            engine.cursor = if engine.cursor == cursor { Cursor::default() } else { cursor };
        }
    };
    flips.one("whose tick is next", other(Cursor { tick: Some((1, BodyId(3))), touch: None }));
    flips.one("whose touch is next", other(Cursor { tick: None, touch: Some((BodyId(3), BodyId(4))) }));
    flips.one("who spawns next", |engine| match engine.fresh.pop_back() {
        Some(_) => (),
        None => engine.fresh.push_back(BodyId(2)),
    });
    flips.all_change(&mut engine);
}

#[test]
fn every_bit_of_every_body_is_in_the_digest() {
    let (mut engine, mut flips) = (busy_engine(), Flips::default());
    let count = engine.heads.len();
    for at in 0..count {
        for axis in 0..3 {
            flips.bits("a position", 32, move |engine, bit| engine.heads[at].pose.at[axis] ^= 1 << bit);
            flips.bits("a velocity", 32, move |engine, bit| engine.heads[at].pose.velocity[axis] ^= 1 << bit);
        }
        flips.bits("a heading", 16, move |engine, bit| engine.heads[at].pose.heading ^= 1 << bit);
        flips.one("a kind", move |engine| engine.heads[at].kind ^= 1);
        if engine.heads[at].seat.is_some() {
            flips.bits("a body's seat", 16, move |engine, bit| {
                engine.heads[at].seat.as_mut().expect("a seat").0 ^= 1 << bit;
            });
        }
    }
    flips.bits("a body's number", 32, move |engine, bit| engine.heads[count - 1].id.0 ^= 1 << bit);
    flips.all_change(&mut engine);
}

#[test]
fn every_bit_of_every_field_is_in_the_digest() {
    let mut engine = busy_engine();
    let digest = save::digest(&engine);
    let mut flipped = 0;
    for kind in 0..engine.columns.len() {
        for id in engine.columns[kind].ids().to_vec() {
            let mut words = Vec::new();
            engine.columns[kind].put_words(id, &mut words);
            for bit in 0..words.len() * 32 {
                let mut other = words.clone();
                other[bit / 32] ^= 1 << (bit % 32);
                // What is out of its field's bounds can be in no room.
                if engine.columns[kind].restore(id, &other) {
                    flipped += 1;
                    assert_ne!(save::digest(&engine), digest, "bit {bit} of {id:?} of kind {kind}");
                }
            }
            assert!(engine.columns[kind].restore(id, &words));
            assert_eq!(save::digest(&engine), digest);
        }
    }
    assert!(flipped > 1_000, "only {flipped} bits could be flipped");
}

fn held(engine: &mut Engine, seat: Seat) -> &mut SeatState {
    engine.seats.get_mut(&seat).expect("a held seat")
}

#[test]
fn every_bit_of_every_seat_is_in_the_digest() {
    let (mut engine, mut flips) = (busy_engine(), Flips::default());
    for seat in engine.seats.keys().copied().collect::<Vec<_>>() {
        let state = held(&mut engine, seat).clone();
        flips.letters("a name", &mut engine, move |engine| &mut held(engine, seat).name);
        flips.letters("a goal", &mut engine, move |engine| &mut held(engine, seat).mind.goal);
        flips.bits("a seat's body", 32, move |engine, bit| {
            held(engine, seat).body.as_mut().expect("a body").0 ^= 1 << bit;
        });
        flips.bits("a claim's tick", 32, move |engine, bit| held(engine, seat).claimed.0 ^= 1 << bit);
        for word in 0..state.bot_held.0.len() {
            flips.bits("what a bot held", 16, move |engine, bit| {
                held(engine, seat).bot_held.0[word] ^= 1 << bit;
            });
        }
        for at in 0..state.mind.avoided.len() {
            flips.bits("an avoided body", 32, move |engine, bit| {
                held(engine, seat).mind.avoided[at].0 ^= 1 << bit;
            });
        }
        for other in [Driver::Person, Driver::Bot, Driver::Ai].into_iter().filter(|d| *d != state.driver) {
            flips.one("a driver", move |engine| {
                let driver = &mut held(engine, seat).driver;
                *driver = if *driver == other { state.driver } else { other };
            });
        }
        match state.owner {
            Some(_) => flips.letters("an owner", &mut engine, move |engine| {
                held(engine, seat).owner.as_mut().expect("an owner")
            }),
            None => flips.one("whether a seat is owned", move |engine| {
                let owner = &mut held(engine, seat).owner;
                *owner = owner.is_none().then(String::new);
            }),
        }
    }
    flips.all_change(&mut engine);
}

#[test]
fn every_bit_of_timers_areas_questions_and_the_past_is_in_the_digest() {
    let (mut engine, mut flips) = (busy_engine(), Flips::default());
    assert!(!engine.timers.list.is_empty() && !engine.areas.list.is_empty() && !engine.asks.open.is_empty());
    for at in 0..engine.timers.list.len() {
        flips.bits("a timer", 32, move |engine, bit| engine.timers.list[at].id ^= 1 << bit);
        flips.bits("a due time", 64, move |engine, bit| engine.timers.list[at].due ^= 1 << bit);
        flips.letters("a timer's name", &mut engine, move |engine| &mut engine.timers.list[at].name);
        if engine.timers.list[at].body.is_some() {
            flips.bits("a timer's body", 32, move |engine, bit| {
                engine.timers.list[at].body.as_mut().expect("a body").0 ^= 1 << bit;
            });
        }
    }
    for at in 0..engine.areas.list.len() {
        flips.bits("an area", 32, move |engine, bit| engine.areas.list[at].id.0 ^= 1 << bit);
        flips.bits("an area's end", 64, move |engine, bit| engine.areas.list[at].ends ^= 1 << bit);
        flips.bits("a radius", 32, move |engine, bit| engine.areas.list[at].radius ^= 1 << bit);
        for axis in 0..3 {
            flips.bits("an area's place", 32, move |engine, bit| {
                engine.areas.list[at].at[axis] ^= 1 << bit;
            });
        }
        flips.letters("an area's name", &mut engine, move |engine| &mut engine.areas.list[at].name);
    }
    for id in engine.asks.open.keys().copied().collect::<Vec<_>>() {
        let ask = move |engine: &mut Engine, change: &dyn Fn(&mut roundtable::rules::minds::OpenAsk)| {
            change(engine.asks.open.get_mut(&id).expect("a question"));
        };
        flips.bits("a deadline", 64, move |engine, bit| ask(engine, &|ask| ask.deadline ^= 1 << bit));
        flips.bits("who is asked", 16, move |engine, bit| ask(engine, &|ask| ask.seat.0 ^= 1 << bit));
        flips.one("whether it is answered", move |engine| {
            ask(engine, &|ask| ask.answer = ask.answer.is_none().then(String::new));
        });
        flips.letters("a question", &mut engine, move |engine| {
            &mut engine.asks.open.get_mut(&id).expect("a question").question
        });
    }
    past_flips(&mut flips, &engine);
    flips.all_change(&mut engine);
}

fn past_flips(flips: &mut Flips, engine: &Engine) {
    let filled: Vec<usize> =
        (0..engine.history.slots.len()).filter(|i| engine.history.slots[*i].is_some()).collect();
    assert!(filled.len() > 10);
    for slot in filled {
        let count = engine.history.slots[slot].as_ref().map_or(0, |moment| moment.bodies.len());
        flips.bits("a tick of the past", 32, move |engine, bit| {
            engine.history.slots[slot].as_mut().expect("a moment").tick.0 ^= 1 << bit;
        });
        for at in 0..count {
            for axis in 0..3 {
                flips.bits("where a body was", 32, move |engine, bit| {
                    engine.history.slots[slot].as_mut().expect("a moment").bodies[at].at[axis] ^= 1 << bit;
                });
            }
            flips.bits("how a body was turned", 16, move |engine, bit| {
                engine.history.slots[slot].as_mut().expect("a moment").bodies[at].heading ^= 1 << bit;
            });
        }
    }
}
