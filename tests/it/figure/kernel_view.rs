//! The kernels view, without a browser: sliders, plot, counts, files.

use crate::math::laws::{config, kernels};
use diagonal::{
    analysis::{
        AttentionMask, HeadId, KernelPicture, ModelSummary, ModelVersion, PositionKind, ScoreInput,
        ScoreMode, kernel_picture,
        parameter_count::{CountedModel, ModelSize},
    },
    encoding::{Kernel, KernelSet, Kernels},
    figure::{
        Figure, HeadGuide, Ink, Mark, Series, kernel_function, needs_all_offsets, offsets_around,
        shown_offsets,
    },
    kernel_io::{DEFAULT_PREFIX, KERNEL_FORMATS, KernelFile},
    math::{Profile, TableBreaks, Window},
    model::HeadsSource,
    url_state::{KernelNumber, Link, SliderReach, default_kernels},
};
use proptest::prelude::*;

fn one(a: f64, c: f64) -> Kernels {
    Kernels(vec![Kernel::new(a, 0.1, c)])
}

#[test]
fn sliders_reach_as_far_as_kernels_need() {
    let usual = SliderReach::default();
    assert_eq!(SliderReach::compute(&default_kernels(), None), usual);
    assert_eq!(SliderReach::compute(&Kernels::default(), None), usual);
    let farther = SliderReach::compute(&one(-30.0, 70.0), None);
    assert_eq!((farther.amplitude, farther.centre), (50.0, 100.0));
    // On the default slider these would be two of a thousand steps.
    let small = SliderReach::compute(&one(0.03, 2.0), None);
    assert_eq!((small.amplitude, small.centre), (0.05, 40.0));
}

#[test]
fn sliders_reach_as_far_as_the_head_asks_for() {
    let reach = |a: f64, span: f64| SliderReach::compute(&one(a, 0.0), Some(span)).amplitude;
    // Twice the span, for every kernel within it.
    assert_eq!([0.0, 0.01, 0.1].map(|a| reach(a, 0.1)), [0.2; 3]);
    assert_eq!(reach(1.0, 0.1), 2.0);
    // A head with constant scores does not affect the reach.
    assert_eq!(reach(1.0, 0.0), SliderReach::default().amplitude);
}

proptest! {
    #![proptest_config(config(256))]

    #[test]
    fn every_number_stands_on_its_slider(kernels in kernels(), span in prop::option::of(0.0..9.0_f64)) {
        let reach = SliderReach::compute(&kernels, span);
        for kernel in &kernels.0 {
            for number in [KernelNumber::Amplitude, KernelNumber::Centre] {
                let slider = number.slider(reach);
                let position = slider.position_of(number.value(kernel));
                prop_assert!(position.abs() <= slider.high * (1.0 + 1e-9) && slider.low == -slider.high, "{number:?} at {position} of {slider:?}");
                prop_assert_eq!(slider.at_position(position), number.value(kernel));
            }
        }
    }

    #[test]
    fn a_sharpness_is_what_its_slider_tells_apart(position in -7.0..1.0_f64) {
        let slider = KernelNumber::Sharpness.slider(SliderReach::default());
        let b = slider.at_position(position);
        prop_assert!((slider.position_of(b) - position).abs() < 0.003);
    }
}

fn picture(n: usize) -> KernelPicture {
    kernel_picture(
        &default_kernels(),
        n,
        AttentionMask::Whole,
        &Window::whole(n, n),
        256,
    )
}

