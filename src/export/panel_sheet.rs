//! Several figures on one sheet, as panels with letters in rows and columns.

use super::{
    FigureLabels, Heading, Provenance, Sheet, SheetWidth, TextOutlines,
    column_setter::{ColumnSetter, GAP, LEADING, LabelledFigure},
    file_details::hash,
    page_layout::MARGIN,
};
use crate::figure::{
    Anchor, Figure, Ink, Mark, Rect, Scene, panel_letter, scene::LETTER, text::TEXT,
};
use std::sync::Arc;

/// The most panels of a sheet.
pub const MOST_PANELS: usize = 12;
/// The most columns of a sheet.
pub const MOST_COLUMNS: usize = 3;
/// Space between two columns, and between two rows.
const APART: (f64, f64) = (16.0, 12.0);
/// Least width of a column. A sheet that is too narrow has fewer columns.
const NARROWEST: f64 = 150.0;
/// Distance from the letter of a panel to its heading.
const INDENT: f64 = 15.0;

/// A figure as a panel of a sheet.
#[derive(Clone)]
pub struct SheetPanel {
    /// The figure, in its state when it was added to the sheet.
    pub figure: Arc<dyn Figure + Send + Sync>,
    /// Its title.
    pub title: String,
    /// The model or head. Empty if the figure names it itself.
    pub subject: String,
    /// Labels around the figure.
    pub labels: FigureLabels,
    /// Origin of the figure.
    pub provenance: Provenance,
}

impl std::fmt::Debug for SheetPanel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SheetPanel")
            .field("title", &self.title)
            .field("subject", &self.subject)
            .finish_non_exhaustive()
    }
}

/// A sheet of panels.
#[derive(Debug, Clone)]
pub struct PanelSheet<'a> {
    /// The panels in reading order.
    pub panels: &'a [SheetPanel],
    /// Preferred number of columns, 1 … [`MOST_COLUMNS`].
    pub columns: usize,
    /// Width of the sheet.
    pub width: SheetWidth,
    /// Whether title and subject are written above each panel.
    pub heading: Heading,
}

impl PanelSheet<'_> {
    /// Returns the number of columns and their width.
    fn columns(&self) -> (usize, f64) {
        let room = self.width.pixels() - 2.0 * MARGIN;
        let fit = ((room + APART.0) / (NARROWEST + APART.0)) as usize;
        let columns = self.columns.min(self.panels.len()).clamp(1, fit.max(1));
        let width = (room + APART.0) / columns as f64 - APART.0;
        (columns, width)
    }

    /// Returns the width of each panel's figure.
    #[must_use]
    pub fn figure_widths(&self) -> Vec<f64> {
        let (_, column) = self.columns();
        let width = |panel: &SheetPanel| with_labels(&*panel.figure, panel).width(column);
        self.panels.iter().map(width).collect()
    }

    /// Returns the number of dots along the longer side of a panel's plot, as [`Sheet::plot_dots`].
    #[must_use]
    pub fn plot_dots(&self, panel: usize) -> Option<usize> {
        let width = *self.figure_widths().get(panel)?;
        let frame = self.panels.get(panel)?.figure.plot_frame(width)?;
        let side = frame.width.max(frame.height);
        Some((side * Sheet::DOTS).round() as usize)
    }

    /// Returns the sheet as a scene. In a row, headings, plots and notes begin at the same heights, and plots whose
    /// height is free are as high as the others.
    #[must_use]
    pub fn scene(&self, letters: &TextOutlines<'_>) -> Scene {
        let (columns, width) = self.columns();
        let mut marks = Vec::new();
        let mut top = MARGIN;
        for (at, row) in self.panels.chunks(columns).enumerate() {
            if at > 0 {
                top += APART.1;
            }
            let column = |place: usize| ColumnSetter {
                letters,
                marks: Vec::new(),
                left: MARGIN + place as f64 * (width + APART.0),
                width,
                y: top,
            };
            let mut setters: Vec<ColumnSetter<'_>> = (0..row.len()).map(column).collect();
            for (place, (setter, panel)) in setters.iter_mut().zip(row).enumerate() {
                self.write_heading(setter, panel, panel_letter(at * columns + place));
            }
            begin_together(&mut setters);
            let figures = of_equal_height(row, width);
            let offsets = plot_offsets(row, &figures, width);
            for (((setter, panel), figure), offset) in
                setters.iter_mut().zip(row).zip(&figures).zip(offsets)
            {
                setter.y += offset;
                setter.figure(with_labels(&**figure, panel));
            }
            begin_together(&mut setters);
            for (setter, panel) in setters.iter_mut().zip(row) {
                setter.notes(&panel.labels);
            }
            begin_together(&mut setters);
            top = setters.first().map_or(top, |setter| setter.y);
            marks.extend(setters.into_iter().flat_map(|setter| setter.marks));
        }
        Scene {
            width: self.width.pixels(),
            height: (top + MARGIN).ceil(),
            marks,
        }
    }

    /// Writes the letter of a panel, and its title and subject if they are wanted.
    fn write_heading(&self, setter: &mut ColumnSetter<'_>, panel: &SheetPanel, letter: String) {
        let (left, width, top) = (setter.left, setter.width, setter.y);
        setter.put(Mark::Text {
            text: letter,
            at: (left, top + LEADING / 2.0),
            size: LETTER,
            anchor: Anchor::Start,
            ink: Ink::Ink,
        });
        if self.heading == Heading::Title {
            (setter.left, setter.width) = (left + INDENT, width - INDENT);
            setter.lines(&panel.title, TEXT, Ink::Ink);
            setter.lines(&panel.subject, TEXT, Ink::Muted);
            (setter.left, setter.width) = (left, width);
        }
        setter.y = setter.y.max(top + LEADING) + GAP;
    }

    /// Returns the name of its files without their ending: the number of panels, and a hash of what they show.
    #[must_use]
    pub fn file_name(&self) -> String {
        let source = self.provenance().source;
        format!(
            "diagonal-sheet-{}-panels-{}",
            self.panels.len(),
            hash(&source)
        )
    }

    /// Returns the origin of the sheet: titles, descriptions and links of all panels by their letters.
    #[must_use]
    pub fn provenance(&self) -> Provenance {
        let each = |text: &dyn Fn(&Provenance) -> String, separator: &str| {
            let panels = self.panels.iter().enumerate();
            let texts = panels
                .map(|(at, panel)| format!("{}: {}", panel_letter(at), text(&panel.provenance)));
            texts.collect::<Vec<_>>().join(separator)
        };
        let hashes: Vec<Option<u64>> = self
            .panels
            .iter()
            .map(|panel| panel.provenance.hash)
            .collect();
        let is_of_one_model = hashes.windows(2).all(|two| two[0] == two[1]);
        let with_hash = |of: &Provenance| match of.hash_text().filter(|_| !is_of_one_model) {
            Some(hash) => format!("{} Position table hash {hash}.", of.description),
            None => of.description.clone(),
        };
        Provenance {
            title: each(&|of| of.title.clone(), "; "),
            description: each(&with_hash, " "),
            source: each(&|of| of.source.clone(), " "),
            hash: hashes
                .first()
                .copied()
                .flatten()
                .filter(|_| is_of_one_model),
        }
    }
}

