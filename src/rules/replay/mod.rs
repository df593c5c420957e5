//! Replays: a room of any game run from a log of what came in, and its digests along the way.
//!
//! The proof that targets agree (§3.3): the same log gives the same digests natively, in the Worker and in a browser. A
//! log is text, an operation a line (`text.rs`); `Replay` runs operations one by one, which is what tests of random play
//! use. A room that people play can be recorded (`recorder.rs`): the file (`file.rs`) is a save and the operations since.

mod character;
mod escape;
pub mod file;
pub mod recorded;
pub mod recorder;
mod text;

use std::collections::BTreeMap;

use crate::limits::REPLAY_DIGEST_TICKS;
use crate::rules::character::Character;
use crate::rules::cut::{Cut, SaveError};
use crate::rules::face::{AskId, Driver, Game, Given, Moment, SeatAction, SeatInfo, SeatInput};
use crate::rules::ids::{Epoch, Seat, Tick};
use crate::rules::input::Controls;
use crate::rules::motion::Pose;
use crate::rules::replay::recorded::Recorded;
pub use text::Log;

/// One thing that happens to a room.
#[derive(Clone, Debug, PartialEq)]
pub enum Op {
    Join {
        seat: Seat,
        driver: Driver,
        name: String,
    },
    /// A person joins with the character that this seat last left with, if any.
    Back {
        seat: Seat,
        name: String,
    },
    Leave(Seat),
    /// A seat's body is taken away, and nobody gets its character.
    Expel(Seat),
    /// What a seat holds from the next step on, and the buttons that went down for it.
    Hold {
        seat: Seat,
        controls: Controls,
        pressed: u32,
    },
    /// How many ticks ago a seat sees the world, from the next step on.
    Sees {
        seat: Seat,
        ticks: u16,
    },
    /// Where a seat's client says its body is, for the next step.
    Claim {
        seat: Seat,
        pose: Pose,
    },
    /// Done in the next step.
    Act {
        seat: Seat,
        action: u16,
        args: Vec<i32>,
    },
    Answer {
        ask: AskId,
        text: String,
    },
    /// The room slept.
    Resume {
        away_ms: u64,
    },
    /// Time passes in a room that runs by events: what is due runs in its order.
    Wait {
        ms: u64,
    },
    /// The room is saved, and goes on restored from that.
    Save,
    /// So many steps: ticks, or events.
    Tick(u32),
    /// A seat is taken, with all that the host knows of who takes it.
    Enter(Box<SeatInfo>),
    /// The time of what follows, in a room that runs by events.
    At {
        now_ms: u64,
    },
    /// What the rules gave out was taken though no step had run; after a step it always is.
    Drain,
    /// The room came back from its save, which is that of this moment: nobody holds anything.
    Epoch(Epoch),
    /// What the state's digest is now.
    Digest(u64),
}

/// Why a log did not run to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplayError {
    /// From 1.
    pub line: usize,
    pub why: ReplayFault,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplayFault {
    /// It is no operation, or the wrong one here.
    Operation,
    /// A word is missing, left over, or no number in bounds; the text says which.
    Word(&'static str),
    /// What the room saved, it did not restore.
    Save(SaveError),
    /// The restored room is another.
    Diverged,
    /// The simulation itself failed.
    Broken(String),
    /// The state is another than the one that was recorded.
    Differs { tick: Tick, is: u64, was: u64 },
    /// A file of another version, or none at all.
    Version,
    /// More bytes, or more steps, than a file may have.
    TooLong,
}

impl std::fmt::Display for ReplayFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ReplayFault::Operation => f.write_str("no operation, or none that may stand here"),
            ReplayFault::Word(what) => write!(f, "its {what} is missing, out of bounds or left over"),
            ReplayFault::Save(error) => write!(f, "{error}"),
            ReplayFault::Diverged => f.write_str("the room restored from its save is another room"),
            ReplayFault::Broken(why) => write!(f, "the simulation failed: {why}"),
            ReplayFault::Differs { tick, is, was } => {
                write!(f, "at tick {tick} the digest is {is:016x}, and {was:016x} was recorded")
            }
            ReplayFault::Version => f.write_str("no replay file that this build reads"),
            ReplayFault::TooLong => f.write_str("longer than a replay may be"),
        }
    }
}

impl std::fmt::Display for ReplayError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}: {}", self.line, self.why)
    }
}

impl std::error::Error for ReplayError {}

