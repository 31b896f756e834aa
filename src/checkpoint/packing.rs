//! Methods that pack a weight into several tensors.

use serde::{Deserialize, Serialize};

/// How a packed weight is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Packing {
    /// Integers of 2 bits along the inputs (Frantar et al., GPTQ, 2023).
    Gptq2,
    /// Integers of 4 bits along the inputs.
    Gptq4,
    /// Integers of 8 bits along the inputs.
    Gptq8,
    /// Integers of 4 bits along the outputs (Lin et al., AWQ, 2024).
    Awq,
    /// Codes of the 4-bit `NormalFloat` (Dettmers et al., `QLoRA`, 2023).
    Nf4,
    /// Codes of bitsandbytes' 4-bit float.
    Fp4,
}

impl Packing {
    /// Name of the method, with the bits per number.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Gptq2 => "GPTQ, 2 bits",
            Self::Gptq4 => "GPTQ, 4 bits",
            Self::Gptq8 => "GPTQ, 8 bits",
            Self::Awq => "AWQ, 4 bits",
            Self::Nf4 => "bitsandbytes NF4",
            Self::Fp4 => "bitsandbytes FP4",
        }
    }
}
