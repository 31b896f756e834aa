//! A copied link restores what is seen: rich states of every view are copied, opened in a page that knows nothing of
//! them, and compared: every figure by its pixels, its caption and its summary, every field, switch and fold.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use browser::hub::Hub;
use browser::{Page, Result, in_every_engine};
use serde_json::{Value, json};
use xtask::root;
use xtask::server::Server;

in_every_engine!(
    positions_and_heads_come_back,
    kernels_come_back,
    encodings_come_back,
    compared_models_come_back,
    files_of_a_run_are_asked_for_and_take_their_places,
    models_of_the_hub_come_back_once_agreed,
    a_run_longer_than_a_link_says_so
);

/// What a visitor does.
#[derive(Clone, Copy)]
enum Do {
    /// Presses what a selector finds.
    Press(&'static str),
    /// Presses one of the options of a group by its name.
    Choose(&'static str, &'static str),
    /// Chooses from the list of that name.
    Select(&'static str, &'static str),
    /// Types into a field.
    Type(&'static str, &'static str),
    /// Pulls a slider to a position.
    Pull(&'static str, &'static str),
    /// Waits until an expression holds.
    Wait(&'static str),
}
use Do::{Choose, Press, Pull, Select, Type, Wait};

/// Everything that is seen, as text; pictures by a hash of their pixels. What the pointer adds is left out.
const SEEN: &str = "(() => {\
  const hash = canvas => {\
    if (!canvas.width || !canvas.height) return 0;\
    const pixels = new Uint32Array(canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.buffer);\
    let hash = 2166136261;\
    for (const pixel of pixels) hash = Math.imul(hash ^ pixel, 16777619);\
    return `${canvas.width}×${canvas.height} ${hash >>> 0}`;\
  };\
  const all = (css, of) => [...document.querySelectorAll(css)].map(of);\
  const figures = all('main figure[data-figure]', figure => [\
    figure.dataset.figure, figure.dataset.model ?? '', figure.dataset.state,\
    figure.querySelector('.caption')?.textContent ?? '', figure.querySelector('.summary')?.textContent ?? '',\
    figure.querySelector('.numbers table')?.textContent ?? '',\
    [...figure.querySelectorAll('canvas.picture')].map(hash).join(' ')].join(' | '));\
  const fields = all('main input:not([type=file]), main select, .details input, .details select',\
    field => `${field.getAttribute('aria-label') ?? ''} ${field.type === 'checkbox' ? field.checked : field.value}`);\
  const pressed = all('main [aria-pressed=true], main [aria-expanded=true], main [aria-current]',\
    e => e.getAttribute('aria-label') ?? e.textContent);\
  const unfolded = all('details', details => `${details.id || details.className} ${details.open}`);\
  const said = all('.snapshot, .multiple h3, .multiple .badge, .left-out label, .performance .name, .words, .effect, .beside',\
    e => e.textContent);\
  return { open: document.querySelector('[data-model][aria-current]')?.dataset.model ?? '', figures, fields, pressed, unfolded, said };\
})()";

/// Whether nothing more is to come.
const RESTS: &str = "(() => {\
  const figures = [...document.querySelectorAll('main figure[data-figure]')];\
  return document.documentElement.dataset.ready === 'true' && figures.length > 0\
    && !figures.some(figure => ['partial', 'earlier'].includes(figure.dataset.state))\
    && !/Computing …|Fetching|fetching …/.test(document.body.innerText);\
})()";

/// Waits until what is seen rests, and gives it.
fn seen_at_rest(page: &Page) -> Result<Value> {
    let mut before = Value::Null;
    for _ in 0..100 {
        page.wait_until(RESTS)?;
        let now = page.eval(SEEN)?;
        if now == before {
            return Ok(now);
        }
        before = now;
        // Longer than the address takes to follow.
        std::thread::sleep(Duration::from_millis(300));
    }
    Err("what is seen never rests".into())
}

fn act(page: &Page, what: Do) -> Result {
    let there = |css: &str| {
        page.wait_until(&format!("!!document.querySelector({})", json!(css)))
            .map(drop)
    };
    let enter = |css: &str, value: &str, event: &str| {
        there(css)?;
        let body = "const field = document.querySelector(arguments[0]); field.value = arguments[1];\
                    for (const name of arguments[2].split(' ')) field.dispatchEvent(new Event(name, { bubbles: true }))";
        page.script(body, vec![json!(css), json!(value), json!(event)])
            .map(drop)
    };
    match what {
        Press(css) => {
            there(css)?;
            page.script(
                "document.querySelector(arguments[0]).click()",
                vec![json!(css)],
            )
            .map(drop)
        }
        Choose(group, option) => {
            let button = format!(
                "[...document.querySelectorAll(\"[role=group][aria-label='{group}'] button\")].find(b => b.textContent.trim() === {})",
                json!(option)
            );
            page.wait_until(&format!("!!{button}"))?;
            page.script(&format!("{button}.click()"), Vec::new())
                .map(drop)
        }
        Select(label, option) => {
            let list = format!(
                "[...document.querySelectorAll('main label.choice')].find(l => l.querySelector('span').textContent === {})?.querySelector('select')",
                json!(label)
            );
            page.wait_until(&format!("!!{list}"))?;
            page.script(
                &format!("const list = {list}; list.value = [...list.options].find(o => o.textContent === {}).value;\
                          list.dispatchEvent(new Event('change', {{ bubbles: true }}))", json!(option)),
                Vec::new(),
            )
            .map(drop)
        }
        Type(css, text) => enter(css, text, "input change"),
        Pull(css, position) => enter(css, position, "input"),
        Wait(expression) => page.wait_until(expression).map(drop),
    }
}

/// Copies the link of what is shown, opens it in a page that begins anew, and sees the same.
fn copied_and_opened(page: &Page, what: &str) -> Result<String> {
    let before = seen_at_rest(page).map_err(|error| format!("{what}: {error}"))?;
    let link = copied(page)?;
    page.goto("about:blank")?;
    page.goto(&link)?;
    same_is_seen(page, &before).map_err(|error| format!("{what}: {link}: {error}"))?;
    // What was opened is a link to itself.
    assert_eq!(copied(page)?, link, "{what}");
    let said = page.eval("document.querySelector('#message').textContent")?;
    let said = said.as_str().unwrap_or_default();
    assert!(!said.contains("understood"), "{what}: {said}");
    Ok(link)
}

fn copied(page: &Page) -> Result<String> {
    page.script(
        "document.querySelector(\".top button[aria-label='Copy link']\").click()",
        Vec::new(),
    )?;
    let link = page.wait_until("window.probe.copied.shift()")?;
    Ok(link.as_str().ok_or("no link")?.to_owned())
}

/// Waits until the same is seen as before, or says what differs.
fn same_is_seen(page: &Page, before: &Value) -> Result {
    let start = std::time::Instant::now();
    loop {
        let now = page.eval(&format!("{RESTS} ? {SEEN} : null"))?;
        if now == *before {
            return Ok(());
        }
        if start.elapsed() > browser::session::PATIENCE {
            return Err(difference(before, &page.eval(SEEN)?).into());
        }
        std::thread::sleep(Duration::from_millis(60));
    }
}

/// The first things that differ.
fn difference(before: &Value, now: &Value) -> String {
    let mut found = Vec::new();
    for (key, wanted) in before.as_object().into_iter().flatten() {
        let seen = &now[key];
        match (wanted.as_array(), seen.as_array()) {
            (Some(wanted), Some(seen)) if wanted.len() == seen.len() => {
                let pairs = wanted.iter().zip(seen).filter(|(a, b)| a != b);
                found.extend(pairs.map(|(a, b)| format!("{key}: {b} instead of {a}")));
            }
            _ if wanted != seen => found.push(format!("{key}: {seen} instead of {wanted}")),
            _ => {}
        }
    }
    found.truncate(4);
    found.join("\n    ")
}

/// A state: where one begins, and what one does there.
type State = (&'static str, &'static str, &'static [Do]);

fn come_back(page: &Page, states: &[State]) -> Result {
    for (what, query, done) in states {
        page.load(query)?;
        for one in *done {
            act(page, *one).map_err(|error| format!("{what}: {error}"))?;
        }
        copied_and_opened(page, what)?;
    }
    Ok(())
}

fn positions_and_heads_come_back(page: &Page) -> Result {
    come_back(
        page,
        &[
            (
                "the residual of cosines",
                "",
                &[
                    Choose("Similarity", "cosine"),
                    Choose("Part", "residual"),
                    Choose("Zoom", "+"),
                    Choose("Offsets", "all offsets"),
                    Select("Range", "all values"),
                    Press("#offset-profile .numbers summary"),
                ],
            ),
            (
                "a random table from other numbers",
                "?model=random",
                &[
                    Type("input[aria-label='rows n']", "96"),
                    Type("input[aria-label='seed']", "7"),
                    Wait(
                        "document.querySelector('[data-model=random]').textContent.includes('96 ×')",
                    ),
                    Press("#toeplitz-scores .numbers summary"),
                    Press("#position-table .numbers summary"),
                ],
            ),
            (
                "what was done to a model, and what that does",
                "?model=minilm-l6",
                &[
                    Press("#notes"),
                    Press("#effects"),
                    Wait("/with, .* without/.test(document.querySelector('.notes')?.textContent)"),
                ],
            ),
            (
                "heads as computed, by R²",
                "?view=heads&model=minilm-l6",
                &[
                    Choose("Scores", "as computed"),
                    Choose("Order", "by R²"),
                    Press("button[data-head='2-5']"),
                    Press("#head-sections .numbers summary"),
                    Choose("Zoom", "+"),
                ],
            ),
            (
                "a head that looks back",
                "?view=heads&model=minilm-l6",
                &[
                    Press("button[data-head='3-7']"),
                    Choose("Cells", "causal j ≤ i"),
                    Select("Colours", "Viridis"),
                ],
            ),
        ],
    )
}

fn kernels_come_back(page: &Page) -> Result {
    come_back(
        page,
        &[
            (
                "kernels that were pulled, muted and typed",
                "?view=kernels",
                &[
                    Pull("input[type=range][aria-label='centre c, kernel 1']", "-12"),
                    Type("input[aria-label='amplitude a, kernel 2, exact']", "0.125"),
                    Press("button[aria-label='Mute kernel 3']"),
                    Type("input[aria-label='length n, exact']", "200"),
                    Choose("Offsets", "all offsets"),
                ],
            ),
            (
                "a fit",
                "?view=kernels&model=minilm-l6&layer=1&head=3",
                &[
                    Choose("Kernels are", "never negative"),
                    Select("Kernels", "2"),
                    Press(".fit .primary"),
                    Wait("document.querySelectorAll('ul.kernels > li').length === 2"),
                    Wait("!!document.querySelector('#kernel-fit[data-state=ready]')"),
                    Press("#kernel-fit .segmented button:last-child"),
                    Choose("Colours of attention", "each its own"),
                    Press("#fit-curve .numbers summary"),
                ],
            ),
            (
                "the first layer",
                "?view=kernels&model=minilm-l6&n=32",
                &[
                    Press("#first-layer summary"),
                    Type("#first-layer input[type=text]", "2023 2003 1037 2000"),
                ],
            ),
            (
                "a first layer that was folded again, and what is taken home",
                "?view=kernels&model=minilm-l6&n=32&words=2023",
                &[
                    Wait("document.querySelector('#first-layer')?.open"),
                    Press("#first-layer summary"),
                    Type(".take-home .prefix input", "encoder.tisa."),
                    Choose("Size of", "typed in"),
                    Type("input[aria-label='layers L']", "24"),
                ],
            ),
        ],
    )
}

fn encodings_come_back(page: &Page) -> Result {
    come_back(
        page,
        &[
            (
                "schemes over one another",
                "?view=encodings",
                &[
                    Press("[data-scheme=t5]"),
                    Press("button[aria-controls=scheme-rotary]"),
                    Choose("Rotary scaling", "NTK"),
                    Choose("Arrangement", "over one another"),
                    Choose("Offsets", "all offsets"),
                    Choose("Untrained tables hold", "noise"),
                ],
            ),
            (
                "a criterion with its sliders",
                "?view=encodings",
                &[
                    Press("[data-cell='tisa.inductive']"),
                    Pull("input[type=range][aria-label='asked for n']", "9.5"),
                    Type("input[aria-label='trained on n, exact']", "32"),
                ],
            ),
            (
                "a criterion after another one",
                "?view=encodings&cell=tisa.inductive:16:512",
                &[
                    Wait("!!document.querySelector('.knobs input')"),
                    Press("[data-cell='tisa.interpretable']"),
                    Type("input[aria-label='sharpness b, exact']", "0.5"),
                ],
            ),
            (
                "shuffled tokens",
                "?view=encodings",
                &[
                    Type(".tokens input", "Ein Hund, zwei; drei ~ & vier"),
                    Press("#permutation .controls > button"),
                    Press("#permutation .controls > button"),
                    Choose("Positions", "TISA kernels"),
                    Press("#permutation .numbers summary"),
                ],
            ),
            (
                "phasors and the lines of the open table",
                "?view=encodings&model=random",
                &[
                    Pull(
                        "input[type=range][aria-label='position i of the phasors']",
                        "77",
                    ),
                    Pull(
                        "input[type=range][aria-label='offset k of the phasors']",
                        "-9",
                    ),
                    Choose("Table", "open table"),
                ],
            ),
        ],
    )
}

fn compared_models_come_back(page: &Page) -> Result {
    come_back(
        page,
        &[
            (
                "profiles as they are, one left out",
                "?view=compare",
                &[
                    Press("[data-model=random]"),
                    Wait("document.querySelectorAll('.multiple').length === 2"),
                    Press("[data-model='minilm-l6']"),
                    Wait("document.querySelectorAll('.multiple').length === 3"),
                    Press("figure[data-model=random] input[type=checkbox]"),
                    Choose("Values", "as they are"),
                    Choose("Offsets", "all offsets"),
                ],
            ),
            (
                "performances, and whose heads were read",
                "?view=compare&model=minilm-l6",
                &[
                    Press("[data-model=sinusoidal]"),
                    Wait("document.querySelectorAll('.multiple').length === 2"),
                    Press("[data-model=random]"),
                    Wait("document.querySelectorAll('.multiple').length === 3"),
                    Type("[data-performance=random] input", "1.5"),
                    Type("[data-performance=sinusoidal] input", "2.25"),
                    Type("[data-performance='minilm-l6'] input", "82"),
                    Press("button[data-read='minilm-l6']"),
                    Choose("Order", "by R²"),
                    Choose("Range of colours", "each its own"),
                ],
            ),
            (
                "a table in the background, from other numbers",
                "?view=compare&model=random&seed=5&rows=64",
                &[
                    Wait("document.querySelectorAll('.multiple').length === 1"),
                    Press("[data-model='minilm-l6']"),
                    Wait("document.querySelectorAll('.multiple').length === 2"),
                    Press("#model-scores .numbers summary"),
                    Choose("Similarity", "cosine"),
                ],
            ),
        ],
    )?;
    // Another view shows one model and names one.
    page.view("positions")?;
    page.wait_until("!location.search.includes('models=')")?;
    page.view("compare")?;
    page.wait_until("location.search.includes('models=')")
        .map(drop)
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
    page.open("?view=training")?;
    open_all(page, &files)?;
    page.wait_until("document.querySelectorAll('[data-snapshot]').length === 4")?;
    act(
        page,
        Press("[data-snapshot='checkpoint-500.safetensors'] .snapshot"),
    )?;
    act(page, Press("#training-curves .numbers summary"))?;
    page.wait_until("!document.querySelector('.snapshots').textContent.includes('…')")?;
    let looked_at = seen_at_rest(page)?;
    let link = copied(page)?;
    assert!(link.contains("step=500"), "{link}");

    // Whoever opens it is asked for the files, by name and hash, and hands them over in any order.
    page.goto("about:blank")?;
    page.goto(&link)?;
    let asked = page.message_with("Open these here")?;
    for step in STEPS {
        assert!(
            asked.contains(&format!("checkpoint-{step}.safetensors")),
            "{asked}"
        );
    }
    page.wait_until("/wanted · [0-9a-f]{16}/.test(document.querySelector('.shelf').textContent)")?;
    assert_eq!(
        copied(page)?,
        link,
        "what is still to come stays in the link"
    );
    for file in [&files[3], &files[1]] {
        page.open_files(&[file])?;
    }
    page.wait_until("document.querySelectorAll('[data-snapshot]').length === 2")?;
    open_all(page, &[files[2].clone(), files[0].clone()])?;
    page.wait_until("document.querySelectorAll('[data-snapshot]').length === 4")?;
    same_is_seen(page, &looked_at)?;
    assert_eq!(copied(page)?, link);

    // In the other view they stand in the order of the link, with its numbers.
    page.view("compare")?;
    act(
        page,
        Press("figure[data-model='checkpoint-100.safetensors'] input[type=checkbox]"),
    )?;
    let compared = seen_at_rest(page)?;
    let link = copied(page)?;
    page.goto("about:blank")?;
    page.goto(&link)?;
    page.message_with("Open these here")?;
    // A file of that name with other numbers is another one, and is said to be.
    let other = std::env::temp_dir().join(format!(
        "diagonal-states-{}-{}",
        page.engine.name(),
        std::process::id()
    ));
    fs::create_dir_all(&other)?;
    let wrong = other.join("checkpoint-100.safetensors");
    fs::copy(&files[0], &wrong)?;
    page.open_files(&[&wrong])?;
    page.message_with("is not the file the link was made from")?;
    page.click("[data-model='checkpoint-100.safetensors 2'] + .close")?;
    for file in files.iter().rev() {
        page.open_files(&[file])?;
    }
    page.wait_until("[...document.querySelectorAll('.shelf [data-model^=checkpoint]')].every(e => !e.textContent.includes('wanted'))")?;
    page.choose("checkpoint-0.safetensors")?;
    fs::remove_dir_all(other)?;
    same_is_seen(page, &compared)
}

fn models_of_the_hub_come_back_once_agreed(page: &Page) -> Result {
    let hub = Hub::start(0, false)?;
    hub.put_folder("test/tiny", &root().join("tests/data/bert"))?;
    hub.put_folder("test/other", &root().join("tests/data/electra"))?;
    let server = Server::start(page.content_beside(&hub)?, 0)?;
    page.goto(&format!(
        "{}?view=compare&model=minilm-l6&models=model:minilm-l6;hf:test/tiny@main,left-out;hf:test/other,performance:80",
        server.url()
    ))?;
    let asked =
        page.message_with("To compare, this link also asks to fetch test/tiny@main from")?;
    assert!(
        asked.contains("test/other") && asked.contains(&hub.origin()),
        "{asked}"
    );
    page.model("minilm-l6")?;
    seen_at_rest(page)?;
    assert_eq!(hub.take_log().len(), 0, "fetched without being asked to");
    page.click("#message .primary")?;
    page.wait_until("document.querySelectorAll('.multiple[data-state=ready]').length === 2")?;
    page.wait_until("/test.tiny/.test(document.querySelector('.left-out')?.textContent)")?;
    page.wait_until(
        "document.querySelector(\"[data-performance='test/other'] input\")?.value === '80'",
    )?;
    // What was asked for beside the model in front leaves that where it is.
    assert_eq!(page.current_model()?, "minilm-l6");
    let badges =
        "[...document.querySelectorAll('.multiple .badge')].map(e => e.textContent).join(' ')";
    assert_eq!(page.eval(badges)?, json!("1 3"));
    let link = copied(page)?;
    assert!(
        link.contains("hf:test/tiny@main,left-out;hf:test/other,performance:80")
            || link.contains("hf:test/tiny%40main,left-out;hf:test/other,performance:80"),
        "{link}"
    );
    Ok(())
}

/// However long a run, its link is short, and says what it leaves out.
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
        let table = browser::made::table(8, 4, |i, j| (i * 4 + j + step) as f32);
        fs::write(file, table)?;
    }
    page.open("?view=training")?;
    open_all(page, &files)?;
    page.wait_until(&format!(
        "document.querySelectorAll('[data-snapshot]').length === {COUNT}"
    ))?;
    page.wait_until("/more-models=9/.test(location.search)")?;
    let link = copied(page)?;
    page.message_with("9 more are open")?;
    assert!(link.len() < 6000, "{} bytes", link.len());
    for step in [0, COUNT - 1] {
        assert!(
            link.contains(&format!("checkpoint-{step}.safetensors")),
            "{link}"
        );
    }
    page.goto("about:blank")?;
    page.goto(&link)?;
    page.message_with("9 more models were open than a link names")?;
    fs::remove_dir_all(folder)?;
    Ok(())
}
