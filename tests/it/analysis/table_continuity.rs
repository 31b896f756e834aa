//! The cone below the cosines of open tables, against numbers that NumPy computed from them.

use crate::{
    analysis::golden_minilm,
    support::questions::{FIRST, ask, folder, open, with_computed},
};
use diagonal::{
    analysis::{MemorySession, Origin, TableCones, TableContinuity},
    encoding::{Random, Sinusoidal},
    figure::cone_words,
    math::{LipschitzCone, reference},
    model::ModelOptions,
};

fn cones(session: &MemorySession) -> Result<TableCones, String> {
    ask(session, TableContinuity { of: FIRST }).expect("an answer")
}

/// By NumPy in double precision from the table of the preset: C and the pair that forces it, of all pairs and of those on
/// one side of the seam and without row 0, lowest and mean cosines, and C of the sinusoidal table.
#[test]
fn the_preset_has_the_numbers_of_numpy() {
    let cones = cones(&golden_minilm::open().0).expect("cones");
    let LipschitzCone {
        mean,
        lowest,
        bound,
        bound_in_parts,
        ..
    } = &cones.table;
    let near = |found: f64, golden: f64| assert!((found - golden).abs() < 1e-6, "{found} {golden}");
    near(bound.slope, 0.724_288_640_1);
    assert_eq!(bound.rows, (0, 1));
    let in_parts = bound_in_parts.expect("usual rows");
    near(in_parts.slope, 0.483_847_344_5);
    assert_eq!(in_parts.rows, (510, 511));
    for (k, low, middle) in [
        (1, 0.275_711_359_9, 0.851_007_403_1),
        (2, 0.309_009_968_5, 0.592_374_107_8),
        (8, 0.161_973_477_3, 0.294_481_463_2),
        (100, -0.344_041_191_7, 0.153_726_425_3),
    ] {
        near(lowest[k], low);
        near(mean[k], middle);
    }
    near(cones.sinusoidal.bound.slope, 0.058_183_901_4);
    let words = cone_words(&cones);
    assert_eq!(
        words,
        "The smallest C is 0.724, forced by positions 0 and 1 (cosine 0.276). Without row 0 and the seam 126–128 it is 0.484, forced by positions 510 and 511 (cosine 0.516). The sinusoidal table of the same shape has C = 0.0582."
    );
}

#[test]
fn a_sinusoidal_table_is_its_own_comparison() {
    // Of an odd width, the cone is searched in the table.
    for width in [64, 63] {
        let table = Sinusoidal {
            rows: 90,
            width,
            ..Sinusoidal::default()
        };
        let cones = cones(&with_computed(Origin::Sinusoidal(table))).expect("cones");
        let slow = reference::lowest_cosines(&table.table().mapv(f64::from));
        for cone in [&cones.table, &cones.sinusoidal] {
            for (fast, slow) in cone.lowest.iter().zip(&slow) {
                assert!((fast - slow).abs() < 1e-6, "{width}: {fast} {slow}");
            }
        }
        let (own, other) = (cones.table.bound.slope, cones.sinusoidal.bound.slope);
        assert!((own - other).abs() < 1e-6, "{own} {other}");
    }
}

#[test]
fn other_tables_have_sentences() {
    let patches = MemorySession::default();
    open(&patches, folder("vit"), ModelOptions::default()).expect("vit");
    let sentence = cones(&patches).expect_err("patches");
    assert!(sentence.contains("patches"), "{sentence}");
    let session = with_computed(Origin::Random(Random {
        rows: 2,
        width: 4,
        seed: 1,
    }));
    let two = cones(&session).expect("one pair");
    assert_eq!(two.table.bound.rows, (0, 1));
    assert_eq!(two.table.bound_in_parts, None);
    let buckets = MemorySession::default();
    open(&buckets, folder("t5"), ModelOptions::default()).expect("t5");
    assert!(ask(&buckets, TableContinuity { of: FIRST }).is_err());
}
