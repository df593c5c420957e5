//! Kinds of bodies and their columns: one typed column per kind, erased per column rather than per body.
//!
//! A column holds a kind's rows by rising body id. The engine reaches it through `AnyColumn`; a typed face reaches the
//! rows themselves. Absent: positions and seats, which every body has; the engine keeps those.

use std::any::Any;

use crate::rules::datum::OldFields;
use crate::rules::field::Fitted;
use crate::rules::ids::{BodyId, Finder};
use crate::rules::must::must;
use crate::rules::schema::{FieldSpec, FieldType, KindSpec};

/// A kind of body: the struct its `#[derive(Kind)]` is on.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no kind of body",
    label = "not a kind",
    note = "a kind is a struct with `#[derive(Kind, Clone, Default)]`"
)]
pub trait Kind: Clone + Default + 'static {
    const SPEC: KindSpec;
    /// Adds the words of all fields, in order.
    fn put(&self, words: &mut Vec<i32>);
    /// The kind with these words; none when there are more or fewer, or one is out of bounds.
    fn from_words(words: &[i32]) -> Option<Self>;
    /// Brings every field in bounds and tells of those that were not.
    fn fit(&mut self, noted: &mut dyn FnMut(&'static str, Fitted));
    /// Makes the row of a save whose fields do not convert by themselves: `#[kind(upgrade)]`. False when the kind has
    /// no such conversion; the save is then refused and kept.
    fn upgrade(_old: &OldFields, _new: &mut Self) -> bool {
        false
    }
    /// What the round is won by.
    fn score(&self) -> Option<i32>;
}

/// The one row of a shared kind lies where no body can.
pub const SHARED_ROW: BodyId = BodyId(0);

/// The rows of a kind by rising body id.
pub struct Column<K> {
    ids: Vec<BodyId>,
    rows: Vec<K>,
    finder: Finder,
}

impl<K> Default for Column<K> {
    fn default() -> Self {
        Column { ids: Vec::new(), rows: Vec::new(), finder: Finder::default() }
    }
}

impl<K: Kind> Column<K> {
    /// An empty column, or that of a shared kind with its one row.
    pub fn new() -> Column<K> {
        let mut column = Column::default();
        column.start_anew();
        column
    }

    pub fn row(&self, id: BodyId) -> Option<&K> {
        self.find(id).ok().map(|i| &self.rows[i])
    }

    pub fn row_mut(&mut self, id: BodyId) -> Option<&mut K> {
        self.find(id).ok().map(|i| &mut self.rows[i])
    }

    fn find(&self, id: BodyId) -> Result<usize, usize> {
        self.finder.find(&self.ids, id, |id| *id)
    }

    /// Puts a row in, over a former one of the same body.
    pub fn put(&mut self, id: BodyId, row: K) {
        match self.find(id) {
            Ok(i) => self.rows[i] = row,
            Err(i) => {
                self.ids.insert(i, id);
                self.rows.insert(i, row);
            }
        }
    }

    pub fn take(&mut self, id: BodyId) -> Option<K> {
        let i = self.find(id).ok()?;
        self.ids.remove(i);
        Some(self.rows.remove(i))
    }

    #[must_use]
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = (BodyId, &K)> {
        self.ids.iter().copied().zip(&self.rows)
    }
}

/// A column whatever its kind.
pub trait AnyColumn: Any {
    fn ids(&self) -> &[BodyId];
    /// Adds the words of a row that nothing is said of.
    fn put_default(&self, words: &mut Vec<i32>);
    /// Adds the words of a row; none for an absent body.
    fn put_words(&self, id: BodyId, words: &mut Vec<i32>);
    fn score(&self, id: BodyId) -> Option<i32>;
    /// Takes a row out; it goes back with `put_back`.
    fn remove(&mut self, id: BodyId) -> Option<Box<dyn Any>>;
    /// Puts back what `remove` or a copy of a row gave.
    fn put_back(&mut self, id: BodyId, row: Box<dyn Any>);
    /// A shared kind's row is as new again; bodies go.
    fn start_anew(&mut self);
    /// Adds a row from its words; false when they are no row of this kind.
    fn restore(&mut self, id: BodyId, words: &[i32]) -> bool;
    /// The words of a default row, after `upgrade` from these fields if the kind has one; none if it has not.
    fn upgraded(&self, words: &[i32], old: &OldFields) -> Option<Vec<i32>>;
    fn as_any(&self) -> &dyn Any;
    fn as_any_mut(&mut self) -> &mut dyn Any;
}

impl<K: Kind> AnyColumn for Column<K> {
    fn ids(&self) -> &[BodyId] {
        &self.ids
    }

    fn put_default(&self, words: &mut Vec<i32>) {
        let mut row = K::default();
        row.fit(&mut |_, _| ());
        row.put(words);
    }

    fn put_words(&self, id: BodyId, words: &mut Vec<i32>) {
        if let Some(row) = self.row(id) {
            row.put(words);
        }
    }

    fn score(&self, id: BodyId) -> Option<i32> {
        self.row(id).and_then(Kind::score)
    }

    fn remove(&mut self, id: BodyId) -> Option<Box<dyn Any>> {
        self.take(id).map(|row| Box::new(row) as Box<dyn Any>)
    }

    fn put_back(&mut self, id: BodyId, row: Box<dyn Any>) {
        // Always a K: it came out of this very column.
        if let Ok(row) = row.downcast::<K>() {
            self.put(id, *row);
        }
    }

    fn start_anew(&mut self) {
        self.ids.clear();
        self.rows.clear();
        if K::SPEC.shared {
            self.put(SHARED_ROW, K::default());
        }
    }

    fn restore(&mut self, id: BodyId, words: &[i32]) -> bool {
        K::from_words(words).map(|row| self.put(id, row)).is_some()
    }

    fn upgraded(&self, words: &[i32], old: &OldFields) -> Option<Vec<i32>> {
        let mut row = K::from_words(words)?;
        if !K::upgrade(old, &mut row) {
            return None;
        }
        row.fit(&mut |_, _| ());
        let mut words = Vec::new();
        row.put(&mut words);
        Some(words)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }
}

/// The index of a kind among a game's kinds; a game that uses one it did not list does not compile.
#[must_use]
#[track_caller]
pub const fn kind_index(specs: &[KindSpec], name: &str) -> usize {
    let mut i = 0;
    while i < specs.len() {
        if same(specs[i].name, name) {
            return i;
        }
        i += 1;
    }
    must(false, "this kind is missing from the game's `type Kinds`");
    0
}

/// Checks a game's kinds when it is compiled: no name twice, every bar is a field with a greatest value.
#[track_caller]
pub const fn check_kinds(specs: &[KindSpec]) {
    must(specs.len() <= crate::limits::KINDS_MAX, "a game has at most 64 kinds");
    let mut i = 0;
    while i < specs.len() {
        must(kind_index(specs, specs[i].name) == i, "two kinds of a game have the same name");
        if let Some(bar) = specs[i].bar {
            must(has_number(&specs[i], bar), "`bar` names no number among the kind's fields");
        }
        i += 1;
    }
}

const fn has_number(spec: &KindSpec, field: &str) -> bool {
    let mut i = 0;
    while i < spec.fields.len() {
        if same(spec.fields[i].name, field) {
            return is_number(spec.fields[i].ty);
        }
        i += 1;
    }
    false
}

/// A type with one number and bounds: what a score and a bar can be.
#[must_use]
pub const fn is_number(ty: FieldType) -> bool {
    matches!(ty, FieldType::Int { .. } | FieldType::Real { .. })
}

/// Words that the fields of a kind take at most.
#[must_use]
pub const fn row_words_max(fields: &[FieldSpec]) -> usize {
    let (mut words, mut i) = (0, 0);
    while i < fields.len() {
        words += fields[i].ty.words_max();
        i += 1;
    }
    words
}

const fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    let mut i = 0;
    while i < a.len() {
        if a[i] != b[i] {
            return false;
        }
        i += 1;
    }
    true
}
