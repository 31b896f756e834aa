//! Parts of the worker that are loaded on first use.
//!
//! [`lazy!`] marks functions where they are defined, and callers await them like any other. The build splits the
//! worker's module at them (see `xtask/src/parts.rs`): code that only they reach is left out of the first module.
//! Hence a type may have methods that only lazy functions call; a direct call would link them into the first module.
//!
//! There are several parts and not one: a visitor needs one or two, and a file that is not safetensors waits for 41 KB
//! instead of 280. Gzipped they are: fits 42 KB, formats 41, GPU 43, lessons 91, remote 27, waves 81.

pub use crate::load_failure::{LoadFailure, PATIENCE_S};
use std::fmt;

/// Marks functions as code of a lazy part:
///
/// ```text
/// lazy! { in lessons;
///     /// Parses the text of a lesson.
///     async fn parse_lesson(text: &str) -> Result<Lesson, LessonError> {
///         Lesson::parse(text)
///     }
/// }
/// ```
///
/// In the worker the function loads its part, unless it is loaded, and then runs the body, which may not await.
/// Elsewhere it runs the body at once. Either way it returns `Result<_, LoadError>`. Arguments and results have
/// concrete types; the function has no receiver.
macro_rules! lazy {
    (@part fits) => { $crate::lazy::LazyPart::Fits };
    (@part formats) => { $crate::lazy::LazyPart::Formats };
    (@part gpu) => { $crate::lazy::LazyPart::Gpu };
    (@part lessons) => { $crate::lazy::LazyPart::Lessons };
    (@part remote) => { $crate::lazy::LazyPart::Remote };
    (@part waves) => { $crate::lazy::LazyPart::Waves };
    (@output) => { () };
    (@output $output:ty) => { $output };
    (in $part:ident; $(
        $(#[$attribute:meta])*
        $visibility:vis async fn $name:ident($($argument:ident: $type:ty),* $(,)?) $(-> $output:ty)? $body:block
    )+) => { $(
        $(#[$attribute])*
        $visibility async fn $name(
            $($argument: $type),*
        ) -> Result<$crate::lazy::lazy!(@output $($output)?), $crate::lazy::LoadError> {
            fn body($($argument: $type),*) $(-> $output)? $body

            #[cfg(all(target_arch = "wasm32", feature = "worker"))]
            {
                #[wasm_split_helpers::wasm_split($part, fallible)]
                fn $name(
                    $($argument: $type),*
                ) -> Result<$crate::lazy::lazy!(@output $($output)?), wasm_split_helpers::SplitLoaderError> {
                    Ok(body($($argument),*))
                }

                $name($($argument),*)
                    .await
                    .map_err(|wasm_split_helpers::SplitLoaderError { .. }| {
                        $crate::lazy::load_error($crate::lazy::lazy!(@part $part))
                    })
            }
            #[cfg(not(all(target_arch = "wasm32", feature = "worker")))]
            {
                $crate::lazy::simulate_load($crate::lazy::lazy!(@part $part))?;
                Ok(body($($argument),*))
            }
        }
    )+ };
}
pub(crate) use lazy;

/// Parts of the worker that are loaded on first use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LazyPart {
    /// The search for kernels.
    Fits,
    /// The parsers of all formats but safetensors.
    Formats,
    /// The WebGPU implementation.
    Gpu,
    /// The Markdown parser for lessons.
    Lessons,
    /// The code that requests files from servers.
    Remote,
    /// The search for waves.
    Waves,
}

/// A part that could not be loaded. `Display` says so, and what to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoadError {
    /// The part that failed.
    pub part: LazyPart,
    /// Why it could not be loaded.
    pub why: LoadFailure,
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let purpose = match self.part {
            LazyPart::Fits => "fits kernels",
            LazyPart::Formats => "reads other files than safetensors",
            LazyPart::Gpu => "computes on GPUs",
            LazyPart::Lessons => "reads lessons",
            LazyPart::Remote => "opens addresses",
            LazyPart::Waves => "finds waves",
        };
        let why = self.why;
        write!(
            f,
            "The part of this page that {purpose} could not be fetched. {why}"
        )
    }
}

impl std::error::Error for LoadError {}

/// The error of a part that has just failed to load. The splitter's own error holds no reason.
#[cfg(all(target_arch = "wasm32", feature = "worker"))]
pub(crate) fn load_error(part: LazyPart) -> LoadError {
    let why = crate::same_origin_files::last_failure();
    LoadError { part, why }
}

#[cfg(not(all(target_arch = "wasm32", feature = "worker")))]
thread_local! {
    static IS_OFFLINE: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

/// Makes lazy functions fail on this thread, or succeed again: without a worker nothing is loaded, so tests simulate
/// the failure.
#[cfg(not(all(target_arch = "wasm32", feature = "worker")))]
pub fn simulate_offline(is_offline: bool) {
    IS_OFFLINE.set(is_offline);
}

/// Stands for the load of a part that is linked in.
#[cfg(not(all(target_arch = "wasm32", feature = "worker")))]
pub(crate) fn simulate_load(part: LazyPart) -> Result<(), LoadError> {
    if IS_OFFLINE.get() {
        let why = LoadFailure::Lost;
        return Err(LoadError { part, why });
    }
    Ok(())
}
