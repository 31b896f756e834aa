//! What is open, and the way from a request to its answers.
//!
//! A session owns the opened sources and reads what a question needs and no more. It knows neither worker
//! nor page: answers leave through [`Reply`].

use super::{
    Answer, HeadId, ModelId, Request, Similarity, TILE_LIMIT,
    compare::brief,
    diagonals::{DiagonalsOf, diagonals},
    head, heads,
    kernels::{KERNEL_TILE_LIMIT, MAX_LENGTH, MixedAttention},
    opened::{ComparedPositions, Open, OpenFile, closed},
    positions,
    self_attention::FIRST_LAYER_POSITIONS,
    toeplitz_speed::race,
};
use crate::{
    checkpoint::{Bundle, ByteSource, Checkpoint, Fetch, HUB, Network, Nowhere, Source},
    math::{LowRank, Plans, Scores, Tile, ToeplitzFit, Window},
    model::{ModelError, Note, ScoreMode},
};
use std::{cell::RefCell, collections::HashMap, rc::Rc};

/// Where answers go.
#[expect(async_fn_in_trait, reason = "a session lives on one thread")]
pub trait Reply {
    /// Sends a part of the answer.
    fn send(&self, answer: Answer);
    /// Lets others run. Whoever no longer wants the answer drops the future of [`Session::answer`]; it
    /// then ends at a pause or a read.
    async fn pause(&self);
    /// Milliseconds since some moment, for the benchmark.
    fn now(&self) -> f64;
}

/// Whoever waits for answers hears of progress and notes as answers.
impl<R: Reply> super::watch::Watch for R {
    fn progress(&self, read: u64, size: u64) {
        self.send(Answer::Read { read, size });
    }

    fn note(&self, note: Note) {
        self.send(Answer::Note(note));
    }

    async fn pause(&self) {
        Reply::pause(self).await;
    }
}

/// Why a request failed, as a sentence for a person.
pub(super) struct Failure(pub(super) String);

impl From<ModelError> for Failure {
    fn from(error: ModelError) -> Self {
        Self(error.to_string())
    }
}

/// Rows of a matrix taken between two pauses.
pub(super) const ROWS_AT_ONCE: usize = 128;

/// Something for every open model.
type ById<T> = RefCell<HashMap<ModelId, Rc<T>>>;

/// Everything that is open.
///
/// `L` reads files of this device, `F` asks servers for those elsewhere.
pub struct Session<L, F = Nowhere> {
    pub(super) network: Rc<Network<F>>,
    pub(super) hub: String,
    pub(super) gathered: RefCell<Vec<Option<Bundle<L>>>>,
    pub(super) files: ById<OpenFile<Checkpoint<Source<L, F>>>>,
    pub(super) models: ById<Open<Checkpoint<Source<L, F>>>>,
}

/// A session whose files are all handed over.
impl<L: ByteSource> Default for Session<L> {
    fn default() -> Self {
        Self::new(Network::default(), HUB)
    }
}

impl<L, F> std::fmt::Debug for Session<L, F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let open = self.models.borrow().len();
        f.debug_struct("Session")
            .field("open", &open)
            .finish_non_exhaustive()
    }
}

impl<L: ByteSource, F: Fetch> Session<L, F> {
    /// Nothing is open yet. Files that are named, not handed over, come through `network`; those of models
    /// from the Hub whose origin is `hub`.
    pub fn new(network: Network<F>, hub: impl Into<String>) -> Self {
        Self {
            network: Rc::new(network),
            hub: hub.into(),
            gathered: RefCell::default(),
            files: RefCell::default(),
            models: RefCell::default(),
        }
    }

    /// Answers a request; `files` are those it speaks of, each with its name or path. The last thing sent is
    /// [`Answer::Done`] or [`Answer::Failed`], or nothing when the future is dropped before.
    pub async fn answer(&self, request: Request, files: Vec<(String, L)>, reply: &impl Reply) {
        match self.work(request, files, reply).await {
            Ok(()) => reply.send(Answer::Done),
            Err(Failure(sentence)) => reply.send(Answer::Failed(sentence)),
        }
    }

