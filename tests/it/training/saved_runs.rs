//! Saved runs in the transformers library: `tests/data/make/saved_runs.py` opens the folders below with the class that
//! their configuration names, and computes logits.

use super::reports::session_after;
use crate::support::models::data;
use diagonal::training::{CONFIG_FILE, WEIGHTS_FILE};
use safetensors::{Dtype, SafeTensors};
use small_transformer::{PassBuffers, TokenBatch, Trainer};
use std::collections::{BTreeMap, HashMap};

/// Folders, and the recipes of their runs. The last one is causal.
const RUNS: [(&str, &str); 3] = [
    ("learned", "offset2.learned.n16d16l2h2r2b4.1.30"),
    ("sinusoidal", "chain.sinusoidal.n16d16l2h2r2b4.1.30"),
    ("causal", "repeat.learned.n16d16l2h2r2b4.1.30"),
];

/// Largest difference of logits, as a share of the largest logit. These passes compute in single precision, the library
/// in double precision.
const DIFFERENCE: f64 = 2e-6;

/// A file of a folder; empty if there is none.
fn read(folder: &str, file: &str) -> Vec<u8> {
    std::fs::read(data("training").join(folder).join(file)).unwrap_or_default()
}

/// A tensor's shape and numbers of N bytes each.
fn tensor<const N: usize>(file: &SafeTensors<'_>, name: &str) -> (Vec<usize>, Vec<[u8; N]>) {
    let tensor = file.tensor(name).expect(name);
    let (numbers, rest) = tensor.data().as_chunks::<N>();
    assert!(rest.is_empty(), "{name}");
    (tensor.shape().to_vec(), numbers.to_vec())
}

/// Shape and type of every tensor, and the metadata without the program's version.
type FileForm = (
    BTreeMap<String, (Dtype, Vec<usize>)>,
    HashMap<String, String>,
);

/// The form of a file; `None` if it is no safetensors file.
fn form(bytes: &[u8]) -> Option<FileForm> {
    let file = SafeTensors::deserialize(bytes).ok()?;
    let tensors = file.tensors().into_iter();
    let tensors = tensors.map(|(name, view)| (name, (view.dtype(), view.shape().to_vec())));
    let (_, header) = SafeTensors::read_metadata(bytes).ok()?;
    let mut metadata = header.metadata().clone()?;
    metadata.remove("source");
    Some((tensors.collect(), metadata))
}

#[test]
fn logits_are_those_of_the_transformers_library() {
    for (folder, link) in RUNS {
        let trainer = Trainer::new(&link.parse().expect(link), b"").expect(link);
        let model = trainer.model();
        let bytes = read(folder, WEIGHTS_FILE);
        let file = SafeTensors::deserialize(&bytes).expect(folder);
        let mut weights = vec![0.0; model.layout().len()];
        for entry in model.layout().entries() {
            let (shape, numbers) = tensor(&file, &entry.name);
            assert_eq!(shape, entry.shape, "{folder}: {}", entry.name);
            let places = entry.range.of_mut(&mut weights);
            assert_eq!(numbers.len(), places.len());
            for (place, number) in places.iter_mut().zip(numbers) {
                *place = f32::from_le_bytes(number);
            }
        }
        let golden = read(folder, "golden.safetensors");
        let golden = SafeTensors::deserialize(&golden).expect(folder);
        for number in 0..2 {
            let (shape, ids) = tensor(&golden, &format!("ids.{number}"));
            let ids: Vec<u32> = ids.into_iter().map(u32::from_le_bytes).collect();
            let (sequences, n) = (shape[0], shape[1]);
            let mut batch = TokenBatch::new(n);
            for sequence in ids.chunks_exact(n) {
                batch.push(sequence, &vec![TokenBatch::NO_TARGET; n]);
            }
            let mut buffers = PassBuffers::new(model.shape(), sequences, n);
            let logits = model.logits(&weights, &batch, &mut buffers);
            let (shape, expected) = tensor(&golden, &format!("logits.{number}"));
            assert_eq!(shape, [sequences, n, model.shape().symbols]);
            assert_eq!(logits.len(), expected.len());
            let expected: Vec<f64> = expected.into_iter().map(f64::from_le_bytes).collect();
            let largest = expected.iter().fold(0.0_f64, |most, v| most.max(v.abs()));
            assert!(largest > 0.1, "{folder}: {largest}");
            for (logit, expected) in logits.into_iter().zip(expected) {
                let difference = (f64::from(logit) - expected).abs() / largest;
                assert!(
                    difference < DIFFERENCE,
                    "{folder}, batch {number}: {logit} {expected}"
                );
            }
        }
    }
}

/// The form alone is compared, as processors may round numbers differently.
#[test]
fn runs_are_saved_in_the_form_that_the_library_opened() {
    for (folder, link) in RUNS {
        let session = session_after(link, 30);
        let (weights, config) = (session.weights_file(), session.description().config);
        let is_alike = form(&weights) == form(&read(folder, WEIGHTS_FILE))
            && config.as_bytes() == read(folder, CONFIG_FILE);
        if !is_alike {
            let new = std::env::temp_dir().join("saved-runs").join(folder);
            std::fs::create_dir_all(&new).expect("a folder");
            std::fs::write(new.join(WEIGHTS_FILE), weights).expect("a file");
            std::fs::write(new.join(CONFIG_FILE), config).expect("a file");
            panic!(
                "{folder}: files of another form than those stored; they are in {}. If this is meant, put them in \
                 tests/data/training and run tests/data/make/saved_runs.py.",
                new.display()
            );
        }
    }
}
