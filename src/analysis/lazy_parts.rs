//! The parts of the worker that come when they are first needed, see `lazy.rs`; and the search for
//! kernels, which is one of them.

use super::{FindWaves, GpuFault, OpenGpu, WavesHere};
use crate::{
    checkpoint::{Formats, NoNetwork, OpenRemote},
    lazy::Loader,
};
use futures_util::FutureExt;
use gaussian_fit::{FitError, GaussianFit, Objective, Points, Search};
use lesson_format::{Lesson, LessonError};

/// The parts that may come late.
#[derive(Clone, Copy, Debug)]
pub struct LazyParts {
    /// The search for the kernels that make up a profile.
    pub fits: Loader<StartSearch>,
    /// The formats of files other than safetensors.
    pub formats: Loader<Formats>,
    /// What computes on a GPU.
    pub gpu: Loader<OpenGpu>,
    /// What reads lessons.
    pub lessons: Loader<ReadLessonText>,
    /// What opens models on servers.
    pub remote: Loader<Box<dyn OpenRemote>>,
    /// What finds waves in tables and heads.
    pub waves: Loader<&'static dyn FindWaves>,
}

impl LazyParts {
    /// Every part is at hand, but there is neither network nor GPU.
    pub const HERE: Self = Self {
        fits: || async { Ok(start_search as StartSearch) }.boxed_local(),
        formats: Formats::HERE,
        gpu: || async { Ok(NO_GPU) }.boxed_local(),
        lessons: || async { Ok(Lesson::parse as ReadLessonText) }.boxed_local(),
        remote: || async { Ok(Box::new(NoNetwork) as Box<dyn OpenRemote>) }.boxed_local(),
        waves: || async { Ok(find_waves()) }.boxed_local(),
    };
}

/// There is no GPU here.
const NO_GPU: OpenGpu = || async { Err(GpuFault::Absent) }.boxed_local();

/// Reads the text of a lesson.
pub type ReadLessonText = fn(&str) -> Result<Lesson, LessonError>;

/// Starts a search for so many kernels at most, of the kind that is asked for.
pub type StartSearch = fn(Points, usize, Objective) -> Result<Box<dyn KernelSearch>, FitError>;

/// A search that adds one kernel at a time.
pub trait KernelSearch {
    /// Adds a kernel where it explains most.
    fn add(&mut self);

    /// The best fit with the kernels there are.
    fn settle(&mut self) -> GaussianFit;

    /// The share of the points' weighted variance that a function explains.
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

/// What finds waves.
#[must_use]
pub fn find_waves() -> &'static dyn FindWaves {
    &WavesHere
}

/// Starts a search, see `gaussian-fit`.
///
/// # Errors
/// Why the points cannot be fitted.
pub fn start_search(
    points: Points,
    most: usize,
    objective: Objective,
) -> Result<Box<dyn KernelSearch>, FitError> {
    Ok(Box::new(Search::new(points, most, objective)?))
}
