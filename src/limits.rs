//! A limit on everything: every constant that bounds something, with its unit in its name and why that value.
//!
//! The relations between them are checked when the crate is compiled, at the end of the file.

// ---- Rules ----

/// Steps a metre has in stored positions: 2 mm, fine enough that quantising each tick bends no path a player can see
/// (0.04 m/s at 20 Hz), coarse enough for a moving body to fit in 4 bytes a tick.
pub const POSITION_STEPS_PER_METRE: i32 = 512;
/// Half the widest map, in metres: keeps a position under 2^24 steps, exact in an `f32` for drawing.
pub const MAP_HALF_METRES_MAX: u32 = 16_384;
/// Seats of one room. The platform's soft limit of 1,000 events a second is reached before it.
pub const SEATS_MAX: u16 = 512;
/// Bodies of one room: 1,000 is the size the step is measured at, 8 times that still fits a 50 ms tick.
pub const BODIES_MAX: u32 = 8_192;
/// Kinds of one game: a kind's index is one byte on the wire.
pub const KINDS_MAX: usize = 64;
/// Fields of one kind.
pub const FIELDS_MAX: usize = 32;
/// Controls of one game's input: a bit each in the mask of pressed buttons.
pub const CONTROLS_MAX: usize = 16;
/// Words (16 bits each) all controls of an input take together: a stick takes two.
pub const CONTROL_WORDS_MAX: usize = 16;
/// Highest map, in metres: a height stays in the same range as the other axes.
pub const MAP_DEPTH_METRES_MAX: u32 = 16_384;
/// Corners of a polygon: each is a side to be compared with, for every body near it.
pub const POLYGON_POINTS_MAX: usize = 16;
/// Longest ray, in metres: twice across the widest map, so that "as far as it goes" may be any number.
pub const RAY_METRES_MAX: f64 = 131_072.0;
/// Static shapes of a map.
pub const SHAPES_MAX: usize = 1_024;
/// Effects of one tick; more are dropped and counted. A frame of them stays under 16 kB of JSON.
pub const EFFECTS_PER_TICK_MAX: usize = 256;
/// Faults and notes kept with their text until the host takes them, a tick; more are only counted.
pub const NOTES_PER_TICK_MAX: usize = 32;
/// Characters of a seat's owner: an account, or an agent's name with its keeper's (B12).
pub const OWNER_CHARS_MAX: usize = 128;
/// Characters of an ai's answer that are heard, and bodies an ai ignores at most (B24).
pub const ANSWER_CHARS_MAX: usize = 256;
pub const AVOIDED_MAX: usize = 16;
/// Characters of a question to an ai, and of the goal it keeps.
pub const QUESTION_CHARS_MAX: usize = 1_024;
pub const GOAL_CHARS_MAX: usize = 256;
/// Questions open at once in a room, timers of a room, areas of a room.
pub const ASKS_MAX: usize = 256;
pub const TIMERS_MAX: usize = 4_096;
pub const AREAS_MAX: usize = 256;
/// Characters of the name of a timer or an area.
pub const LABEL_CHARS_MAX: usize = 32;
/// Records of one tick, and characters of a key and of a value.
pub const RECORDS_PER_TICK_MAX: usize = 64;
pub const RECORD_KEY_CHARS_MAX: usize = 64;
pub const RECORD_VALUE_CHARS_MAX: usize = 1_024;
/// Milliseconds for which the positions of a kind with `rewind` are remembered.
pub const HISTORY_MS: u32 = 1_000;
/// Milliseconds a shot reaches back at most beyond the interpolation delay (B45): more than that is a bad line's loss,
/// not its target's.
pub const REWIND_MS_MAX: u32 = 250;
/// Units of fuel one call of a handler may use, and all of a tick. A tick that spends all of it takes at most 5 ms of wasm
/// time: `make bench` fills one with each sort of call in turn and prints the milliseconds, and holds the instructions that a
/// unit stands for to 400. In V8 on a slow machine, opt-level "s", a hundred bodies: 0.1 to 2.1 ms, most for asking where
/// bodies were; the same with six times as much to do as cores: 3.3. Moving, pushing and finding pairs are no handler's and
/// come on top: 1.7 ms for a crowd of 1,000.
pub const FUEL_PER_HANDLER: u32 = 20_000;
pub const FUEL_PER_TICK: u32 = 50_000;
/// Runs of handlers that an observer is told of, a tick.
pub const RUNS_PER_TICK_MAX: usize = 4_096;
/// Bodies from which on a grid is made to find those near a point; looking at fewer is quicker.
pub const GRID_BODIES_MIN: usize = 48;
/// Characters kept of a written value in a note.
pub const NOTE_CHARS_MAX: usize = 40;
/// Words that the fields of one kind take at most: 4 kB of a save a body, so a full room stays under a save's limit.
pub const ROW_WORDS_MAX: usize = 1_024;
/// Characters of a text field and values of a list field.
pub const TEXT_CHARS_MAX: u16 = 256;
pub const LIST_VALUES_MAX: u16 = 64;
/// Lists within lists in a field's type.
pub const LIST_DEPTH_MAX: u32 = 3;
/// Bytes of a kind's, a field's or a choice's name in a save's schema.
pub const SCHEMA_NAME_BYTES_MAX: usize = 255;
/// Names of a choice.
pub const CHOICE_NAMES_MAX: usize = 64;
/// Actions of a game, and arguments of one.
pub const ACTIONS_MAX: usize = 32;
pub const ARGS_MAX: usize = 8;
/// Actions of one seat that wait for their tick; a further one is answered `busy`.
pub const ACTIONS_QUEUED_MAX: usize = 8;
/// Characters of the reason for which an action is refused.
pub const REFUSAL_CHARS_MAX: usize = 80;
/// Bytes of a replay's log as JSON: some ten thousand operations.
pub const REPLAY_BYTES_MAX: usize = 1 << 20;
/// Ticks between two digests of a replay: three seconds at 20 Hz.
pub const REPLAY_DIGEST_TICKS: u32 = 60;
/// Bytes of the log of a recording before a save is taken, and again before it begins at that save: at 16 seats that steer
/// all the time it has the last 5 to 10 minutes.
pub const RECORDING_SEGMENT_BYTES: usize = 2 << 20;
/// Steps of the same: half a day at 20 Hz, which replays in minutes.
pub const RECORDING_SEGMENT_TICKS: u32 = 864_000;
/// Bytes of a recording's heading, the save as base64 in it. A room that keeps more than 3 MB is not recorded.
pub const RECORDING_HEAD_BYTES_MAX: usize = 4 << 20;
/// Bytes of a whole replay file: a heading, two segments, and what the last steps of both wrote.
pub const RECORDING_BYTES_MAX: usize = 12 << 20;
/// Bytes of a part of a recording, a row each. The last one is written anew with each commit.
pub const RECORDING_PART_BYTES: usize = 64 << 10;
/// Characters of a fault's message.
pub const FAULT_CHARS_MAX: usize = 160;
/// Iterations of push-out when a moving body touches several shapes at once; one that still overlaps stays where it was.
pub const SLIDE_ITERATIONS_MAX: u32 = 4;
/// Sub-steps of one slide: a body faster than half as many radii a tick crosses open ground at its speed but slides
/// along walls no farther than that.
pub const SLIDE_SUBSTEPS_MAX: u32 = 32;
/// Steps a moved body may end inside a shape: stored positions are rounded, and push-outs come near, not to.
pub const SLIDE_SKIN_STEPS: f64 = 2.0;
/// Smallest body that is moved, metres: one without extent would rest on a wall's surface, neither in nor out.
pub const SLIDE_RADIUS_METRES_MIN: f64 = 1.0 / 128.0;
/// Steps of the search for where a long way is blocked, each leaving two thirds: to 4 mm across the widest map.
pub const SLIDE_SEARCH_STEPS: u32 = 40;
/// Tries of a slide, each shorter, when push-outs carried a body farther than its speed; then it waits for a tick.
pub const SLIDE_TRIES_MAX: u32 = 4;
/// Fastest a body moves, metres a second: what a stored velocity can say.
pub const SPEED_METRES_PER_SECOND_MAX: f64 = 4_000_000.0;
/// Rounds of pushing solid bodies apart in a tick; a crowd that needs more takes a few ticks.
pub const PUSH_ROUNDS_MAX: u32 = 4;
/// Steps beyond touching at which a body counts as one that a push may reach in a tick.
pub const PUSH_LOOK_STEPS: i32 = 128;
/// Steps that bodies are pushed apart beyond touching: rounding to steps may bring them as much nearer.
pub const PUSH_SKIN_STEPS: f64 = 2.0;
/// Steps within which solid bodies touch: pushed apart they overlap no more, but lie against each other.
pub const SOLID_TOUCH_STEPS: i32 = 4;
/// Overlapping pairs of bodies a tick; a heap of all bodies at one spot would be 67 million.
pub const PAIRS_PER_TICK_MAX: usize = 65_536;
/// Ticks of travel an owner-moved body saves up while its claims do not come: half a second at 20 Hz.
pub const CLAIM_TICKS_MAX: u32 = 10;
/// Steps a claim may be farther off than the kind's speed allows: both ends are rounded.
pub const CLAIM_SLACK_STEPS: f64 = 2.0;
/// Steps a claimed place may lie inside a shape: the body that claims it was left there by `SLIDE_SKIN_STEPS` and rounding.
pub const CLAIM_SKIN_STEPS: f64 = 4.0;
/// Tries to go from a body's place to the claimed one: one along the straight way, the others around what it slid off.
pub const CLAIM_TRIES_MAX: u32 = 4;
/// Tries of a random placement to find a spot clear of shapes before the map's centre is taken.
pub const PLACE_TRIES_MAX: u32 = 32;

