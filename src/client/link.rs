//! The link to the room: dialling, being up, lost, waiting to dial again, or over for good.
//!
//! Every connection has a generation number that its events carry; what a dead one still says is not heard,
//! so an error and a close are one loss, whichever comes first. How long to wait follows `CloseCode::retry`,
//! with jitter: a deploy closes every socket of a room at once, and they must not all knock together. Absent:
//! the socket itself, clocks.

use serde::Serialize;

use crate::client::backoff::{Backoff, next_wait_ms};
use crate::limits::{ASLEEP_MS, LINK_SILENT_MS, LINK_STEADY_MS, LOST_REASON_CHARS_MAX, SESSION_WAIT_MS};
use crate::wire::close::{CloseCode, Retry};

/// Where the link stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LinkState {
    /// A socket is being opened.
    Connecting,
    /// It is open and hello was said; no welcome yet.
    Joining,
    /// Welcomed.
    Online,
    /// Lost; dials again at a set time.
    Waiting,
    /// Over: only the player starts it again.
    Ended,
}

/// The last loss of a link that was up, or the last refusal; kept after recovery.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LastDisconnect {
    /// Milliseconds, the client's clock.
    pub at: f64,
    /// `error`, `close`, `silent`, `welcome` (one that cannot be used) or `left`.
    pub why: &'static str,
    pub code: Option<u16>,
    pub reason: Option<String>,
    /// Milliseconds without a message before it.
    pub silent_ms: f64,
}

/// What ended a connection.
#[derive(Clone, Debug, PartialEq)]
pub struct Loss {
    pub why: &'static str,
    pub code: Option<u16>,
    pub reason: Option<String>,
}

impl Loss {
    #[must_use]
    pub fn of(why: &'static str) -> Loss {
        Loss { why, code: None, reason: None }
    }
}

/// What follows from a loss, beyond waiting.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    Wait,
    Reload,
    /// Go to the room of this name.
    Travel(String),
    /// Get a session; `session_came` goes on from there.
    Session,
    Final,
}

/// How the account's session stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Session {
    /// As the owner brought it, or none.
    Kept,
    /// Refused, and a new one is asked for.
    Asked,
    /// Made after a refusal: a second refusal is final.
    Fresh,
}

/// What the passing of time asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Due {
    Dial,
    /// Nothing was heard for `LINK_SILENT_MS`.
    Silent,
}

#[derive(Debug)]
pub(super) struct Link {
    pub state: LinkState,
    /// Rises whenever what a page shows of the link changes.
    pub version: u32,
    pub drops: u32,
    pub reconnects: u32,
    pub last_disconnect: Option<LastDisconnect>,
    /// Why it waits or is over: the code and reason of the last loss, whether the link had been up or not.
    pub last_loss: Option<Loss>,
    generation: u32,
    reloaded: bool,
    was_up: bool,
    up_at: f64,
    heard_at: f64,
    /// The room says nothing but answers: an event-driven one.
    is_quiet: bool,
    /// When the oldest word went out that was not answered.
    asked_at: Option<f64>,
    polled_at: f64,
    retry_at: Option<f64>,
    /// The wait is a back-off, so coming online cuts it short; one the room asked for is kept.
    is_backoff: bool,
    /// What the room said with `bye`; it counts even if the close frame is lost.
    said: Option<(u16, String)>,
    session: Session,
    backoff: Backoff,
}

impl Link {
    pub fn new(seed: u64, reloaded: bool, now_ms: f64) -> Link {
        Link {
            state: LinkState::Waiting,
            version: 0,
            drops: 0,
            reconnects: 0,
            last_disconnect: None,
            last_loss: None,
            generation: 0,
            reloaded,
            was_up: false,
            up_at: now_ms,
            heard_at: now_ms,
            is_quiet: false,
            asked_at: None,
            polled_at: now_ms,
            retry_at: Some(now_ms),
            is_backoff: true,
            said: None,
            session: Session::Kept,
            backoff: Backoff::new(seed),
        }
    }

    /// Whether events of this generation are still heard.
    pub fn is_live(&self, generation: u32) -> bool {
        let has_socket = matches!(self.state, LinkState::Connecting | LinkState::Joining | LinkState::Online);
        has_socket && generation == self.generation
    }

    pub fn generation(&self) -> u32 {
        self.generation
    }

    pub fn is_up(&self) -> bool {
        self.state == LinkState::Online
    }

    /// Milliseconds until it dials again by itself.
    pub fn retry_in_ms(&self, now_ms: f64) -> Option<f64> {
        self.retry_at.map(|at| (at - now_ms).max(0.0))
    }

