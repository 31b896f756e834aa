//! Trains every task with every encoding from several seeds, and prints a table in Markdown, with medians over the seeds.
//!
//! `cargo run --release -p small-transformer --example study -- [size] [steps] [seeds] [tasks] [encodings] [text]`, where
//! tasks and encodings are lists with commas, and `all` stands for every one. The text is by default the page's book.
//!
//! The columns: held-out loss, its least and greatest; losses of the best and of a bag-of-symbols predictor; share of right
//! predictions; R² of P = E·Eᵀ off the main diagonal for encodings with a table; greatest R² of a head's mean attention;
//! the first steps at which the loss is below the bag's and 99 % are right, in steps of [`EVALUATION_STEPS`]; seconds of a run.

use small_transformer::{EncodingName, MeanAttention, TaskName, Trainer, TrainingRecipe};
use std::{error::Error, path::Path, time::Instant};

/// Number of steps between evaluations.
const EVALUATION_STEPS: u32 = 25;

/// Head of the table.
const HEAD: &str = "\
task | encoding | loss | least–greatest | best | bag | right | R² off diagonal | R² of a head | below bag at | 99 % right at | steps | seconds
---|---|---|---|---|---|---|---|---|---|---|---|---";

/// Outcome of one run.
struct StudyOutcome {
    loss: f64,
    accuracy: f64,
    best: Option<f64>,
    bag: f64,
    table_r2: Option<f64>,
    head_r2: f64,
    below_bag: Option<u32>,
    right: Option<u32>,
    seconds: f64,
}

/// Share of the variance of cells that the means of their diagonals explain. Each cell comes with its diagonal.
fn diagonal_r2(cells: &[(usize, f64)]) -> f64 {
    let diagonals = cells.iter().map(|(k, _)| k + 1).max().unwrap_or(0);
    let mut sums = vec![(0.0, 0.0); diagonals];
    for (k, cell) in cells {
        sums[*k].0 += cell;
        sums[*k].1 += 1.0;
    }
    let mean = cells.iter().map(|(_, cell)| cell).sum::<f64>() / cells.len() as f64;
    let total: f64 = cells.iter().map(|(_, cell)| (cell - mean).powi(2)).sum();
    let rest = |(k, cell): &(usize, f64)| (cell - sums[*k].0 / sums[*k].1).powi(2);
    1.0 - cells.iter().map(rest).sum::<f64>() / total
}

/// R² of P = E·Eᵀ off its main diagonal, for a table E \[n, d\].
fn table_r2(table: &[f32], n: usize) -> f64 {
    let row = |i: usize| &table[i * (table.len() / n)..][..table.len() / n];
    let cell = |i: usize, j: usize| {
        let products = row(i).iter().zip(row(j)).map(|(a, b)| f64::from(a * b));
        (i - j, products.sum())
    };
    let cells = (0..n).flat_map(|i| (0..i).map(move |j| (i, j)));
    diagonal_r2(&cells.map(|(i, j)| cell(i, j)).collect::<Vec<_>>())
}

/// Greatest R² of a head's mean attention over held-out sequences, of the keys that its queries see.
fn head_r2(trainer: &mut Trainer) -> f64 {
    let is_causal = trainer.model().shape().is_causal;
    let r2 = |head: &MeanAttention| {
        let n = head.n;
        let cells = head.mean.iter().enumerate();
        let cells = cells.map(|(at, mean)| (at / n, at % n, *mean));
        let seen = cells.filter(|(i, j, _)| j <= i || !is_causal);
        diagonal_r2(
            &seen
                .map(|(i, j, mean)| (n - 1 + j - i, mean))
                .collect::<Vec<_>>(),
        )
    };
    trainer
        .mean_attention()
        .iter()
        .map(r2)
        .fold(f64::MIN, f64::max)
}

