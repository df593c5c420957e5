//! Native tests: whole rooms run by the rules alone, and the shape of the source tree. One fast binary.

mod allocated;
mod arena;
mod check_save;
mod compile;
mod derives;
mod drained;
mod fixtures;
mod flat;
mod golden;
mod isle;
mod kitchen;
mod leases;
mod new;
mod newcomer;
#[path = "../../examples/replay/play.rs"]
mod play;
mod recorded;
mod refused;
mod rules;
mod runtime;
mod saves;
mod script;
#[path = "../../examples/replay/show.rs"]
mod show;
mod sky;
mod stages;
mod sync;
mod tidy;
mod tutorial;
