"""``pl.range`` ↔ ``pl.parallel`` (diagnostics.md TG012, TG104, TG123, TG205, TG206)."""

from __future__ import annotations

from pto_lsp.analysis.ir.place import Place
from pto_lsp.analysis.ir.statements import For, LoopKind, Stmt
from pto_lsp.analysis.ir.types import TensorType
from pto_lsp.analysis.source import syntax
from pto_lsp.analysis.task_graph.checks.naming import loop_place, place_key
from pto_lsp.analysis.task_graph.checks.races import crossed_loop
from pto_lsp.analysis.task_graph.graph import TaskGraph
from pto_lsp.analysis.task_graph.model import Loop, Site
from pto_lsp.quickfix.context import Context, Draft
from pto_lsp.quickfix.graph_change import GraphChange, Keeps, Spot, may_share, pairs_of, spot
from pto_lsp.quickfix.launches import grids
from pto_lsp.quickfix.launches.graphs import graphs_of, site_of
from pto_lsp.quickfix.launches.launch_text import launch_text
from pto_lsp.quickfix.launches.lexical import Lexical
from pto_lsp.quickfix.rewriter import Refused, Rewriter


def build(context: Context) -> Draft:
    code = context.finding.code
    if code in ("PTO805", "PTO806"):
        return _parallel(context)
    where = context.finding.place if code == "PTO612" else context.finding.notes[0].place
    return _sequential(context, where, safe=code != "PTO612")


def _sequential(context: Context, where: Place, safe: bool) -> Draft:
    """Every iteration waits for the one before it, through what it writes or through the id it carries."""
    rewriter = Rewriter()
    _write(context, rewriter, where, "range")
    for graph in graphs_of(context):
        inside = [site for site in graph.walk.sites if any(_is(loop, where) for loop in site.loops)]
        gained = pairs_of((any_site, site) for site in inside for any_site in graph.walk.sites)
        change = GraphChange(gained) if safe else None
        return Draft(rewriter, safe, comparable=context.ran, graph=change)
    raise Refused("the loop was not found")


def _parallel(context: Context) -> Draft:
    """All loops around the launch lose the order that no data needs."""
    graph, site = site_of(context)
    if all(isinstance(loop, For) and loop.kind is LoopKind.PARALLEL for loop in site.loops):
        # What chains them is that the tensor may be read; as blocks of one task they are not ordered at all.
        return grids.merged(context)
    rewriter = Rewriter()
    for loop in site.loops:
        if not isinstance(loop, For) or loop.kind not in (LoopKind.RANGE, LoopKind.PARALLEL):
            raise Refused("a loop of another kind stands around the launch")
        if any(not isinstance(carry.inner.type, TensorType) for carry in loop.carries):
            raise Refused("something besides tensors is handed from one iteration to the next")
        if loop.kind is LoopKind.RANGE:
            _write(context, rewriter, loop_place(loop), "parallel")
    for pred, succ in graph.pairs:
        first, second = graph.walk.tasks[pred], graph.walk.tasks[succ]
        crossed = crossed_loop(first, second)
        if crossed in site.loops and may_share(graph, pred, succ):
            raise Refused("an iteration needs what the one before it leaves")
    known = graph.function.complete and not graph.walk.unknown and not graph.walk.truncated
    change = GraphChange(frozenset(), _unneeded(graph, site), keeps=Keeps.NEEDED)
    return Draft(rewriter, known, graph=change)


def _unneeded(graph: TaskGraph, site: Site) -> frozenset[tuple[Spot, Spot]]:
    """Pairs within the loops of ``site``; which of their waits may go is told task by task."""
    inside = [other for other in graph.walk.sites if set(other.loops) & set(site.loops)]
    return frozenset((spot(a), spot(b)) for a in graph.walk.sites for b in inside)


def _write(context: Context, rewriter: Rewriter, where: Place, kind: str) -> None:
    """Make the loop at ``where`` one of another kind."""
    text = context.text_of(where.source)
    lexical = Lexical(context.project, text)
    written = lexical.at(where.anchor)
    loop: Stmt = written.stmt
    launch = launch_text(lexical, written)
    func = launch.call.func
    if not isinstance(loop, For) or not isinstance(func, syntax.Attribute):
        raise Refused("the loop is not written in the usual way")
    span = launch.span(func.span)
    rewriter.replace(text.path, span.end - len(func.attr), span.end, kind)


def _is(loop: Loop, where: Place) -> bool:
    return place_key(loop_place(loop)) == place_key(where)
