//! The notation is complete, and its formulas are MathML.

use diagonal::page_reference::NOTATION;
use roxmltree::Document;

/// Text of a formula without its markup.
fn text(formula: &str) -> String {
    let wrapped = format!("<span>{formula}</span>");
    let document = Document::parse(&wrapped).expect("MathML");
    let texts = document.descendants().filter(|node| node.is_text());
    texts.filter_map(|node| node.text()).collect()
}

#[test]
fn the_notation_defines_the_symbols_of_the_page() {
    let terms: Vec<String> = NOTATION
        .iter()
        .flat_map(|entry| [text(entry.symbol.0), entry.name.to_owned()])
        .collect();
    for term in [
        "i,j", "k", "E", "P", "f(k)", "R2", "F^P", "FP", "A", "Toeplitz", "causal",
    ] {
        let count = terms.iter().filter(|other| *other == term).count();
        assert_eq!(count, 1, "{term} in {terms:?}");
    }
}

#[test]
fn entries_are_short_sentences_with_formulas_that_parse() {
    for entry in NOTATION {
        assert!(entry.definition.ends_with('.'), "{}", entry.name);
        assert!(entry.definition.len() <= 220, "{}", entry.name);
        for formula in [entry.symbol.0, entry.formula.0] {
            assert!(formula.is_empty() || !text(formula).is_empty());
        }
    }
}

#[test]
fn places_in_the_papers_are_those_of_the_figures() {
    let places: Vec<&str> = NOTATION.iter().map(|entry| entry.source).collect();
    // The equations that the figures' formulas cite: R² of appendix B, F̂_P of appendix C, and the kernels.
    for place in ["eq. 6–8", "eq. 9–12", "eq. 4 and 5"] {
        assert_eq!(
            places
                .iter()
                .filter(|source| source.ends_with(place))
                .count(),
            1,
            "{place}"
        );
    }
}
