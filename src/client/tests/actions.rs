//! What becomes of actions, whatever becomes of the link: sent until answered, in order, each answer reported once.

use proptest::prelude::*;

use super::*;
use crate::limits::{ACTIONS_QUEUED_MAX, MESSAGE_BYTES_MAX, REFUSAL_CHARS_MAX};

fn args(card: u32) -> serde_json::Map<String, Value> {
    json!({ "card": card }).as_object().expect("an object").clone()
}

fn act(bench: &mut Bench, card: u32) -> u32 {
    let id = bench.client.act("play", args(card), bench.now);
    bench.drain();
    id
}

/// Numbers of the actions sent, in order.
fn numbers(bench: &Bench) -> Vec<u64> {
    bench.sent.iter().filter(|m| m["t"] == "do").filter_map(|m| m["n"].as_u64()).collect()
}

/// Answers reported: id, and why not.
fn answers(bench: &Bench) -> Vec<(u32, Option<String>)> {
    let answer = |output: &Output| match output {
        Output::Did { id, result, .. } => Some((*id, result.clone().err())),
        _ => None,
    };
    bench.outputs.iter().filter_map(answer).collect()
}

fn did(number: u32) -> Value {
    json!({"t": "did", "n": number, "k": 101, "ok": true})
}

fn cut(bench: &mut Bench) {
    bench.client.handle_closed(bench.generation, 1006, "", bench.now);
    bench.drain();
}

#[test]
fn an_action_is_sent_with_its_epoch_and_number_and_its_answer_has_its_id() {
    let mut bench = Bench::new(arena());
    bench.join(3);
    let (first, second) = (act(&mut bench, 3), act(&mut bench, 3));
    assert_eq!(*bench.last("do"), json!({"t": "do", "e": 3, "n": 2, "a": "play", "x": {"card": 3}}));
    bench.hear(&json!({"t": "did", "n": 1, "k": 101, "ok": false, "why": "w".repeat(900)}));
    bench.hear(&did(2));
    bench.hear(&did(2));
    bench.hear(&did(9));
    let why = "w".repeat(REFUSAL_CHARS_MAX);
    assert_eq!(answers(&bench), [(first, Some(why)), (second, None)]);
}

/// B51: what was not answered is repeated in order with the epoch of now, and nothing else is.
#[test]
fn after_a_welcome_that_gives_the_stay_back_the_unanswered_are_repeated() {
    let mut bench = Bench::new(arena());
    bench.join(1);
    (0..3).for_each(|card| drop(act(&mut bench, card).to_string()));
    bench.hear(&did(1));
    cut(&mut bench);
    act(&mut bench, 9);
    assert_eq!(numbers(&bench), [1, 2, 3], "the link is down");
    bench.redial();
    bench.hear(&welcome(2, 150, "two", true));
    assert_eq!(numbers(&bench), [1, 2, 3, 2, 3, 4]);
    assert_eq!(bench.last("do")["e"], json!(2));
    // The room itself was restored on the same socket.
    bench.hear(&did(2));
    bench.hear(&welcome(3, 140, "three", true));
    assert_eq!(numbers(&bench)[6..], [3, 4]);
    (3..5).for_each(|n| bench.hear(&did(n)));
    bench.hear(&welcome(3, 140, "four", true));
    assert_eq!((numbers(&bench).len(), answers(&bench).len()), (8, 4));
}

/// B51: nobody answers for a stay that is over.
#[test]
fn another_stay_ends_what_was_not_answered_and_counts_anew() {
    for you in [json!({"seat": 3, "occ": 18, "token": "t", "back": false, "n": 0}), Value::Null] {
        let mut bench = Bench::new(arena());
        bench.join(1);
        let lost = act(&mut bench, 1);
        cut(&mut bench);
        bench.redial();
        let mut other = welcome(1, 150, "two", false);
        other["you"] = you.clone();
        bench.hear(&other);
        assert_eq!(answers(&bench), [(lost, Some("the seat was lost before the answer".to_owned()))]);
        bench.hear(&did(1));
        let next = act(&mut bench, 2);
        assert_eq!(numbers(&bench).last(), Some(&1));
        if you.is_null() {
            assert_eq!((numbers(&bench).len(), &answers(&bench)[1].1), (1, &Some("no seat".to_owned())));
        } else {
            bench.hear(&did(1));
            assert_eq!(answers(&bench)[1..], [(next, None)]);
        }
    }
}

