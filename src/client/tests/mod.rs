//! The client as a whole against a scripted room: what it says, what it ignores, and how it comes back.

mod accounts;
mod actions;
mod events;

use serde_json::{Value, json};

use super::*;
use crate::limits::INTERPOLATION_MS;

/// A client and what it put out; the room is the test.
struct Bench {
    client: Client,
    now: f64,
    generation: u32,
    sent: Vec<Value>,
    outputs: Vec<Output>,
}

impl Bench {
    fn new(hello: Hello) -> Bench {
        let client = Client::new(Setup { hello, reloaded: false, seed: 9 }, 0.0);
        let mut bench = Bench { client, now: 0.0, generation: 0, sent: Vec::new(), outputs: Vec::new() };
        bench.pass(0.0);
        bench
    }

    fn pass(&mut self, ms: f64) {
        self.now += ms;
        self.client.handle_timeout(self.now);
        self.drain();
    }

    fn drain(&mut self) {
        while let Some(output) = self.client.poll_output() {
            match output {
                Output::Connect { generation } => self.generation = generation,
                Output::Send { text, .. } => self.sent.push(serde_json::from_str(&text).expect("JSON")),
                other => self.outputs.push(other),
            }
        }
    }

    fn open(&mut self) {
        self.client.handle_opened(self.generation, self.now);
        self.drain();
    }

    fn hear(&mut self, message: &Value) {
        self.client.handle_text(self.generation, &message.to_string(), self.now);
        self.drain();
    }

    fn join(&mut self, epoch: u32) {
        self.open();
        self.hear(&welcome(epoch, 100, "one", false));
    }

    fn last(&self, kind: &str) -> &Value {
        self.sent.iter().rev().find(|m| m["t"] == kind).expect("one was sent")
    }

    /// Lets time pass until it dials again, and opens that socket.
    fn redial(&mut self) {
        let before = self.generation;
        while self.generation == before {
            self.pass(50.0);
        }
        self.open();
    }
}

fn arena() -> Hello {
    Hello { game: "arena".to_owned(), name: Some("Ada".to_owned()), ..Hello::default() }
}

fn welcome(epoch: u32, tick: u32, token: &str, back: bool) -> Value {
    json!({
        "t": "welcome", "v": 1, "rev": 1, "schema": "ab", "room": "x", "game": "arena", "hz": 20, "e": epoch,
        "k": tick, "st": tick * 50, "you": {"seat": 3, "occ": 17, "token": token, "back": back},
        "build": {"id": "b1", "at": 1000},
        "inputs": [{"name": "move", "how": "stick"}, {"name": "fire", "how": "button"}],
        "kinds": [{"name": "fighter", "player": true, "radius": 0.5, "look": "disc #4af", "bar": "hp",
            "fields": [{"name": "hp", "type": "int", "min": 0, "max": 100}]}],
        "map": {"size": [40, 40], "ground": "grid #1b2330", "shapes": []},
        "fx": [{"name": "hit", "look": "burst #f44"}],
        "roster": [{"seat": 3, "name": "Ada", "driver": "person", "away": false}],
        "round": {"n": 1, "live": 1, "endsAt": 2400}, "shared": {}
    })
}

fn snap(epoch: u32, tick: u32) -> Value {
    let own = json!({
        "id": 8, "kind": "fighter", "seat": 3, "at": [1.5, -2], "heading": 0.5, "f": {"hp": 90}
    });
    json!({"t": "snap", "e": epoch, "k": tick, "st": tick * 50, "d": [[1, 1, 2400], [own]],
        "c": [[3, 0, tick - 1, 0]]})
}

/// B1
#[test]
fn hello_says_who_the_client_is_and_what_it_can_do() {
    let mut bench = Bench::new(Hello {
        token: Some("kept".to_owned()),
        device: Some("phone".to_owned()),
        want: Some(2),
        max: Some(4),
        watch: true,
        caps: vec!["touch".to_owned()],
        agent: Some(json!({"model": "m"})),
        ver: Some(json!("3")),
        feat: vec!["dash".to_owned()],
        ..arena()
    });
    bench.open();
    let expected = json!({
        "t": "hello", "v": PROTOCOL_VERSION, "rev": PROTOCOL_REVISION, "game": "arena", "name": "Ada",
        "token": "kept", "device": "phone", "want": 2, "max": 4, "watch": true, "caps": ["touch"],
        "agent": {"model": "m"}, "ver": "3", "feat": ["dash"], "coast": 1
    });
    assert_eq!(bench.sent, [expected]);
}

/// B2: the tick of a rejected snapshot counts too, and a new connection begins without one.
#[test]
fn the_newest_tick_held_is_said_on_pings_and_inputs_and_reset_on_connect() {
    let mut bench = Bench::new(arena());
    bench.join(1);
    assert_eq!(bench.last("ping")["g"], Value::Null);
    bench.hear(&snap(1, 101));
    bench.pass(2_000.0);
    assert_eq!((&bench.last("ping")["g"], &bench.last("in")["g"]), (&json!(101.0), &json!(101)));
    bench.hear(&snap(0, 77));
    bench.pass(2_000.0);
    assert_eq!(bench.last("in")["g"], json!(77));
    bench.client.handle_closed(bench.generation, 1006, "", bench.now);
    bench.redial();
    bench.hear(&welcome(1, 150, "two", true));
    assert_eq!(bench.last("ping")["g"], Value::Null);
    assert_eq!(bench.client.stats(bench.now).tick, None);
}

