//! Kernels taken home as JSON, CSV and safetensors, and brought back: the same scores, or a sentence.

use std::{
    io::Write as _,
    path::PathBuf,
    process::{Command, Output},
};

use diagonal::{
    analysis::{
        HeadDetail, HeadOverview, ModelSummary, PositionKind, ScoreMode, Session,
        matrix_csv_header, matrix_csv_row,
    },
    checkpoint::MemorySource,
    encoding::{AuthorsLayer, HeadKernels, Kernel, KernelSet, Kernels, turned},
    exchange::{
        DEFAULT_PREFIX, KernelFile, MODULE, from_csv, from_json, to_csv, to_json, to_safetensors,
    },
    link::{default_kernels, for_sliders},
    math::Window,
    model::Choice,
};
use proptest::{collection::vec, option, prelude::*};
use safetensors::{Dtype, SafeTensors};
use serde_json::Value;

use crate::{
    asking::{self, ask, head_of_first},
    hostile::assert_is_sentence,
    laws::{config, kernels},
    models::{Tensors, data, f32s, write},
};

/// Sets of up to three layers of up to five heads, some without kernels.
fn sets() -> impl Strategy<Value = KernelSet> {
    let head = (kernels(), option::of(-1e3..1e3_f64));
    let heads = vec(option::of(head), 1..5);
    vec((0..1024_usize, heads), 1..4)
        .prop_map(|layers| {
            let mut set = KernelSet::default();
            for (layer, heads) in layers {
                set.layer(layer, heads.len());
                for (at, head) in heads.into_iter().enumerate() {
                    if let Some((kernels, intercept)) = head {
                        set.put(layer, at, HeadKernels { kernels, intercept });
                    }
                }
            }
            set.audible()
        })
        .prop_filter("there are kernels", |set| set.fitted() > 0)
}

/// Two numbers that one of the parsers may have rounded in the last place.
fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 4.0 * f64::EPSILON * a.abs().max(b.abs())
}

fn same_heads(a: &KernelSet, b: &KernelSet) {
    for (a, b) in [(a, b), (b, a)] {
        for layer in &a.layers {
            for (at, head) in layer.heads.iter().enumerate() {
                let other = b.get(layer.layer, at);
                assert_eq!(head.is_some(), other.is_some(), "{} {at}", layer.layer);
                let (Some(head), Some(other)) = (head, other) else {
                    continue;
                };
                assert_eq!(head.kernels.0.len(), other.kernels.0.len());
                for (x, y) in head.kernels.0.iter().zip(&other.kernels.0) {
                    assert!(
                        near(x.a, y.a) && near(x.b, y.b) && near(x.c, y.c),
                        "{x:?} {y:?}"
                    );
                }
                let intercepts = head.intercept.zip(other.intercept);
                assert_eq!(head.intercept.is_some(), intercepts.is_some());
                assert!(intercepts.is_none_or(|(x, y)| near(x, y)));
            }
        }
    }
}

