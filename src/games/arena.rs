//! Arena: run about and fire at each other; who has scored most when the round ends wins.
//!
//! A shot hits the nearest fighter ahead, in a narrow cone, unless a pillar stands between. Five hits fell a fighter,
//! who is back a moment later.

use crate::prelude::*;

const ROUND_SECONDS: u32 = 180;
const SPEED: f64 = 6.0;
const REACH: f64 = 9.0;
/// Cosine of half the cone a shot covers: 20 degrees either way.
const CONE: f64 = 0.94;
const DAMAGE: i32 = 20;
const RELOAD_TICKS: i32 = 8;
const DOWN_TICKS: i32 = 40;
/// Fighters come in within so many metres of the middle, clear of the walls along the edge.
const SPAWN: Place = Around(Vec2::ZERO, 10.0);

const GROUND: Map = Map::flat(36, 36).ground("grid #16202e").shapes(&[
    Shape::disc(0.0, 0.0, 1.6),
    Shape::disc(-7.0, 5.0, 1.2),
    Shape::disc(7.0, -5.0, 1.2),
    Shape::disc(5.5, 7.5, 0.9),
    Shape::disc(-5.5, -7.5, 0.9),
    Shape::block(-14.5, 0.0, 1.5, 9.0),
    Shape::block(14.5, 0.0, 1.5, 9.0),
    Shape::block(0.0, -14.5, 9.0, 1.5),
    Shape::block(0.0, 14.5, 9.0, 1.5),
]);

#[derive(Input, Clone, Default)]
pub struct Pad {
    r#move: Stick,
    fire: Button,
}

#[derive(Kind, Clone, Default)]
#[kind(player, radius = 0.6, look = "disc #4af", bar = "hp")]
pub struct Fighter {
    hp: Int<0, 100>,
    #[score]
    score: Int<0, 999>,
    #[local]
    reload: Int<0, 20>,
    /// Ticks until a fallen fighter is back.
    #[local]
    down: Int<0, 100>,
}

pub struct Arena;

impl Rules for Arena {
    type Kinds = (Fighter,);
    type Input = Pad;
    const ROOM: Room = Room::rounds(ROUND_SECONDS).seats(16).map(GROUND).effects(&[
        ("shot", "beam #ffd166"),
        ("hit", "burst #ff5d5d"),
        ("fall", "burst #ffffff"),
        ("rise", "ring #7bdff2"),
    ]);

    fn join(_: &mut World<Self>, _: &Seat) -> Entry<Self> {
        Entry::new(Fighter { hp: 100.into(), ..Fighter::default() }, SPAWN)
    }
}

impl Body<Arena> for Fighter {
    fn steer(&self, motion: &mut Motion, pad: &Pad, map: &Map) {
        let speed = if self.hp > 0 { SPEED } else { 0.0 };
        motion.slide(pad.r#move * speed, map);
    }

    fn tick(&mut self, me: &Me, w: &mut World<Arena>) {
        if self.hp == 0 {
            self.rise(me, w);
            return;
        }
        if self.reload > 0 {
            self.reload -= 1;
        }
        let fire = w.input(me).fire;
        if (fire.down() || fire.pressed()) && self.reload == 0 {
            self.reload = RELOAD_TICKS.into();
            self.fire(me, w);
        }
    }
}

impl Fighter {
    fn fire(&mut self, me: &Me, w: &mut World<Arena>) {
        let ahead = Vec2::at_angle(me.heading);
        w.effect("shot", me.at + ahead * 0.9);
        let Some(target) = aimed_at(me, ahead, w) else {
            return;
        };
        let mut felled = false;
        w.edit::<Fighter>(target.id, |other| {
            felled = other.hp <= DAMAGE;
            if felled {
                other.hp = 0.into();
                other.down = DOWN_TICKS.into();
            } else {
                other.hp -= DAMAGE;
            }
        });
        w.effect("hit", target.at);
        if felled {
            self.score += 1;
            w.effect("fall", target.at);
        }
    }

    fn rise(&mut self, me: &Me, w: &mut World<Arena>) {
        if self.down > 1 {
            self.down -= 1;
            return;
        }
        self.down = 0.into();
        self.hp = 100.into();
        w.put(me.id, SPAWN);
        if let Some(back) = w.seen(me.id) {
            w.effect("rise", back.at);
        }
    }
}

/// The nearest standing fighter in the cone ahead that no pillar hides.
fn aimed_at(me: &Me, ahead: Vec2, w: &World<Arena>) -> Option<Other> {
    let standing = |other: &Other| w.body::<Fighter>(other.id).is_some_and(|fighter| fighter.hp > 0);
    let in_cone = |other: &Other| {
        let way = other.at - me.at;
        way.dot(ahead) >= CONE * way.length()
    };
    let mut targets = w.near::<Fighter>(me.at, REACH);
    targets.retain(|other| {
        other.id != me.id && in_cone(other) && standing(other) && w.map().is_open(me.at, other.at)
    });
    targets.into_iter().min_by(|a, b| a.at.distance(me.at).total_cmp(&b.at.distance(me.at)))
}
