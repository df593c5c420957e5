//! What a game declares: kinds and their fields, controls, map, room. Plain data, made once per room by the adapter.
//!
//! Everything below `games` works from this: saves carry its hash, the wire shows it to clients, the page draws from it.

use crate::rules::map::Map;
use crate::rules::must::must;
use crate::rules::vec2::Vec2;

/// All that a game declares.
#[derive(Clone, Debug)]
pub struct Schema {
    pub kinds: Vec<KindSpec>,
    pub controls: Vec<ControlSpec>,
    pub actions: &'static [ActionSpec],
    pub room: Room,
}

/// A kind of body.
#[derive(Clone, Copy, Debug)]
pub struct KindSpec {
    pub name: &'static str,
    /// Former names, so that a save that has one still opens.
    pub was: &'static [&'static str],
    pub player: bool,
    /// One row of the room itself rather than bodies: shared state.
    pub shared: bool,
    /// Metres.
    pub radius: f64,
    /// Greatest speed, metres a second; 0 is any.
    pub speed: f64,
    /// Greatest rate of turning, radians a second; 0 is any.
    pub turn: f64,
    /// Solid bodies push each other apart.
    pub solid: bool,
    /// Where its bodies were is remembered for `HISTORY_MS`, for `World::past`.
    pub rewind: bool,
    /// A seat's own client moves it; the server checks what it claims.
    pub owner_moved: bool,
    /// `upgrade` makes a row of a save whose fields do not convert by themselves.
    pub upgrades: bool,
    /// How it is drawn: a shape and a colour, such as `disc #4af`, or `sprite <file>` under `web/games/<game>/`.
    pub look: &'static str,
    /// The field written under the body, if any.
    pub label: Option<&'static str>,
    /// The field drawn as a bar over the body, if any.
    pub bar: Option<&'static str>,
    pub fields: &'static [FieldSpec],
}

impl KindSpec {
    /// A kind with nothing but a name; the rest is as a derive fills it in when a game says nothing.
    pub const PLAIN: KindSpec = KindSpec {
        name: "",
        was: &[],
        player: false,
        shared: false,
        radius: 0.5,
        speed: 0.0,
        turn: 0.0,
        solid: false,
        rewind: false,
        owner_moved: false,
        upgrades: false,
        look: "disc #8a94a6",
        label: None,
        bar: None,
        fields: &[],
    };
}

/// A field of a kind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FieldSpec {
    pub name: &'static str,
    /// Former names, so that a save that has one still opens.
    pub was: &'static [&'static str],
    pub ty: FieldType,
    /// A change of it is committed in the tick that made it.
    pub durable: bool,
    /// It is what the round is won by.
    pub score: bool,
    /// Kept and saved, but sent to nobody.
    pub local: bool,
    /// Sent to the body's own seat alone.
    pub private: bool,
    /// Shown to the body's own seat at the edge of the screen.
    pub hud: bool,
}

impl FieldSpec {
    /// A field of which nothing is said but its name and type.
    #[must_use]
    pub const fn plain(name: &'static str, ty: FieldType) -> FieldSpec {
        FieldSpec {
            name,
            was: &[],
            ty,
            durable: false,
            score: false,
            local: false,
            private: false,
            hud: false,
        }
    }

    /// Whether everyone may see it.
    #[must_use]
    pub const fn is_public(&self) -> bool {
        !self.local && !self.private
    }
}

/// The type of a field, with its bounds. A value is a run of `i32` words in saves, snapshots and action arguments:
/// one word unless said otherwise.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FieldType {
    /// 0 or 1.
    Bool,
    /// A whole number from `min` to `max`, both included.
    Int { min: i32, max: i32 },
    /// A real from `min` to `max`, stored as whole steps of `1 / per_unit`.
    Real { min: i32, max: i32, per_unit: i32 },
    /// Two words: x and y, each from `-max` to `max` in steps of `1 / per_unit`.
    Vector { max: i32, per_unit: i32 },
    /// 65,536ths of the circle.
    Angle,
    /// One of these names, by its place among them.
    Choice { names: &'static [&'static str] },
    /// At most `chars` characters: their number, then a word for each.
    Text { chars: u16 },
    /// A seat and 1, or 0 for none.
    Seat,
    /// A body's id, or 0 for none.
    Body,
    /// At most `max` values of one type: their number, then the words of each.
    List { of: &'static FieldType, max: u16 },
}

