//! Profiles of encoding schemes, one file per kind of scheme; here is what the files share.

mod alibi;
mod buckets;
mod fire;
mod flat_lines;
mod kerple;
mod pope;
mod schemes;
mod waves;

use diagonal::{
    analysis::{
        EncodingParameters, EncodingProfile, ProfileInputs, SCHEMES, SchemeId, encoding_profile,
    },
    encoding::{Kernel, Kernels},
    math::Profile,
};

fn scheme(which: SchemeId) -> &'static diagonal::analysis::Scheme {
    let found = SCHEMES.iter().find(|scheme| scheme.which == which);
    found.expect("every scheme is listed")
}

pub(crate) fn profile(which: SchemeId, parameters: &EncodingParameters) -> EncodingProfile {
    let kernels = Kernels(vec![Kernel::new(2.0, 0.1, -1.0)]);
    let given = ProfileInputs {
        kernels: &kernels,
        open: Some((SchemeId::Learned, &Profile::new(vec![0.25, 1.0, 0.5]))),
        head: Some(&Profile::new(vec![-1.0, 0.0, 2.0])),
    };
    encoding_profile(scheme(which), parameters, &given).expect("it is there")
}

/// A profile from a function of the offset.
fn by_offset(n: usize, f: impl Fn(i64) -> f64) -> Vec<f64> {
    (1 - n as i64..n as i64).map(f).collect()
}

fn assert_near(fast: &[f64], slow: &[f64], room: f64) {
    assert_eq!(fast.len(), slow.len());
    for (at, (a, b)) in fast.iter().zip(slow).enumerate() {
        assert!((a - b).abs() <= room, "{a} and {b} at {at}");
    }
}
