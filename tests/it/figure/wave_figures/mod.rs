//! Figures of waves: table columns, pictures that stay on their sheets, and NaN that is never drawn.

mod component_space;
mod numbers;

use crate::{
    analysis::golden_minilm,
    checkpoint::hostile::assert_is_sentence,
    support::questions::{FIRST, ask, head_of_first, with_computed},
};
use component_space::helix;
use diagonal::{
    analysis::{
        ColumnChoice, HeadGrouping, HeadPart, HeadRotation, HeadWaves, LayerSpectra, MemorySession,
        Origin, RandomGroups, ScoreInput, ScoreMode, SinusoidTest, TableColumns, TableWaves,
    },
    encoding::Sinusoidal,
    figure::{
        Axis, AxisScale, Cursor, Figure, Mark, Plot, PlotAxis, ValueRaster,
        waves::{
            ClusterGrid, ComponentSpace, cluster_traces, column_spectra, columns, component_path,
            component_shares, component_waves, density, head_correlations, head_covariance,
            layer_spectrum, rotation, sinusoid_test, spectrum, spectrum_columns, value_histogram,
            wave_stack,
        },
    },
    math::GroupCount,
};

const ROTATION_COLUMNS: &str = "angle,frequency,weight,shift,coherence,decided_dimensions,idle_dimensions,best_shift,chance_coherence,profile_peak,eigenvector_angle,eigenvector_amplitude,eigenvector_shift,chance_median,chance_low,chance_high";

type Named = (&'static str, Box<dyn Figure>, &'static str);

fn of_table(session: &MemorySession) -> Vec<Named> {
    let found = ask(session, TableWaves { of: FIRST }).expect("an answer");
    let choice = ColumnChoice::Strongest(3);
    let some = ask(session, TableColumns { of: FIRST, choice })
        .expect("an answer")
        .expect("columns");
    let test = ask(session, SinusoidTest { of: FIRST })
        .expect("an answer")
        .expect("numbers");
    let (spectra, components) = (
        found.spectrum.expect("spectra"),
        found.components.expect("components"),
    );
    let values = found.density.expect("values");
    let names: Vec<String> = some
        .iter()
        .map(|column| format!("dimension_{}", column.column))
        .collect();
    let headed = |first: &str| -> &'static str { format!("{first},{}", names.join(",")).leak() };
    let amplitudes =
        "frequency,mean,quartile_low,quartile_high,period,sinusoidal_scaled,sinusoidal_scale";
    vec![
        (
            "spectrum",
            Box::new(spectrum(&spectra, false)) as Box<dyn Figure>,
            amplitudes,
        ),
        (
            "spectrum, all",
            Box::new(spectrum(&spectra, true)),
            amplitudes,
        ),
        (
            "spectrum-columns",
            Box::new(spectrum_columns(&spectra, false)),
            "column,frequency,amplitude",
        ),
        (
            "components",
            Box::new(component_shares(&components)),
            "component,share,cumulative",
        ),
        (
            "component-waves",
            Box::new(component_waves(&components, 4)),
            "position,component_1,component_2",
        ),
        (
            "component-path",
            Box::new(component_path(&components, (0, 1)).expect("two")),
            "position,x,y",
        ),
        (
            "component-path, in space",
            Box::new(ComponentSpace::new(&components, (30, 20)).expect("three")),
            "position,x,y,z",
        ),
        ("columns", Box::new(columns(&some)), headed("position")),
        (
            "column-spectra",
            Box::new(column_spectra(&some)),
            "dimension,frequency,period,amplitude",
        ),
        (
            "density",
            Box::new(density(&values)),
            "position,value,density",
        ),
        (
            "value-histogram",
            Box::new(value_histogram(&values)),
            "value,density,normal",
        ),
        (
            "sinusoid-test",
            Box::new(sinusoid_test(&test)),
            "layout,distance,distance_in_order,few_count,few_share,few_random,own_share,own_random",
        ),
    ]
}

fn of_heads(session: &MemorySession, mode: ScoreMode) -> Vec<Named> {
    let of = head_of_first(mode, 0, 2);
    let waves = ask(session, HeadWaves { of })
        .expect("an answer")
        .expect("waves");
    let turn = ask(session, HeadRotation { of })
        .expect("an answer")
        .expect("a rotation");
    let layers = ask(
        session,
        LayerSpectra {
            of: FIRST,
            input: mode.into(),
        },
    )
    .expect("an answer");
    let grouping = HeadGrouping {
        of: FIRST,
        input: ScoreInput::Positions(ScoreMode::AsComputed),
        count: GroupCount::Chosen(5),
        seed: 7,
    };
    let groups = ask(session, grouping.clone()).expect("groups");
    let chance = ask(session, RandomGroups { grouping }).expect("an answer");
    let table = ask(session, TableWaves { of: FIRST }).expect("an answer");
    let of_table = table.spectrum.expect("a spectrum").maximum;
    let by_layer = |part| {
        let plot = layer_spectrum(&layers, &of_table, part, false).expect("layers");
        Box::new(plot) as Box<dyn Figure>
    };
    let maxima = "layer,part,frequency,maximum";
    vec![
        (
            "head-waves",
            Box::new(wave_stack(&waves).expect("waves")) as Box<dyn Figure>,
            "component,singular_value,position,query,key,period,partner",
        ),
        (
            "head-cross-correlation",
            Box::new(head_correlations(&waves)),
            "component,singular_value,offset,correlation",
        ),
        (
            "head-cross-covariance",
            Box::new(head_covariance(&waves, false)),
            "offset,sum,identity_error",
        ),
        (
            "head-cross-covariance, all",
            Box::new(head_covariance(&waves, true)),
            "offset,sum,identity_error",
        ),
        (
            "head-rotation",
            Box::new(rotation(&turn, false)),
            ROTATION_COLUMNS,
        ),
        (
            "head-rotation, all",
            Box::new(rotation(&turn, true)),
            ROTATION_COLUMNS,
        ),
        ("layer-spectrum, query", by_layer(HeadPart::Query), maxima),
        ("layer-spectrum, key", by_layer(HeadPart::Key), maxima),
        (
            "head-clusters",
            Box::new(ClusterGrid::new(&groups, chance.as_ref())),
            "layer,head,cluster,name,silhouette,group_near,group_heads,chance_heads,chance_heads_low,chance_heads_high,chance_near,chance_near_low,chance_near_high",
        ),
        (
            "cluster-traces",
            Box::new(cluster_traces(&groups, chance.as_ref())),
            "cluster,name,heads,offset,share,chance_share,chance_share_low,chance_share_high,explained,chance_explained,chance_explained_low,chance_explained_high",
        ),
    ]
}

