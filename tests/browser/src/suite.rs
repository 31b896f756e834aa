//! One test, run in every engine.

use std::fs;

use xtask::browsers::Engine;
use xtask::steps::SKIPPED;
use xtask::{Result, ci, root};

use crate::Page;

/// Runs a scenario in an engine: skipped, with a line, where a developer's machine lacks the engine.
///
/// After the scenario the page must have met no error, told or untold.
pub fn run(engine: Engine, name: &str, scenario: fn(&Page) -> Result) {
    let programs = match engine.programs() {
        Ok(programs) => programs,
        Err(error) if ci() => panic!("{}: {error}", engine.name()),
        Err(error) => {
            // On a line of its own, whatever the test harness has begun to write.
            println!("\n{SKIPPED}{} in {}: {error}", name, engine.name());
            return;
        }
    };
    let page = Page::start(engine, &programs, "")
        .unwrap_or_else(|error| panic!("{}: {error}", engine.name()));
    if let Err(error) = scenario(&page).and_then(|()| page.met_no_error()) {
        let seen = keep_screenshot(&page, &format!("{name}-{}.png", engine.name()));
        let errors = page.errors().unwrap_or_default().join("\n  ");
        panic!(
            "{} in {}: {error}\n  the page's errors: [{errors}]\n  {seen}",
            name,
            engine.name()
        );
    }
}

/// Ends a scenario that lacks something this machine cannot have.
pub fn skip(what: &str) -> Result {
    println!("\n{SKIPPED}without {what}");
    Ok(())
}

fn keep_screenshot(page: &Page, name: &str) -> String {
    let folder = root().join("target/browser-failures");
    let path = folder.join(name.replace("::", "-"));
    let kept = fs::create_dir_all(&folder)
        .map_err(Into::into)
        .and_then(|()| page.screenshot())
        .and_then(|image| {
            fs::write(&path, image)?;
            Ok(())
        });
    match kept {
        Ok(()) => format!("what it looked like: {}", path.display()),
        Err(error) => format!("no screenshot: {error}"),
    }
}

/// Turns scenarios into tests, one for each engine: `scenario::chromium`, `scenario::firefox`, ….
#[macro_export]
macro_rules! in_every_engine {
    ($($scenario:ident),+ $(,)?) => {
        $(mod $scenario {
            const NAME: &str = concat!(module_path!());

            #[test]
            fn chromium() {
                $crate::suite::run($crate::Engine::Chromium, NAME, super::$scenario);
            }

            #[test]
            fn firefox() {
                $crate::suite::run($crate::Engine::Firefox, NAME, super::$scenario);
            }

            #[test]
            fn webkit() {
                $crate::suite::run($crate::Engine::WebKit, NAME, super::$scenario);
            }
        })+
    };
}
