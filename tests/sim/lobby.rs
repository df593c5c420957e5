//! The lease object: the real policy over rows of its own, and the records behind it, which may be away.
//!
//! What it answers was written before; what is under way when it dies is lost, and its callers wait in vain. Absent: the
//! rule itself (`lobby::leases`).

use std::collections::BTreeMap;

use roundtable::host::CallId;
use roundtable::limits::{LEASE_STEPS_MAX, PEER_CALL_MS};
use roundtable::lobby::leases::{
    LeaseRow, Next, Record, RecordsAway, Turns, addressed, after_read, after_release, first, is_newer_record,
    is_unstored, shard,
};
use roundtable::wire::lease::{LEASE_VERSION, LobbyAnswer, LobbyRequest, TableAnswer, TableRequest};

use crate::checkers::Checker;
use crate::object::At;
use crate::world::{Event, World};

/// What a call is for, and whose.
#[derive(Clone)]
pub struct Call {
    at: At,
    incarnation: u64,
    call: CallId,
    request: LobbyRequest,
}

/// An operation under way.
struct Operation {
    call: Call,
    account: String,
    room: String,
    turn: u64,
    steps: u32,
    /// The release that is asked for: its number here, and the lease.
    asks: (u64, u64),
}

pub enum ToLobby {
    Hear(Box<Call>),
    /// The records have answered an operation, or cannot be read.
    Read(u64),
    /// A room's answer to the release of that number, or none in time.
    Released(u64, Option<TableAnswer>),
    /// Copies are given to the records.
    Store,
}

#[derive(Default)]
pub struct Lobby {
    pub rows: BTreeMap<String, LeaseRow>,
    pub records: BTreeMap<String, Record>,
    pub records_back_ms: u64,
    turns: Turns,
    operations: BTreeMap<u64, Operation>,
    next: u64,
    /// Its alarm is set.
    stores: bool,
}

impl Lobby {
    /// Its memory is gone, its rows are not. Its alarm comes all the same.
    pub fn die(&mut self) {
        self.operations.clear();
        self.turns = Turns::default();
    }
}

impl World {
    /// A room asks.
    pub fn call(&mut self, at: At, incarnation: u64, call: CallId, request: LobbyRequest) {
        self.check_copy(&request);
        let object = self.object(at).expect("the object that asks");
        object.calls.insert(call);
        self.at(self.now + PEER_CALL_MS, Event::Answer { at, incarnation, call, answer: None });
        let heard = Call { at, incarnation, call, request };
        if self.dice.chance(self.rates.call_doubled) {
            let late = self.way();
            self.at(self.now + late, Event::Lobby(ToLobby::Hear(Box::new(heard.clone()))));
        }
        if !self.dice.chance(self.rates.call_lost) {
            let way = self.way();
            self.at(self.now + way, Event::Lobby(ToLobby::Hear(Box::new(heard))));
        }
    }

    fn way(&mut self) -> u64 {
        if self.dice.chance(self.rates.call_late) {
            self.dice.within(500, 12_000)
        } else {
            self.dice.within(1, 20)
        }
    }

    pub fn lobby_event(&mut self, what: ToLobby) {
        match what {
            ToLobby::Hear(call) => self.hear(*call),
            ToLobby::Read(number) => self.read_records(number),
            ToLobby::Released(ask, answer) => self.released(ask, answer),
            ToLobby::Store => self.store(),
        }
    }

    fn hear(&mut self, call: Call) {
        let account = call.request.about().0.to_owned();
        let Some((_, room)) = addressed(&call.request, self.kind.name(), shard(&account)) else {
            return self.checks.violate(Checker::Leases, || "a request that is for no lease object".into());
        };
        let room = room.to_owned();
        let Some(turn) = self.lobby.turns.begin(&account, self.now) else {
            return self.say(&call, LobbyAnswer::Busy);
        };
        let next = first(self.lobby.rows.get(&account), &call.request);
        self.lobby.next += 1;
        let number = self.lobby.next;
        self.lobby.operations.insert(number, Operation { call, account, room, turn, steps: 0, asks: (0, 0) });
        self.go_on(number, next);
    }