fn check((name, figure, header): &Named) {
    let csv = figure.table().csv();
    let first = csv.lines().next().expect("a header");
    assert!(first.starts_with(header), "{name}: {first}");
    assert!(csv.lines().count() > 1, "{name} has numbers");
    let summary = figure.summary();
    assert!(
        summary.ends_with('.') && !summary.contains("NaN"),
        "{name}: {summary}"
    );
    for width in [280.0, 560.0, 1100.0] {
        let scene = figure.scene(width);
        assert_eq!(scene.height, figure.height(width), "{name}");
        assert!(
            (60.0..1500.0).contains(&scene.height),
            "{name}: {} high",
            scene.height
        );
        assert!(scene.marks.len() > 4, "{name}: {} marks", scene.marks.len());
        for mark in &scene.marks {
            if let Mark::Text { text, at, .. } = mark {
                assert!(
                    at.0.is_finite() && at.1.is_finite(),
                    "{name}: {text} stands nowhere"
                );
                assert!(
                    !text.contains("NaN") && !text.contains("inf"),
                    "{name}: {text}"
                );
                assert!(
                    (-1.0..=scene.height).contains(&at.1),
                    "{name}: {text} at {}",
                    at.1
                );
            }
            if let Mark::Raster(_, raster) = mark {
                assert_eq!(
                    raster.rgba.len(),
                    4 * raster.width * raster.height,
                    "{name}"
                );
            }
        }
    }
}

/// All figures of waves of the preset.
pub(crate) fn pictures() -> Vec<(&'static str, Box<dyn Figure>)> {
    let (session, _) = golden_minilm::open();
    let heads = of_heads(&session, ScoreMode::AsComputed);
    let all = of_table(&session).into_iter().chain(heads);
    let space = ("component-path", helix((30, 20)));
    let space = [(space.0, Box::new(space.1) as Box<dyn Figure>)];
    all.map(|(name, figure, _)| (name, figure))
        .chain(space)
        .collect()
}

#[test]
fn figures_of_the_preset_hold_the_contract() {
    let (session, _) = golden_minilm::open();
    of_table(&session).iter().for_each(check);
    for mode in [ScoreMode::Paper, ScoreMode::AsComputed] {
        of_heads(&session, mode).iter().for_each(check);
    }
}

#[test]
fn figures_of_a_computed_table_do_so_too() {
    let table = Sinusoidal {
        rows: 33,
        width: 10,
        base: 100.0,
    };
    of_table(&with_computed(Origin::Sinusoidal(table)))
        .iter()
        .for_each(check);
}

#[test]
fn pointing_at_a_frequency_lights_it_up_everywhere() {
    let (session, _) = golden_minilm::open();
    let found = ask(&session, TableWaves { of: FIRST }).expect("an answer");
    let spectra = found.spectrum.expect("spectra");
    let (lines, map) = (spectrum(&spectra, false), spectrum_columns(&spectra, false));
    let frame = map.plot_frame(600.0).expect("a plot");
    let cursor = map
        .cursor_at(600.0, frame.x + 0.3 * frame.width, frame.y + 10.0)
        .expect("a frequency");
    let Cursor::Frequency(f) = cursor else {
        panic!("{cursor:?}")
    };
    assert!(f > 2, "{f}");
    for figure in [&lines as &dyn Figure, &map] {
        assert!(!figure.overlay(600.0, Some(cursor)).marks.is_empty());
        assert!(
            figure
                .overlay(600.0, Some(Cursor::Offset(3)))
                .marks
                .is_empty()
        );
    }
    assert_eq!(map.cursor_at(600.0, 1.0, 1.0), None);
    assert_eq!(cursor.offset(), None);
}

#[test]
fn a_map_of_nothing_is_no_picture_of_something() {
    let side = || PlotAxis::new(Axis::Frequency, AxisScale::Linear).cells(0, 3);
    for values in [vec![f32::NAN; 9], vec![0.0; 9], vec![2.5; 9]] {
        let map = Plot::from_values(ValueRaster::new(values, 3), side(), side().reverse())
            .with_summary("Three by three.");
        for mark in map.scene(400.0).marks {
            if let Mark::Text { text, .. } = mark {
                assert!(!text.contains("NaN"), "{text}");
            }
        }
        assert_is_sentence(&map.summary());
    }
    assert!(layer_spectrum(&[], &[], HeadPart::Query, false).is_none());
}
