//! Messages between objects about characters: Table and Lobby. JSON bodies of a request and its answer (`lease_json.rs`).
//!
//! | message | from → to | meaning |
//! |---|---|---|
//! | `grant` | Table → Lobby | this account wants in: lease its character to my room |
//! | `copy`, `return` | Table → Lobby | a copy of a held character; its last one, which brings it home |
//! | `confirm` | Table → Lobby | I was away for long: does this lease still stand |
//! | `revoke` | Lobby → Table | this lease was broken by force: drop what is held under it, and send nothing home |
//! | `break` | Worker → Lobby | an operator frees a character from its room, at worst by force |
//! | `look` | Worker → Lobby | where is this account's character, and what does its newest copy say |
//! | `forget` | Worker → Lobby | the account is deleted: take its character from whoever holds it, and keep none |
//! | `release` | Lobby → Table | give this lease back: another room wants the character, or its account is deleted |
//!
//! Each is idempotent by (account, game, lease, seq, kind) and carries `v`; a higher `v` is answered `busy`, unknown keys
//! are ignored. A lease's number is the fencing token: it rises for ever, and every copy of a character carries (lease,
//! seq), by which an older one is refused everywhere.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::limits::{OUTBOX_RETRY_MS_MAX, OUTBOX_RETRY_MS_MIN};
use crate::wire::lease_json::Flat;

/// Version of these messages.
pub const LEASE_VERSION: u32 = 1;

/// A character as it is kept and sent: its kind and fields by name, in the units of a snapshot.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct CharacterBody {
    pub kind: String,
    /// Metres: x, y, and z if it is not 0.
    pub at: Vec<f64>,
    /// Metres a second, likewise.
    pub velocity: Vec<f64>,
    /// 65,536ths of the circle.
    pub heading: u16,
    /// Fields by name, local ones included.
    pub f: Map<String, Value>,
}

/// The order of copies: by lease, then by seq within it. The newer one counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stamp {
    pub lease: u64,
    pub seq: u64,
}

/// What a Table, or the Worker, asks of the Lobby.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(into = "Flat", try_from = "Flat")]
pub enum LobbyRequest {
    Grant {
        v: u32,
        account: String,
        game: String,
        room: String,
    },
    Copy(Copy),
    Return(Copy),
    /// A restored room asks whether a lease still stands.
    Confirm {
        v: u32,
        account: String,
        game: String,
        room: String,
        lease: u64,
    },
    /// An operator frees the character from its room; with `force` also if that does not answer.
    Break {
        v: u32,
        account: String,
        game: String,
        force: bool,
    },
    Look {
        v: u32,
        account: String,
        game: String,
    },
    Forget {
        v: u32,
        account: String,
        game: String,
    },
}

impl LobbyRequest {
    /// Whose character of which game it is about.
    #[must_use]
    pub fn about(&self) -> (&str, &str) {
        match self {
            LobbyRequest::Grant { account, game, .. }
            | LobbyRequest::Confirm { account, game, .. }
            | LobbyRequest::Break { account, game, .. }
            | LobbyRequest::Look { account, game, .. }
            | LobbyRequest::Forget { account, game, .. } => (account, game),
            LobbyRequest::Copy(copy) | LobbyRequest::Return(copy) => (&copy.account, &copy.game),
        }
    }
}

/// Where a character is, and what the newest copy that the Lobby has of it says.
#[derive(Clone, Debug, PartialEq)]
pub struct Sight {
    /// A room holds it; else it is home.
    pub held: bool,
    /// That room, or the one its copy came from.
    pub room: String,
    /// Milliseconds since 1970, when it got there.
    pub since: u64,
    pub body: Option<CharacterBody>,
}

/// A copy of a character. `body` is null for a lease under which no body was ever made.
#[derive(Clone, Debug, PartialEq)]
pub struct Copy {
    pub v: u32,
    pub account: String,
    pub game: String,
    pub room: String,
    pub stamp: Stamp,
    /// Hash of the schema the body was written by, hexadecimal.
    pub schema: String,
    pub body: Option<CharacterBody>,
}

/// What the Lobby answers.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(into = "Flat", try_from = "Flat")]
pub enum LobbyAnswer {
    /// The lease is this room's. `body` is the newest copy there is; null for a new character.
    Granted { lease: u64, body: Option<CharacterBody> },
    /// Another operation of this account is under way, or its holder has not answered: ask again.
    Busy,
    /// The records cannot be reached: ask again.
    Away,
    /// The copy is taken, or older than what is here: forget it. The character is forgotten.
    Done,
    /// Leases of that room up to this number were broken by force: drop what is held under them.
    Revoked { lease: u64 },
    /// The character is home, to an operator who wanted it to be.
    Home,
    /// Its room does not give it back; from that time on it may be taken by force.
    Waits { force_at_ms: u64 },
    /// It was taken by force.
    Forced,
    /// The account was deleted: nobody is granted its character any more.
    Gone,
    /// What a look sees; null: a character that there is not.
    Seen { sight: Option<Sight> },
}

/// What the Lobby asks of a Table.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(into = "Flat", try_from = "Flat")]
pub enum TableRequest {
    Release {
        v: u32,
        account: String,
        game: String,
        lease: u64,
    },
    /// The lease was broken by force: drop what is held or returning under it.
    Revoke {
        v: u32,
        account: String,
        game: String,
        lease: u64,
    },
}

impl TableRequest {
    /// Version, account, game and lease.
    #[must_use]
    pub fn parts(&self) -> (u32, &str, &str, u64) {
        let (TableRequest::Release { v, account, game, lease }
        | TableRequest::Revoke { v, account, game, lease }) = self;
        (*v, account, game, *lease)
    }
}

/// What a Table answers.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(into = "Flat", try_from = "Flat")]
pub enum TableAnswer {
    /// The character as it was when it left, committed as returning.
    Released(Box<Copy>),
    /// Not held here, and no grant up to that number will be admitted any more.
    Absent,
    /// A message of a later version, or a failed write: ask again.
    Busy,
}

/// Milliseconds until a message that was not taken is sent again, after `failures` before it: doubling, to a most.
#[must_use]
pub fn retry_ms(failures: u32) -> u64 {
    OUTBOX_RETRY_MS_MIN.saturating_mul(1 << failures.min(20)).min(OUTBOX_RETRY_MS_MAX)
}
