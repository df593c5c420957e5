//! A replay file: a save of a room and everything that went into its simulation since, as text (docs/replay.md).
//!
//! Nine lines of heading, the last of them the save, then operations (`text.rs`), those of them that a recorder writes.
//! Read strictly, all of it before any of it is run; nothing is allocated beyond a small multiple of the file's length.
//! It holds the rules' records alone: names and accounts of who played, and no token.

use std::fmt;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;

use crate::limits::{RECORDING_BYTES_MAX, RECORDING_SEGMENT_TICKS};
use crate::rules::cut::Cut;
use crate::rules::face::Game;
use crate::rules::ids::{Epoch, Tick};
use crate::rules::replay::text::{hash, number, recorded};
use crate::rules::replay::{Op, Replay, ReplayError, ReplayFault, escape};

/// The first line.
const TITLE: &str = "roundtable replay 1";

/// Of which room a file is, and from when on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Header {
    pub game: String,
    pub room: String,
    /// The build that recorded it.
    pub build: String,
    /// The hash of the game's schema.
    pub schema: u64,
    pub epoch: Epoch,
    pub tick: Tick,
    /// The time, in a room that runs by events.
    pub now_ms: u64,
}

impl fmt::Display for Header {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [game, room, build] = [&self.game, &self.room, &self.build].map(|text| escape::word(text));
        let Header { schema, epoch, tick, now_ms, .. } = self;
        writeln!(f, "{TITLE}\ngame {game}\nroom {room}\nbuild {build}\nschema {schema:016x}")?;
        writeln!(f, "epoch {epoch}\ntick {tick}\ntime {now_ms}")
    }
}

/// The heading of a file, its save included.
#[must_use]
pub(super) fn heading(header: &Header, save: &[u8]) -> String {
    format!("{header}save {}\n", BASE64_URL_SAFE_NO_PAD.encode(save))
}

/// A file that has been read.
pub struct ReplayFile<'a> {
    pub header: Header,
    save: Vec<u8>,
    log: &'a str,
    /// The number of the log's first line.
    first_line: usize,
    /// Steps of the whole log.
    pub steps: u64,
}

impl<'a> ReplayFile<'a> {
    /// # Errors
    /// Anything that is missing, left over or out of bounds, by its line.
    pub fn parse(text: &'a str) -> Result<ReplayFile<'a>, ReplayError> {
        let mut file = ReplayFile::parse_heading(text)?;
        for op in file.ops() {
            if let Op::Tick(steps) = op?.1 {
                file.steps += u64::from(steps);
            }
        }
        // A recorder keeps three segments at most.
        if file.steps > 4 * u64::from(RECORDING_SEGMENT_TICKS) {
            return Err(ReplayError { line: file.first_line, why: ReplayFault::TooLong });
        }
        Ok(file)
    }

    /// Without a look at the log.
    pub(super) fn parse_heading(text: &'a str) -> Result<ReplayFile<'a>, ReplayError> {
        if text.len() > RECORDING_BYTES_MAX {
            return Err(ReplayError { line: 1, why: ReplayFault::TooLong });
        }
        let mut lines = Lines { rest: text, line: 0 };
        if lines.next() != Some(TITLE) {
            return Err(lines.fault(ReplayFault::Version));
        }
        let mut header = Header {
            game: lines.word("game")?,
            room: lines.word("room")?,
            build: lines.word("build")?,
            ..Header::default()
        };
        let schema = lines.value("schema")?;
        header.schema = hash(schema, "schema").map_err(|why| lines.fault(why))?;
        header.epoch = Epoch(lines.number("epoch")?);
        header.tick = Tick(lines.number("tick")?);
        header.now_ms = lines.number("time")?;
        let save = BASE64_URL_SAFE_NO_PAD.decode(lines.value("save")?);
        let save = save.map_err(|_| lines.fault(ReplayFault::Word("save")))?;
        Ok(ReplayFile { header, save, log: lines.rest, first_line: lines.line + 1, steps: 0 })
    }

    /// The save it begins with.
    #[must_use]
    pub fn save(&self) -> &[u8] {
        &self.save
    }

    pub(super) fn log(&self) -> &'a str {
        self.log
    }

    /// The operations, each with its line.
    pub fn ops(&self) -> impl Iterator<Item = Result<(usize, Op), ReplayError>> + use<'a> {
        let first_line = self.first_line;
        self.log.lines().enumerate().map(move |(index, text)| {
            let line = first_line + index;
            recorded(text).map(|op| (line, op)).map_err(|why| ReplayError { line, why })
        })
    }

    /// The room as it was when the recording began.
    ///
    /// # Errors
    /// The file is of another schema than the game's, or the save is refused.
    pub fn open<'g>(&self, game: &'g dyn Game) -> Result<Replay<'g>, ReplayError> {
        let at = |line, why| ReplayError { line, why };
        if game.schema().hash() != self.header.schema {
            return Err(at(5, ReplayFault::Word("schema")));
        }
        let mut cut = Cut::default();
        let applied = cut.apply(&self.save);
        let room = applied.and_then(|()| Replay::from_cut(game, &cut, self.header.now_ms));
        let room = room.map_err(|error| at(self.first_line - 1, ReplayFault::Save(error)))?;
        if room.sim.tick() == self.header.tick { Ok(room) } else { Err(at(7, ReplayFault::Word("tick"))) }
    }
}

/// How far a file was run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ran {
    /// Digests that were as recorded.
    pub same: usize,
    /// The tick of the last one before the first difference.
    pub same_at: Option<Tick>,
    /// The first digest that was not.
    pub differs: Option<ReplayError>,
    /// At the tick that was asked for, and not at the end.
    pub stopped: bool,
}

