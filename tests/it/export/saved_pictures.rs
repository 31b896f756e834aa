//! Exported pictures: text on the sheet, metadata, file names.

use crate::{
    figure::pictures::{name_of, tile},
    support::spec,
};
use diagonal::{
    export::{
        Background, FigureLabels, FileSubject, Heading, LabelContext, Placed, Provenance, Sheet,
        SheetWidth, TextOutlines, document, file_details, file_name, schemes_drawn, with_metadata,
    },
    figure::{
        Axis, ColorMap, Figure, Handle, Heatmap, Ink, Mark, PRINT, Plot, Raster, Scene, Series,
        Table, Thumbnail, Thumbnails, number,
    },
    figure_spec::LabelScope,
    math::{AttentionMask, Tile, Window},
    url_state::{FigureId, Link, VIEWS},
};
use proptest::prelude::*;
use std::{path::PathBuf, sync::Arc};

/// The shipped font.
pub(crate) fn font() -> Vec<u8> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("www/fonts/inter.otf");
    std::fs::read(path).expect("the font")
}

fn matrix() -> Heatmap {
    let tile = tile(Window::whole(24, 24), 1, |i, j| {
        (i.abs_diff(j) % 12) as f32 / 4.0
    });
    Heatmap::matrix(Arc::new(tile), ColorMap::Viridis, 0.0)
}

fn words(figure: &str, query: &str) -> FigureLabels {
    let (link, _) = Link::parse(query);
    FigureLabels::new(LabelContext {
        figure: spec(figure),
        link: &link,
        cells: AttentionMask::Whole,
        is_relative: false,
    })
}

#[test]
fn scores_by_offset_have_no_two_ways_to_be_computed() {
    let notes = |is_relative, query| {
        let (link, _) = Link::parse(query);
        let words = FigureLabels::new(LabelContext {
            figure: spec("head-matrix"),
            link: &link,
            cells: AttentionMask::Whole,
            is_relative,
        });
        words.notes.concat()
    };
    let (paper, computed) = ("?view=heads", "?view=heads&mode=computed");
    assert_ne!(notes(false, paper), notes(false, computed));
    assert_eq!(notes(true, paper), notes(true, computed));
    assert!(notes(true, computed).contains("by offset alone"));
}

fn sheet_of(figure: &dyn Figure, words: &FigureLabels, width: SheetWidth) -> Scene {
    let font = font();
    let letters = TextOutlines::read(&font).expect("a font");
    let sheet = Sheet {
        figure,
        title: "How alike are two positions?",
        subject: "minilm-l6, 512 positions, width 384",
        words,
        width,
        heading: Heading::Title,
    };
    sheet.scene(&letters)
}

/// Texts on a sheet, in order.
fn texts(scene: &Scene) -> Vec<&str> {
    let text = |mark| match mark {
        &Mark::Letters { ref text, .. } | &Mark::Text { ref text, .. } => Some(text.as_str()),
        _ => None,
    };
    scene.marks.iter().filter_map(text).collect()
}

fn provenance(title: &str) -> Provenance {
    Provenance {
        title: title.into(),
        description: "Two < three & \"four\". Значения, 値.".into(),
        source: "https://example.org/?view=positions&model=file&file=a%20b#position-matrix".into(),
        hash: Some(0x0123_4567_89ab_cdef),
    }
}

#[test]
fn a_saved_matrix_is_as_it_was() {
    let scene = sheet_of(
        &matrix(),
        &words("position-matrix", "?view=positions&compare=cosine"),
        SheetWidth::Column,
    );
    let now = document(
        &scene,
        Background::White,
        &provenance("minilm-l6: How alike are two positions?"),
        name_of,
    );
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/saved/matrix-column.svg");
    if std::env::var_os("UPDATE_SNAPSHOTS").is_some_and(|value| value == "1") {
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(&path, &now).expect("a snapshot");
    }
    let before = std::fs::read_to_string(&path).expect("a snapshot");
    assert!(before == now, "{} has changed", path.display());
}

