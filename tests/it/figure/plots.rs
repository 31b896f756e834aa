//! Plots and bar charts: logarithmic axes, ranges that follow the marks, lengths of bars.

use diagonal::figure::{
    Axis, AxisScale, Bar, BarChart, BarRow, Dots, Figure, Ink, Mark, Plot, PlotAxis, Rect,
    ScatterPoint, Scene, Series,
};

fn texts(scene: &Scene) -> Vec<&str> {
    let texts = scene.marks.iter().filter_map(|mark| match mark {
        Mark::Text { text, .. } => Some(text.as_str()),
        _ => None,
    });
    texts.collect()
}

#[test]
fn powers_of_ten_are_evenly_spaced_on_a_logarithmic_axis() {
    let axis = |name| PlotAxis {
        range: Some((0.1, 1e3)),
        ..PlotAxis::with_name(name, AxisScale::Log(2))
    };
    let points = [0.1, 1.0, 10.0, 100.0, 1e3].map(|v| ScatterPoint::new((v, v)));
    let plot = Plot::new(axis("x"), axis("y")).dots([Dots::new("", points)]);
    let scene = plot.scene(500.0);
    let dots = scene.marks.iter().filter_map(|mark| match mark {
        Mark::Dot { at, .. } => Some(*at),
        _ => None,
    });
    let dots: Vec<(f64, f64)> = dots.collect();
    let frame = plot.plot_frame(500.0).expect("a frame");
    for (at, (x, y)) in dots.iter().enumerate() {
        let share = at as f64 / 4.0;
        assert!((x - frame.x - share * frame.width).abs() < 1e-9);
        assert!((frame.bottom() - y - share * frame.height).abs() < 1e-9);
        let (across, down) = plot.point_at(500.0, *x, *y).expect("a point");
        let value = 10_f64.powi(at as i32 - 1);
        assert!((across / value - 1.0).abs() < 1e-9 && (down / value - 1.0).abs() < 1e-9);
    }
    // Ticks at even exponents only.
    let ticks = texts(&scene);
    assert!(ticks.contains(&"1") && ticks.contains(&"100") && !ticks.contains(&"10"));
}

#[test]
fn lines_and_points_share_a_plot() {
    let plot = Plot::over(Axis::Offset)
        .series([Series::new("line", -2, vec![0.0, 1.0, 2.0]).in_legend()])
        .dots([Dots::new("points", [ScatterPoint::new((-1.0, 9.0))]).ink(Ink::Category(0))])
        .aspect(0.5);
    let (low, high) = plot.y_range();
    assert!(low < 0.0 && high > 9.0 && high < 10.0);
    let scene = plot.scene(400.0);
    assert!(
        ["line", "points"]
            .iter()
            .all(|name| texts(&scene).contains(name))
    );
    assert_eq!(plot.summary(), " Offsets −2 to 0. Values from 0 to 9.00.");
}

/// The bars of a chart, without samples in its legend.
fn bars(chart: &BarChart, width: f64) -> Vec<Rect> {
    let scene = chart.scene(width);
    let boxes = scene.marks.iter().filter_map(|mark| match mark {
        Mark::Box { rect, .. } => Some(*rect),
        _ => None,
    });
    boxes.skip(chart.names.len()).collect()
}

#[test]
fn bars_are_as_long_as_their_values() {
    let row = |value: f64| BarRow::new("a", [Bar::new(value)]);
    let values = [1.0, -2.0, 0.0, f64::NAN, 4.0];
    let chart = BarChart::linear("value", values.map(row));
    for width in [200.0, 640.0] {
        let bars = bars(&chart, width);
        // Zero and missing values have none.
        let [one, minus_two, four] = bars[..] else {
            panic!("{bars:?}");
        };
        assert!((four.width - 4.0 * one.width).abs() < 1e-9);
        assert!((minus_two.width - 2.0 * one.width).abs() < 1e-9);
        assert!((minus_two.right() - one.x).abs() < 1e-9 && one.x == four.x);
    }
    let rule = BarChart::linear("value", values.map(row)).rule(8.0, "uniform");
    assert!(bars(&rule, 640.0)[2].width < bars(&chart, 640.0)[2].width);
    assert!(texts(&rule.scene(640.0)).contains(&"uniform"));
}

#[test]
fn groups_of_bars_are_apart() {
    let rows = (0..12).map(|at| {
        let label = format!("{}.{}", at / 4 + 1, at % 4 + 1);
        BarRow::new(label, [Bar::new(1.0)]).starts_group(at > 0 && at % 4 == 0)
    });
    let chart = BarChart::linear("entropy in bits", rows).row_height(14.0);
    let bars = bars(&chart, 400.0);
    let steps: Vec<f64> = bars.windows(2).map(|two| two[1].y - two[0].y).collect();
    for (at, step) in steps.iter().enumerate() {
        assert_eq!(*step > 14.0, (at + 1) % 4 == 0, "{at}: {step}");
    }
    let scene = chart.scene(400.0);
    assert!(
        ["1.1", "2.4", "3.4"]
            .iter()
            .all(|label| texts(&scene).contains(label))
    );
    assert!(scene.height > bars.last().expect("a bar").bottom());
}
