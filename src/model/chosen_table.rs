//! A table that the user chose among the tensors of a checkpoint, with the chosen queries and keys.

use super::{
    Config, ContentInput, Cut, LayerTensors, Leading, LinearTensors, ModelError, ModelOptions,
    PositionTensors, PreprocessStep, SourceDescription, parts::Part, source::NO_HEADS,
};
use crate::checkpoint::Weights;
use std::collections::BTreeSet;

/// A tensor that the user chose as the table, with the chosen words, norm, queries and keys, and with the number of heads
/// of a configuration.
pub(super) fn detect_chosen_table<W: Weights>(
    table: &str,
    choice: &ModelOptions,
    config: &Config,
    checkpoint: &W,
) -> Result<Part, ModelError> {
    require(checkpoint, table)?;
    let (first, last) = choice.left_out;
    let place = PositionTensors::Table {
        tensor: table.to_owned(),
        leading_rows: Leading::Chosen {
            first: first.into(),
            last: last.into(),
        },
    };
    let mut source = SourceDescription::new(config, "positions", "positions", place).unknown(
        "No word embeddings",
        "You chose none, so x̄ is taken as zero: scores are those of positions alone.",
    );
    source.is_by_hand = true;
    if let Some(words) = &choice.words {
        require(checkpoint, words)?;
        source.content = ContentInput::Words {
            tensor: words.clone(),
            is_scaled: false,
            map: None,
        };
    }
    let (reason, numbers) = if let Some((query, key)) = &choice.attention {
        let (numbers, layers) = chosen_layers(query, key, choice.is_transposed, checkpoint)?;
        source = source.layers(layers);
        let reason = "Read as it is stored, one position per row, with the tensors that you chose.";
        (reason, numbers)
    } else {
        source = source.remark(
            NO_HEADS,
            "You chose no queries and keys. “Choose other tensors” lets you mark them.",
        );
        let reason =
            "Read as it is stored, one position per row. Its use in the model was not looked for.";
        (reason, Vec::new())
    };
    if let Some(norm) = &choice.norm {
        add_norm(&mut source, norm, &numbers, checkpoint)?;
    }
    Ok(Part {
        family: "table",
        reason: reason.to_owned(),
        source,
    })
}

fn require<W: Weights>(checkpoint: &W, tensor: &str) -> Result<(), ModelError> {
    if checkpoint.has(tensor) {
        return Ok(());
    }
    Err(ModelError::NoSuchTensor {
        tensor: tensor.to_owned(),
    })
}

/// Adds the `LayerNorm` of this weight: to every layer if its name has a number, otherwise before the first one.
/// `numbers` are those of the layers; empty if their names have none.
fn add_norm<W: Weights>(
    source: &mut SourceDescription,
    norm: &str,
    numbers: &[usize],
    checkpoint: &W,
) -> Result<(), ModelError> {
    require(checkpoint, norm)?;
    let stem = |name: &str| {
        let (stem, _) = name.rsplit_once(['.', '/']).unwrap_or((name, ""));
        stem.to_owned()
    };
    let Some(ends) = around_number(norm) else {
        source.steps.push(PreprocessStep::Norm(stem(norm)));
        return Ok(());
    };
    let Some(least) = numbers.first() else {
        for layer in &mut source.layers {
            layer.norm = Some(stem(norm));
        }
        return Ok(());
    };
    let norms = numbers_of(ends, checkpoint);
    let has_same = numbers.iter().all(|number| norms.contains(number));
    // In some files norms and layers are counted from different numbers.
    let first = norms.first().filter(|_| !has_same).unwrap_or(least);
    for (number, layer) in numbers.iter().zip(&mut source.layers) {
        let name = with_number(ends, first.saturating_add(number - least));
        layer.norm = checkpoint.has(&name).then(|| stem(&name));
    }
    Ok(())
}

/// Layers of the chosen queries and keys: all whose names differ from the chosen ones in the first number only, with
/// these numbers. The chosen tensors alone, without a number, if they are not one of several layers.
fn chosen_layers<W: Weights>(
    query: &str,
    key: &str,
    transposed: bool,
    checkpoint: &W,
) -> Result<(Vec<usize>, Vec<LayerTensors>), ModelError> {
    require(checkpoint, query)?;
    require(checkpoint, key)?;
    let (part, of) = (0, 1);
    let cut = if transposed {
        Cut::Columns { part, of }
    } else {
        Cut::Rows { part, of }
    };
    let map = |name: String, cut| {
        let bias = name
            .strip_suffix("weight")
            .map(|stem| format!("{stem}bias"));
        LinearTensors {
            bias: bias.filter(|bias| checkpoint.has(bias)),
            weight: name,
            cut,
        }
    };
    let layer = |query: String, key: String| {
        // A single weight for both holds queries, keys and values.
        let (first, second) = match cut {
            _ if query != key => (cut, cut),
            Cut::Columns { .. } => (
                Cut::Columns { part: 0, of: 3 },
                Cut::Columns { part: 1, of: 3 },
            ),
            _ => (Cut::Rows { part: 0, of: 3 }, Cut::Rows { part: 1, of: 3 }),
        };
        LayerTensors::new(map(query, first), map(key, second))
    };
    let layers: (Vec<usize>, Vec<LayerTensors>) = match (around_number(query), around_number(key)) {
        (Some(queries), Some(keys)) => {
            let at = |number: usize| {
                let [query, key] = [queries, keys].map(|ends| with_number(ends, number));
                checkpoint.has(&key).then(|| (number, layer(query, key)))
            };
            let numbers = numbers_of(queries, checkpoint);
            numbers.into_iter().filter_map(at).unzip()
        }
        _ => (Vec::new(), Vec::new()),
    };
    if layers.1.is_empty() {
        let alone = layer(query.to_owned(), key.to_owned());
        return Ok((Vec::new(), vec![alone]));
    }
    Ok(layers)
}

/// The parts of a name before and after its first number; `None` if it has none. A number is a whole part between dots:
/// `h2o` is a name.
fn around_number(name: &str) -> Option<[&str; 2]> {
    let mut start = 0;
    for part in name.split('.') {
        if number_in(part).is_some() {
            return Some([&name[..start], &name[start + part.len()..]]);
        }
        start += part.len() + 1;
    }
    None
}

/// A name with a number between two parts.
fn with_number([before, after]: [&str; 2], number: usize) -> String {
    format!("{before}{number}{after}")
}

/// The numbers that a file's names have between two parts.
fn numbers_of<W: Weights>([before, after]: [&str; 2], checkpoint: &W) -> BTreeSet<usize> {
    let names = checkpoint.names().into_iter();
    let number = |name: &str| number_in(name.strip_prefix(before)?.strip_suffix(after)?);
    names.filter_map(number).collect()
}

/// The number that a text is, without leading zeros.
fn number_in(text: &str) -> Option<usize> {
    let number: usize = text.parse().ok()?;
    (number.to_string() == text).then_some(number)
}
