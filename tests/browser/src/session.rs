//! Operations of a browser.
//!
//! Every call waits until it is done, so tests read from top to bottom.

pub mod key;
mod pointer;

use std::path::Path;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use fantoccini::elements::Element;
use fantoccini::wd::{WebDriverCompatibleCommand, WindowHandle};
use fantoccini::{Client, ClientBuilder, Locator};
use http::Method;
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value, json};
use tokio::runtime::Runtime;
use xtask::Result;
use xtask::browsers::{Engine, Programs};

use crate::driver::Driver;
use crate::processes::{descendants, kill_remaining};

/// Default time limit for anything a test waits for.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// Pause between two evaluations while the page waits for a condition.
const PAUSE: Duration = Duration::from_millis(30);

/// Longest time that the page waits in one call. A page that is replaced in that time may not answer it.
const TURN: Duration = Duration::from_secs(2);

/// Whether an error means that the page was unloaded during the call.
fn was_unloaded(error: &str) -> bool {
    const MESSAGES: [&str; 6] = [
        "Callback was not called before the unload event",
        "Could not parse script result",
        "document unloaded while waiting for result",
        "aborted by navigation",
        "Document was unloaded",
        "execution contexts cleared",
    ];
    MESSAGES.iter().any(|message| error.contains(message))
}

/// A browser with one window.
#[derive(Debug)]
pub struct Session {
    /// The browser's engine.
    pub engine: Engine,
    runtime: Runtime,
    /// `None` once the session has ended.
    client: Option<Client>,
    driver: Driver,
}

impl Session {
    /// Starts a browser. `flags` are added to Chromium's own.
    pub fn start(engine: Engine, programs: &Programs, flags: &[&str]) -> Result<Self> {
        let driver = Driver::start(engine, programs, flags)?;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let capabilities = driver.capabilities.as_object().cloned().unwrap_or_default();
        let client = runtime.block_on(async {
            ClientBuilder::new(HttpConnector::new())
                .capabilities(capabilities)
                .connect(&driver.url)
                .await
        })?;
        let session = Self {
            engine,
            runtime,
            client: Some(client),
            driver,
        };
        session.command(
            Method::POST,
            "timeouts",
            json!({ "script": 60_000, "pageLoad": 60_000 }),
        )?;
        Ok(session)
    }

    /// Waits for the driver, with a time limit, so that a hanging driver fails its test.
    fn wait<T, E>(&self, answer: impl Future<Output = std::result::Result<T, E>>) -> Result<T>
    where
        E: std::error::Error + 'static,
    {
        let answer = async { tokio::time::timeout(3 * PATIENCE, answer).await };
        let answer = self
            .runtime
            .block_on(answer)
            .map_err(|_elapsed| "the browser does not answer")?;
        Ok(answer?)
    }

    fn client(&self) -> &Client {
        self.client
            .as_ref()
            .expect("a session has a client until it ends")
    }

    /// Sends a WebDriver command, by its path within the session.
    pub fn command(&self, method: Method, path: &str, body: Value) -> Result<Value> {
        let command = RawCommand {
            method,
            path: path.to_owned(),
            body,
        };
        self.wait(self.client().issue_cmd(command))
    }

    /// Sends a command of the Chrome DevTools protocol.
    pub fn devtools(&self, command: &str, parameters: Value) -> Result<Value> {
        let body = json!({ "cmd": command, "params": parameters });
        self.command(Method::POST, "goog/cdp/execute", body)
    }

    /// The driver's process, an ancestor of the browser's.
    pub fn process(&self) -> Option<u32> {
        self.driver.process()
    }

    /// Opens an address.
    pub fn goto(&self, url: &str) -> Result {
        self.wait(self.client().goto(url))
    }

    /// The current address.
    pub fn url(&self) -> Result<String> {
        Ok(self.wait(self.client().current_url())?.into())
    }

    /// Goes one step back in the history.
    pub fn back(&self) -> Result {
        self.wait(self.client().back())
    }

