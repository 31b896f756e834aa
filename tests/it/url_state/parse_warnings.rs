//! Parts of links that are not understood: the default is shown, and one sentence says so.

use super::link_history::parse;
use diagonal::{
    encoding::Random,
    url_state::{FitChoice, Link, ModelRef},
};

#[test]
fn what_is_nonsense_in_a_section_is_the_default() {
    for cell in ["", "tisa", "tisa.beautiful", "7.1", "tisa.inductive."] {
        let (link, message) = parse(&format!("cell={cell}"));
        assert_eq!(link.encodings.cell, None, "{cell}");
        assert!(message.is_some(), "{cell}");
    }
    for fit in [
        "some",
        "head.0",
        "head.9",
        "all.5.0",
        "all.5.16385",
        "all.5.64.1",
        ".",
    ] {
        let (link, message) = parse(&format!("fit={fit}"));
        assert_eq!(link.kernel_options.fit, FitChoice::default(), "{fit}");
        assert!(message.is_some(), "{fit}");
    }
    for count in ["0", "5,512", "5,512,768,12,12,1", "1001", "-1", "5,"] {
        let (link, message) = parse(&format!("count={count}"));
        assert_eq!(link.kernel_options.count, [0; 0], "{count}");
        assert!(message.is_some(), "{count}");
    }
}

#[test]
fn what_is_not_understood_is_said_and_left_out() {
    for query in [
        "view=nowhere",
        "model=gpt-99",
        "layer=0",
        "layer=-3",
        "head=1e3",
        "n=7",
        "n=16385",
        "clip=21",
        "clip=NaN",
        "clip=inf",
        "clip=1e999",
        "clip=0x10",
        "clip=",
        "heads=1025",
        "length=7",
        "length=16385",
        "switched=rows,nothing",
        "switched=",
        "transposed=no",
        "query=alone",
        "key=alone",
        "window=5-5,0-9",
        "window=9-3,0-9",
        "window=0-9",
        "pin=1",
        "pin=-1,2",
        "kernels=1:2",
        "kernels=1:-1:0",
        "kernels=NaN:1:0",
        "kernels=infinity:1:0",
        "kernels=1:1:0:x",
        "kernels=1:1:0:m:m",
        "kernels=1:1:0;1:1:0;1:1:0;1:1:0;1:1:0;1:1:0;1:1:0;1:1:0;1:1:0",
        "map=rainbow",
        "nonsense=1",
        "rows=64",
        "offsets=some",
        "numbers=head-grid,nothing",
        "guides=nothing",
        "numbers=",
    ] {
        let (link, message) = parse(query);
        assert_eq!(link, Link::default(), "{query}");
        let message = message.expect(query);
        let (key, value) = query.split_once('=').expect("a pair");
        let excerpt: String = value.chars().take(40).collect();
        assert_eq!(
            message,
            format!("In this link, {key} = “{excerpt}” was not understood; the default is shown.")
        );
    }
    let (link, message) = parse("model=random&rows=1&seed=x&width=64");
    let table = Random {
        width: 64,
        ..Random::default()
    };
    assert_eq!(link.model, ModelRef::Random(table));
    assert_eq!(
        message.expect("a message"),
        "In this link, rows = “1” and seed = “x” were not understood; the defaults are shown."
    );
}

#[test]
fn much_that_is_not_understood_is_one_sentence() {
    let (_, message) = parse("layer=0&head=0&n=1&clip=x");
    assert_eq!(
        message.expect("a message"),
        "In this link, clip = “x”, layer = “0”, head = “0” and one more part were not understood; the defaults are shown."
    );
    let nonsense: Vec<String> = (0..1000).map(|at| format!("nonsense{at}={at}")).collect();
    let (_, message) = parse(&nonsense.join("&"));
    let message = message.expect("a message");
    assert!(
        message.contains(" and 997 more parts were not understood"),
        "{message}"
    );
}

#[test]
fn long_values_are_cut() {
    let long = "é".repeat(5000);
    let (_, message) = parse(&format!("view={long}&{long}=1"));
    let message = message.expect("a message");
    assert_eq!(message.matches(&"é".repeat(40)).count(), 2);
    assert!(!message.contains(&"é".repeat(41)), "{message}");
}
