//! The table: how alike are two positions, and how far does that depend on their distance alone?

use super::{ColorControls, ZoomControls, figure, navigation, offsets_under, profile};
use crate::{
    analysis::{MatrixId, Part, Similarity},
    app::{
        answers::Answers,
        controls::Segmented,
        figure_card::FigureCard,
        figure_view::AnyFigure,
        formulas,
        readout::Readout,
        state::State,
    },
    figure::{Bars, Column, Cursor, Heatmap, Table, number},
    math::{Cells, Window},
};
use leptos::prelude::*;
use std::sync::Arc;

#[component]
pub(in crate::app) fn Positions() -> impl IntoView {
    let state = expect_context::<State>();
    let answers = expect_context::<Answers>();
    let positions = Memo::new(move |_| answers.positions.with(|p| p.as_ref().map_or(0, |p| p.fit.f.len().div_ceil(2))));
    let read = move |cursor: Cursor| {
        let tile = answers.position_tile.get();
        let value = match (cursor, &tile) {
            (Cursor::Cell(i, j), Some(tile)) => tile.at(i, j).map(f64::from),
            _ => None,
        };
        let name = match (state.link.with(|link| link.similarity), tile.is_none_or(|tile| tile.is_exact())) {
            (Similarity::InnerProduct, true) => "P",
            (Similarity::InnerProduct, false) => "P, block mean",
            (Similarity::Cosine, true) => "cosine",
            (Similarity::Cosine, false) => "cosine, block mean",
        };
        let f = answers.positions.with(|p| {
            let f = &p.as_ref()?.fit.f;
            let n = f.len().div_ceil(2) as i64;
            f.get(usize::try_from(cursor.offset() + n - 1).ok()?).copied()
        });
        vec![(name, value), ("f(k)", f)]
    };
    view! {
        <div class="view positions">
            <div class="column wide">
                <PositionMatrix positions=positions/>
                <OffsetProfile positions=positions/>
            </div>
            <div class="column">
                <ToeplitzScores/>
                <Readout read=read/>
                <PositionTable/>
            </div>
        </div>
    }
}

#[component]
fn PositionMatrix(#[prop(into)] positions: Signal<usize>) -> impl IntoView {
    let state = expect_context::<State>();
    let answers = expect_context::<Answers>();
    let look = state.part(|link| (link.map, link.clip));
    let picture = Memo::new_with_compare(
        move |_| {
            let (map, clip) = look.get();
            answers.position_tile.get().map(|tile| figure(Heatmap::matrix(tile, map, clip)))
        },
        |_, _| true,
    );
    let matrix = Signal::derive(move || {
        let model = state.open.get()?;
        state.link.with(|link| {
            Some((MatrixId::Positions(model, link.similarity, link.part), link.window.clone()))
        })
    });
    let caption = move || match state.link.with(|link| link.part) {
        Part::Whole => "Brightness that follows the diagonals depends on the offset alone:",
        Part::Toeplitz => "Every diagonal replaced by its mean: what the offset alone explains of",
        Part::Residual => "What the diagonal means leave unexplained of",
    };
    let formula = Signal::derive(move || match state.link.with(|link| link.similarity) {
        Similarity::InnerProduct => formulas::INNER_PRODUCT,
        Similarity::Cosine => formulas::COSINE,
    });
    let (zoom, pull) = navigation(state, positions);
    view! {
            <FigureCard
                id="position-matrix"
                title="How alike are two positions?"
                caption=caption
                formula=formula
                figure=picture
                positions=positions
                matrix=matrix
                pull=pull
                zoom=zoom
            >
                <Segmented
                    label="Similarity"
                    options=vec![(Similarity::InnerProduct, "inner product"), (Similarity::Cosine, "cosine")]
                    value=state.part(|link| link.similarity)
                    set=move |similarity| state.link.update(|link| link.similarity = similarity)
                />
                <Segmented
                    label="Part"
                    options=vec![(Part::Whole, "whole"), (Part::Toeplitz, "Toeplitz part"), (Part::Residual, "residual")]
                    value=state.part(|link| link.part)
                    set=move |part| state.link.update(|link| link.part = part)
                />
                <ZoomControls positions=positions/>
                <ColorControls/>
            </FigureCard>
    }
}