#[test]
fn the_plot_has_f_its_kernels_and_the_head() {
    let n = 32;
    let of = HeadId {
        model: ModelVersion { id: 1, revision: 0 },
        input: ScoreInput::Positions(ScoreMode::Paper),
        layer: 2,
        head: 6,
    };
    // A shorter head than the kernels: its column is empty at offsets beyond it.
    let profile = Profile::from_fn(8, |k| 100.0 - k as f64);
    let guide = HeadGuide {
        of,
        profile: &profile,
        cells: AttentionMask::Whole,
    };
    let cells = AttentionMask::Whole;
    let near = shown_offsets(n, false);
    let plot = kernel_function(&picture(n), Some(guide), cells, near, None);
    assert_eq!(plot.x_range(), (-31.5, 31.5));
    let series: Vec<&Series> = plot.lines().collect();
    let names: Vec<&str> = series.iter().map(|s| s.name.as_str()).collect();
    let head = "layer 3, head 7 (vertically shifted)";
    assert_eq!(names, ["f", "kernel_1", "kernel_2", "kernel_3", head]);
    // The head is shifted to the mean of f.
    let (f, moved) = (series[0], series[4]);
    let apart: f64 = (-7..8).filter_map(|k| Some(f.at(k)? - moved.at(k)?)).sum();
    assert!(apart.abs() < 1e-9, "{apart}");
    let csv = plot.table().csv();
    let mut lines = csv.lines();
    assert_eq!(
        lines.next(),
        Some("offset,f,kernel_1,kernel_2,kernel_3,head_profile")
    );
    assert_eq!(lines.count(), 2 * n - 1);
    // For a causal head, later keys are not drawn.
    let cells = AttentionMask::Causal;
    let causal = kernel_function(
        &picture(n),
        Some(HeadGuide { cells, ..guide }),
        cells,
        near,
        None,
    );
    let moved = causal.lines().nth(4).expect("the head");
    assert!(moved.at(0).is_some() && moved.at(1).is_none());
    let apart: f64 = (-7..1).filter_map(|k| Some(f.at(k)? - moved.at(k)?)).sum();
    assert!(apart.abs() < 1e-9, "{apart}");
    // Every peak, and zero, lies within the value range.
    let (low, high) = plot.y.range.expect("values");
    let mut peaks = plot.handles.iter().map(|handle| handle.value).chain([0.0]);
    assert!(peaks.all(|value| low < value && value < high));
}

#[test]
fn the_plot_shows_what_is_asked_for() {
    let plot = |all: bool, values| {
        let range = shown_offsets(64, all);
        kernel_function(&picture(64), None, AttentionMask::Whole, range, values)
    };
    let near = plot(false, None);
    assert_eq!(near.x_range(), (-40.5, 40.5));
    let all = plot(true, Some((-3.0, 3.0)));
    assert_eq!(
        (all.x_range(), all.y.range),
        ((-63.5, 63.5), Some((-3.0, 3.0)))
    );
    assert!(!all.table().csv().contains("head_profile"));
}

/// A causal model attends to no key after the query: lines and handles there are muted, and have the same values.
#[test]
fn offsets_that_a_causal_model_never_attends_to_are_muted() {
    let (n, range) = (32, shown_offsets(32, true));
    let whole = kernel_function(&picture(n), None, AttentionMask::Whole, range, None);
    let causal = kernel_function(&picture(n), None, AttentionMask::Causal, range, None);
    assert_eq!(whole.table().csv(), causal.table().csv());
    let names = ["f", "kernel_1", "kernel_2", "kernel_3"];
    for name in names {
        let of_name = |plot: &diagonal::figure::Plot| -> Vec<Series> {
            plot.lines()
                .filter(|line| line.name == name)
                .cloned()
                .collect()
        };
        let [line] = &of_name(&whole)[..] else {
            panic!("{name} is one line");
        };
        let [attended, ahead] = &of_name(&causal)[..] else {
            panic!("{name} is two lines");
        };
        assert_eq!((attended.ink, ahead.ink), (line.ink, Ink::Muted));
        for k in 1 - n as i64..n as i64 {
            let muted = ahead.at(k).filter(|_| k > 0);
            let value = attended.at(k).or(muted).expect("a value");
            let own = line.at(k).expect("a value");
            assert!(
                value == own || value.is_nan() && own.is_nan(),
                "{name} at {k}"
            );
            assert_eq!(attended.at(k).is_some(), k <= 0);
        }
    }
    for handle in &causal.handles {
        assert_eq!(handle.ink == Ink::Muted, handle.k > 0.0);
        assert_eq!(handle.hollow, handle.k > 0.0);
    }
    assert!(causal.handles.iter().any(|handle| handle.k > 0.0));
}

