//! An event-driven game: actions with arguments, hands that only their owner sees, nothing that moves.
use roundtable::prelude::*;

#[derive(Choice, Clone, Copy, PartialEq, Debug)]
pub enum Suit {
    Clubs,
    Hearts,
}

#[derive(Action, Clone)]
pub enum Deed {
    Pass,
    Play { card: Int<0, 51>, trump: Suit },
    Tell { to: Option<SeatId>, line: Text<40>, marks: List<Int<0, 9>, 4> },
}

#[derive(Input, Clone, Default)]
#[input(actions = Deed, on_event)]
pub struct Table;

#[derive(Kind, Clone, Default)]
#[kind(player, label = "name")]
pub struct Player {
    name: Text<24>,
    #[private]
    #[durable]
    hand: List<Int<0, 51>, 13>,
    #[score]
    #[hud]
    tricks: Int<0, 13>,
    trump: Suit,
}

#[derive(Kind, Clone, Default)]
#[kind(shared)]
pub struct Pile {
    #[local]
    deck: List<Int<0, 51>, 52>,
    turn: Option<SeatId>,
}

pub struct Cards;
impl Rules for Cards {
    type Kinds = (Player, Pile);
    type Input = Table;
    const ROOM: Room = Room::rounds(0).seats(4).pace(Pace::OnEvent);

    fn join(_: &mut World<Self>, seat: &Seat) -> Entry<Self> {
        Entry::new(Player { name: seat.name.as_str().into(), ..Player::default() }, Anywhere)
    }
}

impl Body<Cards> for Pile {}
impl Body<Cards> for Player {
    fn act(&mut self, _: &Me, deed: Deed, _: &mut World<Cards>) -> Result<(), Refusal> {
        match deed {
            Deed::Pass => Err("you cannot pass".into()),
            Deed::Play { card, trump } => {
                let place = self.hand.iter().position(|held| *held == card).ok_or("you do not hold it")?;
                self.hand.remove(place);
                self.trump = trump;
                self.tricks += 1;
                Ok(())
            }
            Deed::Tell { to, line, marks } => {
                if to.is_none() || line.is_empty() || marks.len() > 3 {
                    return Err(Refusal::from(format!("{} says nothing to {to:?}", self.name)));
                }
                Ok(())
            }
        }
    }
}

fn main() {
    let _ = roundtable::rules::adapter::game::<Cards>();
}
