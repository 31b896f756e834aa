//! What a question is: a type that knows its answer, how urgent it is, and how a session answers it.
//!
//! A question's key is its own encoding, so two questions with the same content are one question. Its answer
//! comes in pieces of one type, [`Question::Chunk`], so that an answer of another kind cannot even be written.
//! To add a question: a file in `questions/` that implements [`Question`], or [`super::SingleAnswer`] where the
//! answer comes in one piece, and a line in the list there.

use super::{
    AnyQuestion, ComputeReport, Device, Failure, ModelVersion, Progress, Session,
    compute::{Compute, Job, PortableJob},
};
use crate::{checkpoint::ByteSource, model::Note};
use futures_util::{Stream, StreamExt, stream};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::{cell::RefCell, fmt, pin::Pin, task::Poll};

/// How urgent a question is. The worker begins a less urgent one only when nothing more urgent is waiting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Urgency {
    /// What somebody looks at.
    Now,
    /// What stands beside it.
    Soon,
    /// What nobody looks at yet, or what takes as long as everything else.
    Later,
}

/// A question about what is open.
#[expect(
    async_fn_in_trait,
    reason = "everything that is open lives on one thread"
)]
pub trait Question:
    Clone
    + fmt::Debug
    + PartialEq
    + Serialize
    + DeserializeOwned
    + Into<AnyQuestion>
    + Send
    + Sync
    + 'static
{
    /// What is sent in answer, any number of times.
    type Chunk: fmt::Debug + Serialize + DeserializeOwned + 'static;

    /// What the pieces make together.
    type Answer: Clone + fmt::Debug + Send + Sync + 'static;

    /// How urgent it is.
    const URGENCY: Urgency;

    /// The model that it is about, if it is about one.
    fn about(&self) -> Option<ModelVersion>;

    /// Whether an answer to `earlier` may stay on the page until this question is answered: usually where both
    /// are about the same model as it is open now.
    fn succeeds(&self, earlier: &Self) -> bool {
        ModelVersion::can_substitute(earlier.about(), self.about())
    }

    /// Takes a piece into the answer.
    fn collect(so_far: Option<Self::Answer>, piece: Self::Chunk) -> Self::Answer;

    /// Answers it.
    ///
    /// # Errors
    /// Why there is no answer, or no further piece of it.
    async fn answer<L: ByteSource, C: Compute, R: ResponseSink>(
        self,
        context: &AnswerContext<'_, Self, L, C, R>,
    ) -> Result<(), Failure>;
}

/// What a session says in answer.
#[derive(Debug, Clone, PartialEq)]
pub enum AnswerEvent {
    /// An encoded [`Question::Chunk`].
    Chunk(Vec<u8>),
    /// Bytes of a file; they follow one another and are not looked into on their way.
    Bytes(Vec<u8>),
    /// Everything else.
    News(Notification),
}

/// What a session says beside the pieces of an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Notification {
    /// So many of so many bytes of the model's files have been read.
    Progress {
        /// Bytes read.
        read: u64,
        /// Bytes of all files at hand.
        size: u64,
    },
    /// Something that should be known of the model was learned on the way.
    Note(Note),
    /// Something was computed for the answer.
    Computed(ComputeReport),
    /// The answer is whole.
    Done,
    /// There is no answer, or no further piece of it.
    Failed(Failure),
}

/// Where a session's words go.
#[expect(
    async_fn_in_trait,
    reason = "everything that is open lives on one thread"
)]
pub trait ResponseSink {
    /// Sends what is said.
    fn send(&self, event: AnswerEvent);

    /// Lets others run, see [`Progress::pause`].
    async fn pause(&self);

    /// Milliseconds by a clock that only goes on; always zero where there is none.
    fn now(&self) -> f64 {
        0.0
    }
}

