//! Jobs that run elsewhere: answers equal those computed in place, to the last bit, for any order of results and any
//! loss.

use crate::support::root;
use diagonal::{
    analysis::{
        AttentionMask, BackendChoice, FitOptions, HeadAttention, HeadConvolutions, HeadEntropies,
        HeadFits, HeadGrouping, HeadList, HeadOverview, HeadShifts, Host, LayerSections,
        LayerSpectra, ListedQuestion, MatrixPart, MemorySession, Origin, PortableJob,
        PositionDependence, PositionOverview, PositionTile, Progress, Question, RandomGroups,
        RandomProfiles, RunJob, ScoreInput, ScoreMode, Session, Similarity,
    },
    checkpoint::MemorySource,
    encoding::{Kernel, Kernels, Random},
    lazy::LoadError,
    math::{GroupCount, Window},
    model::ModelOptions,
};
use std::{cell::Cell, future::poll_fn, rc::Rc, task::Poll};

use crate::{
    checkpoint::hostile::assert_is_sentence,
    support::questions::{FIRST, ask, folder, head_of_first, hear, open, open_computed},
};

/// Serializes jobs. They return in another order; one of three is lost and runs here.
struct Elsewhere {
    width: usize,
    sent: Rc<Cell<usize>>,
}

impl Elsewhere {
    fn new(width: usize) -> Self {
        let sent = Rc::default();
        Self { width, sent }
    }
}

impl Host for Elsewhere {
    type Source = MemorySource;

    fn width(&self, _: usize) -> usize {
        self.width
    }

    async fn run<J: PortableJob>(
        &self,
        job: J,
        watch: &impl Progress,
    ) -> Result<J::Output, LoadError> {
        let number = self.sent.replace(self.sent.get() + 1);
        let bytes = job.encode();
        // Later jobs finish earlier.
        let mut rounds = self.width - number % self.width;
        poll_fn(|context| {
            rounds -= 1;
            if rounds == 0 {
                return Poll::Ready(());
            }
            context.waker().wake_by_ref();
            Poll::Pending
        })
        .await;
        if number % 3 == 2 {
            return job.run(watch).await;
        }
        let session = MemorySession::default();
        let output = hear(&session, RunJob { job: bytes }, Vec::new());
        assert_eq!(output.failure, None);
        Ok(postcard::from_bytes(&output.bytes).expect("what came out"))
    }
}

fn encoded<Q: Question>(answer: &[Q::Chunk]) -> Vec<u8> {
    postcard::to_allocvec(answer).expect("it encodes")
}

fn same_everywhere<Q: ListedQuestion>(model: &str, question: &Q) {
    same_of(&|| folder(model), model, question);
}

fn same_of<Q: ListedQuestion>(
    files: &dyn Fn() -> Vec<(String, MemorySource)>,
    model: &str,
    question: &Q,
) {
    let here = MemorySession::default();
    open(&here, files(), ModelOptions::default()).expect(model);
    same_as_in(&here, model, question, |session| {
        open(session, files(), ModelOptions::default()).expect(model);
    });
}

/// Compares with sessions in which `open` opens the model of `here`; returns the number of jobs sent.
fn same_as_in<Q: ListedQuestion>(
    here: &MemorySession,
    model: &str,
    question: &Q,
    open: impl Fn(&Session<Elsewhere>),
) -> usize {
    let expected = hear(here, question.clone(), Vec::new());
    assert_eq!(expected.failure, None, "{model}: {question:?}");
    let mut jobs = 0;
    for width in [1, 2, 7] {
        let elsewhere = Elsewhere::new(width);
        let sent = Rc::clone(&elsewhere.sent);
        let session = Session::new(elsewhere);
        open(&session);
        let found = hear(&session, question.clone(), Vec::new());
        assert_eq!(found.failure, None, "{model}: {question:?}");
        assert_eq!(
            found.computed.len(),
            1,
            "{model}: {question:?} says once what it took"
        );
        assert!(
            encoded::<Q>(&found.pieces) == encoded::<Q>(&expected.pieces),
            "{model}, {width} at once: {question:?}"
        );
        jobs = sent.get();
    }
    jobs
}

