//! The derives of a game file: `Kind` for a body's fields and looks, `Input` for what a player holds, `Action` for what
//! a player does, `Choice` for one of a few names.
//!
//! They only describe the types to `roundtable::rules`; no behaviour lives here. What is wrong in a game file is a
//! compile error at its place, in words that tell what to do. What only a constant knows (the type of a field, a limit)
//! is an assertion at that place.

use proc_macro::TokenStream;
use proc_macro2::TokenStream as Tokens;
use syn::{DeriveInput, Error, Result, parse_macro_input};

mod action;
mod choice;
mod input;
mod kind;
mod kind_args;
mod kind_fields;
mod shared;

/// On a struct whose fields implement `roundtable::rules::field::Field`:
/// `#[kind(player, radius = 0.5, look = "disc #4af", bar = "hp")]`, and on its fields `#[durable]`, `#[score]`,
/// `#[local]`, `#[private]`, `#[hud]` and `#[was("old_name")]`. A kind is `Clone` and `Default` as well.
#[proc_macro_derive(Kind, attributes(kind, durable, score, local, private, hud, was))]
pub fn derive_kind(item: TokenStream) -> TokenStream {
    derive(parse_macro_input!(item as DeriveInput), kind::kind, kind::stub)
}

/// On a struct whose fields are controls: `Stick`, `Aim`, `Button`, `Level<MIN, MAX>`, an enum with `Choice`.
/// `#[input(actions = Deed)]` names the game's actions, `#[input(on_event)]` an event-driven game. An input is `Clone`
/// and `Default` as well; its default is what a player holds who touches nothing.
#[proc_macro_derive(Input, attributes(input))]
pub fn derive_input(item: TokenStream) -> TokenStream {
    derive(parse_macro_input!(item as DeriveInput), input::input, input::stub)
}

/// On an enum whose variants have arguments with names and field types, or none: `Play { card: Int<0, 51> }`. Actions
/// are `Clone` as well.
#[proc_macro_derive(Action)]
pub fn derive_action(item: TokenStream) -> TokenStream {
    derive(parse_macro_input!(item as DeriveInput), action::action, action::stub)
}

/// On an enum without arguments, which is `Clone` and `Copy` as well: it can be a field, an argument and a control. Its
/// default is the variant marked `#[default]` for `derive(Default)`; without such a mark this makes the first one it.
#[proc_macro_derive(Choice)]
pub fn derive_choice(item: TokenStream) -> TokenStream {
    derive(parse_macro_input!(item as DeriveInput), choice::choice, choice::stub)
}

/// What `make` writes. When it cannot, its error and a stub, so that the one error is not followed by others that only
/// say that the type is no kind, no input, ….
fn derive(
    item: DeriveInput,
    make: fn(&DeriveInput) -> Result<Tokens>,
    stub: fn(&DeriveInput) -> Tokens,
) -> TokenStream {
    let written = make(&item).unwrap_or_else(|error: Error| {
        let mut tokens = error.into_compile_error();
        tokens.extend(stub(&item));
        tokens
    });
    written.into()
}
