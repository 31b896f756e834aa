"""Small checkpoints of many families and formats, each with golden numbers computed by the model's own library.

    pip install torch==2.6.0 transformers==5.23.0 timm==1.0.31 safetensors==0.8.0 numpy==2.4.6
    python tests/data/make             # writes every folder
    python tests/data/make clip gguf   # writes these two

Every folder is deterministic: its weights come from its own seed. Nothing is downloaded. `tests/data/README.md` says
what each folder holds and what each key of `golden.json` means.

Position tables are sinusoids of a few frequencies under a drifting envelope, plus noise. Even heads get a key map
close to their query map, odd heads do not, so the heads' R² differ. Biases and LayerNorm weights are far from 0
and 1, so that leaving one out shows. Golden numbers are in float64, of what the file stores.
"""

import sys

sys.dont_write_bytecode = True

import attention_cnn, formats, gguf_file, images, relative, resampled, text, tisa  # noqa: E401, E402, F401  (each registers its folders)
from golden import FOLDERS, HERE  # noqa: E402

if __name__ == "__main__":
    for name in sys.argv[1:] or FOLDERS:
        if name not in FOLDERS:
            sys.exit(f"There is no folder {name}; there are {', '.join(FOLDERS)}.")
        FOLDERS[name]()
        size = sum(f.stat().st_size for f in (HERE / name).iterdir())
        print(f"{name:20} {size / 1000:8.1f} kB")
