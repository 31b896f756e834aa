//! Runs scenarios as tests, each in every engine, and reuses browsers between scenarios.
//!
//! Starting a browser takes longer than most scenarios. A scenario gets an idle browser with a fresh tab; its page is
//! closed afterwards. If it fails, its browser is ended.

use std::any::Any;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use libtest_mimic::{Arguments, Failed, Trial};
use xtask::browsers::{Engine, Programs};
use xtask::steps::SKIP_PREFIX;
use xtask::{Result, ci, root};

use crate::Page;
use crate::page::DID_NOT_BEGIN;

/// Part of a failure message of a page without errors.
const NO_ERRORS: &str = "the page's errors: []";

/// A visitor's actions and the expected reaction of the page.
#[derive(Clone)]
pub struct Scenario {
    name: String,
    /// Engines to run it in.
    engines: &'static [Engine],
    run: Arc<dyn Fn(&Page) -> Result + Send + Sync>,
}

impl Scenario {
    /// A scenario by its name, which begins with its module.
    pub fn new(name: &str, run: impl Fn(&Page) -> Result + Send + Sync + 'static) -> Self {
        // Without the name of the crate, which is the same for all.
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

    /// The scenario in every engine: the behaviour of the browser is part of its subject.
    pub fn in_every_engine(self) -> Self {
        Self {
            engines: &Engine::ALL,
            ..self
        }
    }

    fn in_engine(&self, engine: Engine) -> Trial {
        let scenario = self.clone();
        Trial::test(format!("{}::{}", self.name, engine.name()), move || {
            let begun = Instant::now();
            let result = scenario.try_in(engine);
            let mut durations = DURATIONS.lock().unwrap_or_else(PoisonError::into_inner);
            durations.push((begun.elapsed(), engine, scenario.name.clone()));
            result
        })
    }

    /// Runs the scenario in an engine. On a developer's machine without the engine, prints a line and skips it.
    ///
    /// After the scenario the page must not have had an error, shown or not.
    fn try_in(&self, engine: Engine) -> std::result::Result<(), Failed> {
        let programs = match engine.programs() {
            Ok(programs) => programs,
            Err(error) if ci() => return Err(format!("{}: {error}", engine.name()).into()),
            Err(error) => {
                // The line starts anew, since the test harness may have begun one.
                println!("\n{SKIP_PREFIX}{} in {}: {error}", self.name, engine.name());
                return Ok(());
            }
        };
        match self.try_in_browsers(engine, &programs) {
            Err(error) if may_be_unsteady() => {
                // At most one repetition: a page that is at fault fails again.
                self.say_again(engine, &error);
                Ok(self.try_in_browsers(engine, &programs)?)
            }
            result => Ok(result?),
        }
    }

    /// Runs the scenario; again in another browser if the browser itself failed.
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
        // A failed assertion is an error like others: it may be repeated, and has a screenshot.
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
        lock().push(page);
        Ok(())
    }
}

/// Message of a panic.
fn words_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    text.unwrap_or_else(|| "a panic without words".to_owned())
}

/// Whether an error means that the browser itself, or its driver, failed. Each does so once in some thousand scenarios
/// on a busy machine, at any point:
///
/// * WebKit and Chromium's driver end.
/// * Firefox loads the page, and nothing in it begins; the page's record of errors is empty.
/// * In WebKit the worker's allocator finds its heap inconsistent. Our code has no `unsafe`, the same program with the
///   same input runs in the other engines, and ten runs of the scenario in a row did not show it again; what WebKit's
///   compiler makes of 128-bit loads and stores is the likeliest cause, which is not proven. A visitor gets another
///   worker then.
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

/// Browsers that may fail in one scenario. WebKit has failed twice in a row in one that opens every view.
const MOST_FAILED_BROWSERS: usize = 2;

/// Scenarios that may fail once in a run and pass the second time. On a busy machine about one in a thousand scenarios
/// times out; an unstable page fails more often.
const MOST_UNSTEADY: usize = 2;

