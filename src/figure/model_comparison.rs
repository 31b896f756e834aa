//! Figures of several models for the views that compare models, and the columns for download.

use super::{
    Axis, Band, ColorMap, Column, Dots, HeadShares, Ink, ModelShares, Plot, ScatterPoint, ScoreRow,
    ScoreTable, Series, Share, Table, format_signed, number, scale::extent,
    toeplitz_scores::r2_columns,
};
use crate::{
    analysis::{AttentionMask, Brief, HeadR2, HeadSummary, Scope, is_next_version},
    math::{Autocorrelation, LinearFit, Profile, linear_fit},
};
use std::{cmp::Ordering, collections::BTreeSet, sync::Arc};

/// Diagonals with fewer than 1/16 of the main diagonal's cells do not set the range of an axis, and are not drawn for
/// scaled profiles.
const FEW_CELLS: usize = 16;

/// A model among others.
#[derive(Debug, Clone, PartialEq)]
pub struct ComparedModel {
    /// Its number from 1, which also selects its colour.
    pub number: usize,
    /// Its name in the model list.
    pub name: String,
    /// Summary of the model.
    pub brief: Arc<Brief>,
}

impl ComparedModel {
    /// Number of positions.
    #[must_use]
    pub fn n(&self) -> usize {
        self.brief.fit.f.n()
    }

    /// Returns the profile minus the mean of the matrix, divided by its own range.
    ///
    /// The range is that over |k| ≤ n/2, where a diagonal has at least half as many cells as the main one. The
    /// outermost means are those of one or two cells and would make the scale arbitrary.
    #[must_use]
    pub fn scaled_profile(&self) -> Vec<f64> {
        let fit = &self.brief.fit;
        let middle = self.n().saturating_sub(1);
        let reach = self.n() / 2;
        let near = &fit.f[middle - reach.min(middle)..=(middle + reach).min(fit.f.len() - 1)];
        let least = near.iter().copied().fold(f64::INFINITY, f64::min);
        let greatest = near.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let range = if greatest > least {
            greatest - least
        } else {
            1.0
        };
        fit.f.iter().map(|f| (f - fit.mean) / range).collect()
    }
}

/// Compares two R², the greater first. `None` and NaN come last.
#[must_use]
pub fn greater_first(a: Option<f64>, b: Option<f64>) -> Ordering {
    let (a, b) = (a.filter(|r2| !r2.is_nan()), b.filter(|r2| !r2.is_nan()));
    match (a, b) {
        (Some(a), Some(b)) => b.total_cmp(&a),
        (a, b) => b.is_some().cmp(&a.is_some()),
    }
}

/// A column that repeats each model's name for its rows.
fn names<'a>(rows: impl IntoIterator<Item = (&'a str, usize)>) -> Column {
    let repeated = rows
        .into_iter()
        .flat_map(|(name, count)| std::iter::repeat_n(name.to_owned(), count));
    repeated.collect()
}

/// Returns the number of cells from which on a diagonal's mean is reliable.
fn enough_cells(f: &Profile) -> usize {
    f.n().div_ceil(FEW_CELLS).max(2).min(f.n())
}

