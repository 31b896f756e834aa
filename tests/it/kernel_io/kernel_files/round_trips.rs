//! Exported kernels read back unchanged; handwritten tables are accepted.

use diagonal::{
    encoding::{AuthorsLayer, HeadKernels, Kernel, KernelSet, Kernels, convert_centre},
    kernel_io::{KernelFile, from_csv, from_json, to_csv, to_json, to_safetensors},
    url_state::default_kernels,
};
use proptest::{collection::vec, option, prelude::*};
use safetensors::{Dtype, SafeTensors};

use crate::math::laws::{config, kernels};

/// Sets of up to three layers of up to four heads, some without kernels.
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
        .prop_filter("there are kernels", |set| set.heads_with_kernels() > 0)
}

/// Equality up to rounding in the last place by one of the parsers.
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
        // Heads without a fit count, too.
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
        // The `safetensors` crate reads them, and they give F[i, j] = f(i − j − 1).
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
        prop_assert!((convert_centre(convert_centre(centre)) - centre).abs() <= 1e-12);
        let hundredth = (centre * 100.0).round() / 100.0;
        prop_assert_eq!(convert_centre(convert_centre(hundredth)), hundredth);
    }
}

#[test]
fn muted_kernels_stay() {
    let mut kernels = default_kernels();
    kernels.0[1].is_muted = true;
    let set = KernelSet::single(kernels.clone());
    let audible = Kernels(
        kernels
            .0
            .iter()
            .filter(|kernel| !kernel.is_muted)
            .copied()
            .collect(),
    );
    let json = from_json(&to_json(&set.clone().into()).expect("kernels")).expect("the same");
    assert_eq!(json.set, KernelSet::single(audible.clone()));
    assert_eq!(
        from_csv(&to_csv(&set).expect("kernels")).expect("the same"),
        json.set
    );
    let layer = AuthorsLayer::new(&set.layers[0], 1);
    assert_eq!(layer.head(0), audible, "and are 0 where they have a place");
}

#[test]
fn tables_of_kernels_are_read_as_people_write_them() {
    let expected = KernelSet::single(Kernels(vec![
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
