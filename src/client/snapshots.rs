//! The snapshots held, and what they show at a moment between two of them.
//!
//! Each is checked against what the welcome declared. One of a lower epoch, or not newer than the newest, is
//! rejected; a higher epoch clears all that is held (B47, F27). Bodies are matched by id: one that is gone in
//! the later snapshot is shown until then. Fields become numbers, as many as their type takes; texts and lists, which
//! nothing is drawn between, are kept of the newest snapshot alone. Absent: clocks, drawing.

use std::collections::VecDeque;

use serde_json::Value;

use crate::limits::{BODIES_MAX, JUMP_METRES_PER_TICK, MAP_HALF_METRES_MAX, SNAPSHOTS_MAX};
use crate::wire::server_message::{KindInfo, RoundInfo, TypeInfo};
use crate::wire::snap::{Snap, SnapBody};

/// The bodies of one tick as the client holds them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scene {
    pub tick: u32,
    /// The room's clock, milliseconds.
    pub stamp_ms: f64,
    /// By rising id.
    pub bodies: Vec<SceneBody>,
    values: Vec<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SceneBody {
    pub id: u32,
    /// Index into the welcome's kinds.
    pub kind: usize,
    pub seat: Option<u16>,
    /// Metres; z is 0 on a flat map.
    pub at: [f64; 3],
    /// Radians.
    pub heading: f64,
    fields_at: usize,
    fields: usize,
}

/// Texts and lists of bodies: `{id: {field: value}}`.
pub type Details = serde_json::Map<String, Value>;

impl Scene {
    /// A body's fields in the order its kind declares, as many numbers each as `frame.rs` says; NaN for one that was
    /// not sent.
    #[must_use]
    pub fn fields(&self, body: &SceneBody) -> &[f64] {
        &self.values[body.fields_at..body.fields_at + body.fields]
    }
}

/// What became of a snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Taken {
    Held,
    /// Held, and everything of a former epoch was dropped for it.
    NewEpoch,
    Rejected,
}

#[derive(Debug)]
struct Kind {
    name: String,
    fields: Vec<(String, FieldKind)>,
}

/// How a field becomes numbers.
#[derive(Debug)]
enum FieldKind {
    /// A bool, int, real or angle: one number.
    Number,
    /// An enum: its place among these names.
    Choice(Vec<String>),
    /// A seat or a body: its number, -1 for none.
    Reference,
    /// Two numbers.
    Vector,
    /// A text, a list, or of a type this build does not know: no number, but a detail.
    Detail,
}

impl FieldKind {
    fn of(ty: &TypeInfo) -> FieldKind {
        match ty.ty.as_str() {
            "bool" | "int" | "real" | "angle" => FieldKind::Number,
            "enum" => FieldKind::Choice(ty.names.clone()),
            "seat" | "body" => FieldKind::Reference,
            "vector" => FieldKind::Vector,
            _ => FieldKind::Detail,
        }
    }

    /// Adds the numbers of a value; none for a value of another type.
    fn read(&self, value: Option<&Value>, out: &mut Vec<f64>) -> Option<()> {
        // One that is not sent (private to another seat) is not known, which is not zero.
        let Some(value) = value else {
            let unknown = [f64::NAN; 2];
            out.extend(
                &unknown[..match self {
                    FieldKind::Vector => 2,
                    FieldKind::Detail => 0,
                    _ => 1,
                }],
            );
            return Some(());
        };
        match (self, value) {
            (FieldKind::Number, Value::Bool(b)) => out.push(f64::from(u8::from(*b))),
            (FieldKind::Number, value) => out.push(value.as_f64()?),
            (FieldKind::Choice(names), value) => {
                let name = value.as_str()?;
                out.push(names.iter().position(|n| n == name)? as f64);
            }
            (FieldKind::Reference, Value::Null) => out.push(-1.0),
            (FieldKind::Reference, value) => out.push(value.as_f64()?),
            (FieldKind::Vector, value) => {
                let [x, y] = value.as_array()?.as_slice() else { return None };
                out.extend([x.as_f64()?, y.as_f64()?]);
            }
            (FieldKind::Detail, _) => {}
        }
        Some(())
    }
}

