"""How long GraphSAGE-LSTM needs to train, as rows of results/trials/lstm.jsonl; see docs/experiments.md.

python benchmarks/lstm.py DATASET ...   with MHMGNN_DATA naming the raw data; k = 3

Seeds, and so METIS cuts, that the tables do not have: 100 to 102. Seconds are of the processor.
"""

import sys
import time

from record import keep_trial

from mhmgnn import datasets, fit_baseline
from mhmgnn.baselines.graphsage import SageSettings
from mhmgnn.datasets.citations import Citations
from mhmgnn.evaluation.probes.score import Score
from mhmgnn.evaluation.tasks import dag_leaves, hyperedges

SEEDS = (100, 101, 102)
STEPS = (50, 100, 200, 400)
MOST = 3_000  # k-sets a side
TITLES = ("hyperedges", "DAG leaves")


def main() -> None:
    for name in sys.argv[1:]:
        dataset = datasets.load(name)
        kinds = (hyperedges, dag_leaves) if isinstance(dataset.truth, Citations) else (hyperedges,)
        tasks = [[make(dataset, 3, most=MOST, seed=seed) for seed in SEEDS] for make in kinds]
        for steps in STEPS:
            settings = SageSettings(aggregator="lstm", steps=steps)
            began = time.process_time()
            fitted = fit_baseline("sage-lstm", dataset.graph, 3, settings=settings, seed=SEEDS[0])
            seconds = time.process_time() - began
            scores = {}
            for title, each in zip(TITLES, tasks, strict=False):
                found = Score.over([task.score(fitted) for task in each])
                scores[title] = {"paper": round(found.paper, 4), "converged": round(found.converged, 4)}
            row = {"dataset": name, "k": 3, "variant": "sage-lstm", "steps": steps, "seconds": round(seconds)}
            keep_trial("lstm", row | {"scores": scores, "command": f"python benchmarks/lstm.py {name}"})


if __name__ == "__main__":
    main()
