"""Small checkpoints of every family that can be run over text, with what their own library computes of two texts.

    pip install torch==2.15.0 transformers==5.24.0 safetensors==0.8.0
    python tests/data/make/forward.py             # writes every folder of tests/data/forward
    python tests/data/make/forward.py bert opt    # writes these two

`golden.safetensors` has for text t: `ids.t`, `states.t` [layers, n, width] that enter each layer, `last.t` [n, width]
after the last layer and the norm that follows it, `attention.t` [layers, heads, n, n], and `logits.t` [n, words] where
the model predicts words. Computed in float64 of what the file stores, stored as float32. Of encoder-decoders the keys begin with
`encoder.` and `decoder.`.
"""

import pathlib
import sys

sys.dont_write_bytecode = True

import torch
import transformers as tf
from safetensors.torch import save_file

from weights import fill

HERE = pathlib.Path(__file__).parent.parent / "forward"
FOLDERS = {}
WORDS = 40
# The dimensions that most families name alike.
SMALL = dict(
    vocab_size=WORDS, hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=24,
    max_position_embeddings=32,
)  # fmt: skip
ROTARY = SMALL | dict(
    num_attention_heads=4, num_key_value_heads=2, head_dim=6, max_position_embeddings=64, attention_dropout=0.0
)
SIDES = dict(
    vocab_size=WORDS, d_model=16, encoder_layers=2, decoder_layers=1, encoder_attention_heads=2,
    decoder_attention_heads=2, encoder_ffn_dim=24, decoder_ffn_dim=20, max_position_embeddings=32,
)  # fmt: skip


def texts(g):
    """Two texts of ids above those of special words."""
    return [torch.randint(6, WORDS, (1, n), generator=g) for n in (12, 19)]


def numbers(t):
    return t.detach().float().contiguous()


def folder(name, seed, **also):
    """Registers `make() -> model` as the maker of a folder."""

    def register(make):
        def run():
            path = HERE / name
            path.mkdir(parents=True, exist_ok=True)
            g = torch.Generator().manual_seed(seed)
            torch.manual_seed(seed)
            with torch.no_grad():
                model = fill(make(), g, keep=also.get("keep", ()))
                model.tie_weights()
                for buffer_name, buffer in model.named_buffers():
                    if "final_logits_bias" in buffer_name:
                        buffer.copy_(0.1 * torch.randn(buffer.shape, generator=g))
                model.save_pretrained(path)
                (path / "generation_config.json").unlink(missing_ok=True)
                model = model.double()
                model.set_attn_implementation("eager")
                if "num_local_experts" in model.config.to_dict():
                    # The default is in single precision alone.
                    model.set_experts_implementation("eager")
                golden = {}
                for t, ids in enumerate(texts(g)):
                    golden |= also.get("run", plain)(model, ids, t, g)
            save_file(golden, path / "golden.safetensors", metadata={"library": f"transformers {tf.__version__}"})

        FOLDERS[name] = run
        return make

    return register


def keep(t, ids, states, attentions, logits=None, side=""):
    golden = {
        f"{side}ids.{t}": ids[0].to(torch.int32),
        f"{side}states.{t}": numbers(torch.stack([s[0] for s in states[:-1]])),
        f"{side}last.{t}": numbers(states[-1][0]),
        f"{side}attention.{t}": numbers(torch.stack([a[0] for a in attentions])),
    }
    if logits is not None:
        golden[f"{side}logits.{t}"] = numbers(logits[0])
    return golden


def plain(model, ids, t, g):
    out = model(input_ids=ids, output_hidden_states=True, output_attentions=True)
    return keep(t, ids, out.hidden_states, out.attentions, getattr(out, "logits", None))


def both_sides(model, ids, t, g):
    """The encoder reads the text, the decoder the text shifted right."""
    start = torch.tensor([[model.config.decoder_start_token_id]])
    shifted = torch.cat([start, ids[:, :-1]], 1)
    out = model(input_ids=ids, decoder_input_ids=shifted, output_hidden_states=True, output_attentions=True)
    encoder = keep(t, ids, out.encoder_hidden_states, out.encoder_attentions, side="encoder.")
    decoder = keep(t, shifted, out.decoder_hidden_states, out.decoder_attentions, out.logits, side="decoder.")
    return encoder | decoder


