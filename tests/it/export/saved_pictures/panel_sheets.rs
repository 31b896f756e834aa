//! Sheets of several figures: letters, alignment, sizes, and metadata.

use super::{font, matrix, provenance, texts, words};
use crate::figure::pictures::name_of;
use crate::support::root;
use diagonal::{
    export::{
        Background, FigureLabels, Heading, MOST_PANELS, PanelSheet, Provenance, Sheet, SheetPanel,
        SheetWidth, TextOutlines, document,
    },
    figure::{Axis, Bar, BarChart, BarRow, Figure, Mark, Plot, Scene, Series, panel_letter},
};
use proptest::prelude::*;
use std::sync::Arc;

fn lines() -> Plot {
    let tent: Vec<f64> = (-20..=20).map(|k| 2.0 - f64::from(k).abs() / 8.0).collect();
    Plot::over(Axis::Offset)
        .vertical("f(k)")
        .series([Series::new("f(k)", -20, tent).in_legend()])
}

fn bars() -> BarChart {
    BarChart::log([
        BarRow::new("one", [Bar::count(1)]),
        BarRow::new("ten", [Bar::count(10)]),
    ])
}

fn panel(figure: impl Figure + Send + Sync + 'static, id: &str, hash: Option<u64>) -> SheetPanel {
    SheetPanel {
        figure: Arc::new(figure),
        title: "How alike are two positions?".to_owned(),
        subject: "minilm-l6, 512 positions, width 384".to_owned(),
        labels: words(id, ""),
        provenance: Provenance {
            hash,
            ..provenance(&format!("minilm-l6: {id}"))
        },
    }
}

fn three() -> Vec<SheetPanel> {
    vec![
        panel(matrix(), "position-matrix", Some(1)),
        panel(lines(), "offset-profile", Some(1)),
        panel(bars(), "parameter-count", None),
    ]
}

fn scene(panels: &[SheetPanel], columns: usize, width: SheetWidth, heading: Heading) -> Scene {
    let font = font();
    let letters = TextOutlines::read(&font).expect("a font");
    let sheet = PanelSheet {
        panels,
        columns,
        width,
        heading,
    };
    sheet.scene(&letters)
}

/// The tops and heights of the matrix and of the frame of lines, whose grid lines are as high as it.
fn matrix_place(scene: &Scene) -> (f64, f64) {
    let places = scene.marks.iter().filter_map(|mark| match mark {
        Mark::Raster(place, raster) if raster.height > 1 => Some((place.y, place.height)),
        _ => None,
    });
    let places: Vec<(f64, f64)> = places.collect();
    assert_eq!(places.len(), 1);
    places[0]
}

/// The lowest point of the lines of a plot that begins right of `left`: its base line.
fn base_line(scene: &Scene, left: f64) -> f64 {
    let lines = scene.marks.iter().filter_map(|mark| match mark {
        Mark::Line { points, .. } if points.len() == 2 && points[0].1 == points[1].1 => {
            Some((points[0].0, points[0].1, points[1].0 - points[0].0))
        }
        _ => None,
    });
    let wide = lines.filter(|(x, _, length)| *x > left && *length > 60.0);
    wide.map(|(_, y, _)| y).fold(0.0, f64::max)
}

#[test]
fn a_saved_sheet_of_panels_is_as_it_was() {
    let panels = three();
    let scene = scene(&panels, 2, SheetWidth::Page, Heading::Title);
    let sheet = PanelSheet {
        panels: &panels,
        columns: 2,
        width: SheetWidth::Page,
        heading: Heading::Title,
    };
    let now = document(&scene, Background::White, &sheet.provenance(), name_of);
    let path = root().join("tests/saved/panels-page.svg");
    if std::env::var_os("UPDATE_SNAPSHOTS").is_some_and(|value| value == "1") {
        std::fs::write(&path, &now).expect("a snapshot");
    }
    let before = std::fs::read_to_string(&path).expect("a snapshot");
    assert!(before == now, "{} has changed", path.display());
}

#[test]
fn plots_of_a_row_are_equally_high() {
    let scene = scene(&three()[..2], 2, SheetWidth::Page, Heading::Title);
    let (top, height) = matrix_place(&scene);
    let base = base_line(&scene, scene.width / 2.0);
    assert!(
        (base - (top + height)).abs() < 1.0,
        "{base} is not {}",
        top + height
    );
}

#[test]
fn letters_are_bold_outlines_in_reading_order() {
    let panels: Vec<SheetPanel> = (0..MOST_PANELS)
        .map(|_| panel(bars(), "parameter-count", None))
        .collect();
    let scene = scene(&panels, 3, SheetWidth::Page, Heading::Nothing);
    let outlines = scene.marks.iter().filter_map(|mark| match mark {
        Mark::Letters { text, .. } if text.len() == 1 => Some(text.as_str()),
        _ => None,
    });
    let letters: Vec<&str> = outlines
        .filter(|text| text.starts_with(char::is_alphabetic))
        .collect();
    let expected: Vec<String> = (0..MOST_PANELS).map(panel_letter).collect();
    assert_eq!(letters, expected);
    assert_eq!(expected[MOST_PANELS - 1], "l");
}

