//! The rows of a room's recording (`host/recording.rs`): its file in parts, in a table of its own.
//!
//! The table's rows are the opt-in too: a room that has any is recorded, through restarts and deploys, until it is told
//! not to be. A build that knows nothing of recordings passes the table over. Parts are written in the same turn as the
//! commit they belong to, without an await, so the disk has both or neither. A write that fails ends the recording, never
//! the room. Of a host that fell the file is kept in memory, until the next one falls or the object goes.

use std::cell::{Cell, RefCell};

use worker::{SqlStorage, SqlStorageValue, State};

use crate::host::{Host, RecordingWrite, StoredRecording};
use crate::limits::RECORDING_BYTES_MAX;
use crate::platform::clock::now_ms;
use crate::platform::log::{console_error, console_log};
use crate::platform::store::{LoadError, blob, columns, integer, number};

const CREATE: &str = "CREATE TABLE IF NOT EXISTS recording (part INTEGER PRIMARY KEY, run INTEGER NOT NULL,
    bytes BLOB NOT NULL)";
const PUT: &str = "REPLACE INTO recording (part, run, bytes) VALUES (?, ?, ?)";
const GET_TABLE: &str = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'recording'";
/// Rows of former runs lie where the newest one has not come to yet.
const GET: &str =
    "SELECT part, run, bytes FROM recording WHERE run = (SELECT max(run) FROM recording) ORDER BY part";
const DROP: &str = "DROP TABLE IF EXISTS recording";

pub struct Recordings {
    sql: SqlStorage,
    created: Cell<bool>,
    fallen: RefCell<Option<String>>,
}

impl Recordings {
    #[must_use]
    pub fn new(state: &State) -> Recordings {
        let sql = state.storage().sql();
        Recordings { sql, created: Cell::new(false), fallen: RefCell::new(None) }
    }

    /// The room goes on being recorded, if it was.
    pub fn resume(&self, host: &mut Host) {
        match self.load() {
            Ok(Some(stored)) => host.resume_recording(stored),
            Ok(None) => {}
            Err(error) => console_error!("a recording cannot be read, and is not gone on with: {error:?}"),
        }
    }

    fn load(&self) -> Result<Option<StoredRecording>, LoadError> {
        let tables = self.sql.exec(GET_TABLE, None)?.raw().next().transpose()?;
        if !matches!(tables.as_deref(), Some([SqlStorageValue::Integer(1)])) {
            return Ok(None);
        }
        self.created.set(true);
        let mut stored: Option<StoredRecording> = None;
        for (index, row) in (0_u64..).zip(self.sql.exec(GET, None)?.raw()) {
            let [part, run, bytes] = columns(row?)?;
            let stored = stored.get_or_insert_with(StoredRecording::default);
            stored.run = integer(run)?;
            // A part is missing, or too many are there: what there is ends nowhere, and a new file is begun.
            if integer(part)? != index || stored.bytes.len() > RECORDING_BYTES_MAX {
                stored.bytes.clear();
                break;
            }
            stored.bytes.extend_from_slice(&blob(bytes)?);
        }
        Ok(stored)
    }

    /// Forgets what was recorded.
    ///
    /// # Errors
    /// Storage that refuses.
    pub fn forget(&self) -> worker::Result<()> {
        self.created.set(false);
        self.sql.exec(DROP, None).map(|_| ())
    }

    /// Stores what came in since the last commit, right after the one that was taken.
    pub fn store(&self, host: &mut Host) {
        let Some(write) = host.poll_recording() else { return };
        match self.put(write) {
            Ok(rows_written) => host.handle_recording(rows_written),
            Err(error) => {
                console_error!("a recording cannot be stored, and ends: {error}");
                host.set_recording(false, now_ms());
            }
        }
    }

    fn put(&self, RecordingWrite { run, parts }: RecordingWrite) -> worker::Result<u64> {
        let mut rows = 0;
        if !self.created.replace(true) {
            rows += self.sql.exec(CREATE, None)?.rows_written() as u64;
        }
        for (part, bytes) in parts {
            let values = vec![number(u64::from(part)), number(run), SqlStorageValue::Blob(bytes)];
            rows += self.sql.exec(PUT, values)?.rows_written() as u64;
        }
        Ok(rows)
    }

    /// Keeps the file of a host that panicked or ended. Its last line is what it was doing.
    pub fn keep_fallen(&self, host: &Host) {
        if let Some(file) = host.recording_of_fallen() {
            console_log!("what the host that fell had recorded is kept: {} bytes", file.len());
            *self.fallen.borrow_mut() = Some(file);
        }
    }

    pub fn fallen(&self) -> Option<String> {
        self.fallen.borrow().clone()
    }
}
