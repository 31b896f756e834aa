//! What the page has asked, and how far the answers are: one place for every question.
//!
//! The cache knows neither worker nor page. It holds, for each question's key, whether nothing, a part, all of
//! the answer or a failure has come; it says what is to be sent, and it hears what comes back. So a question
//! that is asked twice is sent once, an answer that nobody waits for is cancelled, what was interrupted is
//! asked again, and an answer that is there is not asked for at all.

use super::{
    AnyQuestion, ErasedQuestion, Failure, ModelId, ModelVersion, Notification, PendingRequests,
    QueryState, query_state::Collect,
};
use std::{collections::HashMap, fmt, rc::Rc};

/// What tells questions apart: their encoding.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Key(Rc<[u8]>);

impl Key {
    /// The key of a question.
    pub fn of(question: &AnyQuestion) -> Self {
        // Our own types into memory: postcard has nothing to refuse.
        Self(postcard::to_allocvec(question).unwrap_or_default().into())
    }
}

/// What the cache wants done.
#[derive(Debug, Clone, PartialEq)]
pub enum WorkerCommand {
    /// A question is to be sent under this number.
    Send(u32, AnyQuestion),
    /// The question of this number is wanted no longer.
    Cancel(u32),
}

/// Answers that nobody looks at are kept up to this many bytes, as they were encoded.
const KEPT: usize = 96 << 20;

/// A question that was being answered when this many workers were lost is not asked again by itself.
const MOST_TRIES: u32 = 2;

struct CachedQuestion {
    question: AnyQuestion,
    collect: Collect,
    state: QueryState,
    /// How many wait for the answer or look at it.
    wanted: usize,
    /// The number under which it is being answered.
    number: Option<u32>,
    /// How many workers were lost while they answered it.
    lost: u32,
    bytes: usize,
    used: u64,
    /// Whether its model was closed while the answer was wanted: it is dropped with the last release.
    is_closed: bool,
}

/// Every question that was asked and what has come of it.
#[derive(Default)]
pub struct Cache {
    entries: HashMap<Key, CachedQuestion>,
    running: PendingRequests<Key>,
    numbers: u32,
    clock: u64,
}

impl fmt::Debug for Cache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cache")
            .field("entries", &self.entries.len())
            .field("running", &self.running)
            .finish_non_exhaustive()
    }
}

impl Cache {
    /// Somebody wants the answer to a question, until [`Self::release`].
    pub fn want(&mut self, asked: &ErasedQuestion) -> (Key, Vec<WorkerCommand>) {
        let key = Key::of(&asked.question);
        self.clock += 1;
        let entry = self
            .entries
            .entry(key.clone())
            .or_insert_with(|| CachedQuestion {
                question: asked.question.clone(),
                collect: asked.collect,
                state: QueryState::Waiting,
                wanted: 0,
                number: None,
                lost: 0,
                bytes: 0,
                used: 0,
                is_closed: false,
            });
        entry.wanted += 1;
        entry.used = self.clock;
        let idle = entry.number.is_none();
        let asks = match entry.state {
            QueryState::Ready(_) => false,
            QueryState::Waiting | QueryState::Partial(_) => idle,
            // Whoever comes back to a failed question asks it anew.
            QueryState::Failed(..) => idle && entry.wanted == 1,
        };
        let errands = if asks { self.send(&key) } else { Vec::new() };
        (key, errands)
    }

    /// Somebody no longer wants an answer. The last one to go cancels it, or lets a whole answer be forgotten
    /// when room is needed, and at once where the model has been closed.
    pub fn release(&mut self, key: &Key) -> Vec<WorkerCommand> {
        let mut errands = Vec::new();
        self.clock += 1;
        if let Some(entry) = self.entries.get_mut(key) {
            entry.used = self.clock;
            entry.wanted = entry.wanted.saturating_sub(1);
            let is_kept = matches!(entry.state, QueryState::Ready(_)) && !entry.is_closed;
            if entry.wanted == 0 && !is_kept {
                if let Some(number) = entry.number {
                    self.running.remove(number);
                    errands.push(WorkerCommand::Cancel(number));
                }
                self.entries.remove(key);
            }
        }
        self.make_room();
        errands
    }

    /// Whether somebody waits for an answer or shows it.
    pub fn is_wanted(&self, key: &Key) -> bool {
        self.entries.get(key).is_some_and(|entry| entry.wanted > 0)
    }

    /// How far the answer to a question is.
    pub fn state(&self, key: &Key) -> QueryState {
        self.entries
            .get(key)
            .map_or(QueryState::Waiting, |entry| entry.state.clone())
    }

    /// The model that a running question is about.
    pub fn about(&self, number: u32) -> Option<ModelVersion> {
        let entry = self.entries.get(self.running.get(number)?)?;
        entry.question.about()
    }

    /// Takes a piece of the answer to the question of that number; gives the key of what has changed.
    pub fn hear_piece(&mut self, number: u32, piece: &[u8]) -> Option<Key> {
        let key = self.running.get(number)?.clone();
        let entry = self.entries.get_mut(&key)?;
        let so_far = match std::mem::replace(&mut entry.state, QueryState::Waiting) {
            QueryState::Partial(answer) => Some(answer),
            QueryState::Waiting => None,
            // A piece was lost already, and what follows does not mend that.
            ended @ (QueryState::Ready(_) | QueryState::Failed(..)) => {
                entry.state = ended;
                return None;
            }
        };
        entry.state = match (entry.collect)(so_far, piece) {
            Some(answer) => QueryState::Partial(answer),
            None => QueryState::Failed(
                Failure::ours(
                    "The page and the part of it that computes are of different versions. Load the page again.",
                ),
                None,
            ),
        };
        entry.bytes += piece.len();
        Some(key)
    }

