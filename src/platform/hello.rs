//! The first message of a socket: only a good hello makes a room.
//!
//! Until then the object holds an accepted socket and nothing else: no row, no alarm, no host.

use std::rc::Rc;

use crate::host::ConnectionId;
use crate::limits::MESSAGE_BYTES_MAX;
use crate::platform::random_bytes;
use crate::platform::sessions::account_of;
use crate::platform::table::{Room, Stage};
use crate::wire::client_message::{ClientMessage, Declared, Hello};
use crate::wire::close::{Close, CloseCode};

impl Room {
    /// The first message of a socket; `None` is a binary one.
    pub(super) fn first_message(self: &Rc<Self>, id: ConnectionId, text: Option<&str>) {
        let hello = match read_hello(text) {
            Ok(hello) => hello,
            Err(close) => return self.sockets.close(id, &close),
        };
        self.sockets.attach(id, Vec::new());
        let (seed, secret) = (u128::from_le_bytes(random_bytes()), random_bytes());
        let account = account_of(&self.env, hello.session.as_deref());
        let mut refusal = Some(Close::new(CloseCode::Storage, "the room could not be made"));
        self.guarded(Stage::Other, |life, now| {
            refusal = life.make(seed, now).err();
            if refusal.is_none() {
                life.hear(|host| host.handle_hello(id, &hello, account.as_deref(), secret, now));
            }
        });
        match refusal {
            Some(close) => self.sockets.close(id, &close),
            None => self.tell_lobby(),
        }
    }
}

fn read_hello(text: Option<&str>) -> Result<Box<Hello>, Close> {
    let text = text.ok_or_else(|| Close::new(CloseCode::Message, "binary frames are not spoken here"))?;
    if text.len() > MESSAGE_BYTES_MAX {
        return Err(Close::new(CloseCode::Message, "the message is too long"));
    }
    match ClientMessage::parse(text, &Declared::NONE) {
        Ok(ClientMessage::Hello(hello)) => Ok(hello),
        Ok(_) => Err(Close::new(CloseCode::Hello, "the first message must be a hello")),
        Err(_) => Err(Close::new(CloseCode::Hello, "the hello cannot be read")),
    }
}
