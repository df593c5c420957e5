//! The whole of it: rooms, players, links and the Lobby, events in virtual time, and the phases of a run.
//!
//! One thread, one queue, one generator: the same seed gives the same run. A run plays while things go wrong, then nothing
//! goes wrong any more and everyone must play again, then everyone leaves and everything must have come home. Absent:
//! what each part does; it has a file of its own.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use roundtable::host::life::Life;
use roundtable::host::parking::Parking;
use roundtable::host::pulse::Generation;
use roundtable::host::{CallId, RecordRow, Setup};
use roundtable::rules::face::Game;
use roundtable::rules::schema::Schema;
use roundtable::wire::client_message::Build;
use roundtable::wire::lease::{LobbyAnswer, TableRequest};

use crate::beat::Then;
use crate::checkers::Checks;
use crate::dice::Dice;
use crate::disk::Disk;
use crate::faults::{CHAOS_MS, Death, Point, Rates};
use crate::games::Kind;
use crate::lobby::{Lobby, ToLobby};
use crate::net::{Down, Link, Up};
use crate::object::{At, Object, Sockets};
use crate::player::Player;

pub enum Event {
    Player(usize),
    Open(usize),
    Up(usize, Up),
    Down(usize, Down),
    LostUp(usize),
    LostDown(usize),
    Timer {
        at: At,
        generation: Generation,
        due: u64,
    },
    LoopEnds {
        at: At,
        generation: Generation,
    },
    Answered {
        at: At,
        answer: crate::beat::Answer,
        then: Then,
    },
    Alarm {
        room: usize,
        setting: u64,
    },
    /// The alarm's handler died: it is given once more.
    AlarmAgain(usize),
    /// What D1 said of a batch of records.
    Recorded {
        at: At,
        incarnation: u64,
        call: CallId,
        taken: bool,
    },
    Flush {
        room: usize,
        number: u64,
    },
    Lobby(ToLobby),
    Answer {
        at: At,
        incarnation: u64,
        call: CallId,
        answer: Option<LobbyAnswer>,
    },
    Release {
        room: usize,
        ask: u64,
        request: TableRequest,
    },
    Chaos,
    /// Queues are measured.
    Look,
}

pub struct Room {
    pub game: &'static dyn Game,
    pub schema: Schema,
    pub setup: Setup,
    pub disk: Disk,
    /// By age: the last one is the object of this name, the others were superseded.
    pub objects: Vec<Object>,
    /// Of sockets that outlived an object that sleeps.
    pub asleep: Option<Sockets>,
    parking: Rc<RefCell<Parking>>,
    next_object: u32,
    pub stalled_until: u64,
    pub flush_ms: u64,
    /// Its alarm was lost, and none has been set since.
    pub alarm_lost: bool,
    /// The alarm's handler runs.
    pub firing: bool,
}

pub struct World {
    pub now: u64,
    pub dice: Dice,
    pub kind: Kind,
    /// Clocks of objects stop at their timers, as in production.
    pub clamped: bool,
    pub rates: Rates,
    /// Nothing goes wrong any more.
    pub is_calm: bool,
    pub rooms: Vec<Room>,
    pub players: Vec<Player>,
    pub links: Vec<Link>,
    pub lobby: Lobby,
    /// What the rules had recorded, in D1, by id.
    pub recorded: BTreeMap<String, RecordRow>,
    pub checks: Checks,
    pub death: Option<Death>,
    /// Where a scenario wants the next death.
    pub script: Option<Point>,
    pub alarms_set: u64,
    /// What happened, if anyone asked for it.
    pub log: Option<Vec<String>>,
    queue: BTreeMap<(u64, u64), Event>,
    next_event: u64,
    pub events: u64,
}

impl World {
    pub fn new(seed: u64, kind: Kind, players: usize) -> World {
        let mut dice = Dice::new(seed);
        // A minute or less before midnight, when daily limits end.
        let now = 1_764_633_600_000 + 86_400_000 - dice.within(20_000, 70_000);
        let clamped = dice.word() & 1 == 1;
        let rooms: Vec<Room> = kind.rooms().iter().map(|name| Room::new(kind, name)).collect();
        let checks = Checks::new(rooms.len());
        let mut world = World {
            now,
            dice,
            kind,
            clamped,
            rates: Rates::default(),
            is_calm: true,
            rooms,
            players: Vec::new(),
            links: Vec::new(),
            lobby: Lobby::default(),
            recorded: BTreeMap::new(),
            checks,
            death: None,
            script: None,
            alarms_set: 0,
            log: None,
            queue: BTreeMap::new(),
            next_event: 0,
            events: 0,
        };
        (0..players).for_each(|_| world.add_player());
        world
    }

