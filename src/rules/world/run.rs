//! How handlers are run: on a copy, contained, within fuel; kept whole, or undone whole and counted.

use crate::rules::contain::{Failure, contain};
use crate::rules::engine::Engine;
use crate::rules::face::Driver;
use crate::rules::game::{Body, Me, Refusal, Rules};
use crate::rules::ids::{BodyId, Seat};
use crate::rules::input::{ControlReader, Controls, Input, controls_of};
use crate::rules::rng::Rng;
use crate::rules::world::{World, me};

/// How a body's handler ended.
pub(crate) enum Ran<T> {
    Kept(T),
    /// The rules said no; nothing of the call stays, and it is no fault.
    Refused(Refusal),
    Failed,
    /// There is no such body any more.
    Absent,
}

impl<R: Rules> World<R> {
    /// Runs a room's handler.
    pub(crate) fn run<T>(&mut self, handler: &'static str, f: impl FnOnce(&mut World<R>) -> T) -> Option<T> {
        self.engine.begin();
        let result = contain(|| f(self));
        self.engine.end(None, handler, result.as_ref().err());
        result.ok()
    }

    /// Runs a body's handler on a copy, which is written back when it succeeds and the body is still there.
    pub(crate) fn run_body<K: Body<R>>(
        &mut self,
        id: BodyId,
        handler: &'static str,
        f: impl FnOnce(&mut K, &Me, &mut World<R>),
    ) {
        self.try_body::<K, ()>(id, handler, |body, me, w| {
            f(body, me, w);
            Ok(())
        });
    }

    /// The same for a handler that may refuse.
    pub(crate) fn try_body<K: Body<R>, T>(
        &mut self,
        id: BodyId,
        handler: &'static str,
        f: impl FnOnce(&mut K, &Me, &mut World<R>) -> Result<T, Refusal>,
    ) -> Ran<T> {
        let (Some(head), Some(mut body)) =
            (self.engine.head(id).copied(), self.column::<K>().row(id).cloned())
        else {
            return Ran::Absent;
        };
        let me = me(&self.engine, &head);
        self.engine.begin();
        self.engine.running = Some(id);
        let result = contain(|| f(&mut body, &me, self));
        self.engine.running = None;
        let ran = match result {
            Ok(Ok(value)) => {
                self.put_row(id, body, handler);
                Ran::Kept(value)
            }
            Ok(Err(refusal)) => {
                self.engine.roll_back();
                Ran::Refused(refusal)
            }
            Err(failure) => {
                self.engine.end(Some(K::SPEC.name), handler, Some(&failure));
                return Ran::Failed;
            }
        };
        let goes = std::mem::take(&mut self.engine.running_gone);
        self.engine.end(Some(K::SPEC.name), handler, None);
        if goes {
            self.engine.remove(id);
        }
        ran
    }

    /// Runs something of a body that only looks.
    pub(crate) fn ask_body<K: Body<R>, T>(
        &mut self,
        id: BodyId,
        handler: &'static str,
        f: impl FnOnce(&K, &Me, &World<R>) -> T,
    ) -> Option<T> {
        let (head, body) = (self.engine.head(id).copied()?, self.column::<K>().row(id)?.clone());
        let me = me(&self.engine, &head);
        self.engine.begin();
        let result: Result<T, Failure> = contain(|| f(&body, &me, self));
        self.engine.end(Some(K::SPEC.name), handler, result.as_ref().err());
        result.ok()
    }

    /// What the bot of a body's seat holds in this tick; neutral when it fails. Its dice are its own: they follow from the
    /// room's generator, which they do not advance.
    pub(crate) fn bot_controls<K: Body<R>>(&mut self, id: BodyId) -> Controls {
        let seed = self.engine.rng.state() ^ (u64::from(self.engine.tick.0) << 32) ^ u64::from(id.0);
        let mut dice = Rng::new(seed);
        let input = self.ask_body::<K, R::Input>(id, "bot", |body, me, w| body.bot(me, w, &mut dice));
        input.map_or_else(Controls::default, |input| controls_of(&input))
    }
}

/// A seat's input in this tick, typed.
pub(crate) fn seat_input<R: Rules>(engine: &Engine, seat: Option<Seat>) -> R::Input {
    match seat.and_then(|seat| engine.seats.get(&seat)) {
        Some(state) => R::Input::read(&mut ControlReader::new(&state.held, state.pressed)),
        None => R::Input::read(&mut ControlReader::new(&Controls::default(), 0)),
    }
}

impl Engine {
    /// Whether a person decides for a seat.
    pub(crate) fn is_persons(&self, seat: Seat) -> bool {
        self.seats.get(&seat).is_some_and(|state| state.driver == Driver::Person)
    }

    /// The seats that a driver of this sort holds, with their bodies.
    pub(crate) fn driven_by(&self, driver: Driver) -> Vec<(Seat, BodyId)> {
        let driven = self.seats.iter().filter(|(_, state)| state.driver == driver);
        driven.filter_map(|(seat, state)| Some((*seat, state.body?))).collect()
    }
}
