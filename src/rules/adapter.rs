//! The generic adapter: an object-safe `Game` for every `R: Rules`.

use std::marker::PhantomData;

use crate::rules::character::Character;
use crate::rules::cut::{Cut, SaveError};
use crate::rules::engine::Engine;
use crate::rules::evolve;
use crate::rules::face::{Game, Note, Sim, Unfit};
use crate::rules::game::Rules;
use crate::rules::input::{Action, Input, check_controls};
use crate::rules::kinds::Kinds;
use crate::rules::must::must;
use crate::rules::save;
use crate::rules::schema::{Pace, Schema};
use crate::rules::step::RoomSim;
use crate::rules::world::World;

/// The face of a game, for the registry of an entry point.
#[must_use]
pub fn game<R: Rules>() -> &'static dyn Game {
    &Adapter::<R>(PhantomData)
}

/// A new room of a game, typed: what tests play in.
#[must_use]
pub fn open<R: Rules>(seed: u64, now_ms: u64) -> RoomSim<R> {
    let mut sim = RoomSim::new(World::new(Adapter::<R>(PhantomData).engine(seed, now_ms)));
    sim.open();
    sim
}

/// A room of a game as it was when `cut` was taken, typed.
///
/// # Errors
/// As `Game::restore`.
pub fn reopen<R: Rules>(cut: &Cut) -> Result<RoomSim<R>, SaveError> {
    // The seed is that of the save: the generator's state is a record.
    let mut engine = Adapter::<R>(PhantomData).engine(0, 0);
    save::restore(&mut engine, cut)?;
    Ok(RoomSim::new(World::new(engine)))
}

struct Adapter<R>(PhantomData<fn() -> R>);

impl<R: Rules> Adapter<R> {
    const CONTROLS_FIT: () = check_controls(<R::Input as Input>::CONTROLS);
    /// The room and the input say the same of what makes time go on.
    const PACE_FITS: () = match (R::ROOM.pace, <R::Input as Input>::ON_EVENT) {
        (Pace::OnEvent, false) => {
            must(false, "an event-driven room, so its input says so too: #[input(on_event)]")
        }
        (Pace::Ticks, true) => {
            must(false, "an `on_event` input, so its room says so too: .pace(Pace::OnEvent)")
        }
        _ => (),
    };

    fn engine(&self, seed: u64, now_ms: u64) -> Engine {
        Engine::new(self.schema(), R::Kinds::columns(), seed, now_ms)
    }
}

impl<R: Rules> Game for Adapter<R> {
    fn schema(&self) -> Schema {
        let () = Self::CONTROLS_FIT;
        let () = Self::PACE_FITS;
        let room = const { R::ROOM };
        Schema {
            kinds: R::Kinds::SPECS.to_vec(),
            controls: R::Input::CONTROLS.to_vec(),
            actions: <<R::Input as Input>::Action as Action>::ACTIONS,
            room,
        }
    }

    fn create(&self, seed: u64, now_ms: u64) -> Box<dyn Sim> {
        Box::new(open::<R>(seed, now_ms))
    }

    fn restore(&self, cut: &Cut) -> Result<Box<dyn Sim>, SaveError> {
        Ok(Box::new(reopen::<R>(cut)?))
    }

    fn fit_character(&self, character: &Character) -> Result<(Character, Vec<Note>), Unfit> {
        evolve::fit_character(R::Kinds::SPECS, &R::Kinds::columns(), character)
    }
}
