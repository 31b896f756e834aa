//! Code for the scores by offset of heads in which words meet offsets: those of the mean word (`DeBERTa`; Shaw et al.
//! 2018; Transformer-XL and `XLNet`).

use super::{
    layer_code::{BiasUse, head_width, map_lines},
    python::{CodeSegment, name_in_layer},
    table_code,
};
use crate::{
    checkpoint::Weights,
    model::{
        Correction, Distances, LinearTensors, OffsetRows, OffsetVectors, OffsetWaves,
        PositionModel, PositionSource, PositionTensors, WaveTensors, WaveTerm,
    },
};

/// The lines of `scores` after those that assign the query and the key of the mean word, `k` and `SCORE_SCALE`.
struct ScoreLines {
    lines: Vec<String>,
    /// Number of kinds of terms that the scale accounts for.
    kinds: usize,
    parts: Vec<&'static str>,
}

/// `scores` and what it calls; empty for models whose words meet no offsets.
///
/// # Errors
/// A sentence on what programs cannot read.
pub(super) async fn segments<W: Weights>(
    model: &PositionModel,
    file: &W,
) -> Result<Vec<CodeSegment>, String> {
    let PositionSource::ByOffset(OffsetRows::Distances(rows), n) = &model.positions else {
        return Ok(Vec::new());
    };
    let layers = model.layer_tensors();
    if layers.is_empty() {
        return Ok(Vec::new());
    }
    let does = |correction| model.choice().does(correction);
    let uses_biases = match does(Correction::Biases) {
        true => BiasUse::Always,
        false => BiasUse::Never,
    };
    let scores = match &model.source_description().positions {
        PositionTensors::Distances(distances) => {
            let longest = rows.buckets().map(|_| rows.max_distance());
            let table = (rows.span(), longest);
            distance_lines(model, distances, table, uses_biases, file).await?
        }
        PositionTensors::Vectors(vectors) => vector_lines(vectors),
        PositionTensors::Waves(waves) => wave_lines(waves, file).await?,
        _ => return Ok(Vec::new()),
    };
    let mut segments = table_code::words(model, model.hidden_width, file).await?;
    segments.push(table_code::entering_states(model, true, file).await?);
    let width = head_width(model, file).await?;
    let scale = match scores.kinds {
        1 => format!("{width} ** -0.5  # one over the root of a head's width"),
        kinds => format!(
            "({width} * {kinds}) ** -0.5  # one over the root of a head's width times the kinds of terms"
        ),
    };
    segments.push(CodeSegment::constant("SCORE_SCALE", &scale));
    let queries: Vec<&LinearTensors> = layers.iter().map(|layer| &layer.query).collect();
    let keys: Vec<&LinearTensors> = layers.iter().map(|layer| &layer.key).collect();
    let mut body = map_lines("query", &queries, uses_biases, file).await?;
    body.extend(map_lines("key", &keys, uses_biases, file).await?);
    body.push("x = entering_states(MEAN_WORD)".to_owned());
    body.push("return x @ query + query_bias, x @ key + key_bias".to_owned());
    let about = "Queries and keys of the mean word in the heads of a layer.";
    let mean = CodeSegment::function("mean_query_and_key(layer)", about, &body);
    segments.push(mean.with_cache());
    let body = [
        "width = matrix.shape[-1] // HEADS",
        "return matrix[..., head * width : (head + 1) * width]",
    ];
    let about = "The columns of a head in queries or keys.";
    segments.push(CodeSegment::function(
        "head_columns(matrix, head)",
        about,
        &body.map(str::to_owned),
    ));
    let mut body = vec![
        "query, key = (head_columns(part, head) for part in mean_query_and_key(layer))".to_owned(),
        format!("k = np.arange(1 - {n}, {n})  # key - query"),
    ];
    body.extend(scores.lines);
    body.push("return toeplitz_scores(SCORE_SCALE * by_offset)".to_owned());
    let about = "Positional scores of a head, [n, n], where every word is the mean word.";
    let function = CodeSegment::function("scores(layer, head)", about, &body);
    let parts = ["toeplitz_scores"].into_iter().chain(scores.parts);
    segments.push(parts.fold(function, CodeSegment::with_part));
    Ok(segments)
}

