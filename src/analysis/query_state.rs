//! A question of any type, as the page keeps it among others, and how far its answer is.
//!
//! Answers of every type go through the same cache and the same signals, so both are kept without their types;
//! only those who ask and those who read know the types.

use super::{AnyQuestion, Failure, Question};
use std::{any::Any, fmt, sync::Arc};

/// An answer of any type.
pub type AnyAnswer = dyn Any + Send + Sync;

/// Adds the next piece to the answer so far; `None` where the piece cannot be read.
pub(super) type Collect = fn(Option<Arc<AnyAnswer>>, &[u8]) -> Option<Arc<AnyAnswer>>;

/// A question, with what is to be known of its type.
#[derive(Clone)]
pub struct ErasedQuestion {
    pub(super) question: AnyQuestion,
    pub(super) collect: Collect,
    typed: Arc<dyn Any + Send + Sync>,
    succeeds: fn(&Self, &Self) -> bool,
}

impl fmt::Debug for ErasedQuestion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.question.fmt(f)
    }
}

impl PartialEq for ErasedQuestion {
    fn eq(&self, other: &Self) -> bool {
        self.question == other.question
    }
}

impl ErasedQuestion {
    /// A question among others.
    pub fn new<Q: Question>(question: Q) -> Self {
        Self {
            question: question.clone().into(),
            collect: collect::<Q>,
            typed: Arc::new(question),
            succeeds: |now, earlier| match (now.of_type::<Q>(), earlier.of_type()) {
                (Some(now), Some(earlier)) => now.succeeds(earlier),
                _ => false,
            },
        }
    }

    /// The question, if it is of that type.
    pub fn of_type<Q: Question>(&self) -> Option<&Q> {
        self.typed.downcast_ref()
    }

    /// See [`Question::succeeds`].
    pub fn succeeds(&self, earlier: &Self) -> bool {
        (self.succeeds)(self, earlier)
    }
}

fn collect<Q: Question>(so_far: Option<Arc<AnyAnswer>>, piece: &[u8]) -> Option<Arc<AnyAnswer>> {
    let piece: Q::Chunk = postcard::from_bytes(piece).ok()?;
    let so_far = so_far.and_then(|answer| answer.downcast::<Q::Answer>().ok());
    // Whoever shows a part of an answer holds on to it; then the part is copied, else it is taken.
    let so_far =
        so_far.map(|answer| Arc::try_unwrap(answer).unwrap_or_else(|shared| (*shared).clone()));
    Some(Arc::new(Q::collect(so_far, piece)))
}

/// How far the answer to a question is.
#[derive(Debug)]
pub enum QueryState<T: ?Sized = AnyAnswer> {
    /// Nothing has come yet.
    Waiting,
    /// This much has come, and more is to come.
    Partial(Arc<T>),
    /// The answer.
    Ready(Arc<T>),
    /// Why there is none, and what had come before.
    Failed(Failure, Option<Arc<T>>),
}

impl<T: ?Sized> Clone for QueryState<T> {
    fn clone(&self) -> Self {
        match self {
            Self::Waiting => Self::Waiting,
            Self::Partial(answer) => Self::Partial(Arc::clone(answer)),
            Self::Ready(answer) => Self::Ready(Arc::clone(answer)),
            Self::Failed(failure, answer) => Self::Failed(failure.clone(), answer.clone()),
        }
    }
}

/// Two of them are equal when they hold the very same answer.
impl<T: ?Sized> PartialEq for QueryState<T> {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Waiting, Self::Waiting) => true,
            (Self::Partial(a), Self::Partial(b)) | (Self::Ready(a), Self::Ready(b)) => {
                Arc::ptr_eq(a, b)
            }
            (Self::Failed(a, x), Self::Failed(b, y)) => {
                let same = match (x, y) {
                    (Some(x), Some(y)) => Arc::ptr_eq(x, y),
                    (None, None) => true,
                    _ => false,
                };
                a == b && same
            }
            _ => false,
        }
    }
}

impl<T: ?Sized> QueryState<T> {
    /// The answer, as far as it has come.
    pub fn answer(&self) -> Option<&Arc<T>> {
        match self {
            Self::Partial(answer) | Self::Ready(answer) | Self::Failed(_, Some(answer)) => {
                Some(answer)
            }
            Self::Waiting | Self::Failed(_, None) => None,
        }
    }

    /// Why there is no answer.
    pub fn failure(&self) -> Option<&Failure> {
        match self {
            Self::Failed(failure, _) => Some(failure),
            _ => None,
        }
    }

    /// Whether more is to come.
    pub fn is_pending(&self) -> bool {
        matches!(self, Self::Waiting | Self::Partial(_))
    }
}

impl QueryState {
    /// The same with an answer of a type; an answer of another type counts as not there.
    pub fn of_type<T: Send + Sync + 'static>(&self) -> QueryState<T> {
        let typed = |answer: &Arc<AnyAnswer>| Arc::clone(answer).downcast::<T>().ok();
        match self {
            Self::Waiting => QueryState::Waiting,
            Self::Partial(answer) => typed(answer).map_or(QueryState::Waiting, QueryState::Partial),
            Self::Ready(answer) => typed(answer).map_or(QueryState::Waiting, QueryState::Ready),
            Self::Failed(failure, answer) => {
                QueryState::Failed(failure.clone(), answer.as_ref().and_then(typed))
            }
        }
    }
}
