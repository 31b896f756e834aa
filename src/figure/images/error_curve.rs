//! Error of the heads relative to the convolution, as a function of α, on logarithmic axes.

use crate::{
    analysis::ErrorAtAlpha,
    figure::{
        Anchor, Column, Figure, Ink, LinearScale, Mark, Rect, Scene, Table,
        frame::{
            ABOVE, BELOW, base_line, bottom_tick, horizontal_name, plot_height, value_label,
            vertical_name,
        },
        number,
    },
};

const LEFT: f64 = 44.0;
const RIGHT: f64 = 12.0;
/// Name of the vertical axis.
const DOWN: &str = "greatest difference / range";
/// Lower end of the error axis, log₁₀ of the share of the range. This is below the precision of `f64`.
const LEAST: f64 = -17.0;
/// Half the distance from 1 to the next `f32`.
const SINGLE: f64 = 5.960_464_477_539_063e-8;

/// Errors as a function of α.
#[derive(Debug, Clone, PartialEq)]
pub struct ErrorCurve {
    /// Sorted by α.
    errors: Vec<ErrorAtAlpha>,
    /// The error of the current heads.
    now: Option<ErrorAtAlpha>,
}

impl ErrorCurve {
    /// Creates the curve from errors in any order, and the error of the current heads if they have a common α.
    #[must_use]
    pub fn new(errors: &[ErrorAtAlpha], now: Option<ErrorAtAlpha>) -> Self {
        let mut errors = errors.to_vec();
        errors.sort_by(|a, b| a.alpha.total_cmp(&b.alpha));
        Self {
            errors,
            now: now.filter(|now| now.alpha.is_finite()),
        }
    }

    fn frame(width: f64) -> Rect {
        let across = (width - LEFT - RIGHT).max(1.0);
        Rect {
            x: LEFT,
            y: ABOVE,
            width: across,
            height: plot_height(across, 0.42),
        }
    }

    fn range(&self) -> f64 {
        self.errors
            .first()
            .map_or(1.0, |error| error.range)
            .max(1e-30)
    }

    /// Scales from log₁₀ of the values to pixels.
    fn scales(&self, frame: &Rect) -> (LinearScale, LinearScale) {
        let ends = self.errors.first().zip(self.errors.last());
        let (low, high) = ends.map_or((0.01, 100.0), |(first, last)| (first.alpha, last.alpha));
        let greatest = self.errors.iter().map(|error| error.greatest);
        let greatest = (greatest.fold(0.0, f64::max) / self.range()).max(1e-1);
        let top = greatest.log10().ceil();
        (
            LinearScale::new((low.log10(), high.log10()), (frame.x, frame.right())),
            LinearScale::new((top, LEAST), (frame.y, frame.bottom())),
        )
    }

    fn points(&self, frame: &Rect, of: impl Fn(&ErrorAtAlpha) -> Option<f64>) -> Vec<(f64, f64)> {
        let (x, y) = self.scales(frame);
        let range = self.range();
        let point = |error: &ErrorAtAlpha| {
            let value = of(error)? / range;
            // Zero is drawn at the lower end of the axis.
            let height = value.max(10_f64.powf(LEAST)).log10();
            Some((x.pixel(error.alpha.log10()), y.pixel(height)))
        };
        self.errors.iter().filter_map(point).collect()
    }
}

/// Formats a power of ten for an axis.
fn power(exponent: i64) -> String {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    match exponent {
        0 => "1".to_owned(),
        1 => "10".to_owned(),
        2 => "100".to_owned(),
        -1 => "0.1".to_owned(),
        -2 => "0.01".to_owned(),
        _ => {
            let sign = if exponent < 0 { "⁻" } else { "" };
            let digits = exponent.unsigned_abs().to_string();
            let digits: String = digits
                .bytes()
                .map(|digit| DIGITS[usize::from(digit - b'0')])
                .collect();
            format!("10{sign}{digits}")
        }
    }
}

impl Figure for ErrorCurve {
    fn height(&self, width: f64) -> f64 {
        Self::frame(width).bottom() + BELOW
    }

