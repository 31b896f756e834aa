//! One matrix of the comparison, with its name, its numbers and its toolbar.

use super::{
    Badge, InclusionCheckbox,
    answers::{ComparedAnswers, SharedColors},
};
use crate::{
    analysis::{MatrixId, MatrixPart, MatrixTile, ModelOverview},
    app::{
        figure::{
            matrix_source::{MatrixSource, ShownMatrix},
            resolution::MatrixResolution,
            toolbar::FigureToolbar,
            view::{FigureView, picture, ready},
        },
        query_client::{QueryClient, QueryStatus},
        state::{
            PageState,
            comparison::{Comparison, ListedModel, store_r2},
        },
    },
    figure::{Cursor, Heatmap, number, short_r2},
    figure_spec::positions::POSITION_MATRIX,
    math::Window,
};
use leptos::prelude::*;
use std::sync::Arc;

/// A small multiple: one model's matrix. It queries its own model.
#[component]
pub(super) fn SmallMatrix(
    answers: ComparedAnswers,
    /// The model when it joins; its number and its name do not change.
    model: ListedModel,
) -> impl IntoView {
    let state = PageState::from_context();
    let url = state.url;
    let listed = Comparison::from_context().model(model.id());
    let similarity = url.select(|link| link.positions.similarity);
    let overview = QueryClient::from_context().ask(move || {
        Some(ModelOverview {
            of: listed.get()?.version,
            similarity: similarity.get(),
        })
    });
    answers.overviews.add(model.id(), overview);
    Effect::new(move || {
        if let Some((question, brief)) = overview.get_with_question() {
            store_r2(state.models, question.of, question.similarity, &brief);
        }
    });

    let n = Memo::new(move |_| overview.with(|brief| brief.map_or(0, |brief| brief.fit.f.n())));
    let of_matrix = move || {
        let opened = listed.get()?.version;
        Some(MatrixId::Positions(
            opened,
            similarity.get(),
            MatrixPart::Whole,
        ))
    };
    // The overview has few blocks. Finer ones are asked for if they can be seen.
    let coarse =
        Memo::new(move |_| overview.with(|brief| brief.map_or(0, |brief| brief.tile.height())));
    let resolution = MatrixResolution::new();
    let fine = QueryClient::from_context().ask(move || {
        let n = n.get();
        let limit = resolution.blocks_across(&Window::whole(n, n), coarse.get());
        let question = MatrixTile {
            of: of_matrix()?,
            window: None,
            limit,
        };
        (limit > coarse.get()).then_some(question)
    });
    let look = url.select(|link| (link.matrices.map, link.matrices.clip));
    let alone = Memo::new_with_compare(
        move |_| {
            let (map, clip) = look.get();
            let asked = fine.question().map(|question| question.of);
            let finer = fine.get_with_question();
            let finer = finer.filter(|(question, _)| asked.as_ref() == Some(&question.of));
            let coarse = || overview.with(|brief| Some(Arc::new(brief?.tile.clone())));
            let tile = finer.map(|(_, tile)| tile).or_else(coarse)?;
            let matrix = Heatmap::matrix(tile, map, clip);
            let is_relative =
                listed.with(|model| Some(model.as_ref()?.summary.kind.is_relative()))?;
            Some(Arc::new(if is_relative {
                matrix
            } else {
                matrix.of_positions()
            }))
        },
        |_, _| true,
    );
    answers.add_matrix(model.id(), alone);
    let is_computed = model.is_computed;
    let shared = Memo::new(move |_| answers.colors.with(|colors| colors.range_for(is_computed)));
    let figure = picture(move || {
        let matrix = Heatmap::clone(alone.get()?.as_ref());
        ready(match shared.get() {
            Some(range) => matrix.with_range(range.ends).small(false),
            None => matrix.small(true),
        })
    });

    let is_apart = Memo::new(move |_| {
        let apart = |colors: &SharedColors| {
            colors.scale.shared_range.is_some() && colors.range_for(is_computed).is_none()
        };
        answers.colors.with(apart)
    });
    // Exports have axes and a colour bar of their own.
    let saved = picture(move || {
        let matrix = Heatmap::clone(alone.get()?.as_ref());
        ready(match shared.get() {
            Some(range) => matrix.with_range(range.ends),
            None => matrix,
        })
    });

    let r2 = move || {
        overview.with(|brief| brief.map_or(String::new(), |b| short_r2(b.r2().off_diagonal)))
    };
    let about = move || {
        listed.with(|model| {
            let size = model.as_ref().map(|m| (m.summary.rows, m.summary.width));
            match size {
                Some((rows, 0)) => format!("n {rows}"),
                Some((rows, width)) => format!("{rows} × {width}"),
                None => String::new(),
            }
        })
    };
    let under_cursor = move || {
        let offset = state.cursor.get().and_then(Cursor::offset)?;
        let f = overview.with(|brief| brief?.fit.f.at(offset))?;
        Some(format!("f(k) {}", number(f)))
    };
    let summary = Memo::new(move |_| {
        figure.with(|figure| figure.as_ref().map(|f| f.summary()).unwrap_or_default())
    });
    let name = model.name.clone();
    let label = Signal::derive(move || format!("{name}, R² {}. {}", r2(), summary.get()));
    let figure_state = move || match (figure.with(Option::is_some), overview.status()) {
        (true, QueryStatus::NextAnswer) => "earlier",
        (true, _) => "ready",
        (false, QueryStatus::Failed(_)) => "failed",
        (false, _) => "waiting",
    };
    let message = move || match (figure.with(Option::is_some), overview.status()) {
        (true, _) | (_, QueryStatus::Nothing) => String::new(),
        (_, QueryStatus::Failed(sentence)) => sentence,
        (_, QueryStatus::Computing | QueryStatus::NextAnswer) => "Computing …".to_owned(),
    };
    let matrix = MatrixSource::new(move || {
        let n = n.get();
        Some(ShownMatrix {
            of: of_matrix()?,
            size: (n, n),
            window: None,
        })
    });
    let title = Signal::stored(model.name.clone());
    view! {
        <figure
            class="multiple"
            data-figure=POSITION_MATRIX.id.id()
            data-model=model.name.clone()
            data-state=figure_state
        >
            <header>
                <InclusionCheckbox id=model.id() name=model.name.clone() takes_part=true/>
                <Badge number=model.number/>
                <h3 title=model.name.clone()>{model.name.clone()}</h3>
                <FigureToolbar spec=&POSITION_MATRIX title model=title figure=saved matrix=Some(matrix)/>
            </header>
            <p class="about">
                <span>{about}</span>
                " "
                <span>"R² " <b>{r2}</b></span>
                " "
                <span class="accent">{under_cursor}</span>
            </p>
            <div class="stage">
                <FigureView id=POSITION_MATRIX.id.id() figure label positions=n resolution=Some(resolution)/>
                <p class="waiting" hidden=move || figure.with(Option::is_some)>{message}</p>
            </div>
            <p class="hint" hidden=move || !is_apart.get()>
                "Separate colour scale: synthetic tables have a different magnitude."
            </p>
            <figcaption class="summary">{summary}</figcaption>
        </figure>
    }
}
