//! Thumbnails of the attention of all heads over a text.

use super::HeadMeasure;
use crate::{
    analysis::{SpecialTokenMode, TextHeadSummary, TextRunId},
    figure::{ColorMap, Table, Thumbnail, Thumbnails, number},
};
use std::collections::HashMap;

/// Cache of thumbnails by layer and head. A head is drawn once, however often the order changes or new heads arrive.
#[derive(Debug, Clone, Default)]
pub struct TextHeadPictures(HashMap<(usize, usize), (TextRunId, Thumbnail)>);

impl TextHeadPictures {
    /// Draws the heads of a run that are not in the cache, in place of those of other runs. All must have one colour map.
    pub fn add(&mut self, run: TextRunId, heads: &[TextHeadSummary], map: ColorMap) {
        // Attention is never negative, so half of a diverging map would be unused.
        let map = match map.is_diverging() {
            true => ColorMap::Viridis,
            false => map,
        };
        for head in heads {
            let place = (head.layer, head.head);
            if self.0.get(&place).is_none_or(|(of, _)| *of != run) {
                let picture = Thumbnail::new(head.thumbnail.clone(), map, place, String::new());
                self.0.insert(place, (run, picture));
            }
        }
    }

    /// Returns the thumbnails in the order of `heads`, each with a number below it. `None` before the first head. A row
    /// of `per_row` is a layer. The table has all heads, layers and heads counted from 1:
    /// `layer,head,attention_r2,score_r2,peak_offset,previous,next,self,first,separator,entropy`.
    #[must_use]
    pub fn grid(
        &self,
        heads: &[&TextHeadSummary],
        label: HeadMeasure,
        special: SpecialTokenMode,
        per_row: Option<usize>,
    ) -> Option<Thumbnails> {
        let thumbnail = |head: &&TextHeadSummary| {
            let (_, mut thumbnail) = self.0.get(&(head.layer, head.head))?.clone();
            thumbnail.label = label.label(head, special);
            Some(thumbnail)
        };
        (!heads.is_empty()).then(|| Thumbnails {
            cells: heads.iter().filter_map(thumbnail).collect(),
            per_row,
            open: None,
            table: head_table(heads, special),
            summary: head_summary(heads, label, special),
        })
    }
}

/// The numbers of all heads in the order of the model.
pub(super) fn head_table(heads: &[&TextHeadSummary], special: SpecialTokenMode) -> Table {
    let mut heads = heads.to_vec();
    heads.sort_by_key(|head| (head.layer, head.head));
    let column = |number: HeadMeasure| {
        let numbers = heads.iter().map(|head| number.of_head(head, special));
        numbers.collect()
    };
    Table::new()
        .with("layer", heads.iter().map(|head| head.layer + 1).collect())
        .with("head", heads.iter().map(|head| head.head + 1).collect())
        .with("attention_r2", column(HeadMeasure::AttentionR2))
        .with("score_r2", column(HeadMeasure::ScoreR2))
        .with(
            "peak_offset",
            heads.iter().map(|head| head.peak_offset).collect(),
        )
        .with("previous", column(HeadMeasure::Previous))
        .with("next", column(HeadMeasure::Next))
        .with("self", column(HeadMeasure::Itself))
        .with("first", column(HeadMeasure::First))
        .with("separator", column(HeadMeasure::Separator))
        .with("entropy", column(HeadMeasure::Entropy))
}

/// States the number of heads, and the heads with the least and the greatest number.
pub(super) fn head_summary(
    heads: &[&TextHeadSummary],
    label: HeadMeasure,
    special: SpecialTokenMode,
) -> String {
    let count = match heads.len() {
        1 => "1 head".to_owned(),
        count => format!("{count} heads"),
    };
    let value = |head: &&&TextHeadSummary| label.of_head(head, special);
    let numbers = || heads.iter().filter(|head| value(head).is_finite());
    let least = numbers().min_by(|a, b| value(a).total_cmp(&value(b)));
    let greatest = numbers().max_by(|a, b| value(a).total_cmp(&value(b)));
    let title = label.title();
    let Some((least, greatest)) = least.zip(greatest) else {
        return format!("{count}. No head has a number for {title}.");
    };
    let place = |head: &&TextHeadSummary| {
        let value = label.of_head(head, special);
        format!(
            "head {} of layer {} with {}",
            head.head + 1,
            head.layer + 1,
            number(value)
        )
    };
    format!(
        "{count}. {title}: the least has {}, the greatest {}.",
        place(least),
        place(greatest)
    )
}

/// Returns the caption of the heads: how many of all have arrived, the number below each, and which tokens R² counts.
#[must_use]
pub fn text_grid_caption(
    (arrived, all): (usize, usize),
    in_rows: bool,
    label: HeadMeasure,
    special: SpecialTokenMode,
) -> String {
    let count = match all {
        0 => String::new(),
        _ if arrived < all => format!("{arrived} of {all} heads so far. "),
        _ => format!("The attention of all {all} heads over the text. "),
    };
    let rows = if in_rows { "Each row is a layer. " } else { "" };
    let tokens = match special {
        SpecialTokenMode::Shown => "R² counts all tokens.",
        SpecialTokenMode::Hidden => "R² leaves out special tokens; the shares count them.",
        SpecialTokenMode::Renormalised => {
            "R² leaves out special tokens and divides each row by the sum of the rest; the shares count them."
        }
    };
    format!(
        "{count}{rows}The number below each head is its {}. {tokens}",
        label.title()
    )
}
