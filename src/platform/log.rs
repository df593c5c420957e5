//! The log: the console, which may throw and takes nothing down with it (B42).
//!
//! `worker`'s own macros call the console unguarded: what it throws would end whatever the line was about.

use wasm_bindgen::prelude::{Closure, JsValue, wasm_bindgen};
use worker::js_sys::{Reflect, global};

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = console, js_name = log, catch)]
    fn log(line: &str) -> Result<(), JsValue>;
    #[wasm_bindgen(js_namespace = console, js_name = error, catch)]
    fn error(line: &str) -> Result<(), JsValue>;
    #[wasm_bindgen(js_namespace = console, js_name = debug, catch)]
    fn debug(line: &str) -> Result<(), JsValue>;
}

/// How loud a line is.
#[derive(Clone, Copy)]
pub enum Level {
    Debug,
    Log,
    Error,
}

/// Writes a line; one that the console does not take is lost.
pub fn say(level: Level, line: &str) {
    let _ = match level {
        Level::Debug => debug(line),
        Level::Log => log(line),
        Level::Error => error(line),
    };
}

/// Makes the console throw from now on, in the whole isolate: for a test.
pub fn break_console() {
    let throws =
        Closure::<dyn FnMut() -> Result<(), JsValue>>::new(|| Err(JsValue::from_str("no log today")));
    let throws = throws.into_js_value();
    let console = Reflect::get(&global(), &"console".into()).unwrap_or_default();
    for name in ["log", "error", "debug"] {
        let _ = Reflect::set(&console, &name.into(), &throws);
    }
}

macro_rules! console_debug {
    ($($said:tt)*) => { $crate::platform::log::say($crate::platform::log::Level::Debug, &format!($($said)*)) };
}

macro_rules! console_log {
    ($($said:tt)*) => { $crate::platform::log::say($crate::platform::log::Level::Log, &format!($($said)*)) };
}

macro_rules! console_error {
    ($($said:tt)*) => { $crate::platform::log::say($crate::platform::log::Level::Error, &format!($($said)*)) };
}

pub(crate) use {console_debug, console_error, console_log};