#[test]
fn a_sheet_names_the_model_the_axes_and_the_colours() {
    let words = words(
        "position-matrix",
        "?view=positions&compare=cosine&part=residual",
    );
    for width in [SheetWidth::Column, SheetWidth::Page] {
        let scene = sheet_of(&matrix().of_positions(), &words, width);
        let labels = texts(&scene);
        for expected in [
            "How alike are two positions?",
            "minilm-l6, 512 positions, width 384",
            "position i",
            "position j",
            "Colour: cosine of two positions; less the mean of its diagonal.",
        ] {
            assert!(labels.contains(&expected), "{expected}: {labels:?}");
        }
        // All text is outlines.
        let is_text = |mark: &&Mark| matches!(mark, Mark::Text { .. });
        assert_eq!(scene.marks.iter().find(is_text), None);
    }
}

#[test]
fn a_column_is_84_millimetres_and_its_type_between_6_and_9_points() {
    let scene = sheet_of(&matrix(), &FigureLabels::default(), SheetWidth::Column);
    let millimetres = |pixels: f64| pixels * Sheet::MILLIMETRES;
    assert!((millimetres(scene.width) - 84.0).abs() < 1e-9);
    assert!((millimetres(SheetWidth::Page.pixels()) - 175.0).abs() < 1e-9);
    for pixels in [10.0, 11.0, 12.0, 13.0] {
        let points = millimetres(pixels) / 25.4 * 72.0;
        assert!((6.0..9.0).contains(&points), "{pixels} px are {points} pt");
    }
    // 992 dots at 300 dots per inch.
    assert_eq!((scene.width * Sheet::DOTS).round(), 992.0);
}

#[test]
fn selections_and_grips_stay_on_the_page() {
    let cell = |at: usize| {
        let small = tile(Window::whole(6, 6), 1, |i, j| i.abs_diff(j) as f32);
        Thumbnail::new(
            small,
            ColorMap::Diverging,
            (at / 6, at % 6),
            format!("0.{at:02}"),
        )
    };
    let heads = |open| Thumbnails {
        cells: (0..12).map(cell).collect(),
        per_row: Some(6),
        open,
        table: Table::new(),
        summary: String::new(),
    };
    let words = words("head-grid", "?view=heads");
    let (open, closed) = (heads(Some((1, 2))), heads(None));
    assert_ne!(open.scene(360.0), closed.scene(360.0));
    let sheet = |heads: &Thumbnails| sheet_of(heads, &words, SheetWidth::Column);
    assert_eq!(sheet(&open), sheet(&closed));
    assert!(texts(&sheet(&open)).contains(&"heads of a layer in reading order"));

    let handle = |k, hollow| Handle {
        k,
        value: 1.0,
        ink: Ink::Category(0),
        hollow,
    };
    let lines = Plot::over(Axis::Offset).series([Series::new("f", -8, vec![1.0; 17])]);
    let pulled = lines
        .clone()
        .handles([handle(-2.0, false), handle(3.0, true)]);
    let is_dot = |mark: &Mark| matches!(mark, Mark::Dot { .. });
    assert!(pulled.scene(360.0).marks.iter().any(is_dot));
    let scene = sheet_of(&pulled, &FigureLabels::default(), SheetWidth::Column);
    assert!(!scene.marks.iter().any(is_dot));
}

#[test]
fn text_is_set_where_it_is_asked_for() {
    let font = font();
    let letters = TextOutlines::read(&font).expect("a font");
    let corners = |upwards, anchor| {
        let place = Placed {
            at: (100.0, 50.0),
            size: 12.0,
            anchor,
            upwards,
        };
        let path = letters.outline("H", place).expect("a letter");
        let numbers: Vec<f64> = path
            .split(|c: char| c.is_ascii_uppercase() || c == ' ')
            .filter_map(|number| number.parse().ok())
            .collect();
        let range = |from: usize| {
            let values = numbers.iter().skip(from).step_by(2).copied();
            values.fold((f64::MAX, f64::MIN), |(a, b), v| (a.min(v), b.max(v)))
        };
        (range(0), range(1))
    };
    use diagonal::figure::Anchor::{End, Middle, Start};
    // Capitals are centred vertically on the point.
    let ((left, right), (top, bottom)) = corners(false, Start);
    assert!((top + bottom - 100.0).abs() < 0.05 && (8.0..9.5).contains(&(bottom - top)));
    assert!(left > 100.0 && right < 112.0);
    let ((left, right), _) = corners(false, End);
    assert!(left > 88.0 && right < 100.0);
    // Rotated text runs upwards: width and height are exchanged.
    let ((left, right), (top, bottom)) = corners(true, Middle);
    assert!((left + right - 200.0).abs() < 0.05 && (8.0..9.5).contains(&(right - left)));
    assert!((top + bottom - 100.0).abs() < 0.5);
    assert_eq!(letters.width("模型", 12.0), None);
    assert!(TextOutlines::read(b"no font").is_none());
}

