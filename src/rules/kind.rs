//! Kinds of bodies and their columns: one typed column per kind, erased per column rather than per body.
//!
//! A column holds a kind's rows by rising body id. The engine reaches it through `AnyColumn`; a typed face reaches the
//! rows themselves. Absent: positions and seats, which every body has; the engine keeps those.

use std::any::Any;

use crate::rules::ids::BodyId;
use crate::rules::schema::{FieldType, KindSpec};

/// A kind of body: the struct its `#[derive(Kind)]` is on.
pub trait Kind: Clone + 'static {
    const SPEC: KindSpec;
    /// The words of all fields, in order.
    fn values(&self, out: &mut Vec<i32>);
    /// The kind with these words; none when there are more or fewer, or one is out of bounds.
    fn from_values(values: &[i32]) -> Option<Self>;
    /// Brings every field in bounds and tells of those that were not.
    fn fit(&mut self, noted: &mut dyn FnMut(&'static str, i64));
    /// What the round is won by.
    fn score(&self) -> Option<i32>;
}

/// The rows of a kind by rising body id.
pub struct Column<K> {
    ids: Vec<BodyId>,
    rows: Vec<K>,
}

impl<K> Default for Column<K> {
    fn default() -> Self {
        Column { ids: Vec::new(), rows: Vec::new() }
    }
}

impl<K: Kind> Column<K> {
    pub fn row(&self, id: BodyId) -> Option<&K> {
        self.ids.binary_search(&id).ok().map(|i| &self.rows[i])
    }

    pub fn row_mut(&mut self, id: BodyId) -> Option<&mut K> {
        self.ids.binary_search(&id).ok().map(|i| &mut self.rows[i])
    }

    /// Puts a row in, over a former one of the same body.
    pub fn put(&mut self, id: BodyId, row: K) {
        match self.ids.binary_search(&id) {
            Ok(i) => self.rows[i] = row,
            Err(i) => {
                self.ids.insert(i, id);
                self.rows.insert(i, row);
            }
        }
    }

    pub fn take(&mut self, id: BodyId) -> Option<K> {
        let i = self.ids.binary_search(&id).ok()?;
        self.ids.remove(i);
        Some(self.rows.remove(i))
    }

    pub fn iter(&self) -> impl Iterator<Item = (BodyId, &K)> {
        self.ids.iter().copied().zip(&self.rows)
    }
}

/// A column whatever its kind.
pub trait AnyColumn: Any {
    fn ids(&self) -> &[BodyId];
    /// The words of a row; nothing is added for an absent body.
    fn values(&self, id: BodyId, out: &mut Vec<i32>);
    fn score(&self, id: BodyId) -> Option<i32>;
    /// Takes a row out; it goes back with `put_back`.
    fn remove(&mut self, id: BodyId) -> Option<Box<dyn Any>>;
    /// Puts back what `remove` or a copy of a row gave.
    fn put_back(&mut self, id: BodyId, row: Box<dyn Any>);
    /// Adds a row from its words; false when they are no row of this kind.
    fn restore(&mut self, id: BodyId, values: &[i32]) -> bool;
    fn as_any(&self) -> &dyn Any;
    fn as_any_mut(&mut self) -> &mut dyn Any;
}

impl<K: Kind> AnyColumn for Column<K> {
    fn ids(&self) -> &[BodyId] {
        &self.ids
    }

    fn values(&self, id: BodyId, out: &mut Vec<i32>) {
        if let Some(row) = self.row(id) {
            row.values(out);
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

    fn restore(&mut self, id: BodyId, values: &[i32]) -> bool {
        K::from_values(values).map(|row| self.put(id, row)).is_some()
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
pub const fn kind_index(specs: &[KindSpec], name: &str) -> usize {
    let mut i = 0;
    while i < specs.len() {
        if same(specs[i].name, name) {
            return i;
        }
        i += 1;
    }
    panic!("this kind is missing from the game's `type Kinds`")
}

/// Checks a game's kinds when it is compiled: no name twice, every bar is a field with a greatest value.
pub const fn check_kinds(specs: &[KindSpec]) {
    assert!(specs.len() <= crate::limits::KINDS_MAX, "a game has at most 64 kinds");
    let mut i = 0;
    while i < specs.len() {
        assert!(kind_index(specs, specs[i].name) == i, "two kinds of a game have the same name");
        if let Some(bar) = specs[i].bar {
            assert!(has_number(&specs[i], bar), "`bar` names no number among the kind's fields");
        }
        i += 1;
    }
}

const fn has_number(spec: &KindSpec, field: &str) -> bool {
    let mut i = 0;
    while i < spec.fields.len() {
        if same(spec.fields[i].name, field) {
            return !matches!(spec.fields[i].ty, FieldType::Bool);
        }
        i += 1;
    }
    false
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
