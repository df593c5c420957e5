//! The Lobby and D1 of the small model: the real steps over one row and one record.

use roundtable::host::{CallId, ReplyId};
use roundtable::lobby::leases::{
    LeaseRow, Next, Record, RecordsAway, after_read, after_release, first, is_newer_record, is_unstored,
};
use roundtable::wire::lease::{LobbyAnswer, LobbyRequest, TableAnswer, TableRequest};

use super::world::{ACCOUNT, Message, Operation, ROOMS, World};

impl World {
    pub fn deliver(&mut self, message: Message) {
        match message {
            Message::ToLobby { room, incarnation, call, request } => {
                let is_grant = matches!(request, LobbyRequest::Grant { .. });
                // Returns and copies come in between, which the steps must bear.
                let next = if self.turn.is_some() && is_grant {
                    Next::Answer { answer: LobbyAnswer::Busy, write: None }
                } else {
                    first(self.row.as_ref(), &request)
                };
                let row = self.row.clone();
                self.go_on(Operation { for_room: room, incarnation, call, lease: 0, row }, next);
            }
            Message::ToTable { room, operation, request } => {
                let reply = ReplyId(operation);
                if self.tables[room].host.is_none() && self.stored(room).is_none() {
                    // No room was ever made there.
                    return self.net.push(Message::TableSays { operation, answer: TableAnswer::Absent });
                }
                self.hear(room, |host, now| host.handle_release(reply, &request, now));
            }
            Message::LobbySays { room, incarnation, call, answer } => {
                self.answer(room, incarnation, call, Some(answer));
            }
            Message::TableSays { operation, answer } => self.table_said(operation, Some(answer)),
            Message::ToRead { operation } => {
                self.net.push(Message::Read { operation, record: self.record.clone() });
            }
            Message::Read { operation, record } => self.was_read(operation, Ok(record)),
            Message::ToStore(row) => self.store(*row),
            Message::Stored(stamp) => {
                if let Some(row) = self.row.as_mut().filter(|row| stamp > row.stored) {
                    row.stored = stamp;
                }
            }
        }
    }

    pub(super) fn answer(
        &mut self,
        room: usize,
        incarnation: u32,
        call: CallId,
        answer: Option<LobbyAnswer>,
    ) {
        self.waiting.retain(|waits| *waits != (room, incarnation, call));
        if self.tables[room].incarnation == incarnation && self.tables[room].host.is_some() {
            self.hear(room, |host, now| host.handle_answer(call, answer, now));
        }
    }

    fn take(&mut self, number: u32) -> Option<Operation> {
        self.turn = self.turn.filter(|turn| *turn != number);
        self.operations.remove(&number)
    }

    pub(super) fn table_said(&mut self, number: u32, answer: Option<TableAnswer>) {
        let Some(operation) = self.take(number) else { return };
        let stale = roundtable::mutation::is_on(roundtable::mutation::Mutation::NoReread);
        let row = if stale { &operation.row } else { &self.row };
        let next = after_release(row.as_ref(), operation.lease, ROOMS[operation.for_room], answer);
        self.go_on(operation, next);
    }

    pub fn was_read(&mut self, number: u32, record: Result<Option<Record>, RecordsAway>) {
        let Some(operation) = self.take(number) else { return };
        let next = after_read(self.row.as_ref(), ACCOUNT, ROOMS[operation.for_room], record);
        self.go_on(operation, next);
    }

    fn go_on(&mut self, operation: Operation, next: Next) {
        let (wait, lease) = match next {
            Next::Answer { answer, write } => {
                if let Some(row) = write {
                    self.put(*row);
                }
                let Operation { for_room: room, incarnation, call, .. } = operation;
                return self.net.push(Message::LobbySays { room, incarnation, call, answer });
            }
            Next::Read => (None, 0),
            Next::Release { room, lease } => (Some(room), lease),
        };
        self.next += 1;
        let number = self.next;
        self.turn = Some(number);
        self.net.push(match wait {
            None => Message::ToRead { operation: number },
            Some(holder) => {
                let room = ROOMS.iter().position(|name| *name == holder).expect("one of the two");
                let (account, game) = (ACCOUNT.to_owned(), "mint".to_owned());
                Message::ToTable {
                    room,
                    operation: number,
                    request: TableRequest::Release { v: 1, account, game, lease },
                }
            }
        });
        let row = self.row.clone();
        self.operations.insert(number, Operation { lease, row, ..operation });
    }

    fn put(&mut self, row: LeaseRow) {
        let falls = self.row.as_ref().is_some_and(|now| row.lease < now.lease || row.stamp < now.stamp);
        if falls {
            self.wrong.get_or_insert(format!("the Lobby's row falls to {} {:?}", row.lease, row.stamp));
        }
        self.row = Some(row);
    }

    /// D1 is given a copy.
    fn store(&mut self, row: LeaseRow) {
        let Some(body) = row.body else { return };
        let stamp = row.stamp;
        let former = self.record.as_ref().map(|record| record.stamp);
        if former.is_none_or(|former| is_newer_record(stamp, former)) {
            if former.is_some_and(|former| stamp < former) {
                self.wrong.get_or_insert(format!("D1 falls from {former:?} to {stamp:?}"));
            }
            self.record = Some(Record { stamp, schema: row.schema, room: row.from_room, body });
        }
        self.net.push(Message::Stored(stamp));
    }

    /// The Lobby's alarm: it gives D1 what that lacks.
    pub fn flush(&mut self) {
        if let Some(row) = self.row.clone().filter(is_unstored) {
            self.net.push(Message::ToStore(Box::new(row)));
        }
    }

    pub fn crash_lobby(&mut self) {
        self.operations.clear();
        self.turn = None;
    }
}
