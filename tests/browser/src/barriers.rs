//! Accessibility checks with axe-core: names, roles, contrast, order.

use std::fs;

use serde_json::json;
use xtask::browsers::Engine;
use xtask::{Result, npm};

use crate::Page;
use crate::suite::skip;

/// axe-core's violations as lines: the rule, its requirement, and the first failing element. Fails if fewer than 15
/// rules pass, since the page was then hardly checked.
const LOOK: &str = "axe.run(document, { resultTypes: ['violations'] }).then(({ violations, passes }) =>\
    passes.length < 15 ? [`only ${passes.length} rules were kept`] : violations.map(({ id, help, nodes }) => `${id}: ${help}, ${nodes.length} times, ${nodes[0].html.slice(0, 200)}: ${nodes[0].failureSummary}`))";

impl Page {
    /// Checks the current page for accessibility violations, in Chromium only: the markup is the same in all engines.
    ///
    /// # Errors
    /// With the violations.
    pub fn has_no_barriers(&self, place: &str) -> Result {
        if self.engine != Engine::Chromium {
            return Ok(());
        }
        if self.eval("typeof axe")? == json!("undefined") {
            match npm::AXE.files() {
                Err(error) => return skip(&error.to_string()),
                Ok(files) => {
                    for (_, path) in files {
                        self.script(&fs::read_to_string(path)?, Vec::new())?;
                    }
                }
            }
        }
        let found = self.eval_async(LOOK)?;
        match found.as_array() {
            Some(found) if found.is_empty() => Ok(()),
            _ => Err(format!("barriers in {place}: {found:#}").into()),
        }
    }
}
