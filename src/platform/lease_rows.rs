//! The rows of a lease object: one an account, written as a whole, in one transaction before its answer.
//!
//! A row whose copy D1 lacks says so by `retry_at`, the time it is due to be given to D1; those are found by
//! an index that holds only them. The body stays in the row after D1 has it, so grants need D1 only for
//! accounts never seen.

use std::cell::Cell;

use worker::{Result, SqlStorage, SqlStorageValue, State};

use crate::limits::{RECORD_ALONE_TRIES, RECORD_BATCH_MAX};
use crate::lobby::leases::{LeaseRow, is_unstored};
use crate::platform::store::{columns, integer, number};
use crate::platform::transaction::Transaction;
use crate::wire::lease::Stamp;

const CREATE: [&str; 2] = [
    "CREATE TABLE IF NOT EXISTS leases (
        account TEXT PRIMARY KEY,
        lease INTEGER NOT NULL,       -- the newest grant's number
        room TEXT,                    -- who holds it; NULL: home
        body_lease INTEGER NOT NULL, body_seq INTEGER NOT NULL, schema TEXT NOT NULL, from_room TEXT NOT NULL,
        body TEXT,                    -- JSON; NULL: a character that has never had a body
        stored_lease INTEGER NOT NULL, stored_seq INTEGER NOT NULL,   -- the copy that D1 has
        tries INTEGER NOT NULL, retry_at INTEGER,                     -- NULL: D1 has the copy
        changed_at INTEGER NOT NULL,
        gone INTEGER NOT NULL DEFAULT 0,      -- 1: the account was deleted
        since INTEGER NOT NULL DEFAULT 0      -- when it came to where it is
    ) WITHOUT ROWID",
    "CREATE INDEX IF NOT EXISTS leases_unstored ON leases (retry_at) WHERE retry_at IS NOT NULL",
];
/// What rows of a former version lack; each fails where it is there already.
const ADD: [&str; 2] = [
    "ALTER TABLE leases ADD COLUMN gone INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE leases ADD COLUMN since INTEGER NOT NULL DEFAULT 0",
];
const HAS_ALL: &str = "SELECT gone, since FROM leases LIMIT 1";
const GET: &str =
    "SELECT account, lease, room, body_lease, body_seq, schema, from_room, body, stored_lease, stored_seq,
    tries, gone, since FROM leases WHERE account = ?";
const PUT: &str = "REPLACE INTO leases (account, lease, room, body_lease, body_seq, schema, from_room, body,
    stored_lease, stored_seq, tries, retry_at, changed_at, gone, since)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
const GET_DUE: &str =
    "SELECT account, lease, room, body_lease, body_seq, schema, from_room, body, stored_lease,
    stored_seq, tries, gone, since FROM leases WHERE retry_at IS NOT NULL AND retry_at <= ? ORDER BY retry_at LIMIT ?";
const PUT_OFF: &str = "UPDATE leases SET tries = ?, retry_at = ? WHERE account = ? AND retry_at IS NOT NULL";
const GET_NEXT: &str = "SELECT min(retry_at) FROM leases WHERE retry_at IS NOT NULL";

/// A row whose copy is due to be given to D1.
pub struct Due {
    pub row: LeaseRow,
    /// Tries that failed.
    pub tries: u32,
    since_ms: u64,
}

pub struct LeaseRows {
    sql: SqlStorage,
    transaction: Transaction,
    created: Cell<bool>,
}

impl LeaseRows {
    /// # Errors
    /// A runtime without `transactionSync`.
    pub fn new(state: &State) -> Result<LeaseRows> {
        let sql = state.storage().sql();
        Ok(LeaseRows { sql, transaction: Transaction::new(state)?, created: Cell::new(false) })
    }

    /// The row of an account as it is now.
    ///
    /// # Errors
    /// Storage that refuses, or a row that is not what was written: never taken for none.
    pub fn get(&self, account: &str) -> Result<Option<LeaseRow>> {
        let row = self.sql()?.exec(GET, vec![account.into()])?.raw().next().transpose()?;
        Ok(row.map(read).transpose()?.map(|due| due.row))
    }

    /// The same, with the time since when it is where it is.
    ///
    /// # Errors
    /// As `get`.
    pub fn look(&self, account: &str) -> Result<Option<(LeaseRow, u64)>> {
        let row = self.sql()?.exec(GET, vec![account.into()])?.raw().next().transpose()?;
        Ok(row.map(read).transpose()?.map(|due| (due.row, due.since_ms)))
    }

