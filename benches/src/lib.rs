//! What is measured: rooms made for it, behind functions that a native program and a wasm host call alike.
//!
//! `crowd`: bodies that walk into each other and slide along walls. `calls`: handlers that make one sort of context call
//! over and over, for the instructions behind a unit of fuel. Absent: clocks; whoever calls measures.

pub mod calls;
pub mod crowd;

use std::cell::RefCell;

use roundtable::rules::face::{Moment, Sim};

use crate::calls::CALLS;

thread_local! {
    static ROOM: RefCell<Option<Box<dyn Sim>>> = const { RefCell::new(None) };
}

fn keep(sim: Box<dyn Sim>) {
    ROOM.with(|room| *room.borrow_mut() = Some(sim));
}

/// Makes the crowd that `step` steps.
#[unsafe(no_mangle)]
pub extern "C" fn setup_crowd() {
    keep(crowd::room());
}

/// Makes a room of so many bodies for a sort of call (an index of `calls::CALLS`), so many in each of five handlers a tick.
#[unsafe(no_mangle)]
pub extern "C" fn setup_calls(sort: u32, times: u32, bodies: u32) {
    keep(calls::room(sort, times, bodies));
}

/// Where the name of a sort of call lies, and how long it is: 0 after the last.
#[unsafe(no_mangle)]
pub extern "C" fn name_at(sort: u32) -> *const u8 {
    CALLS.get(sort as usize).map_or(std::ptr::null(), |(name, _)| name.as_ptr())
}

#[unsafe(no_mangle)]
pub extern "C" fn name_length(sort: u32) -> usize {
    CALLS.get(sort as usize).map_or(0, |(name, _)| name.len())
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
