//! What is open, and the way from a request to its answers.
//!
//! A session owns the opened sources and reads what a question needs and no more. It knows neither worker
//! nor page: answers leave through [`Reply`].

use super::{
    Answer, HeadId, MatrixId, ModelId, Origin, Request, Similarity, TILE_LIMIT,
    export::{MatrixFormat, matrix_csv_header, matrix_csv_row, npy},
    head, heads,
    kernels::{KERNEL_TILE_LIMIT, MixedAttention},
    opened::{Compared, Open, OpenFile, closed, computed_summary, file_summary, read},
    positions,
    toeplitz_speed::race,
};
use crate::{
    checkpoint::{ByteSource, Checkpoint},
    math::{Cells, DiagonalSummer, LowRank, Tile, ToeplitzFit, Window},
    model::{Choice, Config, ModelError, PositionModel, ScoreMode, tables},
};
use ndarray::Array2;
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

/// Why a request failed, as a sentence for a person.
pub(super) struct Failure(pub(super) String);

impl From<ModelError> for Failure {
    fn from(error: ModelError) -> Self {
        Self(error.to_string())
    }
}

/// Rows of a matrix taken between two pauses.
const ROWS_AT_ONCE: usize = 128;

/// Everything that is open.
pub struct Session<S> {
    files: RefCell<HashMap<ModelId, Rc<OpenFile<S>>>>,
    models: RefCell<HashMap<ModelId, Rc<Open<S>>>>,
}

impl<S> Default for Session<S> {
    fn default() -> Self {
        Self {
            files: RefCell::default(),
            models: RefCell::default(),
        }
    }
}

impl<S> std::fmt::Debug for Session<S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let open = self.models.borrow().len();
        f.debug_struct("Session")
            .field("open", &open)
            .finish_non_exhaustive()
    }
}

impl<S: ByteSource> Session<S> {
    /// Answers a request; `source` is the file an [`Request::Open`] speaks of. The last thing sent is
    /// [`Answer::Done`] or [`Answer::Failed`], or nothing when the future is dropped before.
    pub async fn answer(&self, request: Request, source: Option<S>, reply: &impl Reply) {
        match self.work(request, source, reply).await {
            Ok(()) => reply.send(Answer::Done),
            Err(Failure(sentence)) => reply.send(Answer::Failed(sentence)),
        }
    }