proptest! {
    #![proptest_config(config(64))]

    #[test]
    fn json_brings_back_what_it_took(set in sets(), model in "[ -~]{0,12}") {
        let file = KernelFile { model, mode: "paper".to_owned(), set };
        let text = to_json(&file).expect("kernels");
        let back = from_json(&text).expect("the same");
        prop_assert_eq!((&back.model, &back.mode), (&file.model, &file.mode));
        same_heads(&back.set, &file.set);
        // Heads that nobody fitted are counted all the same.
        let heads = |set: &KernelSet| -> Vec<_> {
            set.layers.iter().map(|layer| (layer.layer, layer.heads.len())).collect()
        };
        prop_assert_eq!(heads(&back.set), heads(&file.set));
    }

    #[test]
    fn csv_brings_back_what_it_took(set in sets()) {
        let text = to_csv(&set).expect("kernels");
        same_heads(&from_csv(&text).expect("the same"), &set);
    }

    #[test]
    fn safetensors_hold_the_authors_parameters(set in sets(), n in 1..20_i64) {
        let prefix = "layers.{layer}.tisa.";
        let file = to_safetensors(&set.clone().into(), prefix).expect("kernels");
        // The library reads them, and what it reads gives F[i, j] = f(i − j − 1).
        let tensors = SafeTensors::deserialize(&file).expect("a file of the format");
        prop_assert_eq!(tensors.len(), 3 * set.layers.len());
        for layer in &set.layers {
            let [offsets, amplitudes, sharpness] =
                ["kernel_offsets", "kernel_amplitudes", "kernel_sharpness"].map(|name| {
                    let name = format!("layers.{}.tisa.{name}", layer.layer);
                    let tensor = tensors.tensor(&name).expect("a tensor");
                    assert_eq!(tensor.dtype(), Dtype::F64);
                    assert_eq!(tensor.shape(), [layer.most_kernels().max(1), set.most_heads()]);
                    let (chunks, _) = tensor.data().as_chunks();
                    chunks.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect::<Vec<_>>()
                });
            for head in 0..set.most_heads() {
                let none = HeadKernels::default();
                let kernels = &set.get(layer.layer, head).unwrap_or(&none).kernels;
                for (i, j) in [(0, 0), (0, n), (n, 0), (n, n + 1)] {
                    let rows = (0..offsets.len() / set.most_heads()).map(|s| s * set.most_heads() + head);
                    let authors: f64 = rows.map(|at| {
                        let r = (i - j - 1) as f64;
                        amplitudes[at] * (-sharpness[at].abs() * (offsets[at] - r).powi(2)).exp()
                    }).sum();
                    let here = kernels.at((j - i) as f64);
                    // Amplitudes are up to a thousand, and sharpnesses up to a hundred.
                    prop_assert!((authors - here).abs() < 1e-7, "{} and {}", authors, here);
                }
            }
        }
    }

    #[test]
    fn a_centre_that_is_turned_twice_is_where_it_was(centre in -4000.0..4000.0_f64) {
        prop_assert!((turned(turned(centre)) - centre).abs() <= 1e-12);
        let hundredth = (centre * 100.0).round() / 100.0;
        prop_assert_eq!(turned(turned(hundredth)), hundredth);
    }
}

#[test]
fn muted_kernels_stay() {
    let mut kernels = default_kernels();
    kernels.0[1].muted = true;
    let set = KernelSet::of_one(kernels.clone());
    let heard = Kernels(
        kernels
            .0
            .iter()
            .filter(|kernel| !kernel.muted)
            .copied()
            .collect(),
    );
    let json = from_json(&to_json(&set.clone().into()).expect("kernels")).expect("the same");
    assert_eq!(json.set, KernelSet::of_one(heard.clone()));
    assert_eq!(
        from_csv(&to_csv(&set).expect("kernels")).expect("the same"),
        json.set
    );
    let layer = AuthorsLayer::new(&set.layers[0], 1);
    assert_eq!(layer.head(0), heard, "and are 0 where they have a place");
}

#[test]
fn tables_of_kernels_are_read_as_people_write_them() {
    let expected = KernelSet::of_one(Kernels(vec![
        Kernel::new(2.5, 0.25, -1.0),
        Kernel::new(-1.0, 1e-5, 3.5),
    ]));
    for text in [
        "layer,head,kernel,a,b,c\n1,1,1,2.5,0.25,-1\n1,1,2,-1,1e-5,3.5\n",
        "c,b,a\r\n-1,.25,2.5\r\n3.5,1e-05,-1.0\r\n"
            .replace(",.25", ",0.25")
            .as_str(),
        "\u{feff}A;B;C;comment\n+2.5;0.25;-1;\"a; quoted \"\"one\"\"\nof two lines\"\n\n-1;1E-5;3.5;",
        "a\tb\tc\thead\tlayer\n2.5\t0.25\t-1\t1\t1\n-1\t0.00001\t3.5\t1\t1",
        "layer,head,kernels,r2,intercept,a1,b1,c1,a2,b2,c2,a3,b3,c3\n1,1,2,0.9,,2.5,0.25,-1,-1,1e-5,3.5,,,\n",
    ] {
        assert_eq!(from_csv(text).as_ref(), Ok(&expected), "{text}");
    }
}

/// Opens a file as the page does; what is said if it does not open.
fn open(name: &str, bytes: &[u8]) -> Result<(Session<MemorySource>, ModelSummary), String> {
    let session = Session::default();
    let files = vec![(name.to_owned(), MemorySource::new(bytes))];
    match asking::open(&session, files, Choice::default()) {
        Ok(summary) => Ok((session, summary)),
        Err(failure) => Err(failure.sentence),
    }
}

