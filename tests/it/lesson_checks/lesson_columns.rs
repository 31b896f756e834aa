//! Numbers in lessons name existing columns of figures, and claims about the preset hold: figures are computed here as
//! on the page for each step's state.

use super::{
    demonstration_figures,
    lessons::{lessons, states},
};
use crate::{
    analysis::golden_minilm,
    support::questions::{FIRST, ask},
};
use diagonal::{
    analysis::{
        AttentionStats, HeadAttentionR2, HeadAttentionStats, HeadFit, HeadFits, HeadGrouping,
        HeadId, HeadList, HeadOverview, HeadR2, HeadRotation, HeadWaves, HeadWords, LayerSpectra,
        Looks, MatrixPart, MemorySession, ModelOverview, PositionDependence, PositionOverview,
        ProfileInputs, RetargetHead, SchemeId, ScoreInput, ScoreMode, ScoreTerms, Similarity,
        SinusoidTest, TableColumns, TableWaves, encoding_profiles, parameter_count::CountedModel,
    },
    checkpoint::{Checkpoint, MemorySource},
    encoding::Kernels,
    figure::{
        ColorMap, EncodingProfiles, Figure, Heatmap, Judgements, Phasors, Series, StackedPlot,
        Table, TermChoices,
        attention_stats::attention_looks,
        heads::{HeadLabel, HeadPictures, sections},
        kernel_fits::{fit_curve, fit_lines, fit_residual, fit_table},
        model_comparison::autocorrelation,
        parameter_counts, position_dependence, score_bars, score_terms,
        waves::{
            ClusterGrid, cluster_traces, column_spectra, component_shares, density,
            head_correlations, head_covariance, layer_spectrum, retarget_head, rotation,
            sinusoid_test, spectrum, value_histogram, wave_stack,
        },
    },
    lesson_checks::{ClaimResult, LessonValue, judge, model_value, read},
    math::{AttentionMask, Tile, Window},
    model::{ModelOptions, PositionModel},
    url_state::{FigureId, Link, RankingR2, View},
};
use lesson_format::{Number, NumberSource};
use ndarray::Array2;
use pollster::block_on;
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

/// The preset, and its table.
pub(crate) struct Preset {
    session: MemorySession,
    model: diagonal::analysis::ModelSummary,
    rows: Array2<f32>,
    /// Tables computed so far, by the part of the state that they depend on.
    made: BTreeMap<String, Arc<Table>>,
}

impl Preset {
    pub(crate) fn open() -> Self {
        let (session, model) = golden_minilm::open();
        let file = crate::support::models::data("../../www/presets/minilm-l6.safetensors");
        let bytes = std::fs::read(file).expect("the preset");
        let checkpoint = Checkpoint::open(MemorySource::new(bytes), "minilm-l6");
        let checkpoint = block_on(checkpoint).expect("a checkpoint");
        let choice = ModelOptions::default();
        let opened = PositionModel::open(&checkpoint, None, &choice);
        let rows = block_on(opened)
            .expect("a model")
            .table()
            .expect("rows")
            .clone();
        Self {
            session,
            model,
            rows,
            made: BTreeMap::new(),
        }
    }

    /// The table behind a figure in a state of the preset; `None` for figures that are not computed here.
    fn table(&mut self, figure: &str, link: &Link) -> Option<Arc<Table>> {
        let depends = match figure {
            "toeplitz-scores" => format!("{:?}", link.positions.similarity),
            "position-matrix" => format!("{:?} {:?}", link.positions, link.matrices.window),
            "attention-looks" => format!("{:?} {:?}", link.heads, link.kernels),
            "score-terms" | "head-grid" => format!("{:?}", link.heads),
            "fit-curve" | "fit-grid" => {
                format!("{:?} {:?}", link.heads, link.kernel_options)
            }
            "encoding-profile" | "phasors" => {
                format!("{:?} {:?}", link.encodings.choice, link.kernels.kernels)
            }
            "planted-waves" => format!("{:?}", link.encodings.planted_waves),
            "column-spectra" | "head-clusters" | "cluster-traces" => {
                format!("{:?} {:?}", link.heads.mode, link.waves)
            }
            "retarget-head" => {
                format!("{:?} {:?}", link.heads, link.waves.shift)
            }
            _ => format!(
                "{:?} {:?}",
                link.heads.mode,
                (link.heads.layer, link.heads.head)
            ),
        };
        let key = format!("{figure} {depends}");
        if let Some(table) = self.made.get(&key) {
            return Some(Arc::clone(table));
        }
        let table = Arc::new(self.make(figure, link)?);
        self.made.insert(key, Arc::clone(&table));
        Some(table)
    }

