//! The page's numbers beside those of other libraries, on the same arrays in the same run: `cargo xtask bench peers`.
//!
//! onnxruntime-web and TensorFlow.js are the alternatives in a browser; NumPy on one thread is the reference outside. A
//! time counts only if the answers agree. Work that only the page does (whole models, fits, repainting) is measured in
//! the page itself.

mod numpy;
mod picture;
mod report;

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};
use xtask::browsers::Engine;
use xtask::server::Server;
use xtask::{Result, npm, root};

use crate::hub::Content;
use crate::recorder::{RECORDER, samples};
use crate::{Page, race_module};
use numpy::{ask_numpy, numpy};
use report::{Report, Row};

/// Columns of the tables that are multiplied.
const WIDTH: usize = 768;
/// Heads whose attention is computed, and columns of each.
const HEADS: (usize, usize) = (12, 64);
/// Runs of each; the median counts.
const RUNS: usize = 5;
/// Largest difference between answers, as a share of the largest number.
const APART: f64 = 1e-4;
/// Work that is expected to take longer, in milliseconds, is skipped.
const TOO_LONG: f64 = 30_000.0;
/// The page whose worker races: the page itself stays responsive to the driver during a race.
const PAGE: &str = "<!doctype html><meta charset=\"utf-8\"><title>Peers</title><script>\
                    const worker = new Worker('peers.js');\
                    const ask = (...question) => {\
                      window.answer = null;\
                      worker.onmessage = ({ data }) => { window.answer = data; };\
                      worker.onerror = ({ message }) => { window.answer = { error: message }; };\
                      worker.postMessage(question);\
                    };</script>";

/// The competitors. The names are those in `peers.js` and in the history.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Racer {
    Ours,
    Onnxruntime,
    TensorflowWasm,
    TensorflowWebgpu,
    Numpy,
}

impl Racer {
    const ALL: [Self; 5] = [
        Self::Ours,
        Self::Onnxruntime,
        Self::TensorflowWasm,
        Self::TensorflowWebgpu,
        Self::Numpy,
    ];

    fn id(self) -> &'static str {
        match self {
            Self::Ours => "ours",
            Self::Onnxruntime => "onnxruntime",
            Self::TensorflowWasm => "tfjs_wasm",
            Self::TensorflowWebgpu => "tfjs_webgpu",
            Self::Numpy => "numpy",
        }
    }

    fn title(self) -> &'static str {
        match self {
            Self::Ours => "Diagonal",
            Self::Onnxruntime => "onnxruntime-web",
            Self::TensorflowWasm => "tfjs, wasm",
            Self::TensorflowWebgpu => "tfjs, WebGPU",
            Self::Numpy => "NumPy",
        }
    }
}

/// Result of a racer for one kind of work.
#[derive(Debug, Deserialize)]
struct Found {
    failed: Option<String>,
    mark: Option<f64>,
    #[serde(default)]
    seen: Vec<f64>,
    #[serde(default)]
    times: Vec<f64>,
    library: Option<String>,
}

impl Found {
    fn median(&self) -> f64 {
        median(&self.times)
    }
}

fn median(times: &[f64]) -> f64 {
    let mut sorted = times.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
}

/// A kind of work that other libraries do too.
struct Work {
    name: &'static str,
    sizes: &'static [usize],
    /// Factor by which the time grows when the size doubles.
    growth: f64,
    what: fn(usize) -> String,
    /// A size, and the wanted speed relative to onnxruntime-web at it.
    goal: Option<(usize, f64)>,
    racers: &'static [Racer],
}

/// A measurement in the page itself.
type OfPage = fn(&Page, &mut Report) -> Result;

