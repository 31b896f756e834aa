//! The diagonal means of a head over texts, beside those that its weights promise.

use crate::{
    analysis::{TextProfile, TextValues},
    figure::{Axis, Band, Ink, Plot, Series, Table, format_signed, number},
};

/// Plots the mean of each diagonal over the texts, shaded from the lowest to the highest text if there are several, and
/// the profile from weights alone, if there is one. The table: `offset,mean,low,high,texts,weights`, where the last is
/// NaN without weights.
#[must_use]
pub fn text_profile(profile: &TextProfile, values: TextValues) -> Plot {
    let first = profile.offsets.first().copied().unwrap_or(0);
    let line = |name: &str, values: &[f64]| Series::new(name, first, values.to_vec()).in_legend();
    let of_text = line("in the text", &profile.mean).width(1.8);
    let of_weights = profile.weights.as_deref().map(|weights| {
        line("from weights alone", weights)
            .ink(Ink::Category(0))
            .with_dashes(true)
    });
    let band = (profile.texts > 1).then(|| Band {
        first,
        low: profile.low.clone(),
        high: profile.high.clone(),
    });
    let quantity = match values {
        TextValues::Attention => "mean attention",
        TextValues::Scores => "mean score",
    };
    Plot::over(Axis::Offset)
        .vertical(quantity)
        .series([of_text].into_iter().chain(of_weights))
        .band(band)
        .aspect(0.42)
        .with_table(table(profile))
        .with_summary(summary(profile, quantity))
}

fn table(profile: &TextProfile) -> Table {
    let count = profile.offsets.len();
    let column = |values: &[f64]| values.iter().copied().collect();
    let weights = profile.weights.clone();
    let weights = weights.unwrap_or_else(|| vec![f64::NAN; count]);
    Table::new()
        .with("offset", profile.offsets.iter().copied().collect())
        .with("mean", column(&profile.mean))
        .with("low", column(&profile.low))
        .with("high", column(&profile.high))
        .with("texts", vec![profile.texts; count].into_iter().collect())
        .with("weights", column(&weights))
}

/// States the peak of the text and that of the weights.
fn summary(profile: &TextProfile, quantity: &str) -> String {
    let peak = |values: &[f64]| {
        let finite = profile.offsets.iter().zip(values);
        let finite = finite.filter(|(_, value)| value.is_finite());
        let peak = finite.max_by(|a, b| a.1.total_cmp(b.1));
        peak.map(|(k, value)| format!("{} at offset {}", number(*value), format_signed(*k)))
    };
    let Some(of_text) = peak(&profile.mean) else {
        return format!("No {quantity} of the text is a number.");
    };
    let of_weights = profile.weights.as_deref().and_then(peak);
    let of_weights = of_weights.map_or_else(String::new, |peak| {
        format!(" From weights alone it is {peak}.")
    });
    format!("The greatest {quantity} in the text is {of_text}.{of_weights}")
}
