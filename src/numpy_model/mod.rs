//! Python code that reads an open model with NumPy: the part of a figure's NumPy program that depends on the model.
//!
//! [`NumpyModel::write`] writes it from the model's description: names of tensors as in the file, the rows that are
//! positions, the steps before the first attention, and the maps of the layers. The programs of figures
//! (`numpy_program`) put it between the reader of the file and their own lines. It defines
//!
//! | Name | Content |
//! |---|---|
//! | `LAYERS`, `HEADS` | numbers of layers and of heads of a layer |
//! | `SCORE_SCALE` | factor of the products of queries and keys |
//! | `MODEL_MASK` | `"whole"` or `"causal"` |
//! | `GRID` | rows and columns of patches, or `None` |
//! | `E`, `POSITION_ROWS` | position table [n, d], and the rows whose inner products are P |
//! | `PATCH_ANGLES` | angles by rows and columns of patches, [layers, heads, pairs, 2] |
//! | `MEAN_WORD` | x̄ |
//! | `entering_states(sums)` | states that enter the attention |
//! | `layer_input(x, layer)`, `layer_maps(layer)` | norm of a layer; `W_Q`, `b_Q`, `W_K`, `b_K` |
//! | `scores(layer, head)` | of models whose scores depend on the offset alone: their scores, [n, n] |
//! | `STATISTICS`, `query_statistics(layer, head)`, `rotation(layer)` | of files of statistics of queries |
//!
//! and, for models that can be run over a text, the names that `whole_model/mod.rs` lists, for rotary models those of
//! `whole_model/rotary_heads.rs`.

mod angles;
mod content_code;
mod layer_code;
mod offset_code;
mod patch_code;
mod python;
mod statistics_code;
mod table_code;
mod whole_model;

pub use patch_code::pair_order;
pub use python::{CodeSegment, string_literal, tuple_literal};
pub use whole_model::whole_model_segments;

use angles::PairAngles;
use python::wrap_line;

use crate::{
    checkpoint::{Dtype, FileKind, Weights},
    encoding::{Random, Sinusoidal},
    math::AttentionMask,
    model::{Correction, PositionModel, PositionSource, PositionTensors, QueryStatistics},
    short_text::short_name,
};
use serde::{Deserialize, Serialize};

/// Python code that reads a model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NumpyModel {
    /// The definitions, in an order in which each uses only earlier ones. A program contains those that it uses.
    pub segments: Vec<CodeSegment>,
    /// Names of the files that hold the weights; none of a model in memory.
    pub files: Vec<String>,
    /// Name of the program part that reads the files.
    pub reader: String,
    /// Source of the scores of the heads.
    pub scores: ScoreCode,
    /// Why the program cannot compute heads; `None` if it can, or if the model has none.
    pub head_failure: Option<String>,
    /// Why the program cannot run the model over a text; `None` if it can.
    pub text_failure: Option<String>,
}

/// Source of the scores of a model's heads in a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ScoreCode {
    /// There are none, or the program cannot compute them.
    Missing,
    /// Products of queries and keys, from `layer_maps`.
    Maps,
    /// The model's own function `scores`.
    Function,
}

