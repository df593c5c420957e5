//! Small games made for tests, and a room to run them in.

use roundtable::prelude::*;
use roundtable::rules::adapter::game;
use roundtable::rules::cut::Cut;
use roundtable::rules::face::{BodyRow, Game, Given, Moment, SeatInfo, SeatInput, Sim, Snapshot};
use roundtable::rules::ids;
use roundtable::rules::input::{Controls, newly_down, stick_words};
use roundtable::rules::schema::{ControlSpec, FieldType, runs};

/// A room of any game, with seats whose controls are held from tick to tick.
pub struct Play {
    game: &'static dyn Game,
    pub sim: Box<dyn Sim>,
    controls: Vec<ControlSpec>,
    held: Vec<(ids::Seat, Controls, Controls)>,
}

impl Play {
    pub fn new<R: Rules>(seed: u64) -> Play {
        let game = game::<R>();
        Play { game, sim: game.create(seed, 0), controls: game.schema().controls, held: Vec::new() }
    }

    pub fn join(&mut self, seat: u16) {
        let name = format!("player {seat}");
        self.sim.join(&SeatInfo { seat: ids::Seat(seat), name, ..SeatInfo::default() }, 0);
        self.held.push((ids::Seat(seat), Controls::default(), Controls::default()));
    }

    pub fn leave(&mut self, seat: u16) {
        self.sim.leave(ids::Seat(seat), 0);
        self.held.retain(|(s, ..)| s.0 != seat);
    }

    /// Holds words from the next tick on.
    pub fn hold(&mut self, seat: u16, controls: Controls) {
        for (s, _, now) in &mut self.held {
            if s.0 == seat {
                *now = controls;
            }
        }
    }

    /// Holds a stick (the first control) and a button (the second).
    pub fn push(&mut self, seat: u16, x: f64, y: f64, button: bool) {
        let [x, y] = stick_words(Vec2::new(x, y));
        let mut controls = Controls::default();
        controls.0[..3].copy_from_slice(&[x, y, i16::from(button)]);
        self.hold(seat, controls);
    }

    pub fn tick(&mut self) -> Given {
        let inputs: Vec<SeatInput> = (self.held.iter())
            .map(|(seat, before, now)| SeatInput {
                seat: *seat,
                held: *now,
                pressed: newly_down(&self.controls, before, now),
                ..SeatInput::default()
            })
            .collect();
        for (_, before, now) in &mut self.held {
            *before = *now;
        }
        self.sim.step(&Moment { inputs: &inputs, ..Moment::default() }).expect("the simulation goes on");
        self.sim.drain()
    }

    pub fn ticks(&mut self, count: u32) {
        for _ in 0..count {
            self.tick();
        }
    }

    pub fn snapshot(&self) -> Snapshot {
        let mut snapshot = Snapshot::default();
        self.sim.snapshot(&mut snapshot);
        snapshot
    }

    pub fn cut(&self) -> Cut {
        let mut cut = Cut::default();
        self.sim.cut(&mut cut);
        cut
    }

    /// The same room, restored from a cut of this one.
    pub fn restored(&self) -> Play {
        let sim = self.game.restore(&self.cut()).expect("what a room saved, it restores");
        Play { game: self.game, sim, controls: self.controls.clone(), held: self.held.clone() }
    }

    /// A field of the body of a seat.
    pub fn field(&self, seat: u16, name: &str) -> i32 {
        let snapshot = self.snapshot();
        let row = body_of(&snapshot, seat);
        let fields = self.game.schema().kinds[usize::from(row.kind)].fields;
        let index = fields.iter().position(|field| field.name == name).expect("the kind has the field");
        snapshot.values[row.fields_at as usize + index]
    }

    /// Where the body of a seat is, metres.
    pub fn at(&self, seat: u16) -> Vec2 {
        let snapshot = self.snapshot();
        let row = body_of(&snapshot, seat);
        roundtable::rules::motion::to_metres(row.at)
    }

    /// Fails when a field lies out of its bounds, or a body off the map.
    pub fn check_bounds(&self) {
        let schema = self.game.schema();
        let snapshot = self.snapshot();
        for row in &snapshot.bodies {
            let kind = &schema.kinds[usize::from(row.kind)];
            for (field, run) in runs(kind.fields, snapshot.words(row)) {
                check_run(&format!("{}.{}", kind.name, field.name), field.ty, run);
            }
            let at = roundtable::rules::motion::to_metres(row.at);
            assert_eq!(schema.room.map.within(at, 0.0), at, "off the map");
        }
    }
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

fn body_of(snapshot: &Snapshot, seat: u16) -> &BodyRow {
    let body = snapshot.bodies.iter().find(|row| row.seat == Some(ids::Seat(seat)));
    body.expect("the seat has a body")
}

/// Gathers: touch takes a gem, makes another; `cheat` does everything wrong that a handler can do.
pub struct Gather;

#[derive(Input, Clone, Default)]
pub struct GatherPad {
    go: Stick,
    cheat: Button,
}

#[derive(Kind, Clone, Default)]
#[kind(player, radius = 0.5)]
pub struct Gatherer {
    #[score]
    #[durable]
    gems: Int<0, 50>,
    mood: Real<-1, 1, 100>,
    happy: bool,
}

#[derive(Kind, Clone, Default)]
#[kind(radius = 0.4, look = "star gold")]
pub struct Gem;

#[derive(Kind, Clone, Default)]
#[kind(shared)]
pub struct Bank {
    taken: Int<0, 1_000>,
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
