//! A head over a text as a map: one cell per query and key, with the tokens along both axes.

use super::{
    TextToken,
    token_labels::{PlacedName, column_names, column_names_height, row_names, row_names_width},
};
use crate::{
    analysis::{MatrixPart, TextMatrix, TextValues},
    figure::{
        Anchor, ColorMap, Column, Cursor, Figure, Heatmap, Ink, LinearScale, Mark, Rect, Scene,
        Table,
        color_bar::{self, BAR, BAR_LABELS},
        margins::{LEFT, RIGHT},
        number,
        plot::frame::{ABOVE, bottom_ticks, left_margin, value_tick, vertical_name},
        short_r2,
        table::Side,
        text::TEXT,
        text::{line_box, width as text_width},
    },
    math::{AttentionMask, Tile, Window},
};
use std::sync::Arc;

/// Greatest side of a cell, so that few tokens do not fill the page.
const WIDEST_CELL: f64 = 44.0;
/// Most blocks per side that are drawn.
const MOST_BLOCKS: usize = 1024;
/// Space below the frame for ticks and their numbers, where there are no names.
const TICKS: f64 = 20.0;
/// Height of the name of the horizontal axis.
const AXIS_NAME: f64 = 18.0;
const BAR_GAP: f64 = 10.0;
/// Space between the text of a name at the cursor and its frame.
const PADDING: f64 = 4.0;

/// The values of a map, and the part of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MapContent {
    /// Attention or scores.
    pub values: TextValues,
    /// The whole map, its diagonal means, or the rest.
    pub part: MatrixPart,
    /// The keys that a query sees.
    pub mask: AttentionMask,
}

impl MapContent {
    /// Returns the values in words.
    #[must_use]
    pub fn words(self) -> &'static str {
        match (self.values, self.part) {
            (TextValues::Attention, MatrixPart::Whole) => "attention",
            (TextValues::Attention, MatrixPart::Toeplitz) => "mean attention by offset",
            (TextValues::Attention, MatrixPart::Residual) => "attention minus its mean by offset",
            (TextValues::Scores, MatrixPart::Whole) => "score",
            (TextValues::Scores, MatrixPart::Toeplitz) => "mean score by offset",
            (TextValues::Scores, MatrixPart::Residual) => "score minus its mean by offset",
        }
    }
}

/// A head over a text as a map. The cursor has positions of the whole text, also where tokens are left out.
#[derive(Debug, Clone)]
pub struct TextMap {
    content: MapContent,
    picture: Heatmap,
    /// Index in the text of each row and column.
    tokens: Vec<usize>,
    /// Their names.
    names: Vec<String>,
    r2: f64,
}

/// The map at a width.
struct MapLayout {
    frame: Rect,
    rows: Option<Vec<PlacedName>>,
    columns: Option<Vec<PlacedName>>,
    /// Space for names or ticks below the frame.
    below: f64,
}

impl TextMap {
    /// Draws a map with a colour map; `clip` percent of the values at either end are beyond the colours of scores.
    /// `tokens` are those of the whole text.
    #[must_use]
    pub fn new(
        matrix: &TextMatrix,
        tokens: &[TextToken],
        content: MapContent,
        (map, clip): (ColorMap, f64),
    ) -> Self {
        let (rows, columns) = matrix.cells.dim();
        let window = Window::whole(rows, columns);
        let tile = Arc::new(Tile::from_matrix(matrix.cells.view(), window, MOST_BLOCKS));
        let picture = match (content.values, content.part) {
            (_, MatrixPart::Residual) => Heatmap::matrix(tile, ColorMap::Diverging, clip),
            (TextValues::Scores, _) => Heatmap::matrix(tile, map, clip),
            (TextValues::Attention, _) => Heatmap::attention(tile, map, columns, content.mask),
        };
        let name = |index: &usize| tokens.get(*index).map_or_else(String::new, TextToken::name);
        Self {
            content,
            picture,
            names: matrix.tokens.iter().map(name).collect(),
            tokens: matrix.tokens.clone(),
            r2: matrix.r2,
        }
    }

    /// Returns the value at a cell of the text, if it is drawn.
    #[must_use]
    pub fn value_at(&self, (query, key): (usize, usize)) -> Option<f32> {
        let (row, column) = (self.row_of(query)?, self.row_of(key)?);
        self.picture.tile().at(row, column)
    }

    /// Returns the row of a position of the text.
    fn row_of(&self, position: usize) -> Option<usize> {
        self.tokens.binary_search(&position).ok()
    }

    fn layout(&self, width: f64) -> MapLayout {
        let count = self.tokens.len().max(1) as f64;
        let frame_at = |left: f64| {
            let side = (width - left - RIGHT).max(1.0).min(WIDEST_CELL * count);
            Rect {
                x: left,
                y: ABOVE,
                width: side,
                height: side,
            }
        };
        let row_at = |left: f64| frame_at(left).height / count;
        let named = row_names_width(&self.names, f64::INFINITY, width);
        let named =
            named.filter(|left| row_names_width(&self.names, row_at(*left), width).is_some());
        let last = self.tokens.last().map_or(String::new(), usize::to_string);
        let left = named.unwrap_or_else(|| left_margin([last.as_str()], LEFT, width));
        let frame = frame_at(left);
        let rows = named.map(|_| row_names(&self.names, &frame));
        let columns = column_names(&self.names, &frame, width);
        let below = columns
            .as_ref()
            .map_or(TICKS, |names| column_names_height(names, &frame));
        MapLayout {
            frame,
            rows,
            columns,
            below,
        }
    }

