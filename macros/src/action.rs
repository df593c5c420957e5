//! `#[derive(Action)]`.

use proc_macro2::TokenStream as Tokens;
use quote::{quote, quote_spanned};
use syn::{DeriveInput, Error, Ident, Result, Type, Variant};

use crate::shared::{Named, kebab, named, variants};

const WANTED: &str = "a game's actions are an enum: `enum Deed { Pass, Play { card: Int<0, 51> } }`; a game that has none \
                      leaves `actions` out of its `#[input(…)]`";

pub fn action(item: &DeriveInput) -> Result<Tokens> {
    let mut actions = Vec::new();
    for variant in variants(item, WANTED)? {
        let why = "an argument of an action has a name: `Play { card: Int<0, 51> }`";
        let args = named(&variant.fields).ok_or_else(|| Error::new(variant.ident.span(), why))?;
        actions.push((variant, args));
    }
    let name = &item.ident;
    let specs = actions.iter().map(|(variant, args)| spec(variant, args));
    let checks = checks(item, &actions);
    let reads = actions.iter().zip(0u16..).map(|((variant, args), index)| {
        let (ident, idents, types) = (&variant.ident, idents(args), types(args));
        quote! {
            #index => #name::#ident {
                #(#idents: <#types as ::roundtable::rules::field::Field>::take(&mut words)?),*
            }
        }
    });
    let writes = actions.iter().zip(0u16..).map(|((variant, args), index)| {
        let (ident, idents, types) = (&variant.ident, idents(args), types(args));
        quote! {
            #name::#ident { #(#idents),* } => {
                #(<#types as ::roundtable::rules::field::Field>::put_fitted(#idents, words);)*
                #index
            }
        }
    });
    Ok(quote! {
        #checks
        #[automatically_derived]
        #[diagnostic::do_not_recommend]
        impl ::roundtable::rules::input::Action for #name {
            const ACTIONS: &'static [::roundtable::rules::schema::ActionSpec] = &[#(#specs),*];
            fn read(action: u16, words: &[i32]) -> ::core::option::Option<Self> {
                let mut words = words;
                let _ = &mut words;
                // Arguments are evaluated as written: the order of the declaration.
                let deed = match action {
                    #(#reads,)*
                    _ => return None,
                };
                words.is_empty().then_some(deed)
            }
            fn write(&self, words: &mut ::std::vec::Vec<i32>) -> u16 {
                let _ = &words;
                match self {
                    #(#writes)*
                }
            }
        }
    })
}

/// What a type is whose derive failed: no actions.
pub fn stub(item: &DeriveInput) -> Tokens {
    let name = &item.ident;
    quote! {
        #[diagnostic::do_not_recommend]
        impl ::roundtable::rules::input::Action for #name {
            const ACTIONS: &'static [::roundtable::rules::schema::ActionSpec] = &[];
            fn read(_: u16, _: &[i32]) -> ::core::option::Option<Self> {
                None
            }
            fn write(&self, _: &mut ::std::vec::Vec<i32>) -> u16 {
                0
            }
        }
    }
}

fn idents<'a>(args: &[Named<'a>]) -> Vec<&'a Ident> {
    args.iter().map(|arg| arg.ident).collect()
}

fn types<'a>(args: &[Named<'a>]) -> Vec<&'a Type> {
    args.iter().map(|arg| arg.ty).collect()
}

fn spec(variant: &Variant, args: &[Named<'_>]) -> Tokens {
    let action = kebab(&variant.ident);
    let names = args.iter().map(|arg| &arg.name);
    let types = types(args);
    quote! {
        ::roundtable::rules::schema::ActionSpec {
            name: #action,
            args: &[#(::roundtable::rules::schema::ArgSpec {
                name: #names,
                ty: <#types as ::roundtable::rules::field::Field>::TYPE,
            }),*],
        }
    }
}

/// The limits, as assertions where they are passed.
fn checks(item: &DeriveInput, actions: &[(&Variant, Vec<Named<'_>>)]) -> Tokens {
    let (span, count) = (item.ident.span(), actions.len());
    let mut checks = quote_spanned! {span=>
        const _: () = ::roundtable::rules::must::must(
            #count <= ::roundtable::limits::ACTIONS_MAX,
            "a game has at most 32 actions",
        );
    };
    for (variant, args) in actions {
        let (span, count) = (variant.ident.span(), args.len());
        checks.extend(quote_spanned! {span=>
            const _: () = ::roundtable::rules::must::must(
                #count <= ::roundtable::limits::ARGS_MAX,
                "an action has at most 8 arguments",
            );
        });
    }
    checks
}
