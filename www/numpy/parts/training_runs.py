# needs: safetensors_reader
# choices: RUN_FOLDERS
def read_run(folder):
    """A run: its name, its configuration, and what was measured while it trained."""
    with open(f"{folder}/run.json") as file:
        run = json.load(file)
    task, encoding, *_ = run["description"]["recipe"].split(".")
    return types.SimpleNamespace(
        folder=folder,
        name=f"{task} · {encoding}",
        config=json.loads(run["description"]["config"]),
        best_loss=run["description"]["best_loss"],
        lengths=run["lengths"],
        states=sorted(run["snapshots"] + run["evaluations"], key=lambda state: state["step"]),
        steps=[state["step"] for state in run["snapshots"]],  # those whose weights are stored
    )


RUNS = [read_run(folder) for folder in sys.argv[1:] or RUN_FOLDERS]
