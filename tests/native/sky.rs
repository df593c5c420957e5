//! Sky: a game made for tests that plays in space. Flyers and drones slide over, under and around what hangs in the air,
//! push each other up and down, and look along rays. Nothing in it fails: its log is replayed where a panic ends all.

use roundtable::prelude::*;

const METRES_SEEN: f64 = 14.0;

#[derive(Action, Clone, Debug)]
pub enum Deed {
    /// Pushes away what the ray meets, and leaves smoke below.
    Zap { up: Real<-1, 1, 100> },
    /// To the top of the sky, or the ground.
    Leap { down: bool },
}

#[derive(Input, Clone, Default)]
#[input(actions = Deed)]
pub struct Pad {
    pub go: Stick,
    pub aim: Aim,
    pub lift: Level<-2, 2>,
    pub look: Button,
}

#[derive(Kind, Clone, Default)]
#[kind(player, radius = 0.6, speed = 9.0, solid, rewind)]
pub struct Flyer {
    #[score]
    pub gems: Int<0, 999>,
    pub air: Int<0, 100>,
    pub seen: Int<0, 255>,
    pub met: Vector<32, 64>,
    pub met_height: Real<0, 32, 64>,
    pub bumps: Int<0, 1_000_000>,
}

/// Moved by its own client.
#[derive(Kind, Clone, Default)]
#[kind(player, radius = 0.5, speed = 7.0, owner_moved, solid)]
pub struct Glider {
    pub bumps: Int<0, 1_000_000>,
}

#[derive(Kind, Clone, Default)]
#[kind(radius = 0.8, solid, rewind)]
pub struct Drone {
    pub rises: bool,
    pub hits: Int<0, 1_000>,
}

#[derive(Kind, Clone, Default)]
#[kind(radius = 0.4)]
pub struct Gem;

pub struct Sky;

const AIR: Map = Map::deep(40, 30, 12).shapes(&[
    Shape::cuboid(Vec3::new(0.0, 0.0, 5.0), Vec3::new(8.0, 6.0, 2.0)),
    Shape::cuboid(Vec3::new(-12.0, 6.0, 1.0), Vec3::new(5.0, 5.0, 3.0)),
    Shape::sphere(Vec3::new(11.0, 4.0, 7.0), 3.0),
    Shape::sphere(Vec3::new(10.0, -8.0, 0.5), 2.5),
    Shape::disc(-9.0, -9.0, 1.5),
    Shape::block(4.0, 11.0, 12.0, 1.0),
    Shape::polygon(&[Vec2::new(-18.0, -2.0), Vec2::new(-15.0, -3.0), Vec2::new(-16.0, 1.0)]),
]);

fn aloft(w: &mut World<Sky>) -> Place {
    let half = AIR.half;
    let (x, y, z) = (w.random() * 2.0 - 1.0, w.random() * 2.0 - 1.0, w.random());
    Place::Above(Vec3::new(x * half.x, y * half.y, z * AIR.depth))
}

/// The way of an aim that looks up by so much of a right angle.
fn way(radians: f64, up: f64) -> Vec3 {
    Vec3::above(Vec2::at_angle(radians), up).unit()
}

impl Rules for Sky {
    type Kinds = (Flyer, Glider, Drone, Gem);
    type Input = Pad;
    const ROOM: Room = Room::rounds(60).breaks(3).seats(8).map(AIR);

    fn round_start(w: &mut World<Self>) {
        for _ in 0..14 {
            let (drone, gem) = (aloft(w), aloft(w));
            w.spawn(Drone { rises: true, ..Drone::default() }, drone);
            w.spawn(Gem, gem);
        }
    }
    fn join(w: &mut World<Self>, seat: &Seat) -> Entry<Self> {
        let place = aloft(w);
        if seat.name.contains("waiter") {
            return Entry::new(Glider::default(), place);
        }
        Entry::new(Flyer { air: 100.into(), ..Flyer::default() }, place)
    }
    fn tick(w: &mut World<Self>) {
        if w.random_below(50) == 0 {
            w.area("wind", Vec2::ZERO, 6.0, 30);
        }
    }
}