#[test]
fn the_font_has_every_letter_that_figures_write() {
    let font = font();
    let letters = TextOutlines::read(&font).expect("a font");
    for text in [
        "−·×≤≥≠≈±√²ᵃ…’“”–—→λΔωΣ∑",
        "λ 6.283 · f(Δy, Δx), |k| ≤ 64: R² −0.25",
        "Zwölf Boxkämpfer, ça, Łódź, Привет, αβγ",
    ] {
        assert!(letters.width(text, 12.0).is_some(), "{text}");
    }
    for figure in FigureId::ALL {
        for query in [
            "",
            "?compare=cosine&cells=causal&sort=peak&added=head&mode=computed",
        ] {
            let words = words(figure.id(), query);
            let legend = words.legend.iter().map(|(_, text)| text.as_str());
            let notes = words.notes.iter().map(String::as_str);
            let all = [figure.title(), words.down, words.across];
            for text in all.into_iter().chain(legend).chain(notes) {
                assert!(letters.width(text, 12.0).is_some(), "{text}");
            }
        }
    }
}

/// Figures that need no title or caption: tables, bars with labels, axes that are named on the page, too.
const SAY_IT_THEMSELVES: [FigureId; 8] = [
    FigureId::FitCurve,
    FigureId::ParameterCount,
    FigureId::Phasors,
    FigureId::Criteria,
    FigureId::Permutation,
    FigureId::ModelScores,
    FigureId::R2Performance,
    FigureId::TrainingCurves,
];

#[test]
fn every_figure_has_its_words() {
    for figure in FigureId::ALL {
        let has_some = words(figure.id(), "") != FigureLabels::default();
        let needs_none = SAY_IT_THEMSELVES.contains(figure);
        assert!(has_some != needs_none, "{figure:?}");
    }
    let scope = |figure, query| spec(figure).scope.in_link(&Link::parse(query).0);
    assert_eq!(scope("position-matrix", ""), LabelScope::Model);
    assert_eq!(scope("head-profile", ""), LabelScope::Head);
    assert_eq!(scope("kernel-attention", ""), LabelScope::Kernels);
    assert_eq!(scope("criteria", ""), LabelScope::Itself);
    assert_eq!(scope("added-attention", ""), LabelScope::Head);
    assert_eq!(scope("flat-lines", ""), LabelScope::Sinusoid);
}

#[test]
fn an_svg_says_where_it_comes_from() {
    let title = "a <b>\u{1} & \"c\": 模型\u{202e}";
    let scene = sheet_of(&matrix(), &FigureLabels::default(), SheetWidth::Column);
    let text = document(&scene, Background::White, &provenance(title), name_of);
    let parsed = roxmltree::Document::parse(&text).expect("XML");
    let root = parsed.root_element();
    let dc = "http://purl.org/dc/elements/1.1/";
    let text_of = |name: &str| {
        let element = parsed
            .descendants()
            .find(|node| node.tag_name().name() == name && node.tag_name().namespace() == Some(dc));
        element
            .and_then(|element| element.text())
            .unwrap_or_default()
    };
    // Characters that XML forbids are replaced, the others are unchanged.
    let expected = title.replace('\u{1}', "\u{fffd}");
    assert_eq!(text_of("title"), expected);
    assert_eq!(text_of("description"), provenance("").description);
    assert_eq!(text_of("source"), provenance("").source);
    assert_eq!(
        text_of("identifier"),
        "position table hash 0123456789abcdef"
    );
    let child = |name: &str| {
        let mut children = root.children();
        children.find(|node| node.has_tag_name(("http://www.w3.org/2000/svg", name)))
    };
    assert_eq!(
        child("title").and_then(|node| node.text()),
        Some(expected.as_str())
    );
    assert!(child("desc").is_some() && text.contains(Provenance::SOFTWARE));
    assert_eq!(root.attribute("width"), Some("84mm"));
    assert!(text.contains("role=\"img\" aria-label=\"key j\""));
    // The file requests no font.
    assert!(!text.contains("<text"));

    let paper = format!(
        "<rect width=\"100%\" height=\"100%\" fill=\"{}\"/>",
        PRINT.paper
    );
    assert!(text.contains(&paper));
    let clear = document(&scene, Background::Transparent, &provenance(""), name_of);
    assert!(!clear.contains(&paper));
    assert_eq!(
        text.matches("<path").count(),
        clear.matches("<path").count()
    );
}

