//! Exported kernels: every file that the page saves opens again with the same scores, and the exported Python module
//! computes the same scores.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use browser::bad_files::is_sentence;
use browser::page::Download;
use browser::{Page, Result, scenarios, suite};
use xtask::{python, root};

use crate::golden::near;

scenarios! {
    in_chromium: [
        kernels_come_back_from_every_file,
        the_module_computes_the_scores_of_the_page,
        files_of_the_authors_module_open,
        no_kernels_get_a_sentence,
    ],
}

/// Kernels that single precision would round, and one that is muted.
const KERNELS: &str = "?view=kernels&model=sinusoidal&kernels=512.25:0.001:-37.81;-511.5:0.001:-37.79;2.6:0.25:0.1;9:1:2:m&n=48";
const N: usize = 48;

/// Creates an empty folder for a test's files.
fn folder(page: &Page, name: &str) -> Result<PathBuf> {
    let name = format!(
        "diagonal-home-{}-{name}-{}",
        std::process::id(),
        page.engine.name()
    );
    let folder = std::env::temp_dir().join(name);
    fs::create_dir_all(&folder)?;
    Ok(folder)
}

fn save(page: &Page, format: &str) -> Result<Download> {
    page.click(&format!(
        "button[aria-label='Save these kernels as {format}']"
    ))?;
    page.next_download()
}

/// `F_P` from the page's CSV.
fn scores(page: &Page) -> Result<Vec<f64>> {
    let table = page.csv("kernel-matrix")?;
    assert_eq!(table.rows.len(), N);
    let cells = table.rows.iter().flatten();
    Ok(cells
        .map(|cell| cell.parse())
        .collect::<std::result::Result<_, _>>()?)
}

fn kernels_come_back_from_every_file(page: &Page) -> Result {
    let folder = folder(page, "back")?;
    page.open(KERNELS)?;
    let before = scores(page)?;
    for (format, name) in [
        ("JSON", "kernels.json"),
        ("CSV", "kernels.csv"),
        ("safetensors", "kernels.safetensors"),
    ] {
        page.open(KERNELS)?;
        page.figure("kernel-matrix")?;
        let file = save(page, format)?;
        assert_eq!(file.name, name);
        let path = folder.join(&file.name);
        fs::write(&path, &file.bytes)?;
        // Other kernels, so that loading the file is a visible change.
        page.open("?view=kernels&model=sinusoidal&kernels=1:0.25:0&n=48")?;
        page.figure("kernel-matrix")?;
        page.open_files(&[&path])?;
        page.model(name.trim_end_matches(".safetensors"))?;
        page.wait_until("document.querySelector('.take-home')?.textContent.includes('3 kernels')")?;
        let painted = page.painted_at("kernel-matrix")?;
        page.click_named("Take the 3 kernels of layer 1, head 1")?;
        page.painted_since("kernel-matrix", painted)?;
        for (at, (now, before)) in scores(page)?.iter().zip(&before).enumerate() {
            near(&format!("{format}, cell {at}"), *now, *before, 1e-6)?;
        }
        // As a model, its head is F_P at its own length.
        page.view("heads")?;
        let profile = page.csv("head-profile")?;
        let (offsets, means) = (profile.numbers("offset")?, profile.numbers("mean")?);
        for (k, mean) in offsets.iter().zip(&means) {
            if k.abs() < N as f64 {
                let row = if *k < 0.0 { -k } else { 0.0 };
                let at = row as usize * N + (row + k) as usize;
                near(&format!("{format}, f({k})"), *mean, before[at], 1e-4)?;
            }
        }
    }
    let _ = fs::remove_dir_all(folder);
    Ok(())
}

fn the_module_computes_the_scores_of_the_page(page: &Page) -> Result {
    let Some(python) = python::find() else {
        return suite::skip("a Python with NumPy");
    };
    let folder = folder(page, "module")?;
    page.open(KERNELS)?;
    page.figure("kernel-matrix")?;
    page.fill("label.prefix input", "model.{layer}.")?;
    let mut paths = Vec::new();
    for format in ["PyTorch module", "safetensors"] {
        let file = save(page, format)?;
        let path = folder.join(&file.name);
        fs::write(&path, &file.bytes)?;
        paths.push(path);
    }
    let matrix = page.download("kernel-matrix", "CSV")?;
    let scores = folder.join(&matrix.name);
    fs::write(&scores, &matrix.bytes)?;
    let output = Command::new(python)
        .arg(root().join("tests/it/kernel_io/score_check.py"))
        .args(&paths)
        .arg("model.0.")
        .arg(&scores)
        .output()?;
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    let wrong = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success() && stdout.contains("numpy: off by"),
        "{stdout}{wrong}"
    );
    println!("{stdout}");
    let _ = fs::remove_dir_all(folder);
    Ok(())
}

