//! The snapshot of a tick in JSON: written by hand (it is sent at 20 Hz to everyone), read with serde.
//!
//! `{"t":"snap","e":epoch,"k":tick,"st":ms,"d":[[n,live,endsAt],[body,…]],"c":[[seat,r,ack,lead],…]}`,
//! a body being `{"id","kind","seat","at","heading","f"}`.

use std::fmt::Write;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::limits::POSITION_STEPS_PER_METRE;
use crate::rules::face::{BodyRow, Round, Snapshot};
use crate::rules::ids::{Epoch, Seat, Tick};
use crate::rules::input::CIRCLE_STEPS;
use crate::rules::schema::{FieldSpec, FieldType, Schema, runs};
use crate::wire::character::shown;

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
    /// Null or absent: nobody's.
    #[serde(default)]
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

/// Writes the snapshot of a tick. A body of a kind the schema does not have is left out.
#[must_use]
pub fn write_snap(head: &SnapHead<'_>, schema: &Schema, snapshot: &Snapshot) -> String {
    // A body takes about 100 bytes; one allocation a tick is enough.
    let mut out = String::with_capacity(128 + 128 * snapshot.bodies.len() + 24 * head.control.len());
    let put = put_snap(&mut out, head, schema, snapshot);
    debug_assert!(put.is_ok(), "a String takes all that is written");
    out
}

