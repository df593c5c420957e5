//! Recordings: what was recorded of a room replays to the same digests, whatever happened in it, from wherever its file
//! begins; and a file that was tampered with is refused by its line, or seen to differ.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use proptest::prelude::*;
use roundtable::games::GAMES;
use roundtable::limits::{RECORDING_PART_BYTES, RECORDING_SEGMENT_TICKS};
use roundtable::rules::adapter::game;
use roundtable::rules::character::Character;
use roundtable::rules::datum::Datum;
use roundtable::rules::face::{Driver, Game, Moment, SeatAction, SeatInfo, SeatInput, Sim};
use roundtable::rules::ids::{Epoch, Seat, Tick};
use roundtable::rules::input::Controls;
use roundtable::rules::replay::file::{Header, ReplayFile, run};
use roundtable::rules::replay::recorded::Recorded;
use roundtable::rules::replay::recorder::{Recorder, RecordingWrite};
use roundtable::rules::replay::{Op, ReplayFault};
use roundtable::rules::schema::Pace;

use crate::kitchen::{Kitchen, hush};
use crate::script::Author;

const START_MS: u64 = 1_700_000_000_000;

fn header(game: &dyn Game) -> Header {
    let (game_name, room, build) = ("kitchen".to_owned(), "lounge".to_owned(), "b1".to_owned());
    Header {
        game: game_name,
        room,
        build,
        schema: game.schema().hash(),
        epoch: Epoch(2),
        ..Header::default()
    }
}

fn by_events(game: &dyn Game) -> bool {
    game.schema().room.pace == Pace::OnEvent
}

fn record(sim: &mut Recorded, game: &dyn Game, now_ms: u64) {
    sim.set_recorder(|sim| Some(Recorder::start(header(game), by_events(game), now_ms, sim)));
}

/// Runs a file to its end; how many digests were compared.
fn replayed(game: &dyn Game, text: &str) -> usize {
    let file = ReplayFile::parse(text).unwrap_or_else(|error| panic!("{error}"));
    run(&file, game).unwrap_or_else(|error| panic!("{error}"))
}

/// A random run that is recorded from its middle on.
fn recorded_run(game: &dyn Game, seed: u64, steps: u32) -> (Author<'_>, String) {
    hush();
    let mut author = Author::new(game, seed, START_MS);
    let mut now_ms = START_MS;
    while author.room.sim.tick().0 < steps {
        if author.room.sim.tick().0 >= steps / 3 && author.room.sim.recorder().is_none() {
            record(&mut author.room.sim, game, now_ms);
        }
        if let Op::Wait { ms } = author.next(5).expect("it goes on") {
            now_ms += ms;
        }
    }
    let text = author.room.sim.file().expect("a file");
    (author, text)
}

/// F20. Claims, rewind, bots, questions and answers, travels, rounds, faults, fuel, characters; by ticks and by events.
#[test]
fn whatever_happens_in_a_room_a_recording_of_it_replays_to_the_same_digests() {
    let shipped = GAMES.iter().map(|(name, game)| (*name, game()));
    for (name, game) in shipped.chain([("kitchen", game::<Kitchen>())]) {
        let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
        for seed in 0..6 {
            let (_, text) = recorded_run(game, seed, 400);
            assert!(replayed(game, &text) > 3, "{name}, seed {seed}");
            for op in ReplayFile::parse(&text).map_err(|error| error.to_string()).expect("a file").ops() {
                let op = op.expect("an operation").1.to_string();
                *kinds.entry(op.split(' ').next().unwrap_or_default().to_owned()).or_default() += 1;
            }
        }
        let mut wanted = vec!["enter", "leave", "tick", "digest"];
        wanted.extend((name == "kitchen").then_some("drain"));
        wanted.extend(if by_events(game) { vec!["at", "act"] } else { vec!["hold", "sees", "claim"] });
        assert!(wanted.iter().all(|kind| kinds.get(*kind).is_some_and(|n| *n > 3)), "{name}: {kinds:?}");
    }
}

