//! Figures of a model's attention over a text: tokens, heads, maps, profiles and predictions, and their tables.

use super::pictures::tile;
use diagonal::{
    analysis::{
        MatrixPart, PartShare, PredictionKind, ScorePart, SpecialTokenMode, TextHeadSummary,
        TextMatrix, TextProfile, TextR2, TextValues, TokenPrediction,
    },
    figure::{
        ColorMap, Cursor, Figure, Mark, part_name,
        text_attention::{
            HEAD_MEASURES, HeadMeasure, HeadScatter, MapContent, ScatterAxes, StripColors,
            TextHeadPictures, TextMap, TextToken, TokenNames, TokenStrip, heads_by_measure,
            prediction_bars, score_parts, text_grid_caption, text_profile,
        },
    },
    math::{AttentionMask, Window},
};
use ndarray::Array2;
use std::sync::Arc;

const AXES: ScatterAxes = ScatterAxes {
    x: HeadMeasure::Previous,
    y: HeadMeasure::AttentionR2,
    color: HeadMeasure::Entropy,
};

fn tokens() -> Vec<TextToken> {
    let pieces = [
        "[CLS]", "the", "dog", "bit", "the", "old", "grand", "##father", ",", "again", ".", "[SEP]",
    ];
    let token = |(index, piece): (usize, &&str)| TextToken {
        id: 100 + index as u32,
        piece: (*piece).to_owned(),
        is_special: piece.starts_with('['),
    };
    pieces.iter().enumerate().map(token).collect()
}

/// Attention to the token before and to the first, in dyadic fractions, so that sums are exact.
fn share(query: usize, key: usize) -> f32 {
    match (query, key) {
        (0, 0) => 1.0,
        (query, key) if key + 1 == query => 0.625,
        (_, 0) => 0.25,
        (query, key) if key == query => 0.125,
        _ => 0.0,
    }
}

/// The attention over the tokens at some positions.
fn matrix(positions: &[usize]) -> TextMatrix {
    let cell = |(row, column)| share(positions[row], positions[column]);
    TextMatrix {
        cells: Array2::from_shape_fn((positions.len(), positions.len()), cell),
        tokens: positions.to_vec(),
        r2: 0.625,
    }
}

fn map(positions: &[usize], values: TextValues, part: MatrixPart) -> TextMap {
    let content = MapContent {
        values,
        part,
        mask: AttentionMask::Whole,
    };
    let look = (ColorMap::Viridis, 0.0);
    TextMap::new(&matrix(positions), &tokens(), content, look)
}

fn whole_map() -> TextMap {
    let all: Vec<usize> = (0..12).collect();
    map(&all, TextValues::Attention, MatrixPart::Whole)
}

fn heads() -> Vec<TextHeadSummary> {
    let head = |at: usize| TextHeadSummary {
        layer: at / 4,
        head: at % 4,
        r2: [0.5, 0.25, 0.125].map(|share| TextR2 {
            attention: share * (at % 5) as f64 / 4.0,
            scores: if at == 3 { f64::NAN } else { share / 2.0 },
        }),
        peak_offset: at as i64 % 3 - 1,
        previous: at as f64 / 16.0,
        next: 0.125,
        itself: 0.0625,
        first: 0.5,
        separator: 0.25,
        entropy: (at % 4) as f64 / 2.0 + 0.5,
        thumbnail: tile(Window::whole(12, 12), 1, |i, j| share(i, (j + at) % 12)),
    };
    (0..8).map(head).collect()
}

fn grid() -> impl Figure + 'static {
    let heads = heads();
    let mut pictures = TextHeadPictures::default();
    pictures.add(1, &heads, ColorMap::Diverging);
    let in_order: Vec<&TextHeadSummary> = heads.iter().collect();
    let label = HeadMeasure::AttentionR2;
    pictures
        .grid(&in_order, label, SpecialTokenMode::Shown, Some(4))
        .expect("heads")
}

/// Heads of a later run replace those of an earlier one as they arrive; the others stay.
#[test]
fn heads_of_a_later_run_replace_those_before() {
    let earlier = heads();
    let mut later = heads();
    for head in &mut later {
        head.thumbnail = tile(Window::whole(12, 12), 1, |i, j| share(j, i));
    }
    let pictures = |runs: &[(u32, &[TextHeadSummary])]| {
        let mut pictures = TextHeadPictures::default();
        for (run, heads) in runs {
            pictures.add(*run, heads, ColorMap::Viridis);
        }
        let order: Vec<&TextHeadSummary> = earlier.iter().collect();
        let grid = pictures.grid(&order, HeadMeasure::Next, SpecialTokenMode::Shown, None);
        let cells = grid.expect("heads").cells.into_iter();
        cells.map(|cell| format!("{cell:?}")).collect::<Vec<_>>()
    };
    let (old, new) = (pictures(&[(1, &earlier)]), pictures(&[(1, &later)]));
    let mixed = pictures(&[(1, &earlier), (2, &later[..3])]);
    assert_eq!(mixed[..3], new[..3]);
    assert_eq!(mixed[3..], old[3..]);
    assert_eq!(pictures(&[(1, &earlier), (1, &later)]), old);
}

