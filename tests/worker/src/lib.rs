//! A second Worker, of games made for tests, by the same entry macro as the one that ships.

pub mod fireflies;
#[path = "../../native/kitchen.rs"]
pub mod kitchen;
pub mod ledger;
pub mod trap;

#[cfg(target_arch = "wasm32")]
roundtable::entry! {
    "fireflies" => fireflies::Fireflies,
    "kitchen" => kitchen::Kitchen,
    "ledger" => ledger::Ledger,
    "trap" => trap::Trap,
}
