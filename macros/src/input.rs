//! `#[derive(Input)]`.

use proc_macro2::TokenStream as Tokens;
use quote::{quote, quote_spanned};
use syn::{DeriveInput, Error, Ident, Result, Type};

use crate::shared::struct_fields;

/// What `#[input(…)]` says.
#[derive(Default)]
struct InputArgs {
    actions: Option<Type>,
    on_event: bool,
}

impl InputArgs {
    fn of(item: &DeriveInput) -> Result<InputArgs> {
        let mut args = InputArgs::default();
        for attribute in item.attrs.iter().filter(|attribute| attribute.path().is_ident("input")) {
            attribute.parse_nested_meta(|meta| {
                if meta.path.is_ident("actions") {
                    args.actions = Some(meta.value()?.parse()?);
                } else if meta.path.is_ident("on_event") {
                    args.on_event = true;
                } else {
                    return Err(
                        meta.error("no such thing is said of an input; there is `actions = …`, `on_event`")
                    );
                }
                Ok(())
            })?;
        }
        Ok(args)
    }
}

pub fn input(item: &DeriveInput) -> Result<Tokens> {
    let args = InputArgs::of(item)?;
    let fields = struct_fields(item)?;
    if let Some(field) = fields.first().filter(|_| args.on_event) {
        let why = "an event-driven game has actions alone: nobody's controls are read between two events, so make this \
                   an action, or remove `on_event`";
        return Err(Error::new(field.ident.span(), why));
    }
    let types: Vec<&Type> = fields.iter().map(|field| field.ty).collect();
    let idents: Vec<&Ident> = fields.iter().map(|field| field.ident).collect();
    let names: Vec<&String> = fields.iter().map(|field| &field.name).collect();
    let name = &item.ident;
    let head = head(&args);
    let span = name.span();
    let checks = quote_spanned! {span=>
        const _: () = ::roundtable::rules::input::check_controls(<#name as ::roundtable::rules::input::Input>::CONTROLS);
    };
    Ok(quote! {
        #checks
        #[automatically_derived]
        #[diagnostic::do_not_recommend]
        impl ::roundtable::rules::input::Input for #name {
            const CONTROLS: &'static [::roundtable::rules::schema::ControlSpec] = &[
                #(::roundtable::rules::schema::ControlSpec {
                    name: #names,
                    how: <#types as ::roundtable::rules::input::Control>::HOW,
                }),*
            ];
            #head
            fn write(&self, words: &mut ::roundtable::rules::input::ControlWriter) {
                let _ = &words;
                #(<#types as ::roundtable::rules::input::Control>::write(self.#idents, words);)*
            }
            fn read(words: &mut ::roundtable::rules::input::ControlReader<'_>) -> Self {
                let _ = &words;
                // Struct fields are evaluated as written: the order of the declaration.
                #name { #(#idents: <#types as ::roundtable::rules::input::Control>::read(words)),* }
            }
        }
    })
}

/// What a type is whose derive failed: an input without controls.
pub fn stub(item: &DeriveInput) -> Tokens {
    let name = &item.ident;
    let head = head(&InputArgs::of(item).unwrap_or_default());
    quote! {
        #[diagnostic::do_not_recommend]
        impl ::roundtable::rules::input::Input for #name {
            const CONTROLS: &'static [::roundtable::rules::schema::ControlSpec] = &[];
            #head
            fn write(&self, _: &mut ::roundtable::rules::input::ControlWriter) {}
            fn read(_: &mut ::roundtable::rules::input::ControlReader<'_>) -> Self {
                ::core::default::Default::default()
            }
        }
    }
}

fn head(args: &InputArgs) -> Tokens {
    let on_event = args.on_event;
    let action = args.actions.as_ref().map_or(quote!(::roundtable::rules::input::NoAction), |ty| quote!(#ty));
    let motion = if on_event {
        quote!(::roundtable::rules::input::NoMovementInEventDrivenGame)
    } else {
        quote!(::roundtable::rules::motion::Motion)
    };
    quote! {
        const ON_EVENT: bool = #on_event;
        type Action = #action;
        type Motion = #motion;
    }
}