fn files_of_the_authors_module_open(page: &Page) -> Result {
    page.open("?view=heads&model=sinusoidal")?;
    for (file, name, heads) in [
        ("tisa-torch/tisa.pt", "tisa.pt", 12),
        ("tisa/model.safetensors", "TISA", 44),
    ] {
        page.open_files(&[&root().join("tests/data").join(file)])?;
        page.model(name)?;
        page.wait_until(&format!(
            "document.querySelectorAll('button[data-head]').length === {heads}"
        ))?;
        page.figure("head-matrix")?;
        // A sum of kernels is its own Toeplitz part.
        for r2 in page.csv("head-grid")?.numbers("r2")? {
            near("R²", r2, 1.0, 1e-9)?;
        }
    }
    Ok(())
}

fn no_kernels_get_a_sentence(page: &Page) -> Result {
    let folder = folder(page, "bad")?;
    let tensor = |shape: &str, bytes: usize, begin: usize| {
        format!(
            "{{\"dtype\":\"F32\",\"shape\":{shape},\"data_offsets\":[{begin},{}]}}",
            begin + bytes
        )
    };
    let layer = |offsets: (&str, usize), rest: (&str, usize), fill: u8| {
        let header = format!(
            "{{\"kernel_offsets\":{},\"kernel_amplitudes\":{},\"kernel_sharpness\":{}}}",
            tensor(offsets.0, offsets.1, 0),
            tensor(rest.0, rest.1, offsets.1),
            tensor(rest.0, rest.1, offsets.1 + rest.1)
        );
        let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
        bytes.extend(header.as_bytes());
        bytes.resize(bytes.len() + offsets.1 + 2 * rest.1, fill);
        bytes
    };
    page.open("?view=kernels&model=minilm-l6&n=48")?;
    page.model("minilm-l6")?;
    for (name, bytes, word) in [
        (
            "shapes.safetensors",
            layer(("[2,3]", 24), ("[3,2]", 24), 0),
            "kernel_amplitudes",
        ),
        (
            "many.safetensors",
            layer(("[1,2000]", 8000), ("[1,2000]", 8000), 0),
            "1024",
        ),
        // Bytes of 0xff are NaN.
        (
            "nan.safetensors",
            layer(("[2,3]", 24), ("[2,3]", 24), 0xff),
            "kernel_offsets",
        ),
        (
            "broken.json",
            b"{\"format\": \"diagonal-kernels\", \"version\": 1, \"layers\": [{}]}".to_vec(),
            "layer",
        ),
        (
            "broken.csv",
            b"layer,head,a,b,c\n1,1,1,2,inf\n".to_vec(),
            "row 2",
        ),
    ] {
        let path = folder.join(name);
        fs::write(&path, bytes)?;
        page.dismiss()?;
        page.open_files(&[&path])?;
        let message = page.message_with(word)?;
        assert!(is_sentence(&message), "{name}: {message}");
        assert_eq!(page.current_model()?, "minilm-l6", "{name}");
    }
    // Hundreds of heads are shown; more kernels than sliders are shown but not loaded into them.
    let mut table = "layer,head,a,b,c\n".to_owned();
    for head in 1..=300 {
        table += &format!("1,{head},1,0.1,{}\n", head % 40);
    }
    for kernel in 0..9 {
        table += &format!("1,1,1,0.1,{kernel}\n");
    }
    let path = folder.join("hundreds.csv");
    fs::write(&path, table)?;
    page.open_files(&[&path])?;
    page.model("hundreds.csv")?;
    page.wait_until(
        "document.querySelector('.take-home')?.textContent.includes('has 10 kernels')",
    )?;
    page.view("heads")?;
    page.wait_until("document.querySelectorAll('button[data-head]').length === 300")?;
    page.figure("head-grid")?;
    let _ = fs::remove_dir_all(folder);
    Ok(())
}