#[test]
fn cells_are_enlarged_to_the_dots_of_a_page() {
    let scene = sheet_of(&matrix(), &FigureLabels::default(), SheetWidth::Column);
    let sizes = std::cell::RefCell::new(Vec::new());
    let name = |raster: &Raster| {
        assert_eq!(raster.rgba.len(), 4 * raster.width * raster.height);
        sizes.borrow_mut().push((raster.width, raster.rgba.clone()));
        String::new()
    };
    let _ = document(&scene, Background::White, &provenance(""), name);
    let sizes = sizes.into_inner();
    let (width, rgba) = &sizes[0];
    // 24 cells over about 300 pixels of 2.76 dots each.
    assert_eq!((width % 24, width / 24), (0, 35));
    // The first cell has one colour and the next one another.
    let pixel = |at: usize| &rgba[4 * at..4 * at + 4];
    assert_eq!(pixel(0), pixel(34));
    assert_eq!(pixel(0), pixel(34 * width));
    assert_ne!(pixel(34), pixel(35));
}

/// A PNG of one pixel, as a browser might encode it.
fn one_pixel() -> Vec<u8> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, 1, 1);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_pixel_dims(Some(png::PixelDimensions {
        xppu: 2835,
        yppu: 2835,
        unit: png::Unit::Meter,
    }));
    let mut writer = encoder.write_header().expect("a header");
    writer.write_image_data(&[1, 2, 3, 4]).expect("a pixel");
    writer.finish().expect("an end");
    file
}

#[test]
fn a_png_says_where_it_comes_from_and_how_large_it_is() {
    let title = "模型 «α»\0, Ω ≤ 3";
    let file = with_metadata(one_pixel(), &provenance(title)).expect("a PNG");
    // Another implementation decodes it, and checks every checksum.
    let decoder = png::Decoder::new(std::io::Cursor::new(file));
    let mut reader = decoder.read_info().expect("a PNG");
    let mut pixel = [0; 4];
    reader.next_frame(&mut pixel).expect("a pixel");
    assert_eq!(pixel, [1, 2, 3, 4]);
    let info = reader.info();
    let size = info.pixel_dims.expect("a size");
    assert_eq!(
        (size.xppu, size.yppu, size.unit),
        (11811, 11811, png::Unit::Meter)
    );
    let entry = |keyword: &str| {
        let mut texts = info.utf8_text.iter();
        let chunk = texts.find(|chunk| chunk.keyword == keyword)?;
        chunk.get_text().ok()
    };
    assert_eq!(entry("Title"), Some(title.replace('\0', "\u{fffd}")));
    assert_eq!(entry("Description"), Some(provenance("").description));
    assert_eq!(entry("Source"), Some(provenance("").source));
    assert_eq!(entry("Software").as_deref(), Some(Provenance::SOFTWARE));
    assert_eq!(
        entry("Position table hash").as_deref(),
        Some("0123456789abcdef")
    );
    let without = Provenance {
        hash: None,
        ..provenance("")
    };
    let file = with_metadata(one_pixel(), &without).expect("a PNG");
    let reader = png::Decoder::new(std::io::Cursor::new(file)).read_info();
    assert_eq!(reader.expect("a PNG").info().utf8_text.len(), 4);
    assert_eq!(with_metadata(b"no PNG".to_vec(), &without), None);
}

#[test]
fn files_are_named_by_figure_and_model() {
    let named = |model| file_name(FigureId::PositionMatrix, model, &[]);
    assert_eq!(named(None), "diagonal-position-matrix");
    assert_eq!(
        named(Some("minilm-l6")),
        "diagonal-position-matrix-minilm-l6"
    );
    assert_eq!(
        named(Some("../../etc/passwd")),
        "diagonal-position-matrix-etc-passwd"
    );
    assert_eq!(
        named(Some("C:\\con\u{202e}gnp.exe ")),
        "diagonal-position-matrix-C-con-gnp-exe"
    );
    assert_eq!(named(Some("模型 2")), "diagonal-position-matrix-模型-2");
    assert_eq!(named(Some("<>:\"|?*\0\n")), "diagonal-position-matrix");
}