#[derive(Debug)]
pub(super) struct Snapshots {
    pub epoch: u32,
    pub round: RoundInfo,
    /// Of the newest snapshot.
    pub details: Details,
    /// Rises when they change.
    pub details_version: u32,
    kinds: Vec<Kind>,
    /// Rising by tick and stamp.
    held: VecDeque<Scene>,
    /// A tick, its stamp, and milliseconds between ticks: what the room's clock is turned into ticks by.
    base: (u32, f64, f64),
}

impl Snapshots {
    pub fn new() -> Snapshots {
        let round = RoundInfo { n: 0, live: 0, ends_at: None, results: Vec::new() };
        Snapshots {
            epoch: 0,
            round,
            details: Details::new(),
            details_version: 0,
            kinds: Vec::new(),
            held: VecDeque::new(),
            base: (0, 0.0, 50.0),
        }
    }

    /// A welcome came: it says what kinds there are and where the room stands; older state is dropped.
    pub fn restart(&mut self, epoch: u32, base: (u32, f64, f64), kinds: &[KindInfo], round: &RoundInfo) {
        let kind = |k: &KindInfo| Kind {
            name: k.name.clone(),
            fields: k.fields.iter().map(|field| (field.name.clone(), FieldKind::of(&field.ty))).collect(),
        };
        self.kinds = kinds.iter().map(kind).collect();
        self.round = round.clone();
        self.held.clear();
        self.set_details(Details::new());
        self.epoch = epoch;
        self.base = base;
    }

    /// Takes a snapshot in, or rejects it.
    pub fn take(&mut self, snap: &Snap) -> Taken {
        if snap.e < self.epoch {
            return Taken::Rejected;
        }
        let stamp_ms = snap.st as f64;
        let is_new_epoch = snap.e > self.epoch;
        let is_newer = self.held.back().is_none_or(|s| snap.k > s.tick && stamp_ms > s.stamp_ms);
        if !is_new_epoch && !is_newer {
            return Taken::Rejected;
        }
        let Some(scene) = self.scene(snap, stamp_ms) else { return Taken::Rejected };
        if is_new_epoch {
            self.held.clear();
            self.epoch = snap.e;
        }
        let (n, live, ends_at) = snap.d.0;
        if n != self.round.n || live != self.round.live {
            self.round.results.clear();
        }
        (self.round.n, self.round.live, self.round.ends_at) = (n, live, ends_at);
        self.base = (snap.k, stamp_ms, self.base.2);
        if self.held.len() >= SNAPSHOTS_MAX {
            self.held.pop_front();
        }
        self.held.push_back(scene);
        self.set_details(self.details_of(snap));
        if is_new_epoch { Taken::NewEpoch } else { Taken::Held }
    }

    fn set_details(&mut self, details: Details) {
        if self.details != details {
            self.details = details;
            self.details_version = self.details_version.wrapping_add(1);
        }
    }

    fn details_of(&self, snap: &Snap) -> Details {
        let of = |body: &SnapBody| {
            let kind = self.kinds.iter().find(|kind| kind.name == body.kind)?;
            let details = kind.fields.iter().filter(|(_, kind)| matches!(kind, FieldKind::Detail));
            let row: Details =
                details.filter_map(|(name, _)| Some((name.clone(), body.f.get(name)?.clone()))).collect();
            (!row.is_empty()).then(|| (body.id.to_string(), Value::Object(row)))
        };
        snap.d.1.iter().filter_map(of).collect()
    }

