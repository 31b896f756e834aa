//! What keeps people out of the page, as axe-core finds it: names, roles, contrast, order.

use std::fs;

use serde_json::json;
use xtask::browsers::Engine;
use xtask::{Result, npm};

use crate::Page;
use crate::suite::skip;

/// Everything axe-core holds a page to, in lines: the rule, what it asks, and the first element that does not keep it.
/// A page on which it looks at next to nothing has not been looked at.
const LOOK: &str = "axe.run(document, { resultTypes: ['violations'] }).then(({ violations, passes }) =>\
    passes.length < 15 ? [`only ${passes.length} rules were kept`] : violations.map(({ id, help, nodes }) => `${id}: ${help}, ${nodes.length} times, ${nodes[0].html.slice(0, 200)}: ${nodes[0].failureSummary}`))";

impl Page {
    /// Looks for barriers in what is shown. One engine does: what is looked at is the same in all.
    ///
    /// # Errors
    /// With what was found.
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
