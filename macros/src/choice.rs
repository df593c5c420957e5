//! `#[derive(Choice)]`.

use proc_macro2::{Span, TokenStream as Tokens};
use quote::{quote, quote_spanned};
use syn::{Data, DeriveInput, Error, Fields, Ident, Result, Variant};

use crate::shared::{kebab, variants};

const WANTED: &str = "a choice is an enum of names: `enum Suit { Clubs, Hearts }`";

pub fn choice(item: &DeriveInput) -> Result<Tokens> {
    let variants = variants(item, WANTED)?;
    for variant in &variants {
        if !matches!(variant.fields, Fields::Unit) {
            return Err(Error::new(variant.ident.span(), "a choice is a name alone, without values"));
        }
    }
    let name = &item.ident;
    let idents: Vec<&Ident> = variants.iter().map(|variant| &variant.ident).collect();
    let names: Vec<String> = idents.iter().map(|ident| kebab(ident)).collect();
    let count = idents.len();
    let places = 0..count;
    let span = name.span();
    let checks = quote_spanned! {span=>
        const _: () = ::roundtable::rules::must::must(
            #count <= ::roundtable::limits::CHOICE_NAMES_MAX,
            "a choice has at most 64 names",
        );
    };
    let first = idents[0];
    let default = (!variants.iter().any(is_default)).then(|| default(name, quote!(#name::#first)));
    let impls = impls(name, neutral_check(&variants));
    Ok(quote! {
        #checks
        #default
        #[automatically_derived]
        #[allow(dead_code, reason = "a game need not use all of it")]
        impl #name {
            /// Every one, in order.
            pub const ALL: [#name; #count] = [#(#name::#idents),*];
            /// The names, in order, as saves and pages have them.
            pub const NAMES: &'static [&'static str] = &[#(#names),*];
            /// Its place among them.
            #[must_use]
            pub const fn place(&self) -> usize {
                match self {
                    #(#name::#idents => #places),*
                }
            }
            /// Its name.
            #[must_use]
            pub const fn name(&self) -> &'static str {
                Self::NAMES[self.place()]
            }
        }
        #impls
    })
}

/// What a type is whose derive failed: a choice of one name. It may not even be an enum, so it is never made here.
pub fn stub(item: &DeriveInput) -> Tokens {
    let name = &item.ident;
    let has_default = matches!(&item.data, Data::Enum(data) if data.variants.iter().any(|v| is_default(&v)));
    let default = (!has_default).then(|| default(name, quote!(panic!())));
    quote! {
        #default
        #[diagnostic::do_not_recommend]
        impl ::roundtable::rules::field::Field for #name {
            const TYPE: ::roundtable::rules::schema::FieldType =
                ::roundtable::rules::schema::FieldType::Choice { names: &["-"] };
            fn put(&self, _: &mut ::std::vec::Vec<i32>) {}
            fn take(_: &mut &[i32]) -> ::core::option::Option<Self> {
                None
            }
            fn fit(&mut self) -> ::core::option::Option<::roundtable::rules::field::Fitted> {
                None
            }
        }
        #[diagnostic::do_not_recommend]
        impl ::roundtable::rules::input::Control for #name {
            const HOW: ::roundtable::rules::schema::ControlType =
                ::roundtable::rules::schema::ControlType::Choice { names: &["-"] };
            fn read(_: &mut ::roundtable::rules::input::ControlReader<'_>) -> Self {
                ::core::default::Default::default()
            }
            fn write(self, _: &mut ::roundtable::rules::input::ControlWriter) {}
        }
    }
}

fn is_default(variant: &&Variant) -> bool {
    variant.attrs.iter().any(|attribute| attribute.path().is_ident("default"))
}

fn default(name: &Ident, made: Tokens) -> Tokens {
    quote! {
        #[automatically_derived]
        impl ::core::default::Default for #name {
            fn default() -> Self {
                #made
            }
        }
    }
}

/// A control at rest has the first name, so a choice with another default is none. The assertion is in the control's
/// constant: a field's default may be any.
fn neutral_check(variants: &[&Variant]) -> Option<Tokens> {
    let marked = variants.iter().skip(1).find(|variant| is_default(variant))?;
    let span: Span = marked.ident.span();
    let why = "a control at rest has the first name of its choice: put the one marked `#[default]` first";
    Some(quote_spanned!(span=> ::roundtable::rules::must::must(false, #why);))
}

fn impls(name: &Ident, neutral: Option<Tokens>) -> Tokens {
    quote! {
        #[automatically_derived]
        #[diagnostic::do_not_recommend]
        impl ::roundtable::rules::field::Field for #name {
            const TYPE: ::roundtable::rules::schema::FieldType =
                ::roundtable::rules::schema::FieldType::Choice { names: Self::NAMES };
            fn put(&self, words: &mut ::std::vec::Vec<i32>) {
                words.push(self.place() as i32);
            }
            fn take(words: &mut &[i32]) -> ::core::option::Option<Self> {
                ::roundtable::rules::field::choice_of(&Self::ALL, words)
            }
            fn fit(&mut self) -> ::core::option::Option<::roundtable::rules::field::Fitted> {
                None
            }
        }
        #[automatically_derived]
        #[diagnostic::do_not_recommend]
        impl ::roundtable::rules::input::Control for #name {
            const HOW: ::roundtable::rules::schema::ControlType = {
                #neutral
                ::roundtable::rules::schema::ControlType::Choice { names: Self::NAMES }
            };
            fn read(words: &mut ::roundtable::rules::input::ControlReader<'_>) -> Self {
                words.next_control();
                ::roundtable::rules::field::choice_held(&Self::ALL, words.word())
            }
            fn write(self, words: &mut ::roundtable::rules::input::ControlWriter) {
                words.word(self.place() as i16);
            }
        }
    }
}
