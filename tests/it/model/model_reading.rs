//! Reading a checkpoint: which bytes, how much at once, and cancellation.

use std::{
    ops::Range,
    pin::pin,
    task::{Context, Poll, Waker},
};

use diagonal::{
    checkpoint::{ByteSource, Checkpoint, SourceError},
    model::{Config, ModelError, ModelOptions, PositionModel},
};
use pollster::block_on;
use serde_json::Value;

use crate::{
    checkpoint::checkpoints::{Sparse, file},
    support::models::{TABLE, WORDS, bytes, config, note, plainly},
};

#[test]
fn only_what_is_needed_is_read_and_only_once() {
    const FIRST: u64 = 64 << 10;
    let (checkpoint, model) = plainly(bytes("bert"), Some(&config("bert")));
    let table = checkpoint.tensor(TABLE).expect("listed");
    assert!(table.end < FIRST);
    assert_eq!(
        checkpoint.bytes_read(),
        FIRST,
        "the table lies within the first read"
    );

    let mut progress = Vec::new();
    block_on(model.read_inputs(&checkpoint, |done, total| progress.push((done, total))))
        .expect("inputs");
    let total = 200 * 64 * 4;
    assert_eq!(
        (progress.first(), progress.last()),
        (Some(&(0, total)), Some(&(total, total)))
    );
    assert!(progress.is_sorted() && progress.iter().all(|(_, of)| *of == total));
    let words = checkpoint.tensor(WORDS).expect("listed");
    assert!(words.begin < FIRST && FIRST < words.end);
    assert_eq!(
        checkpoint.bytes_read(),
        words.end,
        "of the words only what was not there yet"
    );
    let mean = |column: usize| {
        let numbers = block_on(checkpoint.read(words)).expect("read");
        numbers
            .chunks_exact(64)
            .map(|row| f64::from(row[column]))
            .sum::<f64>()
            / 200.0
    };
    let inputs = block_on(model.read_inputs(&checkpoint, |_, _| ())).expect("inputs");
    assert!(
        (0..64).all(|column| (f64::from(inputs.mean_word[column]) - mean(column)).abs() < 1e-9)
    );

    let before = checkpoint.bytes_read();
    block_on(model.read_layer(&checkpoint, 1)).expect("layer");
    assert_eq!(checkpoint.bytes_read() - before, 2 * (64 * 64 + 64) * 4);
}

/// A file with BERT's header, `rows` positions of width `width` and `words` words.
pub(crate) fn large(rows: u64, width: u64, words: u64) -> Sparse {
    let mut begin = 0;
    let mut entries = Vec::new();
    let mut add = |name: String, shape: Vec<u64>| {
        let end = begin + shape.iter().product::<u64>() * 4;
        let entry =
            serde_json::json!({"dtype": "F32", "shape": shape, "data_offsets": [begin, end]});
        entries.push((name, entry));
        begin = end;
    };
    add(TABLE.to_owned(), vec![rows, width]);
    add(WORDS.to_owned(), vec![words, width]);
    for part in ["query", "key"] {
        add(
            format!("encoder.layer.0.attention.self.{part}.weight"),
            vec![width, width],
        );
    }
    let mut header = Value::Object(entries.into_iter().collect()).to_string();
    header.extend(std::iter::repeat_n(
        ' ',
        header.len().next_multiple_of(8) - header.len(),
    ));
    let beginning = file(&header, &[]);
    let size = beginning.len() as u64 + begin;
    Sparse::new(beginning, size)
}

#[test]
fn a_word_table_of_a_hundred_megabytes_is_never_held() {
    let source = large(64, 768, 32_771);
    let checkpoint = block_on(Checkpoint::open(source.clone(), "large")).expect("a checkpoint");
    let model = block_on(PositionModel::open(
        &checkpoint,
        None,
        &ModelOptions::default(),
    ))
    .expect("a model");
    assert_eq!(model.heads.count, 12);
    let inputs = block_on(model.read_inputs(&checkpoint, |_, _| ())).expect("inputs");
    assert!(source.largest_read() <= 4 << 20);

    let words = checkpoint.tensor(WORDS).expect("listed");
    for column in [0_u64, 1, 767] {
        let number = |row: u64| f64::from(Sparse::number(words.begin + (row * 768 + column) * 4));
        let mean = (0..32_771).map(number).sum::<f64>() / 32_771.0;
        let found = f64::from(inputs.mean_word[column as usize]);
        assert!((found - mean).abs() < 1e-5, "{found} {mean}");
    }
}

#[test]
fn reading_stops_when_the_future_is_dropped() {
    /// Yields before every read, as a browser does.
    struct Yielding(Sparse);
    impl ByteSource for Yielding {
        fn size(&self) -> u64 {
            self.0.size()
        }
        async fn read(&self, range: Range<u64>) -> Result<Vec<u8>, SourceError> {
            let mut waited = false;
            std::future::poll_fn(|context| {
                if std::mem::replace(&mut waited, true) {
                    Poll::Ready(())
                } else {
                    context.waker().wake_by_ref();
                    Poll::Pending
                }
            })
            .await;
            self.0.read(range).await
        }
    }
    fn steps<T>(future: impl Future<Output = T>, steps: usize) -> Option<T> {
        let mut future = pin!(future);
        let mut context = Context::from_waker(Waker::noop());
        (0..steps).find_map(|_| match future.as_mut().poll(&mut context) {
            Poll::Ready(value) => Some(value),
            Poll::Pending => None,
        })
    }
    let source = large(64, 768, 100_000);
    let checkpoint = steps(Checkpoint::open(Yielding(source.clone()), "large"), 9)
        .expect("done")
        .expect("opened");
    let choice = ModelOptions::default();
    let model = steps(PositionModel::open(&checkpoint, None, &choice), 9)
        .expect("done")
        .expect("a model");
    let before = source.reads.borrow().len();
    assert!(
        steps(model.read_inputs(&checkpoint, |_, _| ()), 3).is_none(),
        "not done after three steps"
    );
    // Of 74 pieces of the word embeddings.
    let read = source.reads.borrow().len() - before;
    assert!((1..9).contains(&read), "what was begun and no more: {read}");
}

#[test]
fn of_long_tables_the_leading_rows_are_read() {
    let open = |rows, width, config: Option<&Config>| {
        let source = large(rows, width, 1);
        let checkpoint = block_on(Checkpoint::open(source, "long")).expect("a checkpoint");
        block_on(PositionModel::open(
            &checkpoint,
            config,
            &ModelOptions::default(),
        ))
    };
    let model = open(100_000, 8, None).expect("a model");
    assert_eq!(model.table().expect("a table").dim(), (16_384, 8));
    assert!(note(&model, "Leading positions").is_some_and(|text| text.contains("100000")));
    // Skipped rows do not count.
    let mut roberta = Config::default();
    roberta.model_type = Some("roberta".to_owned());
    let model = open(100_000, 8, Some(&roberta)).expect("a model");
    assert_eq!(
        (model.family, model.table().expect("a table").dim()),
        ("RoBERTa", (16_384, 8))
    );
    let model = open(16_386, 8, Some(&roberta)).expect("a model");
    assert_eq!(model.table().expect("a table").dim(), (16_384, 8));
    assert!(note(&model, "Leading positions").is_none());
    // 32 Mi cells.
    let model = open(70, 1 << 20, None).expect("a model");
    assert_eq!(model.table().expect("a table").nrows(), 32);
    assert!(matches!(
        open(4, 17 << 20, None),
        Err(ModelError::TooWide { .. })
    ));
}
