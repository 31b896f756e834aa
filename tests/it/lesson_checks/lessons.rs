//! The shipped lessons refer to existing figures, and their numbers are parsed correctly.

use crate::support::root;
use diagonal::{
    figure::{Column, Table},
    lesson_checks::{ClaimResult, LessonValue, judge, read},
    url_state::{FigureId, Link},
};
use lesson_format::{Claim, Lesson, Number, NumberSource};
use std::{collections::BTreeSet, fs};

/// Maximum words of a step.
const MOST_WORDS: usize = 60;

/// Every lesson with its identifier.
pub(crate) fn lessons() -> Vec<(String, Lesson)> {
    let folder = root().join("www/lessons");
    let mut found: Vec<(String, Lesson)> = fs::read_dir(folder)
        .expect("lessons")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| !path.ends_with("README.md"))
        .map(|path| {
            let id = path.file_stem().and_then(|name| name.to_str());
            let id = id.expect("a name").to_owned();
            let text = fs::read_to_string(&path).expect("a text");
            let lesson = Lesson::parse(&text).unwrap_or_else(|error| panic!("{id}: {error}"));
            (id, lesson)
        })
        .collect();
    found.sort_by(|(one, _), (other, _)| one.cmp(other));
    found
}

/// The state of every step; a step without one keeps the previous state.
pub(crate) fn states(lesson: &Lesson) -> Vec<Option<&str>> {
    let mut now = None;
    lesson
        .steps
        .iter()
        .map(|step| {
            now = step.state.as_deref().or(now);
            now
        })
        .collect()
}

#[test]
fn there_are_sixteen_closed_stories() {
    let lessons = lessons();
    assert_eq!(lessons.len(), 16);
    for (at, (id, lesson)) in lessons.iter().enumerate() {
        assert!(id.starts_with(&format!("{:02}-", at + 1)), "{id}");
        assert!(!lesson.head.about.is_empty() && !lesson.head.source.is_empty());
        let steps = lesson.steps.len();
        assert!((8..=15).contains(&steps), "{id} has {steps} steps");
        let questions = lesson.steps.iter().filter(|step| step.question.is_some());
        assert!(3 * questions.count() >= steps, "{id} asks too little");
    }
}

#[test]
fn every_step_is_short_and_complete() {
    for (id, lesson) in lessons() {
        for (at, step) in lesson.steps.iter().enumerate() {
            let place = format!("{id}, step {}", at + 1);
            let words = step.words();
            assert!(words <= MOST_WORDS, "{place} has {words} words");
            assert!(!step.notes.is_empty(), "{place} has no notes");
            assert!(!step.source.is_empty(), "{place} names no source");
            assert!(!step.light.is_empty(), "{place} lights nothing");
        }
        assert!(lesson.steps[0].state.is_some(), "{id} begins nowhere");
    }
}

#[test]
fn every_state_is_understood_and_shows_what_is_spoken_of() {
    for (id, lesson) in lessons() {
        for (at, (step, state)) in lesson.steps.iter().zip(states(&lesson)).enumerate() {
            let place = format!("{id}, step {}", at + 1);
            let (link, unknown) = Link::parse(state.expect("a state"));
            assert_eq!(unknown.count(), 0, "{place}: {:?}", unknown.message());
            assert!(!link.model.is_remote(), "{place} needs a network");
            let named = step.light.iter().map(String::as_str);
            for figure in named.chain(step.numbers().filter_map(Number::figure)) {
                let id = FigureId::from_id(figure).unwrap_or_else(|| panic!("{place}: {figure}"));
                assert!(id.views().contains(&link.view), "{place}: {figure}");
            }
        }
    }
}

/// Placeholders identify a step by its title, so titles are unique in a lesson.
#[test]
fn steps_are_told_apart_by_their_titles() {
    for (id, lesson) in lessons() {
        let titles: BTreeSet<&str> = lesson.steps.iter().map(|step| &*step.title).collect();
        assert_eq!(titles.len(), lesson.steps.len(), "{id}");
    }
}

fn table() -> Table {
    Table::new()
        .with(
            "scope",
            Column::Name(vec![
                "whole".into(),
                "leading-32".into(),
                "leading-64".into(),
            ]),
        )
        .with("rows", Column::Whole(vec![512, 32, -64]))
        .with("cells", Column::Whole(vec![4096, 16_384, -18_874_368]))
        .with("r2", Column::Number(vec![0.4742, f64::NAN, 0.1731]))
}

fn value(text: &str) -> Result<LessonValue, String> {
    let NumberSource::Figure { reading, rows, .. } = Number::parse(text)?.of else {
        return Err("of a model".to_owned());
    };
    read(&reading, &rows, &table())
}

fn written(text: &str) -> String {
    let writing = Number::parse(text).expect("a number").writing;
    value(text).map_or_else(|why| why, |value| value.format(writing))
}