    fn make(&self, figure: &str, link: &Link) -> Option<Table> {
        let session = &self.session;
        Some(match figure {
            // The means of `offset-profile`, whose table has more columns.
            "profile-means" => {
                let similarity = link.positions.similarity;
                let question = PositionOverview {
                    of: FIRST,
                    similarity,
                };
                let f = ask(session, question).expect("positions").fit.f;
                Series::table_of(&[Series::from_profile("mean", &f)])
            }
            "fit-grid" => {
                let fits = HeadFits {
                    of: FIRST,
                    input: link.heads.mode.into(),
                    layer: Some(link.heads.layer),
                    options: link.kernel_options.fit.options(AttentionMask::Whole),
                };
                fit_table(&ask(session, fits).expect("fits").fits)
            }
            // On the page their tables also have the fits of other heads.
            "kernel-fit" | "fit-residual" => return None,
            _ => self.figure(figure, link)?.table(),
        })
    }

    /// A figure in a state of the preset; `None` for figures that are not computed here.
    pub(crate) fn figure(&self, figure: &str, link: &Link) -> Option<Box<dyn Figure>> {
        let (session, mode) = (&self.session, link.heads.mode);
        let of = HeadId {
            model: FIRST,
            input: mode.into(),
            layer: link.heads.layer,
            head: link.heads.head,
        };
        let waves = || ask(session, TableWaves { of: FIRST }).expect("an answer");
        let head_waves = || {
            let found = ask(session, HeadWaves { of }).expect("an answer");
            found.expect("waves")
        };
        let groups = || {
            let chosen = &link.waves;
            let grouping = HeadGrouping {
                of: FIRST,
                input: ScoreInput::Positions(ScoreMode::AsComputed),
                count: chosen.groups,
                seed: chosen.seed,
            };
            ask(session, grouping).expect("groups")
        };
        Some(match figure {
            "sinusoid-test" => {
                let found = ask(session, SinusoidTest { of: FIRST }).expect("an answer");
                Box::new(sinusoid_test(&found.expect("numbers")))
            }
            "spectrum" => Box::new(spectrum(&waves().spectrum.expect("spectra"), false)),
            "components" => Box::new(component_shares(&waves().components.expect("components"))),
            "density" => Box::new(density(&waves().density.expect("values"))),
            "value-histogram" => Box::new(value_histogram(&waves().density.expect("values"))),
            "column-spectra" => {
                let choice = link.waves.columns.clone();
                let found = ask(session, TableColumns { of: FIRST, choice }).expect("an answer");
                Box::new(column_spectra(&found.expect("columns")))
            }
            "head-waves" => Box::new(wave_stack(&head_waves())?),
            "head-cross-correlation" => Box::new(head_correlations(&head_waves())),
            "head-cross-covariance" => Box::new(head_covariance(&head_waves(), false)),
            "head-rotation" => {
                let found = ask(session, HeadRotation { of }).expect("an answer");
                Box::new(rotation(&found.expect("a turn"), false))
            }
            "retarget-head" => {
                let of = HeadId {
                    input: ScoreInput::Positions(ScoreMode::AsComputed),
                    ..of
                };
                let cells = AttentionMask::Whole;
                let found = ask(session, RetargetHead { of, cells }).expect("an answer");
                Box::new(retarget_head(&found.expect("a head"), link.waves.shift)?)
            }
            "layer-spectrum" => {
                let layers = ask(
                    session,
                    LayerSpectra {
                        of: FIRST,
                        input: mode.into(),
                    },
                )
                .expect("an answer");
                let of_table = waves().spectrum.expect("a spectrum").maximum;
                Box::new(layer_spectrum(&layers, &of_table, link.waves.part, false)?)
            }
            "head-clusters" => Box::new(ClusterGrid::new(&groups(), None)),
            "cluster-traces" => Box::new(cluster_traces(&groups(), None)),
            "head-sections" => {
                let detail = ask(session, HeadOverview { of }).expect("a head");
                Box::new(sections(&detail, AttentionMask::Whole, (-8.5, 8.5)))
            }
            "head-grid" => {
                let heads = ask(
                    session,
                    HeadList {
                        of: FIRST,
                        input: mode.into(),
                    },
                )
                .expect("heads");
                let mut pictures = HeadPictures::default();
                pictures.add(&heads, AttentionMask::Whole, ColorMap::Diverging);
                let all: Vec<_> = heads.iter().collect();
                let measure = match link.heads.r2 {
                    RankingR2::WithoutRowMeans => HeadR2::WithoutRowMeans,
                    RankingR2::Scores => HeadR2::Scores,
                    RankingR2::Attention => {
                        let question = HeadAttentionR2 {
                            of: FIRST,
                            input: mode.into(),
                            cells: AttentionMask::Whole,
                        };
                        let heads = ask(session, question).expect("heads").into_iter();
                        let of_heads = heads.map(|head| ((head.layer, head.head), head.r2));
                        HeadR2::WeightedByAttention(Arc::new(of_heads.collect()))
                    }
                };
                let grid =
                    pictures.grid(&all, AttentionMask::Whole, (HeadLabel::R2, &measure), None);
                Box::new(grid?)
            }
            "position-dependence" => {
                let question = PositionDependence {
                    of,
                    text: Vec::new(),
                    cells: AttentionMask::Whole,
                };
                let lines = ask(session, question).expect("lines");
                Box::new(position_dependence(
                    &lines,
                    AttentionMask::Whole,
                    "the mean word",
                )?)
            }
            "score-terms" => {
                let choices = TermChoices {
                    head: (of.layer, of.head),
                    summands: link.heads.terms,
                    cells: AttentionMask::Whole,
                };
                let question = ScoreTerms {
                    of,
                    words: HeadWords::Mean,
                    summands: choices.summands,
                    cells: choices.cells,
                };
                let terms = ask(session, question).expect("terms");
                Box::new(score_terms(&terms, &[], &choices, 0.0))
            }
            "toeplitz-scores" => {
                let similarity = link.positions.similarity;
                let question = PositionOverview {
                    of: FIRST,
                    similarity,
                };
                Box::new(score_bars(&ask(session, question).expect("positions")))
            }
            "position-matrix" => Box::new(self.products(link)?),
            "criteria" => Box::new(Judgements::default()),
            "autocorrelation" => {
                let similarity = Similarity::InnerProduct;
                let question = ModelOverview {
                    of: FIRST,
                    similarity,
                };
                let brief = ask(session, question).expect("an overview");
                Box::new(autocorrelation(&brief, true).expect("a line"))
            }
            "fit-curve" | "kernel-fit" | "fit-residual" => {
                let options = link.kernel_options.fit.options(AttentionMask::Whole);
                let fits = ask(session, HeadFit { of, options }).expect("fits");
                let f = ask(session, HeadOverview { of }).expect("a head").fit.f;
                let (fit, shown) = (fits.fits.last()?, (-40.5, 40.5));
                match figure {
                    "fit-curve" => Box::new(fit_curve(&fits, options.kernels)?),
                    "kernel-fit" => Box::new(fit_lines(fit, &f, shown, &fits.fits)),
                    _ => Box::new(fit_residual(fit, &f, shown)),
                }
            }
            "parameter-count" => {
                let size = CountedModel::new(&[], Some(&self.model)).size;
                Box::new(parameter_counts("MiniLM", &size))
            }
            "attention-looks" => {
                Box::new(attention_looks(&self.looks(of, link), AttentionMask::Whole))
            }
            "encoding-profile" => Box::new(profiles(link)?),
            "phasors" => {
                let chosen = &link.encodings.choice;
                Box::new(Phasors {
                    frequencies: chosen.parameters.sinusoid.frequencies().collect(),
                    position: chosen.phasors.position,
                    offset: chosen.phasors.offset,
                })
            }
            _ => return demonstration_figures::figure(session, figure, link),
        })
    }

