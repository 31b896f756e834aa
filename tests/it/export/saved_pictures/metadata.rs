//! Metadata in SVG and PNG.

use super::{matrix, provenance, sheet_of};
use crate::figure::pictures::name_of;
use diagonal::{
    export::{Background, FigureLabels, Provenance, SheetWidth, document, with_metadata},
    figure::{PRINT, Scene},
};
use proptest::prelude::*;

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

proptest! {
    #[test]
    fn no_title_breaks_a_file(title in any::<String>()) {
        let scene = Scene::new(10.0, 10.0);
        let text = document(&scene, Background::White, &provenance(&title), name_of);
        prop_assert!(roxmltree::Document::parse(&text).is_ok());
        prop_assert!(with_metadata(one_pixel(), &provenance(&title)).is_some());
    }
}
