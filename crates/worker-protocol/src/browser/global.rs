//! Functions of the global scope. They are looked up by name, because `web-sys` has different types for the scopes of
//! pages and workers, and no stable bindings for Web Locks.

use js_sys::{Function, Promise, Reflect};
use wasm_bindgen::{JsCast, JsValue, closure::Closure};

/// Calls back once after some milliseconds. Never calls back without a timer.
pub(super) fn call_later(milliseconds: u32, call: impl FnOnce() + 'static) {
    if let Some(set_timeout) = function(&js_sys::global(), "setTimeout") {
        let call = Closure::once_into_js(call);
        let _ = set_timeout.call2(&js_sys::global(), &call, &milliseconds.into());
    }
}

/// A function that is called at intervals, until [`clear`](Self::clear).
#[derive(Debug, Default)]
pub(super) struct Interval(JsValue);

impl Interval {
    /// Calls back every so many milliseconds. The closure is leaked, since it may itself clear the interval.
    pub(super) fn start(milliseconds: u32, call: impl Fn() + 'static) -> Self {
        let Some(set_interval) = function(&js_sys::global(), "setInterval") else {
            return Self::default();
        };
        let call = Closure::<dyn Fn()>::new(call).into_js_value();
        let timer = set_interval.call2(&js_sys::global(), &call, &milliseconds.into());
        Self(timer.unwrap_or_default())
    }

    pub(super) fn clear(&self) {
        if let Some(clear_interval) = function(&js_sys::global(), "clearInterval") {
            let _ = clear_interval.call1(&js_sys::global(), &self.0);
        }
    }
}

/// Calls back when a Web Lock is free. Never calls back where there are no Web Locks, as on insecure pages.
pub(super) fn when_free(name: &str, free: impl FnOnce() + 'static) {
    let member = |of: &JsValue, name: &str| Reflect::get(of, &name.into()).ok();
    let locks = member(&js_sys::global(), "navigator").and_then(|it| member(&it, "locks"));
    let Some(locks) = locks else {
        return;
    };
    let Some(request) = function(&locks, "request") else {
        return;
    };
    let result = request.call2(&locks, &name.into(), &Closure::once_into_js(free));
    if let Some(promise) = result
        .ok()
        .and_then(|result| result.dyn_into::<Promise>().ok())
    {
        // The promise is rejected when the page closes; ignore that.
        let ignore = Closure::<dyn FnMut(JsValue)>::new(|_reason: JsValue| {});
        let _ = promise.catch(&ignore);
        ignore.forget();
    }
}

fn function(of: &JsValue, name: &str) -> Option<Function> {
    // Members of `undefined` are an error.
    Reflect::get(of, &name.into()).ok()?.dyn_into().ok()
}
