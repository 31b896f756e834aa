//! The project's commands: `cargo xtask help` lists them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use xtask::browsers::Engine;
use xtask::server::{Content, Server};
use xtask::steps::Steps;
use xtask::{
    Result, browsers, cargo, ci, minilm, npm, offline, preset, python, root, run, site, snapshots,
    tools,
};

const HELP: &str = "\
cargo xtask COMMAND

  serve [--port N] [--no-open]   build the page and serve it on this machine (port 8080)
  build                          build the page into dist/
  dist [DIR]                     build the page into DIR, for any static host
  check                          formatting, lints and native tests: no browser is needed
  test                           all of that, the page within its budget, and its tests in browsers
  test browser [ENGINE…]         the page and its tests in all, or some of chromium firefox webkit
  snapshots                      changed pictures of figures on one page: old, new and difference
  fuzz [CASES]                   every parser against damaged input, a million cases each
  bench [PART…]                  build the page and measure it in Chromium: all, or some of
                                 first kernels drafts encodings fits openings large remote many toeplitz
                                 waves images heads rotary texts training lessons; first is the first figure over slow
                                 4G, CPU ÷ 4
  bench peers [--keep] [WORK…]   the page beside onnxruntime-web, TensorFlow.js and NumPy, in one run:
                                 all, or some of product r2 attention heads fits repaint; --keep adds
                                 the rows to the history and renews the README's picture of them
  shots DIR                      screenshots of every view
  pictures                       renew the README's pictures
  runs [RECIPE…]                 train the runs that ship with the page, in Chromium: a few minutes
  preset [NAME…]                 remake all, or some of the models that ship with the page, from the
                                 Python packages that publish them
  help                           this

What a command needs is installed when it first needs it: the compiler's WebAssembly target, and for
the tests browsers (on Debian, as root), their drivers, and NumPy. The first build takes about 6 minutes
on two cores.
";

/// Name of the step that builds the page.
const PAGE_STEP: &str = "the page, within its budget";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match command(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn command(arguments: &[String]) -> Result {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["serve", options @ ..] => serve(options),
        ["build"] => site::build(&dist()),
        ["dist"] => site::build(&dist()),
        ["dist", folder] => site::build(&std::path::absolute(folder)?),
        ["check"] => check_all(check_native),
        ["test"] => test(),
        ["test", "browser", names @ ..] => {
            let engines = engines(names)?;
            check_all(|steps| {
                let is_built = steps.check(PAGE_STEP, || site::build(&dist()));
                check_page(steps, is_built, &engines);
            })
        }
        ["snapshots"] => snapshots::write_page(),
        ["fuzz"] => fuzz("1000000"),
        ["fuzz", cases] => fuzz(cases),
        ["bench", parts @ ..] => {
            browsers::ensure()?;
            if parts.first() == Some(&"peers") {
                // Before the build, which takes minutes.
                npm::PEERS.files()?;
                python::ensure_fast();
            }
            site::build(&dist())?;
            run(browser_program("bench").args(parts))
        }
        ["shots", folder] => {
            browsers::ensure()?;
            site::build(&dist())?;
            run(browser_program("shots").arg(std::path::absolute(folder)?))
        }
        ["pictures"] => {
            browsers::ensure()?;
            site::build(&dist())?;
            run(&mut browser_program("readme"))
        }
        ["runs", recipes @ ..] => {
            browsers::ensure()?;
            site::build(&dist())?;
            run(browser_program("runs").args(recipes))
        }
        ["preset", ..] => preset::run_program(&arguments[1..]),
        [] | ["help" | "--help" | "-h"] => {
            print!("{HELP}");
            Ok(())
        }
        other => Err(format!("no such command: {}\n\n{HELP}", other.join(" ")).into()),
    }
}

/// Runs the fuzz tests of `test` with many more cases.
fn fuzz(cases: &str) -> Result {
    let arguments = [
        "test",
        "--test",
        "it",
        "fuzz::",
        "--",
        "--ignored",
        "--nocapture",
    ];
    run(cargo()
        .args(arguments)
        .env("FUZZ_CASES", cases)
        .current_dir(root()))
}

fn dist() -> PathBuf {
    root().join("dist")
}

/// Runs a binary of the crate that drives browsers.
fn browser_program(name: &str) -> Command {
    let mut command = cargo();
    command.args([
        "run",
        "--quiet",
        "--package",
        "browser",
        "--bin",
        name,
        "--",
    ]);
    command.current_dir(root());
    command
}