    fn go_on(&mut self, number: u64, next: Next) {
        let Some(operation) = self.lobby.operations.get_mut(&number) else { return };
        operation.steps += 1;
        let (account, is_over) = (operation.account.clone(), operation.steps > LEASE_STEPS_MAX);
        match next {
            _ if is_over => self.end_operation(number, LobbyAnswer::Busy),
            Next::Read => {
                let wait = self.dice.within(1, 200);
                self.at(self.now + wait, Event::Lobby(ToLobby::Read(number)));
            }
            Next::Release { room, lease } => {
                self.lobby.next += 1;
                let ask = self.lobby.next;
                self.lobby.operations.get_mut(&number).expect("it is under way").asks = (ask, lease);
                self.at(self.now + PEER_CALL_MS, Event::Lobby(ToLobby::Released(ask, None)));
                let request = TableRequest::Release {
                    v: LEASE_VERSION,
                    account,
                    game: self.kind.name().to_owned(),
                    lease,
                };
                let holder = self.rooms.iter().position(|of| of.setup.room == room).expect("a room of ours");
                if !self.dice.chance(self.rates.call_lost) {
                    let way = self.way();
                    self.at(self.now + way, Event::Release { room: holder, ask, request });
                }
            }
            Next::Answer { answer, write } => {
                if let Some(row) = write {
                    self.put_row(*row);
                }
                self.end_operation(number, answer);
            }
        }
    }

    fn put_row(&mut self, row: LeaseRow) {
        let former = self.lobby.rows.get(&row.account);
        let falls = former.is_some_and(|former| row.lease < former.lease || row.stamp < former.stamp);
        self.checks.expect(!falls, Checker::Leases, || format!("a row falls: {row:?}"));
        self.trace(|| {
            format!("lobby: {} lease {} room {:?} {:?}", row.account, row.lease, row.room, row.stamp)
        });
        if is_unstored(&row) && !std::mem::replace(&mut self.lobby.stores, true) {
            self.at(self.now + 10, Event::Lobby(ToLobby::Store));
        }
        self.lobby.rows.insert(row.account.clone(), row);
    }

    fn end_operation(&mut self, number: u64, answer: LobbyAnswer) {
        if let Some(operation) = self.lobby.operations.remove(&number) {
            self.lobby.turns.end(&operation.account, operation.turn);
            self.say(&operation.call, answer);
        }
    }

    fn say(&mut self, call: &Call, answer: LobbyAnswer) {
        if !self.dice.chance(self.rates.call_lost) {
            let (way, answer) = (self.way(), Some(answer));
            let Call { at, incarnation, call, .. } = *call;
            self.at(self.now + way, Event::Answer { at, incarnation, call, answer });
        }
    }

    // ---- What operations wait for ----

    fn read_records(&mut self, number: u64) {
        let Some(Operation { account, room, .. }) = self.lobby.operations.get(&number) else { return };
        let is_away = self.now < self.lobby.records_back_ms;
        let record = if is_away { Err(RecordsAway) } else { Ok(self.lobby.records.get(account).cloned()) };
        let next = after_read(self.lobby.rows.get(account), account, room, record);
        self.go_on(number, next);
    }

    /// A room answers the release of that number.
    pub fn table_says(&mut self, ask: u64, answer: TableAnswer) {
        if !self.dice.chance(self.rates.call_lost) {
            let way = self.way();
            self.at(self.now + way, Event::Lobby(ToLobby::Released(ask, Some(answer))));
        }
    }

    fn released(&mut self, ask: u64, answer: Option<TableAnswer>) {
        let waits = self.lobby.operations.iter().find(|(_, operation)| operation.asks.0 == ask);
        let Some((number, Operation { account, room, asks: (_, lease), .. })) = waits else { return };
        if let Some(TableAnswer::Released(copy)) = &answer {
            self.checks.copy(copy);
        }
        let next = after_release(self.lobby.rows.get(account), *lease, room, answer);
        let number = *number;
        self.lobby.operations.get_mut(&number).expect("it waits").asks = (0, 0);
        self.go_on(number, next);
    }

    /// Gives the records the copies that they lack. An answer may be lost: they may have them then.
    fn store(&mut self) {
        self.lobby.stores = false;
        let (is_away, is_lost) =
            (self.now < self.lobby.records_back_ms, self.dice.chance(self.rates.call_lost));
        let mut waits = false;
        for row in self.lobby.rows.values_mut().filter(|row| is_unstored(row)) {
            waits |= is_away || is_lost;
            let Some(body) = row.body.clone().filter(|_| !is_away) else { continue };
            let newer = self
                .lobby
                .records
                .get(&row.account)
                .is_none_or(|record| is_newer_record(row.stamp, record.stamp));
            if newer {
                let record = Record {
                    stamp: row.stamp,
                    schema: row.schema.clone(),
                    room: row.from_room.clone(),
                    body,
                };
                self.lobby.records.insert(row.account.clone(), record);
            }
            if !is_lost {
                row.stored = row.stamp;
            }
        }
        if waits {
            self.lobby.stores = true;
            self.at(self.now + 1_000, Event::Lobby(ToLobby::Store));
        }
    }
}
