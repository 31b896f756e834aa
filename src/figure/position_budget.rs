//! Shares of position, content and both in the scores of rotary heads, as stacked bars.

use super::{Bar, BarChart, BarRow, Column, Table, percent, words::format_count};
use crate::analysis::{BudgetSource, HeadBudget};

/// Distance of rows in pixels. A model with 32 layers of 32 heads has 64 rows.
const ROW: f64 = 15.0;

/// Plots the budget of each head of the open layer, then the mean over the heads of each layer. `open` is the layer and
/// the head, from 0, that are darker; heads of the first layer are drawn if the open one has no budget. The table has all
/// heads, layers and heads counted from 1: `layer,head,position,content,both,source`. `None` before the first head.
#[must_use]
pub fn budget_bars(
    heads: &[HeadBudget],
    source: BudgetSource,
    open: (usize, usize),
) -> Option<BarChart> {
    let mut heads: Vec<&HeadBudget> = heads.iter().collect();
    heads.sort_by_key(|head| (head.layer, head.head));
    let layers: Vec<&[&HeadBudget]> = heads.chunk_by(|a, b| a.layer == b.layer).collect();
    let open_layer = layers.iter().find(|layer| layer[0].layer == open.0);
    let open_layer = *open_layer.or(layers.first())?;
    let of_heads = open_layer.iter().map(|head| {
        let label = format!("{}.{}", head.layer + 1, head.head + 1);
        BarRow::new(label, bars(head.shares)).strong((head.layer, head.head) == open)
    });
    let of_layers = layers.iter().enumerate().map(|(at, layer)| {
        let number = layer[0].layer;
        BarRow::new(format!("layer {}", number + 1), bars(mean(layer)))
            .strong(number == open.0)
            .starts_group(at == 0)
    });
    let of_layers = of_layers.filter(|_| layers.len() > 1);
    let chart = BarChart::linear("share of the variance of scores", of_heads.chain(of_layers))
        .names(["position", "content", "both"])
        .stack()
        .row_height(ROW)
        .with_table(table(&heads, source))
        .with_summary(summary(&heads));
    Some(chart)
}

/// One bar for each share; the share of position is written beside them.
fn bars(shares: [f64; 3]) -> [Bar; 3] {
    let mut bars = shares.map(|share| Bar::new(share).text(""));
    bars[0].text = match shares[0].is_finite() {
        true => percent(shares[0]),
        false => "–".to_owned(),
    };
    bars
}

/// Mean of the shares that are numbers; NaN if none are.
fn mean(heads: &[&HeadBudget]) -> [f64; 3] {
    let finite = heads.iter().filter(|head| head.shares[0].is_finite());
    let count = finite.clone().count() as f64;
    [0, 1, 2].map(|part| finite.clone().map(|head| head.shares[part]).sum::<f64>() / count)
}

fn table(heads: &[&HeadBudget], source: BudgetSource) -> Table {
    let source = match source {
        BudgetSource::Words => "words",
        BudgetSource::Text(_) => "text",
        BudgetSource::Weights => "weights",
    };
    let part = |part: usize| heads.iter().map(|head| head.shares[part]).collect();
    Table::new()
        .with("layer", heads.iter().map(|head| head.layer + 1).collect())
        .with("head", heads.iter().map(|head| head.head + 1).collect())
        .with("position", part(0))
        .with("content", part(1))
        .with("both", part(2))
        .with(
            "source",
            Column::Name(heads.iter().map(|_| source.to_owned()).collect()),
        )
}

/// States the mean shares, and the head that depends on position most.
fn summary(heads: &[&HeadBudget]) -> String {
    let count = format_count(heads.len(), "head", "heads");
    let [position, content, both] = mean(heads);
    if !position.is_finite() {
        return format!("{count}. Their scores do not vary.");
    }
    let by_position = |head: &&&HeadBudget| head.shares[0] + head.shares[2];
    let most = heads
        .iter()
        .filter(|head| head.shares[0].is_finite())
        .max_by(|a, b| by_position(a).total_cmp(&by_position(b)));
    let most = most.map_or_else(String::new, |head| {
        format!(
            " The offset matters most in head {} of layer {}, with {} alone and {} together with content.",
            head.head + 1,
            head.layer + 1,
            percent(head.shares[0]),
            percent(head.shares[2])
        )
    });
    format!(
        "{count}. On average {} of the variance of scores is position, {} content, {} both.{most}",
        percent(position),
        percent(content),
        percent(both)
    )
}