    async fn work(
        &self,
        request: Request,
        files: Vec<(String, L)>,
        reply: &impl Reply,
    ) -> Result<(), Failure> {
        match request {
            Request::Gather => {
                reply.send(Answer::Gathered(self.gather(files).await));
                Ok(())
            }
            Request::Open(id, origin, choice) => self.open(id, origin, choice, files, reply).await,
            Request::Choose(id, choice) => {
                let file = self.files.borrow().get(&id).cloned();
                let file = file.ok_or_else(closed)?;
                self.open_file(id, file, &choice, reply).await
            }
            Request::Close(id) => {
                self.models.borrow_mut().remove(&id);
                self.files.borrow_mut().remove(&id);
                Ok(())
            }
            Request::Positions(id, similarity) => {
                let compared = self.compared(id, similarity, reply).await?;
                let summary = positions::summarise(&compared.p);
                compared.keep(&summary.fit);
                reply.send(Answer::Positions(summary));
                Ok(())
            }
            Request::Spread(id, similarity) => {
                let compared = self.compared(id, similarity, reply).await?;
                let deviations = spread(&compared.p, compared.fit(), reply).await?;
                reply.send(Answer::Spread(deviations));
                Ok(())
            }
            Request::PositionTile(id, similarity, part, window) => {
                let compared = self.compared(id, similarity, reply).await?;
                let tile = positions::part_tile(&compared.p, &compared.fit().f, part, &window);
                reply.send(Answer::Tile(tile));
                Ok(())
            }
            Request::Diagonals(of, distances) => {
                let lines = match of {
                    DiagonalsOf::Sinusoidal(table) => {
                        let p = LowRank::gram(table.table());
                        diagonals(&Scores::Product(p, None), &distances, reply).await
                    }
                    DiagonalsOf::Model(id) => {
                        let compared = self.compared(id, Similarity::InnerProduct, reply).await?;
                        diagonals(&compared.p, &distances, reply).await
                    }
                };
                reply.send(Answer::Diagonals(lines));
                Ok(())
            }
            Request::Table(id) => {
                let open = self.model(id)?;
                let table = open.positions().rows().ok_or_else(no_table)?;
                let (rows, width) = table.dim();
                let whole = Window::whole(rows, width);
                reply.send(Answer::Tile(Tile::of_matrix(
                    table.view(),
                    whole,
                    TILE_LIMIT,
                )));
                Ok(())
            }
            Request::Heads(id, mode) => self.heads(id, mode, reply).await,
            Request::Head(id) => {
                let a = self.head(id, reply).await?;
                let mut detail = head::detail(&a);
                detail.deviations = spread(&a, &detail.fit, reply).await?;
                let layer = self
                    .model(id.model)?
                    .layer(id.mode, id.layer, reply)
                    .await?;
                detail.kernels = layer.kernels(id.head);
                reply.send(Answer::Head(detail));
                Ok(())
            }
            Request::HeadTile(id, window) => {
                let a = self.head(id, reply).await?;
                let window = window.within(a.n(), a.n());
                reply.send(Answer::Tile(a.tile(window, TILE_LIMIT)));
                Ok(())
            }
            Request::MixedAttention(id, kernels, n, cells) => {
                let a = self.head(id, reply).await?;
                let n = n.min(a.n());
                let whole = Window::whole(n, n);
                let mut attention =
                    MixedAttention::new(&kernels, n, cells, whole, KERNEL_TILE_LIMIT);
                let a = a.leading(n);
                for queries in crate::math::cut(&(0..n), ROWS_AT_ONCE) {
                    let mut rows = a.rows(queries.clone()).into_raw_vec_and_offset().0;
                    attention.add(queries, &mut rows);
                    reply.pause().await;
                }
                reply.send(Answer::Tile(attention.finish()));
                Ok(())
            }
            Request::Brief(id, similarity) => {
                let open = self.model(id)?;
                let compared = open.compared(similarity, reply).await?;
                let rows = open.positions().rows();
                reply.send(Answer::Brief(brief(&compared.p, rows.as_deref())));
                Ok(())
            }
            Request::FirstLayer(id, kernels, n, cells, words) => {
                let n = n.clamp(1, FIRST_LAYER_POSITIONS);
                self.first_layer(id, &kernels, n, cells, &words, reply)
                    .await
            }
            Request::HeadAttention(id, n, cells) => {
                let n = n.clamp(1, MAX_LENGTH);
                self.head_attention(id, n, cells, reply).await
            }
            Request::FitHead(id, options) => self.fit_head(id, &options, reply).await,
            Request::FitHeads(id, mode, layer, options) => {
                self.fit_heads(id, mode, layer, &options, reply).await
            }
            Request::Effects(id) => {
                let effects = self.model(id)?.effects(reply).await?;
                reply.send(Answer::Effects(effects));
                Ok(())
            }
            Request::Matrix(matrix, format, window) => {
                self.matrix(matrix, format, window, reply).await
            }
            Request::Race { rows, width } => {
                reply.send(Answer::Race(race(rows, width, || reply.now())));
                Ok(())
            }
        }
    }

    pub(super) fn model(&self, id: ModelId) -> Result<Rc<Open<Checkpoint<Source<L, F>>>>, Failure> {
        self.models.borrow().get(&id).cloned().ok_or_else(closed)
    }

    pub(super) async fn compared(
        &self,
        id: ModelId,
        similarity: Similarity,
        reply: &impl Reply,
    ) -> Result<Rc<ComparedPositions>, Failure> {
        self.model(id)?.compared(similarity, reply).await
    }

    async fn heads(&self, id: ModelId, mode: ScoreMode, reply: &impl Reply) -> Result<(), Failure> {
        let open = self.model(id)?;
        let (_, model) = open.weights_and_model()?;
        // Many may be open, and weights are what is large: those of one model are kept.
        for (other, open) in self.models.borrow().iter() {
            if *other != id {
                open.forget_layers();
            }
        }
        let plans = Plans::new(open.positions().n(), open.positions().grid());
        for layer in 0..model.layers {
            let scores = open.layer(mode, layer, reply).await?;
            let mut row = Vec::new();
            for head in 0..model.heads.count as usize {
                row.push(heads::summarise(&scores.head(head), layer, head, &plans));
                reply.pause().await;
            }
            reply.send(Answer::Layer(row));
        }
        Ok(())
    }

    pub(super) async fn head(&self, id: HeadId, reply: &impl Reply) -> Result<Scores, Failure> {
        let open = self.model(id.model)?;
        let fits = open
            .model()
            .is_some_and(|model| id.layer < model.layers && id.head < model.heads.count as usize);
        if !fits {
            return Err(Failure(format!(
                "The open model has no layer {}, head {}.",
                id.layer + 1,
                id.head + 1
            )));
        }
        let layer = open.layer(id.mode, id.layer, reply).await?;
        Ok(layer.head(id.head))
    }
}

pub(super) fn no_table() -> Failure {
    Failure(
        "These positions are no table: they are scores by how far a key lies from its query. Its matrix can be \
         saved instead."
            .into(),
    )
}

async fn spread(a: &Scores, fit: &ToeplitzFit, reply: &impl Reply) -> Result<Vec<f64>, Failure> {
    let mut spread = a.spread(fit);
    while spread.step(ROWS_AT_ONCE) {
        reply.pause().await;
    }
    Ok(spread.deviations())
}
