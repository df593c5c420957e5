//! Kitchen: a game made for tests that uses everything a rule can, and fails in every way one can.

use roundtable::prelude::*;

#[derive(Choice, Clone, Copy, Default, PartialEq, Debug)]
pub enum Mood {
    #[default]
    Calm,
    Busy,
    Mad,
}

#[derive(Action, Clone, Debug)]
pub enum Deed {
    /// All that a handler can do, `ends` saying how: 0 well, 1 by panic, 2 by `fail`, 3 out of fuel, 4 by refusing.
    Everything {
        ends: Int<0, 4>,
        word: Text<12>,
    },
    Say {
        mood: Mood,
        to: Option<SeatId>,
        spots: List<Int<0, 9>, 4>,
    },
    /// Makes bodies until the fuel is used up.
    Flood,
    Restart,
    EndRound,
}

#[derive(Input, Clone, Default)]
#[input(actions = Deed)]
pub struct Pad {
    pub go: Stick,
    pub aim: Aim,
    pub stir: Button,
    pub heat: Level<-2, 5>,
    pub mood: Mood,
}

#[derive(Kind, Clone, Default, PartialEq, Debug)]
#[kind(player, radius = 0.5, speed = 8.0, turn = 6.0, solid, rewind, bar = "hp", label = "word")]
pub struct Cook {
    pub hp: Int<-5, 100>,
    #[durable]
    #[score]
    pub stars: Int<0, 50>,
    pub heat: Real<-1, 1, 100>,
    pub pull: Vector<3, 16>,
    pub eyes: Angle,
    pub mood: Mood,
    #[private]
    #[hud]
    pub word: Text<12>,
    #[local]
    pub spots: List<Int<0, 9>, 4>,
    pub friend: Option<SeatId>,
    pub pan: Option<BodyId>,
    pub proud: bool,
}

/// Moved by its own client.
#[derive(Kind, Clone, Default)]
#[kind(player, radius = 0.4, speed = 6.0, owner_moved)]
pub struct Waiter {
    pub claims: Int<0, 1_000_000>,
}

#[derive(Kind, Clone, Default)]
#[kind(radius = 0.3, solid)]
pub struct Pan {
    pub age: Int<0, 60>,
}

#[derive(Kind, Clone, Default)]
#[kind(shared)]
pub struct Board {
    #[durable]
    pub made: Int<0, 1_000_000>,
    pub text: Text<20>,
    pub open: bool,
}

pub struct Kitchen;

/// Panics that this game makes on purpose are not printed; there are thousands of them.
pub fn hush() {
    static HUSHED: std::sync::Once = std::sync::Once::new();
    HUSHED.call_once(|| {
        let print = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if info.location().is_none_or(|at| at.file() != file!()) {
                print(info);
            }
        }));
    });
}

impl Rules for Kitchen {
    type Kinds = (Cook, Waiter, Pan, Board);
    type Input = Pad;
    const ROOM: Room = Room::rounds(6)
        .breaks(1)
        .seats(8)
        .map(Map::flat(24, 18).shapes(&[Shape::disc(4.0, 3.0, 1.0), Shape::block(-5.0, 0.0, 2.0, 5.0)]));

    fn open(w: &mut World<Self>) {
        w.scatter(4, Pan::default());
    }
    fn resume(w: &mut World<Self>, away_ms: u64) {
        w.share::<Board>(|board| board.text = format!("away {away_ms}").as_str().into());
    }
    fn join(w: &mut World<Self>, seat: &Seat) -> Entry<Self> {
        assert!(!seat.name.contains("cursed"), "the cursed may not cook");
        if seat.name.contains("waiter") {
            return Entry::new(Waiter::default(), Anywhere);
        }
        let pan = w.spawn(Pan::default(), Anywhere);
        let stars = seat.character::<Cook>().map_or(0.into(), |cook| cook.stars);
        Entry::new(Cook { hp: 200.into(), stars, pan, ..Cook::default() }, Anywhere)
    }
    fn leave(w: &mut World<Self>, _: &Seat) {
        w.share::<Board>(|board| board.open = !board.open);
    }
    fn tick(w: &mut World<Self>) {
        if w.random_below(40) == 0 {
            w.after(7, "bell");
        }
    }
    fn timer(w: &mut World<Self>, name: &str) {
        w.share::<Board>(|board| board.text = name.into());
        w.spawn(Pan::default(), Anywhere);
    }
    fn round_start(w: &mut World<Self>) {
        w.scatter(3, Pan::default());
    }
    fn round_end(w: &mut World<Self>) {
        w.share::<Board>(|board| board.text = "over".into());
    }
}

impl Body<Kitchen> for Board {}

impl Body<Kitchen> for Waiter {
    fn tick(&mut self, _: &Me, _: &mut World<Kitchen>) {
        self.claims += 1;
    }
}

