//! The address bar is the state: everything that decides what is on the page, as a readable query.
//!
//! `?view=heads&model=minilm-l6&layer=3&head=7`. Whoever opens the link sees the same figure. A link is
//! untrusted: what it says wrongly falls back to the default, with a note that says so.

use crate::{
    analysis::{MAX_LENGTH, MIN_LENGTH, Part, ScoreMode, Similarity},
    encoding::{Kernel, Kernels, MAX_KERNELS, Random, Sinusoidal},
    figure::{COLOR_MAPS, ColorMap},
    math::{Cells, Window},
};
use std::{borrow::Cow, fmt::Display, ops::RangeInclusive};

/// A view of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum View {
    /// The position table.
    #[default]
    Positions,
    /// Every head.
    Heads,
    /// TISA kernels.
    Kernels,
}

/// Every view: identifier, name. Menu and tests go through it.
pub const VIEWS: &[(View, &str, &str)] = &[
    (View::Positions, "positions", "Positions"),
    (View::Heads, "heads", "Heads"),
    (View::Kernels, "kernels", "Kernels"),
];

/// What is looked at.
#[derive(Debug, Clone, PartialEq)]
pub enum ModelRef {
    /// A preset that ships with the page.
    Preset(String),
    /// A computed table.
    Sinusoidal(Sinusoidal),
    /// A computed table.
    Random(Random),
    /// A file the person has: its name, and a hash of its position table.
    File {
        /// Name of the file.
        name: String,
        /// Hash of the table, where it is known.
        hash: Option<u64>,
    },
}

impl Default for ModelRef {
    fn default() -> Self {
        Self::Sinusoidal(Sinusoidal::default())
    }
}

/// How the head grid is ordered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sort {
    /// By layer, then head.
    #[default]
    Layer,
    /// Most Toeplitz first.
    R2,
    /// By the offset of the profile's peak.
    Peak,
}

const SIMILARITIES: &[(Similarity, &str)] = &[
    (Similarity::InnerProduct, "inner"),
    (Similarity::Cosine, "cosine"),
];
const PARTS: &[(Part, &str)] = &[
    (Part::Whole, "whole"),
    (Part::Toeplitz, "toeplitz"),
    (Part::Residual, "residual"),
];
const MODES: &[(ScoreMode, &str)] = &[
    (ScoreMode::Paper, "paper"),
    (ScoreMode::AsComputed, "computed"),
];
const CELLS: &[(Cells, &str)] = &[(Cells::Whole, "whole"), (Cells::Causal, "causal")];
const SORTS: &[(Sort, &str)] = &[
    (Sort::Layer, "layer"),
    (Sort::R2, "r2"),
    (Sort::Peak, "peak"),
];
const ADDED: &[(bool, &str)] = &[(false, "alone"), (true, "head")];

/// Rows a computed table may have.
pub const ROWS: RangeInclusive<usize> = 2..=4096;
/// Columns a computed table may have.
pub const WIDTHS: RangeInclusive<usize> = 1..=1024;
/// Bases a sinusoidal table may have.
pub const BASES: RangeInclusive<f64> = 1.001..=1e9;
/// Amplitudes a kernel may have.
pub const AMPLITUDES: RangeInclusive<f64> = -1000.0..=1000.0;
/// Sharpnesses a kernel may have.
pub const SHARPNESSES: RangeInclusive<f64> = 0.0..=100.0;
/// Centres a kernel may have.
pub const CENTRES: RangeInclusive<f64> = -4096.0..=4096.0;
/// Percent of the values that may lie beyond either end of a colour bar.
pub const CLIPS: RangeInclusive<f64> = 0.0..=20.0;

/// Everything that decides what is on the page.
#[derive(Debug, Clone, PartialEq)]
pub struct Link {
    /// Which view.
    pub view: View,
    /// Which model.
    pub model: ModelRef,
    /// The position table chosen in a file of unknown family.
    pub table: Option<String>,
    /// The number of heads chosen where the file does not tell.
    pub heads: Option<u32>,
    /// How positions are compared.
    pub similarity: Similarity,
    /// Which part of their matrix.
    pub part: Part,
    /// The window of it that is zoomed to.
    pub window: Option<Window>,
    /// Colours of position matrices.
    pub map: ColorMap,
    /// Colours of kernel matrices.
    pub kernel_map: ColorMap,
    /// Percent beyond either end of the colour bar.
    pub clip: f64,
    /// Layer from 0.
    pub layer: usize,
    /// Head from 0.
    pub head: usize,
    /// Paper's equations or the model's own computation.
    pub mode: ScoreMode,
    /// Which cells of heads and kernels count.
    pub cells: Cells,
    /// Order of the head grid.
    pub sort: Sort,
    /// The kernels.
    pub kernels: Kernels,
    /// Their length n.
    pub length: usize,
    /// Whether they are added to the open head.
    pub added: bool,
    /// A pinned cell.
    pub pin: Option<(usize, usize)>,
}

