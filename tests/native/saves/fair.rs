//! Fair: a game that has some of everything a save can hold, and a room of it in which something is going on.

use roundtable::prelude::*;
use roundtable::rules::adapter::game;
use roundtable::rules::cut::Cut;
use roundtable::rules::face::{Moment, SeatInfo, SeatInput, Sim};
use roundtable::rules::ids;
use roundtable::rules::input::{Controls, stick_words};

#[derive(Input, Clone, Default)]
pub struct Pad {
    r#move: Stick,
}

#[derive(Choice, Clone, Copy, Debug, Default, PartialEq)]
pub enum Mood {
    #[default]
    Calm,
    Merry,
    Cross,
}

#[derive(Kind, Clone, Default)]
#[kind(player, radius = 0.5, rewind)]
pub struct Guest {
    #[score]
    #[durable]
    coins: Int<-5, 5_000>,
    weight: Real<-10, 10, 100>,
    glad: bool,
    aim: Vector<20, 64>,
    facing: Angle,
    mood: Mood,
    #[private]
    motto: Text<12>,
    friend: Option<SeatId>,
    toy: Option<BodyId>,
    bag: List<Int<0, 9>, 6>,
    words: List<Text<4>, 3>,
}

#[derive(Kind, Clone, Default)]
#[kind(radius = 0.4)]
pub struct Ball {
    bounces: Int<0, 1_000>,
}

#[derive(Kind, Clone, Default)]
#[kind(shared)]
pub struct Till {
    #[durable]
    sum: Int<0, 1_000_000>,
}

pub struct Fair;

impl Rules for Fair {
    type Kinds = (Guest, Ball, Till);
    type Input = Pad;
    const ROOM: Room = Room::rounds(20).breaks(2).seats(8).map(Map::flat(16, 16));

    fn open(w: &mut World<Self>) {
        w.after(1_000, "evening");
        w.area("tent", Vec2::ZERO, 3.0, 2_000);
        w.scatter(12, Ball::default());
    }

    fn join(_: &mut World<Self>, seat: &Seat) -> Entry<Self> {
        let guest = Guest { motto: seat.name.as_str().into(), friend: Some(seat.seat), ..Guest::default() };
        Entry::new(guest, Anywhere)
    }
}

impl Body<Fair> for Till {}

impl Body<Fair> for Ball {
    fn spawn(&mut self, me: &Me, w: &mut World<Fair>) {
        w.after_me(me, 900, "roll");
    }
}

impl Body<Fair> for Guest {
    fn spawn(&mut self, me: &Me, w: &mut World<Fair>) {
        w.ask(me, "which way?", 600);
        w.set_goal(me, "a ball");
    }

    fn steer(&self, motion: &mut Motion, pad: &Pad, map: &Map) {
        motion.slide(pad.r#move * 5.0, map);
    }

    fn tick(&mut self, me: &Me, w: &mut World<Fair>) {
        self.weight += w.random() - 0.5;
        self.aim = (me.at * 0.5).into();
        self.mood = if self.glad { Mood::Merry } else { Mood::Cross };
    }

    fn touch(&mut self, me: &Me, other: &Other, w: &mut World<Fair>) {
        self.toy = Some(other.id);
        self.glad = !self.glad;
        self.coins += 1;
        let _ = self.bag.push(7.into());
        let _ = self.words.push("ah".into());
        w.avoid(me, other.id);
        w.edit::<Ball>(other.id, |ball| ball.bounces += 1);
        w.share::<Till>(|till| till.sum += 1);
    }
}

/// Six at the fair, of every driver, after three seconds.
pub fn busy_room() -> Box<dyn Sim> {
    let mut sim = game::<Fair>().create(11, 0);
    let drivers = [Driver::Person, Driver::Ai, Driver::Bot];
    for seat in 0..6 {
        let owner = (seat % 2 == 0).then(|| format!("account-{seat}"));
        let driver = drivers[usize::from(seat) % 3];
        let name = format!("guest {seat}");
        sim.join(&SeatInfo { seat: ids::Seat(seat), name, driver, owner, character: None }, 0);
    }
    run(sim.as_mut(), 60);
    sim
}

pub fn run(sim: &mut dyn Sim, ticks: u32) {
    for _ in 0..ticks {
        let turn = f64::from(sim.tick().0) * 0.05;
        let inputs: Vec<SeatInput> = (0..8).map(|seat| push(seat, turn + f64::from(seat))).collect();
        sim.step(&Moment { now_ms: 0, inputs: &inputs, actions: &[] }).expect("the simulation goes on");
        sim.drain();
    }
}

fn push(seat: u16, turn: f64) -> SeatInput {
    let mut held = Controls::default();
    held.0[..2].copy_from_slice(&stick_words(Vec2::new(libm::cos(turn), libm::sin(turn))));
    SeatInput { seat: ids::Seat(seat), held, ..SeatInput::default() }
}

pub fn cut_of(sim: &dyn Sim) -> Cut {
    let mut cut = Cut::default();
    sim.cut(&mut cut);
    cut
}

pub fn save_of(cut: &Cut) -> Vec<u8> {
    cut.difference(&Cut::default())
}
