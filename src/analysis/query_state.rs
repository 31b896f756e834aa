//! Type-erased questions, and the states of their answers.
//!
//! Answers of every type share one cache and the same signals, so both store them without their types. Only the code
//! that asks and the code that reads an answer know the types.

use super::{AnyQuestion, Failure, ListedQuestion, Question};
use std::{any::Any, fmt, sync::Arc};

/// An answer of any type.
pub type AnyAnswer = dyn Any + Send + Sync;

/// Appends the next chunk to the answer so far; `None` if the chunk cannot be decoded.
pub(super) type Collect = fn(Option<Arc<AnyAnswer>>, &[u8]) -> Option<Arc<AnyAnswer>>;

/// A question of any type, with the functions that depend on the type.
#[derive(Clone)]
pub struct ErasedQuestion {
    pub(super) question: AnyQuestion,
    pub(super) collect: Collect,
    value: Arc<dyn Any + Send + Sync>,
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
    /// Erases the type of a question.
    pub fn new<Q: ListedQuestion>(question: Q) -> Self {
        Self {
            question: question.clone().into(),
            collect: collect::<Q>,
            value: Arc::new(question),
            succeeds: |now, earlier| match (now.of_type::<Q>(), earlier.of_type()) {
                (Some(now), Some(earlier)) => now.replaces(earlier),
                _ => false,
            },
        }
    }

    /// The question, if it has type `Q`.
    pub fn of_type<Q: Question>(&self) -> Option<&Q> {
        self.value.downcast_ref()
    }

    /// See [`Question::replaces`].
    pub fn replaces(&self, earlier: &Self) -> bool {
        (self.succeeds)(self, earlier)
    }
}

fn collect<Q: Question>(so_far: Option<Arc<AnyAnswer>>, piece: &[u8]) -> Option<Arc<AnyAnswer>> {
    let piece: Q::Chunk = postcard::from_bytes(piece).ok()?;
    let so_far = so_far.and_then(|answer| answer.downcast::<Q::Answer>().ok());
    // The page may share a partial answer, which is then cloned; otherwise it is moved.
    let so_far =
        so_far.map(|answer| Arc::try_unwrap(answer).unwrap_or_else(|shared| (*shared).clone()));
    Some(Arc::new(Q::fold(so_far, piece)))
}

/// State of the answer to a question.
#[derive(Debug)]
pub enum QueryState<T: ?Sized = AnyAnswer> {
    /// Nothing has arrived yet.
    Waiting,
    /// The answer so far; more will arrive.
    Partial(Arc<T>),
    /// The complete answer.
    Ready(Arc<T>),
    /// The error, and the last partial answer.
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

/// Two states are equal if they hold the same answer by address; answers are not compared by value.
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
    /// The answer, as far as it has arrived.
    pub fn answer(&self) -> Option<&Arc<T>> {
        match self {
            Self::Partial(answer) | Self::Ready(answer) | Self::Failed(_, Some(answer)) => {
                Some(answer)
            }
            Self::Waiting | Self::Failed(_, None) => None,
        }
    }

    /// The failure, if the question has failed.
    pub fn failure(&self) -> Option<&Failure> {
        match self {
            Self::Failed(failure, _) => Some(failure),
            _ => None,
        }
    }

    /// Whether more will arrive.
    pub fn is_pending(&self) -> bool {
        matches!(self, Self::Waiting | Self::Partial(_))
    }
}

impl QueryState {
    /// The same state with an answer of type `T`; an answer of another type counts as missing.
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
