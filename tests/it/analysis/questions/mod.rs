//! Every question has an answer, and its metadata is correct.

mod fits;
mod head_waves;
mod heads;
mod images;
mod matrices;
mod positions;
mod rotary;
mod text;

use crate::support::questions::{FIRST, ask, ask_with_files, folder, forward_folder};
use diagonal::{
    analysis::{
        AnyQuestion, CloseModel, FailureKind, GroupFiles, Key, ListedQuestion, MemorySession,
        ModelVersion, OpenModel, Origin, ReadLesson, ReopenWithOptions, TokenizerFiles,
    },
    checkpoint::MemorySource,
    encoding::{Kernel, Kernels, Random, Sinusoidal},
    math::Window,
    model::ModelOptions,
};
use std::collections::BTreeSet;

fn kernels() -> Kernels {
    Kernels(vec![
        Kernel::new(2.0, 0.1, -1.0),
        Kernel::new(-1.0, 0.5, 3.0),
    ])
}

fn open_question(id: u32, origin: Origin) -> OpenModel {
    OpenModel {
        version: ModelVersion { id, revision: 1 },
        origin,
        choice: ModelOptions::default(),
    }
}

/// A lesson of one step.
const LESSON: &[u8] = b"---\ntitle: T\n---\n\n## Step\n\nText.\n";

/// A window of a map.
fn window() -> Window {
    Window {
        rows: 3..40,
        cols: 10..47,
    }
}

/// Questions answered so far.
#[derive(Default)]
struct Answered {
    session: Option<MemorySession>,
    names: BTreeSet<&'static str>,
    keys: Vec<Key>,
}

impl Answered {
    /// Asks a question about this model, and checks its metadata.
    fn ask<Q: ListedQuestion>(&mut self, question: Q, about: Option<ModelVersion>) -> Q::Answer {
        let session = self.session.as_ref().expect("a session");
        let files = match &question.clone().into() {
            AnyQuestion::GroupFiles(_) => folder("bert"),
            AnyQuestion::ReadLesson(_) => {
                vec![("a.md".to_owned(), MemorySource::from(LESSON.to_vec()))]
            }
            AnyQuestion::ReadSnapshot(_) => folder("bert"),
            AnyQuestion::OpenModel(question) if question.version.id == 4 => folder("attention-cnn"),
            AnyQuestion::OpenModel(question) if question.version.id == 5 => folder("gpt2"),
            AnyQuestion::OpenModel(question) if question.version.id == 6 => forward_folder("llama"),
            AnyQuestion::OpenModel(question) if question.version.id == 7 => {
                forward_folder("gpt-oss")
            }
            AnyQuestion::OpenModel(question) if question.origin == Origin::Files => folder("bert"),
            _ => Vec::new(),
        };
        let any: AnyQuestion = question.clone().into();
        assert_eq!((question.model(), any.model()), (about, about), "{any:?}");
        assert!(question.replaces(&question) && any.urgency() == Q::URGENCY);
        self.names.insert(any.name());
        let key = Key::new(&any);
        assert!(
            !self.keys.contains(&key),
            "two questions of one key: {any:?}"
        );
        self.keys.push(key);

        let answer = ask_with_files(session, question, files);
        answer.unwrap_or_else(|failure| panic!("{any:?}: {failure}"))
    }

    /// Opens models of every origin, the first of them from files, and asks about files.
    fn ask_to_open(&mut self) {
        assert_eq!(self.ask(GroupFiles, None).models.len(), 1);
        let lesson = self.ask(ReadLesson { address: None }, None);
        assert_eq!(lesson.steps.len(), 1);
        self.ask(open_question(1, Origin::Files), Some(FIRST));
        let second = ModelVersion { id: 2, revision: 1 };
        self.ask(
            open_question(2, Origin::Sinusoidal(Sinusoidal::default())),
            Some(second),
        );
        let third = ModelVersion { id: 3, revision: 1 };
        self.ask(
            open_question(3, Origin::Random(Random::default())),
            Some(third),
        );
    }

    /// Changes and closes models, and asks for what a server has.
    fn ask_to_close(&mut self) {
        let otherwise = ReopenWithOptions {
            version: ModelVersion { id: 1, revision: 2 },
            choice: ModelOptions {
                heads: Some(8),
                ..ModelOptions::default()
            },
        };
        self.ask(otherwise.clone(), Some(otherwise.version));
        self.ask(CloseModel { id: 3 }, None);
        // Only servers have an answer; `remote/session.rs` has some.
        let question = TokenizerFiles {
            model: "org/model".to_owned(),
        };
        let failure = ask(self.session.as_ref().expect("a session"), question.clone());
        assert_eq!(failure.expect_err("no network").kind, FailureKind::Network);
        self.names.insert(AnyQuestion::from(question).name());
    }
}

#[test]
fn every_question_is_answered() {
    let mut recorder = Answered {
        session: Some(MemorySession::default()),
        ..Answered::default()
    };
    recorder.ask_to_open();
    recorder.ask_about_positions();
    recorder.ask_about_heads();
    recorder.ask_about_fits();
    recorder.ask_about_head_waves();
    recorder.ask_about_matrices();
    recorder.ask_to_close();
    recorder.ask_about_images();
    recorder.ask_about_text();
    recorder.ask_about_rotary_models();

    // Jobs between workers are tested in `jobs.rs`.
    let all = AnyQuestion::NAMES.iter().copied();
    let unasked: Vec<_> = all
        .filter(|name| *name != "RunJob" && !recorder.names.contains(name))
        .collect();
    assert!(unasked.is_empty(), "ask these in this test: {unasked:?}");
}
