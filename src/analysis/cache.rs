//! Client-side cache of all questions and their answers.
//!
//! The cache depends on neither worker nor page. For each question's [`Key`] it holds a [`QueryState`]: waiting,
//! partial, ready or failed. Its methods return the [`WorkerCommand`]s to send and take the messages that come back. A
//! question asked twice is sent once. An unfinished answer is cancelled when its last user releases it. Interrupted
//! questions are sent again, and a ready answer is not requested again.

use super::{
    AnyQuestion, ErasedQuestion, Failure, ModelId, ModelVersion, Notification, QueryState,
    query_state::Collect,
};
use indexmap::IndexMap;
use std::{collections::HashMap, fmt, mem, rc::Rc};

/// Identifies a question: its postcard encoding.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Key(Rc<[u8]>);

impl Key {
    /// The key of a question.
    pub fn new(question: &AnyQuestion) -> Self {
        // Encoding our own types into memory does not fail.
        Self(postcard::to_allocvec(question).unwrap_or_default().into())
    }
}

/// A command for the worker.
#[cfg_attr(
    not(target_arch = "wasm32"),
    expect(
        clippy::large_enum_variant,
        reason = "a command is moved once; with 64-bit pointers a question is a little above the lint's limit"
    )
)]
#[derive(Debug, Clone, PartialEq)]
pub enum WorkerCommand {
    /// Send the question under this number.
    Send(u32, AnyQuestion),
    /// Cancel the question with this number.
    Cancel(u32),
}

/// Maximum encoded size, in bytes, of all ready answers without users.
const LARGEST_CACHE: usize = 96 << 20;

/// Number of lost workers after which the question that they were answering fails instead of being sent again.
const MOST_TRIES: u32 = 2;

struct CachedQuestion {
    question: AnyQuestion,
    collect: Collect,
    state: QueryState,
    /// Number of current users of the answer.
    users: usize,
    /// Number under which the question is running.
    number: Option<u32>,
    /// Number of workers lost while they answered the question.
    lost_workers: u32,
    bytes: usize,
    last_use: u64,
    /// Whether the model was closed while the answer was in use; the last release then drops the entry.
    is_closed: bool,
}

/// All questions that were asked, with the states of their answers.
#[derive(Default)]
pub struct Cache {
    entries: HashMap<Key, CachedQuestion>,
    /// Running questions by number, in the order in which they were sent.
    running_questions: IndexMap<u32, Key>,
    numbers: u32,
    clock: u64,
}

impl fmt::Debug for Cache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cache")
            .field("entries", &self.entries.len())
            .field("running", &self.running_questions)
            .finish_non_exhaustive()
    }
}

impl Cache {
    /// Registers a user of the answer until [`Self::release`]. Returns the key and the commands to send.
    pub fn request(&mut self, question: &ErasedQuestion) -> (Key, Vec<WorkerCommand>) {
        let key = Key::new(&question.question);
        self.clock += 1;
        let entry = self
            .entries
            .entry(key.clone())
            .or_insert_with(|| CachedQuestion {
                question: question.question.clone(),
                collect: question.collect,
                state: QueryState::Waiting,
                users: 0,
                number: None,
                lost_workers: 0,
                bytes: 0,
                last_use: 0,
                is_closed: false,
            });
        entry.users += 1;
        entry.last_use = self.clock;
        let idle = entry.number.is_none();
        let asks = match entry.state {
            QueryState::Ready(_) => false,
            QueryState::Waiting | QueryState::Partial(_) => idle,
            // A failed question is sent again when it has no other user.
            QueryState::Failed(..) => idle && entry.users == 1,
        };
        let commands = if asks { self.send(&key) } else { Vec::new() };
        (key, commands)
    }

    /// Removes a user of the answer. The last one drops the entry, and cancels the question if it is running; only a
    /// ready answer of an open model stays until memory is needed.
    pub fn release(&mut self, key: &Key) -> Vec<WorkerCommand> {
        let mut commands = Vec::new();
        self.clock += 1;
        if let Some(entry) = self.entries.get_mut(key) {
            entry.last_use = self.clock;
            entry.users = entry.users.saturating_sub(1);
            let is_kept = matches!(entry.state, QueryState::Ready(_)) && !entry.is_closed;
            if entry.users == 0 && !is_kept {
                if let Some(number) = entry.number {
                    self.running_questions.shift_remove(&number);
                    commands.push(WorkerCommand::Cancel(number));
                }
                self.entries.remove(key);
            }
        }
        self.make_room();
        commands
    }

    /// Whether the answer has a user.
    pub fn is_wanted(&self, key: &Key) -> bool {
        self.entries.get(key).is_some_and(|entry| entry.users > 0)
    }

    /// State of the answer; `Waiting` for an unknown key.
    pub fn state(&self, key: &Key) -> QueryState {
        self.entries
            .get(key)
            .map_or(QueryState::Waiting, |entry| entry.state.clone())
    }

