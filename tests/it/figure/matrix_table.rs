//! The table of a drawn matrix: a row per query, a column per key.

use diagonal::{
    encoding::Sinusoidal,
    figure::{ColorMap, Column, Figure, Heatmap, Table},
    lesson_checks::{LessonValue, read},
    math::{Tile, Window},
};
use lesson_format::{Number, NumberSource};
use ndarray::Array2;
use std::sync::Arc;

use crate::support::questions::{csv, npy};

const ENCODING: Sinusoidal = Sinusoidal {
    rows: 96,
    width: 32,
    base: 100.0,
};

/// The inner products of the rows of a sinusoidal table.
fn products() -> Array2<f32> {
    let table = ENCODING.table();
    table.dot(&table.t())
}

fn part(rows: std::ops::Range<usize>, cols: std::ops::Range<usize>, limit: usize) -> Arc<Tile> {
    let window = Window { rows, cols };
    Arc::new(Tile::from_matrix(products().view(), window, limit))
}

fn table(tile: Arc<Tile>) -> Table {
    Heatmap::matrix(tile, ColorMap::Hot, 0.0).table()
}

fn value(text: &str, table: &Table) -> Result<LessonValue, String> {
    let NumberSource::Figure { reading, rows, .. } = Number::parse(text)?.of else {
        return Err("of a model".to_owned());
    };
    read(&reading, &rows, table)
}

fn number(text: &str, table: &Table) -> f64 {
    let value = value(text, table).unwrap_or_else(|why| panic!("{text}: {why}"));
    value.number().expect("a number")
}

#[test]
fn every_cell_of_a_window_is_read_by_its_query_and_key() {
    let table = table(part(40..72, 30..90, 60));
    for (i, j) in [(40, 30), (41, 47), (71, 89), (55, 55)] {
        let read = number(&format!("p: key_{j} where query={i}"), &table);
        // Sines and cosines of one frequency give the cosine of the difference.
        let expected = ENCODING.inner_product(j - i);
        assert!(
            (read - expected).abs() < 1e-4,
            "{i}, {j}: {read} {expected}"
        );
    }
    // All queries count, not only the listed ones.
    let most = number("p: query at max key_47", &table);
    assert_eq!(most, 47.0);
    assert_eq!(number("p: count", &table), 32.0);
    assert_eq!(number("p: count where query>=60", &table), 12.0);
    assert!((number("p: mean key_47 where query=47", &table) - 16.0).abs() < 1e-4);
}

#[test]
fn what_a_window_leaves_out_is_not_there() {
    let table = table(part(40..72, 30..90, 60));
    for (text, why) in [
        (
            "p: key_29 where query=50",
            "the table has no column “key_29”",
        ),
        (
            "p: key_90 where query=50",
            "the table has no column “key_90”",
        ),
        ("p: key_x where query=50", "the table has no column “key_x”"),
        (
            "p: key_-1 where query=50",
            "the table has no column “key_-1”",
        ),
        ("p: key where query=50", "the table has no column “key”"),
        ("p: key_40 where query=39", "no row of the table fits"),
    ] {
        assert_eq!(value(text, &table), Err(why.to_owned()), "{text}");
    }
}

#[test]
fn the_mean_of_a_block_is_no_cell() {
    let table = table(part(0..96, 0..96, 32));
    let why = value("p: key_3 where query=3", &table).expect_err("means");
    assert!(why.contains("means of 3×3 cells"), "{why}");
}

#[test]
fn means_of_blocks_are_named_after_all_of_their_positions() {
    let table = table(part(40..72, 30..91, 16));
    assert_eq!(table.block_size(), Some((2, 4)));
    let names: Vec<&str> = table.names().collect();
    let expected = [
        "query",
        "key_30–33",
        "key_38–41",
        "key_46–49",
        "key_54–57",
        "key_62–65",
        "key_70–73",
        "key_78–81",
        "key_86–89",
    ];
    assert_eq!(names, expected);
    let Some(Column::Name(queries)) = table.column("query") else {
        panic!("blocks of queries have no number");
    };
    assert_eq!(queries[..2], ["40–41", "44–45"]);
    let Some(Column::Number(means)) = table.column("key_46–49") else {
        panic!("means are numbers");
    };
    let cells = [
        (44, 46),
        (44, 47),
        (44, 48),
        (44, 49),
        (45, 46),
        (45, 47),
        (45, 48),
        (45, 49),
    ];
    let expected = cells.map(|(i, j)| ENCODING.inner_product(j - i));
    let expected = expected.iter().sum::<f64>() / 8.0;
    assert!(
        (means[1] - expected).abs() < 1e-4,
        "{} {expected}",
        means[1]
    );
    // The last block is smaller.
    let last = self::table(part(0..5, 0..5, 3));
    assert_eq!(last.names().last(), Some("key_4–4"));
}

#[test]
fn files_of_a_matrix_have_all_of_its_cells() {
    let tile = part(40..72, 30..90, 60);
    let table = table(Arc::clone(&tile));
    assert_eq!(table.block_size(), None);
    let (keys, rows) = csv(table.csv().into_bytes());
    assert_eq!(keys, (30..90).collect::<Vec<_>>());
    assert_eq!(rows.concat(), tile.values);
    let (shape, values) = npy(&table.npy());
    assert_eq!((shape, values), ((32, 60), tile.values.clone()));
}

#[test]
fn a_few_rows_and_columns_are_listed_by_the_same_names() {
    let table = table(part(40..72, 30..90, 60));
    let names: Vec<&str> = table.names().collect();
    let expected = [
        "query", "key_30", "key_38", "key_46", "key_54", "key_62", "key_70", "key_78", "key_86",
    ];
    assert_eq!(names, expected);
    let Some(Column::Whole(queries)) = table.column("query") else {
        panic!("queries are whole numbers");
    };
    assert_eq!(queries[..], [40, 44, 48, 52, 56, 60, 64, 68]);
    let Some(Column::Number(listed)) = table.column("key_46") else {
        panic!("scores are numbers");
    };
    assert_eq!(listed[1], number("p: key_46 where query=44", &table));
}

#[test]
fn tables_and_maps_by_offset_have_words_of_their_own() {
    let tile = || part(0..8, 0..8, 8);
    let named = |heatmap: Heatmap| -> Vec<String> {
        heatmap.table().names().take(2).map(str::to_owned).collect()
    };
    let of_table = Heatmap::table(tile(), ColorMap::Hot, 0.0);
    assert_eq!(named(of_table), ["position", "dimension_0"]);
    let by_offset = Heatmap::offsets(tile(), ColorMap::Hot, 0.0);
    assert_eq!(named(by_offset.clone()), ["dy", "dx_-4"]);
    // (0, 0) is in the middle.
    let middle = number("p: dx_0 where dy=0", &by_offset.table());
    assert!((middle - 16.0).abs() < 1e-4, "{middle}");
}
