//! The latest runs of models over texts. They outlive the text view, so that returning to it computes nothing again.

use crate::{
    analysis::{ModelVersion, RunTexts, TextRunId, TextTokens},
    figure::text_attention::TextToken,
};
use std::{
    cell::{Cell, RefCell},
    collections::VecDeque,
    sync::Arc,
};

/// Number of runs whose tokens are remembered.
const MOST_RUNS: usize = 4;

thread_local! {
    /// The latest runs, the last one first.
    static RUNS: RefCell<VecDeque<RecentRun>> = const { RefCell::new(VecDeque::new()) };
    static LAST_NUMBER: Cell<TextRunId> = const { Cell::new(0) };
}

/// A run over texts.
#[derive(Clone)]
struct RecentRun {
    question: RunTexts,
    /// Tokens of the first text, as the layers see them.
    tokens: Arc<[TextToken]>,
}

/// Returns the run of a model over texts: one of the latest runs if it is the same, otherwise one with a new number.
/// Several views may ask in turn, such as a lesson's step and the next one that is computed ahead. `tokens` are those of
/// the first text, as the layers see them.
pub(in crate::app) fn text_run(
    of: ModelVersion,
    texts: Vec<TextTokens>,
    stores_bytes: bool,
    tokens: Arc<[TextToken]>,
) -> RunTexts {
    RUNS.with_borrow_mut(|runs| {
        let same = |run: &RecentRun| run.question.of == of && run.question.texts == texts;
        let at = runs.iter().position(same);
        if let Some(same) = at.and_then(|at| runs.remove(at)) {
            let question = same.question.clone();
            runs.push_front(same);
            return question;
        }
        let run = LAST_NUMBER.get() + 1;
        LAST_NUMBER.set(run);
        let question = RunTexts {
            of,
            run,
            texts,
            stores_bytes,
        };
        runs.truncate(MOST_RUNS - 1);
        runs.push_front(RecentRun {
            question: question.clone(),
            tokens,
        });
        question
    })
}

/// Forgets a run, so that the next one over the same texts is a new one.
pub(in crate::app) fn forget_run(run: TextRunId) {
    RUNS.with_borrow_mut(|runs| runs.retain(|other| other.question.run != run));
}

/// Returns the tokens of the first text of a run, unless it is too long ago.
pub(in crate::app) fn tokens_of_run(run: TextRunId) -> Option<Arc<[TextToken]>> {
    RUNS.with_borrow(|runs| {
        let run = runs.iter().find(|item| item.question.run == run)?;
        Some(Arc::clone(&run.tokens))
    })
}

/// Returns the words of the text over which a model ran last, as rows of its word table.
pub(in crate::app) fn last_words(of: ModelVersion) -> Option<Vec<u32>> {
    RUNS.with_borrow(|runs| {
        let run = runs.iter().find(|item| item.question.of == of)?;
        Some(run.question.texts.first()?.ids.clone())
    })
}
