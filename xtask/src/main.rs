//! The project's commands: `cargo xtask help` lists them.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use xtask::server::{Content, Server};
use xtask::steps::Steps;
use xtask::{
    Result, browsers, cargo, ci, minilm, npm, offline, preset, python, root, run, site, tools,
};

const HELP: &str = "\
cargo xtask COMMAND

  serve [--port N] [--no-open]   build the page and serve it on this machine (port 8080)
  build                          build the page into dist/
  dist [DIR]                     build the page into DIR, for any static host
  test [native|browser]          all checks, or one half of them
  fuzz [CASES]                   every parser against damaged input, a million cases each
  bench [PART…]                  build the page and measure it in Chromium: all, or some of
                                 kernels encodings fits openings large remote many toeplitz waves
  bench peers [--keep] [WORK…]   the page beside onnxruntime-web, TensorFlow.js and NumPy, in one run:
                                 all, or some of product r2 attention heads fits repaint; --keep adds
                                 the rows to the history and renews the README's picture of them
  shots DIR [--readme]           screenshots of every view; --readme renews the README's picture
  preset minilm-l6 PATH          remake the shipped preset from the full checkpoint
  help                           this

What a command needs is installed when it first needs it: the compiler's WebAssembly target, Trunk,
wasm-bindgen, wasm-split, and for the tests browsers (on Debian, as root), their drivers, and NumPy.
The first build takes about 13 minutes on two cores: 8 to compile the tools, 5 to compile the page. Tools
on PATH at exactly the versions in xtask/src/tools.rs are used as they are; where cargo binstall is
installed, it is asked first.
";

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
        // Trunk runs in the repository; the folder is meant from where the command is given.
        ["dist", folder] => site::build(&std::path::absolute(folder)?),
        ["test"] => test(true, true),
        ["test", "native"] => test(true, false),
        ["test", "browser"] => test(false, true),
        ["fuzz"] => fuzz("1000000"),
        ["fuzz", cases] => fuzz(cases),
        ["bench", parts @ ..] => {
            browsers::ensure()?;
            if parts.first() == Some(&"peers") {
                // Before anything takes minutes.
                npm::PEERS.files()?;
                python::ensure_fast();
            }
            site::build(&dist())?;
            run(browser_program("bench").args(parts))
        }
        ["shots", folder] | ["shots", folder, "--readme"] => {
            browsers::ensure()?;
            site::build(&dist())?;
            run(browser_program("shots")
                .arg(std::path::absolute(folder)?)
                .args(&words[2..]))
        }
        ["preset", ..] => preset::run(&arguments[1..]),
        [] | ["help" | "--help" | "-h"] => {
            print!("{HELP}");
            Ok(())
        }
        other => Err(format!("no such command: {}\n\n{HELP}", other.join(" ")).into()),
    }
}

/// The long run of what `test` does in short.
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

/// A program of the crate that drives browsers.
fn browser_program(name: &str) -> Command {
    let mut command = cargo();
    command.args([
        "run",
        "--quiet",
        "--profile",
        "tool",
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
                // Else a browser would show yesterday's page.
                overlay: offline::ended(&dist())?,
                ..Content::default()
            },
            port,
        )
    };
    let server = match port {
        Some(port) => start(port)?,
        // Something else may be using the usual port.
        None => start(PORT).or_else(|_| start(0))?,
    };
    println!("\nDiagonal is at {} (stop with Ctrl-C)", server.url());
    if open {
        let quietly = Command::new("xdg-open")
            .arg(server.url())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        // No desktop: the address stands above.
        drop(quietly);
    }
    server.wait();
    Ok(())
}

fn test(native: bool, browser: bool) -> Result {
    let mut steps = Steps::default();
    if native {
        tools::wasm_target()?;
        tools::components()?;
        let in_root = |arguments: &str| {
            let mut command = cargo();
            command.args(arguments.split(' ')).current_dir(root());
            command
        };
        steps.check("formatting", || run(&mut in_root("fmt --all -- --check")));
        // Nothing that lints build runs for long. In `dev` every macro would be compiled for speed, which on a
        // new machine takes ten minutes.
        let clippy = |what: &str| {
            let command = format!("clippy --quiet --profile tool {what} -- -D warnings");
            run(&mut in_root(&command))
        };
        steps.check("lints, native", || clippy("--workspace --all-targets"));
        steps.check("lints, page and worker", || {
            clippy("--target wasm32-unknown-unknown --features page,worker")
        });
        let mut library = in_root("test --no-fail-fast");
        // The same cases for the same commit; `cargo test` alone draws new ones each time.
        library.env("PROPTEST_RNG_SEED", "20250917");
        // Here, so that no test installs anything.
        if let Some(python) = python::ensure() {
            library.env(python::VARIABLE, python);
        }
        steps.tests("tests of the library", &mut library);
        steps.tests(
            "tests of the commands",
            &mut in_root("test --profile tool --package xtask"),
        );
    }
    let built = steps.check("the page, within its budget", || site::build(&dist()));
    if browser && built {
        test_browser(&mut steps, &dist());
    } else if browser {
        steps.skip("tests in browsers", "there is no page");
    }
    if !steps.finish() {
        // The closing line is the last one.
        std::process::exit(1);
    }
    Ok(())
}

fn test_browser(steps: &mut Steps, dist: &Path) {
    // Here, so that no test waits for an installation.
    if let Err(error) = browsers::ensure() {
        println!("could not install the browsers: {error}");
    }
    for engine in browsers::Engine::ALL {
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
    // Uncaptured, so that a test which is skipped says so.
    tests.args(
        "test --profile tool --package browser --no-fail-fast -- --nocapture --test-threads=2"
            .split(' '),
    );
    steps.tests(
        "tests in browsers",
        tests.env("DIAGONAL_DIST", dist).current_dir(root()),
    );
}