    /// The inner products in a window of positions, shown cell by cell.
    fn products(&self, link: &Link) -> Option<Heatmap> {
        let is_whole = link.positions.part == MatrixPart::Whole;
        let are_products = link.positions.similarity == Similarity::InnerProduct;
        let window: Window = link
            .matrices
            .window
            .clone()
            .filter(|_| is_whole && are_products)?;
        let limit = window.rows.len().max(window.cols.len());
        let all = self.rows.dot(&self.rows.t());
        let tile = Tile::from_matrix(all.view(), window, limit);
        Some(Heatmap::matrix(Arc::new(tile), ColorMap::Diverging, 0.0))
    }

    fn looks(&self, of: HeadId, link: &Link) -> Looks {
        let (n, cells) = (self.model.rows, AttentionMask::Whole);
        let look = |kernels: Kernels| HeadAttentionStats {
            of,
            kernels,
            n,
            cells,
        };
        let kernels = &link.kernels.kernels;
        Looks {
            head: ask(&self.session, look(Kernels::default())).expect("a look"),
            kernels: AttentionStats::from_toeplitz(&kernels.scores(n), cells),
            together: ask(&self.session, look(kernels.clone())).expect("a look"),
        }
    }

    /// The value of a step's number; `None` if its figure is not computed here.
    pub(crate) fn read(
        &mut self,
        number: &Number,
        link: &Link,
    ) -> Option<Result<LessonValue, String>> {
        match &number.of {
            NumberSource::Model(fact) => {
                Some(model_value(*fact, &self.model).ok_or_else(|| "none".to_owned()))
            }
            NumberSource::Figure {
                figure,
                reading,
                rows,
            } => Some(read(reading, rows, &*self.table(figure, link)?)),
        }
    }
}

