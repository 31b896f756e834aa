//! Links to models that the page cannot open by itself: it asks for local files, and asks before it fetches.

use std::fs;
use std::path::PathBuf;

use browser::hub::Hub;
use browser::visible_state::Do::Press;
use browser::{Page, Result, scenarios};
use serde_json::json;
use xtask::root;

scenarios! {
    in_chromium: [
        files_of_a_run_are_asked_for_and_take_their_places,
        models_of_the_hub_come_back_once_agreed,
        a_run_longer_than_a_link_says_so,
    ],
}

const STEPS: [u64; 4] = [0, 100, 500, 2000];

fn snapshots() -> Vec<PathBuf> {
    let folder = root().join("tests/data/snapshots");
    let files = STEPS.map(|step| folder.join(format!("checkpoint-{step}.safetensors")));
    files.to_vec()
}

fn open_all(page: &Page, files: &[PathBuf]) -> Result {
    let files: Vec<_> = files.iter().map(PathBuf::as_path).collect();
    page.open_files(&files)
}

fn files_of_a_run_are_asked_for_and_take_their_places(page: &Page) -> Result {
    let files = snapshots();
    page.open("?view=training&model=sinusoidal")?;
    open_all(page, &files)?;
    page.wait_until("document.querySelectorAll('[data-snapshot]').length === 4")?;
    page.act(Press("[data-snapshot='checkpoint-500'] .snapshot"))?;
    page.act(Press("#training-curves .numbers summary"))?;
    page.wait_until("!document.querySelector('.snapshots').textContent.includes('…')")?;
    let looked_at = page.seen_at_rest()?;
    let link = page.copied_link()?;
    assert!(link.contains("step=500"), "{link}");

    // The link asks for the files, by name and hash; they are accepted in any order.
    page.goto("about:blank")?;
    page.goto(&link)?;
    let message = page.message_with("Open your copies")?;
    for step in STEPS {
        assert!(
            message.contains(&format!("checkpoint-{step}.safetensors")),
            "{message}"
        );
    }
    page.wait_until("/wanted · [0-9a-f]{16}/.test(document.querySelector('.shelf').textContent)")?;
    assert_eq!(
        page.copied_link()?,
        link,
        "what is still to come stays in the link"
    );
    for file in [&files[3], &files[1]] {
        page.open_files(&[file])?;
    }
    page.wait_until("document.querySelectorAll('[data-snapshot]').length === 2")?;
    open_all(page, &[files[2].clone(), files[0].clone()])?;
    page.wait_until("document.querySelectorAll('[data-snapshot]').length === 4")?;
    page.same_is_seen(&looked_at)?;
    assert_eq!(page.copied_link()?, link);

    // In the other view the models have the order and numbers of the link.
    page.view("compare")?;
    page.act(Press(
        "figure[data-model='checkpoint-100'] input[type=checkbox]",
    ))?;
    let compared = page.seen_at_rest()?;
    let link = page.copied_link()?;
    page.goto("about:blank")?;
    page.goto(&link)?;
    page.message_with("Open your copies")?;
    // A file of the same name with another hash is opened as another model, and reported.
    let other = std::env::temp_dir().join(format!(
        "diagonal-states-{}-{}",
        page.engine.name(),
        std::process::id()
    ));
    fs::create_dir_all(&other)?;
    let wrong = other.join("checkpoint-100.safetensors");
    fs::copy(&files[0], &wrong)?;
    page.open_files(&[&wrong])?;
    page.message_with("is not the file of this link")?;
    page.click("[data-model='checkpoint-100 (2)'] + .close")?;
    for file in files.iter().rev() {
        page.open_files(&[file])?;
    }
    page.wait_until("[...document.querySelectorAll('.shelf [data-model^=checkpoint]')].every(e => !e.textContent.includes('wanted'))")?;
    page.choose("checkpoint-0")?;
    fs::remove_dir_all(other)?;
    page.same_is_seen(&compared)
}

fn models_of_the_hub_come_back_once_agreed(page: &Page) -> Result {
    let hub = Hub::start(0, false)?;
    hub.put_folder("test/tiny", &root().join("tests/data/bert"))?;
    hub.put_folder("test/other", &root().join("tests/data/electra"))?;
    let url = page.serve_beside(page.content_beside(&hub)?)?;
    page.goto(&format!(
        "{url}?view=compare&model=minilm-l6&models=model:minilm-l6;hf:test/tiny@main,left-out;hf:test/other,performance:80"
    ))?;
    let message =
        page.message_with("To compare, this link also asks to fetch test/tiny@main from")?;
    assert!(
        message.contains("test/other") && message.contains(&hub.origin()),
        "{message}"
    );
    page.model("minilm-l6")?;
    page.seen_at_rest()?;
    assert_eq!(hub.take_log().len(), 0, "fetched without being asked to");
    page.click("#message .primary")?;
    page.wait_until("document.querySelectorAll('.multiple[data-state=ready]').length === 2")?;
    page.wait_until("/test.tiny/.test(document.querySelector('.left-out')?.textContent)")?;
    page.wait_until(
        "document.querySelector(\"[data-performance='test/other'] input\")?.value === '80'",
    )?;
    // Models opened beside the first one leave it in front.
    assert_eq!(page.current_model()?, "minilm-l6");
    let badges =
        "[...document.querySelectorAll('.multiple .badge')].map(e => e.textContent).join(' ')";
    assert_eq!(page.eval(badges)?, json!("1 3"));
    let link = page.copied_link()?;
    assert!(
        link.contains("hf:test/tiny@main,left-out;hf:test/other,performance:80")
            || link.contains("hf:test/tiny%40main,left-out;hf:test/other,performance:80"),
        "{link}"
    );
    Ok(())
}

/// The link of a long run stays short, and says what it omits.
fn a_run_longer_than_a_link_says_so(page: &Page) -> Result {
    const COUNT: usize = 40;
    let folder = format!(
        "diagonal-long-{}-{}",
        page.engine.name(),
        std::process::id()
    );
    let folder = std::env::temp_dir().join(folder);
    fs::create_dir_all(&folder)?;
    let files: Vec<PathBuf> = (0..COUNT)
        .map(|step| folder.join(format!("checkpoint-{step}.safetensors")))
        .collect();
    for (step, file) in files.iter().enumerate() {
        let table = browser::test_files::table(8, 4, |i, j| (i * 4 + j + step) as f32);
        fs::write(file, table)?;
    }
    page.open("?view=training&model=sinusoidal")?;
    open_all(page, &files)?;
    page.wait_until(&format!(
        "document.querySelectorAll('[data-snapshot]').length === {COUNT}"
    ))?;
    page.wait_until("/more-models=9/.test(location.search)")?;
    let link = page.copied_link()?;
    page.message_with("9 of the open ones")?;
    assert!(link.len() < 6000, "{} bytes", link.len());
    // The first and the last in order of arrival, which differs from the order of names.
    let came: Vec<String> = serde_json::from_value(page.eval(
        "[...document.querySelectorAll('[data-model]')].map(e => e.dataset.model).filter(name => name.startsWith('checkpoint-'))",
    )?)?;
    assert_eq!(came.len(), COUNT);
    for name in [&came[0], &came[COUNT - 1]] {
        assert!(link.contains(&format!("{name}.safetensors")), "{link}");
    }
    page.goto("about:blank")?;
    page.goto(&link)?;
    page.message_with("9 more models were open than a link can name")?;
    fs::remove_dir_all(folder)?;
    Ok(())
}
