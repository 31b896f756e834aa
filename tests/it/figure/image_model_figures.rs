//! Figures of the open model in the view of images: pictures, captions and downloads.

use crate::{
    checkpoint::hostile::assert_is_sentence,
    support::questions::{FIRST, ask, folder, open},
};
use diagonal::{
    analysis::{
        HeadConvolutions, LayerConvolutions, MemorySession, OtherGrid, PatchMaps, PatchSimilarity,
        ScoreMode, Similarity,
    },
    figure::{
        ColorMap, Cursor, Figure, Mark, PatchPicture, head_patterns, offset_maps, patch_caption,
        pattern_labels, patterns_caption,
    },
    math::{Grid, Resampling},
    model::ModelOptions,
};

fn layers(name: &str) -> Vec<LayerConvolutions> {
    let session = MemorySession::default();
    open(&session, folder(name), ModelOptions::default()).expect(name);
    let mode = ScoreMode::AsComputed;
    ask(
        &session,
        HeadConvolutions {
            of: FIRST,
            input: mode.into(),
        },
    )
    .expect(name)
}

fn maps(name: &str, other: Option<OtherGrid>) -> PatchMaps {
    let session = MemorySession::default();
    open(&session, folder(name), ModelOptions::default()).expect(name);
    let question = PatchSimilarity {
        of: FIRST,
        similarity: Similarity::Cosine,
        other,
        layer: 0,
    };
    ask(&session, question).expect(name)
}

fn picture(maps: &PatchMaps) -> PatchPicture {
    match maps {
        PatchMaps::ByPatch(maps) => PatchPicture::new(maps, ColorMap::Hot, 0.0),
        PatchMaps::ByHead(_) => panic!("a table has patches"),
    }
}

/// Figures of image models: each head’s attention, and the maps of patches.
pub(crate) fn pictures() -> Vec<(&'static str, Box<dyn Figure>)> {
    let patterns = |name| head_patterns(&layers(name), ColorMap::Diverging).expect(name);
    vec![
        ("head-convolution of vit", Box::new(patterns("vit"))),
        ("head-convolution of gpt2", Box::new(patterns("gpt2"))),
        ("grid-similarity", Box::new(picture(&maps("vit", None)))),
    ]
}

#[test]
fn heads_are_downloaded_under_the_names_of_the_contract() {
    for (name, on_grid) in [
        ("vit", true),
        ("swin", true),
        ("bert", false),
        ("gpt2", false),
    ] {
        let layers = layers(name);
        let figure = head_patterns(&layers, ColorMap::Diverging).expect(name);
        let csv = figure.table().csv();
        let header = csv.lines().next().expect("a header");
        let peak = if on_grid {
            "peak_dy,peak_dx"
        } else {
            "peak_offset"
        };
        let expected =
            format!("layer,head,explained,scores_r2,profile,attention_near,{peak},width");
        assert_eq!(header, expected, "{name}");
        let heads: usize = layers.iter().map(|layer| layer.heads.len()).sum();
        assert_eq!(csv.lines().count(), 1 + heads, "{name}");
        assert_eq!(figure.cells.len(), heads, "{name}");
        assert_eq!(pattern_labels(&layers).count(), heads, "{name}");
        let words = figure.summary();
        assert!(words.ends_with('.') && !words.contains(".."), "{words}");
        assert!(
            words.contains("Layer 1: ") && words.contains("Layer 2: "),
            "{words}"
        );
        println!("{name}: {words}");
        // The query is drawn as a white and black square in a picture, and as a line in a curve.
        for width in [320.0, 700.0] {
            let scene = figure.scene(width);
            let squares = scene
                .marks
                .iter()
                .filter(|mark| matches!(mark, Mark::Box { fill: None, .. }));
            assert_eq!(
                squares.count(),
                if on_grid { 2 * heads } else { 0 },
                "{name}"
            );
            for place in figure.places(width) {
                assert!(
                    place.right() <= width + 1e-9 && place.bottom() <= scene.height,
                    "{name}"
                );
            }
        }
        let caption = patterns_caption(&layers[..1], layers.len(), name == "swin");
        let rest = caption.strip_prefix("1 of 2 layers so far. ");
        assert_is_sentence(rest.expect("it is counted"));
        assert!(!patterns_caption(&layers, layers.len(), false).contains("so far"));
    }
    assert!(head_patterns(&[], ColorMap::Hot).is_none());
}