proptest! {
    #![proptest_config(config(256))]

    #[test]
    fn every_centre_within_the_matrix_is_in_sight(kernels in kernels(), n in 8..2048_usize) {
        let centres = kernels.0.iter().map(|kernel| kernel.c);
        let (low, high) = offsets_around(centres, n);
        let (_, near) = shown_offsets(n, false);
        let (_, edge) = shown_offsets(n, true);
        prop_assert!(low == -high && near <= high && high <= edge);
        for kernel in &kernels.0 {
            prop_assert!(kernel.c.abs() <= high || high == edge, "{} of {high}", kernel.c);
        }
        // Centres near zero show the offsets near zero.
        prop_assert_eq!(offsets_around([3.0, -5.0], n), (-near, near));
    }

    #[test]
    fn a_reach_suits_what_it_was_computed_for(kernels in kernels(), span in prop::option::of(0.1..9.0_f64)) {
        let reach = SliderReach::compute(&kernels, span);
        let a = kernels.0.iter().fold(0.0_f64, |most, kernel| most.max(kernel.a.abs()));
        // Beside a head whose scores are much larger, small amplitudes have few steps.
        prop_assert!(reach.suits(&kernels) || a < reach.amplitude / 25.0, "{reach:?}");
        // A kernel moved within its sliders leaves them where they are; one typed beyond them does not.
        let mut moved = kernels.clone();
        moved.0.push(Kernel::new(reach.amplitude, 0.1, -reach.centre));
        prop_assert!(reach.suits(&moved));
        moved.0.push(Kernel::new(1.01 * reach.amplitude, 0.1, 0.0));
        prop_assert!(!reach.suits(&moved));
    }
}

/// During a drag the scale is held, and the line may leave the frame: it ends there. A line along the edge would
/// suggest a plateau.
#[test]
fn a_line_that_leaves_the_frame_is_cut_off() {
    // Drawn as a line, or as an area if offsets are denser than pixels.
    for (n, sharpness) in [(32, 0.05), (64, 0.05), (2048, 1e-5)] {
        let kernels = Kernels(vec![Kernel::new(5.0, sharpness, 0.0)]);
        let picture = kernel_picture(&kernels, n, AttentionMask::Whole, &Window::whole(n, n), 256);
        let range = shown_offsets(n, true);
        let values = Some((-0.1, 1.1));
        let held = kernel_function(&picture, None, AttentionMask::Whole, range, values);
        let frame = held.plot_frame(400.0).expect("a frame");
        // The legend lies above.
        let edge = frame.y - 3.0..frame.y;
        let is_along = |a: f64, b: f64| edge.contains(&a) && edge.contains(&b);
        let (mut lines, mut areas) = (0, 0);
        for mark in &held.scene(400.0).marks {
            if let Mark::Line { points, .. } = mark {
                let mut stretches = points.windows(2);
                assert!(!stretches.any(|pair| is_along(pair[0].1, pair[1].1)));
                lines += 1;
            }
            if let Mark::Extents { extents, .. } = mark {
                assert!(
                    !extents
                        .iter()
                        .any(|extent| is_along(extent.high, extent.low))
                );
                areas += 1;
            }
        }
        assert!(if n == 2048 { areas } else { lines } > 0);
    }
}

fn summary(width: usize, layers: usize, heads: Option<u32>) -> ModelSummary {
    ModelSummary {
        name: "small".to_owned(),
        named_inside: None,
        family: String::new(),
        sources: Vec::new(),
        source: String::new(),
        tensor: String::new(),
        kind: PositionKind::Table,
        has_rotation: false,
        has_sinks: false,
        rows: 24,
        width,
        hidden_width: 64,
        grid: None,
        breaks: TableBreaks::default(),
        cells: AttentionMask::Whole,
        layers,
        heads: heads.map(|heads| (heads, HeadsSource::Config)),
        content_input: String::new(),
        is_scaled: true,
        possible_heads: Vec::new(),
        possible_grids: Vec::new(),
        notes: Vec::new(),
        hash: 0,
        missing_files: Vec::new(),
    }
}

#[test]
fn parameters_are_counted_for_what_is_open_or_typed() {
    let nothing = CountedModel::new(&[3], None);
    let base = ModelSize::BERT_BASE.parts();
    assert_eq!(nothing.name, "BERT-base");
    assert_eq!(
        nothing.size.parts(),
        [3, base[1], base[2], base[3], base[4]]
    );
    let whole = CountedModel::new(&[], Some(&summary(8, 2, Some(4))));
    assert_eq!(whole.size.parts(), [5, 24, 8, 2, 4]);
    assert_eq!(whole.assumptions, "");
    let table = CountedModel::new(&[], Some(&summary(8, 0, None)));
    assert_eq!(table.size.parts(), [5, 24, 8, base[3], base[4]]);
    assert!(table.assumptions.contains("BERT-base"));
    // Scores by offset, as in T5, have no width: the model's sizes are used.
    let relative = CountedModel::new(&[], Some(&summary(0, 2, Some(4))));
    assert_eq!(relative.size.parts(), [5, 24, 64, 2, 4]);
    assert_eq!(relative.assumptions, "");
    let typed = CountedModel::new(&[1, 2, 3, 4, 5], Some(&summary(8, 2, Some(4))));
    assert_eq!(typed.size.parts(), [1, 2, 3, 4, 5]);
}

