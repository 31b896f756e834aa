//! Views that are fetched when they are first shown, so that the first paint does not wait for them.
//!
//! The build cuts the page's module at the functions marked here and leaves out of its first part what
//! only they reach. What several of them reach becomes a part of its own; nothing is there twice. Each set
//! of parts that share something makes one more, which is why there are three parts and not one for each
//! view: five parts share in twenty ways, and most of what they share weighs a kilobyte.

use super::{
    dynamic::{click, dynamic},
    views,
};
use futures_util::{FutureExt, future::LocalBoxFuture};
use leptos::{
    prelude::*,
    wasm_split::{SplitLoaderError, wasm_split},
};
use wasm_bindgen_futures::spawn_local;

/// What a part's functions give: a failed fetch is an error, and the next call fetches again.
type Fetched<T> = Result<T, SplitLoaderError>;

#[wasm_split(models, wasm_split_path = leptos::wasm_split, preload(fetch_heads), fallible)]
fn heads_part() -> Fetched<AnyView> {
    Ok(views::heads())
}

#[wasm_split(kernels, wasm_split_path = leptos::wasm_split, preload(fetch_kernels), fallible)]
fn kernels_part() -> Fetched<AnyView> {
    Ok(views::kernels())
}

#[wasm_split(encodings, wasm_split_path = leptos::wasm_split, preload(fetch_encodings), fallible)]
fn encodings_part() -> Fetched<AnyView> {
    Ok(views::encodings())
}

#[wasm_split(models, wasm_split_path = leptos::wasm_split, preload(fetch_compare), fallible)]
fn compare_part() -> Fetched<AnyView> {
    Ok(views::compare())
}

#[wasm_split(models, wasm_split_path = leptos::wasm_split, preload(fetch_training), fallible)]
fn training_part() -> Fetched<AnyView> {
    Ok(views::training())
}

/// [`views::heads`].
pub(super) fn heads() -> AnyView {
    later(
        || fetch_heads().boxed_local(),
        || heads_part().boxed_local(),
    )
}

/// [`views::kernels`].
pub(super) fn kernels() -> AnyView {
    later(
        || fetch_kernels().boxed_local(),
        || kernels_part().boxed_local(),
    )
}

/// [`views::encodings`].
pub(super) fn encodings() -> AnyView {
    later(
        || fetch_encodings().boxed_local(),
        || encodings_part().boxed_local(),
    )
}

/// [`views::compare`].
pub(super) fn compare() -> AnyView {
    later(
        || fetch_compare().boxed_local(),
        || compare_part().boxed_local(),
    )
}

/// [`views::training`].
pub(super) fn training() -> AnyView {
    later(
        || fetch_training().boxed_local(),
        || training_part().boxed_local(),
    )
}

/// A view, or what is said until it is there.
fn later(
    fetch: fn() -> LocalBoxFuture<'static, Fetched<()>>,
    make: fn() -> LocalBoxFuture<'static, Fetched<AnyView>>,
) -> AnyView {
    let fetched = RwSignal::new(None);
    let start = move || {
        fetched.set(None);
        spawn_local(async move {
            let there = fetch().await.is_ok();
            // By now another view may be shown and the signal be gone.
            let _ = fetched.try_set(Some(there));
        });
    };
    start();
    dynamic(move || {
        match fetched.get() {
            None => {
                view! { <p class="nothing" role="status">"Fetching this view …"</p> }.into_any()
            }
            // Made here and not in the task, so that the view belongs to the page around it.
            Some(true) => match make().now_or_never() {
                Some(Ok(view)) => view,
                _ => missing(start),
            },
            Some(false) => missing(start),
        }
    })
}

/// A view that could not be fetched.
fn missing(start: impl Fn() + Copy + 'static) -> AnyView {
    let again = click(start);
    view! {
        <section class="nothing" role="alert">
            <h2>"This view could not be fetched"</h2>
            <p>"Try again when the connection is back. If that does not help, the page has been renewed since you opened it: load it again."</p>
            <button type="button" class="primary" on:click=again>"Try again"</button>
        </section>
    }
    .into_any()
}
