"""What the transformers library computes with saved runs of small transformers.

    pip install torch==2.15.0 transformers==5.24.0 safetensors==0.8.0
    python tests/data/make/saved_runs.py

Each folder below has a run as the page saves it. The class that its `config.json` names has to load it with no weight
missing, left over or of another shape. `golden.safetensors` then has for batch b: `ids.b` [sequences, n], symbols at
random as I32, and `logits.b` [sequences, n, symbols], computed and stored in F64. Batch 0 has sequences of the trained
length, batch 1 shorter ones.
"""

import pathlib

import torch
import transformers
from safetensors.torch import save_file

HERE = pathlib.Path(__file__).parent.parent / "training"


def main():
    for name in ["learned", "sinusoidal", "causal"]:
        folder = HERE / name
        config = transformers.AutoConfig.from_pretrained(folder)
        (architecture,) = config.architectures
        load = getattr(transformers, architecture).from_pretrained
        model, faults = load(folder, dtype=torch.float64, output_loading_info=True)
        assert not any(faults.values()), (name, faults)
        generator = torch.Generator().manual_seed(7)
        golden = {}
        for batch, (sequences, n) in enumerate([(2, config.max_position_embeddings), (3, 9)]):
            ids = torch.randint(config.vocab_size, (sequences, n), generator=generator)
            with torch.no_grad():
                logits = model(ids).logits
            golden |= {f"ids.{batch}": ids.to(torch.int32), f"logits.{batch}": logits.contiguous()}
            print(f"{name:10} {architecture:15} {tuple(logits.shape)} largest logit {logits.abs().max():.3f}")
        metadata = {"library": f"transformers {transformers.__version__}"}
        save_file(golden, folder / "golden.safetensors", metadata=metadata)


if __name__ == "__main__":
    main()