    /// Replaces the tab by a fresh one: without history, and with nothing still running.
    pub fn renew_tab(&self) -> Result {
        let before = self.wait(self.client().window())?;
        let tab = self.wait(self.client().new_window(true))?;
        self.wait(self.client().switch_to_window(before))?;
        self.wait(self.client().close_window())?;
        self.wait(self.client().switch_to_window(tab.handle))
    }

    /// Opens another tab and switches to it. Returns the names of both, the older first.
    pub fn another_tab(&self) -> Result<[String; 2]> {
        let before = self.wait(self.client().window())?;
        let tab = self.wait(self.client().new_window(true))?.handle;
        self.wait(self.client().switch_to_window(tab.clone()))?;
        Ok([before, tab].map(String::from))
    }

    /// Switches to a tab by its name.
    pub fn to_tab(&self, name: &str) -> Result {
        let handle = WindowHandle::try_from(name.to_owned())?;
        self.wait(self.client().switch_to_window(handle))
    }

    /// Closes a tab by its name, and switches back to the current one.
    pub fn close_tab(&self, name: &str) -> Result {
        let before = self.wait(self.client().window())?;
        self.to_tab(name)?;
        self.wait(self.client().close_window())?;
        self.wait(self.client().switch_to_window(before))
    }

    /// Runs a function body and returns its result; `arguments[0]` … are the arguments.
    pub fn script(&self, body: &str, arguments: Vec<Value>) -> Result<Value> {
        self.wait(self.client().execute(body, arguments))
    }

    /// Evaluates an expression without side effects. WebKit's driver sometimes loses an answer while a page is being
    /// replaced; the expression is then evaluated again.
    pub fn eval(&self, expression: &str) -> Result<Value> {
        let start = Instant::now();
        loop {
            match self.script(&format!("return ({expression});"), Vec::new()) {
                Err(error) if was_unloaded(&error.to_string()) && start.elapsed() < PATIENCE => {
                    std::thread::sleep(Duration::from_millis(50));
                }
                answer => return answer,
            }
        }
    }

    /// Evaluates an expression that gives a promise, and waits for it.
    pub fn eval_async(&self, expression: &str) -> Result<Value> {
        let body = format!(
            "const done = arguments[arguments.length - 1];\
             Promise.resolve({expression}).then(value => done({{ value }}), error => done({{ error: String(error) }}));"
        );
        let mut answer = self.wait(self.client().execute_async(&body, Vec::new()))?;
        match answer.get("error") {
            Some(error) => Err(format!("{expression}: {error}").into()),
            None => Ok(answer["value"].take()),
        }
    }

    /// Waits until an expression is truthy, and returns its value.
    pub fn wait_until(&self, expression: &str) -> Result<Value> {
        self.wait_until_within(expression, PATIENCE)
    }

    /// [`Session::wait_until`] with its own time limit.
    pub fn wait_until_within(&self, expression: &str, patience: Duration) -> Result<Value> {
        // The page looks itself: an evaluation from outside takes 4 ms of a core, which the page could use.
        let body = format!(
            "const end = performance.now() + {turn};\
             return new Promise((resolve, reject) => {{\
                 const look = () => {{\
                     try {{\
                         const value = ({expression});\
                         if (value || performance.now() > end) resolve(value || null); else setTimeout(look, {pause});\
                     }} catch (error) {{ reject(error); }}\
                 }};\
                 look();\
             }});",
            turn = TURN.as_millis(),
            pause = PAUSE.as_millis(),
        );
        let start = Instant::now();
        loop {
            match self.script(&body, Vec::new()) {
                Ok(Value::Null) => {}
                Ok(value) => return Ok(value),
                Err(error) if was_unloaded(&error.to_string()) => std::thread::sleep(PAUSE),
                Err(error) => return Err(format!("{expression}: {error}").into()),
            }
            if start.elapsed() > patience {
                let seconds = patience.as_secs();
                return Err(format!("waited {seconds} s in vain for {expression}").into());
            }
        }
    }

