//! The encodings view: compares position encodings by their profile over the offset, and by the TISA paper's criteria.

mod criteria;
mod demonstration;
mod flat_lines;
mod number_list;
mod parameter;
mod permutation;
mod phasors;
mod profile;
mod scheme_choice;
mod scheme_parameters;
mod schemes;
mod turned_waves;

use super::parameter_count::ParameterCount;
use crate::app::{figure::readout::Readout, state::PageState};
use criteria::CriteriaTable;
use flat_lines::FlatLinesCard;
use leptos::prelude::*;
use permutation::Permutation;
use phasors::PhasorCard;
use profile::{EncodingProfileCard, SchemeProfiles};
use scheme_choice::SchemeChoice;
use schemes::SchemeControls;
use turned_waves::TurnedWaves;

/// The encodings view.
#[component]
pub(in crate::app) fn EncodingsView() -> impl IntoView {
    let state = PageState::from_context();
    let schemes = SchemeChoice::provide(state.url);
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
                    <FlatLinesCard/>
                    <PhasorCard/>
                </div>
            </div>
            <CriteriaTable/>
            <ParameterCount/>
            <Permutation/>
            <TurnedWaves/>
        </div>
    }
}
