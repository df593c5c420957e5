//! What becomes of the fields of a former version of the game: mapped by name, converted, upgraded, dropped or refused.
//!
//! A field takes up the old one of its name, else one of a former name (`was`) that no other field has. `Match` says
//! which, once per kind; `convert` then makes each row. Saves and characters both come through here. What converts by
//! itself is said in `datum::read` for values and in `TypeLayout::converts_to` for types. Absent: bytes (`save`).

mod compare;
mod plan;
mod report;

pub use compare::{Change, What, compare};
pub use plan::Plan;
pub use report::Report;

use crate::rules::character::{Character, fields_of};
use crate::rules::contain::{Failure, contain};
use crate::rules::cut::SaveError;
use crate::rules::datum::{Datum, OldFields, read};
use crate::rules::face::{Note, Unfit};
use crate::rules::kind::AnyColumn;
use crate::rules::save::types::TypeLayout;
use crate::rules::schema::{FieldType, KindSpec, runs};

/// Which old fields a kind's fields take up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Match {
    /// For each field the place of the old one among the old ones; none: the field is new.
    pub sources: Vec<Option<usize>>,
    /// Old ones whose type has no conversion to that of now, rising.
    pub stuck: Vec<usize>,
    /// Old ones whose type is another, but converts, rising.
    pub converted: Vec<usize>,
    /// Old ones that no field takes up, rising.
    pub left: Vec<usize>,
}

impl Match {
    /// By names alone.
    fn by_name(spec: &KindSpec, old: &[&str]) -> Match {
        let sources = matched(spec.fields.iter().map(|field| (field.name, field.was)), old);
        let left = (0..old.len()).filter(|i| !sources.contains(&Some(*i))).collect();
        Match { sources, left, ..Match::default() }
    }
}

/// For each of `new`, a name and its former ones, which of `old` it takes up. Its own name goes before any former one.
fn matched<'a>(
    new: impl Iterator<Item = (&'a str, &'a [&'a str])> + Clone,
    old: &[&str],
) -> Vec<Option<usize>> {
    let place = |name: &str| old.iter().position(|other| *other == name);
    let mut found: Vec<Option<usize>> = new.clone().map(|(name, _)| place(name)).collect();
    for (i, (_, was)) in new.enumerate() {
        if found[i].is_none() {
            found[i] = was.iter().filter_map(|name| place(name)).find(|at| !found.contains(&Some(*at)));
        }
    }
    found
}

/// An old row: its kind's name, the names of its fields and their values.
struct OldRow<'a> {
    kind: &'a str,
    names: &'a [&'a str],
    values: &'a [Datum],
}

/// The words of a row of `spec`, whose column is `column`, from an old one. Reports what was converted or dropped.
///
/// # Errors
/// A field does not convert and the kind has no `upgrade`, or that panicked.
fn convert(
    spec: &KindSpec,
    column: &dyn AnyColumn,
    map: &Match,
    old: &OldRow<'_>,
    report: &mut Report,
) -> Result<Vec<i32>, SaveError> {
    let (mut plain, mut words) = (Vec::new(), Vec::new());
    column.put_default(&mut plain);
    let mut stuck = None;
    for ((field, run), source) in runs(spec.fields, &plain).zip(&map.sources) {
        let before = words.len();
        let value = source.map(|i| &old.values[i]);
        let fits = match (value, source) {
            (Some(value), Some(i)) if !map.stuck.contains(i) => read(field.ty, value, &mut words).ok(),
            _ => None,
        };
        match (fits, value) {
            (Some(fitted), Some(value)) => {
                if fitted {
                    report.add(fitting(field.ty), spec.name, field.name, value);
                }
                if source.is_some_and(|i| map.converted.contains(&i)) {
                    report.add("converted", spec.name, field.name, value);
                }
            }
            (None, Some(value)) => stuck = stuck.or(Some((field, value))),
            _ => {}
        }
        if fits.is_none() {
            words.truncate(before);
            words.extend_from_slice(run);
        }
    }
    if spec.upgrades && (stuck.is_some() || !map.left.is_empty()) {
        words = upgrade(spec, column, &words, old)?;
        report.add_upgraded(spec.name);
        return Ok(words);
    }
    if let Some((field, value)) = stuck {
        return Err(does_not_convert(spec, field.name, &shape(value), field.ty));
    }
    for i in &map.left {
        report.add("dropped", old.kind, old.names[*i], &old.values[*i]);
    }
    Ok(words)
}

fn upgrade(
    spec: &KindSpec,
    column: &dyn AnyColumn,
    words: &[i32],
    old: &OldRow<'_>,
) -> Result<Vec<i32>, SaveError> {
    let fields = old.names.iter().map(|&name| name.to_owned()).zip(old.values.iter().cloned()).collect();
    let message = match contain(|| column.upgraded(words, &OldFields { fields })) {
        Ok(Some(words)) => return Ok(words),
        Ok(None) => "it made no row of this kind".to_owned(),
        Err(Failure::Failed(message)) => message,
        Err(Failure::Stopped) => "stopped".to_owned(),
    };
    Err(SaveError::Upgrade { kind: spec.name.to_owned(), message })
}

fn does_not_convert(spec: &KindSpec, field: &str, was: &str, ty: FieldType) -> SaveError {
    SaveError::Field {
        kind: spec.name.to_owned(),
        field: field.to_owned(),
        was: was.to_owned(),
        is: TypeLayout::of(ty).to_string(),
    }
}

/// What is done to a value of this type to make it fit.
fn fitting(ty: FieldType) -> &'static str {
    match ty {
        FieldType::Text { .. } | FieldType::List { .. } => "cut",
        _ => "clamped",
    }
}

/// What a value of unknown type is, for people.
fn shape(value: &Datum) -> String {
    format!(
        "{} ({value})",
        match value {
            Datum::Nothing => "empty",
            Datum::Bool(_) => "bool",
            Datum::Int(_) => "a whole number",
            Datum::Real(_) => "a real",
            Datum::Text(_) => "a text",
            Datum::List(_) => "a list",
        }
    )
}

/// A character that some version of the game wrote, in the fields of now.
///
/// # Errors
/// It is of no player kind, or a field does not convert.
pub fn fit_character(
    kinds: &[KindSpec],
    columns: &[Box<dyn AnyColumn>],
    character: &Character,
) -> Result<(Character, Vec<Note>), Unfit> {
    let old = [character.kind.as_str()];
    let found = matched(kinds.iter().map(|kind| (kind.name, kind.was)), &old);
    let kind = found.iter().position(|source| source.is_some()).filter(|kind| kinds[*kind].player);
    let kind = kind.ok_or_else(|| Unfit(format!("{} is no player kind of this game", character.kind)))?;
    let mut report = Report::default();
    let words = character_row(&kinds[kind], columns[kind].as_ref(), character, &mut report)?;
    let fitted = Character {
        kind: kinds[kind].name.to_owned(),
        pose: character.pose,
        fields: fields_of(&kinds[kind], &words),
    };
    Ok((fitted, report.notes("character")))
}

/// The words of a character's row in this kind, which it is known to be of.
pub fn character_row(
    spec: &KindSpec,
    column: &dyn AnyColumn,
    character: &Character,
    report: &mut Report,
) -> Result<Vec<i32>, Unfit> {
    let (names, values): (Vec<&str>, Vec<Datum>) =
        character.fields.iter().map(|(name, value)| (name.as_str(), value.clone())).unzip();
    let map = Match::by_name(spec, &names);
    convert(spec, column, &map, &OldRow { kind: &character.kind, names: &names, values: &values }, report)
        .map_err(|error| Unfit(error.to_string()))
}
