//! The view of images: dragging heads changes the filtered image; opened images are filtered locally.

use browser::page::figure;
use browser::session::key;
use browser::test_files::Folder;
use browser::{Page, Result, scenarios};
use serde_json::json;
use xtask::root;

scenarios! {
    in_every_engine: [
        a_head_is_pulled_and_put_back,
    ],
    in_chromium: [
        sharp_heads_make_the_convolution,
        an_image_of_the_visitor_is_filtered,
        a_kernel_can_be_written,
        heads_are_taken_from_a_table,
        a_head_becomes_a_box,
        heads_with_one_channel_lose_colours,
        heads_of_a_checkpoint_are_taken,
        a_link_restores_heads_and_kernel,
        a_pixel_that_is_clicked_asks,
        summands_of_lemma_1_stand_for_heads,
    ],
}

fn greatest(values: &[f64]) -> f64 {
    values.iter().copied().map(f64::abs).fold(0.0, f64::max)
}

fn caption(page: &Page, id: &str) -> Result<String> {
    page.text(&format!("{} .caption", figure(id)))
}

/// Lemmas 1 and 2: at α = 64 every kernel is matched to far less than 1e-5 of its range.
fn sharp_heads_make_the_convolution(page: &Page) -> Result {
    for (image, kernel) in [
        ("shapes", "edges"),
        ("noise", "fringes"),
        ("signal", "difference"),
    ] {
        page.open(&format!(
            "?view=images&model=sinusoidal&image={image}&side=32&filter={kernel}&alpha=64"
        ))?;
        page.figure("filtered-image")?;
        page.figure("convolution-error")?;
        let made = page.csv("filtered-image")?;
        let span = greatest(&made.numbers("convolution")?);
        assert!(span > 0.1, "{image}, {kernel}: {span}");
        let apart = greatest(&made.numbers("difference")?);
        assert!(apart <= 1e-5 * span, "{image}, {kernel}: {apart}");
        let curve = page.csv("convolution-error")?;
        let (alphas, errors) = (curve.numbers("alpha")?, curve.numbers("max_error")?);
        assert!(alphas.contains(&46.0) && alphas.windows(2).all(|pair| pair[0] < pair[1]));
        for (alpha, error) in alphas.iter().zip(&errors) {
            if *alpha >= 46.0 {
                assert!(
                    *error <= 1e-5 * span,
                    "{image}, {kernel} at {alpha}: {error}"
                );
            }
        }
        assert!(errors[0] > 1e-2 * span, "{errors:?}");
    }
    Ok(())
}

/// Place of an offset (Δx, Δy) in the figure of the heads, as shares of its width and height. The plot leaves 34 and 6
/// pixels at its sides, 6 above and 24 below, and shows 2.5 pixels up and down when heads lie around the middle.
fn offset_place(page: &Page, dx: f64, dy: f64) -> Result<(f64, f64)> {
    let place = page.script(
        "const box = document.querySelector(arguments[0]).getBoundingClientRect(); return [box.width, box.height]",
        vec![json!(heads_view())],
    )?;
    let (width, height) = (
        place[0].as_f64().unwrap_or(1.0),
        place[1].as_f64().unwrap_or(1.0),
    );
    // The margins of the picture.
    let (left, right, above, below) = (34.0, 6.0, 24.0, 40.0);
    let (across, down) = (width - left - right, height - above - below);
    let unit = down / 5.0;
    Ok((
        (left + across / 2.0 + dx * unit) / width,
        (above + down / 2.0 + dy * unit) / height,
    ))
}

