//! Operations of the pointer: pointing, clicking and dragging at places in an element.

use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use xtask::Result;

use super::{PATIENCE, Session};

/// Time in which an element that has found its place does not move.
const STANDS_STILL: Duration = Duration::from_millis(100);

impl Session {
    /// Moves the pointer to a place in an element, given as a share of its width and height.
    pub fn point(&self, css: &str, x: f64, y: f64) -> Result {
        self.centre(css)?;
        let to = self.place(css, x, y)?;
        self.pointer(vec![to])
    }

    /// Clicks a place in an element, given as a share of its width and height.
    pub fn click_at(&self, css: &str, x: f64, y: f64) -> Result {
        self.centre(css)?;
        let to = self.place(css, x, y)?;
        self.pointer(vec![
            to,
            json!({ "type": "pointerDown", "button": 0 }),
            json!({ "type": "pointerUp", "button": 0 }),
        ])
    }

    /// Drags across an element, from one share of its width and height to another, once the element stands still.
    pub fn drag(&self, css: &str, from: (f64, f64), to: (f64, f64)) -> Result {
        const MOVES: u32 = 8;
        self.centre(css)?;
        // Figures above it may still get their heights.
        let ends = || {
            Ok::<_, Box<dyn std::error::Error>>([
                self.place(css, from.0, from.1)?,
                self.place(css, to.0, to.1)?,
            ])
        };
        let (start, mut places) = (Instant::now(), ends()?);
        while start.elapsed() < PATIENCE {
            sleep(STANDS_STILL);
            let before = std::mem::replace(&mut places, ends()?);
            if before == places {
                break;
            }
        }
        let [first, last] = &places;
        let mut actions = vec![first.clone(), json!({ "type": "pointerDown", "button": 0 })];
        for step in 1..=MOVES {
            let share = f64::from(step) / f64::from(MOVES);
            let between = |axis: &str| {
                let [a, b] = [first, last].map(|place| place[axis].as_f64().unwrap_or_default());
                (a + (b - a) * share).round() as i64
            };
            actions.push(json!({
                "type": "pointerMove", "duration": 20, "x": between("x"), "y": between("y"),
            }));
        }
        actions.push(json!({ "type": "pointerUp", "button": 0 }));
        self.pointer(actions)
    }

    /// A pointer movement to a place in an element.
    fn place(&self, css: &str, x: f64, y: f64) -> Result<Value> {
        let body = "const box = document.querySelector(arguments[0]).getBoundingClientRect();\
                    return [box.left + box.width * arguments[1], box.top + box.height * arguments[2]].map(Math.round)";
        let place = self.script(body, vec![json!(css), json!(x), json!(y)])?;
        Ok(json!({ "type": "pointerMove", "duration": 0, "x": place[0], "y": place[1] }))
    }

    fn pointer(&self, actions: Vec<Value>) -> Result {
        self.actions(json!([{
            "type": "pointer", "id": "mouse", "parameters": { "pointerType": "mouse" }, "actions": actions,
        }]))
    }
}
