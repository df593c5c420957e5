//! `#[derive(Kind)]`.

use proc_macro2::TokenStream as Tokens;
use quote::{quote, quote_spanned};
use syn::{DeriveInput, Error, Ident, LitStr, Result, Type};

use crate::kind_args::KindArgs;
use crate::kind_fields::{FieldArgs, check_names};
use crate::shared::{Named, kebab, struct_fields};

pub fn kind(item: &DeriveInput) -> Result<Tokens> {
    let args = KindArgs::of(item)?;
    let named = struct_fields(item)?;
    let fields = named.iter().map(|named| FieldArgs::of(named, &args)).collect::<Result<Vec<_>>>()?;
    check_names(&fields)?;
    let shown = [shown(&args.label, &fields)?, shown(&args.bar, &fields)?];
    let checks = checks(item, &args, &fields, shown);
    let score = score(&fields)?;
    let spec = spec(item, &args, &fields);
    let upgrade = args.place("upgrade").map(|span| upgrade(&item.ident, span));
    let name = &item.ident;
    let idents: Vec<&Ident> = named.iter().map(|named| named.ident).collect();
    let types: Vec<&Type> = named.iter().map(|named| named.ty).collect();
    let names: Vec<&String> = named.iter().map(|named| &named.name).collect();
    Ok(quote! {
        #checks
        #[automatically_derived]
        #[diagnostic::do_not_recommend]
        impl ::roundtable::rules::kind::Kind for #name {
            const SPEC: ::roundtable::rules::schema::KindSpec = #spec;
            fn put(&self, words: &mut ::std::vec::Vec<i32>) {
                let _ = &words;
                #(<#types as ::roundtable::rules::field::Field>::put(&self.#idents, words);)*
            }
            fn from_words(words: &[i32]) -> ::core::option::Option<Self> {
                let mut words = words;
                // Struct fields are evaluated as written: the order of the declaration.
                let row = #name {
                    #(#idents: <#types as ::roundtable::rules::field::Field>::take(&mut words)?),*
                };
                words.is_empty().then_some(row)
            }
            fn fit(&mut self, noted: &mut dyn FnMut(&'static str, ::roundtable::rules::field::Fitted)) {
                let _ = &noted;
                #(if let Some(fitted) = <#types as ::roundtable::rules::field::Field>::fit(&mut self.#idents) {
                    noted(#names, fitted);
                })*
            }
            #upgrade
            fn score(&self) -> ::core::option::Option<i32> {
                #score
            }
        }
    })
}