    /// The first element of a selector.
    fn find(&self, css: &str) -> Result<Element> {
        let found = self.wait(self.client().find(Locator::Css(css)));
        found.map_err(|error| format!("{css}: {error}").into())
    }

    /// The text of the first element of a selector, visible or not.
    pub fn text(&self, css: &str) -> Result<String> {
        let text = self.script(
            "return document.querySelector(arguments[0])?.textContent",
            vec![json!(css)],
        )?;
        Ok(text
            .as_str()
            .ok_or_else(|| format!("there is no {css}"))?
            .trim()
            .to_owned())
    }

    /// An attribute of the first element of a selector.
    pub fn attribute(&self, css: &str, name: &str) -> Result<Option<String>> {
        self.wait(self.find(css)?.attr(name))
    }

    /// Waits for an element, scrolls it into view, and clicks its centre.
    pub fn click(&self, css: &str) -> Result {
        const TRIES: u32 = 10;
        for _ in 0..TRIES {
            self.centre(css)?;
            self.script(
                "window.missed = true;\
                 document.querySelector(arguments[0])\
                     ?.addEventListener('click', () => { window.missed = false; }, { once: true, capture: true })",
                vec![json!(css)],
            )?;
            let element = self.find(css)?;
            self.wait(element.click())
                .map_err(|error| format!("click on {css}: {error}"))?;
            // A figure that arrives at that moment moves the elements below it away from the pointer.
            if self.eval("window.missed === true")? == Value::Bool(false) {
                return Ok(());
            }
        }
        Err(format!("{TRIES} clicks on {css} did not arrive").into())
    }

    /// Waits for an element and scrolls it to the middle of the window, away from sticky elements, until it stops
    /// moving and is enabled.
    fn centre(&self, css: &str) -> Result {
        let css = json!(css);
        let place = "{ block: 'center', behavior: 'instant' }";
        let scroll = format!(
            "(element => {{ if (!element || element.matches(':disabled, [aria-disabled=true]')) return false; element.scrollIntoView({place});\
             const top = element.getBoundingClientRect().top, before = element.dataset.top;\
             element.dataset.top = top; return before === String(top); }})(document.querySelector({css}))"
        );
        self.wait_until(&scroll).map(drop)
    }

    /// Replaces the text of a field and leaves the field.
    pub fn fill(&self, css: &str, text: &str) -> Result {
        self.click(css)?;
        self.script(
            "document.querySelector(arguments[0]).select()",
            vec![json!(css)],
        )?;
        self.wait(self.find(css)?.send_keys(text))?;
        self.keys(&[key::TAB])
    }

    /// Presses keys, one after the other, at the focused element.
    pub fn keys(&self, keys: &[char]) -> Result {
        let presses: Vec<Value> = keys
            .iter()
            .flat_map(|key| {
                [
                    json!({ "type": "keyDown", "value": key }),
                    json!({ "type": "keyUp", "value": key }),
                ]
            })
            .collect();
        self.actions(json!([{ "type": "key", "id": "keyboard", "actions": presses }]))
    }

    /// Presses a key while others are held.
    pub fn chord(&self, held: &[char], key: char) -> Result {
        let down = |key: &char| json!({ "type": "keyDown", "value": key });
        let up = |key: &char| json!({ "type": "keyUp", "value": key });
        let mut presses: Vec<Value> = held.iter().map(down).collect();
        presses.extend([down(&key), up(&key)]);
        presses.extend(held.iter().rev().map(up));
        self.actions(json!([{ "type": "key", "id": "keyboard", "actions": presses }]))
    }

    fn actions(&self, sources: Value) -> Result {
        self.command(Method::POST, "actions", json!({ "actions": sources }))
            .map(drop)
    }

