//! A browser and its WebDriver; both are started for one session and end with it.

use std::io::{BufRead, BufReader};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use xtask::Result;
use xtask::browsers::{Engine, Programs};

/// The running programs of one session.
#[derive(Debug)]
pub struct Driver {
    /// Address of the WebDriver.
    pub url: String,
    /// WebDriver capabilities to request.
    pub capabilities: Value,
    programs: Vec<Child>,
}

impl Driver {
    /// Starts the programs that drive an engine, with a fresh profile. `flags` are added to Chromium's own.
    pub fn start(engine: Engine, programs: &Programs, flags: &[&str]) -> Result<Self> {
        let mut started = Vec::new();
        let port = free_port()?;
        let mut driver = Command::new(&programs.driver);
        match engine {
            Engine::Chromium => driver.arg(format!("--port={port}")),
            // A free port for WebDriver BiDi too, or two sessions could not run at once.
            Engine::Firefox => driver.args(["--port", &port.to_string(), "--websocket-port", "0"]),
            Engine::WebKit => {
                let (display, number) = display()?;
                started.push(display);
                driver.args([format!("--port={port}"), "--host=127.0.0.1".to_owned()]);
                driver
                    .env("DISPLAY", format!(":{number}"))
                    .env_remove("WAYLAND_DISPLAY");
                // There is no graphics card behind a virtual display. With compositing off instead, a screenshot would
                // wait forever.
                driver.env("LIBGL_ALWAYS_SOFTWARE", "1")
            }
        };
        // Separate from the developer's desktop and its services.
        driver
            .env_remove("DBUS_SESSION_BUS_ADDRESS")
            .env("NO_AT_BRIDGE", "1");
        started.push(
            driver
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()?,
        );
        let driver = Self {
            url: format!("http://127.0.0.1:{port}"),
            capabilities: capabilities(engine, programs, flags),
            programs: started,
        };
        wait_for(port)?;
        Ok(driver)
    }

    /// The process of the WebDriver, which starts the browser.
    pub fn process(&self) -> Option<u32> {
        self.programs.last().map(Child::id)
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        // The driver before the display it draws on.
        for program in self.programs.iter_mut().rev() {
            let _ = program.kill();
            let _ = program.wait();
        }
    }
}

/// Command-line flags of Chromium.
const CHROMIUM: &[&str] = &[
    "--headless=new",
    "--no-first-run",
    "--disable-sync",
    "--disable-background-networking",
    "--disable-component-update",
    // Containers lack support for the sandbox, and their /dev/shm is small.
    "--no-sandbox",
    "--disable-dev-shm-usage",
    // Exact memory numbers, and a callable garbage collector.
    "--enable-precise-memory-info",
    "--js-flags=--expose-gc",
    "--force-color-profile=srgb",
    "--hide-scrollbars",
    "--lang=en-GB",
];

fn capabilities(engine: Engine, programs: &Programs, flags: &[&str]) -> Value {
    let browser = &programs.browser;
    let args = [CHROMIUM, flags].concat();
    match engine {
        Engine::Chromium => json!({
            "browserName": "chrome",
            "goog:chromeOptions": { "binary": browser, "args": args },
            "goog:loggingPrefs": { "browser": "ALL" },
        }),
        Engine::Firefox => json!({
            "browserName": "firefox",
            "moz:firefoxOptions": { "binary": browser, "args": ["-headless"] },
        }),
        Engine::WebKit => json!({
            "browserName": "MiniBrowser",
            "webkitgtk:browserOptions": { "binary": browser, "args": ["--automation"] },
        }),
    }
}

/// Starts a virtual display; returns it and its number.
fn display() -> Result<(Child, String)> {
    let mut display = Command::new("Xvfb")
        // Xvfb takes the first free number and writes it.
        .args([
            "-displayfd",
            "1",
            "-screen",
            "0",
            "1680x1200x24",
            "-nolisten",
            "tcp",
        ])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let output = display.stdout.take().ok_or("Xvfb has no output")?;
    let mut number = String::new();
    BufReader::new(output).read_line(&mut number)?;
    Ok((display, number.trim().to_owned()))
}

fn free_port() -> Result<u16> {
    Ok(TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port())
}

fn wait_for(port: u16) -> Result {
    let start = Instant::now();
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        if start.elapsed() > Duration::from_secs(20) {
            return Err("the WebDriver did not start within 20 s".into());
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    Ok(())
}
