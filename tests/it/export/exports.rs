//! Exported files hold every cell of a matrix, by row and column position. Cells hidden by a causal mask are NaN, all
//! others are finite.

use diagonal::{
    analysis::{
        AttentionMask, FirstLayerAttention, FirstLayerWay, HeadId, HeadTile, MatrixFormat,
        MatrixId, MatrixPart, MatrixTile, MemorySession, ModelSummary, PositionKind, ScoreMode,
        Similarity, TableTile,
    },
    encoding::{Kernel, Kernels},
    figure_spec::{FigureSpec, FileNumbers, specs},
    math::{Window, reference},
    model::ModelOptions,
    url_state::FigureId,
};
use ndarray::Array2;

use crate::{
    analysis::golden_minilm,
    support::questions::{FIRST, ask, csv, folder, head_of_first, npy, open, save, with_bert},
};

/// An open model and its options.
struct Case {
    name: &'static str,
    session: MemorySession,
    summary: ModelSummary,
    cells: AttentionMask,
    /// Positions of the kernels; for one model more than its heads have.
    n: usize,
}

const HEAD: usize = 1;

impl Case {
    fn of_family(name: &'static str, cells: AttentionMask, n: usize) -> Self {
        let session = MemorySession::default();
        let summary = open(&session, folder(name), ModelOptions::default()).expect(name);
        Self {
            name,
            session,
            summary,
            cells,
            n,
        }
    }

    fn all() -> Vec<Self> {
        let (session, summary) = golden_minilm::open();
        let minilm = Self {
            name: "minilm-l6",
            session,
            summary,
            cells: AttentionMask::Whole,
            n: 160,
        };
        let beyond = |case: Self| Self {
            n: case.summary.rows + 5,
            ..case
        };
        vec![
            minilm,
            beyond(Self::of_family("gpt2", AttentionMask::Causal, 0)),
            Self::of_family("vit", AttentionMask::Whole, 16),
            Self::of_family("t5", AttentionMask::Whole, 24),
        ]
    }

    fn head(&self) -> HeadId {
        head_of_first(ScoreMode::Paper, self.summary.layers - 1, HEAD)
    }

    /// A head to compare it with.
    fn second(&self) -> HeadId {
        head_of_first(ScoreMode::Paper, 0, 0)
    }

    /// Positions of figures beside a head.
    fn beside(&self) -> usize {
        self.n.min(self.summary.rows)
    }

    fn first_layer(&self) -> FirstLayerAttention {
        FirstLayerAttention {
            of: head_of_first(ScoreMode::AsComputed, 0, HEAD),
            kernels: kernels(),
            n: self.n,
            cells: self.cells,
            words: Vec::new(),
        }
    }

    /// The matrix behind a figure; `None` if this model has no such figure.
    fn matrix(&self, figure: FigureId) -> Option<MatrixId> {
        let (head, cells, n) = (self.head(), self.cells, self.beside());
        let is_table = self.summary.kind == PositionKind::Table;
        let none = Kernels::default;
        let first = |way| MatrixId::FirstLayer(Box::new(self.first_layer()), way);
        let positions = |part| MatrixId::Positions(FIRST, Similarity::InnerProduct, part);
        let found = match figure {
            FigureId::PositionMatrix => positions(MatrixPart::Whole),
            FigureId::TrainingMatrix => {
                MatrixId::Positions(FIRST, Similarity::Cosine, MatrixPart::Whole)
            }
            FigureId::PositionTable | FigureId::TrainingTable => MatrixId::Table(FIRST),
            FigureId::HeadMatrix => MatrixId::Head(head, cells),
            FigureId::HeadDifference => MatrixId::HeadDifference(head, self.second(), cells),
            FigureId::HeadScores => MatrixId::Added(none(), n, cells, head),
            FigureId::KernelMatrix => MatrixId::Kernels(kernels(), n, cells),
            FigureId::AddedScores => MatrixId::Added(kernels(), n, cells, head),
            FigureId::HeadAttention | FigureId::PositionalAttention => {
                MatrixId::Attention(none(), n, cells, Some(head))
            }
            FigureId::KernelAttention => MatrixId::Attention(kernels(), n, cells, None),
            FigureId::AddedAttention => MatrixId::Attention(kernels(), n, cells, Some(head)),
            FigureId::FitAttention => MatrixId::Attention(kernels(), self.n, cells, None),
            FigureId::FitHeadAttention => MatrixId::Attention(none(), self.n, cells, Some(head)),
            FigureId::FirstLayerEmbeddings => first(FirstLayerWay::Embeddings),
            FigureId::FirstLayerAdded => first(FirstLayerWay::Added),
            FigureId::FirstLayerInstead => first(FirstLayerWay::Instead),
            FigureId::FirstLayerNone => first(FirstLayerWay::NoPosition),
            other => panic!("{other:?} is a matrix: say here which"),
        };
        let needs_table = matches!(found, MatrixId::Table(_) | MatrixId::FirstLayer(..));
        (is_table || !needs_table).then_some(found)
    }