const WORK: [Work; 6] = [
    Work {
        name: "product",
        sizes: &[512, 2048, 4096],
        growth: 4.0,
        what: |n| format!("P = E·Eᵀ, {n} × {WIDTH}"),
        goal: Some((2048, 1.8)),
        racers: &Racer::ALL,
    },
    // Drawn cell by cell, by the page's worker and one helper per spare core; onnxruntime-web has one worker.
    Work {
        name: "formed",
        sizes: &[2048],
        growth: 4.0,
        what: |n| format!("P, {n} × {WIDTH}, by the page's workers"),
        goal: Some((2048, 3.0)),
        racers: &[Racer::Ours, Racer::Onnxruntime],
    },
    // onnxruntime-web's answer stays in its worker.
    Work {
        name: "shared",
        sizes: &[2048],
        growth: 4.0,
        what: |n| format!("P, {n} × {WIDTH}, until the page has it"),
        goal: None,
        racers: &[Racer::Ours, Racer::Onnxruntime],
    },
    Work {
        name: "r2",
        sizes: &[512, 1024, 2048, 4096, 8192, 16_384, 32_768],
        growth: 4.0,
        what: |n| format!("Toeplitz R², {n} × {WIDTH}"),
        goal: Some((4096, 10.0)),
        racers: &Racer::ALL,
    },
    Work {
        name: "attention",
        sizes: &[512, 2048, 4096],
        growth: 4.0,
        what: |n| format!("attention, {} heads, n = {n}", HEADS.0),
        goal: None,
        racers: &Racer::ALL,
    },
    // Weights are read and states are embedded before.
    Work {
        name: "bert",
        sizes: &[128, 512],
        growth: 2.2,
        what: |n| format!("the layers of a BERT of MiniLM’s size, {n} tokens"),
        goal: Some((128, 1.0)),
        racers: &[Racer::Ours, Racer::Onnxruntime, Racer::Numpy],
    },
];

/// Measures, prints the table, and writes the table and its picture to `target/bench`. `--keep` appends the rows to
/// `tests/bench/history.csv` and updates the README's picture. Names of kinds of work select among them.
pub fn race(options: &[String]) -> Result {
    const OF_PAGE: [(&str, OfPage); 3] = [
        ("heads", heads_of_a_file),
        ("fits", fits),
        ("repaint", repaint),
    ];
    let keep = options.iter().any(|option| option == "--keep");
    let wanted: Vec<&str> = options
        .iter()
        .map(String::as_str)
        .filter(|option| *option != "--keep")
        .collect();
    let known = || {
        WORK.iter()
            .map(|work| work.name)
            .chain(OF_PAGE.iter().map(|(name, _)| *name))
    };
    if let Some(other) = wanted
        .iter()
        .find(|name| known().all(|known| known != **name))
    {
        let all: Vec<_> = known().collect();
        return Err(format!("the peers race in no {other}; there are {}", all.join(" ")).into());
    }
    let is_wanted = |name: &str| wanted.is_empty() || wanted.contains(&name);
    let programs = Engine::Chromium.programs()?;
    let page = Page::start_plain(Engine::Chromium, &programs)?;
    page.resize(1440, 900)?;
    let server = serve()?;
    page.goto(&format!("{}peers.html", server.url()))?;
    let adapter = ask(&page, &json!(["adapter"]))?;
    let mut report = Report::new(&programs, adapter.as_str())?;
    for work in WORK.iter().filter(|work| is_wanted(work.name)) {
        run(work, &page, &server, &mut report)?;
    }
    // Measure the page itself, as visitors get it, without the libraries' server.
    for (_, measure) in OF_PAGE.iter().filter(|(name, _)| is_wanted(name)) {
        measure(&page, &mut report)?;
    }
    report.finish(keep)
}

/// Serves the races' module, the libraries and their loader from one origin.
fn serve() -> Result<Server> {
    let mut files = HashMap::from([
        ("peers.html".to_owned(), PAGE.as_bytes().to_vec()),
        ("peers.js".to_owned(), include_bytes!("peers.js").to_vec()),
    ]);
    for (name, path) in npm::PEERS.files()? {
        files.insert(name.to_owned(), fs::read(path)?);
    }
    race_module::serve_with(files)
}

