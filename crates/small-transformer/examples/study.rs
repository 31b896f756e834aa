//! Trains every task with every encoding from several seeds, and prints a table: held-out loss and accuracy, the losses
//! of the best and of a bag-of-symbols predictor, R² of P = E·Eᵀ off the main diagonal for encodings with a table, steps
//! and seconds.
//!
//! `cargo run --release -p small-transformer --example study -- [size] [steps] [seeds] [tasks] [encodings]`, where tasks
//! and encodings are lists with commas, and `all` stands for every one.

use small_transformer::{EncodingName, TaskName, Trainer, TrainingRecipe};
use std::{error::Error, time::Instant};

/// Share of the variance of P = E·Eᵀ off its main diagonal that its diagonals' means explain.
fn r2_off_diagonal(table: &[f32], n: usize) -> f64 {
    let d = table.len() / n;
    let row = |i: usize| &table[i * d..][..d];
    let cell = |i: usize, j: usize| {
        row(i)
            .iter()
            .zip(row(j))
            .map(|(a, b)| f64::from(a * b))
            .sum::<f64>()
    };
    let cells: Vec<(usize, f64)> = (0..n)
        .flat_map(|i| (0..i).map(move |j| (i, j)))
        .map(|(i, j)| (i - j, cell(i, j)))
        .collect();
    let mut means = vec![(0.0, 0.0); n];
    for (k, cell) in &cells {
        means[*k].0 += cell / (n - k) as f64;
    }
    let mean = cells.iter().map(|(_, cell)| cell).sum::<f64>() / cells.len() as f64;
    let total: f64 = cells.iter().map(|(_, cell)| (cell - mean).powi(2)).sum();
    let rest: f64 = cells
        .iter()
        .map(|(k, cell)| (cell - means[*k].0).powi(2))
        .sum();
    means.clear();
    1.0 - rest / total
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let argument =
        |at: usize, default: &str| arguments.get(at).map_or(default, String::as_str).to_owned();
    let size = argument(0, "n32d32l2h4r4b16").parse()?;
    let steps: u32 = argument(1, "600").parse()?;
    let seeds: u64 = argument(2, "2").parse()?;
    let tasks = argument(3, "all").replace("all", "offset3,chain,text,next,repeat,reverse");
    let encodings = EncodingName::ALL.map(|name| name.to_string()).join(",");
    let encodings = argument(4, "all").replace("all", &encodings);
    let text = std::fs::read(argument(
        5,
        "crates/small-transformer/../../www/texts/README.md",
    ))?;
    println!("task | encoding | loss | best | bag | right | R² off diagonal | steps | seconds");
    println!("---|---|---|---|---|---|---|---|---");
    for task in tasks.split(',') {
        let task: TaskName = task.parse()?;
        for encoding in encodings.split(',') {
            let encoding: EncodingName = encoding.parse()?;
            let (mut losses, mut right, mut r2, mut seconds) = (vec![], vec![], vec![], vec![]);
            let mut references = None;
            for seed in 1..=seeds {
                let recipe = TrainingRecipe {
                    task: task.clone(),
                    encoding,
                    size,
                    seed,
                    steps,
                };
                let start = Instant::now();
                let mut trainer = Trainer::new(&recipe, &text)?;
                for _ in 0..steps {
                    trainer.step()?;
                }
                seconds.push(start.elapsed().as_secs_f64());
                let score = trainer.evaluate()?;
                losses.push(score.loss);
                right.push(score.accuracy);
                references = Some(trainer.reference_losses());
                let table = trainer
                    .tensors()
                    .into_iter()
                    .find(|tensor| tensor.name.contains("position_embeddings"));
                if let Some(table) = table {
                    r2.push(r2_off_diagonal(&table.values, table.shape[0]));
                }
                if std::env::var_os("HEADS").is_some() {
                    for head in trainer.attention_by_offset() {
                        let peak = head.peak();
                        let most = head.attention.iter().copied().fold(0.0, f64::max);
                        println!(
                            "  layer {} head {}: {most:.2} at {peak}",
                            head.layer, head.head
                        );
                    }
                    for kernel in trainer.kernels() {
                        println!("  {kernel:.2?}");
                    }
                }
            }
            let Some(references) = references else {
                continue;
            };
            let best = references
                .best
                .map_or("–".to_owned(), |best| format!("{best:.3}"));
            let r2 = if r2.is_empty() {
                "–".to_owned()
            } else {
                format!("{:.2}", median(r2))
            };
            println!(
                "{task} | {encoding} | {:.3} | {best} | {:.3} | {:.3} | {r2} | {steps} | {:.1}",
                median(losses),
                references.bag,
                median(right),
                median(seconds)
            );
        }
    }
    Ok(())
}
