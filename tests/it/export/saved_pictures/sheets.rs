//! Sheets: size, heading, and what is left out of a figure that is saved.

use super::{font, matrix, provenance, sheet_of, texts, with_outliers, words};
use crate::figure::pictures::{name_of, tile};
use crate::support::root;
use diagonal::{
    export::{Background, FigureLabels, Heading, Sheet, SheetWidth, TextOutlines, document},
    figure::{
        Axis, ColorMap, Figure, Handle, Heatmap, Ink, Mark, Plot, Raster, Series, Table, Thumbnail,
        Thumbnails,
    },
    math::Window,
};
use proptest::prelude::*;
use std::sync::Arc;

#[test]
fn a_saved_matrix_is_as_it_was() {
    let scene = sheet_of(
        &matrix(),
        &words("position-matrix", "?view=positions&compare=cosine"),
        SheetWidth::Column,
    );
    let now = document(
        &scene,
        Background::White,
        &provenance("minilm-l6: How alike are two positions?"),
        name_of,
    );
    let path = root().join("tests/saved/matrix-column.svg");
    if std::env::var_os("UPDATE_SNAPSHOTS").is_some_and(|value| value == "1") {
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(&path, &now).expect("a snapshot");
    }
    let before = std::fs::read_to_string(&path).expect("a snapshot");
    assert!(before == now, "{} has changed", path.display());
}

#[test]
fn a_column_is_84_millimetres_and_its_type_between_6_and_9_points() {
    let scene = sheet_of(&matrix(), &FigureLabels::default(), SheetWidth::Column);
    let millimetres = |pixels: f64| pixels * Sheet::MILLIMETRES;
    assert!((millimetres(scene.width) - 84.0).abs() < 1e-9);
    assert!((millimetres(SheetWidth::Page.pixels()) - 175.0).abs() < 1e-9);
    for pixels in [10.0, 11.0, 12.0, 13.0] {
        let points = millimetres(pixels) / 25.4 * 72.0;
        assert!((6.0..9.0).contains(&points), "{pixels} px are {points} pt");
    }
    // 992 dots at 300 dots per inch.
    assert_eq!((scene.width * Sheet::DOTS).round(), 992.0);
}

#[test]
fn selections_and_grips_stay_on_the_page() {
    let cell = |at: usize| {
        let small = tile(Window::whole(6, 6), 1, |i, j| i.abs_diff(j) as f32);
        Thumbnail::new(
            small,
            ColorMap::Diverging,
            (at / 6, at % 6),
            format!("0.{at:02}"),
        )
    };
    let heads = |open| Thumbnails {
        cells: (0..12).map(cell).collect(),
        per_row: Some(6),
        open,
        table: Table::new(),
        summary: String::new(),
    };
    let words = words("head-grid", "?view=heads");
    let (open, closed) = (heads(Some((1, 2))), heads(None));
    assert_ne!(open.scene(360.0), closed.scene(360.0));
    let sheet = |heads: &Thumbnails| sheet_of(heads, &words, SheetWidth::Column);
    assert_eq!(sheet(&open), sheet(&closed));
    assert!(texts(&sheet(&open)).contains(&"heads of a layer in reading order"));

    let handle = |k, hollow| Handle {
        k,
        value: 1.0,
        ink: Ink::Category(0),
        hollow,
    };
    let lines = Plot::over(Axis::Offset).series([Series::new("f", -8, vec![1.0; 17])]);
    let pulled = lines
        .clone()
        .handles([handle(-2.0, false), handle(3.0, true)]);
    let is_dot = |mark: &Mark| matches!(mark, Mark::Dot { .. });
    assert!(pulled.scene(360.0).marks.iter().any(is_dot));
    let scene = sheet_of(&pulled, &FigureLabels::default(), SheetWidth::Column);
    assert!(!scene.marks.iter().any(is_dot));
}

