//! Pictures that leave the page: what stands on the sheet, what the files say of themselves, what they are called.

use crate::pictures::{name_of, tile};
use diagonal::{
    figure::{
        Axis, ColorMap, Figure, Handle, Heatmap, Ink, Lines, Mark, PRINT, Raster, Scene, Series,
        Table, Thumbnail, Thumbnails,
    },
    link::{FIGURES, Link},
    math::{Cells, Window},
    publish::{
        About, Background, Letters, Placed, Provenance, Sheet, SheetWidth, Shown, Words, about,
        document, file_name, schemes_drawn, with_metadata,
    },
};
use proptest::prelude::*;
use std::{path::PathBuf, sync::Arc};

/// The font as it is served.
fn font() -> Vec<u8> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("www/fonts/inter.otf");
    std::fs::read(path).expect("the font")
}

fn matrix() -> Heatmap {
    let tile = tile(Window::whole(24, 24), 1, |i, j| {
        (i.abs_diff(j) % 12) as f32 / 4.0
    });
    Heatmap::matrix(Arc::new(tile), ColorMap::Viridis, 0.0)
}

fn words(figure: &str, query: &str) -> Words {
    let (link, _) = Link::parse(query);
    Words::of(Shown {
        figure,
        link: &link,
        cells: Cells::Whole,
        is_relative: false,
    })
}

#[test]
fn scores_by_offset_have_no_two_ways_to_be_computed() {
    let notes = |is_relative, query| {
        let (link, _) = Link::parse(query);
        let words = Words::of(Shown {
            figure: "head-matrix",
            link: &link,
            cells: Cells::Whole,
            is_relative,
        });
        words.notes.concat()
    };
    let (paper, computed) = ("?view=heads", "?view=heads&mode=computed");
    assert_ne!(notes(false, paper), notes(false, computed));
    assert_eq!(notes(true, paper), notes(true, computed));
    assert!(notes(true, computed).contains("by offset alone"));
}

fn sheet_of(figure: &dyn Figure, words: &Words, width: SheetWidth) -> Scene {
    let font = font();
    let letters = Letters::read(&font).expect("a font");
    let sheet = Sheet {
        figure,
        title: "How alike are two positions?",
        subject: "minilm-l6, 512 positions, width 384",
        words,
        width,
    };
    sheet.scene(&letters)
}

/// What is written on a sheet, in the order in which it is.
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
        let scene = sheet_of(&matrix(), &words, width);
        let said = texts(&scene);
        for expected in [
            "How alike are two positions?",
            "minilm-l6, 512 positions, width 384",
            "query i",
            "key j",
            "Colour: cosine of two positions; less the mean of its diagonal.",
        ] {
            assert!(said.contains(&expected), "{expected}: {said:?}");
        }
        // All of it as shapes.
        let is_text = |mark: &&Mark| matches!(mark, Mark::Text { .. });
        assert_eq!(scene.marks.iter().find(is_text), None);
    }
}

#[test]
fn a_column_is_84_millimetres_and_its_type_between_6_and_9_points() {
    let scene = sheet_of(&matrix(), &Words::default(), SheetWidth::Column);
    let millimetres = |pixels: f64| pixels * Sheet::MILLIMETRES;
    assert!((millimetres(scene.width) - 84.0).abs() < 1e-9);
    assert!((millimetres(SheetWidth::Page.pixels()) - 175.0).abs() < 1e-9);
    for pixels in [10.0, 11.0, 12.0, 13.0] {
        let points = millimetres(pixels) / 25.4 * 72.0;
        assert!((6.0..9.0).contains(&points), "{pixels} px are {points} pt");
    }
    // 300 dots to an inch: 992 of them.
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
    let lines = Lines::over(Axis::Offset).series([Series::new("f", -8, vec![1.0; 17])]);
    let pulled = lines
        .clone()
        .handles([handle(-2.0, false), handle(3.0, true)]);
    let is_dot = |mark: &Mark| matches!(mark, Mark::Dot { .. });
    assert!(pulled.scene(360.0).marks.iter().any(is_dot));
    let scene = sheet_of(&pulled, &Words::default(), SheetWidth::Column);
    assert!(!scene.marks.iter().any(is_dot));
}

#[test]
fn text_is_set_where_it_is_asked_for() {
    let font = font();
    let letters = Letters::read(&font).expect("a font");
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
    // Capitals stand around the height of the point.
    let ((left, right), (top, bottom)) = corners(false, Start);
    assert!((top + bottom - 100.0).abs() < 0.05 && (8.0..9.5).contains(&(bottom - top)));
    assert!(left > 100.0 && right < 112.0);
    let ((left, right), _) = corners(false, End);
    assert!(left > 88.0 && right < 100.0);
    // Turned, it runs up: what was wide is high.
    let ((left, right), (top, bottom)) = corners(true, Middle);
    assert!((left + right - 200.0).abs() < 0.05 && (8.0..9.5).contains(&(right - left)));
    assert!((top + bottom - 100.0).abs() < 0.5);
    assert_eq!(letters.width("模型", 12.0), None);
    assert!(Letters::read(b"no font").is_none());
}

