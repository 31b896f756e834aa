//! Files that hold no kernels, and limits of sliders and files.

use diagonal::{
    encoding::{HeadKernels, Kernel, KernelSet, Kernels},
    kernel_io::{DEFAULT_PREFIX, to_csv, to_json, to_safetensors},
    url_state::{default_kernels, for_sliders},
};

use super::{head, open, some};
use crate::{
    checkpoint::hostile::assert_is_sentence,
    support::models::{Tensors, f32s, write},
};

/// A layer's kernels of these shapes; `cell` gives the cells of each tensor.
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
            "layer 2, head 3 is listed twice",
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
        let message = match open(name, &bytes) {
            Ok((_, summary)) => panic!("{word}: {summary:?}"),
            Err(message) => message,
        };
        assert_is_sentence(&message);
        assert!(message.contains(word), "{message} should say {word}");
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
        let message = for_sliders(&refused).expect_err(word);
        assert_is_sentence(&message);
        assert!(message.contains(word), "{message}");
    }
}

#[test]
fn layers_that_would_share_a_name_are_not_saved() {
    let message = to_safetensors(&some().into(), "attention.").expect_err("two layers");
    assert!(message.contains("{layer}"), "{message}");
    assert!(
        to_safetensors(&KernelSet::single(default_kernels()).into(), "").is_ok(),
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
            Some("layer 1, head 2, kernel 1 has a value that is not a number")
        );
    }
}
