//! Parameters of the schemes in the encodings view.

use crate::encoding::{
    Alibi, Buckets, ContextExtension, Fire, Kerple, KerpleForm, RelativeRows, Rotary, Shaw,
    Sinusoidal,
};

/// Changes of rotary angles for longer texts that the view offers. The others need numbers of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExtensionKind {
    /// As trained.
    None,
    /// Position interpolation.
    Linear,
    /// “NTK-aware”.
    Ntk,
    /// YaRN.
    Yarn,
    /// That of Llama 3.
    Llama3,
}

/// Factor and trained length of a change that has just been chosen.
const USUAL_EXTENSION: (f64, f64) = (8.0, 2048.0);

/// Values of tables that are not trained.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum UntrainedValues {
    /// Minus the row number, counted from the row of k = 0, which shows where rows change.
    #[default]
    Steps,
    /// Independent normal numbers, as before training.
    Noise,
}

/// Parameters of all schemes.
#[derive(Debug, Clone, PartialEq)]
pub struct EncodingParameters {
    /// Positions n: f(k) is given for k = −(n−1) … n−1.
    pub n: usize,
    /// Width and base of the sinusoid, also used by Transformer-XL. Its `rows` is not n: it is the length of the table
    /// whose lines are drawn.
    pub sinusoid: Sinusoidal,
    /// Number of `ALiBi` heads, and the head drawn.
    pub alibi: Alibi,
    /// Buckets of T5.
    pub buckets: Buckets,
    /// Clipping of offsets by Shaw et al.
    pub shaw: Shaw,
    /// Width and base of rotary angles, also used by `PoPE`; `rows` is not used.
    pub rotary: Rotary,
    /// Number of columns that are rotated where not all are, an even number.
    pub rotary_columns: usize,
    /// Change of rotary angles for longer texts.
    pub extension: ContextExtension,
    /// Form and numbers of KERPLE.
    pub kerple: Kerple,
    /// Numbers of FIRE.
    pub fire: Fire,
    /// Query whose FIRE scores are drawn. The last one stands for those that there are not.
    pub fire_row: usize,
    /// Rows of `DeBERTa`'s table of distances.
    pub rows: RelativeRows,
    /// Values of untrained tables.
    pub untrained_values: UntrainedValues,
    /// Seed of untrained random numbers.
    pub seed: u64,
}

impl Default for EncodingParameters {
    fn default() -> Self {
        Self {
            n: 512,
            sinusoid: Sinusoidal {
                rows: 512,
                width: 128,
                base: 10_000.0,
            },
            alibi: Alibi::default(),
            buckets: Buckets::default(),
            shaw: Shaw::default(),
            rotary: Rotary::default(),
            rotary_columns: 16,
            extension: ContextExtension::default(),
            kerple: Kerple::default(),
            fire: Fire::default(),
            fire_row: 511,
            rows: RelativeRows::default(),
            untrained_values: UntrainedValues::default(),
            seed: 1,
        }
    }
}

impl EncodingParameters {
    /// Selects a head of `ALiBi`, counted from 1 and clamped to the number of heads.
    pub fn set_alibi_head(&mut self, head: usize) {
        self.alibi.head = head.clamp(1, self.alibi.heads) - 1;
    }

    /// Sets the number of `ALiBi` heads, at least 1. The selected head is clamped to it.
    pub fn set_alibi_heads(&mut self, heads: usize) {
        self.alibi.heads = heads.max(1);
        self.alibi.head = self.alibi.head.min(self.alibi.heads - 1);
    }

    /// Sets T5's buckets. Raises `count` to at least 4 and `max_distance` to at least `count`: half the buckets hold
    /// one distance each, so the maximum distance must lie beyond them.
    pub fn set_buckets(&mut self, count: usize, max_distance: usize, bidirectional: bool) {
        let count = count.max(4);
        if let Some(buckets) = Buckets::new(count, max_distance.max(count), bidirectional) {
            self.buckets = buckets;
        }
    }

    /// Sets `DeBERTa`'s rows. Raises `max_distance` to at least `span` and 3, so that its logarithm is defined.
    pub fn set_rows(&mut self, span: usize, max_distance: usize) {
        if let Some(rows) = RelativeRows::new(max_distance.max(span.max(3)), Some(span)) {
            self.rows = rows;
        }
    }

    /// The kind of change of rotary angles.
    #[must_use]
    pub fn extension_kind(&self) -> ExtensionKind {
        match self.extension {
            ContextExtension::Linear { .. } => ExtensionKind::Linear,
            ContextExtension::Ntk { .. } => ExtensionKind::Ntk,
            ContextExtension::Yarn(_) => ExtensionKind::Yarn,
            ContextExtension::Llama3 { .. } => ExtensionKind::Llama3,
            ContextExtension::None
            | ContextExtension::Dynamic { .. }
            | ContextExtension::LongRope(_) => ExtensionKind::None,
        }
    }

    /// Chooses a change of rotary angles, with the factor and the trained length of the one before if it had them.
    pub fn set_extension_kind(&mut self, kind: ExtensionKind) {
        let factor = self.extension.factor().unwrap_or(USUAL_EXTENSION.0);
        let trained_length = self.extension.trained_length();
        self.set_extension(kind, factor, trained_length.unwrap_or(USUAL_EXTENSION.1));
    }

    /// Sets the factor of the change of rotary angles; nothing without a change.
    pub fn set_extension_factor(&mut self, factor: f64) {
        let length = self.extension.trained_length().unwrap_or(USUAL_EXTENSION.1);
        self.set_extension(self.extension_kind(), factor, length);
    }

    /// Sets the trained length of the change of rotary angles; nothing if it has none.
    pub fn set_trained_length(&mut self, trained_length: f64) {
        let factor = self.extension.factor().unwrap_or(USUAL_EXTENSION.0);
        self.set_extension(self.extension_kind(), factor, trained_length);
    }

    /// Sets the change of rotary angles. Kinds that need no trained length ignore it, and no change ignores both numbers.
    pub fn set_extension(&mut self, kind: ExtensionKind, factor: f64, trained_length: f64) {
        self.extension = match kind {
            ExtensionKind::None => ContextExtension::None,
            ExtensionKind::Linear => ContextExtension::Linear { factor },
            ExtensionKind::Ntk => ContextExtension::Ntk { factor },
            ExtensionKind::Yarn => ContextExtension::yarn(factor, trained_length),
            ExtensionKind::Llama3 => ContextExtension::llama3(factor, trained_length),
        };
    }

    /// Chooses the form of KERPLE. A power above the greatest is lowered to it.
    pub fn set_kerple_form(&mut self, form: KerpleForm) {
        self.kerple.form = form;
        self.set_kerple_r2(self.kerple.r2);
    }

    /// Sets r₂ of KERPLE. A power above the greatest is lowered to it.
    pub fn set_kerple_r2(&mut self, r2: f64) {
        self.kerple.r2 = match self.kerple.form {
            KerpleForm::Logarithm => r2,
            KerpleForm::Power => r2.min(Kerple::GREATEST_POWER),
        };
    }
}