proptest! {
    #[test]
    fn no_model_makes_a_bad_name(model in any::<String>(), letters in "\\PC{0,300}") {
        for model in [model, letters] {
            let details = vec![model.clone(); 5];
            let name = file_name(FigureId::PositionMatrix, Some(&model), &details);
            prop_assert!(name.starts_with("diagonal-position-matrix"));
            prop_assert!(name.len() <= 250, "{} bytes", name.len());
            let plain = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
            prop_assert!(name.chars().all(plain), "{name}");
        }
    }

    #[test]
    fn no_title_breaks_a_file(title in any::<String>()) {
        let scene = Scene::new(10.0, 10.0);
        let text = document(&scene, Background::White, &provenance(&title), name_of);
        prop_assert!(roxmltree::Document::parse(&text).is_ok());
        prop_assert!(with_metadata(one_pixel(), &provenance(&title)).is_some());
    }

    #[test]
    fn no_title_leaves_the_sheet(title in any::<String>(), subject in "\\PC{0,400}") {
        let font = font();
        let letters = TextOutlines::read(&font).expect("a font");
        let words = FigureLabels::default();
        let figure = Plot::over(Axis::Offset);
        let sheet = Sheet {
            figure: &figure,
            title: &title,
            subject: &subject,
            words: &words,
            width: SheetWidth::Column,
            heading: Heading::Title,
        };
        let scene = sheet.scene(&letters);
        prop_assert!(scene.height < 400.0);
    }
}

#[test]
fn a_figure_of_schemes_is_named_after_what_it_draws() {
    let named = |query: &str, open| {
        let (link, _) = Link::parse(query);
        schemes_drawn(FigureId::EncodingProfile, &link, open)
    };
    let named_file =
        |name: Option<String>| file_name(FigureId::EncodingProfile, name.as_deref(), &[]);
    let all = "view=encodings";
    assert_eq!(named(all, Some("minilm-l6")).as_deref(), Some("minilm-l6"));
    let all = named_file(named(all, None));
    assert!(
        all.starts_with("diagonal-encoding-profile-sinusoidal-learned-head-tisa"),
        "{all}"
    );
    let link = |ids: [&str; 2]| format!("view=encodings&encodings=show:{},{}", ids[0], ids[1]);
    let two = named_file(named(&link(["alibi", "t5"]), Some("minilm-l6")));
    assert_eq!(two, "diagonal-encoding-profile-alibi-t5");
    assert_eq!(
        schemes_drawn(FigureId::Phasors, &Link::default(), Some("minilm-l6")),
        None
    );
}

#[test]
fn a_heading_can_be_left_out() {
    let font = font();
    let letters = TextOutlines::read(&font).expect("a font");
    let (figure, words) = (matrix(), words("position-matrix", ""));
    let with = |heading| {
        let sheet = Sheet {
            figure: &figure,
            title: "How alike are two positions?",
            subject: "minilm-l6, 512 positions, width 384",
            words: &words,
            width: SheetWidth::Column,
            heading,
        };
        sheet.scene(&letters)
    };
    let (titled, plain) = (with(Heading::Title), with(Heading::Nothing));
    let (all, rest) = (texts(&titled), texts(&plain));
    // The title and the subject are removed, and the rest keeps its order.
    assert_eq!(all[2..], rest[..]);
    assert!(all[0].contains("How alike") && all[1].contains("minilm-l6"));
    assert!(titled.height - plain.height > 30.0);
}

/// A square matrix with an outlier at either end of its range.
fn with_outliers(low: f32, high: f32, step: usize, cells: Option<(f32, f32)>) -> Heatmap {
    let n = 40 * step;
    let mut tile = tile(Window::whole(n, n), step, |i, j| {
        low / 16.0 + (high - low) / 16.0 * ((i * 7 + j * 3) % 11) as f32 / 11.0
    });
    (tile.values[0], tile.values[1]) = (low, high);
    let tile = Tile { cells, ..tile };
    Heatmap::matrix(Arc::new(tile), ColorMap::Diverging, 1.0)
}