#[test]
fn a_part_that_is_typed_leaves_the_rest_as_it_is() {
    let open = CountedModel::new(&[], Some(&summary(8, 2, Some(4))));
    assert_eq!(open.asked_with(&[], 0, 7), [7]);
    assert_eq!(open.asked_with(&[], 2, 9), [5, 24, 9, 2, 4]);
    let typed = [5, 24, 9, 2, 4];
    let own = CountedModel::new(&typed, None);
    assert_eq!(own.asked_with(&typed, 0, 7), [7, 24, 9, 2, 4]);
    assert_eq!(open.link_numbers(true), [5, 24, 8, 2, 4]);
    assert_eq!(open.link_numbers(false), [0; 0]);
    assert_eq!(CountedModel::new(&[3], None).link_numbers(false), [3]);
}

#[test]
fn files_of_kernels_are_named_after_their_model() {
    let names = KERNEL_FORMATS.map(|format| format.file_name("bert/base:1"));
    assert_eq!(
        names,
        [
            "bert-base-1-kernels.json",
            "bert-base-1-kernels.csv",
            "bert-base-1-kernels.safetensors",
            "tisa_kernels.py"
        ]
    );
    let file = KernelFile::from(KernelSet::single(default_kernels()));
    for format in KERNEL_FORMATS {
        assert_eq!(format.file_name(""), format.file);
        let bytes = format.write(&file, DEFAULT_PREFIX).expect(format.title);
        assert!(!bytes.is_empty(), "{}", format.title);
    }
}

#[test]
fn long_matrices_are_shown_around_their_diagonal() {
    let window = |query: &str, n: usize| {
        let (link, warnings) = Link::parse(query);
        assert_eq!(warnings.message(), None);
        link.kernels.window_of(n)
    };
    assert_eq!(window("", 1024), Window::whole(1024, 1024));
    let around = window("", 16_384);
    assert_eq!((&around.rows, around.rows.len()), (&around.cols, 256));
    assert!(around.rows.contains(&8192));
    // Every chosen window is shown, as far as it lies in the matrix.
    assert_eq!(
        window("kernel-window=0-4096,0-4096", 4096),
        Window::whole(4096, 4096)
    );
    assert_eq!(
        window("kernel-window=0-4096,0-4096", 64),
        Window::whole(64, 64)
    );
}

#[test]
fn offsets_are_those_where_a_profile_varies() {
    let needs_all = |kernels: &Kernels| needs_all_offsets(kernels.scores(512).profile());
    assert!(!needs_all(&default_kernels()));
    // A flat arch near zero, and a narrower peak far from it.
    assert!(needs_all(&Kernels(vec![
        Kernel::new(1.0, 0.000_01, 0.0),
        Kernel::new(2.0, 0.01, 243.0),
    ])));
    // No kernels, so nothing varies.
    assert!(!needs_all(&Kernels::default()));
    assert_eq!(shown_offsets(512, false), (-40.5, 40.5));
    assert_eq!(shown_offsets(512, true), (-511.5, 511.5));
    assert_eq!(shown_offsets(8, false), (-7.5, 7.5));
}

#[test]
fn a_kernel_leaves_the_axis_where_it_is_nothing() {
    let kernels = Kernels(vec![
        Kernel::new(1.0, 1.0, 10.0),
        Kernel::new(1.0, 0.01, -20.0),
    ]);
    let n = 64;
    let picture = kernel_picture(&kernels, n, AttentionMask::Whole, &Window::whole(n, n), 256);
    let plot = kernel_function(
        &picture,
        None,
        AttentionMask::Whole,
        shown_offsets(n, true),
        None,
    );
    let narrow = plot.lines().nth(1).expect("a kernel");
    let drawn: Vec<i64> = (-63..=63)
        .filter(|k| narrow.at(*k).is_some_and(f64::is_finite))
        .collect();
    // Below exp(−9) the curve is less than a pixel high; the line ends at the axis.
    assert_eq!(drawn, (7..=13).collect::<Vec<_>>());
    // The table has all numbers.
    assert!(!plot.table().csv().contains("NaN"));
}
