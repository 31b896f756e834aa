//! Captures the visible state of the page, to compare two pages, and performs a visitor's actions.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use xtask::Result;

use crate::Page;
use crate::session::PATIENCE;

/// An action of a visitor.
#[derive(Clone, Copy, Debug)]
pub enum Do {
    /// Clicks the element of a selector.
    Press(&'static str),
    /// Clicks an option of a group by its name.
    Choose(&'static str, &'static str),
    /// Selects an option in the list of that name.
    Select(&'static str, &'static str),
    /// Types into a field.
    Type(&'static str, &'static str),
    /// Moves a slider to a position.
    Pull(&'static str, &'static str),
    /// Waits until an expression is truthy.
    Wait(&'static str),
}

/// All visible content as text; pictures as the mean colours of 32 × 20 fields. Omits elements that follow the pointer.
const SEEN: &str = "(() => {\
  const means = canvas => {\
    const { width, height } = canvas;\
    if (!width || !height) return [];\
    const { data } = canvas.getContext('2d').getImageData(0, 0, width, height);\
    const sums = new Float64Array(32 * 20 * 3), counts = new Float64Array(32 * 20);\
    for (let y = 0, at = 0; y < height; y++) for (let x = 0; x < width; x++, at += 4) {\
      const cell = Math.floor(y * 20 / height) * 32 + Math.floor(x * 32 / width), opacity = data[at + 3] / 255;\
      counts[cell] += 1;\
      for (let c = 0; c < 3; c++) sums[3 * cell + c] += opacity * (255 - data[at + c]);\
    }\
    return [...sums].map((sum, at) => Math.round(sum / Math.max(1, counts[Math.floor(at / 3)])));\
  };\
  const all = (css, of) => [...document.querySelectorAll(css)].map(of);\
  const figures = all('main figure[data-figure]', figure => [\
    figure.dataset.figure, figure.dataset.model ?? '', figure.dataset.state,\
    figure.querySelector('.caption')?.textContent ?? '', figure.querySelector('.summary')?.textContent ?? '',\
    figure.querySelector('.numbers table')?.textContent ?? '',\
    ...[...figure.querySelectorAll('canvas.picture')].map(c => `${c.width}×${c.height}`)].join(' | '));\
  const pictures = all('main figure[data-figure] canvas.picture', means);\
  const fields = all('main input:not([type=file]), main select, .details input, .details select',\
    field => `${field.getAttribute('aria-label') ?? ''} ${field.type === 'checkbox' ? field.checked : field.value}`);\
  const pressed = all('main [aria-pressed=true], main [aria-expanded=true], main [aria-current]',\
    e => e.getAttribute('aria-label') ?? e.textContent);\
  const unfolded = all('details', details => `${details.id || details.className} ${details.open}`);\
  const said = all('.snapshot, .multiple h3, .multiple .badge, .left-out label, .performance .name, .words, .effect, .beside',\
    e => e.textContent);\
  return { open: document.querySelector('[data-model][aria-current]')?.dataset.model ?? '', figures, pictures, fields, pressed, unfolded, said };\
})()";

/// Whether the page is complete. The notes on a model sometimes arrive after its figures.
const RESTS: &str = "(() => {\
  const figures = [...document.querySelectorAll('main figure[data-figure]')];\
  return document.documentElement.dataset.ready === 'true' && figures.length > 0\
    && (!/&model=(minilm-l6|sinusoidal|random)/.test(location.search) || !!document.querySelector('.notes'))\
    && !figures.some(figure => ['partial', 'earlier'].includes(figure.dataset.state))\
    && !document.querySelector('[aria-busy=true]') && !/Computing …|Fetching|fetching …/.test(document.body.innerText);\
})()";

impl Page {
    /// Waits until the visible state stops changing, and returns it.
    pub fn seen_at_rest(&self) -> Result<Value> {
        let mut before = Value::Null;
        for _ in 0..100 {
            self.wait_until(RESTS)?;
            let now = self.eval(SEEN)?;
            if is_same(&before, &now) {
                return Ok(now);
            }
            before = now;
            // Longer than the address takes to follow.
            std::thread::sleep(Duration::from_millis(300));
        }
        Err("what is seen never rests".into())
    }

    /// Performs an action.
    pub fn act(&self, what: Do) -> Result {
        let there = |css: &str| {
            // Buttons may be disabled while a model is being opened.
            self.wait_until(&format!(
                "document.querySelector({})?.matches(':not(:disabled, [aria-disabled=true])')",
                json!(css)
            ))
            .map(drop)
        };
        let enter = |css: &str, value: &str, event: &str| {
            there(css)?;
            let body = "const field = document.querySelector(arguments[0]); field.value = arguments[1];\
                    for (const name of arguments[2].split(' ')) field.dispatchEvent(new Event(name, { bubbles: true }))";
            self.script(body, vec![json!(css), json!(value), json!(event)])
                .map(drop)
        };
        match what {
            Do::Press(css) => {
                there(css)?;
                self.script(
                    "document.querySelector(arguments[0]).click()",
                    vec![json!(css)],
                )
                .map(drop)
            }
            Do::Choose(group, option) => {
                let button = format!(
                    "[...document.querySelectorAll(\"[role=group][aria-label='{group}'] button\")].find(b => b.textContent.trim() === {})",
                    json!(option)
                );
                self.wait_until(&format!("!!{button}"))?;
                self.script(&format!("{button}.click()"), Vec::new())
                    .map(drop)
            }
            Do::Select(label, option) => {
                let list = format!(
                    "[...document.querySelectorAll('main label.choice')].find(l => l.querySelector('span').textContent === {})?.querySelector('select')",
                    json!(label)
                );
                self.wait_until(&format!("!!{list}"))?;
                self.script(
                &format!("const list = {list}; list.value = [...list.options].find(o => o.textContent === {}).value;\
                          list.dispatchEvent(new Event('change', {{ bubbles: true }}))", json!(option)),
                Vec::new(),
            )
            .map(drop)
            }
            Do::Type(css, text) => enter(css, text, "input change"),
            Do::Pull(css, position) => enter(css, position, "input"),
            Do::Wait(expression) => self.wait_until(expression).map(drop),
        }
    }

    /// Copies the link of the current state, opens it in a fresh page, and checks that the visible state is the same.
    /// Returns the link.
    pub fn copied_and_opened(&self, what: &str) -> Result<String> {
        let before = self
            .seen_at_rest()
            .map_err(|error| format!("{what}: {error}"))?;
        let link = self.copied_link()?;
        self.goto("about:blank")?;
        self.goto(&link)?;
        self.same_is_seen(&before)
            .map_err(|error| format!("{what}: {link}: {error}"))?;
        // An opened link links to itself.
        assert_eq!(self.copied_link()?, link, "{what}");
        let message = self.eval("document.querySelector('#message').textContent")?;
        let message = message.as_str().unwrap_or_default();
        assert!(!message.contains("understood"), "{what}: {message}");
        Ok(link)
    }

    /// Copies the link of the current state.
    pub fn copied_link(&self) -> Result<String> {
        self.wait_until(
            "(button => { button?.click(); return !!button; })(document.querySelector(\".top button[aria-label='Copy link']\"))",
        )?;
        let link = self.wait_until("window.probe.copied.shift()")?;
        Ok(link.as_str().ok_or("no link")?.to_owned())
    }

    /// Waits until the visible state equals `before`.
    ///
    /// # Errors
    /// With the differences.
    pub fn same_is_seen(&self, before: &Value) -> Result {
        let start = Instant::now();
        loop {
            let now = self.eval(&format!("{RESTS} ? {SEEN} : null"))?;
            if is_same(before, &now) {
                return Ok(());
            }
            if start.elapsed() > PATIENCE {
                return Err(difference(before, &self.eval(SEEN)?).into());
            }
            std::thread::sleep(Duration::from_millis(60));
        }
    }
}

/// Largest difference of a field, of 255. Engines sometimes smooth the same lines slightly differently; a missing line
/// differs more.
const SMOOTHED: i64 = 6;

/// Whether two visible states are equal.
fn is_same(before: &Value, now: &Value) -> bool {
    now.is_object() && before.is_object() && difference(before, now).is_empty()
}

fn is_same_picture(before: &Value, now: &Value) -> bool {
    let (Some(before), Some(now)) = (before.as_array(), now.as_array()) else {
        return before == now;
    };
    let numbers = |of: &[Value]| {
        of.iter()
            .map(|n| n.as_i64().unwrap_or(-1))
            .collect::<Vec<_>>()
    };
    let (before, now) = (numbers(before), numbers(now));
    before.len() == now.len()
        && before
            .iter()
            .zip(&now)
            .all(|(a, b)| (a - b).abs() <= SMOOTHED)
}

/// The first differences.
fn difference(before: &Value, now: &Value) -> String {
    let mut found = Vec::new();
    for (key, expected) in before.as_object().into_iter().flatten() {
        let seen = &now[key];
        if key == "pictures" {
            let (expected, seen) = (expected.as_array(), seen.as_array());
            let pairs = expected
                .into_iter()
                .flatten()
                .zip(seen.into_iter().flatten());
            let others = pairs
                .enumerate()
                .filter(|(_, (a, b))| !is_same_picture(a, b));
            found.extend(others.map(|(at, _)| format!("picture {at} is another one")));
            continue;
        }
        match (expected.as_array(), seen.as_array()) {
            (Some(expected), Some(seen)) if expected.len() == seen.len() => {
                let pairs = expected.iter().zip(seen).filter(|(a, b)| a != b);
                found.extend(pairs.map(|(a, b)| format!("{key}: {b} instead of {a}")));
            }
            _ if expected != seen => found.push(format!("{key}: {seen} instead of {expected}")),
            _ => {}
        }
    }
    found.truncate(4);
    found.join("\n    ")
}
