//! The address bar is the state: everything that decides what is on the page, as a readable query.
//!
//! `?view=heads&model=minilm-l6&layer=3&head=7`. Whoever opens the link sees the same figure. A link is
//! untrusted: what it says wrongly falls back to the default, with a note that says so.

pub mod encodings;
mod figures;
mod late;
mod query;
mod sliders;

pub use figures::{FIGURES, FigureEntry, figure_named};
pub use late::{FitChoice, FitScope, Late, cell_of, cell_text, count_of, count_text};
pub use sliders::for_sliders;

use crate::{
    analysis::{MAX_LENGTH, MIN_LENGTH, Part, ScoreMode, Similarity},
    encoding::{Kernel, Kernels, Random, Sinusoidal},
    figure::{COLOR_MAPS, ColorMap},
    math::{Cells, Window},
    model::Choice,
};
use query::{Reader, parse_kernels, parse_pair, parse_window};
use std::{fmt::Display, ops::RangeInclusive};

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
    /// Ways to encode position, beside one another.
    Encodings,
    /// Every open model side by side.
    Compare,
    /// Checkpoints of one model as a timeline.
    Training,
}

/// Every view: identifier, name. Menu and tests go through it.
pub const VIEWS: &[(View, &str, &str)] = &[
    (View::Positions, "positions", "Positions"),
    (View::Heads, "heads", "Heads"),
    (View::Kernels, "kernels", "Kernels"),
    (View::Encodings, "encodings", "Encodings"),
    (View::Compare, "compare", "Compare"),
    (View::Training, "training", "Training"),
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
    /// A model of the Hugging Face Hub by its name. Nothing is fetched before a person agrees.
    Hub(String),
    /// A file at an address. As for a name.
    Url(String),
}

impl ModelRef {
    /// Whether it comes from another host than the page.
    #[must_use]
    pub fn is_remote(&self) -> bool {
        matches!(self, Self::Hub(_) | Self::Url(_))
    }

    /// A name for people: of a file or a table, or as it was typed.
    #[must_use]
    pub fn title(&self) -> &str {
        match self {
            Self::Preset(name) | Self::File { name, .. } | Self::Hub(name) => name,
            // The last part of an address says what it is about.
            Self::Url(address) => (address.split(['?', '#']).next())
                .and_then(|path| path.rsplit('/').find(|part| !part.is_empty()))
                .unwrap_or(address),
            Self::Sinusoidal(_) => "sinusoidal",
            Self::Random(_) => "random",
        }
    }
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
const ORDERS: &[(bool, &str)] = &[(false, "opened"), (true, "r2")];
const COLOURS: &[(bool, &str)] = &[(false, "one"), (true, "own")];

/// Rows a computed table may have.
pub const ROWS: RangeInclusive<usize> = 2..=4096;
/// Columns a computed table may have.
pub const WIDTHS: RangeInclusive<usize> = 1..=1024;
/// Bases a sinusoidal table may have.
pub const BASES: RangeInclusive<f64> = 1.001..=1e9;
/// Amplitudes a kernel may have.
pub const AMPLITUDES: RangeInclusive<f64> = -1e6..=1e6;
/// Sharpnesses a kernel may have.
pub const SHARPNESSES: RangeInclusive<f64> = 0.0..=100.0;
/// Centres a kernel may have.
pub const CENTRES: RangeInclusive<f64> = -65_536.0..=65_536.0;
/// Percent of the values that may lie beyond either end of a colour bar.
pub const CLIPS: RangeInclusive<f64> = 0.0..=20.0;

/// Everything that decides what is on the page.
#[derive(Debug, Clone, PartialEq)]
pub struct Link {
    /// Which view.
    pub view: View,
    /// Which model.
    pub model: ModelRef,
    /// What is chosen in it.
    pub choice: Choice,
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
    /// Whether compared models go by R², and not as they were opened.
    pub by_r2: bool,
    /// Whether each has a range of colours of its own.
    pub own_colours: bool,
    /// A pinned cell.
    pub pin: Option<(usize, usize)>,
    /// What only one view reads: not with the rest, before the first paint.
    pub late: Late,
}

impl Default for Link {
    fn default() -> Self {
        Self {
            view: View::default(),
            model: ModelRef::default(),
            choice: Choice::default(),
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
            by_r2: false,
            own_colours: false,
            pin: None,
            late: Late::default(),
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
        link.choice = reader.choice();
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
        reader.word("order", ORDERS, &mut link.by_r2);
        reader.word("colours", COLOURS, &mut link.own_colours);
        reader.parsed("pin", parse_pair, |pin| link.pin = Some(pin));
        for (key, text) in link.late.pairs() {
            *text = reader.take(key).unwrap_or_default().into_owned();
        }
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
        put_choice(&self.choice, &mut put);
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
        put("order", &word(ORDERS, self.by_r2), self.by_r2);
        put(
            "colours",
            &word(COLOURS, self.own_colours),
            self.own_colours,
        );
        if let Some((i, j)) = self.pin {
            put("pin", &format!("{i},{j}"), true);
        }
        for (key, text) in self.late.clone().pairs() {
            put(key, text, !text.is_empty());
        }
        // Commas, semicolons, colons and slashes are legal in a query and easier to read as they are.
        writer
            .finish()
            .replace("%2C", ",")
            .replace("%3B", ";")
            .replace("%3A", ":")
            .replace("%2F", "/")
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
        ModelRef::Hub(name) => put("hf", name, true),
        ModelRef::Url(address) => put("url", address, true),
    }
}

fn put_choice(choice: &Choice, put: &mut impl FnMut(&str, &dyn Display, bool)) {
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    put("source", &text(&choice.source), choice.source.is_some());
    put("table", &text(&choice.table), choice.table.is_some());
    if let Some((query, key)) = &choice.attention {
        put("query", query, true);
        put("key", key, true);
    }
    put("transposed", &"yes", choice.transposed);
    let number = |number: Option<u32>| number.unwrap_or_default();
    put("heads", &number(choice.heads), choice.heads.is_some());
    put("length", &number(choice.length), choice.length.is_some());
    let switched = query::words_of(&choice.switched);
    put("switched", &switched, !switched.is_empty());
}

/// a:b:c, a fourth part `m` when muted; kernels separated by semicolons. No kernel, no text.
fn write_kernels(kernels: &Kernels) -> String {
    let one = |kernel: &Kernel| {
        let mute = if kernel.muted { ":m" } else { "" };
        format!("{}:{}:{}{mute}", kernel.a, kernel.b, kernel.c)
    };
    kernels.0.iter().map(one).collect::<Vec<_>>().join(";")
}
