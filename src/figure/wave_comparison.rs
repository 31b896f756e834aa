//! Waves of several models on shared axes: spectra and components of their tables (Yamamoto & Matsuzaki 2023, Figs. 12
//! and 13), and the shifts of their heads.

use super::{
    Axis, AxisScale, Column, Dots, Ink, Plot, PlotAxis, ScatterPoint, Series, Table, number,
    waves::{last_frequency, peak_frequency},
};
use crate::{
    analysis::{BestShift, ComponentSummary, HeadShift, SpectrumSummary, TableWaveSummary},
    math::{PhaseLine, period},
};

/// Width of a line in pixels.
const LINE: f64 = 1.4;
/// Width of a layer in which the heads of all models are drawn side by side.
const LAYER_WIDTH: f64 = 0.6;

/// A model of a comparison, and an answer about it.
#[derive(Debug)]
pub struct ModelAnswer<'a, T: ?Sized> {
    /// Its number from 1, which also selects its colour.
    pub number: usize,
    /// Its name in the model list.
    pub name: &'a str,
    /// The answer.
    pub answer: &'a T,
}

impl<'a, T: ?Sized> ModelAnswer<'a, T> {
    fn ink(&self) -> Ink {
        Ink::Category(self.number.saturating_sub(1))
    }

    /// A line in the colour of the model. The ninth colour repeats the first, dashed.
    fn line(&self, first: i64, values: Vec<f64>) -> Series {
        Series::new(self.name, first, values)
            .ink(self.ink())
            .width(LINE)
            .with_dashes((self.number.saturating_sub(1) / 8) % 2 == 1)
    }

    fn with<U: ?Sized>(&self, answer: &'a U) -> ModelAnswer<'a, U> {
        ModelAnswer {
            number: self.number,
            name: self.name,
            answer,
        }
    }

    fn label(&self) -> (usize, String) {
        (self.number, self.name.to_owned())
    }
}

/// Separates the models that have a part of their answer from the sentences on why others have none.
fn split<'a, T, U>(
    models: &[ModelAnswer<'a, T>],
    part: impl Fn(&'a T) -> &'a Result<U, String>,
) -> (Vec<ModelAnswer<'a, U>>, String) {
    let (mut present, mut sentences) = (Vec::new(), String::new());
    for model in models {
        match part(model.answer) {
            Ok(answer) => present.push(model.with(answer)),
            Err(why) => sentences.push_str(&format!(" {}: {why}", model.name)),
        }
    }
    (present, sentences)
}

/// States which models are not drawn because they have no position table; empty if all have one. Starts with a space.
fn without_table(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [one] => format!(" {one} has no position table and is not drawn."),
        many => format!(
            " {} have no position tables and are not drawn.",
            many.join(", ")
        ),
    }
}

/// Numbers of all models in one column.
fn column<'a, T: 'a + ?Sized, I: IntoIterator<Item = N>, N>(
    models: &'a [ModelAnswer<'a, T>],
    numbers: impl Fn(&'a T) -> I,
) -> Column
where
    Column: FromIterator<N>,
{
    models
        .iter()
        .flat_map(|model| numbers(model.answer))
        .collect()
}

/// A column that repeats the name of each model.
fn names<'a, T: ?Sized>(models: &'a [ModelAnswer<'a, T>], rows: impl Fn(&T) -> usize) -> Column {
    let names = models
        .iter()
        .flat_map(|model| std::iter::repeat_n(model.name, rows(model.answer)));
    names.collect()
}

/// The mean amplitude of a table with the norm of the sinusoidal table of its size.
fn scaled_mean(found: &SpectrumSummary) -> impl Iterator<Item = f64> + '_ {
    found
        .mean
        .iter()
        .map(|amplitude| amplitude / found.control_scale)
}

