//! Colours, ticks and numbers of figures.

use super::figures::{pixel, row};
use crate::support::root;
use diagonal::figure::{
    COLOR_MAPS, ColorMap, Column, DARK, Ink, LIGHT, LinearScale, Table, Theme, format_signed,
    number,
};
use lab::Lab;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

#[test]
fn color_maps_are_told_apart() {
    let of = |name: fn(&(ColorMap, &'static str, &'static str)) -> &'static str| {
        COLOR_MAPS.iter().map(name).collect::<BTreeSet<_>>().len()
    };
    assert_eq!(
        (of(|m| m.1), of(|m| m.2)),
        (COLOR_MAPS.len(), COLOR_MAPS.len())
    );
    let ramp: Vec<f32> = (0..=100).map(|v| v as f32).collect();
    let rasters: BTreeSet<Vec<u8>> = COLOR_MAPS
        .iter()
        .map(|(map, ..)| row(&ramp, *map, 0.0).raster().rgba.clone())
        .collect();
    assert_eq!(rasters.len(), COLOR_MAPS.len());
    // Hot runs from near black through red and yellow to white, as in matplotlib.
    let hot = row(&ramp, ColorMap::Hot, 0.0);
    for (at, color) in [(0, [11, 0, 0]), (50, [255, 90, 0]), (100, [255, 255, 255])] {
        let [r, g, b, _] = pixel(&hot, at);
        let off = |(a, b): (u8, u8)| a.abs_diff(b);
        let worst = [r, g, b].into_iter().zip(color).map(off).max();
        assert!(worst <= Some(3), "{at}: {r} {g} {b}");
    }
}

/// On both papers zero of the diverging map has the lightness of the paper, and colours contrast with it the more, the
/// farther their values are from zero, by as much on both sides.
#[test]
fn zero_of_the_diverging_map_is_like_the_paper() {
    let ramp: Vec<f32> = (-50..=50).map(|v| v as f32).collect();
    let raster = row(&ramp, ColorMap::Diverging, 0.0).raster();
    for theme in [&LIGHT, &DARK] {
        let colors = raster.in_theme(theme).rgba.chunks_exact(4);
        let colors: Vec<Lab> = colors.map(|c| Lab::from_rgb(&[c[0], c[1], c[2]])).collect();
        let paper = lab(theme.paper).l;
        let contrast = |at: usize| (colors[at].l - paper).abs();
        assert!(contrast(50) < 10.0, "zero: {}", contrast(50));
        for away in 0..50 {
            let (below, above) = (50 - away, 50 + away);
            assert!(contrast(below - 1) >= contrast(below) - 0.5, "{below}");
            assert!(contrast(above + 1) >= contrast(above) - 0.5, "{above}");
            let apart = (contrast(below) - contrast(above)).abs();
            assert!(apart < 12.0, "{away} from zero: {apart}");
        }
        assert!(contrast(0) > 50.0 && contrast(100) > 50.0);
    }
}

#[test]
fn tables_are_written_in_full() {
    let numbers = vec![0.1, -1.0 / 3.0, 1e-300, f64::NAN];
    let table = Table::new()
        .with("offset", Column::Whole(vec![-2, -1, 0, 1]))
        .with("mean", Column::Number(numbers.clone()))
        .with(
            "scope",
            Column::Name(["whole", "leading-32", "c", "d"].map(String::from).into()),
        );
    assert_eq!(
        table.names().collect::<Vec<_>>(),
        ["offset", "mean", "scope"]
    );
    assert_eq!(table.row(1), ["−1", "−0.333", "leading-32"]);

    let csv = table.csv();
    let lines: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(lines.len(), 5);
    assert_eq!(lines[0], ["offset", "mean", "scope"]);
    assert_eq!((lines[1][0], lines[2][2]), ("-2", "leading-32"));
    let same = |a: f64, b: f64| a == b || a.is_nan() && b.is_nan();
    for (line, value) in lines[1..].iter().zip(&numbers) {
        assert!(same(line[1].parse().expect("a number"), *value), "{line:?}");
    }

    let npy = table.npy();
    let length = usize::from(u16::from_le_bytes([npy[8], npy[9]]));
    let (header, data) = npy[10..].split_at(length);
    let header = std::str::from_utf8(header).expect("ascii");
    assert!(header.starts_with("{'descr': '<f8', 'fortran_order': False, 'shape': (4, 2, ), }"));
    assert_eq!(((10 + length) % 64, data.len()), (0, 4 * 2 * 8));
    for (at, value) in data.chunks_exact(8).enumerate() {
        let value = f64::from_le_bytes(value.try_into().expect("eight bytes"));
        let expected = if at % 2 == 0 {
            at as f64 / 2.0 - 2.0
        } else {
            numbers[at / 2]
        };
        assert!(same(value, expected), "{at}: {value}");
    }
}

