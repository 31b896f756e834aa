//! The kernels view starts at a short length, and links from before it did open at the length of the model.

use super::{any_link::link, link_history::parse};
use diagonal::{
    encoding::{Kernel, Kernels},
    url_state::{KernelsSection, Link, STARTING_LENGTH, VIEWS, View},
};
use proptest::prelude::*;

/// The number of positions of the open model.
const ROWS: Option<usize> = Some(512);

fn opened_by_visitor() -> Link {
    let mut link = Link::default();
    link.switch_view(View::Kernels);
    link
}

#[test]
fn a_visitor_starts_short_and_an_earlier_link_at_the_length_of_the_model() {
    let link = opened_by_visitor();
    assert_eq!(link.kernels.length_beside(ROWS), STARTING_LENGTH);
    // The copied link opens the same length everywhere.
    assert_eq!(parse(&link.query()), (link, None));
    for query in ["view=kernels", "view=kernels&kernels=3:0.25:-1"] {
        assert_eq!(parse(query).0.kernels.length_beside(ROWS), 512);
    }
    assert_eq!(parse("view=kernels&n=96").0.kernels.length_beside(ROWS), 96);
}

#[test]
fn the_open_view_and_changed_kernels_keep_their_length() {
    let (mut open, _) = parse("view=kernels");
    open.switch_view(View::Kernels);
    assert_eq!(open.kernels.length, None);
    let (mut changed, _) = parse("view=heads&kernels=3:0.25:-1");
    changed.switch_view(View::Kernels);
    assert_eq!(changed.kernels.length, None);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn switching_the_view_changes_nothing_else(link in link(), at in 0..VIEWS.len()) {
        let (view, ..) = VIEWS[at];
        let mut switched = link.clone();
        switched.switch_view(view);
        prop_assert_eq!(switched.view, view);
        let kernels = if link.kernels == KernelsSection::default() {
            switched.kernels.clone()
        } else {
            link.kernels.clone()
        };
        prop_assert_eq!(switched, Link { view, kernels, ..link });
    }

    #[test]
    fn n_grows_only_from_the_start_and_only_for_a_centre_beyond_it(
        length in prop::option::of(8..=4096_usize),
        c in -600.0..600.0_f64,
    ) {
        let kernels = Kernels(vec![Kernel::new(1.0, 0.1, c)]);
        let before = KernelsSection { kernels, length, ..KernelsSection::default() };
        let mut after = before.clone();
        after.lengthen_for_centres();
        let grows = length == Some(STARTING_LENGTH) && c.abs() >= STARTING_LENGTH as f64;
        prop_assert_eq!(after, KernelsSection { length: length.filter(|_| !grows), ..before });
    }
}
