//! One game in many versions. Each has a hero; `first` is what saves and characters are of, the others are what became
//! of it.

use roundtable::prelude::*;

/// A version: a module with a `Hero` of these fields and a `Game`, of further kinds after `with`, and what else it needs.
macro_rules! version {
    ($name:ident $(($arg:ident))? { $($fields:tt)* } with $($kind:ident),+; $($more:tt)*) => {
        pub mod $name {
            #[allow(unused_imports)]
            use super::*;

            #[derive(Kind, Clone, Default)]
            #[kind(player $(, $arg)?)]
            pub struct Hero { $($fields)* }

            $($more)*

            $(impl Body<Game> for $kind {})+
            version!(@game Hero, $($kind),+);
        }
    };
    ($name:ident $(($arg:ident))? { $($fields:tt)* } $($more:tt)*) => {
        pub mod $name {
            #[allow(unused_imports)]
            use super::*;

            #[derive(Kind, Clone, Default)]
            #[kind(player $(, $arg)?)]
            pub struct Hero { $($fields)* }

            $($more)*

            version!(@game Hero,);
        }
    };
    (@game $($kinds:tt)*) => {
        pub struct Game;

        impl Rules for Game {
            type Kinds = ($($kinds)*);
            type Input = Pad;
            const ROOM: Room = Room::lasting().characters().seats(4).map(Map::flat(20, 20));

            fn join(_: &mut World<Self>, seat: &Seat) -> Entry<Self> {
                Entry::new(seat.character::<Hero>().unwrap_or_default(), At(Vec2::ZERO))
            }
        }

        impl Body<Game> for Hero {}
    };
}

#[derive(Input, Clone, Default)]
pub struct Pad {
    r#move: Stick,
}

#[derive(Choice, Clone, Copy, Debug, Default, PartialEq)]
pub enum Mood {
    #[default]
    Calm,
    Cross,
}

pub mod moods {
    use roundtable::prelude::*;

    /// With one more, in another order.
    #[derive(Choice, Clone, Copy, Debug, Default, PartialEq)]
    pub enum More {
        #[default]
        Merry,
        Cross,
        Calm,
    }

    /// With one less.
    #[derive(Choice, Clone, Copy, Debug, Default, PartialEq)]
    pub enum Less {
        #[default]
        Calm,
        Sad,
    }
}

pub mod first {
    use super::*;

    /// With 120 gold, 2.5 luck, cross, named Ada of York, three things in the bag.
    #[derive(Kind, Clone, Default)]
    #[kind(player)]
    pub struct Hero {
        #[durable]
        gold: Int<0, 200>,
        luck: Real<0, 10, 10>,
        mood: Mood,
        title: Text<20>,
        bag: List<Int<0, 99>, 4>,
    }

    #[derive(Kind, Clone, Default)]
    pub struct Rock {
        weight: Int<0, 9>,
    }

    #[derive(Kind, Clone, Default)]
    #[kind(shared)]
    pub struct Bank {
        #[durable]
        sum: Int<0, 900>,
    }

    pub struct Game;

    impl Rules for Game {
        type Kinds = (Rock, Hero, Bank);
        type Input = Pad;
        const ROOM: Room = Room::lasting().characters().seats(4).map(Map::flat(20, 20));

        fn open(w: &mut World<Self>) {
            w.scatter(3, Rock { weight: 4.into() });
            w.share::<Bank>(|bank| bank.sum = 77.into());
        }

        fn join(_: &mut World<Self>, _: &Seat) -> Entry<Self> {
            let mut hero = Hero { gold: 120.into(), luck: 2.5.into(), mood: Mood::Cross, ..Hero::default() };
            hero.title = "Ada of York".into();
            for thing in [5, 6, 70] {
                assert!(hero.bag.push(thing.into()), "a bag of four");
            }
            Entry::new(hero, At(Vec2::new(1.0, -2.0)))
        }
    }

    impl Body<Game> for Hero {}
    impl Body<Game> for Bank {}
    impl Body<Game> for Rock {
        fn spawn(&mut self, me: &Me, w: &mut World<Game>) {
            w.after_me(me, 100, "crumble");
        }
    }
}

