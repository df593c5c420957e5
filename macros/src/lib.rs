//! The derives of a game file: `Kind` for a body's fields and looks, `Input` for what a player holds.
//!
//! Both only describe the struct to `roundtable::rules`; no behaviour lives here. A wrong attribute or field type is a
//! compile error at its place.

use proc_macro::TokenStream;
use proc_macro2::TokenStream as Tokens;
use quote::quote;
use syn::spanned::Spanned;
use syn::{
    Data, DeriveInput, Error, Field, Fields, Ident, LitFloat, LitInt, LitStr, Result, parse_macro_input,
};

/// `#[kind(player, radius = 0.5, look = "disc #4af", bar = "hp")]` on a struct; `#[durable]`, `#[score]` and `#[local]`
/// on its fields. Field types implement `roundtable::rules::field::Field`.
#[proc_macro_derive(Kind, attributes(kind, durable, score, local))]
pub fn derive_kind(item: TokenStream) -> TokenStream {
    let item = parse_macro_input!(item as DeriveInput);
    kind(&item).unwrap_or_else(Error::into_compile_error).into()
}

/// On a struct whose fields are controls: `Stick`, `Aim`, `Button`.
#[proc_macro_derive(Input)]
pub fn derive_input(item: TokenStream) -> TokenStream {
    let item = parse_macro_input!(item as DeriveInput);
    input(&item).unwrap_or_else(Error::into_compile_error).into()
}

/// What `#[kind(…)]` says.
struct KindArgs {
    player: bool,
    shared: bool,
    radius: f64,
    look: String,
    bar: Option<String>,
}

fn kind_args(item: &DeriveInput) -> Result<KindArgs> {
    let mut args =
        KindArgs { player: false, shared: false, radius: 0.5, look: "disc #8a94a6".to_owned(), bar: None };
    for attribute in item.attrs.iter().filter(|attribute| attribute.path().is_ident("kind")) {
        attribute.parse_nested_meta(|meta| {
            if meta.path.is_ident("player") {
                args.player = true;
            } else if meta.path.is_ident("shared") {
                args.shared = true;
            } else if meta.path.is_ident("radius") {
                args.radius = number(meta.value()?)?;
            } else if meta.path.is_ident("look") {
                args.look = meta.value()?.parse::<LitStr>()?.value();
            } else if meta.path.is_ident("bar") {
                args.bar = Some(meta.value()?.parse::<LitStr>()?.value());
            } else {
                return Err(
                    meta.error("unknown: a kind has `player` or `shared`, `radius`, `look` and `bar`")
                );
            }
            Ok(())
        })?;
    }
    if args.radius <= 0.0 || args.radius > 100.0 {
        return Err(Error::new(item.span(), "a kind's radius lies between 0 and 100 metres"));
    }
    Ok(args)
}

fn number(stream: syn::parse::ParseStream<'_>) -> Result<f64> {
    if stream.peek(LitInt) {
        stream.parse::<LitInt>()?.base10_parse()
    } else {
        stream.parse::<LitFloat>()?.base10_parse()
    }
}

