//! Parsing of lessons, and error messages for any invalid text.

use lesson_format::{
    Block, Claim, Condition, Extreme, Inline, Lesson, Number, NumberReading, NumberSource, Relation,
};
use proptest::prelude::*;

const LESSON: &str = "---\ntitle: Tables: learned\nabout: One sentence.\n---\n\n## The table itself\n\n\
- state: ?view=positions&copy=*a*_b_&rows=12\n- light: position-table, offset-profile\n- offset: −3\n- cell: 100, 110\n\
- head: 4, 7\n- kernel: 2\n- holds: {toeplitz-scores: r2 where scope=whole} < 0.6\n- holds: {model: rows} near 512 within 1\n\n\
One *vector* a **position** of `{raw}`,\nand {model: rows | 2 digits} [rows](https://example.org/).\n\n1. one\n2. two {offset-profile: mean where offset=-1 and cells>=3}\n\n\
> Which is brightest?\n>\n> The main one.\n\nNotes: Say nothing.\n\nMore of it.\n\n## Another\n\nText.\n";

fn refusal(text: &str) -> String {
    Lesson::parse(text).map_or_else(|error| error.to_string(), |_| "it was taken".to_owned())
}

fn step(text: &str) -> String {
    refusal(&format!("---\ntitle: T\n---\n\n## Step\n\n{text}\n"))
}

#[test]
fn a_lesson_is_read() -> Result<(), Box<dyn std::error::Error>> {
    let lesson = Lesson::parse(LESSON)?;
    assert_eq!(lesson.head.title, "Tables: learned");
    assert_eq!(lesson.steps.len(), 2);
    let first = &lesson.steps[0];
    assert_eq!(first.title, "The table itself");
    assert_eq!(
        first.state.as_deref(),
        Some("view=positions&copy=*a*_b_&rows=12")
    );
    assert_eq!(first.light, ["position-table", "offset-profile"]);
    assert_eq!(first.highlight.offset, Some(-3));
    assert_eq!(first.highlight.cell, Some((100, 110)));
    assert_eq!(first.highlight.head, Some((3, 6)));
    assert_eq!(first.highlight.kernel, Some(1));
    assert_eq!(first.claims.len(), 2);
    assert_eq!(first.claims[1].relation, Relation::Near(1.0));
    let Block::Paragraph(text) = &first.text[0] else {
        panic!("{:?}", first.text)
    };
    let read = lesson_format::plain(text, &|_| "512".to_owned());
    assert_eq!(read, "One vector a position of {raw}, and 512 rows.");
    assert!(matches!(&first.text[1], Block::List { is_numbered: true, items } if items.len() == 2));
    assert_eq!(first.notes.len(), 2);
    let question = first.question.as_ref().ok_or("no question")?;
    assert_eq!((question.asks.len(), question.reveals.len()), (1, 1));
    assert_eq!(first.numbers().count(), 4);
    assert_eq!(first.words(), 12);
    assert_eq!(Lesson::from_bytes(&lesson.to_bytes()?)?, lesson);
    Ok(())
}

#[test]
fn numbers_say_where_they_are_read() -> Result<(), String> {
    let read = |text: &str| Number::parse(text).map(|number| number.of);
    let of = |reading, rows| NumberSource::Figure {
        figure: "head-grid".to_owned(),
        reading,
        rows,
    };
    let row = |column: &str, relation, value: &str| Condition {
        column: column.to_owned(),
        relation,
        value: value.to_owned(),
    };
    assert_eq!(
        read("head-grid: r2 where layer=3 and head<=7")?,
        of(
            NumberReading::First("r2".to_owned()),
            vec![
                row("layer", Relation::Equal, "3"),
                row("head", Relation::AtMost, "7")
            ]
        )
    );
    assert_eq!(
        read("head-grid: layer at max causal_r2")?,
        of(
            NumberReading::At {
                column: "layer".to_owned(),
                extreme: Extreme::Max,
                of: "causal_r2".to_owned()
            },
            vec![]
        )
    );
    assert_eq!(
        read("head-grid: count where r2>0.5")?,
        of(
            NumberReading::Count,
            vec![row("r2", Relation::Greater, "0.5")]
        )
    );
    assert_eq!(
        read("head-grid: head 3 sum")?,
        of(NumberReading::First("head 3 sum".to_owned()), vec![])
    );
    assert_eq!(
        read("head-grid: mean r2")?,
        of(NumberReading::Mean("r2".to_owned()), vec![])
    );
    let writing = Number::parse("model: rows | size, percent, 2 digits")?.writing;
    assert!(writing.size && writing.percent && writing.digits == 2);
    for bad in [
        "rows",
        "model: size",
        "Figure: r2",
        "head-grid: ",
        "head-grid: r2 where layer",
        "head-grid: r2 | 0 digits",
        "head-grid: r2 | loud",
    ] {
        assert!(Number::parse(bad).is_err(), "{bad}");
    }
    Ok(())
}

