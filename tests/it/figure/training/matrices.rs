//! Position matrices and tables side by side.

use super::{N, numbers, runs, trained_run, with_kernels, with_table, without_positions};
use diagonal::figure::{
    ColorMap, Figure, ValueRange,
    training::{RunHistory, RunMatrix, matrix_range, run_matrices, run_tables, table_range},
};

const MAP: ColorMap = ColorMap::Viridis;

#[test]
fn the_table_has_a_row_for_each_panel() {
    let figure = run_matrices(&runs(), RunMatrix::InnerProducts, MAP, 0.0).expect("positions");
    let csv = figure.table().csv();
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(
        lines,
        [
            "panel,model,step,n,r2,r2_off_diagonal,least,greatest,scale_least,scale_greatest",
            "a,chain · learned,20,16,0.5,0.25,0.125,6.25,0,7.75",
            "b,chain · tisa2,20,16,0.5,0.25,0.125,6.25,0,7.75",
        ]
    );
    assert_eq!(figure.places(640.0).len(), 2);
    assert_eq!(
        figure.summary(),
        "Inner products of positions, those of tables on one colour scale. chain · learned: R² 0.250 at step 20, values from 0.125 to \
         6.25; chain · tisa2: R² 0.250 at step 20, values from 0.125 to 6.25."
    );
}

#[test]
fn colours_mean_the_same_at_every_step() {
    let at = |place: usize| {
        let run = with_table();
        RunHistory {
            current: run.reports.get(place).cloned(),
            ..run
        }
    };
    for part in [RunMatrix::InnerProducts, RunMatrix::Cosines] {
        let ranges = [0, 1, 3].map(|place| matrix_range(&[at(place)], part, MAP, 0.0));
        assert!(ranges[0].is_some() && ranges.iter().all(|range| *range == ranges[0]));
    }
    let ranges = [0, 3].map(|place| table_range(&[at(place)], MAP, 0.0));
    assert!(ranges[0].is_some() && ranges[0] == ranges[1]);
    // A run that joins may widen the range, and one without positions does not.
    let alone = matrix_range(&[with_table()], RunMatrix::Cosines, MAP, 0.0);
    let both = [with_table(), without_positions()];
    assert_eq!(matrix_range(&both, RunMatrix::Cosines, MAP, 0.0), alone);
}

#[test]
fn the_current_state_counts_even_between_snapshots() {
    let mut run = with_table();
    let mut latest = (**run.reports.last().expect("a report")).clone();
    latest.step = 500;
    let positions = latest.positions.as_mut().expect("positions");
    positions.inner_products.tile.values[0] = 100.0;
    run.current = Some(latest.into());
    let range = matrix_range(&[run], RunMatrix::InnerProducts, MAP, 0.0);
    assert_eq!(range.map(|range| range.ends.1), Some(100.0));
}

#[test]
fn a_residual_has_no_diagonal_means() {
    let range = |run: RunHistory| matrix_range(&[run], RunMatrix::Residual, MAP, 0.0);
    // The pattern of ±1/4 minus the means of its diagonals, the short ones of which are not zero.
    let ValueRange { values, .. } = range(with_table()).expect("positions");
    assert!(values.0 > -0.4 && values.1 < 0.4, "{values:?}");
    assert!(values.0 < -0.2 && values.1 > 0.2, "{values:?}");
    let trained = range(trained_run("chain.tisa2.n16d16l2h2r2b4.1.20"));
    let ValueRange { values, .. } = trained.expect("scores by offset");
    assert!(values.0.abs().max(values.1.abs()) < 1e-5, "{values:?}");
    // R² is that of the inner products.
    let figure = run_matrices(&[with_table()], RunMatrix::Residual, MAP, 0.0);
    let table = figure.expect("positions").table();
    assert_eq!(numbers(&table, "r2"), [0.5]);
    assert_eq!(numbers(&table, "n"), [N as f64]);
}

#[test]
fn only_tables_are_drawn_as_tables() {
    let figure = run_tables(&runs(), MAP, 0.0).expect("a table");
    let table = figure.table();
    assert_eq!(table.rows(), 1);
    assert_eq!(numbers(&table, "scale_greatest"), [4.0 * 1.875 - 2.0]);
    assert!(run_tables(&[with_kernels()], MAP, 0.0).is_none());
    let none = [without_positions(), RunHistory::default()];
    assert!(run_matrices(&none, RunMatrix::Cosines, MAP, 0.0).is_none());
}
