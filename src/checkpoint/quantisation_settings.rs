//! Facts about quantised weights that only a configuration states.

/// How a configuration says that weights are stored. It is used where the tensors themselves leave it open.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QuantisationSettings {
    /// Name of the method, such as `gptq`.
    pub method: Option<String>,
    /// Rows and columns of the blocks of 8-bit floats that share a scale factor; 128 and 128 if it does not say.
    pub scale_block: Option<[u32; 2]>,
    /// Inputs that share a factor in GPTQ and AWQ; `None` if it does not say, or for all.
    pub group_size: Option<u32>,
    /// Whether GPTQ's zero points are stored as they are (format `gptq_v2`), and not less one.
    pub has_whole_zeros: bool,
}

impl QuantisationSettings {
    /// Name that the scale factors of a weight of 8-bit floats have; `None` if the method has none.
    pub(super) fn scale_factors_of(&self, weight: &str) -> Option<String> {
        match self.method.as_deref()? {
            "fp8" => Some(format!("{weight}_scale_inv")),
            "fbgemm_fp8" | "compressed-tensors" | "modelopt" => Some(format!("{weight}_scale")),
            _ => None,
        }
    }
}
