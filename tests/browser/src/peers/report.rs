//! The measurements: as a table to read, as CSV, and as rows of the history.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::process::Command;

use xtask::browsers::Programs;
use xtask::{Result, npm, root};

use super::{Racer, picture};

/// One kind of work at one size: the median time of each racer, in milliseconds.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) what: String,
    pub(super) times: BTreeMap<Racer, f64>,
    /// The wanted speed relative to onnxruntime-web.
    pub(super) goal: Option<f64>,
}

impl Row {
    pub(super) fn new(what: String) -> Self {
        Self {
            what,
            times: BTreeMap::new(),
            goal: None,
        }
    }

    /// The page's speed relative to another racer.
    pub(super) fn ratio(&self, racer: Racer) -> Option<f64> {
        Some(self.times.get(&racer)? / self.times.get(&Racer::Ours)?)
    }
}

/// All rows, and the machine they were measured on.
#[derive(Debug)]
pub(super) struct Report {
    rows: Vec<Row>,
    machine: Machine,
    /// The graphics adapter of the browser, if it has one.
    pub(super) adapter: Option<String>,
    /// NumPy's matrix library (BLAS).
    pub(super) blas: Option<String>,
}

#[derive(Debug)]
struct Machine {
    date: String,
    commit: String,
    processor: String,
    cores: usize,
    browser: String,
    /// The load average over a minute when the benchmark began.
    load: String,
}

impl Machine {
    fn here(programs: &Programs) -> Result<Self> {
        let cpuinfo = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let processor = cpuinfo.lines().find(|line| line.starts_with("model name"));
        let processor = processor
            .and_then(|line| line.split_once(": "))
            .map_or("unknown", |(_, name)| name);
        let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
        let changed =
            !output("git", &["status", "--porcelain", "--untracked-files=no"])?.is_empty();
        let commit = output("git", &["rev-parse", "--short=8", "HEAD"])?;
        let browser = output(&programs.browser.to_string_lossy(), &["--version"])?;
        Ok(Self {
            date: output("date", &["-u", "+%Y-%m-%d"])?,
            commit: commit + if changed { "+" } else { "" },
            processor: processor.trim().to_owned(),
            cores: std::thread::available_parallelism()?.get(),
            browser: browser
                .split_whitespace()
                .take(2)
                .collect::<Vec<_>>()
                .join(" "),
            load: load
                .split_whitespace()
                .next()
                .unwrap_or_default()
                .to_owned(),
        })
    }
}

