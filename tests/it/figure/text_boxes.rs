//! Text in figures: its width, that it stays in its figure without overlaps at any width and text size, and that axes
//! keep their ticks and names.
//!
//! Boxes are measured with the shipped font, not with the table that lays out the figures.

use super::{image_figures, image_model_figures, pictures, wave_figures};
use crate::{export::saved_pictures::font, lesson_checks::lesson_columns::Preset};
use diagonal::{
    export::TextOutlines,
    figure::{
        Anchor, Axis, COLOR_MAPS, ColorBar, Dots, Figure, Heatmap, Mark, Plot, Rect, ScatterPoint,
        Series, ValueRange, number, text,
    },
    math::{AttentionMask, Window},
    url_state::{FigureId, Link},
};
use proptest::prelude::*;
use std::sync::Arc;

/// Boxes may exceed their space by this, due to rounding.
const ROUNDING: f64 = 0.1;

/// Widths of figures in CSS pixels, and CSS pixels per unit of figures.
const WIDTHS: [f64; 13] = [
    160.0, 180.0, 200.0, 239.0, 280.0, 320.0, 358.0, 400.0, 480.0, 560.0, 640.0, 800.0, 1000.0,
];
const SCALES: [f64; 4] = [1.0, 1.25, 1.5, 2.0];

/// Texts and the boxes of their glyphs.
fn boxes(
    figure: &dyn Figure,
    width: f64,
    letters: &TextOutlines<'_>,
) -> (Vec<(String, Rect)>, f64) {
    let scene = figure.scene(width);
    let texts = scene.marks.iter().filter_map(|mark| {
        let Mark::Text {
            text,
            at,
            size,
            anchor,
            ..
        } = mark
        else {
            return None;
        };
        // A text with a glyph that the font lacks is measured by the table.
        let wide = letters.width(text, *size);
        let wide = wide.unwrap_or_else(|| text::width(text, *size));
        let left = match anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => wide / 2.0,
            Anchor::End => wide,
        };
        let rect = Rect {
            x: at.0 - left,
            y: at.1 - size / 2.0,
            width: wide,
            height: *size,
        };
        Some((text.clone(), rect))
    });
    (texts.collect(), scene.height)
}

/// Whether two boxes overlap by more than rounding.
fn touch(a: &Rect, b: &Rect) -> bool {
    let shrunk = |rect: &Rect| Rect {
        x: rect.x + ROUNDING,
        y: rect.y + ROUNDING,
        width: rect.width - 2.0 * ROUNDING,
        height: rect.height - 2.0 * ROUNDING,
    };
    text::overlap(&shrunk(a), &shrunk(b))
}

/// Layout faults of a figure's texts at a width.
fn faults(figure: &dyn Figure, width: f64, letters: &TextOutlines<'_>) -> Vec<String> {
    let (texts, height) = boxes(figure, width, letters);
    let mut faults = Vec::new();
    for (at, (text, rect)) in texts.iter().enumerate() {
        let is_inside = rect.x >= -ROUNDING
            && rect.right() <= width + ROUNDING
            && rect.y >= -ROUNDING
            && rect.bottom() <= height + ROUNDING;
        if !is_inside {
            faults.push(format!(
                "{text:?} leaves the figure: {rect:?} of {width} × {height}"
            ));
        }
        if text.is_empty() {
            faults.push(format!("an empty text at {rect:?}"));
        }
        for (other, beside) in &texts[..at] {
            if touch(rect, beside) {
                faults.push(format!("{text:?} touches {other:?}: {rect:?}, {beside:?}"));
            }
        }
    }
    faults
}

fn all() -> Vec<(&'static str, Box<dyn Figure>)> {
    let snapshots = pictures::figures()
        .into_iter()
        .map(|(name, figure, _)| (name, figure));
    let images = image_figures::all()
        .into_iter()
        .map(|(name, figure, _)| (name, figure));
    let others = wave_figures::pictures()
        .into_iter()
        .chain(image_model_figures::pictures());
    let preset = Preset::open();
    let (link, _) = Link::parse("view=heads&model=minilm-l6");
    let of_preset = FigureId::ALL
        .iter()
        .filter_map(|figure| Some((figure.id(), preset.figure(figure.id(), &link)?)));
    let all: Vec<_> = of_preset.collect();
    assert!(all.len() > 20, "{} figures of the preset", all.len());
    let all = all.into_iter().chain(snapshots).chain(images);
    all.chain(others).collect()
}