#[test]
fn answers_do_not_depend_on_where_they_are_computed() {
    let (of, mode) = (FIRST, ScoreMode::AsComputed);
    // Tables, biases by offset, windows of an image, kernels, a table on a grid.
    for model in ["bert", "gpt2", "t5", "swin", "tisa", "vit", "deberta"] {
        same_everywhere(
            model,
            &HeadList {
                of,
                input: mode.into(),
            },
        );
        same_everywhere(
            model,
            &LayerSections {
                of,
                input: mode.into(),
                layer: 0,
            },
        );
        same_everywhere(
            model,
            &HeadEntropies {
                of,
                input: mode.into(),
                cells: AttentionMask::Causal,
                layer: None,
            },
        );
        same_everywhere(
            model,
            &HeadConvolutions {
                of,
                input: mode.into(),
            },
        );
        let fits = HeadFits {
            of,
            input: mode.into(),
            layer: None,
            options: FitOptions::default(),
        };
        same_everywhere(model, &fits);
    }
    for model in ["bert", "gpt2"] {
        same_everywhere(
            model,
            &LayerSpectra {
                of,
                input: mode.into(),
            },
        );
        same_everywhere(
            model,
            &HeadShifts {
                of,
                input: mode.into(),
            },
        );
        let grouping = HeadGrouping {
            of,
            input: ScoreInput::Positions(ScoreMode::AsComputed),
            count: GroupCount::BySilhouette,
            seed: 7,
        };
        same_everywhere(model, &grouping);
        same_everywhere(model, &RandomGroups { grouping });
        let profiles = RandomProfiles {
            of,
            input: ScoreInput::Positions(ScoreMode::AsComputed),
            layer: 1,
        };
        same_everywhere(model, &profiles);
        let words = PositionDependence {
            of: head_of_first(mode, 1, 1),
            text: vec![7, 5, 9],
            cells: AttentionMask::Whole,
        };
        same_everywhere(model, &words);
    }
}

#[test]
fn heads_are_the_same_whether_their_layer_is_formed_yet_or_not() {
    for (model, mode) in [
        ("bert", ScoreMode::Paper),
        ("bert", ScoreMode::AsComputed),
        ("vit", ScoreMode::AsComputed),
    ] {
        let heads = |are_formed: bool| {
            let session = MemorySession::default();
            open(&session, folder(model), ModelOptions::default()).expect(model);
            if are_formed {
                // This computes whole layers, which are cached.
                ask(
                    &session,
                    HeadConvolutions {
                        of: FIRST,
                        input: mode.into(),
                    },
                )
                .expect("convolutions");
            }
            let of = head_of_first(mode, 1, 1);
            let head = ask(&session, HeadOverview { of }).expect("a head");
            let list = ask(
                &session,
                HeadList {
                    of: FIRST,
                    input: mode.into(),
                },
            )
            .expect("heads");
            (head, list)
        };
        assert_eq!(heads(true), heads(false), "{model}, {mode:?}");
    }
}

#[test]
fn large_tables_are_fitted_and_drawn_alike_in_pieces() {
    let (of, rows) = (FIRST, 1500);
    let origin = Origin::Random(Random {
        rows,
        width: 1000,
        seed: 7,
    });
    let here = MemorySession::default();
    open_computed(&here, origin.clone());
    let open = |session: &Session<Elsewhere>| {
        open_computed(session, origin.clone());
    };
    let similarity = Similarity::InnerProduct;
    let overview = PositionOverview { of, similarity };
    assert_eq!(
        same_as_in(&here, "random", &overview, open),
        11,
        "parts of a table"
    );
    for (cols, part, pieces) in [
        (0..rows, MatrixPart::Whole, 6),
        (3..rows, MatrixPart::Residual, 9),
    ] {
        let window = Some(Window {
            rows: 0..rows,
            cols,
        });
        let tile = PositionTile {
            of,
            similarity: Similarity::Cosine,
            part,
            window,
            limit: rows,
        };
        assert_eq!(same_as_in(&here, "random", &tile, open), pieces, "{part:?}");
    }
}

#[test]
fn a_job_that_did_not_arrive_whole_is_a_sentence() {
    let session = MemorySession::default();
    for job in [vec![], vec![255; 9], vec![0, 0, 200]] {
        let failure = ask(&session, RunJob { job }).expect_err("no job");
        assert_is_sentence(&failure.sentence);
    }
}

#[test]
fn attention_of_long_heads_is_the_same_in_strips() {
    let bytes =
        std::fs::read(root().join("www/presets/minilm-l6.safetensors")).expect("the preset");
    let files = || {
        vec![(
            "minilm-l6.safetensors".to_owned(),
            MemorySource::new(bytes.clone()),
        )]
    };
    let of = head_of_first(ScoreMode::AsComputed, 3, 5);
    let kernels = Kernels(vec![Kernel::new(2.0, 0.01, -3.0)]);
    for (n, cells, rows, cols, kernels) in [
        (
            512,
            AttentionMask::Whole,
            0..512,
            0..512,
            &Kernels::default(),
        ),
        (512, AttentionMask::Causal, 0..512, 0..512, &kernels),
        (900, AttentionMask::Whole, 0..900, 0..900, &kernels),
        (500, AttentionMask::Causal, 17..490, 3..499, &kernels),
    ] {
        let attention = HeadAttention {
            of,
            kernels: kernels.clone(),
            n,
            cells,
            window: Window { rows, cols },
            limit: 256,
            by: BackendChoice::Cpu,
        };
        same_of(&files, "minilm-l6", &attention);
    }
}
