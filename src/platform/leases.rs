//! The Lobby object `lease/<game>/<k>of16`: performs what `crate::lobby::leases` decides.
//!
//! An operation reads the row, does one step, and after every await reads the row again; what it writes is
//! committed before its answer leaves. One operation an account at a time; a second is told `busy` at once.
//! Copies that D1 lacks are given to it by the alarm. No borrow is held across an await.

use std::cell::{Cell, RefCell};

use worker::{Env, Method, Request, Response, Result, State};

use crate::limits::{ALARM_OVERDUE_MS, LEASE_BYTES_MAX, LEASE_STEPS_MAX, RECORD_WAIT_MS_MAX};
use crate::lobby::breaks::{self, Breaks, Broken};
use crate::lobby::forget::{after_forget, found_deleted};
use crate::lobby::leases::{LeaseRow, Next, Record, Turns, addressed, after_read, after_release, first};
use crate::platform::break_rows::{BreakRow, BreakRows};
use crate::platform::clock::{now_ms, scheduled};
use crate::platform::http::{self, HttpError};
use crate::platform::lease_rows::{Due, LeaseRows};
use crate::platform::log::console_error;
use crate::platform::records::Found;
use crate::platform::{peers, records};
use crate::wire::lease::{
    LEASE_VERSION, LobbyAnswer, LobbyRequest, Sight, TableAnswer, TableRequest, retry_ms,
};

pub struct Leases {
    state: State,
    env: Env,
    /// Of the object, for the log.
    name: String,
    game: String,
    shard: u8,
    rows: LeaseRows,
    breaks: BreakRows,
    turns: RefCell<Turns>,
    /// When the alarm fires, as far as this incarnation knows.
    armed_ms: Cell<Option<u64>>,
    /// Batches that D1 refused on end, and until when it is left alone for that.
    failures: Cell<u32>,
    wait_until_ms: Cell<u64>,
}

/// Ends its operation however it ends.
struct Turn<'a> {
    turns: &'a RefCell<Turns>,
    account: &'a str,
    number: u64,
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.turns.borrow_mut().end(self.account, self.number);
    }
}

impl Leases {
    /// # Errors
    /// A runtime without `transactionSync`.
    pub fn new(state: State, env: Env, name: String, game: String, shard: u8) -> Result<Leases> {
        let (rows, breaks) = (LeaseRows::new(&state)?, BreakRows::new(state.storage().sql()));
        let (turns, armed_ms) = (RefCell::default(), Cell::default());
        let (failures, wait_until_ms) = (Cell::default(), Cell::default());
        Ok(Leases { state, env, name, game, shard, rows, breaks, turns, armed_ms, failures, wait_until_ms })
    }

    /// # Errors
    /// A request that is none of these, or storage that refuses: the caller takes it for lost and asks again.
    pub async fn route(&self, mut request: Request) -> std::result::Result<Response, HttpError> {
        if request.method() != Method::Post || request.path() != "/lease" {
            return Err(HttpError::NotFound);
        }
        let request: LobbyRequest = http::body_within(&mut request, LEASE_BYTES_MAX).await?;
        let answer = self.operate(&request).await?;
        self.arm().await;
        Ok(http::json(&answer)?)
    }

    async fn operate(&self, request: &LobbyRequest) -> std::result::Result<LobbyAnswer, HttpError> {
        let (account, room) = addressed(request, &self.game, self.shard)
            .ok_or(HttpError::BadRequest("This is not about an account of this object."))?;
        if let LobbyRequest::Look { .. } = request {
            return Ok(self.look(account).await?);
        }
        let Some(number) = self.turns.borrow_mut().begin(account, now_ms()) else {
            return Ok(LobbyAnswer::Busy);
        };
        let _turn = Turn { turns: &self.turns, account, number };
        if let LobbyRequest::Confirm { room, lease, .. } = request {
            return Ok(self.breaks.get(account)?.confirm(room, *lease));
        }
        let mut next = first(self.rows.get(account)?.as_ref(), request);
        for _ in 0..LEASE_STEPS_MAX {
            next = match next {
                Next::Read => {
                    let found = records::read(&self.env, account, &self.game).await;
                    let row = self.rows.get(account)?;
                    match found {
                        Ok(Found::Deleted) => found_deleted(row.as_ref(), account, room),
                        Ok(Found::Record(record, _)) => {
                            after_read(row.as_ref(), account, room, Ok(Some(record)))
                        }
                        Ok(Found::Nothing) => after_read(row.as_ref(), account, room, Ok(None)),
                        Err(away) => after_read(row.as_ref(), account, room, Err(away)),
                    }
                }
                Next::Release { room: holder, lease } => {
                    let (account_asked, game) = (account.to_owned(), self.game.clone());
                    let release =
                        TableRequest::Release { v: LEASE_VERSION, account: account_asked, game, lease };
                    let answer = peers::ask_table(&self.env, &self.game, &holder, &release).await;
                    let row = self.rows.get(account)?;
                    match request {
                        LobbyRequest::Break { force, .. } => {
                            self.broken(row.as_ref(), account, lease, answer, *force)?
                        }
                        LobbyRequest::Forget { .. } => {
                            after_forget(row.as_ref(), lease, account, answer.as_ref())
                        }
                        _ => after_release(row.as_ref(), lease, room, answer),
                    }
                }
                Next::Answer { answer, write } => {
                    if let Some(row) = write {
                        self.rows.put(*row, now_ms())?;
                    }
                    return Ok(answer);
                }
            };
        }
        // It went from hand to hand while we asked.
        Ok(LobbyAnswer::Busy)
    }

