//! “Show in NumPy”: the program of every figure prints the numbers that the page saves.

use super::compare::{STEPS, open_snapshots, snapshot};
use super::numpy_comparison::{Comparison, State, compare, shown_program};
use super::training::row_says;
use browser::session::key;
use browser::test_files::Folder;
use browser::{Page, Result, scenarios};
use diagonal::url_state::View;
use serde_json::json;
use std::fs;
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