#[test]
fn headings_can_be_left_out_of_panels() {
    let panels = three();
    let with = |heading| scene(&panels, 2, SheetWidth::Page, heading);
    let (titled, plain) = (with(Heading::Title), with(Heading::Nothing));
    assert!(texts(&titled).contains(&"How alike are two positions?"));
    assert!(!texts(&plain).contains(&"How alike are two positions?"));
    assert!(plain.height < titled.height);
}

#[test]
fn metadata_are_those_of_all_panels() {
    let mut panels = three();
    let sheet = |panels: &[SheetPanel]| {
        let sheet = PanelSheet {
            panels,
            columns: 2,
            width: SheetWidth::Page,
            heading: Heading::Title,
        };
        (sheet.provenance(), sheet.file_name())
    };
    let (of_two, two) = sheet(&panels[..2]);
    assert_eq!(of_two.hash, Some(1));
    let (of_all, all) = sheet(&panels);
    assert_eq!(of_all.hash, None, "one panel shows no model");
    assert_eq!(
        of_all.title,
        "a: minilm-l6: position-matrix; b: minilm-l6: offset-profile; c: minilm-l6: parameter-count"
    );
    assert!(
        of_all
            .description
            .contains("Position table hash 0000000000000001.")
    );
    assert_eq!(of_all.source.matches("https://").count(), 3);
    assert!(all.starts_with("diagonal-sheet-3-panels-"), "{all}");
    assert_ne!(two, all);
    panels[0].provenance.source.push('x');
    assert_ne!(sheet(&panels).1, all, "another figure has another name");
}

#[test]
fn a_panel_has_as_many_dots_as_its_place() {
    let panels = three();
    for (columns, width) in [
        (1, SheetWidth::Column),
        (2, SheetWidth::Page),
        (3, SheetWidth::Page),
    ] {
        let sheet = PanelSheet {
            panels: &panels,
            columns,
            width,
            heading: Heading::Title,
        };
        let (_, height) = matrix_place(&scene(&panels, columns, width, Heading::Title));
        let dots = (height * Sheet::DOTS).round() as usize;
        assert_eq!(sheet.plot_dots(0), Some(dots));
        assert_eq!(sheet.plot_dots(2), None, "bars have no frame");
        assert_eq!(sheet.figure_widths().len(), 3);
    }
}

proptest! {
    /// No panel leaves the sheet or overlaps another, in any arrangement.
    #[test]
    fn panels_stay_on_their_sheet(
        kinds in prop::collection::vec(0..3_usize, 1..=MOST_PANELS),
        columns in 1..=3_usize,
        is_wide: bool,
        has_heading: bool,
    ) {
        let of_kind = |kind: usize| three().swap_remove(kind);
        let panels: Vec<SheetPanel> = kinds.iter().map(|kind| of_kind(*kind)).collect();
        let width = if is_wide { SheetWidth::Page } else { SheetWidth::Column };
        let heading = if has_heading { Heading::Title } else { Heading::Nothing };
        let scene = scene(&panels, columns, width, heading);
        for mark in &scene.marks {
            let corners = match mark {
                Mark::Raster(rect, _) | Mark::Box { rect, .. } => vec![(rect.x, rect.y), (rect.right(), rect.bottom())],
                Mark::Line { points, .. } => points.clone(),
                _ => Vec::new(),
            };
            for (x, y) in corners.into_iter().filter(|(x, y)| x.is_finite() && y.is_finite()) {
                prop_assert!((-1.0..=scene.width + 1.0).contains(&x) && (-1.0..=scene.height + 1.0).contains(&y), "{mark:?}");
            }
        }
        let rasters = scene.marks.iter().filter_map(|mark| match mark {
            Mark::Raster(rect, _) => Some(rect),
            _ => None,
        });
        let rasters: Vec<_> = rasters.collect();
        for (at, one) in rasters.iter().enumerate() {
            for other in &rasters[at + 1..] {
                let is_apart = one.right() <= other.x || other.right() <= one.x || one.bottom() <= other.y || other.bottom() <= one.y;
                prop_assert!(is_apart, "{one:?} {other:?}");
            }
        }
    }
}

#[test]
fn a_panel_without_labels_needs_no_notes() {
    let mut panels = three();
    let before = scene(&panels, 1, SheetWidth::Column, Heading::Title).height;
    panels[0].labels = FigureLabels::default();
    assert!(scene(&panels, 1, SheetWidth::Column, Heading::Title).height < before);
}
