//! What the derives make of a game file: the specs that everything else works from, and words that come back as they
//! went or not at all.

use std::fmt::Debug;

use proptest::prelude::*;
use roundtable::limits::CONTROL_WORDS_MAX;
use roundtable::prelude::*;
use roundtable::rules::datum::Datum;
use roundtable::rules::input::{
    self, Action as _, ControlReader, Controls, Input as _, NoAction, NoMovementInEventDrivenGame,
    controls_of,
};
use roundtable::rules::kind::Kind as _;
use roundtable::rules::schema::{ActionSpec, ArgSpec, ControlType, FieldSpec, FieldType};

#[derive(Choice, Clone, Copy, PartialEq, Debug)]
enum Gear {
    Idle,
    FullSpeed,
    Back,
}

#[derive(Choice, Clone, Copy, Default, PartialEq, Debug)]
enum Mood {
    Sad,
    #[default]
    SoSo,
}

#[derive(Action, Clone, PartialEq, Debug)]
enum Deed {
    Pass,
    PlayCard { card: Int<0, 51>, r#as: Mood },
    Tell { to: Option<SeatId>, line: Text<8>, marks: List<Int<0, 9>, 3> },
    Aim { at: Vector<10, 10>, way: Angle, force: Real<0, 1, 100>, fast: bool, whom: Option<BodyId> },
}

#[derive(Input, Clone, Default, PartialEq, Debug)]
#[input(actions = Deed)]
struct Pad {
    r#move: Stick,
    aim: Aim,
    slot: Level<-3, 9>,
    bet: Level<5, 5_000>,
    wide: Level<{ i16::MIN }, { i16::MAX }>,
    gear: Gear,
    fire: Button,
}

#[derive(Input, Clone, Default)]
#[input(on_event, actions = Deed)]
struct Table;

#[derive(Input, Clone, Default)]
struct Nothing;

#[derive(Kind, Clone, Default, PartialEq, Debug)]
#[kind(player, radius = 0.75, speed = 8, turn = 3.5, solid, rewind, owner_moved, look = "disc red")]
#[kind(label = "title", bar = "hp", was = "captain", was = "skipper", upgrade)]
struct StarPilot {
    title: Text<6>,
    #[hud]
    hp: Int<0, 100>,
    #[score]
    #[durable]
    #[was("money", "coins")]
    #[was("pence")]
    gold: Int<0, 1_000>,
    #[private]
    bag: List<Int<0, 51>, 3>,
    #[local]
    r#type: Mood,
    home: Vector<50, 10>,
}

impl StarPilot {
    fn upgrade(old: &OldFields, new: &mut StarPilot) {
        new.gold.set(old.int("purse").unwrap_or(0));
    }
}

#[derive(Kind, Clone, Default)]
#[kind(shared)]
struct Harbour;

#[test]
fn a_kind_says_all_that_its_attributes_do() {
    let spec = StarPilot::SPEC;
    assert_eq!((spec.name, spec.was), ("star-pilot", ["captain", "skipper"].as_slice()));
    assert_eq!((spec.radius, spec.speed, spec.turn, spec.look), (0.75, 8.0, 3.5, "disc red"));
    assert_eq!((spec.label, spec.bar), (Some("title"), Some("hp")));
    assert!(spec.player && spec.solid && spec.rewind && spec.owner_moved && spec.upgrades && !spec.shared);
    let (text, int) = (FieldType::Text { chars: 6 }, FieldType::Int { min: 0, max: 100 });
    assert_eq!(spec.fields[0], FieldSpec::plain("title", text));
    assert_eq!(spec.fields[1], FieldSpec { hud: true, ..FieldSpec::plain("hp", int) });
    let gold = spec.fields[2];
    assert_eq!((gold.was, gold.score, gold.durable), (["money", "coins", "pence"].as_slice(), true, true));
    assert!(spec.fields[3].private && spec.fields[4].local && spec.fields[4].name == "type");
    let plain = Harbour::SPEC;
    assert!(plain.shared && !(plain.player || plain.solid || plain.upgrades) && plain.fields.is_empty());
    assert_eq!((plain.name, plain.radius, plain.speed, plain.was.len()), ("harbour", 0.5, 0.0, 0));
}

#[test]
fn a_kind_is_fitted_scored_and_upgraded() {
    let mut pilot = StarPilot { title: "far too long".into(), gold: 2_000.into(), ..StarPilot::default() };
    let mut noted = Vec::new();
    pilot.fit(&mut |field, fitted| noted.push((field, fitted.what, fitted.written)));
    let cut = ("title", "cut", "far too long".to_owned());
    assert_eq!(noted, [cut, ("gold", "clamped", "2000".to_owned())]);
    assert_eq!((pilot.score(), Harbour.score()), (Some(1_000), None));
    let old = OldFields { fields: [("purse".to_owned(), Datum::Int(7))].into() };
    assert!(<StarPilot as roundtable::rules::kind::Kind>::upgrade(&old, &mut pilot));
    assert_eq!(pilot.gold, 7);
    assert!(!Harbour::upgrade(&old, &mut Harbour), "a kind without a conversion of its own says so");
}

#[test]
fn actions_are_named_with_their_arguments() {
    let card = ArgSpec { name: "card", ty: FieldType::Int { min: 0, max: 51 } };
    let mood = ArgSpec { name: "as", ty: FieldType::Choice { names: &["sad", "so-so"] } };
    assert_eq!(Deed::ACTIONS[0], ActionSpec { name: "pass", args: &[] });
    assert_eq!((Deed::ACTIONS[1].name, Deed::ACTIONS[1].args), ("play-card", [card, mood].as_slice()));
    assert_eq!(Deed::ACTIONS[3].args.len(), 5);
}

#[test]
fn an_action_is_read_only_when_all_of_it_fits() {
    let deeds = [
        Deed::Pass,
        Deed::PlayCard { card: 51.into(), r#as: Mood::Sad },
        Deed::Tell { to: Some(SeatId(3)), line: "hi".into(), marks: [1, 9].map(Int::from).into() },
    ];
    for deed in deeds {
        let mut words = Vec::new();
        let index = deed.write(&mut words);
        assert_eq!(Deed::read(index, &words), Some(deed));
        words.push(0);
        assert_eq!(Deed::read(index, &words), None, "words are left over");
        words.pop();
        if words.pop().is_some() {
            assert_eq!(Deed::read(index, &words), None, "words are missing");
        }
    }
    assert_eq!(Deed::read(1, &[52, 0]), None, "a card that there is not");
    assert_eq!(Deed::read(1, &[0, 2]), None, "a mood that there is not");
    assert_eq!((Deed::read(4, &[]), Deed::read(u16::MAX, &[])), (None, None));
    let mut words = Vec::new();
    Deed::PlayCard { card: 400.into(), r#as: Mood::SoSo }.write(&mut words);
    assert_eq!(words, [51, 1], "what a bot does is made to fit");
}

#[test]
fn an_event_driven_input_says_so_and_has_actions_alone() {
    fn same<A: 'static, B: 'static>() -> bool {
        std::any::TypeId::of::<A>() == std::any::TypeId::of::<B>()
    }
    assert!(Table::ON_EVENT && !Pad::ON_EVENT && Table::CONTROLS.is_empty());
    assert!(same::<<Table as input::Input>::Motion, NoMovementInEventDrivenGame>());
    assert!(same::<<Pad as input::Input>::Motion, Motion>() && same::<<Pad as input::Input>::Action, Deed>());
    assert!(same::<<Nothing as input::Input>::Action, NoAction>());
}

#[test]
fn controls_at_rest_are_words_of_zero() {
    let hows: Vec<ControlType> = Pad::CONTROLS.iter().map(|control| control.how).collect();
    assert_eq!(hows[2], ControlType::Int { min: -3, max: 9 });
    assert_eq!(hows[5], ControlType::Choice { names: &["idle", "full-speed", "back"] });
    assert_eq!(controls_of(&Pad::default()), Controls::default());
    let rest = Pad::read(&mut ControlReader::new(&Controls::default(), 0));
    assert_eq!(rest, Pad::default());
    assert_eq!((rest.slot.get(), rest.bet.get(), rest.wide.get(), rest.gear), (0, 5, 0, Gear::Idle));
    let most = Pad { slot: 99.into(), bet: 9_999.into(), wide: (-99_999).into(), ..Pad::default() };
    let read = Pad::read(&mut ControlReader::new(&controls_of(&most), 0));
    assert_eq!((read.slot.get(), read.bet.get(), read.wide.get()), (9, 5_000, i32::from(i16::MIN)));
}

/// Words that a row or an action was read from are the words that it has.
fn same_words<T: Debug>(read: Option<T>, words: &[i32], write: impl Fn(&T, &mut Vec<i32>)) {
    if let Some(value) = read {
        let mut back = Vec::new();
        write(&value, &mut back);
        assert_eq!(back, words, "{value:?}");
    }
}

proptest! {
    #[test]
    fn any_words_are_an_action_in_bounds_or_none(
        action in 0..6u16,
        words in proptest::collection::vec(prop_oneof![-1..4, -101..110, any::<i32>()], 0..9),
    ) {
        same_words(Deed::read(action, &words), &words, |deed, back| assert_eq!(deed.write(back), action));
        same_words(StarPilot::from_words(&words), &words, |pilot, back| pilot.put(back));
    }

    /// F18
    #[test]
    fn any_words_of_controls_are_held_in_bounds(words in any::<[i16; CONTROL_WORDS_MAX]>(), pressed in any::<u32>()) {
        let pad = Pad::read(&mut ControlReader::new(&Controls(words), pressed));
        prop_assert!((-3..=9).contains(&pad.slot.get()) && (5..=5_000).contains(&pad.bet.get()));
        prop_assert!(Gear::ALL.contains(&pad.gear) && pad.fire.pressed() == (pressed >> 6 & 1 == 1));
        prop_assert!(pad.aim.0.is_finite() && pad.r#move.is_finite());
        let again = controls_of(&pad);
        prop_assert_eq!(controls_of(&Pad::read(&mut ControlReader::new(&again, 0))), again);
    }

    #[test]
    fn what_a_bot_holds_is_what_its_words_say(slot in any::<i32>(), wide in any::<i16>(), gear in 0..3usize) {
        let pad = Pad { slot: slot.into(), wide: i32::from(wide).into(), gear: Gear::ALL[gear], ..Pad::default() };
        prop_assert_eq!(Pad::read(&mut ControlReader::new(&controls_of(&pad), 0)), pad);
    }
}
