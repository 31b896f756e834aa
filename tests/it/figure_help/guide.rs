//! The guide to the figures: every figure has one for every kind of model, and its lines are short and complete.

use diagonal::{
    figure_help::{Guide, Paper, PositionFamily, Source},
    figure_spec::FigureSpec,
    url_state::{FigureId, VIEWS, View},
};
use std::collections::BTreeSet;

/// The longest line, in characters.
const LONGEST: usize = 220;

/// Every guide: the figure, the kind of positions, the guide.
fn guides() -> impl Iterator<Item = (&'static str, PositionFamily, Guide<'static>)> {
    FigureId::ALL.iter().flat_map(|figure| {
        PositionFamily::ALL
            .into_iter()
            .map(|subject| (figure.id(), subject, guide(*figure, subject)))
    })
}

fn guide(figure: FigureId, subject: PositionFamily) -> Guide<'static> {
    let spec = FigureSpec::find(figure).expect("a specification");
    let guide = spec.guide(subject);
    guide.unwrap_or_else(|error| panic!("{}.txt, {error}", figure.id()))
}

fn sources() -> impl Iterator<Item = (&'static str, Source<'static>)> {
    guides().flat_map(|(figure, _, guide)| {
        guide
            .sources
            .into_iter()
            .map(move |source| (figure, source))
    })
}

/// Whether a text is one or more sentences, each with a full stop, separated by single spaces.
fn is_whole(text: &str) -> bool {
    let begins = text
        .chars()
        .next()
        .is_some_and(|c| !c.is_whitespace() && !c.is_lowercase());
    begins && text.ends_with('.') && !text.ends_with("..") && !text.contains("  ")
}

#[test]
fn questions_are_one_sentence_that_asks() {
    for (figure, subject, Guide { question, .. }) in guides() {
        let asks = question.strip_suffix('?');
        let asks = asks.is_some_and(|rest| !rest.is_empty() && !rest.contains(['?', '.', '!']));
        assert!(asks, "{figure}, {subject:?}: {question}");
    }
}

#[test]
fn lines_are_short_and_end_with_a_stop() {
    for (figure, subject, guide) in guides() {
        let statements = guide.sources.iter().map(|source| source.says);
        for line in [guide.reading, guide.look_for]
            .into_iter()
            .chain(statements)
        {
            assert!(is_whole(line), "{figure}, {subject:?}: {line}");
        }
        let places = guide.sources.iter().map(|source| source.place);
        let lines = [guide.question, guide.reading, guide.look_for].into_iter();
        let lines = lines.chain(guide.sources.iter().map(|source| source.says));
        for line in lines.chain(places) {
            let length = line.chars().count();
            assert!(length <= LONGEST, "{figure}, {length} characters: {line}");
        }
    }
}

/// A question or a reading belongs to one figure; it may be the same for all kinds of models.
#[test]
fn no_two_figures_of_a_view_share_a_line() {
    let in_view = |view: View| {
        let figures = FigureId::ALL.iter().copied();
        figures.filter(move |figure| figure.views().contains(&view))
    };
    for (view, ..) in VIEWS.iter().copied() {
        for subject in PositionFamily::ALL {
            let lines = |of: fn(Guide<'static>) -> &'static str| -> (usize, BTreeSet<&str>) {
                let found = in_view(view).map(|figure| guide(figure, subject));
                let found: Vec<&str> = found.map(of).collect();
                (found.len(), found.into_iter().collect())
            };
            let of_guide: [fn(Guide<'static>) -> &'static str; 2] =
                [|guide| guide.question, |guide| guide.reading];
            for of in of_guide {
                let (count, different) = lines(of);
                assert_eq!(
                    count,
                    different.len(),
                    "{view:?}, {subject:?}: {different:?}"
                );
            }
        }
    }
}

/// Papers number their equations, figures and sections; the posts have only headings.
#[test]
fn sources_name_a_place_that_can_be_found() {
    for (figure, Source { paper, place, .. }) in sources() {
        let found = match paper {
            Paper::LearnedEmbeddings | Paper::SinusoidalDotProducts => {
                place.starts_with("section “") && place.ends_with('”')
            }
            Paper::Tisa | Paper::SinusoidLikeWaves | Paper::SelfAttentionAndConvolution => {
                place.contains(|c: char| c.is_ascii_digit())
            }
        };
        assert!(found, "{figure}, {paper:?}: {place}");
    }
}

#[test]
fn every_paper_is_cited_with_its_year() {
    let cited: BTreeSet<&str> = sources()
        .map(|(_, source)| source.paper.citation())
        .collect();
    assert_eq!(cited.len(), 5, "{cited:?}");
    for (_, Source { paper, .. }) in sources() {
        let names_year = paper.citation().split([' ', ',']).any(|word| {
            word.len() == 4 && word.starts_with("20") && word.bytes().all(|b| b.is_ascii_digit())
        });
        assert!(names_year, "{}", paper.citation());
        let address = paper.address().unwrap_or("https://");
        assert!(address.starts_with("https://"), "{address}");
    }
}

/// Guides of scores by offset mention neither tables nor the two ways to compute a table's scores.
#[test]
fn scores_by_offset_have_no_words_of_tables() {
    let figures = FigureId::ALL.iter().copied();
    for figure in figures.filter(|figure| figure.views().contains(&View::Heads)) {
        for subject in [PositionFamily::Offset, PositionFamily::Window] {
            let guide = guide(figure, subject);
            for line in [guide.question, guide.reading, guide.look_for] {
                for words in ["weights only", "LayerNorm", "table", "mean word", "MiniLM"] {
                    assert!(!line.contains(words), "{figure:?}, {subject:?}: {line}");
                }
            }
        }
    }
}