/// Runs a log: the digests at each `REPLAY_DIGEST_TICKS`th step, and at the end.
///
/// # Errors
/// Whatever is wrong with the log, or with the game.
pub fn replay(game: &dyn Game, log: &str) -> Result<Vec<u64>, ReplayError> {
    let log = Log::parse(log)?;
    let mut room = Replay::new(game, log.seed, log.now_ms);
    for (line, op) in &log.ops {
        room.apply(op).map_err(|why| ReplayError { line: *line, why })?;
    }
    room.digests.push(room.sim.digest());
    Ok(room.digests)
}

/// What a seat does until told otherwise.
#[derive(Clone, Copy, Default)]
struct Hand {
    controls: Controls,
    pressed: u32,
    rewind: u16,
    claim: Option<Pose>,
}

/// A room that operations are applied to.
pub struct Replay<'a> {
    game: &'a dyn Game,
    seats: u16,
    pub sim: Recorded,
    hands: BTreeMap<Seat, Hand>,
    left: BTreeMap<Seat, Character>,
    waiting: Vec<SeatAction>,
    acted: u32,
    now_ms: u64,
    /// As a recorder writes: seats are held that the log does not tell of, actions are given anew for each step, and
    /// what the rules give out is taken after each step and at each `Drain`.
    exact: bool,
    /// At each `REPLAY_DIGEST_TICKS`th step.
    pub digests: Vec<u64>,
    /// What the newest operation gave out; of several steps the newest.
    pub given: Given,
}

