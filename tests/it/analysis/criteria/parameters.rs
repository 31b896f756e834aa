//! Parameters of demonstrations: sliders reach all values, and values from links are limited.

use super::{around, cells};
use crate::math::laws::config;
use diagonal::{
    analysis::criteria::{
        CRITERIA, WAYS, demonstrations::demonstrate, parameters::criterion_parameters,
    },
    encoding::Kernels,
};
use proptest::prelude::*;

#[test]
fn sliders_reach_every_value_of_their_knobs() {
    for (way, criterion) in cells() {
        for parameter in criterion_parameters(way, criterion) {
            for value in [parameter.low, parameter.start, parameter.high] {
                let position = parameter.position_of(value);
                assert_eq!(parameter.at_position(position), value, "{}", parameter.name);
            }
            // One slider step from the lowest value stays within the range.
            let next = parameter
                .at_position(parameter.position_of(parameter.low) + parameter.slider_step());
            assert!(
                (parameter.low..=parameter.high).contains(&next),
                "{}",
                parameter.name
            );
        }
    }
}

proptest! {
    #![proptest_config(config(40))]

    #[test]
    fn values_from_outside_are_brought_inside(way in 0..WAYS.len(), criterion in 0..CRITERIA.len(), values in proptest::collection::vec(prop_oneof![-1e300..1e300, Just(f64::NAN)], 0..7)) {
        let outcome = demonstrate(way, criterion, &values, &around(&Kernels::default()));
        prop_assert!(outcome.is_some());
    }
}
