//! Every figure is complete: it has one specification, help, a card on the page, and a picture that tests compare.

use crate::support::root;
use diagonal::{
    figure_help::PositionFamily,
    figure_spec::specs,
    url_state::{FigureId, View},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

/// The names of the files in a folder.
fn names_in(folder: &str) -> BTreeSet<String> {
    let entries = fs::read_dir(root().join(folder)).expect("a folder");
    let name = |entry: fs::DirEntry| entry.file_name().into_string().expect("a plain name");
    entries
        .map(|entry| name(entry.expect("an entry")))
        .collect()
}

#[test]
fn every_figure_has_an_identifier_and_a_heading() {
    let ids: BTreeSet<&str> = FigureId::ALL.iter().map(|figure| figure.id()).collect();
    assert_eq!(ids.len(), FigureId::ALL.len(), "each once");
    for figure in FigureId::ALL {
        assert!(
            !figure.title().is_empty() && !figure.views().is_empty(),
            "{figure:?}"
        );
        assert_eq!(FigureId::from_id(figure.id()), Some(*figure));
        // `HeadGrid` is called `head-grid`, and its specification `HEAD_GRID`.
        let variant = format!("{figure:?}").to_lowercase();
        assert_eq!(variant, figure.id().replace('-', ""));
    }
    assert_eq!(FigureId::from_id("no-figure"), None);
    // The identifiers that links rely on.
    for (view, ids) in [
        (
            View::Positions,
            "position-table position-matrix offset-profile toeplitz-scores autocorrelation grid-profile",
        ),
        (
            View::Heads,
            "head-grid head-matrix head-profile head-sections",
        ),
        (
            View::Kernels,
            "kernel-function head-scores kernel-matrix added-scores head-attention kernel-attention added-attention attention-looks kernel-fit parameter-count",
        ),
        (
            View::Encodings,
            "encoding-profile flat-lines phasors criteria permutation",
        ),
    ] {
        for id in ids.split(' ') {
            let figure = FigureId::from_id(id);
            assert!(
                figure.is_some_and(|figure| figure.views().contains(&view)),
                "{id}"
            );
        }
    }
}

#[test]
fn every_figure_has_one_specification() {
    let specified: Vec<FigureId> = specs().map(|spec| spec.id).collect();
    assert_eq!(specified, FigureId::ALL);
}

#[test]
fn every_figure_has_help_in_a_file_of_its_name() {
    let mut files = names_in("www/figure_help");
    assert!(files.remove("README.md"));
    for spec in specs() {
        let file = format!("{}.txt", spec.id.id());
        for family in PositionFamily::ALL {
            let guide = spec.guide(family);
            let guide = guide.unwrap_or_else(|error| panic!("{file}, {error}"));
            for line in [guide.question, guide.reading, guide.look_for] {
                assert!(!line.is_empty(), "{file}, {family:?}");
            }
        }
        files.remove(&file);
    }
    assert!(files.is_empty(), "help of no figure: {files:?}");
}

/// Adds the constants that the files below a folder show in cards or toolbars: `spec=&HEAD_GRID`.
fn add_specs_shown(folder: &Path, names: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            add_specs_shown(&path, names);
            continue;
        }
        let text = fs::read_to_string(&path).expect("source");
        for (at, prefix) in text.match_indices('&') {
            let is_name = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
            let rest = text[at + prefix.len()..].trim_start_matches("encodings::");
            let end = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
            names.insert(rest[..end].to_owned());
        }
    }
}

#[test]
fn every_figure_is_on_the_page() {
    let mut shown = BTreeSet::new();
    add_specs_shown(&root().join("src/app/views"), &mut shown);
    for figure in FigureId::ALL {
        let constant = figure.id().replace('-', "_").to_uppercase();
        assert!(shown.contains(&constant), "no view shows {constant}");
    }
}

