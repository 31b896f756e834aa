//! An open model: its weights, and a cache of values derived from them. The code for its layers is in `layers.rs`.

use super::{
    Effect, Failure, Measure, ModelSummary, Progress, Similarity, effects,
    model_cache::{CacheKey, ModelCache},
    table_notes::{TailR2, table_notes},
    text_runs::LayerInput,
};
use crate::{
    checkpoint::Weights,
    math::{AttentionMask, RandomTable, Scores, TableBreaks, ToeplitzFit, Trace},
    model::{
        Config, Correction, Estimate, InputShares, Inputs, ModelOptions, Note, PositionModel,
        PositionSource, ScoreMode,
    },
};
use std::{cell::OnceCell, rc::Rc};

/// Opened weights, which stay readable while their model is open.
pub(super) struct OpenFile<W> {
    pub(super) checkpoint: W,
    pub(super) config: Option<Config>,
}

/// An open model with the cache of values derived from it.
pub(super) struct LoadedModel<W> {
    from: ReadFrom<W>,
    pub(super) cache: ModelCache,
    breaks: OnceCell<TableBreaks>,
}

/// Source of an open model's positions.
enum ReadFrom<W> {
    /// A formula.
    Formula(PositionSource),
    /// Weights.
    Weights(Rc<OpenFile<W>>, Box<PositionModel>),
}

/// Maximum number of numbers cached per model: 64 MB.
const MOST_NUMBERS: usize = 16 << 20;

/// Maximum number of cells of a table whose R² is computed while it is opened, which takes a fraction of a second.
const MOST_CELLS_OF_NOTE: usize = 4 << 20;

/// Matrix of positions under one similarity.
pub(super) struct ComparedPositions {
    pub(super) p: Scores,
    fit: OnceCell<ToeplitzFit>,
}

impl ComparedPositions {
    /// Stores a fit that was computed as a by-product.
    pub(super) fn keep(&self, fit: &ToeplitzFit) {
        // If a fit is stored already, it is the same.
        let _ = self.fit.set(fit.clone());
    }

    pub(super) fn fit(&self) -> &ToeplitzFit {
        self.fit.get_or_init(|| self.p.fit())
    }
}

// Keys of cached values. Computing one value requests others, so futures contain futures: each is boxed, or the
// outermost would be larger than a stack.

#[derive(Clone, PartialEq)]
struct OfPositions(Similarity);

impl CacheKey for OfPositions {
    type Value = ComparedPositions;

    fn numbers(value: &ComparedPositions) -> usize {
        value.p.numbers()
    }
}

#[derive(Clone, PartialEq)]
struct OfInputs;

impl CacheKey for OfInputs {
    type Value = Inputs;

    fn numbers(value: &Inputs) -> usize {
        value.numbers()
    }
}

#[derive(Clone, PartialEq)]
struct OfTraces(ScoreMode);

impl CacheKey for OfTraces {
    type Value = Vec<Vec<Trace>>;

    fn numbers(value: &Self::Value) -> usize {
        value.iter().flatten().map(|trace| trace.len()).sum()
    }
}

#[derive(Clone, PartialEq)]
struct OfRandomTraces(ScoreMode);

impl CacheKey for OfRandomTraces {
    type Value = Vec<Vec<Trace>>;

    fn numbers(value: &Self::Value) -> usize {
        value.iter().flatten().map(|trace| trace.len()).sum()
    }
}

fn note_estimate(estimate: &Estimate) -> Note {
    let text = format!(
        "The file is remote, so the mean word x̄ is estimated from {} of {} rows, in blocks spread evenly: \
         its standard error is {:.1} % of its length.",
        estimate.rows,
        estimate.of,
        100.0 * estimate.relative_error
    );
    Note::new("Mean word estimated", text).with_switch(Correction::ExactWords, false)
}

