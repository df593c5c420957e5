//! What the tool says, as lines, and whether all is well. No I/O.

use std::collections::BTreeSet;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use roundtable::host::{Host, Setup, Stored};
use roundtable::rules::cut::{Cut, SECTION_HOST};
use roundtable::rules::evolve::{Change, What, compare};
use roundtable::rules::face::{Game, Note, Registry};
use roundtable::rules::save::layout::Layout;
use roundtable::rules::save::layout_of;
use roundtable::rules::schema::Lifetime;
use roundtable::wire::character::from_body;
use roundtable::wire::client_message::Build;
use roundtable::wire::lease::CharacterBody;
use serde_json::Value;

#[derive(Debug, Default)]
pub struct Outcome {
    pub lines: Vec<String>,
    /// Nothing is refused, and nothing durable dropped that was not named.
    pub fine: bool,
}

impl Outcome {
    pub fn refused(why: String) -> Outcome {
        Outcome { lines: vec![why], fine: false }
    }

    fn new(first: String) -> Outcome {
        Outcome { lines: vec![first], fine: true }
    }

    fn say(&mut self, line: impl Into<String>) {
        self.lines.push(format!("  {}", line.into()));
    }

    fn stop(&mut self, line: impl std::fmt::Display) {
        self.lines.push(format!("! {line}"));
        self.fine = false;
    }
}

/// A save, or a character if it begins as JSON does.
pub fn file(games: Registry, game: Option<&str>, bytes: &[u8], dropped: &str) -> Outcome {
    let checked = match bytes.trim_ascii_start().first() {
        Some(b'{') => character(games, game, bytes, dropped),
        _ => save(games, game, bytes, dropped),
    };
    checked.unwrap_or_else(Outcome::refused)
}

fn save(games: Registry, game: Option<&str>, bytes: &[u8], dropped: &str) -> Result<Outcome, String> {
    let mut cut = Cut::default();
    cut.apply(bytes).map_err(|error| error.to_string())?;
    // The host's record of the room begins with the game's name.
    let written =
        cut.record(SECTION_HOST, 0).and_then(|record| postcard::take_from_bytes::<String>(record).ok());
    let name = game.map(str::to_owned).or(written.map(|(name, _)| name));
    let name = name.ok_or("the save does not say of which game it is: GAME=<name>")?;
    let game = find(games, &name)?;
    let mut outcome = Outcome::new(format!("{name}: a save of {} bytes", bytes.len()));
    let layout = layout_of(&cut).map_err(|error| error.to_string())?;
    let durable = layout.as_ref().map(durable_fields).unwrap_or_default();
    let changes = layout.map(|layout| compare(layout, &game.schema())).unwrap_or_default();
    changes.iter().for_each(|change| outcome.say(change.to_string()));
    match game.restore(&cut) {
        Ok(mut sim) => {
            let given = sim.drain();
            for note in &given.notes {
                say_note(&mut outcome, note, durable.contains(&note.field), dropped);
            }
            // A room keeps the text of a few notes alone: then every field that may be dropped counts.
            if given.notes_count as usize > given.notes.len() {
                let is_dropped = |change: &&Change| change.what == What::Dropped { durable: true };
                for change in changes.iter().filter(is_dropped).filter(|c| !is_named(dropped, &c.name)) {
                    outcome.stop(format!("{change} (DROP={})", change.name));
                }
            }
        }
        Err(error) if error.is_of_another_game() && game.schema().room.lifetime == Lifetime::Match => {
            outcome.say(format!("the match begins anew with its seats: {error}"));
        }
        Err(error) => outcome.stop(format!("refused, and kept ({}): {error}", error.code())),
    }
    let setup = Setup {
        game,
        game_name: name,
        room: "checked".to_owned(),
        build: Build { id: "check-save".to_owned(), at: 0 },
        leases: true,
        stopwatch: None,
        load: Default::default(),
        slept: false,
    };
    let stored = Stored { save: bytes.to_vec(), save_seq: 1, journal: Vec::new(), ..Stored::default() };
    match Host::restore(setup, &stored, &[], 0) {
        Ok(_) => outcome.say("the room opens"),
        Err(error) if outcome.fine => outcome.stop(format!("refused, and kept ({}): {error}", error.code())),
        Err(_) => {}
    }
    Ok(outcome)
}