    fn bar(&self, layout: &MapLayout, width: f64) -> Rect {
        Rect {
            x: layout.frame.x,
            y: layout.frame.bottom() + layout.below + AXIS_NAME + BAR_GAP,
            width: layout.frame.width.max(150.0).min(width - layout.frame.x),
            height: BAR,
        }
    }

    fn draw_axes(&self, scene: &mut Scene, layout: &MapLayout) {
        let frame = &layout.frame;
        vertical_name(scene, frame, "query i");
        for name in layout.rows.iter().flatten() {
            scene.text(name.text.clone(), name.at, Anchor::End, Ink::Ink);
        }
        for (name, index) in layout.columns.iter().flatten().zip(0..) {
            let x = frame.x + (f64::from(index) + 0.5) * frame.width / self.tokens.len() as f64;
            let top = name.at.1 - TEXT / 2.0 - 1.0;
            scene.line(vec![(x, frame.bottom()), (x, top)], Ink::Hairline, 1.0);
        }
        for name in layout.columns.iter().flatten() {
            scene.text(name.text.clone(), name.at, Anchor::Middle, Ink::Ink);
        }
        if layout.rows.is_none() || layout.columns.is_none() {
            self.draw_ticks(scene, layout);
        }
        let middle = frame.x + frame.width / 2.0;
        let y = frame.bottom() + layout.below + AXIS_NAME / 2.0;
        scene.text("key j", (middle, y), Anchor::Middle, Ink::Muted);
    }

    /// Writes positions at round rows and columns, on the axes that have no names.
    fn draw_ticks(&self, scene: &mut Scene, layout: &MapLayout) {
        let frame = &layout.frame;
        let count = self.tokens.len();
        let domain = (0.0, count as f64);
        let across = LinearScale::new(domain, (frame.x, frame.right()));
        for (at, _) in bottom_ticks(&across, frame.width, true) {
            let Some(position) = self.tokens.get(at as usize).map(usize::to_string) else {
                continue;
            };
            if layout.columns.is_none() {
                let x = across.pixel(at + 0.5);
                let bottom = frame.bottom();
                scene.line(vec![(x, bottom), (x, bottom + 4.0)], Ink::Muted, 1.0);
                scene.text(
                    position.clone(),
                    (x, bottom + 13.0),
                    Anchor::Middle,
                    Ink::Muted,
                );
            }
            if layout.rows.is_none() {
                let y = frame.y + (at + 0.5) * frame.height / count as f64;
                value_tick(scene, frame, y, position);
            }
        }
    }

    /// Writes a name on paper with a frame in the colour of the cursor, inside the figure.
    fn draw_name(scene: &mut Scene, name: &str, (right, y): (f64, f64), centred: bool) {
        let wide = text_width(name, TEXT);
        let middle = if centred { right } else { right - wide / 2.0 };
        let half = wide / 2.0 + PADDING;
        let middle = middle.min(scene.width - half - 1.0).max(half + 1.0);
        let covered = line_box(name, (middle, y), Anchor::Middle, TEXT);
        scene.marks.push(Mark::Box {
            rect: Rect {
                x: covered.x - PADDING,
                y: covered.y - 2.0,
                width: covered.width + 2.0 * PADDING,
                height: covered.height + 4.0,
            },
            fill: Some(Ink::Paper),
            stroke: Some((Ink::Accent, 1.5)),
        });
        scene.text(name, (middle, y), Anchor::Middle, Ink::Ink);
    }
}

impl Figure for TextMap {
    fn height(&self, width: f64) -> f64 {
        let layout = self.layout(width);
        let bar = self.bar(&layout, width);
        let words = color_bar::range_words(self.picture.range(), None, bar.width).len();
        bar.bottom() + (words + 1) as f64 * BAR_LABELS + 2.0
    }

    fn scene(&self, width: f64) -> Scene {
        let mut scene = Scene::new(width, self.height(width));
        let layout = self.layout(width);
        scene
            .marks
            .push(Mark::Raster(layout.frame, self.picture.raster()));
        self.draw_axes(&mut scene, &layout);
        let (bar, range) = (self.bar(&layout, width), self.picture.range());
        color_bar::draw(&mut scene, bar, self.picture.color_map(), range);
        scene
    }

