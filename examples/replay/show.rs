//! A room as lines to read: round, shared state, bodies with their fields by name, areas, standing.

use roundtable::rules::datum::{Datum, show as value};
use roundtable::rules::face::{BodyRow, Sim, Snapshot};
use roundtable::rules::motion::{to_radians, to_space};
use roundtable::rules::schema::{KindSpec, Schema, runs};

pub fn show(schema: &Schema, sim: &dyn Sim) -> Vec<String> {
    let mut snapshot = Snapshot::default();
    sim.snapshot(&mut snapshot);
    let round = sim.round();
    let until = round.ends_at.map_or(String::new(), |tick| format!(" until tick {tick}"));
    let play = if round.live { "live" } else { "over" };
    let mut lines = vec![
        format!("tick {}, digest {:016x}", sim.tick(), sim.digest()),
        format!("round {}: {play}{until}", round.number),
    ];
    let mut words = &snapshot.shared[..];
    for kind in schema.kinds.iter().filter(|kind| kind.shared) {
        lines.push(format!("{}: {}", kind.name, fields(kind, words)));
        let taken: usize = runs(kind.fields, words).map(|(_, run)| run.len()).sum();
        words = &words[taken..];
    }
    lines.push(format!("{} bodies", snapshot.bodies.len()));
    lines.extend(snapshot.bodies.iter().map(|row| body(schema, &snapshot, row)));
    for area in &snapshot.areas {
        let at = to_space(area.at);
        lines.push(format!("  area {} {} at {:.3} {:.3}", area.id, area.name, at.x, at.y));
    }
    for row in sim.standing() {
        lines.push(format!("  place {}: seat {} with {}", row.place, row.seat, row.score));
    }
    for mind in sim.minds() {
        lines.push(format!("  mind of seat {} ({}): {:?}", mind.seat, mind.driver.name(), mind.goal));
    }
    lines
}

fn body(schema: &Schema, snapshot: &Snapshot, row: &BodyRow) -> String {
    let kind = &schema.kinds[usize::from(row.kind)];
    let at = to_space(row.at);
    let seat = row.seat.map_or(String::new(), |seat| format!(" seat {seat}"));
    let height = if row.at[2] == 0 { String::new() } else { format!(" {:.3}", at.z) };
    let (heading, fields) = (to_radians(row.heading), fields(kind, snapshot.words(row)));
    format!(
        "  {} {}{seat} at {:.3} {:.3}{height} heading {heading:.3}: {fields}",
        row.id, kind.name, at.x, at.y
    )
}

fn fields(kind: &KindSpec, words: &[i32]) -> String {
    let shown = runs(kind.fields, words).map(|(field, run)| {
        let value = value(field.ty, run).unwrap_or(Datum::Nothing);
        format!("{} {value}", field.name)
    });
    shown.collect::<Vec<_>>().join(", ")
}