/// What a type is whose derive failed: a kind of which nothing can be said.
pub fn stub(item: &DeriveInput) -> Tokens {
    let (name, kind_name) = (&item.ident, kebab(&item.ident));
    quote! {
        #[diagnostic::do_not_recommend]
        impl ::roundtable::rules::kind::Kind for #name {
            const SPEC: ::roundtable::rules::schema::KindSpec = ::roundtable::rules::schema::KindSpec {
                name: #kind_name,
                player: true,
                ..::roundtable::rules::schema::KindSpec::PLAIN
            };
            fn put(&self, _: &mut ::std::vec::Vec<i32>) {}
            fn from_words(_: &[i32]) -> ::core::option::Option<Self> {
                None
            }
            fn fit(&mut self, _: &mut dyn FnMut(&'static str, ::roundtable::rules::field::Fitted)) {}
            fn score(&self) -> ::core::option::Option<i32> {
                None
            }
        }
    }
}

fn spec(item: &DeriveInput, args: &KindArgs, fields: &[FieldArgs<'_>]) -> Tokens {
    let name = kebab(&item.ident);
    let KindArgs { radius, speed, turn, look, label, bar, was, .. } = args;
    let flags = ["player", "shared", "solid", "rewind", "owner_moved", "upgrade"];
    let [player, shared, solid, rewind, owner_moved, upgrades] = flags.map(|flag| args.says(flag));
    let option = |text: &Option<LitStr>| text.as_ref().map_or(quote!(None), |text| quote!(Some(#text)));
    let (label, bar) = (option(label), option(bar));
    let specs = fields.iter().map(FieldArgs::spec);
    quote! {
        ::roundtable::rules::schema::KindSpec {
            name: #name,
            was: &[#(#was),*],
            player: #player,
            shared: #shared,
            radius: #radius,
            speed: #speed,
            turn: #turn,
            solid: #solid,
            rewind: #rewind,
            owner_moved: #owner_moved,
            upgrades: #upgrades,
            look: #look,
            label: #label,
            bar: #bar,
            fields: &[#(#specs),*],
        }
    }
}

/// The field that a label or a bar shows.
fn shown<'a>(name: &Option<LitStr>, fields: &'a [FieldArgs<'a>]) -> Result<Option<&'a FieldArgs<'a>>> {
    let Some(name) = name else { return Ok(None) };
    let Some(field) = fields.iter().find(|field| field.named.name == name.value()) else {
        let names: Vec<String> = fields.iter().map(|field| format!("`{}`", field.named.name)).collect();
        let there =
            if names.is_empty() { "it has none".to_owned() } else { format!("it has {}", names.join(", ")) };
        return Err(Error::new(name.span(), format!("this names no field of the kind; {there}")));
    };
    if field.mark("local").is_some() {
        return Err(Error::new(name.span(), "this field is `local`, so no page can show it"));
    }
    Ok(Some(field))
}

/// What only the types know, as assertions where it was said.
fn checks(
    item: &DeriveInput,
    args: &KindArgs,
    fields: &[FieldArgs<'_>],
    [_, bar]: [Option<&FieldArgs<'_>>; 2],
) -> Tokens {
    let (name, span) = (&item.ident, item.ident.span());
    let bar = bar.zip(args.bar.as_ref()).map(|(field, literal)| {
        field.is_number(literal.span(), "a bar shows a number with bounds: an Int or a Real")
    });
    let scores = fields.iter().filter_map(|field| {
        Some(field.is_number(field.mark("score")?, "a score is a number with bounds: an Int or a Real"))
    });
    quote_spanned! {span=>
        const _: () = ::roundtable::rules::must::must(
            <#name as ::roundtable::rules::kind::Kind>::SPEC.fields.len() <= ::roundtable::limits::FIELDS_MAX,
            "a kind has at most 32 fields"
        );
        const _: () = ::roundtable::rules::must::must(
            ::roundtable::rules::kind::row_words_max(<#name as ::roundtable::rules::kind::Kind>::SPEC.fields)
                <= ::roundtable::limits::ROW_WORDS_MAX,
            "the fields of a kind take at most 1,024 words together: a word for each, for each character of a text, \
             and for each value of a list; make its texts and lists shorter"
        );
        #bar
        #(#scores)*
    }
}

fn score(fields: &[FieldArgs<'_>]) -> Result<Tokens> {
    let mut scores = fields.iter().filter_map(|field| Some((field.named, field.mark("score")?)));
    let Some((Named { ident, ty, .. }, _)) = scores.next() else { return Ok(quote!(None)) };
    if let Some((_, span)) = scores.next() {
        return Err(Error::new(span, "a kind has one `score`: what its rounds are won by"));
    }
    Ok(quote! {{
        let mut words = ::std::vec::Vec::new();
        <#ty as ::roundtable::rules::field::Field>::put(&self.#ident, &mut words);
        words.first().copied()
    }})
}

/// Calls the game's own `fn upgrade(old: &OldFields, new: &mut Self)`.
fn upgrade(name: &Ident, span: proc_macro2::Span) -> Tokens {
    let convert = quote_spanned! {span=>
        const CONVERT: fn(&::roundtable::rules::datum::OldFields, &mut #name) = #name::upgrade;
    };
    quote! {
        fn upgrade(old: &::roundtable::rules::datum::OldFields, new: &mut Self) -> bool {
            #convert
            CONVERT(old, new);
            true
        }
    }
}
