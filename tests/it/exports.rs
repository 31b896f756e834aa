//! Files hold what is drawn: cells that a causal model does not use are no numbers, all others are.

use diagonal::{
    analysis::{Cells, MatrixFormat, MatrixId, ScoreMode},
    encoding::{Kernel, Kernels},
    math::Window,
};

use crate::asking::{csv, head_of_first, npy, save, with_bert};

#[test]
fn hidden_cells_are_no_numbers_in_every_file() {
    let session = with_bert();
    let kernels = Kernels(vec![Kernel::new(2.0, 0.1, -1.0)]);
    let head = head_of_first(ScoreMode::AsComputed, 1, 2);
    let n = 48;
    type Matrix<'a> = &'a dyn Fn(Cells) -> MatrixId;
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
        for cells in [Cells::Whole, Cells::Causal] {
            let saved = |format| save(&session, &matrix(cells), format, Some(window.clone()));
            let (keys, rows) = csv(saved(MatrixFormat::Csv));
            assert_eq!(keys, window.cols.clone().collect::<Vec<_>>());
            let (shape, values) = npy(&saved(MatrixFormat::Npy));
            assert_eq!((rows.len(), shape), (35, (35, 22)));
            for (at, value) in values.iter().enumerate() {
                let (row, column) = (at / 22, at % 22);
                let (i, j) = (row + window.rows.start, column + window.cols.start);
                let hidden = cells == Cells::Causal && j > i;
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
        (Cells::Causal, None),
        (Cells::Whole, None),
        (Cells::Causal, Some(head)),
    ] {
        let matrix = MatrixId::Attention(kernels.clone(), 32, cells, head);
        let (_, values) = npy(&save(&session, &matrix, MatrixFormat::Npy, None));
        for row in values.chunks_exact(32) {
            let sum: f32 = row.iter().filter(|value| !value.is_nan()).sum();
            assert!((sum - 1.0).abs() < 1e-5, "{sum}");
        }
    }
}
