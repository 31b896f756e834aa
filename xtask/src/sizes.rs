//! What a visitor downloads, raw and gzipped, against the budget.

use std::fmt;
use std::fs;
use std::io::Write;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::Result;

/// What the first paint may weigh, in gzipped bytes: `index.html`, style, page.
const FIRST_PAINT: usize = 250_000;
/// What page and worker may weigh together, in gzipped bytes.
const TOGETHER: usize = 450_000;

/// The sizes of a built page.
#[derive(Debug)]
pub struct Sizes {
    files: Vec<File>,
}

#[derive(Debug)]
struct File {
    name: String,
    raw: usize,
    gzipped: usize,
}

impl File {
    /// The page starts the worker by itself, after the first paint.
    fn is_first_paint(&self) -> bool {
        !self.name.starts_with("worker")
    }
}

impl Sizes {
    /// Weighs every code and style file of a built page; data (presets) is loaded on demand and not counted.
    pub fn of(dist: &Path) -> Result<Self> {
        let mut files = Vec::new();
        weigh(dist, dist, &mut files)?;
        files.sort_by(|a, b| (!a.is_first_paint(), &a.name).cmp(&(!b.is_first_paint(), &b.name)));
        Ok(Self { files })
    }

    fn first_paint(&self) -> usize {
        self.files
            .iter()
            .filter(|file| file.is_first_paint())
            .map(|file| file.gzipped)
            .sum()
    }

    fn together(&self) -> usize {
        self.files.iter().map(|file| file.gzipped).sum()
    }

    /// An error if the page has grown over its budget.
    pub fn check(&self) -> Result {
        for (what, size, budget) in [
            ("the first paint", self.first_paint(), FIRST_PAINT),
            ("page and worker", self.together(), TOGETHER),
        ] {
            if size > budget {
                return Err(format!(
                    "{what} weighs {size} bytes gzipped, over its budget of {budget}"
                )
                .into());
            }
        }
        Ok(())
    }
}

impl fmt::Display for Sizes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{:<40}{:>10}{:>10}{:>10}",
            "", "raw", "gzip -9", "budget"
        )?;
        for File { name, raw, gzipped } in &self.files {
            writeln!(f, "{name:<40}{raw:>10}{gzipped:>10}")?;
        }
        writeln!(
            f,
            "{:<40}{:>10}{:>10}{FIRST_PAINT:>10}",
            "first paint",
            "",
            self.first_paint()
        )?;
        write!(
            f,
            "{:<40}{:>10}{:>10}{TOGETHER:>10}",
            "page and worker",
            "",
            self.together()
        )
    }
}

fn weigh(root: &Path, folder: &Path, files: &mut Vec<File>) -> Result {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            weigh(root, &path, files)?;
        } else if path
            .extension()
            .is_some_and(|e| ["html", "css", "js", "wasm"].iter().any(|code| e == *code))
        {
            let bytes = fs::read(&path)?;
            let name = path.strip_prefix(root)?.display().to_string();
            files.push(File {
                name,
                raw: bytes.len(),
                gzipped: gzipped(&bytes)?,
            });
        }
    }
    Ok(())
}

fn gzipped(bytes: &[u8]) -> Result<usize> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes)?;
    Ok(encoder.finish()?.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(page: usize, worker: usize) -> Sizes {
        let file = |name: &str, gzipped| File {
            name: name.to_owned(),
            raw: 0,
            gzipped,
        };
        Sizes {
            files: vec![file("page-1.wasm", page), file("worker-1.wasm", worker)],
        }
    }

    #[test]
    fn each_budget_is_held() {
        assert!(sizes(FIRST_PAINT, TOGETHER - FIRST_PAINT).check().is_ok());
        assert!(sizes(FIRST_PAINT + 1, 0).check().is_err());
        assert!(
            sizes(FIRST_PAINT, TOGETHER - FIRST_PAINT + 1)
                .check()
                .is_err()
        );
    }
}