// ---- Wire ----

/// Bytes of one message from a client. A full batch of `ENTRIES_MAX` entries of a wide input is about 3 kB.
pub const MESSAGE_BYTES_MAX: usize = 4_096;
/// Entries in one input message: 1.6 s at 20 Hz, so that a lost second is made up by one message.
pub const ENTRIES_MAX: usize = 32;
/// Characters of a player's name.
pub const NAME_CHARS_MAX: usize = 24;
/// Characters of one `say`.
pub const SAY_CHARS_MAX: usize = 200;
/// Bytes of a room's name (`[a-z0-9-]`): also a label in the object's name.
pub const ROOM_NAME_BYTES_MAX: usize = 32;
/// Bytes of a close reason that a WebSocket can carry (RFC 6455, 5.5.1: 125 less the code).
pub const REASON_BYTES_MAX: usize = 123;
/// Capabilities or features named in one hello.
pub const HELLO_LIST_MAX: usize = 16;
/// Characters of any other text in a hello (resume token, device, versions).
pub const HELLO_TEXT_CHARS_MAX: usize = 512;

// ---- Lobby: sessions and leases ----

/// Bytes of an account: 22 of a guest's, more for an identity provider's.
pub const ACCOUNT_BYTES_MAX: usize = 64;
/// Milliseconds a session token is good for. A page renews it when half of that has passed, so a guest who comes once in
/// 45 days keeps the account, and one who has left a shared computer is locked out in a season.
pub const SESSION_MS: u64 = 90 * 86_400_000;
/// Bytes of a session token: ours has 120, an identity provider's with a dozen claims has hardly more than this.
pub const SESSION_BYTES_MAX: usize = 2_048;
/// Characters of the subject of an identity provider's token (OpenID Connect allows 255).
pub const SUBJECT_CHARS_MAX: usize = 255;
/// Milliseconds by which an identity provider's clock may be ahead of ours.
pub const IDENTITY_SKEW_MS: u64 = 60_000;
/// Letters of a one-time code for a second device: 31^8 of them, of which an address may try one a second.
pub const CODE_LETTERS: usize = 8;
/// Milliseconds that such a code is good for: to type it in over there, and not for who finds it later.
pub const CODE_MS: u64 = 600_000;
/// Milliseconds a call from one object to another may take before it counts as lost (`peer_call_ms`).
pub const PEER_CALL_MS: u64 = 5_000;
/// Milliseconds after which a call that the platform never answered is lost: it should have said so itself.
pub const CALL_LOST_MS: u64 = 2 * PEER_CALL_MS;
/// Milliseconds between two copies of a character that is held: what a profile page is behind at most. Each costs two
/// requests, a row of the lease object and two of D1; a room's are made together, so they cost it one row.
pub const WRITE_BACK_MS: u64 = 180_000;
/// Milliseconds for which a room must not have answered before an operator may break its leases by force
/// (`break_wait_s`): longer than a deploy, a crash and a restore take together.
pub const BREAK_WAIT_MS: u64 = 60_000;
/// Rooms that have an account's broken leases and have not said yet that they dropped them.
pub const REVOKED_MAX: usize = 8;
/// Milliseconds that a room which was away for as long lets pass before its first tick, to hear whether its leases stand.
pub const CONFIRM_MS: u64 = 1_000;
/// Milliseconds until the first retry of a message that was not taken, and the most that doubling makes of it.
pub const OUTBOX_RETRY_MS_MIN: u64 = 1_000;
pub const OUTBOX_RETRY_MS_MAX: u64 = 300_000;
/// Milliseconds a read of a character's record may take, its retries included: less than `PEER_CALL_MS`, so that the
/// Table that waits for it is told `away` and need not guess.
pub const RECORD_READ_MS: u64 = 3_000;
/// Tries of such a read, and milliseconds between two.
pub const RECORD_READS_MAX: u32 = 3;
pub const RECORD_READ_WAIT_MS: u64 = 200;
/// Characters, or records of the rules, that one batch gives to D1: two statements for a character, six for a deleted
/// account, of the 50 queries an invocation has on the free plan.
pub const RECORD_BATCH_MAX: usize = 8;
/// Failed tries after which a character is given to D1 alone: what D1 refuses in it must not hold up the others.
pub const RECORD_ALONE_TRIES: u32 = 3;
/// Milliseconds that a lease object leaves D1 alone at most after a batch has failed.
pub const RECORD_WAIT_MS_MAX: u64 = 30_000;
/// Steps of one grant: the record, the holder, and each once more if the character moved meanwhile.
pub const LEASE_STEPS_MAX: u32 = 4;
/// Milliseconds after which an operation that has not ended is taken for dead: longer than its steps may take.
pub const LEASE_TURN_MS_MAX: u64 = LEASE_STEPS_MAX as u64 * PEER_CALL_MS;
/// Bytes of a message about a character: 32 fields of 256 characters, and as much again.
pub const LEASE_BYTES_MAX: usize = 32_768;
/// Milliseconds that each new session from one address takes off its allowance, and how many it may have at once: a
/// school behind one address, not a flood.
pub const SESSION_SPACING_MS: u64 = 1_000;
pub const SESSIONS_BURST: u64 = 60;
/// Addresses whose allowance is remembered.
pub const VISITORS_MAX: usize = 1_024;
/// Characters of an address that are looked at.
pub const VISITOR_CHARS_MAX: usize = 64;
/// Calls of an outbox that may be under way at once: of the 50 subrequests an invocation has on the free plan, the
/// others are for grants.
pub const OUTBOX_CALLS_MAX: usize = 20;

