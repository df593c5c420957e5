//! The checker of the first invariant: in a persistent room nothing leaves before the commit it rests on.
//!
//! Random events over a disk that fails now and then. The rig holds all that leaves against what a restore
//! would bring back at that moment (`Rig::check`); here are the events, and the order of each connection's
//! frames.

use std::collections::BTreeMap;

use proptest::prelude::*;

use crate::host::stub::{CARD_MATCH, CARDS, LASTING, LASTING_BOTS, MATCH, Rig, Stub, hello};
use crate::limits::GRACE_MS;
use crate::wire::client_message::Hello;
use crate::wire::server_message::ServerMessage;

#[derive(Clone, Debug)]
enum Event {
    Join,
    /// With the newest token of the n-th player so far.
    Knock(usize),
    Watch,
    Lose(usize),
    Leave(usize),
    Fire(usize),
    /// An action: one of several, with a number that is next or is not.
    Act(usize, u32),
    Say(usize),
    Garbage(usize),
    Ticks(u32),
    GraceEnds,
    Alarm,
    Crash,
    /// The object is made anew, its sockets are there still.
    Sleep,
    /// The disk fails from now, or works again.
    Disk(bool),
}

fn event() -> impl Strategy<Value = Event> {
    let who = 0..6usize;
    prop_oneof![
        3 => Just(Event::Join),
        2 => who.clone().prop_map(Event::Knock),
        1 => Just(Event::Watch),
        1 => who.clone().prop_map(Event::Lose),
        1 => who.clone().prop_map(Event::Leave),
        6 => who.clone().prop_map(Event::Fire),
        6 => (who.clone(), 1..30u32).prop_map(|(n, number)| Event::Act(n, number)),
        1 => who.clone().prop_map(Event::Say),
        1 => who.prop_map(Event::Garbage),
        6 => (1..9u32).prop_map(Event::Ticks),
        1 => Just(Event::GraceEnds),
        2 => Just(Event::Alarm),
        1 => Just(Event::Crash),
        1 => Just(Event::Sleep),
        1 => any::<bool>().prop_map(Event::Disk),
    ]
}

/// The rig, and who is connected.
struct Run {
    rig: Rig,
    next: u32,
    connections: Vec<u32>,
    tokens: Vec<String>,
    /// Epoch, tick and stamp of the newest frame each connection was sent.
    newest: BTreeMap<u32, (u32, u32, u64)>,
    checked: usize,
    /// A snapshot may follow the welcome without a step between them.
    by_events: bool,
}

impl Run {
    fn new(game: &'static Stub) -> Run {
        let (rig, newest) = (Rig::new(game), BTreeMap::new());
        let by_events = rig.host.is_event_driven();
        Run { rig, next: 1, connections: vec![], tokens: vec![], newest, checked: 0, by_events }
    }

    fn hello(&mut self, hello: &Hello) {
        let connection = self.next;
        self.next += 1;
        self.rig.hello(connection, hello);
        self.connections.push(connection);
    }

    fn who(&self, n: usize) -> Option<u32> {
        (!self.connections.is_empty()).then(|| self.connections[n % self.connections.len()])
    }

