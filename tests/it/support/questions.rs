//! Helpers that ask a session as the page does: questions and chunks of answers are serialized.

use diagonal::{
    analysis::{
        AnswerEvent, AnyQuestion, ComputeReport, Failure, HeadId, Host, ListedQuestion,
        MatrixFormat, MatrixId, MemorySession, ModelSummary, ModelVersion, Notification, OpenModel,
        OpenResult, Origin, Question, ReopenWithOptions, ResponseSink, ScoreInput, ScoreMode,
        Session, WholeMatrix,
    },
    checkpoint::MemorySource,
    math::Window,
    model::{ModelOptions, Note},
};
use std::cell::RefCell;

use super::models::data;

/// Model version of the only model in most tests.
pub(crate) const FIRST: ModelVersion = ModelVersion { id: 1, revision: 1 };

/// A head of that model.
pub(crate) const fn head_of_first(mode: ScoreMode, layer: usize, head: usize) -> HeadId {
    HeadId {
        model: FIRST,
        input: ScoreInput::Positions(mode),
        layer,
        head,
    }
}

/// Collects the events of a session.
#[derive(Default)]
struct Kept(RefCell<Vec<AnswerEvent>>);

impl ResponseSink for Kept {
    fn send(&self, event: AnswerEvent) {
        self.0.borrow_mut().push(event);
    }
}

/// All events of a session in answer to a question.
#[derive(Debug)]
pub(crate) struct MutationEvent<Q: Question> {
    pub(crate) pieces: Vec<Q::Chunk>,
    pub(crate) bytes: Vec<u8>,
    pub(crate) notes: Vec<Note>,
    pub(crate) computed: Vec<ComputeReport>,
    pub(crate) progress: Vec<(u64, u64)>,
    pub(crate) failure: Option<Failure>,
}

impl<Q: Question> MutationEvent<Q> {
    /// The chunks combined into the answer.
    pub(crate) fn answer(self) -> Result<Q::Answer, Failure> {
        if let Some(failure) = self.failure {
            return Err(failure);
        }
        let pieces = self.pieces.into_iter();
        let answer = pieces.fold(None, |so_far, piece| Some(Q::fold(so_far, piece)));
        Ok(answer.expect("a piece of the answer"))
    }
}

/// Serializes and deserializes a value, as for the worker.
fn round_trip<T: serde::Serialize + serde::de::DeserializeOwned>(value: &T) -> T {
    let bytes = postcard::to_allocvec(value).expect("it encodes");
    postcard::from_bytes(&bytes).expect("it decodes")
}

/// Collects a session's events. Only the last one may end the answer.
pub(crate) fn collect_events<Q: Question>(events: Vec<AnswerEvent>) -> MutationEvent<Q> {
    let mut answer = MutationEvent {
        pieces: Vec::new(),
        bytes: Vec::new(),
        notes: Vec::new(),
        computed: Vec::new(),
        progress: Vec::new(),
        failure: None,
    };
    let mut ended = false;
    for event in events {
        assert!(!ended, "nothing follows the end");
        match event {
            AnswerEvent::Chunk(bytes) => {
                let piece: Q::Chunk = postcard::from_bytes(&bytes).expect("a piece decodes");
                let again = postcard::to_allocvec(&piece).expect("a piece encodes");
                assert!(again == bytes, "what is sent is what arrives");
                answer.pieces.push(piece);
            }
            AnswerEvent::Bytes(bytes) => answer.bytes.extend(bytes),
            AnswerEvent::News(news) => {
                assert_eq!(round_trip(&news), news);
                match news {
                    Notification::Progress {
                        bytes_read: read,
                        size,
                    } => {
                        assert!(read <= size, "no more of a file is read than there is");
                        answer.progress.push((read, size));
                    }
                    Notification::Note(note) => answer.notes.push(note),
                    Notification::Computed(computed) => answer.computed.push(computed),
                    Notification::Done => ended = true,
                    Notification::Failed(failure) => {
                        answer.failure = Some(failure);
                        ended = true;
                    }
                }
            }
        }
    }
    assert!(ended, "every answer ends");
    answer
}

/// Asks a session a question with files, and collects all its events.
pub(crate) fn hear<H: Host, Q: ListedQuestion>(
    session: &Session<H>,
    question: Q,
    files: Vec<(String, H::Source)>,
) -> MutationEvent<Q> {
    let question: AnyQuestion = question.into();
    let arrived = round_trip(&question);
    assert_eq!(arrived, question);
    let reply = Kept::default();
    pollster::block_on(session.answer(arrived, files, &reply));
    collect_events(reply.0.into_inner())
}

/// Answers a question with files.
pub(crate) fn ask_with_files<H: Host, Q: ListedQuestion>(
    session: &Session<H>,
    question: Q,
    files: Vec<(String, H::Source)>,
) -> Result<Q::Answer, Failure> {
    hear(session, question, files).answer()
}

/// Answers a question.
pub(crate) fn ask<H: Host, Q: ListedQuestion>(
    session: &Session<H>,
    question: Q,
) -> Result<Q::Answer, Failure> {
    ask_with_files(session, question, Vec::new())
}

/// The summary of an opened model, or the failure.
fn summary_of(opening: OpenResult) -> Result<ModelSummary, Failure> {
    match opening {
        OpenResult::Opened(summary) => Ok(*summary),
        OpenResult::Choose(_, sentence) => Err(Failure::not_there(sentence)),
        OpenResult::AskWhole(size) => panic!("{size:?} bytes of files that were handed over"),
    }
}

