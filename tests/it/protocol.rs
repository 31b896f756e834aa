//! The messages of the analysing worker.

use diagonal::{
    analysis::{AnyQuestion, CloseModel, Failure, Notification, RunJob},
    protocol::{AnalysisRequest, AnalysisResponse, AnalysisWorker},
};
use worker_protocol::{WorkerProgram, decode, encode};

#[test]
fn questions_keep_their_paths() {
    let questions: [AnyQuestion; 2] = [
        CloseModel { id: 3 }.into(),
        RunJob { job: vec![7; 100] }.into(),
    ];
    for question in questions {
        let request = AnalysisRequest {
            question,
            paths: vec!["model/config.json".to_owned(), "b".to_owned()],
        };
        assert_eq!(decode(&encode(&request)), Some(request));
    }
}

#[test]
fn the_job_of_a_helper_is_copied_as_it_is() {
    let question = RunJob {
        job: vec![255; 1000],
    }
    .into();
    let paths = Vec::new();
    let bytes = encode(&AnalysisRequest { question, paths });
    assert!(bytes.len() < 1010, "{}", bytes.len());
}

#[test]
fn an_answer_ends_once() {
    let ends = |response: &AnalysisResponse| {
        let sent: AnalysisResponse = decode(&encode(response)).expect("a response");
        assert_eq!(sent, *response);
        AnalysisWorker::is_last(&sent)
    };
    let (read, size) = (1, 2);
    assert!(!ends(&AnalysisResponse::Chunk));
    assert!(!ends(&AnalysisResponse::Bytes));
    assert!(!ends(&AnalysisResponse::News(Notification::Progress {
        bytes_read: read,
        size
    })));
    assert!(ends(&AnalysisResponse::News(Notification::Done)));
    let failure = Failure::ours("It failed.");
    assert!(ends(&AnalysisResponse::News(Notification::Failed(failure))));
}
