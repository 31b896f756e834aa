//! Code for a position table, the mean word, and the steps before the first attention.

use super::{
    python::{CodeSegment, string_literal},
    readable,
};
use crate::{
    checkpoint::Weights,
    model::{
        ContentInput, Correction, PositionModel, PositionTable, PreprocessStep, norm_tensors,
        words::{BLOCK, BLOCKS, SAMPLE_BLOCKS, is_worth_sampling},
    },
};

/// `E`, `POSITION_ROWS`, `MEAN_WORD` and `entering_states`.
pub(super) async fn segments<W: Weights>(
    model: &PositionModel,
    table: &PositionTable,
    file: &W,
) -> Result<Vec<CodeSegment>, String> {
    let (rows, width) = table.rows.dim();
    readable(file, &table.tensor).await?;
    let last = table.first_row + rows as u64;
    let first = match table.first_row {
        0 => String::new(),
        first => first.to_string(),
    };
    let stored = format!(
        "tensor({}).reshape(-1, {width})[{first}:{last}]  # the position table, [n, d]",
        string_literal(&table.tensor)
    );
    let maps = model
        .source_description()
        .steps
        .iter()
        .filter_map(|step| match step {
            PreprocessStep::Map(stem) => Some(format!(" @ tensor({}).T", weight(stem))),
            _ => None,
        });
    let maps = maps
        .filter(|_| table.projected_rows.is_some())
        .collect::<String>();
    let scale = match table.unit {
        1.0 => String::new(),
        unit => format!(" / 2.0**{}", unit.log2().round()),
    };
    let compared = format!("E{maps}{scale}  # the rows whose inner products are P");
    let mut segments = vec![
        CodeSegment::constant("E", &stored),
        CodeSegment::constant("POSITION_ROWS", &compared),
    ];
    segments.extend(words(model, width, file).await?);
    segments.push(entering_states(model, false, file).await?);
    Ok(segments)
}

/// The literal of the name of a map's weight.
fn weight(stem: &str) -> String {
    string_literal(&format!("{stem}.weight"))
}

/// `WORDS`, if the file has words, and `MEAN_WORD`, the content to which positions are added.
pub(super) async fn words<W: Weights>(
    model: &PositionModel,
    width: usize,
    file: &W,
) -> Result<Vec<CodeSegment>, String> {
    Ok(match &model.source_description().content {
        ContentInput::Words {
            tensor,
            is_scaled,
            map,
        } => {
            let rows = readable(file, tensor).await?.first().copied().unwrap_or(0);
            let mut words = format!("tensor({})", string_literal(tensor));
            if let Some(stem) = map {
                words += &format!(" @ tensor({}).T", weight(stem));
            }
            if *is_scaled {
                words += &format!(" * {width} ** 0.5");
            }
            let is_sample = file.is_remote()
                && !model.choice().does(Correction::ExactWords)
                && is_worth_sampling(
                    &file.locate(tensor).await.map_err(|e| e.to_string())?,
                    BLOCKS,
                );
            let blocks = if file.is_remote() {
                BLOCKS
            } else {
                SAMPLE_BLOCKS
            };
            let blocks = match rows > BLOCK * blocks {
                true => format!("{blocks}  # blocks of 16 words from which random ones are drawn"),
                false => "None  # random words are drawn from all".to_owned(),
            };
            let mean = match is_sample {
                true => CodeSegment::constant(
                    "MEAN_WORD",
                    &format!(
                        "WORDS[word_sample(len(WORDS), {BLOCKS})].mean(axis=0)  # estimated, as on the page"
                    ),
                )
                .with_part("word_sample"),
                false => CodeSegment::constant("MEAN_WORD", "WORDS.mean(axis=0)"),
            };
            vec![
                CodeSegment::constant(
                    "WORDS",
                    &format!("{words}  # rows that are added to positions"),
                ),
                CodeSegment::constant("WORD_BLOCKS", &blocks),
                mean,
            ]
        }
        ContentInput::Vector { tensor, .. } => {
            readable(file, tensor).await?;
            let vector = format!("tensor({}).reshape(-1)", string_literal(tensor));
            vec![CodeSegment::constant("MEAN_WORD", &vector)]
        }
        ContentInput::Unknown(_) => {
            vec![CodeSegment::constant(
                "MEAN_WORD",
                &format!("np.zeros({width})"),
            )]
        }
    })
}

/// The steps between the sum of words and positions and the first attention. Unless `always`, those that the paper's
/// equations leave out are applied where the page shows scores as the model computes them.
pub(super) async fn entering_states<W: Weights>(
    model: &PositionModel,
    always: bool,
    file: &W,
) -> Result<CodeSegment, String> {
    let (source, choice) = (model.source_description(), model.choice());
    let does = |correction| choice.does(correction);
    let mut body = vec!["x = sums".to_owned()];
    let lines = |line: String| match always {
        true => vec![line],
        false => vec!["if AS_COMPUTED:".to_owned(), format!("    {line}")],
    };
    let mut has_norm = false;
    for step in &source.steps {
        match step {
            PreprocessStep::Add { tensor, title } if does(Correction::AddedRow) => {
                readable(file, tensor).await?;
                let about = title.replace(['\n', '\r'], " ");
                body.extend(lines(format!(
                    "x = x + tensor({}).reshape(-1, x.shape[-1])[0]  # {about}",
                    string_literal(tensor)
                )));
            }
            PreprocessStep::Norm(stem) if does(Correction::LayerNorm) => {
                let norm = norm_call("x", stem, source.norm_epsilon(), file).await?;
                has_norm = true;
                body.extend(lines(format!("x = {norm}")));
            }
            PreprocessStep::Map(stem) => {
                readable(file, &format!("{stem}.weight")).await?;
                body.push(format!("x = x @ tensor({}).T", weight(stem)));
                let bias = format!("{stem}.bias");
                if does(Correction::Biases) && file.has(&bias) {
                    body.extend(lines(format!("x = x + tensor({})", string_literal(&bias))));
                }
            }
            PreprocessStep::Add { .. } | PreprocessStep::Norm(_) => {}
        }
    }
    body.push("return x".to_owned());
    let about = "States that enter the attention, from sums of words and positions.";
    let function = CodeSegment::function("entering_states(sums)", about, &body);
    Ok(match has_norm {
        true => function.with_part("layer_norm"),
        false => function,
    })
}

/// A call of `layer_norm` with the tensors of a norm.
pub(super) async fn norm_call<W: Weights>(
    x: &str,
    stem: &str,
    epsilon: f64,
    file: &W,
) -> Result<String, String> {
    let (scale, shift) = norm_tensors(file, stem);
    readable(file, &scale).await?;
    let shift = match shift {
        Some(shift) => format!("tensor({}).reshape(-1)", string_literal(&shift)),
        None => "0.0".to_owned(),
    };
    Ok(format!(
        "layer_norm({x}, tensor({}).reshape(-1), {shift}, {epsilon:e})",
        string_literal(&scale)
    ))
}