fn kind(item: &DeriveInput) -> Result<Tokens> {
    let args = kind_args(item)?;
    let fields = named_fields(item)?;
    let name = &item.ident;
    let kind_name = kebab(&name.to_string());
    let KindArgs { player, shared, radius, look, bar } = args;
    let bar = bar.map_or(quote!(None), |bar| quote!(Some(#bar)));
    let specs = fields.iter().map(field_spec).collect::<Result<Vec<_>>>()?;
    let count = fields.len();
    let idents: Vec<&Ident> = fields.iter().filter_map(|field| field.ident.as_ref()).collect();
    let names: Vec<String> = idents.iter().map(|ident| plain(ident)).collect();
    let scores: Vec<&Ident> =
        fields.iter().filter(|f| has(f, "score")).filter_map(|f| f.ident.as_ref()).collect();
    let score = match scores.as_slice() {
        [] => quote!(None),
        [one] => quote!({
            let mut words = ::std::vec::Vec::new();
            ::roundtable::rules::field::Field::put(&self.#one, &mut words);
            words.first().copied()
        }),
        [_, second, ..] => {
            return Err(Error::new(second.span(), "a kind has one `#[score]` field"));
        }
    };
    Ok(quote! {
        impl ::roundtable::rules::kind::Kind for #name {
            const SPEC: ::roundtable::rules::schema::KindSpec = ::roundtable::rules::schema::KindSpec {
                name: #kind_name,
                player: #player,
                shared: #shared,
                radius: #radius,
                look: #look,
                bar: #bar,
                fields: {
                    const { assert!(#count <= ::roundtable::limits::FIELDS_MAX, "a kind has at most 32 fields") };
                    &[#(#specs),*]
                },
                ..::roundtable::rules::schema::KindSpec::PLAIN
            };
            fn put(&self, words: &mut ::std::vec::Vec<i32>) {
                let _ = &words;
                #(::roundtable::rules::field::Field::put(&self.#idents, words);)*
            }
            fn from_words(words: &[i32]) -> ::core::option::Option<Self> {
                let mut words = words;
                // Struct fields are evaluated as written: the order of the declaration.
                let row = #name { #(#idents: ::roundtable::rules::field::Field::take(&mut words)?),* };
                words.is_empty().then_some(row)
            }
            fn fit(&mut self, noted: &mut dyn FnMut(&'static str, ::roundtable::rules::field::Fitted)) {
                let _ = &noted;
                #(if let Some(fitted) = ::roundtable::rules::field::Field::fit(&mut self.#idents) {
                    noted(#names, fitted);
                })*
            }
            fn score(&self) -> ::core::option::Option<i32> {
                #score
            }
        }
    })
}

fn field_spec(field: &Field) -> Result<Tokens> {
    let ident = field.ident.as_ref().ok_or_else(|| Error::new(field.span(), "a field has a name"))?;
    let (name, ty) = (plain(ident), &field.ty);
    let [durable, score, local] = ["durable", "score", "local"].map(|attribute| has(field, attribute));
    if durable && local {
        return Err(Error::new(
            field.span(),
            "a `local` field is shown to nobody, so `durable` would keep nothing anyone saw",
        ));
    }
    Ok(quote! {
        ::roundtable::rules::schema::FieldSpec {
            durable: #durable,
            score: #score,
            local: #local,
            ..::roundtable::rules::schema::FieldSpec::plain(
                #name,
                <#ty as ::roundtable::rules::field::Field>::TYPE,
            )
        }
    })
}

fn input(item: &DeriveInput) -> Result<Tokens> {
    let name = &item.ident;
    let fields = named_fields(item)?;
    let types: Vec<_> = fields.iter().map(|field| &field.ty).collect();
    let idents: Vec<&Ident> = fields.iter().filter_map(|field| field.ident.as_ref()).collect();
    let names: Vec<String> = idents.iter().map(|ident| plain(ident)).collect();
    Ok(quote! {
        impl ::roundtable::rules::input::Input for #name {
            const CONTROLS: &'static [::roundtable::rules::schema::ControlSpec] = &[
                #(::roundtable::rules::schema::ControlSpec {
                    name: #names,
                    how: <#types as ::roundtable::rules::input::Control>::HOW,
                }),*
            ];
            const ON_EVENT: bool = false;
            type Action = ::roundtable::rules::input::NoAction;
            type Motion = ::roundtable::rules::motion::Motion;
            fn write(&self, words: &mut ::roundtable::rules::input::ControlWriter) {
                let _ = &words;
                #(::roundtable::rules::input::Control::write(self.#idents, words);)*
            }
            fn read(words: &mut ::roundtable::rules::input::ControlReader<'_>) -> Self {
                let _ = &words;
                // Struct fields are evaluated as written: the order of the declaration.
                #name { #(#idents: ::roundtable::rules::input::Control::read(words)),* }
            }
        }
    })
}

fn named_fields(item: &DeriveInput) -> Result<Vec<Field>> {
    let no_struct = || {
        Error::new(item.span(), "a game's kinds and inputs are structs with named fields, or unit structs")
    };
    let Data::Struct(data) = &item.data else {
        return Err(no_struct());
    };
    if !item.generics.params.is_empty() {
        return Err(Error::new(item.generics.span(), "a game's kinds and inputs have no type parameters"));
    }
    match &data.fields {
        Fields::Named(fields) => Ok(fields.named.iter().cloned().collect()),
        Fields::Unit => Ok(Vec::new()),
        Fields::Unnamed(_) => Err(no_struct()),
    }
}

fn has(field: &Field, attribute: &str) -> bool {
    field.attrs.iter().any(|a| a.path().is_ident(attribute))
}

/// `r#move` is `move` on the wire.
fn plain(ident: &Ident) -> String {
    let text = ident.to_string();
    text.strip_prefix("r#").map_or(text.clone(), str::to_owned)
}

/// `MarketStall` is `market-stall`.
fn kebab(name: &str) -> String {
    let mut out = String::new();
    for (i, c) in name.chars().enumerate() {
        if c.is_uppercase() && i > 0 {
            out.push('-');
        }
        out.extend(c.to_lowercase());
    }
    out
}