/// Products with relative keys and relative queries (He et al., `DeBERTa`, eq. 4). `span` rows of the table belong to a
/// direction; with a longest distance, distant offsets share rows.
async fn distance_lines<W: Weights>(
    model: &PositionModel,
    distances: &Distances,
    (span, longest): (usize, Option<usize>),
    uses_biases: BiasUse,
    file: &W,
) -> Result<ScoreLines, String> {
    let (source, choice) = (model.source_description(), model.choice());
    let kinds = [&distances.keys, &distances.queries].into_iter();
    let kinds = 1 + kinds.filter(|maps| !maps.is_empty()).count();
    let mut parts = vec!["distance_rows"];
    let table = super::string_literal(&distances.tensor);
    let mut lines = vec![format!("rows = tensor({table})  # embeddings of distances")];
    if let Some(stem) = &distances.norm
        && choice.does(Correction::LayerNorm)
    {
        let norm = table_code::norm_call("rows", stem, source.norm_epsilon(), file).await?;
        lines.push(format!("rows = {norm}"));
        parts.push("layer_norm");
    }
    lines.push("by_row = np.zeros(len(rows))".to_owned());
    let terms = [
        ("relative_key", &distances.keys, "query"),
        ("relative_query", &distances.queries, "key"),
    ];
    for (name, maps, meets) in terms {
        if maps.is_empty() {
            continue;
        }
        if maps.len() != model.layers {
            return Err("The layers of this model have different terms.".to_owned());
        }
        let maps: Vec<&LinearTensors> = maps.iter().collect();
        lines.extend(map_lines(name, &maps, uses_biases, file).await?);
        lines.push(format!(
            "by_row += head_columns(rows @ {name} + {name}_bias, head) @ {meets}"
        ));
    }
    let longest = longest.map_or_else(String::new, |longest| format!(", {longest}"));
    lines.push(format!(
        "by_offset = by_row[distance_rows(k, {span}{longest})]"
    ));
    Ok(ScoreLines {
        lines,
        kinds,
        parts,
    })
}

/// Products with a vector for every offset (Shaw et al. 2018, eq. 4; Huang et al. 2020, method 4).
fn vector_lines(vectors: &OffsetVectors) -> ScoreLines {
    let names: Vec<&str> = vectors.tensors.iter().map(String::as_str).collect();
    let meets = match vectors.meets_keys {
        true => "(query + key)",
        false => "query",
    };
    let lines = vec![
        format!(
            "vectors = tensor({})  # in the order of query - key",
            name_in_layer(&names)
        ),
        format!("by_offset = vectors[len(vectors) // 2 - k] @ {meets}"),
    ];
    ScoreLines {
        lines,
        kinds: 1,
        parts: Vec::new(),
    }
}

/// Products with keys made of waves of the offset (Dai et al., Transformer-XL, 2019, section 3.3).
async fn wave_lines<W: Weights>(waves: &OffsetWaves, file: &W) -> Result<ScoreLines, String> {
    let shows = |term| waves.terms.contains(&term);
    let maps: Vec<&LinearTensors> = waves.layers.iter().map(|layer| &layer.map).collect();
    let mut lines = map_lines("relative", &maps, BiasUse::Never, file).await?;
    lines.retain(|line| !line.starts_with("relative_bias"));
    let vector = |of: fn(&WaveTensors) -> &String| {
        let names: Vec<&str> = waves
            .layers
            .iter()
            .map(|layer| of(layer).as_str())
            .collect();
        format!("tensor({})[head]", name_in_layer(&names))
    };
    let mut constant = Vec::new();
    if shows(WaveTerm::ContentContent) {
        constant.push("query @ key");
    }
    if shows(WaveTerm::BiasContent) {
        super::readable(file, &waves.layers[0].content_bias).await?;
        lines.push(format!("u = {}", vector(|layer| &layer.content_bias)));
        constant.push("u @ key");
    }
    let mut meets = Vec::new();
    if shows(WaveTerm::ContentOffset) {
        meets.push("query");
    }
    if shows(WaveTerm::BiasOffset) {
        super::readable(file, &waves.layers[0].offset_bias).await?;
        lines.push(format!("v = {}", vector(|layer| &layer.offset_bias)));
        meets.push("v");
    }
    let mut terms = constant
        .iter()
        .map(|term| (*term).to_owned())
        .collect::<Vec<_>>();
    if !meets.is_empty() {
        let steps = match waves.farthest {
            Some(farthest) => format!("np.clip(-k, -{farthest}, {farthest})"),
            None => "-k".to_owned(),
        };
        lines.extend([
            "theta = trained_angles(10000.0, len(relative), len(relative) // 2)".to_owned(),
            format!("turns = np.outer({steps}, theta)  # query - key"),
            "relative_keys = head_columns(np.hstack([np.sin(turns), np.cos(turns)]) @ relative, head)"
                .to_owned(),
        ]);
        terms.push(match meets[..] {
            [one] => format!("relative_keys @ {one}"),
            _ => format!("relative_keys @ ({})", meets.join(" + ")),
        });
    }
    let sum = match terms.is_empty() {
        true => "0.0".to_owned(),
        false => terms.join(" + "),
    };
    let sum = match meets.is_empty() {
        true => format!("np.full(len(k), {sum})"),
        false => sum,
    };
    lines.push(format!("by_offset = {sum}"));
    Ok(ScoreLines {
        lines,
        kinds: 1,
        parts: vec!["rotary_angles"],
    })
}