fn head(session: &Session<MemorySource>, layer: usize, head: usize) -> HeadDetail {
    let of = head_of_first(ScoreMode::AsComputed, layer, head);
    ask(session, HeadOverview { of }).expect("a head")
}

/// Three kernels whose centres single precision would round, two heads apart, in two layers.
fn some() -> KernelSet {
    let mut set = KernelSet::default();
    let far = Kernels(vec![
        Kernel::new(512.25, 0.001, -37.81),
        Kernel::new(-511.5, 0.001, -37.79),
    ]);
    for (layer, head, kernels) in [(0, 0, default_kernels()), (11, 2, far)] {
        let intercept = Some(0.5);
        set.put(layer, head, HeadKernels { kernels, intercept });
    }
    set
}

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

/// A layer's kernels of these shapes, each cell of a tensor as told.
fn layer(shapes: [&[usize]; 3], cell: fn(usize) -> f32) -> Vec<u8> {
    let names = ["kernel_offsets", "kernel_amplitudes", "kernel_sharpness"];
    let tensors = names.iter().zip(shapes);
    let tensors: Tensors = tensors
        .map(|(name, shape)| (format!("layer.0.{name}"), f32s(shape, cell)))
        .collect();
    write(&tensors)
}

#[test]
fn what_is_no_kernels_gets_a_sentence() {
    const ONE: fn(usize) -> f32 = |_| 1.0;
    let mut short = layer([&[2, 3]; 3], ONE);
    short.truncate(short.len() - 4);
    let without: Tensors = ["kernel_offsets", "kernel_amplitudes"]
        .map(|name| (name.to_owned(), f32s(&[2, 3], ONE)))
        .into();
    let mut uneven = Tensors::new();
    for (at, heads) in [4, 5].into_iter().enumerate() {
        for name in ["kernel_offsets", "kernel_amplitudes", "kernel_sharpness"] {
            uneven.insert(format!("layer.{at}.{name}"), f32s(&[2, heads], ONE));
        }
    }
    let mut many = Tensors::new();
    for at in 0..17 {
        for name in ["kernel_offsets", "kernel_amplitudes", "kernel_sharpness"] {
            many.insert(format!("layer.{at}.{name}"), f32s(&[1, 1024], ONE));
        }
    }
    let json = |layers: &str| {
        format!("{{\"format\": \"diagonal-kernels\", \"version\": 1, \"layers\": {layers}}}")
            .into_bytes()
    };
    let heads = |count: usize| {
        let head = |head| format!("{{\"head\": {head}, \"kernels\": []}}");
        let heads: Vec<_> = (1..=count).map(head).collect();
        json(&format!(
            "[{{\"layer\": 1, \"heads\": [{}]}}]",
            heads.join(",")
        ))
    };
    let cases: Vec<(&str, Vec<u8>, &str)> = vec![
        (
            "a.safetensors",
            layer([&[2, 3], &[3, 2], &[2, 3]], ONE),
            "2 × 3",
        ),
        ("a.safetensors", layer([&[6]; 3], ONE), "S × H"),
        ("a.safetensors", layer([&[1, 2, 3]; 3], ONE), "S × H"),
        ("a.safetensors", layer([&[0, 3]; 3], ONE), "S × H"),
        ("a.safetensors", layer([&[2, 0]; 3], ONE), "S × H"),
        ("a.safetensors", layer([&[65, 3]; 3], ONE), "up to 64"),
        ("a.safetensors", layer([&[2, 1025]; 3], ONE), "up to 1024"),
        (
            "a.safetensors",
            layer([&[2, 3]; 3], |_| f32::NAN),
            "kernel_offsets",
        ),
        (
            "a.safetensors",
            layer([&[2, 3]; 3], |at| if at == 5 { f32::INFINITY } else { 1.0 }),
            "row 1, column 2",
        ),
        ("a.safetensors", short, "byte"),
        ("a.safetensors", write(&without), "kernel_sharpness"),
        ("a.safetensors", write(&uneven), "2 × 4"),
        ("a.safetensors", write(&many), "16384"),
        (
            "a.json",
            b"{\"format\": \"diagonal-kernels\", \"version\": 2}".to_vec(),
            "version 2",
        ),
        (
            "a.json",
            b"{\"format\": \"diagonal-kernels\"".to_vec(),
            "JSON",
        ),
        ("a.json", b"[\"diagonal-kernels\"]".to_vec(), "format"),
        ("a.json", json("[]"), "no kernels"),
        ("a.json", json("7"), "list of layers"),
        ("a.json", json("[{\"layer\": 0, \"heads\": []}]"), "from 1"),
        (
            "a.json",
            json("[{\"layer\": 1, \"heads\": [{\"head\": 0, \"kernels\": []}]}]"),
            "from 1",
        ),
        (
            "a.json",
            json("[{\"layer\": 1, \"heads\": [{\"head\": 99999999, \"kernels\": []}]}]"),
            "1024",
        ),
        (
            "a.json",
            json("[{\"layer\": 1, \"head_count\": 4000000000, \"heads\": []}]"),
            "1024",
        ),
        (
            "a.json",
            json(
                "[{\"layer\": 1, \"heads\": [{\"head\": 1, \"kernels\": [{\"a\": 1, \"b\": null, \"c\": 0}]}]}]",
            ),
            "kernel 1",
        ),
        (
            "a.json",
            json(
                "[{\"layer\": 1, \"heads\": [{\"head\": 1, \"kernels\": [{\"a\": 1e999, \"b\": 1, \"c\": 0}]}]}]",
            ),
            "JSON",
        ),
        (
            "a.json",
            json(
                "[{\"layer\": 2, \"heads\": [{\"head\": 3, \"kernels\": []}, {\"head\": 3, \"kernels\": []}]}]",
            ),
            "layer 2, head 3 is there twice",
        ),
        ("a.json", heads(1025), "1024"),
        ("a.json", [json("["), vec![b'['; 500]].concat(), "JSON"),
        (
            "a.csv",
            b"layer,head,r2\n1,1,0.5\n".to_vec(),
            "column a, b or c",
        ),
        (
            "a.csv",
            b"layer,head,a,b,c\n1,1,1,2,x\n".to_vec(),
            "row 2 has no number under c",
        ),
        (
            "a.csv",
            b"layer,head,a,b,c\n1,1,1,2,inf\n".to_vec(),
            "row 2 has no number under c",
        ),
        ("a.csv", b"layer,head,a,b,c\n1,1,1,2\n".to_vec(), "under c"),
        (
            "a.csv",
            b"layer,head,a,b,c\n1.5,1,1,2,3\n".to_vec(),
            "whole number",
        ),
        (
            "a.csv",
            b"layer,head,a,b,c\n1,0,1,2,3\n".to_vec(),
            "whole number",
        ),
        (
            "a.csv",
            b"layer,head,a,b,c\n1,5000,1,2,3\n".to_vec(),
            "1024",
        ),
        ("a.csv", b"layer,head,a,b,c\n".to_vec(), "no kernels"),
        ("a.csv", b"a,b,c\n1,2,3\n1,2,\xff\n".to_vec(), "UTF-8"),
        (
            "a.csv",
            format!("a,b,c\n{}", "1,2,3\n".repeat(65)).into_bytes(),
            "64",
        ),
        (
            "a.csv",
            format!(
                "layer,head,a,b,c\n{}",
                (1..=17)
                    .map(|l| format!("{l},1024,1,2,3\n"))
                    .collect::<String>()
            )
            .into_bytes(),
            "16384",
        ),
    ];
    for (name, bytes, word) in cases {
        let said = match open(name, &bytes) {
            Ok((_, summary)) => panic!("{word}: {summary:?}"),
            Err(said) => said,
        };
        assert_is_sentence(&said);
        assert!(said.contains(word), "{said} should say {word}");
    }
}

