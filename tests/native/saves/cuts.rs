//! Saves: whole cuts as differences, and what a damaged one is told.

use proptest::prelude::*;
use roundtable::games::arena::Arena;
use roundtable::rules::adapter::game;
use roundtable::rules::cut::{Cut, SaveError};

use crate::fixtures::{Gather, Play};

fn busy_room() -> Play {
    let mut play = Play::new::<Gather>(11);
    for seat in 0..4 {
        play.join(seat);
        play.push(seat, 0.6, f64::from(seat) * 0.3 - 0.5, false);
    }
    play.ticks(60);
    play
}

fn save(play: &Play) -> Vec<u8> {
    play.cut().difference(&Cut::default())
}

#[test]
fn a_save_and_the_rows_after_it_fold_to_the_latest_cut() {
    let mut play = busy_room();
    let mut stored = Cut::default();
    stored.apply(&save(&play)).unwrap();
    let mut former = play.cut();
    for i in 0..30 {
        if i == 10 {
            play.leave(2);
        }
        play.ticks(2);
        let cut = play.cut();
        stored.apply(&cut.difference(&former)).unwrap();
        assert_eq!(stored, cut);
        former = cut;
    }
    let restored = game::<Gather>().restore(&stored).unwrap();
    assert_eq!(restored.digest(), play.sim.digest());
}

#[test]
fn a_save_of_another_game_is_refused_by_name() {
    let cut = busy_room().cut();
    assert_eq!(game::<Arena>().restore(&cut).err(), Some(SaveError::Schema));
}

#[test]
fn another_format_is_refused_by_its_number() {
    let mut bytes = save(&busy_room());
    bytes[0] = 9;
    assert_eq!(Cut::default().apply(&bytes), Err(SaveError::Version(9)));
    assert_eq!(Cut::default().apply(&[]), Err(SaveError::Corrupt("empty row")));
}

#[test]
fn a_cut_with_a_record_missing_or_left_over_is_refused() {
    let play = busy_room();
    let whole = play.cut();
    let sections = [0u8, 1, 2, 3, 4];
    for section in sections {
        for (id, record) in whole.section(section) {
            let mut less = Cut::default();
            let rows = sections.iter().flat_map(|s| whole.section(*s).map(move |(i, r)| (*s, i, r)));
            for (s, i, r) in rows.filter(|(s, i, _)| (*s, *i) != (section, id)) {
                less.put(s, i, r.to_vec());
            }
            // A gem that nobody owns may be absent; anything else is missed.
            let gem = section == 2 && record[0] == 1;
            assert_eq!(game::<Gather>().restore(&less).is_ok(), gem, "without {section}/{id}");
        }
        let mut more = whole.clone();
        more.put(section, 40_000, vec![1, 2, 3]);
        assert!(game::<Gather>().restore(&more).is_err(), "with one more in {section}");
    }
    let mut unknown = whole.clone();
    unknown.put(9, 0, vec![]);
    assert_eq!(game::<Gather>().restore(&unknown).err(), Some(SaveError::Corrupt("unknown section")));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    /// A damaged save is refused or is still a whole room in bounds; it never panics.
    #[test]
    fn a_damaged_save_never_panics(
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        cut_at in prop::option::of(any::<prop::sample::Index>()),
    ) {
        thread_local!(static SAVE: Vec<u8> = save(&busy_room()));
        let mut bytes = SAVE.with(Clone::clone);
        for (at, with) in flips {
            let at = at.index(bytes.len());
            bytes[at] ^= with;
        }
        if let Some(at) = cut_at {
            bytes.truncate(at.index(bytes.len()));
        }
        let mut cut = Cut::default();
        if cut.apply(&bytes).is_ok() && let Ok(mut sim) = game::<Gather>().restore(&cut) {
            for _ in 0..3 {
                let _ = sim.step(&[]);
            }
        }
    }

    #[test]
    fn random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = Cut::default().apply(&bytes);
    }
}