def encoder_alone(model, ids, t, g):
    out = model.encoder(input_ids=ids, output_hidden_states=True, output_attentions=True)
    return keep(t, ids, out.hidden_states, out.attentions)


def patches(model, ids, t, g):
    """An image instead of a text: the rows that are added to positions are those of class token and patches."""
    pixels = torch.randn(1, 3, 12, 12, generator=g).double()
    out = model(pixel_values=pixels, output_hidden_states=True, output_attentions=True)
    embeddings = model.embeddings
    rows = torch.cat([embeddings.cls_token, embeddings.patch_embeddings(pixels)], 1)
    golden = keep(t, torch.arange(rows.shape[1])[None], out.hidden_states, out.attentions)
    # Of the library's two outputs only this one has passed the last norm.
    return golden | {f"rows.{t}": numbers(rows[0]), f"last.{t}": numbers(out.last_hidden_state[0])}


@folder("bert", 1)
def bert():
    return tf.BertForMaskedLM(tf.BertConfig(**SMALL))


@folder("roberta", 2)
def roberta():
    return tf.RobertaForMaskedLM(tf.RobertaConfig(**SMALL | dict(max_position_embeddings=34), type_vocab_size=1))


@folder("xlm-roberta", 3)
def xlm_roberta():
    config = tf.XLMRobertaConfig(**SMALL | dict(max_position_embeddings=36), pad_token_id=3, layer_norm_eps=1e-5)
    return tf.XLMRobertaForMaskedLM(config)


@folder("distilbert", 4)
def distilbert():
    config = tf.DistilBertConfig(
        vocab_size=WORDS, dim=16, n_layers=2, n_heads=2, hidden_dim=24, max_position_embeddings=32
    )
    return tf.DistilBertForMaskedLM(config)


@folder("albert", 5)
def albert():
    config = tf.AlbertConfig(**SMALL | dict(num_hidden_layers=3), embedding_size=12)
    return tf.AlbertForMaskedLM(config)


@folder("electra-generator", 7)
def electra_generator():
    return tf.ElectraForMaskedLM(tf.ElectraConfig(**SMALL, embedding_size=12))


@folder("electra", 8)
def electra():
    """The discriminator, whose logits are one number a token."""
    return tf.ElectraForPreTraining(tf.ElectraConfig(**SMALL, embedding_size=12))


@folder("mpnet", 9)
def mpnet():
    return tf.MPNetForMaskedLM(tf.MPNetConfig(**SMALL | dict(max_position_embeddings=34)))


@folder("deberta", 10)
def deberta():
    config = tf.DebertaConfig(
        **SMALL, relative_attention=True, max_relative_positions=14, pos_att_type=["c2p", "p2c"],
        position_biased_input=False, type_vocab_size=0,
    )  # fmt: skip
    return tf.DebertaForMaskedLM(config)


@folder("deberta-v3", 11)
def deberta_v3():
    config = tf.DebertaV2Config(
        **SMALL, relative_attention=True, max_relative_positions=-1, position_buckets=8, norm_rel_ebd="layer_norm",
        share_att_key=True, pos_att_type=["p2c", "c2p"], position_biased_input=False, type_vocab_size=0,
    )  # fmt: skip
    return tf.DebertaV2ForMaskedLM(config)


@folder("deberta-v2", 33)
def deberta_v2():
    """Version 2 with a convolution beside the first layer, as its largest models have, and maps of its own."""
    config = tf.DebertaV2Config(
        **SMALL, relative_attention=True, max_relative_positions=20, position_buckets=6, share_att_key=False,
        pos_att_type=["p2c", "c2p"], position_biased_input=True, type_vocab_size=2, conv_kernel_size=3,
    )  # fmt: skip
    return tf.DebertaV2ForMaskedLM(config)


@folder("gpt", 12)
def gpt():
    return tf.OpenAIGPTLMHeadModel(
        tf.OpenAIGPTConfig(vocab_size=WORDS, n_positions=32, n_embd=16, n_layer=2, n_head=2)
    )


