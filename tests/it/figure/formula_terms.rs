//! Terms of formulas and the pictures that they stand for.

use crate::support::root;
use diagonal::{
    analysis::{ConcatenatedHead, HeadConcatenation, ScorePart},
    figure::{
        ColorMap, Figure, FormulaTerm,
        images::{ConcatenatedHeads, HeadHandle, PixelHeads, QueryAttention},
        next_term, part_name,
    },
    figure_spec::{
        FigureSpec,
        formulas::{self, Formula},
        heads::HEAD_GRID,
        specs,
    },
    math::{Grid, PixelHead},
    url_state::{FigureId, View},
};
use roxmltree::Document;
use std::{collections::BTreeSet, fs};

/// The formulas of the kernels view that depend on the open head.
const BESIDE_HEAD: [Formula; 10] = [
    formulas::KERNEL_MATRIX,
    formulas::SCORES_OF_KERNELS,
    formulas::HEAD_SCORES,
    formulas::COMPUTED_SCORES,
    formulas::SCORE_WITH_KERNELS,
    formulas::ADDED_TO_COMPUTED,
    formulas::ATTENTION_OF_HEAD,
    formulas::ATTENTION_COMPUTED,
    formulas::ATTENTION_ADDED,
    formulas::ATTENTION_ADDED_TO_COMPUTED,
];

fn terms(formula: Formula) -> Vec<FormulaTerm> {
    let pieces = formula.pieces().into_iter();
    pieces.filter_map(|piece| piece.term).collect()
}

/// Keys that the formulas mark, in the order of their source.
fn keys_in_source() -> Vec<String> {
    let source = fs::read_to_string(root().join("src/figure_spec/formulas.rs")).expect("source");
    let constants = source.split("pub const").skip(1);
    let keys = constants.flat_map(|constant| constant.split("data-term=\\\"").skip(1));
    let key = |rest: &str| rest.split('\\').next().map(str::to_owned);
    keys.filter_map(key).collect()
}

#[test]
fn every_marked_term_is_known_and_every_known_term_is_marked() {
    let keys: BTreeSet<String> = keys_in_source().into_iter().collect();
    let keys_of_terms = FormulaTerm::IN_FORMULAS.map(FormulaTerm::key);
    assert_eq!(keys, keys_of_terms.into_iter().collect());
    for term in FormulaTerm::IN_FORMULAS {
        assert_eq!(FormulaTerm::from_key(&term.key()), Some(term));
    }
    assert_eq!(FormulaTerm::from_key("no-term"), None);
    let names = FormulaTerm::IN_FORMULAS.map(FormulaTerm::name);
    assert_eq!(BTreeSet::from(names).len(), FormulaTerm::IN_FORMULAS.len());
    assert_eq!(FormulaTerm::ImageHead(2).key(), "head-3");
    assert_eq!(FormulaTerm::ImageHead(2).name(), "head 3");
    for part in ScorePart::ALL {
        let term = FormulaTerm::from_part(part);
        assert_eq!(term.is_none(), part == ScorePart::Rest);
        let name = term.map_or_else(|| part_name(part).to_owned(), FormulaTerm::name);
        assert_eq!(name, part_name(part));
    }
}

/// Pieces lose nothing of a formula, and each is MathML by itself, since the page inserts them one by one.
#[test]
fn pieces_are_mathml_and_add_up_to_their_formula() {
    let of_specs = specs().map(|spec| spec.formula);
    let mut count = 0;
    for formula in of_specs.chain(BESIDE_HEAD).chain([formulas::HEAD_PAPER]) {
        let pieces = formula.pieces();
        let sources: String = pieces.iter().map(|piece| piece.source).collect();
        assert_eq!(sources, formula.0);
        for piece in &pieces {
            let wrapped = format!("<span>{}</span>", piece.source);
            assert!(Document::parse(&wrapped).is_ok(), "{wrapped}");
            assert_eq!(
                piece.source.contains("data-term"),
                piece.term.is_some(),
                "{wrapped}"
            );
        }
        count += pieces.iter().filter(|piece| piece.term.is_some()).count();
    }
    assert!(count >= 20, "{count} terms are not all there are");
    assert!(formulas::NONE.pieces().is_empty());
    let first = formulas::SCORE_TERMS.pieces();
    assert_eq!(first[0].term, Some(FormulaTerm::PartSum));
}

/// In the kernels view a figure is a whole picture of a term, and its own formula has that term.
#[test]
fn every_term_of_equation_4_has_a_figure_in_its_view() {
    let with_terms: Vec<&FigureSpec> = specs().filter(|spec| spec.term.is_some()).collect();
    assert!(with_terms.len() >= 6);
    let of_kernels = specs().filter(|spec| spec.id.views().contains(&View::Kernels));
    let formulas_of_view = of_kernels.map(|spec| spec.formula).chain(BESIDE_HEAD);
    let terms_of_view: Vec<FormulaTerm> = formulas_of_view.flat_map(terms).collect();
    for term in &terms_of_view {
        let has_figure = with_terms
            .iter()
            .any(|spec| spec.term == Some(*term) && spec.id.views().contains(&View::Kernels));
        assert!(has_figure, "{term:?}");
    }
    for spec in with_terms {
        assert!(
            spec.term.is_some_and(|term| terms_of_view.contains(&term)),
            "{:?}",
            spec.id
        );
        let own = terms(spec.formula);
        let is_own = own.is_empty() || own == spec.term.into_iter().collect::<Vec<_>>();
        assert!(is_own, "{:?}", spec.id);
    }
    use FormulaTerm::{ContentScores, EmbeddingScores, HeadScores, KernelScores};
    assert_eq!(
        terms(formulas::ATTENTION_BESIDE),
        [EmbeddingScores, KernelScores]
    );
    assert_eq!(
        terms(formulas::ATTENTION_INSTEAD),
        [ContentScores, KernelScores]
    );
    assert_eq!(
        terms(formulas::SCORE_WITH_KERNELS),
        [HeadScores, KernelScores]
    );
    // The kernels of a fit are not those of the sliders.
    assert!(terms(formulas::ATTENTION).is_empty());
}

