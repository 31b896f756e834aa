//! Finds the browsers on this machine, and installs missing ones if that needs no interaction.
//!
//! Debian packages three engines with a WebDriver each: Chromium, Firefox (its driver comes from the crate registry)
//! and WebKitGTK, whose MiniBrowser needs an X display.

use std::path::{Path, PathBuf};

use crate::packages::{self, on_path};
use crate::{Result, tools};

const PACKAGES: [&str; 6] = [
    "chromium-headless-shell",
    "chromium-driver",
    "firefox-esr",
    "webkit2gtk-driver",
    "xvfb",
    "fonts-dejavu-core",
];

/// Programs that are Chromium, the preferred one first: without windows and menus, scenarios take a sixth less time.
const CHROMIUM: [&str; 4] = [
    "chromium-headless-shell",
    "chromium",
    "google-chrome",
    "chromium-browser",
];

/// A browser engine in which the page is tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// Chromium, also the engine of Chrome and Edge.
    Chromium,
    /// Firefox.
    Firefox,
    /// WebKit, the engine of Safari.
    WebKit,
}

/// The programs that drive an engine.
#[derive(Clone, Debug)]
pub struct Programs {
    /// The WebDriver server.
    pub driver: PathBuf,
    /// The browser's executable.
    pub browser: PathBuf,
}

impl Engine {
    /// All engines, the fastest to start first.
    pub const ALL: [Self; 3] = [Self::Chromium, Self::Firefox, Self::WebKit];

    /// Lower-case name of the engine, as tests and messages use it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Chromium => "chromium",
            Self::Firefox => "firefox",
            Self::WebKit => "webkit",
        }
    }

    /// Finds the programs of this engine on this machine. The error says what is missing.
    pub fn programs(self) -> Result<Programs> {
        let (driver, browser) = match self {
            Self::Chromium => {
                let browser = CHROMIUM.into_iter().find_map(on_path);
                (on_path("chromedriver"), browser.ok_or("no chromium")?)
            }
            Self::Firefox => {
                let browser = ["firefox-esr", "firefox"].into_iter().find_map(on_path);
                let browser = browser.ok_or("no firefox")?;
                (Some(tools::geckodriver()?), browser)
            }
            Self::WebKit => {
                on_path("Xvfb").ok_or("no Xvfb")?;
                (
                    on_path("WebKitWebDriver"),
                    mini_browser().ok_or("no WebKitGTK MiniBrowser")?,
                )
            }
        };
        Ok(Programs {
            driver: driver.ok_or("no WebDriver")?,
            browser,
        })
    }
}

/// Installs missing browsers on Debian-like systems with root access. Does nothing elsewhere.
pub fn ensure() -> Result {
    let complete = Engine::ALL.into_iter().all(|engine| match engine {
        // Firefox's driver is compiled on first use.
        Engine::Firefox => on_path("firefox-esr")
            .or_else(|| on_path("firefox"))
            .is_some(),
        _ => engine.programs().is_ok(),
    });
    if complete {
        return Ok(());
    }
    packages::install("the browsers", &PACKAGES)
}

/// WebKitGTK's test browser, which is not on `PATH`.
fn mini_browser() -> Option<PathBuf> {
    let folders = |path: &Path| {
        path.read_dir()
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.path())
    };
    let versions =
        folders(Path::new("/usr/lib")).flat_map(|path| folders(&path).collect::<Vec<_>>());
    versions
        .filter(|path| {
            path.file_name()
                .is_some_and(|name| name.to_string_lossy().starts_with("webkit2gtk-4."))
        })
        .map(|path| path.join("MiniBrowser"))
        .find(|path| path.is_file())
}