    /// Model version that a running question is about.
    pub fn about(&self, number: u32) -> Option<ModelVersion> {
        let entry = self.entries.get(self.running_questions.get(&number)?)?;
        entry.question.model()
    }

    /// Appends a chunk to the answer of a running question. Returns the key if the state changed.
    pub fn receive_chunk(&mut self, number: u32, piece: &[u8]) -> Option<Key> {
        let key = self.running_questions.get(&number)?.clone();
        let entry = self.entries.get_mut(&key)?;
        let so_far = match mem::replace(&mut entry.state, QueryState::Waiting) {
            QueryState::Partial(answer) => Some(answer),
            QueryState::Waiting => None,
            // An earlier chunk could not be decoded; later chunks do not repair the answer.
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

    /// Ends the answer to a running question. Returns the key if the question is known.
    pub fn hear_end(&mut self, number: u32, failure: Option<Failure>) -> Option<Key> {
        let key = self.running_questions.shift_remove(&number)?;
        let entry = self.entries.get_mut(&key)?;
        entry.number = None;
        entry.lost_workers = 0;
        entry.state = match (mem::replace(&mut entry.state, QueryState::Waiting), failure) {
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

    /// Handles a notification about a running question. Returns the key if the state changed.
    pub fn receive(&mut self, number: u32, news: &Notification) -> Option<Key> {
        match news {
            Notification::Done => self.hear_end(number, None),
            Notification::Failed(failure) => self.hear_end(number, Some(failure.clone())),
            Notification::Progress { .. } | Notification::Note(_) | Notification::Computed(_) => {
                None
            }
        }
    }

    /// Sends all failed questions with users again. Returns their keys and the commands.
    pub fn retry(&mut self) -> (Vec<Key>, Vec<WorkerCommand>) {
        let failed = |entry: &CachedQuestion| {
            let failed = matches!(entry.state, QueryState::Failed(..));
            failed && entry.users > 0 && entry.number.is_none()
        };
        let keys: Vec<Key> = (self.entries.iter())
            .filter(|(_, entry)| failed(entry))
            .map(|(key, _)| key.clone())
            .collect();
        let commands = keys.iter().flat_map(|key| self.send(key)).collect();
        (keys, commands)
    }

    /// Handles the loss of the worker. Running questions are sent to the next worker; questions that have lost
    /// `MOST_TRIES` workers fail. Returns the changed keys and the commands to send.
    pub fn worker_lost(&mut self) -> (Vec<Key>, Vec<WorkerCommand>) {
        let (mut keys, mut commands) = (Vec::new(), Vec::new());
        for key in mem::take(&mut self.running_questions).into_values() {
            let Some(entry) = self.entries.get_mut(&key) else {
                continue;
            };
            entry.number = None;
            entry.lost_workers += 1;
            if entry.lost_workers < MOST_TRIES {
                commands.extend(self.send(&key));
            } else {
                entry.lost_workers = 0;
                entry.state = QueryState::Failed(
                    Failure::ours(
                        "The part of this page that computes stopped twice over this question, so it was not asked again.",
                    ),
                    None,
                );
            }
            keys.push(key);
        }
        (keys, commands)
    }

    /// Fails all running questions, for when no worker is left to answer. Returns the changed keys.
    pub fn fail_all(&mut self, failure: &Failure) -> Vec<Key> {
        let running: Vec<Key> = mem::take(&mut self.running_questions)
            .into_values()
            .collect();
        for key in &running {
            if let Some(entry) = self.entries.get_mut(key) {
                entry.number = None;
                entry.state = QueryState::Failed(failure.clone(), None);
            }
        }
        running
    }

    /// Drops the answers about a model that was closed or reopened with other options. Answers in use are dropped with
    /// their last release.
    pub fn forget(&mut self, model: ModelId) {
        self.entries.retain(|_, entry| {
            let is_about = entry
                .question
                .model()
                .is_some_and(|about| about.id == model);
            entry.is_closed |= is_about;
            !is_about || entry.users > 0
        });
    }

    /// Number of entries.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether the cache has no entries.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Whether any question is running.
    pub fn is_busy(&self) -> bool {
        !self.running_questions.is_empty()
    }

    /// Returns a number that no question has had.
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
        self.running_questions.insert(number, key.clone());
        vec![WorkerCommand::Send(number, entry.question.clone())]
    }

    /// Evicts ready answers without users, least recently used first, until they fit into [`LARGEST_CACHE`] bytes.
    fn make_room(&mut self) {
        let idle = |entry: &CachedQuestion| entry.users == 0;
        let mut idle_bytes: usize = (self.entries.values().filter(|e| idle(e)))
            .map(|entry| entry.bytes)
            .sum();
        while idle_bytes > LARGEST_CACHE {
            let oldest = (self.entries.iter())
                .filter(|(_, entry)| idle(entry))
                .min_by_key(|(_, entry)| entry.last_use)
                .map(|(key, entry)| (key.clone(), entry.bytes));
            let Some((key, bytes)) = oldest else {
                return;
            };
            self.entries.remove(&key);
            idle_bytes -= bytes;
        }
    }
}
