//! The table: how alike are two positions, and how far does that depend on their distance alone?

use super::{
    at_offset, color_control, grid_profile, grid_readings, linked, navigation, offsets_under,
    profile, range_control, ready, zoom_controls,
};
use crate::{
    analysis::{MatrixId, Part, PositionKind, Similarity},
    app::{
        answers::Answers,
        controls::Options,
        dynamic::{count, dynamic, picture, text},
        figure_card::FigureCard,
        formulas,
        readout::readout,
        state::State,
    },
    figure::{Bars, Column, Cursor, Heatmap, Table, compared, number},
    math::Cells,
};
use leptos::prelude::*;

/// Tables up to this length wait for the spread of their profile.
const SPREAD_AT_ONCE: usize = 2048;

/// The view.
pub(in crate::app) fn positions() -> AnyView {
    let state = expect_context::<State>();
    // Which figures there are depends on what positions are.
    let kind = count(move || state.kind() as usize);
    dynamic(move || figures(kind.get() == PositionKind::Table as usize))
}

/// Whether its positions are scores by offset, and not vectors that could be compared.
fn is_relative(state: State) -> bool {
    matches!(state.kind(), PositionKind::Line | PositionKind::Window)
}

fn figures(table: bool) -> AnyView {
    let state = expect_context::<State>();
    let answers = expect_context::<Answers>();
    let positions = count(move || {
        answers
            .positions
            .with(|p| p.as_ref().map_or(0, |p| p.fit.f.len().div_ceil(2)))
    });
    let read = move |cursor: Cursor| {
        let tile = answers.position_tile.get();
        let value = match (cursor, &tile) {
            (Cursor::Cell(i, j), Some(tile)) => tile.at(i, j).map(f64::from),
            _ => None,
        };
        let exact = tile.is_none_or(|tile| tile.is_exact());
        let relative = is_relative(state);
        let name = match (state.link.with(|link| link.similarity), exact) {
            (_, true) if relative => "score",
            (_, false) if relative => "score, block mean",
            (Similarity::InnerProduct, true) => "P",
            (Similarity::InnerProduct, false) => "P, block mean",
            (Similarity::Cosine, true) => "cosine",
            (Similarity::Cosine, false) => "cosine, block mean",
        };
        let (f, grid) = answers.positions.with(|p| {
            let p = p.as_ref();
            (
                p.and_then(|p| at_offset(&p.fit.f, cursor.offset())),
                p.and_then(|p| Some(p.grid_fit.as_ref()?.grid)),
            )
        });
        let mut read = vec![(name, value), ("f(k)", f)];
        read.extend(grid_readings(grid, cursor));
        read
    };
    let by_grid = move || answers.positions.with(|p| p.as_ref()?.grid_fit.clone());
    let last = if table {
        view! { {position_table()} {autocorrelation(positions)} }.into_any()
    } else {
        no_table()
    };
    view! {
        <div class="view positions">
            <div class="column">{position_matrix(positions)} {offset_profile(positions)}</div>
            <div class="column">
                {headline()} {toeplitz_scores()} {readout(read)}
                {grid_profile("grid-profile", positions, by_grid)} {last}
            </div>
        </div>
    }
    .into_any()
}

/// In place of the table, where there is none.
fn no_table() -> AnyView {
    let state = expect_context::<State>();
    let said = text(move || {
        match state.kind() {
            PositionKind::Rotary => "This model stores nothing for its positions: it turns queries and keys by angles that grow with the position. Shown is how alike two positions are after that.",
            _ => "This model has no position table: it stores a score for every distance and adds it to the attention. The matrix is the mean over the heads of the first layer.",
        }
        .to_owned()
    });
    view! { <p class="caption">{said}</p> }.into_any()
}

fn position_matrix(positions: Signal<usize>) -> AnyView {
    let state = expect_context::<State>();
    let answers = expect_context::<Answers>();
    let look = state.part(|link| (link.map, link.clip));
    let figure = picture(move || {
        let (map, clip) = look.get();
        ready(Heatmap::matrix(answers.position_tile.get()?, map, clip))
    });
    let relative = is_relative(state);
    let caption = text(move || {
        match state.link.with(|link| link.part) {
            Part::Whole if relative => {
                "What is added to a score for where query and key stand: the mean over the heads of the first layer."
            }
            Part::Toeplitz if relative => {
                "Every diagonal replaced by its mean, which is what the offset alone explains."
            }
            Part::Residual if relative => "What the diagonal means leave unexplained.",
            Part::Whole => "Brightness that follows the diagonals depends on the offset alone:",
            Part::Toeplitz => {
                "Every diagonal replaced by its mean, which is what the offset alone explains of"
            }
            Part::Residual => "What the diagonal means leave unexplained of",
        }
        .to_owned()
    });
    let similarity = linked(
        [
            (Similarity::InnerProduct, "inner product"),
            (Similarity::Cosine, "cosine"),
        ],
        |link| &mut link.similarity,
    );
    let part = linked(
        [
            (Part::Whole, "whole"),
            (Part::Toeplitz, "Toeplitz part"),
            (Part::Residual, "residual"),
        ],
        |link| &mut link.part,
    );
    let similarity = if relative {
        ().into_any()
    } else {
        similarity.segmented("Similarity")
    };
    let controls = vec![
        similarity,
        part.segmented("Part"),
        zoom_controls(positions),
        color_control(|link| &mut link.map),
        range_control(),
    ];
    let (zoom, pull) = navigation(state, positions);
    let title = if relative {
        "What positions add to a score"
    } else {
        "How alike are two positions?"
    };
    FigureCard::new("position-matrix", title, figure)
        .caption(caption)
        .formulas(move || match state.link.with(|link| link.similarity) {
            _ if relative => formulas::NONE,
            Similarity::InnerProduct => formulas::INNER_PRODUCT,
            Similarity::Cosine => formulas::COSINE,
        })
        .cursor(positions)
        .matrix(move || {
            let model = state.open.get()?;
            state.link.with(|link| {
                Some((
                    MatrixId::Positions(model, link.similarity, link.part),
                    link.window.clone(),
                ))
            })
        })
        .pull(pull)
        .zoom(zoom)
        .controls(controls)
        .view()
}