fn first_input(shares: InputShares) -> Note {
    let percent = |share: f64| format!("{:.0} %", 100.0 * share);
    let parts = [
        ("the mean word", "the mean word", shares.mean_word),
        (
            "the row that every position gets, such as token type 0",
            "the added row",
            shares.added_row,
        ),
    ];
    // Not every model has both: the mean word of an image model may be a black patch.
    let parts = parts.into_iter().filter(|(_, _, share)| *share > 0.0);
    let (mut sum, mut has) = ("a position".to_owned(), String::new());
    for (long, short, share) in parts {
        sum += &format!(" plus {long}");
        has += &format!(", {short} {}", percent(share));
    }
    let text = format!(
        "An input of the first layer is {sum}. Of its mean squared length before LayerNorm the position has {}{has}{}.",
        percent(shares.position),
        if has.is_empty() {
            ""
        } else {
            "; products between them have the rest"
        },
    );
    Note::new("Input of the first layer", text)
}

impl<W: Weights> LoadedModel<W> {
    /// A computed position table, without layers.
    pub(super) fn from_positions(positions: PositionSource) -> Self {
        Self::new(ReadFrom::Formula(positions))
    }

    /// A model with weights.
    pub(super) fn from_model(file: Rc<OpenFile<W>>, model: PositionModel) -> Self {
        Self::new(ReadFrom::Weights(file, Box::new(model)))
    }

    fn new(from: ReadFrom<W>) -> Self {
        Self {
            from,
            cache: ModelCache::new(MOST_NUMBERS),
            breaks: OnceCell::new(),
        }
    }

    pub(super) fn positions(&self) -> &PositionSource {
        match &self.from {
            ReadFrom::Formula(positions) => positions,
            ReadFrom::Weights(_, model) => &model.positions,
        }
    }

    /// The breaks of the position table, in its stored rows. Tables of image patches have none, because they break at
    /// the end of every line of the image.
    pub(super) fn breaks(&self) -> &TableBreaks {
        self.breaks.get_or_init(|| {
            let table = self.positions().table();
            let table = table.filter(|table| table.grid.is_none());
            table.map_or_else(TableBreaks::default, |table| {
                TableBreaks::find(table.rows.view())
            })
        })
    }

    /// R² without and with the untrained rows; `None` without such rows, and for tables so large that it would delay
    /// the opening.
    async fn tail_r2(&self, watch: &impl Progress) -> Result<Option<TailR2>, Failure> {
        let table = self.positions().table();
        let cells = table.map_or(0, |table| table.compared_rows().len());
        let Some(tail) = self.breaks().tail.filter(|_| cells <= MOST_CELLS_OF_NOTE) else {
            return Ok(None);
        };
        let similarity = Similarity::InnerProduct;
        let compared = self.compare_positions(similarity, watch).await?;
        watch.pause().await;
        let before = compared.p.r2_of(0..tail.first);
        watch.pause().await;
        let all = compared.p.r2_of(0..compared.p.n());
        Ok(Some(TailR2 { before, all }))
    }

    /// The model, if it has weights.
    pub(super) fn model(&self) -> Option<&PositionModel> {
        match &self.from {
            ReadFrom::Formula(_) => None,
            ReadFrom::Weights(_, model) => Some(model),
        }
    }

    /// Weights and model; fails for a computed table.
    pub(super) fn weights_and_model(&self) -> Result<(&Rc<OpenFile<W>>, &PositionModel), Failure> {
        match &self.from {
            ReadFrom::Formula(_) => Err(Failure::not_there(
                "A computed table has no heads. Open a checkpoint to see some.",
            )),
            ReadFrom::Weights(file, model) => Ok((file, model)),
        }
    }

    /// Matrix of positions under a similarity. Positions without rows have one matrix for every similarity: the mean
    /// over the heads of the first layer.
    pub(super) async fn compare_positions(
        &self,
        similarity: Similarity,
        watch: &impl Progress,
    ) -> Result<Rc<ComparedPositions>, Failure> {
        let kind = self.positions().kind();
        let has_rows = !kind.is_relative();
        let key = OfPositions(if has_rows {
            similarity
        } else {
            Similarity::default()
        });
        let make = async {
            let p = match self.positions().scores(similarity) {
                Some(p) => p,
                None => {
                    let input = LayerInput::Positions(ScoreMode::default());
                    let layer = self.layer(&input, 0, watch).await?;
                    layer.mean().ok_or_else(Failure::model_closed)?
                }
            };
            Ok(ComparedPositions {
                p,
                fit: OnceCell::new(),
            })
        };
        self.cache.get(key, Box::pin(make)).await
    }

