//! Views, and what else the first paint does without: fetched when they are first shown.
//!
//! The build cuts the page's module at the functions marked here and in `saving`, and leaves out of its first
//! part what only they reach. What several of them reach becomes a part of its own; nothing is there twice. Each set
//! of parts that share something makes one more, which is why there are six parts and not one for each function: what
//! parts share in twenty ways mostly weighs a kilobyte.

use super::{footer::BackendSelect, header_buttons::Tools};
use crate::{
    app::{
        figure::{help::GuideText, number_table::NumberTable, saving::PictureChooser},
        lesson::LessonPanel,
        models::{
            details::Details,
            opening::{Chooser, FromWeb, PaperList},
        },
        views,
    },
    lazy::LoadFailure,
    same_origin_files,
    url_state::View,
};
use futures_util::{FutureExt, future::LocalBoxFuture};
use leptos::{
    either::EitherOf3,
    prelude::*,
    wasm_split::{SplitLoaderError, wasm_split},
};
use wasm_bindgen_futures::spawn_local;

/// What a part's functions give: a failed fetch is an error, and the next call fetches again.
type LoadResult<T> = Result<T, SplitLoaderError>;

#[wasm_split(models, wasm_split_path = leptos::wasm_split, preload(fetch_heads), fallible)]
fn heads_part() -> LoadResult<AnyView> {
    Ok(views::HeadsView().into_any())
}

#[wasm_split(kernels, wasm_split_path = leptos::wasm_split, preload(fetch_kernels), fallible)]
fn kernels_part() -> LoadResult<AnyView> {
    Ok(views::KernelsView().into_any())
}

#[wasm_split(encodings, wasm_split_path = leptos::wasm_split, preload(fetch_encodings), fallible)]
fn encodings_part() -> LoadResult<AnyView> {
    Ok(views::EncodingsView().into_any())
}

#[wasm_split(waves, wasm_split_path = leptos::wasm_split, preload(fetch_waves), fallible)]
fn waves_part() -> LoadResult<AnyView> {
    Ok(views::WavesView().into_any())
}

#[wasm_split(waves, wasm_split_path = leptos::wasm_split, preload(fetch_images), fallible)]
fn images_part() -> LoadResult<AnyView> {
    Ok(views::ImagesView().into_any())
}

#[wasm_split(models, wasm_split_path = leptos::wasm_split, preload(fetch_compare), fallible)]
fn compare_part() -> LoadResult<AnyView> {
    Ok(views::CompareView().into_any())
}

#[wasm_split(models, wasm_split_path = leptos::wasm_split, preload(fetch_training), fallible)]
fn training_part() -> LoadResult<AnyView> {
    Ok(views::TrainingView().into_any())
}

#[wasm_split(details, wasm_split_path = leptos::wasm_split, preload(fetch_details), fallible)]
fn details_part() -> LoadResult<AnyView> {
    Ok(Details().into_any())
}

#[wasm_split(details, wasm_split_path = leptos::wasm_split, preload(fetch_guide), fallible)]
fn guide_part() -> LoadResult<AnyView> {
    Ok(GuideText().into_any())
}

#[wasm_split(details, wasm_split_path = leptos::wasm_split, preload(fetch_numbers), fallible)]
fn numbers_part() -> LoadResult<AnyView> {
    Ok(NumberTable().into_any())
}

#[wasm_split(details, wasm_split_path = leptos::wasm_split, preload(fetch_from_web), fallible)]
fn from_web_part() -> LoadResult<AnyView> {
    Ok(FromWeb().into_any())
}

#[wasm_split(details, wasm_split_path = leptos::wasm_split, preload(fetch_paper_list), fallible)]
fn paper_list_part() -> LoadResult<AnyView> {
    Ok(PaperList().into_any())
}

#[wasm_split(details, wasm_split_path = leptos::wasm_split, preload(fetch_tools), fallible)]
fn tools_part() -> LoadResult<AnyView> {
    Ok(Tools().into_any())
}

#[wasm_split(details, wasm_split_path = leptos::wasm_split, preload(fetch_table_figures), fallible)]
fn table_figures_part() -> LoadResult<AnyView> {
    Ok(views::TableFigures().into_any())
}

#[wasm_split(details, wasm_split_path = leptos::wasm_split, preload(fetch_grid_profile), fallible)]
fn grid_profile_part() -> LoadResult<AnyView> {
    Ok(views::GridProfileSection().into_any())
}

#[wasm_split(details, wasm_split_path = leptos::wasm_split, preload(fetch_chooser), fallible)]
fn chooser_part() -> LoadResult<AnyView> {
    Ok(Chooser().into_any())
}

#[wasm_split(saving, wasm_split_path = leptos::wasm_split, preload(fetch_pictures), fallible)]
fn pictures_part() -> LoadResult<AnyView> {
    Ok(PictureChooser().into_any())
}

#[wasm_split(details, wasm_split_path = leptos::wasm_split, preload(fetch_computing), fallible)]
fn computing_part() -> LoadResult<AnyView> {
    Ok(BackendSelect().into_any())
}

#[wasm_split(lessons, wasm_split_path = leptos::wasm_split, preload(fetch_lesson), fallible)]
fn lesson_part() -> LoadResult<AnyView> {
    Ok(LessonPanel().into_any())
}

#[wasm_split(lessons, wasm_split_path = leptos::wasm_split, preload(fetch_lessons), fallible)]
fn lessons_part() -> LoadResult<AnyView> {
    Ok(views::LessonsView().into_any())
}

