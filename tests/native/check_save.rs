//! What `make check-save` and `make deploy` say, and whether they stop.

#[path = "../../examples/check_save/check.rs"]
mod check;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use roundtable::rules::adapter::game;
use roundtable::rules::face::{Registry, SeatInfo};
use roundtable::wire::character::to_body;
use serde_json::{Value, json};

use crate::saves::fair::{cut_of, save_of};
use crate::saves::versions::{first, followed, knight, narrowed, stranger, text_gold};
use check::{Outcome, file, live};

const FOLLOWED: Registry = &[("hero", game::<followed::Game>)];
const NARROWED: Registry = &[("hero", game::<narrowed::Game>)];
const TEXT: Registry = &[("hero", game::<text_gold::Game>)];

/// What the first version's /health says.
fn health() -> Value {
    let schema = game::<first::Game>().schema();
    let fields = BASE64_URL_SAFE_NO_PAD.encode(schema.layout_record());
    json!({ "ok": true, "games": { "hero": { "schema": format!("{:016x}", schema.hash()), "fields": fields } } })
}

fn compared(games: Registry, dropped: &str) -> Outcome {
    live(games, health().to_string().as_bytes(), dropped)
}

#[track_caller]
fn says(outcome: &Outcome, line: &str) {
    assert!(outcome.lines.iter().any(|said| said.trim_start() == line), "{:#?}", outcome.lines);
}

#[test]
fn a_deploy_of_the_same_game_has_nothing_to_say() {
    let same = compared(&[("hero", game::<first::Game>)], "");
    assert_eq!((same.lines.len(), same.fine), (1, true), "{:?}", same.lines);
}

#[test]
fn a_deploy_stops_at_a_dropped_durable_field_unless_it_is_named() {
    let stopped = compared(FOLLOWED, "");
    assert!(!stopped.fine);
    says(&stopped, "hero: hero.gold becomes hero.coins");
    says(&stopped, "hero: hero.luck is dropped");
    says(&stopped, "! hero: bank.sum is durable and is dropped (DROP=bank.sum)");
    assert!(compared(FOLLOWED, "hero.hat,bank.sum").fine);
    assert!(!compared(FOLLOWED, "hero.hat bank").fine);
}

#[test]
fn a_deploy_stops_at_a_refusal_whatever_is_named() {
    let stopped = compared(TEXT, "hero.gold bank.sum");
    assert!(!stopped.fine);
    let why = "hero.gold was int 0 to 200 and is text of 9: the kind needs an `upgrade`";
    says(&stopped, &format!("! hero: hero.gold is refused: {why}"));
    assert!(!compared(&[("hero", game::<stranger::Game>)], "bank.sum").fine);
    let converted = compared(NARROWED, "bank.sum");
    says(&converted, "hero: hero.gold is converted: int 0 to 200 becomes int 0 to 100");
    assert!(converted.fine, "what is clamped is not lost");
}

#[test]
fn a_deploy_stops_when_a_game_is_gone_and_goes_on_when_there_is_nothing_to_compare() {
    assert!(!compared(&[], "").fine);
    assert!(compared(&[], "hero").fine);
    assert!(live(&[], br#"{"ok":true}"#, "").fine);
    assert!(!live(&[], b"<html>", "").fine);
    let unreadable = json!({ "games": { "hero": { "fields": "????" } } });
    assert!(!live(FOLLOWED, unreadable.to_string().as_bytes(), "").fine);
}

fn hero() -> (Vec<u8>, Value) {
    let mut sim = game::<first::Game>().create(5, 0);
    sim.join(&SeatInfo::default(), 0);
    let character = sim.character(roundtable::rules::ids::Seat(0)).expect("a hero");
    let body = serde_json::to_value(to_body(&character)).expect("JSON");
    (save_of(&cut_of(sim.as_ref())), body)
}

#[test]
fn a_save_is_told_what_would_become_of_it() {
    let (save, _) = hero();
    let checked = file(FOLLOWED, Some("hero"), &save, "");
    says(&checked, "dropped hero.title: Ada of York");
    says(&checked, "dropped rock: 3 rows");
    // Rules alone: no host has written its own records.
    says(&checked, "! refused, and kept (corrupt): the save is damaged: no room");
    let refused = file(TEXT, Some("hero"), &save, "");
    let why = "hero.gold was int 0 to 200 and is text of 9: the kind needs an `upgrade`";
    says(&refused, &format!("! refused, and kept (field): {why}"));
    assert!(!file(FOLLOWED, None, &save, "").fine, "it does not say of which game it is");
    assert!(!file(FOLLOWED, Some("other"), &save, "").fine);
    assert!(!file(FOLLOWED, Some("hero"), b"\x01\x02", "").fine);
}

#[test]
fn a_character_is_told_what_would_become_of_it() {
    let (_, body) = hero();
    let dropped = "hero.luck hero.mood hero.title hero.bag";
    // As the column has it, as a message has it, and as a row of D1 has it.
    let row = json!({ "account": "a", "game": "hero", "body": body.to_string() });
    let copy = json!({ "game": "hero", "body": body });
    for (game, text) in [(Some("hero"), &body), (None, &copy), (None, &row)] {
        let checked = file(NARROWED, game, text.to_string().as_bytes(), dropped);
        says(&checked, "clamped hero.gold: 120");
        says(&checked, "the character plays");
        assert!(checked.fine);
        assert!(!file(NARROWED, game, text.to_string().as_bytes(), "hero.luck").fine);
        assert!(!file(TEXT, game, text.to_string().as_bytes(), dropped).fine);
    }
    assert!(file(&[("hero", game::<knight::Game>)], Some("hero"), body.to_string().as_bytes(), dropped).fine);
    for bad in ["{", "{}", r#"{"game":"hero"}"#, r#"{"game":"hero","body":"no JSON"}"#] {
        assert!(!file(NARROWED, None, bad.as_bytes(), "").fine, "{bad}");
    }
}
