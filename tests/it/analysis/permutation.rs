//! Self-attention without positions ignores order; with positions it does not.

use crate::math::laws::{config, kernels};
use diagonal::{
    analysis::permutation::{
        AddedPositions, COLUMNS, MAX_TOKENS, ShuffledOutputs, attend, order, tokens,
    },
    encoding::{Kernel, Kernels},
    figure::{Figure, Shuffle},
    math::reference,
    url_state::default_kernels,
};
use ndarray::Array2;
use proptest::{collection::vec, prelude::*};

fn numbers(count: usize) -> impl Strategy<Value = Vec<Vec<f64>>> {
    vec(vec(-2.0..2.0, COLUMNS), 2..=count)
}

/// Distinct words.
fn words() -> impl Strategy<Value = Vec<String>> {
    (2..=MAX_TOKENS, any::<u16>())
        .prop_map(|(n, salt)| (0..n).map(|i| format!("w{salt}-{i}")).collect())
}

proptest! {
    #![proptest_config(config(100))]

    #[test]
    fn without_positions_outputs_are_shuffled_with_their_tokens(words in words(), seed: u64) {
        let order = order(words.len(), seed);
        let shuffled = ShuffledOutputs::new(words, order, AddedPositions::Nothing, &Kernels::default());
        prop_assert!(shuffled.greatest() < 1e-12, "{}", shuffled.greatest());
    }

    #[test]
    fn with_positions_they_are_not(words in words(), seed in 1..u64::MAX) {
        // Of two tokens, one may attract all attention in either order.
        prop_assume!(words.len() > 3);
        let order = order(words.len(), seed);
        for added in [AddedPositions::Sinusoids, AddedPositions::Kernels] {
            let shuffled = ShuffledOutputs::new(words.clone(), order.clone(), added, &default_kernels());
            prop_assert!(shuffled.greatest() > 1e-6, "{added:?} {}", shuffled.greatest());
        }
    }

    #[test]
    fn no_kernel_is_no_position(inputs in numbers(6), kernels in kernels()) {
        // Outputs are finite for arbitrarily steep kernels.
        let outputs = attend(&inputs, AddedPositions::Kernels, &kernels);
        prop_assert!(outputs.iter().flatten().all(|v| v.is_finite()));
        // No kernels equal no positions.
        let without = attend(&inputs, AddedPositions::Nothing, &kernels);
        let silent = attend(&inputs, AddedPositions::Kernels, &Kernels::default());
        prop_assert_eq!(silent, without);
    }

    #[test]
    fn an_order_has_every_place_once(n in 0..12_usize, seed: u64) {
        let mut places = order(n, seed);
        prop_assert_eq!(places.is_sorted(), seed == 0 || n < 2);
        places.sort_unstable();
        prop_assert_eq!(places, (0..n).collect::<Vec<_>>());
    }

    #[test]
    fn text_of_any_kind_becomes_a_few_tokens(text: String) {
        let tokens = tokens(&text);
        prop_assert!(tokens.len() <= MAX_TOKENS);
        prop_assert!(tokens.iter().all(|t| !t.is_empty() && t.chars().count() <= 16));
    }
}

#[test]
fn a_symmetric_kernel_cannot_tell_a_text_from_its_mirror_image() {
    let words: Vec<String> = tokens("the dog bit the old man");
    let mirrored: Vec<usize> = (0..words.len()).rev().collect();
    let symmetric = Kernels(vec![Kernel::new(3.0, 0.5, 0.0)]);
    let shuffled = ShuffledOutputs::new(
        words.clone(),
        mirrored.clone(),
        AddedPositions::Kernels,
        &symmetric,
    );
    assert!(shuffled.greatest() < 1e-12);
    let one_sided = Kernels(vec![Kernel::new(3.0, 0.5, -1.0)]);
    assert!(
        ShuffledOutputs::new(words, mirrored, AddedPositions::Kernels, &one_sided).greatest()
            > 0.01
    );
}

/// Every output is a weighted mean of values, so tokens that differ only in their place have equal outputs.
#[test]
fn equal_tokens_attend_by_kernels_alone() {
    let (n, kernels) = (5, default_kernels());
    let inputs = vec![vec![0.5; COLUMNS]; n];
    let outputs = attend(&inputs, AddedPositions::Kernels, &kernels);
    let f = Array2::from_shape_fn((n, n), |(i, j)| kernels.at(j as f64 - i as f64));
    let attention = reference::softmax(&f, false);
    assert!(
        attention
            .rows()
            .into_iter()
            .all(|row| (row.sum() - 1.0).abs() < 1e-12)
    );
    // All values are equal, so the output is that value for any weights.
    for row in &outputs {
        for (x, y) in row.iter().zip(&outputs[0]) {
            assert!((x - y).abs() < 1e-12);
        }
    }
}

#[test]
fn the_figure_tells_each_change() {
    let words = tokens("a b c d");
    let shuffled = ShuffledOutputs::new(
        words,
        vec![2, 0, 3, 1],
        AddedPositions::Sinusoids,
        &Kernels::default(),
    );
    let figure = Shuffle::new(shuffled.clone());
    let csv = figure.table().csv();
    let lines: Vec<&str> = csv.lines().collect();
    assert!(lines[0].starts_with("token,place_before,place_after,change,before_1,"));
    assert!(lines[0].ends_with("after_8"));
    assert_eq!(lines.len(), 5);
    // c was third before, and is first now.
    assert!(lines[3].starts_with("c,3,1,"), "{}", lines[3]);
    let change: f64 = lines[3]
        .split(',')
        .nth(3)
        .expect("a change")
        .parse()
        .expect("a number");
    assert_eq!(change, shuffled.difference(2));
    assert!(figure.summary().contains("change with the order"));
}

#[test]
fn the_caption_says_what_was_added_and_what_it_changed() {
    let caption = |added, order: Vec<usize>| {
        let shuffled = ShuffledOutputs::new(tokens("a b c"), order, added, &default_kernels());
        let greatest = diagonal::figure::number(shuffled.greatest());
        (Shuffle::new(shuffled).caption(added), greatest)
    };
    for (added, words) in [
        (AddedPositions::Nothing, "Without positions"),
        (AddedPositions::Sinusoids, "sines and cosines"),
        (AddedPositions::Kernels, "kernels"),
    ] {
        let (text, greatest) = caption(added, vec![2, 0, 1]);
        assert!(text.contains(words) && text.contains(&greatest), "{text}");
        let (text, _) = caption(added, vec![0, 1, 2]);
        assert!(text.contains("original order"), "{text}");
    }
}
