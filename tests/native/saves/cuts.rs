//! Saves are whole cuts as differences: they fold, they restore what was, and one that lacks a record is refused.

use roundtable::rules::adapter::game;
use roundtable::rules::cut::{Cut, SaveError};

use super::fair::{Fair, busy_room, cut_of, run, save_of};
use super::then;

#[test]
fn a_save_and_the_rows_after_it_fold_to_the_latest_cut() {
    let mut sim = busy_room();
    let mut former = cut_of(sim.as_ref());
    let mut stored = Cut::default();
    stored.apply(&save_of(&former)).expect("a save");
    for i in 0..30 {
        if i == 10 {
            sim.leave(roundtable::rules::ids::Seat(2), 0);
        }
        run(sim.as_mut(), 2);
        let cut = cut_of(sim.as_ref());
        stored.apply(&cut.difference(&former)).expect("a row");
        assert_eq!(stored, cut);
        former = cut;
    }
    let mut restored = game::<Fair>().restore(&stored).expect("our own save");
    assert_eq!(restored.digest(), sim.digest());
    assert_eq!(restored.drain().notes, []);
    for _ in 0..60 {
        run(sim.as_mut(), 1);
        run(restored.as_mut(), 1);
        assert_eq!(restored.digest(), sim.digest(), "at tick {}", sim.tick().0);
    }
}

#[test]
fn a_save_of_another_game_is_refused_by_name() {
    let refused = game::<then::Arena>().restore(&cut_of(busy_room().as_ref())).err();
    assert_eq!(refused, Some(SaveError::Kind { kind: "guest".to_owned() }));
}

#[test]
fn another_format_is_refused_by_its_number() {
    let mut bytes = save_of(&cut_of(busy_room().as_ref()));
    bytes[0] = 9;
    assert_eq!(Cut::default().apply(&bytes), Err(SaveError::Version(9)));
    assert_eq!(Cut::default().apply(&[]), Err(SaveError::Corrupt("empty row")));
}

#[test]
fn a_cut_with_a_record_missing_or_left_over_is_refused() {
    let whole = cut_of(busy_room().as_ref());
    let sections: Vec<u8> = whole.sections().collect();
    let rows: Vec<(u8, u32, Vec<u8>)> = sections
        .iter()
        .flat_map(|section| whole.section(*section).map(|(id, record)| (*section, id, record.to_vec())))
        .collect();
    for (section, id, _) in &rows {
        let mut less = Cut::default();
        for (s, i, record) in rows.iter().filter(|(s, i, _)| (s, i) != (section, id)) {
            less.put(*s, *i, record.clone());
        }
        // Timers, areas, questions and where bodies were may be any number, and so may balls that no timer is of.
        let may_lack = (6..=8).contains(section) || *section == 10;
        let restored = game::<Fair>().restore(&less);
        assert_eq!(restored.is_ok(), may_lack, "without {section}/{id}: {:?}", restored.err());
    }
    for section in &sections {
        let mut more = whole.clone();
        more.put(*section, 40_000, vec![1, 2, 3]);
        assert!(game::<Fair>().restore(&more).is_err(), "with one more in {section}");
    }
    let mut unknown = whole.clone();
    unknown.put(15, 0, vec![]);
    assert_eq!(game::<Fair>().restore(&unknown).err(), Some(SaveError::Corrupt("unknown section")));
}
