//! What a game maker writes: `Rules` for the room, `Body` for each kind. The rest of a game file is data.
//!
//! Handlers get one context, `World`. One that panics loses the changes of that call, is counted and named, and the room
//! goes on. Absent: clocks, sockets, accounts, storage.

use std::marker::PhantomData;

use crate::limits::REFUSAL_CHARS_MAX;
use crate::rules::engine::Place;
use crate::rules::face::{Driver, SeatInfo};
use crate::rules::ids::{BodyId, Seat};
use crate::rules::input::Input;
use crate::rules::kind::{Kind, kind_index};
use crate::rules::kinds::Kinds;
use crate::rules::map::Map;
use crate::rules::must::must;
use crate::rules::rng::Rng;
use crate::rules::schema::Room;
use crate::rules::vec2::Vec2;
use crate::rules::world::World;

/// A game.
#[allow(unused_variables)]
pub trait Rules: Sized + 'static {
    /// Every kind of body there is, as a tuple.
    type Kinds: Kinds<Self>;
    /// What a player holds, and (by `#[input(actions = …)]`) does.
    type Input: Input;
    const ROOM: Room;

    /// The room is made, before anyone joins.
    fn open(w: &mut World<Self>) {}
    /// A lasting room that slept for `away_ms` goes on.
    fn resume(w: &mut World<Self>, away_ms: u64) {}
    /// A seat is taken, or its body is made again for a new round: what body, and where.
    fn join(w: &mut World<Self>, seat: &SeatInfo) -> Entry<Self>;
    /// A seat is left; its body is gone already.
    fn leave(w: &mut World<Self>, seat: &SeatInfo) {}
    /// Each tick of a live round, after the bodies' own.
    fn tick(w: &mut World<Self>) {}
    /// A timer that the room set (`World::after`) is due.
    fn timer(w: &mut World<Self>, name: &str) {}
    /// A round begins: seats have their bodies.
    fn round_start(w: &mut World<Self>) {}
    /// A live round is over.
    fn round_end(w: &mut World<Self>) {}
}

/// The action type of a game.
pub type ActionOf<R> = <<R as Rules>::Input as Input>::Action;
/// What a game's `steer` may change: `Motion`; in an event-driven game nothing moves, and it is
/// `NoMovementInEventDrivenGame`.
pub type MotionOf<R> = <<R as Rules>::Input as Input>::Motion;

/// What bodies of a kind do in a game. Handlers change `self`, which is written back, in bounds, when they succeed.
#[diagnostic::on_unimplemented(
    message = "nothing says what the bodies of `{Self}` do in this game",
    note = "each kind of `type Kinds` has an `impl Body<…>`, empty if they do nothing: `impl Body<{R}> for {Self} {{}}`"
)]
#[allow(unused_variables)]
pub trait Body<R: Rules>: Kind {
    /// Movement: pure, the same in the Table and in the browser.
    fn steer(&self, motion: &mut MotionOf<R>, input: &R::Input, map: &Map) {}
    /// The body is in the world: spawned, or joined.
    fn spawn(&mut self, me: &Me, w: &mut World<R>) {}
    /// Each tick of a live round, after everything moved.
    fn tick(&mut self, me: &Me, w: &mut World<R>) {}
    /// Another body's disc overlaps this one's, each tick that it does.
    fn touch(&mut self, me: &Me, other: &Other, w: &mut World<R>) {}
    /// Its seat does something. `Err` says why not, to that seat alone, and nothing of the call stays.
    fn act(&mut self, me: &Me, action: ActionOf<R>, w: &mut World<R>) -> Result<(), Refusal> {
        Err(Refusal::from("nothing happens"))
    }
    /// A timer that the body set (`World::after_me`) is due.
    fn timer(&mut self, me: &Me, name: &str, w: &mut World<R>) {}
    /// The body's seat is being left.
    fn leave(&mut self, me: &Me, w: &mut World<R>) {}
    /// The mind of the body's seat has answered, or the floor has.
    fn answer(&mut self, me: &Me, answer: &Answer, w: &mut World<R>) {}
    /// What a bot holds in this tick. It sees the world and changes nothing; `dice` are its own.
    fn bot(&self, me: &Me, w: &World<R>, dice: &mut Rng) -> R::Input {
        R::Input::default()
    }
    /// The answer to a question that nobody answered in time.
    fn floor(&self, me: &Me, question: &str, w: &World<R>) -> String {
        String::new()
    }
}

/// Why an action did not happen, for the player: at most `REFUSAL_CHARS_MAX` characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal(String);

impl Refusal {
    #[must_use]
    pub fn text(&self) -> &str {
        &self.0
    }
}

impl<T: Into<String>> From<T> for Refusal {
    fn from(why: T) -> Refusal {
        let why: String = why.into();
        Refusal(why.chars().take(REFUSAL_CHARS_MAX).collect())
    }
}

/// What came of a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    pub question: String,
    /// At most `ANSWER_CHARS_MAX` characters.
    pub text: String,
    /// No answer came in time: this is `Body::floor`'s.
    pub from_floor: bool,
}

/// The body whose handler runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Me {
    pub id: BodyId,
    pub seat: Option<Seat>,
    /// Who decides for its seat; a person for a body without one.
    pub driver: Driver,
    /// Metres.
    pub at: Vec2,
    /// Metres above the ground.
    pub z: f64,
    /// Metres a second, of the last tick.
    pub velocity: Vec2,
    /// Radians from +x counter-clockwise.
    pub heading: f64,
}

/// Another body, as a handler sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Other {
    pub id: BodyId,
    /// Its kind's name.
    pub kind: &'static str,
    pub seat: Option<Seat>,
    /// Metres.
    pub at: Vec2,
    /// Metres above the ground.
    pub z: f64,
    /// Radians from +x counter-clockwise.
    pub heading: f64,
}

/// Puts a row, fitted, in its kind's column.
type PutRow<R> = Box<dyn FnOnce(&mut World<R>, BodyId)>;

/// The body a seat comes in with.
pub struct Entry<R: Rules> {
    pub(crate) kind: usize,
    pub(crate) place: Place,
    pub(crate) put: PutRow<R>,
}

impl<R: Rules> Entry<R> {
    /// A body of a player kind. Another kind does not compile.
    #[must_use]
    pub fn new<K: Body<R>>(body: K, place: Place) -> Entry<R> {
        const { must(K::SPEC.player, "a seat's body is of a player kind: #[kind(player, …)]") };
        let put = Box::new(move |w: &mut World<R>, id| w.put_row(id, body, "join"));
        Entry { kind: IndexOf::<R, K>::INDEX, place, put }
    }
}

/// The index of a kind in its game, known when the game is compiled.
pub struct IndexOf<R, K>(PhantomData<(R, K)>);

impl<R: Rules, K: Kind> IndexOf<R, K> {
    pub const INDEX: usize = kind_index(<R::Kinds as Kinds<R>>::SPECS, K::SPEC.name);
}
