//! Links: one WebSocket each. What is sent arrives in order or not at all.
//!
//! A link that is cut delivers nothing that was on its way. One that is half-open swallows what is sent from then on, and
//! neither end is told. A slow reader gets nothing for a while and then all of it. Absent: what is said.

use std::rc::Rc;

use roundtable::host::ConnectionId;
use roundtable::wire::close::Close;
use roundtable::wire::server_message::ServerMessage;

use crate::games::Kind;
use crate::object::At;
use crate::world::{Event, World};

pub struct Link {
    pub player: usize,
    /// The client's number of it.
    pub generation: u32,
    pub room: usize,
    /// The other end, once it was accepted.
    pub end: Option<(At, ConnectionId)>,
    cut: bool,
    half_open: bool,
    latency_ms: u64,
    slow_until_ms: u64,
    /// When the newest message of each way arrives.
    up_ms: u64,
    down_ms: u64,
    /// The newest epoch and tick that the client was shown.
    pub shown: (u32, u32),
}

/// To the client.
pub enum Down {
    Opened,
    Text(Rc<str>),
    Closed(u16, String),
}

/// To the room.
pub enum Up {
    Text(String),
    Closed,
}

impl World {
    /// A client dials: the upgrade is on its way.
    pub fn dial(&mut self, player: usize, generation: u32, room: usize) -> usize {
        let link = self.links.len();
        let latency_ms =
            if self.dice.chance(0.1) { self.dice.within(50, 400) } else { self.dice.within(1, 40) };
        self.links.push(Link {
            player,
            generation,
            room,
            end: None,
            cut: false,
            half_open: false,
            latency_ms,
            slow_until_ms: 0,
            up_ms: 0,
            down_ms: 0,
            shown: (0, 0),
        });
        self.at(self.now + latency_ms, Event::Open(link));
        link
    }

    pub fn send_up(&mut self, link: usize, what: Up) {
        let jitter = self.jitter();
        let (now, link_now) = (self.now, &mut self.links[link]);
        if link_now.cut || link_now.half_open {
            return;
        }
        link_now.up_ms = link_now.up_ms.max(now + link_now.latency_ms + jitter);
        let at = link_now.up_ms;
        self.at(at, Event::Up(link, what));
    }

    pub fn send_down(&mut self, link: usize, what: Down) {
        let jitter = self.jitter();
        let (now, link_now) = (self.now, &mut self.links[link]);
        if link_now.cut || link_now.half_open {
            return;
        }
        let soonest = (now + link_now.latency_ms + jitter).max(link_now.slow_until_ms);
        link_now.down_ms = link_now.down_ms.max(soonest);
        let at = link_now.down_ms;
        self.at(at, Event::Down(link, what));
    }

    /// Says why and closes.
    pub fn close_down(&mut self, link: usize, close: &Close) {
        let bye = ServerMessage::Bye { code: close.code.code(), reason: close.reason().to_owned() };
        self.send_down(link, Down::Text(bye.to_json().into()));
        self.send_down(link, Down::Closed(close.code.code(), close.reason().to_owned()));
    }

    fn jitter(&mut self) -> u64 {
        if self.dice.chance(self.rates.delay) { self.dice.within(100, 3_000) } else { self.dice.within(0, 2) }
    }

    pub fn is_cut(&self, link: usize) -> bool {
        self.links[link].cut
    }

    /// Nothing that is on its way arrives; both ends are told, in a while.
    pub fn cut(&mut self, link: usize) {
        if std::mem::replace(&mut self.links[link].cut, true) {
            return;
        }
        let (there, here) = (self.dice.within(0, 200), self.dice.within(0, 200));
        self.at(self.now + there, Event::LostUp(link));
        if !self.links[link].half_open {
            self.at(self.now + here, Event::LostDown(link));
        }
    }

    /// The room's end has died.
    pub fn cut_from_room(&mut self, link: usize) {
        if std::mem::replace(&mut self.links[link].cut, true) {
            return;
        }
        let here = self.dice.within(0, 50);
        if !self.links[link].half_open {
            self.at(self.now + here, Event::LostDown(link));
        }
    }

    pub fn half_open(&mut self, link: usize) {
        if self.links[link].cut || std::mem::replace(&mut self.links[link].half_open, true) {
            return;
        }
        self.trace(|| format!("link {link} is half-open"));
        // The room hears of it late, or never (workerd#1187). One that runs by events closes nobody for silence: there it
        // is the platform that must find out.
        if self.kind == Kind::Cards || self.dice.chance(0.5) {
            let late = self.dice.within(5_000, 60_000);
            self.at(self.now + late, Event::LostUp(link));
        }
    }

    pub fn slow_down(&mut self, link: usize) {
        self.trace(|| format!("link {link} reads slowly"));
        self.links[link].slow_until_ms = self.now + self.dice.within(500, 5_000);
    }
}