// ---- Host ----

/// Ticks an input may lie ahead of the tick just run: a second at 20 Hz, the longest lead a bad line needs.
pub const LEAD_TICKS_MAX: u32 = 20;
/// Entries waiting for a seat: all that may lie ahead and a batch on top.
pub const INPUT_QUEUE_MAX: usize = 64;
/// Milliseconds of interpolation that a client may name, least and most.
pub const INTERPOLATION_MS_MIN: u64 = 50;
pub const INTERPOLATION_MS_MAX: u64 = 250;
/// Milliseconds within which the least round trip of a seat is taken.
pub const RTT_WINDOW_MS: u64 = 5_000;
/// Rising round trips remembered of that time: only those that may become the least are.
pub const RTT_SAMPLES_MAX: usize = 64;
/// Ticks whose sending is remembered: `HISTORY_MS` of the fastest room.
pub const SEND_TIMES_MAX: usize = 256;
/// Steps that one event of an event-driven room may bring about by due timers; the rest follow with the next alarm.
pub const EVENT_STEPS_MAX: u32 = 32;
/// Milliseconds until an event-driven room gives actions again that its last step did not come to.
pub const EVENT_RETRY_MS: u64 = 50;
/// Records of the rules that wait to be sent; further ones are lost, and counted.
pub const RECORDS_WAITING_MAX: usize = 1_024;
/// Records of one list.
pub const RECORDS_LISTED_MAX: usize = 100;
/// Bytes of one record, four a character: all that the rules let through.
pub const RECORD_BYTES_MAX: usize = 4 * (OWNER_CHARS_MAX + RECORD_KEY_CHARS_MAX + RECORD_VALUE_CHARS_MAX);
/// Milliseconds between two lines of a room's log about faults and notes.
pub const LOG_SPACING_MS: u64 = 1_000;
/// Notes kept of what a restore dropped or converted.
pub const LOST_NOTES_MAX: usize = 32;
/// Missed ticks run back to back at take-over before the schedule slips.
pub const CATCHUP_TICKS_MAX: u32 = 40;
/// Milliseconds between pulses: how long a crashed room with nobody knocking stands still at most.
pub const PULSE_MS: u64 = 10_000;
/// Milliseconds the loop runs on without a further alarm. Six pulses, so one late alarm is not felt.
pub const PULSE_TAIL_MS: u64 = 60_000;
/// Milliseconds a seat is kept for a player whose connection was lost, unless the game says otherwise.
pub const GRACE_MS: u64 = 10_000;
/// Milliseconds a connection has to say hello.
pub const HELLO_MS: u64 = 10_000;
/// Characters of a room that are held, asked for or on their way home: every seat's, and as many again that have left
/// while the Lobby did not answer.
pub const HOLDS_MAX: usize = 2 * SEATS_MAX as usize;
/// Lease numbers a room remembers not to admit, for each of its seats: one for the grant that reserves the seat, and as
/// many of accounts that have gone.
pub const SPENT_PER_SEAT: u32 = 2;
/// The same of the largest room.
pub const SPENT_MAX: u32 = SPENT_PER_SEAT * SEATS_MAX as u32;
/// Milliseconds without a message after which a connection is closed as silent. Browsers throttle the timers of a
/// hidden page to one a minute, so under 60 s it would cut healthy players.
pub const SILENT_MS: u64 = 90_000;
/// Milliseconds of unchanged input after which a player is closed as idle.
pub const IDLE_MS: u64 = 300_000;
/// Milliseconds between commits of what is not durable (`movement_seconds`): the most a crash undoes of movement.
pub const MOVEMENT_MS: u64 = 5_000;
/// Milliseconds between such commits at most, while the day's rows run short: what a crash then undoes of movement.
pub const MOVEMENT_MS_MAX: u64 = 300_000;
/// Rows a room may write a day before such commits are stretched, unless its game says otherwise: the free plan has
/// 100,000 for all of an account, and what is durable is written beyond this.
pub const ROWS_PER_DAY: u32 = 90_000;
/// Milliseconds of a day, of which the platform's begin at midnight UTC.
pub const DAY_MS: u64 = 86_400_000;
/// Milliseconds between two events that are counted as time in a room, at most: no loop ticks longer without an alarm, and
/// the clients of a room that runs by events ping more often.
pub const COST_GAP_MS_MAX: u64 = 60_000;
/// The same of a sleep: a long thought at cards, not a night in which every socket was left open.
pub const COST_SLEEP_MS_MAX: u64 = 3_600_000;
/// Milliseconds that a room must have been played in before its costs are told by the hour.
pub const COST_MEASURED_MS_MIN: u64 = 60_000;
/// Milliseconds of a stretch over which the parts of a tick are timed, and between two lines of the log about it.
pub const TIMINGS_MS: u64 = 10_000;
/// Samples of one part kept for their median: such a stretch at 100 ticks a second.
pub const TIMING_SAMPLES_MAX: usize = 1_000;
/// Connections of one room, players and spectators together; workerd takes 32,768 sockets an object.
pub const CONNECTIONS_MAX: usize = 1_024;
/// Messages a second from one connection, and how many may come at once after a stall. A client of ours sends 4.
pub const MESSAGES_PER_SECOND: u32 = 60;
pub const MESSAGES_BURST: u32 = 120;
/// Messages over the rate before the connection is closed.
pub const MESSAGES_OVER_MAX: u32 = 300;
/// Lines of talk a second from one player, and how many may come at once: a person types no faster.
pub const SAYS_PER_SECOND: u32 = 1;
pub const SAYS_BURST: u32 = 5;
/// Actions a second from one player of an event-driven room, where each is a commit, and how many may come at once: no
/// more rows than a room that ticks would write.
pub const ACTIONS_PER_SECOND: u32 = 20;
pub const ACTIONS_BURST: u32 = 40;
/// Rows of the journal ring: a fold every 13 s of a busy room, and a restore reads at most this many rows.
pub const JOURNAL_SLOTS: u32 = 256;
/// Bytes of one chunk of a save: half the platform's 2 MB limit of a value.
pub const SAVE_CHUNK_BYTES_MAX: usize = 1 << 20;
/// Bytes of one journal row; a greater difference folds instead.
pub const JOURNAL_ROW_BYTES_MAX: usize = 1 << 20;
/// Bytes of a whole save that is still read.
pub const SAVE_BYTES_MAX: usize = 32 << 20;
/// Milliseconds of ticks that throw on end before a match room ends.
pub const FAULT_MS_MAX: u64 = 5_000;
/// Milliseconds over which a room that runs too few of its ticks is judged, and the hundredths of them that are enough.
pub const OVERRUN_MS: u64 = 5_000;
pub const OVERRUN_PERCENT: u64 = 90;
/// Rooms of an isolate whose fuel is compared when one of them is late.
pub const LOAD_ROOMS_MAX: usize = 1_024;
/// Failed incarnations of a room within so many milliseconds that park it: a fault that comes and goes is survived, one
/// that stays is not tried twenty times a second.
pub const FAILURES_MAX: usize = 3;
pub const FAILURES_WINDOW_MS: u64 = 60_000;
/// Milliseconds a room is parked, at first and at most: it doubles with each time on end.
pub const PARK_MS_MIN: u64 = 60_000;
pub const PARK_MS_MAX: u64 = 3_600_000;
/// Milliseconds after a parking after which a room that has held has its three tries back.
pub const PARK_CALM_MS: u64 = 600_000;
/// Milliseconds storage is left alone at least when a daily limit is reached: the platform's midnight need not be ours.
pub const LIMIT_MS_MIN: u64 = 30_000;
/// Milliseconds storage is left alone when it is overloaded.
pub const OVERLOAD_MS: u64 = 30_000;
/// Characters of why a room is parked or refused, as they are stored and shown.
pub const PARK_CHARS_MAX: usize = 160;
/// Rooms of an isolate whose failures are remembered; a calm one is forgotten first.
pub const PARKINGS_MAX: usize = 4_096;
/// Milliseconds within which the last tick and frame must lie for a room to count as alive.
pub const ALIVE_MS: u64 = 2_000;

