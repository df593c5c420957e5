//! Hills, in two versions: a lasting world with characters, and the same after a deploy that made text of what grows on its
//! rocks. The harness lets the second take the place of the first (`GAME_ALIAS`).

/// One version. Hikers find a feather at each press of `look`.
macro_rules! version {
    ($name:ident, $moss:ty) => {
        pub mod $name {
            use roundtable::prelude::*;

            #[derive(Input, Clone, Default)]
            pub struct Pad {
                go: Stick,
                look: Button,
            }

            #[derive(Kind, Clone, Default)]
            #[kind(player, radius = 0.5, look = "disc #7bd88f")]
            pub struct Hiker {
                #[durable]
                feathers: Int<0, 1_000_000>,
                hat: Text<12>,
            }

            #[derive(Kind, Clone, Default)]
            #[kind(radius = 0.5, look = "disc #888")]
            pub struct Rock {
                #[durable]
                moss: $moss,
            }

            #[derive(Kind, Clone, Default)]
            #[kind(shared)]
            pub struct Nest {
                #[durable]
                found: Int<0, 1_000_000>,
            }

            pub struct Hills;

            impl Rules for Hills {
                type Kinds = (Hiker, Rock, Nest);
                type Input = Pad;
                const ROOM: Room = Room::lasting().characters().seats(8).map(Map::flat(20, 20));

                fn open(w: &mut World<Self>) {
                    w.spawn(Rock::default(), At(Vec2::new(8.0, 8.0)));
                }

                fn join(_: &mut World<Self>, seat: &Seat) -> Entry<Self> {
                    Entry::new(seat.character::<Hiker>().unwrap_or_default(), Anywhere)
                }
            }

            impl Body<Hills> for Rock {}
            impl Body<Hills> for Nest {}

            impl Body<Hills> for Hiker {
                fn steer(&self, motion: &mut Motion, pad: &Pad, map: &Map) {
                    motion.slide(pad.go * 4.0, map);
                }

                fn tick(&mut self, me: &Me, w: &mut World<Hills>) {
                    if w.input(me).look.pressed() {
                        self.feathers += 1;
                        self.hat = "feathered".into();
                        w.share::<Nest>(|nest| nest.found += 1);
                    }
                }
            }
        }
    };
}

version!(first, Int<0, 9>);
version!(second, Text<8>);
