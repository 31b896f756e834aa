//! Fits of the preset's heads on this machine, and scipy's of the same profiles: a benchmark.

use std::cell::RefCell;
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::Instant;

use diagonal::analysis::{Answer, FitOptions, HeadId, Origin, Reply, Request, ScoreMode, Session};
use diagonal::checkpoint::MemorySource;
use diagonal::model::Choice;
use xtask::{Result, python, root};

/// Starts the page's search tries for each further kernel.
const STARTS: usize = 3;

/// The layer whose heads are fitted, from 0.
const LAYER: usize = 2;

/// Answers, and when they came.
#[derive(Default)]
struct Collected(RefCell<Vec<(Instant, Answer)>>);

impl Reply for Collected {
    fn send(&self, answer: Answer) {
        self.0.borrow_mut().push((Instant::now(), answer));
    }

    async fn pause(&self) {}
}

/// Prints how long a fit of five kernels takes natively and in scipy, side by side, and both R².
pub fn race(heads: usize) -> Result {
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    let session: Session<MemorySource> = Session::default();
    let ask = |request, files| {
        let reply = Collected::default();
        runtime.block_on(session.answer(request, files, &reply));
        reply.0.into_inner()
    };
    let name = "minilm-l6.safetensors";
    let bytes = std::fs::read(root().join("www/presets").join(name))?;
    let origin = Origin::File {
        name: name.to_owned(),
        config: None,
    };
    let file = vec![(name.to_owned(), MemorySource::new(bytes))];
    ask(Request::Open(1, origin, Choice::default()), file);
    let mut profiles = Vec::new();
    for head in 0..heads {
        let id = HeadId {
            model: 1,
            mode: ScoreMode::Paper,
            layer: LAYER,
            head,
        };
        let profile = ask(Request::Head(id), Vec::new()).into_iter();
        profiles.extend(profile.filter_map(|(_, answer)| match answer {
            Answer::Head(detail) => Some(detail.fit.f),
            _ => None,
        }));
    }
    // What comes between two answers is the scores of a head, their diagonal means, and the fit.
    let mut before = Instant::now();
    let every = Request::FitHeads(1, ScoreMode::Paper, Some(LAYER), FitOptions::default());
    let ours = ask(every, Vec::new()).into_iter();
    let ours: Vec<(f64, f64)> = ours
        .filter_map(|(when, answer)| match answer {
            Answer::Fit(fit) => {
                let seconds = (when - std::mem::replace(&mut before, when)).as_secs_f64();
                Some((seconds, fit.r2))
            }
            _ => None,
        })
        .collect();
    let Some(scipys) = scipy(&profiles) else {
        println!("scipy's fits: not measured, there is no Python with scipy");
        return Ok(());
    };
    println!(
        "\nfits of 5 kernels to heads of layer {}, {STARTS} starts, both natively on one core",
        LAYER + 1
    );
    for (head, ((seconds, r2), (scipy, scipy_r2))) in ours.iter().zip(scipys).enumerate() {
        println!(
            "head {:>2}: {:>6.1} ms, R² {r2:.4}; scipy {:>9.1} ms, R² {scipy_r2:.4}: {:>5.0} times as fast (goal 50)",
            head + 1,
            1000.0 * seconds,
            1000.0 * scipy,
            scipy / seconds
        );
    }
    Ok(())
}

fn scipy(profiles: &[Vec<f64>]) -> Option<Vec<(f64, f64)>> {
    let script = root().join("tests/browser/src/scipy_fit.py");
    let mut child = Command::new(python::find()?)
        .arg(script)
        .args(["5", &STARTS.to_string()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let text = serde_json::to_vec(profiles).ok()?;
    child.stdin.take()?.write_all(&text).ok()?;
    let output = child.wait_with_output().ok()?;
    serde_json::from_slice(&output.stdout).ok()
}