/// Plots every model's f(k) on one axis; for `scaled` see [`ComparedModel::scaled_profile`]. Shows all offsets, or
/// those that every model has. `None` if there are no models.
#[must_use]
pub fn profiles(models: &[ComparedModel], scaled: bool, all: bool) -> Option<Plot> {
    let longest = models.iter().map(ComparedModel::n).max()?;
    let shortest = models.iter().map(ComparedModel::n).min()?;
    let n = if all { longest } else { shortest } as f64;
    let offsets = || models.iter().flat_map(|m| m.brief.fit.f.offsets());
    let table = Table::new()
        .with(
            "model",
            names(
                models
                    .iter()
                    .map(|m| (m.name.as_str(), m.brief.fit.f.len())),
            ),
        )
        .with("offset", offsets().collect())
        .with(
            "mean",
            models
                .iter()
                .flat_map(|m| m.brief.fit.f.iter().copied())
                .collect(),
        )
        .with(
            "cells",
            models
                .iter()
                .flat_map(|m| {
                    let f = &m.brief.fit.f;
                    f.offsets().map(|k| f.cells(k) as i64)
                })
                .collect(),
        )
        .with(
            "scaled",
            models
                .iter()
                .flat_map(ComparedModel::scaled_profile)
                .collect(),
        );
    let line_of = |model: &ComparedModel| {
        let f = &model.brief.fit.f;
        if !scaled {
            return f.to_vec();
        }
        let enough = enough_cells(f);
        let is_drawn = |k: i64| f.cells(k) >= enough;
        let scaled = f.offsets().zip(model.scaled_profile());
        scaled
            .map(|(k, value)| if is_drawn(k) { value } else { f64::NAN })
            .collect()
    };
    let values = models.iter().flat_map(|model| {
        let f = &model.brief.fit.f;
        // The outermost means are those of one or two cells, so they do not set the range.
        let enough = enough_cells(f);
        let visible_values = f
            .offsets()
            .zip(line_of(model))
            .filter(move |(k, _)| f.cells(*k) >= enough && k.unsigned_abs() < n as u64);
        visible_values.map(|(_, value)| value)
    });
    let values = extent(values, 0.06).map(|range| (*range.start(), *range.end()));
    let series = models.iter().map(|model| {
        let (f, index) = (&model.brief.fit.f, model.number.saturating_sub(1));
        Series::new(&model.name, f.first(), line_of(model))
            .ink(Ink::Category(index))
            .width(1.4)
            // The ninth colour repeats the first, dashed.
            .with_dashes((index / 8) % 2 == 1)
    });
    let highest = models.iter().map(|model| {
        let f = &model.brief.fit.f;
        let peak = f.by_offset().filter(|(k, _)| f.cells(*k) * 2 >= f.n());
        let peak = peak
            .max_by(|a, b| a.1.total_cmp(&b.1))
            .unwrap_or((0, f64::NAN));
        format!(
            "{} is highest at {} with {}",
            &model.name,
            format_signed(peak.0),
            number(peak.1)
        )
    });
    let highest: Vec<String> = highest.collect();
    let plot = Plot::over(Axis::Offset)
        .vertical(if scaled { "f(k), scaled" } else { "f(k)" })
        .series(series)
        .models(models.iter().map(|m| (m.number, m.name.clone())))
        .values(values)
        .horizontal_range((0.5 - n, n - 0.5))
        .aspect(0.4)
        .with_table(table)
        .with_summary(format!(
            "The diagonal means of {} models by offset: {}.",
            models.len(),
            highest.join("; ")
        ));
    Some(plot)
}

/// Returns the R² of one model's scopes as (rank, column, share), in display order of rank. Windows have no column;
/// they are only in the download.
fn shares(scopes: &[Scope]) -> Vec<(usize, String, Share)> {
    let mut shares = Vec::new();
    for (at, scope) in scopes.iter().enumerate() {
        let [off_diagonal, all] = Share::from_r2(scope.r2, scope.random);
        if at == 0 {
            shares.push((0, "k ≠ 0".to_owned(), off_diagonal));
            shares.push((1, "all k".to_owned(), all));
        } else if scope.name == "whole" {
            shares.push((usize::MAX, "row by row".to_owned(), off_diagonal));
        } else if let (true, Some(rows)) = (
            scope.rows.is_power_of_two(),
            scope.name.strip_prefix("leading-"),
        ) {
            shares.push((scope.rows, format!("first {rows}"), off_diagonal));
        }
    }
    shares
}

/// R² of every scope of every model: `model,scope,rows,r2,r2_off_diagonal,r2_random,r2_off_diagonal_random`.
#[must_use]
pub fn scores(models: &[ComparedModel]) -> Option<ScoreTable> {
    let scopes = || models.iter().flat_map(|m| &m.brief.scopes);
    let per_model = models
        .iter()
        .map(|m| (m.name.as_str(), m.brief.scopes.len()));
    let table = Table::new()
        .with("model", names(per_model))
        .with("scope", scopes().map(|s| s.name.clone()).collect())
        .with("rows", scopes().map(|s| s.rows).collect());
    let of_models = models.iter().map(|model| shares(&model.brief.scopes));
    let of_models: Vec<_> = of_models.collect();
    // The whole matrix first, then leading blocks by length.
    let columns: BTreeSet<(usize, &str)> = of_models
        .iter()
        .flatten()
        .map(|(rank, name, _)| (*rank, name.as_str()))
        .collect();
    let rows = models.iter().zip(&of_models).map(|(model, shares)| {
        let name = &model.name;
        let leads_by_grid = shares.iter().any(|(_, name, _)| name == "row by row");
        ScoreRow {
            number: model.number,
            name: if leads_by_grid {
                format!("{name}, in 2-D")
            } else {
                name.to_owned()
            },
            shares: columns
                .iter()
                .map(|(_, column)| {
                    let entry = shares.iter().find(|(_, name, _)| name == column);
                    entry.map(|(.., share)| *share)
                })
                .collect(),
        }
    });
    let rows = rows.collect();
    let off_diagonal = |model: &ComparedModel| model.brief.r2().off_diagonal;
    models.first()?;
    let scored = models.iter().filter(|model| !off_diagonal(model).is_nan());
    let most = scored.reduce(|a, b| {
        if off_diagonal(b) > off_diagonal(a) {
            b
        } else {
            a
        }
    });
    let most = most.map_or_else(String::new, |most| {
        let r2 = number(off_diagonal(most));
        format!(" The most Toeplitz is {}, with an R² of {r2}.", most.name)
    });
    let missing = models.iter().filter_map(|model| {
        let why = model.brief.r2().missing_reason?;
        Some(format!(" {} has no R², because {why}.", model.name))
    });
    let missing: String = missing.collect();
    Some(ScoreTable {
        rows,
        columns: columns.iter().map(|(_, name)| (*name).to_owned()).collect(),
        table: r2_columns(table, scopes()),
        summary: format!(
            "Toeplitz R² of {} models, without k = 0.{most}{missing}",
            models.len()
        ),
    })
}

