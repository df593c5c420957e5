//! What the client does about an account: gets a session once, waits for a character, stops where it was taken. And the
//! shared state of a room, which is dropped with its epoch.

use super::*;
use crate::limits::SESSION_WAIT_MS;

fn isle() -> Hello {
    Hello { game: "isle".to_owned(), ..Hello::default() }
}

/// A client that said hello and was closed with this code.
fn refused(hello: Hello, code: u16) -> Bench {
    let mut bench = Bench::new(hello);
    bench.open();
    refuse(&mut bench, code);
    bench
}

fn refuse(bench: &mut Bench, code: u16) {
    bench.hear(&json!({"t": "bye", "code": code, "reason": "no"}));
    bench.client.handle_closed(bench.generation, code, "no", bench.now);
    bench.drain();
}

fn asked(bench: &Bench) -> usize {
    bench.outputs.iter().filter(|output| **output == Output::NeedSession).count()
}

fn bring(bench: &mut Bench, session: Option<&str>) {
    bench.client.handle_session(session.map(str::to_owned), bench.now);
    bench.drain();
}

fn client_shared(bench: &Bench) -> Value {
    json!(bench.client.shared())
}

#[test]
fn a_session_is_got_once_and_said_in_the_next_hello_at_once() {
    let mut bench = refused(isle(), 4010);
    assert_eq!((asked(&bench), bench.client.state()), (1, LinkState::Waiting));
    let first = bench.generation;
    bench.pass(5_000.0);
    bench.client.handle_online(bench.now);
    bench.drain();
    assert_eq!(bench.generation, first, "no dial before there is a session");
    bring(&mut bench, Some("s1"));
    assert_eq!(bench.generation, first + 1);
    bench.open();
    assert_eq!(bench.last("hello")["session"], json!("s1"));
    refuse(&mut bench, 4010);
    assert_eq!((asked(&bench), bench.client.state()), (1, LinkState::Ended));
    let link: Value = serde_json::from_str(&bench.client.link_json(bench.now)).expect("JSON");
    assert_eq!((&link["name"], &link["reason"]), (&json!("session"), &json!("no")));
    assert!(!link.to_string().contains("s1"), "a token is no part of the account of the link");
}

#[test]
fn a_session_that_was_kept_is_in_the_first_hello_and_one_that_expired_is_replaced() {
    let mut bench = refused(Hello { session: Some("old".to_owned()), ..isle() }, 4010);
    assert_eq!(bench.last("hello")["session"], json!("old"));
    bring(&mut bench, Some("new"));
    bench.open();
    assert_eq!(bench.last("hello")["session"], json!("new"));
    bench.hear(&welcome(1, 100, "one", false));
    // It was good; that it expires a year later is another matter, and asked for anew.
    refuse(&mut bench, 4010);
    assert_eq!((asked(&bench), bench.client.state()), (2, LinkState::Waiting));
}

#[test]
fn a_session_that_cannot_be_had_is_asked_for_again_after_a_while() {
    let mut bench = refused(isle(), 4010);
    for tries in 1..=3 {
        bring(&mut bench, None);
        let retry_ms = bench.client.link.retry_in_ms(bench.now).expect("it waits");
        assert!((1_000.0..=8_000.0).contains(&retry_ms), "{retry_ms}");
        bench.redial();
        refuse(&mut bench, 4010);
        assert_eq!(asked(&bench), tries + 1);
    }
    // A page that never answers does not end it either.
    let before = bench.generation;
    bench.pass(SESSION_WAIT_MS);
    assert_eq!(bench.generation, before + 1);
}

#[test]
fn a_session_that_nobody_asked_for_is_not_taken() {
    let mut bench = Bench::new(isle());
    bench.join(1);
    bring(&mut bench, Some("planted"));
    bench.client.handle_closed(bench.generation, 1006, "", bench.now);
    bench.redial();
    assert_eq!(bench.last("hello")["session"], Value::Null);
}

#[test]
fn a_character_is_waited_for_and_then_played() {
    for code in [4011, 4012, 4013] {
        let mut bench = refused(isle(), code);
        for _ in 0..4 {
            let retry_ms = bench.client.link.retry_in_ms(bench.now).expect("it waits");
            assert!((1_000.0..=30_000.0).contains(&retry_ms), "{code}: {retry_ms}");
            bench.redial();
            refuse(&mut bench, code);
        }
        bench.redial();
        bench.hear(&welcome(1, 100, "one", false));
        assert_eq!((bench.client.state(), asked(&bench)), (LinkState::Online, 0));
    }
}

/// Two tabs that take a character from each other would never end.
#[test]
fn a_character_that_was_taken_comes_back_by_a_button_only() {
    let mut bench = Bench::new(isle());
    bench.join(1);
    refuse(&mut bench, 4014);
    bench.pass(600_000.0);
    bench.client.handle_online(bench.now);
    assert_eq!(bench.client.state(), LinkState::Ended);
    bench.client.connect_again(false, bench.now);
    bench.drain();
    bench.open();
    assert_eq!(bench.last("hello")["token"], json!("one"));
}

#[test]
fn a_name_is_said_from_the_next_seat_on() {
    let mut bench = Bench::new(isle());
    bench.join(1);
    bench.client.set_name("  Ada\u{202e}  Lovelace ");
    bench.client.handle_closed(bench.generation, 1006, "", bench.now);
    bench.redial();
    assert_eq!(bench.last("hello")["name"], json!("Ada Lovelace"));
}

/// B47
#[test]
fn shared_state_is_kept_until_its_epoch_ends() {
    let mut bench = Bench::new(isle());
    bench.open();
    let mut first = welcome(1, 100, "one", false);
    first["shared"] = json!({"island": {"minted": 24}});
    bench.hear(&first);
    assert_eq!(client_shared(&bench), json!({"island": {"minted": 24}}));
    let version = bench.client.room_version;
    bench.hear(&json!({"t": "shared", "k": 101, "shared": {"island": {"minted": 25}}}));
    assert_eq!(client_shared(&bench), json!({"island": {"minted": 25}}));
    assert_ne!(bench.client.room_version, version, "the page reads it again");
    bench.hear(&snap(2, 40));
    assert!(bench.client.shared().is_empty(), "a higher epoch knows nothing of it");
    let mut restored = welcome(2, 40, "two", true);
    restored["shared"] = json!({"island": {"minted": 23}});
    bench.hear(&restored);
    assert_eq!(client_shared(&bench), json!({"island": {"minted": 23}}));
}