    /// Writes a row; if D1 lacks its copy, that is due at once.
    ///
    /// # Errors
    /// Storage that refuses: nothing is written.
    pub fn put(&self, row: LeaseRow, now_ms: u64) -> Result<()> {
        let sql = self.sql()?.clone();
        let former = self.look(&row.account)?;
        let stays = former.filter(|(former, _)| former.room == row.room);
        let since_ms = stays.map_or(now_ms, |(_, since_ms)| since_ms);
        self.transaction.run(move || {
            let retry_at = if is_unstored(&row) { number(now_ms) } else { SqlStorageValue::Null };
            let LeaseRow { account, lease, room, stamp, schema, from_room, body, stored, gone } = row;
            let body = body.map(|body| serde_json::to_string(&body)).transpose()?;
            let values = vec![
                account.into(),
                number(lease),
                text(room),
                number(stamp.lease),
                number(stamp.seq),
                schema.into(),
                from_room.into(),
                text(body),
                number(stored.lease),
                number(stored.seq),
                number(0),
                retry_at,
                number(now_ms),
                number(gone.into()),
                number(since_ms),
            ];
            sql.exec(PUT, values).map(|_| ())
        })
    }

    /// Copies to give to D1 now: several that may go together, or one that has failed often.
    ///
    /// # Errors
    /// Storage that refuses.
    pub fn due(&self, now_ms: u64) -> Result<Vec<Due>> {
        let limit = number(RECORD_BATCH_MAX as u64);
        let rows = self.sql()?.exec(GET_DUE, vec![number(now_ms), limit])?.raw();
        let mut due = rows.map(|row| read(row?)).collect::<Result<Vec<Due>>>()?;
        match due.first() {
            Some(first) if first.tries >= RECORD_ALONE_TRIES => due.truncate(1),
            _ => due.retain(|due| due.tries < RECORD_ALONE_TRIES),
        }
        Ok(due)
    }

    /// D1 has this copy; a newer one that came meanwhile is due.
    ///
    /// # Errors
    /// Storage that refuses.
    pub fn stored(&self, account: &str, stamp: Stamp, now_ms: u64) -> Result<()> {
        match self.get(account)? {
            Some(row) if stamp > row.stored => self.put(LeaseRow { stored: stamp, ..row }, now_ms),
            _ => Ok(()),
        }
    }

    /// A try failed: the next one is at `retry_ms`.
    ///
    /// # Errors
    /// Storage that refuses.
    pub fn put_off(&self, account: &str, tries: u32, retry_ms: u64) -> Result<()> {
        self.sql()?.exec(PUT_OFF, vec![number(tries.into()), number(retry_ms), account.into()]).map(|_| ())
    }

    /// When a copy is due next.
    ///
    /// # Errors
    /// Storage that refuses.
    pub fn next_ms(&self) -> Result<Option<u64>> {
        let row = self.sql()?.exec(GET_NEXT, None)?.raw().next().transpose()?;
        Ok(row.and_then(|row| integer(row.into_iter().next()?).ok()))
    }

    fn sql(&self) -> Result<&SqlStorage> {
        if !self.created.get() {
            for query in CREATE {
                self.sql.exec(query, None)?;
            }
            if self.sql.exec(HAS_ALL, None).is_err() {
                for query in ADD {
                    let _ = self.sql.exec(query, None);
                }
            }
            self.created.set(true);
        }
        Ok(&self.sql)
    }
}

fn read(row: Vec<SqlStorageValue>) -> Result<Due> {
    let [
        account,
        lease,
        room,
        body_lease,
        body_seq,
        schema,
        from_room,
        body,
        stored_lease,
        stored_seq,
        tries,
        gone,
        since,
    ] = columns(row).map_err(damaged)?;
    let stamp = |lease, seq| -> Result<Stamp> {
        Ok(Stamp { lease: integer(lease).map_err(damaged)?, seq: integer(seq).map_err(damaged)? })
    };
    let row = LeaseRow {
        account: required(account)?,
        lease: integer(lease).map_err(damaged)?,
        room: optional(room)?,
        stamp: stamp(body_lease, body_seq)?,
        schema: required(schema)?,
        from_room: required(from_room)?,
        body: optional(body)?.map(|body| serde_json::from_str(&body)).transpose()?,
        stored: stamp(stored_lease, stored_seq)?,
        gone: integer(gone).map_err(damaged)? > 0,
    };
    let tries = u32::try_from(integer(tries).map_err(damaged)?).unwrap_or(u32::MAX);
    Ok(Due { row, tries, since_ms: integer(since).map_err(damaged)? })
}

fn damaged(what: impl std::fmt::Debug) -> worker::Error {
    worker::Error::RustError(format!("a lease's row is not what was written: {what:?}"))
}

fn text(value: Option<String>) -> SqlStorageValue {
    value.map_or(SqlStorageValue::Null, SqlStorageValue::String)
}

fn optional(value: SqlStorageValue) -> Result<Option<String>> {
    match value {
        SqlStorageValue::Null => Ok(None),
        value => required(value).map(Some),
    }
}

fn required(value: SqlStorageValue) -> Result<String> {
    match value {
        SqlStorageValue::String(text) => Ok(text),
        other => Err(damaged(other)),
    }
}
