//! Questions: a question's type defines its answer, its urgency, and how a session answers it.
//!
//! The key of a question is its encoding, so two questions with the same content are one question. Its answer arrives
//! in chunks of one type, [`Question::Chunk`]; sending another type does not compile. To add a question, add a file to
//! `questions/` that implements [`Question`], with `list_answer!` if the answer is a list that arrives in parts, or
//! [`super::SingleAnswer`] if the answer is one chunk, and a line to the list there.

use super::{
    AnswerEvent, ComputeReport, Device, Failure, Host, ModelVersion, Notification, Progress,
    ResponseSink, Session, Urgency,
    job::{Job, PortableJob},
};
use crate::model::Note;
use futures_util::{Stream, StreamExt, TryStreamExt, stream};
use serde::{Serialize, de::DeserializeOwned};
use std::{cell::RefCell, fmt, pin::Pin, task::Poll};

/// A question about open models.
pub trait Question:
    Clone + fmt::Debug + PartialEq + Serialize + DeserializeOwned + Send + Sync + 'static
{
    /// A part of the answer; any number of chunks is sent.
    type Chunk: fmt::Debug + Serialize + DeserializeOwned + 'static;

    /// The answer that the chunks form together.
    type Answer: Clone + fmt::Debug + Send + Sync + 'static;

    /// Urgency of all questions of this type.
    const URGENCY: Urgency;

    /// The model version that the question is about, if any.
    fn model(&self) -> Option<ModelVersion>;

    /// Whether an answer to `earlier` may stay on the page until this question is answered. By default that is so if
    /// both are about the same model version, see [`ModelVersion::can_substitute`].
    fn replaces(&self, earlier: &Self) -> bool {
        ModelVersion::can_substitute(earlier.model(), self.model())
    }

    /// Appends a chunk to the answer.
    fn fold(so_far: Option<Self::Answer>, piece: Self::Chunk) -> Self::Answer;

    /// Answers the question: sends chunks through `context`.
    ///
    /// # Errors
    /// If there is no answer, or no further chunk of it.
    async fn answer<H: Host>(self, context: &AnswerContext<'_, Self, H>) -> Result<(), Failure>;
}

/// Defines the chunks and the answer of a [`Question`] as lists of one type of item, and appends chunk to chunk.
macro_rules! list_answer {
    ($item:ty) => {
        type Chunk = Vec<$item>;
        type Answer = Vec<$item>;

        fn fold(so_far: Option<Self::Answer>, piece: Self::Chunk) -> Self::Answer {
            let mut items = so_far.unwrap_or_default();
            items.extend(piece);
            items
        }
    };
}
pub(super) use list_answer;

/// Context in which a question is answered: the session, the files that came with the question, and the receiver of the
/// answer.
pub struct AnswerContext<'a, Q, H: Host> {
    /// The session with all open models.
    pub session: &'a Session<H>,
    files: RefCell<Vec<(String, H::Source)>>,
    reply: &'a dyn ResponseSink,
    question: std::marker::PhantomData<Q>,
}

impl<Q, H: Host> fmt::Debug for AnswerContext<'_, Q, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AnswerContext").finish_non_exhaustive()
    }
}

impl<'a, Q: Question, H: Host> AnswerContext<'a, Q, H> {
    pub(super) fn new(
        session: &'a Session<H>,
        files: Vec<(String, H::Source)>,
        reply: &'a dyn ResponseSink,
    ) -> Self {
        Self {
            session,
            files: RefCell::new(files),
            reply,
            question: std::marker::PhantomData,
        }
    }

    /// Sends a chunk of the answer.
    pub fn send(&self, piece: &Q::Chunk) {
        // Encoding our own types into memory does not fail.
        let bytes = postcard::to_allocvec(piece).unwrap_or_default();
        self.reply.send(AnswerEvent::Chunk(bytes));
    }

    /// Sends bytes of a file.
    pub fn send_bytes(&self, bytes: Vec<u8>) {
        self.reply.send(AnswerEvent::Bytes(bytes));
    }

    /// Takes the files that came with the question, each with its path or name.
    pub fn take_files(&self) -> Vec<(String, H::Source)> {
        self.files.take()
    }

    /// Runs a job in this worker and reports its duration.
    pub async fn compute<J: Job>(&self, job: J) -> J::Output {
        let start = self.now();
        let output = job.run(self).await;
        self.report(Device::Cpu, start, None);
        output
    }

    /// Runs a job in any free worker, as part of a computation that reports its total duration.
    pub(super) async fn run<J: PortableJob>(&self, job: J) -> Result<J::Output, Failure> {
        let session = self.session;
        Ok(session.host.run(job, self).await?)
    }

    /// Runs many jobs concurrently, as many as the workers allow, and reports the total duration. Yields outputs in the
    /// order of the jobs. Takes no more jobs from the stream than run at once.
    pub fn spread<'s, J: PortableJob>(
        &'s self,
        jobs: impl Stream<Item = Result<J, Failure>> + 's,
    ) -> Pin<Box<dyn Stream<Item = Result<J::Output, Failure>> + 's>> {
        let start = self.now();
        let end = stream::poll_fn(move |_| {
            self.report(Device::Cpu, start, None);
            Poll::Ready(None)
        });
        self.spread_in_part(jobs).chain(end).boxed_local()
    }

    /// Same as [`Self::spread`], as part of a computation that reports its total duration.
    pub(super) fn spread_in_part<'s, J: PortableJob>(
        &'s self,
        jobs: impl Stream<Item = Result<J, Failure>> + 's,
    ) -> Pin<Box<dyn Stream<Item = Result<J::Output, Failure>> + 's>> {
        let run = move |job: Result<J, Failure>| async move { self.run(job?).await };
        let width = self.session.host.width(J::MOST_BEFORE);
        jobs.map(run).buffered(width).boxed_local()
    }

    /// Runs many jobs as [`Self::spread`] does, and sends each output as a chunk.
    ///
    /// # Errors
    /// If a job cannot be made or fails; no chunk follows.
    pub(super) async fn send_each<J: PortableJob<Output = Q::Chunk>>(
        &self,
        jobs: impl Stream<Item = Result<J, Failure>>,
    ) -> Result<(), Failure> {
        let mut outputs = self.spread(jobs);
        while let Some(output) = outputs.try_next().await? {
            self.send(&output);
        }
        Ok(())
    }

    /// Current time in milliseconds, see [`ResponseSink::now`].
    pub(super) fn now(&self) -> f64 {
        self.reply.now()
    }

    /// Reports a computation.
    pub(super) fn say_computed(&self, computed: ComputeReport) {
        self.reply
            .send(AnswerEvent::News(Notification::Computed(computed)));
    }
}

impl<Q: Question, H: Host> Progress for AnswerContext<'_, Q, H> {
    fn progress(&self, read: u64, size: u64) {
        // Parts may be read twice, so the count is limited to the size.
        let read = read.min(size);
        self.reply.send(AnswerEvent::News(Notification::Progress {
            bytes_read: read,
            size,
        }));
    }

    fn note(&self, note: Note) {
        self.reply.send(AnswerEvent::News(Notification::Note(note)));
    }

    async fn pause(&self) {
        self.reply.pause().await;
    }
}