fn serve(options: &[&str]) -> Result {
    const PORT: u16 = 8080;
    let (mut port, mut open) = (None, !ci());
    let mut options = options.iter();
    while let Some(option) = options.next() {
        match *option {
            "--port" => port = Some(options.next().ok_or("--port needs a number")?.parse()?),
            "--no-open" => open = false,
            other => return Err(format!("serve knows no {other}").into()),
        }
    }
    site::build(&dist())?;
    let start = |port| {
        Server::start(
            Content {
                folder: dist(),
                // Without this, a browser would show the previous build from the service worker's cache.
                overlay: offline::removal_files(&dist())?,
                has_cached_programs: true,
                ..Content::default()
            },
            port,
        )
    };
    let server = match port {
        Some(port) => start(port)?,
        // The default port may be in use.
        None => start(PORT).or_else(|_| start(0))?,
    };
    println!("\nDiagonal is at {} (stop with Ctrl-C)", server.url());
    if open {
        let quietly = Command::new("xdg-open")
            .arg(server.url())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        // Ignore errors: without a desktop, the URL is printed above.
        drop(quietly);
    }
    server.wait();
    Ok(())
}

/// Parses names of engines; without names, returns all engines.
fn engines(names: &[&str]) -> Result<Vec<Engine>> {
    let engine = |name: &&str| {
        let found = Engine::ALL
            .into_iter()
            .find(|engine| engine.name() == *name);
        found.ok_or_else(|| format!("{name} is not among chromium, firefox and webkit").into())
    };
    match names {
        [] => Ok(Engine::ALL.to_vec()),
        names => names.iter().map(engine).collect(),
    }
}

/// Runs checks and prints a summary. Exits with status 1 if a check failed.
fn check_all(checks: impl FnOnce(&mut Steps)) -> Result {
    let mut steps = Steps::default();
    checks(&mut steps);
    if !steps.finish() {
        // The summary is the last line of output.
        std::process::exit(1);
    }
    Ok(())
}

/// Checks formatting and lints, and runs the native tests.
fn check_native(steps: &mut Steps) {
    let in_root = |arguments: &str| {
        let mut command = cargo();
        command.args(arguments.split(' ')).current_dir(root());
        command
    };
    steps.check("the compiler's target and tools", || {
        tools::wasm_target()?;
        tools::components()
    });
    steps.check("formatting", || run(&mut in_root("fmt --all -- --check")));
    let clippy = |what: &str| {
        run(&mut in_root(&format!(
            "clippy --quiet {what} -- -D warnings"
        )))
    };
    steps.check("lints, native", || {
        clippy("--workspace --all-targets")?;
        clippy("--workspace --test scenarios")
    });
    steps.check("lints, page and worker", || {
        clippy("--target wasm32-unknown-unknown --features page,worker,text-tokenizer/library")
    });
    let mut tests = in_root("test --workspace --no-fail-fast");
    // Use the same cases for every run; `cargo test` alone uses new ones each time.
    tests.env("PROPTEST_RNG_SEED", "20250917");
    // Install here, so that no test does.
    if let Some(python) = python::ensure() {
        tests.env(python::VARIABLE, python);
    }
    steps.tests("native tests", &mut tests);
}

/// Runs every check. The page is built beside the native checks, since one core compiles most of either.
fn test() -> Result {
    // Not by both at once.
    tools::wasm_target()?;
    let log = root().join("target/page-build.log");
    let output = fs::File::create(&log)?;
    println!("building the page beside the native checks; its output follows them");
    let mut build = Command::new(std::env::current_exe()?)
        .arg("build")
        .current_dir(root())
        .stdout(output.try_clone()?)
        .stderr(output)
        .spawn()?;
    check_all(|steps| {
        check_native(steps);
        let is_built = steps.check(PAGE_STEP, || {
            let status = build.wait()?;
            print!("{}", fs::read_to_string(&log)?);
            match status.success() {
                true => Ok(()),
                false => Err(format!("the build ended with {status}").into()),
            }
        });
        check_page(steps, is_built, &Engine::ALL);
    })
}

/// Runs the page's tests in some engines, if there is a page.
fn check_page(steps: &mut Steps, is_built: bool, engines: &[Engine]) {
    match is_built {
        true => test_browser(steps, &dist(), engines),
        false => steps.skip("tests in browsers", "there is no page"),
    }
}

fn test_browser(steps: &mut Steps, dist: &Path, engines: &[Engine]) {
    // Install here, so that no test has to wait.
    if let Err(error) = browsers::ensure() {
        println!("could not install the browsers: {error}");
    }
    for engine in engines {
        if let Err(error) = engine.programs() {
            println!("{}: {error}", engine.name());
        }
    }
    if let Err(error) = npm::AXE.files() {
        println!("could not install what looks for barriers: {error}");
    }
    minilm::minilm();
    python::ensure();
    let mut tests = cargo();
    // Without capturing, so that skipped tests are printed.
    tests.args(
        "test --workspace --test scenarios --no-fail-fast -- --nocapture --test-threads=2"
            .split(' '),
    );
    for engine in Engine::ALL {
        if !engines.contains(&engine) {
            tests.args(["--skip", &format!("::{}", engine.name())]);
        }
    }
    steps.tests(
        "tests in browsers",
        tests.env("DIAGONAL_DIST", dist).current_dir(root()),
    );
}
