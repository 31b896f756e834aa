//! Questions whose answer is a single chunk, which most are.

use super::{AnswerContext, Failure, Host, ModelVersion, Question, Urgency};
use serde::{Serialize, de::DeserializeOwned};
use std::fmt;

/// A [`Question`] whose answer is sent once, when it is complete.
pub trait SingleAnswer:
    Clone + fmt::Debug + PartialEq + Serialize + DeserializeOwned + Send + Sync + 'static
{
    /// The answer.
    type Answer: Clone + fmt::Debug + Serialize + DeserializeOwned + Send + Sync + 'static;

    /// See [`Question::URGENCY`].
    const URGENCY: Urgency;

    /// See [`Question::model`].
    fn model(&self) -> Option<ModelVersion>;

    /// See [`Question::replaces`].
    fn replaces(&self, earlier: &Self) -> bool {
        ModelVersion::can_substitute(earlier.model(), self.model())
    }

    /// Computes the answer.
    ///
    /// # Errors
    /// If there is no answer.
    async fn answer<H: Host>(
        self,
        context: &AnswerContext<'_, Self, H>,
    ) -> Result<Self::Answer, Failure>;
}

impl<Q: SingleAnswer> Question for Q {
    type Chunk = Q::Answer;
    type Answer = Q::Answer;
    const URGENCY: Urgency = Q::URGENCY;

    fn model(&self) -> Option<ModelVersion> {
        SingleAnswer::model(self)
    }

    fn replaces(&self, earlier: &Self) -> bool {
        SingleAnswer::replaces(self, earlier)
    }

    fn fold(_so_far: Option<Q::Answer>, piece: Q::Answer) -> Q::Answer {
        piece
    }

    async fn answer<H: Host>(self, context: &AnswerContext<'_, Self, H>) -> Result<(), Failure> {
        let answer = SingleAnswer::answer(self, context).await?;
        context.send(&answer);
        Ok(())
    }
}