/// Letters and their number are given by layer.
#[test]
fn profiles_are_counted_by_layer() {
    let mut layers = layers("vit");
    let heads = &mut layers[0].heads;
    for (head, shared) in heads.iter_mut().zip([Some(0), Some(1), Some(0), None]) {
        (head.kernel_index, head.explained_share) = (shared, 0.95);
    }
    let words = head_patterns(&layers, ColorMap::Hot)
        .expect("heads")
        .summary();
    assert!(
        words.contains("Layer 1: 2 profiles among 3 heads, a mixture of 2 convolutions; one head attends farther away."),
        "{words}"
    );
    for head in &mut layers[0].heads {
        (head.kernel_index, head.explained_share) = (Some(0), 0.5);
    }
    let words = head_patterns(&layers, ColorMap::Hot)
        .expect("heads")
        .summary();
    let expected = "Layer 1: 1 profile among 4 heads, with a mean R² of attention of 0.500.";
    assert!(words.contains(expected), "{words}");
    for head in &mut layers[0].heads {
        (head.kernel_index, head.explained_share) = (None, f64::NAN);
    }
    let figure = head_patterns(&layers[..1], ColorMap::Hot).expect("heads");
    let words = figure.summary();
    assert!(words.contains("Their R² is not a number"), "{words}");
    assert!(figure.table().csv().contains("NaN"));
    let (_, label) = pattern_labels(&layers).next().expect("a label");
    assert!(label.contains("not a number"), "{label}");
}

#[test]
fn patches_point_at_pairs() {
    let maps = maps("vit", None);
    let figure = picture(&maps);
    let csv = figure.table().csv();
    assert!(
        csv.starts_with("y,x,patch_y,patch_x,similarity,r2,own_r2\n0,0,0,0,"),
        "{}",
        &csv[..60]
    );
    assert_eq!(csv.lines().count(), 1 + 64 * 64);
    assert_is_sentence(&figure.summary());
    assert_is_sentence(&patch_caption(&maps));
    // Every pair of patches can be pointed at, and its place is highlighted.
    let width = 560.0;
    let mut met = std::collections::HashSet::new();
    let height = figure.height(width);
    for step in 0..2000 {
        let (x, y) = (f64::from(step * 37 % 560), f64::from(step * 91 % 561));
        if let Some(Cursor::Cell(i, j)) = figure.cursor_at(width, x + 0.5, y.min(height)) {
            assert!(maps.pair((i, j)).is_some());
            assert!(i < 64 && j < 64);
            met.insert((i, j));
            assert!(
                !figure
                    .overlay(width, Some(Cursor::Cell(i, j)))
                    .marks
                    .is_empty()
            );
        }
    }
    assert!(met.len() > 500, "{}", met.len());
    assert_eq!(figure.cursor_at(width, -1.0, 4.0), None);
    // The map of patch (0, 0) begins in the corner; the second one is to the right of it, after a gap.
    assert_eq!(figure.cursor_at(width, 0.5, 0.5), Some(Cursor::Cell(0, 0)));
    let pixel = width / 71.0;
    assert_eq!(figure.cursor_at(width, 8.5 * pixel, 0.5), None);
    assert_eq!(
        figure.cursor_at(width, 9.5 * pixel, 0.5),
        Some(Cursor::Cell(1, 0))
    );
    assert_eq!(
        figure.cursor_at(width, 0.5, 9.5 * pixel),
        Some(Cursor::Cell(8, 0))
    );
}

#[test]
fn another_grid_says_what_it_does() {
    let other = OtherGrid {
        grid: Grid {
            height: 14,
            width: 12,
        },
        how: Resampling::Bicubic,
    };
    let maps = maps("vit", Some(other));
    let figure = picture(&maps);
    let caption = patch_caption(&maps);
    assert!(
        caption.contains("Resampled from 8 × 8 to 14 × 12 patches"),
        "{caption}"
    );
    assert!(
        figure.summary().contains("own grid of 8 by 8"),
        "{}",
        figure.summary()
    );
    // The model has other positions, so there is no cursor.
    assert_eq!(figure.cursor_at(600.0, 10.0, 10.0), None);
    assert_eq!(maps.pair((0, 0)), None);
}

#[test]
fn windows_are_drawn_by_head() {
    let found = maps("swin", None);
    assert_is_sentence(&patch_caption(&found));
    let PatchMaps::ByHead(heads) = found else {
        panic!("Swin has no table");
    };
    let figure = offset_maps(&heads, ColorMap::Viridis);
    let (rows, columns) = heads.grid.reach();
    let csv = figure.table().csv();
    assert!(
        csv.starts_with("layer,head,dy,dx,score\n1,1,"),
        "{}",
        &csv[..40]
    );
    assert_eq!(csv.lines().count(), 1 + heads.heads.len() * rows * columns);
    assert_is_sentence(&figure.summary());
    assert_eq!(figure.cells.len(), heads.heads.len());
}