/// A question on a session's desk: what came with it, and the way its answer goes.
pub struct AnswerContext<'a, Q, L, C, R> {
    /// Everything that is open.
    pub session: &'a Session<L, C>,
    files: RefCell<Vec<(String, L)>>,
    reply: &'a R,
    question: std::marker::PhantomData<Q>,
}

impl<Q, L, C, R> fmt::Debug for AnswerContext<'_, Q, L, C, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Desk").finish_non_exhaustive()
    }
}

impl<'a, Q: Question, L: ByteSource, C: Compute, R: ResponseSink> AnswerContext<'a, Q, L, C, R> {
    pub(super) fn new(session: &'a Session<L, C>, files: Vec<(String, L)>, reply: &'a R) -> Self {
        Self {
            session,
            files: RefCell::new(files),
            reply,
            question: std::marker::PhantomData,
        }
    }

    /// Sends a piece of the answer.
    pub fn send(&self, piece: &Q::Chunk) {
        // Our own types into memory: postcard has nothing to refuse.
        let bytes = postcard::to_allocvec(piece).unwrap_or_default();
        self.reply.send(AnswerEvent::Chunk(bytes));
    }

    /// Sends bytes of a file.
    pub fn send_bytes(&self, bytes: Vec<u8>) {
        self.reply.send(AnswerEvent::Bytes(bytes));
    }

    /// The files that came with the question, each with its path or name.
    pub fn take_files(&self) -> Vec<(String, L)> {
        self.files.take()
    }

    /// Computes something from values alone.
    pub async fn compute<J: Job>(&self, job: J) -> J::Output {
        let begun = self.now();
        let output = job.run(self).await;
        self.computed(Device::Cpu, begun, None);
        output
    }

    /// Runs a job wherever there is room, as a part of something of which is said how long it took.
    pub(super) async fn run<J: PortableJob>(&self, job: J) -> Result<J::Output, Failure> {
        let session = self.session;
        Ok(session.computing.run(job, &session.late, self).await?)
    }

    /// Computes many things, as many at once as there are workers for. What comes out comes in the order of the jobs; no
    /// more jobs are made than are under way.
    pub fn spread<'s, J: PortableJob>(
        &'s self,
        jobs: impl Stream<Item = Result<J, Failure>> + 's,
    ) -> Pin<Box<dyn Stream<Item = Result<J::Output, Failure>> + 's>> {
        let begun = self.now();
        let end = stream::poll_fn(move |_| {
            self.computed(Device::Cpu, begun, None);
            Poll::Ready(None)
        });
        self.spread_in_part(jobs).chain(end).boxed_local()
    }

    /// The same where it is a part of something, of which is said how long it took.
    pub(super) fn spread_in_part<'s, J: PortableJob>(
        &'s self,
        jobs: impl Stream<Item = Result<J, Failure>> + 's,
    ) -> Pin<Box<dyn Stream<Item = Result<J::Output, Failure>> + 's>> {
        let run = move |job: Result<J, Failure>| async move { self.run(job?).await };
        let width = self.session.computing.width(J::MOST_BEFORE);
        jobs.map(run).buffered(width).boxed_local()
    }

    /// Milliseconds, see [`ResponseSink::now`].
    pub(super) fn now(&self) -> f64 {
        self.reply.now()
    }

    /// Says that something was computed.
    pub(super) fn say_computed(&self, computed: ComputeReport) {
        self.reply
            .send(AnswerEvent::News(Notification::Computed(computed)));
    }
}

impl<Q: Question, L, C, R: ResponseSink> Progress for AnswerContext<'_, Q, L, C, R> {
    fn progress(&self, read: u64, size: u64) {
        // What is read again is no more of the file.
        let read = read.min(size);
        self.reply
            .send(AnswerEvent::News(Notification::Progress { read, size }));
    }

    fn note(&self, note: Note) {
        self.reply.send(AnswerEvent::News(Notification::Note(note)));
    }

    async fn pause(&self) {
        self.reply.pause().await;
    }
}
