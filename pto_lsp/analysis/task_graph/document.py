"""The graph as a JSON document (graph-view.md §5, rule-codes.md "graph --format json")."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from pto_lsp.analysis.ir.place import Place
from pto_lsp.analysis.passes.derive_call_directions import CallDirection
from pto_lsp.analysis.task_graph.checks.races import classify
from pto_lsp.analysis.task_graph.comparison import Comparison, Seen
from pto_lsp.analysis.task_graph.graph import TaskGraph
from pto_lsp.analysis.task_graph.hazards import Hazard
from pto_lsp.analysis.task_graph.model import Argument, Loop, Site, SiteKind
from pto_lsp.analysis.task_graph.nesting import Nest, Spot
from pto_lsp.analysis.task_graph.picture import Bar, Cloud, Picture
from pto_lsp.analysis.task_graph.regions import Buffer, Overlap, View
from pto_lsp.analysis.task_graph.scalars import Scalar, add, text
from pto_lsp.analysis.task_graph.sitegraph import Distance, SiteGraph, fold, loop_title, multiplicity, owner_name
from pto_lsp.analysis.task_graph.summary import UNKNOWN, Count, summarise
from pto_lsp.analysis.task_graph.untracked import Untracked
from pto_lsp.diagnostics import Range

Locate = Callable[[Place], tuple[str, Range] | None]
"""Path and present range of a place; None when its function is gone."""

DIRECTION_TEXT = {
    CallDirection.INPUT: "in",
    CallDirection.OUTPUT_EXISTING: "out",
    CallDirection.INOUT: "inout",
    CallDirection.NO_DEP: "no_dep",
    CallDirection.SCALAR: "scalar",
    CallDirection.OUTPUT: "out",
}


NEEDED_TEXT = {Overlap.MUST: "must", Overlap.MAY: "may", Overlap.MUST_NOT: "must-not"}


def document(
    graph: TaskGraph,
    locate: Locate,
    unroll: bool = False,
    shown: Picture | None = None,
    comparison: Comparison | None = None,
) -> dict[str, Any]:
    """The document of one function. With ``unroll`` it also lists every task, which needs a graph walked trip by trip;
    with a comparison, what a record has of every wait.
    """
    shown = Picture(fold(graph)) if shown is None else shown
    sites = shown.sites
    names = Names(shown)
    counts = dict(summarise(graph))
    result: dict[str, Any] = {
        "version": 1,
        "view": "launches",
        "function": graph.function.name,
        "exact": graph.walk.exact,
        "unknown": [_unknown(shown, each, names, locate) for each in shown.clouds],
        "nodes": [site_node(shown, site, names, locate) for site in sites.sites],
        "tensors": [tensor_entry(buffer, names) for buffer in sites.buffers],
        "loops": [loop_entry(graph, loop, names) for loop in sites.loops],
        "groups": _groups(shown, names),
        "edges": [
            {
                "pred": names.node(edge.pred),
                "succ": names.node(edge.succ),
                "source": edge.source.value,
                "hazard": edge.hazard or None,
                "tensor": None if edge.buffer is None else names.tensor(edge.buffer),
                "overlap": "covered" if edge.covered else "other",
                "distance": names.distance(edge.distance),
                "redundant": edge.redundant,
                "certain": edge.certain,
                "needed": NEEDED_TEXT[edge.needed],
                "critical": (edge.pred.index, edge.succ.index, edge.carried) in shown.critical.edges,
            }
            for edge in sites.edges
        ],
        "missing": [
            {
                "pred": names.node(each.pred),
                "succ": names.node(each.succ),
                "hazard": each.kind,
                "tensor": names.tensor(each.buffer),
                "distance": names.distance(each.distance),
                "rule": rule_of(graph, each.hazard),
            }
            for each in sites.missing
        ],
        "opted_out": [_untracked(each, names) for each in shown.untracked],
        "guards": [
            {
                "pred": names.node(each.pred),
                "succ": names.node(each.succ),
                "tensor": names.tensor(each.buffer),
                "distance": names.distance(each.distance),
                "ordered": each.ordered,
            }
            for each in shown.guards
        ],
        "stalls": [_stall(bar, number, names, locate) for number, bar in enumerate(shown.bars, start=1)],
        "summary": counts,
        "critical": {
            "path": [names.node(graph.walk.tasks[task].site) for task in shown.critical.path],
            "text": critical_text(counts),
        },
    }
    if unroll:
        result["unrolled"] = unrolled(graph, locate)
    if comparison is not None:
        _add_record(result, sites, names, comparison)
    return result


def _add_record(result: dict[str, Any], sites: SiteGraph, names: Names, comparison: Comparison) -> None:
    """``observed`` of every edge ("both", or "predicted" where the record lacks it), the waits that only the record
    has, and the counts.
    """
    for edge, shown in zip(sites.edges, result["edges"]):
        seen = comparison.of(edge.pred, edge.succ, edge.carried)
        shown["observed"] = None if seen is None else seen.value
    result["observed_only"] = [
        {
            "pred": names.node(sites.sites[pred]),
            "succ": names.node(sites.sites[succ]),
            "carried": carried,
            "count": count,
        }
        for (pred, succ, carried), count in comparison.only_observed()
    ]
    result["record"] = {
        **{seen.value: comparison.count(seen) for seen in Seen},
        "exact": comparison.exact,
        "not_recorded": list(comparison.here),
        "not_launched": list(comparison.there),
    }
    if "unrolled" in result:
        for task, shown in enumerate(result["unrolled"]["tasks"]):
            recorded = comparison.tasks.get(task)
            shown["recorded"] = None if recorded is None else str(recorded.id)
        for shown in result["unrolled"]["edges"]:
            shown["observed"] = (shown["pred"], shown["succ"]) in comparison.observed


def rule_of(graph: TaskGraph, hazard: Hazard) -> str | None:
    """The catalogue's number of the rule a hazard breaks: "TG102"."""
    race = classify(graph, hazard)
    return None if race is None else f"TG{int(race.code[3:]) - 600}"


