//! Data-driven: how close do the learned numbers of a method come to a tent of scores around an offset?

use super::{Curve, DemonstrationPicture, EncodingMethod, ModelSize, Outcome, Quantity, REACH};
use crate::{
    analysis::{
        criteria::small_head::{WIDTH, t5_buckets},
        parameter_count::{SHAW_CLIP, T5_BUCKETS, count_method},
    },
    encoding::{Kernel, Rotary, Sinusoidal},
    math::linear_fit,
};

/// Number of positions with offsets −`REACH` … `REACH`.
const TARGET_POSITIONS: u64 = REACH as u64 + 1;
/// Number of waves of a small flow.
const WAVES: i64 = WIDTH as i64 / 2;

/// Fits the numbers of a method to a tent of scores around the offset `peak`, and reports R² and their count.
pub(super) fn fit_to_tent(way: EncodingMethod, peak: f64, half_width: f64) -> Outcome {
    let tent = |k: i64| (1.0 - (k as f64 - peak).abs() / half_width).max(0.0);
    let offsets = || -REACH..=REACH;
    let target: Vec<f64> = offsets().map(tent).collect();
    let clip = SHAW_CLIP as i64;
    let size = ModelSize {
        kernels: 1,
        positions: TARGET_POSITIONS,
        width: 64,
        layers: 1,
        heads: 1,
    };
    let counted = |id: &str| count_method(id).map_or(0, |method| method.count(&size));
    let (reached, numbers): (Vec<f64>, u64) = match way {
        EncodingMethod::Sinusoidal | EncodingMethod::Rotary => {
            let waves: Vec<f64> = Sinusoidal::from(Rotary::default()).frequencies().collect();
            let fixed = |k: i64| waves.iter().map(|w| (k as f64 * w).cos()).sum();
            (scale_to(&target, offsets().map(fixed).collect()), 0)
        }
        // With unit vectors as rows and the target as map, the scores equal the target.
        EncodingMethod::Learned => (target.clone(), counted("learned")),
        EncodingMethod::Untied => (target.clone(), counted("untied")),
        EncodingMethod::Synthesizer => (target.clone(), counted("synthesizer")),
        EncodingMethod::Relative => {
            let group = |k: i64| k.clamp(-clip, clip);
            (group_means(&target, group), counted("shaw"))
        }
        EncodingMethod::T5 => {
            let buckets = t5_buckets();
            let group = |k: i64| buckets.map_or(k, |buckets| buckets.bucket(k) as i64);
            (group_means(&target, group), T5_BUCKETS)
        }
        // Speed, amplitude and phase of every wave, plus a constant.
        EncodingMethod::Flow => (strongest_waves(&target), 3 * WAVES as u64 + 1),
        EncodingMethod::Tisa => {
            // Same variance as the tent: a sixth of its half-width squared.
            let kernel = Kernel::new(1.0, 3.0 / half_width.powi(2), peak);
            let values = offsets().map(|k| kernel.at(k as f64)).collect();
            (scale_to(&target, values), counted("tisa"))
        }
    };
    let explained = explained_share(&target, &reached);
    Outcome {
        words: if numbers == 0 {
            "The curve is fixed; only its height and level are fitted here."
        } else if explained > 1.0 - 1e-9 {
            "The scores match the target exactly."
        } else {
            "The closest fit to the target, or nearly the closest."
        },
        numbers: vec![
            ("R² of the target", Quantity::Share(explained)),
            ("learned numbers", Quantity::Count(numbers)),
        ],
        picture: DemonstrationPicture::Curves {
            axis: super::CurveAxis::Offset,
            first: -REACH,
            curves: vec![
                Curve {
                    name: "reached",
                    values: reached,
                    is_reference: false,
                },
                Curve {
                    name: "target",
                    values: target,
                    is_reference: true,
                },
            ],
        },
    }
}

/// The curve, with height and level fitted to the target by least squares.
fn scale_to(target: &[f64], curve: Vec<f64>) -> Vec<f64> {
    let points: Vec<(f64, f64)> = curve.iter().copied().zip(target.iter().copied()).collect();
    match linear_fit(&points) {
        Some(fit) => curve
            .iter()
            .map(|v| fit.intercept + fit.slope * v)
            .collect(),
        None => curve,
    }
}

/// Replaces the target by its mean over all offsets that share a learned number.
fn group_means(target: &[f64], group: impl Fn(i64) -> i64) -> Vec<f64> {
    let mean = |k: i64| {
        let mut same = (-REACH..)
            .zip(target)
            .filter(|(other, _)| group(*other) == group(k));
        let (sum, count) = same
            .by_ref()
            .fold((0.0, 0.0), |(s, c), (_, v)| (s + v, c + 1.0));
        sum / count
    };
    (-REACH..=REACH).map(mean).collect()
}

/// The target's mean plus its `WAVES` strongest waves, from a plain discrete Fourier transform.
fn strongest_waves(target: &[f64]) -> Vec<f64> {
    let n = target.len() as f64;
    let mut waves: Vec<(f64, f64, f64)> = (1..=target.len() / 2)
        .map(|m| {
            let speed = std::f64::consts::TAU * m as f64 / n;
            let (mut cosine, mut sine) = (0.0, 0.0);
            for (at, value) in target.iter().enumerate() {
                let (sin, cos) = (speed * at as f64).sin_cos();
                cosine += 2.0 / n * value * cos;
                sine += 2.0 / n * value * sin;
            }
            (speed, cosine, sine)
        })
        .collect();
    waves.sort_by(|a, b| b.1.hypot(b.2).total_cmp(&a.1.hypot(a.2)));
    let mean = target.iter().sum::<f64>() / n;
    let at = |at: usize| {
        let wave = |(speed, cosine, sine): &(f64, f64, f64)| {
            let (sin, cos) = (speed * at as f64).sin_cos();
            cosine * cos + sine * sin
        };
        mean + waves.iter().take(WAVES as usize).map(wave).sum::<f64>()
    };
    (0..target.len()).map(at).collect()
}

/// 1 − RSS/TSS, at least 0.
fn explained_share(target: &[f64], reached: &[f64]) -> f64 {
    let mean = target.iter().sum::<f64>() / target.len() as f64;
    let left: f64 = target
        .iter()
        .zip(reached)
        .map(|(t, r)| (t - r).powi(2))
        .sum();
    let all: f64 = target.iter().map(|t| (t - mean).powi(2)).sum();
    (1.0 - left / all).max(0.0)
}
