//! What a game file imports: `use roundtable::prelude::*;`.

pub use crate::rules::prelude::*;
