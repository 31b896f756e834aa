//! Trains the runs that ship with the page, in Chromium, by the program that the page has.
//!
//! `cargo xtask runs [RECIPE…]`.

use browser::shipped_runs::{folder, train_run};
use browser::{Engine, Page, Result};
use diagonal::training::SHIPPED_RUNS;

fn main() -> Result {
    let chosen: Vec<String> = std::env::args().skip(1).collect();
    let page = Page::start_plain(Engine::Chromium, &Engine::Chromium.programs()?)?;
    for recipe in SHIPPED_RUNS {
        if chosen.is_empty() || chosen.iter().any(|name| name == recipe) {
            println!("{recipe}");
            train_run(&page, recipe, None)?.write(&folder(recipe))?;
        }
    }
    Ok(())
}