/// One kind of work at all its sizes.
fn run(work: &Work, page: &Page, server: &Server, report: &mut Report) -> Result {
    // A racer's last time predicts whether the next size is worth trying.
    let mut last: BTreeMap<Racer, (usize, f64)> = BTreeMap::new();
    for &size in work.sizes {
        let tried = |racer: &Racer| {
            let expected = last.get(racer).map_or(0.0, |&(before, time)| {
                time * work.growth.powf((size as f64 / before as f64).log2())
            });
            expected < TOO_LONG && (*racer != Racer::TensorflowWebgpu || report.adapter.is_some())
        };
        let racers: Vec<Racer> = work.racers.iter().copied().filter(tried).collect();
        let in_page: Vec<&str> = racers
            .iter()
            .filter(|racer| **racer != Racer::Numpy)
            .map(|racer| racer.id())
            .collect();
        page.goto(&format!("{}peers.html", server.url()))?;
        let found = ask(page, &json!(["measure", work.name, size, in_page, RUNS]))
            .map_err(|error| format!("{}: {error}", (work.what)(size)))?;
        let mut found: BTreeMap<String, Found> = serde_json::from_value(found)?;
        if racers.contains(&Racer::Numpy)
            && let Some(numpy) = numpy(work.name, size)?
        {
            found.insert(Racer::Numpy.id().to_owned(), numpy);
        }
        let mut row = Row::new((work.what)(size));
        row.goal = work
            .goal
            .and_then(|(at, goal)| (at == size).then_some(goal));
        for racer in Racer::ALL {
            let Some(made) = found.get(racer.id()) else {
                continue;
            };
            if let Some(why) = &made.failed {
                println!("{}: {} failed: {why}", row.what, racer.title());
                last.insert(racer, (size, f64::INFINITY));
                continue;
            }
            agree(made, &found[Racer::Ours.id()])
                .map_err(|error| format!("{}, {}: {error}", row.what, racer.title()))?;
            last.insert(racer, (size, made.median()));
            row.times.insert(racer, made.median());
            report.blas = made.library.clone().or_else(|| report.blas.take());
        }
        report.add(row);
    }
    Ok(())
}

/// Asks the worker a question with arguments; returns its answer.
fn ask(page: &Page, question: &Value) -> Result<Value> {
    page.script("ask(...arguments[0])", vec![question.clone()])?;
    let mut answer = page.wait_until_within("window.answer", Duration::from_secs(600))?;
    match answer["error"].as_str() {
        Some(error) => Err(error.into()),
        None => Ok(answer["found"].take()),
    }
}

/// Fails unless two results of the same numbers agree.
fn agree(one: &Found, other: &Found) -> Result {
    if one
        .mark
        .zip(other.mark)
        .is_some_and(|(one, other)| one != other)
    {
        return Err("the numbers given are not the same".into());
    }
    let largest = other
        .seen
        .iter()
        .fold(0.0_f64, |most, number| most.max(number.abs()));
    let pairs = one.seen.iter().zip(&other.seen);
    let apart = pairs.fold(0.0_f64, |most, (a, b)| {
        if (a - b).abs() <= most {
            most
        } else {
            (a - b).abs()
        }
    });
    let same =
        one.seen.len() == other.seen.len() && !other.seen.is_empty() && apart <= APART * largest;
    if same {
        Ok(())
    } else {
        Err(
            format!("the answers are apart by {apart:e} where the largest number is {largest:e}")
                .into(),
        )
    }
}

/// Opens a file of BERT-base's size in the view of heads until all 144 have an R²; NumPy computes the same scores.
fn heads_of_a_file(page: &Page, report: &mut Report) -> Result {
    const SHOWN: &str = "[...document.querySelectorAll('button[data-head]')]\
                         .filter(b => /R² -?[0-9]/.test(b.getAttribute('aria-label'))).length === 144";
    let folder = root().join("target/bench");
    fs::create_dir_all(&folder)?;
    let path = folder.join("bert-base-shaped.safetensors");
    Content::bert(30_522).write_sparse(&path, u64::MAX)?;
    let mut times = Vec::new();
    for _ in 0..RUNS {
        page.load("?view=heads&model=sinusoidal")?;
        page.script(RECORDER, vec![json!("change"), json!(SHOWN)])?;
        page.open_files(&[&path])?;
        page.wait_until_within("samples.length > 0", Duration::from_secs(120))?;
        times.extend(samples(page, "samples")?);
    }
    let script = "[...document.querySelectorAll('button[data-head]')].map(b => [...b.dataset.head.split('-').map(Number), \
                 parseFloat(/R² (-?[0-9.]+)/.exec(b.getAttribute('aria-label'))[1])]).sort((a, b) => a[0] - b[0] || a[1] - b[1]).map(h => h[2])";
    let seen: Vec<f64> = serde_json::from_value(page.eval(script)?)?;
    let mut row = Row::new("144 heads of a BERT-base file, 438 MB".to_owned());
    row.times.insert(Racer::Ours, median(&times));
    if let Some(numpy) = ask_numpy("heads", &[path.display().to_string()], &[])? {
        // The page shows three digits.
        let apart = numpy
            .seen
            .iter()
            .zip(&seen)
            .map(|(a, b)| (a - b).abs())
            .fold(0.0, f64::max);
        if seen.len() != numpy.seen.len() || apart > 1e-3 {
            return Err(format!("R² of heads differ by {apart} from NumPy's").into());
        }
        row.times.insert(Racer::Numpy, numpy.median());
        report.blas = numpy.library.or_else(|| report.blas.take());
    }
    report.add(row);
    fs::remove_file(path)?;
    Ok(())
}

