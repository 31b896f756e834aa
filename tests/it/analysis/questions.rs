//! Every question has an answer, and its metadata is correct.

use diagonal::{
    analysis::{
        AnyQuestion, AttentionMask, AttentionPreview, AttentionSinks, BackendChoice,
        BlockValueRange, BudgetSource, CloseModel, ColumnChoice, ConcatenateHeads,
        ConvolutionErrors, CorrectionEffects, DescribeTextSupport, DiagonalCells,
        DiagonalDeviations, DiagonalsOf, FailureKind, FilterImage, FilterSetting,
        FirstLayerAttention, FirstLayerWay, FitOptions, GroupFiles, HeadAttention, HeadAttentionR2,
        HeadAttentionStats, HeadConvolutions, HeadCorrelation, HeadDeviations, HeadEntropies,
        HeadFit, HeadFits, HeadGrouping, HeadList, HeadOverview, HeadRotation, HeadShifts,
        HeadTile, HeadWaves, HeadWords, ImageSource, Key, LayerConvolution, LayerSections,
        LayerSpectra, ListedQuestion, MatrixFormat, MatrixId, MatrixPart, MatrixTile,
        MemorySession, ModelOverview, ModelVersion, NumpyCode, OpenModel, Origin, PatchMaps,
        PatchSimilarity, PositionBudgets, PositionDependence, PositionOverview, PositionTile,
        PredictTokens, RandomGroups, RandomProfiles, ReadLesson, ReadSnapshot, ReopenWithOptions,
        RetargetHead, RetargetedAttention, RetargetedWeights, RotaryAngleSets, RotaryFindings,
        RotaryFrequencies, RotaryMeasure, RunTexts, Sample, ScoreInput, ScoreMode, ScorePart,
        ScoreTerms, Similarity, SinusoidTest, SpecialTokenMode, StoredGaussians, TableColumns,
        TableContinuity, TablePair, TableTile, TableWaves, TermDraws, TermSet, TextHeadMatrix,
        TextHeadProfile, TextId, TextPartMatrix, TextPartShares, TextTokens, TextValues,
        TokenizerFiles, WholeMatrix, alphas, in_their_places, kernel_of,
    },
    checkpoint::MemorySource,
    encoding::{Kernel, Kernels, Random, Sinusoidal},
    math::{GroupCount, Padding, TapSide, Window},
    model::ModelOptions,
};
use std::collections::BTreeSet;

use crate::support::questions::{
    FIRST, ask, ask_with_files, folder, forward_folder, head_of_first,
};

fn kernels() -> Kernels {
    Kernels(vec![
        Kernel::new(2.0, 0.1, -1.0),
        Kernel::new(-1.0, 0.5, 3.0),
    ])
}

fn open_question(id: u32, origin: Origin) -> OpenModel {
    OpenModel {
        version: ModelVersion { id, revision: 1 },
        origin,
        choice: ModelOptions::default(),
    }
}

/// A lesson of one step.
const LESSON: &[u8] = b"---\ntitle: T\n---\n\n## Step\n\nText.\n";

/// Questions answered so far.
#[derive(Default)]
struct Answered {
    session: Option<MemorySession>,
    names: BTreeSet<&'static str>,
    keys: Vec<Key>,
}

