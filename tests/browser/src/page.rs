//! Diagonal in its own words: views, figures, models, downloads.

use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};
use xtask::browsers::{Engine, Programs};
use xtask::server::{Content, Server};
use xtask::{Result, root};

use crate::probe;
use crate::session::Session;
use crate::table::Table;

/// The same window everywhere; the engines' own differ.
const WINDOW: (u32, u32) = (1280, 800);

/// An error is told up to this many characters; the rest is addresses in code.
const LONGEST: usize = 300;

/// How long the page may take to notice that its worker is silent, and to answer anew.
pub const RECOVERY: Duration = Duration::from_secs(60);

/// What is said of a page that was loaded and shows nothing of its own.
pub(crate) const DID_NOT_BEGIN: &str = "the page did not begin";

/// The page in a browser; everything a [`Session`] can do, it can.
#[derive(Debug)]
pub struct Page {
    // Ended before the server it reads from.
    session: Session,
    server: Server,
    /// Servers of other content, until the page begins anew: a page that is still open may ask for more.
    others: Mutex<Vec<Server>>,
}

/// A file the page handed to the visitor.
#[derive(Clone, Debug)]
pub struct Download {
    /// Its name.
    pub name: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

impl Deref for Page {
    type Target = Session;

    fn deref(&self) -> &Session {
        &self.session
    }
}

impl Page {
    /// Serves the built page, at the given path of a host, and starts a browser. Nothing is opened yet.
    pub fn start(engine: Engine, programs: &Programs, mount: &str) -> Result<Self> {
        let folder = dist();
        let overlay = probe::overlay(&folder)?;
        let server = Server::start(
            Content {
                folder,
                mount: mount.to_owned(),
                overlay,
                ..Content::default()
            },
            0,
        )?;
        Self::over(server, engine, programs, &["--disable-gpu"])
    }

    /// Serves content and starts a browser that has WebGPU, which is Chromium; where the machine has no GPU, a program
    /// stands in for it.
    pub fn start_with_gpu(programs: &Programs, content: Content) -> Result<Self> {
        const WITH_GPU: &[&str] = &["--enable-unsafe-webgpu"];
        Self::over(
            Server::start(content, 0)?,
            Engine::Chromium,
            programs,
            WITH_GPU,
        )
    }

    /// Serves the built page as a visitor gets it, for measuring and looking, but that it is not kept: what is measured
    /// is a first visit.
    pub fn start_plain(engine: Engine, programs: &Programs) -> Result<Self> {
        let server = Server::start(
            Content {
                folder: dist(),
                overlay: xtask::offline::ended(&dist())?,
                ..Content::default()
            },
            0,
        )?;
        Self::over(server, engine, programs, &["--disable-gpu"])
    }

    fn over(server: Server, engine: Engine, programs: &Programs, flags: &[&str]) -> Result<Self> {
        let session = Session::start(engine, programs, flags)?;
        session.resize(WINDOW.0, WINDOW.1)?;
        Ok(Self {
            session,
            server,
            others: Mutex::default(),
        })
    }

    /// Leaves nothing of what was done in this browser: no tab, nothing stored, nothing logged, a window as at first.
    pub fn begin_anew(&self) -> Result {
        let forget = "try { localStorage.clear(); sessionStorage.clear(); } catch { /* a blank page stores nothing */ }";
        self.script(forget, Vec::new())?;
        self.renew_tab()?;
        self.other_servers().clear();
        self.resize(WINDOW.0, WINDOW.1)?;
        if self.engine == Engine::Chromium {
            self.logs()?;
        }
        Ok(())
    }

    /// Opens the page with a query, `""` or like `?view=heads`, and waits until it has painted, and all of its model is
    /// there.
    pub fn open(&self, query: &str) -> Result {
        self.load(query)?;
        self.wait_until(
            "document.documentElement.dataset.ready === 'true' && !document.querySelector('[aria-busy=true]')",
        )
        .map(drop)
    }

    /// Opens the page where it may have nothing to paint yet: the heads of a model without heads.
    pub fn load(&self, query: &str) -> Result {
        self.goto(&format!("{}{query}", self.server.url()))?;
        self.wait_until("!!document.querySelector('#open-file')")
            .map(drop)
            .map_err(|error| format!("{DID_NOT_BEGIN}: {error}").into())
    }

    /// What is served, to serve it elsewhere.
    pub fn content(&self) -> Result<Content> {
        let folder = dist();
        Ok(Content {
            overlay: probe::overlay(&folder)?,
            folder,
            ..Content::default()
        })
    }