/// B51: another tab of the account came into the same stay, and its actions have the same numbers.
#[test]
fn a_stay_that_comes_back_without_its_token_ends_what_was_not_answered() {
    let mut bench = Bench::new(arena());
    bench.join(1);
    let lost = act(&mut bench, 1);
    cut(&mut bench);
    bench.redial();
    let mut taken_over = welcome(1, 150, "two", false);
    taken_over["you"]["n"] = json!(3);
    bench.hear(&taken_over);
    bench.hear(&did(1));
    assert_eq!(answers(&bench), [(lost, Some("the seat was lost before the answer".to_owned()))]);
    act(&mut bench, 2);
    assert_eq!(numbers(&bench), [1, 4]);
}

/// B51: a page that was reloaded is in its stay again, and its numbers go on where the former page's ended.
#[test]
fn a_reloaded_page_does_not_use_a_number_twice() {
    let mut bench = Bench::new(Hello { token: Some("kept".to_owned()), ..arena() });
    bench.open();
    let mut back = welcome(1, 100, "one", true);
    back["you"]["n"] = json!(7);
    bench.hear(&back);
    act(&mut bench, 1);
    assert_eq!(numbers(&bench), [8]);
}

#[test]
fn too_many_unanswered_actions_are_busy_at_once_and_use_no_number() {
    let mut bench = Bench::new(arena());
    bench.join(1);
    for _ in 0..ACTIONS_QUEUED_MAX {
        act(&mut bench, 1);
    }
    let ninth = act(&mut bench, 1);
    assert_eq!(answers(&bench), [(ninth, Some("busy".to_owned()))]);
    assert_eq!(bench.client.stats(bench.now).pending_actions, ACTIONS_QUEUED_MAX);
    bench.hear(&did(1));
    act(&mut bench, 1);
    assert_eq!(numbers(&bench), (1..=ACTIONS_QUEUED_MAX as u64 + 1).collect::<Vec<_>>());
}

#[test]
fn an_action_that_cannot_go_out_fails_at_once() {
    let mut bench = Bench::new(arena());
    let early = act(&mut bench, 1);
    bench.join(1);
    let long = bench.client.act(&"x".repeat(MESSAGE_BYTES_MAX), args(1), bench.now);
    let lost = act(&mut bench, 1);
    bench.client.leave(bench.now);
    let late = act(&mut bench, 1);
    let reasons = ["no seat", "too long", "the seat was lost before the answer", "no seat"];
    let expected: Vec<_> = [early, long, lost, late].into_iter().zip(reasons).collect();
    let got = answers(&bench);
    assert_eq!(got.iter().map(|(id, why)| (*id, why.as_deref().unwrap_or(""))).collect::<Vec<_>>(), expected);
}

/// A room that keeps what it took with its commits, as the host does.
#[derive(Clone, Debug, Default)]
struct Room {
    newest: u32,
    /// Cards played, in order.
    played: Vec<u64>,
}

impl Room {
    fn take(&mut self, message: &Value) -> Value {
        let number = message["n"].as_u64().expect("a number") as u32;
        if number > self.newest {
            assert_eq!(number, self.newest + 1, "none is left out");
            self.newest = number;
            self.played.push(message["x"]["card"].as_u64().expect("a card"));
        }
        did(number)
    }
}

#[derive(Clone, Copy, Debug)]
enum Event {
    Act,
    /// The room reads the next word of the client.
    Reach,
    /// The client reads the next word of the room.
    Hear,
    /// The socket is cut, with all that is under way.
    Cut,
    /// The room is killed and comes back from its last commit, on the same sockets.
    Restore,
    Commit,
}

