//! The text of the view, its tokens, and the model's run over it.

use super::{
    displayed_head::DisplayedHead,
    sample_tokens::sample_tokens,
    tokenizer::{TokenizedText, TokenizerState},
};
use crate::{
    analysis::{
        DescribeTextSupport, FailureKind, ModelVersion, Question, RunTexts, TextId, TextShift,
        TextSupport, TextTokens,
    },
    app::{
        query_client::{Query, QueryClient, QueryStatus},
        state::{
            Messages, ModelList, OpenHead, PassedText, UrlState,
            text_runs::{forget_run, text_run, tokens_of_run},
        },
    },
    figure::text_attention::TextToken,
    text_samples::TextSample,
    url_state::{CenterWords, ModelRef},
};
use leptos::prelude::*;
use std::{cell::RefCell, sync::Arc};

thread_local! {
    /// The text that the visitor typed last. It outlives the view, and enters no link by itself.
    static LAST_TEXT: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// The text of the view, its tokens, and the run.
#[derive(Clone, Copy)]
pub(super) struct TextState {
    url: UrlState,
    models: ModelList,
    own_text: RwSignal<Option<String>>,
    /// The text: typed, from the link, or the sample of the link.
    pub(super) text: Memo<String>,
    /// The tokenizer of the open model.
    pub(super) tokenizer: TokenizerState,
    /// Tokens of the text as the model's layers see them; empty until they are known.
    pub(super) tokens: Memo<Arc<[TextToken]>>,
    /// Sizes of the model that matter before a run.
    pub(super) support: Query<DescribeTextSupport>,
    /// The run over the text, and over the samples if means are taken over them.
    pub(super) run: Query<RunTexts>,
    /// The open head in the latest run that has passed its layer.
    pub(super) displayed_head: Memo<Option<DisplayedHead>>,
    /// The model on another host whose weights the visitor agreed to fetch.
    agreed_model: RwSignal<Option<ModelVersion>>,
    /// Whether the visitor has stopped the run over the current text.
    pub(super) is_stopped: RwSignal<bool>,
    /// Rises when the visitor asks for another run over the same text.
    repetition: RwSignal<u32>,
}

impl TextState {
    /// Opens the text of the link, and follows it.
    pub(super) fn new() -> Self {
        let (url, models) = (UrlState::from_context(), ModelList::from_context());
        let client = QueryClient::from_context();
        let words = url.select(|link| link.text.words.clone());
        let sample = url.select(|link| link.text.sample.clone());
        // A link that names a text or a sample shows that.
        let is_named =
            words.with_untracked(Option::is_some) || sample.with_untracked(Option::is_some);
        let own_text = RwSignal::new(match is_named {
            true => None,
            false => LAST_TEXT.with_borrow(Clone::clone),
        });
        let text = Memo::new(move |_| {
            let own = own_text.get().or_else(|| words.get());
            own.unwrap_or_else(|| sample.with(|id| sample_of(id.as_deref()).text.to_owned()))
        });
        // Another sample, or a text of a link, takes the place of what was typed before.
        Effect::new(move |before: Option<(Option<String>, Option<String>)>| {
            let now = (sample.get(), words.get());
            let is_other = before.is_some_and(|before| {
                (now.0.is_some() && before.0 != now.0) || (now.1.is_some() && before.1 != now.1)
            });
            if is_other {
                LAST_TEXT.set(None);
                own_text.set(None);
            }
            now
        });
        let support = client.ask(move || {
            Some(DescribeTextSupport {
                of: models.open.get()?,
            })
        });
        let longest = Memo::new(move |_| support.with(|support| Some(support?.longest_text)));
        let tokenizer = TokenizerState::new(text, longest);
        let text_in_tokens =
            Memo::new(move |_| tokenizer.text_in_tokens.with(TokenizedText::tokens));
        let shift = Memo::new(move |_| {
            support.with(|support| support.map_or(TextShift::Whole, |support| support.shift))
        });
        let tokens = Memo::new(move |_| layer_tokens(&text_in_tokens.get(), shift.get()));
        let open_sample = Memo::new(move |_| {
            let is_own = own_text.with(Option::is_some) || words.with(Option::is_some);
            sample.with(|id| (!is_own).then(|| sample_of(id.as_deref()).id))
        });
        let other_samples = sample_tokens(tokenizer, longest, open_sample);
        let is_stopped = RwSignal::new(false);
        let agreed_model = RwSignal::new(None);
        let repetition = RwSignal::new(0);
        Effect::new(move |before: Option<()>| {
            tokens.track();
            if before.is_some() {
                is_stopped.set(false);
            }
        });
        // The list of models changes with every report on bytes that were read.
        let is_read_in_parts = Memo::new(move |_| {
            let reference = reference_of(models, models.open.get()?)?;
            Some(reference.is_read_in_parts())
        });
        let needs_consent = Memo::new(move |_| {
            let of = models.open.get();
            let is_elsewhere = of.is_some_and(|of| is_on_another_host(models, of));
            is_elsewhere && agreed_model.get() != of
        });
        let question = Memo::new(move |_| {
            repetition.track();
            let of = models.open.get()?;
            support.with(|support| support.is_some()).then_some(())?;
            if needs_consent.get() || is_stopped.get() {
                return None;
            }
            let text = text_in_tokens.with(|tokens| plain_tokens(tokens));
            let texts: Vec<_> = std::iter::once(text).chain(other_samples.get()?).collect();
            let stores_bytes = is_read_in_parts.get().unwrap_or(false);
            let is_empty = texts[0].is_empty();
            (!is_empty).then(|| text_run(of, texts, stores_bytes, tokens.get()))
        });
        let run = client.ask(move || question.get());
        follow_runs(run, tokens);
        name_typed_text(url, own_text);
        Self {
            url,
            models,
            own_text,
            text,
            tokenizer,
            tokens,
            support,
            run,
            displayed_head: DisplayedHead::memo(models, run, move || open_head(url, support)),
            agreed_model,
            is_stopped,
            repetition,
        }
    }

    pub(super) fn from_context() -> Self {
        expect_context()
    }

    /// Whether the text is the visitor's own, not a sample.
    pub(super) fn is_own(self) -> bool {
        self.own_text.with(Option::is_some) || self.url.link.with(|link| link.text.words.is_some())
    }

    /// Replaces the text by a typed one. The link no longer names a text or a sample.
    pub(super) fn set_typed(self, text: String) {
        LAST_TEXT.set(Some(text.clone()));
        self.own_text.set(Some(text));
        self.url
            .link
            .update(|link| (link.text.words, link.text.sample) = (None, None));
    }

    /// Replaces the text by a sample.
    pub(super) fn set_sample(self, id: &str) {
        LAST_TEXT.set(None);
        self.own_text.set(None);
        self.url.link.update(|link| {
            link.text.words = None;
            link.text.sample = Some(id.to_owned());
            (link.text.colors, link.cursor.pin) = (None, None);
        });
    }

    /// The sample that the link names.
    pub(super) fn sample(self) -> TextSample {
        self.url
            .link
            .with(|link| sample_of(link.text.sample.as_deref()))
    }

    /// Runs the model over the text once more, also if it was stopped.
    pub(super) fn run_again(self) {
        if let Some(question) = self.run.question() {
            forget_run(question.run);
        }
        self.is_stopped.set(false);
        self.repetition.update(|count| *count += 1);
    }

    /// Runs the model over the text again when a question about its states finds none. Returns the query.
    pub(super) fn repeat_when_gone<Q: Question>(self, query: Query<Q>) -> Query<Q> {
        Effect::new(move || {
            let failure = query.failure();
            let is_gone = failure.is_some_and(|failure| failure.kind == FailureKind::RunGone);
            // A run on its way brings the states anyway, and a stopped one stays stopped.
            if is_gone && !self.run.is_pending() && !self.is_stopped.get_untracked() {
                self.run_again();
            }
        });
        query
    }

    /// Agrees to fetch the weights of the open model.
    pub(super) fn agree(self) {
        self.agreed_model.set(self.models.open.get_untracked());
        self.is_stopped.set(false);
    }

    /// Size in bytes of the weights that the visitor has not agreed to fetch.
    pub(super) fn bytes_to_agree(self) -> Option<u64> {
        let of = self.models.open.get()?;
        let is_open = self.agreed_model.get() == Some(of) || !is_on_another_host(self.models, of);
        self.support
            .with(|support| Some(support?.layer_bytes))
            .filter(|_| !is_open)
    }

    /// Returns why the open model cannot be run over a text, for the view to show beside the text. The page's list of
    /// messages leaves it out.
    pub(super) fn refusal(self) -> Memo<Option<String>> {
        let reason = Memo::new(move |_| self.support.failure().map(|failure| failure.sentence));
        let messages = Messages::from_context();
        Effect::new(move || {
            if let Some(reason) = reason.get() {
                messages
                    .list
                    .update(|list| list.retain(|message| message.text != reason));
            }
        });
        let model = self.url.select(|link| link.model.clone());
        Memo::new(move |_| {
            let reason = reason.get()?;
            Some(match model.get() {
                ModelRef::Preset(_) | ModelRef::Run(_) => "Of this model the page has only the weights that positions need. A run over a text needs all of them.".to_owned(),
                _ => format!("The open model cannot be run over a text. {reason}"),
            })
        })
    }

    /// Sizes of the open model.
    pub(super) fn sizes(self) -> Option<Arc<TextSupport>> {
        self.support.get()
    }

    /// The text of the run, with the number of layers it has passed.
    pub(super) fn progress(self) -> Option<(ModelVersion, TextId, usize)> {
        progress(self.run)
    }

    /// The open head of the link within the heads of the model: layer and head, from 0.
    pub(super) fn open_head(self) -> Option<(usize, usize)> {
        open_head(self.url, self.support)
    }

    /// Status of a figure that needs the open head: that of the run until the head's layer has been passed.
    pub(super) fn head_status(self, own: QueryStatus) -> QueryStatus {
        own.or_else(|| match self.displayed_head.with(Option::is_some) {
            true => QueryStatus::Nothing,
            false => self.run.status(),
        })
    }
}

/// Makes the first text of a run the one over which rotary heads take their mean queries and keys, once it has passed
/// all layers.
fn follow_runs(run: Query<RunTexts>, tokens: Memo<Arc<[TextToken]>>) {
    let passed_text = OpenHead::from_context().passed_text;
    Effect::new(move || {
        let Some((question, layers)) = run.get_with_question() else {
            return;
        };
        if layers.passed_layers < layers.of {
            return;
        }
        let tokens = tokens_of_run(question.run).unwrap_or_else(|| tokens.get_untracked());
        let text = PassedText {
            of: question.of,
            text: TextId {
                run: question.run,
                index: 0,
            },
            layers: layers.of,
            tokens: plain_tokens(&tokens).of_means().len(),
        };
        if passed_text.get_untracked() != Some(text) {
            passed_text.set(Some(text));
        }
    });
}

/// Leaves the choice of a text out of the link while the link does not have that text.
fn name_typed_text(url: UrlState, own_text: RwSignal<Option<String>>) {
    let centers = url.select(|link| link.heads.centers);
    Effect::new(move || {
        let next = match (centers.get(), own_text.with(Option::is_some)) {
            (CenterWords::Text, true) => CenterWords::TypedText,
            (CenterWords::TypedText, false) => CenterWords::Text,
            _ => return,
        };
        url.link.update(|link| link.heads.centers = next);
    });
}

/// The first text of a run, with the number of layers it has passed.
pub(super) fn progress(run: Query<RunTexts>) -> Option<(ModelVersion, TextId, usize)> {
    let (question, layers) = run.get_with_question()?;
    let id = TextId {
        run: question.run,
        index: 0,
    };
    Some((question.of, id, layers.passed_layers))
}

/// The open head of a link within the heads of a model: layer and head, from 0.
pub(super) fn open_head(
    url: UrlState,
    support: Query<DescribeTextSupport>,
) -> Option<(usize, usize)> {
    let (layer, head) = url.link.with(|link| (link.heads.layer, link.heads.head));
    support.with(|support| {
        let support = support?;
        let last = |count: usize| count.checked_sub(1);
        Some((
            layer.min(last(support.layers)?),
            head.min(last(support.heads)?),
        ))
    })
}

/// Tokens without their pieces.
pub(super) fn plain_tokens(tokens: &[TextToken]) -> TextTokens {
    TextTokens {
        ids: tokens.iter().map(|token| token.id).collect(),
        is_special: tokens.iter().map(|token| token.is_special).collect(),
    }
}

/// Tokens as the layers see them. A start word that is not in the text is named by its id.
fn layer_tokens(tokens: &Arc<[TextToken]>, shift: TextShift) -> Arc<[TextToken]> {
    if shift == TextShift::Whole {
        return Arc::clone(tokens);
    }
    let seen = shift.apply(&plain_tokens(tokens));
    let seen = seen.ids.into_iter().zip(seen.is_special);
    seen.map(|(id, is_special)| {
        let same = tokens.iter().find(|token| token.id == id);
        let piece = same.map_or_else(|| format!("#{id}"), |token| token.piece.clone());
        TextToken {
            id,
            piece,
            is_special,
        }
    })
    .collect()
}

/// The sample with an identifier, or the first.
fn sample_of(id: Option<&str>) -> TextSample {
    let first = || TextSample::all().next();
    let sample = id.and_then(TextSample::find).or_else(first);
    sample.unwrap_or(TextSample {
        id: "",
        title: "",
        language: "en",
        source: "",
        licence: "",
        text: "",
    })
}

/// The model as a link names it.
fn reference_of(models: ModelList, of: ModelVersion) -> Option<ModelRef> {
    models.entries.with(|entries| {
        let entry = entries.iter().find(|item| item.version == Some(of))?;
        Some(entry.reference.clone())
    })
}

/// Whether the weights of a model are on another host.
fn is_on_another_host(models: ModelList, of: ModelVersion) -> bool {
    reference_of(models, of).is_some_and(|it| it.is_remote())
}
