//! Choices with values, without names, that cannot be copied.
use roundtable::prelude::*;

#[derive(Choice, Clone, Copy)]
pub enum Valued {
    Bet(i32),
    Pass,
}

#[derive(Choice, Clone, Copy)]
pub enum Nothing {}

#[derive(Choice)]
pub enum Moved {
    Here,
    There,
}

fn main() {}
