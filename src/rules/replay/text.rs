//! Logs as text. An operation a line, words between single blanks, numbers in their shortest form: one log has one text.
//!
//! | line | |
//! |---|---|
//! | `room SEED MS` | the first: the seed, and the time of the opening |
//! | `join SEAT person\|bot\|ai NAME`, `back SEAT NAME` | a name goes on to the end of the line (`escape.rs`) |
//! | `leave SEAT`, `expel SEAT` | with and without the leave handler of its body |
//! | `hold SEAT WORDS PRESSED` | the words of its controls with commas between, the mask of buttons |
//! | `sees SEAT TICKS`, `claim SEAT X Y Z VX VY VZ HEADING` | steps, as in `Pose` |
//! | `act SEAT ACTION WORDS` | the words of its arguments; `-` for none |
//! | `answer ASK TEXT` | |
//! | `resume MS`, `wait MS`, `save`, `tick STEPS` | |
//!
//! Lines that are empty or begin with `#` say nothing. A recorder writes others in place of some of these (docs/replay.md,
//! `recorded`); a log that a test sends to the Worker has none of them, so their reader is no part of it.

use std::fmt;
use std::str::FromStr;

use crate::limits::CONTROL_WORDS_MAX;
use crate::rules::face::{AskId, Driver, SeatInfo};
use crate::rules::ids::{Epoch, Seat};
use crate::rules::input::Controls;
use crate::rules::motion::Pose;
use crate::rules::replay::{Op, ReplayError, ReplayFault, character, escape};

/// A room's beginning and what came in.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Log {
    pub seed: u64,
    pub now_ms: u64,
    /// With the number of its line.
    pub ops: Vec<(usize, Op)>,
}

impl Log {
    /// # Errors
    /// A line that is none of the table's.
    pub fn parse(text: &str) -> Result<Log, ReplayError> {
        let mut log: Option<Log> = None;
        for (index, line) in text.lines().enumerate() {
            let at = |why| ReplayError { line: index + 1, why };
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            match &mut log {
                None => log = Some(opening(line).map_err(at)?),
                Some(log) => log.ops.push((index + 1, line.parse().map_err(at)?)),
            }
        }
        log.ok_or(ReplayError { line: 1, why: ReplayFault::Operation })
    }
}

impl fmt::Display for Log {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "room {} {}", self.seed, self.now_ms)?;
        self.ops.iter().try_for_each(|(_, op)| writeln!(f, "{op}"))
    }
}

fn opening(line: &str) -> Result<Log, ReplayFault> {
    let mut words = Words(line);
    if words.next("room")? != "room" {
        return Err(ReplayFault::Operation);
    }
    let (seed, now_ms) = (words.number("seed")?, words.number("time")?);
    words.end()?;
    Ok(Log { seed, now_ms, ops: Vec::new() })
}

impl FromStr for Op {
    type Err = ReplayFault;

    fn from_str(line: &str) -> Result<Op, ReplayFault> {
        let mut words = Words(line);
        let op = match words.next("operation")? {
            "join" => {
                let (seat, driver) = (words.seat()?, words.driver()?);
                Op::Join { seat, driver, name: words.rest("name")? }
            }
            "back" => Op::Back { seat: words.seat()?, name: words.rest("name")? },
            "leave" => Op::Leave(words.seat()?),
            "expel" => Op::Expel(words.seat()?),
            "hold" => {
                let (seat, list) = (words.seat()?, words.list::<i16>("controls")?);
                let mut controls = Controls([0; CONTROL_WORDS_MAX]);
                let places = controls.0.get_mut(..list.len()).ok_or(ReplayFault::Word("controls"))?;
                places.copy_from_slice(&list);
                Op::Hold { seat, controls, pressed: words.number("buttons")? }
            }
            "sees" => Op::Sees { seat: words.seat()?, ticks: words.number("ticks")? },
            "claim" => Op::Claim { seat: words.seat()?, pose: words.pose()? },
            "act" => {
                let (seat, action) = (words.seat()?, words.number("action")?);
                Op::Act { seat, action, args: words.list("arguments")? }
            }
            "answer" => Op::Answer { ask: AskId(words.number("question")?), text: words.rest("text")? },
            "resume" => Op::Resume { away_ms: words.number("time")? },
            "wait" => Op::Wait { ms: words.number("time")? },
            "save" => Op::Save,
            "tick" => Op::Tick(words.number("steps")?),
            _ => return Err(ReplayFault::Operation),
        };
        words.end()?;
        Ok(op)
    }
}

