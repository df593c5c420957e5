//! `storage.transactionSync`, which the worker crate does not bind: all of a closure's writes, or none.
//!
//! A closure that returns an error is rolled back; without this, the statements before the error would be
//! committed. The closure cannot await, so nothing of the object comes between its reads and its writes.

use std::cell::Cell;
use std::panic::AssertUnwindSafe;
use std::rc::Rc;

use worker::js_sys::{Function, Reflect};
use worker::wasm_bindgen::closure::Closure;
use worker::wasm_bindgen::{JsCast, JsValue};
use worker::{Error, Result, State};

pub struct Transaction {
    function: Function,
    storage: JsValue,
}

impl Transaction {
    /// # Errors
    /// A runtime without `transactionSync`.
    pub fn new(state: &State) -> Result<Transaction> {
        let storage = state.storage();
        let raw: &JsValue = storage.as_raw().as_ref();
        let function = Reflect::get(raw, &JsValue::from_str("transactionSync"))?
            .dyn_into::<Function>()
            .map_err(|_| Error::RustError("storage.transactionSync is missing".to_owned()))?;
        Ok(Transaction { function, storage: raw.clone() })
    }

    /// Runs `body`; what it returns, once its writes are part of the object's next commit.
    ///
    /// # Errors
    /// The body's own, after which none of its writes happened.
    pub fn run<T: 'static>(&self, body: impl FnOnce() -> Result<T> + 'static) -> Result<T> {
        let slot = Rc::new(Cell::new(None));
        let result = Rc::clone(&slot);
        let callback =
            Closure::once_into_js(AssertUnwindSafe(move || -> std::result::Result<(), JsValue> {
                result.set(Some(body()?));
                Ok(())
            }));
        self.function.call1(&self.storage, &callback)?;
        slot.take().ok_or_else(|| Error::RustError("transactionSync did not run its closure".to_owned()))
    }
}