/// Opens a model from files, as [`FIRST`].
pub(crate) fn open<H: Host>(
    session: &Session<H>,
    files: Vec<(String, H::Source)>,
    choice: ModelOptions,
) -> Result<ModelSummary, Failure> {
    open_as(session, FIRST, files, choice)
}

/// Opens a model from files, with the given model version.
pub(crate) fn open_as<H: Host>(
    session: &Session<H>,
    opened_as: ModelVersion,
    files: Vec<(String, H::Source)>,
    choice: ModelOptions,
) -> Result<ModelSummary, Failure> {
    let question = OpenModel {
        version: opened_as,
        origin: Origin::Files,
        choice,
    };
    summary_of(ask_with_files(session, question, files)?)
}

/// Reopens an open file with other options.
pub(crate) fn open_otherwise(
    session: &MemorySession,
    opened_as: ModelVersion,
    choice: ModelOptions,
) -> Result<ModelSummary, Failure> {
    let question = ReopenWithOptions {
        version: opened_as,
        choice,
    };
    summary_of(ask(session, question)?)
}

/// A session in which a computed table is open as [`FIRST`].
pub(crate) fn with_computed(origin: Origin) -> MemorySession {
    let session = MemorySession::default();
    open_computed(&session, origin);
    session
}

/// Opens a computed table as [`FIRST`].
pub(crate) fn open_computed<H: Host>(session: &Session<H>, origin: Origin) {
    let question = OpenModel {
        version: FIRST,
        origin,
        choice: ModelOptions::default(),
    };
    let opening = ask(session, question).expect("a computed table");
    summary_of(opening).expect("it is open");
}

/// A session with the small BERT as [`FIRST`].
pub(crate) fn with_bert() -> MemorySession {
    let session = MemorySession::default();
    open_bert(&session);
    session
}

/// Opens the small BERT as [`FIRST`].
pub(crate) fn open_bert<H: Host<Source = MemorySource>>(session: &Session<H>) {
    open(session, folder("bert"), ModelOptions::default()).expect("the small BERT");
}

/// The files in a folder of test data, by their paths within `tests/data`.
pub(crate) fn folder(folder: &str) -> Vec<(String, MemorySource)> {
    let entries = std::fs::read_dir(data(folder)).expect(folder);
    let mut names: Vec<String> = entries
        .map(|entry| entry.expect("an entry").file_name())
        .map(|name| name.into_string().expect("a name"))
        .filter(|name| name != "golden.json")
        .collect();
    names.sort();
    let read = |name: String| {
        let bytes = std::fs::read(data(folder).join(&name)).expect("a file");
        (format!("{folder}/{name}"), MemorySource::new(bytes))
    };
    names.into_iter().map(read).collect()
}

/// The files of a checkpoint of `tests/data/forward`.
pub(crate) fn forward_folder(name: &str) -> Vec<(String, MemorySource)> {
    let files = folder(&format!("forward/{name}")).into_iter();
    files
        .filter(|(name, _)| !name.ends_with("golden.safetensors"))
        .collect()
}

/// Exports a matrix as a file.
pub(crate) fn save(
    session: &MemorySession,
    matrix: &MatrixId,
    format: MatrixFormat,
    window: Option<Window>,
) -> Vec<u8> {
    let question = WholeMatrix {
        of: matrix.clone(),
        format,
        window,
    };
    let events = hear(session, question, Vec::new());
    assert_eq!(events.failure, None, "{matrix:?}");
    assert_eq!(events.pieces.len(), 1, "the end of the file is said");
    events.bytes
}

/// Parses a CSV file: key positions in the header, and the numbers.
pub(crate) fn csv(bytes: Vec<u8>) -> (Vec<usize>, Vec<Vec<f32>>) {
    let text = String::from_utf8(bytes).expect("text");
    assert!(text.ends_with('\n'));
    let mut lines = text.lines();
    let header = lines.next().expect("a header").split(',');
    let header = header.map(|j| j.parse().expect("a key position")).collect();
    let row = |line: &str| {
        line.split(',')
            .map(|v| v.parse().expect("a number"))
            .collect()
    };
    (header, lines.map(row).collect())
}

/// Parses an NPY file of format 1.0 and type `<f4`: shape and numbers.
pub(crate) fn npy(bytes: &[u8]) -> ((usize, usize), Vec<f32>) {
    assert_eq!(&bytes[..8], b"\x93NUMPY\x01\x00");
    let length = usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    let (header, data) = bytes[10..].split_at(length);
    assert_eq!((10 + length) % 64, 0, "numbers begin at a multiple of 64");
    let header = std::str::from_utf8(header).expect("ascii");
    assert!(header.ends_with('\n') && header.contains("'descr': '<f4', 'fortran_order': False"));
    let shape = header.split(['(', ')']).nth(1).expect("a shape");
    let shape: Vec<usize> = shape.split(',').flat_map(|n| n.trim().parse()).collect();
    let numbers = data
        .chunks_exact(4)
        .map(|v| f32::from_le_bytes(v.try_into().expect("four bytes")));
    assert_eq!(data.len(), 4 * shape[0] * shape[1]);
    ((shape[0], shape[1]), numbers.collect())
}
