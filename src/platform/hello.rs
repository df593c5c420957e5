//! The first message of a socket: only a good hello makes a room.
//!
//! Until then the object holds an accepted socket and nothing else: no row, no alarm, no host.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use worker::console_log;

use crate::host::{ConnectionId, Host};
use crate::limits::MESSAGE_BYTES_MAX;
use crate::platform::clock::now_ms;
use crate::platform::random_bytes;
use crate::platform::sessions::account_of;
use crate::platform::table::{Life, Room, Stage};
use crate::wire::client_message::{ClientMessage, Declared, Hello};
use crate::wire::close::{Close, CloseCode};

impl Room {
    /// The first message of a socket; `None` is a binary one.
    pub(super) fn first_message(self: &Rc<Self>, id: ConnectionId, text: Option<&str>) {
        match read_hello(text).and_then(|hello| self.make().map(|()| hello)) {
            Ok(hello) => {
                self.sockets.attach(id, Vec::new());
                let secret = random_bytes();
                let account = account_of(&self.env, hello.session.as_deref());
                let account = account.as_deref();
                self.event(Stage::Other, |host, now| host.handle_hello(id, &hello, account, secret, now));
                self.forget_unused();
                self.tell_lobby();
            }
            Err(close) => self.sockets.close(id, &close),
        }
    }

    /// Makes the room if there is none.
    fn make(&self) -> Result<(), Close> {
        let mut life = self.life.borrow_mut();
        match &*life {
            Life::Live(_) => return Ok(()),
            Life::Refused(close) => return Err(close.clone()),
            Life::Unread => return Err(Close::new(CloseCode::Storage, "the room is being restored")),
            Life::Absent => {}
        }
        let setup = self.setup().ok_or_else(|| Close::new(CloseCode::Room, "there is no such game"))?;
        let seed = u64::from_le_bytes(random_bytes());
        let host = catch_unwind(AssertUnwindSafe(|| Host::create(setup, seed, now_ms())))
            .map_err(|_| Close::new(CloseCode::Storage, "the room could not be made"))?;
        console_log!("room {}: made", self.label());
        self.incarnation.set(self.incarnation.get() + 1);
        *life = Life::Live(Box::new(host));
        Ok(())
    }

    /// A room made for a hello that it then refused was never there.
    fn forget_unused(&self) {
        let mut life = self.life.borrow_mut();
        if matches!(&*life, Life::Live(host) if host.is_unused()) {
            *life = Life::Absent;
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
