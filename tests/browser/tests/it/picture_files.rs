//! Exported pictures, read as files: their content and metadata.

use std::io::Cursor;

use browser::page::figure;
use browser::{Page, Result, scenarios};
use serde_json::{Value, json};

scenarios! {
    in_every_engine: [
        a_column_of_a_paper_whatever_the_page_looks_like,
    ],
    in_chromium: [
        an_svg_needs_no_font,
        one_of_several_models_leaves_with_its_axes,
        a_font_that_does_not_come_is_a_sentence,
        a_saved_matrix_is_as_fine_as_its_sheet,
        a_save_says_that_it_works_and_may_have_no_heading,
        a_page_wide_picture_on_nothing,
    ],
}

/// With a pinned cell, so that its diagonal is highlighted on the page.
const PINNED: &str = "?view=positions&model=sinusoidal&rows=96&width=32&pin=40,30";

/// A downloaded PNG.
struct Picture {
    width: u32,
    /// Four bytes per pixel.
    rgba: Vec<u8>,
    /// Pixels per metre.
    dense: u32,
    texts: Vec<(String, String)>,
}

impl Picture {
    /// Decodes with another implementation than the page's; it checks every checksum.
    fn read(bytes: Vec<u8>) -> Result<Self> {
        let mut reader = png::Decoder::new(Cursor::new(bytes)).read_info()?;
        let mut rgba = vec![0; reader.output_buffer_size().ok_or("too large")?];
        let frame = reader.next_frame(&mut rgba)?;
        assert_eq!(frame.color_type, png::ColorType::Rgba);
        let info = reader.info();
        let texts = info.utf8_text.iter();
        let texts = texts.map(|chunk| Ok((chunk.keyword.clone(), chunk.get_text()?)));
        Ok(Self {
            width: frame.width,
            dense: info.pixel_dims.ok_or("no pixels to a metre")?.xppu,
            texts: texts.collect::<Result<_>>()?,
            rgba,
        })
    }

    fn content(&self, keyword: &str) -> &str {
        let mut texts = self.texts.iter();
        let found = texts.find(|(other, _)| other == keyword);
        found.map_or("", |(_, text)| text)
    }

    /// Number of opaque pixels close to a colour.
    fn count(&self, [r, g, b]: [u8; 3]) -> usize {
        // A small tolerance: hairlines on light paper are close to the light ink of dark paper.
        let near = |a: u8, b: u8| a.abs_diff(b) < 5;
        let pixels = self.rgba.chunks_exact(4);
        let like = |p: &&[u8]| p[3] > 200 && near(p[0], r) && near(p[1], g) && near(p[2], b);
        pixels.filter(like).count()
    }
}

/// Switches to dark paper.
fn darken(page: &Page) -> Result {
    if page.eval("document.documentElement.dataset.theme")? != json!("dark") {
        page.click("button[aria-label='Switch to dark paper']")?;
    }
    page.wait_until("document.documentElement.dataset.theme === 'dark'")
        .map(drop)
}

/// Opens the picture options, and chooses.
fn choose(page: &Page, id: &str, names: &[&str]) -> Result {
    page.open_save_menu(&figure(id))?;
    for name in names {
        page.script(
            "[...document.querySelectorAll('.picture-options button')].find(b => b.textContent === arguments[0]).click()",
            vec![json!(name)],
        )?;
    }
    Ok(())
}

fn a_column_of_a_paper_whatever_the_page_looks_like(page: &Page) -> Result {
    open_pinned(page)?;
    darken(page)?;
    let file = page.download("position-matrix", "PNG")?;
    assert_eq!(
        file.name,
        "diagonal-position-matrix-sinusoidal-rows-96-width-32.png"
    );
    let picture = Picture::read(file.bytes)?;
    // 84 mm at 300 dots per inch.
    assert_eq!((picture.width, picture.dense), (992, 11811));
    assert_eq!(picture.rgba[..4], [255; 4], "the corner is not white");
    assert!(picture.count([0x1d, 0x1c, 0x1a]) > 200, "no dark ink");
    assert!(picture.count([0xd4, 0x38, 0x0d]) < 200, "something is lit");
    let title = picture.content("Title");
    assert_eq!(
        title,
        "sinusoidal, 96 positions, width 32: How alike are two positions?"
    );
    assert!(picture.content("Software").starts_with("Diagonal "));
    assert_eq!(picture.content("Position table hash").len(), 16);
    // The link in the file shows the same figure.
    let source = picture.content("Source");
    let (address, anchor) = source.split_once('#').ok_or("no anchor")?;
    assert_eq!(anchor, "position-matrix");
    let query = address.split_once('?').ok_or("no query")?.1;
    assert!(
        query.contains("rows=96") && query.contains("pin=40,30"),
        "{source}"
    );
    page.open(&format!("?{query}"))?;
    page.figure("position-matrix")
}

