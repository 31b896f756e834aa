//! Files of snapshots, and the steps at which they are taken.

use super::reports::session_after;
use diagonal::training::{EncodingName, is_snapshot_step};
use safetensors::SafeTensors;

#[test]
fn snapshots_are_close_together_at_first() {
    let steps = |last| (0..=last).filter(move |step| is_snapshot_step(*step, last));
    assert_eq!(
        steps(100).collect::<Vec<_>>(),
        [0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 100]
    );
    assert_eq!(steps(20_000).count(), 30);
    assert_eq!(steps(1).collect::<Vec<_>>(), [0, 1]);
}

#[test]
fn another_library_reads_the_weights_with_their_recipe() {
    for encoding in EncodingName::ALL {
        let link = format!("chain.{encoding}.n16d16l2h2r2b4.3.20");
        let session = session_after(&link, 2);
        let bytes = session.weights_file();
        assert_eq!(bytes, session.weights_file());
        let file = SafeTensors::deserialize(&bytes).expect("a safetensors file");
        let words = file.tensor("bert.embeddings.word_embeddings.weight");
        assert_eq!(words.expect("words").shape()[1], 16);
        let (_, header) = SafeTensors::read_metadata(&bytes).expect("a header");
        let metadata = header.metadata().as_ref().expect("metadata");
        assert_eq!(metadata["recipe"], link);
        assert_eq!((&*metadata["step"], &*metadata["format"]), ("2", "pt"));
        assert!(metadata["source"].starts_with("Diagonal "));
    }
}
