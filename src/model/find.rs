//! From a checkpoint's names to a model: where the table is, which family it is of, which rows count.

use super::{
    Choice, Clues, Config, FAMILIES, Family, Heads, HeadsSource, ModelError, Note, PositionModel,
    heads, plan::Plan, stored::Stored,
};
use crate::checkpoint::{ByteSource, Checkpoint, TensorInfo};

/// See [`PositionModel::open`].
pub(super) async fn open<S: ByteSource>(
    checkpoint: &Checkpoint<S>,
    config: Option<&Config>,
    choice: &Choice,
) -> Result<PositionModel, ModelError> {
    let mut notes = Vec::new();
    let embedded = if config.is_some() {
        None
    } else {
        embedded_config(checkpoint, &mut notes)
    };
    let config = config.or(embedded.as_ref());

    let located = locate(checkpoint.tensors(), choice)?;
    let stored = Stored::read(checkpoint, located.table).await?;
    let clues = Clues {
        tensors: checkpoint.tensors(),
        prefix: located.prefix,
        config,
        rows: stored.rows,
        zero_row: stored.zero_row(),
    };
    let recognised = FAMILIES
        .iter()
        .filter(|family| located.families.contains(&family.name()))
        .find_map(|family| family.recognises(&clues).map(|reason| (*family, reason)));

    match recognised {
        Some((family, reason)) => {
            notes.push(Note::new(
                "Family",
                format!("Read as {}. {reason}", family.name()),
            ));
            if let Some(others) = located.others {
                notes.push(others);
            }
            of_family(family, &clues, stored, checkpoint, choice, notes).await
        }
        None if choice.table.is_some() => {
            notes.push(Note::new(
                "Chosen tensor",
                "Read as it is stored, every row a position. What the model does with it is not known, so \
                 there are no heads.",
            ));
            let (table, tensor) = stored.positions(checkpoint, 0, &mut notes).await?;
            Ok(PositionModel {
                family: "table",
                layers: 0,
                heads: Heads::NONE,
                hidden: table.ncols(),
                tensor,
                table,
                notes,
                plan: Plan::default(),
            })
        }
        None => Err(ModelError::UnknownFamily {
            tensors: checkpoint.tensors().len(),
        }),
    }
}

/// A preset, and any file whose writer thought of it, carries its configuration as metadata.
fn embedded_config<S: ByteSource>(
    checkpoint: &Checkpoint<S>,
    notes: &mut Vec<Note>,
) -> Option<Config> {
    let text = checkpoint.metadata().get("config")?;
    match Config::parse(text) {
        Ok(config) => Some(config),
        Err(error) => {
            notes.push(Note::new(
                "Configuration",
                format!("The one inside the file is not used. {error}"),
            ));
            None
        }
    }
}

/// A position table found by its name.
struct Located<'a> {
    table: &'a TensorInfo,
    prefix: &'a str,
    /// Families whose table bears this name.
    families: Vec<&'static str>,
    /// Set where other tensors bear it too.
    others: Option<Note>,
}

fn locate<'a>(tensors: &'a [TensorInfo], choice: &Choice) -> Result<Located<'a>, ModelError> {
    if let Some(name) = &choice.table {
        let table = tensors.iter().find(|tensor| tensor.name == *name);
        let table = table.ok_or_else(|| ModelError::NoSuchTensor {
            tensor: name.clone(),
        })?;
        let prefixes = FAMILIES
            .iter()
            .filter_map(|f| Some((f, prefix(&table.name, f.names().table)?)));
        let (families, prefixes): (Vec<_>, Vec<_>) =
            prefixes.map(|(f, prefix)| (f.name(), prefix)).unzip();
        let prefix = prefixes.first().copied().unwrap_or_default();
        return Ok(Located {
            table,
            prefix,
            families,
            others: None,
        });
    }
    // The shortest prefix wins: in an encoder–decoder the bare name, if there is one, is the encoder's.
    let mut found: Vec<(&'a str, &'a TensorInfo, &'static str)> = Vec::new();
    for family in FAMILIES {
        for tensor in tensors {
            if let Some(prefix) = prefix(&tensor.name, family.names().table) {
                found.push((prefix, tensor, family.name()));
            }
        }
    }
    found.sort_by_key(|(prefix, tensor, _)| (prefix.len(), &tensor.name));
    let Some((prefix, table, _)) = found.first().copied() else {
        return Err(ModelError::UnknownFamily {
            tensors: tensors.len(),
        });
    };
    let (same, other): (Vec<_>, Vec<_>) = found
        .into_iter()
        .partition(|(_, t, _)| t.name == table.name);
    let others = other.first().map(|(_, other, _)| {
        Note::new(
            "Several tables",
            format!(
                "Shown is “{}”; the file also has “{}”, for one.",
                table.name, other.name
            ),
        )
    });
    Ok(Located {
        table,
        prefix,
        families: same.into_iter().map(|(.., family)| family).collect(),
        others,
    })
}

/// What stands before `name` in `full`: nothing, or words that end in a dot.
fn prefix<'a>(full: &'a str, name: &str) -> Option<&'a str> {
    full.strip_suffix(name)
        .filter(|prefix| prefix.is_empty() || prefix.ends_with('.'))
}

async fn of_family<S: ByteSource>(
    family: &'static dyn Family,
    clues: &Clues<'_>,
    stored: Stored,
    checkpoint: &Checkpoint<S>,
    choice: &Choice,
    mut notes: Vec<Note>,
) -> Result<PositionModel, ModelError> {
    let dropped = family.dropped(clues);
    let rows = dropped.as_ref().map_or(0, |dropped| dropped.rows);
    let (table, tensor) = stored.positions(checkpoint, rows, &mut notes).await?;
    if let Some(dropped) = dropped.filter(|dropped| dropped.rows > 0) {
        let plural = if dropped.rows == 1 { "row" } else { "rows" };
        let text = format!(
            "The first {} {plural} of the table are left out. {}",
            dropped.rows, dropped.reason
        );
        notes.push(Note::new("Rows left out", text));
    }

    let plan = Plan::new(family, clues, &mut notes);
    let hidden = plan.hidden(table.ncols())?;
    let heads = match plan.query_width(hidden) {
        Some(width) => heads::decide(width, clues.config(), choice)?,
        None => Heads::NONE,
    };
    notes.extend(heads_note(heads, hidden));
    notes.extend(family.remarks(clues));
    Ok(PositionModel {
        family: family.name(),
        table,
        tensor,
        layers: plan.layers.len(),
        heads,
        hidden,
        notes,
        plan,
    })
}

fn heads_note(heads: Heads, hidden: usize) -> Option<Note> {
    let (title, text) = match (heads.count, heads.source) {
        (0, _) => (
            "No heads",
            "The file has no queries and keys where this family keeps them.".to_owned(),
        ),
        (count, HeadsSource::Assumed) => (
            "Heads assumed",
            format!(
                "Taken to be {count} a layer, as is usual for a width of {hidden}: weights do not say, and \
                 there is no configuration that does. Another number can be chosen."
            ),
        ),
        (count, HeadsSource::Chosen) => (
            "Heads chosen",
            format!("Each layer is cut into {count}, as you chose."),
        ),
        (_, HeadsSource::Config) => return None,
    };
    Some(Note::new(title, text))
}