fn summands_of_lemma_1_stand_for_heads(page: &Page) -> Result {
    const ROWS: &str = "String([...document.querySelectorAll('.head-weights tr[data-highlighted]')].map(e => parseInt(e.cells[0].textContent)))";
    const OUTLINED_FIGURES: &str =
        "String([...document.querySelectorAll('.term-outline')].map(e => e.closest('figure').id))";
    let heads_and_maps = format!("{OUTLINED_FIGURES} === 'gaussian-heads,query-attention'");
    page.open("?view=images&model=sinusoidal&side=32&filter=edges&alpha=4")?;
    page.figure("gaussian-heads")?;
    page.figure("query-attention")?;
    page.click(".head-weights summary")?;
    // From a summand to its head.
    page.point(
        ".head-weights tbody tr:nth-child(2) td:last-child",
        0.5,
        0.5,
    )?;
    page.wait_until(&format!("{ROWS} === '2' && {heads_and_maps}"))?;
    page.point(".head-weights summary", 0.5, 0.5)?;
    page.wait_until(&format!("{ROWS} === '' && {OUTLINED_FIGURES} === ''"))?;
    page.script(
        "document.querySelector('.head-weights [data-term=head-3]').focus({ preventScroll: true })",
        vec![],
    )?;
    page.wait_until(&format!("{ROWS} === '3' && {heads_and_maps}"))?;
    page.has_no_barriers("a highlighted summand")?;
    page.script("document.activeElement.blur()", vec![])?;
    page.wait_until(&format!("{ROWS} === '' && {OUTLINED_FIGURES} === ''"))?;
    // The keys of the figure go through the heads, the open one first.
    page.keys(&['x'])?;
    page.script(
        "document.querySelector(arguments[0]).focus({ preventScroll: true })",
        vec![json!(heads_view())],
    )?;
    page.wait_until(&format!("{ROWS} === '2' && {heads_and_maps}"))?;
    page.keys(&['t'])?;
    page.wait_until(&format!("{ROWS} === '3' && {heads_and_maps}"))?;
    page.chord(&[key::SHIFT], 't')?;
    page.chord(&[key::SHIFT], 't')?;
    page.wait_until(&format!("{ROWS} === '1'"))?;
    page.script("document.activeElement.blur()", vec![])?;
    page.wait_until(&format!("{ROWS} === ''"))?;
    // From a head to its summand: the middle tap is that of the fifth head.
    let (x, y) = offset_place(page, 0.0, 0.0)?;
    page.point(&heads_view(), x, y)?;
    page.wait_until(&format!("{ROWS} === '5'"))?;
    page.point(
        &format!("{} .figure-view", figure("query-attention")),
        0.04,
        0.12,
    )?;
    page.wait_until(&format!("{ROWS} === '1'"))?;
    page.met_no_error()
}

fn heads_view() -> String {
    format!("{} .figure-view", figure("gaussian-heads"))
}

fn a_head_is_pulled_and_put_back(page: &Page) -> Result {
    page.open("?view=images&model=sinusoidal&side=32&filter=identity&alpha=64")?;
    page.figure("filtered-image")?;
    page.computed(std::time::Duration::from_secs(20))?;
    let same = page.csv("filtered-image")?.numbers("difference")?;
    assert!(greatest(&same) < 1e-9);
    // Moves the head of the middle tap two pixels to the right, where no other head is: the image moves by two to the
    // left.
    let (from, to) = (offset_place(page, 0.0, 0.0)?, offset_place(page, 2.0, 0.0)?);
    page.drag(&heads_view(), from, to)?;
    page.wait_until("location.search.includes('gaussians=')")?;
    page.wait_until(&format!(
        "!document.querySelector(\"{} .caption\").textContent.includes('same to the last bit')",
        figure("filtered-image")
    ))?;
    let heads = page.csv("gaussian-heads")?;
    assert_eq!(heads.numbers("delta_x")?[4], 2.0);
    assert_eq!(heads.numbers("delta_y")?[4], 0.0);
    page.computed(std::time::Duration::from_secs(20))?;
    let made = page.csv("filtered-image")?;
    let (image, seen) = (made.numbers("image")?, made.numbers("attention")?);
    for pixel in (0..32 * 31).filter(|pixel| pixel % 32 < 30) {
        let (expected, seen) = (image[3 * (pixel + 2)], seen[3 * pixel]);
        assert!(
            (expected - seen).abs() < 1e-6,
            "{pixel}: {expected} and {seen}"
        );
    }
    // Resetting the heads to their taps removes the shift.
    page.click_named("Lemma 1: put each head at its tap")?;
    page.wait_until("!location.search.includes('gaussians=')")?;
    page.computed(std::time::Duration::from_secs(20))?;
    assert!(greatest(&page.csv("filtered-image")?.numbers("difference")?) < 1e-9);
    Ok(())
}

/// A box is chosen by its button; heads with one profile are called one convolution.
fn a_head_becomes_a_box(page: &Page) -> Result {
    page.open("?view=images&model=sinusoidal&side=16&filter=blur&alpha=2")?;
    page.figure("gaussian-heads")?;
    page.computed(std::time::Duration::from_secs(20))?;
    assert!(caption(page, "filtered-image")?.contains("one convolution"));
    page.has_no_barriers("heads as boxes")?;
    let vectors = || page.text(".lemma-vectors");
    assert!(
        vectors()?.contains("v = −α(1, −2Δ₁, −2Δ₂) = (−2.00, −4.00, −4.00)"),
        "{}",
        vectors()?
    );
    page.click_named("box")?;
    page.wait_until("location.search.includes('box')")?;
    assert!(vectors()?.contains("no v gives it"));
    let heads = page.csv("gaussian-heads")?;
    assert_eq!(heads.numbers("radius")?[0], 1.0);
    page.wait_until(&format!(
        "!document.querySelector(\"{} .caption\").textContent.includes('one convolution')",
        figure("filtered-image")
    ))
    .map(drop)
}

