//! Names, shapes and start values of everything that is learned.
//!
//! The values of all parameters lie in one vector, one tensor after another, and so do their gradients and the
//! optimiser's moments: what is done to each of them (steps, norms, differences in tests) is one loop.

use crate::{RandomStream, Real};

/// Place of a tensor among the parameters of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParameterRange {
    start: usize,
    length: usize,
}

impl ParameterRange {
    /// The tensor's numbers among those of all parameters.
    #[must_use]
    pub fn of<T>(self, all: &[T]) -> &[T] {
        &all[self.start..self.start + self.length]
    }

    /// The tensor's numbers among those of all parameters, to change.
    #[must_use]
    pub fn of_mut<T>(self, all: &mut [T]) -> &mut [T] {
        &mut all[self.start..self.start + self.length]
    }
}

/// Numbers that a tensor starts from.
#[derive(Clone, Debug, PartialEq)]
pub enum StartValues {
    /// One number everywhere.
    Constant(f64),
    /// Normally distributed numbers with mean zero and this standard deviation.
    Normal(f64),
    /// Normally distributed numbers around given means, which repeat where there are more numbers than means.
    Around {
        /// The means.
        means: Vec<f64>,
        /// The standard deviation.
        deviation: f64,
    },
}

/// Parameters that learn alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LearningGroup {
    /// Matrices and tables: they decay.
    Matrix,
    /// Biases, and scales of norms.
    Vector,
    /// Centres of kernels, in tokens, and logarithms of their sharpnesses.
    KernelShape,
    /// Scores: amplitudes of kernels, and tables of scores by offset. They must grow to several units, where weights stay
    /// far below one, and nothing is gained if they decay: softmax needs their differences.
    Score,
}

impl LearningGroup {
    /// Greatest learning rate during a run.
    #[must_use]
    pub fn peak_rate(self) -> f64 {
        match self {
            Self::Matrix | Self::Vector => 2e-3,
            Self::KernelShape => 3e-2,
            Self::Score => 1e-2,
        }
    }

    /// Share of a number that decays at learning rate one (Loshchilov & Hutter 2019, decoupled decay).
    #[must_use]
    pub fn decay(self) -> f64 {
        match self {
            Self::Matrix => 0.01,
            Self::Vector | Self::KernelShape | Self::Score => 0.0,
        }
    }
}

/// One tensor that is learned.
#[derive(Clone, Debug, PartialEq)]
pub struct ParameterEntry {
    /// Name, as in the transformers library where it has one.
    pub name: String,
    /// Shape, row-major. Matrices are [out, in], as in PyTorch.
    pub shape: Vec<usize>,
    /// Place among all parameters.
    pub range: ParameterRange,
    /// Numbers at step 0.
    pub start: StartValues,
    /// How it learns.
    pub group: LearningGroup,
}

/// The tensors of a model, in the order in which their numbers lie.
#[derive(Clone, Debug, Default)]
pub struct ParameterLayout {
    entries: Vec<ParameterEntry>,
    length: usize,
}

impl ParameterLayout {
    /// Appends a tensor, and returns its place.
    pub fn add(
        &mut self,
        name: &str,
        shape: &[usize],
        start: StartValues,
        group: LearningGroup,
    ) -> ParameterRange {
        let range = ParameterRange {
            start: self.length,
            length: shape.iter().product(),
        };
        self.length += range.length;
        self.entries.push(ParameterEntry {
            name: name.to_owned(),
            shape: shape.to_vec(),
            range,
            start,
            group,
        });
        range
    }

    /// The tensors.
    #[must_use]
    pub fn entries(&self) -> &[ParameterEntry] {
        &self.entries
    }

    /// Number of parameters.
    #[must_use]
    pub fn len(&self) -> usize {
        self.length
    }

    /// Whether there are no parameters.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// All parameters at step 0. Each tensor has the stream of its own name, so that models share those that they share.
    #[must_use]
    pub fn start_values<T: Real>(&self, seed: u64) -> Vec<T> {
        let mut values = vec![T::ZERO; self.length];
        for entry in &self.entries {
            let mut stream = RandomStream::new(seed, &entry.name, 0);
            for (at, value) in entry.range.of_mut(&mut values).iter_mut().enumerate() {
                *value = T::from_f64(match &entry.start {
                    StartValues::Constant(constant) => *constant,
                    StartValues::Normal(deviation) => deviation * stream.normal(),
                    StartValues::Around { means, deviation } => {
                        means[at % means.len()] + deviation * stream.normal()
                    }
                });
            }
        }
        values
    }
}

#[cfg(test)]
mod tests {
    use super::{LearningGroup, ParameterLayout, StartValues};

    #[test]
    fn a_tensor_starts_alike_wherever_it_lies() {
        let normal = || StartValues::Normal(0.02);
        let mut one = ParameterLayout::default();
        let table = one.add("table", &[3, 4], normal(), LearningGroup::Matrix);
        let mut two = ParameterLayout::default();
        let ones = two.add(
            "scales",
            &[5],
            StartValues::Constant(1.0),
            LearningGroup::Vector,
        );
        let same = two.add("table", &[3, 4], normal(), LearningGroup::Matrix);
        let (one, two): (Vec<f32>, Vec<f32>) = (one.start_values(7), two.start_values(7));
        assert_eq!(table.of(&one), same.of(&two));
        assert_eq!(ones.of(&two), [1.0; 5]);
        assert_eq!(two.len(), 17);
        assert!(one.iter().all(|v| v.abs() < 0.1 && *v != 0.0));
    }
}
