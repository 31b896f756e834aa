//! Reader of TISA kernels: three tensors per layer, validated.

use super::{KernelTensors, ModelError};
use crate::{
    checkpoint::{TensorInfo, Weights},
    encoding::AuthorsLayer,
};

/// Maximum number of kernels of a head; the paper uses up to five.
const MOST_KERNELS: u64 = 64;
/// Maximum number of heads of a layer.
const MOST_HEADS: u64 = 1024;
/// Maximum number of layers.
const MOST_LAYERS: usize = 1024;
/// Maximum number of heads over all layers, as many as the largest models have.
const MOST_HEADS_IN_ALL: u64 = 1 << 14;

/// Reads and validates the kernels of all layers, which are few numbers, and returns the number of heads per layer.
/// Errors in any layer are reported before the first is shown; layers in shards that are not open are read later.
pub(super) async fn heads<W: Weights>(
    checkpoint: &W,
    layers: &[KernelTensors],
) -> Result<u32, ModelError> {
    let mut heads = None;
    for (at, layer) in layers.iter().enumerate() {
        let waits = checkpoint.has(&layer.offsets) && checkpoint.tensor(&layer.offsets).is_none();
        if at > 0 && waits {
            continue;
        }
        let first = checkpoint.locate(&layer.offsets).await?;
        let refuse = |expected: String| Err(not_kernels(&first, expected));
        if layers.len() > MOST_LAYERS {
            return refuse(format!("of one of at most {MOST_LAYERS} layers"));
        }
        let count = read(checkpoint, layer, heads).await?.heads as u32;
        if u64::from(count).saturating_mul(layers.len() as u64) > MOST_HEADS_IN_ALL {
            return refuse(format!(
                "of a model of at most {MOST_HEADS_IN_ALL} heads in all"
            ));
        }
        heads = Some(count);
    }
    Ok(heads.unwrap_or_default())
}

/// Reads the kernels of a layer and checks the number of heads, if given.
pub(super) async fn read<W: Weights>(
    checkpoint: &W,
    layer: &KernelTensors,
    heads: Option<u32>,
) -> Result<AuthorsLayer, ModelError> {
    let first = checkpoint.locate(&layer.offsets).await?;
    let [kernels, columns] = first.shape[..] else {
        return Err(not_kernels(&first, expected_shape()));
    };
    if !(1..=MOST_KERNELS).contains(&kernels) || !(1..=MOST_HEADS).contains(&columns) {
        return Err(not_kernels(&first, expected_shape()));
    }
    if let Some(heads) = heads.filter(|heads| u64::from(*heads) != columns) {
        let expected =
            format!("{kernels} × {heads}, for every layer has as many heads as the first");
        return Err(not_kernels(&first, expected));
    }
    let mut arrays = Vec::new();
    for name in [&layer.offsets, &layer.amplitudes, &layer.sharpness] {
        let tensor = checkpoint.locate(name).await?;
        if tensor.shape != first.shape {
            let expected = format!("{} × {} as the offsets are", kernels, columns);
            return Err(not_kernels(&tensor, expected));
        }
        let numbers = checkpoint.read_exact(&tensor).await?;
        let (rows, columns) = (kernels as usize, columns as usize);
        if let Some(at) = numbers.iter().position(|number| !number.is_finite()) {
            return Err(ModelError::NotFinite {
                tensor: tensor.name,
                row: (at / columns) as u64,
                column: (at % columns) as u64,
                value: numbers[at] as f32,
            });
        }
        if numbers.len() != rows * columns {
            return Err(not_kernels(&tensor, expected_shape()));
        }
        arrays.push(numbers);
    }
    let (sharpness, amplitudes) = (arrays.pop(), arrays.pop());
    Ok(AuthorsLayer {
        heads: columns as usize,
        sharpness: sharpness.unwrap_or_default(),
        amplitudes: amplitudes.unwrap_or_default(),
        offsets: arrays.pop().unwrap_or_default(),
    })
}

fn expected_shape() -> String {
    format!(
        "S × H, one row per kernel (up to {MOST_KERNELS}) and one column per head (up to {MOST_HEADS})"
    )
}

fn not_kernels(tensor: &TensorInfo, expected: String) -> ModelError {
    ModelError::NotKernels {
        tensor: tensor.name.clone(),
        found: tensor.shape.clone(),
        expected,
    }
}
