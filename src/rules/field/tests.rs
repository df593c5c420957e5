//! What every field type keeps: whatever was written ends in bounds, words come back as they went, and words from
//! elsewhere are taken only when they are in bounds.

use std::fmt::Debug;

use proptest::prelude::*;
use roundtable_macros::Choice;

use super::{Angle, Field, Fitted, Int, List, Real, Text, Vector, is_kept};
use crate::rules::datum::{read, show};
use crate::rules::ids::{BodyId, Seat};
use crate::rules::vec2::Vec2;

#[derive(Choice, Clone, Copy, PartialEq, Debug)]
enum Suit {
    Clubs,
    Hearts,
    BlackJoker,
}

type Hp = Int<-5, 100>;
type Every = Int<{ i32::MIN }, { i32::MAX }>;
type Speed = Real<-10, 10, 100>;
type Above = Real<2, 3, 7>;
type Finest = Real<-1, 1, { i32::MAX }>;
type Spot = Vector<50, 256>;
type Name = Text<8>;
type Names = List<Text<3>, 4>;
type Hand = List<Int<0, 51>, 3>;
type Nested = List<List<Int<0, 9>, 2>, 3>;

/// Numbers that pass for numbers until someone reckons with them.
const ODD: [f64; 10] = [
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    -0.0,
    f64::MIN_POSITIVE,
    5e-324,
    -5e-324,
    1e308,
    -1e308,
    f64::MAX,
];

/// Fits what was written, and holds it to all that a fitted value is.
fn fitted<F: Field + PartialEq + Debug>(mut value: F) -> (F, Option<Fitted>) {
    let (mut words, mut unfitted) = (Vec::new(), Vec::new());
    value.put_fitted(&mut unfitted);
    let note = value.fit();
    value.put(&mut words);
    assert_eq!(unfitted, words, "`put_fitted` puts what is there after `fit`");
    assert_eq!(value.fit(), None, "{value:?} fits, once it is fitted");
    assert_eq!(F::TYPE.run(&words), Some(words.len()), "{value:?}");
    assert!(words.len() <= F::TYPE.words_max(), "{value:?}");
    let mut rest = &words[..];
    assert_eq!(F::take(&mut rest).as_ref(), Some(&value));
    assert!(rest.is_empty(), "{value:?} took fewer words than it put");
    let datum = show(F::TYPE, &words).expect("what was put can be shown");
    let mut back = Vec::new();
    assert_eq!(read(F::TYPE, &datum, &mut back), Ok(false), "{value:?}");
    assert_eq!(back, words, "{datum:?}");
    (value, note)
}

/// Words from anywhere are a value in bounds, which has those words, or none.
fn taken<F: Field + Debug>(words: &[i32]) {
    let mut rest = words;
    let Some(mut value) = F::take(&mut rest) else { return };
    let run = &words[..words.len() - rest.len()];
    assert_eq!(F::TYPE.run(words), Some(run.len()), "{value:?}");
    assert_eq!(value.fit(), None, "{value:?} was taken from {run:?}");
    let mut back = Vec::new();
    value.put(&mut back);
    assert_eq!(back, run, "{value:?}");
}

/// Words near every bound there is, and any other.
fn word() -> impl Strategy<Value = i32> {
    prop_oneof![4 => -6..=110, 2 => -13_000..=13_000, 1 => any::<i32>(), 1 => Just(i32::MIN), 1 => Just(i32::MAX)]
}

/// Every float, with the odd ones often.
fn float() -> impl Strategy<Value = f64> {
    prop_oneof![any::<u64>().prop_map(f64::from_bits), proptest::sample::select(ODD.to_vec()), -60.0..60.0]
}

#[test]
fn an_int_holds_what_was_written_until_it_is_fitted() {
    let mut hp: Int<0, 100> = 90.into();
    hp += 50;
    assert_eq!(hp.get(), 140);
    assert_eq!(hp.fit(), Some(Fitted::new("clamped", 140)));
    assert_eq!(hp, 100);
    assert_eq!(hp.fit(), None);
}