    pub fn at(&mut self, at_ms: u64, event: Event) {
        self.next_event += 1;
        self.queue.insert((at_ms.max(self.now), self.next_event), event);
    }

    pub fn trace(&mut self, line: impl FnOnce() -> String) {
        if let Some(log) = &mut self.log {
            log.push(format!("{} {}", self.now % 10_000_000, line()));
        }
    }

    // ---- A run ----

    /// From now on things go wrong.
    pub fn unleash(&mut self) {
        self.rates = Rates::draw(&mut self.dice);
        self.is_calm = false;
        self.at(self.now + CHAOS_MS, Event::Chaos);
    }

    /// Nothing goes wrong any more.
    pub fn calm_down(&mut self) {
        self.rates = Rates::default();
        self.is_calm = true;
        for room in &mut self.rooms {
            // Whoever was told a time keeps to it.
            room.disk.refuses = None;
        }
        self.lobby.records_back_ms = self.now;
        for room in 0..self.rooms.len() {
            self.open_gates(room);
        }
    }

    /// Runs for so long, or until it is done.
    pub fn run(&mut self, ms: u64, mut done: impl FnMut(&mut World) -> bool) -> bool {
        let end = self.now + ms;
        let mut look = self.now;
        while let Some(entry) = self.queue.first_entry() {
            let (at_ms, _) = *entry.key();
            if at_ms > end || self.checks.has_failed() {
                break;
            }
            if at_ms >= look {
                look = at_ms + 100;
                if done(self) {
                    return true;
                }
            }
            self.step();
        }
        if self.checks.has_failed() {
            return false;
        }
        self.now = self.now.max(end);
        done(self)
    }

    fn step(&mut self) {
        let Some(((at_ms, number), event)) = self.queue.pop_first() else { return };
        self.now = at_ms;
        let until = room_of(&event, &self.links).map_or(0, |room| self.rooms[room].stalled_until);
        if until > at_ms {
            // In its order: what comes later to the room waits behind it.
            self.queue.insert((until, number), event);
            return;
        }
        self.events += 1;
        self.dispatch(event);
        match self.death.take() {
            Some(Death::Process) => self.kill(),
            Some(Death::Object(at)) => self.reset(at, "it died"),
            None => {}
        }
    }

    fn dispatch(&mut self, event: Event) {
        match event {
            Event::Player(player) => self.play(player),
            Event::Open(link) => self.open(link),
            Event::Up(link, what) => self.up(link, what),
            Event::Down(link, what) => self.down(link, what),
            Event::LostUp(link) => self.lost_up(link),
            Event::LostDown(link) => self.lost_down(link),
            Event::Timer { at, generation, due } => self.tick(at, generation, due),
            Event::LoopEnds { at, generation } => self.loop_ends(at, generation),
            Event::Answered { at, answer, then } => self.answered(at, answer, then),
            Event::Alarm { room, setting } => self.alarm(room, setting),
            Event::AlarmAgain(room) => self.alarm_again(room),
            Event::Flush { room, number } => self.flush(room, number),
            Event::Lobby(what) => self.lobby_event(what),
            Event::Answer { at, incarnation, call, answer } => self.answer(at, incarnation, call, answer),
            Event::Recorded { at, incarnation, call, taken } => self.recorded(at, incarnation, call, taken),
            Event::Release { room, ask, request } => self.release(room, ask, &request),
            Event::Chaos if self.is_calm => {}
            Event::Chaos => self.chaos(),
            Event::Look => self.look(),
        }
    }

    // ---- Objects that come and go ----

    /// The object of a room's name, if one is in memory.
    pub fn newest(&self, room: usize) -> Option<At> {
        self.rooms[room].objects.last().map(|object| At { room, object: object.number })
    }

    /// The object of a room's name: one is made if there is none.
    pub fn wake(&mut self, room: usize) -> At {
        if let Some(at) = self.newest(room).filter(|at| self.object(*at).is_some_and(|o| !o.is_superseded)) {
            return at;
        }
        let now = self.now;
        let of = &mut self.rooms[room];
        of.next_object += 1;
        let life = Life::new(
            (&of.setup.game_name, &of.setup.room),
            Some(of.setup.clone()),
            Rc::clone(&of.parking),
            now,
        );
        let sockets = of.asleep.take().unwrap_or_default();
        of.objects.push(Object::new(of.next_object, life, sockets, now));
        At { room, object: self.rooms[room].next_object }
    }

