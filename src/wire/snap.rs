//! The snapshot of a tick in JSON: written by hand (it is sent at 20 Hz to everyone), read with serde.
//!
//! `{"t":"snap","e":epoch,"k":tick,"st":ms,"d":[[n,live,endsAt],[body,…]],"c":[[seat,r,ack,lead],…]}`,
//! a body being `{"id","kind","seat","at","heading","f"}`. Private fields are in `f` for the body's own seat only: the text
//! is written once a tick, and a seat's own one is made by putting its few secrets in.

use std::fmt::Write;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::rules::face::{BodyRow, Round, Snapshot};
use crate::rules::ids::{Epoch, Seat, Tick};
use crate::rules::input::CIRCLE_STEPS;
use crate::rules::schema::{FieldSpec, Schema, runs};
use crate::wire::describe::has_height;
use crate::wire::place::{Place, metres};
use crate::wire::values::{put_angle, put_value};

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
    pub at: Place,
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

/// Whether any kind has a field that only its own seat may see: without one, everyone is sent the same text.
#[must_use]
pub fn has_private(schema: &Schema) -> bool {
    let is_secret = |field: &FieldSpec| field.private && !field.local;
    schema.kinds.iter().filter(|kind| !kind.shared).any(|kind| kind.fields.iter().any(is_secret))
}

/// The snapshot of a tick as text: written once, with what each seat alone may see kept apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SnapText {
    everyone: String,
    secrets: String,
    /// By rising place in `everyone`.
    holes: Vec<Hole>,
}

/// Private fields of a body: `secrets` from `from` to `to` belong before `everyone[at]`, for `seat` alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Hole {
    seat: Seat,
    at: usize,
    from: usize,
    to: usize,
}

impl SnapText {
    /// Writes the snapshot of a tick. A body of a kind the schema does not have is left out.
    #[must_use]
    pub fn write(head: &SnapHead<'_>, schema: &Schema, snapshot: &Snapshot) -> SnapText {
        // A body takes about 100 bytes; one allocation a tick is enough.
        let bytes = 128 + 128 * snapshot.bodies.len() + 24 * head.control.len();
        let mut text = SnapText { everyone: String::with_capacity(bytes), ..SnapText::default() };
        let put = text.put(head, schema, snapshot);
        debug_assert!(put.is_ok(), "a String takes all that is written");
        text
    }

    /// What spectators see, and every seat that `own` has nothing for.
    #[must_use]
    pub fn everyone(&self) -> &str {
        &self.everyone
    }

    /// What a seat sees, if that is more than everyone does.
    #[must_use]
    pub fn own(&self, seat: Seat) -> Option<String> {
        let mut out = String::new();
        let mut done = 0;
        for hole in self.holes.iter().filter(|hole| hole.seat == seat) {
            out.push_str(&self.everyone[done..hole.at]);
            out.push_str(&self.secrets[hole.from..hole.to]);
            done = hole.at;
        }
        (done > 0).then(|| out + &self.everyone[done..])
    }

