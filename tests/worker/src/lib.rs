//! A second Worker, of games made for tests, by the same entry macro as the one that ships; and for a browser, the replays of
//! what ships and of the one that plays in space.

pub mod crowd;
pub mod fireflies;
pub mod hills;
#[path = "../../native/kitchen.rs"]
pub mod kitchen;
pub mod ledger;
#[path = "../newcomer.rs"]
pub mod newcomer;
#[path = "../../native/sky.rs"]
pub mod sky;
pub mod trap;

#[cfg(all(target_arch = "wasm32", feature = "worker"))]
roundtable::entry! {
    "crowd" => crowd::Crowd,
    "fireflies" => fireflies::Fireflies,
    "hills" => hills::first::Hills,
    "hills-two" => hills::second::Hills,
    "kitchen" => kitchen::Kitchen,
    "ledger" => ledger::Ledger,
    "moles" => newcomer::Moles,
    "sky" => sky::Sky,
    "trap" => trap::Trap,
}

/// The games of which nothing fails: a browser's build ends where a handler panics.
#[cfg(all(target_arch = "wasm32", feature = "replay"))]
fn replayed() -> roundtable::rules::face::Registry {
    let sky: roundtable::rules::face::Registry = &[("sky", roundtable::rules::adapter::game::<sky::Sky>)];
    [roundtable::games::GAMES, sky].concat().leak()
}

#[cfg(all(target_arch = "wasm32", feature = "replay"))]
roundtable::browser_entry!(replayed());
