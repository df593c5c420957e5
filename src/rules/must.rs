//! What must hold of a game before it is compiled to anything.

/// Ends the compilation with `why` unless it holds. In constants only: at the place that called, so that the message
/// points into the game where it can, and shows nothing of how it was checked.
///
/// # Panics
/// It does not hold.
#[track_caller]
pub const fn must(holds: bool, why: &'static str) {
    if !holds {
        panic!("{}", why)
    }
}
