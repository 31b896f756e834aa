//! Every figure drawn from small fixed data, wide and narrow, on light and on dark paper, compared with
//! `tests/snapshots`. Images are named by a hash of their pixels.
//!
//! After an intended change: `UPDATE_SNAPSHOTS=1 cargo test --test it pictures`, then review the changes before
//! committing. A differing picture is written beside its snapshot as `NAME-changed.svg`.

use crate::support::root;
use diagonal::{
    analysis::{parameter_count::ModelSize, permutation::ShuffledOutputs},
    figure::{
        Axis, Band, Bar, BarChart, BarRow, ColorMap, Cursor, DARK, Figure, Handle, Heatmap, Ink,
        Judgements, LIGHT, Plot, Raster, Series, Share, ShareChart, Shuffle, Table, Thumbnail,
        Thumbnails, parameter_counts, svg::svg,
    },
    math::{Tile, Window},
};
use std::{collections::BTreeSet, sync::Arc};

/// A tile of blocks `step` cells wide, filled by a formula of each block's first cell.
pub(crate) fn tile(window: Window, step: usize, cell: impl Fn(usize, usize) -> f32) -> Tile {
    let cols = || window.cols.clone().step_by(step);
    let rows = window.rows.clone().step_by(step);
    Tile {
        values: rows
            .flat_map(|i| cols().map(move |j| (i, j)))
            .map(|(i, j)| cell(i, j))
            .collect(),
        row_step: step,
        col_step: step,
        window,
        cells: None,
    }
}

/// A triangle wave over the offset that fades down the diagonal. Piecewise linear, because the last digit of a cosine
/// may differ between machines.
fn wave(i: usize, j: usize) -> f32 {
    let k = i.abs_diff(j) as f32;
    (k % 12.0 - 6.0).abs() - 0.125 * i as f32
}

fn named(label: &str, value: f64) -> BarRow {
    let share = |value, chance| Share { value, chance };
    BarRow::new(
        label,
        [share(value, Some(0.01)), share(value / 2.0, Some(0.4))],
    )
}

fn lines() -> Plot {
    let bend = |k: i64| 2.0 - k.abs() as f64 / 8.0;
    let series = |name: &str, ink, width| Series {
        name: name.to_owned(),
        first: -20,
        values: (-20..=20).map(bend).collect(),
        ink,
        width,
        is_dashed: false,
        is_in_legend: true,
    };
    let first = series("f(k)", Ink::Ink, 1.5);
    let mut broken = series("with a gap", Ink::Category(1), 1.25);
    broken.values.rotate_left(3);
    broken.values[12..16].fill(f64::NAN);
    let dashed = Series {
        first: 0,
        values: (0..=20).map(|k| bend(k) - 1.0).collect(),
        is_dashed: true,
        ..series("to compare with, under a long name", Ink::Muted, 1.0)
    };
    let unnamed = Series {
        is_in_legend: false,
        ..series("unnamed", Ink::Category(3), 1.0)
    };
    let series = vec![first, broken, dashed, unnamed];
    let handle = |k, value, ink, hollow| Handle {
        k,
        value,
        ink,
        hollow,
    };
    Plot::over(Axis::Offset)
        .vertical("f(k)")
        .with_table(Series::table_of(&series))
        .series(series)
        .band(Band {
            first: -20,
            low: (-20..=20).map(|k| bend(k) - 0.5).collect(),
            high: (-20..=20).map(|k| bend(k) + 0.25).collect(),
        })
        .handles([
            handle(-4.0, 1.5, Ink::Category(0), false),
            handle(6.5, 0.5, Ink::Category(1), true),
            handle(90.0, 0.5, Ink::Category(2), false),
        ])
        .aspect(0.5)
        .with_summary("A tent.")
}

fn grid(per_row: Option<usize>, cells: usize) -> Thumbnails {
    let cell = |at: usize| {
        let small = tile(Window::whole(6, 6), 1, |i, j| {
            if i.abs_diff(j) == at % 5 { 1.0 } else { -0.25 }
        });
        Thumbnail::new(
            small,
            ColorMap::Diverging,
            (at / 6, at % 6),
            format!("0.{at:02}"),
        )
    };
    Thumbnails {
        cells: (0..cells).map(cell).collect(),
        per_row,
        open: Some((0, 3)),
        table: Table::new(),
        summary: "Heads.".into(),
    }
}