#[test]
fn an_int_counts_as_a_whole_number_does_and_never_overflows() {
    let hp = Hp::of::<90>();
    assert_eq!((hp + 5, 5 + hp, hp - 100, 100 - hp, hp * 2, hp / 4, hp % 4), (95, 95, -10, 10, 180, 22, 2));
    assert_eq!(hp + Int::<0, 9>::of::<9>(), 99);
    assert!(hp > 89 && 91 > hp && hp < 91u64 && hp >= Every::default());
    assert!(hp == 90 && hp == Every::of::<90>());
    assert_eq!(90, hp);
    assert_eq!((hp * 0.5, hp.to_string().as_str(), i32::from(hp)), (45.0, "90", 90));
    let mut most = Every::of::<{ i32::MAX }>();
    for _ in 0..4 {
        most *= i32::MAX;
    }
    most += u64::MAX;
    most += most;
    assert_eq!((most.get(), most + 1, most * most), (i32::MAX, i32::MAX, i32::MAX));
    let mut least: Every = i64::MIN.into();
    least -= i64::MAX;
    assert_eq!((least.get(), least - 1, least / -1), (i32::MIN, i32::MIN, i32::MAX));
    assert_eq!(fitted(least).0, i32::MIN);
}

#[test]
fn a_default_is_the_value_in_bounds_nearest_to_zero() {
    assert_eq!(Int::<5, 9>::default(), 5);
    assert_eq!(Int::<-9, -5>::default(), -5);
    assert_eq!(Above::default(), 2.0);
    assert_eq!((Name::default(), Names::default().len(), Suit::default()), ("".into(), 0, Suit::Clubs));
}

#[test]
fn a_real_is_put_on_a_step_without_a_note() {
    let mut v: Real<0, 10, 4> = 1.3.into();
    assert_eq!(v.fit(), None);
    assert_eq!(v, 1.25);
    let mut words = Vec::new();
    v.put(&mut words);
    assert_eq!(words, [5]);
    v *= 2.0;
    v -= 0.5;
    assert_eq!((v + 1.0, 1.0 - v, v / 2.0, -v, 2.0 * v), (3.0, -1.0, 1.0, -2.0, 4.0));
    assert!(v > 1.5 && 2.5 > v && v == Speed::of::<2>());
    assert_eq!(fitted::<Real<0, 10, 4>>((v / 0.0).into()).0, 10.0);
}

/// F18
#[test]
fn a_number_that_is_none_or_that_no_game_means_is_a_step_in_bounds_in_every_type() {
    for written in ODD {
        let within = |value: f64, min: f64, max: f64| (min..=max).contains(&value);
        let (speed, note) = fitted::<Speed>(written.into());
        assert!(within(speed.get(), -10.0, 10.0), "{written} became {speed}");
        assert_eq!(note.map(|note| note.what), what(written, written.abs() <= 10.0), "{written}");
        let (above, _) = fitted::<Above>(written.into());
        assert!(within(above.get(), 2.0, 3.0), "{written} became {above}");
        let (finest, _) = fitted::<Finest>(written.into());
        assert!(within(finest.get(), -1.0, 1.0), "{written} became {finest}");
        for at in [Vec2::new(written, 1.0), Vec2::new(-1.0, written), Vec2::new(written, written)] {
            let (spot, note) = fitted::<Spot>(at.into());
            assert!(within(spot.x, -50.0, 50.0) && within(spot.y, -50.0, 50.0), "{at:?} became {spot}");
            assert_eq!(note.map(|note| note.what), what(written, written.abs() <= 50.0), "{at:?}");
        }
        let (way, note) = fitted::<Angle>(written.into());
        assert!((0.0..std::f64::consts::TAU).contains(&way.get()), "{written} became {way}");
        assert_eq!(note.is_some(), !written.is_finite(), "{written}");
        // A cast is how a rule brings a float into an Int.
        fitted::<Hp>((written as i32).into());
        fitted::<Hp>((written as i64).into());
    }
    let (zero, _) = fitted::<Speed>((-0.0).into());
    assert_eq!(zero.get().to_bits(), 0f64.to_bits(), "minus zero is zero");
    let (spot, _) = fitted::<Spot>(Vec2::new(-0.0, -1e-9).into());
    assert_eq!([spot.x.to_bits(), spot.y.to_bits()], [0; 2], "minus zero is zero");
}

fn what(written: f64, fits: bool) -> Option<&'static str> {
    if written.is_nan() { Some("zeroed") } else { (!fits).then_some("clamped") }
}

