//! State that determines the content of the page. The link is the part that is stored in the address. The rest is the
//! open models, the messages, and the pointer.

use super::{
    CursorState, HighlightedTerm, KernelEditor, Messages, ModelList, OpenHead, OwnFiles, UrlState,
    message::Message,
    model_entry::{ModelEntry, initial},
    saving::PictureFormat,
};
use crate::url_state::{Link, ParseWarnings};
use leptos::prelude::*;

/// All parts of the page's state. Each part is provided as context, too.
#[derive(Debug, Clone, Copy)]
pub(in crate::app) struct PageState {
    pub(in crate::app) url: UrlState,
    pub(in crate::app) models: ModelList,
    pub(in crate::app) open_head: OpenHead,
    pub(in crate::app) kernels: KernelEditor,
    pub(in crate::app) cursor: CursorState,
    pub(in crate::app) highlighted_term: HighlightedTerm,
    pub(in crate::app) messages: Messages,
    pub(in crate::app) own_files: OwnFiles,
    /// Options of exported pictures.
    pub(in crate::app) pictures: RwSignal<PictureFormat>,
}

impl PageState {
    /// The state of a page opened with a link. Parts of the link that were not understood become a message.
    pub(in crate::app) fn new((link, warnings): (Link, ParseWarnings)) -> Self {
        let message = warnings.message().map(Message::about_link);
        let entries = RwSignal::new(initial(&link));
        let messages = Messages::new(message.into_iter().collect());
        Self::from_parts(
            link,
            entries,
            messages,
            OwnFiles::new(),
            RwSignal::default(),
        )
    }

    /// A second, hidden state with the same model list and another link. No model is open in it. For prefetching.
    pub(in crate::app) fn beside(self, link: Link) -> Self {
        let messages = Messages::new(Vec::new());
        Self::from_parts(
            link,
            self.models.entries,
            messages,
            self.own_files,
            self.pictures,
        )
    }

    fn from_parts(
        link: Link,
        entries: RwSignal<Vec<ModelEntry>>,
        messages: Messages,
        own_files: OwnFiles,
        pictures: RwSignal<PictureFormat>,
    ) -> Self {
        let url = UrlState::new(link);
        let models = ModelList::new(url, entries);
        let open_head = OpenHead::new(url, models);
        Self {
            url,
            models,
            open_head,
            kernels: KernelEditor::new(url, open_head),
            cursor: CursorState::new(url),
            highlighted_term: HighlightedTerm::new(),
            messages,
            own_files,
            pictures,
        }
    }

    /// Provides the state and each of its parts as context.
    pub(in crate::app) fn provide(self) {
        provide_context(self);
        provide_context(self.url);
        provide_context(self.models);
        provide_context(self.open_head);
        provide_context(self.kernels);
        provide_context(self.cursor);
        provide_context(self.highlighted_term);
        provide_context(self.messages);
    }

    pub(in crate::app) fn from_context() -> Self {
        expect_context()
    }
}

/// Shows another link, such as one from the browser's history. The kernels before it can be restored with Undo.
pub(in crate::app) fn go_to(state: PageState, link: Link, warnings: &ParseWarnings) {
    let PageState {
        url,
        kernels,
        messages,
        ..
    } = state;
    let before = url.link.with_untracked(|link| link.kernels.kernels.clone());
    if before != link.kernels.kernels {
        kernels.undo.update(|history| history.record(before, None));
    }
    url.link.set(link);
    messages.remove_those_of_link();
    if let Some(message) = warnings.message() {
        messages.push(Message::about_link(message));
    }
}

/// True once a model is open or a message is shown; lazy parts may be loaded from then on.
pub(in crate::app) fn has_begun(models: ModelList, messages: Messages) -> Memo<bool> {
    Memo::new(move |before: Option<&bool>| {
        before == Some(&true)
            || models.open.get().is_some()
            || messages.list.with(|messages| !messages.is_empty())
    })
}
