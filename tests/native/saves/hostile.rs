//! Damaged and hostile saves: each is refused with a name or is a whole room in bounds. None panics, none makes the
//! reader allocate more than its own size times a constant.
//!
//! `SAVE_FUZZ_CASES` (100,000 in `make test`) and `SAVE_FUZZ_SEED` say how many cases and which.

use std::panic::AssertUnwindSafe;

use roundtable::host::{Host, Stored};
use roundtable::rules::adapter::game;
use roundtable::rules::character::Character;
use roundtable::rules::cut::{Cut, put_varint};
use roundtable::rules::datum::Datum;
use roundtable::rules::face::Moment;
use roundtable::rules::motion::Pose;
use roundtable::rules::rng::Rng;

use super::fair::{Fair, busy_room, cut_of, save_of};
use super::played::{START_MS, played, setup};
use super::versions;
use crate::allocated::peak_of;

const CASES: u32 = 100_000;
/// Bytes that a restore may have allocated at once for each byte of the save. The worst is a body of a kind that has
/// grown: 14 bytes of it become a row of now, which for the games of these tests is some 400.
const BYTES_PER_BYTE_MAX: usize = 64;
/// And for the room itself: its schema, its columns, its seats.
const BYTES_OF_A_ROOM_MAX: usize = 64 << 10;

type Records = Vec<(u8, u32, Vec<u8>)>;

fn records_of(cut: &Cut) -> Records {
    let of = |section| cut.section(section).map(move |(id, record)| (section, id, record.to_vec()));
    cut.sections().flat_map(of).collect()
}

/// One way to damage a save, drawn by `dice`.
fn damaged(whole: &[u8], records: &Records, dice: &mut Rng) -> Vec<u8> {
    match dice.below(6) {
        0 => flipped(whole, 1 + dice.below(8), dice),
        1 => whole[..dice.below(whole.len() as u32) as usize].to_vec(),
        2 => {
            let mut bytes: Vec<u8> = (0..dice.below(400)).map(|_| dice.below(256) as u8).collect();
            bytes.insert(0, 1);
            bytes
        }
        3 => spliced(records, dice),
        _ => rewritten(records, dice),
    }
}

fn flipped(bytes: &[u8], flips: u32, dice: &mut Rng) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..flips.min(bytes.len() as u32) {
        let at = dice.below(bytes.len() as u32) as usize;
        bytes[at] ^= 1 << dice.below(8);
    }
    bytes
}

fn encoded(records: &Records) -> Vec<u8> {
    let mut cut = Cut::default();
    records.iter().for_each(|(section, id, record)| cut.put(*section, *id, record.clone()));
    save_of(&cut)
}

/// Records under other records' keys, missing, or twice.
fn spliced(records: &Records, dice: &mut Rng) -> Vec<u8> {
    let mut records = records.clone();
    for _ in 0..=dice.below(3) {
        let [from, to] = [0; 2].map(|_| dice.below(records.len() as u32) as usize);
        match dice.below(4) {
            0 => records[to].2 = records[from].2.clone(),
            1 => records[to].0 = dice.below(12) as u8,
            2 => records[to].1 = dice.below(70),
            _ => drop(records.remove(to)),
        }
    }
    encoded(&records)
}

/// A record or two with other bytes, or with numbers that are too large.
fn rewritten(records: &Records, dice: &mut Rng) -> Vec<u8> {
    let mut records = records.clone();
    for _ in 0..=dice.below(2) {
        let at = dice.below(records.len() as u32) as usize;
        let record = &mut records[at].2;
        let place = dice.below(record.len() as u32 + 1) as usize;
        match dice.below(4) {
            0 => *record = flipped(record, 1 + dice.below(3), dice),
            1 => record.truncate(place),
            2 => record.insert(place, dice.below(256) as u8),
            _ => {
                let mut huge = Vec::new();
                put_varint(&mut huge, u64::MAX >> dice.below(64));
                record.splice(place..place, huge);
            }
        }
    }
    encoded(&records)
}

/// Reads a save as a room does, and runs it a little if it opens. Says whether it did.
fn survives(bytes: &[u8], game: &'static dyn roundtable::rules::face::Game) -> bool {
    let (sim, peak) = peak_of(|| {
        let mut cut = Cut::default();
        cut.apply(bytes).ok().and_then(|()| game.restore(&cut).ok())
    });
    let bound = BYTES_OF_A_ROOM_MAX + BYTES_PER_BYTE_MAX * bytes.len();
    assert!(peak <= bound, "{peak} bytes at once for a save of {}", bytes.len());
    let Some(mut sim) = sim else { return false };
    for _ in 0..2 {
        // A hostile tick may be the last there is; that is an error, not a panic.
        let _ = sim.step(&Moment::default());
    }
    let again = game.restore(&cut_of(sim.as_ref()));
    assert_eq!(again.map(|again| again.digest()).ok(), Some(sim.digest()), "what it became restores");
    true
}

