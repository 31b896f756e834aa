//! Measures the page's speed, memory and size: `cargo xtask bench`. Headless Chromium, release build.
//!
//! A time begins when the page receives the event. It ends when the frame with the answer has been handed to the
//! screen: the last figure is painted, and a message posted from that frame's animation callback has arrived.

use std::fs;
use std::time::Duration;

use browser::hub::{Content, Hub};
use browser::memory::Renderer;
use browser::recorder::{RECORDER, print_samples, samples};
use browser::{Engine, Page, Result};
use lesson_format::Lesson;
use serde_json::json;
use xtask::lessons::sources;
use xtask::minilm::minilm;
use xtask::root;
use xtask::server::Server;
use xtask::sizes::Sizes;

const MOVES: u32 = 200;
const OPENINGS: u32 = 12;

type Measure = fn(&Page) -> Result;

/// Measurements that can be run alone, by name.
const PARTS: [(&str, Measure); 17] = [
    ("first", browser::first_visit::measure),
    ("kernels", kernels),
    ("drafts", drafts),
    ("encodings", schemes),
    ("fits", fits),
    ("openings", openings),
    ("large", large_file),
    ("remote", far_away),
    ("many", many_models),
    ("toeplitz", browser::toeplitz_race::race),
    ("waves", browser::wave_race::race),
    ("images", images),
    ("heads", browser::head_times::measure),
    ("rotary", rotary),
    ("texts", browser::text_times::measure),
    ("training", browser::training_times::measure),
    ("lessons", lessons),
];

fn main() -> Result {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    if let [first, options @ ..] = wanted.as_slice()
        && first == "peers"
    {
        return browser::peers::race(options);
    }
    if let Some(other) = wanted
        .iter()
        .find(|name| PARTS.iter().all(|(part, _)| part != name))
    {
        let parts = PARTS.map(|(part, _)| part).join(" ");
        return Err(format!("no part {other} to measure; there are {parts}").into());
    }
    let page = Page::start_plain(Engine::Chromium, &Engine::Chromium.programs()?)?;
    page.resize(1440, 900)?;
    println!("{:<58}{:>10}{:>10}{:>10}", "", "median", "p95", "goal");
    for (part, measure) in PARTS {
        if wanted.is_empty() || wanted.iter().any(|name| name == part) {
            measure(&page)?;
        }
    }
    println!("\n{}", Sizes::of(&browser::page::dist())?);
    Ok(())
}

/// A slider of the kernels view, at several lengths.
fn kernels(page: &Page) -> Result {
    const ALONE: [&str; 3] = ["kernel-function", "kernel-matrix", "kernel-attention"];
    const BESIDE: [&str; 5] = [
        "kernel-function",
        "kernel-matrix",
        "kernel-attention",
        "added-scores",
        "added-attention",
    ];
    for (length, goal) in [(512, 16.0), (4096, 33.0), (16_384, 33.0)] {
        let address = format!("?view=kernels&model=sinusoidal&n={length}");
        let what = format!("slider to painted frame, three figures, n = {length}");
        slider(page, &address, &ALONE, &what, goal)?;
    }
    let address = "?view=kernels&model=minilm-l6&layer=1&head=1&added=head";
    let what = "slider to painted frame, beside a head, n = 512";
    slider(page, address, &BESIDE, what, 16.0)
}

/// Moves a slider beside a head of 4096 positions, whose attention with content is drafted during the drag.
fn drafts(page: &Page) -> Result {
    const FIGURE: &str = "added-attention";
    const SLIDER: &str = "centre c, kernel 1";
    const TURNS: u32 = 12;
    let folder = root().join("target/bench");
    fs::create_dir_all(&folder)?;
    let path = folder.join("bert-4096.safetensors");
    // Embeddings and the first layer come first in the file; only they are written.
    Content::bert_with(64, 4096).write_sparse(&path, 64 << 20)?;
    page.load("?view=kernels&model=sinusoidal&added=head&kernels=3:0.01:0&n=4096")?;
    page.open_files(&[&path])?;
    page.wait_until_within(
        "/4096 × 768/.test(document.querySelector('[data-model][aria-current]')?.textContent)",
        Duration::from_secs(60),
    )?;
    page.figure(FIGURE)?;
    drag(page, SLIDER, &[FIGURE])?;
    let what = "slider to painted draft, beside a head, n = 4096";
    print_samples(what, &samples(page, "samples")?, "ms", 16.0);
    page.figure(FIGURE)?;
    let whole = format!("document.querySelector('#{FIGURE}[data-state=ready]')");
    page.script(RECORDER, vec![json!("pointerup"), json!(whole)])?;
    for turn in 0..TURNS {
        // Never the same value twice: cached answers take no time.
        pull(page, SLIDER, 8, 0.2 + 0.02 * f64::from(turn))?;
        page.wait_until(&format!("samples.length > {turn}"))?;
    }
    let what = "slider let go to the whole attention, n = 4096";
    print_samples(what, &samples(page, "samples")?, "ms", 150.0);
    Ok(fs::remove_file(path)?)
}