#[test]
fn claims_compare_two_numbers() -> Result<(), String> {
    let claim = Claim::parse("{head-grid: max r2 where layer<3} >= 0.25")?;
    assert_eq!(claim.relation, Relation::AtLeast);
    assert!(claim.relation.holds(0.25, 0.25) && !claim.relation.holds(f64::NAN, 0.25));
    assert!(Claim::parse("0.5 near {model: rows} within 0.1").is_ok());
    for bad in [
        "",
        "1 <",
        "{model: rows < 3",
        "1 ~ 2",
        "1 near 2",
        "1 < 2 3",
    ] {
        assert!(Claim::parse(bad).is_err(), "{bad}");
    }
    Ok(())
}

#[test]
fn what_is_no_lesson_is_refused_with_its_line() {
    for (text, says) in [
        ("", "Line 1: The head of a lesson"),
        ("---\ntitle: T\n---\n", "Line 1: A lesson has steps"),
        ("---\ntitle: T\nmood: good\n---\n", "“mood” is nothing"),
        ("---\ntitle: T\n---\n\nText.", "Line 5: Text stands before"),
        ("---\ntitle: T\n---\n\n# Title", "Line 5: A step begins"),
    ] {
        let said = refusal(text);
        assert!(said.contains(says), "{text:?} is refused with {said:?}");
    }
    for (text, says) in [
        ("<b>bold</b>", "no HTML"),
        ("<div>\n</div>", "no HTML"),
        ("![a](https://example.org/a.png)", "no pictures"),
        ("[a](javascript:alert)", "no address for a link"),
        ("[a](http://example.org)", "no address for a link"),
        ("```\ncode\n```", "nothing that a lesson has"),
        ("A {model: rows", "lacks a closing brace"),
        ("A {model: size}.", "“size” is not known of a model"),
        ("- mood: good", "“mood” sets up nothing"),
        ("- head: 0, 1", "counted from 1"),
        ("- cell: 1", "two numbers"),
        ("- offset: 99999999999999999999", "no whole number"),
        ("> Only asked.", "needs an answer"),
        ("> a\n>\n> b\n\ntext\n\n> a\n>\n> b", "one question"),
        ("Text\n\n- a\n  - b", "list in a list"),
    ] {
        let said = step(text);
        assert!(said.contains(says), "{text:?} is refused with {said:?}");
    }
}

/// Words with a meaning in JavaScript or Markdown but none in lessons.
const UNKNOWN_WORDS: [&str; 10] = [
    "__proto__",
    "__defineGetter__",
    "constructor",
    "prototype",
    "toString",
    "hasOwnProperty",
    "*starred*",
    "**bold**",
    "a_b_c",
    "`code`",
];