fn number(name: &str, otherwise: u32) -> u32 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

/// Issue 4, item 10: 100,000 damaged saves.
#[test]
fn a_damaged_save_never_panics_nor_costs_more_than_its_size() {
    let cut = cut_of(busy_room().as_ref());
    let records = records_of(&cut);
    let whole = save_of(&cut);
    let seed = number("SAVE_FUZZ_SEED", 4);
    let (mut dice, mut opened) = (Rng::new(u64::from(seed)), 0u32);
    // The same game, and one that maps every field by name.
    let games = [game::<Fair>(), game::<versions::later_fair::Game>()];
    assert!(games.iter().all(|game| survives(&whole, *game)), "the whole save opens");
    for case in 0..number("SAVE_FUZZ_CASES", CASES) {
        let bytes = damaged(&whole, &records, &mut dice);
        let game = games[case as usize % games.len()];
        let survived = std::panic::catch_unwind(AssertUnwindSafe(|| survives(&bytes, game)));
        opened += u32::from(survived.unwrap_or_else(|_| panic!("case {case} of seed {seed}")));
    }
    assert!(opened > 0, "some damage is none that a reader can see");
}

/// The host's records too, in a save of a shipped game.
#[test]
fn a_damaged_save_never_panics_in_its_host() {
    let whole = played("isle");
    let mut cut = Cut::default();
    cut.apply(&whole).expect("a save");
    let (records, mut dice, mut opened) = (records_of(&cut), Rng::new(5), 0u32);
    for case in 0..number("SAVE_FUZZ_CASES", CASES) / 10 {
        let save = damaged(&whole, &records, &mut dice);
        let stored = Stored { save, save_seq: 1, journal: Vec::new(), ..Stored::default() };
        let restored = AssertUnwindSafe(|| Host::restore(setup("isle"), &stored, &[], START_MS).is_ok());
        let restored = std::panic::catch_unwind(restored);
        opened += u32::from(restored.unwrap_or_else(|_| panic!("case {case}")));
    }
    assert!(opened > 0, "some damage is none that a reader can see");
}

/// Any value there is, of any shape.
fn wild(dice: &mut Rng, depth: u32) -> Datum {
    let floats = [f64::NAN, f64::INFINITY, -0.0, 1e308, 0.5, 5e-324];
    let numbers = [0, -1, 120, i64::MAX, i64::MIN, 1 << 40];
    match dice.below(if depth < 3 { 6 } else { 5 }) {
        0 => Datum::Nothing,
        1 => Datum::Bool(dice.below(2) == 1),
        2 => Datum::Int(numbers[dice.below(6) as usize]),
        3 => Datum::Real(floats[dice.below(6) as usize]),
        4 => Datum::Text(
            ["cross", "", "a\u{202e}\0b", "Ada of York and of Lancaster"][dice.below(4) as usize].to_owned(),
        ),
        _ => Datum::List((0..dice.below(8)).map(|_| wild(dice, depth + 1)).collect()),
    }
}

/// F18: a character is fitted, in bounds and for good, or refused; never a panic.
#[test]
fn a_wild_character_fits_or_is_refused() {
    let games = [game::<versions::first::Game>(), game::<versions::upgraded::Game>(), game::<Fair>()];
    let (mut dice, mut fitted) = (Rng::new(6), 0);
    for case in 0..number("SAVE_FUZZ_CASES", CASES) / 5 {
        let game = games[case as usize % games.len()];
        let kind = game.schema().kinds.iter().find(|kind| kind.player).copied().expect("a player kind");
        let mut fields: Vec<(String, Datum)> = Vec::new();
        for field in kind.fields {
            if dice.below(3) == 0 {
                fields.push((field.name.to_owned(), wild(&mut dice, 0)));
            }
        }
        let character = Character { kind: kind.name.to_owned(), pose: Pose::default(), fields };
        let Ok((fits, _)) = game.fit_character(&character) else { continue };
        fitted += 1;
        let again = game.fit_character(&fits).map(|(again, _)| again);
        assert_eq!(again.as_ref(), Ok(&fits), "case {case}");
    }
    assert!(fitted > 0);
}

/// Lengths that promise more than is there reserve nothing.
#[test]
fn a_promise_of_much_costs_nothing() {
    for length in [1u64 << 16, 1 << 31, u64::from(u32::MAX), u64::MAX] {
        let mut promise = vec![1, 0, 1];
        put_varint(&mut promise, length);
        let (result, peak) = peak_of(|| Cut::default().apply(&promise));
        assert!(result.is_err() && peak < 1_024, "{peak} bytes for a record of {length}");
        let mut kinds = Vec::new();
        put_varint(&mut kinds, length);
        let mut cut = cut_of(busy_room().as_ref());
        cut.put(0, 1, kinds);
        let (result, peak) = peak_of(|| game::<Fair>().restore(&cut).err());
        assert!(result.is_some() && peak < BYTES_OF_A_ROOM_MAX, "{peak} bytes for {length} kinds");
    }
}