/// Moves a head of nine over an image in colour until the heads, the filtered image and the attention maps are painted.
fn images(page: &Page) -> Result {
    const FIGURES: [&str; 3] = ["gaussian-heads", "filtered-image", "query-attention"];
    for (side, goal) in [(64, 33.0), (224, 250.0)] {
        let address =
            format!("?view=images&model=sinusoidal&side={side}&filter=edges&alpha=1&gaussian=5");
        page.open(&address)?;
        for figure in FIGURES {
            page.figure(figure)?;
        }
        drag(page, "Δx of the head", &FIGURES)?;
        let what = format!("a head moved to painted frame, 9 heads, {side} × {side}");
        print_samples(&what, &samples(page, "samples")?, "ms", goal);
    }
    Ok(())
}

/// Heads, wavelengths and blocks of rotary models, then the sliders of the angles of a configuration alone.
fn rotary(page: &Page) -> Result {
    const FIGURE: &str = "rotary-angles";
    let config = browser::rotary_times::measure(page)?;
    page.load("?view=positions&model=sinusoidal")?;
    page.open_files(&[&config])?;
    page.figure(FIGURE)?;
    for name in [
        "factor of the change for longer texts",
        "base of the angles",
    ] {
        drag(page, name, &[FIGURE])?;
        let what = format!("{name} to painted frame, 64 pairs");
        print_samples(&what, &samples(page, "samples")?, "ms", 16.0);
    }
    Ok(fs::remove_dir_all(root().join("target/bench"))?)
}

/// Goes through every step of every lesson until its highlighted figures are painted, and times the first paint of an
/// embedded figure.
fn lessons(page: &Page) -> Result {
    // The highlighted figures of the step with index `window.next` are ready.
    const SHOWN: &str = "(() => { const place = document.querySelector('.lesson .place').textContent, lit = window.lit[window.next];\
         return place.startsWith(`${window.next + 1} of `) && lit.every(id => document.querySelector(`#${id}[data-lit][data-state=ready]`)); })()";
    let mut all = Vec::new();
    for (id, path) in sources()? {
        let lesson = Lesson::parse(&fs::read_to_string(path)?)?;
        let lit: Vec<_> = lesson.steps.iter().map(|step| &step.light).collect();
        page.open(&format!("?lesson={id}"))?;
        page.script(
            "window.lit = arguments[0]; window.next = 0",
            vec![json!(lit)],
        )?;
        page.wait_until(SHOWN)?;
        page.script(RECORDER, vec![json!("click"), json!(SHOWN)])?;
        for step in 1..lesson.steps.len() {
            page.script(
                "window.next = arguments[0];\
                 document.querySelector('.lesson [aria-label=\"Next step\"]').click()",
                vec![json!(step)],
            )?;
            page.wait_until_within(
                &format!("window.samples.length === {step}"),
                Duration::from_secs(60),
            )?;
            // A reader takes at least this long; meanwhile the page prefetches the next step.
            std::thread::sleep(Duration::from_millis(2000));
        }
        let of_lesson = samples(page, "samples")?;
        print_samples(
            &format!("a step to its figures, {id}"),
            &of_lesson,
            "ms",
            150.0,
        );
        all.extend(of_lesson);
    }
    print_samples("a step to its figures, every lesson", &all, "ms", 150.0);
    let mut first = [Vec::new(), Vec::new()];
    for _ in 0..OPENINGS {
        for (times, query) in first.iter_mut().zip(["?", "?embed=position-matrix"]) {
            page.open(query)?;
            times.push(page.painted_at("position-matrix")?);
        }
    }
    let [page_alone, embedded] = first;
    print_samples("the page's first figure", &page_alone, "ms", 1000.0);
    print_samples("the same, embedded", &embedded, "ms", 1000.0);
    Ok(())
}

