//! Benchmark: waves of a table and of heads in one browser, and in NumPy on one thread.

use std::io::Write;
use std::process::{Command, Stdio};

use races::waves::{BASE, WaveRace};
use serde::Deserialize;
use xtask::{Result, python, root};

use crate::Page;

/// The races: name, expression that runs it in the browser, repetitions, goal in milliseconds, and NumPy's time to
/// compare with.
const RACES: [Race; 5] = [
    Race {
        what: "spectrum, components, density, autocorrelation, 512 × 768",
        ours: "race.table()",
        runs: 7,
        goal: 150.0,
        peer: "table",
    },
    Race {
        what: "waves and cross-correlations of a head",
        ours: "race.head(3)",
        runs: 9,
        goal: 50.0,
        peer: "head",
    },
    Race {
        what: "… of all 144 heads",
        ours: "race.heads(144)",
        runs: 3,
        goal: 2000.0,
        peer: "heads",
    },
    Race {
        what: "maxima of the spectra of all 144 heads",
        ours: "race.spectra(144)",
        runs: 3,
        goal: 2000.0,
        peer: "spectra",
    },
    Race {
        what: "rotation of a head, d = 768",
        ours: "race.rotation(3)",
        runs: 3,
        goal: 3000.0,
        peer: "rotation",
    },
];

struct Race {
    what: &'static str,
    ours: &'static str,
    runs: usize,
    goal: f64,
    peer: &'static str,
}

/// NumPy's time in milliseconds and result of each race, by name, and its matrix library.
#[derive(Deserialize)]
struct Peer {
    library: String,
    times: std::collections::HashMap<String, (f64, f64)>,
}

/// Prints how long each takes in the browser and in NumPy, and the ratio of the two.
pub fn race(page: &Page) -> Result {
    let _server = crate::race_module::serve(page)?;
    let (rows, width, heads) = BASE;
    let peer = numpy(&WaveRace::new(rows, width, heads), heads);
    match &peer {
        Some(peer) => println!("\nwaves beside NumPy on one thread, with {}", peer.library),
        None => println!("\nwaves; NumPy is not measured, for there is no Python with it"),
    }
    for race in RACES {
        let run = format!(
            "(async () => {{\
               window.races ??= import(new URL('races.js', location.href)).then(async all => {{ await all.default(); return all; }});\
               const {{ WaveRace }} = await races;\
               const race = window.race ??= new WaveRace({rows}, {width}, {heads}), times = []; let found;\
               for (let run = 0; run < {}; run++) {{\
                 const begun = performance.now(); found = {}; times.push(performance.now() - begun);\
                 await new Promise(done => setTimeout(done));\
               }}\
               return [times.sort((a, b) => a - b)[Math.floor(times.length / 2)], found]; }})()",
            race.runs, race.ours
        );
        let [ours, found]: [f64; 2] = serde_json::from_value(page.eval_async(&run)?)?;
        let beside = peer.as_ref().and_then(|peer| peer.times.get(race.peer));
        let beside = match beside {
            Some((theirs, same)) if (found - same).abs() > 1e-3 * same.abs().max(1.0) => {
                return Err(
                    format!("{}: {found} here, {same} in NumPy ({theirs} ms)", race.what).into(),
                );
            }
            Some((theirs, _)) => format!(
                "NumPy {theirs:>8.1} ms: {:.2} times its time",
                ours / theirs
            ),
            None => String::new(),
        };
        println!(
            "{:<58}{ours:>10.1} ms  goal {:>5.0}  {beside}",
            race.what, race.goal
        );
    }
    Ok(())
}

fn numpy(race: &WaveRace, heads: usize) -> Option<Peer> {
    let mut child = Command::new(python::find()?)
        .arg(root().join("tests/browser/src/numpy_waves.py"))
        .arg(heads.to_string())
        .args(
            race.numbers()
                .iter()
                .flat_map(|array| [array.nrows(), array.ncols()])
                .map(|size| size.to_string()),
        )
        .envs(
            ["OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"]
                .map(|threads| (threads, "1")),
        )
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .ok()?;
    let numbers = race.numbers();
    let bytes: Vec<u8> = numbers
        .iter()
        .flat_map(|array| array.iter())
        .flat_map(|v| v.to_le_bytes())
        .collect();
    child.stdin.take()?.write_all(&bytes).ok()?;
    let output = child.wait_with_output().ok()?;
    serde_json::from_slice(&output.stdout).ok()
}
