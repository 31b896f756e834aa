//! Names of versions of one model.

use diagonal::model::is_next_version;

#[test]
fn the_next_version_differs_by_one_number() {
    for (name, next) in [
        ("albert-base-v1", "albert-base-v2"),
        ("albert/albert-base-v1", "albert/albert-base-v2"),
        ("ALBERT_xxlarge_v1", "albert-xxlarge-v2"),
        ("deberta-v2-xlarge", "deberta-v3-xlarge"),
        ("m-v9", "m-v10"),
    ] {
        assert!(is_next_version(name, next), "{name}, {next}");
        assert!(!is_next_version(next, name), "{next}, {name}");
        assert!(!is_next_version(name, name), "{name}");
    }
    for (name, other) in [
        ("albert-base-v1", "albert-large-v2"),
        ("albert-base-v1", "albert-base-v3"),
        ("albert-base-v1", "albert-base-v2-squad2"),
        ("checkpoint-1", "checkpoint-2"),
        ("v1-v1", "v2-v2"),
        ("bert", "gpt2"),
        ("v4294967295", "v0"),
        ("", ""),
    ] {
        assert!(!is_next_version(name, other), "{name}, {other}");
    }
}
