//! A game's kinds as a tuple, and what the step calls on each: one dynamic call per kind and tick.

use crate::rules::contain::contain;
use crate::rules::game::{Body, IndexOf, Other, Rules};
use crate::rules::ids::BodyId;
use crate::rules::input::Steered;
use crate::rules::kind::{AnyColumn, Column, Kind, check_kinds};
use crate::rules::motion::Motion;
use crate::rules::schema::KindSpec;
use crate::rules::world::{World, seat_input};

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
    pub tick: fn(&mut World<R>),
    pub touch: fn(&mut World<R>, BodyId, &Other),
    pub leave: fn(&mut World<R>, BodyId),
    /// Fits a row that came from `join`.
    pub refit: fn(&mut World<R>, BodyId),
}

impl<R: Rules> KindOps<R> {
    fn of<K: Body<R>>() -> KindOps<R> {
        KindOps {
            steer: steer_all::<R, K>,
            tick: tick_all::<R, K>,
            touch: |w, id, other| w.run_body::<K>(id, "touch", |body, me, w| body.touch(me, other, w)),
            leave: |w, id| w.run_body::<K>(id, "leave", |body, me, w| body.leave(me, w)),
            refit: |w, id| w.run_body::<K>(id, "join", |_, _, _| ()),
        }
    }
}

/// Moves every body of a kind.
fn steer_all<R: Rules, K: Body<R>>(w: &mut World<R>) {
    let kind = const { IndexOf::<R, K>::INDEX };
    let live = w.engine.round.live;
    let map = w.engine.schema.room.map;
    let hz = w.engine.schema.room.hz;
    for index in 0..w.engine.heads.len() {
        let head = w.engine.heads[index];
        if usize::from(head.kind) != kind || head.gone {
            continue;
        }
        let Some(row) = w.column::<K>().row(head.id) else { continue };
        let input = seat_input::<R>(&w.engine, head.seat.filter(|_| live));
        let mut motion = Motion::new(&head.pose, K::SPEC.radius, hz);
        match contain(|| Steered::steer(&mut motion, |motion| row.steer(motion, &input, &map))) {
            Ok(()) => w.engine.set_pose(index, motion.pose(&map)),
            Err(message) => w.engine.fault(format!("{}.steer", K::SPEC.name), message),
        }
    }
}

fn tick_all<R: Rules, K: Body<R>>(w: &mut World<R>) {
    // Bodies made by these handlers have their first tick in the next one.
    let ids: Vec<BodyId> = w.column::<K>().iter().map(|(id, _)| id).collect();
    for id in ids {
        w.run_body::<K>(id, "tick", |body, me, w| body.tick(me, w));
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
