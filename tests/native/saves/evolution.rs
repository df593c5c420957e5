//! What a game becomes, its saves and characters follow: each change on a save and on a character as D1 keeps it.

use roundtable::rules::adapter::game;
use roundtable::rules::cut::SaveError;
use roundtable::rules::datum::Datum;
use roundtable::rules::evolve::compare;
use roundtable::rules::face::{Game, Note, SeatInfo, Sim};
use roundtable::rules::game::Rules;
use roundtable::rules::ids::Seat;
use roundtable::rules::save::layout::Layout;
use roundtable::wire::character::{from_body, to_body};
use roundtable::wire::lease::CharacterBody;

use super::fair::cut_of;
use super::versions::*;

const SEAT: Seat = Seat(2);

/// A room of the first version with one hero in it.
fn old_room() -> Box<dyn Sim> {
    let mut sim = game::<first::Game>().create(5, 0);
    sim.join(&SeatInfo { seat: SEAT, name: "Ada".to_owned(), ..SeatInfo::default() }, 0);
    sim
}

/// The hero's fields as `name value`, and the notes as `what field: written`.
type Became = (Vec<String>, Vec<String>);

fn fields(fields: &[(String, Datum)]) -> Vec<String> {
    fields.iter().map(|(name, value)| format!("{name} {value}")).collect()
}

fn notes(notes: &[Note], handler: &str) -> Vec<String> {
    assert!(notes.iter().all(|note| note.handler == handler), "{notes:?}");
    let of_hero = notes.iter().filter(|note| note.field.starts_with("hero"));
    of_hero.map(|note| format!("{} {}: {}", note.what, note.field, note.written)).collect()
}

fn restored(game: &dyn Game) -> Result<Box<dyn Sim>, SaveError> {
    game.restore(&cut_of(old_room().as_ref()))
}

fn by_save<R: Rules>() -> Result<Became, SaveError> {
    let mut sim = restored(game::<R>())?;
    let hero = sim.character(SEAT).expect("the seat kept its hero");
    assert_eq!(hero.pose.at, [512, -1_024, 0]);
    let given = sim.drain();
    let again = game::<R>().restore(&cut_of(sim.as_ref())).expect("its own save");
    assert_eq!(again.digest(), sim.digest());
    Ok((fields(&hero.fields), notes(&given.notes, "restore")))
}

fn by_character<R: Rules>() -> Result<Became, String> {
    let old = old_room().character(SEAT).expect("a hero");
    // As D1 has it: text.
    let text = serde_json::to_string(&to_body(&old)).expect("JSON");
    let body: CharacterBody = serde_json::from_str(&text).expect("a character");
    let character = from_body(&body).expect("a character");
    let (fitted, noted) = game::<R>().fit_character(&character).map_err(|unfit| unfit.0)?;
    assert_eq!(fitted.pose.at, [512, -1_024, 0]);
    let again = game::<R>().fit_character(&fitted).expect("what fits goes on fitting");
    assert_eq!(again, (fitted.clone(), Vec::new()));
    Ok((fields(&fitted.fields), notes(&noted, "character")))
}

/// Both ways give these fields. `save` and `character` are the notes of each that are not of fields dropped.
#[track_caller]
fn becomes<R: Rules>(expected: &[&str], save: &[&str], character: &[&str]) {
    let told = |notes: &[String]| -> Vec<String> {
        notes.iter().filter(|note| !note.starts_with("dropped")).cloned().collect()
    };
    let (by_save, saves_notes) = by_save::<R>().expect("the save opens");
    let (by_character, characters_notes) = by_character::<R>().expect("the character fits");
    assert_eq!(
        (by_save.as_slice(), by_character.as_slice()),
        (as_strings(expected).as_slice(), by_save.as_slice())
    );
    assert_eq!(told(&saves_notes), as_strings(save));
    assert_eq!(told(&characters_notes), as_strings(character));
}

