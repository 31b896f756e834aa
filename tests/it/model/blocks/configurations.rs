//! Norms, activations, masks and scales are those of the configurations.

use super::{first_block, folder, order};
use diagonal::{
    math::AttentionMask,
    model::{Activation, ScoreScale},
};

#[test]
fn values_are_those_of_the_configurations() {
    use Activation::{Gelu, GeluTanh, Relu, Silu};
    use AttentionMask::{Causal, Whole};
    let root = ScoreScale::RootOfWidth(1.0);
    for (name, source, order_of_norms, activation, epsilon, mask, scale) in [
        ("albert", "positions", "post", GeluTanh, 1e-12, Whole, root),
        ("bart", "encoder", "post", Gelu, 1e-5, Whole, root),
        ("bart", "decoder", "post", Gelu, 1e-5, Causal, root),
        ("bert", "positions", "post", Gelu, 1e-12, Whole, root),
        (
            "deberta",
            "positions",
            "post",
            Gelu,
            1e-7,
            Whole,
            ScoreScale::RootOfWidth(3.0_f64.sqrt()),
        ),
        ("deit", "positions", "pre", Gelu, 1e-12, Whole, root),
        ("distilbert", "positions", "post", Gelu, 1e-12, Whole, root),
        ("electra", "positions", "post", Gelu, 1e-12, Whole, root),
        ("gpt2", "positions", "pre", GeluTanh, 1e-5, Causal, root),
        ("llama", "positions", "pre", Silu, 1e-6, Causal, root),
        ("mbart", "encoder", "pre", Gelu, 1e-5, Whole, root),
        ("mpnet", "positions", "post", Gelu, 1e-12, Whole, root),
        // Its configuration says “gelu”, by which the library means the tanh form.
        (
            "openai-gpt",
            "positions",
            "post",
            GeluTanh,
            1e-5,
            Causal,
            root,
        ),
        ("opt", "positions", "pre", Relu, 1e-5, Causal, root),
        (
            "opt-projected",
            "positions",
            "post",
            Relu,
            1e-5,
            Causal,
            root,
        ),
        (
            "t5",
            "encoder",
            "pre",
            Relu,
            1e-6,
            Whole,
            ScoreScale::Factor(1.0),
        ),
        (
            "t5",
            "decoder",
            "pre",
            Relu,
            1e-6,
            Causal,
            ScoreScale::Factor(1.0),
        ),
        ("timm-vit", "positions", "pre", Gelu, 1e-6, Whole, root),
        ("vit", "positions", "pre", Gelu, 1e-12, Whole, root),
    ] {
        let (_, model) = folder(name, source);
        let block = first_block(&model);
        let attention = &block.attention;
        assert_eq!(order(&attention.residual), order_of_norms, "{name}");
        assert_eq!(
            order(&block.feed_forward.residual),
            order_of_norms,
            "{name}"
        );
        assert_eq!(block.feed_forward.activation, activation, "{name}");
        let norms = attention
            .residual
            .norms()
            .chain(block.feed_forward.residual.norms());
        assert!(
            norms.map(|norm| norm.epsilon).all(|e| e == epsilon),
            "{name}"
        );
        assert_eq!((attention.mask, attention.scale), (mask, scale), "{name}");
        assert_eq!(attention.reach, None, "{name}");
        assert!(!block.is_parallel, "{name}");
    }
}
