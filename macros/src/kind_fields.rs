//! What a game says of a kind's fields: their attributes, and what of it goes together.

use proc_macro2::{Span, TokenStream as Tokens};
use quote::{quote, quote_spanned};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Error, LitStr, Result, Token};

use crate::kind_args::KindArgs;
use crate::shared::Named;

/// The attributes that say something by being there.
const MARKS: [&str; 5] = ["durable", "score", "local", "private", "hud"];

/// A field and what is said of it.
pub struct FieldArgs<'a> {
    pub named: &'a Named<'a>,
    marks: Vec<(&'static str, Span)>,
    was: Vec<LitStr>,
}

impl<'a> FieldArgs<'a> {
    pub fn of(named: &'a Named<'a>, kind: &KindArgs) -> Result<FieldArgs<'a>> {
        let mut args = FieldArgs { named, marks: Vec::new(), was: Vec::new() };
        for attribute in &named.field.attrs {
            if let Some(mark) = MARKS.into_iter().find(|mark| attribute.path().is_ident(mark)) {
                attribute.meta.require_path_only()?;
                args.marks.push((mark, attribute.span()));
            } else if attribute.path().is_ident("was") {
                let names = attribute.parse_args_with(Punctuated::<LitStr, Token![,]>::parse_terminated);
                args.was
                    .extend(names.map_err(|error| Error::new(error.span(), "write `#[was(\"old_name\")]`"))?);
            }
        }
        args.check(kind)?;
        Ok(args)
    }

    pub fn mark(&self, mark: &str) -> Option<Span> {
        self.marks.iter().find(|(m, _)| *m == mark).map(|(_, span)| *span)
    }

    /// What does not go together, with the sentence that says why.
    fn check(&self, kind: &KindArgs) -> Result<()> {
        let pairs = [
            (
                "durable",
                "local",
                "`durable` keeps what others saw through a crash, and nobody sees a `local` field: remove one of the two",
            ),
            (
                "private",
                "local",
                "a `local` field is sent to nobody, a `private` one to its own seat: remove one of the two",
            ),
            (
                "hud",
                "local",
                "`hud` shows a field to its own seat, and a `local` one is sent to nobody: make it `private`",
            ),
            (
                "score",
                "local",
                "a score is told to all when the round ends, so it cannot be `local`: remove one of the two",
            ),
            (
                "score",
                "private",
                "a score is told to all when the round ends, so it cannot be `private`: remove one of the two",
            ),
        ];
        for (one, other, why) in pairs {
            if self.mark(one).is_some() {
                self.forbid(other, why)?;
            }
        }
        if !kind.says("player") {
            self.forbid(
                "private",
                "only the body of a seat has someone to be shown to: \
                 add `player` to the kind, or make the field `local`",
            )?;
            self.forbid(
                "score",
                "a round is won by the bodies of seats: add `player` to the kind, or remove `score`",
            )?;
        }
        if !kind.says("player") && !kind.says("shared") {
            self.forbid("hud", "only the body of a seat has someone to be shown to: add `player` to the kind, or remove `hud`")?;
        }
        Ok(())
    }

    fn forbid(&self, mark: &str, why: &str) -> Result<()> {
        self.mark(mark).map_or(Ok(()), |span| Err(Error::new(span, why)))
    }

    pub fn spec(&self) -> Tokens {
        let Named { ty, name, .. } = self.named;
        let was = &self.was;
        let [durable, score, local, private, hud] = MARKS.map(|mark| self.mark(mark).is_some());
        quote! {
            ::roundtable::rules::schema::FieldSpec {
                was: &[#(#was),*],
                durable: #durable,
                score: #score,
                local: #local,
                private: #private,
                hud: #hud,
                ..::roundtable::rules::schema::FieldSpec::plain(
                    #name,
                    <#ty as ::roundtable::rules::field::Field>::TYPE,
                )
            }
        }
    }

    /// An assertion at `span` that the field is a number.
    pub fn is_number(&self, span: Span, why: &str) -> Tokens {
        let ty = self.named.ty;
        quote_spanned! {span=>
            const _: () = ::roundtable::rules::must::must(
                ::roundtable::rules::kind::is_number(<#ty as ::roundtable::rules::field::Field>::TYPE),
                #why
            );
        }
    }
}

/// Former names name one field each, and none that the kind has today: an old save must say which value is which.
pub fn check_names(fields: &[FieldArgs<'_>]) -> Result<()> {
    let mut taken: Vec<String> = fields.iter().map(|field| field.named.name.clone()).collect();
    for was in fields.iter().flat_map(|field| &field.was) {
        if was.value().is_empty() || taken.contains(&was.value()) {
            let why = "a former name is not one that a field of this kind has, or another had";
            return Err(Error::new(was.span(), why));
        }
        taken.push(was.value());
    }
    Ok(())
}
