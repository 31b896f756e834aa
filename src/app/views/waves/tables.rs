//! Figures of the position table.

use super::{choose, chosen, waiting_unless};
use crate::{
    analysis::{ColumnChoice, FEW, SinusoidTest, TableColumns, TableWaves},
    app::{
        controls::{Segmented, options},
        engine::{Answered, Engine},
        figure_card::FigureCard,
        figure_view::{picture, ready},
        state::State,
    },
    figure::waves,
    link::WavesSection,
};
use leptos::prelude::*;

/// The left side.
#[component]
pub(super) fn TableFigures(table: Answered<TableWaves>) -> impl IntoView {
    view! {
        <Test/>
        <Spectra table/>
        <Columns/>
        <Components table/>
        <Densities table/>
    }
}

/// Learned or sinusoidal?
#[component]
fn Test() -> impl IntoView {
    let state = State::from_context();
    let test = Engine::from_context().ask(move || {
        Some(SinusoidTest {
            of: state.open.get()?,
        })
    });
    let figure = picture(move || ready(waves::sinusoid_test(test.get()?.as_ref().as_ref().ok()?)));
    let caption = Signal::derive(move || {
        test.with(|found| match found {
            Some(Ok(found)) => found.sentence(),
            _ => format!(
                "What {FEW} sinusoids explain, and how near the table is to each computed one."
            ),
        })
    });
    let waiting = waiting_unless(test, |found| found.as_ref().err().cloned());
    view! { <FigureCard id="sinusoid-test" figure caption waiting/> }
}

/// The spectra of all columns: their mean, and each.
#[component]
fn Spectra(table: Answered<TableWaves>) -> impl IntoView {
    let all = chosen(|waves| waves.all_frequencies);
    let spectrum = move || table.get()?.spectrum.clone().ok();
    let positions = Signal::derive(move || spectrum().map_or(0, |found| found.n));
    let lines = picture(move || ready(waves::spectrum(&spectrum()?, all.get())));
    let map = picture(move || ready(waves::spectrum_columns(&spectrum()?, all.get())));
    let waiting = waiting_unless(table, |found| found.spectrum.as_ref().err().cloned());
    view! {
        <FigureCard
            id="spectrum"
            figure=lines
            caption="|DFT| of the columns, mean and quartiles; dashed, the sinusoidal table of this size. In hidden states of a text, words would fill the space between the peaks."
            positions
            waiting
        >
            <Segmented
                label="Frequencies"
                options=options([(false, "where the waves are"), (true, "all")])
                value=all
                set=|all| choose(|waves| waves.all_frequencies = all)
            />
        </FigureCard>
        <FigureCard
            id="spectrum-columns"
            figure=map
            caption="A bright line is a frequency that many columns share."
            positions
            waiting
        />
    }
}

/// Single columns.
#[component]
fn Columns() -> impl IntoView {
    let state = State::from_context();
    let choice = chosen(|waves| waves.columns.clone());
    let columns = Engine::from_context().ask(move || {
        Some(TableColumns {
            of: state.open.get()?,
            choice: choice.get(),
        })
    });
    let found = move || columns.get()?.as_ref().clone().ok();
    let positions = Signal::derive(move || {
        found().map_or(0, |found| {
            found.first().map_or(0, |column| column.values.len())
        })
    });
    let lines = picture(move || ready(waves::columns(&found()?)));
    let spectra = picture(move || ready(waves::column_spectra(&found()?)));
    let waiting = waiting_unless(columns, |found| found.as_ref().err().cloned());
    let is_random = Signal::derive(move || matches!(choice.get(), ColumnChoice::Random(..)));
    let others = move |_| {
        choose(|waves| {
            let seed = match waves.columns {
                ColumnChoice::Random(_, seed) => seed % 999_999 + 1,
                _ => 1,
            };
            waves.columns = WavesSection::at_random(seed);
        });
    };
    view! {
        <div class="pair">
            <FigureCard
                id="columns"
                figure=lines
                caption="Single dimensions over the position. In a text, each value moves by what the word there adds."
                waiting
            >
                <Segmented
                    label="Columns"
                    options=options([(false, "strongest waves"), (true, "random")])
                    value=is_random
                    set=move |random| {
                        let columns = if random { WavesSection::at_random(1) } else { WavesSection::STRONGEST };
                        choose(|waves| waves.columns = columns);
                    }
                />
                <button type="button" hidden=move || !is_random.get() on:click=others>"Others"</button>
            </FigureCard>
            <FigureCard
                id="column-spectra"
                figure=spectra
                caption="|DFT| of the same columns: a sine is one peak."
                positions
                waiting
            />
        </div>
    }
}

/// Principal components.
#[component]
fn Components(table: Answered<TableWaves>) -> impl IntoView {
    let components = move || table.get()?.components.clone().ok();
    let shares = picture(move || ready(waves::component_shares(&components()?)));
    let along = picture(move || ready(waves::component_waves(&components()?, 4)));
    let plane = chosen(|waves| waves.plane);
    let path = picture(move || ready(waves::component_path(&components()?, plane.get())?));
    let waiting = waiting_unless(table, |found| found.components.as_ref().err().cloned());
    view! {
        <div class="pair">
            <FigureCard
                id="components"
                figure=shares
                caption="What principal components explain of the variance. In hidden states of a text, words would take most dimensions."
                waiting
            />
            <FigureCard
                id="component-waves"
                figure=along
                caption="Each is a wave along the positions, often one of a pair of sine and cosine."
                waiting
            />
        </div>
        <FigureCard
            id="component-path"
            figure=path
            caption="A sine and its cosine make a circle. Hidden states of a text would scatter around it."
            waiting
        >
            <Segmented
                label="Plane"
                options=options([((0, 1), "1 and 2"), ((2, 3), "3 and 4"), ((4, 5), "5 and 6")])
                value=plane
                set=|plane| choose(|waves| waves.plane = plane)
            />
        </FigureCard>
    }
}

/// How values are spread.
#[component]
fn Densities(table: Answered<TableWaves>) -> impl IntoView {
    let density = move || table.get()?.density.clone().ok();
    let map = picture(move || ready(waves::density(&density()?)));
    let all = picture(move || ready(waves::value_histogram(&density()?)));
    let waiting = waiting_unless(table, |found| found.density.as_ref().err().cloned());
    view! {
        <div class="pair">
            <FigureCard
                id="density"
                figure=map
                caption="Learned values are spread like a bell, those of a sine pile up at its ends. In a text, words widen the spread."
                waiting
            />
            <FigureCard
                id="value-histogram"
                figure=all
                caption="All values of the table, and a Gaussian of the same mean and variance."
                waiting
            />
        </div>
    }
}