fn as_strings(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

#[track_caller]
fn refuses<R: Rules>(save: &SaveError, character: &str) {
    assert_eq!(by_save::<R>().err().as_ref(), Some(save));
    assert_eq!(by_character::<R>().err().as_deref(), Some(character));
}

#[test]
fn a_renamed_field_without_was_is_new_and_the_old_one_is_dropped() {
    becomes::<renamed::Game>(&["coins 0"], &[], &[]);
    let dropped = "dropped hero.gold: 120".to_owned();
    assert!(by_save::<renamed::Game>().expect("a room").1.contains(&dropped));
    assert!(by_character::<renamed::Game>().expect("a hero").1.contains(&dropped));
}

#[test]
fn was_follows_a_rename() {
    becomes::<followed::Game>(&["coins 120"], &[], &[]);
}

#[test]
fn a_field_that_is_no_more_is_dropped_and_noted_with_what_was_in_it() {
    let expected = as_strings(&[
        "dropped hero.bag: [5, 6, 70]",
        "dropped hero.luck: 2.5",
        "dropped hero.mood: cross",
        "dropped hero.title: Ada of York",
    ]);
    let (_, noted) = by_character::<widened::Game>().expect("a hero");
    assert_eq!(noted, expected);
    let (_, noted) = by_save::<narrowed::Game>().expect("a room");
    assert!(expected.iter().all(|line| noted.contains(line)), "{noted:?}");
}

#[test]
fn a_new_field_has_its_default() {
    becomes::<with_hat::Game>(&["gold 120", "hat 3"], &[], &[]);
}

#[test]
fn another_range_or_step_converts_and_what_does_not_fit_is_clamped() {
    // A character does not say what its fields' types were, so only what had to change is told.
    becomes::<widened::Game>(&["gold 120"], &["converted hero.gold: 120"], &[]);
    becomes::<narrowed::Game>(
        &["gold 100"],
        &["clamped hero.gold: 120", "converted hero.gold: 120"],
        &["clamped hero.gold: 120"],
    );
    becomes::<finer::Game>(
        &["luck 2"],
        &["clamped hero.luck: 2.5", "converted hero.luck: 2.5"],
        &["clamped hero.luck: 2.5"],
    );
    becomes::<real_gold::Game>(&["gold 120"], &["converted hero.gold: 120"], &[]);
}

#[test]
fn choices_are_followed_by_name() {
    becomes::<more_moods::Game>(&["mood cross"], &["converted hero.mood: cross"], &[]);
}

#[test]
fn texts_and_lists_are_cut() {
    becomes::<shorter::Game>(
        &["title Ada", "bag [5, 6]"],
        &[
            "converted hero.bag: [5, 6, 70]",
            "cut hero.bag: [5, 6, 70]",
            "converted hero.title: Ada of York",
            "cut hero.title: Ada of York",
        ],
        &["cut hero.bag: [5, 6, 70]", "cut hero.title: Ada of York"],
    );
}

#[test]
fn another_type_is_refused_without_upgrade_and_the_field_is_named() {
    let field = |field: &str, was: &str, is: &str| SaveError::Field {
        kind: "hero".to_owned(),
        field: field.to_owned(),
        was: was.to_owned(),
        is: is.to_owned(),
    };
    refuses::<text_gold::Game>(
        &field("gold", "int 0 to 200", "text of 9"),
        "hero.gold was a whole number (120) and is text of 9: the kind needs an `upgrade`",
    );
    refuses::<less_moods::Game>(
        &field("mood", "one of calm, cross", "one of calm, sad"),
        "hero.mood was a text (cross) and is one of calm, sad: the kind needs an `upgrade`",
    );
}

#[test]
fn another_type_is_made_by_upgrade() {
    let lines = ["converted hero: 1 row"];
    becomes::<upgraded::Game>(&["gold 120 gp", "wealth 2000"], &lines, &lines);
}

#[test]
fn an_upgrade_that_panics_refuses_by_name() {
    let failed = SaveError::Upgrade { kind: "hero".to_owned(), message: "gold was always a text".to_owned() };
    refuses::<upgrade_fails::Game>(&failed, "the upgrade of a hero failed: gold was always a text");
    assert_eq!((failed.code(), failed.is_of_another_game()), ("upgrade", true));
}

#[test]
fn a_kind_is_followed_by_its_former_names() {
    let sim = restored(game::<knight::Game>()).expect("a room of knights");
    let knight = sim.character(SEAT).expect("a knight");
    assert_eq!((knight.kind.as_str(), fields(&knight.fields)), ("knight", as_strings(&["gold 120"])));
    let old = old_room().character(SEAT).expect("a hero");
    assert_eq!(game::<knight::Game>().fit_character(&old).map(|(fitted, _)| fitted), Ok(knight.clone()));
    assert!(old.body::<knight::Knight>().is_some() && old.body::<stranger::Knight>().is_none());
}

#[test]
fn a_kind_that_is_no_players_any_more_is_refused_while_somebody_plays_it() {
    refuses::<stranger::Game>(
        &SaveError::Kind { kind: "hero".to_owned() },
        "hero is no player kind of this game",
    );
    let mut empty = old_room();
    empty.leave(SEAT, 0);
    assert!(game::<stranger::Game>().restore(&cut_of(empty.as_ref())).is_ok());
}

#[test]
fn bodies_and_shared_rows_of_kinds_that_are_no_more_go_with_their_timers() {
    let mut sim = restored(game::<widened::Game>()).expect("a room");
    let noted = sim.drain().notes;
    let of = |field: &str| noted.iter().find(|note| note.field == field).map(|note| note.written.as_str());
    assert_eq!((of("rock"), of("bank")), (Some("3 rows"), Some("1 row")));
    for _ in 0..120 {
        sim.step(&roundtable::rules::face::Moment::default()).expect("it goes on");
    }
    let mut snapshot = roundtable::rules::face::Snapshot::default();
    sim.snapshot(&mut snapshot);
    assert_eq!(snapshot.bodies.len(), 1);
}

#[test]
fn bodies_and_shared_rows_are_followed_too() {
    let sim = restored(game::<knighted::Game>()).expect("a room");
    let mut snapshot = roundtable::rules::face::Snapshot::default();
    sim.snapshot(&mut snapshot);
    assert_eq!(snapshot.bodies.len(), 4);
    let boulders: Vec<i32> =
        snapshot.bodies.iter().filter(|body| body.kind == 1).map(|body| snapshot.words(body)[0]).collect();
    assert_eq!(boulders, [4, 4, 4]);
    assert_eq!(snapshot.shared, [77, 2]);
}

/// One line a field, however many bodies.
#[test]
fn a_restore_notes_each_field_once() {
    let sim = super::fair::busy_room();
    let mut later = game::<later_fair::Game>().restore(&cut_of(sim.as_ref())).expect("it converts");
    let given = later.drain();
    let of = |what: &str, field: &str| {
        let note = given.notes.iter().find(|note| (note.what, note.field.as_str()) == (what, field));
        note.map(|note| note.written.clone())
    };
    assert_eq!(of("dropped", "ball").as_deref(), Some("12 rows"));
    let converted = of("converted", "visitor.gold").expect("six of them");
    assert!(converted.ends_with(" and 5 more"), "{converted}");
    let dropped = of("dropped", "guest.words").expect("under the names it had");
    assert!(dropped.ends_with(" and 5 more"), "{dropped}");
    assert_eq!(given.notes_count as usize, given.notes.len());
    assert_eq!(later.drain().notes, [], "told once");
}

#[test]
fn the_schema_record_says_all_that_the_rows_rest_on() {
    for (name, game) in roundtable::games::GAMES {
        let schema = game().schema();
        let layout = Layout::parse(&schema.layout_record()).expect("our own record");
        assert_eq!(layout.kinds.len(), schema.kinds.len());
        assert_eq!(compare(layout, &schema), [], "{name}");
    }
    let hash = |game: &dyn Game| game.schema().hash();
    assert_ne!(hash(game::<widened::Game>()), hash(game::<narrowed::Game>()));
    assert_ne!(hash(game::<more_moods::Game>()), hash(game::<less_moods::Game>()));
}
