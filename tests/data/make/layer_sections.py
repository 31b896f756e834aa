"""Sections through the scores of heads at short offsets, in float64.

    pip install numpy==2.4.6
    python tests/data/make/layer_sections.py          # writes tests/data/layer-sections.json

For the folders `bert` and `gpt2` of `tests/data` and for `www/presets/minilm-l6.safetensors`, a list of heads: the folder,
`mode`, `layer` and `head` from 0, `causal`, and under that mask `r2`, and at the offsets from -`reach` to `reach`, or to 0:
`means`, the diagonal means of all cells, `level`, the mean of these, and for each of five `queries` its `constants`, the
number c that minimises Σ (s(k) - c - (f(k) - level))² over the offsets k of its row, and `near`, its scores at the offsets
-2..2, null where there is no key. Scores are those of `word_terms.py` and `weighted_r2.py` for the mean word.
"""

import json
import sys

import numpy as np

sys.dont_write_bytecode = True

import weighted_r2  # noqa: E402
import word_terms  # noqa: E402
from scores import diagonal_mean, explained  # noqa: E402

REACH = 30


def numbers(scores, causal):
    n = len(scores)
    queries = [int(np.floor(q * (n - 1) + 0.5)) for q in (0.1, 0.3, 0.5, 0.7, 0.9)]
    reach = min(REACH, queries[-1], n - 1 - queries[0])
    i, j = np.indices((n, n))
    visible = j <= i if causal else np.ones((n, n), bool)
    means = dict(zip(range(1 - n, n), diagonal_mean(scores)))
    offsets = range(-reach, 1 if causal else reach + 1)
    level = np.mean([means[k] for k in offsets])
    constants = []
    for query in queries:
        inside = [k for k in offsets if 0 <= query + k < n]
        rest = np.array([scores[query, query + k] - means[k] + level for k in inside])
        constants.append(np.linalg.lstsq(np.ones((len(rest), 1)), rest, rcond=None)[0][0])
    near = [[scores[q, q + k] if 0 <= q + k < n else None for k in range(-2, 3)] for q in queries]
    return {
        "r2": explained(scores[visible], (j - i)[visible]),
        "reach": reach,
        "means": [means[k] for k in offsets],
        "level": level,
        "queries": queries,
        "constants": constants,
        "near": near,
    }


def main():
    heads = []
    for folder, causal in [("bert", False), ("bert", True), ("gpt2", True)]:
        for mode in ["paper", "computed"]:
            for head in range(2):
                terms = word_terms.terms(folder, mode, 1, head, [])
                # Equations 9-12 leave out what two words add, a constant.
                scores = sum(terms[1:] if mode == "paper" else terms)
                about = {"folder": folder, "mode": mode, "layer": 1, "head": head, "causal": causal}
                heads.append(about | numbers(scores, causal))
    for head, scores in enumerate(weighted_r2.minilm()):
        if head in (2, 5):
            about = {"folder": "minilm-l6", "mode": "computed", "layer": 0, "head": head, "causal": False}
            heads.append(about | numbers(scores, False))
    lines = ",\n".join(" " + json.dumps(head) for head in heads)
    (word_terms.HERE / "layer-sections.json").write_text(f"[\n{lines}\n]\n")


if __name__ == "__main__":
    main()