/// Places of models that are versions of one another: of a version and of the next.
fn next_versions(models: &[(&ComparedModel, f64)]) -> Vec<(usize, usize)> {
    let places = || models.iter().enumerate();
    let pairs = places().flat_map(|(from, (model, _))| {
        let next = places().find(|(_, (other, _))| is_next_version(&model.name, &other.name));
        next.map(|(to, _)| (from, to))
    });
    pairs.collect()
}

/// A difference with its sign.
fn with_sign(difference: f64) -> String {
    let plus = if difference > 0.0 { "+" } else { "" };
    format!("{plus}{}", number(difference))
}

/// Plots R² against benchmark performance, for the models whose performance is known, with a regression line and an arrow
/// from each version of a model to the next:
/// `model,r2,performance`, then `slope,intercept,correlation` of the line, equal in all rows, NaN if there is no line.
/// `None` if no performance is known.
#[must_use]
pub fn performance(models: &[(&ComparedModel, f64)]) -> Option<(Plot, Option<LinearFit>)> {
    let points: Vec<(f64, f64)> = models
        .iter()
        .map(|(model, performance)| (model.brief.fit.r2, *performance))
        .collect();
    let fit = linear_fit(&points);
    let column = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).collect();
    let table = Table::new()
        .with(
            "model",
            names(models.iter().map(|(m, _)| (m.name.as_str(), 1))),
        )
        .with("r2", column(|p| p.0))
        .with("performance", column(|p| p.1));
    let of_line = |of: fn(&LinearFit) -> f64| fit.as_ref().map_or(f64::NAN, of);
    let table = table
        .with_constant("slope", of_line(|fit| fit.slope))
        .with_constant("intercept", of_line(|fit| fit.intercept))
        .with_constant("correlation", of_line(|fit| fit.correlation));
    let dots = points.iter().zip(models).map(|(&at, (model, _))| {
        let name = model.name.clone();
        ScatterPoint::new(at).of_model(model.number, name)
    });
    let next_versions = next_versions(models);
    let arrows = next_versions
        .iter()
        .map(|&(from, to)| Dots::arrow(points[from], points[to]).ink(Ink::Muted));
    let arrow_words: Vec<String> = next_versions
        .iter()
        .map(|&(from, to)| {
            format!(
                "{} to {} (R² {}, performance {})",
                models[from].0.name,
                models[to].0.name,
                with_sign(points[to].0 - points[from].0),
                with_sign(points[to].1 - points[from].1)
            )
        })
        .collect();
    let arrow_words = match arrow_words.is_empty() {
        true => String::new(),
        false => format!(
            " Arrows lead from a version to the next: {}.",
            arrow_words.join("; ")
        ),
    };
    let scatter = Plot::scatter(Axis::ToeplitzR2, Some(Axis::Performance))
        .dots(arrows)
        .dots([Dots::new("", dots)])
        .trend(fit.map(|fit| (fit.slope, fit.intercept)))
        .aspect(0.62)
        .with_table(table)
        .with_summary(format!("{} models.{arrow_words}", models.len()));
    (!models.is_empty()).then_some((scatter, fit))
}

/// A model whose heads were requested.
#[derive(Debug, Clone)]
pub struct WithHeads<'a> {
    /// Its number from 1.
    pub number: usize,
    /// Its name in the model list.
    pub name: &'a str,
    /// Number of layers, and of heads per layer.
    pub size: (usize, usize),
    /// The heads computed so far.
    pub heads: &'a [HeadSummary],
    /// R² by which the heads are coloured, the same kind for all models.
    pub measure: HeadR2,
}

