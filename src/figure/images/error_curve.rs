//! Error of the heads relative to the convolution, as a function of α, on logarithmic axes.

use crate::{
    analysis::ErrorAtAlpha,
    figure::{AxisScale, Column, Dots, Ink, Plot, PlotAxis, ScatterPoint, Table, number},
};

/// Lower end of the error axis, as a share of the range. This is below the precision of `f64`.
const LEAST: f64 = 1e-17;
/// Half the distance from 1 to the next `f32`.
const SINGLE: f64 = 5.960_464_477_539_063e-8;

/// Plots the greatest difference of all pixels, and of those inside the image, over α: `errors` in any order, and the
/// error of the current heads if they have a common α. The table has the columns
/// `alpha,max_error,range,max_error_inside`. The last is that of pixels whose kernel does not reach the edge. Then
/// `alpha_now,max_error_now` of the current heads, equal in all rows.
#[must_use]
pub fn error_curve(errors: &[ErrorAtAlpha], now: Option<ErrorAtAlpha>) -> Plot {
    let mut errors = errors.to_vec();
    errors.sort_by(|a, b| a.alpha.total_cmp(&b.alpha));
    let now = now.filter(|now| now.alpha.is_finite());
    let range = errors.first().map_or(1.0, |error| error.range).max(1e-30);
    // Zero is drawn at the lower end of the axis.
    let share = |value: f64| (value / range).max(LEAST);
    let greatest = errors.iter().map(|error| error.greatest);
    let top = (greatest.fold(0.0, f64::max) / range).max(1e-1);
    let top = 10_f64.powf(top.log10().ceil());
    let ends = errors.first().zip(errors.last());
    let (low, high) = ends.map_or((0.01, 100.0), |(first, last)| (first.alpha, last.alpha));
    let inside = errors
        .iter()
        .filter_map(|error| Some((error.alpha, share(error.inside?))));
    let all = errors
        .iter()
        .map(|error| (error.alpha, share(error.greatest)));
    let dot = now.map(|now| {
        let at = (now.alpha.clamp(low, high), share(now.greatest).min(top));
        Dots::new("", [ScatterPoint::new(at)]).radius(5.0)
    });
    let lines = [
        Dots::path(inside).ink(Ink::Category(0)).width(1.6),
        Dots::path(all).width(2.2),
    ];
    let across = PlotAxis::with_name("α", AxisScale::Log(1)).between(low, high);
    let down = PlotAxis::with_name("greatest difference / range", AxisScale::Log(4));
    Plot::new(across, down.between(LEAST, top))
        .rule(SINGLE, "single precision")
        .dots(lines.into_iter().chain(dot))
        .aspect(0.42)
        .with_table(table(&errors, now))
        .with_summary(summary(&errors, now, range))
}

fn summary(errors: &[ErrorAtAlpha], now: Option<ErrorAtAlpha>, range: f64) -> String {
    let at = |alpha: f64| errors.iter().find(|error| error.alpha == alpha);
    let phrases: Vec<String> = [1.0, 8.0, 46.0]
        .into_iter()
        .filter_map(at)
        .map(|error| format!("{} at α {}", number(error.greatest), number(error.alpha)))
        .collect();
    let now = now.map_or(String::new(), |now| {
        format!(
            " At the current α, {}: {}.",
            number(now.alpha),
            number(now.greatest)
        )
    });
    format!(
        "The greatest difference from the convolution, whose values span {}: {}.{now}",
        number(range),
        phrases.join(", ")
    )
}

fn table(errors: &[ErrorAtAlpha], now: Option<ErrorAtAlpha>) -> Table {
    let column = |of: fn(&ErrorAtAlpha) -> f64| errors.iter().map(of).collect::<Column>();
    let now = |of: fn(&ErrorAtAlpha) -> f64| now.as_ref().map_or(f64::NAN, of);
    Table::new()
        .with("alpha", column(|error| error.alpha))
        .with("max_error", column(|error| error.greatest))
        .with("range", column(|error| error.range))
        .with(
            "max_error_inside",
            column(|error| error.inside.unwrap_or(f64::NAN)),
        )
        .with_constant("alpha_now", now(|now| now.alpha))
        .with_constant("max_error_now", now(|now| now.greatest))
}