/// Figures that a general drawing makes, by the name of its snapshots. Their own numbers are tested with their questions.
const GENERAL_DRAWINGS: &[(&str, &[FigureId])] = &[
    (
        "matrix",
        &[
            FigureId::PositionMatrix,
            FigureId::HeadMatrix,
            FigureId::PositionalAttention,
            FigureId::HeadScores,
            FigureId::KernelMatrix,
            FigureId::AddedScores,
            FigureId::HeadAttention,
            FigureId::KernelAttention,
            FigureId::AddedAttention,
            FigureId::FitAttention,
            FigureId::FitHeadAttention,
            FigureId::FirstLayerEmbeddings,
            FigureId::FirstLayerAdded,
            FigureId::FirstLayerInstead,
            FigureId::FirstLayerNone,
            FigureId::PlantedAttention,
            FigureId::TrainingMatrix,
        ],
    ),
    ("table", &[FigureId::PositionTable, FigureId::TrainingTable]),
    (
        "lines",
        &[
            FigureId::OffsetProfile,
            FigureId::HeadProfile,
            FigureId::HeadSections,
            FigureId::KernelFunction,
            FigureId::AttentionLooks,
            FigureId::KernelFit,
            FigureId::FitResidual,
            FigureId::Spectrum,
            FigureId::Columns,
            FigureId::ColumnSpectra,
            FigureId::Components,
            FigureId::ComponentWaves,
            FigureId::HeadCrossCorrelation,
            FigureId::HeadCrossCovariance,
            FigureId::ClusterTraces,
        ],
    ),
    // Points and a line through them, as R² against performance.
    (
        "r2-performance",
        &[
            FigureId::FitCurve,
            FigureId::ComponentPath,
            FigureId::ValueHistogram,
        ],
    ),
    ("bars", &[FigureId::ToeplitzScores, FigureId::SinusoidTest]),
    (
        "grid",
        &[
            FigureId::HeadGrid,
            FigureId::HeadConvolution,
            FigureId::FitGrid,
        ],
    ),
    ("counts", &[FigureId::ParameterCount]),
    ("judgements", &[FigureId::Criteria]),
    ("shuffle", &[FigureId::Permutation]),
];

/// Figures that no snapshot has, by the test that looks at their marks instead: their numbers come from models, and the
/// last digits of these differ between machines.
const WITHOUT_SNAPSHOT: &[(&str, &[FigureId])] = &[
    (
        "tests/it/figure/cursor.rs",
        &[FigureId::GridProfile, FigureId::HeadGridProfile],
    ),
    (
        "tests/it/figure/wave_figures/mod.rs",
        &[
            FigureId::SpectrumColumns,
            FigureId::Density,
            FigureId::HeadWaves,
            FigureId::HeadRotation,
            FigureId::LayerSpectrum,
            FigureId::HeadClusters,
        ],
    ),
    (
        "tests/it/figure/image_figures.rs",
        &[
            FigureId::GaussianHeads,
            FigureId::QueryAttention,
            FigureId::FilteredImage,
            FigureId::ConvolutionError,
        ],
    ),
    (
        "tests/it/figure/image_model_figures.rs",
        &[FigureId::GridSimilarity],
    ),
];

#[test]
fn every_figure_has_a_picture_that_tests_compare() {
    let snapshots = names_in("tests/snapshots");
    let has_snapshot = |name: &str| snapshots.contains(&format!("{name}-320-light.svg"));
    let mut listed: BTreeMap<FigureId, &str> = BTreeMap::new();
    for (drawing, figures) in GENERAL_DRAWINGS {
        assert!(has_snapshot(drawing), "{drawing} has no snapshot");
        listed.extend(figures.iter().map(|figure| (*figure, *drawing)));
    }
    for (test, figures) in WITHOUT_SNAPSHOT {
        assert!(root().join(test).exists(), "there is no {test}");
        listed.extend(figures.iter().map(|figure| (*figure, *test)));
    }
    for figure in FigureId::ALL {
        assert!(
            has_snapshot(figure.id()) != listed.contains_key(figure),
            "{figure:?} needs either a picture {:?} in tests/it/figure/pictures.rs, or a line in a list of this file",
            figure.id()
        );
    }
}
