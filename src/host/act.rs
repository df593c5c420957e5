//! Actions between a connection and the rules: taken in, given to each step until answered, answered after the commit.
//!
//! The answer to an action leaves after the commit that has its effect, in match rooms too: what was answered has happened
//! for good, and what a crash undid was never answered. An action of another epoch is passed over without a word: its
//! connection is about to be welcomed to the new one, and gives it again. How exactly once comes about: `actions.rs`.

use crate::host::actions::{Answer, BUSY, Reply};
use crate::host::seats::Holder;
use crate::host::{ConnectionId, Host, Output};
use crate::rules::face::{Done, Given, SeatAction};
use crate::rules::ids::Epoch;
use crate::wire::server_message::ServerMessage;

impl Host {
    /// An action of a welcomed connection: its index and words, or why it is none.
    pub(super) fn take_action(
        &mut self,
        connection: ConnectionId,
        epoch: Epoch,
        number: u32,
        action: Result<(u16, Vec<i32>), String>,
    ) {
        let (welcomed, by_events) = (self.welcomed(), self.is_event_driven());
        let Some(known) = self.connections.get_mut(&connection) else { return };
        // Before its welcome it cannot know the epoch, but by chance.
        if epoch != self.epoch || known.gate > welcomed {
            self.counters.actions_dropped += 1;
            return;
        }
        let tick = self.sim.tick();
        let held = known.seat.and_then(|seat| Some((seat, self.seats.held_mut(seat)?)));
        let Some((seat, held)) = held else {
            let why = Some("who watches does nothing".to_owned());
            return self.say_did(connection, &Answer { number, tick, why });
        };
        let is_over = by_events && !known.acts.take(self.now_ms);
        let action = if is_over { Err(BUSY.to_owned()) } else { action };
        self.arrivals += 1;
        match held.actions.offer(seat, number, action, self.arrivals) {
            Reply::Later => {
                held.active_ms = self.now_ms;
                self.step_of_event();
            }
            Reply::Known(answer) => self.say_did(connection, &answer),
            Reply::Refused(why) => {
                self.counters.actions_refused += 1;
                self.say_did(connection, &Answer { number, tick, why: Some(why) });
            }
        }
    }

    pub(super) fn has_actions_waiting(&self) -> bool {
        self.seats.iter().any(|(_, held)| held.actions.waiting().next().is_some())
    }

    /// All that wait, in the order they came in.
    pub(super) fn actions_to_do(&self) -> Vec<SeatAction> {
        let mut waiting: Vec<_> = self.seats.iter().flat_map(|(_, held)| held.actions.waiting()).collect();
        waiting.sort_unstable_by_key(|(arrival, _)| *arrival);
        waiting.into_iter().map(|(_, action)| action.clone()).collect()
    }

    /// Keeps what the rules answered, so that the commit that is due now has it: what is to be said after that, to whom.
    pub(super) fn keep_answers(&mut self, given: &Given) -> Vec<(ConnectionId, Answer)> {
        let tick = self.sim.tick();
        let mut said = Vec::new();
        for Done { seat, number, result } in &given.done {
            let Some(held) = self.seats.held_mut(*seat) else { continue };
            let answers = held.actions.answer(*number, result.as_ref().err(), tick);
            if !answers.is_empty() {
                self.counters.actions_done += answers.len() as u64;
                self.ledger.want_now();
            }
            if let Holder::Here(connection) = held.holder {
                said.extend(answers.into_iter().map(|answer| (connection, answer)));
            }
        }
        said
    }

