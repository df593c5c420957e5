//! Small games made for tests, and what every room's values are held against.

use roundtable::prelude::*;
use roundtable::rules::face::{BodyRow, Sim, Snapshot};
use roundtable::rules::motion::to_space;
use roundtable::rules::schema::{FieldType, Schema, runs};

pub fn snapshot(sim: &dyn Sim) -> Snapshot {
    let mut snapshot = Snapshot::default();
    sim.snapshot(&mut snapshot);
    snapshot
}

/// Fails when a field lies out of its bounds, or a body off the map.
pub fn check_bounds(schema: &Schema, snapshot: &Snapshot) {
    for row in &snapshot.bodies {
        check_body(schema, row, snapshot.words(row));
    }
    let mut words = &snapshot.shared[..];
    for kind in schema.kinds.iter().filter(|kind| kind.shared) {
        for (field, run) in runs(kind.fields, words) {
            check_run(&format!("{}.{}", kind.name, field.name), field.ty, run);
            words = &words[run.len()..];
        }
    }
    assert!(words.is_empty(), "words left over: {words:?}");
}

fn check_body(schema: &Schema, row: &BodyRow, words: &[i32]) {
    let kind = &schema.kinds[usize::from(row.kind)];
    let fields: Vec<_> = runs(kind.fields, words).collect();
    assert_eq!(fields.len(), kind.fields.len(), "{} lacks words", kind.name);
    for (field, run) in fields {
        check_run(&format!("{}.{}", kind.name, field.name), field.ty, run);
    }
    let at = to_space(row.at);
    assert_eq!(schema.room.map.within3(at, 0.0), at, "a {} is off the map", kind.name);
}

/// Fails when a word of a value lies out of its bounds.
pub fn check_run(name: &str, ty: FieldType, run: &[i32]) {
    let (min, max) = ty.bounds();
    match ty {
        FieldType::List { of, .. } => {
            assert!((min..=max).contains(&run[0]), "{name} has {} values", run[0]);
            let mut rest = &run[1..];
            while !rest.is_empty() {
                let (one, tail) = rest.split_at(of.run(rest).expect("a value"));
                check_run(name, *of, one);
                rest = tail;
            }
        }
        FieldType::Text { .. } => assert!((min..=max).contains(&run[0]), "{name} has {} characters", run[0]),
        _ => assert!(run.iter().all(|word| (min..=max).contains(word)), "{name} = {run:?}"),
    }
}

/// Gathers: touch takes a gem, makes another; `cheat` does everything wrong that a handler can do.
pub struct Gather;

#[derive(Input, Clone, Default)]
pub struct GatherPad {
    pub go: Stick,
    pub cheat: Button,
}

#[derive(Kind, Clone, Default)]
#[kind(player, radius = 0.5)]
pub struct Gatherer {
    #[score]
    #[durable]
    pub gems: Int<0, 50>,
    pub mood: Real<-1, 1, 100>,
    pub happy: bool,
}

#[derive(Kind, Clone, Default)]
#[kind(radius = 0.4, look = "star gold")]
pub struct Gem;

#[derive(Kind, Clone, Default)]
#[kind(shared)]
pub struct Bank {
    pub taken: Int<0, 1_000>,
}

impl Rules for Gather {
    type Kinds = (Gatherer, Gem, Bank);
    type Input = GatherPad;
    const ROOM: Room = Room::rounds(20).breaks(2).seats(8).map(Map::flat(16, 16));

    fn round_start(w: &mut World<Self>) {
        w.scatter(20, Gem);
    }

    fn join(_: &mut World<Self>, seat: &Seat) -> Entry<Self> {
        assert!(seat.name != "player 7", "seat 7 is cursed");
        Entry::new(Gatherer { mood: 7.0.into(), ..Gatherer::default() }, Anywhere)
    }
}

impl Body<Gather> for Gem {}
impl Body<Gather> for Bank {}

impl Body<Gather> for Gatherer {
    fn steer(&self, motion: &mut Motion, pad: &GatherPad, map: &Map) {
        motion.slide(pad.go * 5.0, map);
    }

    fn tick(&mut self, me: &Me, w: &mut World<Gather>) {
        if !w.input(me).cheat.down() {
            return;
        }
        self.gems += 40;
        self.mood = f64::NAN.into();
        let near: Vec<Other> = w.near::<Gem>(me.at, 50.0);
        for gem in near {
            w.take::<Gem>(gem.id);
        }
        w.spawn(Gem, Anywhere);
        w.put(me.id, At(Vec2::ZERO));
        w.effect("smoke", me.at);
        w.random();
        w.end_round();
        w.share::<Bank>(|bank| bank.taken += 500);
        panic!("caught cheating");
    }

    fn touch(&mut self, _: &Me, other: &Other, w: &mut World<Gather>) {
        if w.take::<Gem>(other.id).is_some() {
            self.gems += 1;
            self.mood += 0.13;
            self.happy = !self.happy;
            w.effect("chime", other.at);
            w.share::<Bank>(|bank| bank.taken += 1);
            w.spawn(Gem, Anywhere);
        }
    }
}