/// Number of scenarios that failed once.
static UNSTEADY: AtomicUsize = AtomicUsize::new(0);

/// Whether one more scenario may fail once.
fn may_be_unsteady() -> bool {
    UNSTEADY.fetch_add(1, Ordering::Relaxed) < MOST_UNSTEADY
}

/// Duration of every scenario that has run.
static DURATIONS: Mutex<Vec<(Duration, Engine, String)>> = Mutex::new(Vec::new());

/// Number of scenarios in the list of the slowest.
const SLOWEST: usize = 12;

/// Prints the total duration by engine, and the slowest scenarios. Writes the duration of each to
/// `target/scenario-times.txt`.
fn print_durations() {
    let mut durations =
        std::mem::take(&mut *DURATIONS.lock().unwrap_or_else(PoisonError::into_inner));
    for engine in Engine::ALL {
        let here = durations.iter().filter(|(_, other, _)| *other == engine);
        let total: Duration = here.clone().map(|(duration, ..)| *duration).sum();
        if !total.is_zero() {
            let (name, count) = (engine.name(), here.count());
            println!(
                "{name}: {count} scenarios, {:.0} s in all",
                total.as_secs_f64()
            );
        }
    }
    durations.sort_by_key(|(duration, ..)| std::cmp::Reverse(*duration));
    let lines: Vec<String> = durations
        .iter()
        .map(|(duration, engine, name)| {
            let seconds = duration.as_secs_f64();
            format!("{seconds:6.1} s {name}::{}", engine.name())
        })
        .collect();
    lines
        .iter()
        .take(SLOWEST)
        .for_each(|line| println!("{line}"));
    if let Err(error) = fs::write(root().join("target/scenario-times.txt"), lines.join("\n")) {
        println!("could not write the times of the scenarios: {error}");
    }
}

/// Browsers that are not in use.
static IDLE: Mutex<Vec<Page>> = Mutex::new(Vec::new());

fn lock() -> std::sync::MutexGuard<'static, Vec<Page>> {
    IDLE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Takes an idle browser of an engine and resets it. Browsers of other engines are ended: scenarios run engine by
/// engine, and memory is scarce.
fn idle(engine: Engine) -> Option<Page> {
    loop {
        let (found, others): (Option<Page>, Vec<Page>) = {
            let mut idle = lock();
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

/// Runs scenarios in every engine, as selected on the command line.
pub fn run(scenarios: &[Scenario]) -> ExitCode {
    let in_engine = |engine: Engine| {
        let here = scenarios
            .iter()
            .filter(move |s| s.engines.contains(&engine));
        here.map(move |s| s.in_engine(engine))
    };
    let trials = Engine::ALL.into_iter().flat_map(in_engine).collect();
    let conclusion = libtest_mimic::run(&Arguments::from_args(), trials);
    // Statics are never dropped, so the browsers would outlive the tests.
    drop(std::mem::take(&mut *lock()));
    print_durations();
    conclusion.exit_code()
}

/// Ends a scenario that needs something this machine lacks. With CI set this is an error, because a test that never
/// runs there would never fail.
pub fn skip(what: &str) -> Result {
    if ci() {
        return Err(format!("this needs {what}, and nothing is skipped where CI is set").into());
    }
    println!("\n{SKIP_PREFIX}without {what}");
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

/// Lists the scenarios of a file by the engines that they run in, as a function `scenarios`.
///
/// Every engine runs first sight, opening, keyboard, canvas, export, workers, offline use and accessibility. Numbers,
/// links and texts do not depend on the engine: their scenarios run in Chromium.
#[macro_export]
macro_rules! scenarios {
    ($($engines:ident: [$($scenario:ident),+ $(,)?]),+ $(,)?) => {
        pub(crate) fn scenarios() -> Vec<$crate::suite::Scenario> {
            vec![$($($crate::suite::Scenario::new(
                concat!(module_path!(), "::", stringify!($scenario)),
                $scenario,
            ).$engines()),+),+]
        }
    };
}
