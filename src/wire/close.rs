//! Close codes: every end of a connection has one, with a stable name. The numbers are those of
//! docs/protocol.md.

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $code:literal $text:literal, $retry:ident;)*) => {
        /// Why a connection ended.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum CloseCode { $($(#[$doc])* $name,)* }

        impl CloseCode {
            pub const ALL: &'static [CloseCode] = &[$(CloseCode::$name),*];

            #[must_use]
            pub const fn code(self) -> u16 {
                match self { $(CloseCode::$name => $code,)* }
            }

            /// Its stable name, for programs and counters.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(CloseCode::$name => $text,)* }
            }

            /// What a client does next.
            #[must_use]
            pub const fn retry(self) -> Retry {
                match self { $(CloseCode::$name => Retry::$retry,)* }
            }

            #[must_use]
            pub fn from_code(code: u16) -> Option<CloseCode> {
                match code { $($code => Some(CloseCode::$name),)* _ => None }
            }
        }
    };
}

/// What a client does after a close.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retry {
    /// At once, then with back-off.
    Now,
    /// With jittered back-off.
    Backoff,
    /// At the time in the reason, or after `LIMIT_WAIT_MS_MIN`.
    Later,
    /// Reload the page once.
    Reload,
    /// Never by itself: a button, or nothing.
    Never,
}

codes! {
    /// The client's own: the link broke.
    Lost = 4000 "lost", Now;
    /// No hello, or a bad one, within `HELLO_MS`.
    Hello = 4001 "hello", Never;
    /// Malformed, oversized or unknown.
    Message = 4002 "message", Never;
    Rate = 4003 "rate", Backoff;
    /// The client is older than the room: one reload.
    Older = 4004 "older", Reload;
    /// The client is newer than the room.
    Newer = 4005 "newer", Backoff;
    Full = 4006 "full", Later;
    /// The room has ended.
    Ended = 4007 "ended", Never;
    /// Nothing was heard for `SILENT_MS`.
    Silent = 4008 "silent", Now;
    /// Too far behind.
    Behind = 4009 "behind", Now;
    /// A session is needed.
    Session = 4010 "session", Never;
    Busy = 4011 "busy", Backoff;
    Returning = 4012 "returning", Backoff;
    Away = 4013 "away", Backoff;
    /// The seat or the character went to a newer connection.
    Taken = 4014 "taken", Never;
    Kicked = 4015 "kicked", Never;
    /// A write failed; the room comes back from its last commit.
    Storage = 4016 "storage", Backoff;
    Parked = 4017 "parked", Later;
    Limit = 4018 "limit", Later;
    Travel = 4019 "travel", Now;
    /// The input has not changed for `idle_s`.
    Idle = 4020 "idle", Never;
    /// Bad name or no such game.
    Room = 4021 "room", Never;
}

/// A close as the room says it: the code, and a reason that people can read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Close {
    pub code: CloseCode,
    reason: String,
}

impl Close {
    /// A reason longer than a WebSocket carries is cut at a character boundary.
    #[must_use]
    pub fn new(code: CloseCode, reason: impl Into<String>) -> Close {
        let mut reason: String = reason.into();
        let mut end = reason.len().min(crate::limits::REASON_BYTES_MAX);
        while !reason.is_char_boundary(end) {
            end -= 1;
        }
        reason.truncate(end);
        Close { code, reason }
    }

    #[must_use]
    pub fn reason(&self) -> &str {
        &self.reason
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::REASON_BYTES_MAX;

    /// F9
    #[test]
    fn codes_are_those_of_the_protocol_each_with_its_own_name() {
        let codes: Vec<u16> = CloseCode::ALL.iter().map(|code| code.code()).collect();
        assert_eq!(codes, (4000..=4021).collect::<Vec<u16>>());
        let mut names: Vec<&str> = CloseCode::ALL.iter().map(|code| code.name()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), CloseCode::ALL.len());
        assert!(CloseCode::ALL.iter().all(|code| CloseCode::from_code(code.code()) == Some(*code)));
        assert_eq!(CloseCode::from_code(1006), None);
    }

    #[test]
    fn a_reason_is_cut_at_a_character_to_what_a_socket_carries() {
        let close = Close::new(CloseCode::Full, "ü".repeat(100));
        assert_eq!(close.reason(), "ü".repeat(61));
        assert_eq!(Close::new(CloseCode::Full, "full").reason(), "full");
        assert_eq!(Close::new(CloseCode::Full, "x".repeat(200)).reason().len(), REASON_BYTES_MAX);
    }
}