impl Answered {
    /// Asks a question about this model, and checks its metadata.
    fn ask<Q: ListedQuestion>(&mut self, question: Q, about: Option<ModelVersion>) -> Q::Answer {
        let session = self.session.as_ref().expect("a session");
        let files = match &question.clone().into() {
            AnyQuestion::GroupFiles(_) => folder("bert"),
            AnyQuestion::ReadLesson(_) => {
                vec![("a.md".to_owned(), MemorySource::from(LESSON.to_vec()))]
            }
            AnyQuestion::ReadSnapshot(_) => folder("bert"),
            AnyQuestion::OpenModel(question) if question.version.id == 4 => folder("attention-cnn"),
            AnyQuestion::OpenModel(question) if question.version.id == 5 => folder("gpt2"),
            AnyQuestion::OpenModel(question) if question.version.id == 6 => forward_folder("llama"),
            AnyQuestion::OpenModel(question) if question.version.id == 7 => {
                forward_folder("gpt-oss")
            }
            AnyQuestion::OpenModel(question) if question.origin == Origin::Files => folder("bert"),
            _ => Vec::new(),
        };
        let any: AnyQuestion = question.clone().into();
        assert_eq!((question.model(), any.model()), (about, about), "{any:?}");
        assert!(question.replaces(&question) && any.urgency() == Q::URGENCY);
        self.names.insert(any.name());
        let key = Key::new(&any);
        assert!(
            !self.keys.contains(&key),
            "two questions of one key: {any:?}"
        );
        self.keys.push(key);

        let answer = ask_with_files(session, question, files);
        answer.unwrap_or_else(|failure| panic!("{any:?}: {failure}"))
    }

    /// Asks all questions about a text in a model that predicts words.
    fn ask_about_text(&mut self, of: ModelVersion) {
        let text = TextId { run: 3, index: 0 };
        let (layer, head, special) = (1, 0, SpecialTokenMode::Shown);
        let values = TextValues::Scores;
        let support = self.ask(DescribeTextSupport { of }, Some(of));
        let run = RunTexts {
            of,
            run: text.run,
            texts: vec![TextTokens::plain(vec![1, 2, 3])],
            stores_bytes: false,
        };
        assert_eq!(self.ask(run, Some(of)).passed_layers, support.layers);
        let matrix = TextHeadMatrix {
            of,
            text,
            layer,
            head,
            values,
            part: MatrixPart::Whole,
            special,
        };
        self.ask(matrix, Some(of));
        let profile = TextHeadProfile {
            of,
            run: text.run,
            layer,
            head,
            values,
            special,
        };
        assert_eq!(self.ask(profile, Some(of)).offsets.len(), 5);
        let shares = self.ask(TextPartShares { of, text }, Some(of));
        assert_eq!(shares.len(), 5 * support.heads);
        let part = TextPartMatrix {
            of,
            text,
            head,
            part: ScorePart::ContentContent,
            special,
        };
        self.ask(part, Some(of));
        let predictions = PredictTokens {
            of,
            text,
            positions: vec![0, 2],
        };
        assert_eq!(self.ask(predictions, Some(of)).len(), 2);
    }
}