/// The lesson that is open.
pub(in crate::app) const LESSON: LazyView = LazyView {
    fetch: || fetch_lesson().boxed_local(),
    make: || lesson_part().boxed_local(),
};

/// Who computes.
pub(in crate::app) const COMPUTING: LazyView = LazyView {
    fetch: || fetch_computing().boxed_local(),
    make: || computing_part().boxed_local(),
};

/// What can be set of the open model.
pub(in crate::app) const DETAILS: LazyView = LazyView {
    fetch: || fetch_details().boxed_local(),
    make: || details_part().boxed_local(),
};

/// How to read a figure.
pub(in crate::app) const GUIDE: LazyView = LazyView {
    fetch: || fetch_guide().boxed_local(),
    make: || guide_part().boxed_local(),
};

/// The numbers of a figure.
pub(in crate::app) const NUMBERS: LazyView = LazyView {
    fetch: || fetch_numbers().boxed_local(),
    make: || numbers_part().boxed_local(),
};

/// What opens models by name or address.
pub(in crate::app) const FROM_WEB: LazyView = LazyView {
    fetch: || fetch_from_web().boxed_local(),
    make: || from_web_part().boxed_local(),
};

/// The list of the paper's models.
pub(in crate::app) const PAPER_LIST: LazyView = LazyView {
    fetch: || fetch_paper_list().boxed_local(),
    make: || paper_list_part().boxed_local(),
};

/// The header's tools.
pub(in crate::app) const TOOLS: LazyView = LazyView {
    fetch: || fetch_tools().boxed_local(),
    make: || tools_part().boxed_local(),
};

/// The open table, and how smooth it is.
pub(in crate::app) const TABLE_FIGURES: LazyView = LazyView {
    fetch: || fetch_table_figures().boxed_local(),
    make: || table_figures_part().boxed_local(),
};

/// The profile of the patches of an image.
pub(in crate::app) const GRID_PROFILE: LazyView = LazyView {
    fetch: || fetch_grid_profile().boxed_local(),
    make: || grid_profile_part().boxed_local(),
};

/// The chooser among a file's tensors.
pub(in crate::app) const CHOOSER: LazyView = LazyView {
    fetch: || fetch_chooser().boxed_local(),
    make: || chooser_part().boxed_local(),
};

/// How pictures are saved.
pub(in crate::app) const PICTURE_CHOICE: LazyView = LazyView {
    fetch: || fetch_pictures().boxed_local(),
    make: || pictures_part().boxed_local(),
};

/// A part of the page that holds a view, or something else that the first paint does without.
#[derive(Debug, Clone, Copy)]
pub(in crate::app) struct LazyView {
    /// Fetches it, unless it is there.
    fetch: fn() -> LocalBoxFuture<'static, LoadResult<()>>,
    /// Makes the view, at once if the part is there.
    make: fn() -> LocalBoxFuture<'static, LoadResult<AnyView>>,
}

/// The part that holds a view; `None` for the view that comes with the page.
pub(in crate::app) fn part_of(view: View) -> Option<LazyView> {
    Some(match view {
        View::Positions => return None,
        View::Heads => LazyView {
            fetch: || fetch_heads().boxed_local(),
            make: || heads_part().boxed_local(),
        },
        View::Kernels => LazyView {
            fetch: || fetch_kernels().boxed_local(),
            make: || kernels_part().boxed_local(),
        },
        View::Encodings => LazyView {
            fetch: || fetch_encodings().boxed_local(),
            make: || encodings_part().boxed_local(),
        },
        View::Waves => LazyView {
            fetch: || fetch_waves().boxed_local(),
            make: || waves_part().boxed_local(),
        },
        View::Images => LazyView {
            fetch: || fetch_images().boxed_local(),
            make: || images_part().boxed_local(),
        },
        View::Compare => LazyView {
            fetch: || fetch_compare().boxed_local(),
            make: || compare_part().boxed_local(),
        },
        View::Training => LazyView {
            fetch: || fetch_training().boxed_local(),
            make: || training_part().boxed_local(),
        },
        View::Lessons => LazyView {
            fetch: || fetch_lessons().boxed_local(),
            make: || lessons_part().boxed_local(),
        },
    })
}

/// How it is with a part that is being fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LoadingMessage {
    /// It is on its way.
    Started,
    /// It is there.
    Done,
    /// It could not be fetched.
    Failed(LoadFailure),
}

/// A view that is fetched when it is first shown, or what is said until it is there.
#[component]
pub(in crate::app) fn Lazy(
    /// The part that holds it.
    part: LazyView,
    /// Whether it is a piece of something else, which is there without it.
    #[prop(optional)]
    inline: bool,
) -> impl IntoView {
    let fetching = RwSignal::new(LoadingMessage::Started);
    let start = move || {
        fetching.set(LoadingMessage::Started);
        spawn_local(async move {
            let next = match (part.fetch)().await {
                Ok(()) => LoadingMessage::Done,
                Err(_) => LoadingMessage::Failed(same_origin_files::last_failure()),
            };
            // By now another view may be shown and the signal be gone.
            let _ = fetching.try_set(next);
        });
    };
    start();
    // The view is made here and not in the task, so that it belongs to the page around it.
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

/// In place of what could not be fetched.
#[component]
fn LoadErrorMessage(
    /// Whether it is a piece of something else.
    inline: bool,
    /// Why it did not come.
    why: LoadFailure,
    /// Fetches it again.
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
