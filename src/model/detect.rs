//! Opens a model: detects the family of a checkpoint, finds its positions, and decides which rows count.

use super::{
    Config, ContentInput, Correction, Cut, DetectionInput, Found, Heads, HeadsSource, LayerTensors,
    Leading, LinearTensors, ModelError, ModelOptions, Note, PeekedValues, PositionModel,
    PositionSource, PositionTable, PositionTensors, PreprocessStep, SourceDescription, TABLE,
    USUAL_LENGTH, families, head_count, linear, read_inputs, relative, rotary_tensors,
    special_rows,
    stored::{Stored, StoredPositions},
};
use crate::{
    checkpoint::{CheckpointError, Weights},
    encoding::Rotary,
};

impl PositionModel {
    /// Detects a checkpoint's family and reads the positions of one of its sources, and nothing else.
    ///
    /// Without a given configuration, uses the one in the file's metadata, if any.
    ///
    /// # Errors
    /// [`ModelError::UnknownFamily`] if no family is recognised and no table is chosen; other errors if the table
    /// cannot be read, is not finite, or contradicts the configuration.
    pub async fn open<W: Weights>(
        checkpoint: &W,
        config: Option<&Config>,
        choice: &ModelOptions,
    ) -> Result<Self, ModelError> {
        open(checkpoint, config, choice).await
    }
}

async fn open<W: Weights>(
    checkpoint: &W,
    config: Option<&Config>,
    choice: &ModelOptions,
) -> Result<PositionModel, ModelError> {
    let mut notes = Vec::new();
    let problems = config.map_or(&[][..], |config| &config.problems);
    notes.extend(problem_note("", problems));
    // A configuration with no usable entry counts as absent.
    let config = match config.filter(|config| !config.is_empty() || config.problems.is_empty()) {
        Some(config) => config.clone(),
        None => embedded_config(checkpoint, &mut notes),
    };
    let names = checkpoint.names();
    let mut clues = DetectionInput {
        names: &names,
        config: &config,
        peeked: None,
    };
    // Families whose tables have the same name are distinguished by the values.
    let shared = clues.model(TABLE).map(|model| model.name(TABLE));
    let peeked = match &shared {
        // If it cannot be read, a later request reports the error; another source may still work.
        Some(name) => match checkpoint.locate(name).await {
            Ok(tensor) => Stored::read(checkpoint, &tensor).await.ok(),
            Err(_) => None,
        },
        None => None,
    };
    clues.peeked = peeked.as_ref().map(|table| PeekedValues {
        rows: table.rows,
        zero_row: table.zero_row(),
    });
    let detected = families::find(&clues);
    let (family, detected) = match (detected, &choice.table) {
        (Some((family, detected)), None) if detected.sources.is_empty() => {
            let sentence = detected.reason;
            return Err(ModelError::NothingLearned { family, sentence });
        }
        (Some((family, detected)), None) => (family, detected),
        (Some((family, detected)), Some(table)) if has_table(&detected, table) => {
            (family, detected)
        }
        (_, Some(table)) => ("table", chosen(table, choice, checkpoint)?),
        (None, None) => {
            return Err(ModelError::UnknownFamily {
                tensors: names.len(),
            });
        }
    };
    let text = match family {
        "table" => detected.reason.clone(),
        _ => format!("Read as {family}. {}", detected.reason),
    };
    notes.push(Note::new(
        if family == "table" {
            "Chosen tensor"
        } else {
            "Family"
        },
        text,
    ));
    let sources: Vec<_> = detected
        .sources
        .iter()
        .map(|source| (source.id.clone(), source.title.clone()))
        .collect();
    let source = pick(detected, choice)?;
    let shared = shared.zip(peeked);
    of_source(
        family, source, sources, &config, shared, checkpoint, choice, notes,
    )
    .await
}