/// Drags a slider of the kernels view until the figures that it moves are painted.
fn slider(page: &Page, address: &str, figures: &[&str], what: &str, goal: f64) -> Result {
    page.open(address)?;
    for figure in figures {
        page.figure(figure)?;
    }
    drag(page, "centre c, kernel 1", figures)?;
    print_samples(what, &samples(page, "samples")?, "ms", goal);
    let what = "… of that until the last figure is drawn";
    print_samples(what, &samples(page, "drawn")?, "ms", goal);
    Ok(())
}

/// Fits kernels to the preset's heads, and has scipy fit some of them with as many starts.
fn fits(page: &Page) -> Result {
    const STATUS: &str = "document.querySelector('.fit [role=status]').textContent";
    const BUTTON: &str =
        "[...document.querySelectorAll('.fit button')].find(b => b.textContent === 'Fit head')";
    const HEAD: &str = "[...document.querySelectorAll('.fit label.choice')]\
                        .find(l => l.textContent.startsWith('Head')).querySelector('select')";
    const HEADS: u32 = 12;
    // Resumes as soon as the answer is shown; a timer would be up to four milliseconds late.
    let until_shown = |head: u32| {
        format!(
            "while (!/head {head}: R²/.test({STATUS})) await new Promise(done => {{ const c = new MessageChannel();\
               c.port1.onmessage = done; c.port2.postMessage(0); }});"
        )
    };
    let ask = |action: String, head: u32| -> Result<f64> {
        let wait = until_shown(head);
        let timed = format!(
            "(async () => {{ const begun = performance.now(); {action}; {wait} return performance.now() - begun; }})()"
        );
        Ok(page.eval_async(&timed)?.as_f64().unwrap_or(f64::NAN))
    };
    let (mut presses, mut choices) = (Vec::new(), Vec::new());
    for head in 1..=HEADS {
        page.open(&format!(
            "?view=kernels&model=minilm-l6&layer=1&head={head}&n=64&added=alone"
        ))?;
        page.model("minilm-l6")?;
        page.figure("kernel-attention")?;
        // A person takes at least this long to find the button.
        std::thread::sleep(Duration::from_secs(1));
        presses.push(ask(format!("{BUTTON}.click()"), head)?);
    }
    // From here on the page fits the open head by itself: choosing another head asks for its scores and its fit.
    for layer in 2..=3 {
        page.open(&format!(
            "?view=kernels&model=minilm-l6&layer={layer}&head={HEADS}&fit=head.5&n=64&added=alone"
        ))?;
        page.wait_until(&format!("/head {HEADS}: R²/.test({STATUS})"))?;
        for head in 1..=HEADS {
            let choose = format!(
                "const s = {HEAD}; s.value = s.options[{}].value; s.dispatchEvent(new Event('change', {{ bubbles: true }}))",
                head - 1
            );
            choices.push(ask(choose, head)?);
        }
    }
    let what = "press to R² of the open head's fit, S = 5, n = 512";
    print_samples(what, &presses, "ms", 30.0);
    let what = "another head chosen to R² of its fit, S = 5, n = 512";
    print_samples(what, &choices, "ms", 30.0);
    let totals = browser::fit_race::all_heads(page, 3)?;
    print_samples("press to all 72 heads fitted, S = 5", &totals, "ms", 2000.0);
    browser::fit_race::race(3).map(drop)
}

/// Redraws every encoding scheme at n = 4096 for other values of the base.
fn schemes(page: &Page) -> Result {
    for (what, arranged) in [("base", "all"), ("base, overlaid", "all;together")] {
        page.open(&format!(
            "?view=encodings&model=sinusoidal&encodings=n:4096;{arranged}"
        ))?;
        page.figure("encoding-profile")?;
        drag(page, "base of the frequencies", &["encoding-profile"])?;
        let what = format!("{what} to every scheme painted, n = 4096");
        print_samples(&what, &samples(page, "samples")?, "ms", 16.0);
        let drawn = samples(page, "drawn")?;
        print_samples("… of that until the figure is drawn", &drawn, "ms", 16.0);
    }
    Ok(())
}

