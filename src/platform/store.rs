//! A room's rows in the object's own SQLite: writes one commit in one transaction, reads what a restore
//! needs.
//!
//! `save` holds the whole cut in chunks, `journal` a ring of differences since, `parked` one row while the room is left
//! alone. Tables are made by the first commit, so an object that never had one holds nothing. Every write counts the rows
//! it is billed for, from the cursors. Absent: what the bytes mean.

use std::cell::Cell;

use worker::{Error, Result, SqlStorage, SqlStorageValue, State};

use crate::host::parking::{ParkRow, storage_is_away};
use crate::host::{Commit, CommitOutcome, Stored, StoredRow, Write};
use crate::limits::SAVE_BYTES_MAX;
use crate::platform::clock::now_ms;
use crate::platform::faults::WriteFault;
use crate::platform::log::console_error;
use crate::platform::transaction::Transaction;
use crate::rules::ids::{Epoch, Tick};

/// Rows carry the epoch and the tick for whoever looks at them; a restore reads both from the bytes. A save
/// names the number of its chunks: a missing last one must not pass for a shorter save.
const CREATE: [&str; 2] = [
    "CREATE TABLE IF NOT EXISTS save (chunk INTEGER PRIMARY KEY, chunks INTEGER NOT NULL,
        seq INTEGER NOT NULL, epoch INTEGER NOT NULL, tick INTEGER NOT NULL, bytes BLOB NOT NULL)",
    "CREATE TABLE IF NOT EXISTS journal (slot INTEGER PRIMARY KEY, seq INTEGER NOT NULL,
        epoch INTEGER NOT NULL, tick INTEGER NOT NULL, bytes BLOB NOT NULL)",
];
const PUT_ROW: &str = "REPLACE INTO journal (slot, seq, epoch, tick, bytes) VALUES (?, ?, ?, ?, ?)";
const PUT_CHUNK: &str =
    "REPLACE INTO save (chunk, chunks, seq, epoch, tick, bytes) VALUES (?, ?, ?, ?, ?, ?)";
const DROP_CHUNKS: &str = "DELETE FROM save WHERE chunk >= ?";
const CREATE_PARKED: &str =
    "CREATE TABLE IF NOT EXISTS parked (id INTEGER PRIMARY KEY, until INTEGER NOT NULL,
    times INTEGER NOT NULL, why TEXT NOT NULL)";
const PUT_PARKED: &str = "REPLACE INTO parked (id, until, times, why) VALUES (1, ?, ?, ?)";
const HAS_PARKED: &str = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'parked'";
const GET_PARKED: &str = "SELECT until, times, why FROM parked";
const GET_TABLES: &str =
    "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name IN ('save', 'journal')";
const GET_SAVE: &str = "SELECT chunk, chunks, seq, epoch, tick, bytes FROM save ORDER BY chunk";
const GET_ROWS: &str = "SELECT seq, epoch, tick, bytes FROM journal WHERE seq > ? ORDER BY seq";

/// Breaks COMMIT, and only it: the foreign key is looked at when the outermost transaction ends.
const BREAK_COMMIT: [&str; 3] = [
    "CREATE TABLE IF NOT EXISTS fault_parent (id INTEGER PRIMARY KEY)",
    "CREATE TABLE IF NOT EXISTS fault_child (parent INTEGER REFERENCES fault_parent (id)
        DEFERRABLE INITIALLY DEFERRED)",
    "INSERT INTO fault_child (parent) VALUES (1)",
];

/// What the platform says at the end of a day's allowance.
const LIMIT_FAULT: &str = "Exceeded allowed rows written in Durable Objects free tier.";

