//! Download sizes of the page, raw and gzipped, and their budget.

use std::ffi::OsStr;
use std::fmt;
use std::fs;
use std::io::Write;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::programs::{PAGE, Program, Start, WORKERS};
use crate::{Result, parts};

/// Budget of the first paint in gzipped bytes: `index.html`, its style sheet and the page's initial module. It is 400 KB,
/// and 500 bytes for what differs between two builds: names by content compress to more or fewer bytes.
const FIRST_PAINT: usize = 400_500;
/// Budget of the WebGPU part in gzipped bytes, without its share of the worker's script.
const GPU: usize = 150_000;
/// Budget of all fonts of the page together, in bytes as they are: WOFF2 is compressed.
const FONTS: usize = 170_000;

/// Prefixes of files that the page itself requests after the first paint.
const PREFETCHED_FILES: [&str; 3] = ["later", "offline", "service-worker"];

/// The sizes of a built page.
#[derive(Debug)]
pub struct Sizes {
    files: Vec<File>,
    fonts: Vec<Font>,
}

#[derive(Debug)]
struct File {
    name: String,
    raw: usize,
    gzipped: usize,
}

/// A font of the page. It is loaded when text uses it; a fallback font is shown until then.
#[derive(Debug)]
struct Font {
    name: String,
    bytes: usize,
}

/// When a file is downloaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum When {
    FirstPaint,
    /// After the first paint: the page starts the worker, loads the second style sheet and registers the service
    /// worker.
    Started,
    /// When a view is first shown, or the worker first needs the part.
    Asked,
}

impl File {
    /// The program that it belongs to; files of no worker are the page's.
    fn program(&self) -> &'static Program {
        let path = Path::new(&self.name);
        let worker = WORKERS.iter().find(|worker| worker.owns(path));
        worker.unwrap_or(&PAGE)
    }

    fn when(&self) -> When {
        let path = Path::new(&self.name);
        let start = self.program().start;
        if parts::is_later(path) || start == Start::OnFirstUse {
            When::Asked
        } else if start == Start::WithPage
            || PREFETCHED_FILES
                .iter()
                .any(|name| self.name.starts_with(name))
        {
            When::Started
        } else {
            When::FirstPaint
        }
    }
}

impl File {
    /// Its budget if it is loaded on first use.
    fn budget(&self) -> usize {
        if self.name.ends_with("split_gpu.wasm") {
            GPU
        } else {
            self.program().later_budget
        }
    }
}

impl Sizes {
    /// Measures every code and style file and every font of a built page. Data (presets, and the font for exported
    /// figures) is loaded on demand and not counted.
    pub fn of(dist: &Path) -> Result<Self> {
        let mut sizes = Self {
            files: Vec::new(),
            fonts: Vec::new(),
        };
        sizes.weigh(dist, dist)?;
        let Self { files, fonts } = &mut sizes;
        files.sort_by(|a, b| (a.when(), &a.name).cmp(&(b.when(), &b.name)));
        fonts.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(sizes)
    }

    /// Gzipped bytes downloaded up to and including this stage.
    fn until(&self, when: When) -> usize {
        self.files
            .iter()
            .filter(|file| file.when() <= when)
            .map(|file| file.gzipped)
            .sum()
    }

    fn first_paint(&self) -> usize {
        self.until(When::FirstPaint)
    }

    fn all_fonts(&self) -> usize {
        self.fonts.iter().map(|font| font.bytes).sum()
    }

    /// Fails if the page exceeds its budget, or has no lazy parts.
    pub fn check(&self) -> Result {
        let later = self.files.iter().filter(|file| file.when() == When::Asked);
        let later = later.map(|file| (&*file.name, file.gzipped, file.budget()));
        let mut parts = later.peekable();
        if parts.peek().is_none() {
            return Err("the page is not cut: every view weighs on the first paint".into());
        }
        let first = ("the first paint", self.first_paint(), FIRST_PAINT);
        for (what, size, budget) in std::iter::once(first).chain(parts) {
            if size > budget {
                return Err(format!(
                    "{what} weighs {size} bytes gzipped, over its budget of {budget}"
                )
                .into());
            }
        }
        let fonts = self.all_fonts();
        if fonts > FONTS {
            return Err(
                format!("the fonts weigh {fonts} bytes, over their budget of {FONTS}").into(),
            );
        }
        Ok(())
    }

