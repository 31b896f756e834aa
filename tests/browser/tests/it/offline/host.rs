//! A host that serves a copy of the page under a path, and later versions of it.

use super::cached_page::KEPT_WITHIN;
use browser::{Page, Result, page::dist, test_files::Folder};
use std::{
    collections::HashMap,
    fs,
    path::Path,
    time::{Duration, Instant},
};
use xtask::{
    faults::Faults,
    offline,
    server::{Content, Server},
};

/// Marks a later version of the page.
const LATER: &str = "<meta name=\"later\" content=\"yes\">";

/// A host that serves the page under a path.
pub(super) struct Host {
    pub(super) site: Folder,
    pub(super) overlay: HashMap<String, Vec<u8>>,
    pub(super) faults: Faults,
    pub(super) url: String,
    server: Option<Server>,
}

impl Host {
    const MOUNT: &str = "/some/place";

    /// Serves a copy of the built page.
    pub(super) fn start(page: &Page, name: &str) -> Result<Self> {
        let site = Folder::new(&format!("offline-{name}-{}", page.engine.name()))?;
        copy(&dist(), site.path())?;
        let mut host = Self {
            site,
            overlay: HashMap::new(),
            faults: Faults::default(),
            url: String::new(),
            server: None,
        };
        host.serve(0)?;
        Ok(host)
    }

    fn serve(&mut self, port: u16) -> Result {
        let content = Content {
            folder: self.site.path().to_owned(),
            mount: Self::MOUNT.to_owned(),
            overlay: self.overlay.clone(),
            faults: self.faults.clone(),
            ..Content::default()
        };
        let server = Server::start(content, port)?;
        self.url = server.url().to_owned();
        self.server = Some(server);
        Ok(())
    }

    /// Stops the host.
    pub(super) fn end(&mut self) {
        self.server = None;
    }

    /// Restarts the host at the same address.
    pub(super) fn return_again(&mut self) -> Result {
        let address = self.url.trim_start_matches("http://127.0.0.1:");
        let port = address.split('/').next().unwrap_or_default().parse()?;
        let begun = Instant::now();
        self.end();
        loop {
            match self.serve(port) {
                // The previous server may still be ending.
                Err(_) if begun.elapsed() < KEPT_WITHIN => {
                    std::thread::sleep(Duration::from_millis(50))
                }
                served => return served,
            }
        }
    }

    /// Deploys the next version: another page, with all its parts under other names.
    pub(super) fn deploy_later(&mut self) -> Result {
        let site = self.site.path();
        let index = site.join("index.html");
        let mut html = fs::read_to_string(&index)?;
        let (_, rest) = html.split_once("./page-").ok_or("no program")?;
        let program = format!("page-{}", rest.split('/').next().unwrap_or_default());
        let later = "page-0000000000000000";
        fs::rename(site.join(&program), site.join(later))?;
        // The policy names the bootstrap by its hash, so it is replaced too.
        html = html.replace(&program, later);
        let policy = html.find("<meta http-equiv").ok_or("no policy")?;
        let end = policy + html[policy..].find('>').ok_or("no end")? + 1;
        html.replace_range(policy..end, LATER);
        fs::write(&index, xtask::policy::apply(&html)?)?;
        offline::finish(site)?;
        self.return_again()
    }

    /// Opens the page and waits until it is ready.
    pub(super) fn show(&self, page: &Page, query: &str) -> Result {
        page.goto(&format!("{}{query}", self.url))?;
        ready(page)
    }
}

fn copy(from: &Path, to: &Path) -> Result {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let path = entry?.path();
        let place = to.join(path.file_name().unwrap_or_default());
        if path.is_dir() {
            copy(&path, &place)?;
        } else {
            fs::copy(&path, &place)?;
        }
    }
    Ok(())
}

/// Waits until the page shows its model.
pub(super) fn ready(page: &Page) -> Result {
    page.wait_until("!!document.querySelector('#open-file') && document.documentElement.dataset.ready === 'true'")
        .map(drop)
}
