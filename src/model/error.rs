//! Errors of opening and reading models, with messages for the user.

use std::fmt;

use super::HeadsSource;
use crate::checkpoint::{CheckpointError, CleanText, Dtype, Name, ShapeText};

/// Error of opening or reading a model. `Display` says what is wrong, where, and what to do.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ModelError {
    /// No family's table is in the checkpoint. The user can choose one of [`super::tables`].
    UnknownFamily {
        /// Number of tensors.
        tensors: usize,
    },
    /// The family is recognised but stores no positions. The user can still choose a tensor.
    NothingLearned {
        family: &'static str,
        /// Explanation in sentences.
        sentence: String,
    },
    /// The chosen tensor does not exist.
    NoSuchTensor { tensor: String },
    /// The model has no such position source.
    NoSuchSource {
        /// Requested source.
        source: String,
        /// Available sources.
        sources: Vec<String>,
    },
    /// The model has no word table, for example an image model.
    NoWords,
    /// The word table has no such row.
    NoWord {
        /// Requested row.
        row: u64,
        /// Number of rows.
        of: u64,
    },
    /// Queries and keys of a layer cannot be multiplied.
    WidthsDiffer {
        /// Name of the query weight.
        query: String,
        /// Name of the key weight.
        key: String,
        /// Output columns of queries and of keys.
        widths: [usize; 2],
    },
    /// The tensor cannot be a table of positions.
    NotATable {
        tensor: String,
        shape: Vec<u64>,
        dtype: Dtype,
    },
    /// The table has fewer than two positions or no width.
    NoPositions {
        tensor: String,
        /// Number of stored rows.
        rows: u64,
        /// Number of rows at the beginning or the end that are not positions.
        dropped_rows: u64,
        /// Number of columns.
        width: u64,
    },
    /// Rows of the table are too long for two of them to fit into memory.
    TooWide {
        tensor: String,
        /// Number of columns.
        width: u64,
    },
    /// A tensor does not have the shape that its place in the model requires.
    Shape {
        tensor: String,
        /// Shape of the tensor.
        found: Vec<u64>,
        /// Description of a valid shape.
        expected: String,
    },
    /// A table of scores belongs to a three-dimensional window.
    ThreeOffsets {
        tensor: String,
        /// Number of rows.
        rows: u64,
        /// Frames, rows and columns of the window, if known.
        window: Option<[u64; 3]>,
    },
    /// A table of scores and its index tensor belong to different windows.
    Window {
        tensor: String,
        /// Number of rows.
        rows: u64,
        /// Number of cells of the window, from the index.
        cells: u64,
    },
    /// A tensor does not hold the kernels of a layer.
    NotKernels {
        tensor: String,
        /// Shape of the tensor.
        found: Vec<u64>,
        /// Description of a valid shape.
        expected: String,
    },
    /// A cell is NaN or infinite.
    NotFinite {
        tensor: String,
        /// Row of the stored tensor, from 0.
        row: u64,
        /// Column of the stored tensor, from 0.
        column: u64,
        /// The NaN or infinite value.
        value: f32,
    },
    /// The query width is not divisible by the number of heads.
    HeadsDoNotDivide {
        /// Number of heads.
        heads: u32,
        /// Origin of the number of heads.
        source: HeadsSource,
        /// Width of the queries.
        width: usize,
    },
    /// There is no such layer.
    NoSuchLayer {
        /// Index of the layer, from 0.
        layer: usize,
        /// Number of layers.
        layers: usize,
    },
    /// The configuration is not a JSON object; holds the parser's reason.
    ConfigNotJson(String),
    /// A configuration entry has an impossible value.
    ConfigValue {
        /// Name of the entry.
        key: String,
        /// Value as JSON.
        value: String,
        /// Description of a valid value.
        expected: &'static str,
    },
    /// An error of the checkpoint.
    Checkpoint(CheckpointError),
}

