//! A second program in a worker, beside the page's: requests, attachments, cancellation, and an end after silence.

use browser::suite::Scenario;
use browser::{Page, Result, race_module};
use serde_json::json;
use std::time::Duration;

pub(crate) fn scenarios() -> Vec<Scenario> {
    vec![
        Scenario::new(
            "it::worker_programs::a_second_program_answers_until_it_is_silent",
            a_second_program_answers_until_it_is_silent,
        )
        .in_chromium(),
    ]
}

/// The script that starts the program.
const START: &str =
    "import init, { serve_counts } from './races.js'; await init(); serve_counts();";

fn a_second_program_answers_until_it_is_silent(page: &Page) -> Result {
    let mut content = page.content()?;
    content.overlay.extend(race_module::quick_module()?);
    content.overlay.insert("count.js".to_owned(), START.into());
    let url = page.serve_beside(content)?;
    page.goto(&url)?;
    page.eval(
        "(window.found = undefined, import(new URL('races.js', location.href))\
         .then(async races => { await races.default(); window.found = await races.count_in_worker('count.js'); })\
         .catch(error => { window.found = String(error); }), true)",
    )?;
    page.wait_until_within("window.found", Duration::from_secs(60))?;
    assert_eq!(
        page.eval("window.found.split('\\n')")?,
        json!([
            "1: Next(1) None",
            "1: Next(2) None",
            "1: Last Some([3, 4])",
            "3: Last None",
            "Silent"
        ])
    );
    Ok(())
}
