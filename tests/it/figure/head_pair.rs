//! Figures of two heads: panels, profiles, captions, and the numbers behind them.

use super::pictures::tile;
use diagonal::{
    analysis::{HeadDetail, HeadId, MatrixId, ModelVersion, ScoreInput, ScoreMode},
    figure::{
        ColorMap, Cursor, Figure,
        head_pair::{PairTile, PairedHead, head_difference, pair_caption, pair_profiles},
    },
    math::{AttentionMask, Profile, Tile, ToeplitzFit, Window},
};
use std::sync::Arc;

/// Scores of a head that prefers an offset.
fn score(peak: i64, i: usize, j: usize) -> f32 {
    4.0 - (j as i64 - i as i64 - peak).abs() as f32 / 4.0
}

fn head(place: (usize, usize), n: usize, peak: i64) -> PairedHead {
    let detail = HeadDetail {
        fit: ToeplitzFit {
            f: Profile::from_fn(n, |k| 4.0 - (k - peak).abs() as f64 / 4.0),
            mean: 0.0,
            r2: 0.75,
        },
        causal_r2: 0.5,
        softmax_r2: None,
        grid_fit: None,
        tile: tile(Window::whole(n, n), 1, |i, j| score(peak, i, j)),
        sections: Vec::new(),
        kernels: None,
    };
    PairedHead {
        place,
        detail: Arc::new(detail),
    }
}

fn pair() -> [PairedHead; 2] {
    [head((0, 2), 32, -3), head((11, 0), 32, 5)]
}

fn id((layer, head): (usize, usize)) -> HeadId {
    HeadId {
        model: ModelVersion { id: 1, revision: 1 },
        input: ScoreInput::Positions(ScoreMode::Paper),
        layer,
        head,
    }
}

fn difference(clip: f64) -> impl Figure + 'static {
    let heads = pair();
    let cells = AttentionMask::Whole;
    let (a, b) = (id(heads[0].place), id(heads[1].place));
    let whole = || Window::whole(32, 32);
    let matrix = |tile: Tile, source| PairTile {
        tile: Arc::new(tile),
        source,
    };
    let matrices = [
        matrix(heads[0].detail.tile.clone(), MatrixId::Head(a, cells)),
        matrix(heads[1].detail.tile.clone(), MatrixId::Head(b, cells)),
        matrix(
            tile(whole(), 1, |i, j| score(-3, i, j) - score(5, i, j)),
            MatrixId::HeadDifference(a, b, cells),
        ),
    ];
    let look = (ColorMap::Viridis, clip);
    head_difference(&heads, matrices, None, Some(-0.25), look, cells)
}

/// For the `pictures` tests.
pub(crate) fn pictures() -> Vec<(&'static str, Box<dyn Figure>, Option<Cursor>)> {
    let profiles = pair_profiles(&pair(), Some(-0.25), AttentionMask::Whole, (-32.0, 32.0));
    vec![
        (
            "head-difference",
            Box::new(difference(0.0)),
            Some(Cursor::Cell(20, 12)),
        ),
        (
            "head-pair-profile",
            Box::new(profiles),
            Some(Cursor::Offset(-3)),
        ),
    ]
}

#[test]
fn profiles_have_a_row_for_each_head_and_offset() {
    let csv = |cells| {
        pair_profiles(&pair(), Some(0.5), cells, (-32.0, 32.0))
            .table()
            .csv()
    };
    let whole = csv(AttentionMask::Whole);
    let lines: Vec<&str> = whole.lines().collect();
    assert_eq!(lines[0], "layer,head,offset,mean,cells,r2,correlation");
    assert_eq!(lines[1], "1,3,-31,-3,1,0.75,0.5");
    assert_eq!(lines.len(), 1 + 2 * 63);
    assert_eq!(lines[64], "12,1,-31,-5,1,0.75,0.5");
    // Only offsets up to 0 count in a causal model.
    let causal = csv(AttentionMask::Causal);
    assert_eq!(causal.lines().count(), 1 + 2 * 32);
    assert_eq!(causal.lines().nth(32), Some("1,3,0,3.25,32,0.5,0.5"));
    let unknown = pair_profiles(&pair(), None, AttentionMask::Whole, (-32.0, 32.0));
    assert!(unknown.table().csv().contains(",0.75,NaN\n"));
}

#[test]
fn captions_name_both_heads_and_say_if_they_differ_in_size() {
    let caption = pair_caption(&pair(), Some(-0.25), AttentionMask::Whole);
    assert_eq!(
        caption.expect("a caption"),
        "Scores of layer 1, head 3 (a) and layer 12, head 1 (b) on one colour scale, and a − b. The correlation of both over all cells is −0.250."
    );
    let caption = pair_caption(&pair(), None, AttentionMask::Whole).expect("a caption");
    assert!(caption.ends_with("and a − b."), "{caption}");
    let causal = pair_caption(&pair(), Some(0.5), AttentionMask::Causal).expect("a caption");
    assert!(
        causal.ends_with("over the cells that the causal mask leaves is 0.500."),
        "{causal}"
    );
    let [first, _] = pair();
    let caption = pair_caption(&[first, head((1, 1), 49, 0)], None, AttentionMask::Whole);
    assert_eq!(
        caption.expect_err("no difference"),
        "The two heads have different sizes, so their scores have no difference: layer 1, head 3 has 32 positions, layer 2, head 2 has 49."
    );
}

#[test]
fn a_point_of_any_panel_is_a_cell() {
    let figure = difference(1.0);
    for width in [320.0, 900.0] {
        for place in figure.places(width) {
            let (x, y) = (place.x + 0.6 * place.width, place.y + 0.5 * place.height);
            let cursor = figure.cursor_at(width, x, y);
            assert!(
                matches!(cursor, Some(Cursor::Cell(i, j)) if i < 32 && j < 32),
                "{cursor:?}"
            );
        }
        assert_eq!(figure.cursor_at(width, 1.0, 1.0), None);
        let lit = figure.overlay(width, Some(Cursor::Offset(-3))).marks.len();
        // Three lines on each of three panels.
        assert_eq!(lit, 9);
    }
}