#[test]
fn a_change_of_one_word_is_seen_and_where() {
    let game = game::<Kitchen>();
    let (_, text) = recorded_run(game, 3, 300);
    let hold = text.lines().position(|line| line.starts_with("hold ")).expect("an input");
    let lines = text.lines().enumerate();
    let changed: String = lines
        .map(|(i, line)| if i == hold { "hold 0 -90,90,7,1,2,1 3\n".to_owned() } else { format!("{line}\n") })
        .collect();
    let file = ReplayFile::parse(&changed).map_err(|error| error.to_string()).expect("a file");
    let error = run(&file, game).expect_err("another input is another room");
    assert!(matches!(error.why, ReplayFault::Differs { .. }) && error.line > hold, "{error}");
    assert!(error.to_string().contains("was recorded"), "{error}");
}

/// A stored file as the platform keeps it.
#[derive(Default)]
struct Rows {
    run: u64,
    parts: BTreeMap<u32, Vec<u8>>,
}

impl Rows {
    fn store(&mut self, write: Option<RecordingWrite>) {
        let Some(RecordingWrite { run, parts }) = write else { return };
        if run != self.run {
            (self.run, self.parts) = (run, BTreeMap::new());
        }
        self.parts.extend(parts);
    }

    fn text(&self) -> String {
        String::from_utf8(self.parts.values().flatten().copied().collect()).expect("text")
    }
}

/// Steers some seats about, for so many ticks.
fn drive(sim: &mut Recorded, ticks: u32, seed: i32) {
    for tick in 0..ticks {
        let input = |seat: u16| {
            let mut held = Controls::default();
            held.0[0] = ((tick as i32 * 7 + seed + i32::from(seat)) % 255 - 127) as i16;
            SeatInput { seat: Seat(seat), held, rewind: (tick / 9 % 4) as u16, ..SeatInput::default() }
        };
        // The third seat is named now and then only: else its controls are neutral.
        let inputs: Vec<SeatInput> = (0..2 + u16::from(tick % 8 < 4)).map(input).collect();
        sim.step(&Moment { inputs: &inputs, ..Moment::default() }).expect("a step");
        sim.drain();
    }
}

fn arena() -> (&'static dyn Game, Recorded) {
    let game = GAMES[0].1();
    let mut sim = Recorded::new(game.create(5, 0));
    sim.drain();
    for seat in 0..3 {
        sim.join(&SeatInfo { seat: Seat(seat), ..SeatInfo::default() }, 0);
    }
    sim.drain();
    (game, sim)
}

#[test]
fn what_is_stored_goes_on_after_a_restore_and_only_if_it_ends_where_the_room_is() {
    let (game, mut sim) = arena();
    record(&mut sim, game, 0);
    let mut rows = Rows::default();
    for _ in 0..30 {
        drive(&mut sim, 50, 1);
        rows.store(sim.take_parts());
        assert_eq!(sim.take_parts(), None, "nothing has happened since");
    }
    assert!(rows.parts.len() > 1 && rows.text().len() > RECORDING_PART_BYTES);
    let fork = |rows: &Rows| {
        let file_text = rows.text();
        let file = ReplayFile::parse(&file_text).map_err(|error| error.to_string()).expect("a file");
        let mut room = file.open(game).map_err(|error| error.to_string()).expect("a room");
        file.ops().for_each(|op| room.apply(&op.expect("an operation").1).expect("as recorded"));
        room.sim
    };
    let mut again = fork(&rows);
    assert_eq!(again.digest(), sim.digest());
    let resume = |sim: &mut Recorded, text: String, header: &Header| {
        sim.set_recorder(|sim| Recorder::resume(rows.run, text, header, false, sim));
        sim.recorder().is_some()
    };
    let other = Header { build: "b2".to_owned(), ..header(game) };
    assert!(!resume(&mut again, rows.text(), &other), "another build's");
    assert!(!resume(&mut again, rows.text() + "tick 1\n", &header(game)), "it ends elsewhere");
    let next = Header { epoch: Epoch(3), ..header(game) };
    assert!(resume(&mut again, rows.text(), &next));
    let mut rows = Rows { run: rows.run, parts: rows.parts.clone() };
    drive(&mut again, 100, 2);
    rows.store(again.take_parts());
    assert!(rows.text().contains("\nepoch 3\n"));
    assert_eq!((replayed(game, &rows.text()) > 30, fork(&rows).digest()), (true, again.digest()));
}

