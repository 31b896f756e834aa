//! Activations of feed-forward parts, and their names in configurations.

use super::Config;

/// Function that a feed-forward part applies to every number of its inner width.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Activation {
    /// x·Φ(x), with the normal distribution Φ computed from erf.
    Gelu,
    /// The same with Φ approximated by tanh: ½x(1 + tanh(√(2/π)(x + 0.044715x³))). It differs by up to 5e-4.
    GeluTanh,
    /// x·σ(1.702x).
    QuickGelu,
    /// max(x, 0).
    Relu,
    /// max(x, 0)².
    ReluSquared,
    /// x·σ(x).
    Silu,
    /// tanh(x).
    Tanh,
    /// A function without a formula here, by its name in the configuration.
    Other(String),
}

impl Activation {
    /// The activation of a name, as in `ACT2FN` of the transformers library.
    #[must_use]
    pub fn from_name(name: &str) -> Self {
        match name {
            "gelu" | "gelu_python" => Self::Gelu,
            "gelu_new" | "gelu_pytorch_tanh" | "gelu_fast" | "gelu_accurate"
            | "gelu_python_tanh" => Self::GeluTanh,
            "quick_gelu" => Self::QuickGelu,
            "relu" => Self::Relu,
            "relu2" => Self::ReluSquared,
            "silu" | "swish" => Self::Silu,
            "tanh" => Self::Tanh,
            other => Self::Other(other.to_owned()),
        }
    }

    /// The activation that the first of these configuration entries names, or the family's default.
    #[must_use]
    pub fn from_config(config: &Config, keys: &[&str], default: Self) -> Self {
        let name = keys.iter().find_map(|key| config.word(key));
        name.map_or(default, Self::from_name)
    }
}
