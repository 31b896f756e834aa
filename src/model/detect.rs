//! Opens a model: detects the family of a checkpoint, and chooses one of the sources of positions.

use super::{
    Config, Detection, DetectionInput, ModelError, ModelOptions, Note, PeekedValues, PositionModel,
    PositionTensors, SourceDescription, TABLE, chosen_table::detect_chosen_table, families,
    source_positions::describe_source, stored_table::StoredTable,
};
use crate::checkpoint::{OMISSIONS, Weights};

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
        peeked_values: None,
    };
    // Families whose tables have the same name are distinguished by the values.
    let shared = clues.model(TABLE).map(|model| model.name(TABLE));
    let peeked = match &shared {
        // If it cannot be read, a later request reports the error; another source may still work.
        Some(name) => match checkpoint.locate(name).await {
            Ok(tensor) => StoredTable::read(checkpoint, &tensor).await.ok(),
            Err(_) => None,
        },
        None => None,
    };
    clues.peeked_values = peeked.as_ref().map(|table| PeekedValues {
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
        (_, Some(table)) => ("table", detect_chosen_table(table, choice, checkpoint)?),
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
    let omissions = checkpoint.metadata().get(OMISSIONS);
    notes.extend(omissions.map(|text| Note::new("Passed over", text.as_str())));
    let sources: Vec<_> = detected
        .sources
        .iter()
        .map(|source| (source.id.clone(), source.title.clone()))
        .collect();
    let source = pick(detected, choice)?;
    let shared = shared.zip(peeked);
    describe_source(
        family, source, sources, &config, shared, checkpoint, choice, notes,
    )
    .await
}

/// Reads the configuration in the file's metadata, which presets, GGUF and some PyTorch files carry. Used only if none is
/// given, such as a `config.json` beside the file.
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

fn has_table(found: &Detection, table: &str) -> bool {
    let is_it = |source: &SourceDescription| matches!(&source.positions, PositionTensors::Table { tensor, .. } if tensor == table);
    found.sources.iter().any(is_it)
}

/// The chosen source, or the default one.
fn pick(found: Detection, choice: &ModelOptions) -> Result<SourceDescription, ModelError> {
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
