//! Directives in a part or in the lines of a figure.

/// Python code with its directives.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Directives<'a> {
    /// Names of the parts that come before the code.
    pub needs: Vec<&'a str>,
    /// Names of the constants that depend on the state of the page.
    pub choices: Vec<&'a str>,
    /// Why a figure has no program.
    pub none: Option<&'a str>,
    /// Name of the variant that replaces the lines of the figure.
    pub instead: Option<&'a str>,
    /// The code without directives, and without the blocks whose conditions do not hold.
    pub code: String,
}

impl<'a> Directives<'a> {
    /// Reads a text. `is_set` tells which conditions hold: `#if name` and `#if not name` begin a block, `#else` the
    /// other one, `#end` ends it.
    #[must_use]
    pub fn read(text: &'a str, is_set: impl Fn(&str) -> bool) -> Self {
        let mut directives = Self::default();
        // Whether each open block is read.
        let mut blocks: Vec<bool> = Vec::new();
        for line in text.lines() {
            if let Some(condition) = line.strip_prefix("#if ") {
                blocks.push(match condition.strip_prefix("not ") {
                    Some(name) => !is_set(name.trim()),
                    None => is_set(condition.trim()),
                });
            } else if line == "#else" {
                if let Some(block) = blocks.last_mut() {
                    *block = !*block;
                }
            } else if line == "#end" {
                blocks.pop();
            } else if blocks.iter().all(|is_read| *is_read) {
                directives.read_line(line);
            }
        }
        directives.code = directives.code.trim_matches('\n').to_owned();
        directives
    }

    fn read_line(&mut self, line: &'a str) {
        if let Some(parts) = line.strip_prefix("# needs:") {
            self.needs.extend(parts.split_whitespace());
        } else if let Some(names) = line.strip_prefix("# choices:") {
            self.choices.extend(names.split_whitespace());
        } else if let Some(reason) = line.strip_prefix("# none:") {
            self.none = Some(reason.trim());
        } else if let Some(variant) = line.strip_prefix("# instead:") {
            self.instead = Some(variant.trim());
        } else {
            self.code.push_str(line);
            self.code.push('\n');
        }
    }

    /// Names of all conditions in a text.
    pub fn conditions(text: &str) -> impl Iterator<Item = &str> {
        let conditions = text.lines().filter_map(|line| line.strip_prefix("#if "));
        conditions.map(|condition| condition.strip_prefix("not ").unwrap_or(condition).trim())
    }
}