impl Default for Link {
    fn default() -> Self {
        Self {
            view: View::default(),
            model: ModelRef::default(),
            table: None,
            heads: None,
            similarity: Similarity::default(),
            part: Part::default(),
            window: None,
            map: ColorMap::default(),
            kernel_map: ColorMap::Diverging,
            clip: 1.0,
            layer: 0,
            head: 0,
            mode: ScoreMode::default(),
            cells: Cells::default(),
            sort: Sort::default(),
            kernels: default_kernels(),
            length: 64,
            added: false,
            pin: None,
        }
    }
}

/// Three kernels that show what each number does: one looks back, one ahead and wide, one away.
#[must_use]
pub fn default_kernels() -> Kernels {
    Kernels(vec![
        Kernel::new(2.6, 0.25, -1.0),
        Kernel::new(1.2, 0.02, 3.0),
        Kernel::new(-0.8, 0.9, 0.0),
    ])
}

impl Link {
    /// Reads a query, with or without its `?`. The notes say what was not understood.
    ///
    /// `number` reads a decimal number. The page hands over the browser's own reader, because the
    /// standard library's brings tables that are a twentieth of the page's weight.
    #[must_use]
    pub fn parse(query: &str, number: fn(&str) -> Option<f64>) -> (Self, Vec<String>) {
        let mut reader = Reader::new(query, number);
        let mut link = Self::default();
        let views: Vec<_> = VIEWS.iter().map(|(view, id, _)| (*view, *id)).collect();
        let maps: Vec<_> = COLOR_MAPS.iter().map(|(map, id, _)| (*map, *id)).collect();
        reader.word("view", &views, &mut link.view);
        link.model = reader.model();
        link.table = reader.take("table").map(Cow::into_owned);
        reader.whole("heads", 1..=1024, |heads| link.heads = Some(heads as u32));
        reader.word("compare", SIMILARITIES, &mut link.similarity);
        reader.word("part", PARTS, &mut link.part);
        reader.parsed("window", parse_window, |window| link.window = Some(window));
        reader.word("map", &maps, &mut link.map);
        reader.word("kernel-map", &maps, &mut link.kernel_map);
        reader.number("clip", CLIPS, |clip| link.clip = clip);
        reader.whole("layer", 1..=10_000, |layer| link.layer = layer - 1);
        reader.whole("head", 1..=10_000, |head| link.head = head - 1);
        reader.word("mode", MODES, &mut link.mode);
        reader.word("cells", CELLS, &mut link.cells);
        reader.word("sort", SORTS, &mut link.sort);
        reader.parsed(
            "kernels",
            |text| parse_kernels(text, number),
            |kernels| link.kernels = kernels,
        );
        reader.whole("n", MIN_LENGTH..=MAX_LENGTH, |n| link.length = n);
        reader.word("added", ADDED, &mut link.added);
        reader.parsed("pin", parse_pair, |pin| link.pin = Some(pin));
        (link, reader.finish())
    }