impl FieldType {
    /// The least and the greatest value of each of its words; of a text or a list, of its first word, the length.
    #[must_use]
    pub const fn bounds(self) -> (i32, i32) {
        match self {
            FieldType::Bool => (0, 1),
            FieldType::Int { min, max } => (min, max),
            FieldType::Real { min, max, per_unit } => (min * per_unit, max * per_unit),
            FieldType::Vector { max, per_unit } => (-max * per_unit, max * per_unit),
            FieldType::Angle => (0, 65_535),
            FieldType::Choice { names } => (0, names.len() as i32 - 1),
            FieldType::Text { chars } => (0, chars as i32),
            FieldType::Seat => (0, crate::limits::SEATS_MAX as i32),
            FieldType::Body => (0, i32::MAX),
            FieldType::List { max, .. } => (0, max as i32),
        }
    }

    /// How many words of `words` its value takes; none when they end before it does or its length is out of bounds.
    #[must_use]
    pub fn run(self, words: &[i32]) -> Option<usize> {
        let length = |max: u16| usize::try_from(*words.first()?).ok().filter(|n| *n <= usize::from(max));
        let taken = match self {
            FieldType::Vector { .. } => 2,
            FieldType::Text { chars } => 1 + length(chars)?,
            FieldType::List { of, max } => {
                let mut taken = 1;
                for _ in 0..length(max)? {
                    taken += of.run(words.get(taken..)?)?;
                }
                taken
            }
            _ => 1,
        };
        (taken <= words.len()).then_some(taken)
    }

    /// Words that a value takes at most.
    #[must_use]
    pub const fn words_max(self) -> usize {
        match self {
            FieldType::Vector { .. } => 2,
            FieldType::Text { chars } => 1 + chars as usize,
            FieldType::List { of, max } => 1 + max as usize * of.words_max(),
            _ => 1,
        }
    }
}

/// Walks the words of a row: each field with its own run. Ends early when the words do not fit the fields.
pub fn runs<'a>(
    fields: &'static [FieldSpec],
    mut words: &'a [i32],
) -> impl Iterator<Item = (&'static FieldSpec, &'a [i32])> {
    fields.iter().map_while(move |field| {
        let (run, rest) = words.split_at(field.ty.run(words)?);
        words = rest;
        Some((field, run))
    })
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
    /// A whole number from `min` to `max`: one word, how far above the neutral value it is (the one nearest to 0).
    Int { min: i16, max: i16 },
    /// One of these names, by its place among them; the first is neutral.
    Choice { names: &'static [&'static str] },
}

impl ControlType {
    /// Words its value takes.
    #[must_use]
    pub const fn words(self) -> usize {
        match self {
            ControlType::Stick => 2,
            _ => 1,
        }
    }

    /// The value whose word is 0: of a whole number the one nearest to 0, of a choice the first.
    #[must_use]
    pub const fn neutral(self) -> i32 {
        match self {
            ControlType::Int { min, .. } if min > 0 => min as i32,
            ControlType::Int { max, .. } if max < 0 => max as i32,
            _ => 0,
        }
    }

    /// Its name on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            ControlType::Stick => "stick",
            ControlType::Aim => "aim",
            ControlType::Button => "button",
            ControlType::Int { .. } => "int",
            ControlType::Choice { .. } => "enum",
        }
    }
}

/// Something a player does once, with typed arguments.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ActionSpec {
    pub name: &'static str,
    pub args: &'static [ArgSpec],
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ArgSpec {
    pub name: &'static str,
    pub ty: FieldType,
}

