//! A room without ticks: no inputs, few pings, no smoothing, and a silence that is none. And areas, details, heights.

use super::*;
use crate::limits::{EVENT_PING_MS, LINK_SILENT_MS};

fn cards(tick: u32, token: &str) -> Value {
    let mut message = welcome(1, tick, token, false);
    message["hz"] = Value::Null;
    message
}

fn sitting() -> Bench {
    let mut bench = Bench::new(Hello { game: "cards".to_owned(), bots: Some(60_000), ..Hello::default() });
    bench.open();
    bench.hear(&cards(100, "one"));
    bench
}

fn count(bench: &Bench, kind: &str) -> usize {
    bench.sent.iter().filter(|message| message["t"] == kind).count()
}

/// Passes time as a page does, answering pings or not.
fn sit(bench: &mut Bench, ms: f64, is_answered: bool) {
    let until = bench.now + ms;
    while bench.now < until {
        bench.pass(250.0);
        let pings: Vec<Value> = bench.sent.iter().filter(|m| m["t"] == "ping").cloned().collect();
        bench.sent.retain(|message| message["t"] != "ping");
        for ping in pings {
            bench.sent.push(json!({"t": "pinged", "at": bench.now}));
            if is_answered {
                bench.hear(&json!({"t": "pong", "c": ping["c"], "st": 5_000.0 + bench.now, "k": 100}));
            }
        }
    }
}

#[test]
fn an_event_driven_room_is_left_alone_but_for_slow_pings() {
    let mut bench = sitting();
    let mut held = Controls::default();
    held.0[2] = 1;
    bench.client.set_controls(held, bench.now);
    sit(&mut bench, 600_000.0, true);
    assert_eq!((bench.client.state(), count(&bench, "in")), (LinkState::Online, 0));
    let pings = count(&bench, "pinged");
    assert!((24..=26).contains(&pings), "{pings} pings in 10 minutes");
    let at: Vec<f64> = bench.sent.iter().filter_map(|message| message["at"].as_f64()).collect();
    assert!(at.windows(2).skip(1).all(|pair| (pair[1] - pair[0] - EVENT_PING_MS).abs() <= 250.0), "{at:?}");
    let stats = bench.client.stats(bench.now);
    assert_eq!((stats.interp_delay, stats.snap_age_p90, stats.drops), (0.0, None, 0));
}

#[test]
fn a_ping_says_the_delay_of_drawing_where_there_is_one() {
    let mut bench = Bench::new(arena());
    bench.join(1);
    assert_eq!(bench.last("ping")["iv"], json!(INTERPOLATION_MS));
    assert_eq!(sitting().last("ping")["iv"], Value::Null);
}

#[test]
fn bots_are_asked_for_as_many_as_a_room_can_hold() {
    assert_eq!(sitting().last("hello")["bots"], json!(512));
}

#[test]
fn an_event_driven_room_that_does_not_answer_is_lost() {
    let mut bench = sitting();
    sit(&mut bench, 60_000.0, true);
    let dead = bench.generation;
    sit(&mut bench, EVENT_PING_MS + LINK_SILENT_MS + 1_000.0, false);
    assert!(bench.outputs.contains(&Output::Close { generation: dead, code: 4000, reason: "silent" }));
}

#[test]
fn an_action_that_is_not_answered_shows_the_loss_at_once() {
    let mut bench = sitting();
    sit(&mut bench, 2_000.0, true);
    let dead = bench.generation;
    bench.client.act("play", serde_json::Map::new(), bench.now);
    bench.drain();
    sit(&mut bench, LINK_SILENT_MS, false);
    assert!(bench.outputs.contains(&Output::Close { generation: dead, code: 4000, reason: "silent" }));
}

#[test]
fn the_newest_snapshot_is_drawn_at_once_and_stands() {
    let mut bench = sitting();
    sit(&mut bench, 30_000.0, true);
    let mut out = Vec::new();
    for tick in 101..104 {
        bench.hear(&snap(1, tick));
        bench.hear(&json!({"t": "fx", "k": tick, "fx": [["hit", 1, 2]]}));
        bench.client.frame(bench.now, &mut out);
        assert_eq!((out[10], out[11], out[13], out[14]), (f64::from(tick), 0.0, 1.0, 1.0));
        sit(&mut bench, 9_000.0, true);
        bench.client.frame(bench.now, &mut out);
        assert_eq!((out[10], out[11], out[13], out[14]), (f64::from(tick), 0.0, 1.0, 0.0));
    }
}

#[test]
fn areas_are_those_the_room_last_named() {
    let mut bench = Bench::new(arena());
    bench.open();
    let mut first = welcome(1, 100, "one", false);
    first["areas"] = json!([[1, "fog", 1, 2, 3, null]]);
    bench.hear(&first);
    assert_eq!(json!(bench.client.areas()), json!([[1, "fog", 1.0, 2.0, 3.0, null]]));
    let version = bench.client.room_version;
    bench.hear(&json!({"t": "areas", "k": 101, "a": [[2, "fire", 0, 0, 4.5, 140]]}));
    assert_eq!(json!(bench.client.areas()), json!([[2, "fire", 0.0, 0.0, 4.5, 140]]));
    assert_ne!(bench.client.room_version, version, "the page reads them again");
    bench.hear(&snap(2, 40));
    assert!(bench.client.areas().is_empty(), "a higher epoch has areas of its own");
}

/// What a page is told of a map with height, and of texts.
#[test]
fn heights_follow_the_fields_and_details_are_read_apart() {
    let mut bench = Bench::new(arena());
    bench.open();
    let mut deep = welcome(1, 100, "one", false);
    deep["map"]["size"] = json!([40, 40, 10]);
    let title = json!({"name": "title", "type": "text", "chars": 9});
    deep["kinds"][0]["fields"].as_array_mut().expect("fields").push(title);
    bench.hear(&deep);
    for tick in 101..120 {
        let mut snap = snap(1, tick);
        snap["d"][1][0]["at"] = json!([1.5, -2, 4]);
        snap["d"][1][0]["f"]["title"] = json!("Sir");
        bench.hear(&snap);
        bench.hear(&json!({"t": "fx", "k": tick, "fx": [["hit", 1, 2, 3]]}));
        bench.pass(50.0);
    }
    let mut out = Vec::new();
    bench.client.frame(bench.now, &mut out);
    assert_eq!(out[HEADER_LEN..HEADER_LEN + 8], [8.0, 0.0, 3.0, 1.5, -2.0, 0.5, 90.0, 4.0]);
    assert_eq!(out[HEADER_LEN + 8..HEADER_LEN + 12], [0.0, 1.0, 2.0, 3.0]);
    assert_eq!(json!(bench.client.details()), json!({"8": {"title": "Sir"}}));
    assert_eq!(out[15], 1.0, "details are to be read");
}
