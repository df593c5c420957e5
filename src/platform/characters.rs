//! A Table's side of characters: asks the Lobby, and is asked by it. What is asked and answered is the
//! host's.
//!
//! A call runs beside the room and comes back as an event of its own; if the incarnation that asked is gone
//! by then, its answer is dropped, for the next one asks again by itself. A release is answered in the turn
//! it came in.

use std::rc::Rc;

use worker::{Request, Response};

use crate::host::{CallId, RecordRow, ReplyId};
use crate::limits::LEASE_BYTES_MAX;
use crate::platform::http::{self, HttpError};
use crate::platform::table::{Room, Stage};
use crate::platform::{peers, recorded};
use crate::wire::lease::{LEASE_VERSION, LobbyRequest, TableAnswer, TableRequest};

impl Room {
    /// Asks the lease object of the request's account. The output gate holds the message until the disk has
    /// what it rests on.
    pub(super) fn call(self: &Rc<Self>, call: CallId, request: LobbyRequest, incarnation: u64) {
        let room = Rc::clone(self);
        self.state.wait_until(async move {
            let answer = peers::ask_lobby(&room.env, &request).await;
            room.ensure(false);
            if room.life.borrow().incarnation() == incarnation {
                room.event(Stage::Other, |host, now| host.handle_answer(call, answer, now));
            }
            room.settle().await;
        });
    }

    /// Gives D1 what the rules recorded; only committed rows are handed out.
    pub(super) fn give_records(self: &Rc<Self>, call: CallId, rows: Vec<RecordRow>, incarnation: u64) {
        let room = Rc::clone(self);
        self.state.wait_until(async move {
            let taken = recorded::put(&room.env, &room.name.0, &room.name.1, &rows).await;
            room.ensure(false);
            if room.life.borrow().incarnation() == incarnation {
                room.event(Stage::Other, |host, now| host.handle_recorded(call, taken, now));
            }
            room.settle().await;
        });
    }

    /// The Lobby asks for a character back.
    pub(super) async fn release(
        self: &Rc<Self>,
        request: &mut Request,
    ) -> std::result::Result<Response, HttpError> {
        let request: TableRequest = http::body_within(request, LEASE_BYTES_MAX).await?;
        self.ensure(true);
        if self.faults.is_deaf() {
            return Err(HttpError::Internal("a fault that was asked for".to_owned()));
        }
        Ok(http::json(&self.answer(&request))?)
    }

    fn answer(self: &Rc<Self>, request: &TableRequest) -> TableAnswer {
        let (v, ..) = request.parts();
        // What was never committed holds nothing and awaits nothing; no room is made for it.
        if self.life.borrow().is_absent() {
            return if v <= LEASE_VERSION { TableAnswer::Absent } else { TableAnswer::Busy };
        }
        let reply = ReplyId(self.next_reply.get());
        self.next_reply.set(reply.0.wrapping_add(1));
        self.guarded(Stage::Other, |life, now| life.release(reply, request, now));
        // Without one the write failed, or the room fell: nothing is known to have been given back.
        match self.reply.take() {
            Some((to, answer)) if to == reply => answer,
            _ => TableAnswer::Busy,
        }
    }
}