impl Ran {
    fn compare(&mut self, line: usize, tick: Tick, compared: Result<(), ReplayFault>) {
        match compared {
            Err(why) if self.differs.is_none() => self.differs = Some(ReplayError { line, why }),
            Ok(()) if self.differs.is_none() => (self.same, self.same_at) = (self.same + 1, Some(tick)),
            _ => {}
        }
    }
}

/// Runs a file: how many digests were as recorded.
///
/// # Errors
/// Whatever is wrong with the file or the game, and the first difference.
pub fn run(file: &ReplayFile<'_>, game: &dyn Game) -> Result<usize, ReplayError> {
    let ran = run_to(file, &mut file.open(game)?, None)?;
    ran.differs.map_or(Ok(ran.same), Err)
}

/// Runs a file in a room that was opened from it, up to the end of a tick. It goes on where digests differ: the rules may
/// have been changed since, to see what becomes of it.
///
/// # Errors
/// Whatever is wrong with the file or the game; the room is then as it was where that happened.
pub fn run_to(file: &ReplayFile<'_>, room: &mut Replay<'_>, to: Option<Tick>) -> Result<Ran, ReplayError> {
    let mut ran = Ran { stopped: to == Some(room.sim.tick()), ..Ran::default() };
    for op in file.ops() {
        if ran.stopped {
            break;
        }
        let (line, op) = op?;
        let fault = |why| ReplayError { line, why };
        match op {
            Op::Tick(steps) => {
                for _ in 0..steps {
                    room.apply(&Op::Tick(1)).map_err(fault)?;
                    if to == Some(room.sim.tick()) {
                        ran.stopped = true;
                        break;
                    }
                }
            }
            Op::Digest(_) => ran.compare(line, room.sim.tick(), room.apply(&op)),
            op => room.apply(&op).map_err(fault)?,
        }
    }
    Ok(ran)
}

/// The lines of a heading, `KEY VALUE` each.
struct Lines<'a> {
    rest: &'a str,
    /// Of the line last taken.
    line: usize,
}

impl<'a> Lines<'a> {
    fn next(&mut self) -> Option<&'a str> {
        self.line += 1;
        let (line, rest) = self.rest.split_once('\n')?;
        self.rest = rest;
        Some(line)
    }

    fn fault(&self, why: ReplayFault) -> ReplayError {
        ReplayError { line: self.line, why }
    }

    fn value(&mut self, key: &'static str) -> Result<&'a str, ReplayError> {
        let value = self.next().and_then(|line| line.strip_prefix(key)?.strip_prefix(' '));
        value.ok_or_else(|| self.fault(ReplayFault::Word(key)))
    }

    fn word(&mut self, key: &'static str) -> Result<String, ReplayError> {
        let value = self.value(key)?;
        escape::read_word(value, key).map_err(|why| self.fault(why))
    }

    fn number<T: std::str::FromStr + fmt::Display>(&mut self, key: &'static str) -> Result<T, ReplayError> {
        let value = self.value(key)?;
        number(value, key).map_err(|why| self.fault(why))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn header() -> Header {
        Header {
            game: "arena".to_owned(),
            room: "a b".to_owned(),
            build: "7-f%".to_owned(),
            schema: 0xff,
            epoch: Epoch(3),
            tick: Tick(1_200),
            now_ms: 9,
        }
    }

    #[test]
    fn a_heading_reads_back() {
        let text = heading(&header(), b"\x01abc") + "at 5\ntick 60\ntick 2\n";
        let file = ReplayFile::parse(&text).map_err(|error| error.to_string()).expect("a file");
        assert_eq!((&file.header, &file.save[..], file.steps), (&header(), &b"\x01abc"[..], 62));
        assert_eq!(file.ops().map(|op| op.expect("an operation").0).collect::<Vec<_>>(), [10, 11, 12]);
    }

    /// F18
    #[test]
    fn what_is_no_file_is_named_by_its_line() {
        let good = heading(&header(), b"\x01");
        let refused = |text: &str| ReplayFile::parse(text).err().expect("it is refused");
        for (text, line, why) in [
            (String::new(), 1, ReplayFault::Version),
            (good.replace("replay 1", "replay 2"), 1, ReplayFault::Version),
            (good.replace("game arena\n", ""), 2, ReplayFault::Word("game")),
            (good.replace("build 7-f%25", "build 7-f%2"), 4, ReplayFault::Word("build")),
            (good.replace("00ff", "00FF"), 5, ReplayFault::Word("schema")),
            (good.replace("epoch 3", "epoch 03"), 6, ReplayFault::Word("epoch")),
            (good.replace("save AQ", "save AR"), 9, ReplayFault::Word("save")),
            (good.trim_end().to_owned(), 9, ReplayFault::Word("save")),
            (format!("{good}tick 1\njump\n"), 11, ReplayFault::Operation),
            (format!("{good}wait 5\n"), 10, ReplayFault::Operation),
            (format!("{good}tick 4000000000\n"), 10, ReplayFault::TooLong),
            (good.clone() + &"\n".repeat(RECORDING_BYTES_MAX), 1, ReplayFault::TooLong),
        ] {
            let error = refused(&text);
            assert_eq!((error.line, error.why), (line, why));
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_the_reader_panic(log in any::<String>(), cut in 0..200usize, byte in any::<u8>()) {
            let mut bytes = (heading(&header(), b"\x01abc") + "tick 1\n" + &log).into_bytes();
            let at = cut % bytes.len();
            bytes[at] = byte;
            let _ = ReplayFile::parse(&String::from_utf8_lossy(&bytes)).map(|file| file.ops().count());
            bytes.truncate(at);
            let _ = ReplayFile::parse(&String::from_utf8_lossy(&bytes)).map(|file| file.ops().count());
        }
    }
}
