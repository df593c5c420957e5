//! Ways for a room or the Lobby to be wrong, one at a time, which the simulation (`tests/sim`) must notice.
//!
//! Compiled in by the feature `mutations` alone, which no wasm build has; without it `is` is a constant and every place
//! that asks vanishes. Each thread has a switch of its own, off at first.

#[cfg(all(feature = "mutations", target_arch = "wasm32"))]
compile_error!("a build with mutations is for native tests alone, never for a Worker or a page");

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mutation {
    /// Frames do not wait for the commit they rest on.
    PublishBeforeCommit,
    /// A restored room goes on in the epoch of the one before it.
    RestoreWithoutEpochRaise,
    /// A stop and a pause do not force the checkpoint that they need: it is written if it happens to be due.
    FoldWithoutForce,
    /// A row of the journal leaves out what is not durable.
    JournalDurableOnly,
    /// The loop runs before an alarm vouches for it.
    AlarmAfterTicks,
    /// The Lobby answers a grant that it has not written down.
    GrantBeforeCommit,
    /// A room forgets a character once its return was sent, and not only on the Lobby's word.
    ForgetBeforeWord,
    /// D1 takes whatever copy comes last.
    UnconditionalRecord,
    /// Copies are compared by their lease alone.
    CompareLeaseOnly,
    /// A room admits a grant that was called back while it was on its way.
    AdmitReleased,
    /// After the holder has answered, the Lobby goes by the row as it was when it asked.
    NoReread,
}

#[cfg(feature = "mutations")]
mod switch {
    use std::cell::Cell;

    use super::Mutation;

    thread_local! {
        static ON: Cell<Option<Mutation>> = const { Cell::new(None) };
    }

    /// From now on rooms of this thread are wrong in this way, or in none.
    pub fn set(mutation: Option<Mutation>) {
        ON.set(mutation);
    }

    /// Whether rooms of this thread are wrong in this way: for a model that stands for the platform.
    #[must_use]
    pub fn is_on(mutation: Mutation) -> bool {
        is(mutation)
    }

    pub(crate) fn is(mutation: Mutation) -> bool {
        ON.get() == Some(mutation)
    }
}

#[cfg(feature = "mutations")]
pub(crate) use switch::is;
#[cfg(feature = "mutations")]
pub use switch::{is_on, set};

#[cfg(not(feature = "mutations"))]
pub(crate) const fn is(_: Mutation) -> bool {
    false
}
