//! What the rows of a view have asked, each about its own model.

use super::engine::{Answered, Waiting};
use crate::analysis::{ModelId, Opened, Question};
use leptos::prelude::*;
use std::{collections::HashMap, sync::Arc};

/// What each row of a view has asked about its own model, so that figures can show all of it together.
pub(super) struct AskedByModel<Q: Question>(RwSignal<HashMap<ModelId, Answered<Q>>>);

impl<Q: Question> Clone for AskedByModel<Q> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<Q: Question> Copy for AskedByModel<Q> {}

impl<Q: Question> AskedByModel<Q> {
    /// Nothing is asked yet.
    pub(super) fn new() -> Self {
        Self(RwSignal::new(HashMap::new()))
    }

    /// Adds what the caller's row has asked, until that row goes.
    pub(super) fn add(self, id: ModelId, answered: Answered<Q>) {
        self.0.update(|asked| {
            asked.insert(id, answered);
        });
        on_cleanup(move || {
            // When the whole view goes, this goes with it.
            let _ = self.0.try_update(|asked| asked.remove(&id));
        });
    }

    /// What was asked about a model.
    pub(super) fn of(self, id: ModelId) -> Option<Answered<Q>> {
        self.0.with(|asked| asked.get(&id).copied())
    }

    /// What has come about a model as it is open now.
    pub(super) fn answer(self, of: Opened) -> Option<Arc<Q::Answer>> {
        let (question, answer) = self.of(of.id)?.get_with_question()?;
        (question.about() == Some(of)).then_some(answer)
    }

    /// What is waited for as long as nothing has come.
    pub(super) fn waiting(self) -> Waiting {
        let all: Vec<Answered<Q>> = self.0.with(|asked| asked.values().copied().collect());
        let mut waiting = Waiting::Nothing;
        for answered in all {
            match answered.waiting() {
                Waiting::Computing | Waiting::NextAnswer => return Waiting::Computing,
                Waiting::Nothing => {}
                failed @ Waiting::Failed(_) => waiting = failed,
            }
        }
        waiting
    }
}
