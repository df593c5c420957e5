//! `make bench`: what a step of 1,000 bodies costs and what stands behind a unit of fuel. `make bench BENCH=check` holds the
//! instruction counts against `expected.json` (within a tenth); times are printed, never judged.
//!
//! Instructions are counted by an interpreter that charges each (wasmi's fuel), so they are the same on every machine.

use std::time::Instant;

use roundtable_bench::calls::{CALLS, HANDLERS};
use roundtable_bench::crowd::WALKERS;
use serde_json::{Map, Value, json};
use wasmi::{Config, Engine, Linker, Module, Store, TypedFunc};

/// Ticks before measuring, so that the crowd is on its way, and ticks measured.
const WARM_TICKS: u32 = 40;
const TICKS: u32 = 10;
/// Calls in each handler, and bodies there are.
const TIMES: u32 = 10;
const BODIES: u32 = 100;
const EXPECTED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/expected.json");
/// Instructions that a unit of fuel stands for at most: 50,000 units of them are 20 million, 5 ms where V8 does four in a
/// nanosecond.
const PER_UNIT_MAX: f64 = 400.0;
/// How far a count may stray from what is expected.
const SLACK: f64 = 0.1;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let wasm = std::env::args().nth(1).ok_or("give the wasm file: make bench does")?;
    let measured = measure(&std::fs::read(wasm)?)?;
    native();
    let text = serde_json::to_string_pretty(&measured)?;
    match std::env::var("BENCH").as_deref() {
        Ok("write") => std::fs::write(EXPECTED, text + "\n")?,
        Ok("check") => check(&measured, &serde_json::from_str(&std::fs::read_to_string(EXPECTED)?)?)?,
        _ => println!("{text}"),
    }
    Ok(())
}

/// Instructions of a tick, and per unit of fuel of each sort of call.
fn measure(wasm: &[u8]) -> Result<Value, Box<dyn std::error::Error>> {
    let mut bench = Bench::new(wasm)?;
    bench.setup_crowd.call(&mut bench.store, ())?;
    let (crowd, crowd_units) = bench.instructions()?;
    let mut calls = Map::new();
    let (nothing, base) = bench.calls(0)?;
    for (i, (name, _)) in (0..).zip(CALLS).skip(1) {
        let (all, units) = bench.calls(i)?;
        let per_unit = all.saturating_sub(nothing) as f64 / f64::from(units.saturating_sub(base).max(1));
        println!(
            "{name:>8}: {:>6} instructions a call, {per_unit:.0} a unit",
            all.saturating_sub(nothing) / u64::from(TIMES * HANDLERS)
        );
        calls.insert((*name).to_owned(), json!(per_unit.round()));
    }
    println!("   crowd: {crowd} instructions a tick of {WALKERS} bodies, {crowd_units} units");
    Ok(json!({ "crowd_instructions_a_tick": crowd, "instructions_a_unit": calls }))
}

struct Bench {
    store: Store<()>,
    setup_crowd: TypedFunc<(), ()>,
    setup_calls: TypedFunc<(u32, u32, u32), ()>,
    step: TypedFunc<u32, u64>,
    units: TypedFunc<(), u32>,
}

impl Bench {
    fn new(wasm: &[u8]) -> Result<Bench, wasmi::Error> {
        let mut config = Config::default();
        config.consume_fuel(true);
        let engine = Engine::new(&config);
        let module = Module::new(&engine, wasm)?;
        let mut store = Store::new(&engine, ());
        store.set_fuel(u64::MAX)?;
        let instance = Linker::new(&engine).instantiate_and_start(&mut store, &module)?;
        let setup_crowd = instance.get_typed_func(&store, "setup_crowd")?;
        let setup_calls = instance.get_typed_func(&store, "setup_calls")?;
        let step = instance.get_typed_func(&store, "step")?;
        let units = instance.get_typed_func(&store, "units")?;
        Ok(Bench { store, setup_crowd, setup_calls, step, units })
    }

    fn calls(&mut self, sort: u32) -> Result<(u64, u32), wasmi::Error> {
        self.setup_calls.call(&mut self.store, (sort, TIMES, BODIES))?;
        self.instructions()
    }

    /// Instructions a tick, and units of fuel of the costliest.
    fn instructions(&mut self) -> Result<(u64, u32), wasmi::Error> {
        self.step.call(&mut self.store, WARM_TICKS)?;
        self.store.set_fuel(u64::MAX)?;
        self.step.call(&mut self.store, TICKS)?;
        let used = u64::MAX - self.store.get_fuel()?;
        Ok((used / u64::from(TICKS), self.units.call(&mut self.store, ())?))
    }
}

fn native() {
    roundtable_bench::setup_crowd();
    roundtable_bench::step(WARM_TICKS);
    let start = Instant::now();
    roundtable_bench::step(100);
    let micros = start.elapsed().as_micros() / 100;
    println!("  native: {micros} µs a tick of {WALKERS} bodies");
}

fn check(measured: &Value, expected: &Value) -> Result<(), String> {
    let pairs = |value: &Value| -> Vec<(String, f64)> {
        let number = |name: &str, v: &Value| (name.to_owned(), v.as_f64().unwrap_or(0.0));
        let calls = value["instructions_a_unit"].as_object();
        let mut all: Vec<_> = calls.into_iter().flatten().map(|(name, v)| number(name, v)).collect();
        all.push(number("crowd", &value["crowd_instructions_a_tick"]));
        all
    };
    let strays = pairs(measured)
        .into_iter()
        .zip(pairs(expected))
        .filter(|((a, is), (b, was))| a != b || (is - was).abs() > was * SLACK);
    let mut strays: Vec<String> =
        strays.map(|((name, is), (_, was))| format!("{name}: {is}, expected {was}")).collect();
    let calls = measured["instructions_a_unit"].as_object().into_iter().flatten();
    let dear = calls.filter(|(_, count)| count.as_f64().unwrap_or(0.0) > PER_UNIT_MAX);
    strays.extend(
        dear.map(|(name, count)| format!("{name}: {count} a unit, at most {PER_UNIT_MAX}; see fuel.rs")),
    );
    if strays.is_empty() {
        return Ok(());
    }
    Err(format!(
        "instruction counts have changed; if they should, `make bench BENCH=write`: {}",
        strays.join("; ")
    ))
}
