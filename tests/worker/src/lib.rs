//! A second Worker, of games made for tests, by the same entry macro as the one that ships.

pub mod fireflies;
#[path = "../../native/kitchen.rs"]
pub mod kitchen;
pub mod ledger;
#[path = "../newcomer.rs"]
pub mod newcomer;
pub mod trap;

#[cfg(target_arch = "wasm32")]
roundtable::entry! {
    "fireflies" => fireflies::Fireflies,
    "kitchen" => kitchen::Kitchen,
    "ledger" => ledger::Ledger,
    "moles" => newcomer::Moles,
    "trap" => trap::Trap,
}