    pub fn heard(&mut self, now_ms: f64) {
        self.heard_at = now_ms;
        self.asked_at = None;
    }

    /// Something went out that the room answers at once.
    pub fn asked(&mut self, now_ms: f64) {
        self.asked_at = self.asked_at.or(Some(now_ms));
    }

    /// A welcome says whether its room speaks by itself. Silence of a quiet one is counted from what it does not answer.
    pub fn set_quiet(&mut self, is_quiet: bool) {
        self.is_quiet = is_quiet;
    }

    /// The room said `bye`.
    pub fn said(&mut self, code: u16, reason: String) {
        self.said = Some((code, reason));
    }

    /// Begins a connection and gives its generation.
    pub fn dial(&mut self, now_ms: f64) -> u32 {
        self.generation = self.generation.wrapping_add(1);
        self.retry_at = None;
        self.said = None;
        self.heard_at = now_ms;
        self.asked_at = None;
        self.polled_at = now_ms;
        self.enter(LinkState::Connecting);
        self.generation
    }

    pub fn opened(&mut self, now_ms: f64) {
        self.heard_at = now_ms;
        self.enter(LinkState::Joining);
    }

    /// A welcome came. True when it ended an outage.
    pub fn welcomed(&mut self, now_ms: f64) -> bool {
        if self.state == LinkState::Online {
            return false;
        }
        let is_return = self.was_up;
        self.reconnects += u32::from(is_return);
        self.was_up = true;
        self.up_at = now_ms;
        self.reloaded = false;
        self.session = Session::Kept;
        self.enter(LinkState::Online);
        is_return
    }

    /// The browser says that there is a network again.
    pub fn online(&mut self, now_ms: f64) {
        if self.state == LinkState::Waiting && self.is_backoff {
            self.retry_at = Some(now_ms);
        }
    }

    /// The player asks for a new try, after an end or during a wait.
    pub fn again(&mut self, now_ms: f64) {
        if matches!(self.state, LinkState::Waiting | LinkState::Ended) {
            self.retry_at = Some(now_ms);
            self.session = Session::Kept;
            self.enter(LinkState::Waiting);
        }
    }

    pub fn is_session_asked(&self) -> bool {
        self.session == Session::Asked
    }

    /// The owner got a session, or could not: dials at once, or asks again after a while.
    pub fn session_came(&mut self, is_given: bool, now_ms: f64) {
        self.session = if is_given { Session::Fresh } else { Session::Kept };
        if self.state == LinkState::Waiting {
            let session = Some(CloseCode::Session);
            let wait_ms = if is_given { 0.0 } else { next_wait_ms(&mut self.backoff, session, "", now_ms) };
            self.retry_at = Some(now_ms + wait_ms);
            self.is_backoff = true;
            self.enter(LinkState::Waiting);
        }
    }

    /// What is due. Time in which nobody asked (a page asleep) is not counted as silence of the link.
    pub fn poll(&mut self, now_ms: f64) -> Option<Due> {
        let slept = now_ms - self.polled_at;
        self.polled_at = now_ms;
        if slept > ASLEEP_MS {
            self.heard_at = (self.heard_at + slept).min(now_ms);
            self.asked_at = self.asked_at.map(|at| (at + slept).min(now_ms));
        }
        match self.state {
            LinkState::Waiting => self.retry_at.filter(|at| now_ms >= *at).map(|_| Due::Dial),
            LinkState::Ended => None,
            LinkState::Online if self.is_quiet => {
                let is_silent = self.asked_at.is_some_and(|at| now_ms - at >= LINK_SILENT_MS);
                is_silent.then_some(Due::Silent)
            }
            _ => (now_ms - self.heard_at >= LINK_SILENT_MS).then_some(Due::Silent),
        }
    }

    /// The live connection is gone. Says what follows; the state is already Waiting or Ended.
    pub fn lose(&mut self, loss: Loss, now_ms: f64) -> Verdict {
        let loss = match self.said.take() {
            Some((code, reason)) => Loss { why: "close", code: Some(code), reason: Some(reason) },
            None => loss,
        };
        let code = loss.code.and_then(CloseCode::from_code);
        let was_up = self.state == LinkState::Online && loss.why != "left";
        self.drops += u32::from(was_up);
        // Coming back after leaving is no return of a lost link.
        self.was_up &= loss.why != "left";
        if was_up || code.is_some() {
            self.last_disconnect = Some(LastDisconnect {
                at: now_ms,
                why: loss.why,
                code: loss.code,
                reason: loss.reason.as_ref().map(|r| r.chars().take(LOST_REASON_CHARS_MAX).collect()),
                silent_ms: (now_ms - self.heard_at).max(0.0),
            });
        }
        if was_up && now_ms - self.up_at >= LINK_STEADY_MS {
            self.backoff.reset();
        }
        let verdict = self.settle(code, &loss, now_ms);
        self.last_loss = Some(loss);
        verdict
    }

