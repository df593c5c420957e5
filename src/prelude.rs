pub use crate::rules::prelude::*;
