//! A second Worker, of games made for tests, by the same entry macro as the one that ships.

pub mod crowd;
pub mod fireflies;
#[path = "../../native/kitchen.rs"]
pub mod kitchen;
pub mod ledger;
pub mod trap;

#[cfg(target_arch = "wasm32")]
roundtable::entry! {
    "crowd" => crowd::Crowd,
    "fireflies" => fireflies::Fireflies,
    "kitchen" => kitchen::Kitchen,
    "ledger" => ledger::Ledger,
    "trap" => trap::Trap,
}
