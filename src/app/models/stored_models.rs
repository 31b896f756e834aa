//! List of the models whose bytes are in the browser's private storage, with a button that deletes each of them.

use crate::{app::controls::buttons::ActionButton, checkpoint::StoredFile, short_text::short_name};
use js_sys::Array;
use leptos::prelude::*;
use std::collections::BTreeMap;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{Cache, Request};

/// Files in the storage, and the number of stored bytes of each.
type StoredSizes = BTreeMap<String, u64>;

/// The models in the browser's private storage; empty if there are none. `changes` rises when some may have been added.
#[component]
pub(in crate::app) fn StoredModels(changes: Signal<usize>) -> impl IntoView {
    let sizes = RwSignal::new(StoredSizes::new());
    let refresh = move || {
        spawn_local(async move {
            // A browser without private storage stores nothing. The view may be gone by then.
            let found = stored_sizes().await.unwrap_or_default();
            let _ = sizes.try_set(found);
        });
    };
    Effect::new(move || {
        changes.track();
        refresh();
    });
    let delete = move |url: String| {
        spawn_local(async move {
            // A file that cannot be deleted stays in the list.
            let _ = delete_file(&url).await;
            refresh();
        });
    };
    let row = move |(url, bytes): (String, u64)| {
        let name = short_name(url.split_once("://").map_or(&*url, |(_, rest)| rest));
        let megabytes = format!("{:.1} MB", bytes as f64 / 1e6);
        let label = format!("Delete {name} from this browser");
        let press = Callback::new(move |()| delete(url.clone()));
        view! {
            <li>
                <span class="name">{name}</span>
                " "
                <span class="hint">{megabytes}</span>
                " "
                <ActionButton text="Delete" label idle=false press/>
            </li>
        }
    };
    view! {
        <details class="stored-models" hidden=move || sizes.with(BTreeMap::is_empty)>
            <summary>
                {move || {
                    let bytes: u64 = sizes.with(|sizes| sizes.values().sum());
                    format!("Models stored in this browser: {:.0} MB", bytes as f64 / 1e6)
                }}
            </summary>
            <ul>{move || sizes.get().into_iter().map(row).collect_view()}</ul>
        </details>
    }
}

async fn cache() -> Result<Cache, JsValue> {
    let opening = window().caches()?.open(StoredFile::CACHE);
    Ok(JsFuture::from(opening).await?.unchecked_into())
}

/// Addresses of all stored ranges, each with its file and its number of bytes.
async fn stored_ranges(cache: &Cache) -> Result<Vec<(String, StoredFile, u64)>, JsValue> {
    let keys: Array = JsFuture::from(cache.keys()).await?.unchecked_into();
    let addresses = keys
        .iter()
        .filter_map(|key| Some(key.dyn_into::<Request>().ok()?.url()));
    let range = |address: String| {
        let (file, range) = StoredFile::from_address(&address)?;
        Some((address, file, range.end - range.start))
    };
    Ok(addresses.filter_map(range).collect())
}

async fn stored_sizes() -> Result<StoredSizes, JsValue> {
    let mut sizes = StoredSizes::new();
    for (_, file, bytes) in stored_ranges(&cache().await?).await? {
        *sizes.entry(file.url).or_default() += bytes;
    }
    Ok(sizes)
}

/// Deletes all versions of a file.
async fn delete_file(url: &str) -> Result<(), JsValue> {
    let cache = cache().await?;
    for (address, file, _) in stored_ranges(&cache).await? {
        if file.url == url {
            JsFuture::from(cache.delete_with_str(&address)).await?;
        }
    }
    Ok(())
}
