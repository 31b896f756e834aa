//! A position table beside a sinusoidal one: correlations of neighbours, and the figure.

use super::pictures::tile;
use crate::{
    analysis::golden_minilm,
    support::questions::{FIRST, ask, folder, open},
};
use diagonal::{
    analysis::{MemorySession, SmoothTable, TablePair, TableTile},
    encoding::Sinusoidal,
    figure::{ColorMap, Cursor, Figure, table_pair},
    math::{Window, reference},
    model::ModelOptions,
};
use ndarray::{Array2, s};

/// Correlations of neighbouring rows and columns by the slow twin.
fn neighbours(table: &Array2<f64>) -> (f64, f64) {
    let (rows, width) = table.dim();
    let all = |_, _| true;
    let (upper, lower) = (table.slice(s![..rows - 1, ..]), table.slice(s![1.., ..]));
    let (left, right) = (table.slice(s![.., ..width - 1]), table.slice(s![.., 1..]));
    (
        reference::correlation(&upper.to_owned(), &lower.to_owned(), all),
        reference::correlation(&left.to_owned(), &right.to_owned(), all),
    )
}

#[test]
fn neighbours_correlate_as_the_slow_twin_says() {
    let bert = MemorySession::default();
    open(&bert, folder("bert"), ModelOptions::default()).expect("bert");
    for session in [bert, golden_minilm::open().0] {
        let of = FIRST;
        let limit = 2048;
        let cells = ask(&session, TableTile { of, limit }).expect("the table");
        let pair = ask(&session, TablePair { of, limit }).expect("both tables");
        assert_eq!(pair[0].tile, cells);
        let (rows, width) = (cells.height(), cells.width());
        let learned = Array2::from_shape_vec((rows, width), cells.values).expect("a matrix");
        let sinusoidal = Sinusoidal {
            rows,
            width,
            ..Sinusoidal::default()
        };
        let tables = [learned, sinusoidal.table()];
        for (table, one) in tables.iter().zip(&pair) {
            let (down, across) = neighbours(&table.mapv(f64::from));
            assert!((one.down - down).abs() < 1e-9, "{} {down}", one.down);
            assert!(
                (one.across - across).abs() < 1e-9,
                "{} {across}",
                one.across
            );
            assert_eq!(one.tile.values, table.iter().copied().collect::<Vec<f32>>());
        }
    }
}

fn tables() -> [SmoothTable; 2] {
    let table = |size: f32, down, across| SmoothTable {
        tile: tile(Window::whole(16, 12), 1, move |i, j| {
            size * ((i + 5 * j) % 8) as f32
        }),
        down,
        across,
    };
    [table(0.25, 0.875, -0.125), table(1.0, 0.75, f64::NAN)]
}

/// The figure, for the `pictures` tests.
pub(crate) fn pictures() -> Vec<(&'static str, Box<dyn Figure>, Option<Cursor>)> {
    let figure = table_pair(&tables(), ColorMap::Diverging, 0.0);
    vec![("table-pair", Box::new(figure), None)]
}

#[test]
fn the_figure_states_both_correlations() {
    let figure = table_pair(&tables(), ColorMap::Diverging, 0.0);
    let csv = figure.table().csv();
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(
        lines[0],
        "table,positions,dimensions,least,greatest,r_down,r_across"
    );
    assert_eq!(lines[1], "model,16,12,0,1.75,0.875,-0.125");
    assert_eq!(lines.len(), 3);
    assert!(
        figure.summary().contains("r = 0.875"),
        "{}",
        figure.summary()
    );
}
