//! The exhaustive small model of leases: two rooms, the Lobby, D1, one account and three operations of its player.
//!
//! Every order in which messages can arrive is tried, every timer fires at any time at which it could, and so many faults
//! strike at any moment between two events: a room dies, with its process or in the middle of a commit that is on disk, or its
//! commit fails; the Lobby dies; a message or an answer is lost, doubled, or outlives the patience of whoever waits for it;
//! D1 cannot be read, or takes a copy and is not heard. With three operations and one fault (`make test`), and with two of
//! each (`make sim-long`), this is complete up to the names of the rooms: the first one is always into the first. A state
//! is looked at once (`World::fingerprint`); the fork is made by playing its path again.
//!
//! In each state at most one room holds the character, and the numbers of the row and of D1 never fall. What would be left of
//! it if all processes died and all messages were lost settles with the character home, in the row and in D1, with exactly
//! what was minted; and so does every state in which nothing is left to happen. `LEASES_OPERATIONS` and `LEASES_FAULTS` say
//! how many of each.

mod lobby;
#[path = "../../native/leases/mint.rs"]
mod mint;
mod verdict;
mod world;

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use roundtable::mutation::{self, Mutation};

use world::{Fate, World};

#[derive(Clone, Copy, Debug)]
enum Action {
    Come(usize),
    Leave(usize),
    Lose(usize),
    Mint(usize),
    /// Two copies go home, with a piece of gold between them.
    Copies(usize),
    Deliver(usize),
    Time(usize),
    Flush,
    GiveUpCall(usize),
    GiveUpOperation(usize),
    Crash(usize),
    Fate(usize, Fate),
    CrashLobby,
    Drop(usize),
    Double(usize),
}

/// How many operations and faults an action is.
type Cost = (u32, u32);
const FREE: Cost = (0, 0);
const OPERATION: Cost = (1, 0);
const FAULT: Cost = (0, 1);

fn apply(world: &mut World, action: Action) {
    match action {
        Action::Come(room) => world.come(room, false),
        Action::Leave(room) => world.leave(room),
        Action::Lose(room) => world.lose(room),
        Action::Mint(room) => world.mint(room),
        Action::Copies(room) => {
            world.mint(room);
            world.copy(room);
            world.mint(room);
            world.copy(room);
        }
        Action::Deliver(at) => {
            let message = world.net.remove(at);
            world.deliver(message);
        }
        Action::Time(room) => {
            world.ticks(room, 201);
            world.alarm(room);
        }
        Action::Flush => world.flush(),
        Action::GiveUpCall(at) => {
            let (room, of, call, _) = world.calls()[at];
            world.give_up_call((room, of, call));
        }
        Action::GiveUpOperation(at) => {
            let (number, _) = world.operations()[at];
            world.give_up_operation(number);
        }
        Action::Crash(room) => world.crash(room),
        Action::Fate(room, fate) => world.set_fate(room, fate),
        Action::CrashLobby => world.crash_lobby(),
        Action::Drop(at) => drop(world.net.remove(at)),
        Action::Double(at) => {
            let message = world.net[at].clone();
            world.net.push(message);
        }
    }
}

/// What can happen next, each with what it costs. `is_first`: nothing has happened yet.
fn actions(world: &World, operations: u32, faults: u32, is_first: bool) -> Vec<(Action, Cost)> {
    let mut all = Vec::new();
    if operations > 0 {
        let rooms = if is_first { 0..1 } else { 0..2 };
        for room in rooms {
            all.push((Action::Come(room), OPERATION));
            if world.is_here(room) {
                all.extend([Action::Leave(room), Action::Lose(room)].map(|action| (action, OPERATION)));
            }
            if world.is_here(room) && world.holds(room) {
                all.extend([Action::Mint(room), Action::Copies(room)].map(|action| (action, OPERATION)));
            }
        }
    }
    let mut seen = BTreeSet::new();
    for (at, message) in world.net.iter().enumerate() {
        if seen.insert(world.shape(message)) {
            all.push((Action::Deliver(at), FREE));
            all.extend([Action::Drop(at), Action::Double(at)].map(|action| (action, FAULT)));
        }
    }
    all.extend((0..2).filter(|room| world.time_does_something(*room)).map(|room| (Action::Time(room), FREE)));
    // Patience ends by itself when nothing is on its way; else it is a fault, for then what is comes too late.
    let patience = |(at, is_under_way)| (at, if is_under_way { FAULT } else { FREE });
    all.extend(world.owes().map(|is_under_way| (Action::Flush, patience((0, is_under_way)).1)));
    let calls = world.calls().into_iter().map(|(.., is_under_way)| is_under_way).enumerate();
    all.extend(calls.map(patience).map(|(at, cost)| (Action::GiveUpCall(at), cost)));
    let waits = world.operations();
    let operations = waits.iter().map(|(_, is_under_way)| *is_under_way).enumerate();
    all.extend(operations.map(patience).map(|(at, cost)| (Action::GiveUpOperation(at), cost)));
    for room in 0..2 {
        all.push((Action::Crash(room), FAULT));
        all.extend([Fate::Fails, Fate::Kills].map(|fate| (Action::Fate(room, fate), FAULT)));
    }
    if !waits.is_empty() {
        all.push((Action::CrashLobby, FAULT));
    }
    all.retain(|(_, cost)| cost.1 <= faults);
    all
}