    /// Answers an action on the newest commit that anyone waits for. A connection whose welcome waits is told nothing: it
    /// asks again.
    pub(super) fn say_did(&mut self, to: ConnectionId, answer: &Answer) {
        let Answer { number: n, tick, why } = answer.clone();
        let did = ServerMessage::Did { n, k: tick.0, ok: why.is_none(), why };
        if self.connections.get(&to).is_some_and(|known| known.gate <= self.welcomed()) {
            self.outbox.push(self.kept_gate(), Output::Send { to, text: did.to_json().into() });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::stub::{CARDS, LASTING, MATCH, Rig, hello};
    use crate::limits::{ACTIONS_BURST, ACTIONS_QUEUED_MAX, GRACE_MS, IDLE_MS};
    use crate::wire::client_message::Hello;
    use crate::wire::close::CloseCode;

    const BUMP: &str = r#"{"by":3}"#;

    fn score(rig: &Rig) -> i64 {
        rig.disk.scores()[&0]
    }

    /// B51
    #[test]
    fn an_action_is_answered_after_the_commit_of_its_tick_in_both_lifetimes() {
        for game in [&MATCH, &LASTING] {
            let mut rig = Rig::new(game);
            rig.join(1);
            rig.ticks(1);
            rig.act(1, 7, "bump", BUMP);
            assert!(rig.dids(1).is_empty(), "its tick is to come");
            rig.now_ms += 50;
            rig.host.handle_tick(rig.now_ms);
            let commit = rig.host.poll_commit().expect("an action that is answered makes a commit due");
            let is_did =
                |output: &Output| matches!(output, Output::Send { text, .. } if text.contains("did"));
            assert!(std::iter::from_fn(|| rig.host.poll_output()).all(|output| !is_did(&output)));
            rig.disk.write(&commit);
            rig.host.handle_commit(crate::host::CommitOutcome::Taken { rows_written: 1 }, rig.now_ms);
            rig.drain();
            assert_eq!((rig.dids(1), score(&rig)), (vec![(7, 2, None)], 3));
            rig.crash();
            assert_eq!(score(&rig), 3);
        }
    }

    #[test]
    fn an_action_that_no_commit_holds_is_not_answered() {
        let mut rig = Rig::new(&MATCH);
        rig.join(1);
        rig.disk_fails = true;
        rig.act(1, 1, "bump", BUMP);
        rig.ticks(3);
        assert!(rig.dids(1).is_empty() && rig.snaps(1).len() == 3);
        rig.disk_fails = false;
        rig.ticks(100);
        assert_eq!((rig.dids(1), score(&rig)), (vec![(1, 1, None)], 3));
    }

    /// B51
    #[test]
    fn the_same_number_again_is_answered_the_same_and_another_number_is_another_action() {
        for game in [&MATCH, &LASTING, &CARDS] {
            let mut rig = Rig::new(game);
            let token = rig.join(1).you.expect("a seat").token;
            rig.act(1, 1, "bump", BUMP);
            rig.act(1, 1, "bump", BUMP);
            rig.ticks(1);
            let did = rig.dids(1);
            rig.crash();
            let you = rig.knock(2, &token).you.expect("a seat");
            assert_eq!((you.back, you.n), (true, 1), "a reloaded page counts on");
            rig.act(2, 1, "bump", BUMP);
            rig.ticks(1);
            assert_eq!((rig.dids(2), score(&rig)), (vec![did[0].clone()], 3));
            rig.act(2, 2, "bump", BUMP);
            rig.ticks(1);
            assert_eq!(score(&rig), 6);
        }
    }

    #[test]
    fn what_cannot_be_done_is_answered_at_once_with_the_reason() {
        let mut rig = Rig::new(&LASTING);
        rig.join(1);
        rig.ticks(1);
        rig.hello(2, &Hello { watch: true, ..hello() });
        rig.act(1, 1, "fly", "{}");
        rig.act(1, 2, "bump", r#"{"by":10}"#);
        rig.act(2, 1, "bump", BUMP);
        let whys: Vec<_> = rig.dids(1).into_iter().map(|(n, k, why)| (n, k, why.is_some())).collect();
        assert_eq!(whys, [(1, 1, true), (2, 1, true)]);
        assert_eq!(rig.dids(2), [(1, 1, Some("who watches does nothing".to_owned()))]);
        rig.act(1, 3, "refuse", "{}");
        rig.ticks(1);
        assert_eq!(rig.dids(1)[2], (3, 2, Some("not now".to_owned())));
        let actions = rig.facts().actions;
        assert_eq!((actions.done, actions.refused, actions.dropped), (1, 2, 0));
        assert_eq!(rig.close_of(1), None);
    }

    #[test]
    fn so_many_actions_wait_and_a_further_one_is_told_busy() {
        let mut rig = Rig::new(&LASTING);
        rig.join(1);
        for number in 1..=10 {
            rig.act(1, number, "bump", r#"{"by":1}"#);
        }
        let busy = |n| (n, 0, Some("busy".to_owned()));
        assert_eq!(rig.dids(1), [busy(9), busy(10)]);
        rig.ticks(1);
        assert_eq!((rig.dids(1).len(), score(&rig)), (2 + ACTIONS_QUEUED_MAX, 8));
        rig.act(1, 11, "bump", r#"{"by":1}"#);
        rig.ticks(1);
        assert_eq!(score(&rig), 9);
    }

    #[test]
    fn where_each_action_is_a_commit_their_rate_is_bounded() {
        let mut rig = Rig::new(&CARDS);
        rig.join(1);
        let commits = rig.disk.commits.len();
        for number in 1..=60 {
            rig.act(1, number, "bump", r#"{"by":1}"#);
        }
        let busy = rig.dids(1).iter().filter(|(_, _, why)| why.as_deref() == Some("busy")).count();
        let most = ACTIONS_BURST as usize;
        assert_eq!((busy, rig.disk.commits.len() - commits, score(&rig)), (60 - most, most, 40));
    }

    #[test]
    fn actions_are_done_in_the_order_they_came_in_and_those_not_come_to_wait() {
        let mut rig = Rig::new(&LASTING);
        rig.join(1);
        rig.join(2);
        rig.act(2, 1, "bump", BUMP);
        rig.act(1, 1, "wait", "{}");
        rig.act(2, 2, "bump", BUMP);
        let order: Vec<_> = rig.host.actions_to_do().iter().map(|done| (done.seat.0, done.number)).collect();
        assert_eq!(order, [(1, 1), (0, 1), (1, 2)]);
        rig.ticks(3);
        assert!(rig.dids(1).is_empty());
        rig.ticks(1);
        assert_eq!((rig.dids(1), rig.dids(2).len()), (vec![(1, 4, None)], 2));
    }

    #[test]
    fn an_action_of_another_epoch_is_passed_over_and_one_of_who_is_away_forgotten() {
        let mut rig = Rig::new(&LASTING);
        let token = rig.join(1).you.expect("a seat").token;
        rig.say(1, r#"{"t":"do","e":9,"n":1,"a":"bump","x":{"by":3}}"#);
        rig.act(1, 2, "bump", BUMP);
        rig.lose(1);
        rig.ticks(2);
        assert_eq!((rig.facts().actions.dropped, rig.disk.scores()[&0]), (1, 0));
        rig.knock(2, &token);
        rig.act(2, 2, "bump", BUMP);
        rig.ticks(1);
        assert_eq!((rig.dids(2), score(&rig)), (vec![(2, 3, None)], 3));
        // Another stay counts anew.
        rig.say(2, r#"{"t":"leave"}"#);
        assert_eq!(rig.join(3).you.expect("a seat").n, 0);
        rig.act(3, 1, "bump", BUMP);
        rig.ticks(1);
        assert_eq!(rig.dids(3), [(1, 4, None)]);
    }

    #[test]
    fn who_acts_is_not_idle() {
        let mut rig = Rig::new(&MATCH);
        rig.join(1);
        rig.run_ms(IDLE_MS - 60_000);
        assert!(rig.close_of(1).is_some_and(|code| code == CloseCode::Silent), "silence is another thing");
        let mut rig = Rig::new(&MATCH);
        rig.join(1);
        for number in 1..=IDLE_MS as u32 / 30_000 + 1 {
            rig.act(1, number, "bump", r#"{"by":1}"#);
            rig.run_ms(30_000);
            rig.sent.clear();
        }
        assert_eq!(rig.close_of(1), None);
        rig.lose(1);
        rig.run_ms(GRACE_MS);
        assert!(rig.facts().paused);
    }
}