/// Mean amplitude spectra of the columns of several tables: as they are, or, if `is_scaled`, each as if its table had the norm
/// of the sinusoidal table of its size. Frequencies count waves over all positions of a table, so tables of different
/// lengths share the axis. `absent` are the names of models without a table. Draws the frequencies up to the last main wave
/// of any table, or all: `model,frequency,period,mean,quartile_low,quartile_high,scaled`. `None` if no model has spectra.
#[must_use]
pub fn table_spectra(
    models: &[ModelAnswer<'_, TableWaveSummary>],
    absent: &[&str],
    is_scaled: bool,
    all: bool,
) -> Option<Plot> {
    let (models, reasons) = split(models, |waves| &waves.spectrum);
    let last = models.iter().map(|model| match all {
        true => model.answer.mean.len().saturating_sub(1),
        false => last_frequency(&model.answer.mean),
    });
    let last = last.max()?;
    let table = Table::new()
        .with("model", names(&models, |found| found.mean.len()))
        .with("frequency", column(&models, |found| 0..found.mean.len()))
        .with(
            "period",
            column(&models, |found| {
                (0..found.mean.len()).map(|f| period(found.n, f).unwrap_or(f64::NAN))
            }),
        )
        .with("mean", column(&models, |found| found.mean.iter().copied()))
        .with(
            "quartile_low",
            column(&models, |found| found.low.iter().copied()),
        )
        .with(
            "quartile_high",
            column(&models, |found| found.high.iter().copied()),
        )
        .with("scaled", column(&models, scaled_mean));
    let peaks: Vec<String> = models.iter().map(peak_in_words).collect();
    let lines = models.iter().map(|model| {
        let values = match is_scaled {
            true => scaled_mean(model.answer).collect(),
            false => model.answer.mean.clone(),
        };
        model.line(0, values)
    });
    let name = match is_scaled {
        true => "amplitude, scaled",
        false => "amplitude",
    };
    Some(
        Plot::over(Axis::Frequency)
            .vertical(name)
            .series(lines)
            .models(models.iter().map(ModelAnswer::label))
            .horizontal_range((-0.5, last as f64 + 0.5))
            .aspect(0.4)
            .with_table(table)
            .with_summary(format!(
                "Mean spectra of {}.{reasons}{}",
                peaks.join("; "),
                without_table(absent)
            )),
    )
}

/// The name of a model, with the frequency and the period of its highest peak.
fn peak_in_words(model: &ModelAnswer<'_, SpectrumSummary>) -> String {
    let found = model.answer;
    let peak = peak_frequency(&found.mean).and_then(|f| Some((f, period(found.n, f)?)));
    let words = peak.map_or("nothing varies along position".to_owned(), |(f, period)| {
        format!(
            "peak at frequency {f}, a period of {} of {} positions",
            number(period),
            found.n
        )
    });
    format!("{} ({words})", model.name)
}

/// The share of the variance that the leading principal components of several tables explain together, by their number:
/// `model,component,share,cumulative`. `absent` are the names of models without a table. `None` if no model has
/// components.
#[must_use]
pub fn table_components(
    models: &[ModelAnswer<'_, TableWaveSummary>],
    absent: &[&str],
) -> Option<Plot> {
    let (models, reasons) = split(models, |waves| &waves.components);
    let most = models.iter().map(|model| model.answer.shares.len()).max()?;
    let table = Table::new()
        .with("model", names(&models, |found| found.shares.len()))
        .with("component", column(&models, |found| 1..=found.shares.len()))
        .with(
            "share",
            column(&models, |found| found.shares.iter().copied()),
        )
        .with(
            "cumulative",
            column(&models, |found| found.cumulative.iter().copied()),
        );
    let ninety = models.iter().map(|model| {
        let components: &ComponentSummary = model.answer;
        let count = components.count_for(0.9);
        format!("{count} of {} in {}", components.shares.len(), model.name)
    });
    let ninety: Vec<String> = ninety.collect();
    let lines = models
        .iter()
        .map(|model| model.line(1, model.answer.cumulative.clone()));
    let mut plot = Plot::over(Axis::Component)
        .vertical("share of the variance")
        .series(lines)
        .models(models.iter().map(ModelAnswer::label))
        .values((0.0, 1.0))
        .aspect(0.4)
        .with_table(table)
        .with_summary(format!(
            "Components that explain 90 % of the variance: {}.{reasons}{}",
            ninety.join("; "),
            without_table(absent)
        ));
    plot.x = PlotAxis::new(Axis::Component, AxisScale::Log(1)).between(1.0, (most as f64).max(2.0));
    Some(plot)
}

/// The shift Δ of every head that one shift describes, by layer, with the models side by side in each layer:
/// `model,layer,head,shift,coherence,chance_coherence,best_shift,profile_peak`, layers and heads counted from 1. `shift`
/// is NaN if no single shift describes the head; the next three are of the best line, NaN without one. `absent` are the
/// names of models without heads that read a table. `None` if no head was computed.
#[must_use]
pub fn head_shifts(models: &[ModelAnswer<'_, [HeadShift]>], absent: &[&str]) -> Option<Plot> {
    let layers = models
        .iter()
        .flat_map(|model| model.answer)
        .map(|head| head.layer + 1)
        .max()?;
    let of_best = |value: fn(&BestShift) -> f64| {
        column(models, move |heads| {
            heads
                .iter()
                .map(move |head| head.best.as_ref().map_or(f64::NAN, value))
        })
    };
    let table = Table::new()
        .with("model", names(models, <[HeadShift]>::len))
        .with(
            "layer",
            column(models, |heads| heads.iter().map(|head| head.layer + 1)),
        )
        .with(
            "head",
            column(models, |heads| heads.iter().map(|head| head.head + 1)),
        )
        .with("shift", of_best(|best| best.delta.unwrap_or(f64::NAN)))
        .with(
            "coherence",
            of_best(|best| of_line(best, |line| line.coherence)),
        )
        .with(
            "chance_coherence",
            of_best(|best| of_line(best, |line| line.chance)),
        )
        .with(
            "best_shift",
            of_best(|best| of_line(best, |line| line.delta)),
        )
        .with("profile_peak", of_best(|best| best.peak as f64));
    let count = models.len() as f64;
    let dots = models.iter().enumerate().map(|(at, model)| {
        let beside = LAYER_WIDTH * ((at as f64 + 0.5) / count - 0.5);
        let points = model.answer.iter().filter_map(|head| {
            let delta = head.best.as_ref().ok()?.delta?;
            Some(ScatterPoint::new((head.layer as f64 + 1.0 + beside, delta)))
        });
        Dots::new("", points).ink(model.ink())
    });
    let sentences: Vec<String> = models.iter().map(shifts_in_words).collect();
    let absent = match absent {
        [] => String::new(),
        names => format!(
            " Not drawn, without heads that read a position table: {}.",
            names.join(", ")
        ),
    };
    let mut plot = Plot::scatter(Axis::Layer, Some(Axis::Shift))
        .dots(dots)
        .models(models.iter().map(ModelAnswer::label))
        .aspect(0.5)
        .with_table(table)
        .with_summary(format!("{}{absent}", sentences.join(" ")));
    plot.x = PlotAxis::new(Axis::Layer, AxisScale::Whole).between(0.5, layers as f64 + 0.5);
    Some(plot)
}

/// A number of the best line; NaN without one.
fn of_line(best: &BestShift, value: fn(&PhaseLine) -> f64) -> f64 {
    best.line.as_ref().map_or(f64::NAN, value)
}

/// States how many heads of a model one shift describes, and how many of them look back.
fn shifts_in_words(model: &ModelAnswer<'_, [HeadShift]>) -> String {
    let heads = model.answer;
    let shifts = || {
        heads
            .iter()
            .filter_map(|head| head.best.as_ref().ok()?.delta)
    };
    let back = shifts().filter(|delta| *delta > 0.0).count();
    let name = model.name;
    let count = shifts().count();
    let failures: Vec<&String> = heads
        .iter()
        .filter_map(|head| head.best.as_ref().err())
        .collect();
    let failures = match failures.as_slice() {
        [] => String::new(),
        [why] => format!(" 1 head has no rotation: {why}"),
        [why, ..] => format!(" {} heads have no rotation: {why}", failures.len()),
    };
    let look = if back == 1 { "looks" } else { "look" };
    format!(
        "{name}: one shift describes {count} of {} heads; {back} of these {look} back (Δ > 0).{failures}",
        heads.len()
    )
}