#[test]
fn a_long_recording_keeps_its_last_segments_and_each_file_on_the_way_replays() {
    let (game, mut sim) = arena();
    record(&mut sim, game, 0);
    let mut rows = Rows::default();
    let (mut longest, mut begun) = (0, vec![]);
    // Each tick's inputs are some 60 bytes: a segment of 2 MiB is full after some 35,000 ticks.
    for i in 0..120 {
        drive(&mut sim, 1_000, i);
        rows.store(sim.take_parts());
        longest = longest.max(sim.recorder().expect("it is on").len());
        let since = sim.recorder().expect("it is on").since();
        if begun.last() != Some(&since) {
            begun.push(since);
        }
    }
    assert!(longest < 5 << 20 && begun.len() > 1, "{longest} bytes, begun at {begun:?}");
    assert_eq!(
        rows.text(),
        sim.file().expect("a file").rsplit_once("digest").map(|(text, _)| text).unwrap_or_default()
    );
    assert!(replayed(game, &rows.text()) > 100);
    let (_, Tick(from)) = sim.recorder().expect("it is on").since();
    assert!(from > 0 && from < 120_000 && RECORDING_SEGMENT_TICKS > 120_000);
}

#[test]
fn characters_owners_and_odd_texts_are_recorded_as_they_are() {
    let isle = GAMES.iter().find(|(name, _)| *name == "isle").expect("the isle").1();
    let mut sim = Recorded::new(isle.create(9, 0));
    sim.drain();
    record(&mut sim, isle, 0);
    let fields =
        vec![("gold".to_owned(), Datum::Int(77)), ("gone".to_owned(), Datum::Text("a;b\n%|".to_owned()))];
    let character = Character { kind: "walker".to_owned(), pose: Default::default(), fields };
    let info = SeatInfo {
        seat: Seat(1),
        name: "Ada\n% of\r\nYork".to_owned(),
        driver: Driver::Person,
        owner: Some("dev-acc_1 %".to_owned()),
        character: Some(character),
    };
    sim.join(&info, 0);
    let action = SeatAction { seat: Seat(1), number: 1, action: 0, args: vec![] };
    sim.step(&Moment { actions: &[action], ..Moment::default() }).expect("a step");
    sim.drain();
    let left = sim.leave(Seat(1), 0).expect("its character");
    assert!(left.fields.contains(&("gold".to_owned(), Datum::Int(77))));
    sim.join(&SeatInfo { character: Some(left), ..info }, 0);
    drive(&mut sim, 200, 3);
    let text = sim.file().expect("a file");
    assert_eq!(replayed(isle, &text), 4);
}

