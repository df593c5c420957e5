//! What a room shows and gives out: handlers as observed, snapshots, outputs, and where bodies were.

use roundtable::prelude::*;
use roundtable::rules::face::Given;
use roundtable::rules::motion::to_steps;
use roundtable::rules::schema::runs;
use roundtable::test::Play;

use crate::kitchen::{Board, Cook, Deed, Kitchen, Pan, hush};

fn everything(ends: i32) -> Deed {
    Deed::Everything { ends: ends.into(), word: "soup".into() }
}

/// B19: each handler that runs is told of, in order, with its kind, its error and its fuel; also what answers were made
/// of questions. Off until asked for.
#[test]
fn handlers_are_observed() {
    hush();
    let mut play = Play::<Kitchen>::seeded(1);
    let ada = play.join("Ada");
    assert_eq!(play.trace(), Vec::<String>::new(), "nobody asked");
    play.observe();
    for pan in play.all::<Pan>() {
        play.world(|w| w.despawn(pan.id));
    }
    play.run(1);
    assert_eq!(play.trace(), ["cook.tick", "tick"]);
    assert!(play.act(ada, everything(1)).is_err());
    assert_eq!(play.trace(), ["cook.act: a pan on the head", "cook.tick", "tick"]);
    assert!(play.given.runs.iter().all(|run| run.units >= 5), "each costs something");
    assert!(play.act(ada, everything(4)).is_err());
    assert_eq!(play.trace(), ["cook.act", "cook.tick", "tick"], "to refuse is no error");
    let bot = play.join_bot("Bot");
    assert_eq!(play.trace(), ["join", "pan.spawn", "cook.spawn"]);
    play.world(|w| w.effect("made here", Vec2::ZERO));
    play.leave(bot);
    assert_eq!(play.trace(), ["cook.leave", "leave"]);
}

/// B19: a note says handler, what was done, the field, and what was written, for each field that did not fit.
#[test]
fn what_did_not_fit_is_noted() {
    let mut play = Play::<Kitchen>::seeded(1);
    let ada = play.join("Ada");
    assert_eq!(play.act(ada, everything(0)), Ok(()));
    let noted = |field: &str| {
        let note = play.given.notes.iter().find(|note| note.field == field).expect("a note");
        (note.handler.as_str(), note.what, note.written.as_str())
    };
    assert_eq!(noted("hp"), ("cook.act", "clamped", "-1000"));
    let mut other = play.restored();
    let bob = other.join("Bob");
    other.act(bob, everything(0)).expect("it does all");
    let heat = other.given.notes.iter().find(|note| note.field == "heat").expect("a note");
    assert_eq!((heat.handler.as_str(), heat.what, heat.written.as_str()), ("cook.edit", "clamped", "inf"));
    assert_eq!(other.given.notes_count as usize, other.given.notes.len());
}

/// B22: the round, every body by rising id with its seat, pose and fields, and areas; the map is the schema's, once.
#[test]
fn a_snapshot_has_the_round_and_every_body() {
    let mut play = Play::<Kitchen>::seeded(1);
    let ada = play.join("Ada");
    play.put(ada, (2.0, -3.0));
    play.set::<Cook>(ada, |cook| cook.hp = 42.into());
    play.world(|w| w.area("steam", Vec2::new(1.0, 1.0), 2.0, 60));
    let snapshot = play.snapshot();
    assert!(snapshot.bodies.windows(2).all(|two| two[0].id < two[1].id));
    assert_eq!(snapshot.bodies.len(), 1 + play.all::<Pan>().len());
    let row = snapshot.bodies.iter().find(|row| row.seat == Some(ada)).expect("its body");
    assert_eq!((row.id, row.at), (play.id(ada), [to_steps(2.0), to_steps(-3.0), 0]));
    let schema = roundtable::rules::adapter::game::<Kitchen>().schema();
    let fields = schema.kinds[usize::from(row.kind)].fields;
    let hp = runs(fields, snapshot.words(row)).find(|(field, _)| field.name == "hp").expect("a field");
    assert_eq!(hp.1, [42]);
    let area = &snapshot.areas[0];
    assert_eq!(
        (area.name.as_str(), area.radius, area.ends_at.map(|tick| tick.0)),
        ("steam", 1_024, Some(60))
    );
    let round = play.sim().round();
    assert_eq!((round.number, round.live, round.ends_at.map(|tick| tick.0)), (1, true, Some(120)));
    play.run(60);
    assert!(play.snapshot().areas.is_empty() && play.given.areas_changed);
}