    /// The process dies: every object with what it had in memory, every socket, and what was not on disk yet.
    pub fn kill(&mut self) {
        self.trace(|| "the process dies".to_owned());
        for room in 0..self.rooms.len() {
            while let Some(at) = self.newest(room) {
                self.drop_object(at);
            }
            for socket in self.rooms[room].asleep.take().unwrap_or_default().open.values() {
                self.cut_from_room(socket.link);
            }
            self.lose_writes(room);
            self.rooms[room].parking = Rc::default();
        }
        self.lobby.die();
    }

    /// The object loses its memory and its sockets; its isolate lives.
    pub fn reset(&mut self, at: At, why: &str) {
        if self.object(at).is_none() {
            return;
        }
        self.trace(|| format!("{at:?} is reset: {why}"));
        let was_newest = self.newest(at.room) == Some(at);
        self.drop_object(at);
        if was_newest {
            self.lose_writes(at.room);
        }
    }

    fn drop_object(&mut self, at: At) {
        let objects = &mut self.rooms[at.room].objects;
        let Some(index) = objects.iter().position(|object| object.number == at.object) else { return };
        let object = objects.remove(index);
        for socket in object.sockets.open.values() {
            self.cut_from_room(socket.link);
        }
    }

    /// Of the writes on their way some reach the disk. An alarm that was being handled comes again.
    fn lose_writes(&mut self, room: usize) {
        let (flushed, writes) = (self.rooms[room].disk.flushed, self.rooms[room].disk.writes);
        let reached = self.dice.within(flushed, writes);
        self.flushed(room, reached);
        self.rooms[room].disk.lose();
        self.rooms[room].flush_ms = self.now;
        self.rewrite_checks(room);
        if std::mem::take(&mut self.rooms[room].firing) {
            self.at(self.now + 2_000, Event::AlarmAgain(room));
        }
    }

    /// Another object of the same name begins elsewhere; the old one does not know.
    pub fn supersede(&mut self, room: usize) {
        let Some(at) = self.newest(room).filter(|at| self.object(*at).is_some_and(|o| !o.is_superseded))
        else {
            return;
        };
        self.trace(|| format!("{at:?} is superseded"));
        let was_flushed = self.rooms[room].disk.is_flushed();
        self.lose_writes(room);
        if was_flushed {
            self.object(at).expect("it is there").is_superseded = true;
        } else {
            // What it wrote last is not to be: the gate broke, and with it the object.
            self.drop_object(at);
        }
        // Another isolate: it remembers nothing.
        self.rooms[room].parking = Rc::default();
        self.rooms[room].asleep = None;
    }

    /// It does nothing: its memory goes, its sockets stay; but those of one that was superseded are nobody's then.
    pub fn sleep(&mut self, at: At) {
        self.trace(|| format!("{at:?} sleeps"));
        if self.object(at).is_some_and(|object| object.is_superseded) {
            return self.drop_object(at);
        }
        let objects = &mut self.rooms[at.room].objects;
        let Some(index) = objects.iter().position(|object| object.number == at.object) else { return };
        let object = objects.remove(index);
        self.rooms[at.room].asleep = Some(object.sockets);
    }

    fn alarm_again(&mut self, room: usize) {
        self.fire(room);
    }

    pub fn open_links(&self) -> Vec<usize> {
        let present = |player: &Player| player.link.map(|(_, link)| link);
        self.players.iter().filter_map(present).filter(|link| !self.is_cut(*link)).collect()
    }
}

impl Room {
    fn new(kind: Kind, name: &str) -> Room {
        let game = kind.game();
        let setup = Setup {
            stopwatch: None,
            load: Default::default(),
            game,
            game_name: kind.name().to_owned(),
            room: name.to_owned(),
            build: Build { id: "b".to_owned(), at: 1 },
            leases: true,
            slept: true,
        };
        Room {
            game,
            schema: game.schema(),
            setup,
            disk: Disk::default(),
            objects: Vec::new(),
            asleep: None,
            parking: Rc::default(),
            next_object: 0,
            stalled_until: 0,
            flush_ms: 0,
            alarm_lost: false,
            firing: false,
        }
    }
}

/// The room whose thread an event needs.
fn room_of(event: &Event, links: &[Link]) -> Option<usize> {
    match event {
        Event::Open(link) | Event::Up(link, _) | Event::LostUp(link) => Some(links[*link].room),
        Event::Timer { at, .. }
        | Event::LoopEnds { at, .. }
        | Event::Answered { at, .. }
        | Event::Answer { at, .. }
        | Event::Recorded { at, .. } => Some(at.room),
        Event::Alarm { room, .. } | Event::AlarmAgain(room) | Event::Release { room, .. } => Some(*room),
        _ => None,
    }
}