impl<'a> Replay<'a> {
    #[must_use]
    pub fn new(game: &'a dyn Game, seed: u64, now_ms: u64) -> Replay<'a> {
        let mut sim = Recorded::new(game.create(seed, now_ms));
        let given = sim.drain();
        let (seats, digests) = (game.schema().room.seats, Vec::new());
        let (hands, left, waiting) = (BTreeMap::new(), BTreeMap::new(), Vec::new());
        Replay { game, seats, sim, hands, left, waiting, acted: 0, now_ms, exact: false, digests, given }
    }

    /// A room that goes on from a save as a recorded one did.
    ///
    /// # Errors
    /// The save is refused.
    pub fn from_cut(game: &'a dyn Game, cut: &Cut, now_ms: u64) -> Result<Replay<'a>, SaveError> {
        let mut sim = Recorded::new(game.restore(cut)?);
        let given = sim.drain();
        let (seats, digests) = (game.schema().room.seats, Vec::new());
        let (hands, left, waiting) = (BTreeMap::new(), BTreeMap::new(), Vec::new());
        Ok(Replay { game, seats, sim, hands, left, waiting, acted: 0, now_ms, exact: true, digests, given })
    }

    /// Another room that goes on as this one does, from a save of it.
    ///
    /// # Errors
    /// The save is refused.
    pub fn fork(&self) -> Result<Replay<'a>, SaveError> {
        let mut saved = Cut::default();
        self.sim.cut(&mut saved);
        let mut cut = Cut::default();
        cut.apply(&saved.difference(&Cut::default()))?;
        let mut sim = Recorded::new(self.game.restore(&cut)?);
        sim.drain();
        let (hands, left, waiting) = (self.hands.clone(), self.left.clone(), self.waiting.clone());
        let (digests, given) = (Vec::new(), Given::default());
        Ok(Replay { sim, hands, left, waiting, digests, given, ..*self })
    }

    /// The seats that are held.
    pub fn held(&self) -> impl Iterator<Item = Seat> {
        self.hands.keys().copied()
    }

    /// # Errors
    /// The operation cannot be applied, or the game does not stand it.
    pub fn apply(&mut self, op: &Op) -> Result<(), ReplayFault> {
        match op {
            Op::Join { seat, driver, name } => self.join(*seat, *driver, name, None)?,
            Op::Back { seat, name } => {
                let character = self.left.remove(seat);
                self.join(*seat, Driver::Person, name, character)?;
            }
            Op::Enter(info) => self.enter(info)?,
            Op::Expel(seat) => {
                self.hands.remove(seat);
                self.sim.expel(*seat, self.now_ms);
            }
            Op::Leave(seat) if self.exact => {
                self.hands.remove(seat);
                self.sim.leave(*seat, self.now_ms);
            }
            Op::Leave(seat) => {
                self.hands.remove(seat).ok_or(ReplayFault::Word("seat"))?;
                self.waiting.retain(|action| action.seat != *seat);
                if let Some(character) = self.sim.leave(*seat, self.now_ms) {
                    self.left.insert(*seat, character);
                }
            }
            Op::Hold { seat, controls, pressed } => {
                let hand = self.hand(*seat)?;
                (hand.controls, hand.pressed) = (*controls, *pressed);
            }
            Op::Sees { seat, ticks } => self.hand(*seat)?.rewind = *ticks,
            Op::Claim { seat, pose } => self.hand(*seat)?.claim = Some(*pose),
            Op::Act { seat, action, args } => {
                self.hand(*seat)?;
                self.acted += 1;
                let (number, args) = (self.acted, args.clone());
                self.waiting.push(SeatAction { seat: *seat, number, action: *action, args });
            }
            Op::Answer { ask, text } => self.sim.answer(*ask, text),
            Op::Resume { away_ms } => self.sim.resume(*away_ms, self.now_ms),
            Op::Wait { ms } => return self.wait(*ms),
            Op::Save => return self.save(),
            Op::Tick(steps) => return (0..*steps).try_for_each(|_| self.step()),
            Op::At { now_ms } => self.now_ms = *now_ms,
            Op::Drain => self.given = self.sim.drain(),
            Op::Epoch(_) => {
                self.save()?;
                self.hands.clear();
            }
            Op::Digest(was) => return self.compare(*was),
        }
        if !self.exact {
            self.given = self.sim.drain();
        }
        Ok(())
    }

    fn compare(&self, was: u64) -> Result<(), ReplayFault> {
        let (tick, is) = (self.sim.tick(), self.sim.digest());
        if is == was { Ok(()) } else { Err(ReplayFault::Differs { tick, is, was }) }
    }

    fn enter(&mut self, info: &SeatInfo) -> Result<(), ReplayFault> {
        if info.seat.0 >= self.seats {
            return Err(ReplayFault::Word("seat"));
        }
        self.hands.insert(info.seat, Hand::default());
        self.sim.join(info, self.now_ms);
        Ok(())
    }

    fn hand(&mut self, seat: Seat) -> Result<&mut Hand, ReplayFault> {
        if self.exact && seat.0 < self.seats {
            return Ok(self.hands.entry(seat).or_default());
        }
        self.hands.get_mut(&seat).ok_or(ReplayFault::Word("seat"))
    }

    fn join(
        &mut self,
        seat: Seat,
        driver: Driver,
        name: &str,
        character: Option<Character>,
    ) -> Result<(), ReplayFault> {
        if seat.0 >= self.seats || self.hands.contains_key(&seat) {
            return Err(ReplayFault::Word("seat"));
        }
        self.hands.insert(seat, Hand::default());
        let info = SeatInfo { seat, name: name.to_owned(), driver, owner: None, character };
        self.sim.join(&info, self.now_ms);
        Ok(())
    }

    fn step(&mut self) -> Result<(), ReplayFault> {
        let input = |(seat, hand): (&Seat, &mut Hand)| SeatInput {
            seat: *seat,
            held: hand.controls,
            pressed: std::mem::take(&mut hand.pressed),
            claim: hand.claim.take(),
            rewind: hand.rewind,
        };
        let inputs: Vec<SeatInput> = self.hands.iter_mut().map(input).collect();
        let moment = Moment { now_ms: self.now_ms, inputs: &inputs, actions: &self.waiting };
        self.sim.step(&moment).map_err(|broken| ReplayFault::Broken(broken.0))?;
        self.given = self.sim.drain();
        // What the fuel did not suffice for is done in the next step.
        let all = if self.exact { self.waiting.len() } else { self.given.done.len() };
        let done = all.min(self.waiting.len());
        self.waiting.drain(..done);
        if self.sim.tick().0.is_multiple_of(REPLAY_DIGEST_TICKS) {
            self.digests.push(self.sim.digest());
        }
        Ok(())
    }

    fn wait(&mut self, ms: u64) -> Result<(), ReplayFault> {
        let until = self.now_ms.saturating_add(ms);
        while let Some(due) = self.sim.next_due_ms().filter(|due| *due <= until) {
            self.now_ms = due.max(self.now_ms);
            self.step()?;
        }
        self.now_ms = until;
        Ok(())
    }

    fn save(&mut self) -> Result<(), ReplayFault> {
        let again = self.fork().map_err(ReplayFault::Save)?;
        if again.sim.digest() != self.sim.digest() {
            return Err(ReplayFault::Diverged);
        }
        self.sim = again.sim;
        Ok(())
    }
}