#[test]
fn numbers_are_read_from_tables() {
    for (number, expected) in [
        ("f: r2 where scope=whole", "0.474"),
        ("f: r2 where scope=whole | 2 digits", "0.47"),
        ("f: r2 where scope=whole | percent", "47.4 %"),
        ("f: rows where rows<0", "−64"),
        ("f: rows where rows<0 | size", "64"),
        ("f: cells where rows=512", "4096"),
        ("f: max cells", "16,384"),
        ("f: min cells", "−18,874,368"),
        ("f: max r2", "0.474"),
        ("f: min r2", "0.173"),
        ("f: scope at min r2", "leading-64"),
        ("f: rows at max rows", "512"),
        ("f: mean r2", "0.324"),
        ("f: sum rows", "480"),
        ("f: count", "3"),
        ("f: count where rows>=32", "2"),
        ("f: count where scope=whole and rows>600", "0"),
        ("f: r2 where scope=leading-32", "not a number"),
        ("f: r2 where scope=nowhere", "no row of the table fits"),
        ("f: r3", "the table has no column “r3”"),
        ("f: r2 where r3=1", "the table has no column “r3”"),
    ] {
        assert_eq!(written(number), expected, "{number}");
    }
}

#[test]
fn numbers_keep_their_digits() {
    let written = |value: f64, digits: u8| {
        let writing = Number::parse(&format!("f: x | {digits} digits"));
        LessonValue::Number(value).format(writing.expect("a number").writing)
    };
    assert_eq!(written(0.0, 3), "0");
    assert_eq!(written(-12.66, 3), "−12.7");
    assert_eq!(written(1831.4, 3), "1831");
    assert_eq!(written(0.000_012_345, 2), "0.000012");
    assert_eq!(written(8.9e-16, 2), "8.9e−16");
    assert_eq!(written(f64::NAN, 2), "not a number");
}

#[test]
fn claims_are_looked_at() {
    let looked = |text: &str| {
        let claim = Claim::parse(text).expect("a claim");
        judge(&claim, |number| match &number.of {
            NumberSource::Figure { reading, rows, .. } => read(reading, rows, &table()).ok(),
            NumberSource::Model(_) => None,
        })
    };
    assert_eq!(looked("{f: max r2} < 0.5"), ClaimResult::Holds);
    assert_eq!(
        looked("{f: max r2} near 0.5 within 0.03"),
        ClaimResult::Holds
    );
    assert_eq!(looked("{model: rows} > 3"), ClaimResult::Waiting);
    assert_eq!(
        looked("{f: max r2} > {f: count}"),
        ClaimResult::Fails("Here 0.474 is not greater than 3.".to_owned())
    );
    // NaN makes no claim true.
    assert!(matches!(
        looked("{f: r2 where scope=leading-32} < 1"),
        ClaimResult::Fails(_)
    ));
}

#[test]
fn a_link_leaves_its_state_to_the_lesson_unless_it_says_more() {
    let of = |query: &str| Link::parse(query).0;
    assert!(of("lesson=04-toeplitz&lesson-step=3&present=").leaves_state_to_lesson());
    assert!(of("lesson=04-toeplitz&compute=cpu").leaves_state_to_lesson());
    assert!(!of("lesson=04-toeplitz&view=heads").leaves_state_to_lesson());
    assert!(!of("compute=cpu").leaves_state_to_lesson());
    // A run that the training view has opened as a model changes nothing that the step shows.
    let step = of("lesson=12-watch-it-learn&view=training&train=chain.learned.m.1.800");
    let list = |models: &str| of(&format!("{}&models={models}", step.query()));
    assert!(list("model:run,run:chain.learned.m.1.800").shows_as(&step));
    assert!(list("model:minilm-l6;model:run,run:chain.learned.m.1.800").shows_as(&step));
    assert!(!list("model:minilm-l6;model:sinusoidal").shows_as(&step));
    // Filling in the state does not make a history entry; the next step does.
    let filled = of("lesson=04-toeplitz&lesson-step=3")
        .in_state("view=heads")
        .0;
    assert!(!filled.is_step_from(&of("lesson=04-toeplitz&lesson-step=3")));
    assert!(filled.is_step_from(&of("lesson=04-toeplitz")));
    assert!(filled.is_step_from(&of("view=kernels&lesson=04-toeplitz&lesson-step=3")));
    // A step's state can neither open another lesson nor embed.
    let (link, _) = of("lesson=a&lesson-step=2").in_state("view=heads&lesson=b&embed=head-grid");
    assert_eq!(link.lesson.lesson.as_deref(), Some("a"));
    assert_eq!(link.lesson.step, 1);
    assert_eq!(link.embed.figure, None);
}

#[test]
fn an_embedded_figure_brings_its_view() {
    let (link, warnings) = Link::parse("embed=head-grid");
    assert_eq!(warnings.count(), 0);
    assert_eq!(
        link.query(),
        "view=heads&model=minilm-l6&layer=1&head=1&embed=head-grid"
    );
    let (link, warnings) = Link::parse("embed=nothing&view=heads");
    assert_eq!((warnings.count(), link.embed.figure), (1, None));
}
