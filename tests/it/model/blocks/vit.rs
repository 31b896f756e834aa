//! Vision transformers.

use super::{first_block, folder};

#[test]
fn outputs_of_the_third_deit_are_scaled() {
    let (_, deit) = folder("timm-deit3", "positions");
    assert!(first_block(&deit).attention.residual.output_scale.is_some());
}
