//! Self-attention with TISA (eq. 4) in a model's own first layer, four ways side by side.

use super::attention::of_attention;
use crate::{
    analysis::{
        Answer, AttentionMap, FIRST_LAYER_POSITIONS, FIRST_LAYER_WAYS, HeadId, PositionKind,
        Request, ScoreMode,
    },
    app::{
        answers::Answers,
        dynamic::{attribute, count, dynamic, effect, list, on, picture, switch, text},
        engine::{Channel, Engine},
        figure_card::FigureCard,
        formulas::{self, Formula},
        state::State,
    },
    figure::Heatmap,
};
use leptos::prelude::*;
use std::sync::Arc;

/// The section.
pub(super) fn first_layer() -> AnyView {
    let state = expect_context::<State>();
    let answers = expect_context::<Answers>();
    let there = switch(move || head().is_some());
    let look = state.part(|link| {
        (
            link.kernels.kernels.clone(),
            link.kernels.length,
            link.heads.cells,
            link.kernel_questions.get().words.clone(),
        )
    });
    let shown = RwSignal::new(false);
    effect(move || {
        let ((kernels, n, cells, words), Some(head), true) = (look.get(), head(), shown.get())
        else {
            return;
        };
        let Ok(words) = parse_rows(&words) else {
            return;
        };
        let request = Request::FirstLayer(head, kernels, n, cells, words);
        Engine.ask(Channel::FirstLayer, request, move |answer| match answer {
            Answer::FirstLayer(maps) => answers.first_layer.set(Arc::new(maps)),
            other => state.note(head.model, other),
        });
    });
    let unfolded = state
        .link
        .with_untracked(|link| !link.kernel_questions.get().words.is_empty());
    shown.set(unfolded);
    dynamic(move || {
        if !there.get() {
            return ().into_any();
        }
        let open = on(move |event: leptos::ev::Event| {
            let details: web_sys::Element = event_target(&event);
            shown.set(details.has_attribute("open"));
        });
        let maps = (0..FIRST_LAYER_WAYS.len()).map(map);
        view! {
            <details class="section" id="first-layer" open=unfolded on:toggle=open>
                <summary>"In the model’s own first layer, eq. 4"</summary>
                <p class="caption">"The head of the first layer, as the model computes it: with its position embeddings, with the kernels beside them, with the kernels instead of them – every embedding is then the mean embedding – and with neither."</p>
                {content()}
                <div class="pair">{list(maps)}</div>
            </details>
        }
        .into_any()
    })
}

/// The head of the first layer that is shown; nothing where positions are no embeddings.
fn head() -> Option<HeadId> {
    let state = expect_context::<State>();
    let summary = state.summary()?;
    (summary.kind == PositionKind::Table).then_some(())?;
    Some(HeadId {
        layer: 0,
        mode: ScoreMode::AsComputed,
        ..state.head()?
    })
}

/// What stands at the positions.
fn content() -> AnyView {
    let state = expect_context::<State>();
    let words = text(move || {
        state
            .link
            .with(|link| link.kernel_questions.get().words.clone())
    });
    let change = on(move |event: leptos::ev::Event| {
        let typed = event_target_value(&event).trim().to_owned();
        state
            .link
            .update(|link| link.kernel_questions.change(|asked| asked.words = typed));
    });
    let problem = text(move || {
        state.link.with(|link| {
            parse_rows(&link.kernel_questions.get().words)
                .err()
                .unwrap_or_default()
        })
    });
    let wrong = attribute(move || (!problem.get().is_empty()).then(|| "true".to_owned()));
    let said = text(move || {
        let problem = problem.get();
        if !problem.is_empty() {
            return problem;
        }
        let (words, length) = state.link.with(|link| {
            (
                parse_rows(&link.kernel_questions.get().words)
                    .unwrap_or_default()
                    .len(),
                link.kernels.length,
            )
        });
        let rows = state.summary().map_or(0, |summary| summary.rows);
        let n = if words > 0 { words } else { length }
            .min(rows)
            .min(FIRST_LAYER_POSITIONS);
        match words {
            0 => format!("The mean word x̄ at each of {n} positions."),
            _ => format!("{n} words at as many positions."),
        }
    });
    view! {
        <div class="controls">
            <label class="choice">
                <span>"Word rows"</span>
                <input type="text" placeholder="x̄; or rows such as 2023 2003 1037 or 1000-1031" size="38"
                    aria-invalid=wrong prop:value=words on:change=change/>
            </label>
            <span class="hint" role="status">{said}</span>
        </div>
    }
    .into_any()
}

fn map(which: usize) -> AnyView {
    const IDS: [&str; 4] = [
        "first-layer-embeddings",
        "first-layer-added",
        "first-layer-instead",
        "first-layer-none",
    ];
    const FORMULAS: [Formula; 4] = [
        formulas::ATTENTION_EMBEDDINGS,
        formulas::ATTENTION_BESIDE,
        formulas::ATTENTION_INSTEAD,
        formulas::ATTENTION_NONE,
    ];
    let state = expect_context::<State>();
    let answers = expect_context::<Answers>();
    let of = move || -> Option<AttentionMap> {
        answers.first_layer.with(|maps| maps.get(which).cloned())
    };
    let colours = state.part(|link| link.matrices.kernel_map);
    let figure = picture(move || {
        let tile = Arc::new(of()?.tile);
        super::super::ready(Heatmap::matrix(tile, of_attention(colours.get()), 0.0))
    });
    let positions = count(move || of().map_or(0, |map| map.tile.window.rows.len()));
    let caption = text(move || {
        let head = head().map_or(0, |id| id.head + 1);
        of().map_or(String::new(), |map| {
            format!("Head {head}; R² of the map by offset {:.3}.", map.r2)
        })
    });
    FigureCard::new(IDS[which], figure)
        .caption(caption)
        .formula(FORMULAS[which])
        .cursor(positions)
        .view()
}

/// Rows and ranges of rows, by spaces or commas.
fn parse_rows(typed: &str) -> Result<Vec<u32>, String> {
    let mut rows = Vec::new();
    for part in typed.split([' ', ',', ';']).filter(|part| !part.is_empty()) {
        let bad = || {
            format!(
                "“{}” is no row or range of rows.",
                part.chars().take(20).collect::<String>()
            )
        };
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let number = |text: &str| text.parse::<u32>().ok().ok_or_else(bad);
        let (first, last) = (number(first)?, number(last)?);
        if last < first || rows.len() + (last - first) as usize >= FIRST_LAYER_POSITIONS {
            return Err(if last < first {
                bad()
            } else {
                format!("These are more than {FIRST_LAYER_POSITIONS} rows.")
            });
        }
        rows.extend(first..=last);
    }
    Ok(rows)
}
