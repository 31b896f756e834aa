//! Opened files of kernels have the scores of the kernels, and those of the authors’ module.

use diagonal::{
    analysis::PositionKind,
    encoding::Kernels,
    kernel_io::{DEFAULT_PREFIX, to_csv, to_json, to_safetensors},
};
use serde_json::Value;

use super::{head, open, some};
use crate::{checkpoint::hostile::assert_is_sentence, support::models::data};

#[test]
fn what_was_taken_home_opens_with_the_same_scores() {
    let set = some();
    for (name, bytes) in [
        (
            "kernels.json",
            to_json(&set.clone().into()).expect("kernels").into_bytes(),
        ),
        ("kernels.csv", to_csv(&set).expect("kernels").into_bytes()),
        (
            "kernels.safetensors",
            to_safetensors(&set.clone().into(), DEFAULT_PREFIX).expect("kernels"),
        ),
    ] {
        let (session, summary) = open(name, &bytes).expect(name);
        assert_eq!(
            (summary.family.as_str(), summary.kind),
            ("TISA", PositionKind::Line)
        );
        assert_eq!(
            (summary.layers, summary.heads.map(|(heads, _)| heads)),
            (2, Some(3)),
            "{name}"
        );
        for note in &summary.notes {
            assert_is_sentence(&note.text.replace(" …", "."));
        }
        // Layer 12 is the second of the file.
        for (at, layer, number) in [(0, 0, 0), (1, 11, 2)] {
            let detail = head(&session, at, number);
            let kernels = &set.get(layer, number).expect("kernels").kernels;
            assert_eq!(detail.kernels.as_ref(), Some(kernels), "{name}");
            let n = summary.rows as i64;
            for (k, f) in (1 - n..n).zip(&detail.fit.f) {
                assert!((f - kernels.at(k as f64)).abs() < 1e-9, "{name}, {k}");
            }
        }
        let nothing = head(&session, 0, 1);
        assert_eq!(nothing.kernels, Some(Kernels::default()));
        assert!(nothing.fit.f.iter().all(|f| *f == 0.0));
    }
}

#[test]
fn files_of_the_authors_module_have_the_scores_it_computes() {
    for (folder, file, layers, heads) in [
        ("tisa", "model.safetensors", 11, 4),
        ("tisa-torch", "tisa.pt", 1, 12),
    ] {
        let golden = std::fs::read_to_string(data(folder).join("golden.json")).expect(folder);
        let golden: Value = serde_json::from_str(&golden).expect("golden numbers");
        let golden = &golden["relative_heads"]["positions"];
        let bytes = std::fs::read(data(folder).join(file)).expect(file);
        let (session, summary) = open(file, &bytes).expect(file);
        assert_eq!(
            (summary.layers, summary.heads.map(|(heads, _)| heads)),
            (layers, Some(heads))
        );
        let offsets = golden["offsets"].as_array().expect("offsets");
        let mut compared = 0;
        for layer in 0..layers {
            let Some(of_heads) = golden[format!("layer{layer}")].as_array() else {
                continue;
            };
            for (at, expected) in of_heads.iter().enumerate() {
                let detail = head(&session, layer, at);
                let kernels = detail.kernels.expect("kernels");
                for (k, expected) in offsets.iter().zip(expected.as_array().expect("scores")) {
                    let (k, expected) = (k.as_i64().expect("k"), expected.as_f64().expect("f"));
                    let f = detail.fit.f[(k + summary.rows as i64 - 1) as usize];
                    assert!(
                        (f - expected).abs() < 1e-6,
                        "{folder}, {layer}, {at}, {k}: {f} {expected}"
                    );
                    assert!((kernels.at(k as f64) - expected).abs() < 1e-6);
                    compared += 1;
                }
            }
        }
        assert!(compared >= 47 * 12, "{folder}: {compared}");
    }
}
