//! The Lobby object `rooms/<game>`: hears from rooms, lists them. What it decides is in `crate::lobby`.
//!
//! Only the Worker and Tables of this script reach it. Its rows are a memory for when it was evicted, not the
//! truth: rooms tell it the truth at each pulse.

use std::cell::RefCell;

use serde::Serialize;
use worker::{Method, Request, Response, Result, SqlStorage, SqlStorageValue};

use crate::lobby::directory::{Directory, Keep, Kept, Summary};
use crate::platform::clock::now_ms;
use crate::platform::http::{self, HttpError};
use crate::platform::store::{columns, integer, number};

const CREATE: &str = "CREATE TABLE IF NOT EXISTS rooms
    (room TEXT PRIMARY KEY, people INTEGER NOT NULL, seats INTEGER NOT NULL, at INTEGER NOT NULL) WITHOUT ROWID";
const GET_TABLE: &str = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'rooms'";
const GET_ROOMS: &str = "SELECT room, people, seats, at FROM rooms";
const PUT_ROOM: &str = "REPLACE INTO rooms (room, people, seats, at) VALUES (?, ?, ?, ?)";
const DROP_ROOM: &str = "DELETE FROM rooms WHERE room = ?";

/// The directory as an object keeps it.
pub struct Rooms {
    sql: SqlStorage,
    directory: RefCell<Option<Directory>>,
}

#[derive(Serialize)]
struct Quick {
    room: Option<String>,
}

impl Rooms {
    #[must_use]
    pub fn new(sql: SqlStorage) -> Rooms {
        Rooms { sql, directory: RefCell::new(None) }
    }

    /// # Errors
    /// A request that is none of these, or storage that refuses.
    pub async fn route(&self, mut request: Request) -> std::result::Result<Response, HttpError> {
        match (request.method(), request.path().as_str()) {
            (Method::Get, "/list") => Ok(http::json(&self.directory(|rooms| rooms.list(now_ms()))?)?),
            (Method::Get, "/quick") => {
                Ok(http::json(&Quick { room: self.directory(|rooms| rooms.quick(now_ms()))? })?)
            }
            (Method::Post, "/heard") => {
                let summary: Summary = http::body(&mut request).await?;
                let writes = self.directory(|rooms| rooms.update(summary, now_ms()))?;
                self.keep(writes)?;
                Ok(Response::empty()?)
            }
            _ => Err(HttpError::NotFound),
        }
    }

    /// Looks into the directory, which the first look reads from storage.
    fn directory<T>(&self, look: impl FnOnce(&mut Directory) -> T) -> Result<T> {
        let mut directory = self.directory.borrow_mut();
        let directory = match &mut *directory {
            Some(directory) => directory,
            empty => empty.insert(Directory::restore(self.kept()?, now_ms())),
        };
        Ok(look(directory))
    }

    /// The rows; one that is not what was written is left out, as its room will tell of itself.
    fn kept(&self) -> Result<Vec<Kept>> {
        if self.sql.exec(GET_TABLE, None)?.raw().next().is_none() {
            return Ok(Vec::new());
        }
        let mut kept = Vec::new();
        for row in self.sql.exec(GET_ROOMS, None)?.raw() {
            let Ok([SqlStorageValue::String(room), people, seats, at]) = columns(row?) else { continue };
            if let (Ok(people), Ok(seats), Ok(at_ms)) = (integer(people), integer(seats), integer(at)) {
                let (people, seats) =
                    (people.min(u64::from(u32::MAX)) as u32, seats.min(u64::from(u32::MAX)) as u32);
                kept.push(Kept { room, people, seats, at_ms });
            }
        }
        Ok(kept)
    }

    fn keep(&self, writes: Vec<Keep>) -> Result<()> {
        if writes.is_empty() {
            return Ok(());
        }
        let sql = &self.sql;
        sql.exec(CREATE, None)?;
        for write in writes {
            match write {
                Keep::Put(Kept { room, people, seats, at_ms }) => {
                    let values =
                        vec![room.into(), number(people.into()), number(seats.into()), number(at_ms)];
                    sql.exec(PUT_ROOM, values)?;
                }
                Keep::Remove(room) => {
                    sql.exec(DROP_ROOM, vec![room.into()])?;
                }
            }
        }
        Ok(())
    }
}
