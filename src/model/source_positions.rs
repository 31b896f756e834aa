//! Reads the positions of a source, and the widths and heads that belong to them.

use super::{
    Correction, Cut, Heads, HeadsSource, Leading, ModelError, ModelOptions, Note, PositionKind,
    PositionModel, PositionSource, PositionTable, PositionTensors, PreprocessStep,
    SourceDescription, TokenRows, USUAL_LENGTH, head_count, linear,
    patch_heads::PatchHeads,
    quantisation, read_inputs, relative,
    rotary_tensors::rotary_positions,
    source::NO_HEADS,
    source_notes::{explain, heads_note, patch_heads_note, rotary_heads_note, sinks_note},
    special_rows,
    stored_table::{StoredPositions, StoredTable},
};
use crate::{
    checkpoint::{CheckpointError, Weights},
    math::Grid,
};

/// Reads the positions of a source, and describes the model with it. `peeked` is a table that was read before, with its
/// name.
pub(super) async fn describe_source<W: Weights>(
    family: &'static str,
    source: SourceDescription,
    sources: Vec<(String, String)>,
    peeked: Option<(String, StoredTable)>,
    checkpoint: &W,
    choice: &ModelOptions,
    mut notes: Vec<Note>,
) -> Result<PositionModel, ModelError> {
    let relative_positions = relative::find(checkpoint, &source, choice).await?;
    let stored_heads = relative_positions.as_ref().and_then(|(_, heads)| *heads);
    let mut possible_grids = Vec::new();
    let positions = match (&source.positions, relative_positions) {
        (
            PositionTensors::Table {
                tensor,
                leading_rows: leading,
            },
            _,
        ) => {
            let stored = match peeked {
                Some((name, stored)) if name == *tensor => stored,
                _ => StoredTable::read(checkpoint, &checkpoint.locate(tensor).await?).await?,
            };
            let drop = choice.does(Correction::LeadingRows);
            let leading = if stored.begins_with_position_0()
                && matches!(leading, Leading::Offset { .. })
            {
                notes.push(Note::new(
                    "First row",
                    "It is the sines and cosines of 0, so this table was computed and begins with position 0: no row is left out.",
                ));
                &Leading::None
            } else {
                leading
            };
            let leading = &with_stored_grid(leading, stored.grid);
            let tokens = special_rows::count_tokens(checkpoint, leading, stored.width()).await;
            let explained = |leading, grid| stored.explained_share(leading, grid);
            let counted = special_rows::decide(
                leading,
                stored.rows,
                drop,
                &tokens,
                choice.patches,
                explained,
            );
            let StoredPositions { rows, unit } = stored
                .positions(
                    checkpoint,
                    counted.dropped_rows,
                    counted.trailing_rows,
                    counted.grid.map(|grid| grid.width as u64),
                    &mut notes,
                )
                .await?;
            notes.extend(counted.notes);
            possible_grids = counted.possible;
            let projected = if choice.does(Correction::Projection) {
                read_inputs::project_table(&source, &rows, checkpoint).await?
            } else {
                None
            };
            // Of a large image only the first rows are read.
            let grid = counted.grid.map(|grid| Grid {
                height: grid.height.min(rows.nrows() / grid.width.max(1)),
                ..grid
            });
            PositionSource::Table(PositionTable {
                grid: grid.filter(|grid| grid.cells() == rows.nrows()),
                rows,
                unit,
                projected_rows: projected,
                tensor: tensor.clone(),
                first_row: counted.dropped_rows,
            })
        }
        (PositionTensors::Rotary(tensors), _) => {
            let length = choice.length.map_or(USUAL_LENGTH, |length| length as usize);
            let is_scaled = choice.does(Correction::AngleScaling);
            let (positions, note) =
                rotary_positions(checkpoint, tensors, length, is_scaled).await?;
            notes.extend(note);
            PositionSource::Rotary(positions)
        }
        (PositionTensors::RotaryPatches(rotation), _) => {
            PositionSource::RotaryPatches(rotation.positions(checkpoint).await?)
        }
        (_, Some((positions, _))) => positions,
        (_, None) => {
            return Err(ModelError::UnknownFamily {
                tensors: sources.len(),
            });
        }
    };
    let mut source = source;
    if let Some(text) = quantisation::unreadable(&source, checkpoint).await {
        source = source.layers(Vec::new()).remark(NO_HEADS, text);
        source.description = None;
    }
    if matches!(
        positions.kind(),
        PositionKind::Rotary | PositionKind::Patches
    ) {
        let rotary = describe_rotary(
            family, source, sources, positions, checkpoint, choice, notes,
        );
        return Ok(rotary.await);
    }
    let width = positions.table().map(|table| table.rows.ncols());
    let hidden = hidden_width(&source, checkpoint, width).await?;
    let queries = query_width(&source, checkpoint).await?.unwrap_or(hidden);
    let heads = match (stored_heads, source.layers.is_empty()) {
        (Some(count), _) => Heads {
            count,
            source: HeadsSource::Config,
        },
        (None, true) => Heads::NONE,
        (None, false) => {
            let in_shape = heads_in_shape(&source, checkpoint).await;
            let count = in_shape.or(source.heads);
            head_count::decide(queries, count, source.usual_heads, choice)?
        }
    };
    notes.extend(quantisation::note(&source, checkpoint).await);
    explain(&source, choice, width.is_some(), &mut notes);
    let has_reason = source.remarks.iter().any(|note| note.title == NO_HEADS);
    let heads_note = heads_note(heads, source.heads, &positions, hidden);
    notes.extend(heads_note.filter(|_| !has_reason));
    let remarks = source.remarks.iter().cloned();
    notes.extend(remarks.map(|note| note.with_choice(choice)));
    let layers = match &source.positions {
        PositionTensors::Buckets { tensors, .. } | PositionTensors::Window { tensors, .. } => {
            tensors.len()
        }
        PositionTensors::Kernels { layers } => layers.len(),
        PositionTensors::Gaussians { layers } => layers.len(),
        PositionTensors::Axes { layers } => layers.len(),
        _ => source.layers.len(),
    };
    Ok(PositionModel {
        family,
        sources,
        source: source.id.clone(),
        positions,
        possible_grids,
        layers,
        heads,
        hidden_width: hidden,
        notes,
        description: source,
        choice: choice.clone(),
    })
}

