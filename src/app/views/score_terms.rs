//! Figure: the scores of the open head as a sum of terms by word and position.

use super::{figure_fold::FigureFold, matrix_controls::LinkedSegmentedButtons};
use crate::{
    analysis::{
        HeadId, HeadWords, MOST_WORD_POSITIONS, ScoreMode, ScorePart, ScoreTerms, TermDraws,
        word_rows,
    },
    app::{
        controls::while_mounted::while_mounted,
        figure::{
            card::FigureCard,
            view::{picture, ready},
        },
        query_client::QueryClient,
        state::{ModelList, PageState, UrlState},
    },
    figure::{TermChoices, part_name, score_terms},
    figure_spec::heads::SCORE_TERMS,
    url_state::{DRAWS, FigureGroup, TermWords},
};
use leptos::{
    ev::{Event, Targeted},
    prelude::*,
};
use web_sys::HtmlInputElement;

/// Number of draws behind the ranges of the shares.
const RANGE_DRAWS: u32 = 10;

/// The fold with the terms.
#[component]
pub(super) fn ScoreTermsFold() -> impl IntoView {
    view! {
        <FigureFold group=FigureGroup::ScoreTerms summary="Words and positions in the scores">
            <ScoreTermsFigure/>
        </FigureFold>
    }
}

/// Returns the words that the link chooses.
fn chosen_words(url: UrlState) -> Result<HeadWords, String> {
    url.link.with(|link| match link.heads.term_words {
        TermWords::Mean => Ok(HeadWords::Mean),
        TermWords::Random => Ok(HeadWords::Random(link.heads.draw)),
        TermWords::Ids => word_rows(&link.kernel_options.words).map(HeadWords::Ids),
    })
}

#[component]
fn ScoreTermsFigure() -> impl IntoView {
    let PageState {
        url,
        models,
        open_head,
        ..
    } = PageState::from_context();
    let client = QueryClient::from_context();
    let words = Memo::new(move |_| chosen_words(url));
    let summands = url.select(|link| link.heads.terms);
    let terms = client.ask(move || {
        Some(ScoreTerms {
            of: open_head.get()?,
            words: words.get().ok()?,
            summands: summands.get(),
            cells: open_head.cells(),
        })
    });
    let draws = client.ask(move || {
        let is_random = words.with(|words| matches!(words, Ok(HeadWords::Random(_))));
        // Where there are no words to draw, the figure says so, and a second failure would be a message over the page.
        let has_words = terms.with(|terms| terms.is_some());
        let of = open_head.get().filter(|_| is_random && has_words)?;
        Some(TermDraws {
            of,
            draws: RANGE_DRAWS,
            cells: open_head.cells(),
        })
    });
    let clip = url.select(|link| link.matrices.clip);
    let figure = picture(move || {
        let (question, terms) = terms.get_with_question()?;
        let draws = draws
            .get_with_question()
            .filter(|(of, _)| of.of == question.of)
            .filter(|_| matches!(question.words, HeadWords::Random(_)))
            .map(|(_, draws)| draws);
        let choices = TermChoices {
            head: (question.of.layer, question.of.head),
            summands: question.summands,
            cells: question.cells,
        };
        let draws = draws.as_deref().map_or(&[][..], Vec::as_slice);
        ready(score_terms(&terms, draws, &choices, clip.get()))
    });
    let caption = Signal::derive(move || {
        let question = terms.get_with_question().map(|(question, _)| question);
        question.map_or_else(String::new, |question| {
            caption(models, question.of, &question.words)
        })
    });
    let positions = Signal::derive(move || {
        terms.with(|terms| terms.map_or(0, |terms| terms.sum.window.rows.end))
    });
    view! {
        <FigureCard spec=&SCORE_TERMS figure caption positions query=terms>
            <TermButtons/>
            <LinkedSegmentedButtons
                label="Words at the positions"
                choices=[
                    (TermWords::Mean, "mean word"),
                    (TermWords::Random, "random words"),
                    (TermWords::Ids, "token ids"),
                ]
                get=|link| link.heads.term_words
                set=|link, words| link.heads.term_words = words
            />
            <WordControls words/>
        </FigureCard>
    }
}

/// Says which head, which words and how many positions the maps show.
fn caption(models: ModelList, of: HeadId, words: &HeadWords) -> String {
    let content = match words {
        HeadWords::Random(_) => {
            format!("a random word at each position; in brackets the range of {RANGE_DRAWS} draws")
        }
        HeadWords::Ids(ids) if !ids.is_empty() => {
            "the given words one after the other, repeated to the end".to_owned()
        }
        HeadWords::Mean | HeadWords::Ids(_) => "the mean word at each position".to_owned(),
    };
    let way = match of.input.mode() {
        Some(ScoreMode::AsComputed) => "with LayerNorm and biases",
        _ => "with weights only",
    };
    let rows = models.summary().map_or(0, |summary| summary.rows);
    let limit = match rows > MOST_WORD_POSITIONS {
        true => format!(" The first {MOST_WORD_POSITIONS} positions are used."),
        false => String::new(),
    };
    let later = match of.layer {
        0 => "",
        _ => {
            " In the model this layer reads the output of the layer before; here it reads the embeddings."
        }
    };
    format!(
        "Layer {}, head {}, {way}, and {content}.{later}{limit} Each share is that of the scores without row means, which softmax ignores; a term moves the attention that goes to other keys without it. The terms add up:",
        of.layer + 1,
        of.head + 1
    )
}

/// Buttons that add terms to the sum or take them away.
#[component]
fn TermButtons() -> impl IntoView {
    let url = UrlState::from_context();
    let summands = url.select(|link| link.heads.terms);
    let buttons = ScorePart::ALL.map(|part| {
        let press = move |_| url.link.update(|link| link.heads.terms.toggle(part));
        view! {
            <button
                type="button"
                aria-pressed=move || summands.get().contains(part).to_string()
                on:click=press
            >
                {part_name(part)}
            </button>
        }
    });
    view! { <div class="segmented" role="group" aria-label="Terms of the sum">{buttons.collect_view()}</div> }
}

/// Button for another draw of random words, or the field for token ids.
#[component]
fn WordControls(words: Memo<Result<HeadWords, String>>) -> impl IntoView {
    let url = UrlState::from_context();
    let source = url.select(|link| link.heads.term_words);
    let typed = url.select(|link| link.kernel_options.words.clone());
    let draw_again = move |_| {
        url.link
            .update(|link| link.heads.draw = link.heads.draw % DRAWS.end() + 1);
    };
    let change = move |event: Targeted<Event, HtmlInputElement>| {
        let typed = event.target().value().trim().to_owned();
        url.link.update(|link| link.kernel_options.words = typed);
    };
    let problem = move || words.with(|words| words.clone().err());
    view! {
        <Show when=move || source.get() == TermWords::Random>
            <button type="button" on:click=draw_again>"Other words"</button>
        </Show>
        <Show when=move || source.get() == TermWords::Ids>
            <label class="choice">
                <span>"Token ids"</span>
                <input
                    type="text"
                    placeholder="such as 2023 2003 1037 or 1000-1031"
                    size="28"
                    aria-invalid=move || words.with(Result::is_err).then_some("true")
                    prop:value=typed
                    on:change:target=while_mounted(change)
                />
            </label>
            <span class="hint" role="status">{problem}</span>
        </Show>
    }
}
