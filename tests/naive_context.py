"""The slow, obvious version of the context of nodes, pairs and sets: every column by name, one at a time."""

from itertools import combinations
from math import log, log1p, sqrt
from statistics import fmean, pstdev

from naive import adjacency

from mhmgnn import Graph

DENSE = 24  # nodes adjacent to a whole set whose own pairs are looked at


class Known:
    """A graph as sets of neighbours and a count for each pair."""

    def __init__(self, graph: Graph) -> None:
        self.near = adjacency(graph)
        self.degree = {u: len(near) for u, near in self.near.items()}
        self.counted = graph.weights is not None
        owner = [u for u in self.near for _ in self.near[u]]
        counts = graph.weights.tolist() if self.counted else [1.0] * len(owner)
        self.count = dict(zip(zip(owner, graph.indices.tolist(), strict=True), counts, strict=True))
        self.strength = {u: sum(self.count[u, v] for v in near) for u, near in self.near.items()}
        self.most = {u: max((self.count[u, v] for v in near), default=0) for u, near in self.near.items()}
        self.core = core_numbers(self.near)


def core_numbers(near: dict[int, set[int]]) -> dict[int, int]:
    """For each c, take nodes with fewer than c neighbours left away until there are none; the rest has c."""
    core, left, c = dict.fromkeys(near, 0), set(near), 0
    while left:
        c += 1
        while weak := {u for u in left if len(near[u] & left) < c}:
            left -= weak
        core |= dict.fromkeys(left, c)
    return core


def chance_back(known: Known, start: int, steps: int) -> float:
    """Of a walk to a uniform neighbour at each step."""
    at = {start: 1.0}
    for _ in range(steps):
        after: dict[int, float] = {}
        for u, chance in at.items():
            for v in known.near[u]:
                after[v] = after.get(v, 0.0) + chance / known.degree[u]
        at = after
    return at.get(start, 0.0)


def node_row(known: Known, u: int) -> dict[str, float]:
    near, degree = known.near[u], known.degree[u]
    logs = [log1p(known.degree[v]) for v in near] or [0.0]
    triangles = sum(b in known.near[a] for a, b in combinations(near, 2))
    row = {
        "log degree": log1p(degree),
        "mean log degree of neighbours": fmean(logs),
        "spread of log degree of neighbours": pstdev(logs),
        "clustering": triangles / (degree * (degree - 1) / 2) if degree > 1 else 0.0,
        "log triangles": log1p(triangles),
        "log core number": log1p(known.core[u]),
    }
    row |= {f"log chance back in {steps}": log(chance_back(known, u, steps) + 1e-3) for steps in (2, 3, 4)}
    if known.counted:
        counts = [known.count[u, v] for v in near] or [1.0]
        row["log strength"] = log(sum(counts))
        row["log mean count"] = log(fmean(counts))
        row["log most count"] = log(max(counts))
        row["log strength over root of squared counts"] = log(sum(counts) / sqrt(sum(c * c for c in counts)))
    return row


def pair_row(known: Known, u: int, v: int) -> dict[str, float]:
    common = known.near[u] & known.near[v]
    either = (known.near[u] | known.near[v]) - {u, v}
    fewer = min(known.degree[u], known.degree[v]) - 1
    row = {
        "log common": log1p(len(common)),
        "jaccard": len(common) / max(len(either), 1),
        "log jaccard": log((len(common) + 0.5) / (len(either) + 1)),
        "common over fewer": len(common) / max(fewer, 1),
        "log adamic-adar": log1p(sum(1 / log(known.degree[z]) for z in common)),
        "log resource": log(sum(1 / known.degree[z] for z in common) + 0.01),
        "log common over fewer": log1p(len(common)) - log1p(fewer),
    }
    if known.counted:
        count, su, sv = known.count[u, v], known.strength[u], known.strength[v]
        least = [min(known.count[u, z], known.count[v, z]) for z in common]
        row["log count"] = log(count)
        row["log lift"] = log(count * sum(known.strength.values()) / (su * sv))
        row["log share of smaller strength"] = log(count / min(su, sv))
        row["log share of larger strength"] = log(count / max(su, sv))
        row["log count over most around"] = log((count + 0.5) / (max(least, default=0) + 0.5))
        row["log count over sum around"] = log((count + 0.5) / (sum(least) + 0.5))
        row["log count over most of the nodes"] = log(count / sqrt(known.most[u] * known.most[v]))
    return row


def set_row(known: Known, members: list[int]) -> dict[str, float]:
    pairs = [pair for pair in combinations(members, 2) if pair in known.count]
    rows = pool([node_row(known, u) for u in members])
    rows |= pool([pair_row(known, u, v) for u, v in pairs] or [dict.fromkeys(pair_row_names(known), 0.0)])
    return rows | around(known, members, len(pairs), rows.get("least of log count", 0.0))


def pair_row_names(known: Known) -> list[str]:
    pair = Graph.from_edges([[0, 1]], weights=[1.0] if known.counted else False)
    return list(pair_row(Known(pair), 0, 1))


def pool(rows: list[dict[str, float]]) -> dict[str, float]:
    pools = {"mean": fmean, "least": min, "most": max, "spread": pstdev}
    return {
        f"{pool} of {name}": f([row[name] for row in rows]) for pool, f in pools.items() for name in rows[0]
    }


def around(known: Known, members: list[int], pairs: int, log_count: float) -> dict[str, float]:
    k = len(members)
    held = {v: len(known.near[v] & set(members)) for v in set(known.near) - set(members)}
    outside = {v: j for v, j in held.items() if j}
    whole = [v for v, j in outside.items() if j == k]
    near = [v for v, j in outside.items() if j == k - 1]
    half = [v for v, j in outside.items() if j < k - 1 and 2 * j >= k]
    fewer = len(outside) - len(whole) - len(near) - len(half)
    lowest = sorted(whole, key=known.degree.__getitem__)[:DENSE]
    dense = [b in known.near[a] for a, b in combinations(lowest, 2)] or [False]
    all_pairs = k * (k - 1) / 2
    row = {
        "log size": log(k),
        "log adjacent to all": log1p(len(whole)),
        "log adjacent to all but one": log1p(len(near)),
        "log adjacent to half": log1p(len(half)),
        "log adjacent to fewer": log1p(fewer),
        "none adjacent to all": float(not whole),
        "at most one adjacent to all": float(len(whole) <= 1),
        "log share adjacent to all": log((len(whole) + 0.5) / (len(outside) + 1)),
        "log share adjacent to all but one": log((len(near) + 0.5) / (len(outside) + 1)),
        "log adjacent to all over all but one": log((len(whole) + 0.5) / (len(near) + 1)),
        "inside over total degree": 2 * pairs / max(sum(known.degree[u] for u in members), 1),
        "density of those adjacent to all": fmean(dense),
        "share of pairs missing": (all_pairs - pairs) / all_pairs if k > 1 else 0.0,
    }
    if known.counted:
        least = [min(known.count[u, v] for u in members) for v in whole]
        row["log sum of least counts around"] = log1p(sum(least))
        row["log most of least counts around"] = log1p(max(least, default=0.0))
        row["least count over most around"] = log_count - log(max(max(least, default=0.0), 0.5))
        row["least count over sum around"] = log_count - log(max(sum(least), 0.5))
    return row
