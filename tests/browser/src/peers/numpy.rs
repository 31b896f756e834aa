//! The same work in NumPy on one thread.

use std::io::Write;
use std::process::{Command, Stdio};

use races::{
    bert::BertRace,
    peers::{AttentionRace, TableRace},
};
use xtask::{Result, python, root};

use super::{Found, HEADS, RUNS, WIDTH};

/// Runs the same work in NumPy on one thread; `None` without NumPy.
pub(super) fn numpy(work: &str, size: usize) -> Result<Option<Found>> {
    let (words, numbers, mark) = match work {
        "attention" => {
            let race = AttentionRace::new(size, HEADS.0, HEADS.1);
            let mut numbers = race.numbers();
            numbers.extend(race.bias());
            (vec![size, HEADS.0, HEADS.1], numbers, race.mark())
        }
        "bert" => {
            let race = BertRace::new(size);
            let words = [vec![size], race.sizes()].concat();
            (words, race.numbers(), race.mark())
        }
        _ => {
            let race = TableRace::new(size, WIDTH);
            (vec![size, WIDTH], race.numbers(), race.mark())
        }
    };
    let words = words.iter().map(usize::to_string).collect::<Vec<_>>();
    let bytes: Vec<u8> = numbers
        .iter()
        .flat_map(|number| number.to_le_bytes())
        .collect();
    let found = ask_numpy(work, &words, &bytes)?;
    Ok(found.map(|found| Found {
        mark: Some(mark),
        ..found
    }))
}

/// Runs work on bytes in NumPy, which gets them as its input; `None` without NumPy.
pub(super) fn ask_numpy(work: &str, words: &[String], bytes: &[u8]) -> Result<Option<Found>> {
    let Some(python) = python::find() else {
        return Ok(None);
    };
    let mut child = Command::new(python)
        .arg(root().join("tests/browser/src/peers/numpy_peers.py"))
        .args([work, &RUNS.to_string()])
        .args(words)
        .envs(
            ["OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"]
                .map(|threads| (threads, "1")),
        )
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    child
        .stdin
        .take()
        .ok_or("Python reads nothing")?
        .write_all(bytes)?;
    let output = child.wait_with_output()?;
    Ok(Some(serde_json::from_slice(&output.stdout)?))
}