fn scatter() -> HeadScatter {
    let mut scatter = HeadScatter::new(&heads(), AXES, SpecialTokenMode::Shown, ColorMap::Viridis)
        .expect("points");
    scatter.open = Some((1, 2));
    scatter
}

fn profile(texts: usize) -> TextProfile {
    let offsets: Vec<i64> = (-11..=11).collect();
    let mean = |k: &i64| 0.5 - (k + 1).unsigned_abs() as f64 / 32.0;
    let means: Vec<f64> = offsets.iter().map(mean).collect();
    TextProfile {
        low: means.iter().map(|mean| mean - 0.0625).collect(),
        high: means.iter().map(|mean| mean + 0.125).collect(),
        mean: means,
        texts,
        weights: Some(
            offsets
                .iter()
                .map(|k| 2.0 - (k + 2).unsigned_abs() as f64 / 4.0)
                .collect(),
        ),
        offsets,
    }
}

fn strip() -> TokenStrip {
    let values = (0..12).map(|key| f64::from(share(7, key))).collect();
    TokenStrip::new(tokens()).with_tints(StripColors::AttentionFrom(7), values)
}

fn predictions() -> Vec<TokenPrediction> {
    let top = [(102, 0.5), (105, 0.25), (103, 0.125)];
    let masked = TokenPrediction {
        position: 2,
        kind: PredictionKind::Masked,
        top: top.to_vec(),
        rank: Some((102, 1)),
        surprise: 1.0,
    };
    let missed = TokenPrediction {
        position: 9,
        rank: Some((109, 57)),
        surprise: 10.0,
        ..masked.clone()
    };
    vec![masked, missed]
}

/// Five parts of two heads' scores.
fn parts() -> impl Figure + 'static {
    let share = |(index, part): (usize, ScorePart)| PartShare {
        layer: 0,
        head: index / 5,
        part,
        share: [0.5, 0.125, -0.25, 0.5, 0.125][index % 5],
        r2: 0.25,
    };
    let both = ScorePart::ALL.into_iter().chain(ScorePart::ALL);
    let shares: Vec<PartShare> = both.enumerate().map(share).collect();
    let all: Vec<usize> = (0..12).collect();
    let maps = ScorePart::ALL.map(|part| (part, Arc::new(matrix(&all))));
    score_parts(&maps, &shares, 1, 0.0)
}

fn names() -> TokenNames {
    TokenNames::new(tokens().into_iter().map(|token| (token.id, token.piece)))
}

/// For the `pictures` tests.
pub(crate) fn pictures() -> Vec<(&'static str, Box<dyn Figure>, Option<Cursor>)> {
    let hidden: Vec<usize> = (1..11).collect();
    let bars = prediction_bars(&predictions(), &tokens(), &names()).expect("bars");
    vec![
        ("text-tokens", Box::new(strip()), Some(Cursor::Cell(7, 6))),
        (
            "text-tokens-plain",
            Box::new(TokenStrip::new(tokens())),
            Some(Cursor::Offset(2)),
        ),
        ("text-head-grid", Box::new(grid()), None),
        ("text-head-scatter", Box::new(scatter()), None),
        (
            "text-matrix",
            Box::new(whole_map()),
            Some(Cursor::Cell(5, 4)),
        ),
        (
            "text-matrix-residual",
            Box::new(map(&hidden, TextValues::Scores, MatrixPart::Residual)),
            Some(Cursor::Offset(-1)),
        ),
        (
            "text-profile",
            Box::new(text_profile(&profile(3), TextValues::Attention)),
            Some(Cursor::Offset(-1)),
        ),
        ("text-parts", Box::new(parts()), Some(Cursor::Cell(5, 4))),
        ("text-predictions", Box::new(bars), None),
    ]
}

/// The first lines of a table as CSV.
fn csv(figure: &impl Figure, lines: usize) -> Vec<String> {
    let text = figure.table().csv();
    text.lines().take(lines).map(str::to_owned).collect()
}

