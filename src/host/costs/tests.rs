//! Tests of what is counted, of what a restore keeps of it, and of how movement is stretched.

use proptest::prelude::*;

use super::*;
use crate::host::stub::{CARDS, LASTING, MATCH, Rig, START_MS, hello};
use crate::host::{CommitOutcome, ConnectionId};
use crate::limits::{GRACE_MS, ROWS_PER_DAY};
use crate::wire::client_message::Hello;

fn total(rig: &Rig) -> Tally {
    *rig.host.costs.total()
}

#[test]
fn rows_alarms_requests_messages_bytes_and_time_are_counted() {
    let mut rig = Rig::new(&LASTING);
    rig.join(1);
    rig.host.handle_alarm_set(rig.now_ms);
    rig.host.handle_alarm(rig.now_ms);
    rig.host.handle_request(rig.now_ms);
    rig.run_ms(10_000);
    rig.join(2);
    rig.hello(3, &Hello { watch: true, ..hello() });
    for _ in 0..5 {
        rig.say(1, r#"{"t":"ping","c":1}"#);
    }
    rig.run_ms(20_000);
    let (tally, facts) = (total(&rig), rig.facts());
    assert_eq!(tally.rows_written, facts.rows_written + 1);
    assert_eq!((tally.alarms_set, tally.requests), (1, 5), "three upgrades, an alarm, and one more");
    assert_eq!((tally.messages_in, tally.bytes_out), (8, facts.bytes_out), "hellos too");
    assert_eq!((tally.room_ms, tally.active_ms, tally.player_ms), (30_000, 30_000, 50_000));
    assert_eq!(rig.host.costs.today(rig.now_ms), tally);
    assert_eq!(rig.host.costs.today(rig.now_ms + DAY_MS), Tally::default());
}

#[test]
fn an_empty_room_costs_no_time_and_a_gap_counts_up_to_its_limit() {
    let mut rig = Rig::new(&MATCH);
    rig.join(1);
    rig.run_ms(1_000);
    rig.lose(1);
    rig.run_ms(GRACE_MS);
    assert!(rig.facts().paused);
    let rested = total(&rig);
    assert_eq!((rested.room_ms, rested.player_ms), (1_000 + GRACE_MS, 1_000));
    rig.now_ms += 3_600_000;
    rig.join(2);
    rig.ticks(1);
    assert_eq!(total(&rig).room_ms, rested.room_ms + 50);
    rig.now_ms += 3_600_000;
    rig.ticks(1);
    assert_eq!(total(&rig).room_ms, rested.room_ms + 50 + COST_GAP_MS_MAX);
}

#[test]
fn a_restart_keeps_what_the_last_commit_has_and_counts_no_time_in_which_nothing_ran() {
    let mut rig = Rig::new(&LASTING);
    rig.join(1);
    rig.run_ms(60_000);
    let before = total(&rig);
    rig.now_ms += 600_000;
    rig.crash();
    let after = total(&rig);
    assert_eq!(after.rows_written, before.rows_written + 1, "and the restore's own");
    assert!(before.room_ms - after.room_ms <= MOVEMENT_MS);
    assert_eq!(after.requests, before.requests);
}

#[test]
fn a_room_that_runs_by_events_counts_its_people_while_it_sleeps_and_is_not_billed_for_it() {
    let mut rig = Rig::new(&CARDS);
    rig.join(1);
    rig.join(2);
    let before = total(&rig);
    rig.now_ms += 300_000;
    rig.come_back();
    let after = total(&rig);
    assert_eq!((after.room_ms - before.room_ms, after.player_ms - before.player_ms), (300_000, 600_000));
    assert_eq!(after.active_ms, 0);
    rig.now_ms += 99 * COST_SLEEP_MS_MAX;
    rig.come_back();
    assert_eq!(
        total(&rig).room_ms,
        COST_SLEEP_MS_MAX,
        "since the last commit, of a wake that stored nothing"
    );
}

#[test]
fn a_commit_of_movement_alone_is_told_from_others() {
    let mut rig = Rig::new(&LASTING);
    rig.join(1);
    rig.run_ms(20_000);
    assert_eq!(total(&rig).movement_rows, 4);
    rig.input(1, r#"{"fire":true}"#);
    rig.ticks(1);
    assert_eq!((total(&rig).movement_rows, rig.facts().storage.durable_ticks), (4, 1));
    // Both at once is no movement.
    rig.run_ms(4_900);
    rig.input(1, "{}");
    rig.ticks(1);
    rig.input(1, r#"{"fire":true}"#);
    rig.ticks(1);
    assert_eq!((total(&rig).movement_rows, rig.facts().storage.durable_ticks), (4, 2));
}

#[test]
fn what_a_save_says_cannot_overflow() {
    let most = Tally {
        rows_written: u64::MAX,
        movement_rows: u64::MAX,
        alarms_set: u64::MAX,
        requests: u64::MAX,
        messages_in: u64::MAX,
        bytes_out: u64::MAX,
        room_ms: u64::MAX,
        active_ms: u64::MAX,
        player_ms: u64::MAX,
    };
    for (day, at_ms) in [(0, 0), (START_MS / DAY_MS, u64::MAX), (u64::MAX, 5)] {
        let kept = CostRecord { day, at_ms, today: most, total: most };
        let mut costs = Costs::restore(kept, true, START_MS);
        costs.pass(START_MS + 9, Presence { live: true, ticks: true, people: u64::MAX }, 9);
        costs.commit(u64::MAX, true, START_MS);
        costs.alarm_set(START_MS);
        costs.request(START_MS);
        costs.message_in(START_MS);
        costs.bytes_out(9, START_MS);
        let _ = (costs.record(), costs.movement_ms(u32::MAX, START_MS), costs.movement_ms(1, u64::MAX));
        assert!(costs.movement_ms(ROWS_PER_DAY, START_MS).is_none());
    }
}

/// B28
#[test]
fn a_tick_with_nothing_durable_writes_no_row() {
    for game in [&MATCH, &LASTING] {
        let mut rig = Rig::new(game);
        rig.join(1);
        let rows = rig.facts().rows_written;
        for tick in 0..99 {
            rig.input(1, if tick % 2 == 0 { r#"{"move":[1,0]}"# } else { r#"{"move":[0,1]}"# });
            rig.ticks(1);
        }
        assert_eq!(rig.facts().rows_written, rows);
        assert_eq!(rig.facts().storage.durable_ticks, 0);
    }
}

/// Seconds since the day began at which movement is committed, of a room that also commits `durable` of 1,000 ticks and
/// sets its alarms; and the rows that were written when each was.
fn day(budget: u32, mut is_durable: impl FnMut(u64) -> bool) -> Vec<(u64, u64)> {
    let start = START_MS / DAY_MS * DAY_MS;
    let mut costs = Costs::new(start);
    let mut taken_ms = start;
    let mut movements = Vec::new();
    for second in 0..DAY_MS / 1_000 {
        let now = start + second * 1_000;
        if second * 1_000 % PULSE_MS == 0 {
            costs.alarm_set(now);
        }
        if is_durable(second) {
            costs.commit(1, false, now);
            taken_ms = now;
        } else if costs.movement_ms(budget, now).is_some_and(|wait| now - taken_ms >= wait) {
            costs.commit(1, true, now);
            taken_ms = now;
            movements.push((second, costs.today(now).rows_written));
        }
    }
    movements
}

/// B28, B29
#[test]
fn with_low_use_movement_waits_for_five_seconds_all_day() {
    let movements = day(ROWS_PER_DAY, |_| false);
    assert_eq!(movements.len() as u64, DAY_MS / MOVEMENT_MS - 1);
    assert!(movements.windows(2).all(|pair| pair[1].0 - pair[0].0 == MOVEMENT_MS / 1_000));
}

#[test]
fn movement_is_spread_over_the_day_and_never_stops_while_rows_are_left() {
    // 0.1 alarms and 0.2 of movement a second would be 25,920 rows.
    let movements = day(20_000, |_| false);
    let last = movements.last().expect("some");
    assert!(last.1 <= 20_000 && last.0 > 86_400 - 2 * 300, "{last:?}");
    let longest = movements.windows(2).map(|pair| pair[1].0 - pair[0].0).max().expect("some");
    assert!((6..60).contains(&longest), "{longest} s");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn movement_alone_never_writes_more_than_the_day_has(
        budget in 100..120_000u32, share in 0..1_000u64, burst in 1..20_000u64,
    ) {
        // A share of the ticks of every other burst is durable.
        let noise = |second: u64| (second.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) % 1_000;
        let movements = day(budget, |second| second / burst % 2 == 0 && noise(second) < share);
        prop_assert!(movements.iter().all(|(_, rows)| *rows <= u64::from(budget)));
        prop_assert!(movements.windows(2).all(|pair| pair[1].0 - pair[0].0 >= MOVEMENT_MS / 1_000));
    }
}

/// B28, B29
#[test]
fn a_room_near_its_limit_commits_movement_seldom_and_what_is_durable_at_once() {
    for game in [&MATCH, &LASTING] {
        let mut rig = Rig::new(game);
        rig.join(1);
        rig.now_ms = START_MS / DAY_MS * DAY_MS + DAY_MS / 2;
        rig.host.costs.commit(u64::from(ROWS_PER_DAY) - 3, false, rig.now_ms);
        rig.host.costs.dearest_rows = 1;
        rig.host.handle_take_over(rig.now_ms);
        let rows = rig.facts().rows_written;
        rig.run_ms(60_000);
        assert_eq!(rig.facts().rows_written, rows, "movement waits");
        assert_eq!(rig.facts().costs.movement_ms, Some(MOVEMENT_MS_MAX));
        rig.join(2);
        assert_eq!(rig.facts().rows_written, rows + 1);
        // Three are left; when they are gone movement stops until midnight.
        rig.host.handle_message(
            ConnectionId(1),
            r#"{"t":"in","e":1,"s":[[9999,{"over":true}]]}"#,
            rig.now_ms,
        );
        rig.host.costs.commit(9, false, rig.now_ms);
        rig.host.costs.dearest_rows = 1;
        assert_eq!(rig.facts().costs.movement_ms, None);
        rig.now_ms += DAY_MS / 2;
        assert_eq!(rig.facts().costs.movement_ms, Some(MOVEMENT_MS));
        rig.host.handle_commit(CommitOutcome::Taken { rows_written: 0 }, rig.now_ms);
    }
}