/// Reads the configuration in the file's metadata, which presets and some other files carry.
fn embedded_config<W: Weights>(checkpoint: &W, notes: &mut Vec<Note>) -> Config {
    let metadata = checkpoint.metadata();
    let Some(text) = metadata.get("config") else {
        return Config::from_gguf(metadata);
    };
    let config = Config::read_leniently(text);
    notes.extend(problem_note(
        "The configuration inside the file: ",
        &config.problems,
    ));
    config
}

/// Note on configuration entries that could not be used; `which` says whose configuration it is. At most three are
/// listed.
fn problem_note(which: &str, problems: &[String]) -> Option<Note> {
    const MOST: usize = 3;
    let text = problems[..problems.len().min(MOST)].join(" ");
    (!text.is_empty()).then(|| Note::new("Configuration", format!("{which}{text}")))
}

fn has_table(found: &Found, table: &str) -> bool {
    let is_it = |source: &SourceDescription| matches!(&source.positions, PositionTensors::Table { tensor, .. } if tensor == table);
    found.sources.iter().any(is_it)
}

/// A tensor that the user chose as the table, with the chosen queries and keys, if any.
fn chosen<W: Weights>(
    table: &str,
    choice: &ModelOptions,
    checkpoint: &W,
) -> Result<Found, ModelError> {
    if !checkpoint.has(table) {
        return Err(ModelError::NoSuchTensor {
            tensor: table.to_owned(),
        });
    }
    let place = PositionTensors::Table {
        tensor: table.to_owned(),
        leading: Leading::None,
    };
    let mut source = SourceDescription::new(&Config::default(), "positions", "positions", place);
    let reason = if let Some((query, key)) = &choice.attention {
        source = source.layers(chosen_layers(query, key, choice.transposed, checkpoint)?);
        "Read as it is stored, every row a position, with the queries and keys that you chose."
    } else {
        "Read as it is stored, every row a position. What the model does with it is not known, so there \
         are no heads unless you choose queries and keys."
    };
    Ok(Found {
        reason: reason.to_owned(),
        sources: vec![source],
    })
}

/// Layers of the chosen queries and keys: the chosen one, and all whose names differ only in the first number.
fn chosen_layers<W: Weights>(
    query: &str,
    key: &str,
    transposed: bool,
    checkpoint: &W,
) -> Result<Vec<LayerTensors>, ModelError> {
    for name in [query, key] {
        if !checkpoint.has(name) {
            let tensor = name.to_owned();
            return Err(ModelError::NoSuchTensor { tensor });
        }
    }
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
    let (query, key) = (numbered(query), numbered(key));
    let at = |number: usize| match (&query, &key) {
        (Ok([q, r]), Ok([k, l])) => layer(format!("{q}{number}{r}"), format!("{k}{number}{l}")),
        (Err(query), Err(key)) if number == 0 => layer((*query).to_owned(), (*key).to_owned()),
        _ => None,
    };
    // Some models count layers from 1.
    let from = usize::from(at(0).is_none());
    Ok((from..).map_while(at).collect())
}

