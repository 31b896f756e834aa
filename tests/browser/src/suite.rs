//! Scenarios as tests: each in every engine, in browsers that one scenario hands to the next.
//!
//! Starting a browser takes longer than most scenarios. A scenario gets a browser that is idle, with a tab of its
//! own, and the page that it leaves is closed; a scenario that fails takes its browser with it.

use std::any::Any;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use libtest_mimic::{Arguments, Failed, Trial};
use xtask::browsers::{Engine, Programs};
use xtask::steps::SKIPPED;
use xtask::{Result, ci, root};

use crate::Page;
use crate::page::DID_NOT_BEGIN;

/// What a failure says of a page that met no error.
const NO_ERRORS: &str = "the page's errors: []";

/// Something a visitor does, and what the page must do then.
#[derive(Clone)]
pub struct Scenario {
    name: String,
    /// Engines in which it runs.
    engines: &'static [Engine],
    run: Arc<dyn Fn(&Page) -> Result + Send + Sync>,
}

impl Scenario {
    /// A scenario by its name, which begins with the module it is in.
    pub fn new(name: &str, run: impl Fn(&Page) -> Result + Send + Sync + 'static) -> Self {
        // The name of the crate is the same for all.
        let name = name.split_once("::").map_or(name, |(_, rest)| rest);
        Self {
            name: name.to_owned(),
            engines: &Engine::ALL,
            run: Arc::new(run),
        }
    }

    /// The scenario in Chromium alone: its subject does not differ between engines, or only Chromium can measure it.
    pub fn in_chromium(self) -> Self {
        Self {
            engines: &[Engine::Chromium],
            ..self
        }
    }

    fn in_engine(&self, engine: Engine) -> Trial {
        let scenario = self.clone();
        Trial::test(format!("{}::{}", self.name, engine.name()), move || {
            scenario.try_in(engine)
        })
    }

    /// Runs the scenario in an engine: skipped, with a line, where a developer's machine lacks the engine.
    ///
    /// After the scenario the page must have met no error, told or untold.
    fn try_in(&self, engine: Engine) -> std::result::Result<(), Failed> {
        let programs = match engine.programs() {
            Ok(programs) => programs,
            Err(error) if ci() => return Err(format!("{}: {error}", engine.name()).into()),
            Err(error) => {
                // The line stands alone, whatever the test harness has begun to write.
                println!("\n{SKIPPED}{} in {}: {error}", self.name, engine.name());
                return Ok(());
            }
        };
        match self.try_in_browsers(engine, &programs) {
            Err(error) if may_be_unsteady() => {
                // Nothing is forgiven twice: a page that fails by itself does so again.
                self.say_again(engine, &error);
                Ok(self.try_in_browsers(engine, &programs)?)
            }
            result => Ok(result?),
        }
    }

    /// Runs the scenario, in another browser where one fails.
    fn try_in_browsers(
        &self,
        engine: Engine,
        programs: &Programs,
    ) -> std::result::Result<(), String> {
        for _ in 0..MOST_FAILED_BROWSERS {
            match self.try_once(engine, programs) {
                Err(error) if browser_failed(engine, &error) => self.say_again(engine, &error),
                result => return result,
            }
        }
        self.try_once(engine, programs)
    }

    fn say_again(&self, engine: Engine, error: &str) {
        let (name, engine) = (&self.name, engine.name());
        println!("\n{name} in {engine} is tried again: {error}");
    }

    fn try_once(&self, engine: Engine, programs: &Programs) -> std::result::Result<(), String> {
        let page = match idle(engine) {
            Some(page) => page,
            None => Page::start(engine, programs, "")
                .map_err(|error| format!("{}: {error}", engine.name()))?,
        };
        // An assertion that fails is an error like others: it may be tried again, and has a picture.
        let ran = catch_unwind(AssertUnwindSafe(|| (self.run)(&page)));
        let result = ran.unwrap_or_else(|panic| Err(words_of(&*panic).into()));
        if let Err(error) = result.and_then(|()| page.met_no_error()) {
            let seen = keep_screenshot(&page, &format!("{}-{}.png", self.name, engine.name()));
            let mut errors = page.errors().unwrap_or_default();
            errors.truncate(5);
            let errors = errors.join("\n  ");
            return Err(format!(
                "{error}\n  the page's errors: [{errors}]\n  {seen}"
            ));
        }
        locked().push(page);
        Ok(())
    }
}