    fn weigh(&mut self, root: &Path, folder: &Path) -> Result {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                self.weigh(root, &path)?;
                continue;
            }
            let kind = path.extension().and_then(OsStr::to_str);
            let name = path.strip_prefix(root)?.display().to_string();
            match kind {
                Some("html" | "css" | "js" | "wasm") => {
                    let bytes = fs::read(&path)?;
                    self.files.push(File {
                        name,
                        raw: bytes.len(),
                        gzipped: gzip_size(&bytes)?,
                    });
                }
                Some("woff2") => self.fonts.push(Font {
                    name,
                    bytes: fs::read(&path)?.len(),
                }),
                _ => {}
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
        for file in &self.files {
            let File { name, raw, gzipped } = file;
            write!(f, "{name:<40}{raw:>10}{gzipped:>10}")?;
            if file.when() == When::Asked {
                write!(f, "{:>10}", file.budget())?;
            }
            writeln!(f)?;
        }
        let first = self.first_paint();
        writeln!(
            f,
            "{:<40}{:>10}{first:>10}{FIRST_PAINT:>10}",
            "first paint", ""
        )?;
        // The sums are informative: parts that are not used are not downloaded.
        let [together, all] = [self.until(When::Started), self.until(When::Asked)];
        writeln!(f, "{:<40}{:>10}{together:>10}", "page and worker", "")?;
        writeln!(f, "{:<40}{:>10}{all:>10}", "with all parts", "")?;
        for Font { name, bytes } in &self.fonts {
            writeln!(f, "{name:<40}{bytes:>10}")?;
        }
        let fonts = self.all_fonts();
        write!(f, "{:<40}{fonts:>10}{:>10}{FONTS:>10}", "fonts", "")
    }
}

pub(crate) fn gzip_size(bytes: &[u8]) -> Result<usize> {
    Ok(gzip(bytes)?.len())
}

/// Compresses bytes as `gzip -9` does.
pub(crate) fn gzip(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes)?;
    Ok(encoder.finish()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::programs::LAZY_PART;

    fn sizes(page: usize, worker: usize, view: usize) -> Sizes {
        let file = |name: &str, gzipped| File {
            name: name.to_owned(),
            raw: 0,
            gzipped,
        };
        Sizes {
            files: vec![
                file("page-1/page_bg.wasm", page),
                file("worker-1/worker_bg.wasm", worker),
                file("page-1/split_heads.wasm", view),
            ],
            fonts: Vec::new(),
        }
    }

    #[test]
    fn each_budget_is_held() {
        assert!(sizes(FIRST_PAINT, FIRST_PAINT, LAZY_PART).check().is_ok());
        assert!(sizes(FIRST_PAINT + 1, 0, 0).check().is_err());
        assert!(sizes(0, 0, LAZY_PART + 1).check().is_err());
        let mut sizes = sizes(0, 0, GPU + 1);
        assert!(sizes.check().is_ok());
        sizes.files[2].name = "worker-1/split_gpu.wasm".to_owned();
        assert!(sizes.check().is_err());
    }

    #[test]
    fn a_program_of_its_own_has_a_budget_of_its_own() {
        let mut sizes = sizes(0, 0, LAZY_PART + 1);
        sizes.files[2].name = "tokenizer-1a/tokenizer_bg.wasm".to_owned();
        assert!(sizes.check().is_ok());
        sizes.files[2].gzipped = 800_001;
        assert!(sizes.check().is_err());
        assert_eq!(sizes.first_paint(), 0);
    }

    #[test]
    fn the_fonts_have_a_budget_of_their_own() {
        let font = |name: &str, bytes| Font {
            name: name.to_owned(),
            bytes,
        };
        let mut sizes = sizes(FIRST_PAINT, 0, 0);
        sizes.fonts = vec![font("fonts/a.woff2", FONTS - 1), font("fonts/b.woff2", 1)];
        assert!(sizes.check().is_ok());
        sizes.fonts.push(font("fonts/c.woff2", 1));
        assert!(sizes.check().is_err());
    }

    #[test]
    fn the_fonts_of_the_page_are_found_and_within_their_budget() -> Result {
        let mut sizes = sizes(0, 0, 0);
        sizes.weigh(crate::root(), &crate::root().join("www/fonts"))?;
        let files = std::fs::read_dir(crate::root().join("www/fonts"))?;
        let names = files.map(|file| Ok(file?.file_name().to_string_lossy().into_owned()));
        let names = names.collect::<Result<Vec<String>>>()?;
        let web_fonts = names.iter().filter(|name| name.ends_with(".woff2"));
        assert_eq!(sizes.fonts.len(), web_fonts.count());
        assert!(sizes.fonts.len() > 2);
        sizes.check()
    }

    #[test]
    fn sums_tell_what_is_downloaded_when() {
        let sizes = sizes(1, 20, 300);
        let sums = [When::FirstPaint, When::Started, When::Asked].map(|when| sizes.until(when));
        assert_eq!(sums, [1, 21, 321]);
    }

    #[test]
    fn a_page_in_one_piece_is_refused() {
        let mut whole = sizes(1, 1, 1);
        whole.files.pop();
        assert!(whole.check().is_err());
    }
}
