//! A session that opens models by name: requests, caching, and messages.

use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
    rc::Rc,
};

use super::{Fault, Script, Served, Server, faults, requests};
use crate::{
    checkpoint::{formats::data, hostile::assert_is_sentence},
    support::questions::{FIRST, ask},
};
use diagonal::{
    analysis::{
        Failure, FailureKind, HeadList, HeadSummary, Host, MemorySession, ModelVersion, OpenModel,
        OpenResult, Origin, Remedy, ScoreMode, Session, TokenizerFiles,
    },
    checkpoint::{FetchError, HUB, MemorySource, OpenRemote, Servers},
    lazy::{LazyPart, LoadError, LoadFailure},
    model::ModelOptions,
};

thread_local! {
    static SERVER: RefCell<Script> = RefCell::default();
}

/// Runs jobs in place, and reaches the server that was last started on this thread.
#[derive(Default)]
pub(crate) struct WithServer {
    /// How often the client for servers was opened.
    pub(crate) opened: Rc<Cell<usize>>,
    /// Whether the client cannot be loaded.
    pub(crate) is_offline: Rc<Cell<bool>>,
}

impl Host for WithServer {
    type Source = MemorySource;

    async fn servers(&self) -> Result<Box<dyn OpenRemote>, LoadError> {
        self.opened.set(self.opened.get() + 1);
        if self.is_offline.get() {
            let (part, why) = (LazyPart::Remote, LoadFailure::Lost);
            return Err(LoadError { part, why });
        }
        let script = SERVER.with_borrow(Script::clone);
        Ok(Box::new(Servers::new(script, HUB)))
    }
}

pub(crate) type RemoteSession = Session<WithServer>;

/// The address of the small BERT.
pub(crate) const BERT: &str = "https://example.org/bert/model.safetensors?download=true";

/// Starts a server with the small BERT, both at an address and on the Hub.
fn begin(change: impl FnOnce(&mut Server)) -> Rc<Server> {
    let file = |name: &str| {
        let beginning = data(&format!("bert/{name}"));
        let size = beginning.len() as u64;
        Served { beginning, size }
    };
    let on_the_hub = |name: &str| format!("{HUB}/org/bert/resolve/main/{name}");
    let mut server = Server {
        files: BTreeMap::from([
            (BERT.to_owned(), file("model.safetensors")),
            (on_the_hub("model.safetensors"), file("model.safetensors")),
            (on_the_hub("config.json"), file("config.json")),
        ]),
        ..Server::default()
    };
    change(&mut server);
    let server = Rc::new(server);
    SERVER.set(Script(Rc::clone(&server)));
    server
}

/// Starts that server; the returned closure counts its requests.
pub(crate) fn begin_server() -> impl Fn() -> usize {
    let server = begin(|_| {});
    move || requests(&server)
}

#[test]
fn the_tokenizer_beside_a_file_is_read_from_its_folder() {
    let tokenizer = Served {
        beginning: b"{}".to_vec(),
        size: 2,
    };
    let beside = "https://example.org/bert/tokenizer.json".to_owned();
    begin(|server| drop(server.files.insert(beside, tokenizer)));
    let files = |model: &str| {
        let model = model.to_owned();
        ask(&session(), TokenizerFiles { model })
    };
    assert_eq!(files(BERT).expect("files"), ["tokenizer.json"]);
    assert!(files("org/bert").expect("an answer").is_empty());
    assert_is_sentence(&files("no such name").expect_err("no address").sentence);
}

fn session() -> RemoteSession {
    Session::new(WithServer::default())
}

/// Opens a model by its name or address.
pub(crate) fn open_named<H: Host<Source = MemorySource>>(
    session: &Session<H>,
    opened: ModelVersion,
    named: &str,
    whole: bool,
) -> Result<OpenResult, Failure> {
    let question = OpenModel {
        version: opened,
        origin: Origin::Web {
            text: named.to_owned(),
            whole,
        },
        choice: ModelOptions::default(),
    };
    ask(session, question)
}