/// An operation that a recorder writes. What only tests write leaves to chance what a recorder knows, and is refused.
///
/// # Errors
/// It is none.
pub(super) fn recorded(line: &str) -> Result<Op, ReplayFault> {
    let mut words = Words(line);
    let op = match words.next("operation")? {
        "enter" => Op::Enter(Box::new(words.info()?)),
        "at" => Op::At { now_ms: words.number("time")? },
        "drain" => Op::Drain,
        "epoch" => Op::Epoch(Epoch(words.number("epoch")?)),
        "digest" => Op::Digest(hash(words.next("digest")?, "digest")?),
        "join" | "back" | "wait" | "save" => return Err(ReplayFault::Operation),
        _ => return line.parse(),
    };
    words.end()?;
    Ok(op)
}

impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Op::Join { seat, driver, name } => {
                write!(f, "join {seat} {} {}", driver.name(), escape::line(name))
            }
            Op::Enter(info) => {
                let owner = info.owner.as_ref().map(|owner| format!("@{}", escape::word(owner)));
                let character = info.character.as_ref().map(character::write);
                let or_none = |word: Option<String>| word.unwrap_or_else(|| "-".to_owned());
                let (owner, character) = (or_none(owner), or_none(character));
                let (driver, name) = (info.driver.name(), escape::line(&info.name));
                write!(f, "enter {} {driver} {owner} {character} {name}", info.seat)
            }
            Op::Back { seat, name } => write!(f, "back {seat} {}", escape::line(name)),
            Op::Leave(seat) => write!(f, "leave {seat}"),
            Op::Expel(seat) => write!(f, "expel {seat}"),
            Op::Hold { seat, controls, pressed } => {
                let used = controls.0.iter().rposition(|word| *word != 0).map_or(0, |last| last + 1);
                write!(f, "hold {seat} {} {pressed}", list(&controls.0[..used]))
            }
            Op::Sees { seat, ticks } => write!(f, "sees {seat} {ticks}"),
            Op::Claim { seat, pose: Pose { at: [x, y, z], velocity: [vx, vy, vz], heading } } => {
                write!(f, "claim {seat} {x} {y} {z} {vx} {vy} {vz} {heading}")
            }
            Op::Act { seat, action, args } => write!(f, "act {seat} {action} {}", list(args)),
            Op::Answer { ask, text } => write!(f, "answer {} {}", ask.0, escape::line(text)),
            Op::Resume { away_ms } => write!(f, "resume {away_ms}"),
            Op::Wait { ms } => write!(f, "wait {ms}"),
            Op::Save => f.write_str("save"),
            Op::Tick(steps) => write!(f, "tick {steps}"),
            Op::At { now_ms } => write!(f, "at {now_ms}"),
            Op::Drain => f.write_str("drain"),
            Op::Epoch(epoch) => write!(f, "epoch {epoch}"),
            Op::Digest(digest) => write!(f, "digest {digest:016x}"),
        }
    }
}

fn list<T: fmt::Display>(words: &[T]) -> String {
    if words.is_empty() {
        return "-".to_owned();
    }
    words.iter().map(T::to_string).collect::<Vec<_>>().join(",")
}

/// Sixteen hexadecimal digits.
pub(super) fn hash(word: &str, what: &'static str) -> Result<u64, ReplayFault> {
    let digest = u64::from_str_radix(word, 16).ok().filter(|digest| format!("{digest:016x}") == word);
    digest.ok_or(ReplayFault::Word(what))
}

/// A number in its shortest form.
pub(super) fn number<T: FromStr + fmt::Display>(word: &str, what: &'static str) -> Result<T, ReplayFault> {
    let number = word.parse::<T>().ok().filter(|number| number.to_string() == word);
    number.ok_or(ReplayFault::Word(what))
}

/// The words of a line, from its front.
struct Words<'a>(&'a str);