/// Drags a slider like a mouse, one move per sample, until the figures are painted.
fn drag(page: &Page, name: &str, figures: &[&str]) -> Result {
    let painted: Vec<String> = figures
        .iter()
        .map(|id| format!("performance.getEntriesByName('diagonal:painted:{id}').length > 0"))
        .collect();
    page.script(RECORDER, vec![json!("input"), json!(painted.join(" && "))])?;
    pull(page, name, MOVES, 0.2)
}

/// Pulls a slider in `moves` moves, starting at a share of its width, towards its end and back, and releases it.
fn pull(page: &Page, name: &str, moves: u32, from: f64) -> Result {
    let slider = format!("input[type='range'][aria-label='{name}']");
    let body = "const slider = document.querySelector(arguments[0]); slider.scrollIntoView({ block: 'center' });\
                const box = slider.getBoundingClientRect(); return [box.left, box.top + box.height / 2, box.width]";
    let place: Vec<f64> = serde_json::from_value(page.script(body, vec![json!(slider)])?)?;
    let &[left, y, width] = place.as_slice() else {
        return Err("the slider has no place".into());
    };
    let mouse = |kind: &str, share: f64| {
        let event = json!({ "type": kind, "x": left + width * share, "y": y, "button": "left", "buttons": 1, "clickCount": 1 });
        page.devtools("Input.dispatchMouseEvent", event)
    };
    mouse("mousePressed", from)?;
    for step in 0..moves {
        // There and back again, never twice the same value.
        let share = f64::from(step) / f64::from(moves);
        mouse("mouseMoved", from + 0.6 * (1.0 - (2.0 * share - 1.0).abs()))?;
        std::thread::sleep(Duration::from_millis(30));
    }
    mouse("mouseReleased", 0.5).map(drop)
}

/// Opens the real checkpoint repeatedly: time to the position matrix, then to all heads.
fn openings(page: &Page) -> Result {
    let Some(files) = minilm() else {
        println!("opening a checkpoint: not measured, the real one is not to be had");
        return Ok(());
    };
    const TABLE: &str = "Math.abs(parseFloat(document.querySelector(\"[data-r2='whole']\")?.textContent) - 0.4742) < 1e-3";
    const HEADS: &str = "[...document.querySelectorAll('button[data-head]')]\
                         .filter(b => /R² -?[0-9]/.test(b.getAttribute('aria-label'))).length === 72";
    let renderer = Renderer::of(page)?;
    let megabytes = fs::metadata(&files.model)?.len() as f64 / 1e6;
    for (view, figure, condition, goal) in [
        ("positions", "position-matrix", TABLE, 300.0),
        ("heads", "head-grid", HEADS, 1500.0),
    ] {
        let painted = format!(
            "performance.getEntriesByName('diagonal:painted:{figure}').length > 0 && {condition}"
        );
        let (mut times, mut memory) = (Vec::new(), Vec::new());
        for _ in 0..OPENINGS {
            page.load(&format!("?view={view}&model=sinusoidal"))?;
            page.script(RECORDER, vec![json!("change"), json!(painted)])?;
            let before = renderer.settle(page)?;
            page.open_files(&[&files.model, &files.config])?;
            page.wait_until("samples.length > 0")?;
            memory.push(renderer.peak()? - before);
            times.extend(samples(page, "samples")?);
        }
        print_samples(
            &format!("checkpoint of {megabytes:.1} MB to {figure}"),
            &times,
            "ms",
            goal,
        );
        print_samples(
            &format!("… memory added at the peak, {figure}"),
            &memory,
            "MB",
            64.0,
        );
        println!("{:<58}{:>10}", "… the meter", page.text("#meter")?);
    }
    Ok(())
}

/// Opens a sparse file of 6.5 GB with the names of BERT; only its beginning is written.
fn large_file(page: &Page) -> Result {
    let folder = root().join("target/bench");
    fs::create_dir_all(&folder)?;
    let path = folder.join("bert-large-vocabulary.safetensors");
    Content::bert(2_000_000).write_sparse(&path, 8 << 20)?;
    let condition = "/512 × 768/.test(document.querySelector('[data-model][aria-current]')?.textContent) && \
                 performance.getEntriesByName('diagonal:painted:position-matrix').length > 0";
    let mut times = Vec::new();
    for _ in 0..OPENINGS {
        page.load("?model=sinusoidal")?;
        page.script(RECORDER, vec![json!("change"), json!(condition)])?;
        page.open_files(&[&path])?;
        page.wait_until("samples.length > 0")?;
        times.extend(samples(page, "samples")?);
    }
    print_samples("file of 6.5 GB to position-matrix", &times, "ms", 500.0);
    println!(
        "{:<58}{:>10}",
        "… the meter (goal 2 MB)",
        page.text("#meter")?
    );
    fs::remove_file(path)?;
    Ok(())
}

