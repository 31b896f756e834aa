//! BART.

use super::{describe, first_block, folder};
use diagonal::model::EmbeddingContent;

#[test]
fn a_decoder_of_bart_scales_its_words_and_attends_to_the_encoder() {
    let (_, bart) = folder("bart-scaled", "decoder");
    let description = describe(&bart);
    assert!(matches!(
        &description.embedding.content,
        Some(EmbeddingContent::Words { tensor, is_scaled: true, .. }) if tensor == "shared.weight"
    ));
    assert!(first_block(&bart).cross_attention.is_some());
    assert_eq!(
        description.head.as_ref().expect("tied").words,
        "shared.weight"
    );
}
