//! Containment: a handler that fails ends there, with its message, and the room goes on.
//!
//! Works where panics unwind: natively and in the Worker's wasm. The browser's build aborts instead and the page makes
//! a new instance. A handler that loops for ever without calling the context is not stopped by this.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use crate::limits::FAULT_CHARS_MAX;
use crate::rules::fuel::OutOfFuel;

/// Why a handler ended early.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// It panicked, or said itself that it fails; the message, cut to `FAULT_CHARS_MAX`.
    Failed(String),
    /// Its fuel is used up.
    Stopped,
}

impl Failure {
    /// What went wrong, for people.
    #[must_use]
    pub fn message(&self) -> &str {
        match self {
            Failure::Failed(message) => message,
            Failure::Stopped => "it used up its fuel",
        }
    }
}

/// What `World::fail` unwinds with: an error the rules found, which is no panic and writes no trace.
struct Failed(String);

/// Ends the handler that runs, with an error of its own.
pub fn fail(why: String) -> ! {
    resume_unwind(Box::new(Failed(why)))
}

/// Runs `handler`; its failure comes back. What it may have half done, the caller undoes: every change goes through the
/// engine's undo log or a copy, which is why asserting unwind safety is sound.
///
/// # Errors
/// Whatever ended the handler early.
pub fn contain<T>(handler: impl FnOnce() -> T) -> Result<T, Failure> {
    catch_unwind(AssertUnwindSafe(handler)).map_err(|payload| failure(payload.as_ref()))
}

fn failure(payload: &(dyn Any + Send)) -> Failure {
    if payload.is::<OutOfFuel>() {
        return Failure::Stopped;
    }
    let said = payload.downcast_ref::<Failed>().map(|failed| failed.0.as_str());
    let text = said
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .or_else(|| payload.downcast_ref::<&str>().copied())
        .unwrap_or("panicked");
    Failure::Failed(text.chars().take(FAULT_CHARS_MAX).collect())
}
