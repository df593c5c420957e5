//! Arena: run about and fire at each other; who has scored most when the round ends wins.
//!
//! A shot hits the nearest fighter ahead, in a narrow cone, where it stood as its shooter saw it, unless a pillar or smoke
//! hides it. Five hits fell a fighter, who leaves smoke and is back a moment later. Medkits heal.

use crate::prelude::*;

const ROUND_SECONDS: u32 = 180;
const SPEED: f64 = 6.0;
const REACH: f64 = 9.0;
/// Cosine of half the cone a shot covers: 20 degrees either way.
const CONE: f64 = 0.94;
/// Who stands in the barrel cannot be missed.
const POINT_BLANK: f64 = 0.6;
const DAMAGE: i32 = 20;
const RELOAD_TICKS: i32 = 8;
const DOWN_TICKS: i32 = 40;
const MEDKITS: u32 = 3;
const MEDKIT_HEALS: i32 = 40;
const MEDKIT_SECONDS: f64 = 12.0;
const SMOKE_METRES: f64 = 2.0;
const SMOKE_SECONDS: f64 = 4.0;
/// A bot comes so close before it stands and shoots.
const BOT_KEEPS: f64 = 5.0;
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
    pub r#move: Stick,
    pub fire: Button,
}

#[derive(Kind, Clone, Default)]
#[kind(player, radius = 0.6, speed = 6.0, rewind, look = "disc #4af", bar = "hp")]
pub struct Fighter {
    #[hud]
    pub hp: Int<0, 100>,
    #[score]
    #[hud]
    pub score: Int<0, 999>,
    #[local]
    pub reload: Int<0, 20>,
    /// Ticks until a fallen fighter is back.
    #[local]
    pub down: Int<0, 100>,
}

#[derive(Kind, Clone, Default)]
#[kind(radius = 0.4, look = "cross #7bd88f")]
pub struct Medkit;

pub struct Arena;

impl Rules for Arena {
    type Kinds = (Fighter, Medkit);
    type Input = Pad;
    const ROOM: Room = Room::rounds(ROUND_SECONDS).seats(16).bots_on_request(8).map(GROUND).effects(&[
        ("shot", "beam #ffd166 sound:zap"),
        ("hit", "burst #ff5d5d sound:thud"),
        ("fall", "burst #ffffff sound:pop"),
        ("rise", "ring #7bdff2 sound:blip"),
        ("heal", "ring #7bd88f sound:chime"),
        ("smoke", "smoke #8a94a6"),
    ]);

    fn round_start(w: &mut World<Self>) {
        w.scatter(MEDKITS, Medkit);
    }

    /// A medkit that was taken lies somewhere else a while later.
    fn timer(w: &mut World<Self>, _: &str) {
        w.spawn(Medkit, Anywhere);
    }

    fn join(_: &mut World<Self>, _: &Seat) -> Entry<Self> {
        Entry::new(Fighter { hp: 100.into(), ..Fighter::default() }, SPAWN)
    }
}

impl Body<Arena> for Medkit {}

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

    fn touch(&mut self, me: &Me, other: &Other, w: &mut World<Arena>) {
        if (1..100).contains(&self.hp.get()) && w.take::<Medkit>(other.id).is_some() {
            self.hp.set((self.hp.get() + MEDKIT_HEALS).min(100));
            w.effect("heal", me.at);
            w.after(w.seconds(MEDKIT_SECONDS), "medkit");
        }
    }

    /// Goes for the nearest fighter still standing, and shoots at what it sees.
    fn bot(&self, me: &Me, w: &World<Arena>, dice: &mut Rng) -> Pad {
        let standing = |other: &Other| other.id != me.id && is_standing(other, w);
        let target = w.nearest::<Fighter>(me.at, 60.0, 16).into_iter().find(standing);
        let Some(target) = target else { return Pad::default() };
        let way = target.at - me.at;
        let sees = w.is_open(me.at, target.at);
        // Around a pillar, and never quite straight: a bot that no dodge can shake off is no fun.
        let stray = if sees { 0.3 } else { 1.6 } * (dice.unit() * 2.0 - 1.0);
        let pace = if sees && way.length() < BOT_KEEPS { 0.2 } else { 0.9 };
        let fire = sees && way.length() < REACH && dice.below(8) == 0;
        Pad {
            r#move: Vec2::at_angle(way.angle() + stray) * pace,
            fire: if fire { Button::DOWN } else { Button::default() },
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
            w.area("smoke", target.at, SMOKE_METRES, w.seconds(SMOKE_SECONDS));
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

fn is_standing(other: &Other, w: &World<Arena>) -> bool {
    w.body::<Fighter>(other.id).is_some_and(|fighter| fighter.hp > 0)
}

/// The nearest standing fighter in the cone ahead, where the shooter saw it, that neither pillar nor smoke hides.
fn aimed_at(me: &Me, ahead: Vec2, w: &World<Arena>) -> Option<Other> {
    let in_cone = |other: &Other| {
        let way = other.at - me.at;
        way.length() < POINT_BLANK || way.dot(ahead) >= CONE * way.length()
    };
    let hidden = |other: &Other| !w.is_open(me.at, other.at) || !w.areas_at(other.at).is_empty();
    let mut targets = w.past(me).near::<Fighter>(me.at, REACH);
    targets.retain(|other| other.id != me.id && in_cone(other) && is_standing(other, w) && !hidden(other));
    targets.into_iter().min_by(|a, b| a.at.distance(me.at).total_cmp(&b.at.distance(me.at)))
}
