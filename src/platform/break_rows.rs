//! What a lease object remembers of broken leases: a row an account, and only while there is something to remember.

use std::cell::Cell;

use worker::{Result, SqlStorage};

use crate::limits::{OUTBOX_CALLS_MAX, OUTBOX_RETRY_MS_MAX};
use crate::lobby::breaks::Breaks;
use crate::platform::store::{integer, number};
use crate::wire::lease::retry_ms;

const CREATE: &str = "CREATE TABLE IF NOT EXISTS breaks (
    account TEXT PRIMARY KEY,
    breaks TEXT NOT NULL,       -- JSON
    tries INTEGER NOT NULL,
    retry_at INTEGER NOT NULL   -- when the rooms are told next of what was revoked, or what was asked is forgotten
) WITHOUT ROWID";
const GET: &str = "SELECT account, breaks, tries FROM breaks WHERE account = ?";
const GET_DUE: &str = "SELECT account, breaks, tries FROM breaks WHERE retry_at <= ? LIMIT ?";
const GET_NEXT: &str = "SELECT min(retry_at) FROM breaks";
const PUT: &str = "REPLACE INTO breaks (account, breaks, tries, retry_at) VALUES (?, ?, ?, ?)";
const DROP: &str = "DELETE FROM breaks WHERE account = ?";

/// A row: whose, and how often rooms were told in vain.
#[derive(Default)]
pub struct BreakRow {
    pub account: String,
    pub breaks: Breaks,
    pub tries: u32,
}

pub struct BreakRows {
    sql: SqlStorage,
    created: Cell<bool>,
}

impl BreakRows {
    #[must_use]
    pub fn new(sql: SqlStorage) -> BreakRows {
        BreakRows { sql, created: Cell::new(false) }
    }

    /// # Errors
    /// Storage that refuses.
    pub fn get(&self, account: &str) -> Result<Breaks> {
        let row = self.rows(GET, vec![account.into()])?.pop();
        Ok(row.unwrap_or_default().breaks)
    }

    /// The rows that are due.
    ///
    /// # Errors
    /// Storage that refuses.
    pub fn due(&self, now_ms: u64) -> Result<Vec<BreakRow>> {
        self.rows(GET_DUE, vec![number(now_ms), number(OUTBOX_CALLS_MAX as u64)])
    }

    /// When a row is due next.
    ///
    /// # Errors
    /// Storage that refuses.
    pub fn next_ms(&self) -> Result<Option<u64>> {
        let row = self.sql()?.exec(GET_NEXT, None)?.raw().next().transpose()?;
        Ok(row.and_then(|row| integer(row.into_iter().next()?).ok()))
    }

    /// Keeps what there is to remember. A break that was asked for and not forced is nothing to tell a room of.
    ///
    /// # Errors
    /// Storage that refuses.
    pub fn put(&self, account: &str, breaks: &Breaks, tries: u32, now_ms: u64) -> Result<()> {
        let sql = self.sql()?;
        if breaks.is_empty() {
            return sql.exec(DROP, vec![account.into()]).map(|_| ());
        }
        let wait_ms = if breaks.revoked.is_empty() { OUTBOX_RETRY_MS_MAX } else { retry_ms(tries) };
        let text = serde_json::to_string(breaks)?;
        let values = vec![account.into(), text.into(), number(tries.into()), number(now_ms + wait_ms)];
        sql.exec(PUT, values).map(|_| ())
    }

    fn rows(&self, query: &str, values: Vec<worker::SqlStorageValue>) -> Result<Vec<BreakRow>> {
        let rows = self.sql()?.exec(query, values)?.raw();
        rows.map(|row| {
            let [account, breaks, tries] = crate::platform::store::columns(row?).map_err(|_| {
                worker::Error::RustError("a row of breaks is not what was written".to_owned())
            })?;
            let text = |value| match value {
                worker::SqlStorageValue::String(text) => text,
                _ => String::new(),
            };
            let tries = integer(tries).ok().and_then(|tries| u32::try_from(tries).ok()).unwrap_or(0);
            Ok(BreakRow { account: text(account), breaks: serde_json::from_str(&text(breaks))?, tries })
        })
        .collect()
    }

    fn sql(&self) -> Result<&SqlStorage> {
        if !self.created.get() {
            self.sql.exec(CREATE, None)?;
            self.created.set(true);
        }
        Ok(&self.sql)
    }
}
