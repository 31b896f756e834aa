//! The page, as a visitor meets it, in every engine.
//!
//! Each scenario is a function over a [`browser::Page`]; after each, the page must have met no error.

mod access;
mod bad_files;
mod checkpoints;
mod compare;
mod criteria;
mod downloads;
mod encodings;
mod exports;
mod extremes;
mod first_sight;
mod fits;
mod golden;
mod gpu;
mod hand;
mod history;
mod image_models;
mod images;
mod kernels;
mod lessons;
mod links;
mod models;
mod offline;
mod opening;
mod pointer;
mod pool;
mod published;
mod recovery;
mod remote;
mod reopened;
mod shards;
mod states;
mod take_home;
mod views;
mod waves;

use std::process::ExitCode;

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
        hand::scenarios(),
        history::scenarios(),
        image_models::scenarios(),
        images::scenarios(),
        kernels::scenarios(),
        lessons::scenarios(),
        links::scenarios(),
        models::scenarios(),
        offline::scenarios(),
        opening::scenarios(),
        pointer::scenarios(),
        pool::scenarios(),
        published::scenarios(),
        recovery::scenarios(),
        remote::scenarios(),
        reopened::scenarios(),
        shards::scenarios(),
        states::scenarios(),
        take_home::scenarios(),
        views::scenarios(),
        waves::scenarios(),
    ];
    browser::suite::run(&scenarios.concat())
}