#[test]
fn hundreds_of_heads_are_shown() {
    let (session, summary) = open(
        "many.safetensors",
        &layer([&[3, 600]; 3], |at| (at as f32).sin()),
    )
    .expect("kernels");
    assert_eq!(summary.heads.map(|(heads, _)| heads), Some(600));
    assert_eq!(
        head(&session, 0, 599)
            .kernels
            .map(|kernels| kernels.0.len()),
        Some(3)
    );
}

#[test]
fn sliders_take_what_they_can_hold() {
    let kernels = |a, b, c, count| Kernels(vec![Kernel::new(a, b, c); count]);
    assert_eq!(
        for_sliders(&kernels(1.0, -0.5, 2.0, 8)),
        Ok(kernels(1.0, 0.5, 2.0, 8))
    );
    for (refused, word) in [
        (kernels(1.0, 0.5, 2.0, 9), "up to 8"),
        (kernels(1_000_001.0, 0.5, 2.0, 1), "amplitude"),
        (kernels(1.0, -101.0, 2.0, 1), "sharpness"),
        (kernels(1.0, 0.5, 70_000.0, 1), "centre"),
    ] {
        let said = for_sliders(&refused).expect_err(word);
        assert_is_sentence(&said);
        assert!(said.contains(word), "{said}");
    }
}