    /// Chooses files in a file input.
    pub fn upload(&self, css: &str, files: &[&Path]) -> Result {
        let names: Vec<String> = files
            .iter()
            .map(|path| path.display().to_string())
            .collect();
        let chosen = self.wait(self.find(css)?.send_keys(&names.join("\n")));
        chosen.map_err(|error| format!("{css}: {error}").into())
    }

    /// Resizes the page's area. Browsers may refuse very narrow windows.
    pub fn resize(&self, width: u32, height: u32) -> Result {
        if self.engine == Engine::Chromium {
            let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600 });
            return self
                .devtools("Emulation.setDeviceMetricsOverride", size)
                .map(drop);
        }
        // A window is larger than its page by its frame, and resizes asynchronously.
        const TRIES: u32 = 4;
        const SETTLED: &str = "new Promise(done => setTimeout(() => requestAnimationFrame(() => done([innerWidth, innerHeight])), 60))";
        let (mut outer, wanted) = ([width, height], [width, height]);
        if self.eval("[innerWidth, innerHeight]")? == json!(wanted) {
            return Ok(());
        }
        for _ in 0..TRIES {
            let rect = json!({ "x": 0, "y": 0, "width": outer[0], "height": outer[1] });
            self.command(Method::POST, "window/rect", rect)?;
            let inner = self.eval_async(SETTLED)?;
            if inner == json!(wanted) {
                break;
            }
            for (side, outer) in outer.iter_mut().enumerate() {
                let inner = u32::try_from(inner[side].as_u64().unwrap_or(0))?;
                *outer = (*outer + wanted[side]).saturating_sub(inner);
            }
        }
        Ok(())
    }

    /// Switches the system's preference for a dark page, in Chromium.
    pub fn dark(&self, dark: bool) -> Result {
        let scheme = if dark { "dark" } else { "light" };
        let features = json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] });
        self.devtools("Emulation.setEmulatedMedia", features)
            .map(drop)
    }

    /// The window as a PNG file.
    pub fn screenshot(&self) -> Result<Vec<u8>> {
        let image = self.command(Method::GET, "screenshot", Value::Null)?;
        Ok(BASE64_STANDARD.decode(image.as_str().ok_or("the screenshot is no text")?)?)
    }

    /// Chromium's log since the last call: messages of the page, the worker, and the browser.
    pub fn logs(&self) -> Result<Vec<String>> {
        let entries = self.command(Method::POST, "se/log", json!({ "type": "browser" }))?;
        let lines = entries.as_array().into_iter().flatten();
        Ok(lines
            .map(|e| {
                format!(
                    "{} {}",
                    e["level"].as_str().unwrap_or(""),
                    e["message"].as_str().unwrap_or("")
                )
            })
            .collect())
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // Debian starts Chromium's headless shell by a script. The driver ends the script and leaves the browser running,
        // with its last page: thirteen of them after the scenarios of Chromium.
        let processes = self.driver.process().map(descendants);
        // Ending the session ends other browsers; ending the driver alone would leave them running.
        if let Some(client) = self.client.take() {
            let ended =
                async { tokio::time::timeout(Duration::from_secs(10), client.close()).await };
            let _ = self.runtime.block_on(ended);
        }
        if let Some(Ok(processes)) = processes {
            kill_remaining(&processes);
        }
    }
}

/// A command of the WebDriver protocol by its path, for commands that the client does not have.
#[derive(Debug)]
struct RawCommand {
    method: Method,
    path: String,
    body: Value,
}

impl WebDriverCompatibleCommand for RawCommand {
    fn endpoint(
        &self,
        base: &url::Url,
        session: Option<&str>,
    ) -> std::result::Result<url::Url, url::ParseError> {
        base.join(&format!(
            "session/{}/{}",
            session.unwrap_or_default(),
            self.path
        ))
    }

    fn method_and_body(&self, _: &url::Url) -> (Method, Option<String>) {
        let body = (self.method == Method::POST).then(|| self.body.to_string());
        (self.method.clone(), body)
    }
}
