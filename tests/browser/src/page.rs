//! Operations on the page: views, figures, models, downloads.

use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::sleep;
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

/// One window size for all engines, whose defaults differ.
const WINDOW: (u32, u32) = (1280, 800);

/// Time within which a part of a view that is loaded on demand is on the page.
const SETTLES_WITHIN: Duration = Duration::from_millis(300);

/// Longest error message, in characters; the rest is addresses in code.
const LONGEST: usize = 300;

/// Time limit for the page to notice that its worker is silent, and to answer again.
pub const RECOVERY: Duration = Duration::from_secs(60);

/// Whether the open view is painted and its model is complete.
const IS_PAINTED: &str = "document.documentElement.dataset.ready === 'true' && !document.querySelector('[aria-busy=true]')";

/// Error if a page was loaded and shows nothing of its own.
pub(crate) const DID_NOT_BEGIN: &str = "the page did not begin";

/// The page in a browser; dereferences to [`Session`].
#[derive(Debug)]
pub struct Page {
    // Dropped before the server it reads from.
    session: Session,
    server: Server,
    /// Servers of other content, until [`Page::begin_anew`]: a page that is still open may request more.
    others: Mutex<Vec<Server>>,
}

/// A file that the page saved.
#[derive(Clone, Debug)]
pub struct Download {
    /// Name of the file.
    pub name: String,
    /// Contents of the file.
    pub bytes: Vec<u8>,
}

impl Deref for Page {
    type Target = Session;

    fn deref(&self) -> &Session {
        &self.session
    }
}

impl Page {
    /// Serves the built page at a path of a host, and starts a browser. Opens no page yet.
    pub fn start(engine: Engine, programs: &Programs, mount: &str) -> Result<Self> {
        let folder = dist();
        let overlay = probe::overlay(&folder)?;
        let server = Server::start(
            Content {
                folder,
                mount: mount.to_owned(),
                overlay,
                has_cached_programs: true,
                ..Content::default()
            },
            0,
        )?;
        Self::over(server, engine, programs, &["--disable-gpu"])
    }

    /// Serves content and starts a browser with WebGPU, which is Chromium; without a GPU, a software renderer is used.
    pub fn start_with_gpu(programs: &Programs, content: Content) -> Result<Self> {
        const WITH_GPU: &[&str] = &["--enable-unsafe-webgpu"];
        let content = Content {
            has_cached_programs: true,
            ..content
        };
        Self::over(
            Server::start(content, 0)?,
            Engine::Chromium,
            programs,
            WITH_GPU,
        )
    }

