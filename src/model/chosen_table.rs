//! A table that the user chose among the tensors of a checkpoint, with the chosen queries and keys.

use super::{
    Config, ContentInput, Cut, LayerTensors, Leading, LinearTensors, ModelError, ModelOptions,
    PositionTensors, PreprocessStep, SourceDescription,
    parts::{NO_HEADS, Part},
};
use crate::checkpoint::Weights;

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
    let reason = if let Some((query, key)) = &choice.attention {
        source = source.layers(chosen_layers(query, key, choice.is_transposed, checkpoint)?);
        "Read as it is stored, one position per row, with the tensors that you chose."
    } else {
        source = source.remark(
            NO_HEADS,
            "You chose no queries and keys. “Choose other tensors” lets you mark them.",
        );
        "Read as it is stored, one position per row. Its use in the model was not looked for."
    };
    if let Some(norm) = &choice.norm {
        add_norm(&mut source, norm, checkpoint)?;
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
fn add_norm<W: Weights>(
    source: &mut SourceDescription,
    norm: &str,
    checkpoint: &W,
) -> Result<(), ModelError> {
    require(checkpoint, norm)?;
    let stem = |name: &str| {
        let (stem, _) = name.rsplit_once(['.', '/']).unwrap_or((name, ""));
        stem.to_owned()
    };
    let Ok([before, after]) = split_at_number(norm) else {
        source.steps.push(PreprocessStep::Norm(stem(norm)));
        return Ok(());
    };
    let first = first_number(|number| checkpoint.has(&format!("{before}{number}{after}")));
    for (number, layer) in (first..).zip(&mut source.layers) {
        let name = format!("{before}{number}{after}");
        layer.norm = checkpoint.has(&name).then(|| stem(&name));
    }
    Ok(())
}

/// Number of the first layer: some models count from 1.
fn first_number(has: impl Fn(usize) -> bool) -> usize {
    usize::from(!has(0))
}

/// Layers of the chosen queries and keys: the chosen one, and all whose names differ only in the first number.
fn chosen_layers<W: Weights>(
    query: &str,
    key: &str,
    transposed: bool,
    checkpoint: &W,
) -> Result<Vec<LayerTensors>, ModelError> {
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
        let exist = checkpoint.has(&query) && checkpoint.has(&key);
        // A single weight for both holds queries, keys and values.
        let (first, second) = match cut {
            _ if query != key => (cut, cut),
            Cut::Columns { .. } => (
                Cut::Columns { part: 0, of: 3 },
                Cut::Columns { part: 1, of: 3 },
            ),
            _ => (Cut::Rows { part: 0, of: 3 }, Cut::Rows { part: 1, of: 3 }),
        };
        exist.then(|| LayerTensors::new(map(query, first), map(key, second)))
    };
    let (query, key) = (split_at_number(query), split_at_number(key));
    let at = |number: usize| match (&query, &key) {
        (Ok([q, r]), Ok([k, l])) => layer(format!("{q}{number}{r}"), format!("{k}{number}{l}")),
        (Err(query), Err(key)) if number == 0 => layer((*query).to_owned(), (*key).to_owned()),
        _ => None,
    };
    let from = first_number(|number| at(number).is_some());
    Ok((from..).map_while(at).collect())
}

/// The parts of a name before and after its first number, or the whole name if it has none.
fn split_at_number(name: &str) -> Result<[&str; 2], &str> {
    let digit = |c: char| c.is_ascii_digit();
    let mut start = 0;
    // A layer number is a whole part between dots; `h2o` is a name.
    for part in name.split('.') {
        if !part.is_empty() && part.chars().all(digit) {
            return Ok([&name[..start], &name[start + part.len()..]]);
        }
        start += part.len() + 1;
    }
    Err(name)
}
