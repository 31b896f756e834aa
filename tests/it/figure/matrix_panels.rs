//! Several matrices as one figure: their layout, their scales, their table, and finer blocks for saved pictures.

use super::pictures::tile;
use diagonal::{
    analysis::{MatrixId, MatrixPart, ModelVersion, Similarity},
    export::{FigureLabels, Heading, Sheet, SheetWidth},
    figure::{
        ColorMap, Cursor, Figure, Heatmap, Mark, ModelMatrix, ValueRange, matrices_caption,
        model_matrices,
    },
    math::{OffsetR2, Window},
};
use proptest::prelude::*;
use std::sync::Arc;

/// The matrix of a model of n positions, drawn in blocks of `step` cells, with values up to `size`.
fn model(name: &str, n: usize, step: usize, size: f32) -> ModelMatrix {
    let version = ModelVersion { id: 7, revision: 1 };
    let cells = tile(Window::whole(n, n), step, |i, j| {
        size * (1.0 - i.abs_diff(j) as f32 / n as f32)
    });
    ModelMatrix {
        name: name.into(),
        r2: OffsetR2::from_numbers(0.75, 0.5),
        matrix: Heatmap::matrix(Arc::new(cells), ColorMap::Diverging, 0.0).of_positions(),
        source: MatrixId::Positions(version, Similarity::InnerProduct, MatrixPart::Whole),
        is_relative: false,
        is_on_shared_scale: true,
    }
}

fn models() -> Vec<ModelMatrix> {
    let missing = OffsetR2::from_numbers(f64::NAN, f64::NAN);
    vec![
        model("minilm-l6", 48, 1, 4.0),
        model("a name that is far too long for any panel", 96, 4, 2.0),
        ModelMatrix {
            r2: missing,
            is_on_shared_scale: false,
            ..model("<b>, \"c\"", 16, 1, 1e6)
        },
    ]
}

fn shared() -> ValueRange {
    ValueRange {
        ends: (-4.0, 4.0),
        values: (0.0, 4.0),
    }
}

/// For the `pictures` tests.
pub(crate) fn pictures() -> Vec<(&'static str, Box<dyn Figure>, Option<Cursor>)> {
    let figure = |shared| Box::new(model_matrices(&models(), shared).expect("a figure"));
    vec![
        ("compare-matrices", figure(Some(shared())), None),
        ("compare-matrices-separate", figure(None), None),
    ]
}

#[test]
fn the_table_has_a_row_for_each_panel() {
    let csv = |shared| {
        let figure = model_matrices(&models(), shared).expect("a figure");
        figure.table().csv()
    };
    let text = csv(Some(shared()));
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(
        lines[0],
        "panel,model,n,r2,r2_off_diagonal,least,greatest,scale_least,scale_greatest,block"
    );
    assert!(
        lines[1].starts_with("a,minilm-l6,48,0.75,0.5,"),
        "{}",
        lines[1]
    );
    assert!(lines[1].ends_with(",4,-4,4,1"), "{}", lines[1]);
    assert!(lines[2].ends_with(",2,-4,4,4"), "{}", lines[2]);
    assert!(
        lines[3].ends_with(",1000000,-1000000,1000000,1"),
        "{}",
        lines[3]
    );
    assert_eq!(lines.len(), 4);
    assert!(
        csv(None)
            .lines()
            .nth(2)
            .is_some_and(|line| line.ends_with(",2,-2,2,4"))
    );
    assert!(model_matrices(&[], None).is_none());
}

#[test]
fn one_bar_is_shared_by_the_matrices_on_the_shared_scale() {
    let rasters = |shared| {
        let scene = model_matrices(&models(), shared)
            .expect("a figure")
            .scene(750.0);
        let is_raster = |mark: &&Mark| matches!(mark, Mark::Raster(..));
        scene.marks.iter().filter(is_raster).count()
    };
    // Three matrices, the bar of one that is apart, and the shared bar.
    assert_eq!(rasters(Some(shared())), 5);
    assert_eq!(rasters(None), 6);
}

#[test]
fn the_caption_tells_scores_from_similarities() {
    let mut models = models();
    let caption = matrices_caption(&models, Similarity::Cosine);
    assert_eq!(
        caption,
        "Colour: cosine of two positions. R² is without k = 0."
    );
    models[1].is_relative = true;
    models[1].name = "t5-small".into();
    let caption = matrices_caption(&models, Similarity::InnerProduct);
    assert!(
        caption.starts_with("Colour: inner product of two positions; of t5-small, score by offset"),
        "{caption}"
    );
    for model in &mut models {
        model.is_relative = true;
    }
    let caption = matrices_caption(&models, Similarity::Cosine);
    assert!(caption.starts_with("Colour: score by offset"), "{caption}");
}

proptest! {
    /// Matrices of a row are equally large squares inside the figure, in reading order, whatever their number.
    #[test]
    fn panels_of_a_row_are_equally_large(count in 1..14_usize, width in 150.0..1200.0_f64, is_shared: bool) {
        let models: Vec<ModelMatrix> = (0..count).map(|at| model("m", 8 + 8 * at, 1, 1.0)).collect();
        let figure = model_matrices(&models, is_shared.then(shared)).expect("a figure");
        let matrices: Vec<_> = figure.scene(width).marks.into_iter().filter_map(|mark| match mark {
            Mark::Raster(rect, raster) if raster.height > 1 => Some(rect),
            _ => None,
        }).collect();
        prop_assert_eq!(matrices.len(), count);
        for rect in &matrices {
            prop_assert!((rect.width - matrices[0].width).abs() < 1e-9 && (rect.width - rect.height).abs() < 1e-9);
            prop_assert!(rect.x >= 0.0 && rect.right() <= width + 1e-9);
        }
        for two in matrices.windows(2) {
            prop_assert!(two[1].x > two[0].right() || two[1].y > two[0].bottom());
        }
    }

    /// Every saved panel has as many blocks as dots, unless each block is a cell.
    #[test]
    fn saved_panels_are_as_fine_as_their_dots(count in 1..7_usize, is_wide: bool, step in 1..9_usize) {
        let models: Vec<ModelMatrix> = (0..count).map(|_| model("m", 512, step, 1.0)).collect();
        let figure = model_matrices(&models, None).expect("a figure");
        let words = FigureLabels::default();
        let sheet = Sheet {
            figure: &figure,
            title: "",
            subject: "",
            words: &words,
            width: if is_wide { SheetWidth::Page } else { SheetWidth::Column },
            heading: Heading::Title,
        };
        let width = sheet.figure_width();
        let questions = figure.finer_tiles(width, Sheet::DOTS);
        let answers: Vec<_> = questions.into_iter().map(|(at, question)| {
            let step = Window::whole(512, 512).step(question.limit);
            (at, tile(Window::whole(512, 512), step, |i, j| (i + j) as f32))
        }).collect();
        let finer = figure.with_tiles(answers).expect("a figure");
        prop_assert!(finer.finer_tiles(width, Sheet::DOTS).is_empty());
        for mark in finer.scene(width).marks {
            if let Mark::Raster(rect, raster) = mark && raster.height > 1 {
                let dots = (rect.width * Sheet::DOTS).round() as usize;
                prop_assert!(512_usize.div_ceil(raster.width) <= 512_usize.div_ceil(dots), "{} for {dots} dots", raster.width);
            }
        }
    }
}