/// Why a room could not be read.
#[derive(Debug)]
pub enum LoadError {
    /// Storage did not answer: the next event tries again.
    Refused(Error),
    /// The rows are not what was written: they are kept as they are.
    Damaged(&'static str),
}

impl From<Error> for LoadError {
    fn from(error: Error) -> LoadError {
        LoadError::Refused(error)
    }
}

pub struct Store {
    sql: SqlStorage,
    transaction: Transaction,
    created: Cell<bool>,
}

impl Store {
    /// # Errors
    /// A runtime without `transactionSync`.
    pub fn new(state: &State) -> Result<Store> {
        let sql = state.storage().sql();
        Ok(Store { sql, transaction: Transaction::new(state)?, created: Cell::new(false) })
    }

    /// What is stored of the room; none if no commit was ever taken.
    ///
    /// # Errors
    /// Storage that refuses, or rows that are not what was written.
    pub fn load(&self) -> std::result::Result<Option<Stored>, LoadError> {
        let tables = self.sql.exec(GET_TABLES, None)?.raw().next();
        if !matches!(tables.transpose()?.as_deref(), Some([SqlStorageValue::Integer(2)])) {
            return Ok(None);
        }
        self.created.set(true);
        let mut stored = Stored::default();
        let mut chunks = 0;
        for row in self.sql.exec(GET_SAVE, None)?.raw() {
            let [chunk, of, seq, epoch, tick, bytes] = columns(row?)?;
            let (chunk, of, seq, bytes) = (integer(chunk)?, integer(of)?, integer(seq)?, blob(bytes)?);
            stored.at = at(epoch, tick)?;
            if chunk != chunks || (chunk > 0 && seq != stored.save_seq) {
                return Err(LoadError::Damaged("chunks of different saves"));
            }
            stored.save_seq = seq;
            stored.save.extend_from_slice(&bytes);
            chunks += 1;
            if stored.save.len() > SAVE_BYTES_MAX || chunks > of {
                return Err(LoadError::Damaged("a save that is too long"));
            }
            if chunks == of {
                return self.load_journal(stored).map(Some);
            }
        }
        if chunks == 0 { Ok(None) } else { Err(LoadError::Damaged("chunks are missing")) }
    }

    fn load_journal(&self, mut stored: Stored) -> std::result::Result<Stored, LoadError> {
        for row in self.sql.exec(GET_ROWS, vec![number(stored.save_seq)])?.raw() {
            let [seq, epoch, tick, bytes] = columns(row?)?;
            stored.at = at(epoch, tick)?;
            stored.journal.push(StoredRow { seq: integer(seq)?, bytes: blob(bytes)? });
        }
        stored.parked = self.load_parked()?;
        Ok(stored)
    }

    fn load_parked(&self) -> std::result::Result<Option<ParkRow>, LoadError> {
        let tables = self.sql.exec(HAS_PARKED, None)?.raw().next();
        if !matches!(tables.transpose()?.as_deref(), Some([SqlStorageValue::Integer(1)])) {
            return Ok(None);
        }
        let Some(row) = self.sql.exec(GET_PARKED, None)?.raw().next() else { return Ok(None) };
        let [until, times, why] = columns(row?)?;
        let times = u32::try_from(integer(times)?).unwrap_or(u32::MAX);
        Ok(Some(ParkRow { until_ms: integer(until)?, times, why: text(why)? }))
    }

    /// Stores that the room is parked: the rows it took.
    ///
    /// # Errors
    /// Storage that refuses: the room is parked for as long as this object's isolate lives.
    pub fn park(&self, row: ParkRow) -> Result<u64> {
        let made = self.sql.exec(CREATE_PARKED, None)?.rows_written();
        let ParkRow { until_ms, times, why } = row;
        let values = vec![number(until_ms), number(u64::from(times)), SqlStorageValue::String(why)];
        Ok((made + self.sql.exec(PUT_PARKED, values)?.rows_written()) as u64)
    }