fn with_labels<'a>(figure: &'a dyn Figure, panel: &'a SheetPanel) -> LabelledFigure<'a> {
    LabelledFigure {
        figure,
        labels: &panel.labels,
    }
}

/// Moves all setters to the height of the lowest.
fn begin_together(setters: &mut [ColumnSetter<'_>]) {
    let lowest = setters.iter().map(|setter| setter.y).fold(0.0, f64::max);
    for setter in setters {
        setter.y = lowest;
    }
}

/// Returns the plot of each panel in a column of this width.
fn frames<'a>(
    row: &'a [SheetPanel],
    figures: &'a [Arc<dyn Figure + Send + Sync>],
    column: f64,
) -> impl Iterator<Item = Option<Rect>> + 'a {
    let panels = row.iter().zip(figures);
    panels
        .map(move |(panel, figure)| figure.plot_frame(with_labels(&**figure, panel).width(column)))
}

/// Returns the figures of a row with plots of equal height: that of the highest whose height is fixed, or of the highest
/// of all if all heights are free.
fn of_equal_height(row: &[SheetPanel], column: f64) -> Vec<Arc<dyn Figure + Send + Sync>> {
    let figures: Vec<_> = row.iter().map(|panel| Arc::clone(&panel.figure)).collect();
    let width = |panel: &SheetPanel| with_labels(&*panel.figure, panel).width(column);
    let is_free = |panel: &SheetPanel| {
        let width = width(panel);
        let height = panel.figure.height(width);
        panel.figure.with_height(width, height).is_some()
    };
    let plots: Vec<Option<Rect>> = frames(row, &figures, column).collect();
    let highest = |only_fixed: bool| {
        let panels = row.iter().zip(&plots);
        let counted = panels.filter(|(panel, _)| !only_fixed || !is_free(panel));
        let heights = counted.filter_map(|(_, plot)| Some(plot.as_ref()?.height));
        heights.reduce(f64::max)
    };
    let Some(target) = highest(true).or_else(|| highest(false)) else {
        return figures;
    };
    let fitted = row.iter().zip(&plots).map(|(panel, plot)| {
        let width = width(panel);
        let around = panel.figure.height(width) - plot.as_ref()?.height;
        panel.figure.with_height(width, around + target)
    });
    let fitted = fitted.zip(figures);
    fitted.map(|(fitted, own)| fitted.unwrap_or(own)).collect()
}

/// Returns the space above each figure of a row with which all plots begin at the same height.
fn plot_offsets(
    row: &[SheetPanel],
    figures: &[Arc<dyn Figure + Send + Sync>],
    column: f64,
) -> Vec<f64> {
    let tops: Vec<Option<f64>> = (frames(row, figures, column))
        .map(|plot| plot.map(|plot| plot.y))
        .collect();
    let lowest = tops.iter().copied().flatten().fold(0.0, f64::max);
    tops.iter()
        .map(|top| top.map_or(0.0, |top| lowest - top))
        .collect()
}
