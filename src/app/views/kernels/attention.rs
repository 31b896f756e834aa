//! Attention maps beside the sliders' own: of a fit, and of the open head at any length.

use super::fit::chosen_fit;
use crate::{
    analysis::{Answer, Request, ScoreMode, kernel_attention},
    app::{
        answers::Answers,
        dynamic::{count, effect, picture, text},
        engine::{Channel, Engine},
        figure_card::FigureCard,
        formulas,
        state::State,
    },
    figure::{ColorMap, Heatmap},
};
use leptos::prelude::*;
use std::{cell::Cell, sync::Arc};

/// The attention that the fitted kernels make by themselves.
pub(super) fn fit_attention() -> AnyView {
    let answers = expect_context::<Answers>();
    let state = expect_context::<State>();
    let look = state.part(|link| {
        (
            link.kernels.length,
            link.heads.cells,
            link.matrices.kernel_map,
        )
    });
    let figure = picture(move || {
        let (n, cells, map) = look.get();
        let fit = chosen_fit(state, answers)?;
        let tile = kernel_attention(&fit.kernels, n, cells);
        super::super::ready(Heatmap::matrix(Arc::new(tile), of_attention(map), 0.0))
    });
    FigureCard::new("fit-attention", figure)
        .caption("The fitted kernels alone:".to_owned())
        .formula(formulas::ATTENTION)
        .cursor(positions_shown())
        .empty("Fitting …")
        .view()
}

/// Attention is never negative: the lower half of a diverging map would be empty.
pub(super) fn of_attention(map: ColorMap) -> ColorMap {
    if map.is_diverging() {
        ColorMap::Viridis
    } else {
        map
    }
}

fn positions_shown() -> Signal<usize> {
    let state = expect_context::<State>();
    count(move || state.link.with(|link| link.kernels.length))
}

/// The open head's own attention among the chosen number of positions, and nothing where its table ends.
pub(super) fn head_attention() -> AnyView {
    let state = expect_context::<State>();
    let tile = expect_context::<Answers>().head_attention;
    let look = state.part(|link| (link.kernels.length, link.heads.cells));
    // What the shelf says of a file that is being read is no reason to ask again.
    let asked = Cell::new(None);
    effect(move || {
        let question = (state.head().zip(state.summary()))
            .map(|(head, summary)| (head, summary.hash, look.get(), state.again.get()));
        if asked.replace(question) == question {
            return;
        }
        let Some((head, _, (n, cells), _)) = question else {
            return tile.set(None);
        };
        let request = Request::HeadAttention(head, n, cells);
        Engine.ask(
            Channel::HeadAttention,
            request,
            move |answer| match answer {
                Answer::Tile(answer) => tile.set(Some(Arc::new(answer))),
                other => state.note(head.model, other),
            },
        );
    });
    let map = state.part(|link| link.matrices.kernel_map);
    let figure = picture(move || {
        super::super::ready(Heatmap::matrix(tile.get()?, of_attention(map.get()), 0.0))
    });
    let caption = text(move || {
        let length = state.link.with(|link| link.kernels.length);
        let (rows, any) = state.summary().map_or((0, false), |summary| {
            (summary.rows, summary.kind.has_any_length())
        });
        let head = state.head().map_or(String::new(), |id| {
            let mode = match id.mode {
                ScoreMode::Paper => "positional scores alone",
                ScoreMode::AsComputed => "as computed with the mean word",
            };
            format!("Layer {}, head {}, {mode}", id.layer + 1, id.head + 1)
        });
        if rows < length && !any {
            format!(
                "{head}. The table ends after {rows} rows: of the {} positions beyond it knows nothing.",
                length - rows
            )
        } else {
            format!("{head}.")
        }
    });
    FigureCard::new("head-attention", figure)
        .caption(caption)
        .cursor(positions_shown())
        .empty("No head is open yet.")
        .view()
}
