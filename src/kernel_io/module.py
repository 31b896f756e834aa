"""Kernels of translation-invariant self-attention, taken home from Diagonal, for PyTorch.

    from tisa_kernels import TisaKernels

    positions = TisaKernels.load("kernels.safetensors", "encoder.layer.0.attention.self.")
    scores = query @ key.transpose(-1, -2) / math.sqrt(width)   # [batch, H, n, n]
    attention = torch.softmax(positions(scores), dim=-1)        # F_P added to every head

There is one score for each distance, F_P[i, j] for query i and key j, a sum of S kernels in each of H heads
(Wennberg and Henter, The Case for Translation-Invariant Self-Attention in Transformer-Based Language Models,
ACL 2021, eq. 5). Any S, H and n will do; a layer's parameters are three tensors [S, H] under the names of the
authors' own module, so a state dict of one loads into the other.

Two conventions meet here. The authors' module, and the file:

    F_P[i, j] = f(i - j - 1),   f(r) = sum of amplitude * exp(-|sharpness| * (offset - r)**2)

Diagonal's page, with k = j - i (key minus query):

    F_P[i, j] = f(k),           f(k) = sum of a * exp(-|b| * (k - c)**2),   c = -(offset + 1)

The two give the same scores. Without torch the functions below run under NumPy:

    position_scores(offsets, amplitudes, sharpness, n, numpy.arange, numpy.exp)

Part of Diagonal, Apache-2.0.
"""


def kernel(offset, amplitude, sharpness, relative, exp):
    """One kernel where query - key - 1 is `relative`: numbers, or arrays that broadcast."""
    return amplitude * exp(-abs(sharpness) * (offset - relative) ** 2)


def position_scores(offsets, amplitudes, sharpness, n, arange, exp):
    """F_P for n positions, [H, n, n], from three arrays [S, H]; `arange` and `exp` are those of NumPy or torch."""
    # A score for each distance first, [H, 2n - 1], from the last key seen by the first query to the reverse.
    relative = arange(-n, n - 1)
    f = kernel(offsets[..., None], amplitudes[..., None], sharpness[..., None], relative, exp).sum(0)
    place = arange(n)
    return f[:, place[:, None] - place[None, :] + n - 1]


try:
    import torch
except ImportError:
    torch = None


if torch is not None:

    class TisaKernels(torch.nn.Module):
        """Adds F_P to the scores of H heads before softmax."""

        def __init__(self, heads, kernels):
            """H heads of S kernels each, all 0 until they are loaded."""
            super().__init__()
            self.kernel_offsets = torch.nn.Parameter(torch.zeros(kernels, heads))
            self.kernel_amplitudes = torch.nn.Parameter(torch.zeros(kernels, heads))
            self.kernel_sharpness = torch.nn.Parameter(torch.zeros(kernels, heads))

        @classmethod
        def load(cls, path, prefix=""):
            """A layer of a safetensors file: the one whose tensors' names begin with `prefix`."""
            from safetensors.torch import load_file

            tensors = load_file(path)
            names = ("kernel_offsets", "kernel_amplitudes", "kernel_sharpness")
            missing = [prefix + name for name in names if prefix + name not in tensors]
            if missing:
                raise KeyError(f"{path} has no {missing[0]}; it has {', '.join(sorted(tensors))}")
            module = cls(*reversed(tensors[prefix + names[0]].shape))
            # In the precision of the file; `.float()` or `.half()` of the module makes it another.
            module.to(tensors[prefix + names[0]].dtype)
            module.load_state_dict({name: tensors[prefix + name] for name in names})
            return module

        def position_scores(self, n):
            """F_P for n positions, [H, n, n]."""
            device = self.kernel_offsets.device
            parameters = (self.kernel_offsets, self.kernel_amplitudes, self.kernel_sharpness)
            return position_scores(*parameters, n, lambda *ends: torch.arange(*ends, device=device), torch.exp)

        def forward(self, scores):
            """Scores [..., H, n, n] and F_P, in the precision of the scores."""
            heads, queries, keys = scores.shape[-3:]
            if heads != self.kernel_offsets.shape[1] or queries != keys:
                raise ValueError(
                    f"scores are [..., {heads}, {queries}, {keys}]; these kernels want "
                    f"[..., {self.kernel_offsets.shape[1]}, n, n]"
                )
            return scores + self.position_scores(queries).to(scores.dtype)
