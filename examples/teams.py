"""Teams from co-authorship: which three people wrote a paper as three, learned from who wrote with whom.

python examples/teams.py
"""

import numpy as np

import mhmgnn

ROLES = ("theory", "experiment", "statistics")


def author_lists(labs: int = 20, seed: int = 0) -> list[list[str]]:
    """Papers of small labs: threes with one of each role, pairs of one role, pairs of two labs."""
    rng = np.random.default_rng(seed)
    papers = []
    for lab in range(labs):
        papers += [[f"{role} {rng.integers(3)}, lab {lab}" for role in ROLES] for _ in range(40)]
        papers += [[f"{role} {i}, lab {lab}" for i in rng.permutation(3)[:2]] for role in ROLES]
        two = (lab, (lab + 1) % labs)
        papers += [[f"{rng.choice(ROLES)} {rng.integers(3)}, lab {at}" for at in two] for _ in range(6)]
    return papers


# Lists of your own go the same way; mhmgnn.datasets.load("dblp") has real ones, and needs their files.
papers = author_lists()
people = sorted({person for paper in papers for person in paper})
role = np.array([[person.startswith(name) for name in ROLES] for person in people], np.float32)
field = mhmgnn.datasets.hypergraph(papers, features=role)
print(f"{field.graph}; an edge is a pair that wrote together. The author lists are hidden.")

# Small settings, for seconds in place of a minute.
settings = ["subgraphs.size=40", "train.batch=8", "train.learning_rate=0.003"]
config = mhmgnn.RunConfig().with_settings(settings)
model = mhmgnn.fit(field.graph, k=3, config=config, seed=0)
untrained = mhmgnn.fit(field.graph, k=3, config=config.with_settings(["train.steps=0"]), seed=0)


def papers_found(by: mhmgnn.Model, top: int) -> np.ndarray:
    """Whether each of the triangles of lowest energy, best first, is the author list of a paper."""
    found = by.discover(top=top, cliques=True, kind="noise").sets  # by what roles teach
    return field.truth.holds(np.array([one.nodes for one in found]))


every = papers_found(model, top=10**6)
print(f"\n{every.sum()} of {len(every)} triangles are author lists. Pick as many; how many of them are?")
print(f"  picked at random               {every.mean():.0%}")
print(f"  lowest energy, random weights  {papers_found(untrained, every.sum()).mean():.0%}")
print(f"  lowest energy, trained         {papers_found(model, every.sum()).mean():.0%}")

pair = ["theory 0, lab 7", "experiment 1, lab 7"]
print(f"\nWho makes a team with {' and '.join(pair)}?")
for found in model.discover(top=2, require=pair, cliques=True, kind="noise").sets:
    print(f"  {found.energy:8.3f}  {', '.join(set(found.names) - set(pair))}")
