//! Shares of the pairs of columns of a rotary head, and how many pairs they are worth.

/// Share of each pair: u_m / Σ u with u_m = √(`query[m]`·`key[m]`), where `query` and `key` are energies (squared norms).
///
/// A pair adds at most ‖q_m‖·‖k_m‖ to a score, so that u_m is how much a head can use it. A factor between queries and
/// keys, which leaves scores as they are, leaves shares as they are. They are NaN if all u are 0.
#[must_use]
pub fn pair_shares(query: &[f64], key: &[f64]) -> Vec<f64> {
    let products = query.iter().zip(key);
    let products: Vec<f64> = products.map(|(q, k)| q.sqrt() * k.sqrt()).collect();
    let sum: f64 = products.iter().sum();
    products.into_iter().map(|product| product / sum).collect()
}

/// Effective number of pairs, 1 / Σ share²: n if n pairs have equal shares and others none.
///
/// It is the inverse of Simpson's index, or of Herfindahl's. NaN if a share is NaN.
#[must_use]
pub fn effective_pairs(shares: &[f64]) -> f64 {
    let squares = shares.iter().map(|share| share * share);
    squares.sum::<f64>().recip()
}

#[cfg(test)]
mod tests {
    use super::{effective_pairs, pair_shares};

    #[test]
    fn equal_pairs_count_fully() {
        let shares = pair_shares(&[9.0, 0.0, 1.0, 4.0], &[1.0, 5.0, 9.0, 2.25]);
        assert_eq!(shares, [1.0 / 3.0, 0.0, 1.0 / 3.0, 1.0 / 3.0]);
        assert!((effective_pairs(&shares) - 3.0).abs() < 1e-12);
        let one = pair_shares(&[0.0, 2.0], &[1.0, 3.0]);
        assert_eq!((effective_pairs(&one), one), (1.0, vec![0.0, 1.0]));
    }

    #[test]
    fn a_factor_between_queries_and_keys_leaves_shares() {
        let (query, key) = ([1.0, 2.0, 3.0], [5.0, 1.0, 0.5]);
        let scaled = pair_shares(&query.map(|q| 16.0 * q), &key.map(|k| k / 16.0));
        for (scaled, share) in scaled.iter().zip(pair_shares(&query, &key)) {
            assert!((scaled - share).abs() < 1e-15);
        }
    }

    #[test]
    fn a_head_without_energy_has_no_shares() {
        let shares = pair_shares(&[0.0, 1.0], &[1.0, 0.0]);
        assert!(shares.iter().all(|share| share.is_nan()));
        assert!(effective_pairs(&shares).is_nan());
    }
}