#[test]
fn a_heading_can_be_left_out() {
    let font = font();
    let letters = TextOutlines::read(&font).expect("a font");
    let (figure, words) = (matrix(), words("position-matrix", ""));
    let with = |heading| {
        let sheet = Sheet {
            figure: &figure,
            title: "How alike are two positions?",
            subject: "minilm-l6, 512 positions, width 384",
            words: &words,
            width: SheetWidth::Column,
            heading,
        };
        sheet.scene(&letters)
    };
    let (titled, plain) = (with(Heading::Title), with(Heading::Nothing));
    let (all, rest) = (texts(&titled), texts(&plain));
    // The title and the subject are removed, and the rest keeps its order.
    assert_eq!(all[2..], rest[..]);
    assert!(all[0].contains("How alike") && all[1].contains("minilm-l6"));
    assert!(titled.height - plain.height > 30.0);
}

proptest! {
    #[test]
    fn no_title_leaves_the_sheet(title in any::<String>(), subject in "\\PC{0,400}") {
        let font = font();
        let letters = TextOutlines::read(&font).expect("a font");
        let words = FigureLabels::default();
        let figure = Plot::over(Axis::Offset);
        let sheet = Sheet {
            figure: &figure,
            title: &title,
            subject: &subject,
            words: &words,
            width: SheetWidth::Column,
            heading: Heading::Title,
        };
        let scene = sheet.scene(&letters);
        prop_assert!(scene.height < 400.0);
    }
}

#[test]
fn a_sheet_knows_how_many_blocks_its_matrix_has_room_for() {
    let (figure, words) = (matrix(), words("position-matrix", ""));
    let dots = |width| {
        let sheet = Sheet {
            figure: &figure,
            title: "",
            subject: "",
            words: &words,
            width,
            heading: Heading::Title,
        };
        sheet.plot_dots().expect("a matrix has a frame")
    };
    // 84 and 175 mm at 300 dots per inch, minus the margins.
    assert!((750..992).contains(&dots(SheetWidth::Column)));
    assert!((1700..2067).contains(&dots(SheetWidth::Page)));
}

#[test]
fn cells_are_enlarged_to_the_dots_of_a_page() {
    let scene = sheet_of(&matrix(), &FigureLabels::default(), SheetWidth::Column);
    let sizes = std::cell::RefCell::new(Vec::new());
    let name = |raster: &Raster| {
        assert_eq!(raster.rgba.len(), 4 * raster.width * raster.height);
        sizes.borrow_mut().push((raster.width, raster.rgba.clone()));
        String::new()
    };
    let _ = document(&scene, Background::White, &provenance(""), name);
    let sizes = sizes.into_inner();
    let (width, rgba) = &sizes[0];
    // 24 cells over about 300 pixels of 2.76 dots each.
    assert_eq!((width % 24, width / 24), (0, 35));
    // The first cell has one colour and the next one another.
    let pixel = |at: usize| &rgba[4 * at..4 * at + 4];
    assert_eq!(pixel(0), pixel(34));
    assert_eq!(pixel(0), pixel(34 * width));
    assert_ne!(pixel(34), pixel(35));
}

#[test]
fn finer_blocks_leave_a_matrix_in_its_dress() {
    let coarse = with_outliers(-2.0, 4.0, 4, Some((-3.0, 5.0))).small(true);
    let fine = with_outliers(-2.5, 4.5, 1, None);
    let exchanged = coarse.clone().with_tile(Arc::new(fine.tile().clone()));
    assert_eq!(exchanged.range(), fine.range());
    assert_eq!(exchanged.raster(), fine.raster());
    let named = |figure: &Heatmap| texts(&figure.scene(400.0)).join(" ");
    assert!(!named(&exchanged).contains("means of"));
    // A shared range stays shared.
    let shared = coarse.with_range((-1.0, 1.0));
    let exchanged = shared.with_tile(Arc::new(fine.tile().clone()));
    assert_eq!(exchanged.range().ends, (-1.0, 1.0));
}
