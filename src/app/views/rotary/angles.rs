//! The angles of every layer of a rotary model, with sliders for factor and base.

use crate::{
    analysis::{ModelAngles, RotaryAngleSets},
    app::{
        controls::number::NumberSlider,
        figure::{
            card::FigureCard,
            program_constants::ProgramConstants,
            view::{picture, ready},
        },
        query_client::{Query, QueryClient},
        state::{ModelList, UrlState},
    },
    figure::{AngleChange, length_words, rotary_angles},
    figure_spec::positions::ROTARY_ANGLES,
    numpy_program::angle_constant,
    url_state::{BASES, NumberRange, ROTARY_FACTORS, RotarySection, SliderScale},
};
use leptos::prelude::*;

/// Slider for factors.
const FACTOR_SCALE: SliderScale = SliderScale::powers_of(2.0, 0.0, 8.0, 0.0625);
/// Slider for bases.
const BASE_SCALE: SliderScale = SliderScale::powers_of(10.0, 2.0, 9.0, 0.02);

/// Figure: wavelengths of the pairs of every layer, with sliders that begin where the file stands.
#[component]
pub(super) fn AnglesCard() -> impl IntoView {
    let models = ModelList::from_context();
    let url = UrlState::from_context();
    let answer = QueryClient::from_context().ask(move || {
        Some(RotaryAngleSets {
            of: models.open.get()?,
        })
    });
    let change = url.select(|link| AngleChange {
        factor: link.rotary.factor,
        base: link.rotary.base,
    });
    let figure = picture(move || {
        let change = change.get();
        answer.with(|angles| ready(rotary_angles(angles?.as_ref()?, change)?))
    });
    provide_program_constants(answer, change);
    let caption = Signal::derive(move || {
        let length = answer.with(|angles| length_words(angles?.as_ref()?));
        let length = length.map_or_else(String::new, |words| format!(" {words}"));
        format!("{}{length}", ROTARY_ANGLES.caption)
    });
    let of_file = move |read: fn(&ModelAngles) -> Option<f64>| {
        Memo::new(move |_| answer.with(|angles| read(angles?.as_ref()?)))
    };
    let factor = of_file(|angles| {
        let mut changes = angles.sets.iter().filter(|_| angles.is_scaled);
        changes.find_map(|set| set.angles.factor())
    });
    let base = of_file(|angles| angles.sets.first()?.angles.base());
    let is_changed = url.select(|link| link.rotary != RotarySection::default());
    view! {
        <FigureCard spec=&ROTARY_ANGLES figure caption query=answer>
            <div class="sliders">
                <Show when=move || factor.with(Option::is_some)>
                    <AngleSlider
                        name="factor"
                        label="factor of the change for longer texts"
                        of_file=factor
                        get=|section| section.factor
                        set=|section, factor| section.factor = factor
                        scale=FACTOR_SCALE
                        allowed=NumberRange::all(ROTARY_FACTORS)
                    />
                </Show>
                <Show when=move || base.with(Option::is_some)>
                    <AngleSlider
                        name="base"
                        label="base of the angles"
                        of_file=base
                        get=|section| section.base
                        set=|section, base| section.base = base
                        scale=BASE_SCALE
                        allowed=NumberRange::all(BASES)
                    />
                </Show>
            </div>
            <button
                type="button"
                hidden=move || !is_changed.get()
                on:click=move |_| url.link.update(|link| link.rotary = RotarySection::default())
            >
                "As in the file"
            </button>
        </FigureCard>
    }
}

/// Provides the constants of the figure's NumPy program: the angles of all layers.
fn provide_program_constants(answer: Query<RotaryAngleSets>, change: Memo<AngleChange>) {
    ProgramConstants::provide(move |name| {
        let angles = answer.get()?;
        let angles = angles.as_ref().as_ref()?;
        angle_constant(angles, change.get(), name)
    });
}

/// A slider for a number that replaces one of the file.
#[component]
fn AngleSlider(
    name: &'static str,
    label: &'static str,
    /// The number in the file.
    of_file: Memo<Option<f64>>,
    get: fn(&RotarySection) -> Option<f64>,
    set: fn(&mut RotarySection, Option<f64>),
    scale: SliderScale,
    allowed: NumberRange,
) -> impl IntoView {
    let url = UrlState::from_context();
    let chosen = Memo::new(move |_| url.link.with(|link| get(&link.rotary)));
    let value = Signal::derive(move || chosen.get().or(of_file.get()).unwrap_or(1.0));
    let choose = Callback::new(move |number: f64| {
        let is_of_file = of_file.get_untracked() == Some(number);
        let number = (!is_of_file).then_some(number);
        url.link.update(|link| set(&mut link.rotary, number));
    });
    view! {
        <NumberSlider
            name
            label
            value
            scale=Signal::stored(scale)
            allowed
            slide=choose
            set=choose
        />
    }
}