    fn put(&mut self, head: &SnapHead<'_>, schema: &Schema, snapshot: &Snapshot) -> std::fmt::Result {
        let out = &mut self.everyone;
        write!(out, r#"{{"t":"snap","e":{},"k":{},"st":{},"d":[["#, head.epoch, head.tick, head.stamp_ms)?;
        write!(out, "{},{},", head.round.number, u8::from(head.round.live))?;
        put_optional(out, head.round.ends_at)?;
        out.push_str("],[");
        let has_height = has_height(&schema.room.map);
        let mut open = "{";
        for body in &snapshot.bodies {
            if let Some(kind) = schema.kinds.get(usize::from(body.kind)) {
                self.everyone.push_str(open);
                open = ",{";
                put_body(&mut self.everyone, body, kind.name, has_height)?;
                self.put_fields(body.seat, kind.fields, snapshot.words(body))?;
                self.everyone.push_str("}}");
            }
        }
        put_control(&mut self.everyone, head.control)
    }

    /// Writes `"f":{…` without its end.
    fn put_fields(
        &mut self,
        seat: Option<Seat>,
        fields: &'static [FieldSpec],
        words: &[i32],
    ) -> std::fmt::Result {
        self.everyone.push_str(r#","f":{"#);
        let from = self.secrets.len();
        let (mut comma, mut secret_comma) = ("", "");
        for (field, run) in runs(fields, words).filter(|(field, _)| !field.local) {
            let (out, comma) = if field.private {
                (&mut self.secrets, &mut secret_comma)
            } else {
                (&mut self.everyone, &mut comma)
            };
            if field.private && seat.is_none() {
                continue;
            }
            write!(out, r#"{comma}"{}":"#, field.name)?;
            *comma = ",";
            put_value(out, field.ty, run)?;
        }
        if let Some(seat) = seat.filter(|_| self.secrets.len() > from) {
            if comma == "," {
                self.secrets.insert(from, ',');
            }
            self.holes.push(Hole { seat, at: self.everyone.len(), from, to: self.secrets.len() });
        }
        Ok(())
    }
}

/// The snapshot of a tick as one viewer is sent it; none is a spectator. For more than one viewer see `SnapText`.
#[must_use]
pub fn write_snap(head: &SnapHead<'_>, schema: &Schema, snapshot: &Snapshot, viewer: Option<Seat>) -> String {
    let text = SnapText::write(head, schema, snapshot);
    viewer.and_then(|seat| text.own(seat)).unwrap_or(text.everyone)
}

fn put_body(out: &mut String, body: &BodyRow, kind: &str, has_height: bool) -> std::fmt::Result {
    write!(out, r#""id":{},"kind":"{kind}","seat":"#, body.id)?;
    put_optional(out, body.seat)?;
    let [x, y, z] = body.at.map(metres);
    write!(out, r#","at":[{x},{y}"#)?;
    if has_height {
        write!(out, ",{z}")?;
    }
    out.push_str(r#"],"heading":"#);
    put_angle(out, f64::from(body.heading) / CIRCLE_STEPS)
}

/// Ends the bodies and writes the rest.
fn put_control(out: &mut String, control: &[ControlRow]) -> std::fmt::Result {
    out.push_str(r#"]],"c":["#);
    for (i, row) in control.iter().enumerate() {
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

fn put_optional(out: &mut String, value: Option<impl std::fmt::Display>) -> std::fmt::Result {
    match value {
        Some(value) => write!(out, "{value}"),
        None => out.write_str("null"),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::rules::ids::BodyId;
    use crate::rules::input::angle_word;
    use crate::rules::schema::FieldType;
    use crate::wire::describe::tests::{EACH, schema};
    use crate::wire::values::{read_value, tests::each_run};

    fn head(control: &[ControlRow]) -> SnapHead<'_> {
        let round = Round { number: 2, live: true, ends_at: Some(Tick(900)) };
        SnapHead { epoch: Epoch(3), tick: Tick(77), stamp_ms: 1_700_000_000_123, round, control }
    }

    fn fighter(id: u32, seat: Option<Seat>, at: [i32; 3], heading: u16) -> BodyRow {
        BodyRow { id: BodyId(id), kind: 0, seat, at, heading, fields_at: 0 }
    }

    fn parse(text: &str) -> Value {
        serde_json::from_str(text).unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    /// B39
    #[test]
    fn a_snapshot_is_written_as_the_protocol_says() {
        let control = [
            ControlRow { seat: Seat(0), rebase: 0, ack: Some(Tick(75)), lead: Some(-2) },
            ControlRow { seat: Seat(1), rebase: 0, ack: None, lead: None },
        ];
        let bodies = vec![fighter(9, Some(Seat(0)), [512, -256, 7], 49_152), fighter(10, None, [0, 1, 0], 0)];
        let snapshot = Snapshot { bodies, values: vec![40, 1, 3, 2, 50], ..Snapshot::default() };
        let text = write_snap(&head(&control), &schema(), &snapshot, None);
        let f = json!({"hp": 40, "armed": true, "speed": 1.5});
        assert_eq!(
            parse(&text),
            json!({"t": "snap", "e": 3, "k": 77, "st": 1_700_000_000_123_u64, "d": [[2, 1, 900], [
                {"id": 9, "kind": "fighter", "seat": 0, "at": [1, -0.5], "heading": 4.71239, "f": f},
                {"id": 10, "kind": "fighter", "seat": null, "at": [0, 0.001953125], "heading": 0, "f": f},
            ]], "c": [[0, 0, 75, -2], [1, 0, null, null]]})
        );
    }

    /// Local ones are sent to nobody.
    #[test]
    fn a_seat_sees_its_own_private_fields_and_nobody_elses() {
        let bodies = [(1, Some(Seat(4))), (2, Some(Seat(5))), (3, None), (4, Some(Seat(4)))]
            .map(|(id, seat)| BodyRow { fields_at: 5 * (id - 1), ..fighter(id, seat, [0; 3], 0) });
        let values = (1..=4).flat_map(|id| [id, 1, 3, 8, 10 + id]).collect();
        let snapshot = Snapshot { bodies: bodies.to_vec(), values, ..Snapshot::default() };
        assert!(has_private(&schema()));
        for viewer in [None, Some(4), Some(5), Some(6)] {
            let text = write_snap(&head(&[]), &schema(), &snapshot, viewer.map(Seat));
            for (body, row) in parse(&text)["d"][1].as_array().expect("bodies").iter().zip(&bodies) {
                let is_own = row.seat.is_some_and(|seat| Some(seat.0) == viewer);
                let ammo = if is_own { json!(10 + row.id.0) } else { Value::Null };
                assert_eq!(body["f"]["ammo"], ammo, "{viewer:?} {body}");
                assert_eq!((&body["f"]["hp"], &body["f"]["cooldown"]), (&json!(row.id.0), &Value::Null));
            }
        }
        let text = SnapText::write(&head(&[]), &schema(), &snapshot);
        assert_eq!((text.own(Seat(6)), text.own(Seat(5)).is_some()), (None, true));
    }

    #[test]
    fn a_kind_with_private_fields_alone_is_written_well() {
        const SECRET: &[FieldSpec] = &[
            FieldSpec { private: true, ..FieldSpec::plain("hand", FieldType::Text { chars: 3 }) },
            FieldSpec { private: true, ..FieldSpec::plain("luck", FieldType::Bool) },
        ];
        let mut schema = schema();
        schema.kinds = vec![crate::rules::schema::KindSpec { fields: SECRET, ..schema.kinds[0] }];
        let bodies = vec![fighter(1, Some(Seat(0)), [0; 3], 0), fighter(2, Some(Seat(1)), [0; 3], 0)];
        let snapshot = Snapshot { bodies, values: vec![2, 34, 92, 1], ..Snapshot::default() };
        let seen = |viewer| parse(&write_snap(&head(&[]), &schema, &snapshot, viewer))["d"][1].clone();
        assert_eq!((&seen(None)[0]["f"], &seen(None)[1]["f"]), (&json!({}), &json!({})));
        let own = seen(Some(Seat(1)));
        assert_eq!((&own[0]["f"], &own[1]["f"]), (&json!({}), &json!({"hand": "\"\\", "luck": true})));
        schema.kinds[0].shared = true;
        assert!(!has_private(&schema), "a shared kind has no own seat");
    }

    #[test]
    fn a_body_without_its_fields_or_kind_breaks_nothing() {
        let stray = BodyRow { kind: 9, ..fighter(1, None, [0; 3], 0) };
        let bare = BodyRow { fields_at: 1_000, ..fighter(2, Some(Seat(0)), [0; 3], 0) };
        let snapshot = Snapshot { bodies: vec![stray, bare], ..Snapshot::default() };
        let text = write_snap(&head(&[]), &schema(), &snapshot, Some(Seat(0)));
        let snap: Snap = serde_json::from_str(&text).expect("a snapshot");
        assert_eq!((snap.d.1.len(), snap.d.1[0].id), (1, 2));
    }

    fn a_body() -> impl Strategy<Value = BodyRow> {
        let seat = prop::option::of(any::<u16>().prop_map(Seat));
        (any::<u32>(), seat, any::<[i32; 3]>(), any::<u16>())
            .prop_map(|(id, seat, at, heading)| fighter(id, seat, at, heading))
    }

    proptest! {
        #[test]
        fn a_written_snapshot_reads_back(
            bodies in prop::collection::vec(a_body(), 0..9),
            values in prop::collection::vec(any::<i32>(), 5),
        ) {
            let snapshot = Snapshot { bodies: bodies.clone(), values: values.clone(), ..Snapshot::default() };
            let text = write_snap(&head(&[]), &schema(), &snapshot, None);
            let snap: Snap = serde_json::from_str(&text).expect("a snapshot");
            prop_assert_eq!(snap.d.1.len(), bodies.len());
            for (read, row) in snap.d.1.iter().zip(&bodies) {
                prop_assert_eq!((read.id, read.seat), (row.id.0, row.seat.map(|seat| seat.0)));
                prop_assert_eq!(read.at, Place::of(row.at, false));
                prop_assert_eq!(angle_word(read.heading), row.heading);
                prop_assert_eq!(&read.f["hp"], &json!(values[0]));
            }
        }

        #[test]
        fn a_field_of_every_type_is_in_its_snapshot(runs in each_run()) {
            let body = BodyRow { kind: 1, ..fighter(1, None, [0; 3], 0) };
            let snapshot = Snapshot { bodies: vec![body], values: runs.concat(), ..Snapshot::default() };
            let snap = parse(&write_snap(&head(&[]), &schema(), &snapshot, None));
            let f = snap["d"][1][0]["f"].as_object().expect("fields").clone();
            prop_assert_eq!(f.len(), EACH.len());
            for (field, run) in EACH.iter().zip(&runs) {
                let mut words = Vec::new();
                let read = read_value(field.ty, &f[field.name], &mut words);
                prop_assert_eq!((read, &words), (Some(()), run), "{}", field.name);
            }
        }
    }
}
