//! Loaders of the worker's lazy parts. The build splits the worker's module at the functions marked with `wasm_split`.

use super::fetch::servers;
use crate::{
    analysis::{
        FindWaves, LazyParts, OpenGpu, ReadLessonText, StartSearch, find_waves, start_search,
    },
    checkpoint::{Formats, OpenRemote},
    lazy::{LazyPart, LoadError},
    same_origin_files,
};
use futures_util::{FutureExt, future::LocalBoxFuture};
use js_sys::Reflect;
use lesson_format::Lesson;
use wasm_bindgen::JsCast;
use wasm_split_helpers::{SplitLoaderError, wasm_split};
use web_sys::WorkerGlobalScope;

/// The loaders that the core calls.
pub(super) const LATE: LazyParts = LazyParts {
    fits: || or(LazyPart::Fits, fits()),
    formats: || or(LazyPart::Formats, formats()),
    gpu: || {
        if has_gpu() {
            or(LazyPart::Gpu, gpu())
        } else {
            (LazyParts::HERE.gpu)()
        }
    },
    lessons: || or(LazyPart::Lessons, lessons()),
    remote: || or(LazyPart::Remote, remote()),
    waves: || or(LazyPart::Waves, waves()),
};

#[wasm_split(fits, fallible)]
fn fits() -> Result<StartSearch, SplitLoaderError> {
    Ok(start_search)
}

#[wasm_split(formats, fallible)]
fn formats() -> Result<Formats, SplitLoaderError> {
    Ok(Formats::all())
}

#[wasm_split(gpu, fallible)]
fn gpu() -> Result<OpenGpu, SplitLoaderError> {
    Ok(|| crate::gpu::open().boxed_local())
}

/// Whether this browser has WebGPU. If not, the part for it is not loaded.
fn has_gpu() -> bool {
    let scope: WorkerGlobalScope = js_sys::global().unchecked_into();
    let gpu = Reflect::get(&scope.navigator(), &"gpu".into());
    gpu.is_ok_and(|gpu| gpu.is_object())
}

#[wasm_split(lessons, fallible)]
fn lessons() -> Result<ReadLessonText, SplitLoaderError> {
    Ok(Lesson::parse)
}

#[wasm_split(remote, fallible)]
fn remote() -> Result<Box<dyn OpenRemote>, SplitLoaderError> {
    Ok(Box::new(servers()))
}

#[wasm_split(waves, fallible)]
fn waves() -> Result<&'static dyn FindWaves, SplitLoaderError> {
    Ok(find_waves())
}

/// Adds the part and the reason to a load error: the split loader's error says only that it failed.
fn or<T: 'static>(
    part: LazyPart,
    loading: impl Future<Output = Result<T, SplitLoaderError>> + 'static,
) -> LocalBoxFuture<'static, Result<T, LoadError>> {
    loading
        .map(move |result| {
            result.map_err(|SplitLoaderError { .. }| LoadError {
                part,
                why: same_origin_files::last_failure(),
            })
        })
        .boxed_local()
}
