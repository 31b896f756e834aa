//! Marks of the table: they are those of the paper, in words and in downloads.

use super::{around, at_first, cells};
use diagonal::{
    analysis::criteria::{
        CRITERIA, CRITERION_IDS, Verdict, WAY_IDS, WAYS,
        demonstrations::{Quantity, demonstrate},
        parameters::criterion_parameters,
        verdict,
    },
    figure::{Figure, Judgements},
    url_state::default_kernels,
};

#[test]
fn the_marks_are_the_papers() {
    let marks: Vec<String> = (0..WAYS.len())
        .map(|way| {
            (0..CRITERIA.len())
                .map(|criterion| verdict(way, criterion).expect("a mark").0.is_yes())
                .map(|yes| if yes { '✓' } else { '✗' })
                .collect()
        })
        .collect();
    assert_eq!(
        marks,
        [
            "✓✗✓✗✓✗",
            "✗✓✗✗✓✗",
            "✗✓✓✓✗✗",
            "✗✓✓✓✓✓",
            "✓✓✓✗✗✗",
            "✗✓✓✗✓✗",
            "✗✓✗✗✓✗",
            "✓✗✓✓✓✗",
            "✓✓✓✓✓✓",
        ]
    );
}

#[test]
fn every_cell_has_an_argument_and_something_that_moves() {
    let kernels = default_kernels();
    for (way, criterion) in cells() {
        let place = format!("{}.{}", WAY_IDS[way], CRITERION_IDS[criterion]);
        let (_, argument) = verdict(way, criterion).expect("a mark");
        assert!(
            argument.ends_with('.') && argument.len() > 30,
            "{place}: {argument}"
        );
        let parameters = criterion_parameters(way, criterion);
        let first = at_first(way, criterion);
        assert!(
            first.words.ends_with('.') && !first.numbers.is_empty(),
            "{place}"
        );
        let mut moved = false;
        for (at, parameter) in parameters.iter().enumerate() {
            assert_eq!(
                parameter.near(parameter.start),
                parameter.start,
                "{place}: {}",
                parameter.name
            );
            for value in [
                parameter.low,
                parameter.high,
                (parameter.low + parameter.high) / 2.0,
            ] {
                let mut values: Vec<f64> =
                    parameters.iter().map(|parameter| parameter.start).collect();
                values[at] = value;
                let other = demonstrate(way, criterion, &values, &around(&kernels)).expect("one");
                for (name, quantity) in &other.numbers {
                    let finite = match quantity {
                        Quantity::Count(_) => true,
                        Quantity::Share(share) => (0.0..=1.0).contains(share),
                        Quantity::Number(value) => value.is_finite(),
                    };
                    assert!(finite, "{place}: {name} is {quantity:?}");
                }
                moved |= other.picture != first.picture;
            }
        }
        assert!(moved, "{place}: nothing moves");
    }
    assert_eq!(verdict(WAYS.len(), 0), None);
    assert_eq!(demonstrate(0, CRITERIA.len(), &[], &around(&kernels)), None);
    assert!(criterion_parameters(0, CRITERIA.len()).is_empty());
}

#[test]
fn a_mark_is_said_in_words() {
    let words = [Verdict::Yes, Verdict::No, Verdict::YesBut, Verdict::NoBut].map(Verdict::in_words);
    assert_eq!(words, ["yes", "no", "yes, arguably", "no, arguably"]);
    for (way, criterion) in cells() {
        let (verdict, _) = verdict(way, criterion).expect("a mark");
        let words = verdict.in_words();
        assert_eq!(words.starts_with("yes"), verdict.is_yes());
        assert_eq!(words.ends_with("arguably"), verdict.is_arguable());
    }
}

#[test]
fn downloads_have_the_whole_table() {
    let csv = Judgements::default().table().csv();
    let lines: Vec<&str> = csv.lines().collect();
    assert!(
        lines[0].starts_with("method,criterion,paper,note,arguable,measure_1,value_1,"),
        "{}",
        lines[0]
    );
    assert_eq!(lines.len(), 1 + 54);
    assert!(
        lines[4].starts_with("sinusoidal,translation-invariant,no,"),
        "{}",
        lines[4]
    );
    assert!(lines[4].contains(",yes,Toeplitz R²"), "{}", lines[4]);
    assert!(
        lines[54].starts_with("tisa,interpretable,yes,"),
        "{}",
        lines[54]
    );
    assert!(Judgements::default().summary().contains("TISA 6"));
}