fn a_page_wide_picture_on_nothing(page: &Page) -> Result {
    page.open(PINNED)?;
    darken(page)?;
    page.figure("position-matrix")?;
    choose(page, "position-matrix", &["page", "transparent"])?;
    // The choice applies to every figure.
    for id in ["position-matrix", "offset-profile"] {
        let picture = Picture::read(page.download(id, "PNG")?.bytes)?;
        assert_eq!(picture.width, 2067, "{id}");
        assert_eq!(picture.rgba[3], 0, "{id} has paper");
        // Dark ink on a transparent background, for a white page.
        assert!(
            picture.count([0x1d, 0x1c, 0x1a]) > 200,
            "{id} has no dark ink"
        );
        assert_eq!(picture.count([0xe9, 0xe5, 0xdc]), 0, "{id} has light ink");
    }
    let svg = String::from_utf8(page.download("offset-profile", "SVG")?.bytes)?;
    assert!(svg.contains("width=\"175mm\"") && !svg.contains("<rect width=\"100%\""));
    Ok(())
}

/// Opens the page with the pin. A computed table is shown before it is open; its hash is known only afterwards.
fn open_pinned(page: &Page) -> Result {
    page.open(PINNED)?;
    page.figure("position-matrix")?;
    page.figure("position-table")
}

fn an_svg_needs_no_font(page: &Page) -> Result {
    const FONTS: &str =
        "performance.getEntriesByType('resource').filter(e => e.name.endsWith('.otf')).length";
    open_pinned(page)?;
    assert_eq!(
        page.eval(FONTS)?,
        json!(0),
        "the font of pictures before anything is saved"
    );
    let file = page.download("position-matrix", "SVG")?;
    assert_eq!(page.eval(FONTS)?, json!(1));
    assert_eq!(
        file.name,
        "diagonal-position-matrix-sinusoidal-rows-96-width-32.svg"
    );
    let svg = String::from_utf8(file.bytes)?;
    // The browser parses the SVG, and shows it as an image.
    let read = page.script(
        "const svg = new DOMParser().parseFromString(arguments[0], 'image/svg+xml');\
         const dc = name => svg.getElementsByTagNameNS('http://purl.org/dc/elements/1.1/', name)[0]?.textContent;\
         return { broken: !!svg.querySelector('parsererror'), title: svg.querySelector('svg > title').textContent,\
           desc: svg.querySelector('svg > desc').textContent, source: dc('source'), hash: dc('identifier'),\
           texts: svg.querySelectorAll('text').length, labels: [...svg.querySelectorAll('[aria-label]')].map(e => e.getAttribute('aria-label')),\
           images: [...svg.querySelectorAll('image')].map(e => e.getAttribute('href').slice(0, 22)) }",
        // Parsed text is subject to the page's policy, which forbids inline styles; a file is not.
        vec![json!(svg.replace(" style=\"image-rendering:pixelated\"", ""))],
    )?;
    assert_eq!(
        (&read["broken"], &read["texts"]),
        (&json!(false), &json!(0)),
        "{read}"
    );
    let labels: Vec<&str> = (read["labels"].as_array().into_iter().flatten())
        .filter_map(Value::as_str)
        .collect();
    for label in [
        "How alike are two positions?",
        "sinusoidal, 96 positions, width 32",
        "position i",
        "position j",
        "Colour: inner product of two positions.",
    ] {
        assert!(labels.contains(&label), "{label} is missing: {labels:?}");
    }
    // The matrix and its colour bar.
    assert_eq!(read["images"], json!(vec!["data:image/png;base64,"; 2]));
    assert!(
        read["source"]
            .as_str()
            .is_some_and(|link| link.ends_with("#position-matrix"))
    );
    assert!(
        read["hash"]
            .as_str()
            .is_some_and(|hash| hash.starts_with("position table hash "))
    );
    assert!(!svg.contains("#d4380d"), "something is lit");
    Ok(())
}

