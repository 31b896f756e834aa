//! Ways to encode position, beside one another: what each says about an offset, and what it can and cannot do.

mod chosen;
mod criteria;
mod demonstration;
mod flat_lines;
mod parameter;
mod permutation;
mod phasors;
mod profile;
mod scheme_parameters;
mod schemes;

use self::{
    chosen::ChosenSchemes,
    criteria::CriteriaTable,
    flat_lines::FlatLines,
    permutation::Permutation,
    phasors::PhasorCard,
    profile::{EncodingProfileCard, SchemeProfiles},
    schemes::SchemeControls,
};
use crate::app::{readout::Readout, state::State};
use leptos::prelude::*;

/// The view.
#[component]
pub(in crate::app) fn Encodings() -> impl IntoView {
    let state = State::from_context();
    state.settle(|link| &mut link.encodings);
    state.settle(|link| &mut link.tokens);
    let schemes = ChosenSchemes::provide(state);
    let profiles = SchemeProfiles::ask(state, schemes);
    view! {
        <div class="view encodings">
            <div class="column">
                <SchemeControls/>
                <Readout read=move |cursor| profiles.readings(cursor)/>
            </div>
            <div class="column">
                <EncodingProfileCard profiles/>
                <div class="pair">
                    <FlatLines/>
                    <PhasorCard/>
                </div>
            </div>
            <CriteriaTable/>
            <Permutation/>
        </div>
    }
}
