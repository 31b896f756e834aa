//! Interactive demonstrations for the cells of the criteria table: parameter values in, numbers and a picture out. One
//! file per criterion.
//!
//! Everything is computed from a [`SmallHead`] or from a parameter count, within one animation frame.

mod data_driven;
mod inductive;
mod interpretable;
mod parallelizable;
mod parameter_efficient;
mod translation_invariant;

use super::{
    CRITERIA, Criterion, EncodingMethod, WAYS,
    parameters::criterion_parameters,
    small_head::{Rows, SmallHead},
};
use crate::{
    analysis::parameter_count::ModelSize,
    encoding::{Kernel, Kernels},
};

/// Largest |offset| of a target.
const REACH: i64 = 32;

/// State of the page that demonstrations use.
#[derive(Debug, Clone, Copy)]
pub struct DemonstrationState<'a> {
    /// Kernels of the kernels view.
    pub kernels: &'a Kernels,
    /// R² of the open model's position table, if that table is learned.
    pub table_r2: Option<f64>,
    /// R² of the open head.
    pub head_r2: Option<f64>,
}

/// A number that a demonstration reports.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Quantity {
    /// A count.
    Count(u64),
    /// A fraction of one.
    Share(f64),
    /// Any other number.
    Number(f64),
}

impl Quantity {
    /// The value as a floating-point number.
    #[must_use]
    pub fn value(self) -> f64 {
        match self {
            Self::Count(count) => count as f64,
            Self::Share(value) | Self::Number(value) => value,
        }
    }
}

/// A curve over consecutive integers.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// Label of the curve.
    pub name: &'static str,
    /// Values by integer; NaN leaves a gap.
    pub values: Vec<f64>,
    /// Whether the curve is a reference for comparison.
    pub is_reference: bool,
}

/// Axis of the curves of a demonstration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CurveAxis {
    /// The offset k.
    Offset,
    /// The key j.
    Key,
}

/// Picture of a demonstration.
#[derive(Debug, Clone, PartialEq)]
pub enum DemonstrationPicture {
    /// A square matrix of scores.
    Matrix(Rows),
    /// Curves over consecutive values of an axis, from `first` on.
    Curves {
        /// The axis.
        axis: CurveAxis,
        /// First value on the axis.
        first: i64,
        /// The curves.
        curves: Vec<Curve>,
    },
    /// One count per method, in the order of [`WAYS`].
    Counts(Vec<u64>),
}

/// Result of a demonstration.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// One sentence about the picture.
    pub words: &'static str,
    /// Numbers with their names.
    pub numbers: Vec<(&'static str, Quantity)>,
    /// Picture.
    pub picture: DemonstrationPicture,
}

impl Outcome {
    /// Returns the number with this name.
    #[must_use]
    pub fn quantity(&self, name: &str) -> Option<Quantity> {
        let entry = self.numbers.iter().find(|(key, _)| *key == name);
        entry.map(|(_, quantity)| *quantity)
    }
}

/// Result of one cell of the criteria table.
#[derive(Debug, Clone, PartialEq)]
pub struct CellDemonstration {
    /// Row and column.
    pub cell: (usize, usize),
    /// Result for the parameter values.
    pub outcome: Outcome,
}

/// Whether the demonstration of a cell also shows values of the open model.
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

/// Computes a cell's demonstration. Values are rounded to allowed ones; missing values default to the start value of
/// their parameter. `None` for a cell outside the table.
#[must_use]
pub fn demonstrate(
    way: usize,
    criterion: usize,
    values: &[f64],
    around: &DemonstrationState<'_>,
) -> Option<Outcome> {
    let (which, ..) = *WAYS.get(way)?;
    let parameters = criterion_parameters(way, criterion);
    let at = |parameter: usize| {
        let (value, parameter) = (values.get(parameter), &parameters[parameter]);
        parameter.near(value.copied().unwrap_or(parameter.start))
    };
    let whole = |parameter: usize| at(parameter) as u64;
    Some(match CRITERIA.get(criterion)?.0 {
        Criterion::Inductive => {
            inductive::longer(which, whole(0) as usize, whole(1) as usize, around)
        }
        Criterion::DataDriven => data_driven::fit_to_tent(which, at(0), at(1)),
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
                EncodingMethod::Tisa => translation_invariant::shift_centres(n, at(1), around),
                _ => translation_invariant::draw_scores(which, n, whole(1), around),
            }
        }
        Criterion::Parallelizable => parallelizable::cost(which, whole(0), whole(1)),
        Criterion::Interpretable => match which {
            EncodingMethod::Tisa => interpretable::kernel(Kernel::new(at(0), at(1), at(2))),
            EncodingMethod::T5 => interpretable::bucket(at(0) as i64),
            _ => interpretable::move_number(which, whole(0) as usize, at(1)),
        },
    })
}

/// Maximum number of quantities in an [`Outcome`].
pub const MOST_NUMBERS: usize = 4;

/// Result of a cell with all parameters at their start values and no model open; `None` if the result depends on the
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
    let around = DemonstrationState {
        kernels: &Kernels::default(),
        table_r2: None,
        head_r2: None,
    };
    if is_of_kernels {
        return None;
    }
    demonstrate(way, criterion, &[], &around)
}

fn head<'a>(way: EncodingMethod, n: usize, around: &DemonstrationState<'a>) -> SmallHead<'a> {
    SmallHead {
        way,
        positions: n,
        queries: n,
        seed: 1,
        contents_differ: false,
        change: None,
        kernels: around.kernels,
    }
}