impl<'a> Words<'a> {
    fn next(&mut self, what: &'static str) -> Result<&'a str, ReplayFault> {
        let (word, rest) = self.0.split_once(' ').unwrap_or((self.0, ""));
        self.0 = rest;
        if word.is_empty() { Err(ReplayFault::Word(what)) } else { Ok(word) }
    }

    fn number<T: FromStr + fmt::Display>(&mut self, what: &'static str) -> Result<T, ReplayFault> {
        number(self.next(what)?, what)
    }

    fn seat(&mut self) -> Result<Seat, ReplayFault> {
        self.number("seat").map(Seat)
    }

    fn list<T: FromStr + fmt::Display>(&mut self, what: &'static str) -> Result<Vec<T>, ReplayFault> {
        match self.next(what)? {
            "-" => Ok(Vec::new()),
            words => words.split(',').map(|word| number(word, what)).collect(),
        }
    }

    fn pose(&mut self) -> Result<Pose, ReplayFault> {
        let mut pose = Pose::default();
        for axis in pose.at.iter_mut().chain(&mut pose.velocity) {
            *axis = self.number("pose")?;
        }
        pose.heading = self.number("heading")?;
        Ok(pose)
    }

    fn driver(&mut self) -> Result<Driver, ReplayFault> {
        let word = self.next("driver")?;
        let drivers = [Driver::Person, Driver::Bot, Driver::Ai];
        drivers.into_iter().find(|known| known.name() == word).ok_or(ReplayFault::Word("driver"))
    }

    fn info(&mut self) -> Result<SeatInfo, ReplayFault> {
        let (seat, driver) = (self.seat()?, self.driver()?);
        let owner = match self.next("owner")? {
            "-" => None,
            word => {
                let owner = word.strip_prefix('@').ok_or(ReplayFault::Word("owner"))?;
                Some(escape::read_word(owner, "owner")?)
            }
        };
        let character = match self.next("character")? {
            "-" => None,
            word => Some(character::read(word)?),
        };
        Ok(SeatInfo { seat, driver, owner, character, name: self.rest("name")? })
    }

    fn rest(&mut self, what: &'static str) -> Result<String, ReplayFault> {
        escape::read_line(std::mem::take(&mut self.0), what)
    }

    fn end(&self) -> Result<(), ReplayFault> {
        if self.0.is_empty() { Ok(()) } else { Err(ReplayFault::Word("left over")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINES: &[&str] = &[
        "join 3 bot Ada of the Isle",
        "back 0 ",
        "leave 3",
        "hold 2 -127,0,1 2",
        "hold 2 - 0",
        "sees 1 5",
        "claim 1 5 -6 7 8 9 -10 65535",
        "act 1 0 1,-5,2",
        "act 1 3 -",
        "answer 12 seven, or so",
        "resume 60000",
        "wait 1500",
        "save",
        "tick 20",
    ];

    const RECORDED: &[&str] = &[
        "enter 1 person - - Ada",
        "enter 2 person @dev-1_x walker@1,-2,0,0,5,0,65535;gold=i7;spots=[[r3fe0000000000000|r0000000000000000]] 100 %25",
        "at 1700000000000",
        "drain",
        "epoch 3",
        "digest 00000000000000ff",
    ];

    #[test]
    fn every_operation_of_a_recorder_is_read_as_it_is_written() {
        for text in RECORDED.iter().chain(&["hold 2 - 0", "leave 3", "expel 3", "tick 20"]) {
            assert_eq!(recorded(text).map(|op| op.to_string()).as_deref(), Ok(*text));
        }
        for text in
            ["join 3 bot Ada", "back 0 Ada", "wait 5", "save", "drain 1", "digest ff", "enter 1 person - Ada"]
        {
            assert!(recorded(text).is_err(), "{text}");
        }
    }

    #[test]
    fn every_operation_is_read_as_it_is_written() {
        let text = format!("# a log\n\nroom 7 1000\n{}\n", LINES.join("\n"));
        let log = Log::parse(&text).expect("a log");
        assert_eq!((log.seed, log.now_ms, log.ops.len()), (7, 1_000, LINES.len()));
        for ((line, op), text) in log.ops.iter().zip(LINES) {
            assert_eq!(op.to_string(), *text, "line {line}");
        }
        assert_eq!(log.to_string(), text.trim_start_matches("# a log\n\n"));
    }

    #[test]
    fn a_line_that_is_no_operation_is_named() {
        let fault = |line: &str| Log::parse(&format!("room 7 0\n{line}\n")).expect_err(line);
        for line in
            ["jump 3", "tick", "tick x", "tick 1 2", "tick  1", " tick 1", "tick 01", "tick -1", "save now"]
        {
            assert_eq!(fault(line).line, 2);
        }
        for line in
            ["hold 1 1,,2 0", "hold 1 99999 0", "join 1 cat Ada", "act 1 0", "claim 1 2", "leave 70000"]
        {
            assert!(matches!(fault(line).why, ReplayFault::Word(_)), "{line}");
        }
        let long = format!("hold 1 {} 0", vec!["1"; CONTROL_WORDS_MAX + 1].join(","));
        assert_eq!(fault(&long).why, ReplayFault::Word("controls"));
        for text in ["", "tick 1\n", "room 1\n", "room 1 2 3\n"] {
            assert_eq!(Log::parse(text).expect_err(text).line, 1);
        }
    }
}