    /// The random table whose R² is shown beside that of the position table; `None` without a position table.
    pub(super) fn chance(&self, similarity: Similarity) -> Option<RandomTable> {
        let width = self.positions().table()?.compared_rows().ncols();
        Some(RandomTable { width, similarity })
    }

    /// Reads what the model adds to positions and applies to them before the first layer.
    pub(super) async fn inputs(&self, watch: &impl Progress) -> Result<Rc<Inputs>, Failure> {
        let (file, model) = self.weights_and_model()?;
        let make = async {
            let checkpoint = &file.checkpoint;
            let progress = |_, _| watch.progress(checkpoint.bytes_read(), checkpoint.size());
            let inputs = model.read_inputs(checkpoint, progress).await?;
            if let Some(estimate) = &inputs.estimate {
                watch.note(note_estimate(estimate));
            }
            let table = model
                .added_table()
                .filter(|_| model.choice().does(Correction::LayerNorm));
            if let Some(shares) = table.and_then(|table| inputs.shares(&table)) {
                watch.note(first_input(shares));
            }
            Ok(inputs)
        };
        self.cache.get(OfInputs, Box::pin(make)).await
    }

    /// Traces of the attention of every head, layer by layer. `make` computes them; those of positions are cached.
    pub(super) async fn traces(
        &self,
        input: &LayerInput,
        make: impl Future<Output = Result<Vec<Vec<Trace>>, Failure>>,
    ) -> Result<Rc<Vec<Vec<Trace>>>, Failure> {
        match input {
            LayerInput::Positions(mode) => self.cache.get(OfTraces(*mode), Box::pin(make)).await,
            LayerInput::Text(_) => Ok(Rc::new(make.await?)),
        }
    }

    /// Traces of randomly turned heads, head by head across all layers. `make` computes them; those of positions are
    /// cached.
    pub(super) async fn random_traces(
        &self,
        input: &LayerInput,
        make: impl Future<Output = Result<Vec<Vec<Trace>>, Failure>>,
    ) -> Result<Rc<Vec<Vec<Trace>>>, Failure> {
        match input {
            LayerInput::Positions(mode) => {
                (self.cache.get(OfRandomTraces(*mode), Box::pin(make))).await
            }
            LayerInput::Text(_) => Ok(Rc::new(make.await?)),
        }
    }

    /// Effect on R² of every correction with a switch.
    pub(super) async fn effects(&self, watch: &impl Progress) -> Result<Vec<Effect>, Failure> {
        let (file, model) = self.weights_and_model()?;
        let mut effects = Vec::new();
        for (correction, on) in model.notes.iter().filter_map(|note| note.switch) {
            let Some(measure) = effects::measure(correction) else {
                continue;
            };
            let here = self.measure(measure, watch).await?;
            let choice = model.choice().clone().switch(correction);
            let there = other(file, &choice).await?.measure(measure, watch).await?;
            let (with, without) = if on { (here, there) } else { (there, here) };
            effects.push(Effect {
                correction,
                measure,
                with,
                without,
            });
            watch.pause().await;
        }
        Ok(effects)
    }

    async fn measure(&self, measure: Measure, watch: &impl Progress) -> Result<f64, Failure> {
        match measure {
            Measure::Positions => {
                let compared = self
                    .compare_positions(Similarity::InnerProduct, watch)
                    .await?;
                Ok(compared.fit().r2)
            }
            Measure::FirstLayer => {
                let input = LayerInput::Positions(ScoreMode::AsComputed);
                let layer = self.layer(&input, 0, watch).await?;
                let heads = self.model().map_or(0, |model| model.heads.count);
                // Heads without variance have no R².
                let (mut sum, mut count) = (0.0, 0.0);
                for head in 0..heads as usize {
                    let fit = layer.head(head).fit();
                    if fit.no_r2().is_none() {
                        sum += fit.r2;
                        count += 1.0;
                    }
                    watch.pause().await;
                }
                Ok(sum / count)
            }
        }
    }
}

