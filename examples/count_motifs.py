"""Motif counts with error bars, from random tours, beside the exact counts.

python examples/count_motifs.py
"""

import networkx

import mhmgnn

graph = mhmgnn.Graph.from_networkx(networkx.barabasi_albert_graph(2_000, 3, seed=0))
print(f"A Barabasi-Albert graph: {graph}; its largest degree is {graph.degrees.max()}.")

exact = mhmgnn.estimate_sum(graph, k=4, f="shape", method="exact")
found = mhmgnn.estimate_sum(graph, k=4, f="shape", method="pair-walk", tours=3_000, seed=0)
share = found.steps / exact.sum().value
print(
    f"{found.tours:,} tours took {found.steps:,} steps: {share:.1%} of the {exact.sum().value:,.0f} 4-sets.\n"
)

low, high = found.interval(0.95)
print(f"{'shape':<16}{'exact':>12}{'estimate':>12}   95% interval")
for i, shape in enumerate(mhmgnn.motif_shapes(4).shapes):
    inside = "" if low[i] <= exact.value[i] <= high[i] else "  misses"
    estimate = f"{found.value[i]:>12,.0f}   {max(low[i], 0):,.0f} to {high[i]:,.0f}"
    print(f"{shape.name:<16}{exact.value[i]:>12,.0f}{estimate}{inside}")

# Any function of k-sets can be summed: here the mean degree of the four nodes.
degrees = graph.degrees
total = mhmgnn.estimate_sum(graph, k=4, f=lambda ksets: degrees[ksets].mean(axis=1), precision=0.02, limit=1)
print(
    f"\nSum of mean degrees over all 4-sets, to 2%: {total.value:,.0f} ± {total.stderr:,.0f}, {total.method}"
)