#[test]
fn layers_that_would_share_a_name_are_not_saved() {
    let said = to_safetensors(&some().into(), "attention.").expect_err("two layers");
    assert!(said.contains("{layer}"), "{said}");
    assert!(
        to_safetensors(&KernelSet::of_one(default_kernels()).into(), "").is_ok(),
        "one needs no number"
    );
    let mut broken = some();
    broken.put(
        0,
        1,
        HeadKernels {
            kernels: Kernels(vec![Kernel::new(f64::NAN, 1.0, 0.0)]),
            intercept: None,
        },
    );
    for refused in [
        to_json(&broken.clone().into()).err(),
        to_csv(&broken).err(),
        to_safetensors(&broken.into(), DEFAULT_PREFIX).err(),
    ] {
        assert_eq!(
            refused.as_deref(),
            Some("layer 1, head 2, kernel 1 holds no number")
        );
    }
}

/// A Python with NumPy: the one that `cargo xtask test` found or installed, or one at hand.
fn python() -> Option<PathBuf> {
    let named = std::env::var_os("DIAGONAL_PYTHON").map(PathBuf::from);
    let usual = ["python3", "/usr/bin/python3", "python"].map(PathBuf::from);
    named.into_iter().chain(usual).find(|python| {
        let output = Command::new(python).args(["-c", "import numpy"]).output();
        output.is_ok_and(|output| output.status.success())
    })
}

#[test]
fn the_module_that_goes_with_the_file_computes_the_same_scores() {
    let Some(python) = python() else {
        let message = "the module's formula: there is no Python with NumPy";
        assert!(std::env::var_os("CI").is_none(), "{message}");
        // Past the harness, which keeps what passing tests print; whoever counts skipped tests reads this.
        let _ = writeln!(std::io::stdout(), "\nskipped: {message}");
        return;
    };
    let folder = std::env::temp_dir().join(format!("diagonal-take-home-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let at = |name: &str| folder.join(name);
    let set = some();
    let file = to_safetensors(&set.clone().into(), DEFAULT_PREFIX).expect("kernels");
    std::fs::write(at("kernels.safetensors"), file).expect("written");
    std::fs::write(at("tisa_kernels.py"), MODULE).expect("written");
    for (layer, n) in [(0, 33), (11, 64)] {
        let mut scores = Vec::new();
        for head in 0..set.most_heads() {
            let none = HeadKernels::default();
            let f = set.get(layer, head).unwrap_or(&none).kernels.scores(n);
            let mut text = matrix_csv_header(&Window::whole(n, n));
            for i in 0..n {
                let row: Vec<f32> = f.profile()[n - 1 - i..][..n]
                    .iter()
                    .map(|f| *f as f32)
                    .collect();
                text += &matrix_csv_row(&row);
            }
            let path = at(&format!("scores-{head}.csv"));
            std::fs::write(&path, text).expect("written");
            scores.push(path);
        }
        let Output {
            status,
            stdout,
            stderr,
        } = Command::new(&python)
            .arg(concat!(
                env!("CARGO_MANIFEST_DIR"),
                "/tests/it/take_home.py"
            ))
            .args([at("tisa_kernels.py"), at("kernels.safetensors")])
            .arg(DEFAULT_PREFIX.replace("{layer}", &layer.to_string()))
            .args(scores)
            .output()
            .expect("Python runs");
        let [said, wrong] =
            [stdout, stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        assert!(
            status.success() && said.contains("numpy: off by"),
            "{said}{wrong}"
        );
        print!("layer {layer}: {said}");
    }
    let _ = std::fs::remove_dir_all(&folder);
}
