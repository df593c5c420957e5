//! What passes between the room of a rig and other objects: grants, returns, copies, releases, records.

use super::*;
use crate::wire::lease::{LobbyAnswer, TableRequest};

impl Rig {
    /// With a session of this account.
    pub fn hello_as(&mut self, connection: u32, account: Option<&str>, hello: &Hello) {
        let secret = self.secret();
        self.host.handle_hello(ConnectionId(connection), hello, account, secret, self.now_ms);
        self.drain();
    }

    /// An account comes in with its character, as the Lobby grants it.
    pub fn enter(&mut self, connection: u32, account: &str) -> Welcome {
        self.hello_as(connection, Some(account), &hello());
        self.answer_all();
        self.welcome(connection)
    }

    /// Answers the oldest call under way.
    pub fn answer(&mut self, answer: Option<LobbyAnswer>) {
        let (call, _) = self.calls.remove(0);
        self.host.handle_answer(call, answer, self.now_ms);
        self.drain();
    }

    /// Answers every call as the Lobby does, until none is left.
    pub fn answer_all(&mut self) {
        while let Some((_, request)) = self.calls.first() {
            let answer = self.lobby.answer(request);
            self.answer(Some(answer));
        }
    }

    /// The answer to a release; none if none left.
    pub fn release_number(&mut self, account: &str, lease: u64) -> Option<TableAnswer> {
        let request =
            TableRequest::Release { v: 1, account: account.to_owned(), game: "stub".to_owned(), lease };
        let before = self.replies.len();
        self.host.handle_release(ReplyId(before as u32), &request, self.now_ms);
        self.drain();
        self.replies.get(before).map(|(reply, answer)| {
            assert_eq!(reply.0 as usize, before);
            answer.clone()
        })
    }

    /// Answers the oldest batch of records under way: D1 has it, or is not known to.
    pub fn recorded(&mut self, taken: bool) -> Vec<RecordRow> {
        let (call, rows) = self.batches.remove(0);
        self.host.handle_recorded(call, taken, self.now_ms);
        self.drain();
        rows
    }
}