fn heads_with_one_channel_lose_colours(page: &Page) -> Result {
    page.open("?view=images&model=sinusoidal&side=16&filter=identity&alpha=64&more=head-channels")?;
    page.figure("concatenated-heads")?;
    let ranks = page.csv("head-ranks")?.numbers("rank")?;
    assert_eq!(greatest(&ranks), 3.0);
    let is_chosen = page.script(
        "const select = [...document.querySelectorAll('label.choice')].find(l => l.innerText.includes('D_h'))?.querySelector('select');\
         if (!select) return false;\
         select.selectedIndex = 1; select.dispatchEvent(new Event('change', { bubbles: true })); return true",
        vec![],
    )?;
    assert_eq!(is_chosen, true);
    page.wait_until("location.search.includes('channels=1')")?;
    page.figure("head-ranks")?;
    page.computed(std::time::Duration::from_secs(20))?;
    assert_eq!(greatest(&page.csv("head-ranks")?.numbers("rank")?), 1.0);
    let image = page.csv("filtered-image")?;
    let (channels, heads) = (image.numbers("channel")?, image.numbers("attention")?);
    for (channel, value) in channels.iter().zip(&heads) {
        assert!(
            *channel == 0.0 || *value == 0.0,
            "channel {channel}: {value}"
        );
    }
    Ok(())
}

fn a_pixel_that_is_clicked_asks(page: &Page) -> Result {
    page.open("?view=images&model=sinusoidal&side=16&filter=blur&alpha=1")?;
    page.figure("filtered-image")?;
    page.computed(std::time::Duration::from_secs(20))?;
    let view = format!("{} .figure-view", figure("filtered-image"));
    // Near the upper left corner of the first picture, below its name.
    let height = page.script(
        "return document.querySelector(arguments[0]).getBoundingClientRect().height",
        vec![json!(view)],
    )?;
    page.click_at(&view, 0.01, 22.0 / height.as_f64().unwrap_or(500.0))?;
    page.wait_until("location.search.includes('pixel=0,0')")?;
    page.wait_until(&format!(
        "document.querySelector(\"{} .caption\").textContent.includes('At the edge')",
        figure("query-attention")
    ))?;
    let maps = page.csv("query-attention")?;
    let (heads, attention) = (maps.numbers("head")?, maps.numbers("attention")?);
    for head in 0..=9 {
        let of = heads
            .iter()
            .zip(&attention)
            .filter(|(at, _)| **at == f64::from(head));
        let sum: f64 = of.map(|(_, attention)| attention).sum();
        assert!((sum - 1.0).abs() < 1e-9, "head {head}: {sum}");
    }
    Ok(())
}

fn an_image_of_the_visitor_is_filtered(page: &Page) -> Result {
    page.open("?view=positions&model=sinusoidal")?;
    page.figure("position-matrix")?;
    let folder = Folder::new("own-image")?;
    let photograph = folder.write("photograph.png", &page.screenshot()?)?;
    // An image opened in another view switches to the view of images.
    page.open_files(&[&photograph])?;
    page.wait_until(
        "location.search.includes('view=images') && location.search.includes('image=own')",
    )?;
    page.wait_until("document.querySelector('.setup')?.textContent.includes('photograph.png')")?;
    page.figure("filtered-image")?;
    page.computed(std::time::Duration::from_secs(20))?;
    let made = page.csv("filtered-image")?;
    assert_eq!(made.numbers("x")?.into_iter().fold(0.0, f64::max), 63.0);
    assert!(greatest(&made.numbers("image")?) > 0.5);
    // A broken image file changes nothing.
    let broken = folder.write("broken.png", b"no image at all")?;
    page.open_files(&[&broken])?;
    page.message_with("cannot decode “broken.png”")?;
    assert_eq!(
        page.csv("filtered-image")?.numbers("image")?,
        made.numbers("image")?
    );
    page.forgive("broken")?;
    // The image survives a change of views.
    page.view("positions")?;
    page.view("images")?;
    page.figure("filtered-image")?;
    Ok(())
}

