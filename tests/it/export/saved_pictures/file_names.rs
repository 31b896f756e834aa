//! File names: they are safe, and tell apart what differs.

use super::words;
use crate::support::spec;
use diagonal::{
    export::{FileSubject, LabelContext, file_details, file_name, schemes_drawn},
    figure_spec::LabelScope,
    model::PositionKind,
    url_state::{FigureId, Link, VIEWS},
};
use proptest::prelude::*;

#[test]
fn files_are_named_by_figure_and_model() {
    for (model, end) in [
        (None, ""),
        (Some("minilm-l6"), "-minilm-l6"),
        (Some("../../etc/passwd"), "-etc-passwd"),
        (Some("C:\\con\u{202e}gnp.exe "), "-C-con-gnp-exe"),
        (Some("模型 2"), "-模型-2"),
        (Some("<>:\"|?*\0\n"), ""),
    ] {
        let name = file_name(FigureId::PositionMatrix, model, &[]);
        assert_eq!(name, format!("diagonal-position-matrix{end}"));
    }
}

proptest! {
    #[test]
    fn no_model_makes_a_bad_name(model in any::<String>(), letters in "\\PC{0,300}") {
        for model in [model, letters] {
            let details = vec![model.clone(); 5];
            let name = file_name(FigureId::PositionMatrix, Some(&model), &details);
            prop_assert!(name.starts_with("diagonal-position-matrix"));
            prop_assert!(name.len() <= 250, "{} bytes", name.len());
            let plain = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
            prop_assert!(name.chars().all(plain), "{name}");
        }
    }
}

#[test]
fn a_figure_of_schemes_is_named_after_what_it_draws() {
    let named = |query: &str, open| {
        let (link, _) = Link::parse(query);
        schemes_drawn(FigureId::EncodingProfile, &link, open)
    };
    let named_file =
        |name: Option<String>| file_name(FigureId::EncodingProfile, name.as_deref(), &[]);
    let all = "view=encodings";
    assert_eq!(named(all, Some("minilm-l6")).as_deref(), Some("minilm-l6"));
    let all = named_file(named(all, None));
    assert!(
        all.starts_with("diagonal-encoding-profile-sinusoidal-learned-head-tisa"),
        "{all}"
    );
    let link = |ids: [&str; 2]| format!("view=encodings&encodings=show:{},{}", ids[0], ids[1]);
    let two = named_file(named(&link(["alibi", "t5"]), Some("minilm-l6")));
    assert_eq!(two, "diagonal-encoding-profile-alibi-t5");
    assert_eq!(
        schemes_drawn(FigureId::Phasors, &Link::default(), Some("minilm-l6")),
        None
    );
}

/// File name of a figure for a link.
fn named(figure: &str, query: &str) -> String {
    let figure = spec(figure);
    let (link, _) = Link::parse(query);
    let cells = link.heads.cells.unwrap_or_default();
    let subject = FileSubject {
        context: LabelContext {
            figure,
            link: &link,
            cells,
            kind: PositionKind::Table,
            text_tokens: None,
        },
        head: Some((link.heads.layer, link.heads.head)),
        positions: link.kernels.length_beside(None),
    };
    file_name(figure.id, Some("minilm-l6"), &file_details(&subject))
}

#[test]
fn files_carry_layer_and_head() {
    for (figure, query, end) in [
        (
            "head-matrix",
            "?view=heads&layer=3&head=2",
            "layer-3-head-2",
        ),
        (
            "head-matrix",
            "?view=heads&layer=3&head=2&mode=computed&window=0-64,8-72",
            "layer-3-head-2-window-0-64-8-72-computed",
        ),
        (
            "position-matrix",
            "?compare=cosine&part=residual",
            "cosine-residual",
        ),
        (
            "first-layer-none",
            "?view=kernels&layer=3&head=2",
            "layer-1-head-2",
        ),
        (
            "position-matrix",
            "?model=random&rows=96&width=32&seed=7",
            "rows-96-width-32-seed-7",
        ),
        ("training-matrix", "?view=training&step=500", "step-500"),
    ] {
        let expected = format!("diagonal-{figure}-minilm-l6-{end}");
        assert_eq!(named(figure, query), expected);
    }
}

/// Options that change a figure: the text on its sheet, its head, its kernels.
const CHOICES: [(&str, &str); 16] = [
    ("layer=1&head=1", "layer=3&head=2"),
    ("mode=paper", "mode=computed"),
    ("cells=whole", "cells=causal"),
    ("compare=inner", "compare=cosine"),
    ("part=whole", "part=toeplitz"),
    ("part=toeplitz", "part=residual"),
    ("kernels=1:0.25:0", "kernels=1:0.25:1"),
    ("kernels=1:0.25:0", "kernels=1:0.25:0;2:0.5:1"),
    ("kernels=1:0.25:1", "kernels=1:0.25:-1"),
    ("sort=layer", "sort=peak"),
    ("patches=cosine", "patches=inner-product"),
    ("encodings=together", "encodings=n:64"),
    ("n=64", "n=128"),
    ("fit=head.3", "fit=head.5"),
    ("step=100", "step=200"),
    ("planted-waves=shift:2", "planted-waves=one-angle"),
];

#[test]
fn two_downloads_of_a_figure_that_differ_have_two_names() {
    let mut disambiguate = std::collections::BTreeSet::new();
    for figure in FigureId::ALL {
        let id = figure.id();
        let mut views = VIEWS.iter();
        let view = views.find(|(view, ..)| figure.views().contains(view));
        let view = view.expect("a view").1;
        for (one, other) in CHOICES {
            let query = |choice| format!("?view={view}&{choice}");
            let (one, other) = (query(one), query(other));
            let names = (named(id, &one), named(id, &other));
            let differ = words(id, &one) != words(id, &other);
            let place = format!("{id} {one} {other}: {}", names.0);
            assert!(!differ || names.0 != names.1, "{place}");
            let scope = spec(id).scope.in_link(&Link::parse(&one).0);
            let is_of_head = matches!(scope, LabelScope::Head | LabelScope::FirstLayer);
            if is_of_head && one.contains("layer=1") {
                assert!(names.0.contains("-layer-1-head-1"), "{place}");
                assert_ne!(names.0, names.1, "{place}");
            }
            if names.0 != names.1 {
                disambiguate.insert((id, other));
            }
        }
    }
    for (figure, query) in [
        ("kernel-attention", "?view=kernels&n=128"),
        ("fit-attention", "?view=kernels&fit=head.5"),
        ("kernel-function", "?view=kernels&kernels=1:0.25:-1"),
        ("planted-waves", "?view=encodings&planted-waves=one-angle"),
        (
            "planted-attention",
            "?view=encodings&planted-waves=one-angle",
        ),
    ] {
        assert!(
            disambiguate.contains(&(figure, query.to_owned())),
            "{figure}"
        );
    }
}

#[test]
fn names_state_the_order_of_models_where_it_changes_the_figure() {
    for (figure, has_order) in [
        ("compare-matrices", true),
        ("compare-profiles", true),
        ("model-scores", true),
        ("r2-performance", true),
        ("compare-heads", false),
        ("compare-spectra", false),
        ("compare-components", false),
        ("compare-shifts", false),
    ] {
        let name = named(figure, "?view=compare&order=r2");
        assert_eq!(name.contains("order-r2"), has_order, "{name}");
    }
}
