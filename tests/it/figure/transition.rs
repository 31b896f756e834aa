//! Pictures between two matrices: the ends are the matrices, the values in between are interpolated.

use diagonal::{
    figure::{ColorMap, Heatmap},
    math::{Tile, Window},
};
use proptest::prelude::*;
use std::sync::Arc;

fn tile(values: Vec<f32>) -> Tile {
    Tile {
        window: Window::whole(2, 3),
        row_step: 1,
        col_step: 1,
        values,
        cells: None,
    }
}

fn values() -> impl Strategy<Value = Vec<f32>> {
    prop::collection::vec(-1e3_f32..1e3, 6)
}

proptest! {
    #[test]
    fn a_transition_is_linear_in_every_value(from in values(), to in values(), t in 0.0_f32..=1.0) {
        let (from, to) = (tile(from), tile(to));
        prop_assert_eq!(from.between(&to, 0.0), Some(from.clone()));
        prop_assert_eq!(from.between(&to, 1.0), Some(to.clone()));
        let between = from.between(&to, t).expect("the same blocks");
        for ((a, b), value) in from.values.iter().zip(&to.values).zip(&between.values) {
            prop_assert!((value - (a + t * (b - a))).abs() <= 1e-3, "{value} between {a} and {b}");
            prop_assert!(*value >= a.min(*b) - 1e-3 && *value <= a.max(*b) + 1e-3);
        }
    }
}

#[test]
fn other_blocks_have_no_transition() {
    let from = tile(vec![0.0; 6]);
    let moved = Tile {
        window: Window {
            rows: 1..3,
            cols: 0..3,
        },
        ..from.clone()
    };
    let coarse = Tile {
        window: Window::whole(4, 6),
        row_step: 2,
        col_step: 2,
        ..from.clone()
    };
    assert_eq!(from.between(&moved, 0.5), None);
    assert_eq!(from.between(&coarse, 0.5), None);
}

#[test]
fn colours_move_with_the_values() {
    let heatmap = |scale: f32| {
        let values = [-1.0, 0.5, 0.0, 0.25, 1.0, -0.5].map(|value| scale * value);
        Heatmap::matrix(Arc::new(tile(values.to_vec())), ColorMap::Diverging, 0.0)
    };
    let (from, to) = (heatmap(1.0), heatmap(3.0));
    let half = from.between(&to, 0.5).expect("the same blocks");
    assert_eq!(half.range().ends, (-2.0, 2.0));
    // The same colours, since values and range grow alike.
    assert_eq!(half.raster(), from.raster());
    let end = from.between(&to, 1.0).expect("the same blocks");
    assert_eq!((end.range(), end.tile()), (to.range(), to.tile()));
}