#[test]
fn the_font_has_every_letter_that_figures_write() {
    let font = font();
    let letters = Letters::read(&font).expect("a font");
    for text in [
        "−·×≤≥≠≈±√²ᵃ…’“”–—→λΔωΣ∑",
        "λ 6.283 · f(Δy, Δx), |k| ≤ 64: R² −0.25",
        "Zwölf Boxkämpfer, ça, Łódź, Привет, αβγ",
    ] {
        assert!(letters.width(text, 12.0).is_some(), "{text}");
    }
    for figure in FIGURES {
        for query in [
            "",
            "?compare=cosine&cells=causal&sort=peak&added=head&mode=computed",
        ] {
            let words = words(figure.id, query);
            let legend = words.legend.iter().map(|(_, text)| text.as_str());
            let notes = words.notes.iter().map(String::as_str);
            let all = [figure.title, words.down, words.across];
            for text in all.into_iter().chain(legend).chain(notes) {
                assert!(letters.width(text, 12.0).is_some(), "{text}");
            }
        }
    }
}

/// Figures that say everything themselves: tables, bars with labels, axes that are named on the page, too.
const SAY_IT_THEMSELVES: [&str; 8] = [
    "fit-curve",
    "parameter-count",
    "phasors",
    "criteria",
    "permutation",
    "model-scores",
    "r2-performance",
    "training-curves",
];

#[test]
fn every_figure_has_its_words() {
    for figure in FIGURES {
        let has_some = words(figure.id, "") != Words::default();
        let needs_none = SAY_IT_THEMSELVES.contains(&figure.id);
        assert!(has_some != needs_none, "{}", figure.id);
    }
    let about = |figure, query| about(figure, &Link::parse(query).0);
    assert_eq!(about("position-matrix", ""), About::Model);
    assert_eq!(about("head-profile", ""), About::Head);
    assert_eq!(about("kernel-attention", ""), About::Kernels);
    assert_eq!(about("criteria", ""), About::Itself);
    assert_eq!(about("added-attention", ""), About::Head);
}

#[test]
fn an_svg_says_where_it_comes_from() {
    let title = "a <b>\u{1} & \"c\": 模型\u{202e}";
    let scene = sheet_of(&matrix(), &Words::default(), SheetWidth::Column);
    let text = document(&scene, Background::White, &provenance(title), name_of);
    let parsed = roxmltree::Document::parse(&text).expect("XML");
    let root = parsed.root_element();
    let dc = "http://purl.org/dc/elements/1.1/";
    let said = |name: &str| {
        let element = parsed
            .descendants()
            .find(|node| node.tag_name().name() == name && node.tag_name().namespace() == Some(dc));
        element
            .and_then(|element| element.text())
            .unwrap_or_default()
    };
    // What no XML may hold is replaced, all else is as it was.
    let expected = title.replace('\u{1}', "\u{fffd}");
    assert_eq!(said("title"), expected);
    assert_eq!(said("description"), provenance("").description);
    assert_eq!(said("source"), provenance("").source);
    assert_eq!(said("identifier"), "position table hash 0123456789abcdef");
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
    // Nothing in it asks for a font.
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
    let scene = sheet_of(&matrix(), &Words::default(), SheetWidth::Column);
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

/// A PNG of one pixel, as a browser might make it.
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
    // Another implementation reads it, and checks every checksum.
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
    let said = |keyword: &str| {
        let mut texts = info.utf8_text.iter();
        let chunk = texts.find(|chunk| chunk.keyword == keyword)?;
        chunk.get_text().ok()
    };
    assert_eq!(said("Title"), Some(title.replace('\0', "\u{fffd}")));
    assert_eq!(said("Description"), Some(provenance("").description));
    assert_eq!(said("Source"), Some(provenance("").source));
    assert_eq!(said("Software").as_deref(), Some(Provenance::SOFTWARE));
    assert_eq!(
        said("Position table hash").as_deref(),
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
    let named = |model| file_name("position-matrix", model);
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
            let name = file_name("position-matrix", Some(&model));
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
        let letters = Letters::read(&font).expect("a font");
        let words = Words::default();
        let figure = Lines::over(Axis::Offset);
        let sheet = Sheet {
            figure: &figure,
            title: &title,
            subject: &subject,
            words: &words,
            width: SheetWidth::Column,
        };
        let scene = sheet.scene(&letters);
        prop_assert!(scene.height < 400.0);
    }
}

#[test]
fn a_figure_of_schemes_is_named_after_what_it_draws() {
    let named = |query: &str, open| {
        let (link, _) = Link::parse(query);
        schemes_drawn("encoding-profile", &link, open)
    };
    let named_file = |name: Option<String>| file_name("encoding-profile", name.as_deref());
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
        schemes_drawn("phasors", &Link::default(), Some("minilm-l6")),
        None
    );
}