    /// The scores of the open head, from a tile with one cell per block.
    fn scores(&self) -> Array2<f64> {
        self.scores_of(self.head())
    }

    fn scores_of(&self, of: HeadId) -> Array2<f64> {
        let n = self.summary.rows;
        let tile = HeadTile {
            of,
            window: Window::whole(n, n),
            limit: n,
        };
        let tile = ask(&self.session, tile).expect("a tile");
        assert!(tile.is_exact());
        let values = tile.values.iter().map(|value| f64::from(*value)).collect();
        Array2::from_shape_vec((n, n), values).expect("a square")
    }

    fn table(&self) -> Array2<f64> {
        let question = TableTile {
            of: FIRST,
            limit: 2048,
        };
        let tile = ask(&self.session, question).expect("a table");
        assert!(tile.is_exact());
        let values = tile.values.iter().map(|value| f64::from(*value)).collect();
        Array2::from_shape_vec((tile.height(), tile.width()), values).expect("a table")
    }

    /// Computes a matrix from its definition, directly and in double precision. For positions without a table and for
    /// the first layer, a small tile gives the same cells in another way.
    fn expected(&self, of: &MatrixId) -> Array2<f64> {
        let f = |n: usize, kernels: &Kernels| {
            Array2::from_shape_fn((n, n), |(i, j)| kernels.at(j as f64 - i as f64))
        };
        let is_causal = self.cells == AttentionMask::Causal;
        let leading = |n: usize| {
            let there = n.min(self.summary.rows);
            self.scores()
                .slice(ndarray::s![..there, ..there])
                .to_owned()
        };
        let hidden = |mut all: Array2<f64>| {
            for ((i, j), value) in all.indexed_iter_mut() {
                if is_causal && j > i {
                    *value = f64::NAN;
                }
            }
            all
        };
        match of {
            MatrixId::Table(_) => self.table(),
            MatrixId::Positions(_, Similarity::InnerProduct, _)
                if self.summary.kind == PositionKind::Table =>
            {
                let table = self.table();
                table.dot(&table.t())
            }
            MatrixId::Positions(_, Similarity::Cosine, _)
                if self.summary.kind == PositionKind::Table =>
            {
                let table = reference::unit_rows(&self.table());
                table.dot(&table.t())
            }
            MatrixId::Head(..) => hidden(self.scores()),
            MatrixId::HeadDifference(_, second, _) => {
                hidden(self.scores() - self.scores_of(*second))
            }
            MatrixId::Kernels(kernels, n, _) => hidden(f(*n, kernels)),
            MatrixId::Added(kernels, n, ..) => hidden(leading(*n) + f(*n, kernels)),
            MatrixId::Attention(kernels, n, _, head) => {
                let scores = match head {
                    Some(_) => {
                        let scores = leading(*n);
                        let there = scores.nrows();
                        scores + f(there, kernels)
                    }
                    None => f(*n, kernels),
                };
                let attention = hidden(reference::softmax(&scores, is_causal));
                // Cells beyond the head's positions are NaN.
                let there = attention.nrows();
                let at = |(i, j): (usize, usize)| match i < there && j < there {
                    true => attention[[i, j]],
                    false => f64::NAN,
                };
                Array2::from_shape_fn((*n, *n), at)
            }
            MatrixId::Positions(..) | MatrixId::FirstLayer(..) => self.by_diagonals(of),
        }
    }

    /// Reads a matrix from its exact tile (at most 2048 cells per side).
    fn by_diagonals(&self, of: &MatrixId) -> Array2<f64> {
        let whole = MatrixTile {
            of: of.clone(),
            window: None,
            limit: 2048,
        };
        let tile = ask(&self.session, whole).expect("a tile");
        assert!(tile.is_exact());
        let values = tile.values.iter().map(|value| f64::from(*value)).collect();
        Array2::from_shape_vec((tile.height(), tile.width()), values).expect("a matrix")
    }

