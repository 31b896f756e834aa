//! Pairs of a rotary head with the numbers that figures show of them.

use super::FrequencyColours;
use crate::{
    analysis::{
        ColumnEnergies, HeadQuerySizes, LayerQueries, RotaryEnergies, RotaryLayers, RotaryValues,
        RotatedPair,
    },
    figure::Cursor,
    math::{effective_pairs, pair_shares},
};

/// Extent of a pair's wavelength on the axis if it is the only one: a factor to either side.
const ALONE: f64 = 2.0;

/// A head with its pairs.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct HeadRow {
    /// Layer and head, from 0.
    pub(super) layer: usize,
    pub(super) head: usize,
    pub(super) pairs: Vec<RotatedPair>,
    /// Energy of queries and keys of each pair, for statistics of queries (E|q_m|)² and |E q_m|²; empty for bounds.
    pub(super) query: Vec<f64>,
    pub(super) key: Vec<f64>,
    /// Share, bound or concentration of each pair.
    pub(super) values: Vec<f64>,
    /// Effective number of pairs; NaN for bounds.
    pub(super) effective: f64,
    /// Share of the energy of queries and of keys in columns that do not rotate; NaN for bounds.
    pub(super) unrotated_shares: [f64; 2],
    /// |E q_m| / E|q_m| of each pair, of statistics of queries.
    pub(super) concentrations: Vec<f64>,
    /// Indices of the pairs by wavelength, and the ends of each on the axis in that order.
    order: Vec<usize>,
    edges: Vec<(f64, f64)>,
}

impl HeadRow {
    /// The ends of each pair on the axis of wavelengths, from the shortest on.
    pub(super) fn edges(&self) -> impl Iterator<Item = (f64, f64)> {
        self.edges.iter().copied()
    }

    /// The values in the order of [`Self::edges`].
    pub(super) fn values_by_wavelength(&self) -> impl Iterator<Item = f64> {
        self.order
            .iter()
            .filter_map(|at| self.values.get(*at).copied())
    }

    /// Concentration of the head, weighted by the shares of its pairs; NaN without statistics of queries.
    pub(super) fn concentration(&self) -> f64 {
        if self.concentrations.is_empty() {
            return f64::NAN;
        }
        // E|q|² times |E q| / E|q|, which is no number where all queries are 0.
        let pairs = self.query.iter().zip(&self.key);
        let products = pairs.map(|(size, mean)| (size * mean).sqrt());
        products.sum::<f64>() / self.query.iter().sum::<f64>()
    }

    /// Place of a pair in the order of [`Self::edges`].
    pub(super) fn place_of(&self, pair: usize) -> Option<usize> {
        let is_pair = |at: &usize| self.pairs.get(*at).is_some_and(|own| own.index == pair);
        self.order.iter().position(is_pair)
    }

    /// Place in the order of [`Self::edges`] of the pair between whose ends a wavelength is.
    pub(super) fn place_at(&self, wavelength: f64) -> Option<usize> {
        let mut edges = self.edges.iter();
        edges.position(|(from, to)| (*from..*to).contains(&wavelength))
    }

    /// The cursor at a place in the order of [`Self::edges`].
    pub(super) fn cursor_at(&self, place: usize) -> Option<Cursor> {
        let pair = self.pairs.get(*self.order.get(place)?)?.index;
        let (layer, head) = (self.layer, self.head);
        Some(Cursor::Pair { layer, head, pair })
    }

    /// Sum of the shares of pairs that are longer than `length` tokens.
    pub(super) fn share_beyond(&self, length: f64) -> f64 {
        let pairs = self.pairs.iter().zip(&self.values);
        let beyond = pairs.filter(|(pair, _)| pair.wavelength > length);
        // Adding to 0 keeps the sign of an empty sum.
        beyond.fold(0.0, |sum, (_, share)| sum + share)
    }

    /// Geometric mean of the wavelengths, weighted by the shares.
    pub(super) fn mean_wavelength(&self) -> f64 {
        let pairs = self.pairs.iter().zip(&self.values);
        let logarithms = pairs.map(|(pair, share)| share * pair.wavelength.ln());
        logarithms.sum::<f64>().exp()
    }
}

