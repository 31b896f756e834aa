//! The subject of an exported figure: the open model, one of its heads, one of several models, the kernels, or none.

use super::request::ExportRequest;
use crate::{
    app::state::model_entry::ModelEntry,
    app::state::{KernelEditor, ModelList, PageState},
    export::{FigureLabels, FileSubject, LabelContext, Provenance, file_details, schemes_drawn},
    figure::Figure,
    figure_spec::LabelScope,
    model::PositionKind,
    url_state::{FigureId, Link, ModelRef},
};
use leptos::prelude::*;

/// Labels and provenance of an exported figure.
pub(super) struct ExportSource {
    title: String,
    /// Name of the model, if the figure shows one.
    pub(super) model: Option<String>,
    /// Name part of the file: the model, or the schemes that are drawn.
    pub(super) file: Option<String>,
    /// The line above the figure: the model, and which part of it.
    pub(super) line: String,
    /// Parts of the file name that tell files of the same figure and model apart.
    pub(super) details: Vec<String>,
    /// Texts around the figure.
    pub(super) words: FigureLabels,
    /// Address that shows the figure again.
    source: String,
    hash: Option<u64>,
}

impl ExportSource {
    pub(super) fn new(state: PageState, save: &ExportRequest) -> Self {
        let PageState {
            url,
            models,
            open_head,
            kernels,
            ..
        } = state;
        let link = url.link.get_untracked();
        let of = match save.model {
            // If several models are compared, the caller names the model.
            Some(_) => LabelScope::Model,
            None => save.spec.scope.in_link(&link),
        };
        let item = match (&save.model, of) {
            (Some(name), _) => models
                .entries
                .with_untracked(|entries| entries.iter().find(|item| item.title == *name).cloned()),
            // A computed table is displayed before the worker has opened it.
            (None, of) if of.is_of_model() => {
                models.open_entry().or_else(|| linked_model(models, &link))
            }
            (None, _) => None,
        };
        let name = save
            .model
            .clone()
            .or(item.as_ref().map(|item| item.title.clone()));
        let size = item.as_ref().and_then(size);
        let summary = item.and_then(|item| item.summary);
        let context = LabelContext {
            figure: save.spec,
            cells: untrack(|| open_head.cells()),
            kind: (summary.as_ref()).map_or(PositionKind::Table, |summary| summary.kind),
            link: &link,
            text_tokens: untrack(|| open_head.text_tokens()),
        };
        let part = part(state, of, size);
        let details = file_details(&FileSubject {
            context,
            head: untrack(|| open_head.get()).map(|head| (head.layer, head.head)),
            positions: untrack(|| kernels.positions()),
        });
        let open = models.open_entry().map(|item| item.title);
        let file = (name.clone()).or_else(|| schemes_drawn(save.spec.id, &link, open.as_deref()));
        let mut words = FigureLabels::new(context);
        words.notes.extend(guide(state, context));
        if words.caption {
            words.notes.insert(0, sentence(&save.caption));
        }
        Self {
            title: match save.model {
                Some(_) => save.spec.id.title().to_owned(),
                None => save.title.clone(),
            },
            line: match &name {
                Some(name) => format!("{name}{part}"),
                None => without_model(kernels, of, &link),
            },
            details,
            words,
            source: format!("{}#{}", url.address(), save.spec.id.id()),
            hash: summary.map(|summary| summary.hash),
            file,
            model: name,
        }
    }

    pub(super) fn title(&self) -> &str {
        &self.title
    }

    /// Returns the metadata of the picture: its origin and its description.
    pub(super) fn provenance(&self, caption: &str, figure: &dyn Figure) -> Provenance {
        let notes = self.words.notes.iter().cloned();
        let texts = [sentence(caption), figure.summary()];
        let mut description: Vec<String> = Vec::new();
        for text in texts.into_iter().chain(notes) {
            if !text.is_empty() && !description.contains(&text) {
                description.push(text);
            }
        }
        Provenance {
            title: match self.line.as_str() {
                "" => self.title.clone(),
                line => format!("{line}: {}", self.title),
            },
            description: description.join(" "),
            source: self.source.clone(),
            hash: self.hash,
        }
    }
}

/// Replaces the final colon of a caption, which introduces the formula on the page, with a full stop.
fn sentence(caption: &str) -> String {
    let caption = caption.trim();
    match caption.strip_suffix(':') {
        Some(caption) => format!("{caption}."),
        None => caption.to_owned(),
    }
}

/// Returns the model that the link names.
fn linked_model(models: ModelList, link: &Link) -> Option<ModelEntry> {
    models.entries.with_untracked(|entries| {
        let mut named = entries.iter().filter(|item| item.is_called(&link.model));
        named.next().cloned()
    })
}

/// Returns the positions and width of a model. The width is 0 if positions are not vectors.
fn size(item: &ModelEntry) -> Option<(usize, usize)> {
    match (&item.summary, &item.reference) {
        (Some(summary), _) => Some((summary.rows, summary.width)),
        (None, ModelRef::Sinusoidal(table)) => Some((table.rows, table.width)),
        (None, ModelRef::Random(table)) => Some((table.rows, table.width)),
        _ => None,
    }
}

/// Returns the part of the model that is shown, as a suffix to its name.
fn part(state: PageState, of: LabelScope, size: Option<(usize, usize)>) -> String {
    let head = untrack(|| state.open_head.get());
    match (of, head, size) {
        (LabelScope::Head, Some(head), _) => {
            format!(", layer {}, head {}", head.layer + 1, head.head + 1)
        }
        (LabelScope::FirstLayer, Some(head), _) => format!(", layer 1, head {}", head.head + 1),
        (LabelScope::Model, _, Some((rows, 0))) => format!(", {rows} positions"),
        (LabelScope::Model, _, Some((rows, width))) => format!(", {rows} positions, width {width}"),
        _ => String::new(),
    }
}

/// Describes the subject of a figure that shows no model.
fn without_model(kernels: KernelEditor, of: LabelScope, link: &Link) -> String {
    match of {
        LabelScope::Kernels => {
            let positions = untrack(|| kernels.positions());
            format!("TISA kernels, {positions} positions")
        }
        LabelScope::Sinusoid => {
            let table = link.encodings.choice.parameters.sinusoid;
            format!(
                "sinusoidal, {} positions, width {}",
                table.rows, table.width
            )
        }
        _ => String::new(),
    }
}

/// Returns the note that explains the dashed line of a head behind the kernel function.
fn guide(state: PageState, context: LabelContext<'_>) -> Option<String> {
    let has_dashed_line = context.figure.id == FigureId::KernelFunction
        && untrack(|| state.open_head.on_line()).is_some();
    let item = state.models.open_entry().filter(|_| has_dashed_line)?;
    // The figure itself is about kernels, not about the model.
    let kind = item.summary.map_or(context.kind, |summary| summary.kind);
    let of_head = LabelContext { kind, ..context };
    Some(format!(
        "Dashed: that head of {}, mean {} at each offset.",
        item.title,
        of_head.head_score()
    ))
}
