//! Wave figures of the position table.

use super::{choose, readings::FrequencyReadout, section_memo, waiting_unless};
use crate::{
    analysis::{ColumnChoice, FEW, SinusoidTest, TableColumns, TableWaves},
    app::{
        controls::{
            buttons::{SegmentedButtons, options},
            number::NumberSlider,
            while_mounted::while_mounted,
        },
        figure::{
            card::FigureCard,
            view::{Pull, picture, ready},
        },
        query_client::{Query, QueryClient, QueryStatus},
        state::ModelList,
    },
    figure::waves,
    figure_spec::waves::{
        COLUMN_SPECTRA, COLUMNS, COMPONENT_PATH, COMPONENT_WAVES, COMPONENTS, DENSITY,
        SINUSOID_TEST, SPECTRUM, SPECTRUM_COLUMNS, VALUE_HISTOGRAM,
    },
    url_state::{NumberRange, PathView, SliderScale, TILTS, TURNS, WavesSection},
};
use leptos::{ev, html, prelude::*};
use std::ops::RangeInclusive;

/// Figures: sinusoid test, mean spectrum, columns and their spectra.
#[component]
pub(super) fn TableWaveFigures(table: Query<TableWaves>) -> impl IntoView {
    view! {
        <div class="pair">
            <SinusoidTestCard/>
            <SpectrumCard table/>
        </div>
        <div class="pair">
            <ColumnsCard table/>
            <ColumnSpectraCard/>
        </div>
        <FrequencyReadout table/>
    }
}

/// Figures: spectra of all columns, components and densities.
#[component]
pub(super) fn FurtherTableFigures(table: Query<TableWaves>) -> impl IntoView {
    view! {
        <div class="pair">
            <SpectrumColumnsCard table/>
            <ComponentFigures table/>
            <Densities table/>
        </div>
    }
}

/// Figure: whether the table is learned or sinusoidal.
#[component]
fn SinusoidTestCard() -> impl IntoView {
    let models = ModelList::from_context();
    let test = QueryClient::from_context().ask(move || {
        Some(SinusoidTest {
            of: models.open.get()?,
        })
    });
    let figure = picture(move || ready(waves::sinusoid_test(test.get()?.as_ref().as_ref().ok()?)));
    let caption = Signal::derive(move || {
        test.with(|test| match test {
            Some(Ok(test)) => test.sentence(),
            _ => format!(
                "The variance that {FEW} sinusoids explain, and the distance of the table to each sinusoidal one."
            ),
        })
    });
    let status = waiting_unless(test, |found| found.as_ref().err().cloned());
    view! { <FigureCard spec=&SINUSOID_TEST figure caption query=status/> }
}

/// Figure: the mean spectrum of the columns.
#[component]
fn SpectrumCard(table: Query<TableWaves>) -> impl IntoView {
    let all = section_memo(|waves| waves.all_frequencies);
    let spectrum = move || table.get()?.spectrum.clone().ok();
    let positions = Signal::derive(move || spectrum().map_or(0, |found| found.n));
    let lines = picture(move || ready(waves::spectrum(&spectrum()?, all.get())));
    let status = waiting_unless(table, |found| found.spectrum.as_ref().err().cloned());
    let caption = Signal::derive(move || {
        let control = spectrum().map_or(String::new(), |found| {
            format!(" {}", waves::control_words(&found))
        });
        format!("|DFT| of the columns: mean and quartiles.{control} For column c at frequency f:")
    });
    view! {
        <FigureCard
            spec=&SPECTRUM
            figure=lines
            caption
            positions
            query=status
        >
            <SegmentedButtons
                label="Frequencies"
                options=options([(false, "main waves"), (true, "all")])
                value=all
                set=|all| choose(|waves| waves.all_frequencies = all)
            />
        </FigureCard>
    }
}

/// Figure: the spectrum of each column.
#[component]
fn SpectrumColumnsCard(table: Query<TableWaves>) -> impl IntoView {
    let all = section_memo(|waves| waves.all_frequencies);
    let spectrum = move || table.get()?.spectrum.clone().ok();
    let positions = Signal::derive(move || spectrum().map_or(0, |found| found.n));
    let map = picture(move || ready(waves::spectrum_columns(&spectrum()?, all.get())));
    let status = waiting_unless(table, |found| found.spectrum.as_ref().err().cloned());
    view! {
        <FigureCard
            spec=&SPECTRUM_COLUMNS
            figure=map
            positions
            query=status
        />
    }
}

/// How the drawn columns are selected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ColumnSelection {
    Strongest,
    Random,
    ByNumber,
}

/// Queries the chosen columns.
fn ask_columns() -> Query<TableColumns> {
    let models = ModelList::from_context();
    let choice = section_memo(|waves| waves.columns.clone());
    QueryClient::from_context().ask(move || {
        Some(TableColumns {
            of: models.open.get()?,
            choice: choice.get(),
        })
    })
}

