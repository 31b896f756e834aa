//! A set of kernels with the metadata that files store.

use crate::encoding::{HeadKernels, KernelSet, MOST_HEADS, MOST_HEADS_IN_ALL, MOST_LAYERS};

/// A set of kernels and its origin.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct KernelFile {
    /// Name of the model the kernels were fitted to; empty if unknown.
    pub model: String,
    /// Description of the scores they were fitted to; empty if unknown.
    pub mode: String,
    /// The kernels, by layer and head.
    pub set: KernelSet,
}

impl From<KernelSet> for KernelFile {
    fn from(set: KernelSet) -> Self {
        let (model, mode) = Default::default();
        Self { model, mode, set }
    }
}

/// The entry of a head, created if it is absent. `layer` and `head` count from 1. The numbers come from a file, so
/// their limits are checked before memory is allocated.
pub(super) fn slot(
    set: &mut KernelSet,
    layer: u64,
    head: u64,
) -> Result<&mut Option<HeadKernels>, &'static str> {
    let from_zero = |number: u64, most: usize| {
        let number = usize::try_from(number.checked_sub(1)?).ok()?;
        (number < most).then_some(number)
    };
    let layer = from_zero(layer, MOST_LAYERS).ok_or("layers are counted from 1 to 1024")?;
    let head = from_zero(head, MOST_HEADS).ok_or("heads are counted from 1 to 1024")?;
    let is_new = set.layers.iter().all(|other| other.layer != layer);
    let heads = set.most_heads().max(head + 1);
    if (set.layers.len() + usize::from(is_new)) * heads > MOST_HEADS_IN_ALL {
        return Err("there are more than 16384 heads in all");
    }
    Ok(&mut set.layer(layer, head + 1)[head])
}
