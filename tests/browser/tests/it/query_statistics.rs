//! Files of statistics of queries, opened with the configuration of their model.

use crate::numpy_comparison::shown_program;
use browser::{Page, Result, scenarios};
use std::path::{Path, PathBuf};

scenarios! {
    in_chromium: [
        statistics_open_with_their_configuration,
        statistics_alone_say_what_is_missing,
    ],
}

/// Files of `tests/data/query-statistics`.
fn open(page: &Page, names: &[&str]) -> Result {
    page.open("?view=heads")?;
    let folder = xtask::root().join("tests/data/query-statistics");
    let files: Vec<PathBuf> = names.iter().map(|name| folder.join(name)).collect();
    let files: Vec<&Path> = files.iter().map(PathBuf::as_path).collect();
    page.open_files(&files)
}

fn statistics_open_with_their_configuration(page: &Page) -> Result {
    open(page, &["config.json", "statistics.pt"])?;
    page.figure("rotary-frequencies")?;
    let shares = page.csv("rotary-frequencies")?;
    let columns = "layer,head,pair,wavelength,size,mean,concentration,share";
    assert_eq!(shares.columns.join(","), columns);
    // The shares of each of the eight heads add up to 1.
    let sum: f64 = shares.numbers("share")?.iter().sum();
    assert!((sum - 8.0).abs() < 1e-6, "{sum}");
    page.click_named("concentration")?;
    page.wait_until("new URLSearchParams(location.search).get('wavelengths') === 'concentration'")?;
    page.figure("rotary-frequencies")?;
    page.has_no_barriers("statistics of queries")?;
    let program = shown_program(page, "rotary-frequencies")?;
    for line in [
        "import torch",
        "tensor = torch_reader(*FILES)",
        "statistics.pt",
    ] {
        assert!(program.contains(line), "no {line} in {program}");
    }
    page.met_no_error()
}

fn statistics_alone_say_what_is_missing(page: &Page) -> Result {
    open(page, &["statistics.pt"])?;
    page.wait_until("document.body.innerText.includes('open the config.json of their model')")
        .map(drop)
}
