//! Sequences to learn from, and what to predict of them.

/// Sequences of one length, one after another, with the symbols to predict.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TokenBatch {
    /// Length of a sequence.
    pub n: usize,
    /// Symbols that the model sees.
    pub inputs: Vec<u32>,
    /// Symbol to predict at each place, or [`Self::NO_TARGET`].
    pub targets: Vec<u32>,
}

impl TokenBatch {
    /// Stands where nothing is to predict.
    pub const NO_TARGET: u32 = u32::MAX;

    /// An empty batch of sequences of n symbols.
    #[must_use]
    pub fn new(n: usize) -> Self {
        Self {
            n,
            ..Self::default()
        }
    }

    /// Appends a sequence.
    ///
    /// # Panics
    /// If it has another length than the others.
    pub fn push(&mut self, inputs: &[u32], targets: &[u32]) {
        assert!(
            inputs.len() == self.n && targets.len() == self.n,
            "sequences of {} symbols",
            self.n
        );
        self.inputs.extend(inputs);
        self.targets.extend(targets);
    }

    /// Forgets the sequences and keeps the memory.
    pub fn clear(&mut self) {
        self.inputs.clear();
        self.targets.clear();
    }

    /// The sequences: inputs and targets.
    pub fn sequences(&self) -> impl Iterator<Item = (&[u32], &[u32])> {
        let n = self.n.max(1);
        self.inputs
            .chunks_exact(n)
            .zip(self.targets.chunks_exact(n))
    }

    /// The symbols to predict: the inputs of the sequence, the place, and the symbol.
    pub fn predictions(&self) -> impl Iterator<Item = (&[u32], usize, u32)> {
        let all = self.sequences().flat_map(|(inputs, targets)| {
            let targets = targets.iter().copied().enumerate();
            targets.map(move |(at, target)| (inputs, at, target))
        });
        all.filter(|(.., target)| *target != Self::NO_TARGET)
    }

    /// Number of symbols to predict.
    #[must_use]
    pub fn target_count(&self) -> usize {
        self.predictions().count()
    }
}