    fn apply(&mut self, event: &Event) {
        match event {
            Event::Join => self.hello(&hello()),
            Event::Knock(n) => {
                let token = (!self.tokens.is_empty()).then(|| self.tokens[n % self.tokens.len()].clone());
                self.hello(&Hello { token, ..hello() });
            }
            Event::Watch => self.hello(&Hello { watch: true, ..hello() }),
            Event::Lose(n) => self.with(*n, |rig, id| rig.lose(id)),
            Event::Leave(n) => self.with(*n, |rig, id| rig.say(id, r#"{"t":"leave"}"#)),
            Event::Act(n, number) => self.with(*n, |rig, id| {
                let acts = [
                    ("bump", r#"{"by":3}"#),
                    ("later", r#"{"ms":700}"#),
                    ("take", r#"{"card":9}"#),
                    ("go", r#"{"room":"cave"}"#),
                    ("wait", "{}"),
                    ("anew", "{}"),
                ];
                let (action, args) = acts[*number as usize % acts.len()];
                rig.act(id, *number, action, args);
            }),
            Event::Alarm => {
                if self.rig.host.next_alarm_ms(self.rig.now_ms).is_some() {
                    self.rig.alarm();
                }
            }
            Event::Sleep => self.sleep(),
            Event::Say(n) => self.with(*n, |rig, id| rig.say(id, r#"{"t":"say","text":"hi"}"#)),
            Event::Garbage(n) => self.with(*n, |rig, id| rig.say(id, "{")),
            Event::Fire(n) => self.with(*n, |rig, id| {
                rig.input(id, r#"{"move":[1,0],"fire":true}"#);
                rig.ticks(1);
                rig.input(id, "{}");
                rig.ticks(1);
            }),
            Event::Ticks(ticks) => self.rig.ticks(*ticks),
            Event::GraceEnds => self.rig.run_ms(GRACE_MS + 50),
            Event::Crash => self.restart(),
            Event::Disk(fails) => self.rig.disk_fails = *fails,
        }
    }

    fn with(&mut self, n: usize, act: impl FnOnce(&mut Rig, u32)) {
        if let Some(connection) = self.who(n) {
            act(&mut self.rig, connection);
        }
    }

    fn sleep(&mut self) {
        if !self.rig.disk.commits.is_empty() && self.rig.host.is_settled() && !self.rig.disk_fails {
            // Nothing hibernates sooner.
            self.rig.now_ms += 10_000;
            self.rig.come_back();
            self.checked = 0;
        }
    }

    fn restart(&mut self) {
        self.connections.clear();
        self.newest.clear();
        self.checked = 0;
        if !self.rig.disk.commits.is_empty() {
            self.rig.disk_fails = false;
            self.rig.crash();
        }
    }

    /// Each connection's frames since the last look: after its welcome, of its epoch, rising.
    fn check_order(&mut self) -> Result<(), TestCaseError> {
        for (to, message) in &self.rig.sent[self.checked..] {
            match message {
                ServerMessage::Welcome(welcome) => {
                    self.newest.insert(*to, (welcome.e, welcome.k, 0));
                    self.tokens.extend(welcome.you.as_ref().map(|you| you.token.clone()));
                }
                ServerMessage::Snap(snap) => {
                    let newest = self.newest.insert(*to, (snap.e, snap.k, snap.st));
                    let least = snap.k - u32::from(!self.by_events);
                    let rises = newest.is_some_and(|(e, k, st)| e == snap.e && k <= least && st < snap.st);
                    prop_assert!(rises, "{to}: {newest:?}, then tick {}", snap.k);
                }
                _ => prop_assert!(self.newest.contains_key(to), "{to} was sent {message:?} unwelcomed"),
            }
        }
        self.checked = self.rig.sent.len();
        Ok(())
    }

    fn play(&mut self, events: &[Event]) -> Result<(), TestCaseError> {
        for event in events {
            self.apply(event);
            self.check_order()?;
            if self.rig.host.has_ended() {
                let commits = self.rig.disk.commits.len();
                self.rig.ticks(9);
                self.hello(&hello());
                prop_assert_eq!(self.rig.disk.commits.len(), commits, "an ended room writes nothing");
                prop_assert_eq!(self.rig.facts().connections, 0);
                self.restart();
            }
        }
        Ok(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    /// B25, B26
    #[test]
    fn nothing_leaves_a_lasting_room_before_its_commit(events in prop::collection::vec(event(), 1..60)) {
        let mut run = Run::new(&LASTING);
        run.play(&events)?;
        prop_assert_eq!(&run.rig.violations, &Vec::<String>::new());
    }

    /// B25, B26
    #[test]
    fn nothing_leaves_a_room_with_bots_or_by_events_before_its_commit(
        events in prop::collection::vec(event(), 1..60),
    ) {
        for game in [&LASTING_BOTS, &CARDS, &CARD_MATCH] {
            let mut run = Run::new(game);
            run.play(&events)?;
            prop_assert_eq!(&run.rig.violations, &Vec::<String>::new());
        }
    }

    #[test]
    fn no_welcome_and_no_answer_leaves_a_match_room_before_it_is_stored(
        events in prop::collection::vec(event(), 1..60),
    ) {
        let mut run = Run::new(&MATCH);
        run.play(&events)?;
        run.rig.violations.retain(|violation| !violation.starts_with("frame"));
        prop_assert_eq!(&run.rig.violations, &Vec::<String>::new());
        prop_assert!(!run.rig.host.has_ended());
    }
}

/// A match room sends what no commit holds yet. Held to the rule of lasting ones it must be caught.
#[test]
fn the_checker_catches_a_room_that_sends_too_early() {
    let mut run = Run::new(&MATCH);
    let caught = run.play(&[Event::Join, Event::Ticks(3)]);
    assert!(caught.is_ok() && run.rig.violations.is_empty());
    run.apply(&Event::Fire(0));
    assert_eq!(run.rig.violations.len(), 2, "{:?}", run.rig.violations);
}