impl Body<Sky> for Gem {}

impl Body<Sky> for Glider {
    fn steer(&self, motion: &mut Motion, pad: &Pad, map: &Map) {
        motion.fly(Vec3::above(pad.go * 7.0, f64::from(pad.lift.get())), map);
    }
    fn touch(&mut self, _: &Me, _: &Other, _: &mut World<Sky>) {
        self.bumps += 1;
    }
}

impl Body<Sky> for Drone {
    fn steer(&self, motion: &mut Motion, _: &Pad, map: &Map) {
        let flat = Vec2::at_angle(motion.heading + 0.07) * 4.0;
        motion.fly(Vec3::above(flat, if self.rises { 3.0 } else { -2.5 }), map);
    }
    fn tick(&mut self, me: &Me, w: &mut World<Sky>) {
        let depth = w.map().depth;
        let blocked =
            !w.is_open(me.spot(), me.spot() + Vec3::new(0.0, 0.0, if self.rises { 1.2 } else { -1.2 }));
        if blocked || me.z >= depth || me.z <= 0.0 {
            self.rises = me.z <= 0.0 || blocked && !self.rises;
        }
    }
}

impl Body<Sky> for Flyer {
    fn steer(&self, motion: &mut Motion, pad: &Pad, map: &Map) {
        motion.fly(Vec3::above(pad.go * 8.0, f64::from(pad.lift.get()) * 3.0), map);
        motion.face(pad.aim.0);
    }
    fn tick(&mut self, me: &Me, w: &mut World<Sky>) {
        let pad = w.input(me);
        self.seen = i32::try_from(w.near::<Drone>(me.spot(), 6.0).len()).unwrap_or(0).into();
        if w.areas_at(me.at).iter().any(|area| area.name == "smoke") {
            self.air -= 1;
        }
        if pad.look.down() {
            let to = me.spot() + way(pad.aim.0, f64::from(pad.lift.get()) / 2.0) * METRES_SEEN;
            let met = w.ray(Some(me.id), me.spot(), to).map_or(to, |hit| hit.at);
            (self.met, self.met_height) = (met.flat().into(), met.z.max(0.0).into());
        }
    }
    fn touch(&mut self, _: &Me, other: &Other, w: &mut World<Sky>) {
        self.bumps += 1;
        if w.take::<Gem>(other.id).is_some() {
            self.gems += 1;
            w.effect("caught", other.spot());
            let place = aloft(w);
            w.spawn(Gem, place);
        }
    }
    fn act(&mut self, me: &Me, deed: Deed, w: &mut World<Sky>) -> Result<(), Refusal> {
        match deed {
            Deed::Zap { up } => {
                let to = me.spot() + way(me.heading, up.get()) * METRES_SEEN;
                let hit = w.ray(Some(me.id), me.spot(), to).ok_or("there is nothing")?;
                w.area("smoke", hit.at, 2.0, 40);
                let Some(body) = hit.body else { return Ok(()) };
                w.edit::<Drone>(body.id, |drone| drone.hits += 1);
                w.send(body.id, (body.spot() - me.spot()).unit() * 12.0);
                w.put(body.id, Place::Above(body.spot() + Vec3::new(0.0, 0.0, 1.5)));
            }
            Deed::Leap { down } => {
                w.put(me.id, Place::Above(Vec3::above(me.at, if down { 0.0 } else { AIR.depth })));
            }
        }
        Ok(())
    }
    fn bot(&self, me: &Me, w: &World<Sky>, dice: &mut Rng) -> Pad {
        let gem = w.nearest::<Gem>(me.spot(), 30.0, 1).first().map_or(Vec3::ZERO, Other::spot);
        let go = (gem.flat() - me.at).unit();
        let lift = if gem.z > me.z { 1 } else { -1 };
        let look = if dice.below(4) == 0 { Button::DOWN } else { Button::default() };
        Pad { go, aim: Aim(go.angle()), lift: lift.into(), look }
    }
}
