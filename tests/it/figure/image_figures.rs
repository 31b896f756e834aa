//! Figures of attention on images: table columns, drag targets, and pictures without artefacts.

use crate::{checkpoint::hostile::assert_is_sentence, support::questions::ask};
use diagonal::{
    analysis::{
        ConcatenateHeads, ConvolutionErrors, ErrorAtAlpha, FilterImage, FilterSetting,
        FilteredImage, HeadConcatenation, ImageSource, MemorySession, Sample, in_their_places,
        kernel_of,
    },
    figure::{
        ColorMap, Cursor, Extent, Figure, Mark,
        images::{
            ConcatenatedHeads, FilterPictures, HeadHandle, PixelHeads, QueryAttention,
            attention_on_line, error_curve, filtered_signal, head_ranks, ring_words,
        },
    },
    kernel_io::{heads_of_csv, looks_like_heads},
    math::{Covariance, Grid, HeadShape, Padding, PixelHead, TapSide},
};

fn setting(sample: Sample, kernel: &str, alpha: f64) -> FilterSetting {
    let kernel = kernel_of(kernel).expect("a kernel");
    FilterSetting {
        image: ImageSource::Sample(sample, 16),
        heads: in_their_places(&kernel, TapSide::AsWritten, alpha),
        head_channels: None,
        kernel,
        side: TapSide::AsWritten,
        padding: Padding::Edge,
        stride: 1,
    }
}

fn made(of: &FilterSetting) -> FilteredImage {
    let session = MemorySession::default();
    ask(&session, FilterImage { of: of.clone() }).expect("an answer")
}

fn errors(of: FilterSetting) -> Vec<ErrorAtAlpha> {
    let session = MemorySession::default();
    ask(&session, ConvolutionErrors { of }).expect("an answer")
}

fn concatenation(kernel: &str, head_channels: Option<usize>) -> HeadConcatenation {
    let of = FilterSetting {
        head_channels,
        ..setting(Sample::Shapes, kernel, 2.0)
    };
    let session = MemorySession::default();
    let query = (5, 9);
    ask(&session, ConcatenateHeads { of, query }).expect("an answer")
}

/// Heads side by side and their ranks, with as many channels as needed and with fewer.
pub(crate) fn pictures() -> Vec<(&'static str, Box<dyn Figure>, Option<Cursor>)> {
    let (needed, few) = (
        concatenation("edges-of-grey", None),
        concatenation("blur", Some(2)),
    );
    let ranks = |of: &HeadConcatenation| Box::new(head_ranks(of).expect("heads"));
    vec![
        ("head-ranks", ranks(&needed), None),
        ("head-ranks-few", ranks(&few), None),
        (
            "concatenated-heads",
            Box::new(ConcatenatedHeads::new(needed)),
            None,
        ),
        (
            "concatenated-heads-few",
            Box::new(ConcatenatedHeads::new(few)),
            None,
        ),
    ]
}

fn box_head() -> PixelHead {
    PixelHead {
        centre: (-1.0, 2.5),
        shape: HeadShape::Box(1.0),
    }
}

fn oval() -> PixelHead {
    PixelHead {
        centre: (1.5, -2.0),
        shape: HeadShape::Oval(Covariance::from_deviations(0.7, 1.9, -0.5)),
    }
}