/// Opens a file of BERT-base's size by name from a server with 20 ms latency: time to the position matrix, then to all
/// heads.
fn far_away(page: &Page) -> Result {
    let hub = Hub::start(0, false)?;
    hub.set_latency(Duration::from_millis(20));
    hub.put("org/base", "model.safetensors", Content::bert(30_522));
    hub.put("org/base", "config.json", Content::bert_config());
    let server = Server::start(page.content_beside(&hub)?, 0)?;
    page.goto(&format!("{}?model=sinusoidal", server.url()))?;
    page.wait_until("!!document.querySelector('#from-web')")?;
    page.fill("#from-web", "org/base")?;
    page.script(
        RECORDER,
        vec![
            json!("submit"),
            json!("/512 × 768/.test(document.querySelector('[data-model][aria-current]')?.textContent)"),
        ],
    )?;
    page.click(".from-web button")?;
    page.wait_until("samples.length > 0")?;
    page.figure("position-matrix")?;
    if let [time] = samples(page, "samples")?[..] {
        println!("{:<58}{time:>10.1} ms", "by name over 20 ms to the model");
    }
    traffic("… (goals 6 requests, 2.5 MB)", &hub);
    page.view("heads")?;
    page.wait_until_within(
        "[...document.querySelectorAll('button[data-head]')].filter(b => /R² -?[0-9]/.test(b.getAttribute('aria-label'))).length === 144",
        Duration::from_secs(120),
    )?;
    traffic("… then to all 144 heads (goal 60 MB in all)", &hub);
    Ok(())
}

/// Prints the requests and megabytes of a server since the last call. Redirects are not counted as requests.
fn traffic(what: &str, hub: &Hub) {
    let log = hub.take_log();
    let requests = log.iter().filter(|request| request.status != 302).count();
    let megabytes = log.iter().map(|request| request.sent).sum::<u64>() as f64 / 1e6;
    println!("{what:<58}{requests:>4} requests, {megabytes:.2} MB");
}

/// Moves the pointer over one of 24 models side by side.
fn many_models(page: &Page) -> Result {
    const MODELS: u64 = 24;
    let folder = root().join("target/bench/models");
    fs::create_dir_all(&folder)?;
    let paths: Vec<_> = (0..MODELS)
        .map(|n| folder.join(format!("model-{n:02}.safetensors")))
        .collect();
    for path in &paths {
        Content::bert(64).write_sparse(path, 4 << 20)?;
    }
    page.load("?view=compare&model=sinusoidal")?;
    let files: Vec<_> = paths.iter().map(|path| path.as_path()).collect();
    page.open_files(&files)?;
    let painted = "[...document.querySelectorAll('figure[data-figure=position-matrix]')].filter(f => f.dataset.state === 'ready').length";
    page.wait_until_within(&format!("{painted} >= {MODELS}"), Duration::from_secs(60))?;
    let body = "const figure = document.querySelector('figure[data-figure=position-matrix] .figure-view');\
                const box = figure.getBoundingClientRect(); return [box.left, box.top, box.width, box.height]";
    let place: Vec<f64> = serde_json::from_value(page.script(body, vec![])?)?;
    let &[left, top, width, height] = place.as_slice() else {
        return Err("the matrix has no place".into());
    };
    page.script(RECORDER, vec![json!("pointermove"), json!("true")])?;
    for step in 0..MOVES {
        let share = 0.1 + 0.8 * f64::from(step) / f64::from(MOVES);
        let event =
            json!({ "type": "mouseMoved", "x": left + width * share, "y": top + height * 0.5 });
        page.devtools("Input.dispatchMouseEvent", event)?;
        std::thread::sleep(Duration::from_millis(30));
    }
    print_samples(
        "cursor over one of 24 models to painted frame",
        &samples(page, "samples")?,
        "ms",
        16.0,
    );
    fs::remove_dir_all(folder)?;
    Ok(())
}
