//! Figure: shares of position, content and both in the scores of rotary heads.

use super::matrix_controls::LinkedSegmentedButtons;
use crate::{
    analysis::{BudgetSource, PositionBudgets, ScoreInput},
    app::{
        figure::{
            card::FigureCard,
            view::{picture, ready},
        },
        query_client::QueryClient,
        state::{ModelList, OpenHead, UrlState},
    },
    figure::budget_bars,
    figure_spec::heads::POSITION_BUDGET,
};
use leptos::prelude::*;

/// The budgets of the open model's heads.
#[component]
pub(super) fn PositionBudgetFigure() -> impl IntoView {
    let models = ModelList::from_context();
    let open_head = OpenHead::from_context();
    let choice = UrlState::from_context().select(|link| link.heads.budget);
    // The words are those of the heads beside it.
    let source = Memo::new(move |_| match (choice.get(), open_head.get()?.input) {
        (BudgetSource::Words, ScoreInput::Text(text)) => Some(BudgetSource::Text(text)),
        (choice, _) => Some(choice),
    });
    let budgets = QueryClient::from_context().ask(move || {
        Some(PositionBudgets {
            of: models.open.get()?,
            cells: open_head.cells(),
            source: source.get()?,
        })
    });
    let figure = picture(move || {
        let open = open_head
            .get()
            .map_or((0, 0), |head| (head.layer, head.head));
        let (question, heads) = budgets.get_with_question()?;
        ready(budget_bars(&heads, question.source, open)?)
    });
    let caption = Signal::derive(move || {
        let words =
            budgets.with(|heads| heads.and_then(|heads| heads.first().map(|head| head.words)));
        match (source.get(), words) {
            (Some(BudgetSource::Weights), _) => ISOTROPIC.to_owned(),
            (Some(BudgetSource::Text(_)), _) => format!("{OVER_TEXT}{}", open_head.text_note()),
            (_, Some((some, all))) if some < all => {
                format!("{OVER_WORDS} They are {some} of {all} tokens, spread evenly.")
            }
            _ => OVER_WORDS.to_owned(),
        }
    });
    let partial = Signal::derive(move || budgets.is_pending() || budgets.failure().is_some());
    view! {
        <FigureCard spec=&POSITION_BUDGET figure caption partial query=budgets>
            <LinkedSegmentedButtons
                label="Words"
                choices=[
                    (BudgetSource::Words, "words"),
                    (BudgetSource::Weights, "weights only"),
                ]
                get=|link| link.heads.budget
                set=|link, source| link.heads.budget = source
            />
        </FigureCard>
    }
}

const OVER_WORDS: &str = "What makes the scores of the first layer differ, over all pairs of tokens of the vocabulary and all offsets in view. The share of position alone is the R² of a rotary head.";
const OVER_TEXT: &str = "What makes the scores of every layer differ, over all pairs of tokens of the text, as if query and key were drawn independently, and all offsets in view.";
const ISOTROPIC: &str = "What makes scores differ if states point in all directions alike, in every layer: content, or content together with the offset. On average no offset is preferred.";