fn put_snap(out: &mut String, head: &SnapHead<'_>, schema: &Schema, snapshot: &Snapshot) -> std::fmt::Result {
    write!(out, r#"{{"t":"snap","e":{},"k":{},"st":{},"d":[["#, head.epoch, head.tick, head.stamp_ms)?;
    write!(out, "{},{},", head.round.number, u8::from(head.round.live))?;
    put_optional(out, head.round.ends_at)?;
    out.push_str("],[");
    let mut first = true;
    for body in &snapshot.bodies {
        if let Some(kind) = schema.kinds.get(usize::from(body.kind)) {
            out.push_str(if first { "{" } else { ",{" });
            first = false;
            let fields_at = body.fields_at as usize;
            put_body(out, body, kind.name)?;
            put_fields(out, kind.fields, snapshot.values.get(fields_at..).unwrap_or(&[]))?;
            out.push_str("}}");
        }
    }
    out.push_str(r#"]],"c":["#);
    for (i, row) in head.control.iter().enumerate() {
        out.push_str(if i == 0 { "[" } else { ",[" });
        write!(out, "{},{},", row.seat, row.rebase)?;
        put_optional(out, row.ack)?;
        out.push(',');
        put_optional(out, row.lead)?;
        out.push(']');
    }
    out.push_str("]}");
    Ok(())
}

fn put_body(out: &mut String, body: &BodyRow, kind: &str) -> std::fmt::Result {
    write!(out, r#""id":{},"kind":"{kind}","seat":"#, body.id)?;
    put_optional(out, body.seat)?;
    let [x, y, _] = body.at.map(metres);
    write!(out, r#","at":[{x},{y}],"heading":"#)?;
    put_angle(out, f64::from(body.heading) / CIRCLE_STEPS)
}

fn put_fields(out: &mut String, fields: &'static [FieldSpec], values: &[i32]) -> std::fmt::Result {
    out.push_str(r#","f":{"#);
    let mut comma = "";
    for (field, run) in runs(fields, values).filter(|(field, _)| field.is_public()) {
        write!(out, r#"{comma}"{}":"#, field.name)?;
        comma = ",";
        match (field.ty, run) {
            (FieldType::Bool, [value]) => write!(out, "{}", *value != 0)?,
            (FieldType::Int { .. }, [value]) => write!(out, "{value}")?,
            (FieldType::Real { per_unit, .. }, [value]) => {
                write!(out, "{}", f64::from(*value) / f64::from(per_unit.max(1)))?
            }
            (ty, run) => write!(out, "{}", shown(ty, run))?,
        }
    }
    Ok(())
}

fn put_optional(out: &mut String, value: Option<impl std::fmt::Display>) -> std::fmt::Result {
    match value {
        Some(value) => write!(out, "{value}"),
        None => out.write_str("null"),
    }
}

/// Steps of a stored position in metres: exact, a step is a power of two.
#[must_use]
pub fn metres(steps: i32) -> f64 {
    f64::from(steps) / f64::from(POSITION_STEPS_PER_METRE)
}

/// A part of the circle in radians. Five decimals tell all 65,536 steps apart.
pub(super) fn put_angle(out: &mut String, turns: f64) -> std::fmt::Result {
    write!(out, "{}", libm::round(turns * std::f64::consts::TAU * 1e5) / 1e5)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::rules::ids::BodyId;
    use crate::rules::input::angle_word;
    use crate::wire::describe::tests::schema;

    fn head(control: &[ControlRow]) -> SnapHead<'_> {
        let round = Round { number: 2, live: true, ends_at: Some(Tick(900)) };
        SnapHead { epoch: Epoch(3), tick: Tick(77), stamp_ms: 1_700_000_000_123, round, control }
    }

    fn fighter(id: u32, seat: Option<Seat>, at: [i32; 2], heading: u16) -> BodyRow {
        BodyRow { id: BodyId(id), kind: 0, seat, at, heading, fields_at: 0 }
    }

    /// B39
    #[test]
    fn a_snapshot_is_written_as_the_protocol_says() {
        let control = [
            ControlRow { seat: Seat(0), rebase: 0, ack: Some(Tick(75)), lead: Some(-2) },
            ControlRow { seat: Seat(1), rebase: 0, ack: None, lead: None },
        ];
        let bodies = vec![fighter(9, Some(Seat(0)), [512, -256], 49_152), fighter(10, None, [0, 1], 0)];
        let snapshot = Snapshot { bodies, values: vec![40, 1, 3], ..Snapshot::default() };
        let text = write_snap(&head(&control), &schema(), &snapshot);
        let f = json!({"hp": 40, "armed": true, "speed": 1.5});
        assert_eq!(
            serde_json::from_str::<Value>(&text).expect("JSON"),
            json!({"t": "snap", "e": 3, "k": 77, "st": 1_700_000_000_123_u64, "d": [[2, 1, 900], [
                {"id": 9, "kind": "fighter", "seat": 0, "at": [1, -0.5], "heading": 4.71239, "f": f},
                {"id": 10, "kind": "fighter", "seat": null, "at": [0, 0.001953125], "heading": 0, "f": f},
            ]], "c": [[0, 0, 75, -2], [1, 0, null, null]]})
        );
    }

    #[test]
    fn a_body_without_its_fields_or_kind_breaks_nothing() {
        let stray = BodyRow { kind: 9, ..fighter(1, None, [0, 0], 0) };
        let bare = BodyRow { fields_at: 1_000, ..fighter(2, None, [0, 0], 0) };
        let text =
            write_snap(&head(&[]), &schema(), &Snapshot { bodies: vec![stray, bare], ..Snapshot::default() });
        let snap: Snap = serde_json::from_str(&text).expect("a snapshot");
        assert_eq!((snap.d.1.len(), snap.d.1[0].id), (1, 2));
    }

    fn a_body() -> impl Strategy<Value = BodyRow> {
        let seat = prop::option::of(any::<u16>().prop_map(Seat));
        (any::<u32>(), seat, any::<[i32; 2]>(), any::<u16>())
            .prop_map(|(id, seat, at, heading)| fighter(id, seat, at, heading))
    }

    proptest! {
        #[test]
        fn a_written_snapshot_reads_back(
            bodies in prop::collection::vec(a_body(), 0..9),
            values in prop::collection::vec(any::<i32>(), 3),
        ) {
            let snapshot = Snapshot { bodies: bodies.clone(), values: values.clone(), shared: vec![] };
            let text = write_snap(&head(&[]), &schema(), &snapshot);
            let snap: Snap = serde_json::from_str(&text).expect("a snapshot");
            prop_assert_eq!(snap.d.1.len(), bodies.len());
            for (read, row) in snap.d.1.iter().zip(&bodies) {
                prop_assert_eq!((read.id, read.seat), (row.id.0, row.seat.map(|seat| seat.0)));
                prop_assert_eq!(read.at, row.at.map(metres));
                prop_assert_eq!(angle_word(read.heading), row.heading);
                prop_assert_eq!(&read.f["hp"], &json!(values[0]));
            }
        }
    }
}
