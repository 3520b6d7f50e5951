"""Which waits a picture shows, in the modes and names of the runtime's own ``deps_viewer``, so that both compare."""

from __future__ import annotations

from enum import Enum

from pto_lsp.analysis.task_graph.edges import Source
from pto_lsp.analysis.task_graph.regions import Overlap
from pto_lsp.analysis.task_graph.sitegraph import SiteEdge, SiteGraph, same_place


class EdgeMode(Enum):
    """``REDUCED`` leaves out what longer paths imply, ``OMITTED`` shows only that. The dataflow modes count a wait as
    implied only when the tensor reaches the reader from somebody else as well.
    """

    FULL = "full"
    REDUCED = "reduced"
    OMITTED = "omitted"
    REDUCED_DATAFLOW = "reduced_dataflow"
    OMITTED_DATAFLOW = "omitted_dataflow"


def shown_edges(sites: SiteGraph, mode: EdgeMode) -> list[SiteEdge]:
    """What the author wrote and what no data needs is in every mode but the omitted ones."""
    if mode is EdgeMode.FULL:
        return list(sites.edges)
    left_out = omitted(sites, mode in (EdgeMode.REDUCED_DATAFLOW, EdgeMode.OMITTED_DATAFLOW))
    if mode in (EdgeMode.OMITTED, EdgeMode.OMITTED_DATAFLOW):
        return [edge for edge in sites.edges if edge in left_out]
    return [edge for edge in sites.edges if edge not in left_out]


def omitted(sites: SiteGraph, dataflow: bool) -> frozenset[SiteEdge]:
    """What others imply. With ``dataflow`` not where it alone brings a tensor to its reader."""
    implied = [
        edge
        for edge in sites.edges
        if edge.redundant and edge.source is not Source.EXPLICIT and edge.needed is not Overlap.MUST_NOT
    ]
    if dataflow:
        brought = {
            (edge.succ.index, same_place(edge.buffer))
            for edge in sites.edges
            if not edge.redundant and edge.buffer is not None
        }
        implied = [edge for edge in implied if (edge.succ.index, same_place(edge.buffer)) in brought]
    return frozenset(implied)