/// The parts of a name before and after its first number, or the whole name if it has none.
fn numbered(name: &str) -> Result<[&str; 2], &str> {
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

/// The chosen source, or the default one.
fn pick(found: Found, choice: &ModelOptions) -> Result<SourceDescription, ModelError> {
    let is_chosen = |source: &SourceDescription| match (&choice.source, &choice.table) {
        (Some(id), _) => source.id == *id,
        (None, Some(table)) => {
            matches!(&source.positions, PositionTensors::Table { tensor, .. } if tensor == table)
        }
        (None, None) => true,
    };
    let names: Vec<String> = found
        .sources
        .iter()
        .map(|source| source.id.clone())
        .collect();
    let source = found.sources.into_iter().find(is_chosen);
    source.ok_or_else(|| ModelError::NoSuchSource {
        source: choice.source.clone().unwrap_or_default(),
        sources: names,
    })
}

#[expect(
    clippy::too_many_arguments,
    reason = "one call, which hands over what was found on the way"
)]
async fn of_source<W: Weights>(
    family: &'static str,
    source: SourceDescription,
    sources: Vec<(String, String)>,
    config: &Config,
    peeked: Option<(String, Stored)>,
    checkpoint: &W,
    choice: &ModelOptions,
    mut notes: Vec<Note>,
) -> Result<PositionModel, ModelError> {
    let relative_positions = relative::find(checkpoint, &source, sides(config), choice).await?;
    let stored_heads = relative_positions.as_ref().and_then(|(_, heads)| *heads);
    let mut possible_grids = Vec::new();
    let positions = match (&source.positions, relative_positions) {
        (PositionTensors::Table { tensor, leading }, _) => {
            let stored = match peeked {
                Some((name, stored)) if name == *tensor => stored,
                _ => Stored::read(checkpoint, &checkpoint.locate(tensor).await?).await?,
            };
            let drop = choice.does(Correction::LeadingRows);
            let leading = if stored.begins_with_position_0()
                && matches!(leading, Leading::Offset { .. })
            {
                notes.push(Note::new(
                    "First row",
                    "It holds the sines and cosines of 0, so this table was computed and begins with position 0: no \
                     row is left out.",
                ));
                &Leading::None
            } else {
                leading
            };
            let tokens = special_rows::count_tokens(checkpoint, leading, stored.width()).await;
            let explained = |leading, grid| stored.explained(leading, grid);
            let counted = special_rows::decide(
                leading,
                stored.rows,
                drop,
                &tokens,
                choice.patches,
                explained,
            );
            let StoredPositions { rows, unit } = stored
                .positions(checkpoint, counted.dropped, counted.trailing, &mut notes)
                .await?;
            notes.extend(counted.notes);
            possible_grids = counted.possible;
            let projected = if choice.does(Correction::Projection) {
                read_inputs::projected(&source, &rows, checkpoint).await?
            } else {
                None
            };
            PositionSource::Table(PositionTable {
                grid: counted.grid.filter(|grid| grid.cells() == rows.nrows()),
                rows,
                unit,
                projected,
                tensor: tensor.clone(),
            })
        }
        (
            PositionTensors::Rotary {
                width,
                base,
                divisors,
            },
            _,
        ) => {
            let rotary = Rotary {
                rows: choice.length.map_or(USUAL_LENGTH, |length| length as usize),
                width: *width as usize,
                base: *base,
            };
            let (rotary, note) = match divisors {
                Some(tensor) => rotary_tensors::divided(checkpoint, tensor, rotary).await?,
                None => (rotary, None),
            };
            notes.extend(note);
            PositionSource::Rotary(rotary)
        }
        (_, Some((positions, _))) => positions,
        (_, None) => {
            return Err(ModelError::UnknownFamily {
                tensors: sources.len(),
            });
        }
    };
    let width = positions.table().map(|table| table.rows.ncols());
    let hidden = hidden(&source, checkpoint, config, width).await?;
    let queries = query_width(&source, checkpoint).await?.unwrap_or(hidden);
    let heads = match (stored_heads, source.layers.is_empty()) {
        (Some(count), _) => Heads {
            count,
            source: HeadsSource::Config,
        },
        (None, true) => Heads::NONE,
        (None, false) => head_count::decide(queries, source.heads, source.usual_heads, choice)?,
    };
    explain(&source, choice, width.is_some(), &mut notes);
    notes.extend(heads_note(heads, &positions, hidden));
    notes.extend(source.remarks.iter().cloned());
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
        hidden,
        notes,
        described: source,
        choice: choice.clone(),
    })
}

/// Rows and columns of an image's window or patches, from the configuration.
fn sides(config: &Config) -> Option<(u32, u32)> {
    match config.counts("window_size")[..] {
        [height, width, ..] => return Some((height, width)),
        [side] => return Some((side, side)),
        [] => {}
    }
    config.patches()
}

