//! Parsing of typed or pasted names: the file or model that they mean, and addresses that are never requested.

use diagonal::checkpoint::{Address, AddressError, HUB};

#[test]
fn addresses_of_pages_become_addresses_of_files() {
    let raw = "https://raw.githubusercontent.com/o/r/v1/dir/a.npy";
    for (typed, expected) in [
        ("https://example.org/a?b=c#d", "https://example.org/a?b=c#d"),
        (" HTTPS://Example.ORG/A ", "https://example.org/A"),
        ("http://localhost:8080/a", "http://localhost:8080/a"),
        ("http://127.0.0.1/a", "http://127.0.0.1/a"),
        ("https://github.com/o/r/blob/v1/dir/a.npy", raw),
        ("https://github.com/o/r/raw/v1/dir/a.npy", raw),
        (
            "https://github.com/o/r/releases/download/v1/a",
            "https://github.com/o/r/releases/download/v1/a",
        ),
        (
            "https://huggingface.co/o/m/blob/main/d/f.bin?x=1#y",
            "https://huggingface.co/o/m/resolve/main/d/f.bin?x=1#y",
        ),
        (
            "https://huggingface.co/datasets/o/d/blob/main/a.npy",
            "https://huggingface.co/datasets/o/d/resolve/main/a.npy",
        ),
        (
            "https://huggingface.co/gpt2/resolve/main/raw/a/b",
            "https://huggingface.co/gpt2/resolve/main/raw/a/b",
        ),
        (
            "https://huggingface.co/o/m/raw/main/f",
            "https://huggingface.co/o/m/resolve/main/f",
        ),
        (
            "huggingface.co/gpt2/blob/main/f",
            "https://huggingface.co/gpt2/resolve/main/f",
        ),
        (
            "https://hf.co/o/m/resolve/main/f",
            "https://huggingface.co/o/m/resolve/main/f",
        ),
    ] {
        assert_eq!(
            Address::parse(typed, HUB),
            Ok(Address::File(expected.to_owned())),
            "{typed}"
        );
    }
}

#[test]
fn names_and_pages_of_models_are_understood() {
    for (typed, display, file) in [
        ("gpt2", "gpt2", "gpt2/resolve/main/f"),
        (
            " org/model-1.5_x ",
            "org/model-1.5_x",
            "org/model-1.5_x/resolve/main/f",
        ),
        (
            "org/model@v2.0",
            "org/model@v2.0",
            "org/model/resolve/v2.0/f",
        ),
        (
            "org/model@refs/pr/1",
            "org/model@refs/pr/1",
            "org/model/resolve/refs%2Fpr%2F1/f",
        ),
        (
            "https://huggingface.co/org/model",
            "org/model",
            "org/model/resolve/main/f",
        ),
        (
            "https://huggingface.co/org/model/?x#y",
            "org/model",
            "org/model/resolve/main/f",
        ),
        (
            "https://hf.co/org/model/tree/main",
            "org/model",
            "org/model/resolve/main/f",
        ),
        (
            "huggingface.co/org/model/tree/refs%2Fpr%2F1",
            "org/model@refs/pr/1",
            "org/model/resolve/refs%2Fpr%2F1/f",
        ),
        (
            "https://huggingface.co/gpt2/tree/v1",
            "gpt2@v1",
            "gpt2/resolve/v1/f",
        ),
        (
            "https://huggingface.co/o/m/tree/main/text/encoder",
            "o/m (text/encoder)",
            "o/m/resolve/main/text/encoder/f",
        ),
        (
            "https://huggingface.co/org/model/discussions/3",
            "org/model",
            "org/model/resolve/main/f",
        ),
    ] {
        let Ok(Address::Hub(name)) = Address::parse(typed, HUB) else {
            panic!("{typed} is no name: {:?}", Address::parse(typed, HUB));
        };
        assert_eq!(name.to_string(), display);
        assert_eq!(
            Address::parse(&name.page(HUB), HUB),
            Ok(Address::Hub(name.clone()))
        );
        assert_eq!(
            name.file("https://hub.example", "f"),
            format!("https://hub.example/{file}")
        );
    }
}

#[test]
fn what_must_not_be_asked_for_is_refused_before_any_request() {
    use AddressError as E;
    let long = format!("https://example.org/{}", "a".repeat(9000));
    for (typed, error) in [
        ("http://example.org/a", E::Insecure),
        ("http://localhost.example.org/a", E::Insecure),
        ("http://127.0.0.1:80.example.org/a", E::Insecure),
        ("ftp://example.org/a", E::Scheme),
        ("javascript://example.org/%0aalert(1)", E::Scheme),
        ("file:///etc/passwd", E::Scheme),
        ("data:text/html,x", E::Name),
        ("https://me:secret@example.org/a", E::Credentials),
        ("https://huggingface.co@example.org/a/b", E::Credentials),
        ("https://example.org\\@elsewhere.example/a", E::Characters),
        ("https://example.org/a b", E::Characters),
        ("https://example.org/a\nb", E::Characters),
        (&long, E::Characters),
        ("https:///a", E::Host),
        ("https://:443/a", E::Host),
        ("https://ex%61mple.org/a", E::Host),
        ("https://huggingface.co/datasets/o/d", E::NoModel),
        ("https://huggingface.co/", E::Name),
        ("", E::Name),
        ("/etc/passwd", E::Name),
        ("a/b/c", E::Name),
        ("../model", E::Name),
        ("org/..", E::Name),
        ("org/a--b", E::Name),
        ("org/model.git", E::Name),
        ("org/mo del", E::Name),
        ("org/mödel", E::Name),
        ("org/model?x", E::Name),
        ("org/model@", E::Revision),
        ("org/model@../../x", E::Revision),
        ("org/model@a%2Fb", E::Revision),
        ("https://huggingface.co/o/m/tree/a%00b", E::Revision),
        ("https://huggingface.co/o/m/tree/main/..", E::Name),
        (&"a".repeat(97), E::Name),
    ] {
        let found = Address::parse(typed, HUB);
        assert_eq!(found, Err(error.clone()), "{typed}");
        let sentence = error.to_string();
        assert!(sentence.ends_with('.'), "{sentence}");
    }
}