/// R² of every head, coloured by one kind of R²: `model,layer,head,r2,causal_r2,peak_offset`, layers and heads counted
/// from 1. If no head has scores by offset alone, R² of the scores without row means follows, `r2_softmax`; if it was
/// requested, R² weighted by attention, `r2_attention`. `None` if there are no models.
#[must_use]
pub fn heads(models: &[WithHeads<'_>]) -> Option<HeadShares> {
    let measure = &models.first()?.measure;
    let all = || models.iter().flat_map(|model| model.heads);
    let whole = |of: fn(&HeadSummary) -> i64| all().map(of).collect();
    let table = Table::new()
        .with(
            "model",
            names(models.iter().map(|m| (m.name, m.heads.len()))),
        )
        .with("layer", whole(|head| head.layer as i64 + 1))
        .with("head", whole(|head| head.head as i64 + 1))
        .with("r2", all().map(|h| h.r2).collect())
        .with("causal_r2", all().map(|h| h.causal_r2).collect())
        .with("peak_offset", whole(|head| head.peak_offset));
    let of_softmax: Option<Vec<f64>> = all().map(|head| Some(head.softmax_r2?.all)).collect();
    let table = match of_softmax {
        Some(of_softmax) => table.with("r2_softmax", Column::Number(of_softmax)),
        None => table,
    };
    let r2_of = |model: &WithHeads<'_>, head| model.measure.of_head(head, AttentionMask::Whole);
    let table = match measure {
        HeadR2::WeightedByAttention(_) => {
            let weighted = models.iter().flat_map(|model| {
                let heads = model.heads.iter();
                heads.map(|head| r2_of(model, head))
            });
            table.with("r2_attention", weighted.collect())
        }
        HeadR2::Scores | HeadR2::WithoutRowMeans => table,
    };
    let shares = models.iter().map(|model| {
        let (layers, heads) = model.size;
        let mut r2 = vec![f64::NAN; layers * heads];
        for head in model.heads {
            if let (true, Some(place)) = (
                head.head < heads,
                r2.get_mut(head.layer * heads + head.head),
            ) {
                *place = r2_of(model, head);
            }
        }
        let name = model.name.to_owned();
        ModelShares::new(model.number, name, heads, &r2, ColorMap::Viridis)
    });
    Some(HeadShares {
        models: shares.collect(),
        map: ColorMap::Viridis,
        table,
        summary: format!(
            "Toeplitz R² of {} heads{}, from 0 to 1.",
            all().count(),
            match measure {
                HeadR2::Scores => "",
                HeadR2::WithoutRowMeans => " without row means",
                HeadR2::WeightedByAttention(_) => " weighted by attention",
            }
        ),
    })
}

/// Lags of an autocorrelation that are drawn unless all are: those of the figure on learned embeddings that the help cites.
const NEAR_LAGS: usize = 20;

/// Mean and quartiles of |autocorrelation| over a table's columns, by lag, drawn up to lag 20 or at all lags:
/// `lag,mean_absolute,quartile_low,quartile_high` of all.
///
/// # Errors
/// A sentence on why there is no autocorrelation.
pub fn autocorrelation(brief: &Brief, all_lags: bool) -> Result<Plot, String> {
    let answer = brief.autocorrelation.as_ref().map_err(String::clone)?;
    let Autocorrelation { mean, low, high } = answer.clone();
    if mean.len() < 2 {
        return Err("A table of one row has no autocorrelation.".into());
    }
    let table = Table::new()
        .with("lag", (0..mean.len()).collect())
        .with("mean_absolute", Column::Number(mean.clone()))
        .with("quartile_low", Column::Number(low.clone()))
        .with("quartile_high", Column::Number(high.clone()));
    let near = mean.len().min(NEAR_LAGS + 1) as f64 - 0.5;
    let line = Series::new("mean |autocorrelation|", 0, mean).width(1.6);
    let first = 0;
    let plot = Plot::over(Axis::Lag)
        .vertical("|autocorrelation|")
        .series([line])
        .band(Band { first, low, high })
        .values((0.0, 1.05))
        .with_table(table)
        .with_summary(
            "Mean absolute autocorrelation of the table’s columns by lag, with its quartiles.",
        );
    Ok(match all_lags {
        true => plot,
        false => plot.horizontal_range((-0.5, near)),
    })
}
