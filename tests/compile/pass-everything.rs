//! Every attribute and every field type, with the arithmetic that rules are written in.
use roundtable::prelude::*;

#[derive(Choice, Clone, Copy, Default, PartialEq, Debug)]
pub enum Gear {
    #[default]
    Idle,
    FullSpeed,
}

#[derive(Choice, Clone, Copy, Default, PartialEq, Debug)]
pub enum Mood {
    Sad,
    #[default]
    SoSo,
    Glad,
}

#[derive(Action, Clone)]
pub enum Deed {
    Buy { count: Int<1, 9>, at: Vector<100, 10>, way: Angle, quick: bool, from: Option<BodyId> },
    Shout { r#loud: Real<0, 1, 100> },
}

#[derive(Input, Clone, Default)]
#[input(actions = Deed)]
pub struct Pad {
    r#move: Stick,
    aim: Aim,
    fire: Button,
    slot: Level<-3, 9>,
    gear: Gear,
}

#[derive(Kind, Clone, Default)]
#[kind(player, owner_moved, solid, rewind, radius = 0.6, speed = 8, turn = 3.2, look = "disc #4af")]
#[kind(label = "title", bar = "hp", upgrade, was = "captain", was = "skipper")]
pub struct Pilot {
    title: Text<16>,
    #[hud]
    hp: Int<0, 100>,
    #[score]
    #[durable]
    #[was("money", "coins")]
    gold: Int<0, 1_000_000_000>,
    fuel: Real<0, 50, 20>,
    home: Vector<200, 100>,
    way: Angle,
    mood: Mood,
    #[private]
    bag: List<Text<8>, 4>,
    rival: Option<SeatId>,
    target: Option<BodyId>,
    #[local]
    cooling: Int<0, 40>,
    armed: bool,
}

impl Pilot {
    fn upgrade(old: &OldFields, new: &mut Self) {
        new.gold.set(old.int("purse").unwrap_or(0));
    }
}

#[derive(Kind, Clone, Default)]
#[kind(shared)]
pub struct Harbour {
    #[durable]
    ships: Int<0, 99>,
}

pub struct Everything;
impl Rules for Everything {
    type Kinds = (Pilot, Harbour);
    type Input = Pad;
    const ROOM: Room = Room::lasting().characters().seats(8).map(Map::flat(40, 40));

    fn join(_: &mut World<Self>, _: &Seat) -> Entry<Self> {
        let hp = Int::of::<100>();
        Entry::new(Pilot { hp, fuel: Real::of::<50>(), mood: Mood::Glad, ..Pilot::default() }, Anywhere)
    }
}

impl Body<Everything> for Harbour {}
impl Body<Everything> for Pilot {
    fn steer(&self, m: &mut Motion, pad: &Pad, map: &Map) {
        let fast = if pad.gear == Gear::FullSpeed && pad.slot > 2 { 2.0 } else { 1.0 };
        m.slide(pad.r#move * (fast * self.fuel), map);
    }
    fn tick(&mut self, me: &Me, w: &mut World<Everything>) {
        let pad = w.input(me).clone();
        self.cooling -= 1;
        self.fuel -= 0.05 * f64::from(self.hp);
        self.fuel *= 0.99;
        self.hp = (self.hp - 3).into();
        self.hp += w.random_below(3);
        self.gold += self.hp;
        self.gold *= 2;
        if pad.fire.pressed() && self.cooling == 0 && self.fuel > 0.5 && self.hp + self.gold > 10 && 3 < self.hp {
            self.cooling = 8.into();
            self.home = me.at.into();
            self.home += self.way.way() * 0.5;
            self.way += self.home.distance(me.at);
            self.title = format!("{} of {}", self.mood.name(), self.gold).into();
        }
        if self.title == "pirate" || self.title.len() > 12 {
            self.title.set("captain");
        }
        if !self.bag.push("rope".into()) {
            self.bag.remove(0);
        }
        self.armed = self.bag.iter().any(|thing| *thing == "gun");
        self.rival = me.seat;
        self.target = Some(me.id);
        self.mood = Mood::ALL[(self.gold % 3) as usize];
    }
}

fn main() {
    let _ = roundtable::rules::adapter::game::<Everything>();
    assert_eq!(Mood::NAMES, ["sad", "so-so", "glad"]);
    assert_eq!(Mood::default(), Mood::SoSo);
}
