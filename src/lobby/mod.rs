//! The Lobby's policy, sans-I/O. An object named `rooms/<game>` keeps the directory of a game's rooms; one named
//! `lease/<game>/<k>of16` keeps the leases of a sixteenth of its accounts.
//!
//! Absent: storage, clocks, calls to other objects; the platform performs what is returned here.

pub mod directory;
pub mod leases;
pub mod session;