/// `{"kind", …}` as D1's column has it, or a row or a message that has it under `body`.
fn character(games: Registry, game: Option<&str>, bytes: &[u8], dropped: &str) -> Result<Outcome, String> {
    let value: Value = serde_json::from_slice(bytes).map_err(|error| format!("no JSON: {error}"))?;
    let name = game.or_else(|| value["game"].as_str());
    let name = name.ok_or("the character does not say of which game it is: GAME=<name>")?;
    let game = find(games, name)?;
    let mut body = value.get("body").unwrap_or(&value).clone();
    if let Some(text) = body.as_str() {
        body = serde_json::from_str(text).map_err(|error| format!("no JSON in body: {error}"))?;
    }
    let body: CharacterBody =
        serde_json::from_value(body).map_err(|error| format!("no character: {error}"))?;
    let mut outcome = Outcome::new(format!("{name}: a character, a {}", body.kind));
    let character = from_body(&body).map_err(|error| error.to_string())?;
    match game.fit_character(&character) {
        Ok((_, notes)) => {
            // A character is what its account keeps: all of it counts as durable.
            notes.iter().for_each(|note| say_note(&mut outcome, note, true, dropped));
            outcome.say("the character plays");
        }
        Err(unfit) => outcome.stop(format!("refused, and kept: {}", unfit.0)),
    }
    Ok(outcome)
}

/// What this build would do to the saves of a live one, of whose `/health` this is the answer.
pub fn live(games: Registry, health: &[u8], dropped: &str) -> Outcome {
    let Ok(health) = serde_json::from_slice::<Value>(health) else {
        return Outcome::refused("the live /health is no JSON".to_owned());
    };
    let Some(live) = health["games"].as_object() else {
        return Outcome::new(
            "the live build does not say what its saves are made of: not compared".to_owned(),
        );
    };
    let mut outcome = Outcome::new(format!("live: {} games", live.len()));
    for (name, row) in live {
        if let Err(why) = live_game(games, name, row, dropped, &mut outcome) {
            outcome.stop(format!("{name}: {why}"));
        }
    }
    outcome
}

fn live_game(
    games: Registry,
    name: &str,
    row: &Value,
    dropped: &str,
    outcome: &mut Outcome,
) -> Result<(), String> {
    let record = row["fields"].as_str().and_then(|text| BASE64_URL_SAFE_NO_PAD.decode(text).ok());
    let record = record.ok_or("what its saves are made of cannot be read")?;
    let layout = Layout::parse(&record).map_err(|error| error.to_string())?;
    let Ok(game) = find(games, name) else {
        if !is_named(dropped, name) {
            return Err(format!("the game is gone, and its rooms with it (DROP={name})"));
        }
        outcome.say(format!("{name} is dropped, as DROP says"));
        return Ok(());
    };
    let schema = game.schema();
    for change in compare(layout, &schema) {
        match &change.what {
            What::Refused { .. } if schema.room.lifetime == Lifetime::Match => {
                outcome.say(format!("{name}: {change}; such a match begins anew"));
            }
            What::Refused { .. } => outcome.stop(format!("{name}: {change}")),
            What::Dropped { durable: true } if !is_named(dropped, &change.name) => {
                outcome.stop(format!("{name}: {change} (DROP={})", change.name));
            }
            _ => outcome.say(format!("{name}: {change}")),
        }
    }
    Ok(())
}

fn say_note(outcome: &mut Outcome, note: &Note, durable: bool, dropped: &str) {
    let line = format!("{} {}: {}", note.what, note.field, note.written);
    if note.what == "dropped" && durable && !is_named(dropped, &note.field) {
        outcome.stop(format!("{line} (DROP={})", note.field));
    } else {
        outcome.say(line);
    }
}

fn durable_fields(layout: &Layout) -> BTreeSet<String> {
    let of_kind = |kind: &roundtable::rules::save::layout::KindLayout| {
        let durable = kind.fields.iter().filter(|field| field.durable);
        durable.map(|field| format!("{}.{}", kind.name, field.name)).collect::<Vec<_>>()
    };
    layout.kinds.iter().flat_map(of_kind).collect()
}

/// Whether DROP, a list, names it.
fn is_named(dropped: &str, name: &str) -> bool {
    dropped.split([',', ' ']).any(|other| other == name)
}

fn find(games: Registry, name: &str) -> Result<&'static dyn Game, String> {
    let game = games.iter().find(|(known, _)| *known == name).map(|(_, game)| game());
    game.ok_or_else(|| format!("there is no game {name} in this build"))
}