@folder("gpt2", 13)
def gpt2():
    config = tf.GPT2Config(
        vocab_size=WORDS, n_positions=32, n_embd=16, n_layer=2, n_head=2, n_inner=24, bos_token_id=0, eos_token_id=0
    )
    return tf.GPT2LMHeadModel(config)


@folder("gpt-neo", 14)
def gpt_neo():
    config = tf.GPTNeoConfig(
        vocab_size=WORDS, max_position_embeddings=32, hidden_size=16, num_layers=2, num_heads=4,
        attention_types=[[["global", "local"], 1]], intermediate_size=24, window_size=5, bos_token_id=0, eos_token_id=0,
    )  # fmt: skip
    return tf.GPTNeoForCausalLM(config)


def opt_config(**also):
    return tf.OPTConfig(
        vocab_size=WORDS, hidden_size=16, num_hidden_layers=2, num_attention_heads=2, ffn_dim=24,
        max_position_embeddings=32, **also,
    )  # fmt: skip


@folder("opt", 15)
def opt():
    return tf.OPTForCausalLM(opt_config())


@folder("opt-projected", 16)
def opt_projected():
    """As the variant with 350 million parameters: narrower words, norms after the parts."""
    return tf.OPTForCausalLM(opt_config(word_embed_proj_dim=12, do_layer_norm_before=False))


@folder("bart", 17, run=both_sides)
def bart():
    return tf.BartForConditionalGeneration(tf.BartConfig(**SIDES))


@folder("mbart", 18, run=both_sides)
def mbart():
    return tf.MBartForConditionalGeneration(
        tf.MBartConfig(**SIDES, scale_embedding=True, decoder_start_token_id=2)
    )


def t5_config(**also):
    return tf.T5Config(
        vocab_size=WORDS, d_model=16, d_kv=6, d_ff=24, num_layers=2, num_heads=2, relative_attention_num_buckets=8,
        relative_attention_max_distance=12, **also,
    )  # fmt: skip


@folder("t5", 19, run=encoder_alone)
def t5():
    return tf.T5EncoderModel(t5_config())


@folder("t5-gated", 20, run=encoder_alone)
def t5_gated():
    """As T5 v1.1."""
    return tf.T5EncoderModel(t5_config(feed_forward_proj="gated-gelu"))


@folder("gpt-neox", 21)
def gpt_neox():
    config = tf.GPTNeoXConfig(
        **SMALL | dict(max_position_embeddings=64),
        rope_parameters=dict(rope_type="default", rope_theta=1e4, partial_rotary_factor=0.25),
    )  # fmt: skip
    return tf.GPTNeoXForCausalLM(config)


@folder("llama", 23)
def llama():
    """Angles as in Llama 3.1, with lengths small enough for them to differ."""
    rope = dict(
        rope_type="llama3", rope_theta=100.0, factor=4.0, low_freq_factor=1.0, high_freq_factor=4.0,
        original_max_position_embeddings=16,
    )  # fmt: skip
    return tf.LlamaForCausalLM(tf.LlamaConfig(**ROTARY, rope_parameters=rope))


@folder("llama-yarn", 24)
def llama_yarn():
    rope = dict(rope_type="yarn", rope_theta=1e4, factor=4.0, original_max_position_embeddings=16)
    return tf.LlamaForCausalLM(tf.LlamaConfig(**ROTARY, rope_parameters=rope, tie_word_embeddings=True))


@folder("llama-dynamic", 25)
def llama_dynamic():
    """Angles depend on the length: the second text is longer than those of training."""
    rope = dict(rope_type="dynamic", rope_theta=1e4, factor=2.0)
    config = tf.LlamaConfig(**ROTARY | dict(max_position_embeddings=16), rope_parameters=rope)
    return tf.LlamaForCausalLM(config)


@folder("smollm3", 26)
def smollm3():
    """The second of three layers is not rotated."""
    config = tf.SmolLM3Config(
        **ROTARY | dict(num_hidden_layers=3, num_attention_heads=2), no_rope_layers=[1, 0, 1], pad_token_id=0, bos_token_id=1, eos_token_id=2
    )
    return tf.SmolLM3ForCausalLM(config)