def unrolled(graph: TaskGraph, locate: Locate) -> dict[str, Any]:
    """Every task in submission order, allocations left out, with its whole wait set."""
    tasks = [{"kernel": task.site.name, "line": line(task.site.place, locate)} for task in graph.walk.tasks]
    edges = []
    for (pred, succ), reasons in sorted(graph.pairs.items(), key=lambda item: (item[0][1], item[0][0])):
        reason = reasons[0]
        tensor = reason.buffer.label if reason.buffer is not None else None
        edges.append({"pred": pred, "succ": succ, "source": reason.source.value, "tensor": tensor})
    return {
        "tasks": tasks,
        "edges": edges,
        "waits_for_allocation": sorted(graph.edges.allocation),
    }


def line(where: Place, locate: Locate) -> int:
    """1-based line of a place; 0 when it is gone."""
    found = locate(where)
    return 0 if found is None else found[1].start.line + 1


class Names:
    """Identifiers of nodes, tensors and loops in one document."""

    def __init__(self, shown: Picture, buffers: Iterable[Buffer] | None = None) -> None:
        """``buffers``: those that get an identifier, where it is not those of the launches."""
        sites, groups = shown.sites, shown.nesting.groups
        named = sites.buffers if buffers is None else buffers
        self._tensors = {buffer: f"t{number}" for number, buffer in enumerate(named, start=1)}
        self._loops = {loop: f"l{number}" for number, loop in enumerate(sites.loops, start=1)}
        self._groups = {group: f"g{number}" for number, group in enumerate(groups, start=1)}

    def node(self, site: Site) -> str:
        return f"n{site.index + 1}"

    def tensor(self, buffer: Buffer) -> str:
        return self._tensors.get(buffer) or buffer.label

    def loop(self, loop: Loop) -> str:
        return self._loops[loop]

    def nest(self, groups: Nest) -> list[str]:
        return [self._groups[group] for group in groups]

    def distance(self, away: Distance) -> dict[str, int]:
        return {self._loops[loop]: steps for loop, steps in away}


def _unknown(shown: Picture, cloud: Cloud, names: Names, locate: Locate) -> dict[str, Any]:
    """``alone``: it stands for itself; otherwise it is told of the launches that it holds, or has been told."""
    return {
        "range": range_entry(cloud.place, locate),
        "why": cloud.why,
        "alone": cloud in shown.lone_clouds,
        **_spot(cloud.spot, names),
    }


def range_entry(where: Place, locate: Locate) -> list[list[int]] | None:
    found = locate(where)
    if found is None:
        return None
    start, end = found[1]
    return [[start.line + 1, start.column + 1], [end.line + 1, end.column + 1]]


def _spot(spot: Spot, names: Names) -> dict[str, Any]:
    return {"groups": names.nest(spot.nest), "after": spot.after}


def _groups(shown: Picture, names: Names) -> list[dict[str, Any]]:
    """Every box something is in; ``parent`` is the one around it."""
    return [
        {
            "id": names.nest((group,))[0],
            "kind": group.kind.value,
            "title": group.title,
            "loop": None if group.loop is None else names.loop(group.loop),
            "parent": names.nest(around[-1:])[0] if around else None,
        }
        for group, around in shown.groups.items()
    ]


