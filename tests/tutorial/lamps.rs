//! Fireflies with what section 4 of docs/write-a-game.md adds to it: a gust, a catcher that is dazzled, lamps.

use roundtable::prelude::*;
use roundtable::test::Play;

#[derive(Input, Clone, Default)]
#[input(actions = Deed)]
pub struct Pad {
    pub go: Stick,
}

#[derive(Action, Clone)]
pub enum Deed {
    Light { metres: Int<1, 5> },
}

#[derive(Kind, Clone, Default)]
#[kind(player, radius = 0.5, look = "disc #4af")]
pub struct Catcher {
    #[score]
    #[hud]
    pub caught: Int<0, 999>,
    pub dazzled: bool,
}

#[derive(Kind, Clone, Default)]
#[kind(radius = 0.3, look = "star #ffe066")]
pub struct Firefly;

pub struct Fireflies;

impl Rules for Fireflies {
    type Kinds = (Catcher, Firefly);
    type Input = Pad;
    const ROOM: Room = Room::rounds(90)
        .seats(8)
        .map(Map::flat(30, 20))
        .effects(&[("caught", "burst #ffe066 sound:chime"), ("lamp", "smoke #ffb000")]);

    fn round_start(w: &mut World<Self>) {
        w.scatter(12, Firefly);
        w.after(w.seconds(5.0), "gust");
    }

    fn join(_: &mut World<Self>, _: &Seat) -> Entry<Self> {
        Entry::new(Catcher::default(), Anywhere)
    }

    fn timer(w: &mut World<Self>, name: &str) {
        if name == "gust" {
            for firefly in w.all::<Firefly>() {
                w.put(firefly.id, Anywhere);
            }
            w.after(w.seconds(5.0), "gust");
        }
    }
}

impl Body<Fireflies> for Firefly {
    fn steer(&self, motion: &mut Motion, _: &Pad, map: &Map) {
        motion.slide(Vec2::at_angle(motion.heading + 0.2) * 1.5, map);
    }
}

impl Body<Fireflies> for Catcher {
    fn steer(&self, motion: &mut Motion, pad: &Pad, map: &Map) {
        let speed = if self.dazzled { 2.0 } else { 6.0 };
        motion.slide(pad.go * speed, map);
    }

    fn touch(&mut self, me: &Me, other: &Other, w: &mut World<Fireflies>) {
        if w.take::<Firefly>(other.id).is_some() {
            let lit = w.areas_at(other.at).iter().any(|area| area.name == "lamp");
            self.caught += if lit { 2 } else { 1 };
            self.dazzled = true;
            w.cancel_for(me.id, "sees");
            w.after_me(me, w.seconds(0.5), "sees");
            w.effect("caught", other.at);
            w.spawn(Firefly, Anywhere);
        }
    }

    fn timer(&mut self, _: &Me, name: &str, _: &mut World<Fireflies>) {
        if name == "sees" {
            self.dazzled = false;
        }
    }

    fn act(&mut self, me: &Me, deed: Deed, w: &mut World<Fireflies>) -> Result<(), Refusal> {
        match deed {
            Deed::Light { metres } => {
                if self.caught < metres {
                    return Err("catch more first".into());
                }
                self.caught -= metres;
                w.area("lamp", me.at, metres.get().into(), w.seconds(4.0));
                Ok(())
            }
        }
    }
}

#[test]
fn a_gust_blows_them_about() {
    let mut play = Play::<Fireflies>::seeded(1);
    play.run(99);
    let before = play.all::<Firefly>()[0].at;
    play.run(1);
    assert!(play.all::<Firefly>()[0].distance(before) > 1.0, "100 ticks are 5 seconds");
}

#[test]
fn a_catch_dazzles_for_half_a_second() {
    let mut play = Play::<Fireflies>::seeded(1);
    let ada = play.join("Ada");
    for firefly in play.all::<Firefly>() {
        play.world(|w| w.take::<Firefly>(firefly.id));
    }
    play.put(ada, (0.0, 0.0));
    play.spawn(Firefly, (0.0, 0.0));
    play.run(1);
    assert!(play.body::<Catcher>(ada).dazzled);
    play.run(10);
    assert!(!play.body::<Catcher>(ada).dazzled);
}

#[test]
fn a_lamp_is_paid_for_and_doubles_what_is_caught_in_its_light() {
    let mut play = Play::<Fireflies>::seeded(1);
    let ada = play.join("Ada");
    let light = Deed::Light { metres: 2.into() };
    assert_eq!(play.act(ada, &light), Err("catch more first".to_owned()));
    play.set::<Catcher>(ada, |catcher| catcher.caught = 2.into());
    assert_eq!(play.act(ada, &light), Ok(()));
    play.spawn(Firefly, At(play.at(ada)));
    play.run(1);
    assert_eq!(play.body::<Catcher>(ada).caught, 2, "two were paid, one was caught and counts twice");
}
