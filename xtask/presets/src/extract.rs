//! The tensors of a checkpoint that a preset has, and its properties.

use safetensors::Dtype;
use xtask::Result;
use xtask::preset_file::{NamedTensor, half, single};

use crate::source::{Source, Tensor};

/// End of the name of the position table, the same in every family of the presets.
const TABLE: &str = "embeddings.position_embeddings.weight";
/// Ends of the names of further tensors that are copied: what the first attention's input passes through.
const COPIED: [&str; 4] = [
    "embeddings.LayerNorm.weight",
    "embeddings.LayerNorm.bias",
    "encoder.embedding_hidden_mapping_in.weight",
    "encoder.embedding_hidden_mapping_in.bias",
];
/// Tensors of which the first row is copied: a single sentence uses only token type 0.
const FIRST_ROW: &str = "embeddings.token_type_embeddings.weight";
/// Tensors of which the mean row is copied, and the end of its name.
const WORDS: &str = "embeddings.word_embeddings.weight";
const MEAN_WORD: &str = "mean";

/// The position table alone, rounded to F16.
pub(crate) fn table(source: &Source) -> Result<NamedTensor> {
    let Tensor {
        name,
        shape,
        numbers,
    } = source.read(&name_of_table(source)?)?;
    Ok((name, Dtype::F16, shape, half(&numbers)))
}

/// The position table, what heads read, and the layers before them.
pub(crate) fn heads(source: &Source) -> Result<Vec<NamedTensor>> {
    let mut tensors = Vec::new();
    for name in source.names() {
        tensors.extend(tensor_of_heads(source, name)?);
    }
    Ok(tensors)
}

/// A tensor of the preset; `None` if the preset does without it.
fn tensor_of_heads(source: &Source, name: &str) -> Result<Option<NamedTensor>> {
    let is_embedding = name.ends_with(TABLE) || COPIED.iter().any(|end| name.ends_with(end));
    let is_bias = is_query_or_key(name, "bias");
    Ok(if is_embedding || is_bias {
        let Tensor { shape, numbers, .. } = source.read(name)?;
        Some((name.to_owned(), Dtype::F32, shape, single(&numbers)))
    } else if name.ends_with(FIRST_ROW) {
        let Tensor { shape, numbers, .. } = source.read(name)?;
        let width = width(name, &shape)?;
        let row = single(&numbers[..width]);
        Some((name.to_owned(), Dtype::F32, vec![1, width], row))
    } else if let Some(stem) = name
        .strip_suffix("weight")
        .filter(|_| name.ends_with(WORDS))
    {
        let Tensor { shape, numbers, .. } = source.read(name)?;
        let mean = mean_row(&numbers, width(name, &shape)?);
        let shape = vec![mean.len()];
        Some((
            format!("{stem}{MEAN_WORD}"),
            Dtype::F32,
            shape,
            single(&mean),
        ))
    } else if is_query_or_key(name, "weight") {
        let Tensor { shape, numbers, .. } = source.read(name)?;
        Some((name.to_owned(), Dtype::F16, shape, half(&numbers)))
    } else {
        None
    })
}

/// Whether a name is that of the weight or the bias of a query or a key; `part` is `weight` or `bias`.
fn is_query_or_key(name: &str, part: &str) -> bool {
    let stem = name.strip_suffix(part);
    stem.is_some_and(|stem| stem.ends_with(".query.") || stem.ends_with(".key."))
}

/// Columns of a matrix.
fn width(name: &str, shape: &[usize]) -> Result<usize> {
    match shape {
        [rows, width] if *rows > 0 && *width > 0 => Ok(*width),
        _ => Err(format!("{name} is no matrix with rows").into()),
    }
}

fn mean_row(numbers: &[f32], width: usize) -> Vec<f32> {
    let mut sums = vec![0.0_f64; width];
    for row in numbers.chunks_exact(width) {
        sums.iter_mut()
            .zip(row)
            .for_each(|(sum, number)| *sum += f64::from(*number));
    }
    let rows = (numbers.len() / width) as f64;
    sums.into_iter().map(|sum| (sum / rows) as f32).collect()
}

fn name_of_table(source: &Source) -> Result<String> {
    let mut names = source.names();
    let name = names.find(|name| name.ends_with(TABLE));
    Ok(name
        .ok_or("the checkpoint has no position table under BERT's name")?
        .to_owned())
}

/// Properties of a model that the manifest lists.
pub(crate) struct PresetProperties {
    /// Number of positions.
    pub(crate) rows: usize,
    /// Columns of the position table.
    pub(crate) width: usize,
    /// Layers with weights of their own.
    pub(crate) layers: usize,
    /// Heads of a layer.
    pub(crate) heads: u64,
}

/// Properties of a checkpoint. `RoBERTa`'s rows up to that of the padding are no positions.
pub(crate) fn properties(source: &Source) -> Result<PresetProperties> {
    let config = source.config_entries()?;
    let Tensor { name, shape, .. } = source.read(&name_of_table(source)?)?;
    let width = width(&name, &shape)?;
    let is_roberta = config["model_type"] == "roberta";
    let padding = config["pad_token_id"].as_u64().filter(|_| is_roberta);
    let rows_before = padding.map_or(0, |padding| padding as usize + 1);
    let is_query = |name: &&str| name.ends_with(".query.weight");
    Ok(PresetProperties {
        rows: shape[0] - rows_before,
        width,
        layers: source.names().filter(is_query).count(),
        heads: config["num_attention_heads"]
            .as_u64()
            .ok_or("the configuration names no heads")?,
    })
}
