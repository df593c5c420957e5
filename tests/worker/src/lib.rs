//! A second Worker, of games made for tests, by the same entry macro as the one that ships.

pub mod ledger;
pub mod trap;

#[cfg(target_arch = "wasm32")]
roundtable::entry! {
    "ledger" => ledger::Ledger,
    "trap" => trap::Trap,
}