@folder("qwen2", 28)
def qwen2():
    return tf.Qwen2ForCausalLM(tf.Qwen2Config(**{k: v for k, v in ROTARY.items() if k != "head_dim"}))


@folder("qwen3", 29)
def qwen3():
    return tf.Qwen3ForCausalLM(tf.Qwen3Config(**ROTARY, tie_word_embeddings=True))


@folder("gemma3", 30)
def gemma3():
    config = tf.Gemma3TextConfig(
        **ROTARY, sliding_window=5, layer_types=["sliding_attention", "full_attention"], query_pre_attn_scalar=9,
        pad_token_id=0, bos_token_id=1, eos_token_id=2,
    )  # fmt: skip
    return tf.Gemma3ForCausalLM(config)


@folder("gpt-oss", 34, keep=("sinks",))
def gpt_oss():
    """Sinks, experts whose activations reach their limit, and windows in every other layer."""
    rope = dict(
        rope_type="yarn", rope_theta=150000.0, factor=4.0, beta_fast=2.0, beta_slow=0.1, truncate=False,
        original_max_position_embeddings=16,
    )  # fmt: skip
    config = tf.GptOssConfig(
        **ROTARY | dict(num_hidden_layers=3, intermediate_size=10, head_dim=8), num_local_experts=5,
        num_experts_per_tok=2, sliding_window=5, swiglu_limit=0.5, rope_parameters=rope, pad_token_id=0,
        bos_token_id=1, eos_token_id=2,
    )  # fmt: skip
    model = tf.GptOssForCausalLM(config)
    for number, layer in enumerate(model.model.layers):
        layer.self_attn.sinks.data = torch.tensor([-2.0, 0.5, 1.5, 4.0]) - 0.25 * number
    return model


def several_axes(text, vision, model):
    """A model with a small vision tower; positions are sections of pairs for time, rows and columns."""
    tower = dict(depth=1, num_heads=2, in_channels=3, patch_size=4, spatial_merge_size=2, temporal_patch_size=1)
    ids = dict(image_token_id=2, video_token_id=3, vision_start_token_id=4, vision_end_token_id=5)
    config = model.config_class(text_config=text, vision_config=tower | vision, **ids)
    return model(config)


@folder("qwen2-vl", 35)
def qwen2_vl():
    text = {k: v for k, v in ROTARY.items() if k != "head_dim"} | dict(
        num_attention_heads=2, num_key_value_heads=1,
        rope_parameters=dict(rope_type="default", rope_theta=1e4, mrope_section=[1, 2, 1]),
    )  # fmt: skip
    return several_axes(text, dict(embed_dim=16, hidden_size=16), tf.Qwen2VLForConditionalGeneration)


@folder("qwen3-vl", 36)
def qwen3_vl():
    """The axes take turns, and queries and keys are normed."""
    text = ROTARY | dict(
        head_dim=10,
        rope_parameters=dict(rope_type="default", rope_theta=1e4, mrope_section=[2, 2, 1], mrope_interleaved=True),
    )
    vision = dict(hidden_size=16, intermediate_size=24, out_hidden_size=16, num_position_embeddings=16, deepstack_visual_indexes=[0])
    return several_axes(text, vision, tf.Qwen3VLForConditionalGeneration)


@folder("modernbert", 31)
def modernbert():
    config = tf.ModernBertConfig(
        **SMALL | dict(num_hidden_layers=3, max_position_embeddings=64), global_attn_every_n_layers=3,
        local_attention=8, pad_token_id=0, bos_token_id=1, eos_token_id=2, cls_token_id=1, sep_token_id=2,
    )  # fmt: skip
    return tf.ModernBertForMaskedLM(config)


@folder("vit", 32, run=patches)
def vit():
    config = tf.ViTConfig(
        hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=24, image_size=12, patch_size=4
    )
    return tf.ViTModel(config, add_pooling_layer=False)


if __name__ == "__main__":
    for name in sys.argv[1:] or FOLDERS:
        if name not in FOLDERS:
            sys.exit(f"There is no folder {name}; there are {', '.join(FOLDERS)}.")
        FOLDERS[name]()
        size = sum(f.stat().st_size for f in (HERE / name).iterdir())
        print(f"{name:20} {size / 1000:8.1f} kB")