#[test]
fn every_question_is_answered() {
    let mut recorder = Answered {
        session: Some(MemorySession::default()),
        ..Answered::default()
    };
    let of_first = Some(FIRST);
    let (of, mode) = (FIRST, ScoreMode::Paper);
    let head = head_of_first(ScoreMode::AsComputed, 1, 3);
    let similarity = Similarity::Cosine;
    let (n, cells) = (64, AttentionMask::Causal);
    let options = FitOptions {
        kernels: 2,
        ..FitOptions::default()
    };
    let window = Window {
        rows: 3..40,
        cols: 10..47,
    };

    assert_eq!(recorder.ask(GroupFiles, None).models.len(), 1);
    let lesson = recorder.ask(ReadLesson { address: None }, None);
    assert_eq!(lesson.steps.len(), 1);
    recorder.ask(open_question(1, Origin::Files), of_first);
    let second = ModelVersion { id: 2, revision: 1 };
    recorder.ask(
        open_question(2, Origin::Sinusoidal(Sinusoidal::default())),
        Some(second),
    );
    let third = ModelVersion { id: 3, revision: 1 };
    recorder.ask(
        open_question(3, Origin::Random(Random::default())),
        Some(third),
    );
    recorder.ask(PositionOverview { of, similarity }, of_first);
    recorder.ask(DiagonalDeviations { of, similarity }, of_first);
    for part in [
        MatrixPart::Whole,
        MatrixPart::Toeplitz,
        MatrixPart::Residual,
    ] {
        let window = Some(window.clone());
        let tile = PositionTile {
            of,
            similarity,
            part,
            window,
            limit: 512,
        };
        recorder.ask(tile, of_first);
    }
    recorder.ask(TableTile { of, limit: 512 }, of_first);
    let cells_of = |of| DiagonalCells {
        of,
        distances: vec![1, 5],
    };
    recorder.ask(cells_of(DiagonalsOf::Model(FIRST)), of_first);
    recorder.ask(
        cells_of(DiagonalsOf::Sinusoidal(Sinusoidal::default())),
        None,
    );
    assert_eq!(
        recorder
            .ask(
                HeadList {
                    of,
                    input: mode.into()
                },
                of_first
            )
            .len(),
        8
    );
    let entropies = HeadEntropies {
        of,
        input: mode.into(),
        cells,
        layer: None,
    };
    assert_eq!(recorder.ask(entropies, of_first).len(), 8);
    let weighted = HeadAttentionR2 {
        of,
        input: mode.into(),
        cells,
    };
    assert_eq!(recorder.ask(weighted, of_first).len(), 8);
    recorder.ask(HeadOverview { of: head }, of_first);
    let tile = HeadTile {
        of: head,
        window: window.clone(),
        limit: 512,
    };
    recorder.ask(tile, of_first);
    recorder.ask(HeadDeviations { of: head }, of_first);
    let with = head_of_first(ScoreMode::AsComputed, 0, 1);
    let correlation = HeadCorrelation {
        of: head,
        with,
        cells,
    };
    let correlation = recorder.ask(correlation, of_first);
    assert!(correlation.is_some_and(|r| (-1.0..=1.0).contains(&r)));
    let look = HeadAttentionStats {
        of: head,
        kernels: kernels(),
        n,
        cells,
    };
    recorder.ask(look, of_first);
    let terms = ScoreTerms {
        of: head,
        words: HeadWords::Random(1),
        summands: TermSet::default(),
        cells,
    };
    assert_eq!(recorder.ask(terms, of_first).maps.len(), 5);
    let draws = TermDraws {
        of: head,
        draws: 2,
        cells,
    };
    assert_eq!(recorder.ask(draws, of_first).len(), 2);
    let taps = LayerConvolution {
        of,
        layer: 1,
        cells,
    };
    let taps = recorder.ask(taps, of_first).expect("taps");
    assert_eq!(taps.head_norms.len(), 4);
    let pair = TablePair { of, limit: 8 };
    let pair = recorder.ask(pair, of_first);
    assert_eq!(pair[0].tile.window, pair[1].tile.window);
    let cones = recorder.ask(TableContinuity { of }, of_first);
    assert!(cones.expect("cones").table.bound.slope > 0.0);
    let sections = LayerSections {
        of,
        input: mode.into(),
        layer: 1,
    };
    assert_eq!(recorder.ask(sections, of_first).len(), 4);
    let dependence = PositionDependence {
        of: head,
        text: vec![1, 2],
        cells,
    };
    assert_eq!(recorder.ask(dependence, of_first).len(), 22);
    let attention = HeadAttention {
        of: head,
        kernels: kernels(),
        n,
        cells,
        window: window.clone(),
        limit: 512,
        by: BackendChoice::Auto,
    };
    recorder.ask(attention.clone(), of_first);
    recorder.ask(AttentionPreview(attention), of_first);
    let first = FirstLayerAttention {
        of: head_of_first(mode, 0, 1),
        kernels: kernels(),
        n: 16,
        cells,
        words: Vec::new(),
    };
    assert_eq!(recorder.ask(first.clone(), of_first).len(), 4);
    let fits = recorder.ask(HeadFit { of: head, options }, of_first);
    assert!(fits.fits.len() >= 2);
    let layer = Some(0);
    let fits = recorder.ask(
        HeadFits {
            of,
            input: mode.into(),
            layer,
            options,
        },
        of_first,
    );
    assert_eq!(fits.fits.len(), 4);
    assert_eq!(recorder.ask(RotaryAngleSets { of }, of_first), None);
    recorder.ask(TableWaves { of }, of_first);
    let choice = ColumnChoice::Strongest(3);
    let columns = recorder.ask(TableColumns { of, choice }, of_first);
    assert_eq!(columns.expect("columns that vary").len(), 3);
    recorder
        .ask(SinusoidTest { of }, of_first)
        .expect("numbers");
    recorder
        .ask(HeadWaves { of: head }, of_first)
        .expect("waves");
    let turn = recorder.ask(HeadRotation { of: head }, of_first);
    turn.expect("a rotation");
    let shifts = HeadShifts {
        of,
        input: mode.into(),
    };
    assert_eq!(recorder.ask(shifts, of_first).len(), 8);
    assert_eq!(
        recorder
            .ask(
                LayerSpectra {
                    of,
                    input: mode.into()
                },
                of_first
            )
            .len(),
        2
    );
    let grouping = HeadGrouping {
        of,
        input: ScoreInput::Positions(ScoreMode::AsComputed),
        count: GroupCount::Chosen(2),
        seed: 1,
    };
    let groups = recorder.ask(grouping.clone(), of_first).clusters;
    let profiles = RandomProfiles {
        of,
        input: mode.into(),
        layer: 0,
    };
    let shared = recorder.ask(profiles, of_first).expect("products");
    assert!(shared.sharing <= shared.heads);
    let chance = recorder.ask(RandomGroups { grouping }, of_first);
    assert_eq!(chance.expect("products").sizes.len(), groups.traces.len());
    let turned_head = head_of_first(ScoreMode::AsComputed, 0, 1);
    let retarget = RetargetHead {
        of: turned_head,
        cells: AttentionMask::Whole,
    };
    let retargeting = recorder.ask(retarget, of_first).expect("a table");
    let attention = RetargetedAttention {
        of: turned_head,
        cells: AttentionMask::Whole,
        shift: 2,
    };
    assert!(recorder.ask(attention, of_first).is_ok());
    let weights = RetargetedWeights {
        of: turned_head,
        shift: 2,
    };
    let saved = recorder.ask(weights, of_first);
    let name = retargeting.tensor.as_bytes();
    assert!(saved.windows(name.len()).any(|bytes| bytes == name));
    assert_eq!(
        recorder
            .ask(
                HeadConvolutions {
                    of,
                    input: mode.into()
                },
                of_first
            )
            .len(),
        2
    );
    assert_eq!((groups.names.len(), groups.of.len()), (2, 8));
    recorder.ask(ModelOverview { of, similarity }, of_first);
    recorder.ask(CorrectionEffects { of }, of_first);
    for (matrix, about) in [
        (MatrixId::Table(of), of_first),
        (
            MatrixId::Positions(of, similarity, MatrixPart::Whole),
            of_first,
        ),
        (MatrixId::Head(head, cells), of_first),
        (MatrixId::HeadDifference(head, with, cells), of_first),
        (MatrixId::Added(kernels(), n, cells, head), of_first),
        (
            MatrixId::FirstLayer(Box::new(first.clone()), FirstLayerWay::Added),
            of_first,
        ),
        (MatrixId::Kernels(kernels(), n, cells), None),
        (MatrixId::Attention(kernels(), n, cells, None), None),
        (
            MatrixId::Attention(kernels(), n, cells, Some(head)),
            of_first,
        ),
    ] {
        for format in [MatrixFormat::Csv, MatrixFormat::Npy] {
            let window = Some(window.clone());
            let of = matrix.clone();
            recorder.ask(WholeMatrix { of, format, window }, about);
        }
        let (of, window) = (matrix.clone(), window.clone());
        recorder.ask(
            BlockValueRange {
                of,
                window: window.clone(),
            },
            about,
        );
        let tile = MatrixTile {
            of: matrix,
            window: Some(window),
            limit: 4,
        };
        recorder.ask(tile, about);
    }
    let otherwise = ReopenWithOptions {
        version: ModelVersion { id: 1, revision: 2 },
        choice: ModelOptions {
            heads: Some(8),
            ..ModelOptions::default()
        },
    };
    recorder.ask(otherwise.clone(), Some(otherwise.version));
    recorder.ask(CloseModel { id: 3 }, None);
    // Only servers have an answer; `remote/session.rs` has some.
    let question = TokenizerFiles {
        model: "org/model".to_owned(),
    };
    let failure = ask(
        recorder.session.as_ref().expect("a session"),
        question.clone(),
    );
    assert_eq!(failure.expect_err("no network").kind, FailureKind::Network);
    recorder.names.insert(AnyQuestion::from(question).name());

    let fourth = ModelVersion { id: 4, revision: 1 };
    recorder.ask(open_question(4, Origin::Files), Some(fourth));
    let gaussians = recorder.ask(StoredGaussians { of: fourth }, Some(fourth));
    let code = recorder.ask(NumpyCode { of: fourth }, Some(fourth));
    assert!(code.is_ok_and(|code| !code.segments.is_empty()));
    assert_eq!(gaussians.expect("Gaussians").len(), 3);
    let patches = PatchSimilarity {
        of: fourth,
        similarity,
        other: None,
        layer: 1,
    };
    let maps = recorder.ask(patches, Some(fourth));
    assert!(matches!(maps, PatchMaps::ByHead(maps) if maps.heads.len() == 4));

    let kernel = kernel_of("blur").expect("a kernel");
    let setting = FilterSetting {
        image: ImageSource::Sample(Sample::Rings, 16),
        heads: in_their_places(&kernel, TapSide::AsWritten, 64.0),
        head_channels: None,
        kernel,
        side: TapSide::AsWritten,
        padding: Padding::Edge,
        stride: 1,
    };
    let made = recorder.ask(
        FilterImage {
            of: setting.clone(),
        },
        None,
    );
    assert!(made.error.greatest < 1e-9);
    let query = (3, 4);
    let concatenation = recorder.ask(
        ConcatenateHeads {
            of: setting.clone(),
            query,
        },
        None,
    );
    assert_eq!(concatenation.heads.len(), 9);
    let errors = recorder.ask(ConvolutionErrors { of: setting }, None);
    assert_eq!(errors.len(), alphas().len());

    let snapshot = ReadSnapshot {
        options: ModelOptions::default(),
        waves: true,
        fit: Some(options),
    };
    let snapshot = recorder.ask(snapshot, None);
    assert_eq!(snapshot.heads.len(), snapshot.fits.len());

    let fifth = ModelVersion { id: 5, revision: 1 };
    recorder.ask(open_question(5, Origin::Files), Some(fifth));
    recorder.ask_about_text(fifth);

    let sixth = ModelVersion { id: 6, revision: 1 };
    recorder.ask(open_question(6, Origin::Files), Some(sixth));
    let budgets = PositionBudgets {
        of: sixth,
        cells,
        source: BudgetSource::Words,
    };
    assert_eq!(recorder.ask(budgets, Some(sixth)).len(), 4);
    let findings = recorder.ask(RotaryFindings { of: sixth }, Some(sixth));
    assert!(!findings.is_empty());
    let frequencies = RotaryFrequencies {
        of: sixth,
        measure: RotaryMeasure::Energy,
        reads_all: false,
    };
    let layers = recorder.ask(frequencies, Some(sixth));
    assert_eq!(layers.layers.len(), layers.total);

    let seventh = ModelVersion { id: 7, revision: 1 };
    recorder.ask(open_question(7, Origin::Files), Some(seventh));
    let sinks = recorder.ask(
        AttentionSinks {
            of: seventh,
            input: ScoreMode::AsComputed.into(),
        },
        Some(seventh),
    );
    assert_eq!(sinks.len(), 12);

    // Jobs between workers are tested in `jobs.rs`.
    let all = AnyQuestion::NAMES.iter().copied();
    let unasked: Vec<_> = all
        .filter(|name| *name != "RunJob" && !recorder.names.contains(name))
        .collect();
    assert!(unasked.is_empty(), "ask these in this test: {unasked:?}");
}