    /// Where a character is, and its newest copy here, else in D1.
    async fn look(&self, account: &str) -> Result<LobbyAnswer> {
        if let Some((row, since)) = self.rows.look(account)? {
            if row.gone {
                return Ok(LobbyAnswer::Gone);
            }
            let (held, body) = (row.room.is_some(), row.body);
            let is_one = held || body.is_some();
            let sight = Sight { held, room: row.room.unwrap_or(row.from_room), since, body };
            return Ok(LobbyAnswer::Seen { sight: is_one.then_some(sight) });
        }
        Ok(match records::read(&self.env, account, &self.game).await {
            Ok(Found::Record(Record { room, body, .. }, since)) => {
                LobbyAnswer::Seen { sight: Some(Sight { held: false, room, since, body: Some(body) }) }
            }
            Ok(Found::Nothing) => LobbyAnswer::Seen { sight: None },
            Ok(Found::Deleted) => LobbyAnswer::Gone,
            Err(_) => LobbyAnswer::Away,
        })
    }

    /// The holder of a lease that an operator wants broken has answered, or not.
    fn broken(
        &self,
        row: Option<&LeaseRow>,
        account: &str,
        lease: u64,
        answer: Option<TableAnswer>,
        force: bool,
    ) -> Result<Next> {
        let (known, now) = (self.breaks.get(account)?, now_ms());
        let Broken { answer, row: write, breaks } =
            breaks::after_release(row, known, lease, answer, force, now);
        if answer == LobbyAnswer::Forced {
            let stamp = row.map(|row| row.stamp).unwrap_or_default();
            console_error!(
                "{}: incident: lease {lease} of {account} was broken by force; the newest copy is {stamp:?}",
                self.name
            );
        }
        self.breaks.put(account, &breaks, 0, now)?;
        Ok(Next::Answer { answer, write })
    }

    /// Tells rooms of what was revoked, until each has dropped it.
    async fn tell_revoked(&self) -> Result<()> {
        for BreakRow { account, breaks, tries } in self.breaks.due(now_ms())? {
            for revoked in &breaks.revoked {
                let request = TableRequest::Revoke {
                    v: LEASE_VERSION,
                    account: account.clone(),
                    game: self.game.clone(),
                    lease: revoked.lease,
                };
                let answer = peers::ask_table(&self.env, &self.game, &revoked.room, &request).await;
                let mut now = self.breaks.get(&account)?;
                if answer == Some(TableAnswer::Absent) {
                    now.dropped(revoked);
                }
                self.breaks.put(&account, &now, tries.saturating_add(1), now_ms())?;
            }
            if breaks.revoked.is_empty() {
                self.breaks.put(&account, &Breaks::default(), 0, now_ms())?;
            }
        }
        Ok(())
    }

    /// Gives D1 the copies that are due, and arms the alarm for the next ones.
    pub async fn flush(&self) {
        self.armed_ms.set(None);
        match self.rows.due(now_ms()) {
            Ok(due) if due.is_empty() => {}
            Ok(due) => self.store(&due).await,
            Err(error) => self.failed(&error),
        }
        if let Err(error) = self.tell_revoked().await {
            self.failed(&error);
        }
        self.arm().await;
    }

    async fn store(&self, due: &[Due]) {
        let written = records::write(&self.env, &self.game, due.iter().map(|due| &due.row)).await;
        let now = now_ms();
        let noted = match written {
            Ok(()) => {
                self.failures.set(0);
                due.iter().try_for_each(|Due { row, .. }| self.rows.stored(&row.account, row.stamp, now))
            }
            Err(error) => {
                self.failed(&error);
                due.iter().try_for_each(|Due { row, tries, .. }| {
                    self.rows.put_off(&row.account, tries.saturating_add(1), now + retry_ms(*tries))
                })
            }
        };
        if let Err(error) = noted {
            self.failed(&error);
        }
    }

    /// A pass failed: the next one waits, whatever is due.
    fn failed(&self, error: &worker::Error) {
        let failures = self.failures.get();
        console_error!("{}: copies were not stored ({} times on end): {error}", self.name, failures + 1);
        self.failures.set(failures.saturating_add(1));
        self.wait_until_ms.set(now_ms() + retry_ms(failures).min(RECORD_WAIT_MS_MAX));
    }

    /// Arms the alarm for the copy that is due next, if there is one and it is not armed in time already.
    async fn arm(&self) {
        let now = now_ms();
        let due = match (self.rows.next_ms(), self.breaks.next_ms()) {
            (Ok(None), Ok(None)) => return,
            (Ok(copies), Ok(breaks)) => copies.into_iter().chain(breaks).min().unwrap_or(now),
            _ => now + RECORD_WAIT_MS_MAX,
        };
        let due = due.max(self.wait_until_ms.get()).max(now + 1);
        let in_time = |armed: u64| armed <= due && now <= armed.saturating_add(ALARM_OVERDUE_MS);
        if self.armed_ms.get().is_some_and(in_time) {
            return;
        }
        self.armed_ms.set(Some(due));
        if let Err(error) = self.state.storage().set_alarm(scheduled(due)).await {
            // The next request arms it.
            console_error!("{}: the alarm was refused: {error}", self.name);
            self.armed_ms.set(None);
        }
    }
}
