//! `List`: a few values of one field type, in order.

use std::fmt;
use std::ops::{Deref, DerefMut};

use crate::limits::LIST_VALUES_MAX;
use crate::rules::field::{Field, Fitted, take_length};
use crate::rules::must::must;
use crate::rules::schema::FieldType;

/// At most `MOST` values. It has the methods of a slice; what makes it longer says whether it fitted.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct List<T, const MOST: u16>(Vec<T>);

impl<T, const MOST: u16> List<T, MOST> {
    const FITS: () = must(MOST <= LIST_VALUES_MAX, "a List has at most 64 values");

    #[must_use]
    pub const fn new() -> Self {
        List(Vec::new())
    }

    #[must_use]
    pub fn is_full(&self) -> bool {
        self.0.len() >= usize::from(MOST)
    }

    /// Adds a value at the end. False when the list is full: it stays as it is.
    #[must_use = "a full list does not take another value: say what happens then"]
    pub fn push(&mut self, value: T) -> bool {
        self.insert(self.0.len(), value)
    }

    /// Puts a value in at a place, before what is there. False when the list is full or has no such place.
    #[must_use = "a full list does not take another value: say what happens then"]
    pub fn insert(&mut self, index: usize, value: T) -> bool {
        let fits = !self.is_full() && index <= self.0.len();
        if fits {
            self.0.insert(index, value);
        }
        fits
    }

    /// Takes out the value at a place; none when there is none.
    pub fn remove(&mut self, index: usize) -> Option<T> {
        (index < self.0.len()).then(|| self.0.remove(index))
    }

    /// Takes out the last value.
    pub fn pop(&mut self) -> Option<T> {
        self.0.pop()
    }

    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Keeps the values of which this is true.
    pub fn retain(&mut self, keep: impl FnMut(&T) -> bool) {
        self.0.retain(keep);
    }
}

impl<T, const MOST: u16> Default for List<T, MOST> {
    fn default() -> Self {
        List::new()
    }
}

impl<T: Field, const MOST: u16> Field for List<T, MOST> {
    const TYPE: FieldType = {
        let () = Self::FITS;
        FieldType::List { of: &T::TYPE, max: MOST }
    };
    fn put(&self, words: &mut Vec<i32>) {
        words.push(self.0.len() as i32);
        self.0.iter().for_each(|value| value.put(words));
    }
    fn take(words: &mut &[i32]) -> Option<Self> {
        let length = take_length(words, MOST)?;
        (0..length).map(|_| T::take(words)).collect::<Option<Vec<T>>>().map(List)
    }
    /// The note is of the list when it was too long, else of its first value that did not fit.
    fn fit(&mut self) -> Option<Fitted> {
        let length = self.0.len();
        self.0.truncate(usize::from(MOST));
        let mut note = (self.0.len() < length).then(|| Fitted::new("cut", format!("{length} values")));
        for (index, value) in self.0.iter_mut().enumerate() {
            // Each is fitted, whether or not there is room for its note.
            let fitted = value.fit().map(|f| Fitted::new(f.what, format!("[{index}] {}", f.written)));
            note = note.or(fitted);
        }
        note
    }
}

impl<T, const MOST: u16> Deref for List<T, MOST> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<T, const MOST: u16> DerefMut for List<T, MOST> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.0
    }
}

impl<T, const MOST: u16> From<Vec<T>> for List<T, MOST> {
    fn from(values: Vec<T>) -> Self {
        List(values)
    }
}

impl<T, const MOST: u16, const N: usize> From<[T; N]> for List<T, MOST> {
    fn from(values: [T; N]) -> Self {
        List(values.into())
    }
}

impl<T, const MOST: u16> FromIterator<T> for List<T, MOST> {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        List(values.into_iter().collect())
    }
}

impl<T, const MOST: u16> IntoIterator for List<T, MOST> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;
    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a, T, const MOST: u16> IntoIterator for &'a List<T, MOST> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;
    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl<'a, T, const MOST: u16> IntoIterator for &'a mut List<T, MOST> {
    type Item = &'a mut T;
    type IntoIter = std::slice::IterMut<'a, T>;
    fn into_iter(self) -> Self::IntoIter {
        self.0.iter_mut()
    }
}

impl<T: fmt::Debug, const MOST: u16> fmt::Debug for List<T, MOST> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
