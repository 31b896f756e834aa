//! Parts of the worker that are loaded on first use, see `lazy.rs`, and the interface of the kernel search, which is
//! one of them.

use super::{FindWaves, GpuFault, OpenGpu, WavesHere};
use crate::{
    checkpoint::{Formats, NoNetwork, OpenRemote},
    lazy::Loader,
};
use futures_util::FutureExt;
use gaussian_fit::{FitError, GaussianFit, Objective, Points, Search};
use lesson_format::{Lesson, LessonError};

/// Loaders of all lazy parts.
#[derive(Clone, Copy, Debug)]
pub struct LazyParts {
    /// Search for the kernels that make up a profile.
    pub fits: Loader<StartSearch>,
    /// Parsers of file formats other than safetensors.
    pub formats: Loader<Formats>,
    /// Code that computes on a GPU.
    pub gpu: Loader<OpenGpu>,
    /// Parser of lessons.
    pub lessons: Loader<ReadLessonText>,
    /// Code that opens models on servers.
    pub remote: Loader<Box<dyn OpenRemote>>,
    /// Search for waves in tables and heads.
    pub waves: Loader<&'static dyn FindWaves>,
}

impl LazyParts {
    /// All parts linked in, without network and GPU.
    pub const HERE: Self = Self {
        fits: || async { Ok(start_search as StartSearch) }.boxed_local(),
        formats: Formats::HERE,
        gpu: || async { Ok(NO_GPU) }.boxed_local(),
        lessons: || async { Ok(Lesson::parse as ReadLessonText) }.boxed_local(),
        remote: || async { Ok(Box::new(NoNetwork) as Box<dyn OpenRemote>) }.boxed_local(),
        waves: || async { Ok(find_waves()) }.boxed_local(),
    };
}

/// Reports that there is no GPU.
const NO_GPU: OpenGpu = || async { Err(GpuFault::Absent) }.boxed_local();

/// Parses the text of a lesson.
pub type ReadLessonText = fn(&str) -> Result<Lesson, LessonError>;

/// Starts a search for at most so many kernels, with the given objective.
pub type StartSearch = fn(Points, usize, Objective) -> Result<Box<dyn KernelSearch>, FitError>;

/// A search that adds one kernel at a time.
pub trait KernelSearch {
    /// Adds a kernel where it explains most.
    fn add(&mut self);

    /// Returns the best fit with the current kernels.
    fn settle(&mut self) -> GaussianFit;

    /// Share of the points' weighted variance that a function explains.
    fn r2(&self, f: &dyn Fn(f64) -> f64) -> f64;
}

impl KernelSearch for Search {
    fn add(&mut self) {
        self.add();
    }

    fn settle(&mut self) -> GaussianFit {
        self.settle()
    }

    fn r2(&self, f: &dyn Fn(f64) -> f64) -> f64 {
        self.r2(f)
    }
}

/// The search for waves.
#[must_use]
pub fn find_waves() -> &'static dyn FindWaves {
    &WavesHere
}

/// Starts a search, see `gaussian-fit`.
///
/// # Errors
/// If the points cannot be fitted.
pub fn start_search(
    points: Points,
    most: usize,
    objective: Objective,
) -> Result<Box<dyn KernelSearch>, FitError> {
    Ok(Box::new(Search::new(points, most, objective)?))
}