    fn settle(&mut self, code: Option<CloseCode>, loss: &Loss, now_ms: f64) -> Verdict {
        let reason = loss.reason.as_deref().unwrap_or_default();
        let retry = if loss.why == "left" { Retry::Never } else { code.map_or(Retry::Now, CloseCode::retry) };
        match retry {
            Retry::Never if code == Some(CloseCode::Session) && self.session != Session::Fresh => {
                return self.ask_session(now_ms);
            }
            Retry::Never => return self.end(Verdict::Final),
            Retry::Reload if self.reloaded => return self.end(Verdict::Final),
            Retry::Reload => return self.end(Verdict::Reload),
            Retry::Now | Retry::Backoff | Retry::Later => {}
        }
        if code == Some(CloseCode::Travel) {
            return self.end(Verdict::Travel(reason.to_owned()));
        }
        self.retry_at = Some(now_ms + next_wait_ms(&mut self.backoff, code, reason, now_ms));
        self.is_backoff = retry != Retry::Later;
        self.enter(LinkState::Waiting);
        Verdict::Wait
    }

    /// An owner that never answers is asked once more by the next refusal.
    fn ask_session(&mut self, now_ms: f64) -> Verdict {
        self.session = Session::Asked;
        self.retry_at = Some(now_ms + SESSION_WAIT_MS);
        self.is_backoff = false;
        self.enter(LinkState::Waiting);
        Verdict::Session
    }

    fn end(&mut self, verdict: Verdict) -> Verdict {
        self.retry_at = None;
        self.enter(LinkState::Ended);
        verdict
    }