    /// The query, without its `?`: view and model, then whatever differs from the default.
    #[must_use]
    pub fn query(&self) -> String {
        let default = Self::default();
        let mut writer = form_urlencoded::Serializer::new(String::new());
        let mut put = |key: &str, value: &dyn Display, differs: bool| {
            if differs {
                writer.append_pair(key, &value.to_string());
            }
        };
        let view = VIEWS
            .iter()
            .find(|(view, ..)| *view == self.view)
            .map_or("", |(_, id, _)| id);
        put("view", &view, true);
        put_model(&self.model, &mut put);
        put(
            "table",
            &self.table.as_deref().unwrap_or_default(),
            self.table.is_some(),
        );
        put(
            "heads",
            &self.heads.unwrap_or_default(),
            self.heads.is_some(),
        );
        put(
            "compare",
            &word(SIMILARITIES, self.similarity),
            self.similarity != default.similarity,
        );
        put("part", &word(PARTS, self.part), self.part != default.part);
        if let Some(Window { rows, cols }) = &self.window {
            let window = format!("{}-{},{}-{}", rows.start, rows.end, cols.start, cols.end);
            put("window", &window, true);
        }
        let map_id = |map: ColorMap| {
            COLOR_MAPS
                .iter()
                .find(|(m, ..)| *m == map)
                .map_or("", |(_, id, _)| id)
        };
        put("map", &map_id(self.map), self.map != default.map);
        put(
            "kernel-map",
            &map_id(self.kernel_map),
            self.kernel_map != default.kernel_map,
        );
        put("clip", &self.clip, self.clip != default.clip);
        put(
            "layer",
            &(self.layer + 1),
            self.layer != 0 || self.view == View::Heads,
        );
        put(
            "head",
            &(self.head + 1),
            self.head != 0 || self.view == View::Heads,
        );
        put("mode", &word(MODES, self.mode), self.mode != default.mode);
        put(
            "cells",
            &word(CELLS, self.cells),
            self.cells != default.cells,
        );
        put("sort", &word(SORTS, self.sort), self.sort != default.sort);
        put(
            "kernels",
            &write_kernels(&self.kernels),
            self.kernels != default.kernels,
        );
        put("n", &self.length, self.length != default.length);
        put(
            "added",
            &word(ADDED, self.added),
            self.added != default.added,
        );
        if let Some((i, j)) = self.pin {
            put("pin", &format!("{i},{j}"), true);
        }
        // Commas, semicolons and colons are legal in a query and easier to read as they are.
        writer
            .finish()
            .replace("%2C", ",")
            .replace("%3B", ";")
            .replace("%3A", ":")
    }
}

