//! Parsing of lessons, and error messages for any invalid text.

use lesson_format::{
    Block, Claim, Condition, Extreme, Inline, Lesson, LessonFormula, Number, NumberReading,
    NumberSource, Relation,
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
        let message = refusal(text);
        assert!(
            message.contains(says),
            "{text:?} is refused with {message:?}"
        );
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
        let message = step(text);
        assert!(
            message.contains(says),
            "{text:?} is refused with {message:?}"
        );
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
            let message = step(&text);
            assert!(
                message.contains(&says),
                "{text:?} is refused with {message:?}"
            );
        }
        // Identifiers of figures are lower-case words; the parser does not check that the figure exists.
        let is_identifier = word.bytes().all(|byte| byte.is_ascii_lowercase());
        for text in [format!("- light: {word}"), format!("A {{{word}: r2}}.")] {
            let message = step(&text);
            let says = format!("“{word}” is no identifier of a figure");
            assert_eq!(
                message.contains(&says),
                !is_identifier,
                "{text:?} is refused with {message:?}"
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
        let message = step(text);
        assert!(
            message.contains("brace"),
            "{text:?} is refused with {message:?}"
        );
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

fn formula(source: &str) -> Result<String, String> {
    LessonFormula::parse(source).map(|formula| formula.mathml.join(" "))
}

#[test]
fn formulas_become_mathml() {
    for (source, expected) in [
        ("F_P", "<math><msub><mi>F</mi><mi>P</mi></msub></math>"),
        (
            "k = -1",
            "<math><mi>k</mi><mo>=</mo></math> <math><mo form=\"prefix\">−</mo><mn>1</mn></math>",
        ),
        (
            r"E E^\mathrm{T}",
            "<math><mi>E</mi><msup><mi>E</mi><mi mathvariant=\"normal\">T</mi></msup></math>",
        ),
        (
            r"\hat F_P",
            "<math><msub><mover><mi>F</mi><mo stretchy=\"false\">^</mo></mover><mi>P</mi></msub></math>",
        ),
        (
            r"\frac{a}{b}",
            "<math><mfrac><mi>a</mi><mi>b</mi></mfrac></math>",
        ),
        (
            r"\cos a",
            "<math><mi mathvariant=\"normal\">cos</mi><mspace width=\"0.167em\"></mspace><mi>a</mi></math>",
        ),
        (
            "f(j - i)",
            "<math><mi>f</mi><mo form=\"prefix\" stretchy=\"false\">(</mo><mi>j</mi><mo>−</mo><mi>i</mi><mo form=\"postfix\" stretchy=\"false\">)</mo></math>",
        ),
        ("10{,}000", "<math><mn>10</mn><mn>,</mn><mn>000</mn></math>"),
        (
            r"\mathrm{base}^2",
            "<math><msup><mi mathvariant=\"normal\">base</mi><mn>2</mn></msup></math>",
        ),
        (
            r"a < \text{<b>&}",
            "<math><mi>a</mi><mo>&lt;</mo></math> <math><mtext>&lt;b&gt;&amp;</mtext></math>",
        ),
    ] {
        assert_eq!(formula(source).as_deref(), Ok(expected), "{source}");
    }
}

#[test]
fn what_is_no_formula_is_refused_with_its_line() {
    for (text, says) in [
        ("It is $x", "has no end in its paragraph"),
        ("It costs 5 $ or so.", "\\$ for the sign itself"),
        (r"A $\frac{a$ b.", "braces do not match"),
        (r"A $\foo$ b.", "cannot be read: unknown primitive command"),
        (r"A $\def\a{\a\a}\a$ b.", "“\\def” is not part of it"),
        (r"A $\color{red} x$ b.", "it has a colour"),
        (r"A $\mathbb{R}$ b.", "italic or \\mathrm"),
        (
            r"A $\begin{matrix} a \end{matrix}$ b.",
            "a table or several lines",
        ),
        ("A $$x$$ b.", "between single dollar signs"),
        (
            "> What is $x$?\n>\n> It is $y.",
            "has no end in its paragraph",
        ),
    ] {
        let message = step(text);
        assert!(
            message.contains(says),
            "{text:?} is refused with {message:?}"
        );
        assert!(message.starts_with("Line "), "{message}");
    }
    assert!(step("One.\n\nTwo,\n$three.").starts_with("Line 10: A dollar sign"));
    let long = format!("A ${}$ b.", "x".repeat(501));
    assert!(step(&long).contains("at most 500 bytes"));
    let deep = format!("A ${}x{}$ b.", "{".repeat(40), "}".repeat(40));
    assert!(step(&deep).contains("nested too deeply"));
    assert!(
        refusal("---\ntitle: T\n---\n\n## Of $x^2$\n").contains("title of a step has no formulas")
    );
}

#[test]
fn formulas_and_dollar_signs_are_read() -> Result<(), Box<dyn std::error::Error>> {
    let text = "---\ntitle: Of $ and $\n---\n\n## Five $\n\nIt costs \\$5, a*b*c $a_b*c*$ and `$x$`.\n\n> Is it\n> $k =\n> 1$?\n>\n> Yes.\n";
    let lesson = Lesson::parse(text)?;
    let step = &lesson.steps[0];
    assert_eq!(step.title, "Five $");
    let Block::Paragraph(text) = &step.text[0] else {
        panic!("{:?}", step.text)
    };
    let read = lesson_format::plain(text, &|_| String::new());
    assert_eq!(read, "It costs $5, abc a_b*c* and $x$.");
    let question = step.question.as_ref().ok_or("no question")?;
    assert_eq!(
        lesson_format::plain(&question.asks, &|_| String::new()),
        "Is it k = 1?"
    );
    let is_formula = |piece: &Inline| matches!(piece, Inline::Formula(_));
    assert!(text.iter().any(is_formula) && question.asks.iter().any(is_formula));
    Ok(())
}

/// The markup has no element beside those of MathML, whatever the formula.
fn is_mathml_alone(markup: &str) -> bool {
    const TAGS: [&str; 17] = [
        "math",
        "mi",
        "mn",
        "mo",
        "mtext",
        "mspace",
        "mrow",
        "mfrac",
        "msqrt",
        "mroot",
        "msub",
        "msup",
        "msubsup",
        "munder",
        "mover",
        "munderover",
        "",
    ];
    markup.split('<').skip(1).all(|tag| {
        let name = tag.trim_start_matches('/').split([' ', '>']).next();
        name.is_some_and(|name| TAGS.contains(&name)) && tag.matches('>').count() == 1
    })
}

proptest! {
    #[test]
    fn every_formula_is_mathml_or_refused(source in r#"(\\(frac|sqrt|hat|text|left|right|mathrm|sum|cos|alpha|lVert|color|href)|[-+=<>&"'{}()\[\]|_^,.a-z0-9 ]){0,30}"#) {
        if let Ok(formula) = LessonFormula::parse(&source) {
            for row in formula.mathml {
                prop_assert!(is_mathml_alone(&row), "{row}");
            }
        }
    }

    #[test]
    fn no_text_panics(text in "[-# >*_{}:|`\\n\\[\\]()<a-z0-9=.&?$\\\\^]{0,200}") {
        let _ = Lesson::parse(&text);
        let _ = Lesson::parse(&format!("---\ntitle: T\n---\n\n## Step\n\n{text}"));
    }

    #[test]
    fn whatever_is_taken_comes_back(text in "[-# >*{}:`\\na-z$^_]{0,120}") {
        if let Ok(lesson) = Lesson::parse(&format!("---\ntitle: T\n---\n\n## Step\n\n{text}")) {
            let bytes = lesson.to_bytes().map_err(|error| TestCaseError::fail(error.to_string()))?;
            prop_assert_eq!(Lesson::from_bytes(&bytes).ok(), Some(lesson));
        }
    }
}