// ---- Platform and lobby ----

/// Milliseconds an alarm may be overdue before an event arms it anew; doubled at each try, so that an alarm the
/// platform is late with is not put off for ever.
pub const ALARM_OVERDUE_MS: u64 = 2_000;
pub const ALARM_OVERDUE_MS_MAX: u64 = 64_000;
/// Milliseconds after which a room whose host panicked is restored by its alarm, doubled at each panic on end.
pub const PANIC_RESTORE_MS: u64 = 1_000;
pub const PANIC_RESTORE_MS_MAX: u64 = 60_000;
/// Bytes of a request's body: the largest is a small JSON object.
pub const BODY_BYTES_MAX: usize = 4_096;
/// Milliseconds since a room was last heard within which it is listed: two pulses, and half a one for the way.
pub const LISTED_MS: u64 = 25_000;
/// The same of a room that runs by events: two pings of its players, which wake it, and some for the way.
pub const LISTED_ASLEEP_MS: u64 = 60_000;
/// Milliseconds between two rows of a listed room that has not changed.
pub const LIST_KEPT_MS: u64 = 30_000;
/// Rooms of a game that the Lobby keeps; further ones are played in but not listed.
pub const LIST_ROOMS_MAX: usize = 2_000;
/// Rooms in one answer.
pub const LIST_ROWS_MAX: usize = 100;
/// Characters of a room name that is made up: 31^8 of them, more than anyone can try.
pub const ROOM_NAME_MADE_CHARS: usize = 8;

