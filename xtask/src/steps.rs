//! Runs a list of checks, prints the name and duration of each, and summarises them.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::Instant;

use crate::Result;

/// Prefix of the line that a test prints if it cannot run here. It counts as skipped, not as passed.
pub const SKIP_PREFIX: &str = "skipped: ";

/// The checks run so far.
#[derive(Debug, Default)]
pub struct Steps {
    counts: Counts,
    failures: Vec<String>,
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Counts {
    passed: usize,
    failed: usize,
    skipped: usize,
}

impl Steps {
    /// Runs one check. Records a failure for the summary; returns whether the check passed.
    pub fn check(&mut self, name: &str, check: impl FnOnce() -> Result) -> bool {
        self.step(name, |counts| {
            check()?;
            counts.passed += 1;
            Ok(())
        })
    }

    /// Runs a `cargo test` command and counts the tests it reports.
    pub fn tests(&mut self, name: &str, command: &mut Command) -> bool {
        self.step(name, |counts| {
            let mut child = command.stdout(Stdio::piped()).spawn()?;
            let output = child.stdout.take().ok_or("cargo test has no output")?;
            let mut counted = Counts::default();
            for line in BufReader::new(output).lines() {
                let line = line?;
                println!("{line}");
                counted.read(&line);
            }
            let ended = child.wait()?;
            // A test that does not compile, or that aborts its process, reports no result.
            let silent = !ended.success() && counted.failed == 0;
            let failed = counted.failed;
            counts.passed += counted.passed.saturating_sub(counted.skipped);
            counts.failed += failed;
            counts.skipped += counted.skipped;
            match (ended.success(), silent) {
                (true, _) => Ok(()),
                (false, true) => Err(format!("cargo test ended with {ended}").into()),
                (false, false) => Err(Box::new(Counted(failed))),
            }
        })
    }

    /// Records a check that could not be run.
    pub fn skip(&mut self, name: &str, reason: &str) {
        println!("\n── {name}\n   {SKIP_PREFIX}{reason}");
        self.counts.skipped += 1;
    }

    /// Prints the summary; returns whether everything passed.
    pub fn finish(self) -> bool {
        println!();
        for failure in &self.failures {
            println!("failed: {failure}");
        }
        let Counts {
            passed,
            failed,
            skipped,
        } = self.counts;
        println!("{passed} passed, {failed} failed, {skipped} skipped");
        failed == 0
    }

    fn step(&mut self, name: &str, run: impl FnOnce(&mut Counts) -> Result) -> bool {
        println!("\n── {name}");
        let start = Instant::now();
        let result = run(&mut self.counts);
        let seconds = start.elapsed().as_secs_f64();
        let Err(error) = result else {
            println!("   done in {seconds:.1} s");
            return true;
        };
        if !error.is::<Counted>() {
            self.counts.failed += 1;
        }
        println!("   FAILED after {seconds:.1} s: {error}");
        self.failures.push(format!("{name}: {error}"));
        false
    }
}

impl Counts {
    /// Adds the counts in a line of `cargo test`'s output.
    fn read(&mut self, line: &str) {
        if line.contains(SKIP_PREFIX) {
            self.skipped += 1;
        }
        let Some(result) = line.strip_prefix("test result: ") else {
            return;
        };
        for part in result.split([';', '.']) {
            match part
                .trim()
                .split_once(' ')
                .map(|(number, what)| (number.parse::<usize>(), what))
            {
                Some((Ok(number), "passed")) => self.passed += number,
                Some((Ok(number), "failed")) => self.failed += number,
                // Cargo does not count an ignored test as passed.
                Some((Ok(number), "ignored")) => {
                    self.passed += number;
                    self.skipped += number;
                }
                _ => {}
            }
        }
    }
}

/// An error whose failed tests have already been counted.
#[derive(Debug)]
struct Counted(usize);

impl std::fmt::Display for Counted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} tests failed", self.0)
    }
}

impl std::error::Error for Counted {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_of_cargo_test_are_summed() {
        let mut counts = Counts::default();
        for line in [
            "running 4 tests",
            "test chromium::opens ... ok",
            "skipped: webkit: no WebDriver",
            "test result: FAILED. 3 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s",
            "test result: ok. 2 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s",
        ] {
            counts.read(line);
        }
        assert_eq!(
            counts,
            Counts {
                passed: 6,
                failed: 1,
                skipped: 2
            }
        );
    }

    #[test]
    fn one_failure_fails_the_whole() {
        let mut steps = Steps::default();
        assert!(steps.check("good", || Ok(())));
        assert!(!steps.check("bad", || Err("for a reason".into())));
        assert_eq!(
            steps.counts,
            Counts {
                passed: 1,
                failed: 1,
                skipped: 0
            }
        );
        assert!(!steps.finish());
    }
}
