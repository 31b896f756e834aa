//! Figures of heads: order, numbers, captions, and navigation by arrow keys.

use diagonal::{
    analysis::{HeadDetail, HeadR2, HeadSummary, Section},
    figure::{
        ColorMap, Figure, Mark, Scene, Thumbnails,
        heads::{
            Arrow, HeadLabel, HeadPictures, button_label, grid_caption, headline, next_place,
            sections,
        },
    },
    math::{AttentionMask, NoR2, Profile, SoftmaxR2, Tile, ToeplitzFit, Window},
    url_state::{Sort, heads_in_order},
};

fn tile(side: usize) -> Tile {
    Tile {
        window: Window::whole(side, side),
        row_step: 1,
        col_step: 1,
        values: (0..side * side).map(|at| at as f32).collect(),
        cells: None,
    }
}

fn head(layer: usize, head: usize, r2: f64, peak_offset: i64) -> HeadSummary {
    HeadSummary {
        layer,
        head,
        r2,
        causal_r2: 1.0 - r2,
        r2_2d: None,
        softmax_r2: None,
        peak_offset,
        causal_peak_offset: peak_offset.min(0),
        thumbnail: tile(4),
    }
}

fn heads() -> Vec<HeadSummary> {
    vec![
        head(0, 0, 0.25, 3),
        head(0, 1, 0.75, -7),
        head(1, 0, 0.5, 0),
        head(1, 1, 0.75, -7),
    ]
}

fn places(heads: &[&HeadSummary]) -> Vec<(usize, usize)> {
    heads.iter().map(|head| (head.layer, head.head)).collect()
}

fn grid(heads: &[HeadSummary], sort: Sort, cells: AttentionMask, label: HeadLabel) -> Thumbnails {
    let mut pictures = HeadPictures::default();
    pictures.add(heads, cells, ColorMap::Diverging);
    let heads = heads_in_order(heads, sort, cells, &HeadR2::Scores);
    pictures
        .grid(&heads, cells, (label, &HeadR2::Scores), Some(2))
        .expect("a grid")
}

#[test]
fn heads_that_are_alike_keep_their_order() {
    let heads = heads();
    let order = |sort, cells| places(&heads_in_order(&heads, sort, cells, &HeadR2::Scores));
    let by_layer = [(0, 0), (0, 1), (1, 0), (1, 1)];
    assert_eq!(order(Sort::Layer, AttentionMask::Whole), by_layer);
    let by_r2 = [(0, 1), (1, 1), (1, 0), (0, 0)];
    assert_eq!(order(Sort::R2, AttentionMask::Whole), by_r2);
    let by_causal_r2 = [(0, 0), (1, 0), (0, 1), (1, 1)];
    assert_eq!(order(Sort::R2, AttentionMask::Causal), by_causal_r2);
    let by_peak = [(0, 1), (1, 1), (1, 0), (0, 0)];
    assert_eq!(order(Sort::Peak, AttentionMask::Whole), by_peak);
}

#[test]
fn a_head_without_r2_comes_last_and_counts_in_no_mean() {
    let mut heads = heads();
    heads[1].r2 = f64::NAN;
    let order = places(&heads_in_order(
        &heads,
        Sort::R2,
        AttentionMask::Whole,
        &HeadR2::Scores,
    ));
    assert_eq!(order, [(1, 1), (1, 0), (0, 0), (0, 1)]);
    let figure = grid(&heads, Sort::R2, AttentionMask::Whole, HeadLabel::R2);
    assert_eq!(figure.cells[3].label, "–");
    let summary = figure.summary();
    assert!(summary.starts_with("4 heads, mean R² 0.500."), "{summary}");
    assert!(
        summary.contains("head 2 of layer 2 with an R² of 0.750"),
        "{summary}"
    );
    assert!(
        summary.contains("One of them has no R², because"),
        "{summary}"
    );
    for head in &mut heads {
        head.r2 = f64::NAN;
    }
    let summary = grid(&heads, Sort::R2, AttentionMask::Whole, HeadLabel::R2).summary();
    assert!(summary.contains("not a number, because"), "{summary}");
}

