//! The sockets of a room: numbered, found again after hibernation, sent to, closed.
//!
//! A socket's attachment is text: its number, when it was accepted, whether it has said hello, and the host's
//! bytes. Accepted sockets hibernate; what is in memory here is rebuilt from the attachments. Absent: what is
//! said.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD as BASE64;
use worker::js_sys::{JsString, Map};
use worker::wasm_bindgen::prelude::*;
use worker::wasm_bindgen::{JsCast, JsValue};
use worker::{Response, Result, State, WebSocket, WebSocketPair};

use crate::host::{Attached, ConnectionId};
use crate::platform::clock::Timer;
use crate::platform::log::console_error;
use crate::platform::random_bytes;
use crate::wire::close::Close;
use crate::wire::server_message::ServerMessage;

#[wasm_bindgen(wasm_bindgen = ::worker::wasm_bindgen)]
extern "C" {
    /// A WebSocket whose `send` takes a JavaScript string: one frame for many is converted once.
    type RawSocket;
    #[wasm_bindgen(method, catch, js_name = send)]
    fn send_text(this: &RawSocket, text: &JsString) -> std::result::Result<(), JsValue>;
}

/// Ready state of a socket that is neither closing nor closed.
const OPEN: u16 = 1;

struct Entry {
    socket: WebSocket,
    since_ms: u64,
    said_hello: bool,
    /// It has, and whose it is is being looked up: it still has to be let in within its time.
    is_asking: bool,
    /// Runs until it says hello: a timer that is pending keeps the object from sleeping.
    patience: Rc<Timer>,
}

/// What an attachment holds.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Attachment {
    number: u32,
    since_ms: u64,
    said_hello: bool,
    host: Vec<u8>,
}

/// Sockets that outlived what was in memory.
#[derive(Default)]
pub struct Found {
    /// Those that had said hello, with the host's bytes.
    pub attached: Vec<Attached>,
    /// Those that had not, with the time they were accepted.
    pub silent: Vec<(ConnectionId, u64)>,
}

#[derive(Default)]
pub struct Sockets {
    entries: RefCell<BTreeMap<ConnectionId, Entry>>,
    /// From the JavaScript object to its number.
    numbers: Map,
    next: Cell<u32>,
    /// The text last sent, as JavaScript has it.
    last_text: RefCell<Option<(Rc<str>, JsString)>>,
}

impl Sockets {
    /// Finds the sockets that outlived what was in memory.
    pub fn find(&self, state: &State) -> Found {
        let mut found = Found::default();
        self.entries.borrow_mut().clear();
        self.numbers.clear();
        for socket in state.get_websockets() {
            if socket.as_ref().ready_state() != OPEN {
                continue;
            }
            let Some(Attachment { number, since_ms, said_hello, host }) = read_attachment(&socket) else {
                continue;
            };
            let id = ConnectionId(number);
            self.next.set(self.next.get().max(number.saturating_add(1)));
            self.insert(
                id,
                Entry { socket, since_ms, said_hello, is_asking: false, patience: Rc::default() },
            );
            if said_hello {
                found.attached.push(Attached { connection: id, attachment: host, secret: random_bytes() });
            } else {
                found.silent.push((id, since_ms));
            }
        }
        found.attached.sort_unstable_by_key(|socket| socket.connection);
        found
    }

    /// Accepts a socket for the room and answers the upgrade.
    pub fn accept(&self, state: &State, now_ms: u64) -> Result<(ConnectionId, Response)> {
        let WebSocketPair { client, server } = WebSocketPair::new()?;
        let number = self.next.get();
        // 2^32 connections of one incarnation are more than a room lives to see.
        self.next.set(number.wrapping_add(1));
        let id = ConnectionId(number);
        state.accept_web_socket(&server);
        write_attachment(
            &server,
            &Attachment { number, since_ms: now_ms, said_hello: false, host: Vec::new() },
        );
        let patience = Rc::default();
        let (socket, since_ms, said_hello, is_asking) = (server, now_ms, false, false);
        self.insert(id, Entry { socket, since_ms, said_hello, is_asking, patience });
        Ok((id, Response::from_websocket(client)?))
    }

    /// Accepts a socket only to say why it is closed: a browser cannot read the status of a refused upgrade.
    pub fn refuse(close: &Close) -> Result<Response> {
        let WebSocketPair { client, server } = WebSocketPair::new()?;
        server.accept()?;
        say_bye(&server, close);
        Response::from_websocket(client)
    }

    pub fn count(&self) -> usize {
        self.entries.borrow().len()
    }

