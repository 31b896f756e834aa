//! Benchmark: Toeplitz R² from the factors against forming P, in one WebAssembly module in one browser.
//!
//! The module is compiled when the benchmark runs, with the profile of the page's worker, and served beside the page.
//! It is not part of the page.

use xtask::Result;

use crate::{Page, race_module};

/// The table's rows and columns.
const SIZE: (usize, usize) = (4096, 768);

/// Runs of each way; the median counts.
const RUNS: usize = 5;

/// Wanted speed of the factors relative to forming P.
const GOAL: f64 = 10.0;

/// Prints how long both ways take, and the ratio of the two.
pub fn race(page: &Page) -> Result {
    let _server = race_module::serve(page)?;
    // Alternating, so that a machine that slows down slows both.
    let run = format!(
        "(async () => {{\
           const {{ default: start, Race }} = await import(new URL('races.js', location.href));\
           await start();\
           const race = new Race({}, {}), times = {{ from_factors: [], by_forming: [] }}, r2 = {{}};\
           for (let run = 0; run < {RUNS}; run++)\
             for (const way in times) {{\
               const begun = performance.now(); r2[way] = race[way](); times[way].push(performance.now() - begun);\
               await new Promise(done => setTimeout(done));\
             }}\
           const median = times => times.sort((a, b) => a - b)[Math.floor(times.length / 2)];\
           return [median(times.from_factors), r2.from_factors, median(times.by_forming), r2.by_forming]; }})()",
        SIZE.0, SIZE.1
    );
    let [factors, factors_r2, formed, formed_r2]: [f64; 4] =
        serde_json::from_value(page.eval_async(&run)?)?;
    if (factors_r2 - formed_r2).abs() > 1e-4 {
        return Err(format!("the two ways differ: R² {factors_r2} and {formed_r2}").into());
    }
    println!(
        "\nToeplitz R² of a {}×{} table: {factors:.0} ms from the factors ({factors_r2:.6}), {formed:.0} ms by forming P ({formed_r2:.6}): {:.1} times as fast (goal {GOAL:.0})",
        SIZE.0,
        SIZE.1,
        formed / factors
    );
    Ok(())
}
