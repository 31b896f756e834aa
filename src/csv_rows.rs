//! Rows of delimited text (CSV, TSV).
//!
//! Fields may be quoted (RFC 4180) and separated by commas, semicolons or tabs; lines may end in LF, CR or CRLF.
//!
//! The parser is written here, because it is thirty lines and the `csv` crate takes 8.7 KB of compressed wasm.

/// Iterator over the rows of a table, each a list of fields.
#[derive(Debug, Clone)]
pub struct CsvRows<'a> {
    rest: &'a str,
    separator: char,
}

impl<'a> CsvRows<'a> {
    /// Starts at the first row. The first separator outside of quotes in that row is the separator of the table.
    #[must_use]
    pub fn new(text: &'a str) -> Self {
        let rest = text.trim_start_matches('\u{feff}');
        let mut is_quoted = false;
        let separator = rest
            .chars()
            .filter(|c| {
                is_quoted ^= *c == '"';
                !is_quoted
            })
            .find(|c| matches!(c, ',' | ';' | '\t' | '\n' | '\r'));
        let separator = separator
            .filter(|c| !matches!(c, '\n' | '\r'))
            .unwrap_or(',');
        Self { rest, separator }
    }
}

impl Iterator for CsvRows<'_> {
    type Item = Vec<String>;

    fn next(&mut self) -> Option<Vec<String>> {
        if self.rest.is_empty() {
            return None;
        }
        let mut fields = vec![String::new()];
        let mut quoted = false;
        let mut chars = self.rest.char_indices().peekable();
        let mut end = self.rest.len();
        while let Some((at, c)) = chars.next() {
            let next = chars.peek().map(|(_, next)| *next);
            let field = fields.last_mut()?;
            match c {
                '"' if quoted && next == Some('"') => {
                    field.push('"');
                    chars.next();
                }
                '"' => quoted = !quoted,
                _ if quoted => field.push(c),
                '\r' if next == Some('\n') => {}
                '\n' | '\r' => {
                    end = at + 1;
                    break;
                }
                c if c == self.separator => fields.push(String::new()),
                c => field.push(c),
            }
        }
        self.rest = &self.rest[end..];
        Some(fields)
    }
}
