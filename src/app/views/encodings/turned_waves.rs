//! Waves planted in queries and keys, with one shift for all or one angle for all.

use super::number_list::NumberListField;
use crate::{
    analysis::planted_waves::PlantedWaves,
    app::{
        controls::{
            buttons::{SegmentedButtons, options},
            number::NumberSlider,
        },
        figure::{
            card::FigureCard,
            view::{picture, ready},
        },
        query_client::QueryStatus,
        state::UrlState,
        views::figure_fold::FigureFold,
    },
    figure::{peak_words, planted_attention, planted_waves, shift_words},
    figure_spec::{
        encodings::{PLANTED_ATTENTION, PLANTED_WAVES},
        formulas,
    },
    url_state::{
        FigureGroup, NumberRange, SliderScale,
        encodings::{
            BASIS_SEEDS, PlantedWavesChoice, WAVE_ANGLES, WAVE_LENGTHS, WAVE_SHARPNESSES,
            WAVE_SHIFTS,
        },
    },
};
use leptos::prelude::*;

/// The planted waves of the link.
#[derive(Clone, Copy)]
struct WaveChoice {
    url: UrlState,
    choice: Memo<PlantedWavesChoice>,
}

impl WaveChoice {
    fn from_context() -> Self {
        let url = UrlState::from_context();
        let choice = url.select(|link| link.encodings.planted_waves.clone());
        Self { url, choice }
    }

    fn select<T: PartialEq + Send + Sync + 'static>(
        self,
        get: fn(&PlantedWavesChoice) -> T,
    ) -> Memo<T> {
        Memo::new(move |_| self.choice.with(get))
    }

    fn change(self, change: impl FnOnce(&mut PlantedWavesChoice)) {
        let link = self.url.link;
        link.update(|link| change(&mut link.encodings.planted_waves));
    }

    /// The waves, or a sentence if the positions cannot carry them.
    fn waves(self) -> Memo<Result<PlantedWaves, String>> {
        let waves = self.select(PlantedWavesChoice::waves);
        Memo::new(move |_| waves.with(|waves| waves.check().map(|()| waves.clone())))
    }
}

/// The status of a figure of waves: nothing to wait for, or the sentence.
fn status(waves: Memo<Result<PlantedWaves, String>>) -> Signal<QueryStatus> {
    Signal::derive(move || match waves.get() {
        Ok(_) => QueryStatus::Nothing,
        Err(sentence) => QueryStatus::Failed(sentence),
    })
}

/// Figures: planted waves along position, and their attention. Small enough to compute on the page.
#[component]
pub(super) fn TurnedWaves() -> impl IntoView {
    view! {
        <FigureFold group=FigureGroup::TurnedWaves summary="Waves turned against each other">
            <div class="pair">
                <PlantedWavesCard/>
                <PlantedAttentionCard/>
            </div>
        </FigureFold>
    }
}

/// Figure: a column of queries and keys for each wave, along position.
#[component]
fn PlantedWavesCard() -> impl IntoView {
    let choice = WaveChoice::from_context();
    let waves = choice.waves();
    let figure = picture(move || {
        waves.with(|waves| {
            let waves = waves.as_ref().ok()?;
            ready(planted_waves(waves))
        })
    });
    let caption = Signal::derive(move || {
        waves.with(|waves| match waves {
            Ok(waves) => shift_words(waves),
            Err(_) => String::new(),
        })
    });
    let is_one_angle = choice.select(|choice| choice.is_one_angle);
    let formula = Signal::derive(move || match is_one_angle.get() {
        true => formulas::ONE_ANGLE,
        false => formulas::ONE_SHIFT,
    });
    view! {
        <FigureCard spec=&PLANTED_WAVES figure caption formula query=status(waves)>
            <NumberListField
                name="Frequencies f"
                numbers=choice.select(|choice| choice.frequencies.clone())
                read=PlantedWavesChoice::typed_frequencies
                set=move |frequencies| choice.change(|choice| choice.frequencies = frequencies)
            />
            <SegmentedButtons
                label="The same for all waves"
                options=options([(false, "one shift Δ"), (true, "one angle θ")])
                value=is_one_angle
                set=move |is_one_angle| choice.change(|choice| choice.is_one_angle = is_one_angle)
            />
            <BasisButtons choice/>
            <div class="sliders">
                <WaveSlider
                    choice
                    name="positions T"
                    label="positions T of the waves"
                    get=|choice| choice.length as f64
                    set=|choice, length| choice.length = length.round() as usize
                    scale=SliderScale::linear(48.0, 256.0, 8.0)
                    allowed=NumberRange::from_counts(&WAVE_LENGTHS)
                />
            </div>
            <div class="sliders" hidden=is_one_angle>
                <WaveSlider
                    choice
                    name="shift Δ"
                    label="shift Δ of all waves"
                    get=|choice| choice.shift
                    set=|choice, shift| choice.shift = shift
                    scale=SliderScale::linear(-16.0, 16.0, 0.1)
                    allowed=NumberRange::all(WAVE_SHIFTS)
                />
            </div>
            <div class="sliders" hidden=move || !is_one_angle.get()>
                <WaveSlider
                    choice
                    name="angle θ"
                    label="angle θ of all waves in degrees"
                    get=|choice| choice.angle
                    set=|choice, angle| choice.angle = angle
                    scale=SliderScale::linear(-180.0, 180.0, 1.0)
                    allowed=NumberRange::all(WAVE_ANGLES)
                />
            </div>
        </FigureCard>
    }
}