    fn scene(&self, width: f64) -> Scene {
        let mut scene = Scene::new(width, self.height(width));
        let frame = Self::frame(width);
        let (x, y) = self.scales(&frame);
        for exponent in (-16..=6).step_by(4) {
            let at = y.pixel(f64::from(exponent));
            if (frame.y - 1.0..=frame.bottom()).contains(&at) {
                scene.line(vec![(frame.x, at), (frame.right(), at)], Ink::Hairline, 1.0);
                value_label(&mut scene, &frame, at, power(exponent.into()));
            }
        }
        base_line(&mut scene, &frame);
        for exponent in -2..=2 {
            let at = x.pixel(f64::from(exponent));
            if (frame.x - 0.5..=frame.right() + 0.5).contains(&at) {
                bottom_tick(&mut scene, &frame, at, power(exponent.into()));
            }
        }
        horizontal_name(&mut scene, &frame, "α");
        vertical_name(&mut scene, &frame, DOWN);
        let single = y.pixel(SINGLE.log10());
        scene.marks.push(Mark::Line {
            points: vec![(frame.x, single), (frame.right(), single)],
            stroke: Ink::Muted,
            width: 1.0,
            dash: Some(4.0),
        });
        let place = (frame.x + 4.0, single + 9.0);
        scene.text("single precision", place, Anchor::Start, Ink::Muted);
        let inside = self.points(&frame, |error| error.inside);
        scene.marks.push(Mark::Line {
            points: inside,
            stroke: Ink::Category(0),
            width: 1.6,
            dash: None,
        });
        let all = self.points(&frame, |error| Some(error.greatest));
        scene.line(all, Ink::Ink, 2.2);
        if let Some(now) = self.now {
            let (first, last) = (frame.x, frame.right());
            let at = x.pixel(now.alpha.max(1e-9).log10()).clamp(first, last);
            let share = (now.greatest / self.range()).max(10_f64.powf(LEAST));
            scene.marks.push(Mark::Dot {
                at: (at, y.pixel(share.log10()).clamp(frame.y, frame.bottom())),
                radius: 5.0,
                fill: Ink::Ink,
                stroke: Ink::Paper,
            });
        }
        scene
    }

    fn plot_frame(&self, width: f64) -> Option<Rect> {
        Some(Self::frame(width))
    }

    fn vertical_name(&self) -> &'static str {
        DOWN
    }

    fn summary(&self) -> String {
        let at = |alpha: f64| self.errors.iter().find(|error| error.alpha == alpha);
        let phrases: Vec<String> = [1.0, 8.0, 46.0]
            .into_iter()
            .filter_map(at)
            .map(|error| format!("{} at α {}", number(error.greatest), number(error.alpha)))
            .collect();
        let now = self.now.map_or(String::new(), |now| {
            format!(
                " The heads as they are, α {}: {}.",
                number(now.alpha),
                number(now.greatest)
            )
        });
        format!(
            "The greatest difference from the convolution, whose values span {}: {}.{now}",
            number(self.range()),
            phrases.join(", ")
        )
    }

    /// `alpha,max_error,range,max_error_inside`. The last is that of pixels whose kernel does not reach the edge. Then
    /// `alpha_now,max_error_now` of the current heads, equal in all rows.
    fn table(&self) -> Table {
        let column =
            |of: fn(&ErrorAtAlpha) -> f64| Column::Number(self.errors.iter().map(of).collect());
        let now = |of: fn(&ErrorAtAlpha) -> f64| {
            let value = self.now.as_ref().map_or(f64::NAN, of);
            Column::Number(vec![value; self.errors.len()])
        };
        Table::new()
            .with("alpha", column(|error| error.alpha))
            .with("max_error", column(|error| error.greatest))
            .with("range", column(|error| error.range))
            .with(
                "max_error_inside",
                column(|error| error.inside.unwrap_or(f64::NAN)),
            )
            .with("alpha_now", now(|now| now.alpha))
            .with("max_error_now", now(|now| now.greatest))
    }
}
