//! Benchmark: fits of the preset's heads on this machine, and scipy's fits of the same profiles.

use std::cell::RefCell;
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::Instant;

use diagonal::analysis::{
    AnswerEvent, FitOptions, HeadFits, HeadId, HeadOverview, ListedQuestion, MemorySession,
    ModelVersion, Objective, OpenModel, Origin, Question, ResponseSink, ScoreInput, ScoreMode,
};
use diagonal::checkpoint::MemorySource;
use diagonal::model::ModelOptions;
use xtask::{Result, python, root};

use crate::Page;

/// Starting points that the page's search tries for each further kernel.
const STARTS: usize = 3;

/// The layer whose heads are fitted, from 0.
const LAYER: usize = 2;

/// The preset's model version in this session.
const PRESET: ModelVersion = ModelVersion { id: 1, revision: 1 };

/// Chunks of an answer, with their times of arrival.
struct Collected<Q: Question>(RefCell<Vec<(Instant, Q::Chunk)>>);

impl<Q: Question> ResponseSink for Collected<Q> {
    fn send(&self, event: AnswerEvent) {
        if let AnswerEvent::Chunk(bytes) = event
            && let Ok(piece) = postcard::from_bytes(&bytes)
        {
            self.0.borrow_mut().push((Instant::now(), piece));
        }
    }
}

/// Sends a question to a session in this process.
fn ask<Q: ListedQuestion>(
    session: &MemorySession,
    question: Q,
    files: Vec<(String, MemorySource)>,
) -> Result<Vec<(Instant, Q::Chunk)>> {
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    let reply = Collected::<Q>(RefCell::default());
    runtime.block_on(session.answer(question.into(), files, &reply));
    Ok(reply.0.into_inner())
}

/// Milliseconds from the click to the fits of all of the preset's heads, for each of `runs` runs.
///
/// # Errors
/// If the page does not show all fits.
pub fn all_heads(page: &Page, runs: usize) -> Result<Vec<f64>> {
    let mut totals = Vec::new();
    for _ in 0..runs {
        page.open("?view=kernels&model=minilm-l6")?;
        page.model("minilm-l6")?;
        page.figure("kernel-attention")?;
        page.wait_until("[...document.querySelectorAll('.fit button')].some(b => b.textContent === 'Fit all heads' && !b.disabled)")?;
        let status = "document.querySelector('.fit [role=status]').textContent";
        let script = format!(
            "(async () => {{ const begun = performance.now();\
               [...document.querySelectorAll('.fit button')].find(b => b.textContent === 'Fit all heads').click();\
               while (!/^72 heads/.test({status})) await new Promise(done => setTimeout(done, 4));\
               return performance.now() - begun; }})()"
        );
        totals.push(page.eval_async(&script)?.as_f64().unwrap_or(f64::NAN));
    }
    Ok(totals)
}

/// Prints the times and R² of fits of five kernels, natively and in scipy, side by side. Returns the median of scipy's
/// times in seconds; `None` without scipy.
pub fn race(heads: usize) -> Result<Option<f64>> {
    let session = MemorySession::default();
    let name = "minilm-l6.safetensors";
    let bytes = std::fs::read(root().join("www/presets").join(name))?;
    let open = OpenModel {
        version: PRESET,
        origin: Origin::Files,
        choice: ModelOptions::default(),
    };
    ask(
        &session,
        open,
        vec![(name.to_owned(), MemorySource::new(bytes))],
    )?;
    let mut profiles = Vec::new();
    for head in 0..heads {
        let of = HeadId {
            model: PRESET,
            input: ScoreInput::Positions(ScoreMode::Paper),
            layer: LAYER,
            head,
        };
        let pieces = ask(&session, HeadOverview { of }, Vec::new())?;
        profiles.extend(
            pieces
                .into_iter()
                .map(|(_, head)| head.fit.f.values().to_vec()),
        );
    }
    // The time between two answers covers a head's scores, their diagonal means, and the fit.
    let mut before = Instant::now();
    let every = HeadFits {
        of: PRESET,
        input: ScoreInput::Positions(ScoreMode::Paper),
        layer: Some(LAYER),
        // scipy minimizes least squares.
        options: FitOptions {
            objective: Objective::LeastSquares,
            ..FitOptions::default()
        },
    };
    let ours: Vec<(f64, f64)> = ask(&session, every, Vec::new())?
        .into_iter()
        .filter_map(|(when, fit)| {
            let seconds = (when - std::mem::replace(&mut before, when)).as_secs_f64();
            Some((seconds, fit.ok()?.r2))
        })
        .collect();
    let Some(scipys) = scipy(&profiles) else {
        println!("scipy's fits: not measured, there is no Python with scipy");
        return Ok(None);
    };
    println!(
        "\nfits of 5 kernels by least squares to heads of layer {}, {STARTS} starts, both natively on one core",
        LAYER + 1
    );
    for (head, ((seconds, r2), (scipy, scipy_r2))) in ours.iter().zip(&scipys).enumerate() {
        println!(
            "head {:>2}: {:>6.1} ms, R² {r2:.4}; scipy {:>9.1} ms, R² {scipy_r2:.4}: {:>5.0} times as fast (goal 50)",
            head + 1,
            1000.0 * seconds,
            1000.0 * scipy,
            scipy / seconds
        );
    }
    let mut times: Vec<f64> = scipys.iter().map(|(seconds, _)| *seconds).collect();
    times.sort_by(f64::total_cmp);
    Ok(times.get(times.len() / 2).copied())
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