    fn enter(&mut self, state: LinkState) {
        self.state = state;
        self.version = self.version.wrapping_add(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::{RECONNECT_MS_MAX, RECONNECT_MS_MIN};

    fn up(now: f64) -> Link {
        let mut link = Link::new(7, false, now);
        assert_eq!(link.poll(now), Some(Due::Dial));
        link.dial(now);
        link.opened(now);
        link.welcomed(now);
        link
    }

    fn closed(code: u16, reason: &str) -> Loss {
        Loss { why: "close", code: Some(code), reason: Some(reason.to_owned()) }
    }

    /// B6: failed tries before the first knock that works count nothing.
    #[test]
    fn a_drop_and_a_return_count_once() {
        let mut link = up(0.0);
        link.lose(Loss::of("error"), 10_000.0);
        for i in 0..5 {
            link.dial(10_000.0 + f64::from(i) * 1_000.0);
            link.lose(Loss::of("error"), 10_500.0 + f64::from(i) * 1_000.0);
        }
        link.dial(16_000.0);
        link.opened(16_000.0);
        assert!(link.welcomed(16_010.0));
        assert!(!link.welcomed(16_020.0), "a second welcome on the same socket is no return");
        assert_eq!((link.drops, link.reconnects), (1, 1));
    }

    /// B5: the silence is never negative, the reason is cut, and failed tries do not hide the cause.
    #[test]
    fn the_last_disconnect_is_kept_after_recovery() {
        let mut link = up(1_000.0);
        link.heard(2_000.0);
        link.lose(closed(4016, &"é".repeat(400)), 2_500.0);
        link.dial(2_600.0);
        link.lose(closed(1006, ""), 2_700.0);
        link.dial(2_800.0);
        link.opened(2_800.0);
        link.welcomed(2_900.0);
        let last = link.last_disconnect.clone().expect("there was a loss");
        assert_eq!((last.at, last.why, last.code, last.silent_ms), (2_500.0, "close", Some(4016), 500.0));
        assert_eq!(last.reason.map(|r| r.chars().count()), Some(LOST_REASON_CHARS_MAX));
        link.heard(9_000.0);
        link.lose(Loss::of("error"), 8_000.0);
        assert_eq!(link.last_disconnect.map(|last| last.silent_ms), Some(0.0));
    }

    #[test]
    fn a_room_that_said_bye_is_believed_though_the_close_frame_was_lost() {
        let mut link = up(0.0);
        link.said(4014, "joined from another tab".to_owned());
        assert_eq!(link.lose(closed(1006, ""), 10.0), Verdict::Final);
        assert_eq!((link.state, link.retry_in_ms(10.0)), (LinkState::Ended, None));
        link.again(20.0);
        assert_eq!(link.poll(20.0), Some(Due::Dial));
    }

    #[test]
    fn each_close_code_is_followed_as_its_table_says() {
        for code in CloseCode::ALL {
            let mut link = up(0.0);
            let verdict = link.lose(closed(code.code(), "7 s"), 60_000.0);
            let wait = link.retry_in_ms(60_000.0);
            match (code, code.retry()) {
                (CloseCode::Travel, _) => assert_eq!(verdict, Verdict::Travel("7 s".to_owned())),
                (CloseCode::Session, _) => {
                    assert_eq!((verdict, wait), (Verdict::Session, Some(SESSION_WAIT_MS)))
                }
                (CloseCode::Busy | CloseCode::Returning | CloseCode::Away, _) => {
                    assert!(wait.is_some_and(|ms| (1_000.0..=2_000.0).contains(&ms)), "{code:?} {wait:?}")
                }
                (_, Retry::Never) => assert_eq!((verdict, wait), (Verdict::Final, None)),
                (_, Retry::Reload) => assert_eq!((verdict, wait), (Verdict::Reload, None)),
                (_, Retry::Now) => {
                    assert!(wait.is_some_and(|ms| ms <= RECONNECT_MS_MIN), "{code:?} {wait:?}")
                }
                (_, Retry::Backoff) => assert!(wait.is_some_and(|ms| ms <= RECONNECT_MS_MAX), "{code:?}"),
                (_, Retry::Later) => assert!(wait.is_some_and(|ms| ms >= 7_000.0), "{code:?} {wait:?}"),
            }
        }
    }

    #[test]
    fn an_older_page_is_reloaded_once_and_then_asks() {
        let mut link = Link::new(7, true, 0.0);
        link.dial(0.0);
        link.opened(0.0);
        assert_eq!(link.lose(closed(CloseCode::Older.code(), ""), 10.0), Verdict::Final);
    }

    #[test]
    fn a_silent_link_is_given_up_but_time_asleep_is_no_silence() {
        let mut link = up(0.0);
        let mut now = 0.0;
        while now < LINK_SILENT_MS - 100.0 {
            now += 100.0;
            assert_eq!(link.poll(now), None);
        }
        // A phone was locked for ten minutes: what came meanwhile is still to be read.
        now += 600_000.0;
        assert_eq!(link.poll(now), None);
        link.heard(now);
        let gave_up = (1..=100).map(|i| now + f64::from(i) * 100.0).find(|t| link.poll(*t).is_some());
        assert_eq!(gave_up, Some(now + LINK_SILENT_MS));
    }

    #[test]
    fn a_quiet_room_is_silent_only_when_it_does_not_answer() {
        let mut link = up(0.0);
        link.set_quiet(true);
        let wait = |link: &mut Link, from: f64| {
            (1..=600).map(|i| from + f64::from(i) * 100.0).find(|now| link.poll(*now).is_some())
        };
        assert_eq!(wait(&mut link, 0.0), None);
        link.asked(60_000.0);
        link.poll(60_500.0);
        link.asked(60_500.0);
        link.heard(61_000.0);
        assert_eq!(wait(&mut link, 61_000.0), None);
        link.asked(121_000.0);
        link.asked(125_000.0);
        assert_eq!(wait(&mut link, 121_000.0), Some(121_000.0 + LINK_SILENT_MS));
    }

    #[test]
    fn coming_online_dials_at_once_but_not_where_the_room_asked_to_wait() {
        for (code, dials) in [(1006, true), (CloseCode::Limit.code(), false)] {
            let mut link = up(0.0);
            for _ in 0..12 {
                link.lose(closed(code, ""), 10.0);
            }
            link.online(11.0);
            assert_eq!(link.poll(11.0) == Some(Due::Dial), dials, "{code}");
        }
    }

    #[test]
    fn a_room_that_welcomes_and_fails_over_and_over_is_not_hammered() {
        let mut link = Link::new(5, false, 0.0);
        let (mut now, mut dials) = (0.0, 0);
        while now < 60_000.0 {
            now += 10.0;
            if link.poll(now) == Some(Due::Dial) {
                dials += 1;
                link.dial(now);
                link.opened(now);
                link.welcomed(now);
                link.lose(closed(CloseCode::Storage.code(), ""), now + 5.0);
            }
        }
        assert!((8..=40).contains(&dials), "{dials} dials in a minute");
    }
}