#[test]
fn no_text_leaves_its_figure_or_touches_another() {
    let font = font();
    let letters = TextOutlines::read(&font).expect("a font");
    let mut found = Vec::new();
    for (name, figure) in all() {
        for width in WIDTHS {
            for scale in SCALES {
                let faults = faults(&*figure, width / scale, &letters);
                found.extend(faults.into_iter().map(|fault| format!("{name}: {fault}")));
            }
        }
    }
    assert!(
        found.is_empty(),
        "{} faults: {:#?}",
        found.len(),
        &found[..found.len().min(40)]
    );
}

#[test]
fn letters_are_as_wide_as_they_are_measured() {
    let font = font();
    let letters = TextOutlines::read(&font).expect("a font");
    let mut count = 0;
    for c in (' '..='\u{2fff}').filter(|c| !c.is_control()) {
        let Some(wide) = letters.width(&c.to_string(), 1.0) else {
            continue;
        };
        count += 1;
        let measured = text::width(&c.to_string(), 1.0);
        assert!(
            measured >= wide - 2e-3,
            "{c} is {wide} wide, measured {measured}"
        );
        // The table holds the wider of two fonts, which differ most in the percent sign.
        if c.is_ascii() {
            assert!(
                measured <= wide + 0.175,
                "{c} is {wide} wide, measured {measured}"
            );
        }
    }
    assert!(count > 500);
    for words in [
        "mean inner product",
        "−0.0179",
        "position 511",
        "Toeplitz R²",
    ] {
        let wide = letters.width(words, 12.0).expect("letters");
        assert!(
            (text::width(words, 12.0) / wide - 1.0).abs() < 0.04,
            "{words}"
        );
    }
}

/// Lines with the given range of values, over the given range of offsets.
fn lines((low, high): (f64, f64), (first, last): (i64, i64), names: &[String]) -> Plot {
    let count = (last - first + 1) as usize;
    let line = |name: &String| {
        let values = (0..count).map(|at| low + (high - low) * (at % 7) as f64 / 6.0);
        Series::new(name.clone(), first, values.collect()).in_legend()
    };
    Plot::over(Axis::Offset)
        .vertical("mean inner product")
        .series(names.iter().map(line))
}

fn value() -> impl Strategy<Value = f64> {
    (-9.99_f64..9.99, -9..7_i32).prop_map(|(digits, power)| digits * 10_f64.powi(power))
}