#[test]
fn the_numbers_stay_in_the_order_of_the_model() {
    let csv = |sort| {
        grid(&heads(), sort, AttentionMask::Whole, HeadLabel::R2)
            .table()
            .csv()
    };
    let expected = "layer,head,r2,causal_r2,peak_offset,causal_peak_offset\n\
                    1,1,0.25,0.75,3,0\n1,2,0.75,0.25,-7,-7\n2,1,0.5,0.5,0,0\n2,2,0.75,0.25,-7,-7\n";
    assert_eq!(csv(Sort::Layer), expected);
    assert_eq!(csv(Sort::R2), expected);
    let mut on_a_grid = heads();
    for head in &mut on_a_grid {
        head.r2_2d = Some(1.0);
    }
    let names = |heads: &[HeadSummary]| -> Vec<String> {
        let table = grid(heads, Sort::Layer, AttentionMask::Whole, HeadLabel::R2).table();
        table.names().skip(6).map(str::to_owned).collect()
    };
    assert_eq!(names(&on_a_grid), ["r2_2d"]);
    // R² within softmax comes last, followed by the reason if a head has none.
    for head in &mut on_a_grid {
        head.softmax_r2 = Some(SoftmaxR2 {
            all: 0.5,
            causal: 0.25,
            on_grid: Some(0.75),
        });
    }
    let softmax = ["r2_softmax", "causal_r2_softmax", "r2_2d_softmax"];
    assert_eq!(names(&on_a_grid)[1..], softmax);
    on_a_grid[2].r2_2d = Some(f64::NAN);
    assert_eq!(names(&on_a_grid)[4..], ["r2_missing"]);
}

#[test]
fn under_each_stands_what_heads_are_looked_at_for() {
    let labels = |cells, label| -> Vec<String> {
        let grid = grid(&heads(), Sort::Layer, cells, label);
        grid.cells.into_iter().map(|cell| cell.label).collect()
    };
    let whole = labels(AttentionMask::Whole, HeadLabel::R2);
    assert_eq!(whole, ["0.25", "0.75", "0.50", "0.75"]);
    assert_eq!(labels(AttentionMask::Causal, HeadLabel::R2)[0], "0.75");
    let peaks = labels(AttentionMask::Whole, HeadLabel::PeakOffset);
    assert_eq!(peaks, ["3", "−7", "0", "−7"]);
    assert_eq!(button_label((0, 11), 0.5), "layer 1, head 12, R² 0.500");
    assert_eq!(
        button_label((0, 0), f64::NAN),
        "layer 1, head 1, R² not a number"
    );
}

#[test]
fn a_grid_that_grows_draws_what_it_would_at_once() {
    let heads = heads();
    let pixels = |scene: Scene| -> Vec<_> {
        let rasters = scene.marks.into_iter().filter_map(|mark| match mark {
            Mark::Raster(place, raster) => Some((place.x, place.y, raster.rgba.clone())),
            _ => None,
        });
        rasters.collect()
    };
    let at_once = grid(&heads, Sort::Peak, AttentionMask::Whole, HeadLabel::R2);
    let mut pictures = HeadPictures::default();
    for come in 0..=heads.len() {
        pictures.add(&heads[..come], AttentionMask::Whole, ColorMap::Diverging);
        let order = heads_in_order(
            &heads[..come],
            Sort::Peak,
            AttentionMask::Whole,
            &HeadR2::Scores,
        );
        let grid = pictures.grid(
            &order,
            AttentionMask::Whole,
            (HeadLabel::R2, &HeadR2::Scores),
            Some(2),
        );
        assert_eq!(grid.map_or(0, |grid| grid.cells.len()), come);
    }
    let order = heads_in_order(&heads, Sort::Peak, AttentionMask::Whole, &HeadR2::Scores);
    let grown = pictures.grid(
        &order,
        AttentionMask::Whole,
        (HeadLabel::R2, &HeadR2::Scores),
        Some(2),
    );
    let grown = grown.expect("a grid");
    assert_eq!(pixels(grown.scene(400.0)), pixels(at_once.scene(400.0)));
}

#[test]
fn a_caption_says_how_many_have_come() {
    let caption = |come, all| grid_caption(come, all, true, HeadLabel::R2);
    let rest = "Each row is a layer. The number below each head is its R². Open a head with a click or the arrow keys; with Shift and a click, see another beside it.";
    assert_eq!(caption(0, 0), rest);
    assert_eq!(caption(12, 72), format!("12 of 72 heads so far. {rest}"));
    assert_eq!(caption(72, 72), format!("All 72 heads. {rest}"));
    assert_eq!(
        grid_caption(2, 2, false, HeadLabel::PeakOffset),
        "All 2 heads. The number below each head is its peak offset. Open a head with a click or the arrow keys; with Shift and a click, see another beside it."
    );
}

