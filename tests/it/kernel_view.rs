//! What the kernels view shows and takes, without a browser: its sliders, its plot, its counts, its files.

use crate::laws::{config, kernels};
use diagonal::{
    analysis::{
        Cells, HeadId, KernelPicture, ModelSummary, Opened, PositionKind, ScoreMode,
        kernel_picture,
        parameter_count::{CountedModel, ModelSize},
    },
    encoding::{Kernel, KernelSet, Kernels},
    exchange::{DEFAULT_PREFIX, KERNEL_FORMATS, KernelFile},
    figure::{Figure, HeadGuide, kernel_function},
    link::{KernelNumber, SliderReach, default_kernels},
    math::Profile,
    model::HeadsSource,
};
use proptest::prelude::*;

fn one(a: f64, c: f64) -> Kernels {
    Kernels(vec![Kernel::new(a, 0.1, c)])
}

#[test]
fn sliders_reach_farther_where_kernels_lie_beyond_them() {
    let usual = SliderReach::default();
    assert_eq!(usual.next(&default_kernels(), false), usual);
    let farther = usual.next(&one(-30.0, 70.0), false);
    assert_eq!((farther.amplitude, farther.centre), (40.0, 100.0));
    // While somebody pulls a slider back, its ends stay.
    assert_eq!(farther.next(&one(1.0, 0.0), false), farther);
    assert_eq!(usual.next(&Kernels::default(), true), usual);
}

#[test]
fn sliders_fit_kernels_that_come_from_a_fit() {
    let wide = SliderReach::default().next(&one(900.0, 900.0), false);
    let fitted = wide.next(&one(0.03, 2.0), true);
    assert_eq!((fitted.amplitude, fitted.centre), (0.05, 40.0));
}

proptest! {
    #![proptest_config(config(256))]

    #[test]
    fn every_number_stands_on_its_slider(kernels in kernels(), fitted in any::<bool>()) {
        let reach = SliderReach::default().next(&kernels, fitted);
        for kernel in &kernels.0 {
            for number in [KernelNumber::Amplitude, KernelNumber::Centre] {
                let slider = number.slider(reach);
                let position = slider.position_of(number.of(kernel));
                prop_assert!(position.abs() <= slider.high * (1.0 + 1e-9) && slider.low == -slider.high, "{number:?} at {position} of {slider:?}");
                prop_assert_eq!(slider.at_position(position), number.of(kernel));
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
    kernel_picture(&default_kernels(), n, Cells::Whole)
}

#[test]
fn the_plot_has_f_its_kernels_and_the_head() {
    let n = 32;
    let of = HeadId {
        model: Opened { id: 1, revision: 0 },
        mode: ScoreMode::Paper,
        layer: 2,
        head: 6,
    };
    // A shorter head than the kernels: its column has no numbers where it has no offsets.
    let profile = Profile::from_fn(8, |k| 100.0 - k as f64);
    let guide = HeadGuide {
        of,
        profile: &profile,
    };
    let plot = kernel_function(&picture(n), Some(guide), false, None);
    assert_eq!(plot.offsets, (-31.5, 31.5));
    let names: Vec<&str> = plot.series.iter().map(|s| s.name.as_str()).collect();
    let head = "layer 3, head 7, moved to meet f";
    assert_eq!(names, ["f", "kernel_1", "kernel_2", "kernel_3", head]);
    // The head meets f on average, whatever its level.
    let (f, moved) = (&plot.series[0], &plot.series[4]);
    let apart: f64 = (-7..8).filter_map(|k| Some(f.at(k)? - moved.at(k)?)).sum();
    assert!(apart.abs() < 1e-9, "{apart}");
    let csv = plot.table().csv();
    let mut lines = csv.lines();
    assert_eq!(
        lines.next(),
        Some("offset,f,kernel_1,kernel_2,kernel_3,head_profile")
    );
    assert_eq!(lines.count(), 2 * n - 1);
    // Every peak is within the values shown, and so is zero.
    let (low, high) = plot.values.expect("values");
    let mut peaks = plot.handles.iter().map(|handle| handle.value).chain([0.0]);
    assert!(peaks.all(|value| low < value && value < high));
}

#[test]
fn the_plot_shows_what_is_asked_for() {
    let near = kernel_function(&picture(64), None, false, None);
    assert_eq!(near.offsets, (-40.5, 40.5));
    let all = kernel_function(&picture(64), None, true, Some((-3.0, 3.0)));
    assert_eq!(
        (all.offsets, all.values),
        ((-63.5, 63.5), Some((-3.0, 3.0)))
    );
    assert!(!all.table().csv().contains("head_profile"));
}

fn summary(width: usize, layers: usize, heads: Option<u32>) -> ModelSummary {
    ModelSummary {
        name: "small".to_owned(),
        family: String::new(),
        sources: Vec::new(),
        source: String::new(),
        tensor: String::new(),
        kind: PositionKind::Table,
        rows: 24,
        width,
        grid: None,
        cells: Cells::Whole,
        layers,
        heads: heads.map(|heads| (heads, HeadsSource::Config)),
        possible_heads: Vec::new(),
        notes: Vec::new(),
        hash: 0,
        missing: Vec::new(),
    }
}

#[test]
fn parameters_are_counted_for_what_is_open_or_typed() {
    let nothing = CountedModel::of(&[3], None);
    let base = ModelSize::BERT_BASE.parts();
    assert_eq!(nothing.name, "BERT-base");
    assert_eq!(
        nothing.size.parts(),
        [3, base[1], base[2], base[3], base[4]]
    );
    let whole = CountedModel::of(&[], Some(&summary(8, 2, Some(4))));
    assert_eq!(whole.size.parts(), [5, 24, 8, 2, 4]);
    assert_eq!(whole.assumed, "");
    let table = CountedModel::of(&[], Some(&summary(8, 0, None)));
    assert_eq!(table.size.parts(), [5, 24, 8, base[3], base[4]]);
    assert!(table.assumed.contains("BERT-base"));
    let typed = CountedModel::of(&[1, 2, 3, 4, 5], Some(&summary(8, 2, Some(4))));
    assert_eq!(typed.size.parts(), [1, 2, 3, 4, 5]);
}

#[test]
fn a_part_that_is_typed_leaves_the_rest_as_it_is() {
    let open = CountedModel::of(&[], Some(&summary(8, 2, Some(4))));
    assert_eq!(open.asked_with(&[], 0, 7), [7]);
    assert_eq!(open.asked_with(&[], 2, 9), [5, 24, 9, 2, 4]);
    let typed = [5, 24, 9, 2, 4];
    let own = CountedModel::of(&typed, None);
    assert_eq!(own.asked_with(&typed, 0, 7), [7, 24, 9, 2, 4]);
    assert_eq!(open.asked(true), [5, 24, 8, 2, 4]);
    assert_eq!(open.asked(false), [0; 0]);
    assert_eq!(CountedModel::of(&[3], None).asked(false), [3]);
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
    let file = KernelFile::from(KernelSet::of_one(default_kernels()));
    for format in KERNEL_FORMATS {
        assert_eq!(format.file_name(""), format.file);
        let bytes = format.write(&file, DEFAULT_PREFIX).expect(format.title);
        assert!(!bytes.is_empty(), "{}", format.title);
    }
}
