//! How continuous a position table is: its lowest cosines by offset, and the cone below them.

use super::prelude::*;
use crate::{
    analysis::reading::no_table,
    encoding::Sinusoidal,
    math::{ConeSearch, LipschitzCone, TableBreaks},
};
use ndarray::Array2;
use std::ops::Range;

/// The cone below the cosines of the table, and that of the sinusoidal table of its shape.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TableContinuity {
    /// The model.
    pub of: ModelVersion,
}

/// The cones of a table and of the sinusoidal one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TableCones {
    /// The cone of the model's table.
    pub table: LipschitzCone,
    /// The cone of the sinusoidal table with as many rows and columns.
    pub sinusoidal: LipschitzCone,
    /// Breaks of the model's table. [`LipschitzCone::bound_in_parts`] leaves out pairs across them, and row 0.
    pub breaks: TableBreaks,
}

/// Sentence in place of the cone for image patches.
const ON_A_GRID: &str = "The positions are patches of an image, read row by row. Rows of the table that follow one another can lie at opposite edges of the image, so one offset does not measure their distance.";

impl SingleAnswer for TableContinuity {
    type Answer = Result<TableCones, String>;
    const URGENCY: Urgency = Urgency::Later;

    fn model(&self) -> Option<ModelVersion> {
        Some(self.of)
    }

    async fn answer<H: Host>(
        self,
        context: &AnswerContext<'_, Self, H>,
    ) -> Result<Result<TableCones, String>, Failure> {
        let model = context.session.model(self.of).await?;
        let table = model.positions().table();
        if table.is_some_and(|table| table.grid.is_some()) {
            return Ok(Err(ON_A_GRID.to_owned()));
        }
        let rows = model.positions().rows().ok_or_else(no_table)?;
        let job = SearchCones {
            table: rows.into_owned(),
            breaks: model.breaks().clone(),
        };
        Ok(context.compute(job).await)
    }
}

/// Searches the cones of a table and of the sinusoidal one.
struct SearchCones {
    table: Array2<f32>,
    breaks: TableBreaks,
}

impl Job for SearchCones {
    type Output = Result<TableCones, String>;

    async fn run(self, watch: &impl Progress) -> Self::Output {
        let Self { table, breaks } = self;
        let (rows, width) = table.dim();
        let sinusoidal = Sinusoidal {
            rows,
            width,
            ..Sinusoidal::default()
        };
        Ok(TableCones {
            table: search(table, &usual_parts(&breaks, rows), watch).await?,
            sinusoidal: match sinusoidal_cone(&sinusoidal) {
                Some(cone) => cone,
                None => search(sinusoidal.table(), &[], watch).await?,
            },
            breaks,
        })
    }
}

/// The rows between the breaks of a table of `rows` rows, without row 0, which often belongs to a special token, and
/// without rows that look never trained.
fn usual_parts(breaks: &TableBreaks, rows: usize) -> Vec<Range<usize>> {
    let end = breaks.tail.map_or(rows, |tail| tail.first.min(rows));
    let mut parts = Vec::new();
    let mut start = 1;
    for seam in &breaks.seams {
        parts.push(start..seam.last_before + 1);
        start = seam.first_behind;
    }
    parts.push(start..end);
    parts.retain(|part| !part.is_empty() && part.end <= rows);
    parts
}

async fn search(
    table: Array2<f32>,
    parts: &[Range<usize>],
    watch: &impl Progress,
) -> Result<LipschitzCone, String> {
    let mut search = ConeSearch::new(table, parts);
    while search.step() {
        watch.pause().await;
    }
    search.finish()
}

/// The cone of a sinusoidal table from its closed form; `None` for an odd width, where cosines do not depend on the
/// offset alone.
fn sinusoidal_cone(table: &Sinusoidal) -> Option<LipschitzCone> {
    let cosines = table.inner_products(true)?;
    let ahead = &cosines.profile()[table.rows.saturating_sub(1)..];
    LipschitzCone::from_cosines(ahead.to_vec())
}