    fn save(&self, of: &MatrixId, format: MatrixFormat) -> Vec<u8> {
        save(&self.session, of, format, None)
    }
}

fn kernels() -> Kernels {
    Kernels(vec![
        Kernel::new(2.0, 0.1, -1.0),
        Kernel::new(-0.75, 0.01, 4.0),
    ])
}

#[test]
fn every_figure_of_a_matrix_is_saved_cell_by_cell() {
    for case in Case::all() {
        for FigureSpec { id, numbers, .. } in specs() {
            if *numbers == FileNumbers::Table {
                continue;
            }
            let Some(of) = case.matrix(*id) else {
                continue;
            };
            let name = format!("{}, {}", case.name, id.id());
            let expected = case.expected(&of);
            let (rows, columns) = expected.dim();
            let n = match id {
                FigureId::FitAttention | FigureId::FitHeadAttention => case.n,
                FigureId::PositionMatrix
                | FigureId::TrainingMatrix
                | FigureId::HeadMatrix
                | FigureId::HeadDifference
                | FigureId::PositionTable
                | FigureId::TrainingTable => case.summary.rows,
                _ => case.beside(),
            };
            assert_eq!(rows, n, "{name}");
            let width = match of {
                MatrixId::Table(_) => case.summary.width,
                _ => n,
            };
            assert_eq!(columns, width, "{name}");
            let (shape, values) = npy(&case.save(&of, MatrixFormat::Npy));
            assert_eq!(shape, (rows, columns), "{name}: no column is of labels");
            let (keys, in_csv) = csv(case.save(&of, MatrixFormat::Csv));
            assert_eq!(keys, (0..columns).collect::<Vec<_>>(), "{name}");
            assert_eq!(in_csv.len(), rows, "{name}");
            let size = expected.iter().filter(|value| value.is_finite());
            let size = size.fold(0.0, |size: f64, value| size.max(value.abs()));
            for (((i, j), expected), value) in expected.indexed_iter().zip(&values) {
                assert_eq!(in_csv[i][j].to_bits(), value.to_bits(), "{name}, {i}, {j}");
                let is_near = (f64::from(*value) - expected).abs() <= 2e-5 * size;
                assert!(
                    is_near || value.is_nan() && expected.is_nan(),
                    "{name}, cell {i}, {j}: {value} and not {expected}"
                );
            }
        }
    }
}

/// The first layer is drawn in blocks and exported cell by cell.
#[test]
fn the_first_layer_is_saved_finer_than_it_is_drawn() {
    let (session, summary) = golden_minilm::open();
    let question = FirstLayerAttention {
        of: head_of_first(ScoreMode::AsComputed, 0, HEAD),
        kernels: kernels(),
        n: summary.rows,
        cells: AttentionMask::Whole,
        words: Vec::new(),
    };
    let maps = ask(&session, question.clone()).expect("maps");
    for (way, map) in FirstLayerWay::ALL.into_iter().zip(&maps) {
        assert!(map.tile.row_step > 1, "the picture is of blocks");
        let of = MatrixId::FirstLayer(Box::new(question.clone()), way);
        let (shape, values) = npy(&save(&session, &of, MatrixFormat::Npy, None));
        assert_eq!(shape, (summary.rows, summary.rows));
        let values = values.iter().map(|value| f64::from(*value)).collect();
        let cells = Array2::from_shape_vec(shape, values).expect("a square");
        for row in cells.rows() {
            assert!((row.sum() - 1.0).abs() < 1e-4, "{way:?}: {}", row.sum());
        }
        let means = reference::block_means(&cells, map.tile.row_step);
        for (mean, drawn) in means.iter().zip(&map.tile.values) {
            assert!((mean - f64::from(*drawn)).abs() < 1e-6, "{way:?}");
        }
    }
}

