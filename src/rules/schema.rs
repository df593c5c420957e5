//! What a game declares: kinds and their fields, controls, map, room. Plain data, made once per room by the adapter.
//!
//! Everything below `games` works from this: saves carry its hash, the wire shows it to clients, the page draws from it.

use crate::rules::map::Map;

/// All that a game declares.
#[derive(Clone, Debug)]
pub struct Schema {
    pub kinds: Vec<KindSpec>,
    pub controls: Vec<ControlSpec>,
    pub room: Room,
}

/// A kind of body.
#[derive(Clone, Copy, Debug)]
pub struct KindSpec {
    pub name: &'static str,
    pub player: bool,
    /// Metres.
    pub radius: f64,
    /// How it is drawn: a shape and a colour, such as `disc #4af`.
    pub look: &'static str,
    /// The field drawn as a bar over the body, if any.
    pub bar: Option<&'static str>,
    pub fields: &'static [FieldSpec],
}

/// A field of a kind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FieldSpec {
    pub name: &'static str,
    pub ty: FieldType,
    /// A change of it is committed in the tick that made it.
    pub durable: bool,
    /// It is what the round is won by.
    pub score: bool,
    /// Kept and saved, but sent to nobody.
    pub local: bool,
}

/// The type of a field, with its bounds. A value of any of them is one `i32` in saves and snapshots.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FieldType {
    Bool,
    /// A whole number from `min` to `max`, both included.
    Int {
        min: i32,
        max: i32,
    },
    /// A real from `min` to `max`, stored as whole steps of `1 / per_unit`.
    Real {
        min: i32,
        max: i32,
        per_unit: i32,
    },
}

/// A control of a game's input. `words` 16-bit words carry its value, in the order of the declaration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ControlSpec {
    pub name: &'static str,
    pub how: ControlType,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ControlType {
    /// A vector in the unit disc: two words, each -127 to 127.
    Stick,
    /// An angle: one word, the whole circle being 65,536 steps.
    Aim,
    /// Down or up: one word, 0 or 1.
    Button,
}

impl ControlType {
    /// Words its value takes.
    #[must_use]
    pub const fn words(self) -> usize {
        match self {
            ControlType::Stick => 2,
            ControlType::Aim | ControlType::Button => 1,
        }
    }

    /// Its name on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            ControlType::Stick => "stick",
            ControlType::Aim => "aim",
            ControlType::Button => "button",
        }
    }
}

/// How long a room lives and what a crash may undo.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lifetime {
    /// Rounds that end; frames go out at once and the room is saved at intervals.
    Match,
    /// A lasting world: no frame goes out before its tick is committed.
    Persistent,
}

/// What a game says of its room. Built with `Room::rounds` or `Room::lasting`.
#[derive(Clone, Debug)]
pub struct Room {
    pub lifetime: Lifetime,
    pub seats: u16,
    /// Ticks a second.
    pub hz: u32,
    /// Seconds of a round; 0 is a round without end.
    pub round_s: u32,
    /// Seconds between two rounds.
    pub break_s: u32,
    /// Seconds a seat is kept for a lost connection.
    pub grace_s: u32,
    /// Seconds of unchanged input until a player is closed as idle; 0 is never.
    pub idle_s: u32,
    pub map: Map,
    /// Effects the rules may make, with how they are shown, such as `("hit", "burst #f44")`.
    pub effects: &'static [(&'static str, &'static str)],
}

impl Room {
    const PLAIN: Room = Room {
        lifetime: Lifetime::Match,
        seats: 8,
        hz: 20,
        round_s: 0,
        break_s: 8,
        grace_s: (crate::limits::GRACE_MS / 1000) as u32,
        idle_s: (crate::limits::IDLE_MS / 1000) as u32,
        map: Map::flat(40, 40),
        effects: &[],
    };

    /// A match room playing rounds of `seconds`.
    #[must_use]
    pub const fn rounds(seconds: u32) -> Room {
        Room { round_s: seconds, ..Room::PLAIN }
    }

    /// A lasting world: commits what is durable before anyone sees it.
    #[must_use]
    pub const fn lasting() -> Room {
        Room { lifetime: Lifetime::Persistent, ..Room::PLAIN }
    }

    /// How many may play at once.
    #[must_use]
    pub const fn seats(mut self, seats: u16) -> Room {
        assert!(seats > 0 && seats <= crate::limits::SEATS_MAX, "a room has 1 to 512 seats");
        self.seats = seats;
        self
    }

    /// Seconds between two rounds.
    #[must_use]
    pub const fn breaks(mut self, seconds: u32) -> Room {
        self.break_s = seconds;
        self
    }

    /// Seconds a seat is kept for a player whose connection was lost.
    #[must_use]
    pub const fn grace(mut self, seconds: u32) -> Room {
        self.grace_s = seconds;
        self
    }

    #[must_use]
    pub const fn map(mut self, map: Map) -> Room {
        self.map = map;
        self
    }

    /// The effects the rules make, with how each is shown.
    #[must_use]
    pub const fn effects(mut self, effects: &'static [(&'static str, &'static str)]) -> Room {
        self.effects = effects;
        self
    }
}
