//! The text of the view, its tokens, and the model's run over it.

use super::tokenizer::{TokenizedText, TokenizerState};
use crate::{
    analysis::{
        DescribeTextSupport, ModelVersion, RunTexts, TextId, TextRunId, TextSupport, TextTokens,
    },
    app::{
        query_client::{Query, QueryClient, QueryStatus},
        state::{ModelList, UrlState},
    },
    figure::text_attention::TextToken,
    text_samples::TextSample,
    url_state::ModelRef,
};
use leptos::prelude::*;
use std::{
    cell::{Cell, RefCell},
    sync::Arc,
};

thread_local! {
    /// The text that the visitor typed last. It outlives the view, and enters no link by itself.
    static LAST_TEXT: RefCell<Option<String>> = const { RefCell::new(None) };
    /// The run that was asked for last. Its answer outlives the view.
    static LAST_RUN: RefCell<Option<RunTexts>> = const { RefCell::new(None) };
    /// Number of the last run.
    static LAST_NUMBER: Cell<TextRunId> = const { Cell::new(0) };
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
    /// Tokens of the text; empty until they are known.
    pub(super) tokens: Memo<Arc<[TextToken]>>,
    /// Sizes of the model that matter before a run.
    pub(super) support: Query<DescribeTextSupport>,
    /// The run over the text.
    pub(super) run: Query<RunTexts>,
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
        let own_text = RwSignal::new(match words.with_untracked(Option::is_some) {
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
            let is_other = before
                .is_some_and(|before| before.0 != now.0 || (now.1.is_some() && before.1 != now.1));
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
        let tokens = Memo::new(move |_| tokenizer.text_in_tokens.with(TokenizedText::tokens));
        let is_stopped = RwSignal::new(false);
        let agreed_model = RwSignal::new(None);
        let repetition = RwSignal::new(0);
        Effect::new(move |before: Option<()>| {
            tokens.track();
            if before.is_some() {
                is_stopped.set(false);
            }
        });
        let question = Memo::new(move |_| {
            repetition.track();
            let of = models.open.get()?;
            support.with(|support| support.is_some()).then_some(())?;
            let needs_consent = is_on_another_host(models, of) && agreed_model.get() != Some(of);
            if needs_consent || is_stopped.get() {
                return None;
            }
            let text = tokens.with(|tokens| TextTokens {
                ids: tokens.iter().map(|token| token.id).collect(),
                is_special: tokens.iter().map(|token| token.is_special).collect(),
            });
            let stores_bytes = reference_of(models, of).is_some_and(|it| it.is_remote());
            (!text.is_empty()).then(|| numbered_run(of, text, stores_bytes))
        });
        Self {
            url,
            models,
            own_text,
            text,
            tokenizer,
            tokens,
            support,
            run: client.ask(move || question.get()),
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

    /// Replaces the text by a typed one. The link no longer names a text.
    pub(super) fn set_typed(self, text: String) {
        LAST_TEXT.set(Some(text.clone()));
        self.own_text.set(Some(text));
        self.url.link.update(|link| link.text.words = None);
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
        LAST_RUN.set(None);
        self.is_stopped.set(false);
        self.repetition.update(|count| *count += 1);
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

    /// Sizes of the open model.
    pub(super) fn sizes(self) -> Option<Arc<TextSupport>> {
        self.support.get()
    }

    /// The text of the run, with the number of layers it has passed.
    pub(super) fn progress(self) -> Option<(ModelVersion, TextId, usize)> {
        let (question, layers) = self.run.get_with_question()?;
        let id = TextId {
            run: question.run,
            index: 0,
        };
        Some((question.of, id, layers.passed_layers))
    }

    /// The open head of the link within the heads of the model: layer and head, from 0.
    pub(super) fn open_head(self) -> Option<(usize, usize)> {
        let (layer, head) = self
            .url
            .link
            .with(|link| (link.heads.layer, link.heads.head));
        self.support.with(|support| {
            let support = support?;
            let last = |count: usize| count.checked_sub(1);
            Some((
                layer.min(last(support.layers)?),
                head.min(last(support.heads)?),
            ))
        })
    }

    /// The open head, once its layer has been passed.
    pub(super) fn passed_head(self) -> Option<(ModelVersion, TextId, (usize, usize))> {
        let (of, text, passed) = self.progress()?;
        let head = self.open_head()?;
        (head.0 < passed).then_some((of, text, head))
    }

    /// Status of a figure that needs the open head: that of the run until the head's layer has been passed.
    pub(super) fn head_status(self, own: QueryStatus) -> QueryStatus {
        own.or_else(|| match self.passed_head() {
            Some(_) => QueryStatus::Nothing,
            None => self.run.status(),
        })
    }
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
    let reference = reference_of(models, of);
    reference.is_some_and(|it| it.is_remote() && it != ModelRef::Url(whole_minilm()))
}

/// Address of the whole MiniLM-L6 on this site.
pub(super) fn whole_minilm() -> String {
    let base = document().base_uri().ok().flatten().unwrap_or_default();
    let folder = base.split(['?', '#']).next().unwrap_or_default();
    let folder = folder.rsplit_once('/').map_or(folder, |(folder, _)| folder);
    format!("{folder}/presets/minilm-l6/model.safetensors")
}

/// The run over a text: the last one if it is the same, otherwise one with a new number.
fn numbered_run(of: ModelVersion, text: TextTokens, stores_bytes: bool) -> RunTexts {
    LAST_RUN.with_borrow_mut(|last| {
        let same = last
            .as_ref()
            .filter(|run| run.of == of && run.texts.first() == Some(&text));
        if let Some(run) = same {
            return run.clone();
        }
        let run = RunTexts {
            of,
            run: LAST_NUMBER.get() + 1,
            texts: vec![text],
            stores_bytes,
        };
        LAST_NUMBER.set(run.run);
        last.insert(run).clone()
    })
}
