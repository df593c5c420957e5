//! What is told of a restore: one line a field and what was done to it, however many bodies it was done to.

use std::collections::BTreeMap;
use std::fmt::Display;

use crate::rules::face::Note;
use crate::rules::field::Fitted;

/// What was done to old values, by field and what it was.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    lines: BTreeMap<(String, &'static str), Line>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Line {
    count: u64,
    /// The first value, as it was; none where there is no telling of one.
    first: Option<String>,
}

impl Report {
    /// A value of a field was `clamped`, `cut`, `converted` or `dropped`.
    pub fn add(&mut self, what: &'static str, kind: &str, field: &str, value: &dyn Display) {
        self.line(what, format!("{kind}.{field}"), || Some(Fitted::new(what, value).written));
    }

    /// A row was made by its kind's `upgrade`.
    pub fn add_upgraded(&mut self, kind: &str) {
        self.line("converted", kind.to_owned(), || None);
    }

    /// A body of a kind that is no more was dropped, or a shared row.
    pub fn add_dropped_row(&mut self, kind: &str) {
        self.line("dropped", kind.to_owned(), || None);
    }

    fn line(&mut self, what: &'static str, field: String, first: impl FnOnce() -> Option<String>) {
        self.lines.entry((field, what)).or_insert_with(|| Line { count: 0, first: first() }).count += 1;
    }

    /// The lines as notes of this handler.
    #[must_use]
    pub fn notes(self, handler: &str) -> Vec<Note> {
        let note = |((field, what), line): ((String, &'static str), Line)| {
            let written = match (line.first, line.count) {
                (None, 1) => "1 row".to_owned(),
                (None, count) => format!("{count} rows"),
                (Some(first), 1) => first,
                (Some(first), count) => format!("{first} and {} more", count - 1),
            };
            Note { handler: handler.to_owned(), what, field, written }
        };
        self.lines.into_iter().map(note).collect()
    }
}
