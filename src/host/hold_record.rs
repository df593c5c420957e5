//! The records of holds and of spent lease numbers in a cut; and what a room that cannot run its game changes in them.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::host::holds::{Hold, Return, State};
use crate::host::room_record::RoomRecord;
use crate::host::save::{SECTION_HOLDS, SECTION_ROOM, SECTION_SPENT, bytes, count, read};
use crate::limits::{HOLDS_MAX, SPENT_MAX};
use crate::rules::cut::{Cut, SaveError};
use crate::rules::ids::Seat;
use crate::wire::lease::{CharacterBody, Stamp};
use crate::wire::names::is_account;

/// An account's character.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct HoldRecord {
    pub account: String,
    pub lease: u64,
    /// Of the newest copy.
    pub seq: u64,
    pub state: StateRecord,
}

/// Where a character is. New ones are added at the end: the index is what is stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum StateRecord {
    Held(Seat),
    /// With its last copy: the hash of the schema it was written by, and the body as JSON, which reads back in any
    /// later build.
    Returning {
        schema: String,
        body: Option<String>,
    },
    /// The same, of a character whose body is still among the rules' records, in this seat: it was given back by a build
    /// that could not use the save.
    Left {
        seat: Seat,
        schema: String,
        body: Option<String>,
    },
}

impl HoldRecord {
    pub(super) fn new(account: &str, hold: &Hold) -> HoldRecord {
        let state = match &hold.state {
            State::Held(seat) => StateRecord::Held(*seat),
            State::Returning(copy) => {
                // Text keys and finite numbers: serde_json has nothing to refuse.
                let text = |body| serde_json::to_string(body).unwrap_or_default();
                let (schema, body) = (copy.schema.clone(), copy.body.as_ref().map(text));
                match copy.left {
                    Some(seat) => StateRecord::Left { seat, schema, body },
                    None => StateRecord::Returning { schema, body },
                }
            }
        };
        let Stamp { lease, seq } = hold.stamp;
        HoldRecord { account: account.to_owned(), lease, seq, state }
    }

    pub(super) fn load(id: u32, record: &[u8], now_ms: u64) -> Result<(String, Hold), SaveError> {
        let record: HoldRecord = read(record, "hold")?;
        let stamp = Stamp { lease: record.lease, seq: record.seq };
        let is_known = is_account(&record.account) && stamp.lease > 0 && id < HOLDS_MAX as u32;
        if !is_known {
            return Err(SaveError::Corrupt("a hold's account or number"));
        }
        let state = match record.state {
            StateRecord::Held(seat) => State::Held(seat),
            StateRecord::Returning { schema, body } => {
                State::Returning(Return::new(schema, body_of(body)?, now_ms))
            }
            StateRecord::Left { seat, schema, body } => {
                State::Returning(Return::left_behind(schema, body_of(body)?, seat, now_ms))
            }
        };
        Ok((record.account, Hold::new(id, stamp, state)))
    }
}

fn body_of(text: Option<String>) -> Result<Option<CharacterBody>, SaveError> {
    let body = text.map(|text| serde_json::from_str(&text)).transpose();
    body.map_err(|_| SaveError::Corrupt("a returning character"))
}

/// A lease number that is not admitted any more, of this account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SpentRecord {
    pub account: String,
    pub lease: u64,
    pub seq: u64,
}

pub(super) fn load_holds(cut: &Cut, now_ms: u64) -> Result<BTreeMap<String, Hold>, SaveError> {
    let mut holds = BTreeMap::new();
    for (id, record) in cut.section(SECTION_HOLDS) {
        let (account, hold) = HoldRecord::load(id, record, now_ms)?;
        if holds.insert(account, hold).is_some() {
            return Err(SaveError::Corrupt("an account with two holds"));
        }
    }
    Ok(holds)
}

pub(super) fn load_spent(cut: &Cut) -> Result<BTreeMap<u32, (String, Stamp)>, SaveError> {
    let mut spent = BTreeMap::new();
    let mut accounts = BTreeSet::new();
    for (slot, record) in cut.section(SECTION_SPENT) {
        let SpentRecord { account, lease, seq } = read(record, "spent lease")?;
        if !is_account(&account) || lease == 0 || slot >= SPENT_MAX || !accounts.insert(account.clone()) {
            return Err(SaveError::Corrupt("a spent lease's account or number"));
        }
        spent.insert(slot, (account, Stamp { lease, seq }));
    }
    Ok(spent)
}

// ---- Of a save that this build cannot use ----

/// The holds of a room of `game`.
///
/// # Errors
/// A save that is damaged, or of another game.
pub(super) fn load_holds_of(cut: &Cut, game: &str, now_ms: u64) -> Result<BTreeMap<String, Hold>, SaveError> {
    if room_of(cut)?.game != game {
        return Err(SaveError::Corrupt("of another game"));
    }
    load_spent(cut)?;
    load_holds(cut, now_ms)
}

fn room_of(cut: &Cut) -> Result<RoomRecord, SaveError> {
    let room = RoomRecord::from_bytes(cut.record(SECTION_ROOM, 0).ok_or(SaveError::Corrupt("no room"))?)?;
    if room.records == count(cut) {
        Ok(room)
    } else {
        Err(SaveError::Corrupt("records are missing or left over"))
    }
}

/// Puts a hold in place of the one that its account has.
pub(super) fn put_hold(cut: &mut Cut, account: &str, hold: &Hold) {
    cut.put(SECTION_HOLDS, hold.id, bytes(&HoldRecord::new(account, hold)));
}

/// Adds a lease number to those that are spent. Says whether that is new.
///
/// # Errors
/// A save that is damaged.
pub(super) fn put_spent(cut: &mut Cut, account: &str, lease: u64) -> Result<bool, SaveError> {
    let mut room = room_of(cut)?;
    let spent = load_spent(cut)?;
    let known = spent.iter().find(|(_, (known, _))| known == account);
    if known.is_some_and(|(_, (_, stamp))| stamp.lease >= lease) {
        return Ok(false);
    }
    let free = (0..SPENT_MAX).find(|slot| !spent.contains_key(slot)).unwrap_or(0);
    let slot = known.map_or(free, |(slot, _)| *slot);
    cut.put(SECTION_SPENT, slot, bytes(&SpentRecord { account: account.to_owned(), lease, seq: 0 }));
    room.records = count(cut);
    cut.put(SECTION_ROOM, 0, bytes(&room));
    Ok(true)
}
