//! Ways to encode position, beside one another: what each says about an offset, and what it can and cannot do.

mod chosen;
mod criteria;
mod demonstration;
mod flat_lines;
mod permutation;
mod phasors;
mod profile;
mod schemes;

use self::{
    chosen::Chosen, flat_lines::flat_lines, phasors::phasors, profile::Profile,
    schemes::scheme_controls,
};
use crate::app::{readout::readout, state::State};
use leptos::prelude::*;

/// The view.
pub(in crate::app) fn encodings() -> AnyView {
    let state = expect_context::<State>();
    let chosen = Chosen::new(state);
    state.settle(|link| &mut link.encodings);
    let profile = Profile::new(state, chosen);
    view! {
        <div class="view encodings">
            <div class="column">
                {scheme_controls(chosen)}
                {readout(move |cursor| profile.readings(cursor))}
            </div>
            <div class="column">
                {profile.view()}
                <div class="pair">
                    {flat_lines(chosen)}
                    {phasors(chosen)}
                </div>
            </div>
            {criteria::criteria()}
            {permutation::permutation()}
        </div>
    }
    .into_any()
}
