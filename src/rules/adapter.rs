//! The generic adapter: an object-safe `Game` for every `R: Rules`.

use std::marker::PhantomData;

use crate::limits::{CONTROL_WORDS_MAX, CONTROLS_MAX};
use crate::rules::character::Character;
use crate::rules::cut::{Cut, SaveError};
use crate::rules::engine::Engine;
use crate::rules::evolve;
use crate::rules::face::{Game, Note, Sim, Unfit};
use crate::rules::game::Rules;
use crate::rules::input::{Action, Input};
use crate::rules::kinds::Kinds;
use crate::rules::save;
use crate::rules::schema::Schema;
use crate::rules::step::RoomSim;
use crate::rules::world::World;

/// The face of a game, for the registry of an entry point.
#[must_use]
pub fn game<R: Rules>() -> &'static dyn Game {
    &Adapter::<R>(PhantomData)
}

struct Adapter<R>(PhantomData<fn() -> R>);

impl<R: Rules> Adapter<R> {
    const CONTROLS_FIT: () = {
        let controls = <R::Input as Input>::CONTROLS;
        assert!(controls.len() <= CONTROLS_MAX, "an input has at most 16 controls");
        let (mut words, mut i) = (0, 0);
        while i < controls.len() {
            words += controls[i].how.words();
            i += 1;
        }
        assert!(words <= CONTROL_WORDS_MAX, "an input's controls take at most 16 words (a stick takes two)");
    };

    fn engine(&self, seed: u64, now_ms: u64) -> Engine {
        Engine::new(self.schema(), R::Kinds::columns(), seed, now_ms)
    }
}

impl<R: Rules> Game for Adapter<R> {
    fn schema(&self) -> Schema {
        let () = Self::CONTROLS_FIT;
        let room = const { R::ROOM };
        Schema {
            kinds: R::Kinds::SPECS.to_vec(),
            controls: R::Input::CONTROLS.to_vec(),
            actions: <<R::Input as Input>::Action as Action>::ACTIONS,
            room,
        }
    }

    fn create(&self, seed: u64, now_ms: u64) -> Box<dyn Sim> {
        let mut sim = RoomSim::<R>::new(World::new(self.engine(seed, now_ms)));
        sim.open();
        Box::new(sim)
    }

    fn restore(&self, cut: &Cut) -> Result<Box<dyn Sim>, SaveError> {
        // The seed is that of the save: the generator's state is a record.
        let mut engine = self.engine(0, 0);
        save::restore(&mut engine, cut)?;
        Ok(Box::new(RoomSim::<R>::new(World::new(engine))))
    }

    fn fit_character(&self, character: &Character) -> Result<(Character, Vec<Note>), Unfit> {
        evolve::fit_character(R::Kinds::SPECS, &R::Kinds::columns(), character)
    }
}
