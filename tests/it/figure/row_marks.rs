//! Marks at the breaks of a position table: on figures with an axis of rows, where that axis shows them.

use super::pictures::tile;
use diagonal::{
    figure::{ColorMap, Cursor, Figure, FlatLines, Heatmap, Mark, RowMark, row_marks},
    math::{Seam, TableBreaks, UntrainedTail, Window},
};
use std::sync::Arc;

/// A seam at rows 3 to 5 and an untrained tail from row 30 on.
fn marks() -> Vec<RowMark> {
    row_marks(&TableBreaks {
        seams: vec![Seam {
            last_before: 3,
            first_behind: 5,
            cosines: vec![0.4, 0.5],
            before: 0.9,
            behind: 0.9,
        }],
        tail: Some(UntrainedTail {
            first: 30,
            norm: 0.25,
            cosine: 0.0,
            norm_before: 1.0,
            cosine_before: 0.9,
        }),
    })
}

fn cells(window: Window) -> Arc<diagonal::math::Tile> {
    Arc::new(tile(window, 1, |i, j| {
        if i.max(j) < 30 {
            24.0 - i.abs_diff(j) as f32
        } else {
            0.0
        }
    }))
}

fn matrix(rows: std::ops::Range<usize>) -> Heatmap {
    let window = Window {
        cols: rows.clone(),
        rows,
    };
    let matrix = Heatmap::matrix(cells(window), ColorMap::Hot, 0.0);
    matrix.of_positions().with_row_marks(marks())
}

fn lines() -> FlatLines {
    let line = |distance: usize| {
        let rows = 0..48 - distance;
        rows.map(|i| if i < 30 { 24.0 - distance as f64 } else { 0.0 })
            .collect()
    };
    FlatLines::for_learned_table(&[0, 6], &[line(0), line(6)])
}

pub(crate) fn pictures() -> Vec<(&'static str, Box<dyn Figure>, Option<Cursor>)> {
    let lines = lines().with_row_marks(marks());
    vec![
        ("matrix-breaks", Box::new(matrix(0..48)), None),
        ("flat-lines-breaks", Box::new(lines), None),
    ]
}

/// The labels that a figure writes, at a width.
fn labels(figure: &dyn Figure, width: f64) -> Vec<String> {
    let texts = figure.scene(width).marks.into_iter();
    let texts = texts.filter_map(|mark| match mark {
        Mark::Text { text, .. } => Some(text),
        _ => None,
    });
    let marks = marks();
    texts
        .filter(|text| marks.iter().any(|mark| mark.label == *text))
        .collect()
}

#[test]
fn marks_are_drawn_where_the_axis_shows_them() {
    let marks = marks();
    let all = ["seam 3–5", "untrained from 30"];
    assert_eq!(
        marks.iter().map(|mark| &*mark.label).collect::<Vec<_>>(),
        all
    );
    assert_eq!(
        marks.iter().map(|mark| mark.at).collect::<Vec<_>>(),
        [4.5, 30.0]
    );
    let table = Heatmap::table(cells(Window::whole(48, 16)), ColorMap::Hot, 0.0);
    let figures: [(Box<dyn Figure>, &[&str]); 7] = [
        (Box::new(matrix(0..48)), &all),
        (Box::new(matrix(5..48)), &all[1..]),
        (Box::new(matrix(0..30)), &all[..1]),
        (Box::new(table.clone()), &[]),
        (Box::new(table.with_row_marks(marks.clone())), &all),
        (Box::new(lines()), &[]),
        (Box::new(lines().with_row_marks(marks)), &all),
    ];
    for (figure, expected) in figures {
        assert_eq!(labels(&*figure, 600.0), expected);
        let summary = figure.summary();
        for label in all {
            assert_eq!(
                summary.contains(label),
                expected.contains(&label),
                "{summary}"
            );
        }
    }
    // A small matrix among others has no axis of rows.
    assert_eq!(
        labels(&matrix(0..48).small(true), 600.0),
        Vec::<String>::new()
    );
}