/// Figures of counts, the table of criteria, shuffled tokens.
fn criteria() -> Vec<(&'static str, Box<dyn Figure>, Option<Cursor>)> {
    let count = |label: &str, count| BarRow::new(label, [Bar::count(count)]).strong(count == 10);
    let signed_row = |at: usize, value: f64| {
        let pair = [Bar::new(value), Bar::new(0.5 * value).text("")];
        BarRow::new(format!("{}.{}", at / 3 + 1, at % 3 + 1), pair)
            .starts_group(at > 0 && at.is_multiple_of(3))
    };
    let values = [1.5, -0.25, 0.0, f64::NAN, 3.0, -1.0];
    let signed = values.into_iter().enumerate();
    let signed = BarChart::linear("score", signed.map(|(at, value)| signed_row(at, value)))
        .names(["all keys", "earlier keys"])
        .row_height(16.0)
        .rule(2.5, "uniform");
    let few = BarChart::log([count("none", 0), count("one", 1), count("ten", 10)]);
    let most = ModelSize::from_parts([u64::MAX; 5]);
    // Piecewise linear, for the same reason as `wave`.
    let outputs = |shift: usize| -> Vec<Vec<f64>> {
        (0..4)
            .map(|t| (0..8).map(|c| ((t + c + shift) % 5) as f64 - 2.0).collect())
            .collect()
    };
    let mut after = outputs(0);
    after[1] = outputs(1)[1].clone();
    after[3][0] += 1e-15;
    let shuffled = ShuffledOutputs {
        tokens: ["the", "a-word-too-long", "<b>", "end"]
            .map(str::to_owned)
            .to_vec(),
        order: vec![3, 0, 2, 1],
        before: outputs(0),
        after,
    };
    vec![
        (
            "counts",
            Box::new(parameter_counts("a model", &ModelSize::BERT_BASE)),
            None,
        ),
        (
            "counts-most",
            Box::new(parameter_counts("the largest", &most)),
            None,
        ),
        ("counts-few", Box::new(few), None),
        ("bars-signed", Box::new(signed), None),
        ("judgements", Box::new(Judgements::default()), None),
        ("shuffle", Box::new(Shuffle::new(shuffled)), None),
    ]
}

/// Every figure, with its name and cursor.
pub(crate) fn figures() -> Vec<(&'static str, Box<dyn Figure>, Option<Cursor>)> {
    let matrix = |window, step, map, clip| {
        let tile = Arc::new(tile(window, step, wave));
        Box::new(Heatmap::matrix(tile, map, clip)) as Box<dyn Figure>
    };
    let whole = || Window::whole(48, 48);
    let window = Window {
        rows: 100..140,
        cols: 90..150,
    };
    let table = Arc::new(tile(Window::whole(100, 24), 4, wave));
    let rows = [
        named("whole", 0.474_22),
        named("off-diagonal", 0.0),
        named("leading-128", 1.0),
        named("a & b < c", 0.25),
    ];
    let bars = ShareChart::new(["k ≠ 0", "all k"], Some("a random table"), rows)
        .with_table(Table::new().with("r2", [0.474_22, 0.0, 1.0, 0.25].into_iter().collect()))
        .with_summary("Shares.");
    let zigzag = (-800..=800).map(|k| f64::from(k % 7) / 4.0).collect();
    let narrow = Plot::over(Axis::Offset)
        .vertical("f(k)")
        .series([Series::new("f(k)", -800, zigzag).width(1.5).in_legend()])
        .horizontal_range((-400.5, 400.5))
        .values((-1.0, 1.0))
        .aspect(0.5);
    let cell = Some(Cursor::Cell(20, 28));
    let mut figures: Vec<(&'static str, Box<dyn Figure>, Option<Cursor>)> = vec![
        ("matrix", matrix(whole(), 1, ColorMap::Hot, 1.0), None),
        (
            "matrix-cursor",
            matrix(whole(), 1, ColorMap::Hot, 0.0),
            cell,
        ),
        (
            "matrix-blocks",
            matrix(whole(), 5, ColorMap::Diverging, 5.0),
            Some(Cursor::Offset(-30)),
        ),
        (
            "matrix-window",
            matrix(window, 1, ColorMap::Greys, 0.0),
            Some(Cursor::Cell(130, 120)),
        ),
        (
            "table",
            Box::new(Heatmap::table(table, ColorMap::Hot, 0.0)),
            cell,
        ),
        ("lines", Box::new(lines()), None),
        ("lines-cursor", Box::new(lines()), cell),
        ("lines-dense", Box::new(narrow), None),
        ("bars", Box::new(bars), None),
        ("grid", Box::new(grid(Some(6), 12)), None),
        ("grid-flowing", Box::new(grid(None, 8)), None),
    ];
    figures.extend(crate::figure::compare::pictures());
    figures.extend(crate::figure::matrix_panels::pictures());
    figures.extend(crate::figure::head_pair::pictures());
    figures.extend(criteria());
    figures.extend(crate::analysis::head_entropies::pictures());
    figures.extend(crate::analysis::word_terms::pictures());
    figures.extend(crate::analysis::layer_sections::pictures());
    figures.extend(crate::analysis::layer_taps::pictures());
    figures.extend(crate::analysis::retarget::pictures());
    figures.extend(crate::analysis::rotary_heads::pictures());
    figures.extend(crate::analysis::attention_sinks::pictures());
    figures.extend(crate::analysis::rotary_frequency_map::pictures());
    figures.extend(crate::analysis::rotary_angle_sets::pictures());
    figures.extend(crate::analysis::rotary_axes::pictures());
    figures.extend(crate::figure::encodings_view::pictures());
    figures.extend(crate::figure::row_marks::pictures());
    figures.extend(crate::figure::table_pair::pictures());
    figures.extend(crate::figure::cones::pictures());
    figures.extend(crate::figure::wave_comparison::pictures());
    figures.extend(crate::figure::image_figures::pictures());
    figures.extend(crate::figure::layer_gaussians::pictures());
    figures.extend(crate::figure::text_attention::pictures());
    figures.extend(crate::figure::training::pictures());
    figures
}

