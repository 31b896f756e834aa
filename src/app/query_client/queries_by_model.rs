//! The queries of a view's rows, by model.

use super::{Query, QueryStatus};
use crate::analysis::{ModelId, ModelVersion, Question};
use leptos::prelude::*;
use std::{collections::HashMap, sync::Arc};

/// The queries of a view's rows, each about its own model. Figures read it to show all models together.
pub(in crate::app) struct QueriesByModel<Q: Question>(RwSignal<HashMap<ModelId, Query<Q>>>);

impl<Q: Question> Clone for QueriesByModel<Q> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<Q: Question> Copy for QueriesByModel<Q> {}

impl<Q: Question> From<QueriesByModel<Q>> for Signal<QueryStatus> {
    fn from(queries: QueriesByModel<Q>) -> Self {
        Self::derive(move || queries.status())
    }
}

impl<Q: Question> QueriesByModel<Q> {
    /// Creates an empty set of queries.
    pub(in crate::app) fn new() -> Self {
        Self(RwSignal::new(HashMap::new()))
    }

    /// Adds the query of the calling row; removes it when the row is unmounted.
    pub(in crate::app) fn add(self, id: ModelId, answered: Query<Q>) {
        self.0.update(|queries| {
            queries.insert(id, answered);
        });
        on_cleanup(move || {
            // The set itself may be disposed of already.
            let _ = self.0.try_update(|queries| queries.remove(&id));
        });
    }

    /// Returns the query about a model.
    pub(in crate::app) fn query(self, id: ModelId) -> Option<Query<Q>> {
        self.0.with(|queries| queries.get(&id).copied())
    }

    /// Returns the answer about a model, if it is about this model version.
    pub(in crate::app) fn answer(self, of: ModelVersion) -> Option<Arc<Q::Answer>> {
        let (question, answer) = self.query(of.id)?.get_with_question()?;
        (question.model() == Some(of)).then_some(answer)
    }

    /// Status of all queries together: computing if any is, else the failure of one, else nothing.
    pub(in crate::app) fn status(self) -> QueryStatus {
        let all: Vec<Query<Q>> = self.0.with(|queries| queries.values().copied().collect());
        let mut status = QueryStatus::Nothing;
        for query in all {
            match query.status() {
                QueryStatus::Computing | QueryStatus::NextAnswer => return QueryStatus::Computing,
                QueryStatus::Nothing => {}
                failed @ QueryStatus::Failed(_) => status = failed,
            }
        }
        status
    }
}
