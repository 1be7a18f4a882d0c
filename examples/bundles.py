"""Bundles from co-purchases: which products were bought as one cart, learned from pairs alone.

python examples/bundles.py
"""

import numpy as np

import mhmgnn
from mhmgnn.datasets.market import generate
from mhmgnn.subgraphs.cliques import list_cliques

shop = generate(products=240, seed=0)  # a shop of your own: mhmgnn.Graph.read("pairs.csv")
print(f"A shop: {shop.graph}; an edge is a pair bought together. Its {len(shop.truth):,} carts are hidden.")

# Small settings, for seconds in place of a minute.
settings = ["subgraphs.size=40", "train.batch=8", "train.learning_rate=0.003"]
model = mhmgnn.fit(shop.graph, k=3, config=mhmgnn.RunConfig().with_settings(settings), seed=0)
print(f"Trained without labels: {model.facts['steps']} steps to a loss of {model.facts['loss']:.2f}.")

triangles = list_cliques(shop.graph, 3)
order = np.argsort(model.energy(triangles, match="exact"))  # is it a cart, no more and no less? low: yes
is_cart = shop.truth.holds(triangles[order])
print(f"\nOf {len(triangles):,} triangles, {is_cart.mean():.0%} are a cart. Lowest energy first:")
for fifth, part in enumerate(np.array_split(is_cart, 5), 1):
    print(f"  fifth {fifth}: {part.mean():4.0%} are carts  {'#' * round(100 * part.mean())}")

print("\nWhat completes an espresso machine and a coffee grinder?")
for candidate in model.complete(["espresso machine", "coffee grinder"], top=3):
    print(f"  {candidate.score:8.3f}  {candidate.name}")

print("\nProbable groups of three products and more, and whether each was one cart:")
carts = {frozenset(shop.truth[i].tolist()) for i in range(len(shop.truth))}
found = model.groups(top=8, sizes=(3, 8))  # found.write("groups.csv") keeps them
for group in found.groups:
    real = frozenset(group.nodes) in carts
    print(f"  {group.probability:.2f}  {'cart' if real else '':<6}{', '.join(group.names)}")