    /// Lights the cells of the cursor's offset and, for a cell, its two tokens.
    fn overlay(&self, width: f64, cursor: Option<Cursor>) -> Scene {
        let mut scene = Scene::new(width, self.height(width));
        let Some(k) = cursor.and_then(Cursor::offset) else {
            return scene;
        };
        let layout = self.layout(width);
        let frame = &layout.frame;
        let cell = frame.width / self.tokens.len().max(1) as f64;
        let corner = |row: usize, column: usize| {
            (frame.x + column as f64 * cell, frame.y + row as f64 * cell)
        };
        let key_of = |row: usize| {
            let key = usize::try_from(self.tokens[row] as i64 + k).ok()?;
            self.row_of(key)
        };
        // Left-out tokens between others interrupt the diagonal.
        let mut run: Option<[(usize, usize); 2]> = None;
        let mut runs = Vec::new();
        for row in 0..self.tokens.len() {
            let cell = key_of(row).map(|column| (row, column));
            match (&mut run, cell) {
                (Some([_, end]), Some((row, column))) if *end == (row, column) => {
                    *end = (row + 1, column + 1);
                }
                (_, cell) => {
                    runs.extend(run.take());
                    run = cell.map(|(row, column)| [(row, column), (row + 1, column + 1)]);
                }
            }
        }
        runs.extend(run);
        for run in runs {
            scene.lit_line(run.map(|(row, column)| corner(row, column)).to_vec());
        }
        let Some((query, key)) = cursor.and_then(Cursor::cell) else {
            return scene;
        };
        if let Some((row, column)) = self.row_of(query).zip(self.row_of(key)) {
            let (x, y) = corner(row, column);
            let middle = (x + cell / 2.0, y + cell / 2.0);
            scene.marks.push(Mark::Dot {
                at: middle,
                radius: 5.0,
                fill: Ink::Accent,
                stroke: Ink::White,
            });
            Self::draw_name(
                &mut scene,
                &self.names[row],
                (frame.x - 7.0, middle.1),
                false,
            );
            let below = layout.columns.as_ref().and_then(|names| names.get(column));
            let y = below.map_or(frame.bottom() + 13.0, |name| name.at.1);
            let x = below.map_or(middle.0, |name| name.at.0);
            Self::draw_name(&mut scene, &self.names[column], (x, y), true);
        }
        scene
    }

    fn cursor_at(&self, width: f64, x: f64, y: f64) -> Option<Cursor> {
        let frame = self.layout(width).frame;
        if !frame.contains(x, y) {
            return None;
        }
        let count = self.tokens.len();
        let index = |at: f64, from: f64| {
            let index = (at - from) / frame.width * count as f64;
            self.tokens
                .get((index as usize).min(count.saturating_sub(1)))
                .copied()
        };
        Some(Cursor::Cell(index(y, frame.y)?, index(x, frame.x)?))
    }

    fn plot_frame(&self, width: f64) -> Option<Rect> {
        Some(self.layout(width).frame)
    }

    fn vertical_name(&self) -> &'static str {
        "query i"
    }

    fn summary(&self) -> String {
        let tile = self.picture.tile();
        let cells = tile.values.iter().enumerate();
        let numbers = cells.filter(|(_, value)| value.is_finite());
        let greatest = numbers.max_by(|a, b| a.1.total_cmp(b.1));
        let count = self.tokens.len();
        let tokens = if count == 1 { "token" } else { "tokens" };
        let head = format!(
            "{} of {count} {tokens} to each other, R² {}.",
            first_upper(self.content.words()),
            short_r2(self.r2)
        );
        let Some((index, value)) = greatest.filter(|_| tile.is_exact()) else {
            return head;
        };
        let (row, column) = (index / count, index % count);
        format!(
            "{head} The greatest value, {}, is that of query “{}” at {} and key “{}” at {}.",
            number(f64::from(*value)),
            self.names[row],
            self.tokens[row],
            self.names[column],
            self.tokens[column],
        )
    }

    /// One row per query and one column per key, which is named by its position in the text.
    fn table(&self) -> Table {
        let first = self.tokens.first().copied().unwrap_or(0);
        let are_consecutive = self
            .tokens
            .iter()
            .zip(first..)
            .all(|(token, at)| *token == at);
        let tile = self.picture.tile();
        let rows = 0..tile.window.rows.len();
        if !are_consecutive && tile.is_exact() {
            // Tokens between others are left out.
            return self
                .tokens
                .iter()
                .enumerate()
                .fold(Table::new(), |table, (column, key)| {
                    let values = rows
                        .clone()
                        .map(|row| tile.at(row, column).unwrap_or(f32::NAN));
                    let values = Column::Number(values.map(f64::from).collect());
                    table.with(key.to_string(), values)
                });
        }
        let picks = |block: usize| {
            let step = rows.len().div_ceil(8).max(1).next_multiple_of(block.max(1));
            rows.clone().step_by(step).collect::<Vec<_>>()
        };
        let side = |word| Side {
            word,
            first: first as i64,
        };
        Table::from_matrix(
            Arc::new(tile.clone()),
            (side("query"), side("key")),
            (&picks(tile.row_step), &picks(tile.col_step)),
        )
    }
}

/// Returns a text with its first letter in upper case.
fn first_upper(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(char::to_uppercase);
    first.into_iter().flatten().chain(letters).collect()
}