    fn scene(&self, snap: &Snap, stamp_ms: f64) -> Option<Scene> {
        let bodies = &snap.d.1;
        if bodies.len() > BODIES_MAX as usize {
            return None;
        }
        let mut scene = Scene { tick: snap.k, stamp_ms, ..Scene::default() };
        for body in bodies {
            let read = self.body(body, &mut scene.values)?;
            scene.bodies.push(read);
        }
        scene.bodies.sort_by_key(|body| body.id);
        let is_twice = scene.bodies.windows(2).any(|pair| pair[0].id == pair[1].id);
        (!is_twice).then_some(scene)
    }

    fn body(&self, body: &SnapBody, values: &mut Vec<f64>) -> Option<SceneBody> {
        let index = self.kinds.iter().position(|kind| kind.name == body.kind)?;
        let bound = f64::from(MAP_HALF_METRES_MAX) * 2.0;
        let at = body.at.axes();
        if at.iter().any(|v| v.is_nan() || v.abs() > bound) || !body.heading.is_finite() {
            return None;
        }
        let fields_at = values.len();
        for (name, kind) in &self.kinds[index].fields {
            kind.read(body.f.get(name), values)?;
        }
        let fields = values.len() - fields_at;
        let SnapBody { id, seat, heading, .. } = *body;
        Some(SceneBody { id, kind: index, seat, at, heading, fields_at, fields })
    }

    pub fn newest(&self) -> Option<&Scene> {
        self.held.back()
    }

    /// The tick, with its fraction, at which the room's clock reads `room_ms`.
    pub fn tick_at(&self, room_ms: f64) -> f64 {
        let (tick, stamp_ms, period_ms) = self.base;
        f64::from(tick) + (room_ms - stamp_ms) / period_ms
    }

    /// What the room's clock reads at a tick.
    pub fn stamp_of(&self, tick: u32) -> f64 {
        let (base, stamp_ms, period_ms) = self.base;
        stamp_ms + (f64::from(tick) - f64::from(base)) * period_ms
    }

    /// Shows the scene at `room_ms` to `draw`, body by body, and drops what lies before it. True when
    /// `room_ms` is later than the newest snapshot held: the picture stands still.
    pub fn sample(&mut self, room_ms: f64, mut draw: impl FnMut(&SceneBody, &[f64])) -> bool {
        while self.held.len() >= 2 && self.held[1].stamp_ms <= room_ms {
            self.held.pop_front();
        }
        let Some(from) = self.held.front() else { return true };
        let Some(to) = self.held.get(1) else {
            from.bodies.iter().for_each(|body| draw(body, from.fields(body)));
            return room_ms > from.stamp_ms;
        };
        let part = ((room_ms - from.stamp_ms) / (to.stamp_ms - from.stamp_ms)).clamp(0.0, 1.0);
        let ticks = f64::from(to.tick - from.tick);
        let mut later = to.bodies.iter().peekable();
        for body in &from.bodies {
            while later.peek().is_some_and(|next| next.id < body.id) {
                later.next();
            }
            let shown = match later.peek() {
                Some(next) if next.id == body.id => between(body, next, part, ticks),
                _ => *body,
            };
            draw(&shown, from.fields(body));
        }
        false
    }
}