#[test]
fn a_file_of_another_game_or_room_is_refused() {
    let (game, mut sim) = arena();
    record(&mut sim, game, 0);
    drive(&mut sim, 100, 1);
    let text = sim.file().expect("a file");
    let file = ReplayFile::parse(&text).map_err(|error| error.to_string()).expect("a file");
    let error = file.open(self::game::<Kitchen>()).err().expect("another schema");
    assert_eq!((error.line, error.why), (5, ReplayFault::Word("schema")));
    let moved = text.replace("\ntick 0\n", "\ntick 1\n");
    let file = ReplayFile::parse(&moved).map_err(|error| error.to_string()).expect("a file");
    assert_eq!(file.open(game).err().expect("another tick").why, ReplayFault::Word("tick"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// F18. Whatever a file holds, it is refused, seen to differ, or run to its end.
    #[test]
    fn a_hostile_file_never_panics(
        at in any::<prop::sample::Index>(), byte in 32..127u8,
        line in "[a-z]{2,6} [0-9]{1,3}( [@a-z0-9,;=-]{1,9}){0,3}",
    ) {
        static TEXT: LazyLock<String> = LazyLock::new(|| recorded_run(game::<Kitchen>(), 1, 90).1);
        let kitchen = game::<Kitchen>();
        let mut bytes = TEXT.clone().into_bytes();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        let mut texts = vec![String::from_utf8_lossy(&bytes).into_owned()];
        bytes.truncate(at);
        texts.push(String::from_utf8_lossy(&bytes).into_owned());
        texts.push(format!("{}{line}\ntick 3\n", *TEXT));
        for text in texts {
            let Ok(file) = ReplayFile::parse(&text) else { continue };
            if file.steps < 10_000 {
                let _ = run(&file, kitchen);
            }
        }
    }
}

/// What the tool says.
mod tool {
    use roundtable::games::GAMES;

    use super::{arena, drive, record};
    use crate::play::{Played, play};

    fn text() -> String {
        let (game, mut sim) = arena();
        record(&mut sim, game, 0);
        drive(&mut sim, 150, 1);
        sim.file().expect("a file").replace("game kitchen", "game arena")
    }

    #[track_caller]
    fn says(played: &Played, line: &str) {
        assert!(played.lines.iter().any(|said| said.contains(line)), "{:#?}", played.lines);
    }

    #[test]
    fn a_file_is_played_to_its_end_or_to_a_tick() {
        let whole = play(GAMES, &text(), None).expect("it plays");
        assert!(whole.same && whole.lines.len() == 2, "{whole:?}");
        says(&whole, "arena/lounge: 150 steps from tick 0 of epoch 2, recorded by build b1");
        says(&whole, "3 digests are as recorded, up to tick 150");
        let part = play(GAMES, &text(), Some(70)).expect("it plays");
        says(&part, "1 digests are as recorded, up to tick 70");
        says(&part, "round 1: live until tick ");
        says(&part, " fighter seat 0 at ");
        says(&part, "hp 100, ");
        assert!(part.same);
        let begins = play(GAMES, &text(), Some(0)).expect("it plays");
        says(&begins, "tick 0, digest ");
        let beyond = play(GAMES, &text(), Some(151)).expect("it plays");
        says(&beyond, "! the file ends with tick 150");
        assert!(!beyond.same);
    }

    #[test]
    fn a_difference_is_told_with_the_ticks_it_lies_between() {
        let text = text();
        let at = text.match_indices("digest ").nth(1).expect("a second digest").0 + 7;
        let changed = format!("{}{}{}", &text[..at], "0123456789abcdef", &text[at + 16..]);
        let played = play(GAMES, &changed, None).expect("it plays");
        assert!(!played.same);
        says(&played, "at tick 120 the digest is ");
        says(&played, "1 digests before it are as recorded, up to tick 60");
        says(&played, "--at 60 to --at 120");
    }

    #[test]
    fn what_cannot_be_played_is_said() {
        let refused = |text: &str| play(GAMES, text, None).expect_err("it is refused");
        assert_eq!(refused("room 1 0\n"), "line 1: no replay file that this build reads");
        assert_eq!(
            refused(&text().replace("game arena", "game chess")),
            "there is no game chess in this build"
        );
        assert!(
            refused(&text().replace("game arena", "game isle")).starts_with("isle was another game then")
        );
        let late = text().replace("tick 0\n", "tick 9\n");
        assert_eq!(play(GAMES, &late, Some(3)).expect_err("too early"), "the file begins at tick 9");
        let broken = play(GAMES, &(text() + "leave 1\nhold 99 - 0\n"), None).expect("as far as it goes");
        says(&broken, "its seat is missing, out of bounds or left over, after tick 150");
        says(&broken, " fighter seat 0 at ");
    }
}
