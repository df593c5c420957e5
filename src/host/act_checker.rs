//! The checker of exactly once: whatever is lost and wherever the process dies, each action of a player has happened once.
//!
//! A player acts, hears some of it, loses the line, comes back and gives again what was not answered, as every client does.
//! The process dies before and after commits. In the end everything is answered, and the score is what the answers say.

use std::collections::BTreeMap;

use proptest::prelude::*;

use crate::host::rig::Dies;
use crate::host::stub::{CARDS, LASTING, MATCH, Rig, Stub, hello};
use crate::limits::ACTIONS_QUEUED_MAX;
use crate::wire::client_message::Hello;
use crate::wire::server_message::ServerMessage;

#[derive(Clone, Copy, Debug)]
enum Event {
    /// Adds so much to the score.
    Bump(u8),
    /// Is refused by the rules.
    Refuse,
    /// Waits in the queue for some ticks.
    Wait,
    /// Is no action of the game.
    Unknown,
    /// Gives the unanswered ones again, without need.
    Again,
    /// The player hears nothing any more, and the room not what the player says.
    Deaf,
    Mute,
    /// The room notices that the line is gone.
    Lose,
    Return,
    Tick,
    Crash,
    Disk(bool),
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        6 => (1..9u8).prop_map(Event::Bump),
        1 => Just(Event::Refuse),
        2 => Just(Event::Wait),
        1 => Just(Event::Unknown),
        1 => Just(Event::Again),
        2 => Just(Event::Deaf),
        1 => Just(Event::Mute),
        1 => Just(Event::Lose),
        3 => Just(Event::Return),
        6 => Just(Event::Tick),
        1 => Just(Event::Crash),
        1 => any::<bool>().prop_map(Event::Disk),
    ]
}

fn dies() -> impl Strategy<Value = Dies> {
    prop_oneof![
        8 => Just(Dies::Never),
        1 => Just(Dies::BeforeTheCommit),
        1 => Just(Dies::AfterTheCommit),
    ]
}

/// An action as its player remembers it.
#[derive(Clone, Debug)]
struct Deed {
    name: &'static str,
    by: i64,
    /// Whether it happened, once that is known.
    happened: Option<bool>,
}

struct Run {
    rig: Rig,
    /// The newest connection, and what it was last heard to say.
    connection: u32,
    heard: usize,
    is_deaf: bool,
    is_mute: bool,
    /// It was welcomed, as far as the player knows.
    is_in: bool,
    epoch: u32,
    token: String,
    deeds: BTreeMap<u32, Deed>,
}

type Checked = Result<(), TestCaseError>;

impl Run {
    fn new(game: &'static Stub) -> Run {
        let rig = Rig::new(game);
        let (deeds, token) = (BTreeMap::new(), String::new());
        let mut run = Run {
            rig,
            connection: 0,
            heard: 0,
            is_deaf: false,
            is_mute: false,
            is_in: false,
            epoch: 0,
            token,
            deeds,
        };
        run.knock();
        run
    }

    /// A new line. What was sent on the former one is lost to the player.
    fn knock(&mut self) {
        self.connection += 1;
        (self.is_deaf, self.is_mute, self.is_in) = (false, false, false);
        self.heard = self.rig.sent.len();
        let token = (!self.token.is_empty()).then(|| self.token.clone());
        self.rig.hello(self.connection, &Hello { token, ..hello() });
    }

    fn unanswered(&self) -> Vec<u32> {
        self.deeds.iter().filter(|(_, deed)| deed.happened.is_none()).map(|(number, _)| *number).collect()
    }

    fn act(&mut self, name: &'static str, by: u8) {
        if self.is_in && self.unanswered().len() < ACTIONS_QUEUED_MAX {
            let number = self.deeds.keys().last().map_or(1, |number| number + 1);
            self.deeds.insert(number, Deed { name, by: by.into(), happened: None });
            self.give(number);
        }
    }

