//! Numbers of the preset in guides equal those of its figures.

use crate::lesson_checks::lesson_columns::Preset;
use diagonal::{
    figure_help::{Guide, PositionFamily},
    figure_spec::{positions::POSITION_TABLE, specs},
    lesson_checks::LessonValue,
    url_state::Link,
};
use lesson_format::Number;

/// A number as written in a guide, the link of its figure, and its place in the figure's table.
type Written = (&'static str, &'static str, &'static str);

/// The paper's formula and the model's computation, for a head of the first layer.
const PAPER: &str = "view=heads&model=minilm-l6";
const COMPUTED: &str = "view=heads&model=minilm-l6&mode=computed";
const POSITIONS: &str = "view=positions&model=minilm-l6";
const CORNER: &str = "view=positions&model=minilm-l6&window=0-32,0-32";

/// Every number of the preset in a guide, in the order of the sentence.
const NUMBERS: &[(&str, &[Written])] = &[
    (
        "model-scores",
        &[
            (
                "0.477",
                POSITIONS,
                "toeplitz-scores: r2_off_diagonal where scope=whole",
            ),
            (
                "0.004",
                POSITIONS,
                "toeplitz-scores: r2_off_diagonal_random where scope=whole",
            ),
            (
                "0.430",
                POSITIONS,
                "toeplitz-scores: r2_random where scope=whole",
            ),
        ],
    ),
    (
        "compare-heads",
        &[
            ("0.55", PAPER, "head-grid: mean r2 where layer=1"),
            ("0.64", PAPER, "head-grid: mean r2 where layer=4"),
            ("0.10", PAPER, "head-grid: min r2"),
            ("0.89", PAPER, "head-grid: max r2"),
        ],
    ),
    (
        "head-grid",
        &[
            ("0.10", PAPER, "head-grid: min r2 where layer=1"),
            ("0.84", PAPER, "head-grid: max r2 where layer=1"),
        ],
    ),
    (
        "head-matrix",
        &[
            ("0.84", PAPER, "head-grid: r2 where layer=1 and head=1"),
            ("0.83", COMPUTED, "head-grid: r2 where layer=1 and head=1"),
            ("0.10", PAPER, "head-grid: r2 where layer=1 and head=12"),
            ("0.12", COMPUTED, "head-grid: r2 where layer=1 and head=12"),
        ],
    ),
    (
        "position-dependence",
        &[(
            "74 %",
            "view=heads&model=minilm-l6&mode=computed&layer=1&head=6",
            "position-dependence: mean_word where offset=-1",
        )],
    ),
    (
        "head-attention",
        &[(
            "94 %",
            "view=kernels&model=minilm-l6&mode=computed&layer=1&head=6",
            "attention-looks: sum head where offset>=-4 and offset<=4",
        )],
    ),
    (
        "attention-looks",
        &[(
            "0.96",
            "view=kernels&model=minilm-l6&mode=computed&layer=1&head=6",
            "attention-looks: head_entropy",
        )],
    ),
    (
        "kernel-fit",
        &[
            (
                "0.78",
                "view=kernels&model=minilm-l6&layer=1&head=2",
                "fit-curve: r2 where kernels=1",
            ),
            (
                "1.00",
                "view=kernels&model=minilm-l6&layer=1&head=2",
                "fit-curve: r2 where kernels=5",
            ),
        ],
    ),
    (
        "fit-curve",
        &[
            (
                "0.56",
                "view=kernels&model=minilm-l6&layer=1&head=12",
                "fit-curve: r2 where kernels=1",
            ),
            (
                "0.94",
                "view=kernels&model=minilm-l6&layer=1&head=12",
                "fit-curve: r2 where kernels=3",
            ),
        ],
    ),
    (
        "fit-grid",
        &[
            (
                "1.00",
                "view=kernels&model=minilm-l6&layer=1&fit=layer.5",
                "fit-grid: r2 where head=2",
            ),
            (
                "1.00",
                "view=kernels&model=minilm-l6&layer=1&fit=layer.5",
                "fit-grid: r2 where head=10",
            ),
            (
                "0.43",
                "view=kernels&model=minilm-l6&layer=1&fit=layer.5",
                "fit-grid: r2 where head=3",
            ),
        ],
    ),
    (
        "parameter-count",
        &[
            (
                "1,080",
                "view=kernels&model=minilm-l6",
                "parameter-count: parameters where method=tisa",
            ),
            (
                "196,608",
                "view=kernels&model=minilm-l6",
                "parameter-count: parameters where method=learned",
            ),
            (
                "491,520",
                "view=kernels&model=minilm-l6",
                "parameter-count: parameters where method=untied",
            ),
        ],
    ),
    (
        "position-matrix",
        &[
            ("5.58", CORNER, "position-matrix: key_0 where query=0"),
            ("0.24", CORNER, "position-matrix: key_1 where query=1"),
        ],
    ),
    (
        "offset-profile",
        &[
            ("0.23", POSITIONS, "profile-means: mean where offset=0"),
            ("0.10", POSITIONS, "profile-means: mean where offset=3"),
            ("0.15", POSITIONS, "profile-means: mean where offset=6"),
        ],
    ),
    (
        "toeplitz-scores",
        &[
            ("0.474", POSITIONS, "toeplitz-scores: r2 where scope=whole"),
            (
                "0.430",
                POSITIONS,
                "toeplitz-scores: r2_random where scope=whole",
            ),
            (
                "0.477",
                POSITIONS,
                "toeplitz-scores: r2_off_diagonal where scope=whole",
            ),
            (
                "0.004",
                POSITIONS,
                "toeplitz-scores: r2_off_diagonal_random where scope=whole",
            ),
            (
                "0.522",
                POSITIONS,
                "toeplitz-scores: r2_off_diagonal where scope=leading-128",
            ),
            (
                "0.961",
                POSITIONS,
                "toeplitz-scores: r2_off_diagonal where scope=window-128-255",
            ),
        ],
    ),
    (
        "autocorrelation",
        &[
            (
                "0.77",
                POSITIONS,
                "autocorrelation: mean_absolute where lag=1",
            ),
            (
                "0.43",
                POSITIONS,
                "autocorrelation: mean_absolute where lag=4",
            ),
            (
                "0.61",
                POSITIONS,
                "autocorrelation: mean_absolute where lag=6",
            ),
        ],
    ),
    (
        "head-rotation",
        &[(
            "0.96",
            "view=waves&model=minilm-l6&layer=1&head=3",
            "head-rotation: shift",
        )],
    ),
];

/// Figures whose guide has numbers of the preset that are not in their table.
const ELSEWHERE: [&str; 1] = [
    // Its extremes are tested in `the_table_of_the_preset_is_as_its_guide_says`.
    "position-table",
];

/// Decimals, percentages and numbers with thousands separators in a sentence.
fn numbers_in(sentence: &str) -> Vec<&str> {
    let words = sentence.split([' ', ';', ':']);
    let trimmed = words.map(|word| word.trim_end_matches(['.', ',']));
    trimmed
        .filter(|word| word.starts_with(|c: char| c.is_ascii_digit()) && word.contains(['.', ',']))
        .collect()
}

fn sentences() -> impl Iterator<Item = (&'static str, Guide<'static>)> {
    specs().filter_map(|spec| {
        let guide = spec.guide(PositionFamily::Table).expect("help");
        let speaks_of_it = guide.look_for.contains("MiniLM") || guide.reading.contains("MiniLM");
        speaks_of_it.then_some((spec.id.id(), guide))
    })
}

#[test]
fn guides_give_the_numbers_of_the_figures() {
    let mut preset = Preset::open();
    for (figure, guide) in sentences() {
        let found = numbers_in(guide.look_for);
        if ELSEWHERE.contains(&figure) || found.is_empty() && !guide.look_for.contains('%') {
            continue;
        }
        let entry = NUMBERS.iter().find(|(id, _)| *id == figure);
        let (_, numbers) =
            entry.unwrap_or_else(|| panic!("{figure} gives {found:?}, which nothing holds"));
        for number in &found {
            // The minimum coherence of a line is a rule, not a number of the preset.
            if (figure, *number) == ("head-rotation", "0.5") {
                continue;
            }
            assert!(
                numbers.iter().any(|(written, ..)| written == number),
                "{figure}: {number} is held by nothing"
            );
        }
        for (written, state, expression) in *numbers {
            assert!(
                guide.look_for.contains(written),
                "{figure}: no {written} in “{}”",
                guide.look_for
            );
            let (link, _) = Link::parse(state);
            let number = Number::parse(expression).expect("an expression");
            let value = preset
                .read(&number, &link)
                .unwrap_or_else(|| panic!("{expression} is not made"));
            let value = value.unwrap_or_else(|why| panic!("{expression}: {why}"));
            assert_eq!(
                &as_written(&value, written),
                written,
                "{figure}: {expression}"
            );
        }
    }
    for (figure, _) in NUMBERS {
        assert!(
            sentences().any(|(id, _)| id == *figure),
            "{figure} gives no numbers"
        );
    }
}

/// Formats a value with as many places as a guide's number.
fn as_written(value: &LessonValue, written: &str) -> String {
    let number = value.number().expect("a number");
    if let Some(percent) = written.strip_suffix(" %") {
        let places = percent
            .split_once('.')
            .map_or(0, |(_, places)| places.len());
        return format!("{:.places$} %", 100.0 * number);
    }
    if written.contains(',') {
        let digits = format!("{number:.0}");
        let (thousands, rest) = digits.split_at(digits.len() - 3);
        return format!("{thousands},{rest}");
    }
    let places = written
        .split_once('.')
        .map_or(0, |(_, places)| places.len());
    format!("{number:.places$}")
}

#[test]
fn the_table_of_the_preset_is_as_its_guide_says() {
    let table = crate::math::table_waves::preset_table();
    let highest = table
        .row(0)
        .iter()
        .copied()
        .fold(f32::MIN, |a, b| a.max(b.abs()));
    let mean = table
        .iter()
        .map(|value| f64::from(value.abs()))
        .sum::<f64>()
        / table.len() as f64;
    let guide = POSITION_TABLE.guide(PositionFamily::Table).expect("help");
    assert!(
        guide.look_for.contains(&format!("{highest:.2}")),
        "{highest}"
    );
    assert!(guide.look_for.contains(&format!("{mean:.2}")), "{mean}");
}