#[test]
fn an_unknown_word_is_said_as_it_stands() -> Result<(), Box<dyn std::error::Error>> {
    for word in UNKNOWN_WORDS {
        let head = refusal(&format!(
            "---\ntitle: T\n{word}: 1\n---\n\n## Step\n\nText.\n"
        ));
        assert!(
            head.contains(&format!("“{word}” is nothing that the head says")),
            "{head}"
        );
        for (text, says) in [
            (format!("- {word}: 1"), format!("“{word}” sets up nothing")),
            (
                format!("A {{model: {word}}}."),
                format!("“{word}” is not known of a model"),
            ),
            (
                format!("A {{model: rows | {word}}}."),
                format!("“{word}” says nothing about how a number is written"),
            ),
        ] {
            let said = step(&text);
            assert!(said.contains(&says), "{text:?} is refused with {said:?}");
        }
        // Identifiers of figures are lower-case words; the parser does not check that the figure exists.
        let is_identifier = word.bytes().all(|byte| byte.is_ascii_lowercase());
        for text in [format!("- light: {word}"), format!("A {{{word}: r2}}.")] {
            let said = step(&text);
            let says = format!("“{word}” is no identifier of a figure");
            assert_eq!(
                said.contains(&says),
                !is_identifier,
                "{text:?} is refused with {said:?}"
            );
        }
        // Columns and values may be any words.
        let number = format!("head-grid: {word} where {word}={word}");
        let text = format!("*A* {{model: rows}}, {{{number}}} **and** {{model: width}}.");
        for text in [
            text.clone(),
            format!("> {text}\n>\n> {text}"),
            format!("1. {text}"),
        ] {
            let lesson = Lesson::parse(&format!("---\ntitle: T\n---\n\n## Step\n\n{text}\n"))?;
            let numbers: Vec<&Number> = lesson.steps[0].numbers().collect();
            let times = numbers.len() / 3;
            let expected = ["model: rows", &number, "model: width"].map(Number::parse);
            let expected = expected.into_iter().collect::<Result<Vec<_>, _>>()?;
            assert_eq!(
                numbers,
                expected.iter().cycle().take(3 * times).collect::<Vec<_>>()
            );
            assert!(times > 0, "{text}");
        }
    }
    // Numbers may continue on the next line.
    let lesson =
        Lesson::parse("---\ntitle: T\n---\n\n## Step\n\n> A {model:\n> rows}.\n>\n> Yes.\n")?;
    assert_eq!(lesson.steps[0].numbers().count(), 1);
    for text in ["A {head-grid: *r2} b*.", "*A {model: rows* b}."] {
        let said = step(text);
        assert!(said.contains("brace"), "{text:?} is refused with {said:?}");
    }
    Ok(())
}

#[test]
fn a_lesson_has_limits() {
    let steps = "## Step\n\nText.\n\n".repeat(10_000);
    assert!(refusal(&format!("---\ntitle: T\n---\n\n{steps}")).contains("at most 200 steps"));
    assert!(step(&"{model: rows} ".repeat(101)).contains("more than 100 numbers"));
    assert!(step(&"*a ".repeat(40)).len() < 1000);
    assert!(step(&format!("{}a{}", "***".repeat(99), "***".repeat(99))).contains("too deep"));
    assert!(refusal(&"a".repeat(1_000_001)).contains("at most 1000000 bytes"));
}

#[test]
fn other_scripts_are_read() -> Result<(), Box<dyn std::error::Error>> {
    let text =
        "---\ntitle: ترتيب الكلمات\nlanguage: ar\n---\n\n## الخطوة\n\nهذا {model: rows} صف.\n";
    let lesson = Lesson::parse(text)?;
    assert_eq!(lesson.head.language, "ar");
    assert!(matches!(
        &lesson.steps[0].text[0],
        Block::Paragraph(text) if matches!(text[1], Inline::Number(_))
    ));
    Ok(())
}

proptest! {
    #[test]
    fn no_text_panics(text in "[-# >*_{}:|`\\n\\[\\]()<a-z0-9=.&?]{0,200}") {
        let _ = Lesson::parse(&text);
        let _ = Lesson::parse(&format!("---\ntitle: T\n---\n\n## Step\n\n{text}"));
    }

    #[test]
    fn whatever_is_taken_comes_back(text in "[-# >*{}:`\\na-z]{0,120}") {
        if let Ok(lesson) = Lesson::parse(&format!("---\ntitle: T\n---\n\n## Step\n\n{text}")) {
            let bytes = lesson.to_bytes().map_err(|error| TestCaseError::fail(error.to_string()))?;
            prop_assert_eq!(Lesson::from_bytes(&bytes).ok(), Some(lesson));
        }
    }
}