    fn give(&mut self, number: u32) {
        let Deed { name, by, .. } = self.deeds[&number];
        let args = if name == "bump" { format!(r#"{{"by":{by}}}"#) } else { "{}".to_owned() };
        let epoch = self.epoch;
        let text = format!(r#"{{"t":"do","e":{epoch},"n":{number},"a":"{name}","x":{args}}}"#);
        if !self.is_mute {
            self.rig.say(self.connection, &text);
        }
    }

    fn give_again(&mut self) {
        for number in self.unanswered() {
            self.give(number);
        }
    }

    fn apply(&mut self, event: Event) {
        match event {
            Event::Bump(by) => self.act("bump", by),
            Event::Refuse => self.act("refuse", 0),
            Event::Wait => self.act("wait", 1),
            Event::Unknown => self.act("fly", 0),
            Event::Again if self.is_in => self.give_again(),
            Event::Again => {}
            Event::Deaf => self.is_deaf = true,
            Event::Mute => self.is_mute = true,
            Event::Lose => {
                self.is_deaf = true;
                self.rig.lose(self.connection);
            }
            Event::Return => self.knock(),
            Event::Tick => self.time_passes(),
            Event::Crash => self.crash(),
            Event::Disk(fails) => self.rig.disk_fails = fails,
        }
    }

    /// A tick, or what is due in a room that has none.
    fn time_passes(&mut self) {
        if self.rig.host.next_tick_ms().is_some() {
            self.rig.ticks(1);
        } else if self
            .rig
            .host
            .next_alarm_ms(self.rig.now_ms)
            .is_some_and(|due| due < self.rig.now_ms + 1_000)
        {
            self.rig.alarm();
        }
    }

    fn crash(&mut self) {
        self.rig.disk_fails = false;
        self.rig.crash();
        self.heard = 0;
        self.knock();
    }

    /// What the player hears: welcomes, upon which it gives again what was not answered, and answers.
    fn hear(&mut self) -> Checked {
        let news: Vec<_> = self.rig.sent[self.heard..].to_vec();
        self.heard = self.rig.sent.len();
        for (to, message) in news {
            if to != self.connection || self.is_deaf {
                continue;
            }
            match message {
                ServerMessage::Welcome(welcome) => {
                    let you = welcome.you.expect("a seat");
                    prop_assert!(you.back || self.token.is_empty(), "the seat is kept");
                    (self.epoch, self.token, self.is_in) = (welcome.e, you.token, true);
                    self.give_again();
                }
                ServerMessage::Did { n, ok, .. } => {
                    let deed = self.deeds.get_mut(&n).expect("an action of ours");
                    prop_assert!(deed.happened.is_none_or(|before| before == ok), "{n} was answered twice");
                    deed.happened = Some(ok);
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn play(&mut self, events: &[(Event, Dies)]) -> Checked {
        self.hear()?;
        for (event, dies) in events {
            self.rig.dies = *dies;
            self.apply(*event);
            if *dies != Dies::Never || self.rig.host.has_ended() {
                self.crash();
            }
            self.hear()?;
        }
        Ok(())
    }

    /// Nothing is lost any more: all is answered, and has happened as often as it says.
    fn settle(&mut self) -> Checked {
        self.crash();
        for _ in 0..16 {
            self.hear()?;
            self.time_passes();
        }
        self.hear()?;
        prop_assert_eq!(self.unanswered(), Vec::<u32>::new());
        for (number, deed) in &self.deeds {
            let is_possible = matches!(deed.name, "bump" | "wait");
            prop_assert!(deed.happened == Some(is_possible), "{number}: {deed:?}");
        }
        let happened: i64 =
            self.deeds.values().filter(|deed| deed.happened == Some(true)).map(|deed| deed.by).sum();
        self.crash();
        prop_assert_eq!(self.rig.disk.scores()[&0], happened);
        let is_answer = |violation: &&String| !violation.starts_with("frame");
        prop_assert_eq!(self.rig.violations.iter().find(is_answer), None);
        Ok(())
    }
}

fn script() -> impl Strategy<Value = Vec<(Event, Dies)>> {
    prop::collection::vec((event(), dies()), 1..50)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// B51
    #[test]
    fn an_action_happens_exactly_once_in_a_lasting_room(script in script()) {
        let mut run = Run::new(&LASTING);
        run.play(&script)?;
        run.settle()?;
    }

    /// B51
    #[test]
    fn an_action_happens_exactly_once_in_a_match_room(script in script()) {
        let mut run = Run::new(&MATCH);
        run.play(&script)?;
        run.settle()?;
    }

    /// B51
    #[test]
    fn an_action_happens_exactly_once_in_a_room_that_runs_by_events(script in script()) {
        let mut run = Run::new(&CARDS);
        run.play(&script)?;
        run.settle()?;
    }
}

/// B51
#[test]
fn an_action_sent_the_line_cut_before_its_answer_and_the_server_killed_has_happened_once() {
    for game in [&MATCH, &LASTING, &CARDS] {
        for dies in [Dies::Never, Dies::BeforeTheCommit, Dies::AfterTheCommit] {
            let mut run = Run::new(game);
            let events = [Event::Bump(5), Event::Deaf, Event::Tick].map(|event| (event, Dies::Never));
            run.play(&events[..2]).expect("nothing is wrong");
            run.play(&[(events[2].0, dies), (Event::Crash, Dies::Never)]).expect("nothing is wrong");
            run.settle().expect("exactly once");
        }
    }
}

/// The client that gives its actions new numbers when it comes back plays them twice: the checker must see it.
#[test]
fn the_checker_catches_a_client_that_counts_anew() {
    let mut run = Run::new(&LASTING);
    let script = [Event::Bump(5), Event::Deaf, Event::Tick].map(|event| (event, Dies::Never));
    run.play(&script).expect("nothing is wrong");
    let deed = run.deeds.remove(&1).expect("a deed");
    run.deeds.insert(2, deed);
    assert!(run.settle().is_err());
}