impl NumpyModel {
    /// Writes the code of an open model.
    ///
    /// # Errors
    /// A sentence on what the program cannot read.
    pub async fn write<W: Weights>(model: &PositionModel, file: &W) -> Result<Self, String> {
        let files = file.files();
        let mut segments = shape_segments(model);
        let source = model.source_description();
        let (mut scores, mut head_failure) = (ScoreCode::Missing, None);
        match (&model.positions, &source.positions) {
            (PositionSource::Table(table), PositionTensors::Table { .. }) => {
                segments.extend(table_code::segments(model, table, file).await?);
                if model.layers > 0 {
                    segments.extend(layer_code::segments(model, file).await?);
                    scores = ScoreCode::Maps;
                }
            }
            (PositionSource::Rotary(rotary), PositionTensors::Rotary(tensors)) => {
                let n = rotary.rows;
                let is_scaled = model.choice().does(Correction::AngleScaling);
                let angles = PairAngles::read(tensors, n, is_scaled, file).await;
                let angles =
                    angles.unwrap_or_else(|_| PairAngles::from_numbers(&rotary.frequencies));
                segments.extend(rotary_rows(n, &angles));
                if let Some(statistics) = QueryStatistics::find(file.names()) {
                    let code = statistics_code::segments(&statistics, model, n, file).await;
                    match code {
                        Ok(code) => segments.extend(code),
                        Err(sentence) => head_failure = Some(sentence),
                    }
                } else {
                    match whole_model::rotary_head_segments(model, n, file).await {
                        Ok(code) => {
                            if code.has_scores {
                                scores = ScoreCode::Function;
                            }
                            segments = with_definitions(&segments, code.segments)?;
                        }
                        Err(sentence) => head_failure = Some(sentence),
                    }
                }
            }
            (PositionSource::RotaryPatches(_), PositionTensors::RotaryPatches(rotation)) => {
                segments.push(patch_code::angles(rotation, file).await?);
                segments.extend(patch_code::rows());
                if model.layers > 0 {
                    match patch_code::heads(model, rotation, file).await {
                        Ok(code) => {
                            segments.extend(code);
                            scores = ScoreCode::Function;
                        }
                        Err(sentence) => head_failure = Some(sentence),
                    }
                }
            }
            _ => {
                segments.extend(no_rows());
                segments.extend(offset_code::gaussian_function(model));
                if let Some(function) = offset_code::score_function(model, file).await? {
                    segments.push(function);
                    scores = ScoreCode::Function;
                }
                match content_code::segments(model, file).await {
                    Ok(content) if content.is_empty() => {}
                    Ok(content) => {
                        segments.extend(content);
                        scores = ScoreCode::Function;
                    }
                    Err(sentence) => head_failure = Some(sentence),
                }
            }
        }
        if !matches!(model.positions, PositionSource::RotaryPatches(_))
            && let Some(rotation) = model.patch_rotation()
            && let Ok(angles) = patch_code::angles(rotation, file).await
        {
            segments.push(angles);
        }
        if scores == ScoreCode::Missing && model.layers > 0 && head_failure.is_none() {
            let sentence = "They have no code for this kind of positions.";
            head_failure = Some(sentence.to_owned());
        }
        segments.extend(layer_code::output_maps(model, file).await);
        let text = whole_model_segments(model, file).await;
        let text = text.and_then(|text| with_definitions(&segments, text));
        let text_failure = text.as_ref().err().cloned();
        Ok(Self {
            segments: text.unwrap_or(segments),
            text_failure,
            head_failure,
            reader: reader(&files)?.to_owned(),
            files: files.into_iter().map(|(name, _)| name).collect(),
            scores,
        })
    }
}

impl NumpyModel {
    /// The code of a sinusoidal table, which is computed.
    #[must_use]
    pub fn sinusoidal(table: Sinusoidal) -> Self {
        let Sinusoidal {
            rows, width, base, ..
        } = table;
        let rows = single_precision(&format!("sinusoidal_table({rows}, {width}, {base})"));
        Self::of_formula(&rows, "sinusoidal")
    }

    /// The code of a table of random numbers.
    #[must_use]
    pub fn random(table: Random) -> Self {
        let Random { rows, width, seed } = table;
        let numbers = format!("normal_numbers({seed}, {rows} * {width})");
        let rows = format!("({numbers}.reshape({rows}, {width}) * {width} ** -0.5)");
        let rows = single_precision(&rows);
        Self::of_formula(&rows, "random_numbers")
    }

    fn of_formula(rows: &str, part: &str) -> Self {
        Self {
            segments: vec![
                CodeSegment::constants(&["LAYERS", "HEADS"], "0, 0"),
                CodeSegment::constant("HAS_TABLE", "True"),
                CodeSegment::constant("OFFSET_ONLY", "False"),
                CodeSegment::constant("MODEL_MASK", WHOLE),
                CodeSegment::constant("GRID", NO_GRID),
                CodeSegment::constant("E", &format!("{rows}  # the position table, [n, d]"))
                    .with_part(part),
                CodeSegment::constant("POSITION_ROWS", POSITION_ROWS),
            ],
            files: Vec::new(),
            reader: String::new(),
            scores: ScoreCode::Missing,
            head_failure: None,
            text_failure: Some("A formula has no model that reads texts.".to_owned()),
        }
    }
}

/// An expression whose numbers are rounded as the page rounds its tables.
fn single_precision(numbers: &str) -> String {
    format!("{numbers}.astype(np.float32).astype(float)")
}

/// Value of `MODEL_MASK` of most models.
const WHOLE: &str = "\"whole\"  # queries see all keys";

/// Value of `GRID` of models for texts.
const NO_GRID: &str = "None  # positions are not the patches of an image";

/// Value of `POSITION_ROWS` of tables without a projection.
const POSITION_ROWS: &str = "E  # the rows whose inner products are P";

/// `E` and `POSITION_ROWS` of models without rows for positions.
fn no_rows() -> [CodeSegment; 2] {
    [
        CodeSegment::constant("E", "None  # there is no position table"),
        CodeSegment::constant("POSITION_ROWS", "None"),
    ]
}