/// On the page it has no axes and shares a colour bar; exported it needs both.
fn one_of_several_models_leaves_with_its_axes(page: &Page) -> Result {
    page.open("?view=compare&model=minilm-l6")?;
    let small = "figure.multiple[data-model='minilm-l6'][data-state='ready']";
    page.wait_until(&format!("!!document.querySelector(\"{small}\")"))?;
    page.press_in_save_menu(small, "Download SVG")?;
    let file = page.next_download()?;
    assert_eq!(file.name, "diagonal-position-matrix-minilm-l6.svg");
    let svg = String::from_utf8(file.bytes)?;
    for label in [
        "minilm-l6, 512 positions, width 384",
        "position i",
        "position j",
    ] {
        assert!(svg.contains(&format!("aria-label=\"{label}\"")), "{label}");
    }
    assert_eq!(
        svg.matches("<image").count(),
        2,
        "the matrix and its colour bar"
    );
    Ok(())
}

fn a_font_that_does_not_come_is_a_sentence(page: &Page) -> Result {
    page.open("?view=positions&model=minilm-l6")?;
    page.table_r2(0.4742, 2e-4)?;
    // The code for exports has been fetched; then the connection is lost.
    page.csv("toeplitz-scores")?;
    page.script(
        "window.online = fetch; window.fetch = () => Promise.reject(new TypeError('no network'))",
        vec![],
    )?;
    page.press_in_save_menu(&figure("offset-profile"), "Download SVG")?;
    page.message_with("the font of pictures could not be fetched")?;
    assert_eq!(page.eval("probe.downloads.length")?, json!(0));
    page.script("window.fetch = window.online", vec![])?;
    let file = page.download("offset-profile", "SVG")?;
    assert_eq!(file.name, "diagonal-offset-profile-minilm-l6.svg");
    Ok(())
}

/// Labels of the text outlines in an SVG.
fn labels(svg: &[u8]) -> Vec<String> {
    let svg = String::from_utf8_lossy(svg).into_owned();
    let labels = svg.split("aria-label=\"").skip(1);
    labels
        .filter_map(|rest| Some(rest.split_once('"')?.0.to_owned()))
        .collect()
}

/// On the page the map is too small for its cells; in the exported picture it is not.
fn a_saved_matrix_is_as_fine_as_its_sheet(page: &Page) -> Result {
    page.open("?view=kernels&model=minilm-l6&n=512&kernels=4:0.25:-1&added=head")?;
    for id in ["kernel-attention", "added-attention"] {
        page.figure(id)?;
        let summary = page.eval(&format!(
            "document.querySelector('#{id} .summary').textContent"
        ))?;
        let is_coarse = summary.as_str().is_some_and(|text| text.contains("blocks"));
        assert!(is_coarse, "{id} is drawn cell by cell: {summary}");
        let file = page.download(id, "SVG")?;
        let (labels, svg) = (labels(&file.bytes), String::from_utf8_lossy(&file.bytes));
        assert!(
            !labels.iter().any(|label| label.contains("means of")),
            "{id}: {labels:?}"
        );
        assert!(
            !svg.contains("blocks"),
            "{id}: the description is of another picture"
        );
    }
    Ok(())
}

fn a_save_says_that_it_works_and_may_have_no_heading(page: &Page) -> Result {
    open_pinned(page)?;
    // The code for exports has been fetched, and its font is delayed.
    page.csv("toeplitz-scores")?;
    page.script(
        "const online = fetch; window.fetch = (...args) => String(args[0]?.url ?? args[0]).endsWith('.otf') ? \
         new Promise(go => { window.release = go }).then(() => online(...args)) : online(...args)",
        vec![],
    )?;
    let status = "document.querySelector('#position-matrix .saving').textContent";
    assert_eq!(page.eval(status)?, json!(""));
    page.press_in_save_menu(&figure("position-matrix"), "Download SVG")?;
    page.wait_until(&format!("{status} === 'Saving …'"))?;
    page.wait_until("!!window.release")?;
    page.script("window.release()", vec![])?;
    let with = labels(&page.next_download()?.bytes);
    page.wait_until(&format!("{status} === ''"))?;
    choose(page, "position-matrix", &["without"])?;
    // The message stays in its box.
    let inside = page.eval(
        "(() => { const [p, box] = ['.save-menu p', '.save-menu'].map(css => document.querySelector(css));\
         const range = document.createRange(); range.selectNodeContents(p);\
         return range.getBoundingClientRect().right <= box.getBoundingClientRect().right })()",
    )?;
    assert_eq!(inside, json!(true), "the sentence runs out of its box");
    // The choice applies to every figure.
    for id in ["position-matrix", "offset-profile"] {
        let without = labels(&page.download(id, "SVG")?.bytes);
        assert!(
            !without.iter().any(|label| label.contains("96 positions")),
            "{id}: {without:?}"
        );
    }
    assert!(
        with.iter().any(|label| label.contains("96 positions")),
        "{with:?}"
    );
    Ok(())
}
