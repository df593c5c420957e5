//! What the derives share: the parts of a struct or an enum, names as saves and the wire have them, attribute values.

use proc_macro2::Span;
use syn::meta::ParseNestedMeta;
use syn::spanned::Spanned;
use syn::{Data, DeriveInput, Error, Field, Fields, Ident, LitFloat, LitInt, LitStr, Result, Type, Variant};

/// A field with a name.
pub struct Named<'a> {
    pub field: &'a Field,
    pub ident: &'a Ident,
    pub ty: &'a Type,
    /// As saves and the wire have it.
    pub name: String,
}

/// The fields of a kind or an input.
pub fn struct_fields(item: &DeriveInput) -> Result<Vec<Named<'_>>> {
    let wanted = "kinds and inputs are structs with named fields, or without any: `struct Coin;`";
    no_parameters(item)?;
    let Data::Struct(data) = &item.data else {
        return Err(Error::new(item.ident.span(), wanted));
    };
    named(&data.fields).ok_or_else(|| Error::new(data.fields.span(), wanted))
}

/// The variants of actions or of a choice.
pub fn variants<'a>(item: &'a DeriveInput, wanted: &str) -> Result<Vec<&'a Variant>> {
    no_parameters(item)?;
    match &item.data {
        Data::Enum(data) if !data.variants.is_empty() => Ok(data.variants.iter().collect()),
        _ => Err(Error::new(item.ident.span(), wanted)),
    }
}

fn no_parameters(item: &DeriveInput) -> Result<()> {
    if item.generics.params.is_empty() {
        return Ok(());
    }
    Err(Error::new(
        item.generics.span(),
        "what a game declares has no type parameters: say which types it has",
    ))
}

/// Fields by their names; none when they are `(A, B)`.
pub fn named(fields: &Fields) -> Option<Vec<Named<'_>>> {
    if matches!(fields, Fields::Unnamed(_)) {
        return None;
    }
    let named = fields.iter().filter_map(|field| {
        let ident = field.ident.as_ref()?;
        Some(Named { field, ident, ty: &field.ty, name: plain(ident) })
    });
    Some(named.collect())
}

/// `r#move` is `move` on the wire.
pub fn plain(ident: &Ident) -> String {
    let text = ident.to_string();
    text.strip_prefix("r#").map_or(text.clone(), str::to_owned)
}

/// `MarketStall` is `market-stall`.
pub fn kebab(ident: &Ident) -> String {
    let mut out = String::new();
    for (i, c) in plain(ident).chars().enumerate() {
        if c.is_uppercase() && i > 0 {
            out.push('-');
        }
        out.extend(c.to_lowercase());
    }
    out
}

/// The value of `key = "text"`.
pub fn text(meta: &ParseNestedMeta<'_>) -> Result<LitStr> {
    meta.value()?.parse()
}

/// The value of `key = 0.5`: a number above 0.
pub fn number(meta: &ParseNestedMeta<'_>, what: &str) -> Result<f64> {
    let stream = meta.value()?;
    let wanted = |span: Span| Error::new(span, format!("{what}: a number above 0, such as 0.5"));
    let (number, span) = if stream.peek(LitInt) {
        let literal: LitInt = stream.parse()?;
        (literal.base10_parse::<f64>()?, literal.span())
    } else {
        let literal: LitFloat = stream.parse().map_err(|error| wanted(error.span()))?;
        (literal.base10_parse::<f64>()?, literal.span())
    };
    if number > 0.0 && number.is_finite() { Ok(number) } else { Err(wanted(span)) }
}