    /// Writes one commit, all of it or nothing.
    pub fn write(&self, commit: Commit, fault: Option<WriteFault>) -> CommitOutcome {
        let sql = self.sql.clone();
        let create = !self.created.get();
        match self.transaction.run(move || write_commit(&sql, commit, create, fault)) {
            Ok(rows_written) => {
                self.created.set(true);
                CommitOutcome::Taken { rows_written }
            }
            Err(error) => {
                console_error!("a write failed: {error}");
                let why = error.to_string();
                match storage_is_away(&why, now_ms()) {
                    Some(until_ms) => CommitOutcome::Away { until_ms, why },
                    None => CommitOutcome::Failed,
                }
            }
        }
    }
}

fn write_commit(sql: &SqlStorage, commit: Commit, create: bool, fault: Option<WriteFault>) -> Result<u64> {
    let mut rows = 0;
    let mut run = |query: &str, values: Vec<SqlStorageValue>| -> Result<()> {
        rows += sql.exec(query, values)?.rows_written() as u64;
        Ok(())
    };
    if create {
        for table in CREATE {
            run(table, Vec::new())?;
        }
    }
    let Commit { seq, epoch, tick, write } = commit;
    let stamp = [number(seq), number(u64::from(epoch.0)), number(u64::from(tick.0))];
    match write {
        Write::Row { slot, bytes } => {
            let [seq, epoch, tick] = stamp;
            run(PUT_ROW, vec![number(u64::from(slot)), seq, epoch, tick, SqlStorageValue::Blob(bytes)])?;
        }
        Write::Save { chunks } => {
            let count = chunks.len() as u64;
            for (chunk, bytes) in chunks.into_iter().enumerate() {
                let [seq, epoch, tick] = stamp.clone();
                let bytes = SqlStorageValue::Blob(bytes);
                run(PUT_CHUNK, vec![number(chunk as u64), number(count), seq, epoch, tick, bytes])?;
            }
            run(DROP_CHUNKS, vec![number(count)])?;
        }
    }
    match fault {
        Some(WriteFault::Commit) => BREAK_COMMIT.iter().try_for_each(|query| run(query, Vec::new()))?,
        Some(WriteFault::Statement) => return Err(Error::RustError("a fault that was asked for".to_owned())),
        Some(WriteFault::Limit) => return Err(Error::RustError(LIMIT_FAULT.to_owned())),
        None => {}
    }
    Ok(rows)
}

/// A number that JavaScript holds exactly: a room that commits 20 times a second gets to 2^53 in 14 million
/// years.
pub fn number(value: u64) -> SqlStorageValue {
    SqlStorageValue::Integer(value as i64)
}

pub fn columns<const N: usize>(
    row: Vec<SqlStorageValue>,
) -> std::result::Result<[SqlStorageValue; N], LoadError> {
    row.try_into().map_err(|_| LoadError::Damaged("a row of another width"))
}

pub fn integer(value: SqlStorageValue) -> std::result::Result<u64, LoadError> {
    match value {
        SqlStorageValue::Integer(value) => {
            u64::try_from(value).map_err(|_| LoadError::Damaged("a negative number"))
        }
        _ => Err(LoadError::Damaged("a value that is no whole number")),
    }
}

fn at(epoch: SqlStorageValue, tick: SqlStorageValue) -> std::result::Result<(Epoch, Tick), LoadError> {
    let number = |value| u32::try_from(integer(value)?).map_err(|_| LoadError::Damaged("an epoch or a tick"));
    Ok((Epoch(number(epoch)?), Tick(number(tick)?)))
}

pub fn text(value: SqlStorageValue) -> std::result::Result<String, LoadError> {
    match value {
        SqlStorageValue::String(text) => Ok(text),
        _ => Err(LoadError::Damaged("a value that is no text")),
    }
}

pub fn blob(value: SqlStorageValue) -> std::result::Result<Vec<u8>, LoadError> {
    match value {
        SqlStorageValue::Blob(bytes) => Ok(bytes),
        _ => Err(LoadError::Damaged("a value that is no blob")),
    }
}