/// The custom properties of a rule in the style sheet.
fn properties<'a>(style: &'a str, selector: &str) -> BTreeMap<&'a str, &'a str> {
    let rule = style
        .split_once(&format!("\n{selector} {{"))
        .expect(selector)
        .1;
    let rule = rule.split_once('}').expect("its end").0;
    let pairs = rule
        .split(';')
        .filter_map(|line| line.trim().split_once(':'));
    pairs
        .map(|(name, value)| (name.trim(), value.trim()))
        .collect()
}

#[test]
fn themes_are_those_of_the_style_sheet() {
    let file = root().join("www/style.css");
    let style = std::fs::read_to_string(file).expect("the style sheet");
    for (theme, selector) in [(&LIGHT, ":root"), (&DARK, "[data-theme=\"dark\"]")] {
        let Theme {
            is_dark: _,
            paper,
            ink,
            secondary: muted,
            hairline,
            band,
            accent,
            categories,
        } = theme;
        let css = properties(&style, selector);
        let named = [
            ("--paper", paper, Ink::Paper),
            ("--ink", ink, Ink::Ink),
            ("--muted", muted, Ink::Muted),
            ("--hairline", hairline, Ink::Hairline),
            ("--band", band, Ink::Band),
            ("--accent", accent, Ink::Accent),
        ];
        for (name, color, meaning) in named {
            assert_eq!(css[name], *color, "{selector} {name}");
            assert_eq!(theme.color(meaning), *color);
        }
        for (at, color) in categories.iter().enumerate() {
            assert_eq!(css[format!("--c{at}").as_str()], *color, "{selector}");
            assert_eq!(theme.color(Ink::Category(at + categories.len())), *color);
        }
    }
}

/// A colour `#rrggbb` in CIE L*a*b*.
fn lab(color: &str) -> Lab {
    let channel = |at: usize| u8::from_str_radix(&color[at..at + 2], 16).expect("#rrggbb");
    Lab::from_rgb(&[channel(1), channel(3), channel(5)])
}

#[test]
fn categories_are_told_apart() {
    /// Minimum distance of two colours in CIE L*a*b*.
    const APART: f32 = 25.0;
    for theme in [&LIGHT, &DARK] {
        let colors = theme.categories.iter().chain([&theme.accent]);
        let colors: Vec<&str> = colors.copied().collect();
        for (at, one) in colors.iter().enumerate() {
            for other in &colors[..at] {
                let apart = lab(one).squared_distance(&lab(other)).sqrt();
                assert!(apart >= APART, "{one} and {other} are {apart} apart");
            }
        }
    }
}

#[test]
fn numbers_are_written_for_reading() {
    for (value, text) in [
        (0.0, "0"),
        (-0.0, "0"),
        (0.474_22, "0.474"),
        (-12.345, "−12.3"),
        (512.0, "512"),
        (2e6, "2.00e6"),
        (1.5e-5, "1.50e−5"),
        (f64::NAN, "–"),
    ] {
        assert_eq!(number(value), text);
    }
    assert_eq!(
        (format_signed(-3), format_signed(0), format_signed(7)),
        ("−3".into(), "0".into(), "7".into())
    );
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn ticks_are_round_and_inside(
        place in -1e3..1e3_f64,
        exponent in -6..7_i32,
        share in 1.0..10.0_f64,
        count in 1..20_usize,
        upside_down: bool,
    ) {
        let span = share * 10_f64.powi(exponent);
        let (low, high) = (place * span, (place + 1.0) * span);
        let ends = if upside_down { (high, low) } else { (low, high) };
        let scale = LinearScale::new(ends, (40.0, 600.0));
        let (ticks, digits) = scale.ticks(count);
        // A step may be up to a fifth finer than requested, if that is a round number.
        prop_assert!(ticks.len() as f64 <= count as f64 / 0.8 + 1.0 + 1e-6, "{ticks:?}");
        for tick in &ticks {
            prop_assert!((low - 1e-6 * span..=high + 1e-6 * span).contains(tick), "{tick}");
            let written: f64 = format!("{tick:.digits$}").parse().expect("a number");
            prop_assert!((written - tick).abs() < 1e-6 * span, "{tick} {digits}");
            prop_assert!((scale.value(scale.pixel(*tick)) - tick).abs() < 1e-9 * span);
        }
        for pair in ticks.windows(2) {
            let step = pair[1] - pair[0];
            let lead = step / 10_f64.powf((step * 1.000_001).log10().floor());
            let round = [1.0, 2.0, 5.0].into_iter().any(|r| (lead - r).abs() < 1e-4);
            prop_assert!(round, "{step}");
        }
    }
}
