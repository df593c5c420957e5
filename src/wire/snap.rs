//! The snapshot of a tick in JSON: written by hand (it is sent at 20 Hz to everyone), read with serde.
//!
//! `{"t":"snap","e":epoch,"k":tick,"st":ms,"d":[[n,live,endsAt],[{id,kind,seat,at,heading,f},…]],"c":[[seat,r,ack,lead],…]}`

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::rules::face::{Round, Snapshot};
use crate::rules::ids::{Epoch, Seat, Tick};
use crate::rules::schema::Schema;

/// A snapshot as a client reads it.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct Snap {
    pub e: u32,
    pub k: u32,
    pub st: u64,
    /// Round (number, live, ends at) and bodies.
    pub d: ((u32, u8, Option<u32>), Vec<SnapBody>),
    /// The control table: seat, rebase, ack, lead.
    pub c: Vec<(u16, u32, Option<u32>, Option<i32>)>,
    /// 1: a heartbeat.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hb: Option<u8>,
}

#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct SnapBody {
    pub id: u32,
    pub kind: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seat: Option<u16>,
    /// Metres.
    pub at: [f64; 2],
    /// Radians.
    pub heading: f64,
    pub f: Map<String, Value>,
}

/// What the host knows of a tick when it writes its snapshot.
pub struct SnapHead<'a> {
    pub epoch: Epoch,
    pub tick: Tick,
    pub stamp_ms: u64,
    pub round: Round,
    pub control: &'a [ControlRow],
}

/// A seat's row of the control table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ControlRow {
    pub seat: Seat,
    pub rebase: u32,
    /// The newest input tick used.
    pub ack: Option<Tick>,
    /// Newest input tick received less the tick just run; negative is late.
    pub lead: Option<i32>,
}

/// Writes the snapshot of a tick.
#[must_use]
pub fn write_snap(head: &SnapHead<'_>, schema: &Schema, snapshot: &Snapshot) -> String { let _ = (head, schema, snapshot); todo!() }