fn unit_width() -> impl Strategy<Value = f64> {
    (160.0..1000.0_f64, prop::sample::select(SCALES.to_vec())).prop_map(|(w, scale)| w / scale)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    /// For any values and offsets.
    #[test]
    fn axes_have_space_for_any_numbers(
        ends in (value(), value()),
        level in value(),
        offsets in (-70_000..10_i64, 0..70_000_i64),
        names in prop::collection::vec("[a-z0-9 −(),.]{1,40}", 1..5),
        width in unit_width(),
    ) {
        let font = font();
        let letters = TextOutlines::read(&font).expect("a font");
        for ends in [ends, (level, level * (1.0 + 1e-5))] {
            let lines = lines(ends, offsets, &names);
            prop_assert_eq!(faults(&lines, width, &letters), Vec::<String>::new());
        }
        let point = |at: (f64, f64)| ScatterPoint::new(at).of_model(1, names[0].clone());
        let dots = names.iter().map(|name| Dots::new(name.clone(), [point(ends)]));
        let scatter = Plot::scatter(Axis::Step, Some(Axis::Performance))
            .dots(dots.chain([Dots::new("", [ScatterPoint::new((level, ends.0))])]));
        prop_assert_eq!(faults(&scatter, width, &letters), Vec::<String>::new());
    }

    /// For any cells, colour ranges and blocks; clipped extremes are written.
    #[test]
    fn colour_bars_have_space_for_any_numbers(
        shown in (value(), value()),
        beyond in (0.0..2.0_f64, 0.0..2.0_f64),
        start in 0..150_000_usize,
        side in 1..40_usize,
        step in 1..20_usize,
        map in 0..COLOR_MAPS.len(),
        width in unit_width(),
    ) {
        let font = font();
        let letters = TextOutlines::read(&font).expect("a font");
        let (low, high) = (shown.0.min(shown.1), shown.0.max(shown.1));
        let span = high - low;
        let values = (low - beyond.0 * span, high + beyond.1 * span);
        let window = Window { rows: start..start + side * step, cols: start..start + side * step };
        let tile = pictures::tile(window, step, |i, j| {
            (if (i + j) % 2 == 0 { values.0 } else { values.1 }) as f32
        });
        let cells = Some((values.0 as f32, values.1 as f32));
        let map = COLOR_MAPS[map].0;
        let matrix = || Heatmap::matrix(Arc::new(tile.clone()), map, 0.0).with_cells(cells);
        let attention = || Heatmap::attention(Arc::new(tile.clone()), map, side, AttentionMask::Whole);
        for matrix in [
            matrix(),
            matrix().with_range((low, high)),
            matrix().with_range((low, high)).small(true),
            attention(),
            attention().small(true),
        ] {
            prop_assert_eq!(faults(&matrix, width, &letters), Vec::<String>::new());
        }
        let range = ValueRange { ends: (low, high), values };
        let bar = ColorBar { map, range };
        prop_assert_eq!(faults(&bar, width, &letters), Vec::<String>::new());
        let (texts, _) = boxes(&bar, width, &letters);
        let all: String = texts.iter().map(|(text, _)| format!("{text} ")).collect();
        for (shown, value) in [(low, values.0), (high, values.1)] {
            // A bar as narrow as a few letters has no text.
            if number(shown) != number(value) && width > 150.0 {
                prop_assert!(all.contains(&number(value)), "{} lacks {}", all, number(value));
            }
        }
    }

    /// Ticks of a symmetric axis are symmetric, and both axes have their names, at any size.
    #[test]
    fn an_axis_has_its_ticks_on_both_sides_and_its_name_below(
        reach in 2..3000_i64,
        width in 150.0..1000.0_f64,
    ) {
        let lines = lines((-1.0, 1.0), (-reach, reach), &["f".to_owned()]);
        let scene = lines.scene(width);
        let frame = lines.plot_frame(width).expect("a frame");
        let texts = |from: f64, to: f64| -> Vec<(String, f64)> {
            let texts = scene.marks.iter().filter_map(|mark| match mark {
                Mark::Text { text, at, .. } if (from..to).contains(&at.1) => {
                    Some((text.clone(), at.0))
                }
                _ => None,
            });
            texts.collect()
        };
        let bottom = frame.bottom();
        let ticks = texts(bottom + 8.0, bottom + 20.0);
        let labels: Vec<&str> = ticks.iter().map(|(label, _)| label.as_str()).collect();
        for label in &labels {
            let other = match label.strip_prefix('−') {
                Some(other) => other.to_owned(),
                None if *label == "0" => "0".to_owned(),
                None => format!("−{label}"),
            };
            prop_assert!(labels.contains(&other.as_str()), "{:?} lacks {}", labels, other);
        }
        prop_assert!(labels.len() >= 3 || width < 260.0, "{:?}", labels);
        let names = texts(bottom + 20.0, f64::INFINITY);
        prop_assert_eq!(names.len(), 1);
        prop_assert_eq!(&names[0].0, "offset k");
        prop_assert!((names[0].1 - frame.x - frame.width / 2.0).abs() < 1.0);
        let above = texts(0.0, frame.y - 8.0);
        prop_assert!(above.iter().any(|(name, _)| name == "mean inner product"), "{:?}", above);
    }
}

#[test]
fn every_plot_has_the_names_of_its_axes() {
    let tile = Arc::new(pictures::tile(Window::whole(48, 48), 1, |i, j| {
        (i + j) as f32
    }));
    for width in [150.0, 239.0, 320.0, 1000.0] {
        for (matrix, down, across) in [
            (
                Heatmap::matrix(Arc::clone(&tile), COLOR_MAPS[0].0, 0.0),
                Axis::Query,
                Axis::Key,
            ),
            (
                Heatmap::table(Arc::clone(&tile), COLOR_MAPS[0].0, 0.0),
                Axis::Position,
                Axis::Dimension,
            ),
            (
                Heatmap::offsets(Arc::clone(&tile), COLOR_MAPS[0].0, 0.0),
                Axis::Down,
                Axis::Across,
            ),
        ] {
            let written: Vec<String> = (matrix.scene(width).marks.into_iter())
                .filter_map(|mark| match mark {
                    Mark::Text { text, .. } => Some(text),
                    _ => None,
                })
                .collect();
            for name in [down.title(), across.title()] {
                assert!(
                    written.iter().any(|text| text == name),
                    "{name} at {width}: {written:?}"
                );
            }
            assert_eq!(matrix.vertical_name(), down.title());
        }
    }
}
