//! Views that are fetched when they are first shown, so that the first paint does not wait for them.
//!
//! The build cuts the page's module at the functions marked here and leaves out of its first part what
//! only they reach. What several of them reach becomes a part of its own; nothing is there twice. Each set
//! of parts that share something makes one more, which is why there are three parts and not one for each
//! view: five parts share in twenty ways, and most of what they share weighs a kilobyte.

use super::views;
use crate::link::View;
use futures_util::{FutureExt, future::LocalBoxFuture};
use leptos::{
    either::EitherOf3,
    prelude::*,
    wasm_split::{SplitLoaderError, wasm_split},
};
use wasm_bindgen_futures::spawn_local;

/// What a part's functions give: a failed fetch is an error, and the next call fetches again.
type Fetched<T> = Result<T, SplitLoaderError>;

#[wasm_split(models, wasm_split_path = leptos::wasm_split, preload(fetch_heads), fallible)]
fn heads_part() -> Fetched<AnyView> {
    Ok(views::Heads().into_any())
}

#[wasm_split(kernels, wasm_split_path = leptos::wasm_split, preload(fetch_kernels), fallible)]
fn kernels_part() -> Fetched<AnyView> {
    Ok(views::Kernels().into_any())
}

#[wasm_split(encodings, wasm_split_path = leptos::wasm_split, preload(fetch_encodings), fallible)]
fn encodings_part() -> Fetched<AnyView> {
    Ok(views::Encodings().into_any())
}

#[wasm_split(models, wasm_split_path = leptos::wasm_split, preload(fetch_compare), fallible)]
fn compare_part() -> Fetched<AnyView> {
    Ok(views::Compare().into_any())
}

#[wasm_split(models, wasm_split_path = leptos::wasm_split, preload(fetch_training), fallible)]
fn training_part() -> Fetched<AnyView> {
    Ok(views::Training().into_any())
}

/// A part of the page that holds a view.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part {
    /// Fetches it, unless it is there.
    fetch: fn() -> LocalBoxFuture<'static, Fetched<()>>,
    /// Makes the view, at once if the part is there.
    make: fn() -> LocalBoxFuture<'static, Fetched<AnyView>>,
}

/// The part that holds a view; `None` for the view that comes with the page.
pub(super) fn part_of(view: View) -> Option<Part> {
    Some(match view {
        View::Positions => return None,
        View::Heads => Part {
            fetch: || fetch_heads().boxed_local(),
            make: || heads_part().boxed_local(),
        },
        View::Kernels => Part {
            fetch: || fetch_kernels().boxed_local(),
            make: || kernels_part().boxed_local(),
        },
        View::Encodings => Part {
            fetch: || fetch_encodings().boxed_local(),
            make: || encodings_part().boxed_local(),
        },
        View::Compare => Part {
            fetch: || fetch_compare().boxed_local(),
            make: || compare_part().boxed_local(),
        },
        View::Training => Part {
            fetch: || fetch_training().boxed_local(),
            make: || training_part().boxed_local(),
        },
    })
}

/// How it is with a part that is being fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fetching {
    /// It is on its way.
    Started,
    /// It is there.
    Done,
    /// It could not be fetched.
    Failed,
}

/// A view that is fetched when it is first shown, or what is said until it is there.
#[component]
pub(super) fn Later(
    /// The part that holds it.
    part: Part,
) -> impl IntoView {
    let fetching = RwSignal::new(Fetching::Started);
    let start = move || {
        fetching.set(Fetching::Started);
        spawn_local(async move {
            let next = match (part.fetch)().await {
                Ok(()) => Fetching::Done,
                Err(_) => Fetching::Failed,
            };
            // By now another view may be shown and the signal be gone.
            let _ = fetching.try_set(next);
        });
    };
    start();
    // The view is made here and not in the task, so that it belongs to the page around it.
    let make = move || (part.make)().now_or_never()?.ok();
    move || match fetching.get() {
        Fetching::Started => EitherOf3::A(view! {
            <p class="nothing" role="status">"Fetching this view …"</p>
        }),
        Fetching::Done => match make() {
            Some(view) => EitherOf3::B(view),
            None => EitherOf3::C(view! { <NotFetched again=start/> }),
        },
        Fetching::Failed => EitherOf3::C(view! { <NotFetched again=start/> }),
    }
}

/// In place of a view that could not be fetched.
#[component]
fn NotFetched(
    /// Fetches it again.
    again: impl Fn() + Send + Sync + 'static,
) -> impl IntoView {
    view! {
        <section class="nothing" role="alert">
            <h2>"This view could not be fetched"</h2>
            <p>"Try again when the connection is back. If that does not help, the page has been renewed since you opened it: load it again."</p>
            <button type="button" class="primary" on:click=move |_| again()>"Try again"</button>
        </section>
    }
}
