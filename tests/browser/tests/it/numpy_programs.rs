//! “Show in NumPy”: the program of every figure prints the numbers that the page saves.

use super::compare::{STEPS, open_snapshots, snapshot};
use super::training::row_says;
use browser::page::{dist, figure};
use browser::session::key;
use browser::table::Table;
use browser::test_files::Folder;
use browser::{Page, Result, scenarios};
use diagonal::numpy_program::Directives;
use diagonal::url_state::{FigureId, View};
use serde_json::json;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use xtask::{python, root};

scenarios! {
    in_every_engine: [
        a_program_is_shown_copied_and_saved,
    ],
    in_chromium: [
        programs_of_positions,
        programs_of_heads,
        programs_of_texts,
        programs_of_kernels,
        programs_of_encodings,
        programs_of_waves,
        programs_of_images,
        programs_of_own_images,
        programs_of_comparisons,
        programs_of_training,
        programs_of_checkpoints,
        programs_of_saved_runs,
    ],
}

/// Differences below this are rounding errors.
const ROUNDING: f64 = 1e-12;

/// Columns with rounding errors, which are those of the program that computes them.
const ROUNDING_ERRORS: [&str; 1] = ["identity_error"];

/// The text of the program in the open dialog, or null.
const PROGRAM: &str = "(document.querySelector('dialog.program[open] pre')?.textContent || null)";

/// Greatest deviation of a number from the page's, as a share of the greatest number of its column, or of the matrix.
/// The page computes with single precision in places.
const TOLERANCE: f64 = 2e-4;

fn a_program_is_shown_copied_and_saved(page: &Page) -> Result {
    page.open("?view=positions&model=sapiens-vh&compare=cosine")?;
    page.figure("toeplitz-scores")?;
    let program = shown_program(page, "toeplitz-scores")?;
    for line in [
        "import numpy as np",
        "SIMILARITY = \"cosine\"",
        "sapiens-vh.safetensors",
    ] {
        assert!(program.contains(line), "no {line} in {program}");
    }
    page.has_no_barriers("the program of a figure")?;
    page.click("dialog.program [aria-label='Copy the program']")?;
    assert_eq!(page.wait_until("probe.copied.shift()")?, json!(program));
    page.click("dialog.program [aria-label='Download the program']")?;
    let file = page.next_download()?;
    assert_eq!(file.name, "toeplitz-scores.py");
    assert_eq!(String::from_utf8(file.bytes)?, program);
    page.keys(&[key::ESCAPE])?;
    page.wait_until("!document.querySelector('dialog.program[open]')")
        .map(drop)
}

/// Opens the program of a figure and returns its text. The dialog stays open.
pub(crate) fn shown_program(page: &Page, id: &str) -> Result<String> {
    let text = program_or_message(page, id)?;
    text.ok_or_else(|| format!("{id} has no program: {:?}", page.message()).into())
}

/// Opens the program of a figure and returns its text, or `None` if a message says why there is none.
fn program_or_message(page: &Page, id: &str) -> Result<Option<String>> {
    page.press_in_save_menu(&figure(id), "Show in NumPy")?;
    let has_message = "document.querySelector('#message')?.innerText.includes('rogram')";
    let text = page.wait_until(&format!("{PROGRAM} || ({has_message} && true)"))?;
    Ok(text.as_str().map(str::to_owned))
}

/// A program, and the file that the page saved in the same state.
struct Case {
    name: String,
    page: Table,
    output: PathBuf,
}

