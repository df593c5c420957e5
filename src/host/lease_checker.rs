//! The checker of characters in one room: at every moment one holder, and no copy older than what anyone was shown.
//!
//! Random events over a disk that fails now and then and a Lobby whose hearing and answers are lost, late and doubled.
//! The rig holds what leaves against the disk (`Rig::check`); here the disk is held against the Lobby.

use std::collections::BTreeMap;

use proptest::prelude::*;

use crate::host::CallId;
use crate::host::holds::State;
use crate::host::stub::{CHARACTERS, Rig, hello, scores};
use crate::limits::GRACE_MS;
use crate::wire::client_message::Hello;
use crate::wire::lease::{CharacterBody, Copy, LobbyAnswer, LobbyRequest, Stamp, TableAnswer};
use crate::wire::server_message::ServerMessage;

const ACCOUNTS: [&str; 3] = ["ada", "bob", "eve"];

#[derive(Clone, Debug)]
enum Event {
    /// This account knocks, perhaps with the newest token there is.
    Come(usize, bool),
    Watch,
    Lose(usize),
    Leave(usize),
    Fire(usize),
    Ticks(u32),
    GraceEnds,
    Alarm,
    /// The Lobby hears a call (again).
    Hear(usize),
    /// An answer arrives; with `true` it will arrive once more.
    Deliver(usize, bool),
    /// A call is given up; it may be heard, and its answer arrive, after that.
    GiveUp(usize),
    /// The Lobby calls a character back, and hears the answer or not.
    Release(usize, bool),
    /// A release that was for the lease before.
    LateRelease(usize),
    Crash,
    Disk(bool),
}

fn event() -> impl Strategy<Value = Event> {
    let who = 0..6usize;
    prop_oneof![
        4 => (who.clone(), any::<bool>()).prop_map(|(n, token)| Event::Come(n, token)),
        1 => Just(Event::Watch),
        1 => who.clone().prop_map(Event::Lose),
        1 => who.clone().prop_map(Event::Leave),
        4 => who.clone().prop_map(Event::Fire),
        3 => (1..5u32).prop_map(Event::Ticks),
        1 => Just(Event::GraceEnds),
        1 => Just(Event::Alarm),
        6 => who.clone().prop_map(Event::Hear),
        8 => (who.clone(), any::<bool>()).prop_map(|(n, again)| Event::Deliver(n, again)),
        1 => who.clone().prop_map(Event::GiveUp),
        2 => (who.clone(), any::<bool>()).prop_map(|(n, heard)| Event::Release(n, heard)),
        1 => who.prop_map(Event::LateRelease),
        1 => Just(Event::Crash),
        1 => prop::sample::select(vec![true, false, false]).prop_map(Event::Disk),
    ]
}

/// A call on its way: what the Lobby has answered to it so far.
struct Call {
    id: CallId,
    request: LobbyRequest,
    answers: Vec<LobbyAnswer>,
    /// Its incarnation is there still.
    lives: bool,
}

struct Run {
    rig: Rig,
    next: u32,
    connections: Vec<u32>,
    token: Option<String>,
    calls: Vec<Call>,
    /// The most that anyone was shown of each account.
    shown: BTreeMap<&'static str, i64>,
    copies: BTreeMap<(String, Stamp), Option<CharacterBody>>,
    newest: BTreeMap<String, Stamp>,
    sent: usize,
    replies: usize,
}

type Checked = Result<(), TestCaseError>;

impl Run {
    fn new() -> Run {
        Run {
            rig: Rig::new(&CHARACTERS),
            next: 1,
            connections: Vec::new(),
            token: None,
            calls: Vec::new(),
            shown: BTreeMap::new(),
            copies: BTreeMap::new(),
            newest: BTreeMap::new(),
            sent: 0,
            replies: 0,
        }
    }

