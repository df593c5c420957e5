//! Faults that a test asks for: late alarms, failing writes, records out of reach. Compiled into what ships,
//! so that what is tested is what ships, and dead unless the environment binds `TEST_KEY`, which only the
//! test harness does (`make deploy` refuses it).
//!
//! They are kept in memory: a restarted object has none.

use std::cell::Cell;

use serde::Deserialize;
use worker::Env;

use crate::platform::log::{break_console, console_log};

/// What a test asks for, as JSON with a `kind`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Fault {
    /// Every alarm is armed this much late from now on.
    LateAlarm { ms: u64 },
    /// The COMMIT of the next tick's write fails: a deferred foreign key is violated in it.
    FailCommit,
    /// The next tick's write throws after its first statement.
    FailWrite,
    /// The next tick's write is refused as at the end of a day's allowance.
    Limit,
    /// The next tick panics in the host.
    PanicHost,
    /// Every step panics in the host from now on, also after a restore.
    PanicAlways { on: bool },
    /// The room answers the Lobby nothing.
    Deaf { on: bool },
}

/// What a test asks for in the whole isolate, as JSON with a `kind`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum IsolateFault {
    /// D1 neither reads nor writes for lease objects.
    D1Away { on: bool },
    /// The console throws.
    LogThrows,
}

thread_local! {
    static D1_AWAY: Cell<bool> = const { Cell::new(false) };
}

/// Sets a fault of the isolate. Only for who has shown the test key.
pub fn set_isolate(fault: IsolateFault) {
    match fault {
        IsolateFault::D1Away { on } => {
            console_log!("fault: D1 is {}", if on { "away" } else { "back" });
            D1_AWAY.set(on);
        }
        IsolateFault::LogThrows => break_console(),
    }
}

/// A test has put D1 out of reach.
pub fn d1_is_away() -> bool {
    D1_AWAY.get()
}

/// How a write is made to fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteFault {
    Commit,
    Statement,
    Limit,
}

#[derive(Default)]
pub struct Faults {
    late_alarm_ms: Cell<u64>,
    write: Cell<Option<WriteFault>>,
    panic_host: Cell<bool>,
    panic_always: Cell<bool>,
    deaf: Cell<bool>,
    /// A failing write was issued: the next send is logged, for the test to see that it was called.
    log_send: Cell<bool>,
}

/// The key that opens the hooks, if they are open at all.
pub fn test_key(env: &Env) -> Option<String> {
    env.var("TEST_KEY").ok().map(|key| key.to_string()).filter(|key| !key.is_empty())
}

impl Faults {
    pub fn set(&self, fault: Fault) {
        match fault {
            Fault::LateAlarm { ms } => self.late_alarm_ms.set(ms),
            Fault::FailCommit => self.write.set(Some(WriteFault::Commit)),
            Fault::FailWrite => self.write.set(Some(WriteFault::Statement)),
            Fault::Limit => self.write.set(Some(WriteFault::Limit)),
            Fault::PanicHost => self.panic_host.set(true),
            Fault::PanicAlways { on } => self.panic_always.set(on),
            Fault::Deaf { on } => self.deaf.set(on),
        }
    }

    pub fn late_alarm_ms(&self) -> u64 {
        self.late_alarm_ms.get()
    }

    /// The fault of a tick's write, once.
    pub fn take_write(&self, seq: u64) -> Option<WriteFault> {
        let fault = self.write.take()?;
        console_log!("fault: {fault:?} in the write seq={seq}");
        Some(fault)
    }

    pub fn write_issued(&self, seq: u64) {
        console_log!("fault: write issued seq={seq}");
        self.log_send.set(true);
    }

    pub fn sending(&self) {
        if self.log_send.take() {
            console_log!("fault: send called");
        }
    }

    pub fn is_deaf(&self) -> bool {
        self.deaf.get()
    }

    /// Panics if a test asked for it.
    pub fn panic_if_asked(&self) {
        let panics = self.panic_host.take() || self.panic_always.get();
        assert!(!panics, "fault: the host panics, as asked");
    }
}
