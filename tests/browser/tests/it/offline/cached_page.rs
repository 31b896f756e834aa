//! The copy of the page that a browser keeps.

use super::host::Host;
use browser::{Page, Result, suite::skip};
use serde_json::Value;
use std::time::{Duration, Instant};

/// Time limit for caching a whole version on a busy machine.
pub(super) const KEPT_WITHIN: Duration = Duration::from_secs(60);

/// Waits until a promise resolves to something truthy.
pub(super) fn comes_true(page: &Page, promise: &str) -> Result {
    let begun = Instant::now();
    loop {
        let found = page.eval_async(promise)?;
        if !matches!(found, Value::Null | Value::Bool(false)) {
            return Ok(());
        }
        if begun.elapsed() > KEPT_WITHIN {
            return Err(format!("waited in vain for {promise}").into());
        }
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// Waits until the whole page is cached. The large preset comes last.
pub(super) fn kept(page: &Page) -> Result {
    comes_true(
        page,
        "navigator.serviceWorker.getRegistration().then(async found => found?.active?.state === 'activated' && found.waiting?.state !== 'installed' \
           && !!await caches.match(new URL('presets/minilm-l6.safetensors', document.baseURI)))",
    )
}

/// Whether this browser supports service workers; some disable them under WebDriver.
pub(super) fn keeps(page: &Page, host: &Host) -> Result<bool> {
    host.show(page, "?view=positions&model=minilm-l6")?;
    let able = page.eval_async(
        "(async () => { try { return !!navigator.serviceWorker && Array.isArray(await caches.keys()); } catch { return false; } })()",
    )?;
    if able == Value::Bool(true) {
        return Ok(true);
    }
    skip("a browser that keeps pages").map(|()| false)
}

/// Removes service workers and caches from a shared browser.
pub(super) fn forget(page: &Page) -> Result {
    page.eval_async(
        "(async () => { for (const found of await navigator.serviceWorker.getRegistrations()) await found.unregister();\
           for (const name of await caches.keys()) await caches.delete(name); return true; })()",
    )?;
    // Errors of the stopped host are expected.
    page.forgive("")
}