    /// Serves the built page as visitors get it, but without the service worker's cache, so that every visit is a first
    /// one.
    pub fn start_plain(engine: Engine, programs: &Programs) -> Result<Self> {
        let server = Server::start(
            Content {
                folder: dist(),
                overlay: xtask::offline::removal_files(&dist())?,
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

    /// Resets the browser: one fresh tab, empty storage and logs, default window size.
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

    /// Opens the page with a query, `""` or like `?view=heads`, and waits until it is painted and its model is
    /// complete.
    pub fn open(&self, query: &str) -> Result {
        self.load(query)?;
        self.wait_until(IS_PAINTED).map(drop)
    }

    /// Opens the page where it may have nothing to paint yet, such as the heads of a model without heads.
    pub fn load(&self, query: &str) -> Result {
        self.goto(&format!("{}{query}", self.server.url()))?;
        self.wait_until("!!document.querySelector('#open-file')")
            .map(drop)
            .map_err(|error| format!("{DID_NOT_BEGIN}: {error}").into())
    }

    /// The served content, to serve it elsewhere.
    pub fn content(&self) -> Result<Content> {
        let folder = dist();
        Ok(Content {
            overlay: probe::overlay(&folder)?,
            folder,
            ..Content::default()
        })
    }

    /// The served content, with another Hub's origin in the page.
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

    /// Removes expected errors from the record: those that contain a word.
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

    /// Address of the page.
    pub fn base(&self) -> &str {
        self.server.url()
    }

    /// Changes the view by its link.
    pub fn view(&self, id: &str) -> Result {
        self.click(&format!("nav a[data-view='{id}']"))?;
        let link = format!("document.querySelector(\"nav a[data-view='{id}'][aria-current]\")");
        self.wait_until(&format!("!!{link}")).map(drop)
    }

    /// Changes the view without the pointer, which would scroll, and waits until it is painted. It takes a third of the
    /// time in which [`Page::open`] loads the page anew.
    pub fn switch_view(&self, id: &str) -> Result {
        let link = format!("nav a[data-view='{id}']");
        self.script(
            "delete document.documentElement.dataset.ready; document.querySelector(arguments[0]).click()",
            vec![json!(link)],
        )?;
        // A paragraph stands in for a view that is being fetched.
        let is_open = format!(
            "!!document.querySelector(\"{link}[aria-current]\") && !document.querySelector('main p.nothing') && {IS_PAINTED}"
        );
        self.wait_until(&is_open).map(drop)
    }

    /// Waits until nothing on the page shows “Computing …”.
    pub fn computed(&self, patience: Duration) -> Result {
        self.wait_until_within(
            "!document.querySelector('main').innerText.includes('Computing …')",
            patience,
        )
        .map(drop)
    }

    /// Chooses a model in the model list.
    pub fn choose(&self, name: &str) -> Result {
        self.click(&format!("[data-model='{name}']"))?;
        self.model(name)
    }

    /// Waits until a figure is ready.
    pub fn figure(&self, id: &str) -> Result {
        let figure = figure(id);
        self.wait_until(&format!(
            "document.querySelector(\"{figure}\")?.dataset.state === 'ready'"
        ))
        .map(drop)
    }

    /// Waits until no figure on the page is being computed, and returns the identifiers of those that are ready, in page
    /// order. Matrices side by side are left out. Parts of a view are loaded on demand, so the figures have to be the
    /// same twice.
    pub fn ready_figures(&self) -> Result<Vec<String>> {
        const ARE_SETTLED: &str = "!document.querySelector(\"figure[data-state='partial']\") && \
            !/Computing …|Opening …|Fetching this view/.test(document.querySelector('main').innerText)";
        const READY: &str = "[...document.querySelectorAll(\"main figure[data-figure][data-state='ready']:not(.multiple)\")]\
            .map(e => e.dataset.figure)";
        let mut before = None;
        loop {
            self.wait_until(ARE_SETTLED)?;
            let figures: Vec<String> = serde_json::from_value(self.eval(READY)?)?;
            if before.as_ref() == Some(&figures) {
                return Ok(figures);
            }
            before = Some(figures);
            sleep(SETTLES_WITHIN);
        }
    }

    /// Opens files through the file input.
    pub fn open_files(&self, files: &[&Path]) -> Result {
        self.upload("#open-file", files)
    }

    /// Name of the open model, as marked in the model list.
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

    /// All messages that the page shows now, joined.
    pub fn message(&self) -> Result<String> {
        let text = self.eval(
            "[...document.querySelectorAll('[role=status], [role=alert], #message')]\
             .filter(e => !e.hidden).map(e => e.textContent.trim()).join(' ').trim()",
        )?;
        Ok(text.as_str().unwrap_or_default().to_owned())
    }

    /// Dismisses every message, so that the next one belongs to the next action.
    pub fn dismiss(&self) -> Result {
        self.script(
            "for (const e of document.querySelectorAll('#message > *')) [...e.querySelectorAll('button')].at(-1)?.click()",
            Vec::new(),
        )?;
        self.wait_until("document.querySelectorAll('#message > *').length === 0")
            .map(drop)
    }

    /// Waits for a message that contains a word.
    pub fn message_with(&self, word: &str) -> Result<String> {
        let words = json!(word.to_lowercase());
        self.wait_until(&format!(
            "[...document.querySelectorAll('[role=status], [role=alert], #message')]\
             .some(e => !e.hidden && e.textContent.toLowerCase().includes({words}))"
        ))?;
        self.message()
    }

    /// Megabytes read, from the page's meter.
    pub fn megabytes_read(&self) -> Result<f64> {
        let text = self.text("#meter")?;
        let number = text.split_whitespace().find_map(|word| word.parse().ok());
        number.ok_or_else(|| format!("the meter shows no number: {text}").into())
    }

    /// Saves a figure by its menu and takes the file.
    pub fn download(&self, id: &str, kind: &str) -> Result<Download> {
        self.figure(id)?;
        self.press_in_save_menu(&figure(id), &format!("Download {kind}"))?;
        self.next_download()
    }

    /// Opens the menu “Save” of the figure that a selector finds, unless it is open, and waits for its entries.
    pub fn open_save_menu(&self, figure: &str) -> Result {
        let toggle = format!("{figure} .save > button");
        let is_open = format!(
            "document.querySelector(\"{toggle}\").getAttribute('aria-expanded') === 'true'"
        );
        if self.eval(&is_open)? != Value::Bool(true) {
            self.click(&toggle)?;
        }
        // The menu moves the focus into itself.
        self.wait_until(&format!(
            "!!document.querySelector(\"{figure} .save-menu\")?.contains(document.activeElement)"
        ))
        .map(drop)
    }

    /// Opens the menu “Save” of the figure that a selector finds, and presses its entry with an accessible name.
    pub fn press_in_save_menu(&self, figure: &str, name: &str) -> Result {
        self.open_save_menu(figure)?;
        self.press_within(figure, name)
    }

    /// Waits for the next file that the page saves.
    pub fn next_download(&self) -> Result<Download> {
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

    /// Downloads a figure's numbers as CSV.
    pub fn csv(&self, id: &str) -> Result<Table> {
        let file = self.download(id, "CSV")?;
        if !file.name.ends_with(".csv") {
            return Err(format!("a CSV file named {}", file.name).into());
        }
        String::from_utf8(file.bytes)?.parse()
    }

    /// Copies the link of a figure by its menu and takes it.
    pub fn link(&self, id: &str) -> Result<String> {
        self.figure(id)?;
        self.press_in_save_menu(&figure(id), "Copy link")?;
        let link = self.wait_until("window.probe.copied.shift()")?;
        Ok(link.as_str().unwrap_or_default().to_owned())
    }

    /// Clicks the first button on the page with a name (text or label).
    pub fn click_named(&self, name: &str) -> Result {
        self.press_within("main", name)
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

    /// All errors of the page so far.
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

    /// Fails if the page had an error.
    pub fn met_no_error(&self) -> Result {
        // Pending operations may still fail.
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

/// Folder of the built page.
pub fn dist() -> PathBuf {
    std::env::var_os("DIAGONAL_DIST").map_or_else(|| root().join("dist"), PathBuf::from)
}