/// The profiles of a link's schemes; `None` if one of them is of the open model or head.
fn profiles(link: &Link) -> Option<EncodingProfiles> {
    let chosen = &link.encodings.choice;
    let of_model = [SchemeId::Learned, SchemeId::Head];
    if of_model
        .iter()
        .any(|which| chosen.drawn_schemes.contains(which))
    {
        return None;
    }
    let inputs = ProfileInputs {
        kernels: &link.kernels.kernels,
        open: None,
        head: None,
    };
    let schemes = chosen.drawn_schemes.iter().copied();
    Some(EncodingProfiles {
        profiles: encoding_profiles(schemes, &chosen.parameters, &inputs),
        open: String::new(),
        head: None,
        offsets: EncodingProfiles::shown_offsets(
            chosen.parameters.n,
            chosen.all,
            AttentionMask::Whole,
        ),
        together: chosen.together,
        fixed_ranges: Vec::new(),
        strip_height: StackedPlot::STRIP_HEIGHT,
    })
}

/// Whether a number does not depend on the open model.
fn needs_no_model(number: &Number) -> bool {
    matches!(number.figure(), Some("encoding-profile" | "phasors"))
}

/// Minimum numbers and claims checked here; the others are left to the browser tests.
const FEWEST_NUMBERS: usize = 250;
const FEWEST_CLAIMS: usize = 80;

#[test]
fn numbers_of_lessons_are_there_and_their_claims_hold_of_the_preset() {
    let mut preset = Preset::open();
    let (mut numbers, mut claims) = (0, 0);
    for (id, lesson) in lessons() {
        for (at, (step, state)) in lesson.steps.iter().zip(states(&lesson)).enumerate() {
            let place = format!("{id}, step {}", at + 1);
            let (link, _) = Link::parse(state.expect("a state"));
            let is_preset = link.model.is_preset("minilm-l6") && link.view != View::Compare;
            let is_readable = |number: &Number| is_preset || needs_no_model(number);
            for number in step.numbers().filter(|number| is_readable(number)) {
                match preset.read(number, &link) {
                    Some(Ok(_)) => numbers += 1,
                    Some(Err(why)) => panic!("{place}: {number:?}: {why}"),
                    None => {}
                }
            }
            for claim in &step.claims {
                if !claim.numbers().all(is_readable) {
                    continue;
                }
                let known: Vec<_> = claim.numbers().map(|n| preset.read(n, &link)).collect();
                if known.iter().any(Option::is_none) {
                    continue;
                }
                let judged = judge(claim, |number| {
                    let known = claim
                        .numbers()
                        .zip(&known)
                        .find(|(other, _)| *other == number);
                    known?.1.clone()?.ok()
                });
                assert_eq!(judged, ClaimResult::Holds, "{place}: {claim:?}");
                claims += 1;
            }
        }
    }
    assert!(numbers >= FEWEST_NUMBERS, "{numbers} numbers");
    assert!(claims >= FEWEST_CLAIMS, "{claims} claims");
}

/// The first columns of tables, which never change. Further columns may follow.
const CONTRACT: &[(&str, &str)] = &[
    ("autocorrelation", "lag,mean_absolute"),
    ("components", "component,share,cumulative"),
    ("density", "position,value,density"),
    ("head-clusters", "layer,head,cluster,name"),
    (
        "head-cross-correlation",
        "component,singular_value,offset,correlation",
    ),
    ("head-grid", "layer,head,r2,causal_r2,peak_offset"),
    ("head-rotation", "angle,frequency,weight"),
    ("layer-spectrum", "layer,part,frequency,maximum"),
    ("sinusoid-test", "layout,distance"),
    ("spectrum", "frequency,mean,quartile_low,quartile_high"),
    ("toeplitz-scores", "scope,rows,r2"),
];

#[test]
fn columns_of_tables_are_a_contract() {
    let mut preset = Preset::open();
    let (link, _) = Link::parse("view=heads&model=minilm-l6");
    for (figure, columns) in CONTRACT {
        let csv = preset.table(figure, &link).expect("a table").csv();
        assert!(csv.starts_with(columns), "{figure}: {columns}");
    }
    for figure in FigureId::ALL {
        let Some(table) = preset.table(figure.id(), &link) else {
            continue;
        };
        let names: Vec<&str> = table.names().collect();
        let different: BTreeSet<&str> = names.iter().copied().collect();
        assert!(
            !names.is_empty() && names.len() == different.len(),
            "{figure:?}: {names:?}"
        );
        let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        let plain = names
            .iter()
            .all(|name| !name.is_empty() && name.chars().all(is_plain));
        assert!(plain, "{figure:?}: {names:?}");
    }
}