#[derive(Clone, Default)]
struct Path {
    actions: Vec<Action>,
    operations: u32,
    faults: u32,
}

impl Path {
    fn then(&self, action: Action, (operations, faults): Cost) -> Path {
        let mut actions = self.actions.clone();
        actions.push(action);
        Path { actions, operations: self.operations - operations, faults: self.faults - faults }
    }
}

fn play(path: &[Action]) -> World {
    let mut world = World::new();
    path.iter().for_each(|action| apply(&mut world, *action));
    world
}

fn hash(text: &str) -> u64 {
    xxhash_rust::xxh64::xxh64(text.as_bytes(), 0)
}

#[derive(Default)]
struct Search {
    todo: Mutex<Vec<Path>>,
    seen: Mutex<BTreeSet<u64>>,
    stored: Mutex<BTreeSet<u64>>,
    busy: AtomicUsize,
    quiet: AtomicUsize,
    found: Mutex<Option<String>>,
}

impl Search {
    /// Looks at a state; gives what can happen next.
    fn look(&self, path: &Path, world: &World) -> Result<Vec<(Action, Cost)>, String> {
        if let Some(wrong) = &world.wrong {
            return Err(wrong.clone());
        }
        let left = format!("{} {}|{}", path.operations, path.faults, world.fingerprint());
        if !self.seen.lock().expect("no panic").insert(hash(&left)) {
            return Ok(Vec::new());
        }
        if world.holders() > 1 {
            return Err("two hold it".to_owned());
        }
        if self.stored.lock().expect("no panic").insert(hash(&world.durable())) {
            let mut stored = world.crashed();
            stored.settle();
            if let Some(wrong) = stored.verdict() {
                return Err(format!("had everything crashed here: {wrong}"));
            }
        }
        let next = actions(world, path.operations, path.faults, path.actions.is_empty());
        if next.iter().all(|(_, cost)| *cost != FREE) {
            self.quiet.fetch_add(1, Ordering::Relaxed);
            let mut world = play(&path.actions);
            world.settle();
            if let Some(wrong) = world.verdict() {
                return Err(format!("once all is quiet: {wrong}"));
            }
        }
        Ok(next)
    }

    fn work(&self) {
        while self.found.lock().expect("no panic").is_none() {
            let path = {
                let mut todo = self.todo.lock().expect("no panic");
                let path = todo.pop();
                self.busy.fetch_add(usize::from(path.is_some()), Ordering::SeqCst);
                path
            };
            match path {
                Some(path) => {
                    self.follow(path);
                    self.busy.fetch_sub(1, Ordering::SeqCst);
                }
                None if self.busy.load(Ordering::SeqCst) == 0 => return,
                None => std::thread::yield_now(),
            }
        }
    }

    /// Goes along one path to its end, in one world; where others branch off they are left to do.
    fn follow(&self, mut path: Path) {
        let mut world = play(&path.actions);
        loop {
            let mut next = match self.look(&path, &world) {
                Ok(next) => next,
                Err(wrong) => {
                    let text = format!("{wrong}\n{:#?}", path.actions);
                    self.found.lock().expect("no panic").get_or_insert(text);
                    return;
                }
            };
            let Some((last, cost)) = next.pop() else { return };
            let branches: Vec<Path> =
                next.into_iter().map(|(action, cost)| path.then(action, cost)).collect();
            self.todo.lock().expect("no panic").extend(branches);
            path = path.then(last, cost);
            apply(&mut world, last);
        }
    }
}

/// Explores everything; what was found, and how many states there are, and how many different ones are stored.
fn explore(operations: u32, faults: u32, wrong: Option<Mutation>) -> (Option<String>, usize, usize, usize) {
    let search = Search::default();
    search.todo.lock().expect("no panic").push(Path { actions: Vec::new(), operations, faults });
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                mutation::set(wrong);
                search.work();
                mutation::set(None);
            });
        }
    });
    let states = search.seen.lock().expect("no panic").len();
    let stored = search.stored.lock().expect("no panic").len();
    (search.found.into_inner().expect("no panic"), states, stored, search.quiet.into_inner())
}

#[test]
fn in_no_state_is_the_character_lost_doubled_or_held_twice() {
    let (operations, faults) =
        (crate::setting("LEASES_OPERATIONS", 3) as u32, crate::setting("LEASES_FAULTS", 1) as u32);
    let (found, states, stored, quiet) = explore(operations, faults, None);
    println!(
        "leases: {states} states of {operations} operations and {faults} faults, {stored} of them stored differently, \
         {quiet} in which nothing was left to happen"
    );
    if let Some(found) = found {
        panic!("{found}");
    }
    assert!(states > 10_000, "{states}: little was tried");
}

/// Each way of being wrong is found by the model.
#[test]
fn leases_that_are_wrong_on_purpose_are_noticed() {
    for wrong in [
        Mutation::GrantBeforeCommit,
        Mutation::ForgetBeforeWord,
        Mutation::UnconditionalRecord,
        Mutation::CompareLeaseOnly,
        Mutation::AdmitReleased,
        Mutation::NoReread,
    ] {
        let (found, states, ..) = explore(3, 1, Some(wrong));
        let found = found.unwrap_or_else(|| panic!("{wrong:?} goes unnoticed in {states} states"));
        println!("{wrong:?}: after {states} states, {}", found.lines().next().unwrap_or_default());
    }
}
