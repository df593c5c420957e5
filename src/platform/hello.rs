//! The first message of a socket: only a good hello makes a room.
//!
//! Until then the object holds an accepted socket and nothing else: no row, no alarm, no host.

use std::rc::Rc;

use crate::host::ConnectionId;
use crate::limits::MESSAGE_BYTES_MAX;
use crate::lobby::session::SessionError;
use crate::platform::random_bytes;
use crate::platform::sessions;
use crate::platform::table::{Room, Stage};
use crate::wire::client_message::{ClientMessage, Declared, Hello};
use crate::wire::close::{Close, CloseCode};

impl Room {
    /// The first message of a socket; `None` is a binary one.
    pub(super) fn first_message(self: &Rc<Self>, id: ConnectionId, text: Option<&str>) {
        // Nothing is heard of it before its hello is answered.
        if self.sockets.is_asking(id) {
            return;
        }
        let hello = match read_hello(text) {
            Ok(hello) => hello,
            Err(close) => return self.sockets.close(id, &close),
        };
        match hello.session.clone().filter(|token| sessions::is_identity(&self.env, token)) {
            None => {
                let account = sessions::account_of(&self.env, hello.session.as_deref());
                self.let_in(id, &hello, account);
            }
            // Whose it is has to be looked up: beside the room, and back as an event of its own.
            Some(token) => {
                let room = Rc::clone(self);
                let since_ms = self.sockets.ask(id);
                self.state.wait_until(async move {
                    let account = sessions::identified(&room.env, &token).await;
                    room.ensure(false);
                    // It may have gone, or its time may be over.
                    if since_ms.is_some() && room.sockets.silent_since(id) == since_ms {
                        room.let_in(id, &hello, account);
                    }
                    room.settle().await;
                });
            }
        }
    }

    fn let_in(self: &Rc<Self>, id: ConnectionId, hello: &Hello, account: Result<String, SessionError>) {
        self.sockets.attach(id, Vec::new());
        let (seed, secret) = (u128::from_le_bytes(random_bytes()), random_bytes());
        let account = account.map_err(|error| {
            let code = if error == SessionError::Away { CloseCode::Away } else { CloseCode::Session };
            Close::new(code, error.text())
        });
        let mut refusal = Some(Close::new(CloseCode::Storage, "the room could not be made"));
        self.guarded(Stage::Other, |life, now| {
            refusal = life.make(seed, now).err();
            if refusal.is_none() {
                let account = account.as_deref().map_err(Close::clone);
                life.hear(|host| host.handle_hello_from(id, hello, account, secret, now));
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
