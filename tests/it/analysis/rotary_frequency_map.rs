//! The map of the wavelengths that rotary heads use.

use diagonal::{
    analysis::{
        ColumnEnergies, RotaryBounds, RotaryEnergies, RotaryLayerPairs, RotaryLayers, RotaryValues,
        RotatedPair,
    },
    figure::{
        Cursor, Figure, FrequencyColours, FrequencyLook, FrequencyMap, frequency_map, pair_reading,
        pairs_in_use,
    },
    math::effective_pairs,
};

pub(super) fn look(colours: FrequencyColours, by_effective_pairs: bool) -> FrequencyLook {
    FrequencyLook {
        colours,
        by_effective_pairs,
    }
}

fn pairs(count: usize) -> Vec<RotatedPair> {
    let pair = |index: usize| RotatedPair {
        index,
        wavelength: 10.0_f64.powi(index as i32 + 1),
        columns: [index, index + count],
    };
    (0..count).map(pair).collect()
}

/// A layer of heads; head h has equal energy in its first h + 1 pairs, and none in the others.
fn layer(layer: usize, heads: usize, count: usize) -> RotaryLayerPairs {
    let energies = |head: usize| {
        let used = |pair: usize| if pair <= head { 4.0 } else { 0.0 };
        let pairs: Vec<f64> = (0..count).map(used).collect();
        ColumnEnergies {
            stored_pairs: pairs.iter().rev().copied().collect(),
            unrotated_energy: 4.0 * (head + 1) as f64,
            pairs,
        }
    };
    let all: Vec<ColumnEnergies> = (0..heads).map(energies).collect();
    RotaryLayerPairs {
        layer,
        values: RotaryValues::Energies(RotaryEnergies {
            pairs: pairs(count),
            queries: all.clone(),
            keys: all,
        }),
    }
}

/// Three layers of four heads; the second does not rotate, the third has fewer pairs.
fn layers() -> RotaryLayers {
    let still = RotaryLayerPairs {
        layer: 1,
        values: RotaryValues::Energies(RotaryEnergies {
            pairs: Vec::new(),
            queries: Vec::new(),
            keys: Vec::new(),
        }),
    };
    RotaryLayers {
        has_statistics: false,
        layers: vec![layer(0, 4, 4), still, layer(2, 4, 3)],
        total: 3,
        trained_length: Some(2048.0),
        has_bounds: false,
        unread: None,
    }
}

fn bounds() -> RotaryLayers {
    let heads = (0..3).map(|head| (0..4).map(|pair| f64::from(head * 4 + pair)).collect());
    let bounds = RotaryBounds {
        pairs: pairs(4),
        heads: heads.collect(),
    };
    let layer = |layer, values| RotaryLayerPairs {
        layer,
        values: RotaryValues::Bounds(values),
    };
    RotaryLayers {
        layers: vec![layer(0, Some(bounds)), layer(1, None)],
        has_bounds: true,
        total: 2,
        ..layers()
    }
}

fn map(layers: &RotaryLayers, colours: FrequencyColours, by_effective_pairs: bool) -> FrequencyMap {
    frequency_map(layers, look(colours, by_effective_pairs)).expect("a map")
}

/// The figure, for the `pictures` tests.
pub(crate) fn pictures() -> Vec<(&'static str, Box<dyn Figure>, Option<Cursor>)> {
    let share = FrequencyColours::Share;
    vec![
        (
            "rotary-frequencies",
            Box::new(map(&layers(), share, false)),
            None,
        ),
        (
            "rotary-frequencies-order",
            Box::new(map(&layers(), share, true)),
            None,
        ),
        (
            "rotary-frequencies-bounds",
            Box::new(map(&bounds(), FrequencyColours::Bound, false)),
            None,
        ),
    ]
}