/// Figure: attention of the planted waves.
#[component]
fn PlantedAttentionCard() -> impl IntoView {
    let choice = WaveChoice::from_context();
    let waves = choice.waves();
    let sharpness = choice.select(|choice| choice.sharpness);
    let map = choice.url.select(|link| link.matrices.map);
    let figure = picture(move || {
        waves.with(|waves| {
            let waves = waves.as_ref().ok()?;
            ready(planted_attention(waves, sharpness.get(), map.get()))
        })
    });
    let caption = Signal::derive(move || {
        waves.with(|waves| match waves {
            Ok(waves) => peak_words(waves, sharpness.get()),
            Err(_) => String::new(),
        })
    });
    let length = choice.select(|choice| choice.length);
    view! {
        <FigureCard spec=&PLANTED_ATTENTION figure caption positions=length query=status(waves)>
            <div class="sliders">
                <WaveSlider
                    choice
                    name="sharpness s"
                    label="sharpness s of the attention"
                    get=|choice| choice.sharpness
                    set=|choice, sharpness| choice.sharpness = sharpness
                    scale=SliderScale::linear(0.0, 8.0, 0.1)
                    allowed=NumberRange::all(WAVE_SHARPNESSES)
                />
            </div>
        </FigureCard>
    }
}

/// Buttons: the basis of the waves or a random one, and another random one.
#[component]
fn BasisButtons(choice: WaveChoice) -> impl IntoView {
    let seed = choice.select(|choice| choice.basis_seed);
    let is_random = Memo::new(move |_| seed.get().is_some());
    let set = move |is_random: bool| {
        let seed = is_random.then_some(*BASIS_SEEDS.start());
        choice.change(|choice| choice.basis_seed = seed);
    };
    let draw_again = move |_| {
        choice.change(|choice| {
            let next = choice.basis_seed.map(|seed| seed % BASIS_SEEDS.end() + 1);
            choice.basis_seed = next.or(Some(*BASIS_SEEDS.start()));
        });
    };
    view! {
        <SegmentedButtons
            label="Basis of the columns"
            options=options([(false, "basis of the waves"), (true, "random basis")])
            value=is_random
            set
        />
        <button type="button" hidden=move || !is_random.get() on:click=draw_again>
            "Another basis"
        </button>
    }
}

/// Slider of a number of the waves: of their positions T, their shift Δ or angle θ, or the sharpness of their attention.
#[component]
fn WaveSlider(
    choice: WaveChoice,
    name: &'static str,
    label: &'static str,
    get: fn(&PlantedWavesChoice) -> f64,
    set: fn(&mut PlantedWavesChoice, f64),
    scale: SliderScale,
    allowed: NumberRange,
) -> impl IntoView {
    let set = Callback::new(move |number| choice.change(|choice| set(choice, number)));
    view! {
        <NumberSlider
            name
            label
            value=choice.select(get)
            scale=Signal::stored(scale)
            allowed
            slide=set
            set
        />
    }
}
