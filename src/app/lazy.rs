//! Views and other parts of the page that are loaded when they are first displayed.
//!
//! [`lazy_view!`] declares a lazy part next to its component. The build splits the page's WebAssembly module at the
//! generated functions: code reachable only from them is left out of the first module (see `xtask/src/parts.rs`). Views
//! with the same part name share a file. Code shared by several part names goes into a file of its own, one for each
//! combination of names. Therefore there are a few names and not one per component: the shared code of each further
//! combination is mostly about a kilobyte.

use crate::{lazy::LoadFailure, same_origin_files};
use futures_util::{FutureExt, future::LocalBoxFuture};
use leptos::{either::EitherOf3, prelude::*, wasm_split::SplitLoaderError};
use wasm_bindgen_futures::spawn_local;

/// Result of loading a lazy part. After a failure, the next call tries again.
pub(super) type LoadResult<T> = Result<T, SplitLoaderError>;

/// A component that is loaded when it is first displayed. Declare one with [`lazy_view!`].
#[derive(Debug, Clone, Copy)]
pub(super) struct LazyView {
    /// Loads the part, unless it is loaded.
    pub(super) load: fn() -> LocalBoxFuture<'static, LoadResult<()>>,
    /// Creates the view. Completes at once if the part is loaded.
    pub(super) make: fn() -> LocalBoxFuture<'static, LoadResult<AnyView>>,
}

/// Declares a [`LazyView`] constant for a component without props: `lazy_view! { const HELP = HelpText in details; }`.
/// `details` is the name of the part. The component may be named with its module.
macro_rules! lazy_view {
    ($(#[$doc:meta])* $visibility:vis const $name:ident = $($component:ident)::+ in $part:ident;) => {
        $(#[$doc])*
        $visibility const $name: $crate::app::lazy::LazyView = {
            #[leptos::wasm_split::wasm_split(
                $part,
                wasm_split_path = leptos::wasm_split,
                preload(load),
                fallible
            )]
            fn make() -> $crate::app::lazy::LoadResult<leptos::prelude::AnyView> {
                use leptos::prelude::IntoAny;
                Ok($($component)::+().into_any())
            }
            $crate::app::lazy::LazyView {
                load: || Box::pin(load()),
                make: || Box::pin(make()),
            }
        };
    };
}
pub(super) use lazy_view;

/// Loading state of a lazy part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LoadingMessage {
    Started,
    Done,
    Failed(LoadFailure),
}

/// Displays a lazy view, or a message until it is loaded.
#[component]
pub(super) fn Lazy(
    /// The view.
    part: LazyView,
    /// Whether the view is a piece of another view. Nothing is displayed while a piece is being loaded.
    #[prop(optional)]
    inline: bool,
) -> impl IntoView {
    let fetching = RwSignal::new(LoadingMessage::Started);
    let start = move || {
        fetching.set(LoadingMessage::Started);
        spawn_local(async move {
            let next = match (part.load)().await {
                Ok(()) => LoadingMessage::Done,
                Err(_) => LoadingMessage::Failed(same_origin_files::last_failure()),
            };
            // The signal is disposed of if another view is displayed by now.
            let _ = fetching.try_set(next);
        });
    };
    start();
    // Creating the view here instead of in the task makes it a child of the current reactive owner.
    let make = move || (part.make)().now_or_never()?.ok();
    move || match fetching.get() {
        LoadingMessage::Started => EitherOf3::A((!inline).then(|| {
            view! { <p class="nothing" role="status">"Fetching this view …"</p> }
        })),
        LoadingMessage::Done => match make() {
            Some(view) => EitherOf3::B(view),
            None => {
                EitherOf3::C(view! { <LoadErrorMessage inline why=LoadFailure::Lost again=start/> })
            }
        },
        LoadingMessage::Failed(why) => {
            EitherOf3::C(view! { <LoadErrorMessage inline why again=start/> })
        }
    }
}

/// Error message in place of a view that could not be loaded.
#[component]
fn LoadErrorMessage(
    /// Whether the view is a piece of another view.
    inline: bool,
    /// The reason.
    why: LoadFailure,
    /// Loads the view again.
    again: impl Fn() + Send + Sync + 'static,
) -> impl IntoView {
    let what = if inline {
        "This part of the page could not be fetched"
    } else {
        "This view could not be fetched"
    };
    view! {
        <section class="nothing" role="alert">
            <h2>{what}</h2>
            <p>{why.to_string()}</p>
            <button type="button" class="primary" on:click=move |_| again()>"Try again"</button>
        </section>
    }
}
