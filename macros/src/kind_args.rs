//! `#[kind(…)]`: what a game says of a kind, and what of it goes together.

use proc_macro2::Span;
use syn::meta::ParseNestedMeta;
use syn::spanned::Spanned;
use syn::{DeriveInput, Error, LitStr, Result};

use crate::shared::{kebab, number, text};

const RADIUS_MAX: f64 = 100.0;
const KEYS: &str = "`player`, `shared`, `radius`, `speed`, `turn`, `solid`, `rewind`, `owner_moved`, `upgrade`, `look`, \
                    `label`, `bar`, `was`";
/// What only a body has.
const OF_BODIES: [&str; 9] =
    ["radius", "speed", "turn", "solid", "rewind", "owner_moved", "look", "label", "bar"];

/// What `#[kind(…)]` says.
pub struct KindArgs {
    /// The keys that were written.
    said: Vec<(String, Span)>,
    pub radius: f64,
    /// 0 is any.
    pub speed: f64,
    pub turn: f64,
    pub look: String,
    pub label: Option<LitStr>,
    pub bar: Option<LitStr>,
    pub was: Vec<LitStr>,
}

impl KindArgs {
    pub fn of(item: &DeriveInput) -> Result<KindArgs> {
        let mut args = KindArgs {
            said: Vec::new(),
            radius: 0.5,
            speed: 0.0,
            turn: 0.0,
            look: "disc #8a94a6".to_owned(),
            label: None,
            bar: None,
            was: Vec::new(),
        };
        for attribute in item.attrs.iter().filter(|attribute| attribute.path().is_ident("kind")) {
            attribute.parse_nested_meta(|meta| args.take(&meta))?;
        }
        args.check(item)?;
        Ok(args)
    }

    /// Where a key was written.
    pub fn place(&self, key: &str) -> Option<Span> {
        self.said.iter().find(|(said, _)| said == key).map(|(_, span)| *span)
    }

    pub fn says(&self, key: &str) -> bool {
        self.place(key).is_some()
    }

    fn take(&mut self, meta: &ParseNestedMeta<'_>) -> Result<()> {
        let key = meta.path.get_ident().map(ToString::to_string).unwrap_or_default();
        match key.as_str() {
            "player" | "shared" | "solid" | "rewind" | "owner_moved" | "upgrade" => (),
            "radius" => self.radius = number(meta, "`radius` is in metres")?,
            "speed" => self.speed = number(meta, "`speed` is the greatest, in metres a second")?,
            "turn" => self.turn = number(meta, "`turn` is the fastest, in radians a second")?,
            "look" => self.look = text(meta)?.value(),
            "label" => self.label = Some(text(meta)?),
            "bar" => self.bar = Some(text(meta)?),
            "was" => self.was.push(text(meta)?),
            _ => return Err(meta.error(format!("no such thing is said of a kind; there is {KEYS}"))),
        }
        if key != "was" && self.says(&key) {
            return Err(meta.error(format!("`{key}` is said twice")));
        }
        self.said.push((key, meta.path.span()));
        Ok(())
    }

    fn check(&self, item: &DeriveInput) -> Result<()> {
        let wrong =
            |key: &str, why: String| Err(Error::new(self.place(key).unwrap_or(item.ident.span()), why));
        if self.says("shared") {
            if self.says("player") {
                return wrong("player", "a kind is `player` or `shared`: remove one of the two".to_owned());
            }
            if let Some(key) = OF_BODIES.into_iter().find(|key| self.says(key)) {
                let why = format!("a `shared` kind is no body, so it has no `{key}`: remove one of the two");
                return wrong(key, why);
            }
        }
        if self.radius > RADIUS_MAX {
            return wrong("radius", format!("a radius is at most {RADIUS_MAX} metres"));
        }
        if self.says("owner_moved") {
            let needs = "the server checks what an owner's client claims";
            if !self.says("player") {
                return wrong(
                    "owner_moved",
                    format!("{needs}, and only a `player` kind has an owner: add `player`"),
                );
            }
            if !self.says("speed") {
                let why = format!(
                    "{needs} against the greatest speed of the kind: add `speed = …`, metres a second"
                );
                return wrong("owner_moved", why);
            }
        }
        let same = self.was.iter().find(|was| was.value() == kebab(&item.ident) || was.value().is_empty());
        same.map_or(Ok(()), |was| {
            Err(Error::new(was.span(), "`was` is a former name of the kind, other than the one it has"))
        })
    }
}