    /// What is served, with another Hub's origin in the page.
    pub fn content_beside(&self, hub: &crate::hub::Hub) -> Result<Content> {
        let mut content = self.content()?;
        let index = content.overlay.get_mut("index.html").ok_or("no page")?;
        let meta = format!(
            "<meta name=\"hub\" content=\"{}\"><meta charset",
            hub.origin()
        );
        *index = String::from_utf8(std::mem::take(index))?
            .replacen("<meta charset", &meta, 1)
            .into_bytes();
        Ok(content)
    }

    /// Takes errors that a test caused on purpose off the record: those with a word in them.
    pub fn forgive(&self, word: &str) -> Result {
        self.script(
            "if (window.probe) probe.errors = probe.errors.filter(e => !e.includes(arguments[0]))",
            vec![json!(word)],
        )?;
        if self.engine == Engine::Chromium {
            // Reading empties the browser's own log.
            self.logs()?;
        }
        Ok(())
    }

    /// Serves other content for the rest of the scenario; returns its address.
    pub fn serve_beside(&self, content: Content) -> Result<String> {
        let server = Server::start(content, 0)?;
        let url = server.url().to_owned();
        self.other_servers().push(server);
        Ok(url)
    }

    fn other_servers(&self) -> MutexGuard<'_, Vec<Server>> {
        self.others.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Where the page is served.
    pub fn base(&self) -> &str {
        self.server.url()
    }

    /// Changes the view by its link.
    pub fn view(&self, id: &str) -> Result {
        self.click(&format!("nav a[data-view='{id}']"))?;
        let shown = format!("document.querySelector(\"nav a[data-view='{id}'][aria-current]\")");
        self.wait_until(&format!("!!{shown}")).map(drop)
    }

    /// Waits until nothing on the page says any more that it is being computed.
    pub fn computed(&self, patience: Duration) -> Result {
        self.wait_until_within(
            "!document.querySelector('main').innerText.includes('Computing …')",
            patience,
        )
        .map(drop)
    }

    /// Chooses a model on the shelf.
    pub fn choose(&self, name: &str) -> Result {
        self.click(&format!("[data-model='{name}']"))?;
        self.model(name)
    }

    /// Waits until a figure shows something.
    pub fn figure(&self, id: &str) -> Result {
        let figure = figure(id);
        self.wait_until(&format!(
            "document.querySelector(\"{figure}\")?.dataset.state === 'ready'"
        ))
        .map(drop)
    }

    /// Opens files as a visitor with a keyboard would.
    pub fn open_files(&self, files: &[&Path]) -> Result {
        self.upload("#open-file", files)
    }

    /// The name of the model that is open, as the shelf marks it.
    pub fn current_model(&self) -> Result<String> {
        let name =
            self.eval("document.querySelector('[data-model][aria-current]')?.dataset.model ?? ''")?;
        Ok(name.as_str().unwrap_or_default().to_owned())
    }

    /// Waits until a model is open.
    pub fn model(&self, name: &str) -> Result {
        self.wait_until(&format!(
            "!!document.querySelector(\"[data-model='{name}'][aria-current]\")"
        ))
        .map(drop)
    }

    /// Waits until the whole table's R² is shown near a number.
    pub fn table_r2(&self, expected: f64, tolerance: f64) -> Result {
        self.wait_until(&format!(
            "Math.abs(parseFloat(document.querySelector(\"[data-r2='whole']\")?.textContent) - {expected}) <= {tolerance}"
        ))
        .map(drop)
    }

    /// What the page says to the visitor now, of all its message places.
    pub fn message(&self) -> Result<String> {
        let text = self.eval(
            "[...document.querySelectorAll('[role=status], [role=alert], #message')]\
             .filter(e => !e.hidden).map(e => e.textContent.trim()).join(' ').trim()",
        )?;
        Ok(text.as_str().unwrap_or_default().to_owned())
    }

    /// Takes every message away, so that the next one is of what is done next.
    pub fn dismiss(&self) -> Result {
        self.script(
            "for (const e of document.querySelectorAll('#message > *')) [...e.querySelectorAll('button')].at(-1)?.click()",
            Vec::new(),
        )?;
        self.wait_until("document.querySelectorAll('#message > *').length === 0")
            .map(drop)
    }

    /// Waits for a message about something.
    pub fn message_with(&self, word: &str) -> Result<String> {
        let words = json!(word.to_lowercase());
        self.wait_until(&format!(
            "[...document.querySelectorAll('[role=status], [role=alert], #message')]\
             .some(e => !e.hidden && e.textContent.toLowerCase().includes({words}))"
        ))?;
        self.message()
    }