fn detail() -> HeadDetail {
    let section = |query: usize| Section {
        query,
        scores: (0..8).map(|key| key as f32).collect(),
    };
    HeadDetail {
        fit: ToeplitzFit {
            f: Profile::from_fn(8, |k| k as f64),
            mean: 0.0,
            r2: 0.5,
        },
        causal_r2: 0.25,
        softmax_r2: None,
        grid_fit: None,
        tile: tile(8),
        sections: vec![section(1), section(6)],
        kernels: None,
    }
}

#[test]
fn a_headline_names_the_cells_that_count() {
    let mut detail = detail();
    assert_eq!(
        headline((2, 3), &detail, AttentionMask::Whole),
        "Layer 3, head 4: R² 0.5000."
    );
    assert_eq!(
        headline((2, 3), &detail, AttentionMask::Causal),
        "Layer 3, head 4: R² 0.2500."
    );
    detail.softmax_r2 = Some(SoftmaxR2 {
        all: 0.75,
        causal: 0.125,
        on_grid: None,
    });
    for (cells, seen) in [
        (AttentionMask::Whole, "0.7500"),
        (AttentionMask::Causal, "0.1250"),
    ] {
        let words = headline((2, 3), &detail, cells);
        let expected =
            format!(" With the mean of each row subtracted, R² is {seen}; softmax ignores");
        assert!(words.contains(&expected), "{words}");
    }
    detail.fit.r2 = f64::NAN;
    let without = headline((0, 0), &detail, AttentionMask::Whole);
    let why = NoR2::NothingVaries;
    assert!(
        without.contains(&format!("not a number, because {why}")),
        "{without}"
    );
    detail.fit.mean = f64::INFINITY;
    let without = headline((0, 0), &detail, AttentionMask::Whole);
    let why = NoR2::NotFinite;
    assert!(
        without.contains(&format!("not a number, because {why}")),
        "{without}"
    );
}

#[test]
fn causal_sections_end_at_their_query() {
    let csv = |cells| sections(&detail(), cells, (-8.0, 8.0)).table().csv();
    let whole = csv(AttentionMask::Whole);
    assert!(
        whole.starts_with("section,query,offset,key,score\n1,1,-1,0,0\n"),
        "{whole}"
    );
    assert!(whole.contains("\n2,6,1,7,7\n"), "{whole}");
    let causal = csv(AttentionMask::Causal);
    assert!(causal.contains("\n1,1,0,1,1\n2,6,-6,0,0\n"), "{causal}");
    assert!(causal.ends_with("\n2,6,-1,5,5\n2,6,0,6,6\n"), "{causal}");
}

#[test]
fn arrows_lead_to_neighbours() {
    let heads: Vec<HeadSummary> = (0..25).map(|at| head(0, at, 0.5, 0)).collect();
    let mut pictures = HeadPictures::default();
    pictures.add(&heads, AttentionMask::Whole, ColorMap::Diverging);
    let all: Vec<&HeadSummary> = heads.iter().collect();
    let of = |per_row| {
        let grid = pictures.grid(
            &all,
            AttentionMask::Whole,
            (HeadLabel::R2, &HeadR2::Scores),
            per_row,
        );
        grid.expect("a grid")
    };
    for per_row in [None, Some(25), Some(7)] {
        let grid = of(per_row);
        for width in [200.0, 500.0, 1200.0] {
            let places = grid.places(width);
            for (at, here) in places.iter().enumerate() {
                let to = |arrow| next_place(&places, at, arrow);
                assert_eq!(to(Arrow::Left), at.checked_sub(1));
                assert_eq!(to(Arrow::Right), (at < 24).then_some(at + 1));
                if let Some(below) = to(Arrow::Down) {
                    let there = places[below];
                    assert!(there.y > here.y && there.x <= here.x);
                    // No place lies in between, and the way back leads to the same row.
                    let between = |y: f64| y > here.y && y < there.y;
                    assert!(!places.iter().any(|place| between(place.y)));
                    let back = next_place(&places, below, Arrow::Up).expect("a way back");
                    assert_eq!(places[back].y, here.y);
                } else {
                    assert!(places.iter().all(|place| place.y <= here.y));
                }
            }
        }
    }
    assert_eq!(next_place(&[], 0, Arrow::Down), None);
}