fn offset_profile(positions: Signal<usize>) -> AnyView {
    let state = expect_context::<State>();
    let answers = expect_context::<Answers>();
    let all = RwSignal::new(false);
    let window = state.part(|link| link.window.clone());
    let figure = picture(move || {
        let summary = answers.positions.get()?;
        let n = summary.fit.f.len().div_ceil(2);
        let deviations = answers.spread.get();
        // The spread is a matter of milliseconds, but for long tables it needs every cell: they go
        // without until it comes.
        if deviations.is_none() && n <= SPREAD_AT_ONCE {
            return None;
        }
        let offsets = if all.get() {
            (0.5 - n as f64, n as f64 - 0.5)
        } else {
            offsets_under(window.get(), n)
        };
        let deviations = deviations.as_ref().map(|d| d.as_slice());
        ready(profile(&summary.fit.f, deviations, offsets, Cells::Whole))
    });
    let offsets = Options::new(
        [(false, "scale of the matrix"), (true, "all offsets")],
        move || all.get(),
        move |value| all.set(value),
    );
    FigureCard::new("offset-profile", "Score by offset", figure)
        .caption("The mean of every diagonal, shaded by its standard deviation. The narrower the shade, the more Toeplitz:".to_owned())
        .formula(formulas::DIAGONAL_MEAN)
        .cursor(positions)
        .controls(vec![offsets.segmented("Offsets")])
        .view()
}

/// The one number of the view.
fn headline() -> AnyView {
    let answers = expect_context::<Answers>();
    let whole = text(move || {
        answers.positions.with(|p| {
            p.as_ref()
                .map_or(String::new(), |p| format!("{:.4}", p.fit.r2))
        })
    });
    view! {
        <p class="headline">
            <span class="value" data-r2="whole">{whole}</span>
            <span>"Toeplitz R² of the whole matrix"</span>
        </p>
    }
    .into_any()
}

fn toeplitz_scores() -> AnyView {
    let answers = expect_context::<Answers>();
    let figure = picture(move || {
        let summary = answers.positions.get()?;
        let label = |name: &str, rows: usize| match name.split_once('-') {
            Some(("whole", _)) => "whole, in two dimensions".to_owned(),
            None => format!("whole, {rows} rows"),
            Some(("off", _)) => "whole, without k = 0".to_owned(),
            Some(("window", range)) => format!("rows {}", range.replace('-', "–")),
            Some((_, rows)) => format!("leading {rows} rows"),
        };
        let scopes = &summary.scopes;
        let table = Table::new()
            .with(
                "scope",
                Column::Name(scopes.iter().map(|s| s.name.clone()).collect()),
            )
            .with(
                "rows",
                Column::Whole(scopes.iter().map(|s| s.rows as i64).collect()),
            )
            .with("r2", Column::Number(scopes.iter().map(|s| s.r2).collect()));
        ready(Bars {
            rows: scopes
                .iter()
                .map(|s| (label(&s.name, s.rows), s.r2))
                .collect(),
            table,
            summary: format!(
                "The offset alone explains {} of the variance of the whole matrix.",
                number(summary.fit.r2)
            ),
        })
    });
    FigureCard::new("toeplitz-scores", "How Toeplitz?", figure)
        .caption("The share of the variance that the offset alone explains, of the whole, of leading blocks and of windows along the diagonal:".to_owned())
        .formula(formulas::R2)
        .view()
}

fn autocorrelation(positions: Signal<usize>) -> AnyView {
    let answers = expect_context::<Answers>();
    let figure =
        picture(move || ready(compared::autocorrelation(answers.brief.get()?.as_ref()).ok()?));
    FigureCard::new("autocorrelation", "How smooth is the table?", figure)
        .caption("How much a column of the table is like itself some positions farther on: the mean of |autocorrelation| over all columns, by lag.".to_owned())
        .cursor(positions)
        .view()
}

fn position_table() -> AnyView {
    let state = expect_context::<State>();
    let answers = expect_context::<Answers>();
    let look = state.part(|link| (link.map, link.clip));
    let figure = picture(move || {
        let (map, clip) = look.get();
        ready(Heatmap::table(answers.table.get()?, map, clip))
    });
    FigureCard::new("position-table", "The table itself", figure)
        .caption("One row a position, one column a dimension:".to_owned())
        .formula(formulas::TABLE)
        .matrix(move || Some((MatrixId::Table(state.open.get()?), None)))
        .view()
}
