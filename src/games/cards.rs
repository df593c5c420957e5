//! Climb: shed your hand. On your turn play a card that is as high as the one on the table or up to two higher; after
//! Seven comes One again, and a Star always fits. Who cannot, draws. Whoever is rid of all cards first takes the round.
//!
//! Nothing ticks here: the room sleeps until somebody plays, or a turn's thirty seconds are over.

use crate::prelude::*;

const HAND: u32 = 6;
const TURN_SECONDS: f64 = 30.0;
const THINK_SECONDS: f64 = 1.0;

/// In the order they climb.
#[derive(Choice, Clone, Copy, Default, PartialEq, Debug)]
pub enum Card {
    #[default]
    One,
    Two,
    Three,
    Four,
    Five,
    Six,
    Seven,
    Star,
}

#[derive(Action, Clone, Debug)]
pub enum Deed {
    Play { card: Card },
    Draw,
}

/// A card game has no controls, only actions.
#[derive(Input, Clone, Default)]
#[input(actions = Deed, on_event)]
pub struct Controls;

#[derive(Kind, Clone, Default)]
#[kind(player, radius = 0.6, look = "disc #c9a26b", label = "cards")]
pub struct Player {
    #[private]
    #[hud]
    pub hand: List<Card, 24>,
    /// How many cards the others see.
    pub cards: Int<0, 24>,
    /// Rounds won since sitting down.
    #[score]
    pub won: Int<0, 999>,
}

#[derive(Kind, Clone, Default)]
#[kind(shared)]
pub struct Table {
    pub top: Card,
    pub turn: Option<SeatId>,
}

pub struct Cards;

impl Rules for Cards {
    type Kinds = (Player, Table);
    type Input = Controls;
    const ROOM: Room = Room::rounds(0)
        .pace(Pace::OnEvent)
        .seats(4)
        .bots(3)
        .breaks(6)
        .map(Map::flat(10, 10).ground("felt #14532d"))
        .effects(&[("play", "burst #ffffff sound:blip"), ("win", "ring #ffd166 sound:chime")]);

    fn join(w: &mut World<Self>, seat: &Seat) -> Entry<Self> {
        let won = seat.character::<Player>().map_or(Int::default(), |player| player.won);
        let mut player = Player { won, ..Player::default() };
        for _ in 0..HAND {
            player.take_up(deal(w));
        }
        Entry::new(player, At(chair(seat.seat)))
    }

    fn leave(w: &mut World<Self>, seat: &Seat) {
        if w.shared::<Table>().turn == Some(seat.seat) {
            next_turn(w);
        }
    }

    fn round_start(w: &mut World<Self>) {
        let top = deal(w);
        w.share::<Table>(|table| table.top = top);
        next_turn(w);
    }

    /// A turn's time is over: its player draws.
    fn timer(w: &mut World<Self>, _: &str) {
        let player = w.shared::<Table>().turn.and_then(|seat| w.body_of(seat));
        if let Some(player) = player {
            let card = deal(w);
            w.edit::<Player>(player, |player| player.take_up(card));
        }
        next_turn(w);
    }
}

impl Body<Cards> for Table {}

impl Body<Cards> for Player {
    /// The first to sit down has the first turn.
    fn spawn(&mut self, _: &Me, w: &mut World<Cards>) {
        if w.shared::<Table>().turn.is_none() {
            next_turn(w);
        }
    }

    fn act(&mut self, me: &Me, deed: Deed, w: &mut World<Cards>) -> Result<(), Refusal> {
        if me.seat.is_none() || w.shared::<Table>().turn != me.seat {
            return Err("it is not your turn".into());
        }
        match deed {
            Deed::Play { card } => self.play(card, me, w),
            Deed::Draw => {
                let card = deal(w);
                self.take_up(card);
                next_turn(w);
                Ok(())
            }
        }
    }

    /// A bot has thought: it plays the first card that fits, else it draws.
    fn timer(&mut self, me: &Me, _: &str, w: &mut World<Cards>) {
        let top = w.shared::<Table>().top;
        let card = self.hand.iter().copied().find(|card| fits(*card, top));
        let deed = card.map_or(Deed::Draw, |card| Deed::Play { card });
        if self.act(me, deed, w).is_err() {
            w.fail("a bot played out of turn");
        }
    }
}

impl Player {
    fn play(&mut self, card: Card, me: &Me, w: &mut World<Cards>) -> Result<(), Refusal> {
        if !fits(card, w.shared::<Table>().top) {
            return Err("that card does not fit".into());
        }
        let place = self.hand.iter().position(|held| *held == card).ok_or("you do not hold that card")?;
        self.hand.remove(place);
        self.cards -= 1;
        w.share::<Table>(|table| table.top = card);
        w.effect("play", me.at);
        if self.hand.is_empty() {
            self.won += 1;
            w.effect("win", me.at);
            w.cancel("turn");
            w.end_round();
        } else {
            next_turn(w);
        }
        Ok(())
    }

    /// A full hand takes no more.
    fn take_up(&mut self, card: Card) {
        if self.hand.push(card) {
            self.cards += 1;
        }
    }
}

/// Whether `card` may be played on `top`: a Star on anything and anything on a Star, else up to two steps higher.
fn fits(card: Card, top: Card) -> bool {
    let steps = (card as i32 - top as i32).rem_euclid(Card::Star as i32);
    card == Card::Star || top == Card::Star || steps <= 2
}

/// A card from the shoe: Stars are as likely as any other.
fn deal(w: &mut World<Cards>) -> Card {
    let all = Card::ALL;
    all[w.random_below(all.len() as u32) as usize]
}

/// The next seat has the turn, for thirty seconds; a bot thinks one to three of them.
fn next_turn(w: &mut World<Cards>) {
    w.cancel("turn");
    let (seats, now) = (w.seats(), w.shared::<Table>().turn);
    let with_body = |seat: &SeatId| w.body_of(*seat).is_some();
    let playing: Vec<SeatId> = seats.into_iter().filter(with_body).collect();
    let next = playing.iter().find(|seat| Some(**seat) > now).or(playing.first()).copied();
    w.share::<Table>(|table| table.turn = next);
    let Some(seat) = next else { return };
    w.after(w.seconds(TURN_SECONDS), "turn");
    if let Some(body) = w.body_of(seat).filter(|_| w.driver(seat) == Some(Driver::Bot)) {
        let thought = THINK_SECONDS * (1.0 + 2.0 * w.random());
        w.after_body(body, w.seconds(thought), "think");
    }
}

/// Seats sit around the table.
fn chair(seat: SeatId) -> Vec2 {
    Vec2::at_angle(f64::from(seat.0) * std::f64::consts::FRAC_PI_2 - std::f64::consts::FRAC_PI_2) * 3.5
}