/// Trains by a recipe.
fn run(recipe: &TrainingRecipe, text: &[u8]) -> Result<StudyOutcome, Box<dyn Error>> {
    let start = Instant::now();
    let mut trainer = Trainer::new(recipe, text)?;
    let references = trainer.reference_losses();
    let (mut below_bag, mut right) = (None, None);
    let mut score = trainer.evaluate()?;
    for step in 1..=recipe.steps {
        trainer.step()?;
        if step % EVALUATION_STEPS == 0 || step == recipe.steps {
            score = trainer.evaluate()?;
            below_bag = below_bag.or((score.loss < references.bag).then_some(step));
            right = right.or((score.accuracy >= 0.99).then_some(step));
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    let mut tensors = trainer.tensors().into_iter();
    let table = tensors.find(|tensor| tensor.name.contains("position_embeddings"));
    Ok(StudyOutcome {
        loss: score.loss,
        accuracy: score.accuracy,
        best: references.best,
        bag: references.bag,
        table_r2: table.map(|table| table_r2(&table.values, table.shape[0])),
        head_r2: head_r2(&mut trainer),
        below_bag,
        right,
        seconds,
    })
}

/// The median of a number over the outcomes; `None` where most have none.
fn median(outcomes: &[StudyOutcome], number: impl Fn(&StudyOutcome) -> Option<f64>) -> Option<f64> {
    let numbers = outcomes
        .iter()
        .map(|outcome| number(outcome).unwrap_or(f64::INFINITY));
    let mut numbers: Vec<f64> = numbers.collect();
    numbers.sort_by(f64::total_cmp);
    numbers
        .get(numbers.len() / 2)
        .copied()
        .filter(|number| number.is_finite())
}

/// A line of the table.
fn line(recipe: &TrainingRecipe, outcomes: &[StudyOutcome]) -> String {
    let text = |digits: usize, number: &dyn Fn(&StudyOutcome) -> Option<f64>| {
        median(outcomes, number).map_or("–".to_owned(), |number| format!("{number:.digits$}"))
    };
    let losses = || outcomes.iter().map(|outcome| outcome.loss);
    let least = losses().fold(f64::INFINITY, f64::min);
    let greatest = losses().fold(f64::NEG_INFINITY, f64::max);
    [
        recipe.task.to_string(),
        recipe.encoding.to_string(),
        text(3, &|outcome| Some(outcome.loss)),
        format!("{least:.3}–{greatest:.3}"),
        text(3, &|outcome| outcome.best),
        text(3, &|outcome| Some(outcome.bag)),
        text(3, &|outcome| Some(outcome.accuracy)),
        text(2, &|outcome| outcome.table_r2),
        text(2, &|outcome| Some(outcome.head_r2)),
        text(0, &|outcome| outcome.below_bag.map(f64::from)),
        text(0, &|outcome| outcome.right.map(f64::from)),
        recipe.steps.to_string(),
        text(1, &|outcome| Some(outcome.seconds)),
    ]
    .join(" | ")
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let argument =
        |at: usize, default: &str| arguments.get(at).map_or(default, String::as_str).to_owned();
    let size = argument(0, "n32d32l2h4r2b16").parse()?;
    let steps: u32 = argument(1, "600").parse()?;
    let seeds: u64 = argument(2, "5").parse()?;
    let tasks = argument(3, "all").replace("all", "offset3,chain,text,next,repeat,reverse");
    let encodings = EncodingName::ALL.map(|name| name.to_string()).join(",");
    let encodings = argument(4, "all").replace("all", &encodings);
    let book = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../www/training/alice.txt");
    let text = std::fs::read(arguments.get(5).map_or(book, Into::into))?;
    println!("{HEAD}");
    for task in tasks.split(',') {
        let task: TaskName = task.parse()?;
        for encoding in encodings.split(',') {
            let mut recipe = TrainingRecipe {
                task: task.clone(),
                encoding: encoding.parse()?,
                size,
                seed: 0,
                steps,
            };
            let outcomes = (1..=seeds).map(|seed| {
                recipe.seed = seed;
                run(&recipe, &text)
            });
            let outcomes = outcomes.collect::<Result<Vec<_>, _>>()?;
            println!("{}", line(&recipe, &outcomes));
        }
    }
    Ok(())
}
