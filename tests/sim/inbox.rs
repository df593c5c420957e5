//! What comes to a room from outside: sockets and their messages, answers of the Lobby, releases.

use roundtable::host::{CallId, ConnectionId, ReplyId};
use roundtable::lobby::session;
use roundtable::wire::client_message::{ClientMessage, Declared, Hello};
use roundtable::wire::close::{Close, CloseCode};
use roundtable::wire::lease::{LobbyAnswer, TableAnswer, TableRequest};

use crate::net::{Down, Up};
use crate::object::{At, Socket};
use crate::player::SECRET;
use crate::world::World;

impl World {
    /// The upgrade of a link.
    pub fn open(&mut self, link: usize) {
        if self.is_cut(link) {
            return;
        }
        let at = self.wake(self.links[link].room);
        if self.begin(at, false) {
            let now = self.clock(at);
            let object = self.object(at).expect("just woken");
            match object.life.refusal(now) {
                Some(close) => {
                    self.send_down(link, Down::Opened);
                    self.close_down(link, &close);
                }
                None => {
                    let connection = ConnectionId(object.sockets.next);
                    object.sockets.next += 1;
                    let socket = Socket { link, said_hello: false, attachment: Vec::new() };
                    object.sockets.open.insert(connection, socket);
                    self.links[link].end = Some((at, connection));
                    self.send_down(link, Down::Opened);
                }
            }
        } else {
            self.cut_from_room(link);
        }
        self.finish(at);
    }

    /// A message of a client, or its close.
    pub fn up(&mut self, link: usize, what: Up) {
        let Some((at, connection)) = self.other_end(link).filter(|_| !self.is_cut(link)) else { return };
        match what {
            Up::Text(text) => self.message(at, connection, &text),
            Up::Closed => self.closed(at, connection),
        }
    }

    /// The object that has the link's other end now: another one, if the socket outlived it.
    fn other_end(&mut self, link: usize) -> Option<(At, ConnectionId)> {
        let (at, connection) = self.links[link].end?;
        let has = |world: &mut World, at: At| {
            let object = world.object(at);
            object.is_some_and(|object| object.sockets.open.get(&connection).is_some_and(|s| s.link == link))
        };
        if has(self, at) {
            return Some((at, connection));
        }
        let asleep = self.rooms[at.room].asleep.as_ref();
        let sleeps =
            asleep.is_some_and(|sockets| sockets.open.get(&connection).is_some_and(|s| s.link == link));
        if sleeps && self.object(at).is_none() {
            let at = self.wake(at.room);
            self.links[link].end = Some((at, connection));
            return Some((at, connection));
        }
        let newest =
            self.rooms[at.room].objects.last().map(|object| At { room: at.room, object: object.number });
        newest.filter(|at| has(self, *at)).map(|at| (at, connection))
    }

    fn message(&mut self, at: At, connection: ConnectionId, text: &str) {
        let object = self.object(at).expect("it has the socket");
        if object.sockets.open[&connection].said_hello {
            return self.event(at, |host, now| host.handle_message(connection, text, now));
        }
        if self.begin(at, false) {
            match hello_of(text) {
                Ok(hello) => self.hello(at, connection, &hello),
                Err(close) => self.close(at, connection, &close),
            }
        }
        self.finish(at);
    }

    fn hello(&mut self, at: At, connection: ConnectionId, hello: &Hello) {
        let (now, seed, secret) = (self.clock(at), u128::from(self.dice.word()), self.dice.bytes());
        let Some(object) = self.object(at) else { return };
        if !object.sockets.open.contains_key(&connection) {
            return;
        }
        if let Err(close) = object.life.make(seed, now) {
            return self.close(at, connection, &close);
        }
        if let Some(socket) = object.sockets.open.get_mut(&connection) {
            socket.said_hello = true;
        }
        let account = hello.session.as_deref().and_then(|token| session::verify(token, now, SECRET).ok());
        object.life.hear(|host| host.handle_hello(connection, hello, account.as_deref(), secret, now));
    }

    fn closed(&mut self, at: At, connection: ConnectionId) {
        let object = self.object(at).expect("it has the socket");
        let said_hello = object.sockets.open.remove(&connection).is_some_and(|socket| socket.said_hello);
        if said_hello {
            self.event(at, |host, now| host.handle_close(connection, now));
        }
    }

    /// The room hears that the link is gone.
    pub fn lost_up(&mut self, link: usize) {
        if let Some((at, connection)) = self.other_end(link) {
            self.closed(at, connection);
        }
    }

    /// An answer of the Lobby, or none in time.
    pub fn answer(&mut self, at: At, incarnation: u64, call: CallId, answer: Option<LobbyAnswer>) {
        let Some(object) = self.object(at) else { return };
        // The first of an answer and the end of patience counts.
        if !object.calls.remove(&call) || object.life.incarnation() != incarnation {
            return;
        }
        if self.begin(at, false) {
            let now = self.clock(at);
            let object = self.object(at).expect("it goes on");
            if object.life.incarnation() == incarnation {
                object.life.hear(|host| host.handle_answer(call, answer, now));
            }
        }
        self.finish(at);
    }

    /// The Lobby asks for a character back.
    pub fn release(&mut self, room: usize, ask: u64, request: &TableRequest) {
        let at = self.wake(room);
        let mut answer = Some(TableAnswer::Busy);
        if self.begin(at, true) {
            let now = self.clock(at);
            let object = self.object(at).expect("it goes on");
            let reply = ReplyId(object.next_reply);
            object.next_reply += 1;
            if object.life.hear(|host| host.handle_release(reply, request, now)) {
                object.replies.insert(reply.0, ask);
                answer = None;
            } else if object.life.is_absent() {
                answer = Some(TableAnswer::Absent);
            }
        }
        self.finish(at);
        if let Some(answer) = answer.filter(|_| self.death.is_none()) {
            self.table_says(ask, answer);
        }
    }

    /// The answer to a release leaves the room.
    pub fn reply(&mut self, at: At, reply: ReplyId, answer: TableAnswer) {
        let ask = self.object(at).and_then(|object| object.replies.remove(&reply.0));
        if let Some(ask) = ask {
            self.table_says(ask, answer);
        }
    }
}

fn hello_of(text: &str) -> Result<Box<Hello>, Close> {
    match ClientMessage::parse(text, &Declared::NONE) {
        Ok(ClientMessage::Hello(hello)) => Ok(hello),
        Ok(_) => Err(Close::new(CloseCode::Hello, "the first message must be a hello")),
        Err(_) => Err(Close::new(CloseCode::Hello, "the hello cannot be read")),
    }
}