/// Texts of a scene with the height of their baselines. [`crate::figure::text_boxes`] tests that texts do not overlap.
fn texts_by_height(scene: &Scene) -> Vec<(String, f64)> {
    let of_mark = |mark: &Mark| match mark {
        Mark::Text { text, at, .. } => Some((text.clone(), at.1)),
        _ => None,
    };
    scene.marks.iter().filter_map(of_mark).collect()
}

proptest! {
    /// Values beyond the colour range are mentioned at every width, however long their numbers are.
    #[test]
    fn the_true_range_is_never_dropped(
        width in 220.0..900.0_f64,
        sizes in (-6..7_i32, -6..7_i32),
        mantissas in (1.0..9.99_f32, 1.0..9.99_f32),
        is_attention in any::<bool>(),
        step in 1..3_usize,
        is_small in any::<bool>(),
    ) {
        let low = -mantissas.0 * 10_f32.powi(sizes.0);
        let high = mantissas.1 * 10_f32.powi(sizes.1);
        let cells = (step > 1 && is_small).then_some((2.0 * low, 2.0 * high));
        let mut matrix = with_outliers(low, high, step, cells);
        if is_attention {
            let tile = Arc::new(matrix.tile().clone());
            matrix = Heatmap::attention(tile, ColorMap::Viridis, 40, AttentionMask::Causal);
        }
        let matrix = if is_small { matrix.small(true) } else { matrix };
        let scene = matrix.scene(width);
        let bottom = matrix.frame(width).bottom();
        let under: Vec<_> = texts_by_height(&scene).into_iter().filter(|(_, y)| *y > bottom + 24.0).collect();
        let labels = under.iter().map(|(text, _)| text.as_str()).collect::<Vec<_>>().join(" ");
        let range = matrix.range();
        let (low, high) = cells.map_or(range.values, |(low, high)| (low.into(), high.into()));
        for (limit, value, is_beyond) in [
            (range.shown.0, low, range.values.0 < range.shown.0),
            (range.shown.1, high, range.values.1 > range.shown.1),
        ] {
            prop_assert!(labels.contains(&number(limit)), "{labels} lacks {limit}");
            if is_beyond && number(limit) != number(value) {
                prop_assert!(labels.contains(&number(value)), "{labels} lacks {value}");
            }
        }
        prop_assert!(under.iter().all(|(_, y)| y + 6.0 <= scene.height + 1.0), "{labels}");
    }
}

#[test]
fn a_saved_matrix_says_what_lies_beyond_its_colours() {
    for width in [SheetWidth::Column, SheetWidth::Page] {
        let matrix = with_outliers(-0.0391, 0.199, 1, None);
        let scene = sheet_of(&matrix, &FigureLabels::default(), width);
        let labels = texts(&scene).join(" ");
        let clipped = matrix.range().shown.1;
        assert!(
            clipped < 0.1 && labels.contains(&number(clipped)),
            "{labels}"
        );
        assert!(
            labels.contains("−0.0391") && labels.contains("0.199"),
            "{labels}"
        );
    }
}

#[test]
fn a_sheet_knows_how_many_blocks_its_matrix_has_room_for() {
    let (figure, words) = (matrix(), words("position-matrix", ""));
    let dots = |width| {
        let sheet = Sheet {
            figure: &figure,
            title: "",
            subject: "",
            words: &words,
            width,
            heading: Heading::Title,
        };
        sheet.plot_dots().expect("a matrix has a frame")
    };
    // 84 and 175 mm at 300 dots per inch, minus the margins.
    assert!((750..992).contains(&dots(SheetWidth::Column)));
    assert!((1700..2067).contains(&dots(SheetWidth::Page)));
}

#[test]
fn finer_blocks_leave_a_matrix_in_its_dress() {
    let coarse = with_outliers(-2.0, 4.0, 4, Some((-3.0, 5.0))).small(true);
    let fine = with_outliers(-2.5, 4.5, 1, None);
    let exchanged = coarse.clone().with_tile(Arc::new(fine.tile().clone()));
    assert_eq!(exchanged.range(), fine.range());
    assert_eq!(exchanged.raster(), fine.raster());
    let named = |figure: &Heatmap| texts(&figure.scene(400.0)).join(" ");
    assert!(!named(&exchanged).contains("means of"));
    // A shared range stays shared.
    let shared = coarse.spanning((-1.0, 1.0));
    let exchanged = shared.with_tile(Arc::new(fine.tile().clone()));
    assert_eq!(exchanged.range().shown, (-1.0, 1.0));
}