impl ModelError {
    /// Whether the file may still be shown with tensors that the user chooses.
    #[must_use]
    pub fn is_answered_by_choice(&self) -> bool {
        matches!(
            self,
            Self::UnknownFamily { .. }
                | Self::NothingLearned { .. }
                | Self::NotATable { .. }
                | Self::NoPositions { .. }
                | Self::TooWide { .. }
                | Self::Shape { .. }
                | Self::ThreeOffsets { .. }
                | Self::Window { .. }
        )
    }
}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownFamily { tensors: 1 } => f.write_str(
                "The name of its tensor matches no known family. Choose this tensor if it has one row per position.",
            ),
            Self::UnknownFamily { tensors } => write!(
                f,
                "The names of its {tensors} tensors match no known family. Choose the tensor that has one row per position, if there is one."
            ),
            Self::NothingLearned { sentence, .. } => f.write_str(sentence),
            Self::NoSuchTensor { tensor } => write!(
                f,
                "The file has no tensor {}. Choose another one, or open the file that has it.",
                Name(tensor)
            ),
            Self::NoSuchSource { source, sources } => write!(
                f,
                "The model has no positions called {}. Choose one of these: {}.",
                Name(source),
                CleanText(&sources.join(", "))
            ),
            Self::NoWords => f.write_str(
                "This model has no table of token embeddings to read rows from; use the mean input instead.",
            ),
            Self::NoWord { row, of } => write!(
                f,
                "There is no token {row}: token ids go from 0 to {}.",
                of.saturating_sub(1)
            ),
            Self::WidthsDiffer { query, key, widths } => write!(
                f,
                "Tensor {} makes queries of {} numbers and {} makes keys of {}; they must be as long as one \
                 another. Choose tensors of one layer.",
                Name(query),
                widths[0],
                Name(key),
                widths[1]
            ),
            Self::NotATable {
                tensor,
                shape,
                dtype,
            } => write!(
                f,
                "Tensor {} is {} of {}, which cannot be a position table. Choose a tensor of floats with one row per position.",
                Name(tensor),
                ShapeText(shape),
                CleanText(dtype.name())
            ),
            Self::NoPositions {
                tensor,
                rows,
                dropped_rows: dropped,
                width,
            } => {
                write!(f, "Tensor {} is {rows} × {width}", Name(tensor))?;
                match dropped {
                    0 => {}
                    1 => f.write_str(", and one of its rows does not encode a position")?,
                    _ => write!(f, ", and {dropped} of its rows do not encode a position")?,
                }
                f.write_str(
                    ". At least two positions and one column are needed to compare anything; open another \
                     model or choose another tensor.",
                )
            }
            Self::TooWide { tensor, width } => write!(
                f,
                "The rows of tensor {} are {width} numbers long, longer than in any position table. Choose \
                 another tensor.",
                Name(tensor)
            ),
            Self::Shape {
                tensor,
                found,
                expected,
            } => write!(
                f,
                "Tensor {} is {} but should be {expected}. The file does not fit this kind of model; choose \
                 its position table by hand.",
                Name(tensor),
                ShapeText(found)
            ),
            Self::ThreeOffsets {
                tensor,
                rows,
                window,
            } => {
                f.write_str(
                    "This model adds biases by three offsets, such as frames, rows and columns of a film, and a \
                     picture has two. So they are not drawn here. ",
                )?;
                match window {
                    Some([frames, height, width]) => write!(
                        f,
                        "The {rows} rows of {} belong to a window of {frames} × {height} × {width}. Open a model \
                         for pictures.",
                        Name(tensor)
                    ),
                    None => write!(
                        f,
                        "They are the {rows} rows of {}. Open a model for pictures.",
                        Name(tensor)
                    ),
                }
            }
            Self::Window {
                tensor,
                rows,
                cells,
            } => write!(
                f,
                "Tensor {} has {rows} rows, which fit no window of {cells} cells, and so many has the \
                 relative_position_index beside it. The two do not belong together; fetch the file again.",
                Name(tensor)
            ),
            Self::NotKernels {
                tensor,
                found,
                expected,
            } => write!(
                f,
                "Tensor {} is {} but should be {expected}. Open kernels as TISA’s module saves them, or as this \
                 page does.",
                Name(tensor),
                ShapeText(found)
            ),
            Self::NotFinite {
                tensor,
                row,
                column,
                value,
            } => {
                let beyond = if value.is_infinite() {
                    " Numbers beyond 3.4e38, where single precision ends, count as infinite."
                } else {
                    ""
                };
                write!(
                    f,
                    "Tensor {} holds {value} in row {row}, column {column} (counted from 0), so nothing can be \
                     computed from it.{beyond} Use a checkpoint whose training did not diverge.",
                    Name(tensor)
                )
            }
            Self::HeadsDoNotDivide {
                heads,
                source,
                width,
            } => {
                let subject = match source {
                    HeadsSource::Config => "The configuration says",
                    HeadsSource::Assumed => "It was assumed that there are",
                    HeadsSource::Chosen => "You chose",
                };
                write!(
                    f,
                    "{subject} {heads} heads, but {width} query columns cannot be shared out evenly among \
                     {heads}. Choose a number that divides {width}."
                )
            }
            Self::NoSuchLayer { layer, layers } => write!(
                f,
                "There is no layer {}: {layers} layers have queries and keys. Choose one of them.",
                layer.saturating_add(1)
            ),
            Self::ConfigNotJson(reason) => write!(
                f,
                "The configuration is not a JSON object: {}. Open the config.json that belongs to the model, or \
                 the model without it.",
                CleanText(reason)
            ),
            Self::ConfigValue {
                key,
                value,
                expected,
            } => write!(
                f,
                "The configuration says {key} is {}, which should be {expected}. Correct it, or open the \
                 model without it.",
                CleanText(value)
            ),
            Self::Checkpoint(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ModelError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Checkpoint(error) => Some(error),
            _ => None,
        }
    }
}

impl From<CheckpointError> for ModelError {
    fn from(error: CheckpointError) -> Self {
        Self::Checkpoint(error)
    }
}