/// How long a room lives and what a crash may undo.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lifetime {
    /// Rounds that end; frames go out at once and the room is saved at intervals.
    Match,
    /// A lasting world: no frame goes out before its tick is committed.
    Persistent,
}

/// What makes a room's time go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// A tick each period.
    Ticks,
    /// A step for each action, join, leave and due timer, and for nothing else: cards and boards. Timers are in
    /// milliseconds, nothing moves, and the object sleeps in between.
    OnEvent,
}

/// What a page shows of the map.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Camera {
    /// All of it.
    Whole,
    /// The player's own body in the middle, with so many metres across the shorter side of the screen.
    Follow(f64),
    /// Always the same part: its middle, and metres across the shorter side.
    Fixed(Vec2, f64),
}

/// What a game says of its room. Built with `Room::rounds` or `Room::lasting`.
#[derive(Clone, Debug)]
pub struct Room {
    pub lifetime: Lifetime,
    /// What a seat plays is its account's character, kept between rooms.
    pub characters: bool,
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
    pub pace: Pace,
    /// Bots take free seats until so many are held; they give way to people.
    pub bots: u16,
    /// The most that players may ask for by `hello.bots`.
    pub bots_asked_max: u16,
    /// Rows a day (UTC) from which on what only moved is committed more seldom.
    pub rows_per_day: u32,
    pub map: Map,
    pub camera: Camera,
    /// Effects and areas that the rules make, with how they are shown, such as `("hit", "burst #f44 sound:thud")`.
    pub effects: &'static [(&'static str, &'static str)],
}

impl Room {
    const PLAIN: Room = Room {
        lifetime: Lifetime::Match,
        characters: false,
        seats: 8,
        hz: 20,
        round_s: 0,
        break_s: 8,
        grace_s: (crate::limits::GRACE_MS / 1000) as u32,
        idle_s: (crate::limits::IDLE_MS / 1000) as u32,
        pace: Pace::Ticks,
        bots: 0,
        bots_asked_max: 0,
        rows_per_day: crate::limits::ROWS_PER_DAY,
        map: Map::flat(40, 40),
        camera: Camera::Whole,
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

    /// Who plays has a character, which the account keeps between rooms.
    ///
    /// # Panics
    /// In a match room: at compile time, in the constant a game declares. What a match undoes in a crash, no character
    /// may lose.
    #[must_use]
    #[track_caller]
    pub const fn characters(mut self) -> Room {
        must(
            matches!(self.lifetime, Lifetime::Persistent),
            "what a crash undoes of a match, no character may lose: characters need a lasting room, Room::lasting()",
        );
        self.characters = true;
        self
    }

    /// How many may play at once.
    #[must_use]
    #[track_caller]
    pub const fn seats(mut self, seats: u16) -> Room {
        must(seats > 0 && seats <= crate::limits::SEATS_MAX, "a room has 1 to 512 seats");
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

    /// What makes time go on. An event-driven game says so of its input as well: `#[input(on_event)]`.
    #[must_use]
    pub const fn pace(mut self, pace: Pace) -> Room {
        self.pace = pace;
        self
    }

    /// Bots take free seats until `seats` are held; they give way to people.
    #[must_use]
    pub const fn bots(mut self, seats: u16) -> Room {
        self.bots = seats;
        self
    }

    /// Players may ask for bots, until at most `seats` are held.
    #[must_use]
    pub const fn bots_on_request(mut self, seats: u16) -> Room {
        self.bots_asked_max = seats;
        self
    }

    /// How many rows the room may write a day (UTC). Before they are used up, what only moved is committed more seldom; what
    /// is durable never is.
    #[must_use]
    #[track_caller]
    pub const fn rows_per_day(mut self, rows: u32) -> Room {
        must(rows > 0, "a room writes at least a row a day");
        self.rows_per_day = rows;
        self
    }

    /// What a page shows of the map.
    #[must_use]
    pub const fn camera(mut self, camera: Camera) -> Room {
        self.camera = camera;
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
