//! Containment: a handler that panics ends there, with its message, and the room goes on.
//!
//! Works where panics unwind: natively and in the Worker's wasm. The browser's build aborts instead and the page makes
//! a new instance. A handler that loops for ever without calling the context is not stopped by this.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::limits::FAULT_CHARS_MAX;

/// Runs `handler`; its panic comes back as a message. What it may have half done, the caller undoes: every change goes
/// through the engine's undo log or a copy, which is why asserting unwind safety is sound.
///
/// # Errors
/// The panic's message, cut to `FAULT_CHARS_MAX`.
pub fn contain<T>(handler: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(handler)).map_err(|payload| message(payload.as_ref()))
}

fn message(payload: &(dyn Any + Send)) -> String {
    let text = payload
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| payload.downcast_ref::<&str>().copied())
        .unwrap_or("panicked");
    text.chars().take(FAULT_CHARS_MAX).collect()
}
