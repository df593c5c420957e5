//! What a game does to saves of another layout, without a save at hand: for `make deploy` and `make check-save`.

use std::fmt;

use crate::rules::evolve::Plan;
use crate::rules::evolve::plan::KindPlan;
use crate::rules::save::layout::Layout;
use crate::rules::save::types::TypeLayout;
use crate::rules::schema::{KindSpec, Schema};

/// What becomes of a kind, or of a field of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// `kind` or `kind.field`, as the save has it; of what is added, as the game has it.
    pub name: String,
    pub what: What,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    Added,
    Renamed {
        to: String,
    },
    Converted {
        was: String,
        is: String,
    },
    /// By the kind's `upgrade`.
    Upgraded {
        was: String,
        is: String,
    },
    Dropped {
        durable: bool,
    },
    Refused {
        why: String,
    },
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = &self.name;
        match &self.what {
            What::Added => write!(f, "{name} is new and begins with its default"),
            What::Renamed { to } => write!(f, "{name} becomes {to}"),
            What::Converted { was, is } => write!(f, "{name} is converted: {was} becomes {is}"),
            What::Upgraded { was, is } => write!(f, "{name} is upgraded by the kind: {was} becomes {is}"),
            What::Dropped { durable: false } => write!(f, "{name} is dropped"),
            What::Dropped { durable: true } => write!(f, "{name} is durable and is dropped"),
            What::Refused { why } => write!(f, "{name} is refused: {why}"),
        }
    }
}

/// All that differs, kind by kind: what the game does to rows of `layout`.
#[must_use]
pub fn compare(layout: Layout, schema: &Schema) -> Vec<Change> {
    let plan = Plan::new(layout, &schema.kinds);
    let mut changes = Vec::new();
    for kind in &plan.kinds {
        match kind.kind {
            Some(now) => compare_kind(kind, &schema.kinds[now], &mut changes),
            None => drop_kind(kind, &mut changes),
        }
    }
    let is_new = |kind: usize| plan.kinds.iter().all(|old| old.kind != Some(kind));
    let added = schema.kinds.iter().enumerate().filter(|(kind, _)| is_new(*kind));
    changes.extend(added.map(|(_, spec)| Change { name: spec.name.to_owned(), what: What::Added }));
    changes
}

/// Bodies of it go, but not under those who play them.
fn drop_kind(kind: &KindPlan, changes: &mut Vec<Change>) {
    let name = kind.old.name.clone();
    if kind.old.player {
        let why = "rooms where somebody plays one: it is no kind of this game".to_owned();
        changes.push(Change { name, what: What::Refused { why } });
        return;
    }
    changes.push(Change { name, what: What::Dropped { durable: false } });
    for field in &kind.old.fields {
        let name = format!("{}.{}", kind.old.name, field.name);
        changes.push(Change { name, what: What::Dropped { durable: field.durable } });
    }
}

fn compare_kind(kind: &KindPlan, spec: &KindSpec, changes: &mut Vec<Change>) {
    let old = &kind.old;
    if old.name != spec.name {
        changes.push(Change { name: old.name.clone(), what: What::Renamed { to: spec.name.to_owned() } });
    }
    if old.player && !spec.player {
        let why = "rooms where somebody plays one: it is no player kind any more".to_owned();
        changes.push(Change { name: old.name.clone(), what: What::Refused { why } });
    }
    for (i, field) in old.fields.iter().enumerate() {
        let name = format!("{}.{}", old.name, field.name);
        let Some(now) = kind.taker(i).map(|now| &spec.fields[now]) else {
            changes.push(Change { name, what: What::Dropped { durable: field.durable } });
            continue;
        };
        if field.name != now.name {
            let to = format!("{}.{}", spec.name, now.name);
            changes.push(Change { name: name.clone(), what: What::Renamed { to } });
        }
        let (was, is) = (field.ty.to_string(), TypeLayout::of(now.ty).to_string());
        if kind.map.converted.contains(&i) {
            changes.push(Change { name, what: What::Converted { was, is } });
        } else if kind.map.stuck.contains(&i) && spec.upgrades {
            changes.push(Change { name, what: What::Upgraded { was, is } });
        } else if kind.map.stuck.contains(&i) {
            changes.push(Change { name, what: What::Refused { why: kind.refused(spec, i).to_string() } });
        }
    }
    for (field, source) in spec.fields.iter().zip(&kind.map.sources) {
        if source.is_none() {
            changes.push(Change { name: format!("{}.{}", spec.name, field.name), what: What::Added });
        }
    }
}