/// States of the page whose figures are compared: a name, the query, files to open, files that the programs read.
type State<'a> = (&'a str, &'a str, &'a [&'a str], &'a [&'a str]);

/// A preset, and where the built page has the whole model.
const MINILM: &str = "www/presets/minilm-l6.safetensors";
const SAPIENS: &str = "www/presets/sapiens-vh.safetensors";
const WHOLE: &str = "dist:presets/minilm-l6/model.safetensors";

/// Configuration and weights of small checkpoints.
const VIT: [&str; 2] = [
    "tests/data/vit/config.json",
    "tests/data/vit/model.safetensors",
];
const T5: [&str; 2] = [
    "tests/data/t5/config.json",
    "tests/data/t5/model.safetensors",
];
const SWIN: [&str; 2] = [
    "tests/data/swin/config.json",
    "tests/data/swin/model.safetensors",
];
const LLAMA: [&str; 2] = [
    "tests/data/llama/config.json",
    "tests/data/llama/model.safetensors",
];
const GPT_OSS: [&str; 2] = [
    "tests/data/forward/gpt-oss/config.json",
    "tests/data/forward/gpt-oss/model.safetensors",
];
const QWEN2: [&str; 2] = [
    "tests/data/forward/qwen2/config.json",
    "tests/data/forward/qwen2/model.safetensors",
];
const DINO: [&str; 2] = [
    "tests/data/patch-heads/dinov3/config.json",
    "tests/data/patch-heads/dinov3/model.safetensors",
];
const GAUSSIANS: [&str; 2] = [
    "tests/data/attention-cnn/config.json",
    "tests/data/attention-cnn/model.safetensors",
];
const GPT2: [&str; 2] = [
    "tests/data/forward/gpt2/config.json",
    "tests/data/forward/gpt2/model.safetensors",
];

fn programs_of_positions(page: &Page) -> Result {
    let states: [State<'_>; 5] = [
        (
            "table",
            "?view=positions&model=minilm-l6&more=beside-sinusoid,continuity",
            &[],
            &[MINILM],
        ),
        (
            "cosines",
            "?view=positions&model=sapiens-vh&compare=cosine&part=residual&lags=all&offsets=all&more=continuity",
            &[],
            &[SAPIENS],
        ),
        ("grid", "?view=positions", &VIT, &VIT[1..]),
        ("rotary", "?view=positions", &LLAMA, &LLAMA[1..]),
        ("rotated patches", "?view=positions", &DINO, &DINO[1..]),
    ];
    compare(page, View::Positions, &states)
}

fn programs_of_heads(page: &Page) -> Result {
    let states: [State<'_>; 10] = [
        (
            "computed",
            "?view=heads&model=minilm-l6&layer=1&head=7&mode=computed&second=2.4&more=near-offsets,word-and-position",
            &[],
            &[MINILM],
        ),
        (
            "paper",
            "?view=heads&model=sapiens-vh&layer=3&head=2&cells=causal&r2=attention&entropies=all&second=1.1&more=near-offsets&section-fits=kernels",
            &[],
            &[SAPIENS],
        ),
        ("buckets", "?view=heads", &T5, &T5[1..]),
        ("windows", "?view=heads", &SWIN, &SWIN[1..]),
        ("sinks", "?view=heads", &GPT_OSS, &GPT_OSS[1..]),
        (
            "rotary",
            "?view=heads&layer=1&head=2&second=1.4&more=near-offsets",
            &LLAMA,
            &LLAMA[1..],
        ),
        (
            "rotary with biases",
            "?view=heads&layer=2&head=3&cells=causal&entropies=all&budget=weights&wavelengths=weights&more=near-offsets",
            &QWEN2,
            &QWEN2[1..],
        ),
        (
            "rotary over a text",
            "?view=heads&layer=2&head=3&second=1.4&entropies=all&centres=text&text=6%2016%206%2010%2028%2026%2038%2030%2036&more=near-offsets",
            &QWEN2,
            &QWEN2[1..],
        ),
        (
            "sinks over a text",
            "?view=heads&layer=3&head=2&cells=causal&centres=text&text=6%2016%206%2010%2028%2026%2038%2030%2036",
            &GPT_OSS,
            &GPT_OSS[1..],
        ),
        (
            "rotated patches",
            "?view=heads&layer=2&head=2&second=1.1",
            &DINO,
            &DINO[1..],
        ),
    ];
    compare(page, View::Heads, &states)
}

fn programs_of_texts(page: &Page) -> Result {
    let states: [State<'_>; 3] = [
        (
            "words",
            "?view=text&model=minilm-l6-whole&sample=dog&layer=1&head=3&more=score-parts",
            &[],
            &[WHOLE],
        ),
        (
            "numbers",
            "?view=text&text=6%2016%206%2010%2028%2026%2038%2030%2036&layer=2&head=2&token=surprise&show=scores.residual&more=score-parts,predictions",
            &GPT2,
            &GPT2[1..],
        ),
        (
            "sinks",
            "?view=text&text=6%2016%206%2010%2028%2026%2038%2030%2036&layer=2&head=2",
            &GPT_OSS,
            &GPT_OSS[1..],
        ),
    ];
    compare(page, View::Text, &states)
}

fn programs_of_kernels(page: &Page) -> Result {
    let states: [State<'_>; 2] = [
        (
            "head",
            "?view=kernels&model=minilm-l6&layer=1&head=7&mode=computed&n=96&added=head&first-layer=open&fit=head.2&more=fit-beside-head,parameters&kernels=3:0.25:-1;1.2:0.02:3",
            &[],
            &[MINILM],
        ),
        (
            "layer",
            "?view=kernels&model=minilm-l6&layer=2&head=3&n=64&fit=layer.3&kernels=2:0.5:-1;-1.5:0.01:4:m",
            &[],
            &[MINILM],
        ),
    ];
    compare(page, View::Kernels, &states)
}

fn programs_of_encodings(page: &Page) -> Result {
    let states: [State<'_>; 2] = [
        (
            "all",
            "?view=encodings&model=minilm-l6&more=turned-waves",
            &[],
            &[MINILM],
        ),
        (
            "few",
            "?view=encodings&model=minilm-l6&encodings=n:128;show:alibi,rotary,t5,tisa;rotary:32:500000;ntk:4;alibi:2:12;lines:64;phasors:3:5;together&planted-waves=f:2,3,7;t:96;one-angle;angle:-75;basis:7;s:1.5&more=turned-waves",
            &[],
            &[MINILM],
        ),
    ];
    compare(page, View::Encodings, &states)
}

fn programs_of_waves(page: &Page) -> Result {
    let states: [State<'_>; 2] = [
        (
            "preset",
            "?view=waves&model=minilm-l6&layer=1&head=3&more=table-waves,head-correlations,layer-waves",
            &[],
            &[MINILM],
        ),
        (
            "sample",
            "?view=waves&model=sapiens-vh&layer=1&head=2&mode=computed&columns=random.3&retarget=2&groups=3&plane=5-6&more=table-waves,head-correlations,layer-waves",
            &[],
            &[SAPIENS],
        ),
    ];
    compare(page, View::Waves, &states)
}

fn programs_of_images(page: &Page) -> Result {
    let states: [State<'_>; 6] = [
        (
            "text",
            "?view=images&model=minilm-l6-whole&layer=1&side=32&more=text-convolutions,head-channels",
            &[],
            &[WHOLE],
        ),
        (
            "boxes",
            "?view=images&model=sinusoidal&side=16&filter=fringes&gaussians=0:-1:box:1;1.4:0:box:2;0:0:2:0:1;0:9:box:0&channels=1&more=head-channels",
            &[],
            &[],
        ),
        (
            "rings",
            "?view=images&model=sinusoidal&side=16&filter=blur&alpha=1&image=rings&taps=turned&beyond=zeros&spacing=2&maps=whole",
            &[],
            &[],
        ),
        (
            "gaussians",
            "?view=images&side=16",
            &GAUSSIANS,
            &GAUSSIANS[1..],
        ),
        ("patches", "?view=images&side=16", &VIT, &VIT[1..]),
        (
            "rotated patches",
            "?view=images&side=16&layer=2",
            &DINO,
            &DINO[1..],
        ),
    ];
    compare(page, View::Images, &states)
}

fn programs_of_own_images(page: &Page) -> Result {
    page.open("?view=positions&model=sinusoidal&side=16")?;
    page.figure("position-matrix")?;
    let folder = Folder::new("own-image-program")?;
    let photograph = folder.write("photograph.png", &page.screenshot()?)?;
    page.open_files(&[&photograph])?;
    page.wait_until("document.querySelector('.setup')?.textContent.includes('photograph.png')")?;
    page.figure("filtered-image")?;
    let mut comparison = Comparison::new("own-image")?;
    comparison.add_state(page, View::Images, "own", &[])?;
    let seen = comparison.check()?;
    assert!(seen.contains("filtered-image"), "{seen:?}");
    Ok(())
}

fn programs_of_comparisons(page: &Page) -> Result {
    let states: [State<'_>; 1] = [(
        "three",
        "?view=compare&model=minilm-l6&order=r2&models=model:minilm-l6,read-heads,performance:71;model:sapiens-vh,read-heads,performance:70.5;model:rxnmapper,performance:66&more=compared-waves",
        &[],
        // In the order of R².
        &[],
    )];
    compare(page, View::Compare, &states)
}

fn programs_of_training(page: &Page) -> Result {
    const LEARNED: &str = "www/presets/runs/offset3.learned.s.1.500";
    const KERNELS: &str = "www/presets/runs/offset3.tisa3.s.1.500";
    const ROTARY: &str = "www/presets/runs/repeat.rotary.m.1.1000";
    let states: [State<'_>; 3] = [
        (
            "pair",
            "?view=training&model=sinusoidal&train=offset3.learned%2Btisa3.s.1.500&run-waves=autocorrelation&step=100",
            &[],
            &[LEARNED, KERNELS],
        ),
        (
            "kernels",
            "?view=training&model=sinusoidal&train=offset3.tisa3.s.1.500",
            &[],
            &[KERNELS],
        ),
        (
            "rotary",
            "?view=training&model=sinusoidal&train=repeat.rotary.m.1.1000",
            &[],
            &[ROTARY],
        ),
    ];
    compare(page, View::Training, &states)
}

fn programs_of_checkpoints(page: &Page) -> Result {
    open_snapshots(page, "training")?;
    page.wait_until("document.querySelectorAll('[data-snapshot]').length === 5")?;
    page.script("document.querySelector('.transport input').focus()", vec![])?;
    page.keys(&[key::RIGHT, key::RIGHT])?;
    let caption = "document.querySelector(\"figure[data-figure='training-matrix']\")?.textContent.includes('step 500')";
    page.wait_until(caption)?;
    page.wait_until("!document.querySelector('.snapshots').textContent.includes('…')")?;
    let folder = root().join("tests/data/snapshots");
    let files = STEPS.map(|step| folder.join(format!("{}.safetensors", snapshot(step))));
    let mut comparison = Comparison::new("checkpoints")?;
    comparison.add_state(page, View::Training, "checkpoints", &files)?;
    let seen = comparison.check()?;
    for id in ["training-curves", "training-matrix", "training-table"] {
        assert!(seen.contains(id), "{id} was not compared");
    }
    Ok(())
}

/// Recipes of runs that train in a moment.
const SMALL_RUNS: [&str; 2] = [
    "offset2.learned.n16d16l1h2r2b4.1.40",
    "offset2.tisa2.n16d16l1h2r2b4.1.40",
];

fn programs_of_saved_runs(page: &Page) -> Result {
    page.open("?view=training&model=sinusoidal&train=offset2.learned%2Btisa2.n16d16l1h2r2b4.1.40")?;
    page.wait_until("document.querySelector('.training-form')")?;
    page.click_named("Train")?;
    for run in SMALL_RUNS {
        row_says(page, run, "done")?;
    }
    // Figures out of sight follow a moment later.
    std::thread::sleep(Duration::from_secs(2));
    let mut comparison = Comparison::new("saved-runs")?;
    let mut folders = Vec::new();
    for run in SMALL_RUNS {
        page.click(&format!("[data-run='{run}'] [aria-label^='Save run']"))?;
        let archive = page.next_download()?;
        assert_eq!(archive.name, format!("{run}.zip"));
        let path = comparison.folder.join(&archive.name);
        fs::write(&path, archive.bytes)?;
        let python = python::find().ok_or("there is no Python with NumPy")?;
        let mut command = Command::new(python);
        command.args(["-m", "zipfile", "-e"]);
        let status = command.arg(path).arg(&comparison.folder).status()?;
        assert!(status.success(), "{run}: the archive cannot be unpacked");
        folders.push(comparison.folder.join(run));
    }
    comparison.add_state(page, View::Training, "saved", &folders)?;
    let seen = comparison.check()?;
    assert!(seen.contains("training-kernels"), "{seen:?}");
    Ok(())
}

/// Compares the programs of all figures in some states of a view. Every figure of the view that has a program must be
/// seen.
fn compare(page: &Page, view: View, states: &[State<'_>]) -> Result {
    let mut comparison = Comparison::new(&format!("{view:?}"))?;
    for (name, query, opened, read) in states {
        page.open(query)?;
        if !opened.is_empty() {
            let paths: Vec<PathBuf> = opened.iter().map(|path| file(path)).collect();
            let paths: Vec<&Path> = paths.iter().map(PathBuf::as_path).collect();
            page.open_files(&paths)?;
        }
        let arguments: Vec<PathBuf> = read.iter().map(|path| file(path)).collect();
        comparison.add_state(page, view, name, &arguments)?;
    }
    let seen = comparison.check()?;
    let has_program = |figure: &&FigureId| figure.views()[0] == view && !has_none(**figure);
    for figure in FigureId::ALL.iter().filter(has_program) {
        let id = figure.id();
        assert!(seen.contains(id), "{id} was not compared");
    }
    Ok(())
}

/// Programs of figures, and the files that the page saved in the same states.
struct Comparison {
    folder: PathBuf,
    cases: Vec<Case>,
    list: Vec<serde_json::Value>,
    seen: BTreeSet<String>,
}

impl Comparison {
    fn new(name: &str) -> Result<Self> {
        let name = format!("diagonal-numpy-{name}-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir_all(&folder)?;
        Ok(Self {
            folder,
            cases: Vec::new(),
            list: Vec::new(),
            seen: BTreeSet::new(),
        })
    }

    /// Adds all figures of a view as the page shows them now. Their programs get the arguments.
    fn add_state(&mut self, page: &Page, view: View, name: &str, arguments: &[PathBuf]) -> Result {
        for id in page.ready_figures()? {
            let is_of_view = FigureId::from_id(&id).filter(|figure| figure.views().contains(&view));
            let Some(of_view) = is_of_view else {
                continue;
            };
            if has_none(of_view) {
                continue;
            }
            let saved = page.csv(&id)?;
            let Some(program) = program_or_message(page, &id)? else {
                page.dismiss()?;
                continue;
            };
            page.click("dialog.program [aria-label='Close']")?;
            let file = |end| self.folder.join(format!("{name}-{id}.{end}"));
            let [path, output] = ["py", "csv"].map(file);
            fs::write(&path, program)?;
            let program = json!({ "path": path, "arguments": arguments, "output": output });
            self.list.push(program);
            self.cases.push(Case {
                name: format!("{name}, {id}"),
                page: saved,
                output,
            });
            self.seen.insert(id);
        }
        Ok(())
    }

    /// Runs all programs, and compares what they print with the page's files. Returns the figures that were compared.
    fn check(self) -> Result<BTreeSet<String>> {
        run(&self.folder, &self.list)?;
        let mut wrong = Vec::new();
        for case in &self.cases {
            if let Err(reason) = case.check() {
                wrong.push(format!("{}: {reason}", case.name));
            }
        }
        assert!(
            wrong.is_empty(),
            "{} of {} programs:\n{}",
            wrong.len(),
            self.cases.len(),
            wrong.join("\n")
        );
        // Removed only after success, for a look at what failed.
        fs::remove_dir_all(&self.folder)?;
        Ok(self.seen)
    }
}

/// Whether a figure never has a program.
fn has_none(figure: FigureId) -> bool {
    Directives::read(figure.numpy_body(), |_| false)
        .none
        .is_some()
}

/// A file of the built page (after `dist:`), or of the project.
fn file(path: &str) -> PathBuf {
    match path.strip_prefix("dist:") {
        Some(path) => dist().join(path),
        None => root().join(path),
    }
}

/// Runs all programs in one process.
fn run(folder: &Path, list: &[serde_json::Value]) -> Result {
    let path = folder.join("list.json");
    fs::write(&path, serde_json::to_vec(list)?)?;
    let python = python::find().ok_or("there is no Python with NumPy")?;
    // Programs name the files of presets without their folder.
    let output = Command::new(python)
        .current_dir(root().join("www/presets"))
        .env("OPENBLAS_NUM_THREADS", "1")
        .arg(root().join("tests/it/numpy_program/run_programs.py"))
        .arg(path)
        .output()?;
    match output.status.success() {
        true => Ok(()),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned().into()),
    }
}

impl Case {
    /// Compares what the program printed with the page's file.
    fn check(&self) -> Result {
        let printed: Table = fs::read_to_string(&self.output)?.parse()?;
        if printed.columns != self.page.columns {
            return Err(
                format!("columns {:?}, not {:?}", printed.columns, self.page.columns).into(),
            );
        }
        if printed.rows.len() != self.page.rows.len() {
            return Err(
                format!("{} rows, not {}", printed.rows.len(), self.page.rows.len()).into(),
            );
        }
        let is_matrix = self.page.columns.len() > 2
            && self
                .page
                .columns
                .iter()
                .all(|name| name.parse::<i64>().is_ok());
        let number = |cell: &String| cell.parse::<f64>().ok();
        let largest = |cells: &mut dyn Iterator<Item = &String>| {
            let sizes = cells
                .filter_map(number)
                .filter(|cell| cell.is_finite())
                .map(f64::abs);
            sizes.fold(0.0, f64::max)
        };
        let of_matrix = largest(&mut self.page.rows.iter().flatten());
        for (column, name) in self.page.columns.iter().enumerate() {
            if ROUNDING_ERRORS.contains(&name.as_str()) {
                continue;
            }
            let of_column = largest(&mut self.page.rows.iter().map(|row| &row[column]));
            let scale = if is_matrix { of_matrix } else { of_column };
            for (row, (found, page)) in printed.rows.iter().zip(&self.page.rows).enumerate() {
                let (found, page) = (&found[column], &page[column]);
                let is_same = match (number(found), number(page)) {
                    (Some(found), Some(page)) => {
                        found.is_nan() && page.is_nan()
                            || found == page
                            || (found - page).abs() <= TOLERANCE * scale + ROUNDING
                    }
                    _ => found == page,
                };
                if !is_same {
                    return Err(
                        format!("{name} of row {}: {found}, the page has {page}", row + 1).into(),
                    );
                }
            }
        }
        Ok(())
    }
}