/// Describes a rotary model. Its heads have scores by offset in the layers whose mean queries and keys follow from
/// weights alone.
async fn describe_rotary<W: Weights>(
    family: &'static str,
    mut source: SourceDescription,
    sources: Vec<(String, String)>,
    positions: PositionSource,
    checkpoint: &W,
    choice: &ModelOptions,
    mut notes: Vec<Note>,
) -> PositionModel {
    let configured_width = source.configured_width.unwrap_or(0) as usize;
    let (mut layers, mut heads, mut hidden_width) = (0, Heads::NONE, configured_width);
    let first = source.description.as_ref().and_then(|model| {
        source.cells = model.blocks.first()?.attention.mask;
        Some((model, model.blocks.get(*model.passes.first()?)?))
    });
    if let Some((model, block)) = first {
        match block.attention.check(checkpoint, None, None).await {
            Ok(sizes) => {
                (layers, hidden_width) = (model.layers_with_centers(), sizes.hidden_width);
                heads = Heads {
                    count: sizes.heads as u32,
                    source: HeadsSource::Config,
                };
                notes.push(rotary_heads_note(model, layers));
                notes.extend(sinks_note(model));
            }
            Err(error) => notes.push(Note::new(NO_HEADS, error.to_string())),
        }
    }
    if let PositionTensors::RotaryPatches(rotation) = &source.positions {
        match PatchHeads::find(rotation, &source.layers, checkpoint).await {
            Ok(Some(counts)) => {
                (layers, heads) = (counts.layers, counts.heads);
                hidden_width = counts.hidden_width;
                notes.push(patch_heads_note(&source.layers));
            }
            Ok(None) => {}
            Err(error) => notes.push(Note::new(NO_HEADS, error.to_string())),
        }
    }
    if layers == 0 {
        heads = Heads::NONE;
    }
    let remarks = source.remarks.iter().cloned();
    notes.extend(remarks.map(|note| note.with_choice(choice)));
    PositionModel {
        family,
        sources,
        source: source.id.clone(),
        positions,
        possible_grids: Vec::new(),
        layers,
        heads,
        hidden_width,
        notes,
        description: source,
        choice: choice.clone(),
    }
}