/// Output of a program.
fn output(program: &str, arguments: &[&str]) -> Result<String> {
    let output = Command::new(program)
        .args(arguments)
        .current_dir(root())
        .output();
    let output = output.map_err(|error| format!("could not start {program}: {error}"))?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

impl Report {
    pub(super) fn new(programs: &Programs, adapter: Option<&str>) -> Result<Self> {
        let machine = Machine::here(programs)?;
        let report = Self {
            rows: Vec::new(),
            machine,
            adapter: adapter.map(str::to_owned),
            blas: None,
        };
        let Machine {
            processor,
            cores,
            browser,
            load,
            commit,
            ..
        } = &report.machine;
        println!("{processor}, {cores} cores, load {load}; {browser}; commit {commit}");
        let versions = npm::PEERS.versions()?;
        let versions: Vec<_> = versions
            .iter()
            .map(|(name, version)| format!("{name} {version}"))
            .collect();
        println!(
            "{}; WebGPU: {}",
            versions.join(", "),
            adapter.unwrap_or("no adapter")
        );
        println!(
            "Medians in milliseconds, in brackets how many times as fast Diagonal is. – is what was not tried: it has no such"
        );
        println!(
            "kind of work, there is no adapter, it does not fit into memory, or it would have taken longer than 30 s.\n"
        );
        print!("{:<54}", "");
        for racer in Racer::ALL {
            print!("{:>24}", racer.title());
        }
        println!();
        Ok(report)
    }

    /// Adds a row and prints it.
    pub(super) fn add(&mut self, row: Row) {
        println!("{}", line(&row));
        self.rows.push(row);
    }

    /// Prints NumPy's library, and writes the files.
    pub(super) fn finish(&self, keep: bool) -> Result {
        match &self.blas {
            Some(blas) => println!("\nNumPy on one thread, with {blas}"),
            None => println!("\nNumPy was not measured: there is no Python with it"),
        }
        let folder = root().join("target/bench");
        fs::create_dir_all(&folder)?;
        let rows = self.csv();
        fs::write(folder.join("peers.csv"), format!("{HEADER}\n{rows}"))?;
        fs::write(
            folder.join("peers.svg"),
            picture::svg(&self.rows, &self.caption()),
        )?;
        println!(
            "The table and its picture: {}/peers.csv, peers.svg",
            folder.display()
        );
        if keep {
            append(&root().join("tests/bench/history.csv"), &rows)?;
            fs::copy(folder.join("peers.svg"), root().join(".github/peers.svg"))?;
            println!("kept in tests/bench/history.csv and .github/peers.svg");
        }
        Ok(())
    }

    /// Machine and date, for the picture.
    fn caption(&self) -> String {
        let Machine {
            processor,
            browser,
            date,
            ..
        } = &self.machine;
        format!("{processor}, one thread each, {browser}, {date}")
    }

    /// One CSV line per row.
    fn csv(&self) -> String {
        let Machine {
            date,
            commit,
            processor,
            cores,
            browser,
            load,
        } = &self.machine;
        let line = |row: &Row| {
            let times = Racer::ALL.map(|racer| {
                row.times
                    .get(&racer)
                    .map_or(String::new(), |time| format!("{time:.1}"))
            });
            let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
            let blas = self.blas.as_deref().unwrap_or_default();
            format!(
                "{date},{commit},{},{cores},{load},{},{},{},{}\n",
                quoted(processor),
                quoted(browser),
                quoted(&row.what),
                times.join(","),
                quoted(blas)
            )
        };
        self.rows.iter().map(line).collect()
    }
}

/// The columns of the CSV files. Times are milliseconds.
const HEADER: &str = "date,commit,processor,cores,load,browser,measure,ours,onnxruntime,tfjs_wasm,tfjs_webgpu,numpy,blas";

fn append(history: &Path, rows: &str) -> Result {
    let is_new = !history.exists();
    let mut file = OpenOptions::new().create(true).append(true).open(history)?;
    if is_new {
        writeln!(file, "{HEADER}")?;
    }
    Ok(file.write_all(rows.as_bytes())?)
}

/// A row as text.
fn line(row: &Row) -> String {
    let cells = Racer::ALL.map(|racer| {
        let text = match (row.times.get(&racer), row.ratio(racer)) {
            (None, _) => "–".to_owned(),
            (Some(time), Some(ratio)) if racer != Racer::Ours => format!("{time:.1} ({ratio:.2}×)"),
            (Some(time), _) => format!("{time:.1}"),
        };
        format!("{text:>24}")
    });
    let goal = row.goal.map_or(String::new(), |goal| {
        format!("  goal {goal}× onnxruntime-web")
    });
    format!("{:<54}{}{goal}", row.what, cells.concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row() -> Row {
        Row {
            what: "a, b".to_owned(),
            times: BTreeMap::from([(Racer::Ours, 10.0), (Racer::Onnxruntime, 25.0)]),
            goal: None,
        }
    }

    #[test]
    fn a_line_has_times_ratios_and_a_dash_for_who_was_not_there() {
        let line = line(&row());
        assert!(
            line.contains("25.0 (2.50×)") && line.contains("10.0"),
            "{line}"
        );
        assert_eq!(line.matches('–').count(), 3);
    }

    #[test]
    fn every_row_of_the_history_has_all_columns() {
        let machine = Machine {
            date: "2026-01-02".to_owned(),
            commit: "abc".to_owned(),
            processor: "A".to_owned(),
            cores: 2,
            browser: "B 1".to_owned(),
            load: "0.1".to_owned(),
        };
        let report = Report {
            rows: vec![row()],
            machine,
            adapter: None,
            blas: None,
        };
        let text = report.csv();
        // The measure's name contains a comma.
        assert_eq!(text.matches(',').count(), HEADER.matches(',').count() + 1);
        assert!(text.contains("\"a, b\",10.0,25.0,,,,\"\""), "{text}");
    }

    #[test]
    fn the_kept_history_has_the_columns_of_today() -> Result {
        let history = root().join("tests/bench/history.csv");
        if history.exists() {
            assert_eq!(fs::read_to_string(history)?.lines().next(), Some(HEADER));
        }
        Ok(())
    }
}
