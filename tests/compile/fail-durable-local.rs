//! A field that is to outlive a crash and that nobody ever saw.
use roundtable::prelude::*;

#[derive(Kind, Clone, Default)]
#[kind(player)]
pub struct Runner {
    #[durable]
    #[local]
    coins: Int<0, 9999>,
}

fn main() {}
