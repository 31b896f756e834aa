//! Shares of the attention that the sinks of heads take, as bars.

use super::{Bar, BarChart, BarRow, Table, percent, words::format_count};
use crate::analysis::HeadSink;

/// Distance of rows in pixels. A model with 36 layers of 64 heads has 100 rows.
const ROW: f64 = 15.0;

/// Plots the share of the sink of each head of the open layer, with those of its first and its last query in a note, then
/// the mean over the heads of each layer with their range. `open` is the layer and the head, from 0, that are darker;
/// heads of the first layer are drawn if the open one has none. The table has all heads, layers and heads counted from 1:
/// `layer,head,sink,share,first,last,keys`. `None` before the first head.
#[must_use]
pub fn sink_bars(heads: &[HeadSink], open: (usize, usize)) -> Option<BarChart> {
    let mut heads: Vec<&HeadSink> = heads.iter().collect();
    heads.sort_by_key(|head| (head.layer, head.head));
    let layers: Vec<&[&HeadSink]> = heads.chunk_by(|a, b| a.layer == b.layer).collect();
    let open_layer = layers.iter().find(|layer| layer[0].layer == open.0);
    let open_layer = *open_layer.or(layers.first())?;
    let of_heads = open_layer.iter().map(|head| {
        let label = format!("{}.{}", head.layer + 1, head.head + 1);
        BarRow::new(label, [bar(head.share)])
            .note(format!("{} → {}", percent(head.first), percent(head.last)))
            .strong((head.layer, head.head) == open)
    });
    let of_layers = layers.iter().enumerate().map(|(at, layer)| {
        let number = layer[0].layer;
        BarRow::new(format!("layer {}", number + 1), [bar(mean(layer))])
            .note(range(layer))
            .strong(number == open.0)
            .starts_group(at == 0)
    });
    let of_layers = of_layers.filter(|_| layers.len() > 1);
    let chart = BarChart::linear("share of the attention", of_heads.chain(of_layers))
        .row_height(ROW)
        .with_table(table(&heads))
        .with_summary(summary(&heads));
    Some(chart)
}

fn bar(share: f64) -> Bar {
    Bar::new(share).text(percent(share))
}

fn mean(heads: &[&HeadSink]) -> f64 {
    heads.iter().map(|head| head.share).sum::<f64>() / heads.len() as f64
}

/// The smallest and the largest share, in words.
fn range(heads: &[&HeadSink]) -> String {
    let shares = || heads.iter().map(|head| head.share);
    let (low, high) = (shares().reduce(f64::min), shares().reduce(f64::max));
    let ends = low.zip(high);
    ends.map_or_else(String::new, |(low, high)| {
        format!("{} to {}", percent(low), percent(high))
    })
}

fn table(heads: &[&HeadSink]) -> Table {
    let column = |number: fn(&HeadSink) -> f64| heads.iter().map(|head| number(head)).collect();
    Table::new()
        .with("layer", heads.iter().map(|head| head.layer + 1).collect())
        .with("head", heads.iter().map(|head| head.head + 1).collect())
        .with("sink", column(|head| head.sink))
        .with("share", column(|head| head.share))
        .with("first", column(|head| head.first))
        .with("last", column(|head| head.last))
        .with("keys", heads.iter().map(|head| head.keys).collect())
}

/// States the mean share, and the heads whose sinks take the least and the most.
fn summary(heads: &[&HeadSink]) -> String {
    let count = format_count(heads.len(), "head", "heads");
    let by_share = |a: &&&HeadSink, b: &&&HeadSink| a.share.total_cmp(&b.share);
    let ends = heads
        .iter()
        .min_by(by_share)
        .zip(heads.iter().max_by(by_share));
    let Some((least, most)) = ends else {
        return count;
    };
    let place = |head: &HeadSink| {
        let (layer, number) = (head.layer + 1, head.head + 1);
        format!(
            "head {number} of layer {layer} with {}",
            percent(head.share)
        )
    };
    format!(
        "{count}. On average the sink takes {} of the attention. The least takes that of {}, the most that of {}.",
        percent(mean(heads)),
        place(least),
        place(most)
    )
}