#[test]
fn bars_are_the_effective_pairs_of_each_line() {
    let close = |found: &[f64], expected: &[f64]| {
        found.len() == expected.len()
            && found
                .iter()
                .zip(expected)
                .all(|(a, b)| (a - b).abs() < 1e-12 || a.is_nan() && b.is_nan())
    };
    let by_layer = map(&layers(), FrequencyColours::Share, false).effective;
    let none = f64::NAN;
    let expected = [
        1.0, 2.0, 3.0, 4.0, none, none, none, none, 1.0, 2.0, 3.0, 3.0,
    ];
    assert!(close(&by_layer, &expected), "{by_layer:?}");
    let sorted = map(&layers(), FrequencyColours::Share, true).effective;
    assert!(
        close(&sorted, &[1.0, 1.0, 2.0, 2.0, 3.0, 3.0, 3.0, 4.0]),
        "{sorted:?}"
    );
    assert!((effective_pairs(&[0.5, 0.5, 0.0]) - 2.0).abs() < 1e-12);
}

#[test]
fn summaries_state_pairs_in_use_and_wavelengths() {
    let text = map(&layers(), FrequencyColours::Share, false).summary();
    let expected = "8 heads of 2 layers, 3 to 4 rotated pairs each. Effective number of pairs: median 2.50, from 1.00 \
                    (head 1 of layer 1) to 4.00 (head 4 of layer 1). The fastest pairs have the most weight in head 1 of \
                    layer 1 (mean wavelength 10 tokens), the slowest in head 4 of layer 1 (316). Pairs that never turn \
                    fully within the trained length, 2,048 tokens, have 0 % in the median head and 25 % in head 4 of \
                    layer 1. Columns that do not rotate have 50 % of the energy of queries and 50 % of that of keys in \
                    the median head; shares leave them out. Layer 2 does not rotate.";
    assert!(text.starts_with(expected), "{text}");
    let place = pairs_in_use(&layers(), FrequencyLook::default(), (2, 1));
    assert_eq!(
        place.as_deref(),
        Some("Head 2 of layer 3: 2.00 of 3 pairs in use.")
    );
    assert_eq!(
        pairs_in_use(&layers(), FrequencyLook::default(), (1, 1)),
        None
    );
    // Of the stored weights alone, the slowest pairs come first.
    let text = map(&layers(), FrequencyColours::StoredShare, false).summary();
    assert!(
        text.contains("the slowest in head 1 of layer 1 (10,000)"),
        "{text}"
    );
    let text = map(&bounds(), FrequencyColours::Bound, false).summary();
    assert!(
        text.contains("a pair adds at most 11.0 to a score (median 5.50): pair 4 of head 3 of layer 1, wavelength 10,000 tokens."),
        "{text}"
    );
    assert!(
        text.contains("Layer 2 has no norms on queries and keys."),
        "{text}"
    );
}

#[test]
fn colours_are_at_the_wavelengths_of_pairs() {
    use diagonal::figure::PlotMark;
    let map = map(&layers(), FrequencyColours::Share, false);
    let raster = map.plot.marks.iter().find_map(|mark| match mark {
        PlotMark::Raster(raster) => Some(raster),
        _ => None,
    });
    let raster = raster.expect("a raster");
    let (low, high) = map.plot.x_range();
    assert!((low - 10.0_f64.sqrt()).abs() < 1e-9 && (high - 1e4 * 10.0_f64.sqrt()).abs() < 1e-6);
    let cell = |row: usize, wavelength: f64| {
        let share = (wavelength / low).ln() / (high / low).ln();
        raster.values[row * raster.columns + (share * raster.columns as f64) as usize]
    };
    // Head 2 of layer 1 has two equal pairs; the second layer is empty; the third has no fourth pair.
    assert_eq!(
        [10.0, 100.0, 1e3, 1e4].map(|w| cell(1, w)),
        [0.5, 0.5, 0.0, 0.0]
    );
    assert!([10.0, 1e4].iter().all(|w| cell(5, *w).is_nan()));
    assert!(cell(8, 10.0) == 1.0 && cell(8, 1e4).is_nan());
}

