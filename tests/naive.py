"""The slow, obvious version of every kernel: sets and loops, and no speed."""

from collections import deque
from collections.abc import Callable
from itertools import combinations, permutations

from mhmgnn import Graph

KSet = frozenset[int]


def adjacency(graph: Graph) -> dict[int, set[int]]:
    rows = zip(graph.indptr.tolist(), graph.indptr[1:].tolist(), strict=False)
    return {node: set(graph.indices[low:high].tolist()) for node, (low, high) in enumerate(rows)}


def is_connected(near: dict[int, set[int]], kset: KSet) -> bool:
    reached, todo = set(), [min(kset)]
    while todo:
        node = todo.pop()
        if node not in reached:
            reached.add(node)
            todo += near[node] & kset
    return len(reached) == len(kset)


def connected_sets(graph: Graph, k: int) -> set[KSet]:
    near = adjacency(graph)
    return {frozenset(c) for c in combinations(range(graph.num_nodes), k) if is_connected(near, frozenset(c))}


def neighbours(graph: Graph, kset: KSet) -> set[KSet]:
    """The connected k-sets that share k - 1 nodes with `kset`."""
    near = adjacency(graph)
    swaps = {kset - {u} | {v} for u in kset for v in set(near) - kset}
    return {other for other in swaps if is_connected(near, other)}


def free_nodes(graph: Graph, kset: KSet) -> int:
    """How many nodes of `kset` can leave it connected."""
    near = adjacency(graph)
    return sum(is_connected(near, kset - {u}) for u in kset)


def edge_code(graph: Graph, kset: list[int]) -> int:
    near = adjacency(graph)
    return sum(
        1 << j * (j - 1) // 2 + i for j in range(len(kset)) for i in range(j) if kset[i] in near[kset[j]]
    )


def maximal_cliques(graph: Graph) -> set[KSet]:
    """Cliques of two and more nodes that no other node is adjacent to all of."""
    near = adjacency(graph)
    pairs = {frozenset((u, v)) for u in near for v in near[u]}
    cliques, larger = set(), pairs
    while larger:
        joins = {clique: set.intersection(*(near[u] for u in clique)) for clique in larger}
        cliques |= {clique for clique in larger if not joins[clique]}
        larger = {clique | {v} for clique in larger for v in joins[clique]}
    return cliques


def greedy_cover(graph: Graph) -> list[list[int]]:
    """Cliques grown from each edge that none holds yet, by the first node that adds the most new edges."""
    near = adjacency(graph)
    left = {frozenset(pair) for pair in connected_sets(graph, 2)}
    found = []
    for pair in sorted(map(sorted, connected_sets(graph, 2))):
        if frozenset(pair) not in left:
            continue
        clique = [*pair]
        while others := [v for v in sorted(near) if v not in clique and near[v] >= set(clique)]:
            new = [sum(frozenset((v, u)) in left for u in clique) for v in others]
            clique.append(others[new.index(max(new))])
        left -= {frozenset(one) for one in combinations(clique, 2)}
        found.append(sorted(clique))
    return found


def push(
    graph: Graph, counts: list[float], start: int, onward: float, most: int, strengths: list[float]
) -> dict[int, float]:
    """The weight of walks from `start` by their last node, with a queue and a dict, in the kernel's order."""
    ends, counted = graph.indptr.tolist(), graph.indices.tolist()
    passed: dict[int, float] = {start: 0.0}
    waiting, least, read = {start: 1.0}, 1e-3, 0

    def enough(node: int) -> bool:
        return waiting[node] > least * (ends[node + 1] - ends[node])

    while least >= 1e-7 and read < most:
        queue = deque(node for node in waiting if enough(node))
        while queue:
            node = queue.popleft()
            if read >= most or ends[node] == ends[node + 1]:
                continue
            mass, waiting[node] = waiting[node], 0.0
            passed[node] += mass
            read += ends[node + 1] - ends[node]
            for entry in range(ends[node], ends[node + 1]):
                other = counted[entry]
                passed.setdefault(other, 0.0)
                waiting[other] = waiting.get(other, 0.0) + onward * mass / strengths[node] * counts[entry]
                if other not in queue and enough(other):
                    queue.append(other)
        least *= 0.1
    return {node: passed[node] + waiting[node] for node in waiting}


def adjacent_to_exactly(graph: Graph, hubs: list[int]) -> dict[int, int]:
    """How many nodes besides the hubs are adjacent to exactly j of them, for j from 1 on."""
    near = adjacency(graph)
    held = [len(near[v] & set(hubs)) for v in near if v not in hubs]
    return {j: held.count(j) for j in range(1, len(hubs) + 1)}


def chance_of_growth(graph: Graph, kset: list[int], pair_chance: Callable[[int, int], float]) -> float:
    """The chance to grow `kset`, by every order: a first pair, then uniform edges that leave the set."""
    near = adjacency(graph)
    found = 0.0
    for order in permutations(kset):
        if order[0] > order[1] or order[1] not in near[order[0]]:
            continue
        chance = pair_chance(*order[:2])
        for i in range(2, len(order)):
            held = set(order[:i])
            chance *= len(near[order[i]] & held) / sum(len(near[u] - held) for u in held)
        found += chance
    return found
