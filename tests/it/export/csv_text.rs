//! Text in CSV files: spreadsheets do not interpret it as a formula, and it reads back.

use diagonal::{
    analysis::csv_field,
    encoding::{HeadKernels, Kernel, KernelSet, Kernels, LayerKernels},
    figure::{Column, Figure, Table, images::PixelHeads},
    kernel_io::{from_csv, heads_of_csv, to_csv},
    math::{Covariance, HeadShape, PixelHead},
};
use proptest::prelude::*;

/// Characters with which a spreadsheet formula begins (OWASP, “CSV Injection”).
const FORMULAS: [char; 11] = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'];

/// Parses a CSV file according to RFC 4180.
fn records(text: &str) -> Vec<Vec<String>> {
    let (mut rows, mut field, mut row) = (Vec::new(), String::new(), Vec::new());
    let mut quoted = false;
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' if quoted && letters.peek() == Some(&'"') => {
                letters.next();
                field.push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => row.push(std::mem::take(&mut field)),
            '\n' if !quoted => {
                row.push(std::mem::take(&mut field));
                rows.push(std::mem::take(&mut row));
            }
            other => field.push(other),
        }
    }
    assert!(!quoted && field.is_empty() && row.is_empty(), "{text:?}");
    rows
}

fn is_number(field: &str) -> bool {
    field.parse::<f64>().is_ok()
}

/// Checks that no field of a file begins a formula.
fn assert_harmless(file: &str) {
    for field in records(file).concat() {
        assert!(
            !field.starts_with(FORMULAS) || is_number(&field),
            "{field:?} is a formula"
        );
    }
}

fn names() -> impl Strategy<Value = String> {
    let first = prop::sample::select(vec![
        "=", "+", "-", "@", "\t", "\r", "\n", "", "'", "\"", "-0.5",
    ]);
    (first, any::<String>()).prop_map(|(first, rest)| format!("{first}{rest}"))
}

proptest! {
    #[test]
    fn names_of_models_are_no_formulas(names in prop::collection::vec(names(), 1..5), header in names()) {
        let numbers: Vec<f64> = (0..names.len()).map(|at| -0.5 - at as f64).collect();
        let table = Table::new()
            .with("model", Column::Name(names.clone()))
            .with(header, Column::Number(numbers.clone()))
            .with("offset", Column::Whole(numbers.iter().map(|value| *value as i64).collect()));
        let file = table.csv();
        assert_harmless(&file);
        let rows = records(&file);
        prop_assert_eq!(rows.len(), names.len() + 1);
        for ((name, number), row) in names.iter().zip(&numbers).zip(&rows[1..]) {
            // An apostrophe is the only change.
            prop_assert!(row[0] == *name || row[0] == format!("'{name}"), "{:?} {name:?}", row[0]);
            prop_assert_eq!(row[1].parse::<f64>(), Ok(*number));
            prop_assert_eq!(row[2].parse::<f64>(), Ok(number.trunc()));
        }
    }

    #[test]
    fn a_text_is_written_once(text in names()) {
        let field = csv_field(&text).into_owned();
        prop_assert_eq!(records(&format!("{field}\n")).concat().len(), 1);
    }
}

#[test]
fn numbers_stay_numbers() {
    for number in ["-0.5", "+1", "-3e-7", "0", "12"] {
        assert_eq!(csv_field(number), number);
    }
    for (text, field) in [
        ("=1+2", "'=1+2"),
        ("-inf", "'-inf"),
        ("@SUM(A1)", "'@SUM(A1)"),
        (
            "=HYPERLINK(\"http://x\",1)",
            "\"'=HYPERLINK(\"\"http://x\"\",1)\"",
        ),
        ("-1+1", "'-1+1"),
        ("bert-base", "bert-base"),
        ("a,b", "\"a,b\""),
    ] {
        assert_eq!(csv_field(text), field);
    }
}

#[test]
fn kernels_and_heads_read_back_what_was_written() {
    let kernel = |a, c| Kernel::new(a, 0.25, c);
    let set = KernelSet {
        layers: vec![LayerKernels {
            layer: 0,
            heads: vec![Some(HeadKernels {
                kernels: Kernels(vec![kernel(-0.5, -37.8), kernel(2.5, 3.0)]),
                intercept: Some(-1.25),
            })],
        }],
    };
    let file = to_csv(&set).expect("kernels");
    assert_harmless(&file);
    assert!(file.contains("-0.5") && !file.contains('\''), "{file}");
    assert_eq!(from_csv(&file).expect("the same"), set);

    let head = |dy: f64, dx: f64, shape| PixelHead {
        centre: (dy, dx),
        shape,
    };
    let oval = Covariance {
        yy: 2.0,
        yx: -0.5,
        xx: 1.0,
    };
    let heads = [
        head(-1.0, 2.5, HeadShape::Round(0.5)),
        head(-3.0, -0.25, HeadShape::Oval(oval)),
    ];
    let file = PixelHeads::new(&heads, 0, None).table().csv();
    assert_harmless(&file);
    assert!(!file.contains('\''), "{file}");
    let read = heads_of_csv(&file).expect("heads");
    let centres = |heads: &[PixelHead]| heads.iter().map(|head| head.centre).collect::<Vec<_>>();
    assert_eq!(centres(&read), centres(&heads));
}