impl Body<Kitchen> for Pan {
    fn spawn(&mut self, me: &Me, w: &mut World<Kitchen>) {
        w.share::<Board>(|board| board.made += 1);
        w.after_me(me, 20, "cool");
    }
    fn tick(&mut self, me: &Me, w: &mut World<Kitchen>) {
        self.age += 1;
        if self.age >= 60 {
            w.despawn(me.id);
        }
    }
    fn timer(&mut self, me: &Me, _: &str, w: &mut World<Kitchen>) {
        if w.count::<Pan>() < 12 {
            w.spawn(Pan::default(), Around(me.at, 3.0));
        }
    }
}

impl Body<Kitchen> for Cook {
    fn steer(&self, motion: &mut Motion, pad: &Pad, map: &Map) {
        motion.slide(pad.go * 9.0, map);
        motion.face(pad.aim.0);
    }
    fn spawn(&mut self, me: &Me, w: &mut World<Kitchen>) {
        w.effect("hello", me.at);
    }
    fn tick(&mut self, me: &Me, w: &mut World<Kitchen>) {
        let pad = w.input(me);
        self.heat += f64::from(pad.heat.get()) * 0.013;
        self.mood = pad.mood;
        self.eyes = pad.aim.0.into();
        self.pull = (me.velocity * 0.7).into();
        if pad.stir.pressed() {
            self.hp -= 7;
            w.ask(me, "what now?", 10);
            w.area("steam", me.at, 1.5, 15);
        }
        self.proud = !w.past(me).near::<Cook>(me.at, 2.0).is_empty();
    }
    fn touch(&mut self, _: &Me, other: &Other, w: &mut World<Kitchen>) {
        if w.take::<Pan>(other.id).is_some() {
            self.stars += 1;
            self.pan = Some(other.id);
            let _ = self.spots.push((i32::try_from(other.id.0).unwrap_or(0) % 12).into());
            w.effect("clang", other.at);
        }
    }
    fn act(&mut self, me: &Me, deed: Deed, w: &mut World<Kitchen>) -> Result<(), Refusal> {
        match deed {
            Deed::Everything { ends, word } => {
                self.word = word;
                self.hp.set(-1_000);
                everything(me, w);
                match ends.get() {
                    1 => panic!("a pan on the head"),
                    2 => w.fail("nothing is ready"),
                    3 => loop {
                        w.random();
                    },
                    4 => return Err("not in my kitchen".into()),
                    _ => {}
                }
            }
            Deed::Say { mood, to, spots } => (self.mood, self.friend, self.spots) = (mood, to, spots),
            Deed::Flood => loop {
                w.spawn(Pan::default(), At(Vec2::ZERO));
            },
            Deed::Restart => w.restart(),
            Deed::EndRound => w.end_round(),
        }
        Ok(())
    }
    fn leave(&mut self, me: &Me, w: &mut World<Kitchen>) {
        self.word = "bye".into();
        w.effect("bye", me.at);
    }
    fn answer(&mut self, me: &Me, answer: &Answer, w: &mut World<Kitchen>) {
        self.word = answer.text.as_str().into();
        w.set_goal(me, if answer.from_floor { "floor" } else { &answer.text });
    }
    fn bot(&self, me: &Me, w: &World<Kitchen>, dice: &mut Rng) -> Pad {
        let pan = w.nearest::<Pan>(me.at, 30.0, 1).first().copied();
        let way = pan.map_or(Vec2::ZERO, |pan| (pan.at - me.at).unit());
        let stir = if dice.below(5) == 0 { Button::DOWN } else { Button::default() };
        Pad { go: way, aim: Aim(way.angle()), stir, ..Pad::default() }
    }
    fn floor(&self, me: &Me, question: &str, _: &World<Kitchen>) -> String {
        format!("{} at {:.0}?", question.len(), me.at.x)
    }
}

/// One of each call that changes something.
fn everything(me: &Me, w: &mut World<Kitchen>) {
    let pans = w.all::<Pan>();
    if let [first, second, ..] = pans.as_slice() {
        w.take::<Pan>(first.id);
        w.edit::<Pan>(second.id, |pan| pan.age += 5);
        w.despawn(second.id);
    }
    for id in w.all::<Cook>().iter().map(|cook| cook.id) {
        w.edit::<Cook>(id, |cook| cook.heat = f64::INFINITY.into());
        w.put(id, Around(me.at, 4.0));
        w.send(id, Vec2::new(1.0, -1.0));
        w.turn(id, 1.0);
    }
    w.scatter(2, Pan::default());
    w.share::<Board>(|board| board.made += 10);
    w.effect("all", me.at);
    let area = w.area("all", me.at, 2.0, 30);
    w.area("more", me.at, 1.0, 30);
    area.map(|area| w.end_area(area));
    w.after(3, "all");
    w.after_me(me, 4, "all");
    w.cancel("bell");
    w.ask(me, "all?", 5);
    w.set_goal(me, "everything");
    w.avoid(me, me.id);
    w.record("owner", "key", "value");
    w.travel(me, "elsewhere");
    let mut list = [1, 2, 3, 4];
    w.shuffle(&mut list);
    w.random_below(6);
}
