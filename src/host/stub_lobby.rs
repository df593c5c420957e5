//! The Lobby's side of one room, for the host's tests: it grants, repeats, takes returns and calls characters home.
//!
//! What the real one does is `lobby::leases`, which this layer does not know; `tests/native/leases.rs` puts the two
//! together.

use std::collections::BTreeMap;

use crate::wire::lease::{CharacterBody, LobbyAnswer, LobbyRequest, Stamp, TableAnswer};

#[derive(Debug, Default)]
pub struct Lobby {
    rows: BTreeMap<String, Row>,
}

#[derive(Debug, Default)]
struct Row {
    lease: u64,
    is_there: bool,
    stamp: Stamp,
    body: Option<CharacterBody>,
}

impl Lobby {
    pub fn answer(&mut self, request: &LobbyRequest) -> LobbyAnswer {
        match request {
            LobbyRequest::Grant { account, .. } => {
                let row = self.rows.entry(account.clone()).or_default();
                row.lease += u64::from(!row.is_there);
                row.is_there = true;
                LobbyAnswer::Granted { lease: row.lease, body: row.body.clone() }
            }
            LobbyRequest::Copy(copy) => {
                self.take(&copy.account, copy.stamp, copy.body.as_ref(), true);
                LobbyAnswer::Done
            }
            LobbyRequest::Confirm { .. } | LobbyRequest::Break { .. } => LobbyAnswer::Done,
            LobbyRequest::Return(copy) => {
                self.take(&copy.account, copy.stamp, copy.body.as_ref(), false);
                LobbyAnswer::Done
            }
            LobbyRequest::Look { .. } | LobbyRequest::Forget { .. } => LobbyAnswer::Busy,
        }
    }

    /// The number of an account's newest grant.
    pub fn lease(&self, account: &str) -> u64 {
        self.rows.get(account).map_or(0, |row| row.lease)
    }

    /// The room is taken to hold the account's character.
    pub fn is_there(&self, account: &str) -> bool {
        self.rows.get(account).is_some_and(|row| row.is_there)
    }

    pub fn score(&self, account: &str) -> Option<i64> {
        self.rows.get(account)?.body.as_ref()?.f.get("score")?.as_i64()
    }

    /// The room has answered a release.
    pub fn released(&mut self, account: &str, lease: u64, answer: &TableAnswer) {
        match answer {
            TableAnswer::Released(copy) => self.take(account, copy.stamp, copy.body.as_ref(), false),
            TableAnswer::Absent => self.take(account, Stamp { lease, seq: 0 }, None, false),
            TableAnswer::Busy => {}
        }
    }

    fn take(&mut self, account: &str, stamp: Stamp, body: Option<&CharacterBody>, stays: bool) {
        let Some(row) = self.rows.get_mut(account).filter(|row| row.is_there && row.lease == stamp.lease)
        else {
            return;
        };
        row.is_there = stays;
        if let Some(body) = body.filter(|_| stamp > row.stamp) {
            row.stamp = stamp;
            row.body = Some(body.clone());
        }
    }
}
