//! Attention of a head by offset with the mean word, with random words, and with the words of a text.

use super::{Axis, Band, Ink, Plot, Series, Table, format_signed, percent};
use crate::{
    analysis::{AttentionStats, HeadWords, WordAttention},
    math::AttentionMask,
};

/// Offsets up to this one are drawn, on either side.
const REACH: f64 = 20.5;

/// Attention by offset, sorted by words.
#[derive(Default)]
struct Lines<'a> {
    mean: Option<&'a AttentionStats>,
    text: Option<&'a AttentionStats>,
    draws: Vec<&'a AttentionStats>,
}

impl<'a> Lines<'a> {
    fn new(all: &'a [WordAttention]) -> Self {
        let mut lines = Self::default();
        for one in all {
            match one.words {
                HeadWords::Mean => lines.mean = Some(&one.stats),
                HeadWords::Ids(_) => lines.text = Some(&one.stats),
                HeadWords::Random(_) => lines.draws.push(&one.stats),
            }
        }
        lines
    }

    /// Shares of an offset over the draws, from low to high.
    fn shares_by_size(&self, k: i64) -> Vec<f64> {
        let shares = self.draws.iter().map(|draw| share(draw, k));
        let mut shares: Vec<f64> = shares.collect();
        shares.sort_by(f64::total_cmp);
        shares
    }
}

/// Plots the share of attention by offset: a line for the mean word, the median of the draws of random words with a band
/// from the lowest to the highest, and a line for a text. `None` before the first line. The table:
/// `offset,mean_word,random_words,low,high,text`; the columns without words are absent, and `text` is NaN beyond the
/// text's length. Then `mean_word_entropy` in bits and `mean_word_keys`, the number of keys with that entropy, equal in all
/// rows, and, if the position table has a seam, `before_seam` and `behind_seam`, the shares of the mean word over the queries
/// of each side. `name` is that of the first line.
#[must_use]
pub fn position_dependence(
    all: &[WordAttention],
    cells: AttentionMask,
    name: &'static str,
) -> Option<Plot> {
    let lines = Lines::new(all);
    let mean = lines.mean?;
    let n = mean.share.n() as i64;
    let last = match cells {
        AttentionMask::Whole => n - 1,
        AttentionMask::Causal => 0,
    };
    let offsets = 1 - n..=last;
    let line = |name: &str, stats: &AttentionStats| {
        let shares = offsets.clone().map(|k| share(stats, k));
        Series::new(name, 1 - n, shares.collect()).in_legend()
    };
    let mut series = vec![line(name, mean).ink(Ink::Category(0)).width(1.6)];
    let mut table = Table::new()
        .with("offset", offsets.clone().collect())
        .with("mean_word", series[0].values.iter().copied().collect());
    let mut band = None;
    if !lines.draws.is_empty() {
        let by_size: Vec<Vec<f64>> = offsets.clone().map(|k| lines.shares_by_size(k)).collect();
        let each = |of: fn(&[f64]) -> f64| by_size.iter().map(|shares| of(shares)).collect();
        let (median, low, high): (Vec<f64>, Vec<f64>, Vec<f64>) =
            (each(median), each(lowest), each(highest));
        let name = format!("random words, {} draws", lines.draws.len());
        table = table
            .with("random_words", median.iter().copied().collect())
            .with("low", low.iter().copied().collect())
            .with("high", high.iter().copied().collect());
        series.push(Series::new(name, 1 - n, median).width(1.8).in_legend());
        band = Some(Band {
            first: 1 - n,
            low,
            high,
        });
    }
    if let Some(text) = lines.text {
        let of_text = line("text", text).ink(Ink::Category(1)).with_dashes(true);
        table = table.with("text", of_text.values.iter().copied().collect());
        series.push(of_text);
    }
    table = table
        .with_constant("mean_word_entropy", mean.entropy)
        .with_constant("mean_word_keys", mean.keys());
    if let Some(sides) = &mean.sides {
        let shares = |side: &AttentionStats| offsets.clone().map(|k| share(side, k)).collect();
        table = table
            .with("before_seam", shares(&sides.before))
            .with("behind_seam", shares(&sides.behind));
    }
    // The cursor reads the first line: that of random words, if there is one.
    if band.is_some() {
        series.swap(0, 1);
    }
    let reach = REACH.min(n as f64 - 0.5);
    let ahead = reach.min(last as f64 + 0.5);
    let plot = Plot::over(Axis::Offset)
        .vertical("share of attention")
        .series(series)
        .band(band)
        .horizontal_range((-reach, ahead))
        .aspect(0.42)
        .with_table(table)
        .with_summary(summary(&lines, name));
    Some(plot)
}

fn share(stats: &AttentionStats, k: i64) -> f64 {
    stats.share.at(k).unwrap_or(f64::NAN)
}

/// The middle of sorted numbers.
fn median(numbers: &[f64]) -> f64 {
    let half = numbers.len() / 2;
    match numbers.len() {
        0 => f64::NAN,
        count if count % 2 == 1 => numbers[half],
        _ => (numbers[half - 1] + numbers[half]) / 2.0,
    }
}

fn lowest(numbers: &[f64]) -> f64 {
    numbers.first().copied().unwrap_or(f64::NAN)
}

fn highest(numbers: &[f64]) -> f64 {
    numbers.last().copied().unwrap_or(f64::NAN)
}

/// States the share of the most attended offset of the mean word, for each kind of words.
fn summary(lines: &Lines<'_>, name: &str) -> String {
    let Some(mean) = lines.mean else {
        return String::new();
    };
    let peak = mean.peak();
    let of_mean = percent(share(mean, peak));
    let shares = lines.shares_by_size(peak);
    let of_draws = match shares.len() {
        0 => String::new(),
        count => format!(
            " With random words it gets {}, the median of {count} draws between {} and {}.",
            percent(median(&shares)),
            percent(lowest(&shares)),
            percent(highest(&shares)),
        ),
    };
    let of_text = lines.text.map_or_else(String::new, |text| {
        format!(
            " With the words of the text it gets {}.",
            percent(share(text, peak))
        )
    });
    format!(
        "With {name}, offset {} gets {of_mean} of the attention.{of_draws}{of_text}",
        format_signed(peak)
    )
}
