//! What every part of a restore shares: the version of the records, how old kinds and fields map, what is reported.

use std::collections::BTreeSet;

use xxhash_rust::xxh64::xxh64;

use crate::rules::cut::{Cut, SaveError};
use crate::rules::engine::Engine;
use crate::rules::evolve::{Plan, Report};
use crate::rules::face::Note;
use crate::rules::ids::BodyId;
use crate::rules::save::layout::Layout;
use crate::rules::save::{SECTION_SCHEMA, VERSION, former};
use crate::rules::schema::Schema;

/// One restore.
pub struct Taking {
    version: u32,
    /// How rows become those of now; none: they are those of now.
    plan: Option<Plan>,
    report: Report,
    /// Bodies whose kind is no more.
    dropped: BTreeSet<BodyId>,
}

/// A kind of the save.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OldKind {
    /// Its place in the save.
    pub at: usize,
    pub player: bool,
    pub shared: bool,
    /// Its place among the kinds of now; none: it is no more.
    pub now: Option<usize>,
}

impl Taking {
    pub(super) fn new(schema: &Schema, cut: &Cut) -> Result<Taking, SaveError> {
        let (version, record) = schema_record(cut)?;
        let same = match version {
            0 if former::hash(schema).is_some_and(|hash| hash.to_le_bytes() == record) => true,
            0 => return Err(SaveError::Schema),
            _ => record == schema.layout_record(),
        };
        let plan = if same { None } else { Some(Plan::new(Layout::parse(record)?, &schema.kinds)) };
        Ok(Taking { version, plan, report: Report::default(), dropped: BTreeSet::new() })
    }

    /// Which version of the records is read.
    #[must_use]
    pub fn version(&self) -> u32 {
        self.version
    }

    /// A kind by its place in the save; none when the save has none there.
    #[must_use]
    pub fn kind(&self, schema: &Schema, at: usize) -> Option<OldKind> {
        match &self.plan {
            Some(plan) => {
                let old = plan.old(at)?;
                Some(OldKind { at, player: old.player, shared: old.shared, now: plan.kind(at) })
            }
            None => {
                let spec = schema.kinds.get(at)?;
                Some(OldKind { at, player: spec.player, shared: spec.shared, now: Some(at) })
            }
        }
    }

    /// The name that the save has for a kind.
    pub(super) fn name(&self, schema: &Schema, kind: OldKind) -> String {
        match &self.plan {
            Some(plan) => plan.old(kind.at).map(|old| old.name.clone()).unwrap_or_default(),
            None => schema.kinds.get(kind.at).map(|spec| spec.name.to_owned()).unwrap_or_default(),
        }
    }

    /// Whether a body of the save is not in the room because its kind is no more.
    #[must_use]
    pub fn is_dropped(&self, body: BodyId) -> bool {
        self.dropped.contains(&body)
    }

    pub(super) fn drop_body(&mut self, schema: &Schema, kind: OldKind, body: BodyId) {
        self.dropped.insert(body);
        self.drop_row(schema, kind);
    }

    pub(super) fn drop_row(&mut self, schema: &Schema, kind: OldKind) {
        let name = self.name(schema, kind);
        self.report.add_dropped_row(&name);
    }

    /// The words of now of a row of the save.
    pub(super) fn row(
        &mut self,
        engine: &Engine,
        kind: OldKind,
        words: Vec<i32>,
    ) -> Result<Vec<i32>, SaveError> {
        match &self.plan {
            Some(plan) => plan.row(kind.at, words, &engine.schema.kinds, &engine.columns, &mut self.report),
            None => Ok(words),
        }
    }

    pub(super) fn into_notes(self) -> Vec<Note> {
        self.report.notes("restore")
    }
}

/// What the rows of a cut are, as the cut itself says; none of one that carries only a hash.
///
/// # Errors
/// There is no schema record that this build reads.
pub fn layout_of(cut: &Cut) -> Result<Option<Layout>, SaveError> {
    match schema_record(cut)? {
        (0, _) => Ok(None),
        (_, record) => Layout::parse(record).map(Some),
    }
}

/// The hash of the schema that a cut was written by, hexadecimal, as copies of characters name it.
#[must_use]
pub fn layout_hash_of(cut: &Cut) -> String {
    format!("{:016x}", schema_record(cut).map_or(0, |(_, record)| xxh64(record, 0)))
}

/// The version of a cut's records, and its schema record.
fn schema_record(cut: &Cut) -> Result<(u32, &[u8]), SaveError> {
    let mut records = cut.section(SECTION_SCHEMA);
    let (version, record) = records.next().ok_or(SaveError::Corrupt("no schema"))?;
    if records.next().is_some() {
        return Err(SaveError::Corrupt("a record left over"));
    }
    if version > VERSION { Err(SaveError::Records(version)) } else { Ok((version, record)) }
}
