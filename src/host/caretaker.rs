//! A room that cannot run its game, because this build cannot use its save or has no such game any more: it still gives
//! back the characters that it holds, from its last commit, by the schema which the save carries.
//!
//! It answers releases and nothing else: nobody is let in, nothing ticks, and what is on its way home is given when the Lobby
//! asks for it. The save is kept as it is but for the holds: a character that was given back is marked as returning, and
//! its body stays among the rules' records, which nobody here understands. A build that can use the save takes that body
//! away without its leave handler before anything else (`Host::restore`), so that it is not there twice. Absent: what a
//! release means in a room that runs (`returns.rs`).

use std::collections::BTreeMap;

use crate::host::hold_record::{load_holds_of, put_hold, put_spent};
use crate::host::holds::{Hold, Return, State};
use crate::host::ledger::Ledger;
use crate::host::{Commit, CommitOutcome, Output, ReplyId, Stored};
use crate::rules::cut::{Cut, SaveError};
use crate::rules::ids::{Epoch, Tick};
use crate::rules::save::bystander::character_of;
use crate::rules::save::layout::Layout;
use crate::rules::save::{layout_hash_of, layout_of};
use crate::wire::character::to_body;
use crate::wire::lease::{Copy, LEASE_VERSION, Stamp, TableAnswer, TableRequest};
use crate::wire::names::is_account;

pub(super) struct Caretaker {
    game: String,
    room: String,
    at: (Epoch, Tick),
    cut: Cut,
    ledger: Ledger,
    layout: Layout,
    /// Of the save.
    schema: String,
    holds: BTreeMap<String, Hold>,
    /// An answer, and the commit it waits for.
    reply: Option<(u64, ReplyId, TableAnswer)>,
    /// A write failed: what is in memory is not what is stored.
    failed: bool,
}

impl Caretaker {
    /// # Errors
    /// A save that is damaged, or does not say what its fields are.
    pub(super) fn open(game: &str, room: &str, stored: &Stored, now_ms: u64) -> Result<Caretaker, SaveError> {
        let (cut, ledger) = Ledger::restore(stored, now_ms)?;
        let layout = layout_of(&cut)?.ok_or(SaveError::Schema)?;
        let holds = load_holds_of(&cut, game, now_ms)?;
        let (game, room, schema) = (game.to_owned(), room.to_owned(), layout_hash_of(&cut));
        Ok(Caretaker {
            game,
            room,
            at: stored.at,
            cut,
            ledger,
            layout,
            schema,
            holds,
            reply: None,
            failed: false,
        })
    }

    /// The Lobby asks for a character back, or to drop it. The answer leaves once what it says is committed.
    pub(super) fn handle_release(&mut self, reply: ReplyId, request: &TableRequest, now_ms: u64) {
        let (v, account, game, lease) = request.parts();
        let is_ours = game == self.game && is_account(account) && lease > 0;
        let answer = if self.failed || v > LEASE_VERSION || !is_ours {
            TableAnswer::Busy
        } else if matches!(request, TableRequest::Revoke { .. }) {
            self.give_back(account, lease, now_ms, false)
        } else {
            self.give_back(account, lease, now_ms, true)
        };
        self.reply = Some((self.ledger.wanted(), reply, answer));
    }

    fn give_back(&mut self, account: &str, lease: u64, now_ms: u64, is_wanted: bool) -> TableAnswer {
        let Some(hold) = self.holds.get(account).filter(|hold| hold.stamp.lease <= lease).cloned() else {
            return self.spend(account, lease);
        };
        let State::Held(seat) = hold.state else {
            return self.answer(account, &hold, is_wanted);
        };
        let Ok(character) = character_of(&self.cut, &self.layout, seat) else { return TableAnswer::Busy };
        let copy = Return::left_behind(self.schema.clone(), character.as_ref().map(to_body), seat, now_ms);
        let stamp = Stamp { seq: hold.stamp.seq.saturating_add(1), ..hold.stamp };
        let hold = Hold::new(hold.id, stamp, State::Returning(copy));
        put_hold(&mut self.cut, account, &hold);
        let answer = self.answer(account, &hold, is_wanted);
        self.holds.insert(account.to_owned(), hold);
        self.ledger.want_now();
        answer
    }

    fn answer(&self, account: &str, hold: &Hold, is_wanted: bool) -> TableAnswer {
        match &hold.state {
            State::Returning(copy) if is_wanted => TableAnswer::Released(Box::new(Copy {
                v: LEASE_VERSION,
                account: account.to_owned(),
                game: self.game.clone(),
                room: self.room.clone(),
                stamp: hold.stamp,
                schema: copy.schema.clone(),
                body: copy.body.clone(),
            })),
            _ => TableAnswer::Absent,
        }
    }

    /// Not held here, and no grant up to that number is admitted any more: none is admitted in this state at all, and a
    /// build that can use the save must know.
    fn spend(&mut self, account: &str, lease: u64) -> TableAnswer {
        match put_spent(&mut self.cut, account, lease) {
            Ok(true) => self.ledger.want_now(),
            Ok(false) => {}
            Err(_) => return TableAnswer::Busy,
        }
        TableAnswer::Absent
    }

    pub(super) fn poll_commit(&mut self) -> Option<Commit> {
        let is_due = !self.failed && self.ledger.wanted() > self.ledger.covered();
        is_due.then(|| self.ledger.make(self.cut.clone(), self.at.0, self.at.1))
    }

    pub(super) fn handle_commit(&mut self, outcome: &CommitOutcome, now_ms: u64) {
        if let CommitOutcome::Taken { .. } = outcome {
            self.ledger.taken(now_ms);
        } else {
            self.failed = true;
        }
    }

    /// The answer that is ready; of one whose commit failed there is none.
    pub(super) fn poll_reply(&mut self) -> Option<Output> {
        let covered = self.ledger.covered();
        let (_, reply, answer) = self.reply.take_if(|(gate, ..)| *gate <= covered)?;
        Some(Output::Reply { reply, answer })
    }

    /// A write failed: storage is to be read again.
    pub(super) fn has_failed(&self) -> bool {
        self.failed
    }
}