#[test]
fn tables_have_their_columns() {
    assert_eq!(
        csv(&strip(), 3),
        [
            "position,piece,id,special,value",
            "0,[CLS],100,1,0.25",
            "1,the,101,0,0"
        ]
    );
    assert_eq!(csv(&TokenStrip::new(tokens()), 2)[1], "0,[CLS],100,1,NaN");
    let columns =
        "layer,head,attention_r2,score_r2,peak_offset,previous,next,self,first,separator,entropy";
    let first = "1,1,0,0.25,-1,0,0.125,0.0625,0.5,0.25,0.5";
    assert_eq!(csv(&grid(), 2), [columns, first]);
    assert_eq!(csv(&scatter(), 2), [columns, first]);
    let profile_line = "-11,0.1875,0.125,0.3125,3,-0.25";
    let profiles = text_profile(&profile(3), TextValues::Scores);
    assert_eq!(
        csv(&profiles, 2),
        ["offset,mean,low,high,texts,weights", profile_line]
    );
    let without = TextProfile {
        weights: None,
        ..profile(1)
    };
    let without = text_profile(&without, TextValues::Scores);
    assert_eq!(without.lines().count(), 1);
    assert!(csv(&without, 2)[1].ends_with(",1,NaN"));
    let bars = prediction_bars(&predictions(), &tokens(), &names()).expect("bars");
    let lines = csv(&bars, 9);
    assert_eq!(
        lines[..2],
        ["position,rank,piece,probability", "2,1,dog,0.5"]
    );
    // The text's own token follows the others if it is not among them: 2⁻¹⁰.
    assert_eq!(lines[7..], ["9,57,again,0.0009765625"]);
}

#[test]
fn parts_have_a_row_for_each_head() {
    let lines = csv(&parts(), 12);
    assert_eq!(lines[0], "layer,head,part,share,r2");
    assert_eq!(lines[3], "1,1,position–content,-0.25,0.25");
    assert_eq!(lines[6], "1,2,content–content,0.5,0.25");
    assert_eq!(lines.len(), 11);
    assert_eq!(part_name(ScorePart::Rest), "rest");
    assert!(
        parts()
            .summary()
            .starts_with("Parts of the scores of head 2 of layer 1.")
    );
}

#[test]
fn the_columns_of_a_map_are_the_positions_of_its_keys() {
    let lines = csv(&whole_map(), 3);
    assert_eq!(lines[0], "0,1,2,3,4,5,6,7,8,9,10,11");
    assert_eq!(lines[2], "0.625,0.125,0,0,0,0,0,0,0,0,0,0");
    // Special tokens at both ends are left out.
    let inner: Vec<usize> = (1..11).collect();
    let inner = map(&inner, TextValues::Attention, MatrixPart::Whole);
    assert_eq!(csv(&inner, 1), ["1,2,3,4,5,6,7,8,9,10"]);
    // A token between others is left out.
    let gap = map(&[1, 2, 4, 5], TextValues::Attention, MatrixPart::Whole);
    assert_eq!(csv(&gap, 2), ["1,2,4,5", "0.125,0,0,0"]);
    assert_eq!(gap.table().csv().lines().count(), 5);
}

#[test]
fn the_cursor_has_positions_of_the_text() {
    let gap = map(&[1, 2, 4, 5], TextValues::Attention, MatrixPart::Whole);
    let width = 400.0;
    let frame = gap.plot_frame(width).expect("a frame");
    let cell = frame.width / 4.0;
    let at = |row: f64, column: f64| {
        let (x, y) = (frame.x + column * cell, frame.y + row * cell);
        gap.cursor_at(width, x, y)
    };
    assert_eq!(at(2.5, 1.5), Some(Cursor::Cell(4, 2)));
    assert_eq!(at(4.5, 1.5), None);
    assert_eq!(gap.value_at((5, 4)), Some(0.625));
    assert_eq!(gap.value_at((3, 2)), None, "position 3 is left out");
    // The diagonal k = −1 has the cells (2, 1) and (5, 4), which are in two runs: query 4 has no key 3.
    let lines = gap.overlay(width, Some(Cursor::Offset(-1))).marks;
    let paths = lines
        .iter()
        .filter(|mark| matches!(mark, Mark::Line { .. }))
        .count();
    let whole = whole_map()
        .overlay(width, Some(Cursor::Offset(-1)))
        .marks
        .len();
    assert_eq!(paths, 2 * whole);
    // A cell that is left out lights only its diagonal.
    let outside = gap.overlay(width, Some(Cursor::Cell(3, 2))).marks;
    assert_eq!(outside.len(), lines.len());
}