fn name(opening: OpenResult) -> String {
    match opening {
        OpenResult::Opened(summary) => summary.name,
        other => panic!("{other:?}"),
    }
}

fn heads(session: &RemoteSession, of: ModelVersion) -> Result<Vec<HeadSummary>, Failure> {
    let mode = ScoreMode::Paper;
    ask(
        session,
        HeadList {
            of,
            input: mode.into(),
        },
    )
}

#[test]
fn files_are_called_by_their_names_and_models_of_the_hub_by_theirs() {
    begin(|_| {});
    let session = session();
    let named = |named| open_named(&session, FIRST, named, false).map(name);
    assert_eq!(named(BERT), Ok("model.safetensors".to_owned()));
    assert_eq!(named(" org/bert "), Ok("org/bert".to_owned()));
    assert_eq!(heads(&session, FIRST).expect("heads").len(), 8);
}

#[test]
fn a_session_keeps_what_servers_have_sent() {
    let server = begin(|_| {});
    let session = session();
    let second = ModelVersion { id: 2, revision: 1 };
    let look = |opened| {
        open_named(&session, opened, "org/bert", false).expect("it opens");
        heads(&session, opened).expect("heads").len()
    };
    let all = look(FIRST);
    let (sent, count) = (server.sent.get(), requests(&server));
    assert!(count > 2, "{count} requests");
    assert_eq!(look(second), all);
    // One request for the configuration, and one to check that the file is the same.
    assert_eq!(requests(&server), count + 2);
    let config = data("bert/config.json").len() as u64;
    assert_eq!(server.sent.get(), sent + super::FIRST + config);
}

#[test]
fn a_person_is_asked_before_a_file_is_read_whole() {
    let server = begin(|server| server.no_ranges = true);
    let session = session();
    let result = open_named(&session, FIRST, BERT, false);
    let size = data("bert/model.safetensors").len() as u64;
    assert_eq!(result, Ok(OpenResult::AskWhole(Some(size))));
    assert_eq!(server.sent.get(), 0, "nothing of the body was read");
    open_named(&session, FIRST, BERT, true)
        .map(name)
        .expect("it opens");
}

#[test]
fn what_servers_and_addresses_do_wrong_is_said_in_a_sentence() {
    let unreachable = FetchError::Unreachable.to_string();
    let cases: [(&str, &[Fault], FailureKind, &str); 5] = [
        (
            "http://example.org/a",
            &[],
            FailureKind::RefusedFile,
            "https://",
        ),
        (
            "https://example.org/a",
            &[],
            FailureKind::RefusedFile,
            "status 404",
        ),
        (
            "org/none",
            &[],
            FailureKind::RefusedFile,
            "neither model.safetensors nor",
        ),
        (
            BERT,
            &[Fault::Status(503, None); 2],
            FailureKind::Network,
            "status 503",
        ),
        (
            BERT,
            &[Fault::Unreachable; 2],
            FailureKind::Network,
            &unreachable,
        ),
    ];
    for (named, wrong, kind, words) in cases {
        let server = begin(|_| {});
        faults(&server, wrong);
        let session = session();
        let failure = open_named(&session, FIRST, named, false).expect_err(named);
        assert_eq!(failure.kind, kind, "{named}");
        assert!(failure.sentence.contains(words), "{failure}");
        assert_is_sentence(&failure.sentence);
    }
    // A session without servers gives the same message.
    let failure = open_named(&MemorySession::default(), FIRST, BERT, false).expect_err("no server");
    assert_eq!(failure.sentence, unreachable);
}

#[test]
fn a_server_that_fails_while_a_model_is_open_may_be_asked_again() {
    let server = begin(|_| {});
    let session = session();
    open_named(&session, FIRST, BERT, false).expect("it opens");
    faults(&server, &[Fault::CutOff; 2]);
    let failure = heads(&session, FIRST).expect_err("the weights do not come");
    assert_eq!(failure.remedy(), Some(Remedy::TryAgain), "{failure:?}");
    assert_eq!(failure.sentence, FetchError::CutOff.to_string());
    heads(&session, FIRST).expect("heads");
}
