//! Views, and what else the first paint does without: fetched when they are first shown.
//!
//! The build cuts the page's module at the functions marked here and in `saving`, and leaves out of its first
//! part what only they reach. What several of them reach becomes a part of its own; nothing is there twice. Each set
//! of parts that share something makes one more, which is why there are six parts and not one for each function: what
//! parts share in twenty ways mostly weighs a kilobyte.

use super::{
    computing::ComputingChoice,
    details::Details,
    guide::GuideText,
    lesson::LessonPanel,
    number_table::NumberTable,
    opening::{Chooser, FromWeb, PaperList},
    saving::PictureChooser,
    tools::Tools,
    views,
};
use crate::{late::LoadFailure, link::View, own_files};
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

#[wasm_split(waves, wasm_split_path = leptos::wasm_split, preload(fetch_waves), fallible)]
fn waves_part() -> Fetched<AnyView> {
    Ok(views::Waves().into_any())
}

#[wasm_split(waves, wasm_split_path = leptos::wasm_split, preload(fetch_images), fallible)]
fn images_part() -> Fetched<AnyView> {
    Ok(views::Images().into_any())
}

#[wasm_split(models, wasm_split_path = leptos::wasm_split, preload(fetch_compare), fallible)]
fn compare_part() -> Fetched<AnyView> {
    Ok(views::Compare().into_any())
}

#[wasm_split(models, wasm_split_path = leptos::wasm_split, preload(fetch_training), fallible)]
fn training_part() -> Fetched<AnyView> {
    Ok(views::Training().into_any())
}

#[wasm_split(details, wasm_split_path = leptos::wasm_split, preload(fetch_details), fallible)]
fn details_part() -> Fetched<AnyView> {
    Ok(Details().into_any())
}

#[wasm_split(details, wasm_split_path = leptos::wasm_split, preload(fetch_guide), fallible)]
fn guide_part() -> Fetched<AnyView> {
    Ok(GuideText().into_any())
}

#[wasm_split(details, wasm_split_path = leptos::wasm_split, preload(fetch_numbers), fallible)]
fn numbers_part() -> Fetched<AnyView> {
    Ok(NumberTable().into_any())
}

#[wasm_split(details, wasm_split_path = leptos::wasm_split, preload(fetch_from_web), fallible)]
fn from_web_part() -> Fetched<AnyView> {
    Ok(FromWeb().into_any())
}

#[wasm_split(details, wasm_split_path = leptos::wasm_split, preload(fetch_paper_list), fallible)]
fn paper_list_part() -> Fetched<AnyView> {
    Ok(PaperList().into_any())
}

#[wasm_split(details, wasm_split_path = leptos::wasm_split, preload(fetch_tools), fallible)]
fn tools_part() -> Fetched<AnyView> {
    Ok(Tools().into_any())
}

#[wasm_split(details, wasm_split_path = leptos::wasm_split, preload(fetch_table_figures), fallible)]
fn table_figures_part() -> Fetched<AnyView> {
    Ok(views::TableFigures().into_any())
}

#[wasm_split(details, wasm_split_path = leptos::wasm_split, preload(fetch_grid_profile), fallible)]
fn grid_profile_part() -> Fetched<AnyView> {
    Ok(views::GridProfile().into_any())
}

#[wasm_split(details, wasm_split_path = leptos::wasm_split, preload(fetch_chooser), fallible)]
fn chooser_part() -> Fetched<AnyView> {
    Ok(Chooser().into_any())
}

#[wasm_split(saving, wasm_split_path = leptos::wasm_split, preload(fetch_pictures), fallible)]
fn pictures_part() -> Fetched<AnyView> {
    Ok(PictureChooser().into_any())
}

#[wasm_split(details, wasm_split_path = leptos::wasm_split, preload(fetch_computing), fallible)]
fn computing_part() -> Fetched<AnyView> {
    Ok(ComputingChoice().into_any())
}

#[wasm_split(lessons, wasm_split_path = leptos::wasm_split, preload(fetch_lesson), fallible)]
fn lesson_part() -> Fetched<AnyView> {
    Ok(LessonPanel().into_any())
}

#[wasm_split(lessons, wasm_split_path = leptos::wasm_split, preload(fetch_lessons), fallible)]
fn lessons_part() -> Fetched<AnyView> {
    Ok(views::Lessons().into_any())
}