/// The leading rows of a table whose shape may give the patches, as in [1, h, w, d].
fn with_stored_grid(leading: &Leading, grid: Option<(u32, u32)>) -> Leading {
    let tokens = match leading {
        Leading::Tokens(tokens) => tokens.clone(),
        Leading::None => TokenRows::default(),
        Leading::Offset { .. } | Leading::Chosen { .. } => return leading.clone(),
    };
    match (grid, leading) {
        // A table of patches alone has no rows of tokens.
        (Some(_), _) => Leading::Tokens(TokenRows {
            patches: grid,
            last: Vec::new(),
            least: 0,
            ..tokens
        }),
        (None, _) => leading.clone(),
    }
}

/// Width of the hidden states that enter the attention.
async fn hidden_width<W: Weights>(
    source: &SourceDescription,
    checkpoint: &W,
    width: Option<usize>,
) -> Result<usize, ModelError> {
    let map = source.steps.iter().rev().find_map(|step| match step {
        PreprocessStep::Map(stem) => Some(stem),
        _ => None,
    });
    let configured = || source.configured_width.map(|hidden| hidden as usize);
    match (map, width) {
        (Some(stem), Some(width)) => {
            match checkpoint.locate(&format!("{stem}.weight")).await {
                Ok(map) => super::read::rows_of(&map, width),
                // The shard is missing, which matters only when heads are requested.
                Err(CheckpointError::MissingShard { .. }) => Ok(configured().unwrap_or(width)),
                Err(error) => Err(error.into()),
            }
        }
        (None, Some(width)) => Ok(width),
        (_, None) => match source.layers.first() {
            Some(layer) => match checkpoint.locate(&layer.query.weight).await {
                Ok(tensor) => {
                    let inputs = match layer.query.cut {
                        Cut::Columns { .. } => tensor.shape.first(),
                        _ => tensor.shape.last(),
                    };
                    Ok(inputs.map_or(0, |inputs| *inputs as usize))
                }
                Err(CheckpointError::MissingShard { .. }) => Ok(configured().unwrap_or(0)),
                Err(error) => Err(error.into()),
            },
            None => Ok(configured().unwrap_or(0)),
        },
    }
}

/// Number of heads that the shape of the first layer's queries gives.
async fn heads_in_shape<W: Weights>(source: &SourceDescription, checkpoint: &W) -> Option<u32> {
    let query = &source.layers.first()?.query;
    let tensor = checkpoint.locate(&query.weight).await.ok()?;
    linear::heads_in_shape(&tensor, query.cut)
}

/// Width of the queries of all heads together; `None` without layers or if their shard is missing. A query of an
/// invalid shape is refused when it is read; the table can be shown regardless.
async fn query_width<W: Weights>(
    source: &SourceDescription,
    checkpoint: &W,
) -> Result<Option<usize>, ModelError> {
    let Some(layer) = source.layers.first() else {
        return Ok(None);
    };
    match checkpoint.locate(&layer.query.weight).await {
        Ok(tensor) => Ok(linear::outputs(&tensor, layer.query.cut)),
        Err(CheckpointError::MissingShard { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}