fn a_kernel_can_be_written(page: &Page) -> Result {
    page.open("?view=images&model=sinusoidal&side=16&alpha=64")?;
    page.figure("filtered-image")?;
    page.click(".written-out summary")?;
    page.fill(".written-out textarea", "1 2; 3")?;
    page.wait_until(
        "document.querySelector('.written-out .allowed').textContent.includes('Row 2 has 1')",
    )?;
    assert!(!page.url()?.contains("filter="));
    page.fill(".written-out textarea", "0 1/2 0; 0 1/2 0")?;
    page.wait_until("location.search.includes('filter=0,1/2,0;0,1/2,0')")?;
    page.wait_until("document.querySelector('.written-out .allowed').textContent === ''")?;
    page.computed(std::time::Duration::from_secs(20))?;
    let heads = page.csv("gaussian-heads")?;
    assert_eq!(heads.numbers("delta_y")?, [0.0, 0.0, 0.0, 1.0, 1.0, 1.0]);
    let made = page.csv("filtered-image")?;
    let (image, seen) = (made.numbers("image")?, made.numbers("convolution")?);
    let mean = 0.5 * (image[0] + image[3 * 16]);
    assert!((mean - seen[0]).abs() < 1e-6, "{mean} and {}", seen[0]);
    Ok(())
}

fn heads_are_taken_from_a_table(page: &Page) -> Result {
    page.open("?view=positions&model=sinusoidal")?;
    page.figure("position-matrix")?;
    let folder = Folder::new("heads")?;
    let table = folder.write(
        "trained.csv",
        b"head,alpha,delta_y,delta_x,yy,yx,xx\n1,2,0.5,-1.5,0.25,0,0.25\n2,1,3,2,4,1.5,1\n",
    )?;
    page.open_files(&[&table])?;
    page.figure("gaussian-heads")?;
    let heads = page.csv("gaussian-heads")?;
    assert_eq!(heads.numbers("delta_x")?, [-1.5, 2.0]);
    assert_eq!(heads.numbers("yx")?, [0.0, 1.5]);
    let text = caption(page, "gaussian-heads")?;
    assert!(text.contains("Only 2 of 9 taps have a head."), "{text}");
    let broken = folder.write("broken.csv", b"alpha,delta_y,delta_x\n1,x,2\n")?;
    page.open_files(&[&broken])?;
    page.message_with("“broken.csv” has no heads: row 2 has “x”")?;
    assert_eq!(page.csv("gaussian-heads")?.numbers("delta_x")?, [-1.5, 2.0]);
    Ok(())
}

/// A checkpoint of the paper's own code supplies its heads.
fn heads_of_a_checkpoint_are_taken(page: &Page) -> Result {
    page.open("?view=images&model=sinusoidal&side=16")?;
    page.figure("gaussian-heads")?;
    let folder = root().join("tests/data/attention-cnn");
    page.open_files(&[
        &folder.join("model.safetensors"),
        &folder.join("config.json"),
    ])?;
    page.wait_until(
        "!!document.querySelector(\"button[aria-label='Heads of layer 2 of the open model']\")",
    )?;
    page.click("button[aria-label='Heads of layer 1 of the open model']")?;
    page.wait_until("location.search.includes('gaussians=')")?;
    let first = page.csv("gaussian-heads")?.numbers("delta_y")?;
    let before = json!(page.url()?);
    page.click("button[aria-label='Heads of layer 2 of the open model']")?;
    page.wait_until(&format!("location.href !== {before}"))?;
    let second = page.csv("gaussian-heads")?.numbers("delta_y")?;
    assert!(
        !first.is_empty() && first != second,
        "{first:?}, {second:?}"
    );
    Ok(())
}

fn a_link_restores_heads_and_kernel(page: &Page) -> Result {
    let query = "?view=images&model=sinusoidal&image=rings&side=32&filter=emboss&stride=2&taps=turned&beyond=zeros\
                 &gaussians=0:1:4;2:-1:1:0.5:2&gaussian=2&pixel=3,31&maps=whole";
    page.open(query)?;
    page.figure("filtered-image")?;
    page.figure("query-attention")?;
    let made = page.csv("filtered-image")?;
    assert_eq!(made.numbers("y")?.into_iter().fold(0.0, f64::max), 15.0);
    let heads = page.csv("gaussian-heads")?;
    assert_eq!(heads.numbers("delta_y")?, [0.0, 2.0]);
    assert_eq!(heads.numbers("yx")?, [0.0, 0.5]);
    for part in query.split('&').skip(2) {
        assert!(
            page.url()?.contains(part),
            "{part} is not in {}",
            page.url()?
        );
    }
    Ok(())
}
