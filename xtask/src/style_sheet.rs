//! Style sheets as the site has them: without comments and indentation, which are a fifth of their compressed bytes.

/// Removes comments, indentation and empty lines from a style sheet. Text in quotes stays as it is.
#[must_use]
pub fn without_comments(sheet: &str) -> String {
    let mut rules = String::with_capacity(sheet.len());
    let mut rest = sheet;
    while let Some(at) = rest.find(['"', '\'', '/']) {
        rules.push_str(&rest[..at]);
        rest = &rest[at..];
        let length = match rest.strip_prefix("/*") {
            // A comment that does not end covers the rest, as in browsers.
            Some(comment) => {
                rest = comment.find("*/").map_or("", |end| &comment[end + 2..]);
                continue;
            }
            None if rest.starts_with('/') => 1,
            None => quotation(rest),
        };
        rules.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    rules.push_str(rest);
    let lines = rules.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.map(|line| format!("{line}\n")).collect()
}

/// Length of the quotation at the beginning of a text, with its quotes; that of the text if it does not end.
fn quotation(text: &str) -> usize {
    let mut letters = text.char_indices();
    let quote = letters.next().map(|(_, quote)| quote);
    let mut is_escaped = false;
    for (at, letter) in letters {
        match letter {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            _ if Some(letter) == quote => return at + letter.len_utf8(),
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::without_comments;

    #[test]
    fn rules_stay_and_comments_go() {
        for (sheet, rules) in [
            ("/* All */\na { b: c; }\n", "a { b: c; }\n"),
            (
                "a {\n  b: c; /* why */\n\n  d: e;\n}",
                "a {\nb: c;\nd: e;\n}\n",
            ),
            (
                "a::before { content: \"/* \\\" */\"; }",
                "a::before { content: \"/* \\\" */\"; }\n",
            ),
            (
                "a { content: '“/*'; } /* é */ b { c: d / 2 }",
                "a { content: '“/*'; }  b { c: d / 2 }\n",
            ),
            ("a { b: url(c//d) } /* open", "a { b: url(c//d) }\n"),
            ("a { content: \"open", "a { content: \"open\n"),
            ("", ""),
        ] {
            assert_eq!(without_comments(sheet), rules, "{sheet}");
        }
    }

    /// No sheet of the project has a quotation over several lines, whose inner lines would lose their indentation.
    #[test]
    fn quotations_of_the_project_end_in_their_line() {
        for folder in ["www", "www/later"] {
            let entries = std::fs::read_dir(crate::root().join(folder)).expect("a folder");
            for path in entries.map(|entry| entry.expect("an entry").path()) {
                if path.extension().is_some_and(|end| end == "css") {
                    let sheet = std::fs::read_to_string(&path).expect("a style sheet");
                    let rules = without_comments(&sheet);
                    for line in rules.lines() {
                        let quotes = line.matches('"').count();
                        assert!(quotes.is_multiple_of(2), "{}: {line}", path.display());
                    }
                    assert_eq!(
                        rules.matches('{').count(),
                        rules.matches('}').count(),
                        "{}",
                        path.display()
                    );
                    assert!(!rules.contains("/*"), "{}", path.display());
                }
            }
        }
    }
}