/// Five kernels fitted to every head of the preset; scipy fits three of them.
fn fits(page: &Page, report: &mut Report) -> Result {
    let mut row = Row::new("fits of 5 kernels to 72 heads".to_owned());
    let times = crate::fit_race::all_heads(page, RUNS)?;
    row.times.insert(Racer::Ours, median(&times));
    if let Some(seconds) = crate::fit_race::race(3)? {
        row.times.insert(Racer::Numpy, 72.0 * 1000.0 * seconds);
    }
    report.add(row);
    Ok(())
}

/// Repaints the matrix of a table in other colours, in windows of several sizes.
fn repaint(page: &Page, report: &mut Report) -> Result {
    const CHANGES: usize = 24;
    const CHOOSE: &str = "const select = [...document.querySelectorAll('label')].find(l => l.textContent.startsWith('Colours')).querySelector('select');\
                          select.selectedIndex = (select.selectedIndex + 1) % select.options.length;\
                          select.dispatchEvent(new Event('change', { bubbles: true }));";
    const PAINTED: &str =
        "performance.getEntriesByName('diagonal:painted:position-matrix').length > 0";
    for (what, width, height, ratio) in [
        ("at 1×, 1440 × 900", 1440, 900, 1),
        ("at 2×, 1440 × 900", 1440, 900, 2),
        ("on a 4K window, 3840 × 2160", 3840, 2160, 1),
    ] {
        let size = json!({ "width": width, "height": height, "deviceScaleFactor": ratio, "mobile": false });
        page.devtools("Emulation.setDeviceMetricsOverride", size)?;
        page.open("?view=positions&model=sinusoidal")?;
        page.figure("position-matrix")?;
        page.script(RECORDER, vec![json!("change"), json!(PAINTED)])?;
        for change in 0..CHANGES {
            page.script(CHOOSE, Vec::new())?;
            page.wait_until(&format!("samples.length > {change}"))?;
        }
        let mut row = Row::new(format!("a heatmap repainted {what}"));
        row.times
            .insert(Racer::Ours, median(&samples(page, "samples")?));
        report.add(row);
    }
    page.resize(1440, 900)
}

#[cfg(test)]
mod tests {
    use super::{Found, agree, median};

    fn race_result(mark: f64, seen: &[f64]) -> Found {
        let seen = seen.to_vec();
        Found {
            failed: None,
            mark: Some(mark),
            seen,
            times: Vec::new(),
            library: None,
        }
    }

    #[test]
    fn answers_agree_within_a_share_of_the_largest_number() {
        let one = race_result(1.0, &[100.0, 0.0]);
        assert!(agree(&race_result(1.0, &[100.0, 0.009]), &one).is_ok());
        for other in [
            race_result(1.0, &[100.0, 0.02]),
            race_result(1.0, &[100.0]),
            race_result(1.0, &[100.0, f64::NAN]),
            race_result(2.0, &[100.0, 0.0]),
        ] {
            assert!(agree(&other, &one).is_err(), "{other:?}");
        }
    }

    #[test]
    fn the_median_is_the_one_in_the_middle() {
        assert_eq!(median(&[5.0, 1.0, 3.0]), 3.0);
        assert!(median(&[]).is_nan());
    }
}
