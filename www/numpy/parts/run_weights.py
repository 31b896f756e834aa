# needs: training_runs
def weights(run, step):
    """A function that reads the tensors of a run after so many steps by name."""
    return safetensors_reader(f"{run.folder}/{step}.safetensors")


def position_table(run, step):
    """The position table E, [n, d]; None of a run without one."""
    has_table = run.config["position_embedding_type"] in ("absolute", "absolute_tisa")
    return weights(run, step)("bert.embeddings.position_embeddings.weight") if has_table else None