/// Opens the same weights with other options.
async fn other<W: Weights>(
    file: &Rc<OpenFile<W>>,
    choice: &ModelOptions,
) -> Result<LoadedModel<W>, Failure> {
    let model = PositionModel::open(&file.checkpoint, file.config.as_ref(), choice).await?;
    Ok(LoadedModel::from_model(Rc::clone(file), model))
}

impl<W: Weights> LoadedModel<W> {
    /// Summarises the model, with a hash of its positions that identifies them in a link.
    pub(super) async fn summary(
        &self,
        computed_as: Option<(&str, String)>,
        watch: &impl Progress,
    ) -> Result<ModelSummary, Failure> {
        let positions = self.positions();
        let hash = match positions.rows() {
            Some(_)
                if positions
                    .table()
                    .is_some_and(|t| t.projected_rows.is_some()) =>
            {
                hash(
                    positions
                        .table()
                        .into_iter()
                        .flat_map(|t| t.rows.iter().copied()),
                )
            }
            Some(rows) => hash(rows.iter().copied()),
            None => {
                let compared = self.compare_positions(Similarity::default(), watch).await?;
                hash(compared.fit().f.iter().map(|value| *value as f32))
            }
        };
        let mut summary = ModelSummary {
            name: String::new(),
            named_inside: None,
            family: "computed".into(),
            sources: Vec::new(),
            source: String::new(),
            tensor: String::new(),
            kind: positions.kind(),
            has_rotation: false,
            has_sinks: false,
            rows: positions.n(),
            width: positions.rows().map_or(0, |rows| rows.ncols()),
            hidden_width: 0,
            grid: positions.grid(),
            possible_grids: Vec::new(),
            breaks: self.breaks().clone(),
            cells: AttentionMask::Whole,
            layers: 0,
            heads: None,
            content_input: String::new(),
            is_scaled: true,
            possible_heads: Vec::new(),
            notes: Vec::new(),
            hash,
            missing_files: Vec::new(),
        };
        if let Some((name, about)) = computed_as {
            summary.name = name.into();
            summary.notes = vec![Note::new("Computed", about)];
        }
        if let ReadFrom::Weights(file, model) = &self.from {
            summary.name = file.checkpoint.name().into();
            let metadata = file.checkpoint.metadata();
            summary.named_inside = metadata.get("general.name").cloned();
            summary.family = model.family.into();
            summary.sources = model.sources.clone();
            summary.source = model.source.clone();
            summary.tensor = model.tensor().unwrap_or_default().into();
            summary.possible_grids.clone_from(&model.possible_grids);
            summary.cells = model.cells();
            summary.has_rotation = model.rotary().is_some() || model.patch_rotation().is_some();
            summary.has_sinks = model.has_sinks();
            summary.layers = model.layers;
            summary.hidden_width = model.hidden_width;
            summary.heads = (model.layers > 0).then_some((model.heads.count, model.heads.source));
            if model.layers > 0 {
                summary.content_input = model.entering_states();
                summary.is_scaled = model.is_scaled();
            }
            summary.possible_heads = (1..=128)
                .filter(|h| model.hidden_width.is_multiple_of(*h as usize))
                .collect();
            summary.notes = model.notes.clone();
            summary.missing_files = file.checkpoint.missing_files();
        }
        let r2 = self.tail_r2(watch).await?;
        let notes = table_notes(&summary.breaks, summary.rows, r2);
        summary.notes.extend(notes);
        Ok(summary)
    }
}

/// Fowler–Noll–Vo hash (64 bits) of numbers. It identifies a table in a link and has no security purpose.
pub(super) fn hash(numbers: impl Iterator<Item = f32>) -> u64 {
    numbers.fold(0xcbf2_9ce4_8422_2325, |hash, value| {
        (hash ^ u64::from(value.to_bits())).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
