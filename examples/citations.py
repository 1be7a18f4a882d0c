"""Citations: who cites whom, read off vectors that were learned without directions.

python examples/citations.py     # needs Cora: `mhmgnn data fetch cora`, or MHMGNN_DATA
"""

import sys

import mhmgnn

try:
    cora = mhmgnn.datasets.load("cora")
except mhmgnn.DataError as missing:
    sys.exit(str(missing))
print(f"cora: {cora.graph}; an edge is a citation whose direction is hidden.")

task = mhmgnn.tasks.dag_leaves(cora, k=3, most=500)
print(f"\nHow many papers of a connected three cite none of the others?\n{task.describe()}")

# Small settings, for seconds in place of a minute.
settings = ["subgraphs.size=40", "train.batch=8", "train.steps=50", "train.learning_rate=0.003"]
config = mhmgnn.RunConfig().with_settings(settings)
paper = config.as_in_paper()  # vectors of what the paper's noises teach, and nothing else
methods = {
    "sum of words": mhmgnn.fit_baseline("raw", cora.graph, k=3),
    "degrees alone": mhmgnn.fit_baseline("degrees", cora.graph, k=3),
    "random weights": mhmgnn.fit(cora.graph, k=3, config=paper.with_settings(["train.steps=0"]), seed=0),
    "as in the paper": mhmgnn.fit(cora.graph, k=3, config=paper, seed=0),
    "with all parts": mhmgnn.fit(cora.graph, k=3, config=config, seed=0),
}
print("\nbalanced accuracy on the half that the probe has not seen; a coin has 0.5")
print(f"{'':<26} paper's probe  converged")
for name, method in methods.items():
    score = task.score(method)
    print(f"{name:<26} {score.paper:13.3f} {score.converged:10.3f}")