/// B3: hidden is said at once and with each ping.
#[test]
fn a_ping_says_whether_the_page_is_hidden() {
    let mut bench = Bench::new(arena());
    bench.join(1);
    bench.client.handle_hidden(true, bench.now);
    bench.drain();
    assert_eq!(bench.last("ping")["hid"], json!(true));
    bench.client.handle_hidden(false, bench.now);
    bench.drain();
    assert_eq!(bench.last("ping")["hid"], Value::Null);
}

/// B7: and the token handed out by each welcome is the one said in the next hello.
#[test]
fn a_return_is_the_same_player_and_a_newer_build_is_spoken_of_once() {
    let mut bench = Bench::new(arena());
    bench.join(1);
    bench.client.handle_closed(bench.generation, 1006, "", bench.now);
    bench.redial();
    assert_eq!(bench.last("hello")["token"], json!("one"));
    let mut newer = welcome(2, 150, "two", true);
    newer["build"] = json!({"id": "b2", "at": 2000});
    bench.hear(&newer);
    bench.hear(&newer);
    assert_eq!(bench.client.seat(), Some(3));
    let kept = |token: &str| Output::StoreToken(token.to_owned());
    let expected = [
        kept("one"),
        Output::Notice(Notice::Back),
        Output::Notice(Notice::NewBuild),
        kept("two"),
        kept("two"),
    ];
    assert_eq!(bench.outputs, expected);
}

#[test]
fn a_seat_that_could_not_be_given_back_is_said_to_be_new() {
    let mut bench = Bench::new(arena());
    bench.join(1);
    bench.client.handle_closed(bench.generation, 1006, "", bench.now);
    bench.redial();
    bench.hear(&welcome(1, 900, "two", false));
    assert!(bench.outputs.contains(&Output::Notice(Notice::NewSeat)));
}

/// B11: whichever comes first; the dead socket's words change nothing.
#[test]
fn an_error_and_a_close_are_one_loss() {
    for error_first in [true, false] {
        let mut bench = Bench::new(arena());
        bench.join(1);
        let dead = bench.generation;
        if error_first {
            bench.client.handle_failed(dead, bench.now);
            bench.client.handle_closed(dead, 1006, "gone", bench.now);
        } else {
            bench.client.handle_closed(dead, 1006, "gone", bench.now);
            bench.client.handle_failed(dead, bench.now);
        }
        bench.drain();
        let stats = bench.client.stats(bench.now);
        let last = stats.last_disconnect.clone().expect("it was lost");
        let closes = bench.outputs.iter().filter(|o| matches!(o, Output::Close { .. })).count();
        assert_eq!(stats.drops, 1);
        if error_first {
            assert_eq!((last.why, last.code, last.reason, closes), ("error", None, None, 1));
            let close = Output::Close { generation: dead, code: 4000, reason: "error" };
            assert!(bench.outputs.contains(&close));
        } else {
            assert_eq!(
                (last.why, last.code, last.reason.as_deref(), closes),
                ("close", Some(1006), Some("gone"), 0)
            );
        }
        bench.redial();
        bench.client.handle_text(dead, &welcome(9, 9, "stolen", true).to_string(), bench.now);
        bench.client.handle_closed(dead, 4014, "", bench.now);
        bench.drain();
        assert_eq!(bench.client.state(), LinkState::Joining);
        bench.hear(&welcome(1, 120, "two", true));
        assert_eq!(bench.client.stats(bench.now).reconnects, 1);
    }
}

#[test]
fn a_silent_link_is_dropped_and_dialled_again() {
    let mut bench = Bench::new(arena());
    bench.join(1);
    let dead = bench.generation;
    for _ in 0..70 {
        bench.pass(100.0);
    }
    assert!(bench.outputs.contains(&Output::Close { generation: dead, code: 4000, reason: "silent" }));
    assert_eq!(bench.generation, dead + 1);
    let last = bench.client.stats(bench.now).last_disconnect.expect("it was lost");
    assert_eq!((last.why, last.silent_ms >= 6_000.0), ("silent", true));
}

/// F25, F27: a restored room counts ticks from an earlier one, and nothing of the former epoch is left or
/// sent.
#[test]
fn after_a_restore_inputs_carry_the_new_epoch_and_ticks() {
    let mut bench = Bench::new(arena());
    bench.join(1);
    bench.now += 100.0;
    bench.hear(&snap(1, 5_000));
    let mut held = Controls::default();
    held.0[..3].copy_from_slice(&[127, 0, 1]);
    bench.client.set_controls(held, bench.now);
    bench.drain();
    assert!(bench.last("in")["s"][0][0].as_u64().is_some_and(|tick| tick >= 5_000));
    bench.now += 100.0;
    bench.hear(&welcome(2, 40, "two", true));
    bench.pass(100.0);
    let input = bench.last("in");
    assert_eq!((&input["e"], &input["s"][0][1]), (&json!(2), &json!({"move": [1.0, 0.0], "fire": true})));
    assert!(input["s"][0][0].as_u64().is_some_and(|tick| tick < 60), "{input}");
    bench.hear(&snap(1, 5_001));
    assert_eq!((bench.client.newest(), bench.client.epoch()), (None, 2));
    assert_eq!(bench.client.stats(bench.now).rejected_snaps, 1);
}

