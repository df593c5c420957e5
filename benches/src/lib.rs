//! What is measured: rooms made for it, behind three functions that a native program and a wasm host call alike.
//!
//! `crowd`: bodies that walk into each other and slide along walls. `calls`: a handler that makes one sort of context call
//! over and over, for the instructions behind a unit of fuel. Absent: clocks; whoever calls measures.

pub mod calls;
pub mod crowd;

use std::cell::RefCell;

use roundtable::rules::face::{Moment, Sim};

thread_local! {
    static ROOM: RefCell<Option<Box<dyn Sim>>> = const { RefCell::new(None) };
}

/// Makes the room that `step` steps. `what` below 1,000 is a sort of call (`calls::CALLS`), else the crowd.
#[unsafe(no_mangle)]
pub extern "C" fn setup(what: u32) {
    let sim = if what < 1_000 { calls::room(what) } else { crowd::room() };
    ROOM.with(|room| *room.borrow_mut() = Some(sim));
}

/// Runs ticks. Returns the room's digest, so that nothing is left out as unused.
#[unsafe(no_mangle)]
pub extern "C" fn step(ticks: u32) -> u64 {
    ROOM.with(|room| {
        let mut room = room.borrow_mut();
        let Some(sim) = room.as_mut() else { return 0 };
        for _ in 0..ticks {
            if sim.step(&Moment::default()).is_err() {
                return 0;
            }
            let _ = sim.drain();
        }
        sim.digest()
    })
}

/// Units of fuel that the costliest tick has used.
#[unsafe(no_mangle)]
pub extern "C" fn units() -> u32 {
    ROOM.with(|room| room.borrow().as_ref().map_or(0, |sim| sim.tally().max_tick_units))
}