// ---- Client ----

/// Milliseconds between two tries to reconnect, least and most, before jitter.
pub const RECONNECT_MS_MIN: f64 = 250.0;
pub const RECONNECT_MS_MAX: f64 = 8_000.0;
/// Milliseconds a client waits at least after a `limit` close.
pub const LIMIT_WAIT_MS_MIN: f64 = 30_000.0;
/// Milliseconds between pings, and pings that may be outstanding.
pub const PING_MS: f64 = 2_000.0;
pub const PINGS_MAX: usize = 16;
/// Milliseconds between pings in an event-driven room, where nothing else is said for minutes. All clients ping in the same
/// moment of the room's clock, so that the object has the 10 s of quiet after which it may hibernate; and a hidden page,
/// whose timers run once a minute, is still heard within `SILENT_MS`.
pub const EVENT_PING_MS: f64 = 25_000.0;
/// Milliseconds between two sendings of input that has not changed.
pub const INPUT_HEARTBEAT_MS: f64 = 1_000.0;
/// Milliseconds without a message after which a client takes its link for lost.
pub const LINK_SILENT_MS: f64 = 6_000.0;
/// Snapshots kept to interpolate between: 1.6 s at 20 Hz.
pub const SNAPSHOTS_MAX: usize = 32;
/// Milliseconds of an outage in which tries are at most `RECONNECT_EAGER_MS_MAX` apart: the seat is kept for its grace,
/// so this is when a try is worth most.
pub const RECONNECT_EAGER_MS: f64 = 20_000.0;
pub const RECONNECT_EAGER_MS_MAX: f64 = 2_000.0;
/// Milliseconds a link must have been up for the back-off to begin anew: a room that welcomes and fails is no recovery.
pub const LINK_STEADY_MS: f64 = 5_000.0;
/// Milliseconds between tries while an account is busy, returning or its records are away, least and most.
pub const BUSY_WAIT_MS_MIN: f64 = 1_000.0;
pub const BUSY_WAIT_MS_MAX: f64 = 30_000.0;
/// Milliseconds a page has to bring a session before the room is asked again: twice what its request may take.
pub const SESSION_WAIT_MS: f64 = 20_000.0;
/// Milliseconds after which a full room is tried again.
pub const FULL_WAIT_MS: f64 = 10_000.0;
/// Longest wait taken from a close reason, milliseconds: parking ends at an hour, a daily limit is asked about hourly.
pub const LATER_MS_MAX: f64 = 3_600_000.0;
/// Milliseconds between two calls after which the page is taken to have slept: that time is no silence of the link.
pub const ASLEEP_MS: f64 = 1_500.0;
/// Milliseconds others are drawn behind the room's clock as it is heard; what a room assumes of a client that says
/// nothing (B45).
pub const INTERPOLATION_MS: f64 = 150.0;
/// Metres a tick beyond which a body was put elsewhere rather than moved: 100 m/s at 20 Hz.
pub const JUMP_METRES_PER_TICK: f64 = 5.0;
/// Recent pings whose best gives the clock's offset: 16 s of them, so drift is followed.
pub const CLOCK_SAMPLES_MAX: usize = 8;
/// Milliseconds two pongs may contradict each other before the room's clock is taken to have stepped.
pub const CLOCK_STEP_MS: f64 = 100.0;
/// Milliseconds between two sendings of a stick or aim that drifts; an edge of a button never waits.
pub const INPUT_SPACING_MS: f64 = 100.0;
/// Input messages a second in the long run, and how many may be saved up for a lively moment. With a ping each
/// `PING_MS` this makes 4 messages a second.
pub const INPUTS_PER_SECOND: f64 = 3.5;
pub const INPUTS_BURST: f64 = 20.0;
/// Effects waiting to be shown.
pub const EFFECTS_WAITING_MAX: usize = 256;
/// Milliseconds after its time at which an effect is no longer worth showing.
pub const EFFECT_LATE_MS_MAX: f64 = 500.0;
/// Bytes of one message from a room that a client still reads.
pub const SERVER_MESSAGE_BYTES_MAX: usize = 4 << 20;
/// Characters kept of the reason of a lost connection.
pub const LOST_REASON_CHARS_MAX: usize = 160;
/// Frames that the client's percentiles and shares are taken over: 4 s at 60 Hz.
pub const FRAME_SAMPLES_MAX: usize = 256;