    /// The number of a socket of this room that is not closed.
    pub fn number(&self, socket: &WebSocket) -> Option<ConnectionId> {
        let number = self.numbers.get(socket.as_ref()).as_f64()?;
        Some(ConnectionId(number as u32))
    }

    pub fn has_said_hello(&self, id: ConnectionId) -> bool {
        self.entries.borrow().get(&id).is_some_and(|entry| entry.said_hello)
    }

    pub fn is_asking(&self, id: ConnectionId) -> bool {
        self.entries.borrow().get(&id).is_some_and(|entry| entry.is_asking)
    }

    /// Its hello is being looked up. The time it was accepted tells it from one that gets its number later.
    pub fn ask(&self, id: ConnectionId) -> Option<u64> {
        self.entries.borrow_mut().get_mut(&id).map(|entry| {
            entry.is_asking = true;
            entry.since_ms
        })
    }

    /// The timer that its hello, or its end, cuts short.
    pub fn patience(&self, id: ConnectionId) -> Option<Rc<Timer>> {
        self.entries.borrow().get(&id).map(|entry| Rc::clone(&entry.patience))
    }

    /// When the socket was accepted, if it has said no hello yet.
    pub fn silent_since(&self, id: ConnectionId) -> Option<u64> {
        self.entries.borrow().get(&id).filter(|entry| !entry.said_hello).map(|entry| entry.since_ms)
    }

    /// Keeps the host's bytes with the socket. Its first ones mark that it has said hello.
    pub fn attach(&self, id: ConnectionId, host: Vec<u8>) {
        if let Some(entry) = self.entries.borrow_mut().get_mut(&id) {
            entry.said_hello = true;
            entry.patience.cancel();
            let attachment = Attachment { number: id.0, since_ms: entry.since_ms, said_hello: true, host };
            write_attachment(&entry.socket, &attachment);
        }
    }

    /// Sends a frame; a peer that is gone is told of by its own event.
    pub fn send(&self, id: ConnectionId, text: &Rc<str>) {
        let entries = self.entries.borrow();
        let Some(entry) = entries.get(&id) else { return };
        let mut last = self.last_text.borrow_mut();
        let text = match &*last {
            Some((rust, js)) if Rc::ptr_eq(rust, text) => js,
            _ => &last.insert((Rc::clone(text), JsString::from(&**text))).1,
        };
        let _ = entry.socket.as_ref().unchecked_ref::<RawSocket>().send_text(text);
    }

    /// Says why, closes and forgets the socket.
    pub fn close(&self, id: ConnectionId, close: &Close) {
        if let Some(socket) = self.remove(id) {
            say_bye(&socket, close);
        }
    }

    pub fn close_all(&self, close: &Close) {
        let all: Vec<ConnectionId> = self.entries.borrow().keys().copied().collect();
        for id in all {
            self.close(id, close);
        }
    }

    pub fn remove(&self, id: ConnectionId) -> Option<WebSocket> {
        let entry = self.entries.borrow_mut().remove(&id)?;
        self.numbers.delete(entry.socket.as_ref());
        entry.patience.cancel();
        Some(entry.socket)
    }

    fn insert(&self, id: ConnectionId, entry: Entry) {
        self.numbers.set(entry.socket.as_ref(), &JsValue::from_f64(f64::from(id.0)));
        self.entries.borrow_mut().insert(id, entry);
    }
}

fn say_bye(socket: &WebSocket, close: &Close) {
    let bye = ServerMessage::Bye { code: close.code.code(), reason: close.reason().to_owned() };
    // Either fails only if the peer has gone first.
    let _ = socket.send_with_str(bye.to_json());
    let _ = socket.close(Some(close.code.code()), Some(close.reason()));
}

fn write_attachment(socket: &WebSocket, attachment: &Attachment) {
    let Attachment { number, since_ms, said_hello, host } = attachment;
    let text = format!("{number} {since_ms} {} {}", u8::from(*said_hello), BASE64.encode(host));
    if let Err(error) = socket.serialize_attachment(text) {
        console_error!("a socket's attachment was refused: {error}");
    }
}

fn read_attachment(socket: &WebSocket) -> Option<Attachment> {
    let text: String = socket.deserialize_attachment().ok()??;
    let mut parts = text.split(' ');
    Some(Attachment {
        number: parts.next()?.parse().ok()?,
        since_ms: parts.next()?.parse().ok()?,
        said_hello: parts.next()? == "1",
        host: BASE64.decode(parts.next()?).ok()?,
    })
}
