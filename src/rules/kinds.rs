//! A game's kinds as a tuple, and what the step calls on each: one dynamic call per kind and tick.

use crate::rules::contain::contain;
use crate::rules::face::SeatAction;
use crate::rules::game::{ActionOf, Answer, Body, IndexOf, Other, Rules};
use crate::rules::ids::BodyId;
use crate::rules::input::{Action, Controls, Steered};
use crate::rules::kind::{AnyColumn, Column, Kind, check_kinds};
use crate::rules::motion::Motion;
use crate::rules::schema::KindSpec;
use crate::rules::stages::SHARE_AFTER_TICKS;
use crate::rules::world::{Ran, World, seat_input};

/// A tuple of kinds.
pub trait Kinds<R: Rules> {
    const SPECS: &'static [KindSpec];
    /// An empty column for each kind, in order.
    fn columns() -> Vec<Box<dyn AnyColumn>>;
    fn ops() -> Vec<KindOps<R>>;
}

/// What the step calls on a kind.
pub struct KindOps<R> {
    pub steer: fn(&mut World<R>),
    /// Runs `tick` of these bodies; the first that the tick's fuel did not suffice for.
    pub tick: fn(&mut World<R>, &[BodyId]) -> Option<BodyId>,
    pub spawn: fn(&mut World<R>, BodyId),
    pub touch: fn(&mut World<R>, BodyId, &Other),
    pub act: fn(&mut World<R>, BodyId, &SeatAction) -> Result<(), String>,
    pub timer: fn(&mut World<R>, BodyId, &str),
    pub answer: fn(&mut World<R>, BodyId, &Answer),
    pub floor: fn(&mut World<R>, BodyId, &str) -> String,
    pub bot: fn(&mut World<R>, BodyId) -> Controls,
    pub leave: fn(&mut World<R>, BodyId),
}

impl<R: Rules> KindOps<R> {
    fn of<K: Body<R>>() -> KindOps<R> {
        KindOps {
            steer: steer_all::<R, K>,
            tick: tick_all::<R, K>,
            spawn: |w, id| w.run_body::<K>(id, "spawn", |body, me, w| body.spawn(me, w)),
            touch: |w, id, other| w.run_body::<K>(id, "touch", |body, me, w| body.touch(me, other, w)),
            act: act::<R, K>,
            timer: |w, id, name| w.run_body::<K>(id, "timer", |body, me, w| body.timer(me, name, w)),
            answer: |w, id, answer| w.run_body::<K>(id, "answer", |body, me, w| body.answer(me, answer, w)),
            floor: |w, id, question| {
                let floor = w.ask_body::<K, String>(id, "floor", |body, me, w| body.floor(me, question, w));
                floor.unwrap_or_default()
            },
            bot: |w, id| w.bot_controls::<K>(id),
            leave: |w, id| w.run_body::<K>(id, "leave", |body, me, w| body.leave(me, w)),
        }
    }
}

/// Moves every body of a kind.
fn steer_all<R: Rules, K: Body<R>>(w: &mut World<R>) {
    let kind = const { IndexOf::<R, K>::INDEX };
    let live = w.engine.round.live;
    let (map, hz) = (w.engine.schema.room.map, w.engine.schema.room.hz);
    for index in 0..w.engine.heads.len() {
        let head = w.engine.heads[index];
        if usize::from(head.kind) != kind || head.gone {
            continue;
        }
        // A bot has no client that moves its body: `steer` does.
        if let Some(seat) = head.seat.filter(|seat| K::SPEC.owner_moved && w.engine.is_persons(*seat)) {
            w.engine.heed_claim(index, seat, live);
            continue;
        }
        let Some(row) = w.column::<K>().row(head.id) else { continue };
        let input = seat_input::<R>(&w.engine, head.seat.filter(|_| live));
        let mut motion = Motion::new(&head.pose, &K::SPEC, hz);
        let steered = contain(|| Steered::steer(&mut motion, |motion| row.steer(motion, &input, &map)));
        if let Err(failure) = steered {
            w.engine.begin();
            w.engine.end(Some(K::SPEC.name), "steer", Some(&failure));
        } else {
            w.engine.set_pose(index, motion.pose(&map));
        }
    }
}

fn tick_all<R: Rules, K: Body<R>>(w: &mut World<R>, ids: &[BodyId]) -> Option<BodyId> {
    for &id in ids {
        if !w.engine.starts(SHARE_AFTER_TICKS) {
            return Some(id);
        }
        w.run_body::<K>(id, "tick", |body, me, w| body.tick(me, w));
    }
    None
}

fn act<R: Rules, K: Body<R>>(w: &mut World<R>, id: BodyId, action: &SeatAction) -> Result<(), String> {
    let Some(deed) = <ActionOf<R> as Action>::read(action.action, &action.args) else {
        return Err("no such action".to_owned());
    };
    match w.try_body::<K, ()>(id, "act", |body, me, w| body.act(me, deed, w)) {
        Ran::Kept(()) => Ok(()),
        Ran::Refused(refusal) => Err(refusal.text().to_owned()),
        Ran::Failed => Err("that went wrong".to_owned()),
        Ran::Absent => Err("you have no body".to_owned()),
    }
}

macro_rules! kinds_of {
    ($($kind:ident)+) => {
        impl<R: Rules, $($kind: Body<R>),+> Kinds<R> for ($($kind,)+) {
            const SPECS: &'static [KindSpec] = {
                const { check_kinds(&[$($kind::SPEC),+]) };
                &[$(<$kind as Kind>::SPEC),+]
            };
            fn columns() -> Vec<Box<dyn AnyColumn>> {
                vec![$(Box::new(Column::<$kind>::new())),+]
            }
            fn ops() -> Vec<KindOps<R>> {
                vec![$(KindOps::of::<$kind>()),+]
            }
        }
    };
}

kinds_of!(A);
kinds_of!(A B);
kinds_of!(A B C);
kinds_of!(A B C D);
kinds_of!(A B C D E);
kinds_of!(A B C D E F);
kinds_of!(A B C D E F G);
kinds_of!(A B C D E F G H);
kinds_of!(A B C D E F G H I);
kinds_of!(A B C D E F G H I J);
kinds_of!(A B C D E F G H I J K);
kinds_of!(A B C D E F G H I J K L);
