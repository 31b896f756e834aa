//! The paper's table of criteria as a picture: a tick or a cross for every method and criterion.

use super::{
    Anchor, Figure, Ink, Mark, Scene, Table,
    text::{break_lines, fit_name},
};
use crate::analysis::criteria::{
    CRITERIA, CRITERION_IDS, Verdict, WAY_IDS, WAYS,
    demonstrations::{CellDemonstration, MOST_NUMBERS, as_it_opens},
    verdict,
};

const ROW: f64 = 28.0;
const HEAD: f64 = 40.0;
/// Column names are written above columns of at least this width. Narrower columns have numbers, and the names follow
/// below.
const NAMED_COLUMN_WIDTH: f64 = 84.0;
/// Width of row names; at most half of the figure.
const NAMES: f64 = 124.0;
/// Distance between lines below the table.
const LEADING: f64 = 18.0;
/// Explanation of the ring next to a mark.
const RING: &str = "debatable";
/// Its start, after the ring.
const RING_WORDS: f64 = 13.0;

/// The table of criteria.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Judgements {
    /// The open cell, with the result of its demonstration for the current slider values.
    pub open: Option<CellDemonstration>,
}

impl Judgements {
    fn names(width: f64) -> f64 {
        NAMES.min(width / 2.0)
    }

    fn column(width: f64) -> f64 {
        ((width - Self::names(width)) / CRITERIA.len() as f64).max(1.0)
    }

    /// Returns the lines below the table: the explanation of the ring, and the column names if there are numbers above
    /// the columns.
    fn lines_below(width: f64) -> (Vec<String>, Vec<String>) {
        let ring = break_lines(RING, width - RING_WORDS);
        let names = CRITERIA.iter().enumerate();
        let names = names.filter(|_| !Self::is_named(width));
        let lines =
            names.flat_map(|(at, (_, name, _))| break_lines(&format!("{} {name}", at + 1), width));
        (ring, lines.collect())
    }

    fn is_named(width: f64) -> bool {
        Self::column(width) >= NAMED_COLUMN_WIDTH
    }

    fn cells() -> impl Iterator<Item = (usize, usize, Verdict, &'static str)> {
        (0..WAYS.len()).flat_map(|way| {
            (0..CRITERIA.len()).filter_map(move |criterion| {
                let (mark, argument) = verdict(way, criterion)?;
                Some((way, criterion, mark, argument))
            })
        })
    }
}

/// Draws a tick or a cross at a point, with a ring if the other mark could be argued for.
fn draw(scene: &mut Scene, (x, y): (f64, f64), mark: Verdict) {
    let mut stroke = |points: &[(f64, f64)], ink, width| {
        let points = points.iter().map(|(dx, dy)| (x + dx, y + dy)).collect();
        scene.line(points, ink, width);
    };
    if mark.is_yes() {
        stroke(&[(-5.5, 0.5), (-2.0, 4.0), (5.5, -4.5)], Ink::Ink, 2.0);
    } else {
        stroke(&[(-4.0, -4.0), (4.0, 4.0)], Ink::Muted, 1.25);
        stroke(&[(-4.0, 4.0), (4.0, -4.0)], Ink::Muted, 1.25);
    }
    if mark.is_arguable() {
        scene.marks.push(Mark::Dot {
            at: (x + 11.0, y - 5.0),
            radius: 2.0,
            fill: Ink::Paper,
            stroke: Ink::Muted,
        });
    }
}

impl Figure for Judgements {
    fn height(&self, width: f64) -> f64 {
        let (ring, names) = Self::lines_below(width);
        let lines = (ring.len() + names.len()) as f64;
        HEAD + ROW * WAYS.len() as f64 + 8.0 + LEADING * lines
    }

