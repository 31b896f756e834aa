//! Small maps of where each head attends around its query, their distance from a convolution, and scores by image
//! offset for the heads of a layer.

use super::{ColorMap, Table, Thumbnail, Thumbnails, format_signed, number, words::format_count};
use crate::{
    analysis::{
        ATTENDED_POSITIONS, HeadConvolution, HeadOffsetMaps, LayerConvolutions, SharedProfiles,
        profile_letter,
    },
    math::{ALIKE, AS_WIDE, ChanceRange, Grid, NoR2},
};

/// Layers whose mean explained share is at least this are described as convolutions.
const NEARLY_ALL: f64 = 0.9;

/// Attention is never negative, so half of a diverging map would be unused.
pub(super) fn of_attention(map: ColorMap) -> ColorMap {
    if map.is_diverging() {
        ColorMap::Viridis
    } else {
        map
    }
}

fn letter(head: &HeadConvolution) -> String {
    head.kernel_index.map_or_else(String::new, profile_letter)
}

fn share(head: &HeadConvolution) -> String {
    if head.explained_share.is_finite() {
        format!("{:.2}", head.explained_share)
    } else {
        number(head.explained_share)
    }
}

/// One thumbnail per head of the layers computed so far, with its explained share and the letter of its profile. `None`
/// before the first layer.
#[must_use]
pub fn head_patterns(layers: &[LayerConvolutions], map: ColorMap) -> Option<Thumbnails> {
    let map = of_attention(map);
    let heads = layers.iter().map(|layer| layer.heads.len()).max()?;
    let thumbnail = |layer: &LayerConvolutions, head: &HeadConvolution| {
        let place = (layer.layer, head.head);
        let label = format!("{} {}", share(head), letter(head));
        let label = label.trim_end().to_owned();
        let values = head.profile.values.clone();
        match layer.grid {
            Some(_) => {
                let size = head.profile.reach.size();
                Thumbnail::around_query(values, size, map, Some(0.0), place, label)
            }
            None => Thumbnail::along_query(values, place, label),
        }
    };
    let cells = layers.iter().flat_map(|layer| {
        let heads = layer.heads.iter();
        heads.map(move |head| thumbnail(layer, head))
    });
    Some(Thumbnails {
        cells: cells.collect(),
        per_row: Some(heads),
        open: None,
        table: table(layers),
        summary: summary(layers),
    })
}

/// Labels of the heads' buttons, for screen readers.
pub fn pattern_labels(
    layers: &[LayerConvolutions],
) -> impl Iterator<Item = ((usize, usize), String)> + '_ {
    layers.iter().flat_map(|layer| {
        layer.heads.iter().map(move |head| {
            let place = (layer.layer, head.head);
            let (at, of) = (place.0 + 1, place.1 + 1);
            let share = if head.explained_share.is_finite() {
                format!("R² of the attention {:.3}", head.explained_share)
            } else {
                "R² of the attention not a number".to_owned()
            };
            let profile = head.kernel_index.map_or_else(
                || "no profile near the query".to_owned(),
                |group| format!("profile {}", profile_letter(group)),
            );
            let scores = number(head.scores_r2);
            let label =
                format!("layer {at}, head {of}, {share}, R² of the scores {scores}, {profile}");
            (place, label)
        })
    })
}

fn table(layers: &[LayerConvolutions]) -> Table {
    let heads = || {
        layers
            .iter()
            .flat_map(|layer| layer.heads.iter().map(move |head| (layer.layer, head)))
    };
    let whole = |of: &dyn Fn((usize, &HeadConvolution)) -> i64| heads().map(of).collect();
    let real = |of: fn(&HeadConvolution) -> f64| heads().map(|(_, head)| of(head)).collect();
    let table = Table::new()
        .with("layer", whole(&|(layer, _)| layer as i64 + 1))
        .with("head", whole(&|(_, head)| head.head as i64 + 1))
        .with("explained", real(|head| head.explained_share))
        .with("scores_r2", real(|head| head.scores_r2))
        .with("profile", heads().map(|(_, head)| letter(head)).collect())
        .with("attention_near", real(|head| head.profile.inside));
    let table = if layers.iter().any(|layer| layer.grid.is_some()) {
        table
            .with("peak_dy", whole(&|(_, head)| head.profile.peak().0))
            .with("peak_dx", whole(&|(_, head)| head.profile.peak().1))
    } else {
        table.with("peak_offset", whole(&|(_, head)| head.profile.peak().1))
    };
    table.with("width", real(|head| head.profile.width()))
}

/// The mean explained share, over the heads for which it is finite.
fn mean<'a>(heads: impl Iterator<Item = &'a HeadConvolution>) -> f64 {
    let shares: Vec<f64> = heads
        .map(|head| head.explained_share)
        .filter(|share| share.is_finite())
        .collect();
    shares.iter().sum::<f64>() / shares.len() as f64
}

/// Describes the profiles of a layer's heads, and whether they form convolutions.
fn layer_words(layer: &LayerConvolutions) -> String {
    let with_profile = || {
        layer
            .heads
            .iter()
            .filter(|head| head.kernel_index.is_some())
    };
    let (profiles, heads) = (layer.profiles(), with_profile().count());
    let number_of = layer.layer + 1;
    let without = match layer.heads.len() - heads {
        0 => String::new(),
        1 => "; one head attends farther away".to_owned(),
        without => format!("; {without} heads attend farther away"),
    };
    let of = mean(with_profile());
    let what = match profiles {
        0 => return format!("layer {number_of}: no head attends mostly near its query"),
        _ if of < NEARLY_ALL || !of.is_finite() => {
            format!("with a mean R² of attention of {}", number(of))
        }
        1 => "a convolution of one kernel’s shape".to_owned(),
        _ => format!("a mixture of {profiles} convolutions"),
    };
    format!(
        "layer {number_of}: {} among {}, {what}{without}",
        format_count(profiles, "profile", "profiles"),
        format_count(heads, "head", "heads")
    )
}