/// File name of a figure for a link.
fn named(figure: &str, query: &str) -> String {
    let figure = spec(figure);
    let (link, _) = Link::parse(query);
    let cells = link.heads.cells.unwrap_or_default();
    let subject = FileSubject {
        context: LabelContext {
            figure,
            link: &link,
            cells,
            is_relative: false,
        },
        head: Some((link.heads.layer, link.heads.head)),
        positions: link.kernels.length_beside(None),
    };
    file_name(figure.id, Some("minilm-l6"), &file_details(&subject))
}

#[test]
fn files_carry_layer_and_head() {
    assert_eq!(
        named("head-matrix", "?view=heads&layer=3&head=2"),
        "diagonal-head-matrix-minilm-l6-layer-3-head-2"
    );
    assert_eq!(
        named(
            "head-matrix",
            "?view=heads&layer=3&head=2&mode=computed&window=0-64,8-72"
        ),
        "diagonal-head-matrix-minilm-l6-layer-3-head-2-window-0-64-8-72-computed"
    );
    assert_eq!(
        named("position-matrix", "?compare=cosine&part=residual"),
        "diagonal-position-matrix-minilm-l6-cosine-residual"
    );
    assert_eq!(
        named("first-layer-none", "?view=kernels&layer=3&head=2"),
        "diagonal-first-layer-none-minilm-l6-layer-1-head-2"
    );
    assert_eq!(
        named("position-matrix", "?model=random&rows=96&width=32&seed=7"),
        "diagonal-position-matrix-minilm-l6-rows-96-width-32-seed-7"
    );
    assert_eq!(
        named("training-matrix", "?view=training&step=500"),
        "diagonal-training-matrix-minilm-l6-step-500"
    );
}

/// Options that change a figure: the text on its sheet, its head, its kernels.
const CHOICES: [(&str, &str); 15] = [
    ("layer=1&head=1", "layer=3&head=2"),
    ("mode=paper", "mode=computed"),
    ("cells=whole", "cells=causal"),
    ("compare=inner", "compare=cosine"),
    ("part=whole", "part=toeplitz"),
    ("part=toeplitz", "part=residual"),
    ("kernels=1:0.25:0", "kernels=1:0.25:1"),
    ("kernels=1:0.25:0", "kernels=1:0.25:0;2:0.5:1"),
    ("kernels=1:0.25:1", "kernels=1:0.25:-1"),
    ("sort=layer", "sort=peak"),
    ("patches=cosine", "patches=inner-product"),
    ("encodings=together", "encodings=n:64"),
    ("n=64", "n=128"),
    ("fit=head.3", "fit=head.5"),
    ("step=100", "step=200"),
];

#[test]
fn two_downloads_of_a_figure_that_differ_have_two_names() {
    let mut disambiguate = std::collections::BTreeSet::new();
    for figure in FigureId::ALL {
        let id = figure.id();
        let mut views = VIEWS.iter();
        let view = views.find(|(view, ..)| figure.views().contains(view));
        let view = view.expect("a view").1;
        for (one, other) in CHOICES {
            let query = |choice| format!("?view={view}&{choice}");
            let (one, other) = (query(one), query(other));
            let names = (named(id, &one), named(id, &other));
            let differ = words(id, &one) != words(id, &other);
            let place = format!("{id} {one} {other}: {}", names.0);
            assert!(!differ || names.0 != names.1, "{place}");
            let scope = spec(id).scope.in_link(&Link::parse(&one).0);
            let is_of_head = matches!(scope, LabelScope::Head | LabelScope::FirstLayer);
            if is_of_head && one.contains("layer=1") {
                assert!(names.0.contains("-layer-1-head-1"), "{place}");
                assert_ne!(names.0, names.1, "{place}");
            }
            if names.0 != names.1 {
                disambiguate.insert((id, other));
            }
        }
    }
    for (figure, query) in [
        ("kernel-attention", "?view=kernels&n=128"),
        ("fit-attention", "?view=kernels&fit=head.5"),
        ("kernel-function", "?view=kernels&kernels=1:0.25:-1"),
    ] {
        assert!(
            disambiguate.contains(&(figure, query.to_owned())),
            "{figure}"
        );
    }
}