/// A body part of the way to where it is `ticks` later; one that was put elsewhere stays until then.
fn between(from: &SceneBody, to: &SceneBody, part: f64, ticks: f64) -> SceneBody {
    let way = [0, 1, 2].map(|axis| to.at[axis] - from.at[axis]);
    if libm::hypot(libm::hypot(way[0], way[1]), way[2]) > JUMP_METRES_PER_TICK * ticks {
        return *from;
    }
    let turn = libm::remainder(to.heading - from.heading, std::f64::consts::TAU);
    SceneBody {
        at: [0, 1, 2].map(|axis| from.at[axis] + way[axis] * part),
        heading: from.heading + turn * part,
        ..*from
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::place::Place;

    fn held_with(fields: Value) -> Snapshots {
        let kind = serde_json::json!({
            "name": "fighter", "player": true, "radius": 0.5, "look": "disc #4af", "fields": fields
        });
        let kind: KindInfo = serde_json::from_value(kind).expect("a kind");
        let mut snapshots = Snapshots::new();
        let round = RoundInfo { n: 1, live: 1, ends_at: Some(2_400), results: Vec::new() };
        snapshots.restart(1, (100, 5_000.0, 50.0), &[kind], &round);
        snapshots
    }

    fn held() -> Snapshots {
        held_with(serde_json::json!([{"name": "hp", "type": "int"}, {"name": "score", "type": "int"}]))
    }

    /// A snapshot of tick `k`, 50 ms a tick, of bodies (id, x).
    fn snap(e: u32, k: u32, bodies: &[(u32, f64)]) -> Snap {
        let rows: Vec<_> = bodies
            .iter()
            .map(|(id, x)| {
                let f = serde_json::json!({ "hp": 7, "score": k });
                serde_json::json!({
                    "id": id, "kind": "fighter", "seat": 0, "at": [x, 0], "heading": 0, "f": f
                })
            })
            .collect();
        let st = u64::from(k) * 50;
        let text = serde_json::json!({"e": e, "k": k, "st": st, "d": [[1, 1, 2400], rows], "c": []});
        serde_json::from_value(text).expect("a well-formed snapshot")
    }

    fn drawn(snapshots: &mut Snapshots, room_ms: f64) -> Vec<(u32, f64)> {
        let mut out = Vec::new();
        snapshots.sample(room_ms, |body, _| out.push((body.id, body.at[0])));
        out
    }

    #[test]
    fn a_body_is_drawn_between_two_snapshots_and_leaves_when_the_later_one_is_reached() {
        let mut snapshots = held();
        assert_eq!(snapshots.take(&snap(1, 101, &[(1, 0.0), (2, 5.0)])), Taken::Held);
        assert_eq!(snapshots.take(&snap(1, 102, &[(1, 1.0), (3, 9.0)])), Taken::Held);
        assert_eq!(drawn(&mut snapshots, 5_075.0), [(1, 0.5), (2, 5.0)]);
        assert_eq!(drawn(&mut snapshots, 5_100.0), [(1, 1.0), (3, 9.0)]);
        assert!(snapshots.sample(5_101.0, |_, _| {}), "nothing newer is held");
    }

    #[test]
    fn a_body_put_elsewhere_does_not_slide_there() {
        let mut snapshots = held();
        snapshots.take(&snap(1, 101, &[(1, -15.0)]));
        snapshots.take(&snap(1, 102, &[(1, 15.0)]));
        assert_eq!(drawn(&mut snapshots, 5_099.0), [(1, -15.0)]);
        assert_eq!(drawn(&mut snapshots, 5_100.0), [(1, 15.0)]);
    }

    #[test]
    fn a_heading_turns_the_short_way_round() {
        let body = |heading| SceneBody {
            id: 1,
            kind: 0,
            seat: None,
            at: [0.0; 3],
            heading,
            fields_at: 0,
            fields: 0,
        };
        let shown = between(&body(3.0), &body(-3.0), 0.5, 1.0).heading;
        assert!((shown - std::f64::consts::PI).abs() < 1e-9, "{shown}");
    }

    /// B47, F27: a lower epoch is dropped, a higher one clears everything held of the former.
    #[test]
    fn epochs_never_mix() {
        let mut snapshots = held();
        snapshots.take(&snap(1, 150, &[(1, 0.0)]));
        assert_eq!(snapshots.take(&snap(2, 120, &[(2, 0.0)])), Taken::NewEpoch);
        assert_eq!(snapshots.take(&snap(1, 151, &[(1, 0.0)])), Taken::Rejected);
        assert_eq!(drawn(&mut snapshots, 7_550.0), [(2, 0.0)]);
        assert_eq!(snapshots.newest().map(|scene| scene.tick), Some(120));
    }

    #[test]
    fn what_the_welcome_did_not_declare_is_rejected_whole() {
        let mut snapshots = held();
        let good = snap(1, 101, &[(1, 0.0)]);
        let spoil = |f: &dyn Fn(&mut Snap)| {
            let mut bad = good.clone();
            f(&mut bad);
            bad
        };
        let bad = [
            spoil(&|s| s.d.1[0].kind = "dragon".to_owned()),
            spoil(&|s| s.d.1[0].at = Place(1e308, 0.0, None)),
            spoil(&|s| s.d.1[0].at = Place(0.0, 0.0, Some(f64::NAN))),
            spoil(&|s| s.d.1[0].heading = f64::INFINITY),
            spoil(&|s| s.d.1.push(s.d.1[0].clone())),
            spoil(&|s| drop(s.d.1[0].f.insert("hp".to_owned(), serde_json::json!("full")))),
            spoil(&|s| s.d.1 = vec![s.d.1[0].clone(); BODIES_MAX as usize + 1]),
        ];
        for snap in &bad {
            assert_eq!(snapshots.take(snap), Taken::Rejected);
        }
        assert_eq!(snapshots.take(&good), Taken::Held);
        assert_eq!(snapshots.take(&good), Taken::Rejected, "not newer");
    }

    #[test]
    fn memory_is_bounded_when_nothing_is_drawn() {
        let mut snapshots = held();
        for k in 101..1_101 {
            snapshots.take(&snap(1, k, &[(1, 0.0)]));
        }
        assert_eq!(snapshots.held.len(), SNAPSHOTS_MAX);
    }

    #[test]
    fn fields_become_as_many_numbers_as_their_type_takes() {
        let mut snapshots = held_with(serde_json::json!([
            {"name": "armed", "type": "bool"}, {"name": "suit", "type": "enum", "names": ["club", "heart"]},
            {"name": "foe", "type": "body"}, {"name": "title", "type": "text", "chars": 9},
            {"name": "aim", "type": "vector"}, {"name": "hand", "type": "list", "of": {"type": "int"}},
            {"name": "mood", "type": "of a later revision"}, {"name": "ammo", "type": "int", "private": true},
        ]));
        let take = |snapshots: &mut Snapshots, k: u32, f: &Value| {
            let mut snap = snap(1, k, &[(1, 0.0)]);
            snap.d.1[0].f = f.as_object().expect("an object").clone();
            snapshots.take(&snap)
        };
        let f = serde_json::json!({
            "armed": true, "suit": "heart", "foe": null, "title": "Sir", "aim": [0.5, -1], "hand": [3, 4], "mood": {}
        });
        assert_eq!(take(&mut snapshots, 101, &f), Taken::Held);
        let scene = snapshots.newest().expect("held").clone();
        let numbers = scene.fields(&scene.bodies[0]);
        assert_eq!((&numbers[..5], numbers[5].is_nan()), (&[1.0, 1.0, -1.0, 0.5, -1.0][..], true));
        let details = serde_json::json!({"1": {"title": "Sir", "hand": [3, 4], "mood": {}}});
        assert_eq!(Value::Object(snapshots.details.clone()), details);
        let version = snapshots.details_version;
        take(&mut snapshots, 102, &f);
        assert_eq!(snapshots.details_version, version, "nothing new to read");
        for (key, bad) in
            [("suit", "spade".into()), ("suit", 1.into()), ("foe", "x".into()), ("aim", 1.into())]
        {
            let mut f = f.clone();
            f[key] = bad;
            assert_eq!(take(&mut snapshots, 103, &f), Taken::Rejected, "{key}");
        }
        take(&mut snapshots, 103, &serde_json::json!({}));
        let scene = snapshots.newest().expect("held");
        assert!(scene.fields(&scene.bodies[0]).iter().all(|v| v.is_nan()), "nothing is known");
        assert!(snapshots.details.is_empty() && snapshots.details_version != version);
    }
}
