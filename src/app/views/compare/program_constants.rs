//! Constants of the view's NumPy programs: facts of the compared models.

use crate::{
    app::{figure::program_constants::ProgramConstants, state::comparison::Comparison},
    numpy_program::{Literal, dict_literal},
};

/// Provides the constants.
pub(super) fn provide() {
    let comparison = Comparison::from_context();
    ProgramConstants::provide(move |name| {
        let models = comparison.taking_part(true);
        let names = |is_named: &dyn Fn(&_) -> bool| {
            let named = models.iter().filter(|model| is_named(model));
            named.map(|model| model.name.clone()).collect::<Vec<_>>()
        };
        Some(match name {
            "WITH_HEADS" => names(&|model| comparison.wants_heads(model)).literal(),
            "COMPUTED" => names(&|model| model.is_computed).literal(),
            "PERFORMANCE" => {
                let scores = models
                    .iter()
                    .filter_map(|model| Some((model.name.clone(), comparison.performance(model)?)));
                dict_literal(scores)
            }
            _ => return None,
        })
    });
}