/// The lesson that is open.
pub(super) const LESSON: Part = Part {
    fetch: || fetch_lesson().boxed_local(),
    make: || lesson_part().boxed_local(),
};

/// Who computes.
pub(super) const COMPUTING: Part = Part {
    fetch: || fetch_computing().boxed_local(),
    make: || computing_part().boxed_local(),
};

/// What can be set of the open model.
pub(super) const DETAILS: Part = Part {
    fetch: || fetch_details().boxed_local(),
    make: || details_part().boxed_local(),
};

/// How to read a figure.
pub(super) const GUIDE: Part = Part {
    fetch: || fetch_guide().boxed_local(),
    make: || guide_part().boxed_local(),
};

/// The numbers of a figure.
pub(super) const NUMBERS: Part = Part {
    fetch: || fetch_numbers().boxed_local(),
    make: || numbers_part().boxed_local(),
};

/// What opens models by name or address.
pub(super) const FROM_WEB: Part = Part {
    fetch: || fetch_from_web().boxed_local(),
    make: || from_web_part().boxed_local(),
};

/// The list of the paper's models.
pub(super) const PAPER_LIST: Part = Part {
    fetch: || fetch_paper_list().boxed_local(),
    make: || paper_list_part().boxed_local(),
};

/// The header's tools.
pub(super) const TOOLS: Part = Part {
    fetch: || fetch_tools().boxed_local(),
    make: || tools_part().boxed_local(),
};

/// The open table, and how smooth it is.
pub(super) const TABLE_FIGURES: Part = Part {
    fetch: || fetch_table_figures().boxed_local(),
    make: || table_figures_part().boxed_local(),
};

/// The profile of the patches of an image.
pub(super) const GRID_PROFILE: Part = Part {
    fetch: || fetch_grid_profile().boxed_local(),
    make: || grid_profile_part().boxed_local(),
};

/// The chooser among a file's tensors.
pub(super) const CHOOSER: Part = Part {
    fetch: || fetch_chooser().boxed_local(),
    make: || chooser_part().boxed_local(),
};

/// How pictures are saved.
pub(super) const PICTURE_CHOICE: Part = Part {
    fetch: || fetch_pictures().boxed_local(),
    make: || pictures_part().boxed_local(),
};

/// A part of the page that holds a view, or something else that the first paint does without.
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
        View::Waves => Part {
            fetch: || fetch_waves().boxed_local(),
            make: || waves_part().boxed_local(),
        },
        View::Images => Part {
            fetch: || fetch_images().boxed_local(),
            make: || images_part().boxed_local(),
        },
        View::Compare => Part {
            fetch: || fetch_compare().boxed_local(),
            make: || compare_part().boxed_local(),
        },
        View::Training => Part {
            fetch: || fetch_training().boxed_local(),
            make: || training_part().boxed_local(),
        },
        View::Lessons => Part {
            fetch: || fetch_lessons().boxed_local(),
            make: || lessons_part().boxed_local(),
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
    Failed(LoadFailure),
}

/// A view that is fetched when it is first shown, or what is said until it is there.
#[component]
pub(super) fn Later(
    /// The part that holds it.
    part: Part,
    /// Whether it is a piece of something else, which is there without it.
    #[prop(optional)]
    inline: bool,
) -> impl IntoView {
    let fetching = RwSignal::new(Fetching::Started);
    let start = move || {
        fetching.set(Fetching::Started);
        spawn_local(async move {
            let next = match (part.fetch)().await {
                Ok(()) => Fetching::Done,
                Err(_) => Fetching::Failed(own_files::last_failure()),
            };
            // By now another view may be shown and the signal be gone.
            let _ = fetching.try_set(next);
        });
    };
    start();
    // The view is made here and not in the task, so that it belongs to the page around it.
    let make = move || (part.make)().now_or_never()?.ok();
    move || match fetching.get() {
        Fetching::Started => EitherOf3::A((!inline).then(|| {
            view! { <p class="nothing" role="status">"Fetching this view …"</p> }
        })),
        Fetching::Done => match make() {
            Some(view) => EitherOf3::B(view),
            None => EitherOf3::C(view! { <NotFetched inline why=LoadFailure::Lost again=start/> }),
        },
        Fetching::Failed(why) => EitherOf3::C(view! { <NotFetched inline why again=start/> }),
    }
}

/// In place of what could not be fetched.
#[component]
fn NotFetched(
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