/// Figure: spectra of the chosen columns.
#[component]
fn ColumnSpectraCard() -> impl IntoView {
    let columns = ask_columns();
    let found = move || columns.get()?.as_ref().clone().ok();
    let positions = Signal::derive(move || {
        found().map_or(0, |found| {
            found.first().map_or(0, |column| column.values.len())
        })
    });
    let spectra = picture(move || ready(waves::column_spectra(&found()?)));
    let status = waiting_unless(columns, |found| found.as_ref().err().cloned());
    view! {
        <FigureCard
            spec=&COLUMN_SPECTRA
            figure=spectra
            positions
            query=status
        />
    }
}

/// Figure: the chosen columns.
#[component]
fn ColumnsCard(table: Query<TableWaves>) -> impl IntoView {
    let choice = section_memo(|waves| waves.columns.clone());
    let columns = ask_columns();
    let found = move || columns.get()?.as_ref().clone().ok();
    let models = ModelList::from_context();
    let lines = picture(move || ready(waves::columns(&found()?).row_marks(models.row_marks())));
    let status = waiting_unless(columns, |found| found.as_ref().err().cloned());
    let kind = Memo::new(move |_| match choice.get() {
        ColumnChoice::Strongest(_) => ColumnSelection::Strongest,
        ColumnChoice::Random(..) => ColumnSelection::Random,
        ColumnChoice::These(_) => ColumnSelection::ByNumber,
    });
    let choose_kind = move |kind| {
        let columns = match kind {
            ColumnSelection::Strongest => WavesSection::STRONGEST,
            ColumnSelection::Random => WavesSection::at_random(1),
            // Starts with the displayed columns.
            ColumnSelection::ByNumber => {
                let columns_now = untrack(found).unwrap_or_default();
                let columns_now: Vec<usize> =
                    columns_now.iter().map(|column| column.column).collect();
                ColumnChoice::These(if columns_now.is_empty() {
                    vec![0]
                } else {
                    columns_now
                })
            }
        };
        choose(|waves| waves.columns = columns);
    };
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
        <FigureCard
            spec=&COLUMNS
            figure=lines
            query=status
        >
            <SegmentedButtons
                label="Columns"
                options=options([
                    (ColumnSelection::Strongest, "strongest"),
                    (ColumnSelection::Random, "random"),
                    (ColumnSelection::ByNumber, "by number"),
                ])
                value=kind
                set=choose_kind
            />
            <Show when=move || kind.get() == ColumnSelection::ByNumber>
                <ColumnNumbers choice table/>
            </Show>
            <button type="button" hidden=move || kind.get() != ColumnSelection::Random on:click=others>"Others"</button>
        </FigureCard>
    }
}

/// Text field for column numbers. Rejected input stays in the field, and a sentence below gives the reason.
#[component]
fn ColumnNumbers(choice: Memo<ColumnChoice>, table: Query<TableWaves>) -> impl IntoView {
    let field = NodeRef::<html::Input>::new();
    let error: RwSignal<Option<String>> = RwSignal::new(None);
    let shown = Memo::new(move |_| match choice.get() {
        ColumnChoice::These(columns) => {
            let numbers = columns.iter().map(usize::to_string);
            numbers.collect::<Vec<_>>().join(", ")
        }
        _ => String::new(),
    });
    let count = move || {
        table.with(|found| {
            let spectrum = found.and_then(|found| found.spectrum.as_ref().ok());
            spectrum.map_or(0, |found| found.heat.window.rows.len() + found.left_out)
        })
    };
    let show = move || {
        if let Some(field) = field.get_untracked() {
            field.set_value(&shown.get_untracked());
        }
        error.set(None);
    };
    let take = move |_| {
        let typed = field.get_untracked().map(|field| field.value());
        match WavesSection::parse_typed(&typed.unwrap_or_default(), untrack(count)) {
            Ok(columns) => {
                choose(|waves| waves.columns = columns);
                show();
            }
            Err(sentence) => error.set(Some(sentence)),
        }
    };
    let press = move |event: ev::KeyboardEvent| {
        if event.key() == "Escape" {
            show();
        }
    };
    view! {
        <span class="number columns-by-number">
            <input
                type="text"
                autocomplete="off"
                spellcheck="false"
                aria-label="Columns by number"
                aria-invalid=move || error.with(Option::is_some).then_some("true")
                node_ref=field
                prop:value=shown
                on:change=while_mounted(take)
                on:keydown=while_mounted(press)
            />
            <span class="allowed" aria-live="polite">{error}</span>
        </span>
    }
}

/// Figures: principal components of the table.
#[component]
fn ComponentFigures(table: Query<TableWaves>) -> impl IntoView {
    let components = move || table.get()?.components.clone().ok();
    let shares = picture(move || ready(waves::component_shares(&components()?)));
    let along = picture(move || ready(waves::component_waves(&components()?, 4)));
    let status = waiting_unless(table, |found| found.components.as_ref().err().cloned());
    view! {
        <FigureCard
            spec=&COMPONENTS
            figure=shares
            query=status
        />
        <FigureCard
            spec=&COMPONENT_WAVES
            figure=along
            query=status
        />
        <ComponentPath table status/>
    }
}