/// What a panic says.
fn words_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    text.unwrap_or_else(|| "a panic without words".to_owned())
}

/// Whether an error says that the browser itself, or its driver, failed under a scenario. Each does so once in some
/// thousand scenarios on a busy machine, wherever it happens to be:
///
/// * WebKit and Chromium's driver end.
/// * Firefox loads the page, and nothing in it begins; the page's record of errors is empty.
/// * In WebKit the worker's allocator finds its heap inconsistent. Nothing of ours is `unsafe`, the same program with
///   the same input runs in the other engines, and ten runs of the scenario in a row did not show it again; what
///   WebKit's compiler makes of 128-bit loads and stores is the likeliest cause, which is not proven. A visitor
///   gets another worker then.
fn browser_failed(engine: Engine, error: &str) -> bool {
    let ends = [
        "session deleted because of page crash or hang",
        "webdriver server did not respond",
        "tab crashed",
    ];
    ends.iter().any(|end| error.contains(end))
        || error.contains(DID_NOT_BEGIN) && error.contains(NO_ERRORS)
        || engine == Engine::WebKit && error.contains("dlmalloc")
}

/// Browsers that may fail under one scenario. WebKit has failed twice in a row under one that opens every view.
const MOST_FAILED_BROWSERS: usize = 2;

/// Scenarios that may fail once in a run and pass the second time. A wait that is too short for a machine that does
/// something else just then is met once in a thousand scenarios; a page that has become unsteady is met more often.
const MOST_UNSTEADY: usize = 2;

/// Scenarios that failed once.
static UNSTEADY: AtomicUsize = AtomicUsize::new(0);

/// Whether one more scenario may fail once.
fn may_be_unsteady() -> bool {
    UNSTEADY.fetch_add(1, Ordering::Relaxed) < MOST_UNSTEADY
}

/// Browsers that no scenario uses at the moment.
static IDLE: Mutex<Vec<Page>> = Mutex::new(Vec::new());

fn locked() -> std::sync::MutexGuard<'static, Vec<Page>> {
    IDLE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// An idle browser of an engine, as if it had just been started. Those of other engines end: scenarios come engine
/// by engine, and memory is dear.
fn idle(engine: Engine) -> Option<Page> {
    loop {
        let (found, others): (Option<Page>, Vec<Page>) = {
            let mut idle = locked();
            let others = idle.extract_if(.., |page| page.engine != engine).collect();
            (idle.pop(), others)
        };
        drop(others);
        let page = found?;
        match page.begin_anew() {
            Ok(()) => return Some(page),
            Err(error) => println!("\n{} is started anew: {error}", engine.name()),
        }
    }
}

/// Runs scenarios in every engine, as the command line says.
pub fn run(scenarios: &[Scenario]) -> ExitCode {
    let in_engine = |engine: Engine| {
        let here = scenarios
            .iter()
            .filter(move |s| s.engines.contains(&engine));
        here.map(move |s| s.in_engine(engine))
    };
    let trials = Engine::ALL.into_iter().flat_map(in_engine).collect();
    let conclusion = libtest_mimic::run(&Arguments::from_args(), trials);
    // A static is never dropped, and a browser would outlive the tests.
    drop(std::mem::take(&mut *locked()));
    conclusion.exit_code()
}

/// Ends a scenario that lacks something this machine does not have: an error where nobody looks, because a test that
/// never runs there would never fail.
pub fn skip(what: &str) -> Result {
    if ci() {
        return Err(format!("this needs {what}, and nothing is skipped where CI is set").into());
    }
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

/// Lists the scenarios of a file, in a function `scenarios`.
#[macro_export]
macro_rules! in_every_engine {
    ($($scenario:ident),+ $(,)?) => {
        pub(crate) fn scenarios() -> Vec<$crate::suite::Scenario> {
            vec![$($crate::suite::Scenario::new(
                concat!(module_path!(), "::", stringify!($scenario)),
                $scenario,
            )),+]
        }
    };
}
