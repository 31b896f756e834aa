//! Number of heads per layer: chosen by the user, configured, or assumed from the width.
//!
//! Weights do not show it: the queries of all heads are in one matrix.

use super::{Heads, HeadsSource, ModelError, ModelOptions};

/// Usual numbers of heads by width: `MiniLM`, `TinyBERT`, the small BERTs, base, large, ALBERT's.
pub(super) const USUAL: &[(usize, u32)] = &[
    (128, 2),
    (256, 4),
    (312, 12),
    (384, 12),
    (512, 8),
    (768, 12),
    (1024, 16),
    (2048, 16),
    (2560, 32),
    (4096, 64),
];

/// The same for image models whose heads are not 64 wide: most of timm's.
pub(super) const USUAL_OF_IMAGES: &[(usize, u32)] =
    &[(1152, 16), (1280, 16), (1408, 16), (1536, 24), (1664, 16)];

/// Width of a head if nothing else is known.
const USUAL_WIDTH: usize = 64;

/// Decides the number of heads for queries of `width` columns. A configured number that does not divide the width belongs
/// to another model and is passed over.
pub(super) fn decide(
    width: usize,
    configured: Option<u32>,
    usual: &[(usize, u32)],
    choice: &ModelOptions,
) -> Result<Heads, ModelError> {
    let heads = match (choice.heads, configured) {
        (Some(count), _) => Heads {
            count,
            source: HeadsSource::Chosen,
        },
        (None, Some(count)) if divides(count, width) => Heads {
            count,
            source: HeadsSource::Config,
        },
        // A configuration of another model does not make the weights unreadable.
        (None, _) => Heads {
            count: assume(width, usual),
            source: HeadsSource::Assumed,
        },
    };
    check(heads, width)?;
    Ok(heads)
}

/// Refuses a number of heads that does not divide the width of the queries.
pub(super) fn check(heads: Heads, width: usize) -> Result<(), ModelError> {
    if divides(heads.count, width) {
        Ok(())
    } else {
        Err(ModelError::HeadsDoNotDivide {
            heads: heads.count,
            source: heads.source,
            width,
        })
    }
}

fn divides(heads: u32, width: usize) -> bool {
    width > 0 && usize::try_from(heads).is_ok_and(|n| n > 0 && width.is_multiple_of(n))
}

fn assume(width: usize, usual: &[(usize, u32)]) -> u32 {
    if let Some((_, heads)) = usual.iter().find(|(at, _)| *at == width) {
        return *heads;
    }
    // Otherwise the divisor whose head width is closest to the usual one by ratio.
    let off = |heads: u32| {
        (width as f64 / f64::from(heads) / USUAL_WIDTH as f64)
            .ln()
            .abs()
    };
    (1..=256_u32)
        .filter(|heads| width.is_multiple_of(*heads as usize))
        .min_by(|a, b| off(*a).total_cmp(&off(*b)))
        .unwrap_or(1)
}