    async fn work(
        &self,
        request: Request,
        source: Option<S>,
        reply: &impl Reply,
    ) -> Result<(), Failure> {
        match request {
            Request::Open(id, origin, choice) => self.open(id, origin, choice, source, reply).await,
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
                let compared = self.compared(id, similarity)?;
                let summary = positions::summarise(&compared.p);
                compared.keep(&summary.fit);
                reply.send(Answer::Positions(summary));
                Ok(())
            }
            Request::Spread(id, similarity) => {
                let compared = self.compared(id, similarity)?;
                let deviations = spread(&compared.p, compared.fit(), reply).await?;
                reply.send(Answer::Spread(deviations));
                Ok(())
            }
            Request::PositionTile(id, similarity, part, window) => {
                let compared = self.compared(id, similarity)?;
                let tile = positions::part_tile(&compared.p, &compared.fit().f, part, &window);
                reply.send(Answer::Tile(tile));
                Ok(())
            }
            Request::Table(id) => {
                let open = self.model(id)?;
                let (rows, width) = open.table.dim();
                let whole = Window::whole(rows, width);
                reply.send(Answer::Tile(Tile::of_matrix(
                    open.table.view(),
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
                let a = a.block(0..n);
                for queries in crate::math::cut(&(0..n), ROWS_AT_ONCE) {
                    let mut rows = a.rows(queries.clone()).into_raw_vec_and_offset().0;
                    attention.add(queries, &mut rows);
                    reply.pause().await;
                }
                reply.send(Answer::Tile(attention.finish()));
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

    async fn open(
        &self,
        id: ModelId,
        origin: Origin,
        choice: Choice,
        source: Option<S>,
        reply: &impl Reply,
    ) -> Result<(), Failure> {
        let computed = |table: Array2<f32>, name: &str, about: String| {
            let summary = computed_summary(&table, name, about);
            self.models
                .borrow_mut()
                .insert(id, Rc::new(Open::new(table, None)));
            reply.send(Answer::Opened(summary));
        };
        match origin {
            Origin::Sinusoidal(table) => {
                let about = format!("sines and cosines, base {}", table.base);
                computed(table.table(), "sinusoidal", about);
                Ok(())
            }
            Origin::Random(table) => {
                computed(
                    table.table(),
                    "random",
                    format!("control, seed {}", table.seed),
                );
                Ok(())
            }
            Origin::File { name, config } => {
                let source = source.ok_or_else(closed)?;
                let config = config.as_deref().map(Config::parse).transpose()?;
                let checkpoint = Checkpoint::open(source, &name)
                    .await
                    .map_err(|error| Failure(error.to_string()))?;
                let file = Rc::new(OpenFile { checkpoint, config });
                self.open_file(id, file, &choice, reply).await
            }
        }
    }

    async fn open_file(
        &self,
        id: ModelId,
        file: Rc<OpenFile<S>>,
        choice: &Choice,
        reply: &impl Reply,
    ) -> Result<(), Failure> {
        let checkpoint = &file.checkpoint;
        match PositionModel::open(checkpoint, file.config.as_ref(), choice).await {
            Ok(model) => {
                reply.send(read(checkpoint));
                let summary = file_summary(checkpoint.name(), &model);
                let table = model.table.clone();
                self.files.borrow_mut().insert(id, Rc::clone(&file));
                let open = Open::new(table, Some((file, model)));
                self.models.borrow_mut().insert(id, Rc::new(open));
                reply.send(Answer::Opened(summary));
                Ok(())
            }
            Err(ModelError::UnknownFamily { .. }) => {
                let candidates: Vec<_> =
                    tables(checkpoint.tensors()).into_iter().cloned().collect();
                if candidates.is_empty() {
                    return Err(Failure(format!(
                        "{} holds no matrix of floating-point numbers, so there is no position table in it. Open a checkpoint that holds the weights.",
                        checkpoint.name()
                    )));
                }
                reply.send(read(checkpoint));
                self.files.borrow_mut().insert(id, file);
                reply.send(Answer::Choose(candidates));
                Ok(())
            }
            Err(error) => Err(error.into()),
        }
    }

    fn model(&self, id: ModelId) -> Result<Rc<Open<S>>, Failure> {
        self.models.borrow().get(&id).cloned().ok_or_else(closed)
    }

    fn compared(&self, id: ModelId, similarity: Similarity) -> Result<Rc<Compared>, Failure> {
        Ok(self.model(id)?.compared(similarity))
    }

    async fn heads(&self, id: ModelId, mode: ScoreMode, reply: &impl Reply) -> Result<(), Failure> {
        let open = self.model(id)?;
        let Some((_, model)) = &open.file else {
            return Err(Failure(
                "A computed table has no heads. Open a checkpoint to see some.".into(),
            ));
        };
        let summer = DiagonalSummer::new(open.table.nrows());
        for layer in 0..model.layers {
            let scores = open.layer(mode, layer, reply).await?;
            let mut row = Vec::new();
            for head in 0..model.heads.count as usize {
                row.push(heads::summarise(&scores.head(head), layer, head, &summer));
                reply.pause().await;
            }
            reply.send(Answer::Layer(row));
        }
        Ok(())
    }

    async fn head(&self, id: HeadId, reply: &impl Reply) -> Result<LowRank, Failure> {
        let open = self.model(id.model)?;
        let fits = open.file.as_ref().is_some_and(|(_, model)| {
            id.layer < model.layers && id.head < model.heads.count as usize
        });
        if !fits {
            return Err(Failure(format!(
                "The open model has no layer {}, head {}.",
                id.layer + 1,
                id.head + 1
            )));
        }
        Ok(open.layer(id.mode, id.layer, reply).await?.head(id.head))
    }

    async fn matrix(
        &self,
        matrix: MatrixId,
        format: MatrixFormat,
        window: Window,
        reply: &impl Reply,
    ) -> Result<(), Failure> {
        match matrix {
            MatrixId::Table(id) => {
                let open = self.model(id)?;
                let shape = open.table.dim();
                write_matrix(format, window, shape, reply, |rows| {
                    open.table.slice(ndarray::s![rows, ..]).to_owned()
                })
                .await
            }
            MatrixId::Positions(id, similarity, part) => {
                let compared = self.compared(id, similarity)?;
                let (p, fit) = (&compared.p, compared.fit());
                let n = p.n();
                write_matrix(format, window, (n, n), reply, |rows| {
                    let first = rows.start;
                    let f = |i: usize, j: usize| fit.f[j + n - 1 - (i + first)] as f32;
                    match part {
                        super::Part::Whole => p.rows(rows),
                        super::Part::Toeplitz => {
                            Array2::from_shape_fn((rows.len(), n), |(i, j)| f(i, j))
                        }
                        super::Part::Residual => {
                            let mut block = p.rows(rows);
                            for ((i, j), value) in block.indexed_iter_mut() {
                                *value -= f(i, j);
                            }
                            block
                        }
                    }
                })
                .await
            }
            MatrixId::Head(id, cells) => {
                let a = self.head(id, reply).await?;
                let n = a.n();
                write_matrix(format, window, (n, n), reply, |rows| {
                    let first = rows.start;
                    causal(a.rows(rows), first, cells)
                })
                .await
            }
            MatrixId::Kernels(kernels, n) => {
                let f = kernels.scores(n);
                write_matrix(format, window, (n, n), reply, |rows| {
                    Array2::from_shape_fn((rows.len(), n), |(i, j)| {
                        f.profile()[j + n - 1 - (i + rows.start)] as f32
                    })
                })
                .await
            }
            MatrixId::Attention(kernels, n, cells, head) => {
                let a = match head {
                    Some(id) => Some(self.head(id, reply).await?),
                    None => None,
                };
                let n = a.as_ref().map_or(n, |a| n.min(a.n()));
                let a = a.map(|a| a.block(0..n));
                let attention = MixedAttention::new(&kernels, n, cells, Window::whole(n, n), 1);
                write_matrix(format, window, (n, n), reply, |rows| {
                    let mut block = match &a {
                        Some(a) => a.rows(rows.clone()),
                        None => Array2::zeros((rows.len(), n)),
                    };
                    if let Some(scores) = block.as_slice_mut() {
                        attention.attend(rows, scores);
                    }
                    block
                })
                .await
            }
        }
    }
}

async fn spread(a: &LowRank, fit: &ToeplitzFit, reply: &impl Reply) -> Result<Vec<f64>, Failure> {
    let mut spread = fit.spread(a);
    while spread.step(ROWS_AT_ONCE) {
        reply.pause().await;
    }
    Ok(spread.deviations())
}

async fn write_matrix(
    format: MatrixFormat,
    window: Window,
    (height, width): (usize, usize),
    reply: &impl Reply,
    rows_of: impl Fn(std::ops::Range<usize>) -> Array2<f32>,
) -> Result<(), Failure> {
    let window = window.within(height, width);
    reply.send(Answer::File(match format {
        MatrixFormat::Csv => matrix_csv_header(&window).into_bytes(),
        MatrixFormat::Npy => npy("<f4", &[window.rows.len(), window.cols.len()]),
    }));
    for rows in crate::math::cut(&window.rows, ROWS_AT_ONCE) {
        let block = rows_of(rows);
        let mut bytes = Vec::new();
        for row in block.rows() {
            let row: Vec<f32> = row
                .iter()
                .skip(window.cols.start)
                .take(window.cols.len())
                .copied()
                .collect();
            match format {
                MatrixFormat::Csv => bytes.extend(matrix_csv_row(&row).into_bytes()),
                MatrixFormat::Npy => bytes.extend(row.iter().flat_map(|v| v.to_le_bytes())),
            }
        }
        reply.send(Answer::File(bytes));
        reply.pause().await;
    }
    Ok(())
}

/// Cells a causal head never uses are no numbers.
fn causal(mut block: Array2<f32>, first: usize, cells: Cells) -> Array2<f32> {
    if cells == Cells::Causal {
        for ((i, j), value) in block.indexed_iter_mut() {
            if j > i + first {
                *value = f32::NAN;
            }
        }
    }
    block
}
