//! Old saves stay readable: each file of tests/vectors/save/ is a room as storage held it, and what was in it.
//!
//! `# ` begins a remark, `= ` something that must still be so, all else is the save in hexadecimal. A file is written
//! once, by the build of its time, and then kept. For a new version of the records, or of a shipped game's kinds:
//! `SAVE_VECTOR=isle-records-1 cargo test --test native write_a_vector -- --ignored`, the name being the game's and what
//! is new. A field that was renamed since is renamed in the `= ` lines; one that was dropped loses its line.

use std::fs;
use std::path::PathBuf;

use roundtable::host::{Host, Setup, Stored};
use roundtable::rules::adapter::game;
use roundtable::rules::cut::{Cut, SaveError};
use roundtable::rules::face::{Game, Sim};
use roundtable::rules::ids::Seat;

use super::played::{self, START_MS, played};
use super::then;

struct Vector {
    expected: Vec<String>,
    save: Vec<u8>,
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/vectors/save")
}

/// A vector by its name.
fn vector(name: &str) -> Vector {
    let text = fs::read_to_string(folder().join(format!("{name}.txt"))).expect("a vector");
    let mut vector = Vector { expected: Vec::new(), save: Vec::new() };
    for line in text.lines().filter(|line| !line.starts_with("# ")) {
        match line.strip_prefix("= ") {
            Some(expected) => vector.expected.push(expected.to_owned()),
            None => vector.save.extend(
                (0..line.len())
                    .step_by(2)
                    .map(|i| u8::from_str_radix(&line[i..i + 2], 16).expect("hexadecimal")),
            ),
        }
    }
    vector
}

fn names() -> Vec<String> {
    let files = fs::read_dir(folder()).expect("vectors");
    let mut names: Vec<String> = files
        .map(|file| file.expect("a file").path().file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// What is in a room, a line each.
fn contents(sim: &dyn Sim) -> Vec<String> {
    let mut lines = vec![format!("tick {}", sim.tick().0), format!("round {}", sim.round().number)];
    for seat in 0..16 {
        let Some(character) = sim.character(Seat(seat)) else { continue };
        let [x, y, _] = character.pose.at;
        lines.push(format!("{seat}.at {x} {y}"));
        let field = |(name, value)| format!("{seat}.{}.{name} {value}", character.kind);
        lines.extend(character.fields.iter().map(|(name, value)| field((name, value))));
    }
    lines
}

fn check(name: &str, game: &'static dyn Game) {
    let Vector { expected, save } = vector(name);
    let mut cut = Cut::default();
    cut.apply(&save).expect("a save");
    let sim = game.restore(&cut).unwrap_or_else(|error| panic!("{name}: {error}"));
    let found = contents(sim.as_ref());
    for line in expected {
        assert!(found.contains(&line), "{name}: {line} is missing among {found:#?}");
    }
    let setup = Setup { game, ..played::setup(name.split('-').next().expect("a game")) };
    let stored = Stored { save, save_seq: 1, journal: Vec::new(), ..Stored::default() };
    let host = Host::restore(setup, &stored, &[], START_MS).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert_eq!(host.facts(START_MS).tick, sim.tick().0, "a match that began anew would be at tick 0");
}

/// Those of version 0 carry a hash alone, so they need the very kinds of then.
fn game_of(name: &str) -> &'static dyn Game {
    match name {
        "arena-records-0" => game::<then::Arena>(),
        "isle-records-0" => game::<then::Isle>(),
        _ => played::game(name.split('-').next().expect("a game")),
    }
}

#[test]
fn old_saves_stay_readable() {
    let names = names();
    assert!(names.len() >= 4, "{names:?}");
    names.iter().for_each(|name| check(name, game_of(name)));
}

#[test]
fn a_save_that_carries_only_a_hash_opens_for_the_very_kinds_of_then() {
    let mut cut = Cut::default();
    cut.apply(&vector("isle-records-0").save).expect("a save");
    assert_eq!(game::<then::Arena>().restore(&cut).err(), Some(SaveError::Schema));
}

#[test]
fn a_save_of_a_newer_build_is_refused_by_name() {
    let mut cut = Cut::default();
    cut.apply(&vector("isle-records-0").save).expect("a save");
    let mut newer = Cut::default();
    for (id, record) in cut.section(1) {
        newer.put(1, id, record.to_vec());
    }
    newer.put(0, 1_000, vec![1, 2, 3]);
    assert_eq!(game::<then::Isle>().restore(&newer).err(), Some(SaveError::Records(1_000)));
}

#[test]
#[ignore = "writes a file of tests/vectors/save, once"]
fn write_a_vector() {
    let name = std::env::var("SAVE_VECTOR").expect("SAVE_VECTOR=<game>-<what is new>");
    let file = folder().join(format!("{name}.txt"));
    assert!(!file.exists(), "a vector is written once");
    let game = name.split('-').next().expect("a game");
    let save = played(game);
    let mut cut = Cut::default();
    cut.apply(&save).expect("a save");
    let sim = played::game(game).restore(&cut).expect("our own save");
    let mut text =
        format!("# A room of {game} as storage held it, played by tests/native/saves/played.rs.\n");
    contents(sim.as_ref()).iter().for_each(|line| text.push_str(&format!("= {line}\n")));
    for line in save.chunks(48) {
        line.iter().for_each(|byte| text.push_str(&format!("{byte:02x}")));
        text.push('\n');
    }
    fs::write(file, text).expect("a file");
}