fn word<T: PartialEq>(words: &[(T, &'static str)], value: T) -> &'static str {
    words
        .iter()
        .find(|(v, _)| *v == value)
        .map_or("", |(_, word)| word)
}

fn put_model(model: &ModelRef, put: &mut impl FnMut(&str, &dyn Display, bool)) {
    match model {
        ModelRef::Preset(id) => put("model", id, true),
        ModelRef::Sinusoidal(table) => {
            let default = Sinusoidal::default();
            put("model", &"sinusoidal", true);
            put("rows", &table.rows, table.rows != default.rows);
            put("width", &table.width, table.width != default.width);
            put("base", &table.base, table.base != default.base);
        }
        ModelRef::Random(table) => {
            let default = Random::default();
            put("model", &"random", true);
            put("rows", &table.rows, table.rows != default.rows);
            put("width", &table.width, table.width != default.width);
            put("seed", &table.seed, table.seed != default.seed);
        }
        ModelRef::File { name, hash } => {
            put("model", &"file", true);
            put("file", name, true);
            put(
                "hash",
                &format!("{:016x}", hash.unwrap_or_default()),
                hash.is_some(),
            );
        }
    }
}

/// a:b:c, a fourth part `m` when muted; kernels separated by semicolons. No kernel, no text.
fn write_kernels(kernels: &Kernels) -> String {
    let one = |kernel: &Kernel| {
        let mute = if kernel.muted { ":m" } else { "" };
        format!("{}:{}:{}{mute}", kernel.a, kernel.b, kernel.c)
    };
    kernels.0.iter().map(one).collect::<Vec<_>>().join(";")
}

fn parse_kernels(text: &str, number: fn(&str) -> Option<f64>) -> Option<Kernels> {
    if text.is_empty() {
        return Some(Kernels::default());
    }
    let within =
        |text: &str, range: RangeInclusive<f64>| number(text).filter(|v| range.contains(v));
    let one = |text: &str| {
        let mut parts = text.split(':');
        let kernel = Kernel {
            a: within(parts.next()?, AMPLITUDES)?,
            b: within(parts.next()?, SHARPNESSES)?,
            c: within(parts.next()?, CENTRES)?,
            muted: match parts.next() {
                None => false,
                Some("m") => true,
                Some(_) => return None,
            },
        };
        parts.next().is_none().then_some(kernel)
    };
    let kernels: Vec<Kernel> = text
        .split(';')
        .take(MAX_KERNELS + 1)
        .map(one)
        .collect::<Option<_>>()?;
    (kernels.len() <= MAX_KERNELS).then_some(Kernels(kernels))
}

fn parse_pair(text: &str) -> Option<(usize, usize)> {
    let (i, j) = text.split_once(',')?;
    let small = |text: &str| text.parse::<u32>().ok().map(|v| v as usize);
    Some((small(i)?, small(j)?))
}

fn parse_window(text: &str) -> Option<Window> {
    let range = |text: &str| {
        let (start, end) = text.split_once('-')?;
        let (start, end) = (start.parse::<u32>().ok()?, end.parse::<u32>().ok()?);
        (start < end).then_some(start as usize..end as usize)
    };
    let (rows, cols) = text.split_once(',')?;
    Some(Window {
        rows: range(rows)?,
        cols: range(cols)?,
    })
}

/// The pairs of a query, taken one by one; what cannot be read is noted.
struct Reader<'a> {
    pairs: Vec<(Cow<'a, str>, Cow<'a, str>)>,
    read_number: fn(&str) -> Option<f64>,
    notes: Vec<String>,
}

/// A link may be nonsense throughout; this many notes say enough.
const MOST_NOTES: usize = 4;

/// Values in notes are cut to this many characters.
const SHOWN: usize = 40;

impl<'a> Reader<'a> {
    fn new(query: &'a str, read_number: fn(&str) -> Option<f64>) -> Self {
        let query = query.strip_prefix('?').unwrap_or(query);
        Self {
            pairs: form_urlencoded::parse(query.as_bytes()).collect(),
            read_number,
            notes: Vec::new(),
        }
    }

    fn take(&mut self, key: &str) -> Option<Cow<'a, str>> {
        let at = self.pairs.iter().position(|(k, _)| k == key)?;
        Some(self.pairs.swap_remove(at).1)
    }

    fn note(&mut self, key: &str, value: &str) {
        let value: String = value.chars().take(SHOWN).collect();
        self.notes.push(format!(
            "{key} = “{value}” was not understood; the default is shown."
        ));
    }

    fn parsed<T>(&mut self, key: &str, parse: impl Fn(&str) -> Option<T>, set: impl FnOnce(T)) {
        if let Some(value) = self.take(key) {
            match parse(&value) {
                Some(parsed) => set(parsed),
                None => self.note(key, &value),
            }
        }
    }

    fn word<T: Copy>(&mut self, key: &str, words: &[(T, &str)], into: &mut T) {
        let find = |value: &str| {
            words
                .iter()
                .find(|(_, word)| *word == value)
                .map(|(v, _)| *v)
        };
        self.parsed(key, find, |value| *into = value);
    }

    fn number(&mut self, key: &str, range: RangeInclusive<f64>, set: impl FnOnce(f64)) {
        let read = self.read_number;
        self.parsed(key, |value| read(value).filter(|v| range.contains(v)), set);
    }

    fn whole(&mut self, key: &str, range: RangeInclusive<usize>, set: impl FnOnce(usize)) {
        let parse = |value: &str| value.parse().ok().filter(|v| range.contains(v));
        self.parsed(key, parse, set);
    }

    fn model(&mut self) -> ModelRef {
        let Some(model) = self.take("model") else {
            return ModelRef::default();
        };
        match &*model {
            "sinusoidal" => {
                let mut table = Sinusoidal::default();
                self.whole("rows", ROWS, |rows| table.rows = rows);
                self.whole("width", WIDTHS, |width| table.width = width);
                self.number("base", BASES, |base| table.base = base);
                ModelRef::Sinusoidal(table)
            }
            "random" => {
                let mut table = Random::default();
                self.whole("rows", ROWS, |rows| table.rows = rows);
                self.whole("width", WIDTHS, |width| table.width = width);
                self.parsed("seed", |seed| seed.parse().ok(), |seed| table.seed = seed);
                ModelRef::Random(table)
            }
            "file" => {
                let name = self.take("file").map_or_else(String::new, Cow::into_owned);
                let mut hash = None;
                self.parsed(
                    "hash",
                    |text| u64::from_str_radix(text, 16).ok(),
                    |value| hash = Some(value),
                );
                ModelRef::File { name, hash }
            }
            preset if crate::model::PRESETS.iter().any(|p| p.id == preset) => {
                ModelRef::Preset(preset.to_owned())
            }
            unknown => {
                self.note("model", unknown);
                ModelRef::default()
            }
        }
    }

    fn finish(mut self) -> Vec<String> {
        for (key, value) in std::mem::take(&mut self.pairs) {
            let key: String = key.chars().take(SHOWN).collect();
            self.note(&key, &value);
        }
        let more = self.notes.len().saturating_sub(MOST_NOTES);
        if more > 0 {
            self.notes.truncate(MOST_NOTES);
            self.notes
                .push(format!("{more} more parts were not understood."));
        }
        self.notes
    }
}