/// The ends of each pair on a logarithmic axis: half-way to the neighbours. With the order of the pairs by wavelength.
pub(super) fn wavelength_edges(pairs: &[RotatedPair]) -> (Vec<usize>, Vec<(f64, f64)>) {
    let mut order: Vec<usize> = (0..pairs.len()).collect();
    order.sort_by(|a, b| pairs[*a].wavelength.total_cmp(&pairs[*b].wavelength));
    let sorted: Vec<f64> = order.iter().map(|at| pairs[*at].wavelength).collect();
    let between = |at: usize| Some((sorted.get(at)? * sorted.get(at + 1)?).sqrt());
    let ends = (0..sorted.len()).map(|at| {
        let before = at.checked_sub(1).and_then(between);
        let (here, after) = (sorted[at], between(at));
        // The outermost pairs reach as far outwards as inwards.
        let from = before.or(after.map(|after| here * here / after));
        let to = after.or(before.map(|before| here * here / before));
        (from.unwrap_or(here / ALONE), to.unwrap_or(here * ALONE))
    });
    let ends = ends.collect();
    (order, ends)
}

/// The heads that have arrived, in the order of layers. Those of layers that do not rotate are left out, and for bounds
/// those of layers whose queries and keys are not normed.
pub(super) fn head_rows(layers: &RotaryLayers, colours: FrequencyColours) -> Vec<HeadRow> {
    let rows = layers.layers.iter().flat_map(|layer| match &layer.values {
        RotaryValues::Energies(energies) => energy_rows(layer.layer, energies, colours),
        RotaryValues::Queries(queries) => query_rows(layer.layer, queries, colours),
        RotaryValues::Bounds(None) => Vec::new(),
        RotaryValues::Bounds(Some(bounds)) => {
            let heads = bounds.heads.iter().enumerate();
            let row = |(head, values): (usize, &Vec<f64>)| {
                let none = (Vec::new(), Vec::new());
                row((layer.layer, head), &bounds.pairs, none, values.clone())
            };
            heads.map(row).collect()
        }
    });
    let mut rows: Vec<HeadRow> = rows.filter(|row| !row.pairs.is_empty()).collect();
    rows.sort_by_key(|row| (row.layer, row.head));
    rows
}

fn row(
    (layer, head): (usize, usize),
    pairs: &[RotatedPair],
    (query, key): (Vec<f64>, Vec<f64>),
    values: Vec<f64>,
) -> HeadRow {
    let (order, edges) = wavelength_edges(pairs);
    HeadRow {
        layer,
        head,
        pairs: pairs.to_vec(),
        query,
        key,
        values,
        effective: f64::NAN,
        unrotated_shares: [f64::NAN; 2],
        concentrations: Vec::new(),
        order,
        edges,
    }
}

fn energy_rows(layer: usize, energies: &RotaryEnergies, colours: FrequencyColours) -> Vec<HeadRow> {
    let pairs = |of: &ColumnEnergies| match colours {
        FrequencyColours::StoredShare => of.stored_pairs.clone(),
        _ => of.pairs.clone(),
    };
    let unrotated = |of: &ColumnEnergies| {
        let rotated: f64 = of.pairs.iter().sum();
        of.unrotated_energy / (of.unrotated_energy + rotated)
    };
    let heads = energies.queries.iter().enumerate();
    let heads = heads.filter_map(|(head, query)| {
        let key = energies.key(head)?;
        let of_pairs = (pairs(query), pairs(key));
        let shares = pair_shares(&of_pairs.0, &of_pairs.1);
        let effective = effective_pairs(&shares);
        Some(HeadRow {
            effective,
            unrotated_shares: [unrotated(query), unrotated(key)],
            ..row((layer, head), &energies.pairs, of_pairs, shares)
        })
    });
    heads.collect()
}

/// Heads with statistics of their queries. The share of a pair is that of the squared mean size of its queries, since
/// the file has no keys.
fn query_rows(layer: usize, queries: &LayerQueries, colours: FrequencyColours) -> Vec<HeadRow> {
    let square = |sizes: &[f64]| sizes.iter().map(|size| size * size).collect::<Vec<f64>>();
    let row_of = |head: &HeadQuerySizes| {
        let (energies, of_means) = (square(&head.sizes), square(&head.mean_sizes));
        let sum: f64 = energies.iter().sum();
        let shares: Vec<f64> = energies.iter().map(|energy| energy / sum).collect();
        let sizes = head.mean_sizes.iter().zip(&head.sizes);
        let concentrations: Vec<f64> = sizes.map(|(mean, size)| mean / size).collect();
        let values = match colours {
            FrequencyColours::Concentration => concentrations.clone(),
            _ => shares.clone(),
        };
        HeadRow {
            effective: effective_pairs(&shares),
            concentrations,
            ..row(
                (layer, head.head),
                &queries.pairs,
                (energies, of_means),
                values,
            )
        }
    };
    queries.heads.iter().map(row_of).collect()
}
