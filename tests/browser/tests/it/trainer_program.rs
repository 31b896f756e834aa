//! The program that trains: one recipe gives the same bits in every engine, however its steps are asked for.

use browser::{
    Page, Result, scenarios, shipped_runs,
    trainer_probe::{self, ask, open},
};
use diagonal::training::{
    RECORD_FILE, SHIPPED_RUNS, TrainerRequest, TrainerResponse, TrainingRecord,
};
use std::{
    fs,
    path::{Path, PathBuf},
};

scenarios! {
    in_every_engine: [one_recipe_gives_the_same_bits],
    in_chromium: [shipped_runs_are_those_that_train, requests_that_cannot_be_met_get_a_sentence],
}

fn start(page: &Page, recipe: &str, text: &[u8]) -> Result<TrainerResponse> {
    let recipe = recipe.to_owned();
    last_response(page, &TrainerRequest::Start { recipe }, text)
}

fn last_response(page: &Page, request: &TrainerRequest, text: &[u8]) -> Result<TrainerResponse> {
    let last = ask(page, request, text)?.pop();
    Ok(last.ok_or("no response")?.0)
}

/// Trains a recipe to its end, the first steps one by one. Returns the file of its last snapshot.
fn train(page: &Page, recipe: &str, single_steps: u32) -> Result<Vec<u8>> {
    let response = start(page, recipe, b"")?;
    assert!(
        matches!(response, TrainerResponse::Started(_)),
        "{response:?}"
    );
    let (mut asked, mut losses, mut file) = (0, 0, None);
    loop {
        let request = match asked < single_steps {
            true => TrainerRequest::Step,
            false => TrainerRequest::Train,
        };
        asked += 1;
        let (mut snapshots, pulse) = trainer_probe::train(page, &request)?;
        file = snapshots.pop().and_then(|(_, file)| file).or(file);
        losses += pulse.losses.len();
        if asked <= single_steps {
            assert_eq!((pulse.step, pulse.losses.len()), (asked, 1));
        }
        if pulse.is_finished {
            assert_eq!(losses as u32, pulse.step);
            return file.ok_or_else(|| "no snapshot at the end".into());
        }
    }
}

/// Where the file of the last snapshot is stored.
fn stored() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../data/training/offset2-200-steps.safetensors")
}

fn one_recipe_gives_the_same_bits(page: &Page) -> Result {
    const RECIPE: &str = "offset2.learned-tisa2.n16d16l1h2r2b4.5.200";
    open(page)?;
    let at_once = train(page, RECIPE, 0)?;
    assert!(
        at_once == train(page, RECIPE, 40)?,
        "steps one by one give other bits"
    );
    let expected = fs::read(stored()).unwrap_or_default();
    if at_once != expected {
        let new = std::env::temp_dir().join("offset2-200-steps.safetensors");
        fs::write(&new, &at_once)?;
        return Err(format!(
            "other bits than those stored; they are in {}",
            new.display()
        )
        .into());
    }
    Ok(())
}

/// Trains the first steps of each shipped run, up to its first snapshot after step 0.
fn shipped_runs_are_those_that_train(page: &Page) -> Result {
    for recipe in SHIPPED_RUNS {
        let json = fs::read(shipped_runs::folder(recipe).join(RECORD_FILE))?;
        let shipped = TrainingRecord::read(&json)?;
        let steps: Vec<u32> = shipped.snapshots.iter().map(|state| state.step).collect();
        let run = shipped_runs::train_run(page, recipe, Some(steps[1]))?;
        assert_eq!(run.record.description, shipped.description);
        let mut compared = 0;
        for (state, weights) in run.record.snapshots.iter().zip(&run.weights) {
            let Some(at) = steps.iter().position(|step| *step == state.step) else {
                continue;
            };
            shipped_runs::compare(recipe, state, weights, &shipped.description.config)?;
            let stored = &shipped.snapshots[at];
            assert_eq!(state.held_out_loss, stored.held_out_loss, "{recipe}");
            assert_eq!(state.kernels, stored.kernels, "{recipe}");
            compared += 1;
        }
        assert!(compared >= 2, "{recipe}: {compared} snapshots");
        let losses = run.record.losses;
        assert_eq!(losses[..], shipped.losses[..losses.len()], "{recipe}");
    }
    Ok(())
}

/// Fails unless the response is a sentence with a word.
fn failed(response: TrainerResponse, word: &str) -> Result {
    match response {
        TrainerResponse::Failed(sentence) if sentence.contains(word) && sentence.ends_with('.') => {
            Ok(())
        }
        other => Err(format!("{other:?} has no “{word}”").into()),
    }
}

fn requests_that_cannot_be_met_get_a_sentence(page: &Page) -> Result {
    open(page)?;
    failed(last_response(page, &TrainerRequest::Train, b"")?, "No run")?;
    for (recipe, text, word) in [
        ("chain.cubic.m.1.5", &b""[..], "no encoding"),
        (
            "chain.learned.n300d64l2h4r4b1.1.5",
            b"",
            "between 4 and 256",
        ),
        ("text.learned.m.1.5", b"", "empty"),
        ("text.learned.m.1.5", b"short", "longer text"),
        ("text.learned.m.1.5", &[0xff; 3000], "UTF-8"),
    ] {
        failed(start(page, recipe, text)?, word)?;
    }
    // The program goes on after all of them.
    train(page, "chain.none.n8d8l1h1r1b2.1.3", 1)?;
    Ok(())
}