def _untracked(each: Untracked, names: Names) -> dict[str, Any]:
    return {
        "pred": names.node(each.pred),
        "succ": names.node(each.succ),
        "hazard": each.hazard,
        "tensor": names.tensor(each.buffer),
        "distance": names.distance(each.distance),
        "overlap": NEEDED_TEXT[each.overlap],
        "ordered": each.ordered,
        "how": each.how,
        "claim": each.text,
    }


def _stall(bar: Bar, number: int, names: Names, locate: Locate) -> dict[str, Any]:
    """``after``: how many launches are written before it; those behind are submitted when it is over."""
    return {
        "id": f"s{number}",
        "access": "write" if bar.write else "read",
        "tensor": names.tensor(bar.buffer),
        "waits": [names.node(site) for site in bar.waits],
        "range": range_entry(bar.place, locate),
        **_spot(bar.spot, names),
    }


def critical_text(counts: Mapping[str, Count]) -> str:
    """``longest chain 6 of 13 tasks, width 4``, with what is not known left out."""
    depth, tasks, width = (str(counts[name]) for name in ("depth", "tasks", "width"))
    if UNKNOWN in depth:
        return ""
    return (
        f"longest chain {depth}"
        + ("" if UNKNOWN in tasks else f" of {tasks} tasks")
        + ("" if UNKNOWN in width else f", width {width}")
    )


def site_node(shown: Picture, site: Site, names: Names, locate: Locate) -> dict[str, Any]:
    sites = shown.sites
    found = locate(site.place)
    path, number = ("", 0) if found is None else (found[0], found[1].start.line + 1)
    options = getattr(site.call, "options", None)
    return {
        "id": names.node(site),
        "site": f"{path}#L{number}",
        "name": site.name,
        "kind": site.kind.value,
        "count": multiplicity(sites.graph, site),
        "scope": "manual" if site.scope is not None else "auto",
        "loops": [names.loop(loop) for loop in site.loops],
        "groups": names.nest(shown.nest(site)),
        "conditional": site.conditional,
        "args": [argument_entry(argument, names) for argument in sites.arguments.get(site.index, ())],
        "early": bool(options is not None and options.allow_early_resolve),
        "guarded": bool(options is not None and options.predicate is not None),
        "blocks": _blocks(sites, site),
        "known": site.index not in sites.opaque,
        "slack": shown.critical.slack.get(site.index),
    }


def _blocks(sites: SiteGraph, site: Site) -> str | None:
    if site.kind is not SiteKind.SPMD and getattr(getattr(site.call, "options", None), "core_num", None) is None:
        return None
    for task in sites.graph.walk.tasks:
        if task.site is site:
            return "?" if task.core_num is None else text(task.core_num)
    return "?"


def argument_entry(argument: Argument, names: Names) -> dict[str, Any]:
    result: dict[str, Any] = {
        "tensor": names.tensor(argument.views[0].buffer) if argument.views else None,
        "name": argument.label or None,
        "dir": DIRECTION_TEXT[argument.direction],
        "region": region(argument.views[0]) if len(argument.views) == 1 else None,
    }
    if argument.why:
        result["why"] = argument.why
    return result


def region(view: View) -> list[list[int | str]] | None:
    """Half-open interval per dimension; None when it is not known."""
    if view.shape is None:
        return None
    return [[_number(offset), _number(add(offset, extent))] for offset, extent in zip(view.offsets, view.shape)]


def _number(value: Scalar) -> int | str:
    return value if isinstance(value, int) else text(value)


def tensor_entry(buffer: Buffer, names: Names) -> dict[str, Any]:
    return {
        "id": names.tensor(buffer),
        "name": buffer.label,
        "shape": None if buffer.shape is None else [_number(extent) for extent in buffer.shape],
        "dtype": buffer.dtype,
        "owner": owner_name(buffer),
        "manual_dep": buffer.manual_dep,
    }


def loop_entry(graph: TaskGraph, loop: Loop, names: Names) -> dict[str, Any]:
    trips = graph.walk.trips.get(loop)
    kind = getattr(loop, "kind", None)
    variable = getattr(loop, "var", None)
    return {
        "id": names.loop(loop),
        "kind": "while" if kind is None else kind.value,
        "var": None if variable is None else variable.label,
        "trips": None if trips is None else _number(trips),
        "title": loop_title(graph, loop),
    }
