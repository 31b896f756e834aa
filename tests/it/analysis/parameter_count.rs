//! Counts of positional parameters: the paper's nine numbers, definitions, limits.

use crate::math::laws::config;
use diagonal::{
    analysis::parameter_count::{
        COUNT_METHODS, ModelSize, SIZE_PARTS, TABLE_2_METHODS, TABLE_2_MODELS, count_method,
    },
    encoding::Random,
    figure::{Figure, group_thousands, parameter_counts},
};
use proptest::prelude::*;

fn count(id: &str, size: &ModelSize) -> u64 {
    count_method(id).expect("a way").count(size)
}

#[test]
fn table_2_comes_out() {
    let counted =
        TABLE_2_MODELS.map(|(model, size)| (model, TABLE_2_METHODS.map(|id| count(id, &size))));
    assert_eq!(
        counted,
        [
            ("Longformer", [3_145_728, 4_325_376, 2_160]),
            ("BERT/RoBERTa", [393_216, 1_572_864, 2_160]),
            ("ALBERT", [65_536, 98_304, 2_160]),
        ]
    );
}

#[test]
fn other_ways_count_what_they_store() {
    let size = ModelSize::BERT_BASE;
    let table = Random {
        rows: 512,
        width: 768,
        seed: 1,
    };
    assert_eq!(count("learned", &size), table.table().len() as u64);
    // 33 offsets, 64 columns, for keys and for values, 12 layers.
    assert_eq!(count("shaw", &size), 33 * 64 * 2 * 12);
    assert_eq!(count("t5", &size), 384);
    assert_eq!(count("synthesizer", &size), 512 * 512 * 144);
    for fixed in ["sinusoidal", "rotary", "alibi"] {
        assert_eq!(count(fixed, &size), 0);
    }
}

#[test]
fn no_size_is_too_large_to_count() {
    let most = ModelSize::from_parts([u64::MAX; 5]);
    assert_eq!(most.parts(), SIZE_PARTS.map(|(.., most)| most));
    assert_eq!(ModelSize::from_parts([0; 5]).parts(), [1; 5]);
    let [s, n, d, l, h] = most.parts().map(u128::from);
    for (id, expected) in [
        ("tisa", 3 * s * h * l),
        ("learned", n * d),
        ("untied", n * d + 2 * d * d),
        ("synthesizer", n * n * h * l),
    ] {
        assert!(expected < 1 << 63, "{id} would not fit");
        assert_eq!(u128::from(count(id, &most)), expected, "{id}");
        // Numbers beyond the limits do not overflow either.
        let beyond = ModelSize {
            kernels: u64::MAX,
            positions: u64::MAX,
            width: u64::MAX,
            layers: u64::MAX,
            heads: u64::MAX,
        };
        assert_eq!(count(id, &beyond), count(id, &most));
    }
}

#[test]
fn the_table_has_the_model_and_the_papers_nine() {
    let size = ModelSize {
        width: 384,
        layers: 6,
        ..ModelSize::BERT_BASE
    };
    let csv = parameter_counts("a, b", &size).table().csv();
    let lines: Vec<&str> = csv.lines().collect();
    assert!(
        lines[0].starts_with("model,method,formula,parameters,"),
        "{}",
        lines[0]
    );
    assert_eq!(lines.len(), 1 + COUNT_METHODS.len() + 9);
    assert_eq!(lines[1], "\"a, b\",tisa,3SHL,1080,5,512,384,6,12");
    assert_eq!(lines[2], "\"a, b\",learned,nd,196608,5,512,384,6,12");
    assert_eq!(lines.last(), Some(&"ALBERT,tisa,3SHL,2160,5,512,128,12,12"));
}

#[test]
fn thousands_stand_apart() {
    let written = [0, 7, 999, 1000, 65_536, 4_325_376].map(group_thousands);
    assert_eq!(written, ["0", "7", "999", "1,000", "65,536", "4,325,376"]);
}

proptest! {
    #![proptest_config(config(200))]

    #[test]
    fn tisa_does_not_grow_with_the_text(parts in SIZE_PARTS.map(|(.., most)| 1..=most), n in 1..=1_u64 << 21) {
        let size = ModelSize::from_parts(parts);
        let other = ModelSize { positions: n, ..size };
        prop_assert_eq!(count("tisa", &size), count("tisa", &other));
        prop_assert!(count("untied", &size) > count("learned", &size));
        prop_assert_eq!(count("learned", &other), n * size.width);
    }
}