/// Width of the hidden states that enter the attention.
async fn hidden<W: Weights>(
    source: &SourceDescription,
    checkpoint: &W,
    config: &Config,
    width: Option<usize>,
) -> Result<usize, ModelError> {
    let map = source.steps.iter().rev().find_map(|step| match step {
        PreprocessStep::Map(stem) => Some(stem),
        _ => None,
    });
    let configured = || config.hidden.map(|hidden| hidden as usize);
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

/// Adds notes on all steps between the positions and the heads.
fn explain(
    source: &SourceDescription,
    choice: &ModelOptions,
    is_table: bool,
    notes: &mut Vec<Note>,
) {
    if source.layers.is_empty() {
        // Without heads these steps are never used.
        return;
    }
    let switch = |note: Note, correction| note.with_switch(correction, choice.does(correction));
    match &source.content {
        ContentInput::Vector { about, .. } | ContentInput::Unknown(about) => {
            notes.push(about.clone());
        }
        ContentInput::Words { scaled, map, .. } => {
            if *scaled {
                let text =
                    "Words are multiplied by the root of their width before positions are added.";
                notes.push(Note::new("Words scaled", text));
            }
            if let Some(map) = map {
                let text = format!("Words pass “{map}” before positions are added.");
                notes.push(Note::new("Words projected", text));
            }
        }
    }
    let in_layers = source.layers.iter().find_map(|layer| layer.norm.as_ref());
    let norm = source.steps.iter().find_map(|step| match step {
        PreprocessStep::Norm(stem) => Some(stem),
        _ => None,
    });
    match norm.or(in_layers) {
        Some(stem) => {
            let epsilon = source.norm_epsilon();
            let origin = if source.epsilon.is_some() {
                "as configured"
            } else {
                "assumed: no configuration says"
            };
            let every = if in_layers.is_some() {
                " Every layer’s scores pass that of the layer."
            } else {
                ""
            };
            let text = format!(
                "As-computed scores apply the LayerNorm of “{stem}” (ε = {epsilon:e}, {origin}); paper scores \
                 leave it out.{every}"
            );
            notes.push(switch(Note::new("LayerNorm", text), Correction::LayerNorm));
        }
        None => notes.push(Note::new(
            "No LayerNorm",
            "The file has none before the first attention.",
        )),
    }
    for step in &source.steps {
        match step {
            PreprocessStep::Add { title, .. } => {
                let text = format!(
                    "As-computed scores add the embedding of {title} to every position; paper scores \
                     leave it out."
                );
                let note = Note::new("Added to every position", text);
                notes.push(switch(note, Correction::AddedRow));
            }
            PreprocessStep::Map(stem) => {
                let text = format!(
                    "Embeddings pass “{stem}” before the first layer, so heads see projected positions. Its \
                     bias is part of as-computed scores only. P is that of the table unless this is on."
                );
                let note = Note::new("Projection", text);
                notes.push(if is_table {
                    switch(note, Correction::Projection)
                } else {
                    note
                });
            }
            PreprocessStep::Norm(_) => {}
        }
    }
    let biased = |layer: &LayerTensors| layer.query.bias.is_some() || layer.key.bias.is_some();
    if source.layers.iter().any(biased) {
        let text =
            "As-computed scores add the biases of queries and keys; paper scores leave them out.";
        notes.push(switch(Note::new("Biases", text), Correction::Biases));
    }
}

fn heads_note(heads: Heads, positions: &PositionSource, hidden: usize) -> Option<Note> {
    let (title, text) = match (heads.count, heads.source, positions) {
        (0, _, PositionSource::Table(_)) => (
            "No heads",
            "The file has no queries and keys where this family keeps them.".to_owned(),
        ),
        (0, ..) => return None,
        (count, HeadsSource::Assumed, _) => (
            "Heads assumed",
            format!(
                "Taken to be {count} a layer, as is usual for a width of {hidden}: weights do not say, and \
                 there is no configuration that does. Another number can be chosen."
            ),
        ),
        (count, HeadsSource::Chosen, _) => (
            "Heads chosen",
            format!("Each layer is cut into {count}, as you chose."),
        ),
        (_, HeadsSource::Config, _) => return None,
    };
    Some(Note::new(title, text))
}