/// Arrow keys reach every pair; the outline of a pair holds the pointer that reads it.
#[test]
fn the_cursor_is_at_the_pair_of_its_place() {
    use diagonal::figure::Mark;
    let width = 640.0;
    for (layers, colours, by_effective_pairs, count) in [
        (layers(), FrequencyColours::Share, false, 28),
        (layers(), FrequencyColours::Share, true, 28),
        (bounds(), FrequencyColours::Bound, false, 12),
    ] {
        let map = map(&layers, colours, by_effective_pairs);
        let step = |cursor, by| map.step_cursor(cursor, by);
        let mut found = std::collections::HashSet::new();
        let mut row = step(None, (0, 0));
        loop {
            let mut at = row;
            loop {
                let Some(Cursor::Pair { layer, head, pair }) = at else {
                    panic!("a pair");
                };
                let outline = map.overlay(width, at).marks.pop();
                let Some(Mark::Box { rect, .. }) = outline else {
                    panic!("an outline of {at:?}");
                };
                let middle = (rect.x + rect.width / 2.0, rect.y + rect.height / 2.0);
                assert_eq!(map.cursor_at(width, middle.0, middle.1), at);
                let place = FrequencyLook {
                    colours,
                    by_effective_pairs,
                };
                let reading = pair_reading(&layers, place, at).expect("a reading");
                let start = format!(
                    "Layer {}, head {}, pair {}: ",
                    layer + 1,
                    head + 1,
                    pair + 1
                );
                assert!(reading.starts_with(&start), "{reading}");
                assert!(found.insert((layer, head, pair)), "{at:?} twice");
                let next = step(at, (0, 1));
                if next == at {
                    break;
                }
                at = next;
            }
            let next = step(row, (1, 0));
            if next == row {
                break;
            }
            row = next;
        }
        assert_eq!(found.len(), count);
        assert_eq!(step(row, (-100, -8)), step(None, (0, 0)));
        // Cursors of other figures are none of this one.
        assert!(
            map.overlay(width, Some(Cursor::Cell(0, 0)))
                .marks
                .is_empty()
        );
        assert_eq!(step(Some(Cursor::Offset(3)), (1, 1)), step(None, (0, 0)));
        assert_eq!(map.cursor_at(width, -1.0, 5.0), None);
    }
    let at = Some(Cursor::Pair {
        layer: 0,
        head: 1,
        pair: 1,
    });
    let reading = pair_reading(&layers(), FrequencyLook::default(), at);
    let expected = "Layer 1, head 2, pair 2: wavelength 100 tokens, 20.5 turns in the trained length; share 50.0 %.";
    assert_eq!(reading.as_deref(), Some(expected));
}

#[test]
fn maps_of_any_size_are_drawn() {
    assert!(frequency_map(&RotaryLayers::default(), FrequencyLook::default()).is_none());
    // A layer that does not rotate is no map.
    let mut still = layers();
    still.layers.remove(2);
    still.layers.remove(0);
    assert!(frequency_map(&still, FrequencyLook::default()).is_none());
    // Layers that have not arrived, and those that are not read.
    let first = RotaryLayers {
        layers: vec![layer(0, 4, 4)],
        total: 30,
        ..layers()
    };
    assert_eq!(
        map(&first, FrequencyColours::Share, false).effective.len(),
        120
    );
    let remote = RotaryLayers {
        unread: Some((29, 1 << 30)),
        ..first
    };
    assert_eq!(
        map(&remote, FrequencyColours::Share, false).effective.len(),
        4
    );
    // More heads than lines, heads without energy, layers out of order, odd lengths.
    let mut many = RotaryLayers {
        layers: (0..126).rev().map(|at| layer(at, 128, 2)).collect(),
        total: 126,
        trained_length: Some(1e30),
        ..layers()
    };
    if let RotaryValues::Energies(energies) = &mut many.layers[0].values {
        energies.queries[5].pairs.fill(0.0);
    }
    for by_effective_pairs in [false, true] {
        let map = map(&many, FrequencyColours::Share, by_effective_pairs);
        assert!(map.effective.len() <= 1024 + 126, "{}", map.effective.len());
        let text = map.summary();
        assert!(
            text.contains("Each line is the mean of up to 16 heads."),
            "{text}"
        );
        assert!(text.contains("1 head has no energy."), "{text}");
        let height = map.height(640.0);
        assert!(height < 700.0 && map.scene(640.0).height == height);
        assert!(
            map.with_height(640.0, 900.0)
                .is_some_and(|map| map.height(640.0) > 850.0)
        );
    }
    for trained_length in [
        None,
        Some(f64::NAN),
        Some(0.0),
        Some(f64::INFINITY),
        Some(1.0),
    ] {
        let layers = RotaryLayers {
            trained_length,
            ..layers()
        };
        assert!(
            map(&layers, FrequencyColours::Share, false)
                .scene(320.0)
                .height
                > 100.0
        );
    }
}
