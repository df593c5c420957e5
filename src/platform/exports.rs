//! What an operator fetches of a room: its save, and the replay file of one that is recorded.
//!
//! The Worker has compared the token. A save is made of the rows alone, so a room that this build cannot open gives it
//! too, and nothing is woken or changed by it. Absent: what is in the files (`host/export.rs`, `host/recording.rs`).

use std::rc::Rc;

use serde::Deserialize;
use worker::{Request, Response};

use crate::host::Host;
use crate::host::export::export;
use crate::platform::clock::now_ms;
use crate::platform::http::{self, HttpError};
use crate::platform::log::console_log;
use crate::platform::store::LoadError;
use crate::platform::table::{Room, Stage};

type Answer = Result<Response, HttpError>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Record {
    on: bool,
}

impl Room {
    /// The last commit as one save. `X-Lacks` says what of it could not be had.
    pub(super) fn save(&self) -> Answer {
        let store = self.store.as_ref().ok_or_else(|| HttpError::Internal("no storage".to_owned()))?;
        let stored = match store.load() {
            Ok(Some(stored)) => stored,
            Ok(None) => return Err(HttpError::NoSuchRoom),
            Err(LoadError::Refused(error)) => return Err(error.into()),
            Err(LoadError::Damaged(what)) => {
                console_log!("room {}: its save cannot be put together: {what}", self.label());
                return Err(HttpError::Unavailable("The rows of this room's save are damaged."));
            }
        };
        let export = export(&stored);
        let mut response = self.file(export.bytes, "save", "application/octet-stream")?;
        response.headers_mut().set("X-Commit", &export.seq.to_string())?;
        if let Some(lacks) = export.lacks {
            response.headers_mut().set("X-Lacks", &lacks)?;
        }
        Ok(response)
    }

    /// What was recorded; with `?fallen` of the host that fell last, up to where it fell.
    pub(super) fn replay(&self, request: &Request) -> Answer {
        let fallen = http::query(request, "fallen").is_some();
        let life = self.life.borrow();
        if life.is_absent() {
            return Err(HttpError::NoSuchRoom);
        }
        let file = if fallen { self.recordings.fallen() } else { life.host().and_then(Host::recording) };
        let file = file.ok_or(HttpError::NotRecorded)?;
        self.file(file.into_bytes(), "replay", "text/plain; charset=utf-8")
    }

    /// `{"on": true}` begins a recording, `{"on": false}` ends it and forgets what was recorded.
    pub(super) async fn record(self: &Rc<Self>, request: &mut Request) -> Answer {
        let Record { on } = http::body(request).await?;
        if self.life.borrow().is_absent() {
            return Err(HttpError::NoSuchRoom);
        }
        self.event(Stage::Other, |host, now| host.set_recording(on, now));
        let facts = self.life.borrow().host().map(|host| host.facts(now_ms()).recording);
        let facts = facts.ok_or(HttpError::Unavailable("This room does not run just now."))?;
        if !on {
            self.recordings.forget()?;
        }
        console_log!("room {}: recording is {}", self.label(), if on { "on" } else { "off" });
        Ok(http::json(&facts)?)
    }

    fn file(&self, bytes: Vec<u8>, ending: &str, kind: &str) -> Answer {
        let mut response = Response::from_bytes(bytes)?;
        let headers = response.headers_mut();
        headers.set("Content-Type", kind)?;
        headers.set("Cache-Control", "no-store")?;
        // Names of games and rooms have nothing to quote.
        let name = format!("attachment; filename=\"{}-{}.{ending}\"", self.name.0, self.name.1);
        headers.set("Content-Disposition", &name)?;
        Ok(response)
    }
}