    fn apply(&mut self, event: &Event) -> Checked {
        match event {
            Event::Come(n, token) => {
                let token = self.token.clone().filter(|_| *token);
                self.come(Some(ACCOUNTS[n % 3]), &Hello { token, ..hello() });
            }
            Event::Watch => self.come(None, &Hello { watch: true, ..hello() }),
            Event::Lose(n) => self.with(*n, |rig, id| rig.lose(id)),
            Event::Leave(n) => self.with(*n, |rig, id| rig.say(id, r#"{"t":"leave"}"#)),
            Event::Fire(n) => {
                self.with(*n, |rig, id| rig.input(id, r#"{"fire":true}"#));
                self.ticks(1)?;
                self.with(*n, |rig, id| rig.input(id, "{}"));
                self.ticks(1)?;
            }
            Event::Ticks(ticks) => self.ticks(*ticks)?,
            Event::GraceEnds => self.ticks(GRACE_MS as u32 / 50 + 1)?,
            Event::Alarm => {
                if self.rig.host.next_alarm_ms(self.rig.now_ms).is_some() {
                    self.rig.alarm();
                }
            }
            Event::Hear(n) => self.hear(*n),
            Event::Deliver(n, again) => self.deliver(*n, *again)?,
            Event::GiveUp(n) => {
                if let Some(call) = pick(&mut self.calls, *n).filter(|call| call.lives) {
                    self.rig.host.handle_answer(call.id, None, self.rig.now_ms);
                    self.rig.drain();
                }
            }
            Event::Release(n, heard) => self.release(ACCOUNTS[n % 3], *heard)?,
            Event::LateRelease(n) => {
                let (account, lease) = (ACCOUNTS[n % 3], self.rig.lobby.lease(ACCOUNTS[n % 3]));
                if lease > 1 {
                    self.rig.release_number(account, lease - 1);
                }
            }
            Event::Crash => self.restart(),
            Event::Disk(fails) => self.rig.disk_fails = *fails,
        }
        Ok(())
    }

    fn come(&mut self, account: Option<&str>, hello: &Hello) {
        self.rig.hello_as(self.next, account, hello);
        self.connections.push(self.next);
        self.next += 1;
    }

    fn with(&mut self, n: usize, act: impl FnOnce(&mut Rig, u32)) {
        if !self.connections.is_empty() {
            let connection = self.connections[n % self.connections.len()];
            act(&mut self.rig, connection);
        }
    }

    fn ticks(&mut self, ticks: u32) -> Checked {
        for _ in 0..ticks {
            self.rig.ticks(1);
            self.check()?;
        }
        Ok(())
    }

    fn hear(&mut self, n: usize) {
        if let Some(call) = pick(&mut self.calls, n) {
            call.answers.push(self.rig.lobby.answer(&call.request));
        }
    }

    /// The oldest answer of a call arrives. A grant is held, returning or refused after that.
    fn deliver(&mut self, n: usize, again: bool) -> Checked {
        let Some(call) = pick(&mut self.calls, n).filter(|call| call.lives) else { return Ok(()) };
        let Some(answer) = call.answers.first().cloned() else { return Ok(()) };
        if !again {
            call.answers.remove(0);
        }
        let waits = self.rig.facts().holds.asked;
        self.rig.host.handle_answer(call.id, Some(answer.clone()), self.rig.now_ms);
        self.rig.drain();
        let was_asked = self.rig.facts().holds.asked < waits;
        if let (LobbyAnswer::Granted { lease, .. }, LobbyRequest::Grant { account, .. }) =
            (&answer, &call.request)
            && was_asked
            && !self.rig.host.has_ended()
        {
            let kept = self.rig.disk.holds().get(account).is_some_and(|hold| hold.stamp.lease == *lease);
            prop_assert!(kept || self.rig.disk.spent(account).lease >= *lease, "{account}: {lease} is lost");
        }
        Ok(())
    }

    fn release(&mut self, account: &'static str, heard: bool) -> Checked {
        if !self.rig.lobby.is_there(account) {
            return Ok(());
        }
        let lease = self.rig.lobby.lease(account);
        let answer = self.rig.release_number(account, lease);
        self.check_copies()?;
        if let Some(answer) = answer.filter(|_| heard) {
            self.rig.lobby.released(account, lease, &answer);
        }
        Ok(())
    }

    fn restart(&mut self) {
        self.connections.clear();
        (self.sent, self.replies) = (0, 0);
        self.calls.iter_mut().for_each(|call| call.lives = false);
        if self.rig.disk.commits.is_empty() {
            let mut rig = Rig::new(&CHARACTERS);
            rig.lobby = std::mem::take(&mut self.rig.lobby);
            rig.violations = std::mem::take(&mut self.rig.violations);
            self.rig = rig;
        } else {
            self.rig.disk_fails = false;
            self.rig.crash();
        }
    }

    fn check(&mut self) -> Checked {
        let calls = std::mem::take(&mut self.rig.calls);
        for (id, request) in calls {
            if let LobbyRequest::Return(copy) = &request {
                self.check_copy(copy)?;
            }
            self.calls.push(Call { id, request, answers: Vec::new(), lives: true });
        }
        self.check_copies()?;
        self.check_shown()?;
        for (account, hold) in self.rig.disk.holds() {
            let lease = self.rig.lobby.lease(&account);
            let (lobby, number) = (&self.rig.lobby, hold.stamp.lease);
            match hold.state {
                State::Held(_) => {
                    prop_assert!(lobby.is_there(&account) && number == lease, "{account}: {number}")
                }
                State::Returning(_) => prop_assert!(number <= lease, "{account}: {number} of {lease}"),
            }
        }
        Ok(())
    }

    fn check_copies(&mut self) -> Checked {
        for (_, answer) in self.rig.replies.split_off(self.replies) {
            if let TableAnswer::Released(copy) = answer {
                self.check_copy(&copy)?;
            }
        }
        self.rig.replies.clear();
        self.replies = 0;
        Ok(())
    }

    /// Its stamp says all of a copy, and rises; it is never older than what was shown.
    fn check_copy(&mut self, copy: &Copy) -> Checked {
        let (key, newest) =
            ((copy.account.clone(), copy.stamp), self.newest.entry(copy.account.clone()).or_default());
        prop_assert!(copy.stamp >= *newest, "{copy:?} after {newest:?}");
        *newest = copy.stamp;
        let first = self.copies.entry(key).or_insert_with(|| copy.body.clone());
        prop_assert_eq!(&*first, &copy.body, "{:?}", copy);
        let score = copy.body.as_ref().and_then(|body| body.f["score"].as_i64());
        let score = score.or(self.rig.lobby.score(&copy.account)).unwrap_or(0);
        prop_assert!(score >= self.shown.get(copy.account.as_str()).copied().unwrap_or(0), "{copy:?}");
        Ok(())
    }

    /// What snapshots show of an account never falls, through rooms, leases and crashes.
    fn check_shown(&mut self) -> Checked {
        let holds = self.rig.disk.holds();
        for (_, message) in &self.rig.sent[self.sent..] {
            if let ServerMessage::Welcome(welcome) = message {
                self.token = welcome.you.as_ref().map(|you| you.token.clone()).or(self.token.take());
            }
            let ServerMessage::Snap(snap) = message else { continue };
            for (seat, score) in scores(snap) {
                let whose = |account: &&str| {
                    holds.get(*account).is_some_and(|hold| hold.seat().is_some_and(|held| held.0 == seat))
                };
                let account = ACCOUNTS.into_iter().find(whose);
                let account =
                    account.ok_or_else(|| TestCaseError::fail(format!("seat {seat} is nobody's")))?;
                let shown = self.shown.entry(account).or_insert(0);
                prop_assert!(score >= *shown, "{account} had {shown}, and has {score}");
                *shown = score;
            }
        }
        self.sent = self.rig.sent.len();
        Ok(())
    }

    fn play(&mut self, events: &[Event]) -> Checked {
        for event in events {
            self.apply(event)?;
            self.check()?;
            if self.rig.host.has_ended() {
                self.restart();
                self.check()?;
            }
        }
        Ok(())
    }

    /// Nothing fails any more: within two graces every character is home.
    fn settle(&mut self) -> Checked {
        self.restart();
        for _ in 0..4 {
            self.ticks(GRACE_MS as u32 / 50 + 1)?;
            if self.rig.host.next_alarm_ms(self.rig.now_ms).is_some() {
                self.rig.alarm();
                self.check()?;
            }
            for n in 0..self.calls.len() {
                self.hear(n);
                self.deliver(n, false)?;
                self.check()?;
            }
        }
        let facts = self.rig.facts();
        prop_assert_eq!(
            (facts.seats, facts.outbox, self.rig.host.next_alarm_ms(self.rig.now_ms)),
            (0, 0, None)
        );
        for (account, shown) in &self.shown {
            prop_assert!(self.rig.lobby.score(account).unwrap_or(0) >= *shown, "{account}");
        }
        Ok(())
    }
}

fn pick(calls: &mut [Call], n: usize) -> Option<&mut Call> {
    // The newest ones: old calls are heard late now and then, but not most of the time.
    let newest = calls.len().saturating_sub(n + 1);
    calls.get_mut(newest)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn a_character_has_one_holder_and_is_never_older_than_what_was_shown(
        events in prop::collection::vec(event(), 1..80),
    ) {
        let mut run = Run::new();
        run.play(&events)?;
        run.settle()?;
        prop_assert_eq!(&run.rig.violations, &Vec::<String>::new());
    }
}

/// Held here, but not with the leave of the Lobby: the checker must see it.
#[test]
fn the_checker_catches_a_lobby_that_forgets() {
    let mut run = Run::new();
    let events = [Event::Come(0, false), Event::Hear(0), Event::Deliver(0, false), Event::Fire(0)];
    assert!(run.play(&events).is_ok());
    assert_eq!(run.shown["ada"], 1);
    run.rig.lobby = Default::default();
    assert!(run.check().is_err());
}