/// The terms of equations 9 to 12 are three of the four terms, whose maps a fold of the same view holds.
#[test]
fn terms_of_equations_9_to_12_are_maps_of_the_four_terms() {
    let four = terms(formulas::SCORE_TERMS);
    let paper = terms(formulas::HEAD_PAPER);
    assert_eq!(paper.len(), 3);
    assert!(paper.iter().all(|term| four.contains(term)));
    // Without the product of the mean word with itself, which is the same for all positions.
    assert!(!paper.contains(&FormulaTerm::Part(ScorePart::ContentContent)));
    let group = HEAD_GRID.term_figures.expect("a group");
    assert!(group.figures().contains(&FigureId::ScoreTerms));
    let views = FigureId::ScoreTerms.views();
    assert!(
        FigureId::HeadGrid
            .views()
            .iter()
            .any(|view| views.contains(view))
    );
}

#[test]
fn every_head_of_lemma_1_has_its_dot_and_its_map() {
    let heads: Vec<PixelHead> = [(-1.0, 0.0), (0.0, 1.0), (1.0, -1.0), (0.0, 1.0)]
        .into_iter()
        .map(|centre| PixelHead::round(centre, 2.0))
        .collect();
    // The second and the last head have the same centre, and the open one is on top.
    let open = 1;
    let plot = PixelHeads::new(&heads, open, None);
    let grid = Grid {
        height: 6,
        width: 5,
    };
    let maps = heads.iter().map(|head| head.attention(grid, (3, 2)));
    let maps = QueryAttention::new(grid, (3, 2), maps.collect(), ColorMap::Diverging, false);
    for width in [240.0, 500.0] {
        let dots = plot.terms(width);
        let numbers: BTreeSet<String> = dots.iter().map(|(term, _)| term.key()).collect();
        assert_eq!(numbers.len(), heads.len());
        for (term, place) in &dots {
            let middle = (place.x + place.width / 2.0, place.y + place.height / 2.0);
            let top = dots
                .iter()
                .rev()
                .find(|(_, other)| other.contains(middle.0, middle.1));
            let Some((FormulaTerm::ImageHead(at), _)) = top else {
                panic!("{term:?} has no dot");
            };
            let handle = plot.grasp(width, middle.0, middle.1);
            assert_eq!(handle, Some(HeadHandle::Centre(*at)));
            let is_covered = *term == FormulaTerm::ImageHead(3);
            assert_eq!(*term == FormulaTerm::ImageHead(*at), !is_covered);
        }
        let of_maps: Vec<FormulaTerm> = maps.terms(width).iter().map(|(term, _)| *term).collect();
        let all: Vec<FormulaTerm> = (0..heads.len()).map(FormulaTerm::ImageHead).collect();
        assert_eq!(of_maps, all);
        for (_, place) in maps.terms(width) {
            assert!(place.right() <= width && place.bottom() <= maps.height(width));
        }
    }
}

/// Heads without weight have no rows; the others have theirs, one below the other.
#[test]
fn rows_of_concatenated_heads_stand_for_their_heads() {
    let head = |weight: f64| ConcatenatedHead {
        shift: (0, 0),
        singular_values: vec![weight, 0.0],
        values: vec![1.0, -1.0],
        output: vec![vec![weight], vec![0.0]],
    };
    let figure = ConcatenatedHeads::new(HeadConcatenation {
        head_channels: 2,
        channels: (2, 1),
        heads: [0.5, 0.0, 2.0].map(head).to_vec(),
        output: vec![2.5],
        convolution: vec![2.5],
    });
    let places = figure.terms(400.0);
    let terms: Vec<FormulaTerm> = places.iter().map(|(term, _)| *term).collect();
    assert_eq!(terms, [0, 2].map(FormulaTerm::ImageHead));
    let [(_, first), (_, last)] = places.try_into().expect("two heads");
    assert!(first.height == last.height && first.bottom() < last.y);
    assert!(last.bottom() < figure.height(400.0));
}

#[test]
fn keys_go_through_the_terms_in_a_circle() {
    let terms = [0, 1, 2].map(FormulaTerm::ImageHead);
    let next =
        |current: Option<usize>, back| next_term(&terms, current.map(FormulaTerm::ImageHead), back);
    let head = |at| Some(FormulaTerm::ImageHead(at));
    assert_eq!([next(None, false), next(None, true)], [head(0), head(2)]);
    assert_eq!(
        [next(Some(0), false), next(Some(2), false)],
        [head(1), head(0)]
    );
    assert_eq!(
        [next(Some(0), true), next(Some(2), true)],
        [head(2), head(1)]
    );
    // The term of another figure.
    assert_eq!(next(Some(7), false), head(0));
    assert_eq!(next_term(&[], None, true), None);
    assert_eq!(next_term(&[], head(0), false), None);
}