version! { renamed { #[durable] coins: Int<0, 200> } }
version! { followed { #[was("gold")] #[durable] coins: Int<0, 200> } }
version! { widened { gold: Int<0, 500> } }
version! { narrowed { gold: Int<0, 100> } }
version! { finer { luck: Real<0, 2, 1_000> } }
version! { real_gold { gold: Real<0, 200, 4> } }
version! { text_gold { gold: Text<9> } }
version! { more_moods { mood: moods::More } }
version! { less_moods { mood: moods::Less } }
version! { shorter { title: Text<3>, bag: List<Int<0, 50>, 2> } }
version! { with_hat { gold: Int<0, 200>, hat: Int<3, 9> } }

version! {
    upgraded(upgrade) { gold: Text<9>, wealth: Int<0, 9_999> }

    impl Hero {
        fn upgrade(old: &OldFields, new: &mut Self) {
            new.gold = format!("{} gp", old.int("gold").unwrap_or(0)).as_str().into();
            // Of a field that is not there any more, too.
            new.wealth = (old.int("luck").unwrap_or(0) as i32 * 1_000).into();
        }
    }
}

version! {
    upgrade_fails(upgrade) { gold: Text<9> }

    impl Hero {
        fn upgrade(old: &OldFields, _: &mut Self) {
            let gold = old.text("gold").expect("gold was always a text");
            panic!("unreachable with {gold}");
        }
    }
}

version! {
    knighted { gold: Int<0, 200> } with Boulder, Vault;

    #[derive(Kind, Clone, Default)]
    #[kind(was = "rock")]
    pub struct Boulder {
        weight: Int<0, 9>,
    }

    #[derive(Kind, Clone, Default)]
    #[kind(shared, was = "bank")]
    pub struct Vault {
        sum: Int<0, 900>,
        doors: Int<2, 5>,
    }
}

pub mod knight {
    use super::*;

    #[derive(Kind, Clone, Default)]
    #[kind(player, was = "hero")]
    pub struct Knight {
        gold: Int<0, 200>,
    }

    pub struct Game;

    impl Rules for Game {
        type Kinds = (Knight,);
        type Input = Pad;
        const ROOM: Room = Room::lasting().characters().seats(4).map(Map::flat(20, 20));

        fn join(_: &mut World<Self>, _: &Seat) -> Entry<Self> {
            Entry::new(Knight::default(), At(Vec2::ZERO))
        }
    }

    impl Body<Game> for Knight {}
}

pub mod stranger {
    use super::*;

    #[derive(Kind, Clone, Default)]
    #[kind(player)]
    pub struct Knight {
        gold: Int<0, 200>,
    }

    /// Still there, but no player's any more.
    #[derive(Kind, Clone, Default)]
    pub struct Hero {
        gold: Int<0, 200>,
    }

    pub struct Game;

    impl Rules for Game {
        type Kinds = (Knight, Hero);
        type Input = Pad;
        const ROOM: Room = Room::lasting().characters().seats(4).map(Map::flat(20, 20));

        fn join(_: &mut World<Self>, _: &Seat) -> Entry<Self> {
            Entry::new(Knight::default(), At(Vec2::ZERO))
        }
    }

    impl Body<Game> for Knight {}
    impl Body<Game> for Hero {}
}

/// What became of the fair: every field of a guest is mapped by name, and most are converted.
pub mod later_fair {
    use super::*;
    use crate::saves::fair::{Fair, Mood as FairMood, Pad as FairPad};

    #[derive(Kind, Clone, Default)]
    #[kind(player, was = "guest")]
    pub struct Visitor {
        bag: List<Real<0, 5, 2>, 4>,
        #[was("motto")]
        name: Text<8>,
        #[was("coins")]
        gold: Real<0, 1_000, 10>,
        weight: Real<-1, 1, 10>,
        glad: bool,
        aim: Vector<4, 8>,
        facing: Angle,
        mood: FairMood,
        friend: Option<SeatId>,
        toy: Option<BodyId>,
        new: Int<4, 9>,
    }

    #[derive(Kind, Clone, Default)]
    #[kind(shared)]
    pub struct Till {
        sum: Int<0, 10>,
    }

    pub struct Game;

    impl Rules for Game {
        type Kinds = (Till, Visitor);
        type Input = FairPad;
        const ROOM: Room = <Fair as Rules>::ROOM;

        fn join(_: &mut World<Self>, _: &Seat) -> Entry<Self> {
            Entry::new(Visitor::default(), Anywhere)
        }
    }

    impl Body<Game> for Visitor {}
    impl Body<Game> for Till {}
}
