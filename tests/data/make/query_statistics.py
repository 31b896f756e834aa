"""Statistics of queries in the format of TriAttention (arXiv 2604.04921), with random numbers: `query-statistics`.

`statistics.pt` is what `torch.save` writes of `{"metadata": …, "stats": {"layer00_head00": {"q_mean_real": …,
"q_mean_imag": …, "q_abs_mean": …}, …}}`: the statistics of 40 random queries of each head, whose mean is far from 0 in
some pairs. `expected.json` has |E q_m| / E|q_m| and the share of (E|q_m|)² of every pair, in double precision.

    python tests/data/make/query_statistics.py
"""

import json
from pathlib import Path

import torch

LAYERS, HEADS, HEAD_WIDTH, QUERIES = 2, 4, 8, 40
FOLDER = Path(__file__).parent.parent / "query-statistics"
CONFIG = {
    "model_type": "llama",
    "hidden_size": HEADS * HEAD_WIDTH,
    "num_hidden_layers": LAYERS,
    "num_attention_heads": HEADS,
    "num_key_value_heads": 2,
    "head_dim": HEAD_WIDTH,
    "max_position_embeddings": 64,
    "rope_theta": 100.0,
}


def main():
    """Writes the folder."""
    torch.manual_seed(3)
    stats, expected = {}, {}
    for layer in range(LAYERS):
        for head in range(HEADS):
            pairs = HEAD_WIDTH // 2
            center = torch.randn(pairs, dtype=torch.complex64) * torch.linspace(2, 0, pairs)
            queries = center + torch.randn(QUERIES, pairs, dtype=torch.complex64)
            mean, size = queries.mean(dim=0), queries.abs().mean(dim=0)
            name = f"layer{layer:02d}_head{head:02d}"
            parts = {"q_mean_real": mean.real, "q_mean_imag": mean.imag, "q_abs_mean": size}
            # Copies from a GPU have no gaps.
            stats[name] = {key: part.contiguous() for key, part in parts.items()}
            energy = size.double() ** 2
            expected[name] = {
                "concentration": (mean.to(torch.complex128).abs() / size.double()).tolist(),
                "share": (energy / energy.sum()).tolist(),
            }
    heads = [[layer, head] for layer in range(LAYERS) for head in range(HEADS)]
    metadata = {
        "num_traces": 1,
        "head_dim": HEAD_WIDTH,
        "dtype": "bfloat16",
        "use_chat_template": False,
        "system_prompt": "",
        "attn_implementation": "eager",
        "rope_style": "half",
        "rope_type": "default",
        "sampled_heads": heads,
    }
    FOLDER.mkdir(exist_ok=True)
    torch.save({"metadata": metadata, "stats": stats}, FOLDER / "statistics.pt")
    (FOLDER / "config.json").write_text(json.dumps(CONFIG, indent=2) + "\n", encoding="utf-8")
    (FOLDER / "expected.json").write_text(json.dumps(expected) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