#[test]
fn a_strip_joins_the_pairs_at_the_offset_of_the_cursor() {
    let strip = strip();
    let (wide, narrow) = (2000.0, 120.0);
    let arcs = |width, k| {
        let marks = strip.overlay(width, Some(Cursor::Offset(k))).marks;
        marks
            .iter()
            .filter(|mark| matches!(mark, Mark::Line { .. }))
            .count()
    };
    // Twelve tokens on one line have ten pairs at a distance of two.
    assert_eq!(
        (arcs(wide, 2), arcs(wide, -2), arcs(wide, 0), arcs(wide, 12)),
        (10, 10, 0, 0)
    );
    assert!(arcs(narrow, 2) < 10, "pairs on two lines have no arc");
    // The tint has the row of the selected token.
    let place = strip.places(wide)[3];
    let cursor = strip.cursor_at(wide, place.x + 1.0, place.y + 1.0);
    assert_eq!(cursor, Some(Cursor::Cell(7, 3)));
    assert_eq!(
        TokenStrip::new(tokens()).cursor_at(wide, place.x + 1.0, place.y + 1.0),
        None
    );
}

#[test]
fn heads_are_ordered_by_every_number() {
    let heads = heads();
    for (number, ..) in HEAD_MEASURES {
        let special = SpecialTokenMode::Shown;
        let ordered = heads_by_measure(&heads, *number, special);
        let values: Vec<f64> = ordered
            .iter()
            .map(|head| number.of_head(head, special))
            .collect();
        let finite: Vec<f64> = values
            .iter()
            .copied()
            .filter(|value| value.is_finite())
            .collect();
        let falls = finite.windows(2).all(|two| two[0] >= two[1]);
        let rises = finite.windows(2).all(|two| two[0] <= two[1]);
        match number {
            HeadMeasure::PeakOffset => assert!(rises, "{values:?}"),
            _ => assert!(falls, "{values:?}"),
        }
        // Values that are no number come last.
        assert!(values[..finite.len()].iter().all(|value| value.is_finite()));
    }
    let r2 = |special| HeadMeasure::AttentionR2.of_head(&heads[4], special);
    assert_eq!(
        (
            r2(SpecialTokenMode::Shown),
            r2(SpecialTokenMode::Renormalised)
        ),
        (0.5, 0.125)
    );
}

#[test]
fn captions_say_what_r2_counts() {
    let caption = |special| text_grid_caption((3, 72), true, HeadMeasure::Entropy, special);
    assert_eq!(
        caption(SpecialTokenMode::Shown),
        "3 of 72 heads so far. Each row is a layer. The number below each head is its entropy in bits. R² counts all tokens."
    );
    assert!(
        caption(SpecialTokenMode::Hidden)
            .ends_with("R² leaves out special tokens; the shares count them.")
    );
    assert!(
        caption(SpecialTokenMode::Renormalised).contains("divides each row by the sum of the rest")
    );
}

#[test]
fn tokens_have_names_that_can_be_read() {
    let name = |piece: &str| {
        let token = TextToken {
            id: 0,
            piece: piece.to_owned(),
            is_special: false,
        };
        token.name()
    };
    assert_eq!(
        (name("Ġthe"), name("▁the"), name("##ing")),
        ("the".into(), "the".into(), "##ing".into())
    );
    assert_eq!(
        (name("▁"), name("Ċ"), name("a\u{0}b")),
        ("(space)".into(), "(line break)".into(), "ab".into())
    );
    assert_eq!(name(&"x".repeat(500)).chars().count(), 25);
    let special = &tokens()[0];
    assert_eq!(special.spoken_name(0), "special token [CLS], position 0");
}

#[test]
fn no_map_draws_what_is_not_a_number() {
    let nothing = TextMatrix {
        cells: Array2::from_elem((2, 2), f32::NAN),
        tokens: vec![0, 1],
        r2: f64::NAN,
    };
    let content = MapContent {
        values: TextValues::Attention,
        part: MatrixPart::Residual,
        mask: AttentionMask::Causal,
    };
    let map = TextMap::new(&nothing, &tokens(), content, (ColorMap::Viridis, 1.0));
    let scene = map.scene(300.0);
    let Some(Mark::Raster(_, raster)) = scene.marks.first() else {
        panic!("the cells come first");
    };
    assert!(raster.rgba.chunks(4).all(|pixel| pixel[3] == 0));
    assert!(HeadScatter::new(&[], AXES, SpecialTokenMode::Shown, ColorMap::Hot).is_none());
    assert!(prediction_bars(&[], &tokens(), &names()).is_none());
}
