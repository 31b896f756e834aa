//! Figure: content and position in the scores of the first layer.

use super::{displayed_head::DisplayedHead, text_state::TextState};
use crate::{
    analysis::{ScorePart, SpecialTokenMode, TextPartMatrix, TextPartShares},
    app::{
        figure::{
            card::FigureCard,
            view::{picture, ready},
        },
        query_client::{Query, QueryClient},
        state::PageState,
        views::figure_fold::FigureFold,
    },
    figure::text_attention::score_parts,
    figure_spec::text::TEXT_PARTS,
    url_state::FigureGroup,
};
use leptos::prelude::*;

/// The fold with the parts.
#[component]
pub(super) fn ScorePartsFold() -> impl IntoView {
    view! {
        <FigureFold group=FigureGroup::ScoreParts summary="Content and position in the first layer">
            <ScorePartsFigure/>
        </FigureFold>
    }
}

/// Figure: the parts of the scores of the head of the first layer that has the number of the open head.
#[component]
fn ScorePartsFigure() -> impl IntoView {
    let PageState { url, models, .. } = PageState::from_context();
    let text = TextState::from_context();
    let client = QueryClient::from_context();
    let first = DisplayedHead::memo(models, text.run, move || Some((0, text.open_head()?.1)));
    let head = Memo::new(move |_| Some(first.get()?.head.1));
    let shares = client.ask(move || {
        let DisplayedHead { of, text, .. } = first.get()?;
        Some(TextPartShares { of, text })
    });
    text.repeat_when_gone(shares);
    let maps: [Query<TextPartMatrix>; 5] = ScorePart::ALL.map(|part| {
        client.ask(move || {
            let displayed = first.get()?;
            Some(TextPartMatrix {
                of: displayed.of,
                text: displayed.text,
                head: displayed.head.1,
                part,
                special: SpecialTokenMode::Shown,
            })
        })
    });
    for map in maps {
        text.repeat_when_gone(map);
    }
    let clip = url.select(|link| link.matrices.clip);
    let figure = picture(move || {
        let answers = maps.iter().map(|map| {
            let (question, matrix) = map.get_with_question()?;
            Some((question.part, matrix))
        });
        let answers: Vec<_> = answers.collect::<Option<_>>()?;
        let shares = shares.get()?;
        ready(score_parts(&answers, &shares, head.get()?, clip.get()))
    });
    let caption = Signal::derive(move || {
        let head = head.get().map_or(0, |head| head + 1);
        format!(
            "The scores of head {head} of layer 1 as a sum of five maps on one scale, with the share of each in the scores."
        )
    });
    let positions = Signal::derive(move || text.tokens.with(|tokens| tokens.len()));
    let status = Signal::derive(move || shares.status().or_else(|| maps[0].status()));
    view! { <FigureCard spec=&TEXT_PARTS figure caption positions query=status/> }
}
