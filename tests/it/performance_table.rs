//! Scores of models from pasted tables: every table that is written is read, and every other gets a sentence.

use crate::checkpoint::hostile::assert_is_sentence;
use diagonal::{
    performance_table::{LONGEST_TABLE, PerformanceTable},
    url_state::PERFORMANCES,
};
use proptest::{collection::vec, prelude::*, sample::select};

fn read(text: &str) -> Vec<(String, f64)> {
    PerformanceTable::parse(text).expect(text).scores
}

fn named(scores: &[(&str, f64)]) -> Vec<(String, f64)> {
    scores
        .iter()
        .map(|(name, score)| ((*name).to_owned(), *score))
        .collect()
}

#[test]
fn tables_of_every_kind_are_read() {
    let expected = named(&[("minilm-l6", 59.8), ("BERT, base", -3.0)]);
    for text in [
        "minilm-l6,59.8\n\"BERT, base\",-3",
        "model,score\nminilm-l6,59.8\n\"BERT, base\",-3\n",
        "Model;Average\r\nminilm-l6;59,8\r\n\r\n\"BERT, base\";−3",
        "minilm-l6\t59.8 %\nBERT, base\t-3\t\n",
        "\u{feff} minilm-l6 , 59.8 \r \"BERT, base\" , -3.0 ,, \r",
    ] {
        assert_eq!(read(text), expected, "{text}");
    }
    // The first row is a score if it has digits.
    assert_eq!(read("score,1"), named(&[("score", 1.0)]));
}

#[test]
fn a_row_that_is_not_understood_gets_a_sentence_with_its_number() {
    let sentence = |text: &str| {
        let sentence = PerformanceTable::parse(text).expect_err(text);
        assert_is_sentence(&sentence);
        sentence
    };
    for (text, begin) in [
        ("", "There is no score in this table. Write one row"),
        ("model,score\n", "There is no score in this table."),
        ("a,1\nb", "Row 2 has one column. Write two"),
        ("a,1\n\nb,2,3", "Row 3 has 3 columns. Write two"),
        ("a,1\n,2", "Row 2 has no name."),
        (
            "a,1\nb,8o",
            "Row 2: “8o” is not a number. Write a score with digits",
        ),
        ("a,8o\nb,1", "Row 1: “8o” is not a number."),
        ("a,1\nb,NaN", "Row 2: “NaN” is not a number."),
        ("a,1\nb,1e12", "Row 2: “1e12” is not a score from"),
        ("a,1\nb,2\nA ,3", "Rows 1 and 3 both name “A”. Keep one"),
    ] {
        let sentence = sentence(text);
        assert!(sentence.starts_with(begin), "{text:?}: {sentence}");
    }
    assert!(sentence(&"a".repeat(LONGEST_TABLE + 1)).contains("longer than 1 MB"));
    let rows: String = (0..10_001).map(|at| format!("{at},1\n")).collect();
    assert!(sentence(&rows).contains("more than 10000 rows"));
    // Long and broken names are cut.
    let long = format!("a,1\n\"{}\u{7}\n\",x1", "ä".repeat(100_000));
    assert!(sentence(&long).contains("“x1” is not a number"));
}

#[test]
fn names_that_no_open_model_has_are_listed() {
    let titles = ["BERT base", "minilm-l6", "random"];
    let assign = |text: &str| PerformanceTable::parse(text).expect(text).assign(&titles);
    let assigned = assign("bert BASE,80\nRandom,1\n");
    assert_eq!(assigned.scores, [Some(80.0), None, Some(1.0)]);
    assert_eq!(assigned.sentence(), "2 scores were taken.");
    let unknown = |names: &[&str]| {
        let rows: Vec<String> = names.iter().map(|name| format!("{name},1")).collect();
        assign(&format!("minilm-l6,2\n{}", rows.join("\n"))).sentence()
    };
    let end = ". Names are those in the list above.";
    for (names, listed) in [
        (&["x"][..], "“x”"),
        (&["x", "y"], "“x” or “y”"),
        (&["x", "y", "z"], "“x”, “y” or “z”"),
        (
            &["x", "y", "z", "u", "v"],
            "“x”, “y”, “z”, or 2 others in the table",
        ),
    ] {
        let sentence = format!("One score was taken. No open model is called {listed}{end}");
        assert_eq!(unknown(names), sentence);
    }
    assert!(
        assign("x,1")
            .sentence()
            .starts_with("No score was taken. No open model")
    );
}

/// A field as tables contain it: quoted if it has to be.
fn field(text: &str, separator: char) -> String {
    if text.contains([separator, '"', '\n', '\r', ',', ';', '\t']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_table_that_was_written_is_read(
        scores in vec(("[a-zA-Z0-9 ,;\"äΣ/._-]{1,20}", PERFORMANCES), 1..12),
        separator in select(&[',', ';', '\t'][..]),
        end in select(&["\n", "\r\n", "\r"][..]),
        header: bool,
    ) {
        let mut different: Vec<(String, f64)> = Vec::new();
        for (name, score) in scores {
            let name = name.trim().to_owned();
            let is_known = different.iter().any(|(other, _)| other.to_lowercase() == name.to_lowercase());
            if !name.is_empty() && !is_known {
                different.push((name, score));
            }
        }
        prop_assume!(!different.is_empty());
        let row = |(name, score): &(String, f64)| format!("{}{separator}{score}{end}", field(name, separator));
        let rows: String = different.iter().map(row).collect();
        let header = if header { format!("model{separator}score{end}") } else { String::new() };
        prop_assert_eq!(read(&format!("{header}{rows}")), different.clone());
        // Case and order of the open models make no difference.
        let titles: Vec<String> = different.iter().rev().map(|(name, _)| name.to_uppercase()).collect();
        let titles: Vec<&str> = titles.iter().map(String::as_str).collect();
        let table = PerformanceTable { scores: different.clone() };
        let own = |title: &&str| {
            let same = different.iter().find(|(name, _)| name.to_lowercase() == title.to_lowercase());
            same.map(|(_, score)| *score)
        };
        let expected: Vec<Option<f64>> = titles.iter().map(own).collect();
        prop_assert_eq!(table.assign(&titles).scores, expected);
    }

    #[test]
    fn any_text_is_a_table_or_gets_a_sentence(text in "[a-z0-9,;\t\n\"%. -]{0,80}|.{0,200}") {
        if let Err(sentence) = PerformanceTable::parse(&text) {
            assert_is_sentence(&sentence);
        }
    }
}