/// B23: rounds, effects, answers, questions, records, journeys, areas and failures are given out once.
#[test]
fn what_a_step_gives_out_is_taken_once() {
    hush();
    let mut play = Play::<Kitchen>::seeded(1);
    let mind = play.join_ai("Mind");
    play.act(mind, everything(0)).expect("it does all");
    let given = &play.given;
    assert_eq!((given.records.len(), given.travels.len(), given.asks.len()), (1, 1, 1));
    assert_eq!((given.done.len(), given.areas_changed), (1, true));
    assert!(play.effects().contains(&"all"));
    assert_eq!(play.sim().drain(), Given::default(), "it is taken");
    let made = play.shared::<Board>().made;
    assert!(play.act(mind, everything(2)).is_err());
    assert_eq!((play.given.faults_count, play.given.records.len()), (1, 0));
    assert_eq!(play.shared::<Board>().made, made);
    play.act(mind, Deed::EndRound).expect("the end");
    play.run(1);
    assert!(play.given.round_changed && !play.given.restarted);
    play.run(20);
    assert!(play.given.round_changed && play.given.restarted);
}

/// Shots at where a target was.
struct Range;

#[derive(Action, Clone)]
enum Shot {
    At { spot: Vector<50, 256> },
}

#[derive(Input, Clone, Default)]
#[input(actions = Shot)]
struct Trigger {
    go: Stick,
}

#[derive(Kind, Clone, Default)]
#[kind(player, radius = 0.3, rewind)]
struct Runner {
    hits: Int<0, 1_000>,
}

impl Rules for Range {
    type Kinds = (Runner,);
    type Input = Trigger;
    const ROOM: Room = Room::rounds(0).map(Map::flat(90, 90));
    fn join(_: &mut World<Self>, _: &Seat) -> Entry<Self> {
        Entry::new(Runner::default(), At(Vec2::ZERO))
    }
}

impl Body<Range> for Runner {
    fn steer(&self, motion: &mut Motion, trigger: &Trigger, map: &Map) {
        motion.slide(trigger.go * 8.0, map);
    }
    fn act(&mut self, me: &Me, shot: Shot, w: &mut World<Range>) -> Result<(), Refusal> {
        let Shot::At { spot } = shot;
        let hit = w.past(me).near::<Runner>(spot.get(), 0.1).into_iter().find(|other| other.id != me.id);
        self.hits += 1;
        hit.map(|_| ()).ok_or_else(|| "missed".into())
    }
}

/// F21: a shot at where its target was so many ticks ago hits, one tick more or fewer misses, and nobody reaches back
/// farther than the room remembers.
#[test]
fn rewind_is_exact_to_the_tick() {
    let mut play = Play::<Range>::seeded(1);
    let (ada, bob) = (play.join("Ada"), play.join("Bob"));
    play.put(ada, (0.0, -40.0));
    play.hold(bob, Trigger { go: Vec2::new(1.0, 0.0) });
    let mut was = Vec::new();
    for _ in 0..30 {
        play.run(1);
        was.push(play.at(bob));
    }
    for ticks in 1..=20 {
        for (aimed, hits) in [(ticks - 1, false), (ticks, true), (ticks + 1, false)] {
            let mut room = play.restored();
            room.sees(ada, ticks);
            // The shot is in the next tick, so what was seen one tick ago is the newest of these.
            let Some(spot) = was.iter().rev().nth(usize::from(aimed).wrapping_sub(1)).copied() else {
                continue;
            };
            let result = room.act(ada, Shot::At { spot: spot.into() });
            assert_eq!(result.is_ok(), hits, "{ticks} ticks ago, aimed at {aimed}");
        }
    }
    for ticks in [21, 30, u16::MAX] {
        let mut room = play.restored();
        room.sees(ada, ticks);
        for spot in &was {
            let shot = room.restored().act(ada, Shot::At { spot: (*spot).into() });
            assert!(shot.is_err(), "{ticks} ticks ago is forgotten");
        }
    }
}