/// `ANGLES`, `E` and `POSITION_ROWS` of `n` positions of a rotary model: sines and cosines of their angles.
fn rotary_rows(n: usize, angles: &PairAngles) -> [CodeSegment; 3] {
    let line = format!(
        "ANGLES = {}  # of the first layer that turns, in radians",
        angles.theta
    );
    let wrapped = match line.len() > LONGEST_LINE {
        true => wrap_line(&format!("ANGLES = {}", angles.theta), LONGEST_LINE).join("\n"),
        false => line,
    };
    let value = wrapped.split_once(" = ").map_or("", |(_, value)| value);
    let turns = format!("np.outer(np.arange({n}), ANGLES)");
    let rows = format!("np.stack([np.sin({turns}), np.cos({turns})], axis=2).reshape({n}, -1)");
    [
        angles::with_parts(CodeSegment::constant("ANGLES", value)),
        CodeSegment::constant("E", &rows),
        CodeSegment::constant("POSITION_ROWS", POSITION_ROWS),
    ]
}

/// Longest line of the code.
const LONGEST_LINE: usize = 110;

/// Constants about the shape of a model.
fn shape_segments(model: &PositionModel) -> Vec<CodeSegment> {
    let mask = match model.cells() {
        AttentionMask::Whole => WHOLE,
        AttentionMask::Causal => "\"causal\"  # queries see earlier keys alone",
    };
    let grid = match model.positions.grid() {
        Some(grid) => tuple_literal([grid.height, grid.width]) + "  # rows and columns of patches",
        None => NO_GRID.to_owned(),
    };
    vec![
        CodeSegment::constant("LAYERS", &model.layers.to_string()),
        CodeSegment::constant("HEADS", &model.heads.count.to_string()),
        CodeSegment::constant(
            "HAS_TABLE",
            if model.table().is_some() {
                "True"
            } else {
                "False"
            },
        ),
        CodeSegment::constant(
            "OFFSET_ONLY",
            match model.positions.kind().has_heads_by_offset() {
                true => "True  # scores depend on the offset alone",
                false => "False  # scores do not depend on the offset alone",
            },
        ),
        CodeSegment::constant("MODEL_MASK", mask),
        CodeSegment::constant("GRID", &grid),
    ]
}

/// Definitions with further ones, which may share constants and functions with them, and replace a number of heads of 0.
fn with_definitions(
    segments: &[CodeSegment],
    others: Vec<CodeSegment>,
) -> Result<Vec<CodeSegment>, String> {
    let mut all = segments.to_vec();
    for segment in others {
        let has_name =
            |other: &CodeSegment| other.names.iter().any(|name| segment.names.contains(name));
        match all.iter_mut().find(|other| has_name(other)) {
            None => all.push(segment),
            Some(other) if other.is_same(&segment) => {}
            Some(other) if other.names == segment.names && other.value() == "0" => *other = segment,
            Some(other) => {
                let names = other.names.join(", ");
                return Err(format!("Programs cannot have two definitions of {names}."));
            }
        }
    }
    Ok(all)
}

/// Name of the program part that reads files of these kinds.
fn reader(files: &[(String, FileKind)]) -> Result<&'static str, String> {
    let reader = |kind| match kind {
        FileKind::Safetensors => Some("safetensors_reader"),
        FileKind::PyTorch | FileKind::Zip | FileKind::Pickle => Some("torch_reader"),
        FileKind::Npy | FileKind::Npz => Some("npy_reader"),
        FileKind::Gguf => Some("gguf_reader"),
        _ => None,
    };
    match files.first() {
        None => Ok("safetensors_reader"),
        Some((name, kind)) => reader(*kind)
            .ok_or_else(|| format!("Programs have no reader for {}.", short_name(name))),
    }
}

/// A tensor that programs can read: its name in the file.
///
/// # Errors
/// If its numbers are stored in a form that the program has no reader for.
async fn readable<W: Weights>(file: &W, name: &str) -> Result<Vec<u64>, String> {
    let tensor = file.locate(name).await.map_err(|error| error.to_string())?;
    let is_plain = matches!(
        tensor.dtype,
        Dtype::F64
            | Dtype::F32
            | Dtype::F16
            | Dtype::Bf16
            | Dtype::F64Big
            | Dtype::F32Big
            | Dtype::F16Big
    );
    match is_plain && tensor.name == name {
        true => Ok(tensor.shape),
        false => Err(format!(
            "The tensor {} is stored as {}. Programs read floating-point numbers alone.",
            short_name(name),
            tensor.dtype
        )),
    }
}
