//! Opens a model: detects the family of a checkpoint, and chooses one of the sources of positions.

use super::{
    Config, DetectionInput, ModelError, ModelOptions, Note, PeekedValues, PositionModel,
    PositionTensors, SourceDescription, TABLE,
    chosen_table::detect_chosen_table,
    names::TensorNames,
    parts::{self, Part, Parts},
    source::NO_HEADS,
    source_positions::describe_source,
    stored_table::{self, StoredTable},
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
    let file_names = checkpoint.names();
    let names = TensorNames::new(&file_names);
    let mut clues = DetectionInput {
        names: &names,
        config: &config,
        peeked_values: &[],
        fused_shape: None,
        ignores_attention: false,
    };
    // Families whose tables have the same name are distinguished by the values.
    let models = clues.models(TABLE);
    let mut tables = models.iter().map(|model| model.name(TABLE));
    let shared = tables.next();
    let peeked = match &shared {
        // If it cannot be read, a later request reports the error; another source may still work.
        Some(name) => match checkpoint.locate(name).await {
            Ok(tensor) => StoredTable::read(checkpoint, &tensor).await.ok(),
            Err(_) => None,
        },
        None => None,
    };
    let mut peeked_values = peek_tables(checkpoint, tables).await;
    let first = peeked.as_ref().map(StoredTable::peeked_values);
    peeked_values.extend(shared.clone().zip(first));
    clues.peeked_values = &peeked_values;
    if let Some(model) = clues.model(FUSED_MAP) {
        let tensor = checkpoint.locate(&model.name(FUSED_MAP)).await.ok();
        clues.fused_shape = tensor.and_then(|tensor| tensor.shape.try_into().ok());
    }
    let (parts, part) = match (parts::find(&clues), &choice.table) {
        (Parts::Nothing(family, sentence), None) => {
            return Err(ModelError::NothingLearned { family, sentence });
        }
        (Parts::Unknown, None) => {
            return Err(ModelError::UnknownFamily {
                tensors: file_names.len(),
            });
        }
        (Parts::Sources(parts), None) => {
            let part = pick(&parts, choice)?;
            (parts, part)
        }
        (parts, Some(table)) => {
            let parts = match parts {
                Parts::Sources(parts) => parts,
                _ => Vec::new(),
            };
            // If the user chose other tensors or rows as well, the table is read as the choice says.
            let is_it = |part: &Part| has_table(&part.source, table) && !choice.is_by_hand();
            match parts.iter().find(|part| is_it(part)).cloned() {
                Some(part) => (parts, part),
                None => (
                    Vec::new(),
                    detect_chosen_table(table, choice, &config, checkpoint)?,
                ),
            }
        }
    };
    let Part {
        family,
        reason,
        mut source,
    } = part;
    if file_names.is_empty() {
        // Rotary positions follow from the configuration.
        source = source.remark(
            NO_HEADS,
            "Only the configuration is open, from which the positions follow. Heads need the weights: open them together with it.",
        );
    }
    let mut text = match family {
        "table" => reason,
        _ => format!("Read as {family}. {reason}"),
    };
    let tables = source.positions.names().into_iter();
    let queries = parts::queries_of(&source).map(str::to_owned);
    let library = tables
        .chain(queries)
        .find_map(|name| names.library_of(&name));
    if let Some(library) = library.filter(|_| family != "table") {
        text.push_str(&format!(" The names are those of {library}."));
    }
    let title = match family {
        "table" => "Chosen tensor",
        _ => "Family",
    };
    notes.push(Note::new(title, text));
    let omissions = checkpoint.metadata().get(OMISSIONS).cloned();
    notes.extend(omissions.map(|text| Note::new("Passed over", text)));
    let mut sources: Vec<_> = parts
        .iter()
        .map(|part| (part.source.id.clone(), part.source.title.clone()))
        .collect();
    if sources.is_empty() {
        sources.push((source.id.clone(), source.title.clone()));
    }
    let shared = shared.zip(peeked);
    describe_source(family, source, sources, shared, checkpoint, choice, notes).await
}

/// Maximum number of tables of which only the first rows are read.
const MOST_PEEKED: usize = 8;

/// Facts about the first eight of these tables, from their first rows. A table that cannot be read is left out here and
/// reported when it is shown.
async fn peek_tables<W: Weights>(
    checkpoint: &W,
    tables: impl Iterator<Item = String>,
) -> Vec<(String, PeekedValues)> {
    let mut peeked_values = Vec::new();
    for name in tables.take(MOST_PEEKED) {
        if let Ok(tensor) = checkpoint.locate(&name).await
            && let Some(values) = stored_table::peek(checkpoint, &tensor).await
        {
            peeked_values.push((name, values));
        }
    }
    peeked_values
}

/// Name of the first layer's map of queries, keys and values in GPT-2. nanoGPT and minGPT store it transposed.
const FUSED_MAP: &str = "h.0.attn.c_attn.weight";

/// Reads the configuration in the file's metadata, which presets and some other files carry.
pub(super) fn embedded_config<W: Weights>(checkpoint: &W, notes: &mut Vec<Note>) -> Config {
    let metadata = checkpoint.metadata();
    let Some(text) = metadata.get("config") else {
        return Config::from_gguf(&metadata);
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

fn has_table(source: &SourceDescription, table: &str) -> bool {
    matches!(&source.positions, PositionTensors::Table { tensor, .. } if tensor == table)
}

/// The chosen part, or the default one.
fn pick(parts: &[Part], choice: &ModelOptions) -> Result<Part, ModelError> {
    let is_chosen = |part: &&Part| match &choice.source {
        Some(id) => part.source.id == *id,
        None => true,
    };
    let part = parts.iter().find(is_chosen).cloned();
    part.ok_or_else(|| ModelError::NoSuchSource {
        source: choice.source.clone().unwrap_or_default(),
        sources: parts.iter().map(|part| part.source.id.clone()).collect(),
    })
}
