"""Counts of a graph: numbers where they are known, expressions in the unknown trip counts otherwise.

An expression is found by walking the function with small numbers in place of the unknown trips and fitting a
polynomial; it is given only when it also predicts a walk it was not made from.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import lcm

from pto_lsp.analysis.ir.statements import While
from pto_lsp.analysis.task_graph.graph import TaskGraph
from pto_lsp.analysis.task_graph.model import SiteKind, Walk
from pto_lsp.analysis.task_graph.scalars import Scalar, add, multiply, symbols

Count = int | str

MEASURES = ("tasks", "dummies", "edges", "depth", "width", "roots", "leaves")
SAMPLE_LIMIT = 2_000
UNKNOWN = "?"


def measure(graph: TaskGraph) -> dict[str, int]:
    """The counts of the tasks walked. ``depth`` is the longest chain in tasks, dummies included."""
    dummies = sum(1 for task in graph.walk.tasks if task.site.kind is SiteKind.DUMMY)
    return {
        "tasks": len(graph.walk.tasks),
        "dummies": dummies,
        "edges": len(graph.pairs),
        "depth": graph.depth,
        "width": graph.width,
        "roots": len(graph.roots),
        "leaves": len(graph.leaves),
    }


def summarise(graph: TaskGraph) -> dict[str, Count]:
    """The counts of the function itself, whatever was walked; ``graph`` should be walked with a generous limit."""
    walked = graph.walk
    counts = measure(graph)
    if walked.exact:
        return dict(counts)
    if walked.truncated or walked.unknown or any(isinstance(loop, While) for s in walked.sites for loop in s.loops):
        return dict.fromkeys(MEASURES, UNKNOWN)
    names = _unknown_trips(graph)
    unknown: dict[str, Count] = dict.fromkeys(MEASURES, UNKNOWN)
    if any(
        symbols(walked.trips.get(loop, 0)) for site in walked.sites for loop in site.loops if loop in walked.varying
    ):
        return unknown
    if not names and not is_symbolic(graph.walk):
        # Only conditions are unknown: what was walked holds both arms.
        return {name: f"<={count}" for name, count in counts.items()}
    # Without a name, some known trip count is too large to be walked.
    found = _fit(graph, names) if 1 <= len(names) <= 2 else unknown
    for name, dummies in (("tasks", False), ("dummies", True)):
        if found[name] == UNKNOWN:
            found[name] = _launches(graph, dummies)
    return found


def _launches(graph: TaskGraph, dummies: bool) -> Count:
    """How often the launch sites run, from the trip counts alone."""
    total: Scalar = 0
    bound = ""
    for site in graph.walk.sites:
        if dummies and site.kind is not SiteKind.DUMMY:
            continue
        product: Scalar = 1
        for loop in site.loops:
            trips = graph.walk.trips.get(loop)
            if trips is None:
                return UNKNOWN
            product = multiply(product, trips)
        total = add(total, product)
        bound = "<=" if bound or site.conditional else ""
    if isinstance(total, int):
        return total if not bound else f"{bound}{total}"
    names = [symbol.name for symbol in symbols(total)]
    powers = [tuple([sum(s.name == n for s in monomial) for n in names]) for monomial in total.terms]
    return bound + _text(names, powers, list(total.terms.values()))


def _unknown_trips(graph: TaskGraph) -> list[str]:
    launching = {loop for site in graph.walk.sites for loop in site.loops}
    found: dict[str, None] = {}
    for loop, trips in graph.walk.trips.items():
        if loop in launching:
            for symbol in symbols(trips):
                found[symbol.name] = None
    return list(found)


def _fit(graph: TaskGraph, names: list[str]) -> dict[str, Count]:
    degree = 2
    points = list(product(range(3, 4 + degree), repeat=len(names)))
    checks = [tuple(5 + degree for _ in names), tuple(4 + degree + i for i in range(len(names)))]
    samples = {point: _sample(graph, names, point) for point in dict.fromkeys([*points, *checks])}
    bound = "" if all(s is None or s[1] for s in samples.values()) else "<="
    result: dict[str, Count] = {}
    for name in MEASURES:
        values: dict[tuple[int, ...], int] = {}
        for point, sample in samples.items():
            if sample is None:
                break
            values[point] = sample[0][name]
        else:
            written = _polynomial(names, degree, points, checks, values)
            result[name] = _count(written, bound)
            continue
        result[name] = UNKNOWN
    return result


def _count(written: str | None, bound: str) -> Count:
    if written is None:
        return UNKNOWN
    return int(written) if written.isdigit() and not bound else bound + written


def _sample(graph: TaskGraph, names: list[str], point: tuple[int, ...]) -> tuple[dict[str, int], bool] | None:
    sampled = graph.analyser.graph(graph.function, SAMPLE_LIMIT, dict(zip(names, point)))
    unresolved = is_symbolic(sampled.walk) or sampled.walk.truncated
    return None if unresolved else (measure(sampled), sampled.walk.exact)


def is_symbolic(walk: Walk) -> bool:
    """Two iterations of some loop stand for all of them."""
    return any(not iteration.exact for task in walk.tasks for iteration in task.iterations)


def _polynomial(
    names: list[str],
    degree: int,
    points: list[tuple[int, ...]],
    checks: list[tuple[int, ...]],
    values: dict[tuple[int, ...], int],
) -> str | None:
    """The polynomial of that degree in each name through ``points``; None when a check contradicts it."""
    powers = list(product(range(degree + 1), repeat=len(names)))
    rows = [[Fraction(_monomial(point, power)) for power in powers] for point in points]
    factors = _solve(rows, [Fraction(values[point]) for point in points])
    if factors is None:
        return None
    for point in checks:
        if sum(f * _monomial(point, power) for f, power in zip(factors, powers)) != values[point]:
            return None
    common = lcm(*(f.denominator for f in factors))
    written = _text(names, powers, [int(f * common) for f in factors])
    return written if common == 1 else f"({written})/{common}"


def _monomial(point: tuple[int, ...], power: tuple[int, ...]) -> int:
    total = 1
    for value, exponent in zip(point, power):
        total *= value**exponent
    return total


def _solve(rows: list[list[Fraction]], right: list[Fraction]) -> list[Fraction] | None:
    size = len(rows)
    table = [[*row, value] for row, value in zip(rows, right)]
    for column in range(size):
        pivot = next((r for r in range(column, size) if table[r][column]), None)
        if pivot is None:
            return None
        table[column], table[pivot] = table[pivot], table[column]
        head = table[column][column]
        table[column] = [value / head for value in table[column]]
        for r in range(size):
            if r != column and table[r][column]:
                factor = table[r][column]
                table[r] = [a - factor * b for a, b in zip(table[r], table[column])]
    return [row[size] for row in table]


def _text(names: list[str], powers: list[tuple[int, ...]], factors: list[int]) -> str:
    parts: list[str] = []
    for power, factor in sorted(zip(powers, factors), key=lambda item: (sum(item[0]), item[0])):
        if factor == 0:
            continue
        body = "·".join(_power(name, exponent) for name, exponent in zip(names, power) if exponent)
        size = abs(factor)
        term = body if body and size == 1 else f"{size}{body}"
        sign = "-" if factor < 0 else "+" if parts else ""
        parts.append(sign + term)
    return "".join(parts) or "0"


def _power(name: str, exponent: int) -> str:
    written = name if name.isidentifier() or name.startswith("(") else f"({name})"
    return written if exponent == 1 else written + {2: "²"}.get(exponent, f"^{exponent}")