/// Every figure, with the header of its table.
pub(crate) fn all() -> Vec<(&'static str, Box<dyn Figure>, &'static str)> {
    let of = setting(Sample::Shapes, "edges", 1.0);
    let row = setting(Sample::Signal, "mean", 1.0);
    let heads = of.heads.clone();
    let mut with_oval = heads.clone();
    with_oval.push(oval());
    let mut with_box = with_oval.clone();
    with_box.push(box_head());
    let grid = of.image.grid();
    let maps = |query| {
        let maps = heads.iter().map(|head| head.attention(grid, query));
        maps.collect::<Vec<_>>()
    };
    let line = Grid::line(16);
    let on_line = row.heads.iter().map(|head| head.attention(line, (0, 3)));
    let pixels = of.image.pixels();
    let filtered = "y,x,channel,image,attention,convolution,difference,max_difference_inside";
    let map = ColorMap::Diverging;
    vec![
        (
            "heads",
            Box::new(PixelHeads::new(&heads, 0, None)),
            "head,alpha,delta_y,delta_x,inside_solid,inside_dotted",
        ),
        (
            "oval heads",
            Box::new(PixelHeads::new(&with_oval, 9, None)),
            "head,alpha,delta_y,delta_x,yy,yx,xx,inside_solid,inside_dotted",
        ),
        (
            "boxes",
            Box::new(PixelHeads::new(&with_box, 10, None)),
            "head,alpha,delta_y,delta_x,yy,yx,xx,radius,inside_solid,inside_dotted",
        ),
        (
            "concatenated",
            Box::new(ConcatenatedHeads::new(concatenation("fringes", None))),
            "head,channel,value,to_1,to_2,to_3",
        ),
        (
            "ranks",
            Box::new(head_ranks(&concatenation("sharpen", Some(1))).expect("heads")),
            "head,index,singular_value,rank",
        ),
        (
            "query",
            Box::new(QueryAttention::new(grid, (0, 15), maps((0, 15)), map, true)),
            "head,y,x,attention",
        ),
        (
            "query, whole",
            Box::new(QueryAttention::new(grid, (8, 8), maps((8, 8)), map, false)),
            "head,y,x,attention",
        ),
        (
            "query on a line",
            Box::new(attention_on_line(16, 3, on_line.collect())),
            "head,y,x,attention",
        ),
        (
            "filtered",
            Box::new(FilterPictures::new(pixels, &made(&of), (8, 8))),
            filtered,
        ),
        (
            "filtered row",
            Box::new(filtered_signal(&row.image.pixels(), &made(&row))),
            filtered,
        ),
        (
            "error",
            Box::new(error_curve(&errors(of.clone()), Some(made(&of).error))),
            "alpha,max_error,range,max_error_inside,alpha_now,max_error_now",
        ),
    ]
}

#[test]
fn figures_have_their_tables_and_stay_on_their_sheets() {
    for (name, figure, header) in all() {
        let csv = figure.table().csv();
        assert_eq!(csv.lines().next(), Some(header), "{name}");
        assert!(figure.table().rows() > 0, "{name}");
        assert_is_sentence(&figure.summary());
        for width in [180.0, 390.0, 760.0, 1400.0] {
            let scene = figure.scene(width);
            assert!((40.0..4000.0).contains(&scene.height), "{name} at {width}");
            for (x, y) in scene.marks.iter().flat_map(points) {
                let out = |at: f64, end: f64| at.is_finite() && !(-6.0..=end + 6.0).contains(&at);
                assert!(
                    !out(x, width) && !out(y, scene.height),
                    "{name} at {width}: ({x}, {y})"
                );
            }
        }
    }
}

fn points(mark: &Mark) -> Vec<(f64, f64)> {
    match mark {
        Mark::Line { points, .. } | Mark::Area { points, .. } => points.clone(),
        Mark::Extents { extents, .. } => Extent::outline(extents),
        Mark::Box { rect, .. } | Mark::Raster(rect, _) => {
            vec![(rect.x, rect.y), (rect.right(), rect.bottom())]
        }
        Mark::Dot { at, .. } | Mark::Text { at, .. } => vec![*at],
        Mark::Letters { .. } => Vec::new(),
    }
}

/// The CSV of the heads reads back as the heads.
#[test]
fn heads_come_back_from_their_csv() {
    let heads = vec![
        PixelHead::round((0.0, -1.25), 46.0),
        PixelHead::round((1e-3, 7.0), 0.0),
        oval(),
        box_head(),
    ];
    let csv = PixelHeads::new(&heads, 0, None).table().csv();
    assert!(looks_like_heads(&csv));
    let read = heads_of_csv(&csv).expect("heads");
    assert_eq!(read, heads);
    let round = heads_of_csv("delta_x;alpha;name;delta_y\n1;2;\"a;b\";3\n\n").expect("a head");
    assert_eq!(round, [PixelHead::round((3.0, 1.0), 2.0)]);
    for (text, message) in [
        ("", "no column alpha"),
        ("alpha,delta_y\n1,2", "no column delta_x"),
        ("alpha,delta_y,delta_x\n", "no rows"),
        ("alpha,delta_y,delta_x\n1,NaN,2", "row 2 has “NaN”"),
        ("alpha,delta_y,delta_x\n1,2", "row 2 has “”"),
        ("alpha,delta_y,delta_x\n-1,2,3", "negative alpha"),
        ("alpha,delta_y,delta_x,radius\n1,2,3,-1", "negative radius"),
        (
            "alpha,delta_y,delta_x,yy,yx,xx\n1,2,3,1,2,1",
            "not positive definite",
        ),
    ] {
        let why = heads_of_csv(text).expect_err(text);
        assert!(why.contains(message), "{text}: {why}");
    }
    let many = "1,0,0\n".repeat(82);
    assert!(heads_of_csv(&format!("alpha,delta_y,delta_x\n{many}")).is_err());
    assert!(!looks_like_heads("layer,head,kernel,a,b,c\n1,1,1,1,1,1"));
}

