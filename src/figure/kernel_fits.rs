//! Figures of fitted kernels: over the profile, the residual, R² by number of kernels, and all fits as thumbnails.

use super::{Axis, Dots, Ink, Plot, ScatterPoint, Series, Table, Thumbnail, Thumbnails, number};
use crate::{
    analysis::{Fits, KernelFit},
    math::Profile,
};

/// Plots a fit over its profile, and each of its kernels shifted to the level of the fit. The table contains all fits
/// computed so far, `there`.
#[must_use]
pub fn fit_lines(fit: &KernelFit, f: &Profile, range: (f64, f64), there: &[KernelFit]) -> Plot {
    let mut series = vec![
        Series::from_profile("fit", &f.map(|k, _| fit.at(k)))
            .width(2.0)
            .in_legend(),
        Series::from_profile("profile", f)
            .ink(Ink::Muted)
            .width(2.6)
            .in_legend(),
    ];
    let offsets = (range.0.ceil() as i64)..=(range.1.floor() as i64);
    let count = offsets.clone().count().max(1) as f64;
    series.extend(fit.kernels.0.iter().enumerate().map(|(at, kernel)| {
        // A kernel is drawn at the level of the fit, so that its shape is comparable.
        let rest = offsets.clone().map(|k| fit.at(k) - kernel.at(k as f64));
        let lift = rest.sum::<f64>() / count;
        let name = format!("kernel {}", at + 1);
        Series::from_profile(name, &f.map(|k, _| kernel.at(k as f64) + lift))
            .ink(Ink::Category(at))
            .in_legend()
    }));
    let given_up = match fit.given_up {
        0.0 => String::new(),
        given_up => format!(
            ", {} less than least squares alone reaches",
            number(given_up)
        ),
    };
    let summary = format!(
        "{} kernels fitted to layer {}, head {}: R² {} of its profile{given_up}.",
        fit.kernels.0.len(),
        fit.layer + 1,
        fit.head + 1,
        number(fit.r2)
    );
    Plot::over(Axis::Offset)
        .vertical("mean score")
        .series(series)
        .horizontal_range(range)
        .with_table(fit_table(there))
        .with_summary(summary)
}

/// Returns the table of fits. Layers and heads are counted from 1; kernels that a fit does not have are NaN.
#[must_use]
pub fn fit_table(fits: &[KernelFit]) -> Table {
    let whole = |value: &dyn Fn(&KernelFit) -> i64| fits.iter().map(value).collect();
    let real = |value: &dyn Fn(&KernelFit) -> f64| fits.iter().map(value).collect();
    let counts = fits.iter().map(|fit| fit.kernels.0.len());
    let mut table = Table::new()
        .with("layer", whole(&|fit| fit.layer as i64 + 1))
        .with("head", whole(&|fit| fit.head as i64 + 1))
        .with("kernels", whole(&|fit| fit.kernels.0.len() as i64))
        .with("r2", real(&|fit| fit.r2))
        .with("intercept", real(&|fit| fit.intercept));
    for at in 0..counts.max().unwrap_or(0) {
        for (which, name) in ["a", "b", "c"].into_iter().enumerate() {
            let value = |fit: &KernelFit| {
                let kernel = fit.kernels.0.get(at);
                kernel.map_or(f64::NAN, |kernel| [kernel.a, kernel.b, kernel.c][which])
            };
            table = table.with(format!("{name}{}", at + 1), real(&value));
        }
    }
    table
        .with("matrix_r2", real(&|fit| fit.matrix_r2))
        .with("r2_given_up", real(&|fit| fit.given_up))
}

/// The profile minus the fit.
#[must_use]
pub fn fit_residual(fit: &KernelFit, f: &Profile, range: (f64, f64)) -> Plot {
    let series = [Series::from_profile(
        "residual",
        &f.map(|k, f| f - fit.at(k)),
    )];
    Plot::over(Axis::Offset)
        .vertical("profile − fit")
        .with_table(Series::table_of(&series))
        .series(series)
        .horizontal_range(range)
        .aspect(0.5)
        .with_summary("The profile minus the fit.")
}

/// Plots R² over the number of kernels, with the chosen number marked. `None` before the first fit.
#[must_use]
pub fn fit_curve(fits: &Fits, chosen: usize) -> Option<Plot> {
    let last = fits.fits.last()?.r2;
    let kernels = || fits.fits.iter().map(|fit| fit.kernels.0.len());
    let r2 = || fits.fits.iter().map(|fit| fit.r2);
    let points = kernels()
        .zip(r2())
        .map(|(kernels, r2)| ScatterPoint::new((kernels as f64, r2)));
    let table = Table::new()
        .with("kernels", kernels().collect())
        .with("r2", r2().collect());
    let summary = format!(
        "R² with 1 to {} kernels, up to {}.",
        fits.fits.len(),
        number(last)
    );
    let plot = Plot::scatter(Axis::Kernels, Some(Axis::ProfileR2))
        .dots([Dots::new("", points).with_line()])
        .mark_place(Some(chosen as f64))
        .with_table(table)
        .with_summary(summary);
    Some(plot)
}

/// All fits as thumbnails in the given order. `None` before the first. A row of `per_row` fits shows one layer.
#[must_use]
pub fn fit_grid(
    fits: &[&KernelFit],
    per_row: Option<usize>,
    open: Option<(usize, usize)>,
) -> Option<Thumbnails> {
    if fits.is_empty() {
        return None;
    }
    let cell = |fit: &&KernelFit| {
        let [profile, fitted] = fit.sketch.clone();
        let label = format!("{:.2}", fit.r2);
        Thumbnail::curves(profile, fitted, (fit.layer, fit.head), label)
    };
    let mean = fits.iter().map(|fit| fit.r2).sum::<f64>() / fits.len() as f64;
    let in_order: Vec<KernelFit> = fits.iter().map(|&fit| fit.clone()).collect();
    Some(Thumbnails {
        cells: fits.iter().map(cell).collect(),
        per_row,
        open,
        table: fit_table(&in_order),
        summary: format!("{} fits, mean R² {}.", fits.len(), number(mean)),
    })
}
