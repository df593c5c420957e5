//! How the rows of a save become those of the game as it is: made once per restore from the save's layout.

use crate::rules::cut::SaveError;
use crate::rules::evolve::{Match, OldRow, Report, convert, does_not_convert, matched};
use crate::rules::kind::AnyColumn;
use crate::rules::save::layout::{FieldLayout, KindLayout, Layout};
use crate::rules::save::types::TypeLayout;
use crate::rules::schema::{FieldSpec, KindSpec};

/// For each kind of the save what it is now.
#[derive(Clone, Debug)]
pub struct Plan {
    pub(super) kinds: Vec<KindPlan>,
}

#[derive(Clone, Debug)]
pub(super) struct KindPlan {
    pub old: KindLayout,
    /// Its place among the kinds of now; none: it is no more.
    pub kind: Option<usize>,
    pub map: Match,
    /// Its rows are rows of now, word for word.
    same: bool,
}

impl Plan {
    #[must_use]
    pub fn new(layout: Layout, kinds: &[KindSpec]) -> Plan {
        let names: Vec<&str> = layout.kinds.iter().map(|kind| kind.name.as_str()).collect();
        let sources = matched(kinds.iter().map(|kind| (kind.name, kind.was)), &names);
        let place = |old: usize| sources.iter().position(|source| *source == Some(old));
        let places: Vec<Option<usize>> = (0..names.len()).map(place).collect();
        let plan = |(old, kind): (KindLayout, Option<usize>)| {
            // Bodies do not become shared state, nor the other way round.
            let kind = kind.filter(|kind| kinds[*kind].shared == old.shared);
            let map = kind.map(|kind| match_fields(&kinds[kind], &old)).unwrap_or_default();
            let same = kind.is_some_and(|kind| is_same(&kinds[kind], &old));
            KindPlan { old, kind, map, same }
        };
        Plan { kinds: layout.kinds.into_iter().zip(places).map(plan).collect() }
    }

    /// A kind of the save.
    #[must_use]
    pub fn old(&self, kind: usize) -> Option<&KindLayout> {
        self.kinds.get(kind).map(|plan| &plan.old)
    }

    /// What a kind of the save is now; none: it is no more.
    #[must_use]
    pub fn kind(&self, old: usize) -> Option<usize> {
        self.kinds.get(old)?.kind
    }

    /// The words of now of a row of an old kind that still is one. Reports what was converted or dropped.
    ///
    /// # Errors
    /// The words are no row of the old kind, or a field does not convert.
    pub fn row(
        &self,
        old: usize,
        words: Vec<i32>,
        kinds: &[KindSpec],
        columns: &[Box<dyn AnyColumn>],
        report: &mut Report,
    ) -> Result<Vec<i32>, SaveError> {
        let plan = self.kinds.get(old).ok_or(SaveError::Corrupt("a row's kind"))?;
        let kind = plan.kind.ok_or(SaveError::Corrupt("a row's kind"))?;
        if plan.same {
            return Ok(words);
        }
        let values = plan.old.values(&words).ok_or(SaveError::Corrupt("a row's fields"))?;
        let spec = &kinds[kind];
        if let Some(stuck) = plan.map.stuck.first().filter(|_| !spec.upgrades) {
            return Err(plan.refused(spec, *stuck));
        }
        let names: Vec<&str> = plan.old.fields.iter().map(|field| field.name.as_str()).collect();
        let row = OldRow { kind: &plan.old.name, names: &names, values: &values };
        convert(spec, columns[kind].as_ref(), &plan.map, &row, report)
    }
}

impl KindPlan {
    /// The field that takes up an old one.
    pub(super) fn taker(&self, old: usize) -> Option<usize> {
        self.map.sources.iter().position(|source| *source == Some(old))
    }

    /// Why rows of this kind are refused: an old field that is stuck.
    pub(super) fn refused(&self, spec: &KindSpec, stuck: usize) -> SaveError {
        let was = self.old.fields[stuck].ty.to_string();
        match self.taker(stuck).map(|field| &spec.fields[field]) {
            Some(field) => does_not_convert(spec, field.name, &was, field.ty),
            None => SaveError::Schema,
        }
    }
}

fn match_fields(spec: &KindSpec, old: &KindLayout) -> Match {
    let names: Vec<&str> = old.fields.iter().map(|field| field.name.as_str()).collect();
    let mut map = Match::by_name(spec, &names);
    for (field, source) in spec.fields.iter().zip(&map.sources) {
        let Some(source) = *source else { continue };
        let was = &old.fields[source].ty;
        if !was.converts_to(field.ty) {
            map.stuck.push(source);
        } else if *was != TypeLayout::of(field.ty) {
            map.converted.push(source);
        }
    }
    map
}

fn is_same(spec: &KindSpec, old: &KindLayout) -> bool {
    let same = |(field, old): (&FieldSpec, &FieldLayout)| {
        field.name == old.name && TypeLayout::of(field.ty) == old.ty
    };
    spec.fields.len() == old.fields.len() && spec.fields.iter().zip(&old.fields).all(same)
}