#[test]
fn a_vector_is_a_place_in_the_plane() {
    let mut home: Spot = Vec2::new(3.0, 4.0).into();
    home += Vec2::new(1.0, 0.0);
    home -= Vec2::new(0.0, 1.0);
    home *= 2.0;
    assert_eq!((home.get(), home.x, home.length()), (Vec2::new(8.0, 6.0), 8.0, 10.0));
    home.y = 90.0;
    let (home, note) = fitted(home);
    assert_eq!((home.get(), note), (Vec2::new(8.0, 50.0), Some(Fitted::new("clamped", "(8, 90)"))));
}

#[test]
fn an_angle_wraps_without_a_note() {
    let mut way: Angle = 1.0.into();
    way += 5.0 * std::f64::consts::TAU;
    let (way, note) = fitted(way);
    assert!(note.is_none() && (way.get() - 1.0).abs() < 1e-4, "{way}");
}

#[test]
fn a_text_drops_what_garbles_and_is_cut_at_its_end() {
    assert_eq!(fitted::<Name>("Ada".into()), ("Ada".into(), None));
    let (text, note) = fitted::<Name>("a\u{7}b\u{202e}c\n".into());
    assert_eq!((&*text, note.map(|note| note.what)), ("abc", Some("dropped")));
    let (text, note) = fitted::<Name>("äöüß\u{1f0a1}\n12345".into());
    assert_eq!(&*text, "äöüß\u{1f0a1}123");
    assert_eq!(note, Some(Fitted { what: "cut", written: "äöüß\u{1f0a1}\u{fffd}12345".to_owned() }));
    let mut name: Name = "Al".into();
    name += "bert";
    assert!(name == "Albert" && name.len() == 6 && name.starts_with("Al"));
}

#[test]
fn a_list_says_what_it_does_not_take_and_is_cut_only_when_it_was_written_whole() {
    let mut hand = Hand::new();
    assert!((1..=3).all(|card| hand.push(card.into())));
    assert!(!hand.push(4.into()) && !hand.insert(0, 4.into()) && hand.is_full());
    assert_eq!((hand.remove(9), hand.remove(0)), (None, Some(1.into())));
    assert!(!hand.insert(3, 9.into()) && hand.insert(0, 9.into()));
    assert_eq!(hand, Hand::from([9, 2, 3].map(Int::from)));
    assert_eq!((hand.pop(), hand.first().copied(), hand.iter().count()), (Some(3.into()), Some(9.into()), 2));
    let (cut, note) = fitted::<Hand>((0..5).map(Int::from).collect());
    assert_eq!((cut.len(), note), (3, Some(Fitted::new("cut", "5 values"))));
}

#[test]
fn the_values_of_a_list_are_fitted_too() {
    let (hand, note) = fitted::<Hand>([1, 99, -7].map(Int::from).into());
    assert_eq!((hand, note), ([1, 51, 0].map(Int::from).into(), Some(Fitted::new("clamped", "[1] 99"))));
    let (names, note) = fitted::<Names>(vec!["ok".into(), "long".into()].into());
    assert_eq!((&*names[1], note), ("lon", Some(Fitted::new("cut", "[1] long"))));
}

#[test]
fn a_reference_to_what_can_not_be_is_dropped() {
    assert_eq!(fitted(Some(Seat(511))), (Some(Seat(511)), None));
    assert_eq!(fitted(Some(Seat(512))), (None, Some(Fitted::new("dropped", 512))));
    assert_eq!(fitted(Some(BodyId(1))), (Some(BodyId(1)), None));
    assert_eq!(fitted(Some(BodyId(0))).0, None);
    assert_eq!(fitted(Some(BodyId(u32::MAX))), (None, Some(Fitted::new("dropped", u32::MAX))));
    assert_eq!(fitted(None::<Seat>), (None, None));
}

#[test]
fn a_choice_is_one_of_its_names() {
    assert_eq!(Suit::NAMES, ["clubs", "hearts", "black-joker"]);
    for (place, suit) in Suit::ALL.into_iter().enumerate() {
        assert_eq!((suit.place(), suit.name()), (place, Suit::NAMES[place]));
        fitted(suit);
    }
}

fn refused<F: Field>(words: &[i32]) -> bool {
    F::take(&mut &words[..]).is_none()
}

