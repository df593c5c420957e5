//! The upgrade of section 8 of docs/write-a-game.md.

use roundtable::prelude::*;
use roundtable::rules::datum::Datum;
use roundtable::rules::kind::Kind;

#[derive(Kind, Clone, Default)]
#[kind(player, upgrade)]
pub struct Catcher {
    #[score]
    pub caught: Int<0, 999>,
}

impl Catcher {
    fn upgrade(old: &OldFields, new: &mut Self) {
        if let Some(glow) = old.int("glow") {
            new.caught = (i32::try_from(glow).unwrap_or(0) / 2).into();
        }
    }
}

#[test]
fn what_an_old_save_has_is_taken() {
    let mut catcher = Catcher::default();
    let old = OldFields { fields: [("glow".to_owned(), Datum::Int(9))].into() };
    assert!(<Catcher as Kind>::upgrade(&old, &mut catcher));
    assert_eq!(catcher.caught, 4);
}
