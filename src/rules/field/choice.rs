//! Choices: one of a few names, by its place among them. `#[derive(Choice)]` makes an enum one, with what is here.

use crate::rules::field::take_word;

/// The choice whose place comes first among the words; none when there is none such.
pub fn choice_of<T: Clone>(all: &[T], words: &mut &[i32]) -> Option<T> {
    let index = usize::try_from(take_word(words)?).ok()?;
    all.get(index).cloned()
}

/// The choice of a control's word. A word that names none, which only a hostile client sends, is the first: neutral.
pub fn choice_held<T: Copy>(all: &[T], word: i16) -> T {
    usize::try_from(word).ok().and_then(|index| all.get(index)).copied().unwrap_or(all[0])
}
