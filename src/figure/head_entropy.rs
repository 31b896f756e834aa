//! Entropy of the heads' attention, as bars.

use super::{Bar, BarChart, BarRow, Table, words::format_count};
use crate::analysis::HeadEntropy;

/// Distance of rows in pixels. A model with 32 layers of 32 heads has 64 rows.
const ROW: f64 = 15.0;

/// Plots the entropy of the open layer's heads, then the mean over the heads of each layer, with the range in a note.
/// `open` is the layer and the head, from 0, that are darker; the rule marks even attention to all keys that a query sees. The table has
/// all heads, layers and heads counted from 1: `layer,head,entropy,most`. `None` before the first head.
#[must_use]
pub fn entropy_bars(heads: &[HeadEntropy], open: (usize, usize)) -> Option<BarChart> {
    let mut heads: Vec<&HeadEntropy> = heads.iter().collect();
    heads.sort_by_key(|head| (head.layer, head.head));
    let layers: Vec<&[&HeadEntropy]> = heads.chunk_by(|a, b| a.layer == b.layer).collect();
    let open_layer = layers.iter().find(|layer| layer[0].layer == open.0);
    let most = open_layer.or(layers.first())?[0].most;
    let of_heads = open_layer.into_iter().copied().flatten().map(|head| {
        let label = format!("{}.{}", head.layer + 1, head.head + 1);
        BarRow::new(label, [bar(head.entropy)]).strong((head.layer, head.head) == open)
    });
    let of_layers = layers.iter().enumerate().map(|(at, layer)| {
        let number = layer[0].layer;
        BarRow::new(format!("layer {}", number + 1), [bar(mean(layer))])
            .note(range(layer))
            .strong(number == open.0)
            .starts_group(at == 0 && open_layer.is_some())
    });
    // The mean of the only layer would say nothing about other layers.
    let of_layers = of_layers.filter(|_| layers.len() > 1 || open_layer.is_none());
    let chart = BarChart::linear("entropy in bits", of_heads.chain(of_layers))
        .row_height(ROW)
        .rule(most, "even attention")
        .with_table(table(&heads))
        .with_summary(summary(&heads));
    Some(chart)
}

fn bar(bits: f64) -> Bar {
    let text = match bits.is_finite() {
        true => format!("{bits:.2}"),
        false => "–".to_owned(),
    };
    Bar::new(bits).text(text)
}

/// The entropies that are numbers.
fn finite(heads: &[&HeadEntropy]) -> Vec<f64> {
    let bits = heads.iter().map(|head| head.entropy);
    bits.filter(|bits| bits.is_finite()).collect()
}

/// Mean of the entropies that are numbers; NaN if none is.
fn mean(heads: &[&HeadEntropy]) -> f64 {
    let bits = finite(heads);
    bits.iter().sum::<f64>() / bits.len() as f64
}

/// The smallest and the largest entropy, in words.
fn range(heads: &[&HeadEntropy]) -> String {
    let bits = finite(heads);
    let low = bits.iter().copied().reduce(f64::min);
    let high = bits.iter().copied().reduce(f64::max);
    let ends = low.zip(high);
    ends.map_or_else(String::new, |(low, high)| format!("{low:.2} to {high:.2}"))
}

fn table(heads: &[&HeadEntropy]) -> Table {
    Table::new()
        .with("layer", heads.iter().map(|head| head.layer + 1).collect())
        .with("head", heads.iter().map(|head| head.head + 1).collect())
        .with("entropy", heads.iter().map(|head| head.entropy).collect())
        .with("most", heads.iter().map(|head| head.most).collect())
}

/// States the mean entropy, and the heads with the least and the most.
fn summary(heads: &[&HeadEntropy]) -> String {
    let count = format_count(heads.len(), "head", "heads");
    let numbers = heads.iter().filter(|head| head.entropy.is_finite());
    let least = numbers
        .clone()
        .min_by(|a, b| a.entropy.total_cmp(&b.entropy));
    let highest = numbers.max_by(|a, b| a.entropy.total_cmp(&b.entropy));
    let Some((least, highest)) = least.zip(highest) else {
        return format!("{count}. Their entropies are not numbers.");
    };
    let place = |head: &HeadEntropy| {
        let (layer, number) = (head.layer + 1, head.head + 1);
        format!(
            "head {number} of layer {layer} with {:.2} of at most {:.2} bits",
            head.entropy, head.most
        )
    };
    format!(
        "{count}, mean entropy {:.2} bits. The least has {}, the most {}.",
        mean(heads),
        place(least),
        place(highest)
    )
}