/// Names pixels by their FNV hash.
pub(crate) fn name_of(raster: &Raster) -> String {
    let hash = raster.rgba.iter().fold(0xcbf2_9ce4_8422_2325, |hash, v| {
        (hash ^ u64::from(*v)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    format!("pixels-{}x{}-{hash:016x}", raster.width, raster.height)
}

#[test]
fn pictures_are_as_they_were() {
    let folder = root().join("tests/snapshots");
    let update = std::env::var_os("UPDATE_SNAPSHOTS").is_some_and(|value| value == "1");
    std::fs::create_dir_all(&folder).expect("a folder");
    let (mut drawn, mut changed) = (BTreeSet::new(), Vec::new());
    for (name, figure, cursor) in figures() {
        for width in [320.0, 640.0] {
            let mut scene = figure.scene(width);
            assert_eq!((scene.width, scene.height), (width, figure.height(width)));
            let overlay = figure.overlay(width, cursor);
            assert_eq!((overlay.width, overlay.height), (scene.width, scene.height));
            scene.marks.extend(overlay.marks);
            for (theme, paper) in [(&LIGHT, "light"), (&DARK, "dark")] {
                let now = svg(&scene, theme, name, name_of);
                let name = format!("{name}-{width}-{paper}");
                let snapshot = folder.join(format!("{name}.svg"));
                if update {
                    std::fs::write(&snapshot, &now).expect("a snapshot");
                }
                let rejected = folder.join(format!("{name}-changed.svg"));
                if std::fs::read_to_string(&snapshot).is_ok_and(|before| before == now) {
                    // Remove the rejected picture of an earlier run.
                    let _ = std::fs::remove_file(rejected);
                } else {
                    std::fs::write(rejected, &now).expect("the rejected picture");
                    changed.push(name.clone());
                }
                drawn.insert(format!("{name}.svg"));
            }
        }
    }
    assert!(
        changed.is_empty(),
        "changed: {changed:?}; look at tests/snapshots/*-changed.svg"
    );
    for entry in std::fs::read_dir(&folder).expect("a folder") {
        let name = entry.expect("an entry").file_name();
        let name = name.to_str().expect("a plain name");
        assert!(drawn.contains(name), "no figure draws {name}");
    }
}

#[test]
fn pictures_stay_on_their_sheet() {
    use diagonal::figure::{Extent, Mark};
    for (name, figure, cursor) in figures() {
        for width in [280.0, 320.0, 640.0, 1200.0] {
            let mut scene = figure.scene(width);
            scene.marks.extend(figure.overlay(width, cursor).marks);
            let inside = |(x, y): (f64, f64)| {
                // A line may exceed the sheet's edge by half of its width.
                let (x_ok, y_ok) = (-2.0..=width + 2.0, -2.0..=scene.height + 2.0);
                !x.is_finite() || !y.is_finite() || x_ok.contains(&x) && y_ok.contains(&y)
            };
            for mark in &scene.marks {
                let corners = match mark {
                    Mark::Raster(rect, _) | Mark::Box { rect, .. } => {
                        vec![(rect.x, rect.y), (rect.right(), rect.bottom())]
                    }
                    Mark::Line { points, .. } | Mark::Area { points, .. } => points.clone(),
                    Mark::Extents { extents, .. } => Extent::outline(extents),
                    Mark::Dot { at, .. } | Mark::Text { at, .. } => vec![*at],
                    // Only in exported pictures.
                    Mark::Letters { .. } => panic!("{name} has letters"),
                };
                assert!(
                    corners.into_iter().all(inside),
                    "{name} at {width}: {mark:?}"
                );
            }
        }
    }
}

#[test]
fn text_is_escaped_and_gaps_stay_gaps() {
    let text = svg(&lines().scene(640.0), &LIGHT, "a <b> & \"c\"", name_of);
    assert!(text.contains("<title>a &lt;b&gt; &amp; &quot;c&quot;</title>"));
    assert!(!text.contains("NaN") && !text.contains("inf"));
    // A line with a gap has two segments.
    let path = text
        .lines()
        .find(|line| line.contains(LIGHT.categories[1]) && line.contains("<path"));
    assert_eq!(path.expect("the broken line").matches('M').count(), 2);
}
