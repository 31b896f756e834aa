//! What the rows of a view have asked, each about its own model.

use super::{Query, QueryStatus};
use crate::analysis::{ModelId, ModelVersion, Question};
use leptos::prelude::*;
use std::{collections::HashMap, sync::Arc};

/// What each row of a view has asked about its own model, so that figures can show all of it together.
pub(in crate::app) struct QueriesByModel<Q: Question>(RwSignal<HashMap<ModelId, Query<Q>>>);

impl<Q: Question> Clone for QueriesByModel<Q> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<Q: Question> Copy for QueriesByModel<Q> {}

impl<Q: Question> QueriesByModel<Q> {
    /// Nothing is asked yet.
    pub(in crate::app) fn new() -> Self {
        Self(RwSignal::new(HashMap::new()))
    }

    /// Adds what the caller's row has asked, until that row goes.
    pub(in crate::app) fn add(self, id: ModelId, answered: Query<Q>) {
        self.0.update(|asked| {
            asked.insert(id, answered);
        });
        on_cleanup(move || {
            // When the whole view goes, this goes with it.
            let _ = self.0.try_update(|asked| asked.remove(&id));
        });
    }

    /// What was asked about a model.
    pub(in crate::app) fn of(self, id: ModelId) -> Option<Query<Q>> {
        self.0.with(|asked| asked.get(&id).copied())
    }

    /// What has come about a model as it is open now.
    pub(in crate::app) fn answer(self, of: ModelVersion) -> Option<Arc<Q::Answer>> {
        let (question, answer) = self.of(of.id)?.get_with_question()?;
        (question.about() == Some(of)).then_some(answer)
    }

    /// What is waited for as long as nothing has come.
    pub(in crate::app) fn waiting(self) -> QueryStatus {
        let all: Vec<Query<Q>> = self.0.with(|asked| asked.values().copied().collect());
        let mut waiting = QueryStatus::Nothing;
        for answered in all {
            match answered.waiting() {
                QueryStatus::Computing | QueryStatus::NextAnswer => return QueryStatus::Computing,
                QueryStatus::Nothing => {}
                failed @ QueryStatus::Failed(_) => waiting = failed,
            }
        }
        waiting
    }
}
