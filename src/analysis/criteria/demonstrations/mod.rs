//! Something to move for every cell of the table of criteria: what its knobs come to. One file = one criterion.
//!
//! Everything is computed from a [`SmallHead`] or from a count, within a frame.

mod data_driven;
mod inductive;
mod interpretable;
mod parallelizable;
mod parameter_efficient;
mod translation_invariant;

use super::{
    CRITERIA, Criterion, EncodingMethod, WAYS,
    parameters::knobs,
    small_head::{Rows, SmallHead},
};
use crate::{
    analysis::parameter_count::ModelSize,
    encoding::{Kernel, Kernels},
};

/// Offsets to either side of a target.
const REACH: i64 = 32;

/// What surrounds the table.
#[derive(Debug, Clone, Copy)]
pub struct Around<'a> {
    /// The page's kernels.
    pub kernels: &'a Kernels,
    /// R² of the open model's table, where it has one that was learned.
    pub table_r2: Option<f64>,
    /// R² of its open head.
    pub head_r2: Option<f64>,
}

/// A number that a demonstration comes to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Quantity {
    /// How many.
    Count(u64),
    /// A share of one.
    Share(f64),
    /// Any number.
    Number(f64),
}

impl Quantity {
    /// As a number.
    #[must_use]
    pub fn value(self) -> f64 {
        match self {
            Self::Count(count) => count as f64,
            Self::Share(value) | Self::Number(value) => value,
        }
    }
}

/// A curve over consecutive numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// What it is.
    pub name: &'static str,
    /// Values; a gap where there is none.
    pub values: Vec<f64>,
    /// Something to compare with.
    pub compared: bool,
}

/// What the curves of a demonstration are drawn over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CurveAxis {
    /// The offset k.
    Offset,
    /// The key j.
    Key,
}

/// What a demonstration shows.
#[derive(Debug, Clone, PartialEq)]
pub enum Seen {
    /// A square matrix of scores.
    Matrix(Rows),
    /// Curves over an axis from a first number on.
    Curves {
        /// What the axis counts.
        axis: CurveAxis,
        /// Where it begins.
        first: i64,
        /// The curves.
        curves: Vec<Curve>,
    },
    /// A number for each way, in the order of [`WAYS`].
    Counts(Vec<u64>),
}

/// What the knobs come to.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// What is seen, in words.
    pub words: &'static str,
    /// Its numbers, by name.
    pub numbers: Vec<(&'static str, Quantity)>,
    /// Its picture.
    pub seen: Seen,
}

impl Outcome {
    /// The number of a name.
    #[must_use]
    pub fn quantity(&self, name: &str) -> Option<Quantity> {
        let found = self.numbers.iter().find(|(known, _)| *known == name);
        found.map(|(_, quantity)| *quantity)
    }
}

/// What a cell of the table comes to.
#[derive(Debug, Clone, PartialEq)]
pub struct Demonstrated {
    /// Row and column.
    pub cell: (usize, usize),
    /// What its knobs come to.
    pub outcome: Outcome,
}

/// Whether a cell sets the open model beside what it shows.
#[must_use]
pub fn is_about_open_model(way: usize, criterion: usize) -> bool {
    let (way, criterion) = (WAYS.get(way), CRITERIA.get(criterion));
    matches!(
        (way, criterion),
        (
            Some((EncodingMethod::Learned, ..)),
            Some((Criterion::TranslationInvariant, ..))
        )
    )
}

/// What a cell shows for values of its knobs; those that are missing are as at first.
#[must_use]
pub fn demonstrate(
    way: usize,
    criterion: usize,
    values: &[f64],
    around: &Around<'_>,
) -> Option<Outcome> {
    let (which, ..) = *WAYS.get(way)?;
    let knobs = knobs(way, criterion);
    let at = |knob: usize| {
        let (value, knob) = (values.get(knob), &knobs[knob]);
        knob.near(value.copied().unwrap_or(knob.start))
    };
    let whole = |knob: usize| at(knob) as u64;
    Some(match CRITERIA.get(criterion)?.0 {
        Criterion::Inductive => {
            inductive::longer(which, whole(0) as usize, whole(1) as usize, around)
        }
        Criterion::DataDriven => data_driven::learning(which, at(0), at(1)),
        Criterion::ParameterEfficient => parameter_efficient::parameters(
            which,
            &ModelSize {
                kernels: whole(4),
                positions: whole(0),
                width: whole(1),
                layers: whole(2),
                heads: whole(3),
            },
        ),
        Criterion::TranslationInvariant => {
            let n = whole(0) as usize;
            match which {
                EncodingMethod::Tisa => translation_invariant::shifted(n, at(1), around),
                _ => translation_invariant::drawn(which, n, whole(1), around),
            }
        }
        Criterion::Parallelizable => parallelizable::cost(which, whole(0), whole(1)),
        Criterion::Interpretable => match which {
            EncodingMethod::Tisa => interpretable::kernel(Kernel::new(at(0), at(1), at(2))),
            EncodingMethod::T5 => interpretable::bucket(at(0) as i64),
            _ => interpretable::moved(which, whole(0) as usize, at(1)),
        },
    })
}

/// The most numbers that a demonstration comes to.
pub const MOST_NUMBERS: usize = 4;

/// What a cell comes to as it opens, before a knob is turned and without a model; `None` where that depends on the
/// page's kernels.
#[must_use]
pub fn as_it_opens(way: usize, criterion: usize) -> Option<Outcome> {
    let about = (WAYS.get(way)?.0, CRITERIA.get(criterion)?.0);
    let is_of_kernels = matches!(
        about,
        (
            EncodingMethod::Tisa,
            Criterion::Inductive | Criterion::TranslationInvariant
        )
    );
    let around = Around {
        kernels: &Kernels::default(),
        table_r2: None,
        head_r2: None,
    };
    if is_of_kernels {
        return None;
    }
    demonstrate(way, criterion, &[], &around)
}

fn head<'a>(way: EncodingMethod, n: usize, around: &Around<'a>) -> SmallHead<'a> {
    SmallHead {
        way,
        positions: n,
        queries: n,
        seed: 1,
        contents_differ: false,
        moved: None,
        kernels: around.kernels,
    }
}
