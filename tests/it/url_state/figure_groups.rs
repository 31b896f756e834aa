//! Groups of figures: each link that names a figure unfolds its group, and a folded group is named no more.

use super::{any_link::link, link_history::parse};
use diagonal::url_state::{FigureGroup, FigureId, Link};
use proptest::prelude::*;

#[test]
fn every_group_has_figures_of_one_view_and_no_figure_is_in_two() {
    let mut seen: Vec<FigureId> = Vec::new();
    for group in FigureGroup::ALL {
        let figures = group.figures();
        let first = figures.first().expect("a figure");
        for figure in figures {
            assert!(!seen.contains(figure), "{figure:?} is in two groups");
            assert_eq!(figure.views().first(), first.views().first(), "{figure:?}");
            seen.push(*figure);
        }
    }
}

#[test]
fn a_link_that_names_a_figure_unfolds_its_group() {
    assert!(
        FigureGroup::ALL
            .iter()
            .all(|group| !Link::default().unfolds(*group))
    );
    for group in FigureGroup::ALL {
        for figure in group.figures() {
            for key in ["numbers", "guides", "embed"] {
                let (link, message) = parse(&format!("{key}={}", figure.id()));
                assert_eq!(message, None);
                let unfolded = FigureGroup::ALL.map(|other| link.unfolds(other));
                let expected = FigureGroup::ALL.map(|other| other == group);
                assert_eq!(unfolded, expected, "{key} of {figure:?}");
            }
        }
        let (link, message) = parse(&format!("more={}", group.id()));
        assert!(message.is_none() && link.unfolds(group), "{group:?}");
    }
    assert!(parse("more=no-group").1.is_some());
}

/// Such links were copied when the figures were always unfolded.
#[test]
fn a_link_with_a_choice_in_a_folded_figure_unfolds_it() {
    for (query, group) in [
        ("plane=space", FigureGroup::TableWaves),
        ("seen-from=11:20", FigureGroup::TableWaves),
        ("wave-offsets=all", FigureGroup::HeadWaves),
        ("wave-part=key", FigureGroup::LayerWaves),
        ("section-scales=common", FigureGroup::LayerSections),
        ("section-fits=kernels", FigureGroup::LayerSections),
        ("count=3", FigureGroup::ParameterCounts),
        ("fit=head.5&fit-offsets=all", FigureGroup::FitBesideHead),
    ] {
        let (link, message) = parse(query);
        assert!(message.is_none() && link.unfolds(group), "{query}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_group_unfolds_and_folds(link in link(), at in 0..FigureGroup::ALL.len()) {
        let group = FigureGroup::ALL[at];
        let mut unfolded = link.clone();
        unfolded.unfold_group(group, true);
        prop_assert!(unfolded.unfolds(group));
        prop_assert_eq!(parse(&unfolded.query()), (unfolded.clone(), None));
        let mut folded = unfolded;
        folded.unfold_group(group, false);
        let listed = &folded.unfolded_figures;
        let names = |figures: &[FigureId]| figures.iter().any(|f| group.figures().contains(f));
        prop_assert!(!listed.groups.contains(&group));
        prop_assert!(!names(&listed.numbers) && !names(&listed.guides));
        // The others stay as they were.
        for other in FigureGroup::ALL.into_iter().filter(|other| *other != group) {
            prop_assert_eq!(folded.unfolds(other), link.unfolds(other));
        }
    }
}