/// For at most 7 blocks per side, and for 2048, which gives one cell per block.
#[test]
fn a_tile_of_any_matrix_is_the_block_means_of_its_file() {
    for case in Case::all() {
        for FigureSpec { id, numbers, .. } in specs() {
            let is_matrix = *numbers == FileNumbers::Matrix;
            let Some(of) = is_matrix.then(|| case.matrix(*id)).flatten() else {
                continue;
            };
            let name = format!("{}, {}", case.name, id.id());
            let (shape, values) = npy(&case.save(&of, MatrixFormat::Npy));
            let values = values.iter().map(|value| f64::from(*value)).collect();
            let cells = Array2::from_shape_vec(shape, values).expect("a matrix");
            let size = cells.iter().filter(|value| value.is_finite());
            let size = size.fold(0.0, |size: f64, value| size.max(value.abs()));
            for limit in [7, 2048] {
                let question = MatrixTile {
                    of: of.clone(),
                    window: None,
                    limit,
                };
                let tile = ask(&case.session, question).expect("a tile");
                if tile.row_step != tile.col_step {
                    continue;
                }
                let means = reference::block_means(&cells, tile.row_step);
                assert_eq!((tile.height(), tile.width()), means.dim(), "{name}");
                for (((p, q), mean), drawn) in means.indexed_iter().zip(&tile.values) {
                    // Blocks on the diagonal of a causal map also average hidden cells, which are NaN in the file.
                    let is_cut = case.cells == AttentionMask::Causal && p == q && tile.row_step > 1;
                    let is_near = (mean - f64::from(*drawn)).abs() <= 2e-5 * size;
                    assert!(
                        is_near || is_cut || mean.is_nan() && drawn.is_nan(),
                        "{name}, block {p}, {q} of {limit}: {drawn} and not {mean}"
                    );
                }
            }
        }
    }
}

#[test]
fn hidden_cells_are_no_numbers_in_every_file() {
    let session = with_bert();
    let kernels = Kernels(vec![Kernel::new(2.0, 0.1, -1.0)]);
    let head = head_of_first(ScoreMode::AsComputed, 1, 2);
    let n = 48;
    type Matrix<'a> = &'a dyn Fn(AttentionMask) -> MatrixId;
    let of_kernels: Matrix<'_> = &|cells| MatrixId::Kernels(kernels.clone(), n, cells);
    let of_attention: Matrix<'_> = &|cells| MatrixId::Attention(kernels.clone(), n, cells, None);
    let of_added: Matrix<'_> = &|cells| MatrixId::Attention(kernels.clone(), n, cells, Some(head));
    let of_head: Matrix<'_> = &|cells| MatrixId::Head(head, cells);
    let of_sum: Matrix<'_> = &|cells| MatrixId::Added(kernels.clone(), n, cells, head);
    let window = Window {
        rows: 5..40,
        cols: 11..33,
    };
    for (name, matrix) in [
        ("kernels", of_kernels),
        ("attention", of_attention),
        ("attention with a head", of_added),
        ("head", of_head),
        ("kernels added to a head", of_sum),
    ] {
        for cells in [AttentionMask::Whole, AttentionMask::Causal] {
            let saved = |format| save(&session, &matrix(cells), format, Some(window.clone()));
            let (keys, rows) = csv(saved(MatrixFormat::Csv));
            assert_eq!(keys, window.cols.clone().collect::<Vec<_>>());
            let (shape, values) = npy(&saved(MatrixFormat::Npy));
            assert_eq!((rows.len(), shape), (35, (35, 22)));
            for (at, value) in values.iter().enumerate() {
                let (row, column) = (at / 22, at % 22);
                let (i, j) = (row + window.rows.start, column + window.cols.start);
                let hidden = cells == AttentionMask::Causal && j > i;
                assert_eq!(value.is_nan(), hidden, "{name}, NPY, cell {i}, {j}");
                let in_csv = rows[row][column];
                assert_eq!(
                    in_csv.to_bits(),
                    value.to_bits(),
                    "{name}, CSV, cell {i}, {j}"
                );
            }
        }
    }
}

#[test]
fn seen_cells_of_a_row_of_attention_make_one() {
    let session = with_bert();
    let kernels = Kernels(vec![Kernel::new(2.0, 0.1, -1.0)]);
    let head = head_of_first(ScoreMode::Paper, 0, 0);
    for (cells, head) in [
        (AttentionMask::Causal, None),
        (AttentionMask::Whole, None),
        (AttentionMask::Causal, Some(head)),
    ] {
        let matrix = MatrixId::Attention(kernels.clone(), 32, cells, head);
        let (_, values) = npy(&save(&session, &matrix, MatrixFormat::Npy, None));
        for row in values.chunks_exact(32) {
            let sum: f32 = row.iter().filter(|value| !value.is_nan()).sum();
            assert!((sum - 1.0).abs() < 1e-5, "{sum}");
        }
    }
}