/// Figure: the path of the positions along principal components, in a plane or in space.
#[component]
fn ComponentPath(table: Query<TableWaves>, status: Signal<QueryStatus>) -> impl IntoView {
    let view = section_memo(|waves| waves.path);
    let seen_from = section_memo(|waves| waves.seen_from);
    let path = picture(move || {
        let components = table.get()?.components.clone().ok()?;
        match view.get() {
            PathView::Plane(x, y) => ready(waves::component_path(&components, (x, y))?),
            PathView::Space => ready(waves::ComponentSpace::new(&components, seen_from.get())?),
        }
    });
    let status = Signal::derive(move || {
        let is_there = table.with(|found| found.is_some_and(|found| found.components.is_ok()));
        match status.get() {
            QueryStatus::Nothing if is_there && path.with(Option::is_none) => {
                QueryStatus::Failed("This table has fewer components than that.".to_owned())
            }
            status => status,
        }
    });
    let in_space = Memo::new(move |_| view.get() == PathView::Space);
    view! {
        <FigureCard
            spec=&COMPONENT_PATH
            figure=path
            query=status
            pull=turn_space(in_space, seen_from)
        >
            <SegmentedButtons
                label="Components"
                options=options([
                    (PathView::Plane(0, 1), "1 and 2"),
                    (PathView::Plane(2, 3), "3 and 4"),
                    (PathView::Plane(4, 5), "5 and 6"),
                    (PathView::Space, "1, 2 and 3 in 3-D"),
                ])
                value=view
                set=|path| choose(|waves| waves.path = path)
            />
            <Show when=move || in_space.get()>
                <div class="sliders">
                    <DegreesSlider
                        name="rotation °"
                        label="rotation of the path in degrees"
                        value=Signal::derive(move || seen_from.get().0)
                        degrees=TURNS
                        set=|waves, degrees| waves.seen_from.0 = degrees
                    />
                    <DegreesSlider
                        name="tilt °"
                        label="tilt of the path in degrees"
                        value=Signal::derive(move || seen_from.get().1)
                        degrees=TILTS
                        set=|waves, degrees| waves.seen_from.1 = degrees
                    />
                </div>
            </Show>
        </FigureCard>
    }
}

/// Slider for an angle.
#[component]
fn DegreesSlider(
    name: &'static str,
    label: &'static str,
    value: Signal<i32>,
    degrees: RangeInclusive<i32>,
    set: fn(&mut WavesSection, i32),
) -> impl IntoView {
    let (low, high) = (f64::from(*degrees.start()), f64::from(*degrees.end()));
    let take = Callback::new(move |number: f64| choose(|waves| set(waves, number.round() as i32)));
    view! {
        <NumberSlider
            name
            label
            value=Signal::derive(move || f64::from(value.get()))
            scale=Signal::stored(SliderScale::linear(low, high, 1.0))
            allowed=NumberRange::whole(low, high)
            slide=take
            set=take
        />
    }
}

/// A drag that turns the path: the viewing angles and the pointer's position at its start.
#[derive(Debug, Clone, Copy)]
struct Turning {
    from: (i32, i32),
    at: (f64, f64),
}

/// Forms the drag handler that turns the path with the pointer.
fn turn_space(in_space: Memo<bool>, seen_from: Memo<(i32, i32)>) -> Pull {
    const DEGREES_A_PIXEL: f64 = 0.5;
    let from: StoredValue<Option<Turning>> = StoredValue::new(None);
    Pull {
        start: Box::new(move |_, x, y| {
            let is_turned = in_space.get_untracked();
            let now = || Turning {
                from: seen_from.get_untracked(),
                at: (x, y),
            };
            from.set_value(is_turned.then(now));
            is_turned
        }),
        on_move: Box::new(move |_, x, y| {
            if let Some(Turning {
                from: (turn, tilt),
                at: (x0, y0),
            }) = from.get_value()
            {
                let degrees = |pixels: f64| (DEGREES_A_PIXEL * pixels).round() as i32;
                // Wraps to −180° … 179°.
                let turn = (turn + degrees(x - x0) + 180).rem_euclid(360) - 180;
                let tilt = (tilt + degrees(y - y0)).clamp(*TILTS.start(), *TILTS.end());
                choose(|waves| waves.seen_from = (turn, tilt));
            }
        }),
        end: Box::new(|| {}),
    }
}

/// Figures: distribution of values in the table.
#[component]
fn Densities(table: Query<TableWaves>) -> impl IntoView {
    let density = move || table.get()?.density.clone().ok();
    let map = picture(move || ready(waves::density(&density()?)));
    let all = picture(move || ready(waves::value_histogram(&density()?)));
    let status = waiting_unless(table, |found| found.density.as_ref().err().cloned());
    view! {
        <FigureCard
            spec=&DENSITY
            figure=map
            query=status
        />
        <FigureCard
            spec=&VALUE_HISTOGRAM
            figure=all
            query=status
        />
    }
}
