//! The page in every engine, as a visitor sees it.
//!
//! Each scenario is a function over a [`browser::Page`]; after each, the page must not have had an error.

mod access;
mod bad_files;
mod checkpoints;
mod compare;
mod criteria;
mod downloads;
mod drag;
mod encodings;
mod exports;
mod extremes;
mod first_sight;
mod fits;
mod golden;
mod gpu;
mod heads_over_text;
mod history;
mod image_models;
mod images;
mod kernel_files;
mod kernels;
mod large_figures;
mod layer_sections;
mod lessons;
mod lifecycle;
mod link_consent;
mod links;
mod loading;
mod models;
mod numpy_comparison;
mod numpy_programs;
mod offline;
mod opening;
mod performances;
mod picture_files;
mod pointer;
mod pool;
mod presenting;
mod query_statistics;
mod real_files;
mod recovery;
mod reference;
mod remote;
mod sample_models;
mod save_menu;
mod shards;
mod sheets;
mod shipped_runs;
mod states;
mod text;
mod text_runs;
mod texts;
mod tokenizer_program;
mod trainer_program;
mod training;
mod transition;
mod two_heads;
mod views;
mod waves;
mod words_in_heads;
mod worker_programs;
mod worker_start;

use browser::suite::Scenario;
use std::process::ExitCode;

/// Restricts scenarios to Chromium: their subject does not differ between engines, or is measured in one.
fn in_chromium(scenarios: Vec<Scenario>) -> Vec<Scenario> {
    scenarios.into_iter().map(Scenario::in_chromium).collect()
}

fn main() -> ExitCode {
    let scenarios = [
        access::scenarios(),
        bad_files::scenarios(),
        checkpoints::scenarios(),
        compare::scenarios(),
        criteria::scenarios(),
        downloads::scenarios(),
        encodings::scenarios(),
        exports::scenarios(),
        extremes::scenarios(),
        first_sight::scenarios(),
        fits::scenarios(),
        gpu::scenarios(),
        drag::scenarios(),
        heads_over_text::scenarios(),
        history::scenarios(),
        image_models::scenarios(),
        images::scenarios(),
        kernels::scenarios(),
        large_figures::scenarios(),
        layer_sections::scenarios(),
        lessons::scenarios(),
        lifecycle::scenarios(),
        lifecycle::chromium_scenarios(),
        links::scenarios(),
        loading::scenarios(),
        models::scenarios(),
        numpy_programs::scenarios(),
        offline::scenarios(),
        opening::scenarios(),
        performances::scenarios(),
        pointer::scenarios(),
        pool::scenarios(),
        in_chromium(presenting::scenarios()),
        picture_files::scenarios(),
        query_statistics::scenarios(),
        real_files::scenarios(),
        recovery::scenarios(),
        reference::scenarios(),
        remote::scenarios(),
        link_consent::scenarios(),
        sample_models::scenarios(),
        save_menu::scenarios(),
        shards::scenarios(),
        sheets::scenarios(),
        shipped_runs::scenarios(),
        states::scenarios(),
        kernel_files::scenarios(),
        in_chromium(text::scenarios()),
        text_runs::scenarios(),
        texts::scenarios(),
        tokenizer_program::scenarios(),
        trainer_program::scenarios(),
        training::scenarios(),
        transition::scenarios(),
        two_heads::scenarios(),
        views::scenarios(),
        waves::scenarios(),
        words_in_heads::scenarios(),
        worker_programs::scenarios(),
        worker_start::scenarios(),
    ];
    browser::suite::run(&scenarios.concat())
}
