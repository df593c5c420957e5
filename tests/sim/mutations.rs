//! Builds that are wrong on purpose, one rule each: the checkers must notice within `SEEDS_MAX` seeds, and the one whose
//! rule it is must be the one that does.

use roundtable::mutation::{self, Mutation};

use crate::checkers::Checker;
use crate::phases::run;
use crate::sweep;

const SEEDS_MAX: u64 = 100;

fn check(mutation: Mutation, expected: Checker) {
    let wrong = |seed| {
        mutation::set(Some(mutation));
        let outcome = run(seed, false);
        mutation::set(None);
        outcome
    };
    let (seed, outcome) = sweep(1, SEEDS_MAX, wrong).unwrap_or_else(|| panic!("{mutation:?} goes unnoticed"));
    let (checker, what) = &outcome.found[0];
    println!("{mutation:?}: seed {seed}, {checker:?}: {what}");
    assert_eq!(*checker, expected, "{mutation:?}, seed {seed}: {what}");
}

#[test]
fn frames_that_do_not_wait_for_their_commit_are_noticed() {
    check(Mutation::PublishBeforeCommit, Checker::Publish);
}

#[test]
fn a_restore_that_keeps_its_epoch_is_noticed() {
    check(Mutation::RestoreWithoutEpochRaise, Checker::Order);
}

#[test]
fn a_stop_that_does_not_force_its_checkpoint_is_noticed() {
    check(Mutation::FoldWithoutForce, Checker::Rest);
}

#[test]
fn a_journal_of_what_is_durable_alone_is_noticed() {
    check(Mutation::JournalDurableOnly, Checker::Replay);
}

#[test]
fn ticks_before_the_alarm_that_vouches_for_them_are_noticed() {
    check(Mutation::AlarmAfterTicks, Checker::Alarm);
}