const _: () = {
    assert!(CONTROLS_MAX <= 32, "the pressed mask is 32 bits");
    assert!(INPUT_QUEUE_MAX >= LEAD_TICKS_MAX as usize + ENTRIES_MAX);
    assert!(INTERPOLATION_MS_MAX + REWIND_MS_MAX as u64 <= HISTORY_MS as u64);
    assert!(EVENT_PING_MS > 2.0 * 10_000.0 && EVENT_PING_MS + 60_000.0 < SILENT_MS as f64);
    assert!(MOVEMENT_MS < MOVEMENT_MS_MAX && COST_GAP_MS_MAX >= PULSE_TAIL_MS);
    assert!(SILENT_MS >= 90_000 && PULSE_TAIL_MS > 2 * PULSE_MS);
    assert!(LISTED_MS > 2 * PULSE_MS && LIST_KEPT_MS > PULSE_MS);
    assert!(LISTED_ASLEEP_MS as f64 > 2.0 * EVENT_PING_MS);
    assert!(RECORD_READ_MS < PEER_CALL_MS && 6 * RECORD_BATCH_MAX <= 50);
    assert!(ROOM_NAME_MADE_CHARS <= ROOM_NAME_BYTES_MAX);
    assert!(RECORDING_BYTES_MAX >= RECORDING_HEAD_BYTES_MAX + 4 * RECORDING_SEGMENT_BYTES);
    assert!(RECORDING_PART_BYTES <= 2_000_000);
    assert!(JOURNAL_ROW_BYTES_MAX <= 2_000_000 && SAVE_CHUNK_BYTES_MAX <= 2_000_000);
    assert!((MAP_HALF_METRES_MAX as u64) * (POSITION_STEPS_PER_METRE as u64) < 1 << 24);
    assert!((MAP_DEPTH_METRES_MAX as u64) * (POSITION_STEPS_PER_METRE as u64) < 1 << 24);
    assert!(SPEED_METRES_PER_SECOND_MAX * (POSITION_STEPS_PER_METRE as f64) < i32::MAX as f64);
    assert!(
        SOLID_TOUCH_STEPS as f64 > PUSH_SKIN_STEPS + 1.74,
        "rounding moves a corner by half the root of 3 steps"
    );
    assert!(SLIDE_RADIUS_METRES_MIN * (POSITION_STEPS_PER_METRE as f64) >= 2.0 * SLIDE_SKIN_STEPS);
};
