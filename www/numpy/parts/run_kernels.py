# needs: run_weights
def has_kernels(run):
    """Whether the TISA kernels of a run are parameters."""
    return run.config["position_embedding_type"] in ("tisa", "absolute_tisa")


def run_kernels(run, step, layer):
    """Amplitudes a, sharpnesses b and centres c of the TISA kernels of a layer, each [kernels, heads]."""
    stem = f"bert.encoder.layer.{layer}.attention.self.kernel_"
    a, b, offset = (weights(run, step)(stem + name) for name in ("amplitudes", "sharpness", "offsets"))
    return a, np.abs(b), -(offset + 1)  # the authors' module evaluates g(i - j - 1)