/// Client and room, with what is under way between them.
struct Line {
    bench: Bench,
    room: Room,
    committed: Room,
    epoch: u32,
    to_room: VecDeque<Value>,
    to_client: VecDeque<Value>,
    /// Answers wait for their commit.
    uncommitted: Vec<Value>,
    ids: Vec<u32>,
}

impl Line {
    fn new() -> Line {
        let mut bench = Bench::new(arena());
        bench.join(1);
        bench.sent.clear();
        let (room, committed) = Default::default();
        let (to_room, to_client) = Default::default();
        Line { bench, room, committed, epoch: 1, to_room, to_client, uncommitted: vec![], ids: vec![] }
    }

    fn run(&mut self, event: Event) {
        match event {
            Event::Act => {
                let id = act(&mut self.bench, self.ids.len() as u32);
                self.ids.push(id);
            }
            Event::Reach => {
                let message = self.to_room.pop_front().filter(|message| message["e"] == json!(self.epoch));
                self.uncommitted.extend(message.map(|message| self.room.take(&message)));
            }
            Event::Commit => {
                self.committed = self.room.clone();
                self.to_client.extend(self.uncommitted.drain(..));
            }
            Event::Hear => {
                let message = self.to_client.pop_front();
                message.into_iter().for_each(|message| self.bench.hear(&message));
            }
            Event::Cut => {
                cut(&mut self.bench);
                self.hush();
                self.bench.redial();
                self.welcome();
            }
            Event::Restore => {
                self.room = self.committed.clone();
                self.epoch += 1;
                self.uncommitted.clear();
                self.welcome();
            }
        }
        let sent = std::mem::take(&mut self.bench.sent);
        self.to_room.extend(sent.into_iter().filter(|message| message["t"] == "do"));
    }

    fn hush(&mut self) {
        self.to_room.clear();
        self.to_client.clear();
        self.uncommitted.clear();
    }

    fn welcome(&mut self) {
        let mut message = welcome(self.epoch, 100, "t", true);
        message["you"]["n"] = json!(self.room.newest);
        self.to_client.push_back(message);
    }

    /// Time goes on and nothing breaks any more.
    fn settle(&mut self) {
        while !(self.to_room.is_empty() && self.to_client.is_empty() && self.uncommitted.is_empty()) {
            for event in [Event::Reach, Event::Commit, Event::Hear] {
                self.run(event);
            }
        }
    }
}

fn an_event() -> impl Strategy<Value = Event> {
    prop_oneof![
        3 => Just(Event::Act),
        4 => Just(Event::Reach),
        4 => Just(Event::Hear),
        3 => Just(Event::Commit),
        1 => Just(Event::Cut),
        1 => Just(Event::Restore),
    ]
}

proptest! {
    /// B51: wherever the link is cut and whenever the room is restored, each action happens once, in order, and is
    /// reported once.
    #[test]
    fn every_action_happens_once_and_is_reported_once(events in prop::collection::vec(an_event(), 0..80)) {
        let mut line = Line::new();
        for event in events {
            line.run(event);
        }
        line.settle();
        let reported = answers(&line.bench);
        let mut ids: Vec<u32> = reported.iter().map(|(id, _)| *id).collect();
        ids.sort_unstable();
        prop_assert_eq!(&ids, &line.ids, "each action is reported once");
        let done: Vec<u64> = line.ids.iter().enumerate()
            .filter(|(_, id)| reported.contains(&(**id, None)))
            .map(|(card, _)| card as u64)
            .collect();
        let busy = reported.iter().filter(|(_, why)| why.as_deref() == Some("busy")).count();
        prop_assert_eq!(done.len() + busy, line.ids.len(), "nothing but busy fails");
        prop_assert_eq!(line.committed.played, done, "what was reported done happened, once and in order");
    }
}