/// F18
#[test]
fn hostile_words_are_no_field() {
    assert!(refused::<bool>(&[2]) && refused::<bool>(&[-1]) && refused::<bool>(&[]));
    assert!(refused::<Hp>(&[101]) && refused::<Hp>(&[-6]) && refused::<Hp>(&[i32::MAX]));
    assert!(refused::<Speed>(&[1_001]) && refused::<Speed>(&[i32::MIN]));
    assert!(refused::<Spot>(&[0, 12_801]) && refused::<Spot>(&[-12_801, 0]) && refused::<Spot>(&[0]));
    assert!(refused::<Angle>(&[65_536]) && refused::<Angle>(&[-1]));
    assert!(refused::<Suit>(&[3]) && refused::<Suit>(&[-1]));
    assert!(refused::<Name>(&[9, 65, 65, 65, 65, 65, 65, 65, 65, 65]), "too long");
    assert!(refused::<Name>(&[1, 0xd800]), "half a character");
    assert!(refused::<Name>(&[1, 7]) && refused::<Name>(&[1, 0x202e]), "characters that garble");
    assert!(refused::<Name>(&[i32::MAX, 65]) && refused::<Name>(&[-1]) && refused::<Name>(&[2, 65]));
    assert!(refused::<Hand>(&[2, 1]) && refused::<Hand>(&[1, 52]) && refused::<Hand>(&[i32::MIN]));
    assert!(refused::<Nested>(&[]) && refused::<Nested>(&[1, 3, 0, 0, 0]));
    assert!(refused::<Option<Seat>>(&[513]) && refused::<Option<BodyId>>(&[-1]));
}

proptest! {
    #[test]
    fn any_whole_number_ends_in_bounds(written in any::<i64>(), by in any::<i32>(), more in any::<u64>()) {
        let mut hp: Hp = written.into();
        hp += by;
        hp -= more;
        hp *= by;
        prop_assert!((-5..=100).contains(&fitted(hp).0.get()));
        let mut every: Every = written.into();
        every -= every + by;
        fitted(every);
    }

    /// F18
    #[test]
    fn any_float_ends_on_a_step_in_bounds(x in float(), y in float()) {
        let mut speed: Speed = x.into();
        speed += y;
        prop_assert!((-10.0..=10.0).contains(&fitted(speed).0.get()));
        speed *= y;
        speed /= x;
        fitted(speed);
        fitted::<Above>(x.into());
        fitted::<Finest>(x.into());
        fitted::<Angle>((x + y).into());
        let (spot, _) = fitted::<Spot>(Vec2::new(x, y).into());
        prop_assert!(spot.x.abs() <= 50.0 && spot.y.abs() <= 50.0);
    }

    #[test]
    fn any_text_ends_as_one_that_can_be_shown(text in any::<String>(), more in "\\PC{0,12}") {
        let mut name: Name = text.into();
        name += &more;
        let (name, _) = fitted(name);
        prop_assert!(name.chars().count() <= 8 && name.chars().all(is_kept));
    }

    #[test]
    fn any_list_ends_within_its_length(
        cards in proptest::collection::vec(any::<i32>(), 0..9),
        names in proptest::collection::vec(any::<String>(), 0..7),
        rows in proptest::collection::vec(proptest::collection::vec(any::<i32>(), 0..5), 0..6),
    ) {
        prop_assert!(fitted::<Hand>(cards.into_iter().map(Int::from).collect()).0.len() <= 3);
        fitted::<Names>(names.into_iter().map(Text::from).collect());
        let nested = rows.into_iter().map(|row| row.into_iter().map(Int::from).collect());
        fitted::<Nested>(nested.collect());
    }

    #[test]
    fn any_reference_ends_as_one_that_can_be(seat in any::<u16>(), body in any::<u32>()) {
        fitted(Some(Seat(seat)));
        fitted(Some(BodyId(body)));
    }

    /// F18
    #[test]
    fn any_words_are_a_value_in_bounds_or_none(words in proptest::collection::vec(word(), 0..14)) {
        taken::<bool>(&words);
        taken::<Hp>(&words);
        taken::<Every>(&words);
        taken::<Speed>(&words);
        taken::<Above>(&words);
        taken::<Finest>(&words);
        taken::<Spot>(&words);
        taken::<Angle>(&words);
        taken::<Suit>(&words);
        taken::<Name>(&words);
        taken::<Names>(&words);
        taken::<Hand>(&words);
        taken::<Nested>(&words);
        taken::<Option<Seat>>(&words);
        taken::<Option<BodyId>>(&words);
    }
}