    /// Takes the end of the answer to the question of that number; gives the key of what has changed.
    pub fn hear_end(&mut self, number: u32, failure: Option<Failure>) -> Option<Key> {
        let key = self.running.remove(number)?;
        let entry = self.entries.get_mut(&key)?;
        entry.number = None;
        entry.lost = 0;
        entry.state = match (
            std::mem::replace(&mut entry.state, QueryState::Waiting),
            failure,
        ) {
            (QueryState::Partial(answer), None) => QueryState::Ready(answer),
            (QueryState::Partial(answer), Some(failure)) => {
                QueryState::Failed(failure, Some(answer))
            }
            (QueryState::Waiting, Some(failure)) => QueryState::Failed(failure, None),
            (QueryState::Waiting, None) => QueryState::Failed(
                Failure::ours("The question was passed over without an answer."),
                None,
            ),
            (ended, _) => ended,
        };
        self.make_room();
        Some(key)
    }

    /// Takes news of a running question; gives the key of what has changed, if anything has.
    pub fn hear(&mut self, number: u32, news: &Notification) -> Option<Key> {
        match news {
            Notification::Done => self.hear_end(number, None),
            Notification::Failed(failure) => self.hear_end(number, Some(failure.clone())),
            Notification::Progress { .. } | Notification::Note(_) | Notification::Computed(_) => {
                None
            }
        }
    }

    /// Asks again what failed and is still wanted.
    pub fn retry(&mut self) -> (Vec<Key>, Vec<WorkerCommand>) {
        let failed = |entry: &CachedQuestion| {
            let failed = matches!(entry.state, QueryState::Failed(..));
            failed && entry.wanted > 0 && entry.number.is_none()
        };
        let keys: Vec<Key> = (self.entries.iter())
            .filter(|(_, entry)| failed(entry))
            .map(|(key, _)| key.clone())
            .collect();
        let errands = keys.iter().flat_map(|key| self.send(key)).collect();
        (keys, errands)
    }

    /// The worker is lost: what it was answering is to be sent to the next one, but for questions that have
    /// cost several workers by now. Gives what has changed and what is to be sent.
    pub fn worker_lost(&mut self) -> (Vec<Key>, Vec<WorkerCommand>) {
        let (mut keys, mut errands) = (Vec::new(), Vec::new());
        for (_, key) in self.running.take() {
            let Some(entry) = self.entries.get_mut(&key) else {
                continue;
            };
            entry.number = None;
            entry.lost += 1;
            if entry.lost < MOST_TRIES {
                errands.extend(self.send(&key));
            } else {
                entry.lost = 0;
                entry.state = QueryState::Failed(
                    Failure::ours(
                        "The part of this page that computes stopped twice over this question, so it was not asked again.",
                    ),
                    None,
                );
            }
            keys.push(key);
        }
        (keys, errands)
    }

    /// Nobody can answer any more: everything that is being answered has failed. Gives what has changed.
    pub fn fail_all(&mut self, failure: &Failure) -> Vec<Key> {
        let running = self.running.take().into_iter().map(|(_, key)| key);
        let running: Vec<Key> = running.collect();
        for key in &running {
            if let Some(entry) = self.entries.get_mut(key) {
                entry.number = None;
                entry.state = QueryState::Failed(failure.clone(), None);
            }
        }
        running
    }

    /// Forgets what is known of a model that was closed or is looked at otherwise. Answers that are still wanted are
    /// forgotten with their last release.
    pub fn forget(&mut self, model: ModelId) {
        self.entries.retain(|_, entry| {
            let is_about = entry
                .question
                .about()
                .is_some_and(|about| about.id == model);
            entry.is_closed |= is_about;
            !is_about || entry.wanted > 0
        });
    }

    /// How many questions it knows anything of.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether it knows nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Whether anything is being answered.
    pub fn is_busy(&self) -> bool {
        !self.running.is_empty()
    }

    /// A number that no question has had.
    pub fn next_number(&mut self) -> u32 {
        self.numbers += 1;
        self.numbers
    }

    fn send(&mut self, key: &Key) -> Vec<WorkerCommand> {
        let number = self.next_number();
        let Some(entry) = self.entries.get_mut(key) else {
            return Vec::new();
        };
        entry.state = QueryState::Waiting;
        entry.bytes = 0;
        entry.number = Some(number);
        self.running.insert(number, key.clone());
        vec![WorkerCommand::Send(number, entry.question.clone())]
    }

    /// Lets go of answers that nobody looks at, those looked at longest ago first.
    fn make_room(&mut self) {
        let idle = |entry: &CachedQuestion| entry.wanted == 0;
        let mut kept: usize = (self.entries.values().filter(|e| idle(e)))
            .map(|entry| entry.bytes)
            .sum();
        while kept > KEPT {
            let oldest = (self.entries.iter())
                .filter(|(_, entry)| idle(entry))
                .min_by_key(|(_, entry)| entry.used)
                .map(|(key, entry)| (key.clone(), entry.bytes));
            let Some((key, bytes)) = oldest else {
                return;
            };
            self.entries.remove(&key);
            kept -= bytes;
        }
    }
}