#[component]
fn OffsetProfile(#[prop(into)] positions: Signal<usize>) -> impl IntoView {
    let state = expect_context::<State>();
    let answers = expect_context::<Answers>();
    let all = RwSignal::new(false);
    let window = state.part(|link| link.window.clone());
    let picture = Signal::derive(move || -> Option<AnyFigure> {
        let summary = answers.positions.get()?;
        let n = summary.fit.f.len().div_ceil(2);
        let deviations = answers.spread.get();
        let offsets = if all.get() {
            (0.5 - n as f64, n as f64 - 0.5)
        } else {
            let window = window.get().map_or_else(|| Window::whole(n, n), |window| window.within(n, n));
            offsets_under(&window)
        };
        let words = "Mean of each diagonal, with one standard deviation to either side.".to_owned();
        Some(figure(profile(
            &summary.fit.f,
            deviations.as_ref().map(|d| d.as_slice()),
            offsets,
            Cells::Whole,
            words,
        )))
    });
    view! {
        <FigureCard
            id="offset-profile"
            title="Score by offset"
            caption=|| "The mean of every diagonal, shaded by its standard deviation. The narrower the shade, the more Toeplitz:"
            formula=formulas::DIAGONAL_MEAN
            figure=picture
            positions=positions
        >
            <Segmented
                label="Offsets"
                options=vec![(false, "scale of the matrix"), (true, "all offsets")]
                value=all
                set=move |value| all.set(value)
            />
        </FigureCard>
    }
}

#[component]
fn ToeplitzScores() -> impl IntoView {
    let answers = expect_context::<Answers>();
    let picture = Signal::derive(move || -> Option<AnyFigure> {
        let summary = answers.positions.get()?;
        let label = |name: &str, rows: usize| match name.split_once('-') {
            None => format!("whole, {rows} rows"),
            Some(("off", _)) => "whole, without k = 0".to_owned(),
            Some(("window", range)) => format!("rows {}", range.replace('-', "–")),
            Some((_, rows)) => format!("leading {rows} rows"),
        };
        let scopes = &summary.scopes;
        let table = Table::new()
            .with("scope", Column::Name(scopes.iter().map(|s| s.name.clone()).collect()))
            .with("rows", Column::Whole(scopes.iter().map(|s| s.rows as i64).collect()))
            .with("r2", Column::Number(scopes.iter().map(|s| s.r2).collect()));
        Some(figure(Bars {
            rows: scopes.iter().map(|s| (label(&s.name, s.rows), s.r2)).collect(),
            table,
            summary: format!(
                "The offset alone explains {} of the variance of the whole matrix.",
                number(summary.fit.r2)
            ),
        }))
    });
    let whole = move || answers.positions.with(|p| p.as_ref().map(|p| format!("{:.4}", p.fit.r2)));
    view! {
        <div class="headline">
            <span class="value" data-r2="whole">{whole}</span>
            <span>"Toeplitz R² of the whole matrix"</span>
        </div>
        <FigureCard
            id="toeplitz-scores"
            title="How Toeplitz?"
            caption=|| "The share of the variance that the offset alone explains, of the whole, of leading blocks and of windows along the diagonal:"
            formula=formulas::R2
            figure=picture
        />
    }
}

#[component]
fn PositionTable() -> impl IntoView {
    let state = expect_context::<State>();
    let answers = expect_context::<Answers>();
    let look = state.part(|link| (link.map, link.clip));
    let picture = Signal::derive(move || -> Option<AnyFigure> {
        let tile: Arc<_> = answers.table.get()?;
        let (map, clip) = look.get();
        Some(figure(Heatmap::table(tile, map, clip)))
    });
    let matrix = Signal::derive(move || Some((MatrixId::Table(state.open.get()?), None)));
    view! {
        <FigureCard
            id="position-table"
            title="The table itself"
            caption=|| "One row a position, one column a dimension:"
            formula=formulas::TABLE
            figure=picture
            matrix=matrix
        />
    }
}
