//! Ed25519 signatures (RFC 8032), verified by the runtime's own WebCrypto: it costs the Worker no code.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use serde::Deserialize;
use wasm_bindgen_futures::JsFuture;
use worker::js_sys::{Array, Function, Object, Promise, Reflect, Uint8Array, global};
use worker::wasm_bindgen::{JsCast as _, JsValue};
use worker::wasm_bindgen_futures;

use crate::lobby::identity::Signed;
use crate::lobby::session::SessionError;
use crate::platform::log::console_error;

/// A public key as a JWK (RFC 8037).
#[derive(Deserialize)]
struct Jwk {
    x: String,
}

/// Verifies a token by a public key: a JWK, or its 32 bytes as base64url.
///
/// # Errors
/// Another key signed it. A key that is none is logged, and opens nothing.
pub async fn verify(signed: &Signed<'_>, key: &str) -> Result<(), SessionError> {
    let key = serde_json::from_str(key).map_or_else(|_| key.to_owned(), |Jwk { x }| x);
    let verified = match BASE64.decode(key.trim()) {
        Ok(key) => try_verify(signed, &key).await,
        Err(_) => Err(JsValue::from_str("IDENTITY_KEY is no public key")),
    };
    match verified {
        Ok(true) => Ok(()),
        Ok(false) => Err(SessionError::Invalid),
        Err(error) => {
            console_error!("an identity could not be verified: {error:?}");
            Err(SessionError::Invalid)
        }
    }
}

async fn try_verify(signed: &Signed<'_>, key: &[u8]) -> Result<bool, JsValue> {
    let subtle = Reflect::get(&Reflect::get(&global(), &"crypto".into())?, &"subtle".into())?;
    let algorithm = Object::new();
    Reflect::set(&algorithm, &"name".into(), &"Ed25519".into())?;
    let usages = Array::of1(&"verify".into());
    let import: [&JsValue; 5] = [&"raw".into(), &Uint8Array::from(key), &algorithm, &JsValue::FALSE, &usages];
    let key = call(&subtle, "importKey", &import).await?;
    let (signature, text) = (Uint8Array::from(&*signed.signature), Uint8Array::from(signed.text.as_bytes()));
    let verify: [&JsValue; 4] = [&algorithm, &key, &signature, &text];
    Ok(call(&subtle, "verify", &verify).await?.is_truthy())
}

async fn call(on: &JsValue, name: &str, values: &[&JsValue]) -> Result<JsValue, JsValue> {
    let function: Function = Reflect::get(on, &name.into())?.dyn_into()?;
    let arguments: Array = values.iter().copied().collect();
    let promise: Promise = Reflect::apply(&function, on, &arguments)?.dyn_into()?;
    JsFuture::from(promise).await
}