#[test]
fn a_frame_is_one_flat_array_of_what_is_to_be_drawn() {
    let mut bench = Bench::new(arena());
    bench.join(1);
    for tick in 101..120 {
        bench.hear(&snap(1, tick));
        bench.hear(&json!({"t": "fx", "k": tick, "fx": [["hit", 1, 2]]}));
        bench.pass(50.0);
    }
    let mut out = Vec::new();
    bench.client.frame(bench.now, &mut out);
    assert_eq!(out[0], FRAME_LAYOUT);
    assert_eq!((out[1], out[6], out[7], out[8]), (2.0, 3.0, 1.0, 1.0));
    assert_eq!((out[13], out[11]), (1.0, 0.0));
    assert_eq!(out[HEADER_LEN..HEADER_LEN + 7], [8.0, 0.0, 3.0, 1.5, -2.0, 0.5, 90.0]);
    let effects = &out[HEADER_LEN + 7..];
    assert_eq!((effects.len(), out[14]), (3 * out[14] as usize, out[14]));
    assert!(out[14] > 0.0);
    bench.client.frame(bench.now, &mut out);
    assert_eq!(out[14], 0.0, "an effect is handed out once");
}

#[test]
fn nothing_a_room_says_ends_in_a_panic_or_a_wrong_state() {
    let mut bench = Bench::new(arena());
    bench.hear(&snap(1, 1));
    bench.open();
    bench.hear(&snap(1, 1));
    assert_eq!(bench.client.stats(0.0).unread_messages, 2, "snapshots before the welcome");
    bench.hear(&welcome(1, 100, "one", false));
    let texts = [
        "",
        "{",
        "null",
        "[]",
        "{\"t\":1}",
        "{\"t\":\"snap\"}",
        "{\"t\":\"dance\"}",
        "{\"t\":\"pong\",\"c\":1e999}",
        "{\"t\":\"pong\",\"c\":-1,\"st\":18446744073709551615,\"k\":0}",
        "{\"t\":\"bye\",\"code\":70000}",
        "{\"t\":\"fx\",\"k\":4294967295,\"fx\":[[\"hit\",1e308,-1e308]]}",
        "{\"t\":\"welcome\",\"v\":1}",
        "{\"t\":\"snap\",\"e\":1,\"k\":4294967295,\"st\":18446744073709551615,\
            \"d\":[[0,9,4294967295],[]],\"c\":[[3,4294967295,0,-2147483648]]}",
    ];
    let mut out = Vec::new();
    for text in texts {
        bench.client.handle_text(bench.generation, text, bench.now);
        bench.pass(20.0);
        bench.client.frame(bench.now, &mut out);
        bench.client.stats(bench.now);
        bench.client.set_controls(Controls([i16::MIN; 16]), bench.now);
    }
    assert!(bench.client.state() == LinkState::Online);
}

#[test]
fn a_welcome_that_cannot_be_used_ends_the_connection() {
    let spoil = |key: &str, value: Value| {
        let mut bad = welcome(1, 100, "one", false);
        bad[key] = value;
        bad
    };
    for bad in [
        spoil("v", json!(2)),
        spoil("hz", json!(0)),
        spoil("map", json!({"size": [0, 40], "ground": "", "shapes": []})),
        spoil("map", json!({"size": [1e300, 40], "ground": "", "shapes": []})),
        spoil("inputs", json!(vec![json!({"name": "a", "how": "stick"}); 17])),
    ] {
        let mut bench = Bench::new(arena());
        bench.open();
        bench.hear(&bad);
        assert_eq!(bench.client.state(), LinkState::Waiting, "{bad}");
        assert!(bench.client.welcome().is_none());
    }
}

#[test]
fn a_full_room_is_watched_when_the_player_asks_for_it() {
    let mut bench = Bench::new(arena());
    bench.open();
    bench.hear(&json!({"t": "bye", "code": 4006, "reason": "all 8 seats are taken"}));
    bench.client.handle_closed(bench.generation, 4006, "all 8 seats are taken", bench.now);
    assert_eq!(bench.client.state(), LinkState::Waiting);
    bench.client.connect_again(true, bench.now);
    bench.drain();
    bench.open();
    assert_eq!(bench.last("hello")["watch"], json!(true));
    let mut seatless = welcome(1, 100, "", false);
    seatless["you"] = Value::Null;
    bench.hear(&seatless);
    assert_eq!((bench.client.state(), bench.client.seat()), (LinkState::Online, None));
    bench.pass(5_000.0);
    assert!(bench.sent.iter().all(|m| m["t"] != "in"), "a spectator has no input");
}
