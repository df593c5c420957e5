//! What came of a run of the small model, and what tells two of its states apart.

use std::fmt::Write as _;

use roundtable::host::{CallId, CommitOutcome, ConnectionId, Output};
use roundtable::wire::client_message::Hello;
use roundtable::wire::server_message::ServerMessage;

use super::world::{Message, Operation, ROOMS, World};

impl World {
    pub fn deliver_all(&mut self) {
        while !self.net.is_empty() {
            let message = self.net.remove(0);
            self.deliver(message);
        }
    }

    /// Nothing fails, nobody stays: in the end the character is home, and D1 has it.
    pub fn settle(&mut self) {
        self.quiet();
        if self.row.as_ref().is_some_and(|row| row.room.is_some()) {
            // A grant that no room remembers: whoever asks next calls it back.
            self.crash_lobby();
            let there = self.row.as_ref().and_then(|row| row.room.as_deref()) == Some(ROOMS[0]);
            self.come(usize::from(there), false);
            self.deliver_all();
            self.quiet();
        }
    }

    fn quiet(&mut self) {
        for _ in 0..6 {
            for room in 0..2 {
                self.tables[room].fate = None;
                self.lose(room);
                self.alarm(room);
            }
            self.flush();
            self.deliver_all();
            while let Some(number) = self.operations.keys().next().copied() {
                self.give_up_operation(number);
                self.deliver_all();
            }
            while let Some((room, of, call)) = self.waiting.first().copied() {
                self.give_up_call((room, of, call));
                self.deliver_all();
            }
        }
    }

    /// How many rooms hold the character, a room that has crashed as it would come back.
    pub fn holders(&self) -> usize {
        let held = |room: usize| match &self.tables[room].host {
            Some(host) => host.facts(self.now_ms).holds.held,
            None => self.restored(room).map_or(0, |host| host.facts(self.now_ms).holds.held),
        };
        held(0) + held(1)
    }

    /// What is wrong once all is quiet.
    pub fn verdict(&self) -> Option<String> {
        if let Some(wrong) = &self.wrong {
            return Some(wrong.clone());
        }
        let gold = |body: &roundtable::wire::lease::CharacterBody| body.f["gold"].as_u64().unwrap_or(0);
        let row = self.row.as_ref();
        let home = row.and_then(|row| row.body.as_ref()).map_or(0, gold);
        let kept = self.record.as_ref().map_or(0, |record| gold(&record.body));
        let minted = self.minted();
        let room = row.and_then(|row| row.room.clone());
        let is_well = room.is_none() && self.holders() == 0 && home == minted && kept == minted;
        (!is_well).then(|| {
            format!(
                "{home} gold at home, {kept} in D1, {minted} minted, held by {room:?}, {} holders",
                self.holders()
            )
        })
    }

    /// In both rooms, as a spectator of what is stored is told.
    fn minted(&self) -> u64 {
        let minted = |room: usize| {
            let Some(mut host) = self.restored(room) else { return 0 };
            let watch = Hello { v: 1, game: "mint".to_owned(), watch: true, ..Hello::default() };
            host.handle_hello(ConnectionId(1), &watch, None, [0; 16], self.now_ms);
            while host.poll_commit().is_some() {
                host.handle_commit(CommitOutcome::Taken { rows_written: 1 }, self.now_ms);
            }
            let text = std::iter::from_fn(|| host.poll_output()).find_map(|output| match output {
                Output::Send { text, .. } => Some(text),
                _ => None,
            });
            match ServerMessage::parse(&text.expect("a welcome")) {
                Ok(ServerMessage::Welcome(welcome)) => {
                    welcome.shared["hall"]["minted"].as_u64().expect("a count")
                }
                other => panic!("a welcome, not {other:?}"),
            }
        };
        minted(0) + minted(1)
    }

    // ---- Telling states apart ----

    /// What is stored.
    pub fn durable(&self) -> String {
        let mut out = format!("{:?}|{:?}", self.row, self.record);
        for room in 0..2 {
            let mut shown = self.tables[room].disk.shown.borrow_mut();
            let shown = shown
                .get_or_insert_with(|| format!("{:?}", self.restored(room).map(|host| host.fingerprint())));
            let _ = write!(out, "|{shown}");
        }
        out
    }

    /// Everything that decides what may come of this state; clocks and numbers that only rise are not in it.
    pub fn fingerprint(&self) -> String {
        let mut out = self.durable();
        for (room, table) in self.tables.iter().enumerate() {
            let memory = table.host.as_ref().map(|host| {
                let open_calls: Vec<String> =
                    host.open_calls().iter().map(|call| self.name_of(room, *call)).collect();
                (host.fingerprint(), open_calls)
            });
            let _ = write!(out, "|{memory:?} {} {:?}", table.here.len(), table.fate);
        }
        let mut net: Vec<String> = self.net.iter().map(|message| self.shape(message)).collect();
        net.sort();
        let operations: Vec<String> = self.operations.keys().map(|number| self.operation(*number)).collect();
        let _ = write!(out, "|{net:?}|{operations:?}|{}", self.turn.is_some());
        out
    }

    /// Which call of a room this is, of those that it waits for.
    fn name_of(&self, room: usize, call: CallId) -> String {
        let place = self.waiting.iter().filter(|(of, ..)| *of == room).position(|(.., one)| *one == call);
        format!("{room}#{place:?}")
    }

    fn operation(&self, number: u32) -> String {
        match self.operations.get(&number) {
            None => "none".to_owned(),
            Some(Operation { for_room, incarnation, call, lease, .. }) => {
                let lives = self.tables[*for_room].incarnation == *incarnation;
                format!("{lives} {} {lease}", self.name_of(*for_room, *call))
            }
        }
    }

    pub fn shape(&self, message: &Message) -> String {
        let lives = |room: &usize, incarnation: &u32| self.tables[*room].incarnation == *incarnation;
        match message {
            Message::ToLobby { room, incarnation, call, request } => {
                format!("{} {} {request:?}", lives(room, incarnation), self.name_of(*room, *call))
            }
            Message::LobbySays { room, incarnation, call, answer } => {
                format!("{} {} {answer:?}", lives(room, incarnation), self.name_of(*room, *call))
            }
            Message::ToTable { room, operation, request } => {
                format!("to {room} of {} {request:?}", self.operation(*operation))
            }
            Message::TableSays { operation, answer } => {
                format!("said to {} {answer:?}", self.operation(*operation))
            }
            Message::ToRead { operation } => format!("read for {}", self.operation(*operation)),
            Message::Read { operation, record } => format!("read {} {record:?}", self.operation(*operation)),
            Message::ToStore(row) => format!("store {:?}", row.stamp),
            Message::Stored(stamp) => format!("stored {stamp:?}"),
        }
    }
}