/// The centre of a head in the figure: the place of its number.
fn centre_of(figure: &PixelHeads, width: f64, head: usize) -> (f64, f64) {
    let label = (head + 1).to_string();
    let found = figure
        .scene(width)
        .marks
        .into_iter()
        .rev()
        .find_map(|mark| match mark {
            Mark::Text { text, at, .. } if text == label => Some(at),
            _ => None,
        });
    found.expect("a head")
}

#[test]
fn what_lies_under_the_pointer_is_pulled() {
    let heads = setting(Sample::Shapes, "edges", 1.0).heads;
    for width in [300.0, 620.0] {
        let figure = PixelHeads::new(&heads, 4, None);
        for (at, head) in heads.iter().enumerate() {
            let (x, y) = centre_of(&figure, width, at);
            assert_eq!(figure.grasp(width, x, y), Some(HeadHandle::Centre(at)));
            let (dy, dx) = figure.offset_at(width, x, y);
            let (cy, cx) = head.centre;
            assert!((dy - cy).abs() < 1e-9 && (dx - cx).abs() < 1e-9);
        }
        // The ring of that head lies left of the leftmost centre, √ln 2 pixels away.
        let far = 2_f64.ln().sqrt();
        let (x, y) = centre_of(&figure, width, 3);
        let unit = centre_of(&figure, width, 4).0 - x;
        let ring = (x - far * unit, y);
        assert_eq!(
            figure.grasp(width, ring.0, ring.1),
            Some(HeadHandle::Ring(3))
        );
        let corner = figure.grasp(width, 40.0, figure.height(width) - 30.0);
        assert_eq!(corner, None);
    }
}

#[test]
fn a_pixel_is_found_in_every_picture() {
    let of = setting(Sample::Shapes, "edges", 1.0);
    let figure = FilterPictures::new(of.image.pixels(), &made(&of), (8, 8));
    for place in figure.places(700.0) {
        let unit = place.width / 16.0;
        let at = |cells: f64| place.x + cells * unit;
        let found = figure.pixel_at(700.0, at(3.5), place.y + 12.5 * unit);
        assert_eq!(found, Some((12, 3)));
        assert_eq!(figure.pixel_at(700.0, place.x - 3.0, place.y), None);
    }
}

/// Rounding errors are not drawn: the difference of hard heads has one colour.
#[test]
fn rounding_fills_no_picture() {
    let of = setting(Sample::Noise, "sharpen", 46.0);
    let made = made(&of);
    assert!(made.error.greatest < 1e-14);
    let figure = FilterPictures::new(of.image.pixels(), &made, (0, 0));
    let rasters: Vec<_> = (figure.scene(800.0).marks.into_iter())
        .filter_map(|mark| match mark {
            Mark::Raster(_, raster) if raster.height > 1 => Some(raster),
            _ => None,
        })
        .collect();
    assert_eq!(rasters.len(), 4);
    let colors: std::collections::BTreeSet<_> = rasters[3].rgba.chunks(4).collect();
    assert_eq!(colors.len(), 1, "{colors:?}");
    assert_eq!(rasters[1].rgba, rasters[2].rgba);
}

/// An image with values from 0 to 1 is drawn as it is; clipping of other values is reported.
#[test]
fn brightness_is_said_where_it_is_not_that_of_the_image() {
    let words = |kernel: &str| {
        let of = setting(Sample::Shapes, kernel, 46.0);
        let figure = FilterPictures::new(of.image.pixels(), &made(&of), (0, 0));
        let marks = figure.scene(800.0).marks;
        let words = marks.into_iter().filter_map(|mark| match mark {
            Mark::Text { text, .. } if text.starts_with("black") => Some(text),
            _ => None,
        });
        words.collect::<Vec<_>>()
    };
    assert!(words("identity").is_empty());
    assert!(words("blur").is_empty());
    assert_eq!(words("edges").len(), 2);
}

#[test]
fn the_share_inside_rings_is_said_for_the_open_head() {
    let heads = [
        PixelHead::round((0.0, 1.0), 2.0),
        PixelHead::round((0.0, 0.0), 0.0),
    ];
    let words = ring_words(&heads, 0).expect("rings");
    assert_is_sentence(&words);
    assert!(
        words.contains("holds 61.9 % of its attention and the dotted one 95.4 %"),
        "{words}"
    );
    assert_eq!((ring_words(&heads, 1), ring_words(&heads, 2)), (None, None));
}