    /// Megabytes read, as the meter says.
    pub fn megabytes_read(&self) -> Result<f64> {
        let text = self.text("#meter")?;
        let number = text.split_whitespace().find_map(|word| word.parse().ok());
        number.ok_or_else(|| format!("the meter shows no number: {text}").into())
    }

    /// Presses a button of a figure's toolbar and takes the file it makes.
    pub fn download(&self, id: &str, kind: &str) -> Result<Download> {
        self.press(id, &format!("Download {kind}"))?;
        self.downloaded()
    }

    /// The next file that the page hands over.
    pub fn downloaded(&self) -> Result<Download> {
        let file = self.wait_until("window.probe.downloads.shift()")?;
        let text = |key: &str| {
            file[key]
                .as_str()
                .ok_or_else(|| format!("a download without {key}"))
        };
        Ok(Download {
            name: text("name")?.to_owned(),
            bytes: BASE64_STANDARD.decode(text("base64")?)?,
        })
    }

    /// A figure's numbers.
    pub fn csv(&self, id: &str) -> Result<Table> {
        let file = self.download(id, "CSV")?;
        if !file.name.ends_with(".csv") {
            return Err(format!("a CSV file named {}", file.name).into());
        }
        String::from_utf8(file.bytes)?.parse()
    }

    /// Presses `Copy link` and takes the link.
    pub fn link(&self, id: &str) -> Result<String> {
        self.press(id, "Copy link")?;
        let link = self.wait_until("window.probe.copied.shift()")?;
        Ok(link.as_str().unwrap_or_default().to_owned())
    }

    /// Clicks the first button on the page that has a name, by text or label.
    pub fn click_named(&self, name: &str) -> Result {
        self.press_within("main", name)
    }

    /// Clicks the button of a figure that has a name, by text or label.
    fn press(&self, id: &str, name: &str) -> Result {
        self.figure(id)?;
        self.press_within(&figure(id), name)
    }

    fn press_within(&self, css: &str, name: &str) -> Result {
        let body = "const named = b => (b.getAttribute('aria-label') ?? b.textContent).trim() === arguments[1];\
                    const found = [...document.querySelectorAll(arguments[0] + ' button')].find(named);\
                    if (found) { document.querySelector('[data-pressed]')?.removeAttribute('data-pressed');\
                                 found.dataset.pressed = ''; }\
                    return !!found";
        if self.script(body, vec![json!(css), json!(name)])? != Value::Bool(true) {
            return Err(format!("{css} has no button {name}").into());
        }
        self.click("[data-pressed]")
    }

    /// When a figure was last painted, in the page's own milliseconds; 0 before that.
    pub fn painted_at(&self, id: &str) -> Result<f64> {
        Ok(self.eval(&painted_at(id))?.as_f64().unwrap_or(0.0))
    }

    /// Waits until a figure has been painted later than that.
    pub fn painted_since(&self, id: &str, before: f64) -> Result {
        self.wait_until(&format!("{} > {before}", painted_at(id)))
            .map(drop)
    }

    /// Everything that went wrong in the page.
    pub fn errors(&self) -> Result<Vec<String>> {
        let found = self.eval("window.probe?.errors ?? []")?;
        let mut errors: Vec<String> = found
            .as_array()
            .into_iter()
            .flatten()
            .map(|e| e.as_str().unwrap_or("").chars().take(LONGEST).collect())
            .collect();
        if self.engine == Engine::Chromium {
            errors.extend(
                self.logs()?
                    .into_iter()
                    .filter(|line| line.starts_with("SEVERE")),
            );
        }
        Ok(errors)
    }

    /// An error unless nothing went wrong in the page.
    pub fn met_no_error(&self) -> Result {
        // What is under way may still fail.
        std::thread::sleep(Duration::from_millis(100));
        let errors = self.errors()?;
        if errors.is_empty() {
            Ok(())
        } else {
            let (count, first) = (errors.len(), &errors[..errors.len().min(3)]);
            Err(format!("the page met {count} errors, first {first:?}").into())
        }
    }
}

/// The selector of a figure.
pub fn figure(id: &str) -> String {
    format!("figure[data-figure='{id}']")
}

fn painted_at(id: &str) -> String {
    format!("(performance.getEntriesByName('diagonal:painted:{id}').at(-1)?.startTime ?? 0)")
}

/// The built page.
pub fn dist() -> PathBuf {
    std::env::var_os("DIAGONAL_DIST").map_or_else(|| root().join("dist"), PathBuf::from)
}
