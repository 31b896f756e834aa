//! The taps of a layer as a convolution: the size of the matrix that is applied at each offset.

use super::{Axis, Column, Ink, Plot, Series, Table, format_signed, number, percent};
use crate::analysis::{ConvolutionTap, LayerTaps};

/// Plots the Frobenius norm of each tap of a layer, and the part of it that its strongest head has alone. `None` without
/// taps. The table: `offset,norm,strongest_head,share`, then `head_1`, …, the mean attention of each head; heads are counted
/// from 1.
#[must_use]
pub fn layer_taps(layer: &LayerTaps) -> Option<Plot> {
    let first = layer.taps.first()?.offset;
    let norms: Vec<f64> = layer.taps.iter().map(|tap| tap.norm).collect();
    let alone = layer.taps.iter().map(|tap| {
        let head = strongest(tap).unwrap_or(0);
        let norm = layer.head_norms.get(head).copied().unwrap_or(f64::NAN);
        tap.attention.get(head).map_or(f64::NAN, |a| a * norm)
    });
    let alone = Series::new("its strongest head alone", first, alone.collect())
        .ink(Ink::Category(0))
        .with_dashes(true)
        .in_legend();
    let norm = Series::new("all heads, ‖K_k‖", first, norms)
        .width(2.0)
        .in_legend();
    let plot = Plot::over(Axis::Offset)
        .vertical("‖K_k‖")
        .series([norm, alone])
        .aspect(0.42)
        .with_table(table(layer))
        .with_summary(summary(layer));
    Some(plot)
}

/// The head, from 0, with the greatest share of a tap.
fn strongest(tap: &ConvolutionTap) -> Option<usize> {
    let shares = tap.shares.iter().enumerate();
    let finite = shares.filter(|(_, share)| share.is_finite());
    finite
        .max_by(|a, b| a.1.total_cmp(b.1))
        .map(|(head, _)| head)
}

fn share_of_strongest(tap: &ConvolutionTap) -> f64 {
    strongest(tap).map_or(f64::NAN, |head| tap.shares[head])
}

fn table(layer: &LayerTaps) -> Table {
    let taps = &layer.taps;
    let strongest_head = |tap: &ConvolutionTap| strongest(tap).map_or(0, |head| head as i64 + 1);
    let table = Table::new()
        .with("offset", taps.iter().map(|tap| tap.offset).collect())
        .with("norm", taps.iter().map(|tap| tap.norm).collect())
        .with("strongest_head", taps.iter().map(strongest_head).collect())
        .with("share", taps.iter().map(share_of_strongest).collect());
    let heads = 0..layer.head_norms.len();
    heads.fold(table, |table, head| {
        let attention = taps.iter().map(|tap| tap.attention[head]);
        table.with(
            format!("head_{}", head + 1),
            Column::Number(attention.collect()),
        )
    })
}

/// States the greatest tap, its strongest head, and the next greatest taps.
fn summary(layer: &LayerTaps) -> String {
    let mut taps: Vec<&ConvolutionTap> = layer.taps.iter().collect();
    taps.sort_by(|a, b| b.norm.total_cmp(&a.norm));
    let Some((greatest, others)) = taps.split_first() else {
        return "The layer has no taps.".to_owned();
    };
    let head = strongest(greatest).map_or_else(String::new, |head| {
        format!(
            "; head {} has {} of its square",
            head + 1,
            percent(share_of_strongest(greatest))
        )
    });
    let others: Vec<String> = others
        .iter()
        .take(3)
        .map(|tap| format!("{} at {}", number(tap.norm), format_signed(tap.offset)))
        .collect();
    let others = match others.is_empty() {
        true => String::new(),
        false => format!(" Next are {}.", others.join(", ")),
    };
    format!(
        "Layer {} as a convolution. Its greatest matrix has the norm {} at offset {}{head}.{others}",
        layer.layer + 1,
        number(greatest.norm),
        format_signed(greatest.offset)
    )
}