/// Describes the mean, the head nearest to a convolution, and every layer.
fn summary(layers: &[LayerConvolutions]) -> String {
    let heads = || layers.iter().flat_map(|layer| &layer.heads);
    let count = heads().count();
    let most = layers
        .iter()
        .flat_map(|layer| layer.heads.iter().map(move |head| (layer.layer, head)))
        .filter(|(_, head)| head.explained_share.is_finite())
        .max_by(|a, b| a.1.explained_share.total_cmp(&b.1.explained_share));
    let Some((layer, head)) = most else {
        let why = NoR2::NotFinite;
        return format!(
            "{}. Their R² is not a number, because {why}.",
            format_count(count, "head", "heads")
        );
    };
    let words: Vec<String> = layers.iter().map(layer_words).collect();
    let words = words.join(". ");
    let words = words
        .replace(". layer", ". Layer")
        .replacen("layer", "Layer", 1);
    format!(
        "{}. The mean R² of their positional attention by offset is {}; the highest is that of head {} of layer {}: {}. {words}.{}",
        format_count(count, "head", "heads"),
        number(mean(heads())),
        head.head + 1,
        layer + 1,
        number(head.explained_share),
        leading_words(layers)
    )
}

/// Notes that only leading positions were evaluated, if so.
fn leading_words(layers: &[LayerConvolutions]) -> String {
    layers
        .first()
        .filter(|layer| layer.n < layer.of)
        .map_or_else(String::new, |layer| {
            format!(
                " Of {} positions only the first {} are used, because softmax of more than {ATTENDED_POSITIONS} takes too long.",
                layer.of, layer.n
            )
        })
}

/// Returns the caption: the number of layers so far, and what is drawn.
#[must_use]
pub fn patterns_caption(layers: &[LayerConvolutions], all: usize, is_relative: bool) -> String {
    let so_far = if layers.len() < all {
        format!("{} of {all} layers so far. ", layers.len())
    } else {
        String::new()
    };
    let on_grid = layers.first().is_some_and(|layer| layer.grid.is_some());
    let what = if on_grid {
        "Mean attention by (Δy, Δx) around the query, the square in the middle. Below: R² of the attention by (Δy, Δx)"
    } else {
        "Mean attention by offset around the query, the line in the middle. Below: R² of the attention by offset"
    };
    let from = if is_relative {
        " The scores depend on the offset alone; the attention does not, because queries at the edges have fewer keys."
    } else {
        " Computed from position embeddings alone, fed to every layer."
    };
    let percent = (100.0 * (AS_WIDE - 1.0)).round();
    format!(
        "{so_far}{what}. Heads of a layer with the same letter have the same profile, shifted: placed on one another, these profiles correlate by at least {ALIKE}, and their widths differ by at most {percent} %.{from}{}",
        leading_words(layers)
    )
}

/// States how many heads of a layer share a letter, beside heads with randomly turned keys.
#[must_use]
pub fn shared_profile_words(shared: &SharedProfiles) -> String {
    let ChanceRange { median, low, high } = shared.chance;
    format!(
        " In layer {} {} of {} share a letter; with randomly turned keys {} would (95 % range {} to {}).",
        shared.layer + 1,
        shared.sharing,
        format_count(shared.heads, "head", "heads"),
        short_number(median),
        short_number(low),
        short_number(high)
    )
}

/// Formats a count that may be a mean of two.
fn short_number(value: f64) -> String {
    match value.fract() == 0.0 {
        true => format!("{value}"),
        false => format!("{value:.1}"),
    }
}

/// Scores by (Δy, Δx) of the heads of a layer.
#[must_use]
pub fn offset_maps(maps: &HeadOffsetMaps, map: ColorMap) -> Thumbnails {
    let Grid { height, width } = maps.grid;
    let cells = maps.heads.iter().enumerate().map(|(head, values)| {
        let (place, label) = ((maps.layer, head), (head + 1).to_string());
        let size = maps.grid.reach();
        Thumbnail::around_query(values.clone(), size, map, None, place, label)
    });
    let offsets = || {
        let heads = 0..maps.heads.len();
        heads.flat_map(|head| maps.grid.offsets().map(move |offset| (head, offset)))
    };
    let whole = |of: &dyn Fn((usize, (i64, i64))) -> i64| offsets().map(of).collect();
    let scores = maps.heads.iter().flatten().map(|v| f64::from(*v));
    let table = Table::new()
        .with("layer", whole(&|_| maps.layer as i64 + 1))
        .with("head", whole(&|(head, _)| head as i64 + 1))
        .with("dy", whole(&|(_, (dy, _))| dy))
        .with("dx", whole(&|(_, (_, dx))| dx))
        .with("score", scores.collect());
    let highest = maps.heads.iter().enumerate().filter_map(|(head, values)| {
        let best = maps.grid.offsets().zip(values);
        let ((dy, dx), _) = best.max_by(|a, b| a.1.total_cmp(b.1))?;
        Some(format!(
            "head {}: Δy {}, Δx {}",
            head + 1,
            format_signed(dy),
            format_signed(dx)
        ))
    });
    let highest: Vec<String> = highest.collect();
    Thumbnails {
        cells: cells.collect(),
        per_row: Some(maps.heads.len().min(8)),
        open: None,
        table,
        summary: format!(
            "Scores by (Δy, Δx) of {} in layer {} on {height} by {width} positions. Highest at {}.",
            format_count(maps.heads.len(), "head", "heads"),
            maps.layer + 1,
            highest.join("; ")
        ),
    }
}