    fn scene(&self, width: f64) -> Scene {
        let mut scene = Scene::new(width, self.height(width));
        let middle = |at: usize| Self::names(width) + Self::column(width) * (at as f64 + 0.5);
        let named = Self::is_named(width);
        for (at, (_, name, _)) in CRITERIA.iter().enumerate() {
            let mut words = name.split(' ');
            let (first, second) = (words.next().unwrap_or_default(), words.next());
            let mut over = |text: &str, y| {
                scene.text(text, (middle(at), y), Anchor::Middle, Ink::Muted);
            };
            match (named, second) {
                (false, _) => over(&(at + 1).to_string(), HEAD - 10.0),
                (true, None) => over(first, HEAD - 10.0),
                (true, Some(second)) => {
                    over(first, HEAD - 26.0);
                    over(second, HEAD - 10.0);
                }
            }
        }
        let rule = |scene: &mut Scene, y| {
            scene.line(vec![(0.0, y), (width, y)], Ink::Hairline, 1.0);
        };
        rule(&mut scene, HEAD);
        for (at, (_, name, _)) in WAYS.iter().enumerate() {
            let top = HEAD + ROW * at as f64;
            let name = fit_name(name, Self::names(width) - 6.0);
            scene.text(name, (0.0, top + ROW / 2.0), Anchor::Start, Ink::Ink);
            rule(&mut scene, top + ROW);
        }
        for (way, criterion, mark, _) in Self::cells() {
            let y = HEAD + ROW * (way as f64 + 0.5);
            draw(&mut scene, (middle(criterion), y), mark);
        }
        let mut y = HEAD + ROW * WAYS.len() as f64 + 14.0;
        scene.marks.push(Mark::Dot {
            at: (4.0, y),
            radius: 2.0,
            fill: Ink::Paper,
            stroke: Ink::Muted,
        });
        let (ring, names) = Self::lines_below(width);
        let lines = ring.into_iter().map(|line| (RING_WORDS, line));
        for (x, line) in lines.chain(names.into_iter().map(|line| (0.0, line))) {
            scene.text(line, (x, y), Anchor::Start, Ink::Muted);
            y += LEADING;
        }
        scene
    }

    fn summary(&self) -> String {
        let yes = |way: usize| {
            Self::cells()
                .filter(|(w, _, mark, _)| *w == way && mark.is_yes())
                .count()
        };
        let phrases: Vec<String> = WAYS
            .iter()
            .enumerate()
            .map(|(way, (_, name, _))| format!("{name} {}", yes(way)))
            .collect();
        format!(
            "Criteria met, of {}: {}.",
            CRITERIA.len(),
            phrases.join(", ")
        )
    }

    /// `method,criterion,paper,note,arguable`, then `measure_1,value_1` and so on: the results of a cell's
    /// demonstration. The open cell uses its current slider values, the others their start values. A demonstration that
    /// depends on the page's kernels has no result until it is open.
    fn table(&self) -> Table {
        let names = |of: &dyn Fn((usize, usize, Verdict, &'static str)) -> &'static str| {
            Self::cells().map(|cell| of(cell).to_owned()).collect()
        };
        let yes_no = |yes: bool| if yes { "yes" } else { "no" };
        let table = Table::new()
            .with("method", names(&|(way, ..)| WAY_IDS[way]))
            .with(
                "criterion",
                names(&|(_, criterion, ..)| CRITERION_IDS[criterion]),
            )
            .with("paper", names(&|(_, _, mark, _)| yes_no(mark.is_yes())))
            .with("note", names(&|(.., argument)| argument))
            .with(
                "arguable",
                names(&|(_, _, mark, _)| yes_no(mark.is_arguable())),
            );
        let outcomes: Vec<_> = Self::cells()
            .map(|(way, criterion, ..)| match &self.open {
                Some(open) if open.cell == (way, criterion) => Some(open.outcome.clone()),
                _ => as_it_opens(way, criterion),
            })
            .collect();
        (0..MOST_NUMBERS).fold(table, |table, at| {
            let found = outcomes
                .iter()
                .map(|outcome| outcome.as_ref()?.numbers.get(at));
            let measures = found
                .clone()
                .map(|found| found.map_or_else(String::new, |(name, _)| (*name).to_owned()));
            let values = found.map(|found| found.map_or(f64::NAN, |(_, value)| value.value()));
            table
                .with(format!("measure_{}", at + 1), measures.collect())
                .with(format!("value_{}", at + 1), values.collect())
        })
    }
}
